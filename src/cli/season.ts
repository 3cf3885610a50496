import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { PlaybyplayError } from '../errors.ts';
import { readLog } from '../events/reader.ts';
import type { Moment, StatisticsSource } from '../library/player-statistics.ts';
import { formatClock } from '../time.ts';
import type { CommandIo } from './command.ts';
import { openSource, type QuerySource } from './query-source.ts';

/** What commands about seasons are given. */
export interface SeasonOptions {
  readonly game?: readonly string[] | undefined;
  readonly session?: readonly string[] | undefined;
  readonly library?: string | undefined;
  readonly dictionary?: readonly string[] | undefined;
  readonly tentative: boolean;
}

/** The sessions that a command is about, and all those that they are compared with. */
export interface Season extends AsyncDisposable {
  readonly source: QuerySource;
  readonly chosen: StatisticsSource;
  readonly all: StatisticsSource;
  /** The name of a session as people know it. */
  nameOf(session: string): string;
}

/** Seconds before a moment at which its link starts. */
const LINK_LEAD_SECONDS = 3;

/**
 * Opens the logs or the library of a command and chooses sessions.
 *
 * @throws PlaybyplayError `no-session` where nothing is chosen.
 */
export async function openSeason(io: CommandIo, paths: readonly string[], options: SeasonOptions): Promise<Season> {
  const source = await openSource(paths, options.library, {
    dictionaries: options.dictionary ?? [],
    tentative: options.tentative,
    signal: io.signal,
    withoutCues: true,
    limit: Number.MAX_SAFE_INTEGER,
  });
  for (const { path, message } of source.issues)
    io.stderr.write(`playbyplay: ${path === undefined ? '' : `${path} `}${message}\n`);
  const { game, session } = options;
  const sessions = source.played.filter(
    (one) =>
      (game === undefined || game.includes(one.game)) &&
      (session === undefined || session.includes(one.name) || session.includes(one.session)),
  );
  if (sessions.length === 0 && source.played.length > 0) {
    await source[Symbol.asyncDispose]();
    throw new PlaybyplayError('no-session', 'no session matches this game and this name', {
      hint: `Games: ${[...new Set(source.played.map((one) => one.game))].join(', ')}.`,
    });
  }
  const names = new Map(source.played.map((one) => [one.session, one.name]));
  return {
    source,
    chosen: toStatisticsSource(source, sessions),
    all: toStatisticsSource(source, source.played),
    nameOf: (name) => names.get(name) ?? name,
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

/** Asks only about the chosen sessions. */
function toStatisticsSource(source: QuerySource, sessions: StatisticsSource['sessions']): StatisticsSource {
  const isAll = sessions.length === source.played.length;
  const scope = { session: sessions.map(({ session }) => session) };
  return {
    dictionary: source.dictionary,
    sessions,
    ask: async (query) => {
      const scoped = isAll ? query : { ...query, find: { all: [query.find, scope] } };
      return source.ask(await source.compile(scoped));
    },
  };
}

/**
 * Finds the recordings next to logs, for links to their moments.
 *
 * @param page Where the page with the links will be; addresses are relative to its folder.
 */
export async function createLinks(
  { source, nameOf }: Season,
  page: string | undefined,
  moments: readonly Moment[],
): Promise<(moment: Moment) => { readonly href: string | undefined; readonly label: string }> {
  const recordings = new Map<string, string>();
  for (const session of new Set(moments.map((moment) => moment.session))) {
    const log = source.logs.get(session);
    const recording = log && page !== undefined ? await findRecording(log.path) : undefined;
    if (recording !== undefined)
      recordings.set(
        session,
        relative(dirname(resolve(page!)), recording)
          .split(sep)
          .map(encodeURIComponent)
          .join('/'),
      );
  }
  const isOne = source.played.length === 1;
  return ({ session, t }) => {
    const recording = recordings.get(session);
    const start = Math.max(0, t - LINK_LEAD_SECONDS);
    return {
      href: recording === undefined ? undefined : `${recording}#t=${start.toFixed(1)}`,
      label: isOne ? formatClock(t, 0) : `${nameOf(session)} ${formatClock(t, 0)}`,
    };
  };
}

/** The recording of a log: in the folder of the log's folder, or with the log. */
async function findRecording(path: string): Promise<string | undefined> {
  for await (const line of readLog(path)) {
    if (line.type !== 'header') return undefined;
    const { name } = line.media;
    // A name is data: it must not lead elsewhere.
    if (name === '' || /[/\\]|^\.\.?$/.test(name)) return undefined;
    return [join(dirname(dirname(path)), name), join(dirname(path), name)].find((file) => existsSync(file));
  }
  return undefined;
}
