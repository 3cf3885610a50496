import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { findRecordings, selectShard, type Shard } from '../../batch/find-recordings.ts';
import type { JobQueue, ListedJob } from '../../batch/queue.ts';
import { runWorkers } from '../../batch/run-workers.ts';
import { createJobs, type ReadSettings, type RecordingWork, type WorkResult } from '../../batch/work.ts';
import type { MediaLimits } from '../../media/limits.ts';
import { openSource } from '../../pipeline/source.ts';
import { formatClock } from '../../time.ts';
import type { CommandIo, RunCommand } from '../command.ts';
import { formatCount, formatIssues } from '../describe-error.ts';
import { findPlugins, findProfiles } from '../plugins.ts';
import type * as specs from '../specs.ts';
import { WorkerTable } from '../worker-table.ts';

/** Shares of one recording at most. */
const MAX_SHARES = 64;

/** `playbyplay process <folder or list>` */
export const processRecordings: RunCommand<typeof specs.processRecordings> = async (io, options, path) => {
  const { shard, split, out, json, retry } = options;
  const settings: ReadSettings = {
    game: options.game,
    plan: options.plan,
    profiles: (await findProfiles(options.profiles)).map((profile) => resolve(profile)),
    plugins: await findPlugins(options.plugin),
    ...(options.language !== undefined && { language: options.language }),
    ...(options.limit && { limits: Object.assign({}, ...options.limit) as Partial<MediaLimits> }),
  };
  const all = await findRecordings(path);
  const base = (await stat(path)).isDirectory() ? path : dirname(resolve(path));
  const recordings = shard ? selectShard(all, base, shard) : all;
  const batch = resolve(path) + (shard ? ` ${shard.index}/${shard.count}` : '');
  await using queue = await openQueue(options.queue, base, shard);
  for (const media of recordings) {
    io.signal.throwIfAborted();
    const count = await countShares(media, split);
    // A recording that has gone since then, or that cannot be read, fails in its turn, with its reason.
    const jobs = await createJobs(media, { batch, settings, out, count }).catch(() => []);
    if (jobs.length === 0) io.stderr.write(`playbyplay: ${media} cannot be read and was left out\n`);
    await queue.add(jobs);
  }
  const before = await queue.list(batch);
  if (retry) await queue.retry(before.flatMap(({ id, state }) => (state === 'failed' ? [id] : [])));
  const done = new Set(before.filter(({ state }) => state === 'done').map(({ id }) => id));
  const workers = options.workers ?? Math.max(1, availableParallelism());
  const threads = Math.max(1, Math.floor(availableParallelism() / workers));
  const start = performance.now();
  const table = new WorkerTable(io, workers, { json, total: before.length, done: done.size });
  await runWorkers(queue, {
    workers,
    threads,
    batch,
    signal: io.signal,
    onStart: (worker, lease) => table.start(worker, lease),
    onProgress: (worker, _lease, share) => table.progress(worker, share),
    onDone: (worker, lease, result) => table.done(worker, lease, result),
    onFail: (worker, lease, failure) => table.fail(worker, lease, failure),
    onOutage: (error) => table.note(error.message),
  }).finally(() => table.clear());
  io.signal.throwIfAborted();
  const jobs = await queue.list(batch);
  const finished = jobs.filter(({ id, state }) => state === 'done' && !done.has(id));
  if (options.library !== undefined) await addToLibrary(options.library, jobs, io);
  const seconds = (performance.now() - start) / 1000;
  return report({ jobs, finished, seconds, price: options.price, batchPath: path, json }, io);
};

async function openQueue(location: string | undefined, base: string, shard: Shard | undefined): Promise<JobQueue> {
  if (location !== undefined && /^postgres(?:ql)?:\/\//i.test(location)) {
    const { PostgresQueue } = await import('../../batch/postgres-queue.ts');
    return PostgresQueue.open(location);
  }
  const { SqliteQueue } = await import('../../batch/sqlite-queue.ts');
  const part = shard ? `-${shard.index}-of-${shard.count}` : '';
  return SqliteQueue.open(location ?? join(base, `playbyplay-jobs${part}.sqlite`));
}

