// What coaching, success rates, ratings, recommendations and the difficulty signal find of simulated players, compared with what
// those were made of.
//   node bench/library/coaching.ts [--players 60] [--sessions 12] [--seed 1]
import { parseArgs } from 'node:util';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import type { EventLine } from '../../src/events/log.ts';
import type { Statement } from '../../src/events/statement.ts';
import type { StatisticsSource } from '../../src/library/player-statistics.ts';
import { compileQuery, runQuery } from '../../src/query/run.ts';
import { coach } from '../../src/season/coaching.ts';
import { estimateDifficulty } from '../../src/season/difficulty.ts';
import { computeSeason } from '../../src/season/figures.ts';
import {
  type Comparison,
  NEW_RATING,
  pairPlayers,
  type Rating,
  updateRatings,
  winProbability,
} from '../../src/season/ratings.ts';
import { catalogOf, countWords, recommend } from '../../src/season/recommend.ts';
import { collectTimelines } from '../../src/season/timeline.ts';
import { mean } from '../../src/statistics.ts';
import {
  createRandom,
  EVEN_PLAYER,
  simulateSession,
  type SimulatedPlayer,
} from '../../test/fixtures/simulated-players.ts';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '60' },
    sessions: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
  },
});
const [players, sessionCount] = [Number(values.players), Number(values.sessions)];
const random = createRandom(Number(values.seed));
const { dictionary } = await loadBuiltin(['openarena']);

/** A season in memory, asked as logs are. */
function seasonOf(player: SimulatedPlayer, count: number): StatisticsSource {
  const durations = new Map<string, number>();
  const events: EventLine[] = [];
  for (let i = 0; i < count; i++) {
    const [session, seconds] = [`s${i}`, 300 + Math.floor(random() * 300)];
    durations.set(session, seconds);
    for (const { t, statement } of simulateSession(player, i, seconds, random))
      events.push({
        type: 'event',
        id: '',
        t,
        end: t,
        game: 'openarena',
        session,
        text: '',
        statement: statement as unknown as Statement,
        confidence: 1,
        cues: [],
      });
  }
  return {
    dictionary,
    sessions: [...durations].map(([session, duration]) => ({ session, name: session, game: 'openarena', duration })),
    ask: async (query) => runQuery(compileQuery(query, dictionary), events, { durations }),
  };
}

/** Ranks from 0, the mean of them for ties. */
function ranks(list: readonly number[]): readonly number[] {
  return list.map(
    (value) => list.filter((other) => other < value).length + list.filter((other) => other === value).length / 2,
  );
}

