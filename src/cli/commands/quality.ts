import { once } from 'node:events';
import { join } from 'node:path';
import { checkOutput, type OutputOptions, type OutputPolicy, writeOutput } from '../../files/output.ts';
import { disagreements, type NamedModelScores, rankCorrelations, scoreWithModels } from '../../quality/compare.ts';
import type { FrameRecord } from '../../quality/frame.ts';
import { analyzeFiles, downsample, gameplayMarks } from '../../quality/timeline.ts';
import { eventOutcome, type MergedLog, mergeIntoLog } from '../../quality/gameplay.ts';
import { type SessionAnalysis, sessionReport } from '../../quality/report/session.ts';
import { type GroupedView, sessionsReport } from '../../quality/report/sessions.ts';
import { type FileOptions, type ScoredInput, scoreFiles, scoreSeries } from '../../quality/score.ts';
import { formatGameplay, summarize } from '../../quality/summary.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { usageError } from '../options.ts';
import { reportIssues, scorerOptions } from '../session-files.ts';
import type * as specs from '../specs.ts';

/** `playbyplay quality <file>…` */
export const score: RunCommand<typeof specs.qualityScore> = async (io, options, ...paths) => {
  const { offset } = options;
  if (options.before && options.report === undefined) throw usageError('--before needs --report');
  const policy: OutputPolicy = {
    inputs: [...paths, ...(options.before ?? []), ...(options.events === undefined ? [] : [options.events])],
    overwrite: options.overwrite,
  };
  const report: OutputOptions = { kind: 'HTML', ...policy };
  if (options.report !== undefined) await checkOutput(options.report, report);
  const settings = scorerOptions(options, io.signal);
  if (options.series) {
    if (!options.json) throw usageError('--series needs --json');
    const scored = await printSeries(paths, settings, io);
    return reportIssues(scored, io);
  }
  const chartWidth = Math.max(20, Math.min(100, ((io.stdout as { columns?: number }).columns ?? 80) - 20));
  let views = await analyzeFiles(paths, settings);
  const merged =
    options.events === undefined
      ? undefined
      : await mergeEvents(views, options.events, options.out, { offset, ...policy }, io);
  if (merged) views = [withMarks(views[0]!, merged, offset)];
  const before = options.before ? await analyzeFiles(options.before, settings) : [];
  if (options.report !== undefined) await writeReport(options.report, views, before, report, io);
  if (options.json) io.stdout.write(`${JSON.stringify(toJson(views, merged))}\n`);
  else {
    const summaries = views.map((view) => summarize(view.scored, downsample(view.points, chartWidth), options.ascii));
    io.stdout.write(summaries.join('\n'));
    if (merged) io.stdout.write(`\n${formatGameplay(merged.report)}`);
  }
  return reportIssues(
    [...before, ...views].map(({ scored }) => scored),
    io,
  );
};

/** The figures first, then their details. One session is an object, several are a list. */
function toJson(views: readonly SessionAnalysis[], merged: MergedLog | undefined): Record<string, unknown> {
  const sessions = views.map((view) => ({
    ...flatten(view.scored),
    worstMinutes: view.worst,
    incidents: view.incidents,
  }));
  const whole = sessions.length === 1 ? sessions[0]! : { sessions };
  return merged ? { ...whole, play: merged.report } : whole;
}

function flatten({ quality, ...rest }: ScoredInput): Record<string, unknown> {
  return { ...quality, ...rest };
}

