import type { Dictionary } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { isPropertyStatement, type PropertyValue, wordOf } from '../events/statement.ts';
import type { Moment } from '../library/player-statistics.ts';

import { normalQuantile, quantile } from '../statistics.ts';
import { isAction, type Life, labelOf, livesOf, type PlayTimeline, tracksOf } from './timeline.ts';

/** Failures of one cause. */
export interface FailureGroup {
  /** As logs say it: `kill with railgun`, `drown`, `miss jump`. */
  readonly cause: string;
  readonly count: number;
  /** Share of all failures, 0 to 1. */
  readonly share: number;
  /** Where in the session they lie: counts of its first, second and last third. */
  readonly thirds: readonly [number, number, number];
  readonly moments: readonly Moment[];
}

/** How deadly a circumstance is, compared with all other moments of life. */
export interface Circumstance {
  /** `health`, `weapon`, `time since spawn`. */
  readonly factor: string;
  /** `below 33`, `railgun`, `up to 5 s`. */
  readonly value: string;
  /** Deaths that came about so, and seconds of life that were so. */
  readonly deaths: number;
  readonly seconds: number;
  /** Deaths a minute so, divided by deaths a minute otherwise. */
  readonly ratio: number;
  /** The 95 % interval of the ratio. */
  readonly low: number;
  readonly high: number;
  /** Whether the ratio differs from 1 beyond doubt, considering how many circumstances are compared. */
  readonly isClear: boolean;
  /** The deaths. */
  readonly moments: readonly Moment[];
}

/** What a player can learn from failures. */
export interface Coaching {
  readonly lives: number;
  readonly deaths: number;
  /** Seconds alive. */
  readonly seconds: number;
  readonly failures: readonly FailureGroup[];
  /** The clearest first. */
  readonly circumstances: readonly Circumstance[];
  /** What is clear, in sentences; empty where there is too little to say. */
  readonly advice: readonly string[];
}

/** Seconds before a death at which its circumstances are read: what happens then is no longer part of the death itself. */
const LEAD_SECONDS = 2;
/** A circumstance needs so many seconds of life with and without it, and so many deaths in all. */
const MIN_SECONDS = 10;
const MIN_DEATHS = 5;
/** Values of a factor that are compared: the most frequent ones. */
const MAX_VALUES = 12;
const SINCE_SPAWN = [5, 15, 30, 60];
/** Properties whose values are numbers of which less is worse; others are compared by value where they are words. */
const LEVELS = ['health', 'armor', 'shield', 'ammunition', 'stamina', 'energy', 'mana', 'fuel'];
const WORDS = ['weapon', 'equipment', 'vehicle', 'position', 'map', 'stance', 'ability in use'];
const CHANCE = 0.05;

/**
 * Groups a player's failures and finds what differs before deaths from all other moments of life.
 *
 * Circumstances are compared as rates: deaths a minute of life with them and without. Of 20 circumstances that make no
 * difference, one would be outside its interval by chance; `isClear` allows for that (Bonferroni).
 */
export function coach(timelines: readonly PlayTimeline[], dictionary: Dictionary): Coaching {
  const lives = timelines.flatMap((timeline) => livesOf(timeline).map((life) => ({ life, timeline })));
  const deaths = lives.filter(({ life }) => life.death).length;
  const seconds = lives.reduce((sum, { life }) => sum + life.end - life.start, 0);
  const circumstances = deaths < MIN_DEATHS ? [] : compare(lives, timelines, dictionary);
  return {
    lives: lives.length,
    deaths,
    seconds,
    failures: groupFailures(timelines, dictionary),
    circumstances,
    advice: circumstances.filter(({ isClear }) => isClear).map((one) => adviceOf(one)),
  };
}

function groupFailures(timelines: readonly PlayTimeline[], dictionary: Dictionary): readonly FailureGroup[] {
  const failures = timelines.flatMap(({ actions, deaths, session }) => {
    const failed = actions.filter((event) => isAction(event, ['fail', 'lose'], dictionary) && !deaths.includes(event));
    return [...deaths, ...failed].map((event) => ({
      event,
      third: Math.min(2, Math.floor((3 * event.t) / (session.duration || 1))),
    }));
  });
  return [...Map.groupBy(failures, ({ event }) => causeOf(event, dictionary))]
    .map(([cause, all]) => ({
      cause,
      count: all.length,
      share: all.length / failures.length,
      thirds: [0, 1, 2].map(
        (third) => all.filter((one) => one.third === third).length,
      ) as unknown as FailureGroup['thirds'],
      moments: all.map(({ event }) => ({ session: event.session, t: event.t })),
    }))
    .toSorted((a, b) => b.count - a.count || (a.cause < b.cause ? -1 : 1));
}

