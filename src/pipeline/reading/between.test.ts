import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../detectors/kind.ts';
import type { PacketIndex } from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import { Between } from './between.ts';
import { ReadingsBuilder } from './chunk-readings.ts';

/** Groups of 20 frames, a frame each 50 ms; the first detector wants each, the second every other one. */
const GROUP = 20;
const index = { firstGroup: 0, packets: { firstFrames: Uint32Array.from({ length: 20 }, (_, i) => i * GROUP) } };
const often = Uint8Array.of(1, 0);
const probes = [
  { persists: 0.3, confidence: 0.5 },
  { persists: 0.3, confidence: 0.5 },
];

interface Reading {
  readonly shown: readonly unknown[];
  readonly reads: number;
  readonly open: number;
}

/** Reads samples of which each shows one of `values` to both detectors (undefined: unreadable). */
async function read(values: readonly (number | undefined)[], between = true): Promise<Reading> {
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
    recall: (all: readonly (Observation | undefined)[], due: ArrayLike<number>) =>
      all.map((one, d) => (due[d] ? one : undefined)),
  };
  const plan = {
    frames: values.map((_, i) => i),
    due: values.map((_, i) => Uint8Array.of(1, i % 2 === 0 ? 1 : 0)),
  };
  const builder = new ReadingsBuilder();
  const context = { index: index as unknown as PacketIndex, reader, ...(between && { between: { probes, often } }) };
  const waiting = new Between(context, plan, builder);
  for (const [sample] of values.entries()) {
    const picture = { t: sample * 0.05, [Symbol.dispose]: () => open-- } as unknown as Picture;
    if (waiting.hold(picture, sample)) continue;
    const shown = await reader.read(picture, plan.due[sample]!);
    await waiting.release({ t: picture.t, sample, seen: shown });
    builder.add(picture.t, shown);
    picture[Symbol.dispose]();
  }
  await waiting.release();
  waiting[Symbol.dispose]();
  const { t, seen: rows, observations } = builder.finish();
  const shown = rows.map((row, i) => [t[i], ...row.map((at) => (at < 0 ? at : observations[at]))]);
  return { shown, reads, open };
}

describe('samples between others', () => {
  it('show what was read of them, where what changes does not come back', async () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(steps, async (runs) => {
        const values = runs.flatMap(([length, readable], i) =>
          Array.from({ length }, () => (readable ? i : undefined)),
        );
        const [told, all] = [await read(values), await read(values, false)];
        expect(told.shown).toEqual(all.shown);
        expect(told.open).toBe(0);
      }),
      { seed: 3, numRuns: 200 },
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
