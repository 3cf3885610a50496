import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alignTruth, applyClock, resolutionOf } from './align-truth.ts';
import { agree, type Timed } from './match.ts';
import { scoreRecording } from './score-recording.ts';
import { readForeignTruth } from './truth.ts';

const isA = (a: string, b: string): boolean =>
  a === b || (a === 'cs2:rifle' && b === 'assault rifle') || (a === 'stomp' && b === 'kill');
const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan'];

/** Numbers from 0 to below 1, the same for a seed (Park and Miller). */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Kills and deaths at random times of a recording. */
function play(seed: number, count: number, seconds: number): Timed[] {
  const next = random(seed);
  return Array.from({ length: count }, () => {
    const name = NAMES[Math.floor(next() * NAMES.length)]!;
    const person = { word: 'opponent', name };
    const t = next() * seconds;
    return next() < 0.5
      ? { t, statement: { subject: 'player', action: 'kill', object: person } }
      : { t, statement: { subject: person, action: 'kill', object: 'player' } };
  }).toSorted((a, b) => a.t - b.t);
}

function at(...times: readonly number[]): Timed[] {
  return times.map((t) => ({ t, statement: { action: 'begin' } }));
}

describe('the clock of a truth', () => {
  it('is found by the events that agree: its offset, whatever else either has', () => {
    const events = [...play(1, 30, 300), ...play(2, 6, 300)];
    const truth = [...play(1, 30, 300).map((one) => ({ ...one, t: one.t + 1234.5 })), ...play(3, 30, 600)];
    const clock = alignTruth(events, truth, { tolerance: 0.15, isA });
    expect(clock?.offset).toBeCloseTo(-1234.5, 2);
    expect(clock).toMatchObject({ rate: 1 });
    expect(clock!.matched).toBeGreaterThanOrEqual(30);
  });

  it('is found where it runs at another rate', () => {
    const events = play(4, 40, 1200);
    // The truth's second 100 is the recording's 0, and its clock is 0.02 % fast.
    const truth = events.map((one) => ({ ...one, t: 100 + one.t * 1.0002 }));
    const clock = alignTruth(events, truth, { tolerance: 0.2, isA })!;
    expect(clock.rate).toBeCloseTo(1 / 1.0002, 5);
    const moved = applyClock(truth, clock);
    for (const [i, { t }] of events.entries()) expect(Math.abs(moved[i]!.t - t)).toBeLessThan(0.01);
  });

  it('is not claimed for the truth of another match', () => {
    expect(alignTruth(play(5, 30, 600), play(6, 30, 600), { tolerance: 0.15, isA })).toBeUndefined();
    expect(alignTruth(play(5, 2, 600), play(5, 2, 600), { tolerance: 0.15, isA })).toBeUndefined();
    expect(alignTruth([], play(5, 2, 600), { tolerance: 0.15, isA })).toBeUndefined();
  });

  it('is coarse where all times are whole seconds', () => {
    expect(resolutionOf(at(0.25, 3.25, 17.25))).toBe(1);
    expect(resolutionOf(at(0.25, 3.25, 17.5))).toBe(0);
  });
});

describe('statements of two programs', () => {
  const kill = { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Ada' } };
  it.each([
    ['what only one says is no difference', kill, { ...kill, with: 'rifle', manner: 'by headshot' }, true],
    ['a name that only one knows', kill, { subject: 'player', action: 'kill', object: 'opponent' }, true],
    ['a name in another case', kill, { ...kill, object: { word: 'opponent', name: 'ADA' } }, true],
    ['another name', kill, { ...kill, object: { word: 'opponent', name: 'Ben' } }, false],
    ['a more specific word', kill, { ...kill, action: 'stomp' }, true],
    ['words of two dictionaries', { ...kill, with: 'cs2:rifle' }, { ...kill, with: 'assault rifle' }, true],
    ['another weapon', { ...kill, with: 'knife' }, { ...kill, with: 'assault rifle' }, false],
    ['nobody who did it', kill, { action: 'kill', object: kill.object }, false],
    [
      'a value before that only one knows',
      { subject: 'player', property: 'health', to: 5 },
      { subject: 'player', property: 'health', from: 9, to: 5 },
      true,
    ],
    [
      'another value',
      { subject: 'player', property: 'health', to: 5 },
      { subject: 'player', property: 'health', to: 6 },
      false,
    ],
    ['a property and an action', kill, { subject: 'player', property: 'health', to: 6 }, false],
  ])('agree or not: %s', (_, a, b, expected) => {
    expect([agree(a, b, isA), agree(b, a, isA)]).toEqual([expected, expected]);
  });
});

describe('a recording measured by what another program wrote', () => {
  it('counts by kind what was detected, in the session that it shows, without what its screen never says', async () => {
    const fixture = join(import.meta.dirname, '../../test/fixtures/foreign/cs2-demo.json');
    const { sessions } = (await readForeignTruth(fixture, { player: 'Anna' }))!;
    // The recording starts 8 s into the demo; its screen shows a feed without names of weapons, and misses the last kill.
    const events: Timed[] = [
      { t: 12.05, statement: { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Ben' } } },
      {
        t: 47.02,
        statement: {
          subject: { word: 'opponent', name: 'Dora' },
          action: 'kill',
          object: { word: 'teammate', name: 'Cem' },
        },
      },
      { t: 60, statement: { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Ben' } } },
      { t: 82.03, statement: { subject: 'time bomb', action: 'explode' } },
    ];
    const other = play(9, 5, 100);
    const { session, clock, evaluation, unread } = scoreRecording(events, [other, ...sessions], {
      tolerance: 0.15,
      isA,
      from: 0,
      to: 90,
    });
    expect(session).toBe(1);
    expect(clock.offset).toBeCloseTo(-7.97, 2);
    expect(evaluation.kinds.map(({ kind, truth, events: n, hits }) => [kind, truth, n, hits])).toEqual([
      ['explode', 1, 1, 1],
      ['kill', 2, 3, 2],
    ]);
    expect(unread).toMatchObject({ 'shoot by player': 1, 'assist by teammate': 1, 'begin by round': 1 });
  });

  it('is refused for another match, unless its start is given', () => {
    const options = { tolerance: 0.15, isA, from: 0, to: 600 };
    expect(() => scoreRecording(play(5, 30, 600), [play(6, 30, 600)], options)).toThrow('cannot be aligned');
    expect(scoreRecording(play(5, 30, 600), [play(6, 30, 600)], { ...options, offset: 0 }).clock.offset).toBe(0);
  });
});