function causeOf({ statement }: EventLine, dictionary: Dictionary): string {
  if (isPropertyStatement(statement)) return statement.property;
  const action = dictionary.find(statement.action, 'action')?.name ?? statement.action;
  if (statement.with !== undefined) return `${action} with ${labelOf(wordOf(statement.with), dictionary)}`;
  return statement.at === undefined ? action : `${action} at ${labelOf(wordOf(statement.at), dictionary)}`;
}

/** The time of a life for which a factor has one value. */
interface Exposure {
  readonly factor: string;
  readonly value: string;
  readonly seconds: number;
  readonly death: EventLine | undefined;
}

interface OwnLife {
  readonly life: Life;
  readonly timeline: PlayTimeline;
}

function compare(
  lives: readonly OwnLife[],
  timelines: readonly PlayTimeline[],
  dictionary: Dictionary,
): readonly Circumstance[] {
  const bands = new Map(LEVELS.map((property) => [property, bandsOf(property, timelines)]));
  const exposures = lives.flatMap(({ life, timeline }) => [
    ...sinceSpawn(life),
    ...tracksOf(timeline).flatMap(({ property, values }) => {
      const level = bands.get(property);
      if (!level && !WORDS.includes(property)) return [];
      const name = (value: PropertyValue): string | undefined =>
        level
          ? typeof value === 'number'
            ? level(value)
            : undefined
          : typeof value === 'number'
            ? undefined
            : labelOf(value, dictionary);
      return split(life, property, values, name);
    }),
  ]);
  const found: Omit<Circumstance, 'isClear'>[] = [];
  for (const [factor, all] of Map.groupBy(exposures, (exposure) => exposure.factor)) {
    const total = {
      deaths: all.filter(({ death }) => death).length,
      seconds: all.reduce((sum, one) => sum + one.seconds, 0),
    };
    const byValue = [...Map.groupBy(all, ({ value }) => value)].toSorted(([, a], [, b]) => b.length - a.length);
    // Of two values one says what the other says: the deadlier one is reported.
    const compared =
      byValue.length === 2 ? byValue.toSorted(([, a], [, b]) => deathRate(b) - deathRate(a)).slice(0, 1) : byValue;
    for (const [value, some] of compared.slice(0, MAX_VALUES)) {
      const seconds = some.reduce((sum, one) => sum + one.seconds, 0);
      const dead = some.flatMap(({ death }) => death ?? []);
      if (total.deaths < MIN_DEATHS || seconds < MIN_SECONDS || total.seconds - seconds < MIN_SECONDS) continue;
      const moments = dead.map(({ session, t }) => ({ session, t }));
      found.push({
        factor,
        value,
        deaths: dead.length,
        seconds,
        ...rateRatio(dead.length, seconds, total.deaths - dead.length, total.seconds - seconds, CHANCE),
        moments,
      });
    }
  }
  const chance = CHANCE / Math.max(1, found.length);
  return found
    .map((one) => {
      const all = exposures.filter(({ factor }) => factor === one.factor);
      const [deaths, seconds] = [
        all.filter(({ death }) => death).length,
        all.reduce((sum, each) => sum + each.seconds, 0),
      ];
      const { low, high } = rateRatio(one.deaths, one.seconds, deaths - one.deaths, seconds - one.seconds, chance);
      return { ...one, isClear: low > 1 || high < 1 };
    })
    .toSorted((a, b) => Number(b.isClear) - Number(a.isClear) || evidence(b) - evidence(a));
}

function deathRate(exposures: readonly Exposure[]): number {
  const seconds = exposures.reduce((sum, one) => sum + one.seconds, 0);
  return seconds === 0 ? 0 : exposures.filter(({ death }) => death).length / seconds;
}