/** Prints the figures of the session and of every frame while scoring: a session may exceed the memory. */
async function printSeries(paths: readonly string[], settings: FileOptions, io: CommandIo): Promise<ScoredInput[]> {
  const sessions = await scoreSeries(paths, settings);
  const write = async (text: string): Promise<void> => {
    if (!io.stdout.write(text)) await once(io.stdout, 'drain', { signal: io.signal });
  };
  if (sessions.length !== 1) await write('{"sessions":[');
  for (const [i, { scored, frames }] of sessions.entries()) {
    await write(`${i > 0 ? ',' : ''}${JSON.stringify(flatten(scored)).slice(0, -1)},"series":[`);
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

/** Writes a copy of the event log with the stream's incidents. */
async function mergeEvents(
  views: readonly SessionAnalysis[],
  log: string,
  out: string | undefined,
  options: { readonly offset: number } & OutputPolicy,
  io: CommandIo,
): Promise<MergedLog> {
  if (views.length !== 1) throw usageError(`--events takes one session, not ${views.length}`);
  const { incidents } = views[0]!;
  const path = out ?? mergedPath(log);
  const merged = await mergeIntoLog(log, incidents, path, { ...options, signal: io.signal });
  io.stderr.write(`${incidents.length} incidents of the stream written to ${path}\n`);
  return merged;
}

/** `events.ndjson` → `events.stream.ndjson`; for a folder, a file in it. */
function mergedPath(path: string): string {
  return /\.ndjson$/i.test(path)
    ? path.replace(/(?:\.stream)?\.ndjson$/i, '.stream.ndjson')
    : join(path, 'events.stream.ndjson');
}

function withMarks(view: SessionAnalysis, merged: MergedLog, offset: number): SessionAnalysis {
  return {
    ...view,
    play: gameplayMarks(merged.events, ({ statement }) => eventOutcome(statement, merged.dictionary), offset),
  };
}

async function writeReport(
  path: string,
  views: readonly SessionAnalysis[],
  before: readonly SessionAnalysis[],
  output: OutputOptions,
  io: CommandIo,
): Promise<void> {
  const grouped: GroupedView[] = [
    ...before.map((view) => ({ ...view, group: 'before' })),
    ...views.map((view) => (before.length > 0 ? { ...view, group: 'after' } : view)),
  ];
  const html = grouped.length === 1 ? sessionReport(views[0]!) : sessionsReport(grouped);
  await writeOutput(path, html, output);
  io.stderr.write(`Report written to ${path}\n`);
}

/** `playbyplay quality compare <file>…` */
export const compare: RunCommand<typeof specs.qualityCompare> = async (io, options, ...paths) => {
  let records: FrameRecord[][] = [];
  const settings = scorerOptions(options, io.signal);
  const scored = await scoreFiles(paths, {
    ...settings,
    observe: () => {
      const own: FrameRecord[] = [];
      records = [...records, own];
      return (_meter, record) => own.push(record);
    },
  });
  const ofScored = records.slice(-scored.length);
  const judged: NamedModelScores[] = [];
  for (const [i, { name, info }] of scored.entries()) {
    const judgement = scoreWithModels(ofScored[i]!, info, settings.constants);
    if (judgement) judged.push({ name, judgement });
    else io.stderr.write(`${name}: the other models need bitrate, size and round trip, which are missing\n`);
  }
  const all = {
    rankCorrelations: judged.length > 2 ? rankCorrelations(judged) : [],
    disagreements: disagreements(judged),
  };
  if (options.json) {
    const sessions = judged.map(({ name, judgement: { quality, ...rest } }) => ({
      name,
      total: quality.total,
      raw: quality.raw,
      ...rest,
    }));
    io.stdout.write(`${JSON.stringify({ sessions, ...all })}\n`);
  } else io.stdout.write(formatComparison(judged, all));
  return reportIssues(scored, io);
};

function formatComparison(
  judged: readonly NamedModelScores[],
  all: {
    readonly rankCorrelations: ReturnType<typeof rankCorrelations>;
    readonly disagreements: ReturnType<typeof disagreements>;
  },
): string {
  const lines = [`${'session'.padEnd(40)}  total     raw   G.1072   rtcscore   stutter`];
  for (const { name, judgement } of judged) {
    const { quality, g1072, rtcScore, stutterShare } = judgement;
    const cells = [
      quality.total?.toFixed(1) ?? '–',
      quality.raw?.toFixed(1) ?? '–',
      g1072.mos.toFixed(2),
      rtcScore.toFixed(2),
    ];
    lines.push(
      `${name.slice(0, 40).padEnd(40)}${cells[0]!.padStart(7)}${cells[1]!.padStart(8)}${cells[2]!.padStart(9)}${cells[3]!.padStart(11)}${`${(100 * stutterShare).toFixed(1)} %`.padStart(10)}`,
    );
  }
  if (all.rankCorrelations.length > 0) {
    lines.push('', 'rank correlations (Spearman, Kendall)');
    for (const { a, b, spearman, kendall } of all.rankCorrelations) {
      lines.push(
        `  ${`${a} and ${b}`.padEnd(52)} ${(spearman?.toFixed(2) ?? '–').padStart(6)} ${(kendall?.toFixed(2) ?? '–').padStart(6)}`,
      );
    }
  }
  for (const { name, other, here, there, because } of all.disagreements) {
    lines.push(
      '',
      `${name}: better than ${percent(here)} of the sessions by this metric, than ${percent(there)} by ${other}`,
      `  ${because}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
