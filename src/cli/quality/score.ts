import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadBuiltin } from '../../dictionary/files.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { type MergedLog, mergeIntoLog, eventOutcome } from '../../quality/gameplay.ts';
import { type SessionAnalysis, sessionReport } from '../../quality/report/session.ts';
import { type GroupedView, sessionsReport } from '../../quality/report/sessions.ts';
import { type FileOptions, type ScoredInput, scoreSeries } from '../../quality/score.ts';
import { formatGameplay, summarize } from '../../quality/summary.ts';
import { downsample } from '../../quality/timeline.ts';
import { gameplayMarks, analyzeFiles } from '../../quality/analyze.ts';
import type { CommandIo } from '../command.ts';
import { formatIssues } from '../explain.ts';
import { readScoreOptions, scoreOptions } from './options.ts';

const options = {
  ...scoreOptions,
  events: { type: 'string' },
  offset: { type: 'string' },
  out: { type: 'string', short: 'o' },
  before: { type: 'string', multiple: true },
  report: { type: 'string' },
  json: { type: 'boolean' },
  series: { type: 'boolean' },
  ascii: { type: 'boolean' },
} as const;

/** `playbyplay quality <file>…` */
export async function runScore(args: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (positionals.length === 0)
    throw new PlaybyplayError('usage', 'which session?', { hint: 'Give a log of its frames.' });
  if (values.before && values.report === undefined) throw new PlaybyplayError('usage', '--before needs --report');
  const score = readScoreOptions(values, io.signal);
  const offset = Number(values.offset ?? 0);
  if (!Number.isFinite(offset)) throw new PlaybyplayError('usage', `--offset must be seconds, not “${values.offset}”`);
  if (values.series) {
    if (!values.json) throw new PlaybyplayError('usage', '--series needs --json');
    const scored = await printSeries(positionals, score, io);
    return complain(scored, io);
  }
  const width = Math.max(20, Math.min(100, ((io.stdout as { columns?: number }).columns ?? 80) - 20));
  let views = await analyzeFiles(positionals, score);
  const merged = values.events === undefined ? undefined : await joinPlay(views, values.events, values.out, offset, io);
  if (merged) views = [await withPlay(views[0]!, merged, offset)];
  const before = values.before ? await analyzeFiles(values.before, score) : [];
  if (values.report !== undefined) await writeReport(values.report, views, before, io);
  if (values.json) io.stdout.write(`${JSON.stringify(asJson(views, merged))}\n`);
  else {
    const summaries = views.map((view) => summarize(view.scored, downsample(view.points, width), values.ascii));
    io.stdout.write(summaries.join('\n'));
    if (merged) io.stdout.write(`\n${formatGameplay(merged.report)}`);
  }
  return complain(
    [...before, ...views].map(({ scored }) => scored),
    io,
  );
}

/** Figures first, flat; then what they rest on. One session stands alone, several in a list. */
function asJson(views: readonly SessionAnalysis[], merged: MergedLog | undefined): Record<string, unknown> {
  const sessions = views.map((view) => ({
    ...flat(view.scored),
    worstMinutes: view.worst,
    incidents: view.incidents,
  }));
  const whole = sessions.length === 1 ? sessions[0]! : { sessions };
  return merged ? { ...whole, play: merged.report } : whole;
}

function flat({ quality, ...rest }: ScoredInput): Record<string, unknown> {
  return { ...quality, ...rest };
}

/** The figures and those of every frame, written as they are scored: a session may be longer than memory. */
async function printSeries(paths: readonly string[], score: FileOptions, io: CommandIo): Promise<ScoredInput[]> {
  const sessions = await scoreSeries(paths, score);
  const write = async (text: string): Promise<void> => {
    if (!io.stdout.write(text)) await once(io.stdout, 'drain', { signal: io.signal });
  };
  if (sessions.length !== 1) await write('{"sessions":[');
  for (const [i, { scored, frames }] of sessions.entries()) {
    await write(`${i > 0 ? ',' : ''}${JSON.stringify(flat(scored)).slice(0, -1)},"series":[`);
    let comma = '';
    for await (const batch of frames) {
      await write(comma + batch.map((frame) => JSON.stringify(frame)).join(',\n'));
      comma = ',\n';
    }
    await write(']}');
  }
  await write(sessions.length === 1 ? '\n' : ']}\n');
  return sessions.map(({ scored }) => scored);
}

async function joinPlay(
  views: readonly SessionAnalysis[],
  log: string,
  out: string | undefined,
  offset: number,
  io: CommandIo,
): Promise<MergedLog> {
  if (views.length !== 1) throw new PlaybyplayError('usage', `--events goes with one session, not ${views.length}`);
  const { incidents } = views[0]!;
  const path = out ?? besideLog(log);
  const merged = await mergeIntoLog(log, incidents, path, { offset, signal: io.signal });
  io.stderr.write(`${incidents.length} incidents of the stream written to ${path}\n`);
  return merged;
}

/** `events.ndjson` → `events.stream.ndjson`; a folder's log is written into the folder. */
function besideLog(path: string): string {
  return /\.ndjson$/i.test(path)
    ? path.replace(/(?:\.stream)?\.ndjson$/i, '.stream.ndjson')
    : join(path, 'events.stream.ndjson');
}

async function withPlay(view: SessionAnalysis, merged: MergedLog, offset: number): Promise<SessionAnalysis> {
  const { dictionary } = await loadBuiltin();
  return {
    ...view,
    play: gameplayMarks(merged.events, ({ statement }) => eventOutcome(statement, dictionary), offset),
  };
}

async function writeReport(
  path: string,
  views: readonly SessionAnalysis[],
  before: readonly SessionAnalysis[],
  io: CommandIo,
): Promise<void> {
  const grouped: GroupedView[] = [
    ...before.map((view) => ({ ...view, group: 'before' })),
    ...views.map((view) => (before.length > 0 ? { ...view, group: 'after' } : view)),
  ];
  const html = grouped.length === 1 ? sessionReport(views[0]!) : sessionsReport(grouped);
  try {
    await writeFile(path, html);
  } catch (error) {
    throw new PlaybyplayError('write-failed', `${path} cannot be written: ${messageOf(error)}`);
  }
  io.stderr.write(`Report written to ${path}\n`);
}

const harmless = new Set(['rate-estimated', 'other-process', 'other-stream', 'microseconds', 'out-of-turn']);

/** Says what was wrong; 3 where the figures may be touched by it. */
export function complain(scored: readonly ScoredInput[], io: CommandIo): number {
  const issues = scored.flatMap((one) => one.issues);
  if (issues.length > 0) io.stderr.write(formatIssues(issues));
  return issues.some((issue) => !harmless.has(issue.code)) ? 3 : 0;
}