/** Spearman's rank correlation, with mean ranks for ties. */
function rankCorrelation(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [ranks(a), ranks(b)];
  const [mx, my] = [mean(x), mean(y)];
  const sum = (f: (i: number) => number): number => x.reduce((total, _, i) => total + f(i), 0);
  return (
    sum((i) => (x[i]! - mx) * (y[i]! - my)) / Math.sqrt(sum((i) => (x[i]! - mx) ** 2) * sum((i) => (y[i]! - my) ** 2))
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Players for whom nothing makes a difference: what is reported of them is false, and intervals hold 1. */
async function measureNothing(): Promise<void> {
  let [compared, outside, clear, advised] = [0, 0, 0, 0];
  for (let i = 0; i < players; i++) {
    const timelines = await collectTimelines(
      seasonOf({ ...EVEN_PLAYER, hazard: 0.01 + 0.04 * random() }, sessionCount),
    );
    const { circumstances, advice } = coach(timelines, dictionary);
    compared += circumstances.length;
    outside += circumstances.filter(({ low, high }) => low > 1 || high < 1).length;
    clear += circumstances.filter(({ isClear }) => isClear).length;
    advised += Number(advice.length > 0);
  }
  console.log(
    `Nothing makes a difference (${players} players): of ${compared} circumstances ${percent(1 - outside / compared)} have an interval that holds 1 (nominal 95 %); called clear ${clear}; players who get advice ${percent(advised / players)} (nominal at most 5 %)`,
  );
}

/** Players of whom one circumstance is deadlier. */
async function measureSomething(): Promise<void> {
  const causes: readonly (readonly [
    string,
    Partial<SimulatedPlayer>,
    (factor: string, value: string) => boolean,
    number,
  ])[] = [1.5, 2, 3].flatMap((ratio) => [
    [
      `low health × ${ratio}`,
      { lowHealth: ratio },
      (factor: string, value: string) => factor === 'health' && value.startsWith('below'),
      ratio,
    ] as const,
    [
      `shotgun × ${ratio}`,
      { weapons: { shotgun: ratio } },
      (_: string, value: string) => value === 'shotgun',
      ratio,
    ] as const,
    [
      `first 5 s × ${ratio}`,
      { fresh: ratio },
      (factor: string, value: string) => factor === 'time since spawn' && value === 'up to 5 s',
      ratio,
    ] as const,
  ]);
  console.log(
    '\n| What is deadlier | found clear | first of all | interval holds the true ratio | median estimate |\n|---|---:|---:|---:|---:|',
  );
  for (const [name, change, isCause, ratio] of causes) {
    let [found, first, held] = [0, 0, 0];
    const estimates: number[] = [];
    const count = Math.round(players / 2);
    for (let i = 0; i < count; i++) {
      const { circumstances } = coach(
        await collectTimelines(seasonOf({ ...EVEN_PLAYER, ...change }, sessionCount)),
        dictionary,
      );
      const cause = circumstances.find(({ factor, value }) => isCause(factor, value));
      if (!cause) continue;
      found += Number(cause.isClear && cause.ratio > 1);
      first += Number(circumstances[0] === cause);
      held += Number(cause.low <= ratio && ratio <= cause.high);
      estimates.push(cause.ratio);
    }
    console.log(
      `| ${name} | ${percent(found / count)} | ${percent(first / count)} | ${percent(held / count)} | ${estimates.toSorted((a, b) => a - b)[estimates.length >> 1]!.toFixed(2)} |`,
    );
  }
}

/** Whether success rates and trends are those that players were made of. */
async function measureFigures(): Promise<void> {
  const truth: number[] = [];
  const found: number[] = [];
  let [held, rising, falseTrend] = [0, 0, 0];
  const count = Math.round(players / 2);
  for (let i = 0; i < count; i++) {
    const accuracy = 0.1 + 0.6 * random();
    const hasProgress = i % 2 === 0;
    const { success, actions } = await computeSeason(
      seasonOf({ ...EVEN_PLAYER, accuracy, progress: hasProgress ? 0.006 : 0 }, sessionCount),
    );
    const { value = 0, low = 0, high = 1 } = success.find(({ of }) => of === 'shots')?.rate ?? {};
    truth.push(accuracy);
    found.push(value);
    held += Number(low <= accuracy && accuracy <= high);
    const trend = actions.find(({ action }) => action === 'defeat')?.trend;
    if (hasProgress) rising += Number(trend === 'rising');
    else falseTrend += Number(trend !== undefined);
  }
  console.log(
    `\nSuccess rate (${count} players): rank correlation with the true accuracy ${rankCorrelation(truth, found).toFixed(3)}, interval holds it ${percent(held / count)}`,
  );
  console.log(
    `Trend of defeats: progress found ${rising} of ${count / 2}, claimed without any ${falseTrend} of ${count / 2}`,
  );
}

/** Ratings of players of known skill, who fight in sessions of six. */
function measureRatings(): void {
  console.log(
    '\n| Sessions of each | rank correlation with skill | next session predicted | by the true skill (ceiling) | by chance |\n|---:|---:|---:|---:|---:|',
  );
  const people = Array.from({ length: players }, () => 2 * gauss());
  let ratings: readonly Rating[] = people.map(() => NEW_RATING);
  const chanceOf = (i: number, j: number): number => 1 / (1 + Math.exp(people[j]! - people[i]!));
  /** Who wins more of some fights; 0.5 for a draw. */
  const fight = (i: number, j: number): number => {
    const fights = 1 + Math.floor(random() * 5);
    let wins = 0;
    for (let k = 0; k < fights; k++) wins += Number(random() < chanceOf(i, j));
    return wins * 2 === fights ? 0.5 : Number(wins * 2 > fights);
  };
  const play = (): { readonly six: readonly number[]; readonly comparisons: readonly Comparison[] } => {
    const six: number[] = [];
    while (six.length < 6) {
      const next = Math.floor(random() * players);
      if (!six.includes(next)) six.push(next);
    }
    const comparisons = six.flatMap((i, first) =>
      six.slice(first + 1).map((j, k) => ({ first, second: first + 1 + k, score: fight(i, j) })),
    );
    return { six, comparisons };
  };
  let played = 0;
  for (const each of [1, 3, 10, 30, 100]) {
    for (; played < (each * players) / 6; played++) {
      const { six, comparisons } = play();
      const after = updateRatings(
        six.map((i) => ratings[i]!),
        comparisons,
      );
      ratings = ratings.map((rating, i) => (six.includes(i) ? after[six.indexOf(i)]! : rating));
    }
    let [right, ceiling, total] = [0, 0, 0];
    for (let match = 0; match < 300; match++) {
      const { six, comparisons } = play();
      for (const { first, second, score } of comparisons) {
        if (score === 0.5) continue;
        const [i, j] = [six[first]!, six[second]!];
        right += Number(winProbability(ratings[i]!, ratings[j]!) > 0.5 === (score === 1));
        const isBetter = people[i]! > people[j]!;
        ceiling += Number(isBetter === (score === 1));
        total++;
      }
    }
    console.log(
      `| ${each} | ${rankCorrelation(
        people,
        ratings.map(({ mu }) => mu),
      ).toFixed(3)} | ${percent(right / total)} | ${percent(ceiling / total)} | 50 % |`,
    );
  }
  const pairs = pairPlayers(people.map((_, i) => ({ name: String(i), rating: ratings[i]! })));
  const uneven = (list: readonly (readonly [number, number])[]): number =>
    mean(list.map(([i, j]) => Math.abs(chanceOf(i, j) - 0.5)));
  const shuffled = people.map((_, i) => i).toSorted(() => random() - 0.5);
  const byChance = shuffled.flatMap((i, k) => (k % 2 === 1 ? [[i, shuffled[k - 1]!] as const] : []));
  const sorted = people.map((_, i) => i).toSorted((a, b) => people[a]! - people[b]!);
  const best = sorted.flatMap((i, k) => (k % 2 === 1 ? [[i, sorted[k - 1]!] as const] : []));
  console.log(
    `Pairs: true chance of winning is ${percent(uneven(pairs.map(({ first, second }) => [Number(first), Number(second)] as const)))} from even; paired at random ${percent(uneven(byChance))}, by the true skill ${percent(uneven(best))}`,
  );
}

/** Recommendations for players who use the words of one genre, mixed with words of all. */
async function measureRecommendations(): Promise<void> {
  const { dictionary: all } = await loadBuiltin(undefined, { meaning: false });
  const catalog = catalogOf(all);
  const common = all.words('action').filter(({ namespace }) => namespace === 'common');
  console.log(
    '\n| Share of common words | first is right | among the first three | by chance (first) |\n|---:|---:|---:|---:|',
  );
  for (const share of [0, 0.5, 0.8, 0.9]) {
    let [first, three] = [0, 0];
    for (const { id, words } of catalog) {
      const own = [...words.keys()].filter((word) => all.find(word)?.kind === 'action');
      const pool = own.length > 0 ? own : [...words.keys()];
      const events = Array.from({ length: 60 }, (): EventLine => {
        const list = random() < share ? common.map((word) => word.id) : pool;
        const action = list[Math.floor(random() * list.length)]!;
        return {
          type: 'event',
          id: '',
          t: 0,
          end: 0,
          game: '',
          session: '',
          text: '',
          statement: { subject: 'player', action },
          confidence: 1,
          cues: [],
        };
      });
      const ids = recommend(countWords(events), catalog, all).map((one) => one.id);
      first += Number(ids[0] === id);
      three += Number(ids.slice(0, 3).includes(id));
    }
    console.log(
      `| ${percent(share)} | ${percent(first / catalog.length)} | ${percent(three / catalog.length)} | ${percent(1 / catalog.length)} |`,
    );
  }
}

/** Sessions whose difficulty changes: failures and successes come at rates that follow it. */
function measureDifficulty(): void {
  const correlations: number[] = [];
  const lags: number[] = [];
  for (let i = 0; i < players; i++) {
    const [phase, period] = [random() * 2 * Math.PI, 200 + 400 * random()];
    const hardness = (t: number): number => 0.5 + 0.4 * Math.sin(phase + (2 * Math.PI * t) / period);
    const [deaths, actions]: [EventLine[], EventLine[]] = [[], []];
    for (let t = 0; t < 1200; t++) {
      if (random() < 0.15 * hardness(t))
        deaths.push(eventOf(t, { subject: 'opponent', action: 'kill', object: 'player' }));
      if (random() < 0.15 * (1 - hardness(t)))
        actions.push(eventOf(t, { subject: 'player', action: 'kill', object: 'opponent' }));
    }
    const session = { session: 's', name: 's', game: '', duration: 1200 };
    const points = estimateDifficulty(
      { session, actions, suffered: [], changes: [], defeats: actions, deaths, starts: [0] },
      dictionary,
    ).slice(24);
    const at = (lag: number): number =>
      rankCorrelation(
        points.map(({ value }) => value),
        points.map(({ t }) => hardness(t - lag)),
      );
    correlations.push(at(0));
    lags.push([0, 10, 20, 30, 40, 50, 60].reduce((best, lag) => (at(lag) > at(best) ? lag : best)));
  }
  const sorted = correlations.toSorted((a, b) => a - b);
  console.log(
    `\nDifficulty (${players} sessions of 20 minutes that become harder and easier every 3 to 10 minutes): median rank correlation with the true difficulty ${sorted[sorted.length >> 1]!.toFixed(2)}; the signal follows after ${lags.toSorted((a, b) => a - b)[lags.length >> 1]} s`,
  );
}

function eventOf(t: number, statement: Statement): EventLine {
  return { type: 'event', id: '', t, end: t, game: '', session: 's', text: '', statement, confidence: 1, cues: [] };
}

/** A standard normal number (Box and Muller). */
function gauss(): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

await measureNothing();
await measureSomething();
await measureFigures();
measureRatings();
await measureRecommendations();
measureDifficulty();