/** Into how many shares a recording is divided, each at least so long. */
async function countShares(media: string, seconds: number): Promise<number> {
  if (seconds === 0) return 1;
  try {
    using source = await openSource(media);
    const { duration = 0 } = source.video.info;
    return Math.min(MAX_SHARES, Math.max(1, Math.floor(duration / seconds)));
  } catch {
    return 1;
  }
}

async function addToLibrary(library: string, jobs: readonly ListedJob[], io: CommandIo): Promise<void> {
  const logs = jobs.flatMap(({ result }) => (result as WorkResult | undefined)?.recording?.log ?? []);
  if (logs.length === 0) return;
  const { Library } = await import('../../library/library.ts');
  await using opened = await Library.open(library, { create: true });
  const { issues } = await opened.add(logs, { signal: io.signal });
  if (issues.length > 0) io.stderr.write(formatIssues(issues));
}

interface Report {
  readonly jobs: readonly ListedJob[];
  /** Jobs that were done in this run. */
  readonly finished: readonly ListedJob[];
  /** Elapsed. */
  readonly seconds: number;
  /** Of an hour of a core. */
  readonly price: number | undefined;
  readonly batchPath: string;
  readonly json: boolean;
}

/** Prints what failed and what it cost. Returns the exit code. */
function report({ jobs, finished, seconds, price, batchPath, json }: Report, io: CommandIo): number {
  const results = jobs.flatMap(({ result }) => (result as WorkResult | undefined) ?? []);
  const recordings = results.flatMap(({ recording }) => recording ?? []);
  const failed = jobs.filter(({ state }) => state === 'failed');
  const hours = recordings.reduce((sum, { duration }) => sum + duration, 0) / 3600;
  const coreHours = results.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / 3600;
  const perHour = hours > 0 ? coreHours / hours : undefined;
  const total = {
    recordings: recordings.length,
    failed: failed.length,
    events: recordings.reduce((sum, { events }) => sum + events, 0),
    recordedHours: round(hours),
    coreHours: round(coreHours),
    ...(perHour !== undefined && { coreHoursPerRecordedHour: round(perHour) }),
    ...(perHour !== undefined && price !== undefined && { costPerRecordedHour: round(perHour * price) }),
    seconds: round(seconds),
  };
  if (json) io.stdout.write(`${JSON.stringify({ type: 'summary', ...total })}\n`);
  else {
    const cost =
      perHour === undefined
        ? ''
        : `; ${perHour.toFixed(2)} core-hours per recorded hour${price === undefined ? '' : `, which cost ${(perHour * price).toFixed(4)}`}`;
    io.stdout.write(
      `${formatCount(recordings.length, 'recording')} (${formatClock(hours * 3600, 0)}) with ${formatCount(total.events, 'event')}` +
        `${finished.length < results.length ? `, ${finished.length === 0 ? 'all' : 'some'} of them done before` : ''}${cost}\n`,
    );
  }
  for (const { work, failure, attempt } of failed) {
    const { media, folder, settings } = work as RecordingWork;
    const tries = attempt > 1 ? ` (${attempt} attempts)` : '';
    io.stderr.write(`\nset aside: ${media}\n  ${failure?.message ?? 'no reason is known'}${tries}\n`);
    if (failure?.hint !== undefined) io.stderr.write(`  ${failure.hint}\n`);
    io.stderr.write(`  retry: ${detectCommand(media, folder, settings)}
`);
  }
  if (failed.length > 0)
    io.stderr.write(
      `\n${formatCount(failed.length, 'recording')} set aside; all of them again: playbyplay process ${quote(batchPath)} --retry\n`,
    );
  return failed.length > 0 ? 3 : 0;
}

/** The command that reads a recording as its job does. */
function detectCommand(
  media: string,
  folder: string,
  { game, plan, profiles, plugins, language }: ReadSettings,
): string {
  const options = [
    ['--game', game],
    ['--out', folder],
    ...(plan === 'full' ? [] : [['--plan', plan]]),
    ...profiles.map((path) => ['--profiles', path]),
    ...plugins.map((path) => ['--plugin', path]),
    ...(language === undefined ? [] : [['--language', language]]),
  ].map(([name, value]) => `${name} ${quote(value!)}`);
  return `playbyplay detect ${quote(media)} ${options.join(' ')} --resume`;
}

function round(value: number): number {
  return Number(value.toPrecision(6));
}

/** Quotes an argument for a shell if it needs it. */
function quote(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
