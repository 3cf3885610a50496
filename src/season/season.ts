import { loadBuiltin } from '../dictionary/files.ts';
import type { StatisticsSource } from '../library/player-statistics.ts';
import { coach } from './coaching.ts';
import { estimateDifficulty } from './difficulty.ts';
import { computeSeason } from './figures.ts';
import type { SeasonPageData } from './page.ts';
import { ratePlayers } from './ratings.ts';
import { catalogOf, countWords, recommend, type Recommendation } from './recommend.ts';
import { collectTimelines, type PlayTimeline } from './timeline.ts';

/** Everything about a player and a season, for `renderSeasonPage`. */
export type SeasonReport = Omit<SeasonPageData, 'title' | 'scope' | 'linkTo'>;

/**
 * Computes everything about a player and some sessions: figures, coaching, ratings, recommendations.
 *
 * @param player The name of somebody in the logs. Default: the player whose screen was recorded.
 * @param library What the sessions are compared with. Default: themselves.
 */
export async function reportSeason(
  source: StatisticsSource,
  player?: string,
  library: StatisticsSource = source,
): Promise<SeasonReport> {
  const timelines = await collectTimelines(source, player);
  const { dictionary } = source;
  const last = timelines.at(-1);
  return {
    figures: await computeSeason(source, player, library),
    timelines,
    coaching: coach(timelines, dictionary),
    difficulty: last ? estimateDifficulty(last, dictionary) : [],
    ratings: await ratePlayers(source),
    recommendations: await recommendGames(timelines),
    dictionary,
  };
}

/** Recommends built-in genres and games that were not played, by what the player does. */
export async function recommendGames(timelines: readonly PlayTimeline[]): Promise<readonly Recommendation[]> {
  const { dictionary } = await loadBuiltin(undefined, { meaning: false });
  const played = new Set(timelines.map(({ session }) => session.game));
  const words = countWords(timelines.flatMap(({ actions, changes }) => [...actions, ...changes]));
  return recommend(words, catalogOf(dictionary), dictionary).filter(({ id }) => !played.has(id));
}

/** A skill worth practising. */
export interface SkillRecommendation {
  readonly what: string;
  readonly why: string;
}

/** Below this percentile a skill is worth practising. */
const WEAK_PERCENTILE = 35;

/**
 * Recommends what to practice: what others of the library do more often, and what succeeds seldom, the weakest first.
 *
 * @param library The sessions of others. Without any, only success is looked at.
 */
export async function recommendSkills(
  source: StatisticsSource,
  library: StatisticsSource,
  player?: string,
): Promise<readonly SkillRecommendation[]> {
  const { standings, success } = await computeSeason(source, player, library);
  const weak = standings
    .filter(({ what, percentile }) => percentile < WEAK_PERCENTILE && !/^(?:die|crash|lose|fail)\b/.test(what))
    .toSorted((a, b) => a.percentile - b.percentile)
    .map(({ what, value, percentile, among }) => ({
      what,
      why: `${value.toFixed(2)}, more than only ${percentile.toFixed(0)} % of ${among} others`,
    }));
  const instruments = success.flatMap(({ of, rate, by }) =>
    by
      .filter((one) => one.rate.high < rate.low)
      .map(({ name, hits, tries }) => ({
        what: `${of} with ${name}`,
        why: `${hits} of ${tries}, clearly fewer than with the others`,
      })),
  );
  return [...weak, ...instruments];
}
