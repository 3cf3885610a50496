import type { Dictionary } from '../dictionary/dictionary.ts';
import { isPropertyStatement, wordOf } from '../events/statement.ts';
import type { Condition, Query, SlotPattern } from '../query/query.ts';
import type { QueryResult } from '../query/run.ts';
import { kendallTrend } from '../statistics.ts';

/** A session that statistics are about. */
export interface PlayedSession {
  readonly session: string;
  /** Display name. */
  readonly name: string;
  readonly game: string;
  /** Seconds. */
  readonly duration: number;
}

/** What statistics are computed from: logs or a library, asked in the structured form of a query. */
export interface StatisticsSource {
  readonly dictionary: Dictionary;
  /** In order of time, for trends. */
  readonly sessions: readonly PlayedSession[];
  ask(query: Query): Promise<QueryResult>;
}

/** How often somebody does something, at any level of the dictionary: `defeat` counts kills and stomps. */
export interface ActionStatistics {
  /** The action by id. */
  readonly action: string;
  readonly total: number;
  readonly perMinute: number;
  /** The session with the most, the first of equal ones. */
  readonly best: { readonly session: string; readonly count: number };
  readonly bySession: readonly { readonly session: string; readonly count: number }[];
  /** Whether its rate rises or falls over the sessions; `undefined` where there are too few, or no clear trend. */
  readonly trend: 'rising' | 'falling' | undefined;
}

/** Defeats of and by an opponent, or with an instrument. */
export interface DefeatCounts {
  readonly name: string;
  readonly defeats: number;
  readonly deaths: number;
}

/** A moment in a recording. */
export interface Moment {
  readonly session: string;
  /** Seconds. */
  readonly t: number;
}

/** A cause of deaths, and when they happened. */
export interface DeathCause {
  /** As the log says it: `kill with railgun`, `drown`. */
  readonly cause: string;
  readonly count: number;
  readonly moments: readonly Moment[];
}

/** What a player did in some sessions. */
export interface PlayerStatistics {
  /** The name that was asked for; `undefined`: who played. */
  readonly player: string | undefined;
  readonly sessions: number;
  /** Seconds of all recordings. */
  readonly duration: number;
  /** The most frequent action first. */
  readonly actions: readonly ActionStatistics[];
  /** Defeats by deaths; `null` without either. */
  readonly ratio: number | null;
  /** Most defeats in a session without a death between them. */
  readonly streak: number;
  /** Seconds from spawn to death: of those that ended. `null` without deaths. */
  readonly life: { readonly average: number; readonly longest: number } | null;
  /** Average seconds from a defeat to the next one of the session; `null` with fewer than two. */
  readonly secondsBetweenDefeats: number | null;
  /** The most used first. */
  readonly instruments: readonly DefeatCounts[];
  /** The most often met first. */
  readonly opponents: readonly DefeatCounts[];
  /** The most frequent first. */
  readonly deaths: readonly DeathCause[];
}

/** What is counted: actions that have a meaning of their own at their level. Those that the dictionary lacks are left out. */
const COUNTED_ACTIONS = [
  'defeat',
  'die',
  'hurt',
  'destroy',
  'assist',
  'heal',
  'revive',
  'obtain',
  'capture',
  'score',
  'score goal',
  'overtake',
  'crash',
  'complete lap',
  'play card',
  'make',
  'level up',
  'achieve',
  'complete',
  'win',
] as const;

/** Sessions from which on a trend is computed. */
const MIN_TREND_SESSIONS = 6;
/** A trend is reported where it would come about by chance at most so often. */
const MAX_TREND_PROBABILITY = 0.05;

/**
 * Computes what a player did, by the hierarchy of words, so that games that look nothing alike count together.
 *
 * @param player The name of somebody in the log. Default: the player whose screen was recorded.
 * @example
 * ```ts
 * const statistics = await computePlayerStatistics(source);
 * console.log(statistics.ratio, statistics.instruments[0]?.name);
 * ```
 */
