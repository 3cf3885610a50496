import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../detectors/kind.ts';
import type { PacketIndex } from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import { openGame } from '../game.ts';
import { ReadingsBuilder } from './chunk-readings.ts';
import { interpolationRules, persistenceRules, SampleInterpolator } from './interpolation.ts';

/** Groups of 20 frames, a frame each 50 ms; the first detector wants each, the second every other one. */
const GROUP = 20;
const index = { firstGroup: 0, packets: { firstFrames: Uint32Array.from({ length: 20 }, (_, i) => i * GROUP) } };
const isFrequent = Uint8Array.of(1, 0);
const persistence = [
  { persists: 0.3, confidence: 0.5 },
  { persists: 0.3, confidence: 0.5 },
];

interface Reading {
  readonly shown: readonly unknown[];
  readonly reads: number;
  readonly open: number;
}

/** Reads samples of which each shows one of `values` to both detectors (undefined: unreadable). */
async function read(values: readonly (number | undefined)[], interpolates = true): Promise<Reading> {
  const seen = values.map(
    (value): Observation =>
      value === undefined ? { state: 'unreadable', confidence: 0 } : { state: 'seen', value, confidence: 0.9 },
  );
  let reads = 0;
  let open = values.length;
  const masked = (at: number, due: ArrayLike<number>) => [0, 1].map((d) => (due[d] ? seen[at] : undefined));
  const reader = {
    read: async ({ t }: Picture, due: ArrayLike<number>) => {
      reads++;
      return masked(Math.round(t / 0.05), due);
    },
    select: (all: readonly (Observation | undefined)[], due: ArrayLike<number>) =>
      all.map((one, d) => (due[d] ? one : undefined)),
  };
  const samples = {
    frames: values.map((_, i) => i),
    due: values.map((_, i) => Uint8Array.of(1, i % 2 === 0 ? 1 : 0)),
  };
  const builder = new ReadingsBuilder();
  const request = { index: index as unknown as PacketIndex, samples };
  const rules = { persistence, isFrequent: interpolates ? isFrequent : Uint8Array.of(0, 0) };
  const interpolator = new SampleInterpolator(rules, reader, request, builder);
  for (const [sample] of values.entries()) {
    const picture = { t: sample * 0.05, [Symbol.dispose]: () => open-- } as unknown as Picture;
    if (interpolator.hold(picture, sample)) continue;
    const shown = await reader.read(picture, samples.due[sample]!);
    await interpolator.release({ t: picture.t, sample, seen: shown });
    builder.add(picture.t, shown);
    picture[Symbol.dispose]();
  }
  await interpolator.release();
  interpolator[Symbol.dispose]();
  const { t, seen: rows, observations } = builder.finish();
  const shown = rows.map((row, i) => [t[i], ...row.map((at) => (at < 0 ? at : observations[at]))]);
  return { shown, reads, open };
}

describe('samples between two that agree', () => {
  it('get the readings that they would have, if changes do not come back', async () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(steps, async (runs) => {
        const values = runs.flatMap(([length, readable], i) =>
          Array.from({ length }, () => (readable ? i : undefined)),
        );
        const [interpolated, all] = [await read(values), await read(values, false)];
        expect(interpolated.shown).toEqual(all.shown);
        expect(interpolated.open).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('are not read where nothing changes, but for those between groups of pictures', async () => {
    const { reads } = await read(Array.from({ length: 4 * GROUP }, () => 7));
    expect(reads).toBe(2 * GROUP + 4);
  });

  it('are read where those around them are unreadable', async () => {
    const { reads } = await read(Array.from({ length: GROUP }, () => undefined));
    expect(reads).toBe(GROUP);
  });
});

/** Seconds between keyframes as encoders for streams and games put them. */
const KEYFRAME_SECONDS = 2;

describe('rules of built-in profiles', () => {
  it('prove groups of pictures of freedoom for all detectors but messages and screens, which may come back at once', async () => {
    const game = await openGame('freedoom');
    const rules = persistenceRules(game);
    expect(game.detectors.filter((_, d) => rules[d]!.persists <= KEYFRAME_SECONDS).map(({ name }) => name)).toEqual([
      'message',
      'status bar',
      'left of the bar',
      'tally',
      'entering',
    ]);
  });

  it('interpolate the figures of openarena, which are sampled twice as often as the rest', async () => {
    const game = await openGame('openarena');
    const rules = interpolationRules(game);
    expect(game.detectors.filter((_, d) => rules?.isFrequent[d] === 1).map(({ name }) => name)).toEqual([
      'health',
      'armor',
      'ammunition',
    ]);
    expect(interpolationRules(await openGame('freedoom'))).toBeUndefined();
  });
});
