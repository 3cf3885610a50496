import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Statement } from '../events/statement.ts';
import { evaluate, kindOf, type Evaluation, type TruthLine } from './evaluate.ts';
import { canonical, matchTimes, type Timed } from './match.ts';
import { report } from './report.ts';
import { quantile } from '../statistics.ts';
import { proportion, timeError } from './statistics.ts';
import { readTruth } from './truth.ts';

const kill = (t: number, name: string, means = 'railgun', action = 'kill'): Timed => ({
  t,
  statement: { subject: 'player', action, object: { word: 'opponent', name }, with: means },
});
const health = (t: number, from: number, to: number): Timed => ({
  t,
  statement: { subject: 'player', property: 'health', from, to },
});

const turn = (t: number, name: string): Timed => ({
  t,
  statement: { subject: { word: 'turn', of: { word: 'team', name } }, action: 'begin' },
});

function judge(
  events: readonly Timed[],
  truth: readonly TruthLine[],
  more: Partial<Parameters<typeof evaluate>[1]> = {},
): Evaluation {
  return evaluate([{ events, truth }], { tolerance: 0.15, ...more });
}

/** The best pairing found by trying them all: most pairs, then least distance. */
function best(a: readonly number[], b: readonly number[], tolerance: number): { count: number; cost: number } {
  const [first, ...rest] = a;
  if (first === undefined) return { count: 0, cost: 0 };
  let found = best(rest, b, tolerance);
  for (const [j, other] of b.entries()) {
    const distance = Math.abs(first - other);
    if (distance > tolerance + 1e-6) continue;
    const { count, cost } = best(rest, b.toSpliced(j, 1), tolerance);
    if (count + 1 > found.count || (count + 1 === found.count && cost + distance < found.cost - 1e-9)) {
      found = { count: count + 1, cost: cost + distance };
    }
  }
  return found;
}

const isA = (a: string, b: string): boolean => a === b || (a === 'stomp' && b === 'kill');