export async function computePlayerStatistics(source: StatisticsSource, player?: string): Promise<PlayerStatistics> {
  const { sessions, ask } = source;
  const subject: SlotPattern = { any: [player === undefined ? { words: ['player'] } : { name: player }] };
  const defeat: Condition = { action: ['defeat'], subject };
  const die: Condition = { action: ['die'], subject };
  const number = async (query: Query): Promise<number | null> => {
    const { answer } = await ask(query);
    return typeof answer?.value === 'number' ? answer.value : null;
  };
  const life = async (take: 'average' | 'highest'): Promise<number | null> =>
    number({ find: die, measure: { of: 'life', take } });
  const actions = await countActions(source, subject);
  const deathCount = actions.find(({ action }) => action === 'die')?.total ?? 0;
  const [average, longest] = deathCount === 0 ? [null, null] : [await life('average'), await life('highest')];
  return {
    player,
    sessions: sessions.length,
    duration: sessions.reduce((sum, { duration }) => sum + duration, 0),
    actions,
    ratio: await number({ find: defeat, ratio: die }),
    streak: (await number({ find: defeat, streak: die })) ?? 0,
    life: average === null || longest === null ? null : { average, longest },
    secondsBetweenDefeats: await number({ find: defeat, measure: { of: 'gap', take: 'average' } }),
    instruments: await findDuels(source, [
      { find: defeat, by: [{ slot: 'with' }] },
      { find: { action: ['defeat'], object: subject }, by: [{ slot: 'with' }] },
    ]),
    opponents: await findDuels(source, [
      { find: defeat, by: [{ slot: 'object' }] },
      { find: { action: ['defeat'], object: subject }, by: [{ slot: 'subject' }] },
    ]),
    deaths: await findDeaths(source, die),
  };
}

async function countActions(
  { dictionary, sessions, ask }: StatisticsSource,
  subject: SlotPattern,
): Promise<readonly ActionStatistics[]> {
  const minutes = sessions.reduce((sum, { duration }) => sum + duration, 0) / 60;
  const counted: ActionStatistics[] = [];
  for (const action of COUNTED_ACTIONS) {
    if (!dictionary.find(action, 'action')) continue;
    const { groups = [] } = await ask({ find: { action: [action], subject }, by: [{ key: 'session' }] });
    const counts = new Map(groups.map(({ labels, count }) => [labels[0]!, count]));
    const bySession = sessions.map(({ session }) => ({ session, count: counts.get(session) ?? 0 }));
    const total = bySession.reduce((sum, { count }) => sum + count, 0);
    if (total === 0) continue;
    const best = bySession.reduce((most, one) => (one.count > most.count ? one : most));
    const rates = sessions.flatMap(({ duration }, i) => (duration > 0 ? [bySession[i]!.count / duration] : []));
    counted.push({ action, total, perMinute: total / minutes, best, bySession, trend: findTrend(rates) });
  }
  return counted.toSorted((a, b) => b.total - a.total);
}

/** By the test of Mann and Kendall, which asks nothing of the distribution. */
function findTrend(rates: readonly number[]): ActionStatistics['trend'] {
  if (rates.length < MIN_TREND_SESSIONS) return undefined;
  const { tau, probability } = kendallTrend(rates);
  if (probability > MAX_TREND_PROBABILITY) return undefined;
  return tau > 0 ? 'rising' : 'falling';
}

async function findDuels(
  { ask }: StatisticsSource,
  [won, lost]: readonly [won: Query, lost: Query],
): Promise<readonly DefeatCounts[]> {
  const duels = new Map<string, { defeats: number; deaths: number }>();
  for (const [query, side] of [
    [won, 'defeats'],
    [lost, 'deaths'],
  ] as const)
    for (const { labels, count } of (await ask(query)).groups ?? []) {
      const [name = '-'] = labels;
      if (name === '-') continue;
      const duel = duels.get(name) ?? { defeats: 0, deaths: 0 };
      duel[side] += count;
      duels.set(name, duel);
    }
  return [...duels]
    .map(([name, duel]) => ({ name, ...duel }))
    .toSorted((a, b) => b.defeats + b.deaths - a.defeats - a.deaths || (a.name < b.name ? -1 : 1));
}

async function findDeaths({ ask }: StatisticsSource, die: Condition): Promise<readonly DeathCause[]> {
  const { matches } = await ask({ find: die });
  const byCause = Map.groupBy(matches, ({ events }) => {
    const { statement } = events[0]!;
    if (isPropertyStatement(statement)) return statement.property;
    return statement.with === undefined ? statement.action : `${statement.action} with ${wordOf(statement.with)}`;
  });
  return [...byCause]
    .map(([cause, deaths]) => ({
      cause,
      count: deaths.length,
      moments: deaths.map(({ t, events }) => ({ session: events[0]!.session, t })),
    }))
    .toSorted((a, b) => b.count - a.count || (a.cause < b.cause ? -1 : 1));
}
