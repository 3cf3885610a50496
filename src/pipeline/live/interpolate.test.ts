import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Observation, Reading } from '../../detectors/kind.ts';
import type { PacketIndex } from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import { openGame } from '../game.ts';
import type { SampleMessage } from '../messages.ts';
import { type Observations, ReadingsBuilder } from '../reading/chunk-readings.ts';
import { interpolationRules, SampleInterpolator } from '../reading/interpolation.ts';
import { interpolateReadings } from './interpolate.ts';

const GROUP_FRAMES = 8;
const STEP_SECONDS = 0.05;

function select(seen: Observations, due: ArrayLike<number>): Observations {
  return seen.map((observation, d) => (due[d] === 1 ? observation : undefined));
}

it('gives samples the readings that they have where the finished recording is read', async () => {
  const game = await openGame('openarena');
  const rules = interpolationRules(game)!;
  const names = game.detectors.map(({ name }) => name);
  const all = Uint8Array.from(names, () => 1);
  const packets = { firstFrames: Uint32Array.from({ length: 20 }, (_, i) => i * GROUP_FRAMES) };
  const index = { firstGroup: 0, packets } as unknown as PacketIndex;
  const shown = fc.record({ value: fc.integer({ min: 1, max: 2 }), confidence: fc.constantFrom(0.2, 0.9, 0.95) });
  await fc.assert(
    fc.asyncProperty(fc.array(shown, { minLength: 1, maxLength: 40 }), async (values) => {
      const due = values.map((_, i) => (i % 2 === 0 ? all : rules.isFrequent));
      const seen = values.map((value, i) =>
        select(
          Array.from(names, () => ({ state: 'seen' as const, ...value })),
          due[i]!,
        ),
      );

      const builder = new ReadingsBuilder();
      const reader = { select, read: async ({ t }: Picture) => seen[Math.round(t / STEP_SECONDS)]! };
      const samples = { frames: values.map((_, i) => i), due };
      using interpolator = new SampleInterpolator(rules, reader, { index, samples }, builder);
      for (const [i, one] of seen.entries()) {
        const t = i * STEP_SECONDS;
        if (interpolator.hold({ t, [Symbol.dispose]: () => undefined } as Picture, i)) continue;
        await interpolator.release({ t, sample: i, seen: one });
        builder.add(t, one);
      }
      await interpolator.release();
      const { t, seen: rows, observations } = builder.finish();

      const live: SampleMessage[] = [];
      for await (const message of interpolateReadings(messages(), game, select))
        if (message.type === 'sample') live.push(message);
      expect(live.map((one) => [one.t, one.readings])).toEqual(
        rows.map((row, i) => [
          t[i],
          toReadings(
            t[i]!,
            row.map((at) => observations[at]),
          ),
        ]),
      );

      async function* messages() {
        for (const [i, one] of seen.entries()) {
          const at = i * STEP_SECONDS;
          const frame = { t: at, due: due[i]!, group: Math.floor(i / GROUP_FRAMES), seen: one };
          yield { type: 'sample', t: at, readings: toReadings(at, one), isFrame: true, frame } as const;
          yield { type: 'chunk-end' } as const;
        }
        yield { type: 'chunk-end', end: values.length * STEP_SECONDS } as const;
      }
    }),
    { numRuns: 100 },
  );

  function toReadings(t: number, seen: readonly (Observation | undefined)[]): readonly Reading[] {
    return seen.flatMap((observation, d) => (observation ? [{ detector: names[d]!, t, observation }] : []));
  }
});