describe('evaluate', () => {
  it('counts hits, misses and false events of each kind', () => {
    const truth = [kill(1, 'Sarge'), kill(5, 'Grunt'), health(2, 100, 80), health(3, 80, 60)];
    const events = [kill(1.1, 'Sarge'), kill(9, 'Grunt'), health(2, 100, 80), health(3.05, 80, 66)];
    const { kinds, all, misses, falseEvents } = judge(events, truth);
    expect(kinds.map(({ kind, truth: n, events: m, hits }) => [kind, n, m, hits])).toEqual([
      ['health of player', 2, 2, 1],
      ['kill', 2, 2, 1],
    ]);
    expect([all.hits, all.precision.value, all.recall.value, all.f1]).toEqual([2, 0.5, 0.5, 0.5]);
    expect(misses).toEqual([kill(5, 'Grunt'), { ...health(3, 80, 60), instead: health(0, 80, 66).statement }]);
    expect(falseEvents.map(({ t }) => t)).toEqual([9, 3.05]);
  });

  it('pairs one to one: a doubled event is false', () => {
    const { all } = judge([kill(1, 'A'), kill(1.1, 'A')], [kill(1, 'A')]);
    expect([all.hits, all.events, all.truth]).toEqual([1, 2, 1]);
  });

  it('rather pairs more than nearer', () => {
    // Nearest first would pair 1.1 with 1.15 and leave 1.0 and 1.25 alone.
    const { all } = judge([kill(1.1, 'A'), kill(1.25, 'A')], [kill(1, 'A'), kill(1.15, 'A')]);
    expect(all.hits).toBe(2);
    expect(all.time?.max).toBeCloseTo(0.1, 9);
  });

  it('includes the tolerance itself', () => {
    expect(judge([kill(1.3, 'A')], [kill(1.15, 'A')]).all.hits).toBe(1);
    expect(judge([kill(1.301, 'A')], [kill(1.15, 'A')]).all.hits).toBe(0);
  });

  it('counts more general and more specific words separately', () => {
    const truth = [kill(1, 'A'), kill(2, 'B', 'railgun', 'stomp'), kill(3, 'C')];
    const events = [kill(1, 'A', 'railgun', 'stomp'), kill(2, 'B'), kill(3, 'D', 'railgun', 'stomp')];
    const { all, misses, falseEvents } = judge(events, truth, { isA });
    expect([all.hits, all.isA, misses.length, falseEvents.length]).toEqual([0, 2, 1, 1]);
    expect(judge(events, truth).all.isA).toBe(0);
  });

  it('judges the kinds of which the truth speaks, or all', () => {
    const events = [kill(1, 'A'), health(2, 5, 4)];
    expect(judge(events, [kill(1, 'A')])).toMatchObject({ falseEvents: [], unevaluated: { 'health of player': 1 } });
    const all = judge(events, [kill(1, 'A')], { kinds: 'all' });
    expect([all.falseEvents.length, all.unevaluated]).toEqual([1, {}]);
  });

  it('counts events that showed nothing new neither as hits nor as misses', () => {
    const again: TruthLine = { ...kill(4, 'A'), repeat: true };
    const found = judge([kill(1, 'A'), kill(4, 'A')], [kill(1, 'A'), again]);
    expect([found.all.truth, found.all.events, found.all.hits, found.all.repeats]).toEqual([
      1,
      1,
      1,
      { truth: 1, hits: 1 },
    ]);
    const unfound = judge([kill(1, 'A')], [kill(1, 'A'), again]);
    expect([unfound.misses, unfound.all.repeats]).toEqual([[], { truth: 1, hits: 0 }]);
  });

  it('never pairs across clips, and pools their counts', () => {
    const result = evaluate(
      [
        { name: 'a', events: [kill(1, 'A')], truth: [] },
        { name: 'b', events: [], truth: [kill(1, 'A')] },
      ],
      { tolerance: 1 },
    );
    expect([result.all.hits, result.misses[0]?.clip, result.falseEvents[0]?.clip]).toEqual([0, 'b', 'a']);
  });

  it('compares statements by meaning, not notation', () => {
    const a = { action: 'kill', object: { word: 'opponent' } } as Statement;
    const b = { object: 'opponent', action: 'kill' } as Statement;
    expect(canonical(a)).toBe(canonical(b));
    expect(kindOf({ subject: { word: 'opponent', name: 'X' }, property: 'score', to: 1 })).toBe('score of opponent');
  });

  it('is perfect against itself, and blind to the order of lines', () => {
    const one = fc.record({ t: fc.integer({ min: 0, max: 60 }), name: fc.constantFrom('A', 'B') });
    fc.assert(
      fc.property(fc.array(one), fc.array(one), (first, second) => {
        const [events, truth] = [first, second].map((list) => list.map(({ t, name }) => kill(t / 10, name)));
        const self = judge(events!, events!);
        expect([self.all.hits, self.misses, self.falseEvents]).toEqual([events!.length, [], []]);
        expect(judge(events!.toReversed(), truth!.toReversed(), { kinds: 'all' }).all).toMatchObject({
          hits: judge(events!, truth!, { kinds: 'all' }).all.hits,
        });
      }),
      { numRuns: 200 },
    );
  });
});

