import type { DefeatCounts } from '../../library/player-statistics.ts';
import { checkOutput, writeOutput } from '../../files/output.ts';
import { wordName } from '../../highlights/summary.ts';
import type { SeasonReport } from '../../season/season.ts';
import { formatClock } from '../../time.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { usageError } from '../options.ts';
import { createLinks, openSeason, type Season } from '../season.ts';
import type * as specs from '../specs.ts';
import { alignColumns } from '../table.ts';

/** Rows of a table that are printed; `--json` prints all. */
const MAX_ROWS = 8;
/** Moments of a cause of death that are printed. */
const MAX_MOMENTS = 3;

/** `playbyplay stats [<log or folder>…]` */
export const stats: RunCommand<typeof specs.stats> = async (io, options, ...paths) => {
  const { out, json, overwrite } = options;
  const isPage = options.html || (out !== undefined && !json);
  if (options.html && json) throw usageError('--html cannot be combined with --json');
  const output = { kind: isPage ? 'HTML' : 'JSON', inputs: paths, overwrite } as const;
  if (out !== undefined) await checkOutput(out, output);
  await using season = await openSeason(io, paths, options);
  const { reportSeason } = await import('../../season/season.ts');
  const report = await reportSeason(season.chosen, options.player, season.all);
  if (!isPage && !json) {
    printStatistics(report, season, io);
    return 0;
  }
  const text = isPage ? await renderPage(report, season, out) : `${JSON.stringify(toJson(report))}\n`;
  if (out === undefined) io.stdout.write(text);
  else {
    await writeOutput(out, text, output);
    io.stderr.write(`${out}\n`);
  }
  return 0;
};

/** The figures with everything that is computed of them. */
function toJson({ figures, coaching, difficulty, ratings, recommendations }: SeasonReport): object {
  return { ...figures, coaching, difficulty, ratings, recommendations };
}

async function renderPage(report: SeasonReport, season: Season, out: string | undefined): Promise<string> {
  const { renderSeasonPage } = await import('../../season/page.ts');
  const { figures, coaching, dictionary } = report;
  const titles = figures.games.map((game) => dictionary.sources.find(({ name }) => name === game)?.title ?? game);
  const moments = [
    ...coaching.failures.flatMap((group) => group.moments.slice(0, 12)),
    ...figures.records.map(({ moment }) => moment),
  ];
  const [only] = season.chosen.sessions;
  const what = figures.sessions === 1 && only ? only.name : formatCount(figures.sessions, 'session');
  return renderSeasonPage({
    ...report,
    title: figures.player === undefined ? titles.join(', ') : `${figures.player} in ${titles.join(', ')}`,
    scope: `${what}, ${formatClock(figures.duration, 0)} of play`,
    linkTo: await createLinks(season, out, moments),
  });
}

function printStatistics({ figures: statistics, dictionary }: SeasonReport, { nameOf }: Season, io: CommandIo): void {
  const { player = 'player', sessions, duration, actions, ratio, streak, life, secondsBetweenDefeats } = statistics;
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
    ...statistics.success.map(({ of, hits, tries, rate }) => [
      `success of ${of}`,
      `${(100 * rate.value!).toFixed(0)} % (${hits} of ${tries}; 95 %: ${(100 * rate.low).toFixed(0)} to ${(100 * rate.high).toFixed(0)})`,
    ]),
    ...statistics.reactions.map(({ cue, response, median, count }) => [
      `from ${cue} to ${response}`,
      `${median.toFixed(2)} s (median of ${count})`,
    ]),
    ...statistics.standings
      .slice(0, 3)
      .map(({ what, percentile, among }) => [what, `more than ${percentile.toFixed(0)} % of ${among} others`]),
  ].filter(({ length }) => length > 0);
  lines.push('', ...alignColumns(facts));
  const duels = (title: string, list: readonly DefeatCounts[]): string[] =>
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
