import {
  computePlayerStatistics,
  type Duel,
  type PlayerStatistics,
  type StatisticsSource,
} from '../../library/player-statistics.ts';
import { wordName } from '../../highlights/summary.ts';
import { formatClock } from '../../time.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { openSource, type QuerySource } from '../query-source.ts';
import type * as specs from '../specs.ts';

/** Rows of a table that are printed; `--json` prints all. */
const MAX_ROWS = 8;
/** Moments of a cause of death that are printed. */
const MAX_MOMENTS = 3;

/** `playbyplay stats [<log or folder>…]` */
export const stats: RunCommand<typeof specs.stats> = async (io, options, ...paths) => {
  await using source = await openSource(paths, options.library, {
    dictionaries: options.dictionary ?? [],
    tentative: options.tentative,
    signal: io.signal,
    withoutCues: true,
    limit: Number.MAX_SAFE_INTEGER,
  });
  for (const { path, message } of source.issues)
    io.stderr.write(`playbyplay: ${path === undefined ? '' : `${path} `}${message}\n`);
  const games = options.game;
  const sessions = source.played.filter(({ game }) => games === undefined || games.includes(game));
  const statistics = await computePlayerStatistics(toStatisticsSource(source, sessions), options.player);
  if (options.json) io.stdout.write(`${JSON.stringify(statistics)}\n`);
  else printStatistics(statistics, source, io);
  return 0;
};

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

function printStatistics(statistics: PlayerStatistics, { dictionary, played }: QuerySource, io: CommandIo): void {
  const { player = 'player', sessions, duration, actions, ratio, streak, life, secondsBetweenDefeats } = statistics;
  const names = new Map(played.map(({ session, name }) => [session, name]));
  const nameOf = (session: string): string => names.get(session) ?? session;
  const lines = [`${player}: ${formatCount(sessions, 'session')}, ${formatClock(duration, 0)}`, ''];
  const rows = actions.map(({ action, total, perMinute, best, trend }) => [
    dictionary.find(action, 'action')!.name,
    String(total),
    `${perMinute.toFixed(2)} a minute`,
    sessions > 1 ? `best: ${best.count} in ${nameOf(best.session)}` : '',
    trend ?? '',
  ]);
  lines.push(...alignColumns(rows));
  const facts = [
    ratio === null ? [] : ['defeats by deaths', ratio.toFixed(2)],
    streak === 0 ? [] : ['longest streak without a death', String(streak)],
    life === null ? [] : ['life', `${life.average.toFixed(1)} s on average, the longest ${life.longest.toFixed(1)} s`],
    secondsBetweenDefeats === null
      ? []
      : ['from a defeat to the next', `${secondsBetweenDefeats.toFixed(1)} s on average`],
  ].filter(({ length }) => length > 0);
  lines.push('', ...alignColumns(facts));
  const duels = (title: string, list: readonly Duel[]): string[] =>
    list.length === 0
      ? []
      : [
          '',
          ...alignColumns([
            [title, 'defeats', 'deaths'],
            ...list.slice(0, MAX_ROWS).map(({ name, defeats, deaths }) => [name, String(defeats), String(deaths)]),
          ]),
        ];
  lines.push(...duels('with', statistics.instruments), ...duels('against', statistics.opponents));
  if (statistics.deaths.length > 0) lines.push('');
  const deaths = statistics.deaths.slice(0, MAX_ROWS).map(({ cause, count, moments }) => {
    const shown = moments
      .slice(0, MAX_MOMENTS)
      .map(({ session, t }) => `${sessions > 1 ? `${nameOf(session)} ` : ''}${formatClock(t)}`);
    return [
      formatCount(count, wordName('death', 1, dictionary)),
      cause === 'die' ? 'cause unknown' : cause,
      shown.join(', '),
    ];
  });
  lines.push(...alignColumns(deaths));
  io.stdout.write(`${lines.join('\n').trimEnd()}\n`);
}

/** Joins cells to lines; numbers stand at the right of their column. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => (/^[\d.]+$/.test(cell) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
}
