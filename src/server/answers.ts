import { PlaybyplayError } from '../errors.ts';
import { computePlayerStatistics, type PlayerStatistics } from '../library/player-statistics.ts';
import type { Library, LibraryAnswer } from '../library/library.ts';
import type { Query } from '../query/query.ts';
import { describeQuery } from '../query/describe.ts';
import { explainQuery } from '../query/explain.ts';
import type { CompiledQuery } from '../query/run.ts';

/** Matches of an answer at most. */
export const MAX_PAGE = 1000;

/** The answer to a question, as JSON. */
export interface AnswerJson {
  /** How the question was read. */
  readonly reading: string;
  /** Misspelt words, and what they were read as: nothing (`''`) for a part of the question that was left out. */
  readonly corrections: readonly { readonly written: string; readonly read: string }[];
  /** Number of matches; where `hasMore` is true, of those in `matches`. */
  readonly count: number;
  readonly hasMore: boolean;
  /** Of a question whose answer is one number, word or truth value. */
  readonly value?: unknown;
  readonly unit?: string;
  readonly groups?: readonly { readonly group: readonly string[]; readonly count: number }[];
  /** Of a question about values, one per match or session. */
  readonly values?: readonly { readonly session: string; readonly t: number; readonly value: unknown }[];
  readonly matches?: readonly MatchJson[];
}

/** A match: one event, or several of a sequence. */
export interface MatchJson {
  readonly session: string;
  readonly game: string;
  /** Seconds. */
  readonly t: number;
  readonly end: number;
  readonly events: readonly { readonly t: number; readonly text: string; readonly statement: object }[];
}

/** Options of {@link answerQuestion}. */
export interface QuestionOptions {
  /** Matches at most; default 50. */
  readonly limit?: number | undefined;
  readonly tentative?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Answers a question about the logs of a library.
 *
 * @param question A sentence, or the structured form.
 * @throws PlaybyplayError `bad-query`.
 */
export async function answerQuestion(
  library: Library,
  question: string | Query,
  { limit = 50, tentative = false, signal }: QuestionOptions = {},
): Promise<AnswerJson> {
  const compiled = await library.compile(question);
  const answer = await library.ask(compiled, { limit: Math.min(limit, MAX_PAGE), tentative, signal });
  return toJson(compiled, answer, limit);
}

/** How a question is understood, without asking it. Throws as `answerQuestion`. */
export async function explainQuestion(
  library: Library,
  question: string | Query,
): Promise<{
  readonly query: Query;
  readonly reading: string;
  readonly lines: readonly string[];
  readonly words: readonly object[];
}> {
  const { query, dictionary } = await library.compile(question);
  const { lines, words } = explainQuery(query, dictionary);
  return { query, reading: describeQuery(query, dictionary), lines, words };
}

/**
 * What a player did in the sessions of a library.
 *
 * @param player Default: who played.
 * @param games Only sessions of these games.
 * @throws PlaybyplayError `no-sessions` where there are none.
 */
export async function statisticsOf(
  library: Library,
  {
    player,
    games,
    signal,
  }: {
    readonly player?: string | undefined;
    readonly games?: readonly string[] | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<PlayerStatistics> {
  const all = await library.sessions();
  const sessions = games === undefined ? all : all.filter(({ game }) => games.includes(game));
  if (sessions.length === 0) throw new PlaybyplayError('no-sessions', 'the library has no such sessions');
  const scope = { session: sessions.map(({ session }) => session) };
  const { dictionary } = await library.dictionary();
  const source = {
    dictionary,
    sessions,
    ask: async (query: Query) => {
      const scoped = sessions.length === all.length ? query : { ...query, find: { all: [query.find, scope] } };
      return library.ask(await library.compile(scoped), { limit: Number.MAX_SAFE_INTEGER, signal });
    },
  };
  return computePlayerStatistics(source, player);
}

function toJson({ query, dictionary, corrections }: CompiledQuery, answer: LibraryAnswer, limit: number): AnswerJson {
  const isCount = query.count === true || query.by !== undefined;
  const value = answer.answer ?? (isCount && !answer.groups ? { value: answer.count, unit: undefined } : undefined);
  const hasMatches = !value && !answer.groups && !answer.values;
  return {
    reading: describeQuery(query, dictionary),
    corrections: corrections.map(({ written, read }) => ({ written, read })),
    count: answer.count,
    hasMore: answer.hasMore && !isCount,
    ...(value && { value: value.value, ...(value.unit !== undefined && { unit: value.unit }) }),
    ...(answer.groups && {
      groups: answer.groups.slice(0, limit).map(({ labels, count }) => ({ group: labels, count })),
    }),
    ...(answer.values && {
      values: answer.values.slice(0, limit).map(({ session, t, value: each }) => ({ session, t, value: each })),
    }),
    ...((hasMatches || query.whether) && {
      matches: answer.matches.map(({ t, end, events }) => ({
        session: events[0]!.session,
        game: events[0]!.game,
        t,
        end,
        events: events.map((event) => ({ t: event.t, text: event.text, statement: event.statement })),
      })),
    }),
  };
}
