import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Observation } from '../../detectors/kind.ts';
import type { Picture } from '../../media/picture.ts';
import { SampleWindow } from './sample-window.ts';

const INTERVAL = 0.1;
const rules = [
  { persists: 0.5, confidence: 0.5 },
  { persists: 2, confidence: 0.5 },
];

/** Values per sample such that none comes back within the given number of samples. */
function values(persists: number): fc.Arbitrary<readonly number[]> {
  return fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 12 }).map((runs) => {
    const out: number[] = [];
    for (const [wish, length] of runs) {
      let value = wish;
      const isRecent = (one: number): boolean => {
        const last = out.lastIndexOf(one);
        return last >= 0 && one !== out.at(-1) && out.length - last <= persists;
      };
      while (isRecent(value)) value++;
      for (let i = 0; i < length; i++) out.push(value);
    }
    return out;
  });
}

it('gives every sample what reading it gives, if values do not come back within the time declared', async () => {
  await fc.assert(
    fc.asyncProperty(values(5), values(20), async (first, second) => {
      const count = Math.min(first.length, second.length);
      const seenAt = (i: number, d: number): Observation => ({
        state: 'seen',
        value: [first, second][d]![i]!,
        confidence: 0.9,
      });
      const rows: (readonly unknown[])[] = [];
      let open = count;
      const window = new SampleWindow({
        reader: {
          read: async ({ t }: Picture, due: ArrayLike<number>) =>
            [0, 1].map((d) => (due[d] ? seenAt(Math.round(t / INTERVAL), d) : undefined)),
          withDependencies: (due) => Uint8Array.from(due),
        },
        rules,
        add: (_, __, seen) => rows.push(seen.map((one) => (one?.state === 'seen' ? one.value : undefined))),
        isNew: () => false,
      });
      for (let i = 0; i < count; i++) {
        const picture = { t: i * INTERVAL, width: 640, height: 360, [Symbol.dispose]: () => open-- };
        await window.take(picture as unknown as Picture, i, Uint8Array.of(1, 1));
      }
      await window.resolve();
      expect(rows).toEqual(Array.from({ length: count }, (_, i) => [first[i], second[i]]));
      expect(open).toBe(0);
    }),
  );
});
