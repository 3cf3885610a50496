import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { select, selectGreedily, selectionValue, type Candidate, type SelectOptions } from './select.ts';

/** Every set of candidates that obeys the rules, tried one by one. */
function bruteForce(candidates: readonly Candidate[], options: SelectOptions): number {
  let best = 0;
  for (let mask = 0; mask < 1 << candidates.length; mask++) {
    const chosen = candidates.flatMap((_, index) => ((mask >> index) & 1 ? [index] : []));
    const scenes = chosen.map((index) => candidates[index]!.scene);
    if (new Set(scenes).size < scenes.length) continue;
    const length = chosen.reduce((sum, index) => sum + Math.round(candidates[index]!.duration * 1000), 0);
    if (length > options.duration * 1000 + 1e-6) continue;
    const counts = Object.values(Object.groupBy(chosen, (index) => candidates[index]!.session));
    if (counts.some((group) => group!.length > (options.perSession ?? Number.POSITIVE_INFINITY))) continue;
    best = Math.max(best, selectionValue(candidates, chosen, options));
  }
  return best;
}

const scenes = fc
  .array(
    fc.record({
      kind: fc.constantFrom('kill', 'die', 'find'),
      newSession: fc.boolean(),
      versions: fc.array(
        fc.record({ duration: fc.integer({ min: 1, max: 15_000 }), value: fc.integer({ min: 0, max: 40 }) }),
        { minLength: 1, maxLength: 2 },
      ),
    }),
    { maxLength: 8 },
  )
  .map((list) => {
    let session = 0;
    return list.flatMap(({ kind, newSession, versions }, scene): Candidate[] => {
      if (newSession) session++;
      return versions.map(({ duration, value }) => ({
        scene,
        session: String(session),
        kind,
        duration: duration / 1000,
        value: value / 4,
      }));
    });
  })
  .filter((list) => list.length <= 12);

const options = fc.record(
  {
    duration: fc.integer({ min: 0, max: 40 }),
    repetition: fc.constantFrom(0, 0.25, 0.5, 1),
    perSession: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: ['duration'] },
);

describe('select', () => {
  it('finds the same set as an exhaustive search', () => {
    fc.assert(
      fc.property(scenes, options, (candidates, wanted) => {
        const selection = select(candidates, wanted);
        expect(selection.value).toBeCloseTo(bruteForce(candidates, wanted), 9);
        expect(selectionValue(candidates, selection.chosen, wanted)).toBeCloseTo(selection.value, 9);
      }),
      { numRuns: 400 },
    );
  });

  it('respects duration, one version per scene and the limit per session', () => {
    fc.assert(
      fc.property(scenes, options, (candidates, wanted) => {
        const { chosen } = select(candidates, wanted);
        const picked = chosen.map((index) => candidates[index]!);
        expect(picked.reduce((sum, candidate) => sum + candidate.duration, 0)).toBeLessThanOrEqual(
          wanted.duration + 1e-9,
        );
        expect(new Set(picked.map((candidate) => candidate.scene)).size).toBe(picked.length);
        const most = Math.max(
          0,
          ...Object.values(Object.groupBy(picked, (candidate) => candidate.session)).map((g) => g!.length),
        );
        expect(most).toBeLessThanOrEqual(wanted.perSession ?? Number.POSITIVE_INFINITY);
      }),
    );
  });

  it('beats the greedy selection where that leaves time unused', () => {
    // The dense scene of 4 s shuts out the pair that fills 10 s: 5 against 4 + 4.
    const candidates: Candidate[] = [
      { scene: 0, session: 's', kind: 'a', duration: 5, value: 4 },
      { scene: 1, session: 's', kind: 'b', duration: 6, value: 5.5 },
      { scene: 2, session: 's', kind: 'c', duration: 5, value: 4 },
    ];
    expect(selectGreedily(candidates, { duration: 10 }).value).toBe(5.5);
    expect(select(candidates, { duration: 10 })).toEqual({ chosen: [0, 2], value: 8, duration: 10 });
  });

  it('prefers a different kind to a slightly more valuable repetition', () => {
    const candidates: Candidate[] = [
      { scene: 0, session: 's', kind: 'kill', duration: 5, value: 10 },
      { scene: 1, session: 's', kind: 'kill', duration: 5, value: 9 },
      { scene: 2, session: 's', kind: 'find', duration: 5, value: 8 },
    ];
    // 10 + 9 · 0.75 = 16.75 against 10 + 8.
    expect(select(candidates, { duration: 10 }).chosen).toEqual([0, 2]);
  });
});