/** How far from 1 the ratio lies beyond its interval. */
function evidence({ low, high }: { readonly low: number; readonly high: number }): number {
  return Math.max(Math.log(low), -Math.log(high));
}

/**
 * The ratio of two rates with its interval: given how many events there are in all, those of the first part are binomial, so
 * Wilson's interval of their share gives that of the ratio (Przyborowski and Wilenski 1940).
 *
 * @param chance How often the interval may miss the true ratio.
 */
export function rateRatio(
  events: number,
  seconds: number,
  otherEvents: number,
  otherSeconds: number,
  chance: number,
): { readonly ratio: number; readonly low: number; readonly high: number } {
  const total = events + otherEvents;
  const toRatio = (share: number): number => ((share / (1 - share)) * otherSeconds) / seconds;
  const z = normalQuantile(1 - chance / 2);
  const p = events / total;
  const middle = (p + z ** 2 / (2 * total)) / (1 + z ** 2 / total);
  const half = (z / (1 + z ** 2 / total)) * Math.sqrt((p * (1 - p)) / total + z ** 2 / (4 * total ** 2));
  return {
    ratio: toRatio(p),
    low: events === 0 ? 0 : toRatio(middle - half),
    high: otherEvents === 0 ? Number.POSITIVE_INFINITY : toRatio(middle + half),
  };
}

/** Splits a life at the changes of a property, as they were a moment before. */
function split(
  { start, end, death }: Life,
  factor: string,
  values: readonly { readonly t: number; readonly value: PropertyValue }[],
  name: (value: PropertyValue) => string | undefined,
): readonly Exposure[] {
  const exposures: Exposure[] = [];
  // What changes with a spawn holds from the start of the life; later changes count with their lead.
  const since = (t: number): number => (t <= start + LEAD_SECONDS ? start : t + LEAD_SECONDS);
  for (const [i, { t, value }] of values.entries()) {
    const from = since(t);
    const to = Math.min(end, since(values[i + 1]?.t ?? Number.POSITIVE_INFINITY));
    if (to <= from) continue;
    const label = name(value);
    if (label !== undefined)
      exposures.push({ factor, value: label, seconds: to - from, death: to === end ? death : undefined });
  }
  return exposures;
}

function sinceSpawn({ start, end, death }: Life): readonly Exposure[] {
  const edges = [0, ...SINCE_SPAWN, Number.POSITIVE_INFINITY];
  const length = end - start;
  return edges.slice(1).flatMap((to, i): Exposure[] => {
    const from = edges[i]!;
    if (length <= from) return [];
    const value =
      to === Number.POSITIVE_INFINITY ? `more than ${from} s` : i === 0 ? `up to ${to} s` : `${from} to ${to} s`;
    return [
      {
        factor: 'time since spawn',
        value,
        seconds: Math.min(length, to) - from,
        death: length <= to ? death : undefined,
      },
    ];
  });
}

/** Names a level by thirds of what is usual at most. */
function bandsOf(property: string, timelines: readonly PlayTimeline[]): (value: number) => string {
  const values = timelines.flatMap((timeline) =>
    tracksOf(timeline).flatMap((track) =>
      track.property === property
        ? track.values.flatMap(({ value }) => (typeof value === 'number' ? [value] : []))
        : [],
    ),
  );
  const usual = values.length === 0 ? 0 : quantile(values, 0.9);
  const [low, high] = [Math.round(usual / 3), Math.round((2 * usual) / 3)];
  return (value) => (value < low ? `below ${low}` : value < high ? `${low} to ${high - 1}` : `${high} or more`);
}

function times(ratio: number): string {
  return Number.isFinite(ratio) ? ratio.toFixed(1) : 'many';
}

function adviceOf({ factor, value, ratio, low, high, deaths, seconds }: Circumstance): string {
  const where =
    factor === 'time since spawn'
      ? `${value} after spawning`
      : factor === 'weapon'
        ? `while holding the ${value}`
        : `with ${factor} ${value}`;
  const what = ratio > 1 ? `You die more often ${where}` : `You die less often ${where}`;
  return `${what}: ${times(ratio)} times the rate of the rest of your lives (95 %: ${times(low)} to ${times(high)}; ${deaths} deaths in ${Math.round(seconds)} s).`;
}
