import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../detectors/kind.ts';
import type { Picture } from '../../media/picture.ts';
import { ReadingsBuilder } from './chunk-readings.ts';
import { Shown } from './shown.ts';
import { type Look, Stretch } from './stretch.ts';

/** Seconds between samples; what a detector persists lets looks at four samples' distance tell what lies between. */
const STEP = 0.05;
const rules = Array.from({ length: 3 }, () => ({ persists: 13.5 * STEP, confidence: 0.5 }));

type Values = readonly (number | undefined)[];

/** What each of three detectors shows in each sample (undefined: unreadable). The second is due every other time, the third rests on the first. */
interface Result {
  readonly rows: readonly (readonly unknown[])[];
  /** Readings made, by detector; how many pictures were left open. */
  readonly reads: readonly number[];
  readonly open: number;
}

/** The third detector needs the first. */
function withDependencies(due: ArrayLike<number>): Uint8Array {
  const all = Uint8Array.from(due);
  if (all[2]) all[0] = 1;
  return all;
}

function at({ t }: { readonly t: number }): number {
  return Math.round(t / STEP);
}

function dueAt(i: number): Uint8Array {
  return Uint8Array.of(1, i % 2 === 0 ? 1 : 0, 1);
}

function observed(value: number | undefined): Observation {
  return value === undefined ? { state: 'unreadable', confidence: 0 } : { state: 'seen', value, confidence: 0.9 };
}

/** Reads the samples between the first, a keyframe, and the last; all of them if `plainly`. */
async function read(
  values: readonly Values[],
  plainly = false,
  { earlier, unsure = [] }: { readonly earlier?: readonly number[]; readonly unsure?: readonly number[] } = {},
): Promise<Result> {
  const count = values[0]!.length;
  const seen = values.map((of) =>
    of.map((value, i) => ({ ...observed(value), ...(unsure.includes(i) && { confidence: 0.4 }) })),
  );
  const reads = [0, 0, 0];
  let open = 0;
  const all = (i: number): Look => ({ t: i * STEP, seen: seen.map((of) => of[i]), read: Uint8Array.of(1, 1, 1) });
  const reader = {
    withDependencies,
    look: async (picture: Picture, due: ArrayLike<number>, known: { readonly read: Uint8Array }) =>
      [...withDependencies(due)].map((needed, d) => {
        if (!needed) return undefined;
        if (!known.read[d]) reads[d]!++;
        return seen[d]![at(picture)];
      }),
    recall: (shown: readonly (Observation | undefined)[], due: ArrayLike<number>) =>
      [...withDependencies(due)].map((needed, d) => (needed ? shown[d] : undefined)),
  };
  const builder = new ReadingsBuilder();
  {
    using stretch = new Stretch(
      { reader, rules, shown: new Shown(builder, rules, reader, earlier?.map(observed) ?? all(0).seen) },
      all(0),
    );
    for (let i = 1; i < count - 1; i++) {
      open++;
      const picture = { t: i * STEP, width: 640, height: 360, [Symbol.dispose]: () => open-- } as unknown as Picture;
      const one = stretch.add(picture, dueAt(i));
      if (plainly) await stretch.look(one, one.due);
      await stretch.advance((i + 1) * STEP);
    }
    await stretch.finish(all(count - 1));
  }
  const { t, seen: rows, observations } = builder.finish();
  return { rows: rows.map((row, i) => [t[i], ...row.map((n) => observations[n])]), reads, open };
}

/** What stays as it is for some samples, and never comes back; or cannot be read for some. */
const changing = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean()), { minLength: 12, maxLength: 12 })
  .map((runs) => runs.flatMap(([length, readable], i) => Array.from({ length }, () => (readable ? i : undefined))));

describe('a stretch', () => {
  it('shows what was read of it, where what changes does not come back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(changing, changing, changing), async (lists) => {
        const count = Math.min(...lists.map(({ length }) => length));
        const values = lists.map((list) => list.slice(0, count));
        const [told, plain] = [await read(values), await read(values, true)];
        expect(told.rows).toEqual(plain.rows);
        expect(told.open).toBe(0);
      }),
      { seed: 5, numRuns: 40 },
    );
  });

  it('is read at every fourth sample, and at a change by halves, by the detectors that it concerns', async () => {
    const still = Array.from({ length: 42 }, () => 7);
    expect((await read([still, still, still])).reads).toEqual([10, 10, 10]);
    const changed = still.map((value, i) => (i < 14 ? value : 8));
    expect((await read([still, changed, still])).reads).toEqual([10, 11, 10]);
    expect((await read([still, still, changed])).reads).toEqual([12, 10, 12]);
    // What rests on another is read again where that one shows something else.
    expect((await read([changed, still, still])).reads).toEqual([12, 10, 12]);
  });

  it('is read from its beginning until it is sure, where its keyframe shows what no sample before it did', async () => {
    const still = Array.from({ length: 42 }, () => 7);
    const told = await read([still, still, still], false, { earlier: [7, 6, 7], unsure: [1, 2, 3] });
    const plain = await read([still, still, still], true, { earlier: [7, 6, 7], unsure: [1, 2, 3] });
    // The second detector is due in every other sample; the first is unsure, so what it shows is dated by the second, as if all were read.
    expect(told.rows.map((row) => row[2])).toEqual(plain.rows.map((row) => row[2]));
    expect(told.reads).toEqual([10, 11, 10]);
  });

  it('is read sample by sample where nothing can be read', async () => {
    const still = Array.from({ length: 42 }, () => 7);
    const unread = still.map(() => undefined);
    expect((await read([still, unread, still])).reads).toEqual([10, 20, 10]);
  });
});
