import type { Dictionary } from '../dictionary/dictionary.ts';
import { isPropertyStatement } from '../events/statement.ts';
import { proportion, type Proportion } from '../evaluate/statistics.ts';
import { isAction, type PlayTimeline } from './timeline.ts';

/** How hard a session is for the player at a time. */
export interface DifficultyPoint {
  /** Seconds. */
  readonly t: number;
  /** Share of what goes wrong, 0 to 1, of what happened lately: with its 95 % interval. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What a game could do: only where the interval leaves no doubt. */
export type DifficultyAdvice = 'easier' | 'harder' | 'keep';

const SUCCESSES = ['defeat', 'achieve', 'succeed', 'score', 'win', 'capture', 'evade', 'level up', 'overtake'];
const FAILURES = ['fail', 'lose', 'crash', 'miss'];
/** Seconds after which an event counts half. */
const HALF_LIFE_SECONDS = 30;
const STEP_SECONDS = 5;
/** Successes and failures that are assumed before anything happens. */
const PRIOR = 1;
/** What a death counts, and what the loss of all health does. */
const [DEATH_WEIGHT, DAMAGE_WEIGHT] = [1, 1];
/** Between these shares a game is neither too easy nor too hard. */
const TARGET = { low: 0.4, high: 0.6 } as const;

/**
 * Estimates how hard a session is for the player over time: the share of failures (deaths, lost health, crashes) among failures
 * and successes (defeats, goals, tasks done), where what happened half a minute ago counts half. It looks back only, so that a game
 * can follow it during play.
 *
 * @returns A point every five seconds.
 */
export function estimateDifficulty(timeline: PlayTimeline, dictionary: Dictionary): readonly DifficultyPoint[] {
  const events = weigh(timeline, dictionary).toSorted((a, b) => a.t - b.t);
  const points: DifficultyPoint[] = [];
  let [good, bad, last, next] = [0, 0, 0, 0];
  const decay = (t: number): void => {
    const factor = 0.5 ** ((t - last) / HALF_LIFE_SECONDS);
    [good, bad, last] = [good * factor, bad * factor, t];
  };
  for (let t = 0; t <= timeline.session.duration; t += STEP_SECONDS) {
    for (; next < events.length && events[next]!.t <= t; next++) {
      const { t: at, success, failure } = events[next]!;
      decay(at);
      good += success;
      bad += failure;
    }
    decay(t);
    points.push({ t, ...shareOf(bad + PRIOR, good + bad + 2 * PRIOR) });
  }
  return points;
}

/** What a game could do at a point. */
export function adviseDifficulty({ low, high }: DifficultyPoint): DifficultyAdvice {
  if (low > TARGET.high) return 'easier';
  return high < TARGET.low ? 'harder' : 'keep';
}

function shareOf(failures: number, total: number): Omit<DifficultyPoint, 't'> {
  const { value, low, high }: Proportion = proportion(failures, total);
  return { value: value!, low, high };
}

interface Weighed {
  readonly t: number;
  readonly success: number;
  readonly failure: number;
}

function weigh({ actions, deaths, changes }: PlayTimeline, dictionary: Dictionary): readonly Weighed[] {
  const most = changes.reduce(
    (max, { statement }) =>
      isPropertyStatement(statement) && statement.property === 'health' && typeof statement.to === 'number'
        ? Math.max(max, statement.to)
        : max,
    1,
  );
  return [
    ...actions.flatMap((event): Weighed[] => {
      if (isAction(event, SUCCESSES, dictionary)) return [{ t: event.t, success: 1, failure: 0 }];
      return isAction(event, FAILURES, dictionary) ? [{ t: event.t, success: 0, failure: 1 }] : [];
    }),
    ...deaths.map(({ t }) => ({ t, success: 0, failure: DEATH_WEIGHT })),
    ...changes.flatMap(({ t, statement }): Weighed[] => {
      if (!isPropertyStatement(statement) || statement.property !== 'health') return [];
      const { from, to } = statement;
      if (typeof from !== 'number' || typeof to !== 'number' || to >= from) return [];
      return [{ t, success: 0, failure: (DAMAGE_WEIGHT * (from - to)) / most }];
    }),
  ];
}
