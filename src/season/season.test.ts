import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBuiltin } from '../dictionary/files.ts';
import type { EventLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import type { StatisticsSource } from '../library/player-statistics.ts';
import { compileQuery, runQuery } from '../query/run.ts';
import { coach, rateRatio } from './coaching.ts';
import { adviseDifficulty, estimateDifficulty } from './difficulty.ts';
import { computeSeason } from './figures.ts';
import { NEW_RATING, pairPlayers, type Rating, ratePlayers, updateRatings, winProbability } from './ratings.ts';
import { catalogOf, countWords, recommend } from './recommend.ts';
import { collectTimelines, livesOf } from './timeline.ts';

const { dictionary } = await loadBuiltin(['openarena', 'racing', 'tactical-shooter']);

/** Logs of sessions: statements by second. */
function logs(
  ...sessions: readonly { readonly duration: number; readonly events: readonly (readonly [number, Statement])[] }[]
): StatisticsSource {
  const events = sessions.flatMap(({ events: list }, session) =>
    list.map(
      ([t, statement], i): EventLine => ({
        type: 'event',
        id: `${session}-${i}`,
        t,
        end: t,
        game: 'openarena',
        session: `s${session}`,
        text: '',
        statement,
        confidence: 1,
        cues: [],
      }),
    ),
  );
  const durations = new Map(sessions.map(({ duration }, i) => [`s${i}`, duration]));
  return {
    dictionary,
    sessions: sessions.map(({ duration }, i) => ({
      session: `s${i}`,
      name: `session ${i}`,
      game: 'openarena',
      duration,
    })),
    ask: async (query) => runQuery(compileQuery(query, dictionary), events, { durations }),
  };
}

const spawn: Statement = { subject: 'player', action: 'respawn' };
const kill = (name = 'Ada', weapon = 'railgun'): Statement => ({
  subject: 'player',
  action: 'kill',
  object: { word: 'opponent', name },
  with: weapon,
});
const death = (name = 'Ada', weapon = 'railgun'): Statement => ({
  subject: { word: 'opponent', name },
  action: 'kill',
  object: 'player',
  with: weapon,
});
const shot = (weapon: string): Statement => ({ subject: 'player', action: 'shoot', with: weapon });
const hit = (weapon: string): Statement => ({ subject: 'player', action: 'hurt', object: 'opponent', with: weapon });
const health = (from: number, to: number): Statement => ({ subject: 'player', property: 'health', from, to });

describe('figures of a season', () => {
  // Two sessions by hand: lives of 20, 30 and 40 s that end with deaths, and one of 10 s that the session ends.
  const source = logs(
    {
      duration: 62,
      events: [
        [0, spawn],
        [5, kill()],
        [7.5, kill('Ben')],
        [20, death()],
        [22, spawn],
        [24, health(100, 60)],
        [24.5, shot('railgun')],
        [24.6, hit('railgun')],
        [30, shot('shotgun')],
        [52, death('Ben', 'shotgun')],
        [52, spawn],
      ],
    },
    {
      duration: 60,
      events: [
        [10, kill()],
        [11, { subject: 'player', action: 'pick up', object: 'medikit' }],
        [40, death()],
      ],
    },
  );

  it('are those of its sentences, per life, session and hour', async () => {
    const figures = await computeSeason(source);
    const defeats = figures.rates.find(({ action }) => action === 'defeat')!;
    expect(defeats).toEqual({
      action: 'defeat',
      perLife: 1,
      perSession: 1.5,
      perHour: (3 / 122) * 3600,
      secondsBetween: 2.5,
    });
    expect(figures.lives).toEqual([20, 30, 40]);
    expect(figures.bySession).toMatchObject([
      { defeats: 2, deaths: 2, streak: 2 },
      { defeats: 1, deaths: 1, streak: 1 },
    ]);
    expect(figures.success).toMatchObject([
      { of: 'shots', tries: 2, hits: 1, by: [{ name: 'railgun', tries: 1, hits: 1 }] },
    ]);
    expect(figures.objects).toEqual([{ action: 'pick up', object: 'medikit', count: 1 }]);
    expect(figures.records).toEqual([
      { what: 'longest streak', value: 2, unit: 'count', moment: { session: 's0', t: 7.5 } },
      { what: 'longest life', value: 40, unit: 'seconds', moment: { session: 's1', t: 0 } },
      { what: 'two defeats fastest', value: 2.5, unit: 'seconds', moment: { session: 's0', t: 7.5 } },
      { what: 'best defeats by deaths', value: 1, unit: 'count', moment: { session: 's0', t: 0 } },
      expect.objectContaining({ what: 'most in a session: defeat', value: 2 }),
      expect.objectContaining({ what: 'most in a session: die', value: 2 }),
      expect.objectContaining({ what: 'most in a session: hurt', value: 1 }),
      expect.objectContaining({ what: 'most in a session: obtain', value: 1 }),
    ]);
  });

  it('have the lives of a session, also without spawns', async () => {
    const [first, second] = await collectTimelines(source);
    expect(livesOf(first!).map(({ start, end, death: last }) => [start, end, last !== undefined])).toEqual([
      [0, 20, true],
      [22, 52, true],
      [52, 62, false],
    ]);
    expect(livesOf(second!).map(({ start, end, death: last }) => [start, end, last !== undefined])).toEqual([
      [0, 40, true],
      [40, 60, false],
    ]);
  });

  it('measure reactions from the first of several hits', async () => {
    const attacks = Array.from({ length: 5 }, (_, i): readonly (readonly [number, Statement])[] => [
      [20 * i + 1, health(100, 90)],
      [20 * i + 1.5, health(90, 80)],
      [20 * i + 1 + (i + 1) / 10, shot('railgun')],
      [20 * i + 3, health(80, 100)],
    ]).flat();
    const { reactions } = await computeSeason(logs({ duration: 100, events: attacks }));
    expect(reactions).toHaveLength(1);
    expect(reactions[0]).toMatchObject({ cue: 'being hit', count: 5, cues: 5 });
    expect(reactions[0]!.median).toBeCloseTo(0.3, 9);
  });

  it('say where sessions stand among those of a library', async () => {
    const many = logs(
      ...[1, 2, 3, 4, 5, 6].map((count) => ({
        duration: 60,
        events: Array.from({ length: count }, (_, i) => [i, kill()] as const),
      })),
    );
    const last: StatisticsSource = {
      ...many,
      sessions: many.sessions.slice(4, 5),
      ask: async (query) => many.ask({ ...query, find: { all: [query.find, { session: ['s4'] }] } }),
    };
    const { standings } = await computeSeason(last, undefined, many);
    // Five defeats a minute: more than four of the five other sessions.
    expect(standings).toEqual([{ what: 'defeat per minute', value: 5, percentile: 80, among: 5 }]);
  });
});

describe('coaching', () => {
  it('compares rates with the interval of a binomial share', () => {
    // 15 of 20 events in half of the time: Wilson's interval of 0.75 of 20 is 0.531 to 0.888 (Newcombe 1998 has the formula).
    const { ratio, low, high } = rateRatio(15, 100, 5, 100, 0.05);
    expect(ratio).toBeCloseTo(3, 9);
    expect(low).toBeCloseTo(0.5313 / (1 - 0.5313), 2);
    expect(high).toBeCloseTo(0.8881 / (1 - 0.8881), 2);
    expect(rateRatio(0, 100, 5, 100, 0.05)).toMatchObject({ ratio: 0, low: 0 });
    expect(rateRatio(5, 100, 0, 100, 0.05).high).toBe(Number.POSITIVE_INFINITY);
  });

  it('finds what is different before deaths, and groups failures with their scenes', async () => {
    // Twenty lives of 40 s: half at full health, half of which lose health at 10 s and die 10 s later.
    const events = Array.from({ length: 20 }, (_, i): readonly (readonly [number, Statement])[] => [
      [50 * i, spawn],
      [50 * i + 0.1, health(90, 100)],
      ...(i % 2 === 0
        ? ([
            [50 * i + 10, health(100, 20)],
            [50 * i + 20, death('Ada', i < 10 ? 'railgun' : 'shotgun')],
          ] as const)
        : ([[50 * i + 49, death('Ben', 'shotgun')]] as const)),
    ]).flat();
    const timelines = await collectTimelines(logs({ duration: 1000, events }));
    const { circumstances, failures, advice, deaths } = coach(timelines, dictionary);
    expect(deaths).toBe(20);
    expect(failures.map(({ cause, count, thirds }) => [cause, count, thirds])).toEqual([
      ['kill with shotgun', 15, [3, 5, 7]],
      ['kill with railgun', 5, [4, 1, 0]],
    ]);
    expect(failures[1]!.moments.slice(0, 2)).toEqual([
      { session: 's0', t: 20 },
      { session: 's0', t: 120 },
    ]);
    const low = circumstances.find(({ factor, value }) => factor === 'health' && value.startsWith('below'))!;
    // Ten deaths in 10 × 8 s, from two seconds after the loss on; otherwise ten in 10 × 12 and 10 × 49 s.
    expect(low).toMatchObject({ deaths: 10, isClear: true });
    expect(low.seconds).toBeCloseTo(80, 6);
    expect(low.ratio).toBeCloseTo(10 / 80 / (10 / 610), 1);
    expect(advice.some((text) => text.startsWith('You die more often with health below'))).toBe(true);
  });

  it('says nothing of few deaths', async () => {
    const timelines = await collectTimelines(
      logs({
        duration: 100,
        events: [
          [10, death()],
          [20, death()],
        ],
      }),
    );
    expect(coach(timelines, dictionary)).toMatchObject({ deaths: 2, circumstances: [], advice: [] });
  });
});

function rated(name: string, mu: number): { readonly name: string; readonly rating: Rating } {
  return { name, rating: { mu, sigma: 2 } };
}

describe('ratings', () => {
  // The published results of openskill (tests of its model bradley-terry-full) for the algorithm of Weng and Lin.
  it('are those of the published examples', () => {
    const [winner, loser] = updateRatings([NEW_RATING, NEW_RATING], [{ first: 0, second: 1, score: 1 }]);
    expect(winner!.mu).toBeCloseTo(27.63523138347365, 10);
    expect(winner!.sigma).toBeCloseTo(8.065506316323548, 10);
    expect(loser!.mu).toBeCloseTo(22.36476861652635, 10);
    expect(loser!.sigma).toBeCloseTo(8.065506316323548, 10);
    const three = updateRatings(
      [NEW_RATING, NEW_RATING, NEW_RATING],
      [
        { first: 0, second: 1, score: 1 },
        { first: 0, second: 2, score: 1 },
        { first: 1, second: 2, score: 1 },
      ],
    );
    expect(three.map(({ mu }) => mu)).toEqual([
      expect.closeTo(30.2704627669473, 9),
      expect.closeTo(25, 9),
      expect.closeTo(19.7295372330527, 9),
    ]);
    expect(three[0]!.sigma).toBeCloseTo(7.788474807872566, 10);
  });

  it('grow surer with every match, and by a win', () => {
    const rating = fc.record({
      mu: fc.double({ min: 0, max: 50, noNaN: true }),
      sigma: fc.double({ min: 1, max: 9, noNaN: true }),
    });
    fc.assert(
      fc.property(rating, rating, (a, b) => {
        const [x, y] = updateRatings([a, b], [{ first: 0, second: 1, score: 1 }]) as [Rating, Rating];
        expect(x.mu).toBeGreaterThanOrEqual(a.mu);
        expect(y.mu).toBeLessThanOrEqual(b.mu);
        expect(x.sigma).toBeLessThanOrEqual(a.sigma);
        expect(winProbability(x, y)).toBeGreaterThanOrEqual(winProbability(a, b) - 0.05);
        expect(winProbability(a, b) + winProbability(b, a)).toBeCloseTo(1, 9);
      }),
    );
  });

  it('come from who defeats whom, without mistakes of one’s own', async () => {
    const players = await ratePlayers(
      logs({
        duration: 60,
        events: [
          [1, kill('Ada')],
          [2, kill('Ada')],
          [3, death('Ada')],
          [4, death('Ben')],
          [5, { subject: 'player', action: 'kill oneself' }],
        ],
      }),
    );
    // The player beat Ada 2 : 1 and lost to Ben 0 : 1.
    expect(players.map(({ name }) => name)).toEqual(['opponent Ben', 'player', 'opponent Ada']);
    expect(players.find(({ name }) => name === 'player')!.rating.mu).toBeCloseTo(25, 9);
  });

  it('pair players evenly, and leave out whoever fits least', () => {
    expect(
      pairPlayers([rated('a', 10), rated('b', 30), rated('c', 11), rated('d', 31)]).map(({ first, second }) => [
        first,
        second,
      ]),
    ).toEqual([
      ['d', 'b'],
      ['c', 'a'],
    ]);
    expect(pairPlayers([rated('a', 10), rated('b', 30), rated('c', 11)])).toEqual([
      { first: 'c', second: 'a', probability: expect.closeTo(0.536, 2) },
    ]);
    expect(pairPlayers([])).toEqual([]);
  });
});

describe('difficulty', () => {
  it('rises with failures, falls with successes, and looks back only', async () => {
    const hard = Array.from({ length: 30 }, (_, i) => [4 * i + 1, death()] as const);
    const easy = Array.from({ length: 60 }, (_, i) => [200 + 3 * i, kill()] as const);
    const [timeline] = await collectTimelines(logs({ duration: 400, events: [...hard, ...easy] }));
    const points = estimateDifficulty(timeline!, dictionary);
    const at = (t: number) => points.find((point) => point.t === t)!;
    expect(at(0)).toMatchObject({ value: 0.5 });
    expect(at(115).value).toBeGreaterThan(0.85);
    expect(adviseDifficulty(at(115))).toBe('easier');
    expect(at(395).value).toBeLessThan(0.15);
    expect(adviseDifficulty(at(395))).toBe('harder');
    const [shorter] = await collectTimelines(logs({ duration: 400, events: hard }));
    expect(estimateDifficulty(shorter!, dictionary).slice(0, 40)).toEqual(points.slice(0, 40));
  });
});

function eventOf(statement: Statement): EventLine {
  return { type: 'event', id: '', t: 0, end: 0, game: '', session: '', text: '', statement, confidence: 1, cues: [] };
}

describe('recommendations', () => {
  it('name the genre whose words somebody uses, and why', () => {
    const words = countWords([
      eventOf({ subject: 'player', action: 'racing:outbrake', object: 'opponent' }),
      eventOf({ subject: 'player', action: 'overtake', object: 'opponent' }),
      eventOf({ subject: 'player', property: 'racing:tire wear', to: 20 }),
    ]);
    const [first, second] = recommend(words, catalogOf(dictionary), dictionary);
    expect(first).toMatchObject({ id: 'racing', title: 'Racing' });
    expect(first!.because).toContain('racing:outbrake');
    expect(first!.similarity).toBeGreaterThan(3 * (second?.similarity ?? 0));
  });
});