describe('matchTimes', () => {
  it('finds the most pairs, and among those the nearest, as trying them all does', () => {
    const times = fc
      .array(fc.integer({ min: 0, max: 12 }), { maxLength: 5 })
      .map((list) => list.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(times, times, fc.nat({ max: 4 }), (a, b, tolerance) => {
        const pairs = matchTimes(a, b, tolerance);
        const cost = pairs.reduce((sum, [i, j]) => sum + Math.abs(a[i]! - b[j]!), 0);
        expect({ count: pairs.length, cost }).toEqual(best(a, b, tolerance));
        expect(new Set(pairs.map(([i]) => i)).size).toBe(pairs.length);
        expect(new Set(pairs.map(([, j]) => j)).size).toBe(pairs.length);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('statistics', () => {
  it('computes Wilson intervals as published', () => {
    // Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81/263, 15/148, 0/20, 1/29.
    const published = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const;
    for (const [hits, total, low, high] of published) {
      expect(proportion(hits, total).low).toBeCloseTo(low, 4);
      expect(proportion(hits, total).high).toBeCloseTo(high, 4);
    }
    expect(proportion(0, 0)).toEqual({ value: undefined, low: 0, high: 1 });
    expect(proportion(7, 7).high).toBe(1);
  });

  it('interpolates quantiles and distinguishes late from early', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([10], 0.95)).toBe(10);
    expect(timeError([-0.1, 0.3])).toMatchObject({ median: 0.2, max: 0.3, bias: expect.closeTo(0.1, 9) });
    expect(timeError([])).toBeUndefined();
  });
});

describe('truth and report', () => {
  it('reads ground truth and reports invalid lines', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'playbyplay-truth-')), 'truth.ndjson');
    await writeFile(path, '{"t":1,"statement":{"subject":"player","action":"die"}}\n\n{"type":"gap","t":1,"end":2}\n');
    expect(await readTruth(path)).toEqual([{ t: 1, statement: { subject: 'player', action: 'die' } }]);
    await writeFile(
      path,
      '{"t":"1","statement":{"action":"die"}}\nx\n{"t":1,"statement":{"action":"die","who":"x"}}\n',
    );
    await expect(readTruth(path)).rejects.toMatchObject({
      code: 'truth-broken',
      issues: [
        { path: `${path}:1` },
        { path: `${path}:2` },
        { path: `${path}:3`, message: 'an action statement has no "who"' },
      ],
    });
    await expect(readTruth('/nowhere')).rejects.toMatchObject({ code: 'truth-missing' });
  });

  it('prints a table, then every miss with the event reported instead', () => {
    const text = report(judge([health(3, 80, 66)], [health(3, 80, 60), kill(1, 'A')]), (statement) =>
      Object.values(statement).join(' '),
    );
    expect(text.split('\n').slice(0, 4)).toEqual([
      '                  truth  events  hits  is-a            precision               recall     F1  time error: median  p95  max',
      'health of player      1       1     0        0.000 (0.000–0.793)  0.000 (0.000–0.793)  0.000',
      'kill                  1       0     0                          –  0.000 (0.000–0.793)  0.000',
      'all                   2       1     0        0.000 (0.000–0.793)  0.000 (0.000–0.658)  0.000',
    ]);
    expect(text).toContain('Missed (2):\n  00:03.000  player health 80 60  (instead: player health 80 66)');
  });
});

describe('numbers that may differ', () => {
  it('pairs gauges whose figures are near, one to one, and never other words', () => {
    const truth = [health(1, 100, 76), health(5, 76, 50), kill(9, 'Sarge')];
    const events = [health(1, 99, 77), health(5, 76, 40), kill(9, 'Gargoyle')];
    expect(judge(events, truth, { numbers: 2 }).all).toMatchObject({ truth: 3, events: 3, hits: 1 });
    expect(judge(events, truth).all).toMatchObject({ hits: 0 });
  });

  it('prefers equal statements', () => {
    const truth = [health(1, 100, 76), health(1.1, 100, 77)];
    const events = [health(1.05, 100, 77), health(1, 100, 76)];
    expect(judge(events, truth, { numbers: 5 }).all).toMatchObject({ hits: 2 });
  });
});

describe('a slot with an owner', () => {
  it('differs if the owner differs', () => {
    expect(judge([turn(1, 'Foxes')], [turn(1, 'Foxes')]).all).toMatchObject({ hits: 1 });
    expect(judge([turn(1, 'Otters')], [turn(1, 'Foxes')]).all).toMatchObject({ hits: 0, isA: 0 });
    expect(judge([turn(1, 'Otters')], [turn(1, 'Foxes')], { isA: () => true }).all).toMatchObject({ isA: 0 });
  });
});

describe('a part of a clip', () => {
  it('holds the truth of its time and the events that match it, though they lie across the edge', () => {
    const truth = [kill(9.95, 'A'), kill(10, 'B'), kill(15, 'C'), kill(19.95, 'D'), kill(20, 'E')];
    // A is late and lies inside, B is early and lies outside, D is late and lies outside; F and G are false.
    const events = [kill(10.05, 'A'), kill(9.9, 'B'), kill(15, 'C'), kill(20.05, 'D'), kill(12, 'F'), kill(25, 'G')];
    const { all, misses, falseEvents } = judge(events, truth, { from: 10, to: 20 });
    expect(all).toMatchObject({ truth: 3, events: 4, hits: 3 });
    expect(misses).toEqual([]);
    expect(falseEvents).toEqual([kill(12, 'F')]);
    expect(judge(events, truth, { from: 20 }).all).toMatchObject({ truth: 1, events: 1, hits: 0 });
  });
});
