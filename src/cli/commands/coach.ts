import { formatClock } from '../../time.ts';
import type { RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { openSeason } from '../season.ts';
import type * as specs from '../specs.ts';
import { alignColumns } from '../table.ts';

/** Rows of a table that are printed; `--json` prints all. */
const MAX_ROWS = 10;
const MAX_MOMENTS = 4;

/** `playbyplay coach [<log or folder>…]` */
export const coach: RunCommand<typeof specs.coach> = async (io, options, ...paths) => {
  await using season = await openSeason(io, paths, options);
  const { coach: findLessons } = await import('../../season/coaching.ts');
  const { collectTimelines } = await import('../../season/timeline.ts');
  const { nameOf, chosen } = season;
  const timelines = await collectTimelines(chosen, options.player);
  const coaching = findLessons(timelines, chosen.dictionary);
  if (options.json) {
    io.stdout.write(`${JSON.stringify(coaching)}\n`);
    return 0;
  }
  const { lives, deaths, seconds, failures, circumstances, advice } = coaching;
  const lines = [
    `${`${lives} ${lives === 1 ? 'life' : 'lives'}`}, ${formatCount(deaths, 'death')} in ${formatClock(seconds, 0)} alive`,
    '',
  ];
  lines.push(
    ...alignColumns(
      failures.slice(0, MAX_ROWS).map(({ cause, count, share, moments }) => {
        const shown = moments
          .slice(0, MAX_MOMENTS)
          .map(({ session, t }) => `${timelines.length > 1 ? `${nameOf(session)} ` : ''}${formatClock(t, 0)}`);
        return [String(count), `${(100 * share).toFixed(0)} %`, cause, shown.join(', ')];
      }),
    ),
  );
  if (circumstances.length > 0)
    lines.push(
      '',
      ...alignColumns([
        ['before deaths', '', 'times as often', '95 %', 'deaths', 'seconds'],
        ...circumstances
          .slice(0, MAX_ROWS)
          .map(({ factor, value, ratio, low, high, deaths: dead, seconds: alive, isClear }) => [
            factor,
            value,
            `${formatRatio(ratio)}${isClear ? ' *' : ''}`,
            `${formatRatio(low)} to ${formatRatio(high)}`,
            String(dead),
            String(Math.round(alive)),
          ]),
      ]),
    );
  lines.push('');
  if (advice.length > 0) lines.push(...advice.map((text) => `* ${text}`));
  else if (deaths < 5) lines.push('Too few deaths to say what leads to them.');
  else lines.push('No circumstance differs clearly before deaths from other moments.');
  io.stdout.write(`${lines.join('\n').trimEnd()}\n`);
  return 0;
};

function formatRatio(ratio: number): string {
  return Number.isFinite(ratio) ? ratio.toFixed(2) : 'many';
}
