// The process that reads recordings for a worker (recording-process.ts): native decoders and networks may crash or block it.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { resolveGame } from '../discovery/resolve-game.ts';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { LOG_NAME } from '../events/reader.ts';
import { copyOutput } from '../files/output.ts';
import { DEFAULT_MEDIA_LIMITS, setMediaLimits } from '../media/limits.ts';
import { mergeShares, recordLog, type RecordOptions, recordShare, type RecordSummary } from '../pipeline/record-log.ts';
import { STUCK_CODE } from '../threads/watchdog.ts';
import { guardProcess, keepCompiledCode } from '../threads/guard-process.ts';
import type { ChildMessage, ChildRequest } from './recording-process.ts';
import type { RecordingWork, WorkResult } from './work.ts';

/** Progress is reported at most so often, in milliseconds. */
const PROGRESS_INTERVAL_MS = 250;

const send = (message: ChildMessage): unknown => process.send?.(message);

async function run({ work, attempt, threads }: ChildRequest): Promise<WorkResult> {
  const start = performance.now();
  const cpuBefore = process.cpuUsage();
  const recording = await runWork(work, attempt, threads);
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    cpuSeconds: (user + system) / 1e6,
    seconds: (performance.now() - start) / 1000,
    ...(recording && { recording }),
  };
}

async function runWork(work: RecordingWork, attempt: number, threads: number): Promise<WorkResult['recording']> {
  const { media, folder, settings, kind } = work;
  const { profiles, plugins, language, limits } = settings;
  setMediaLimits({ ...DEFAULT_MEDIA_LIMITS, ...limits });
  const { game, isDraft } = await resolveGame(media, {
    ...settings,
    folder,
    resume: true,
    onProgress: () => report(0),
  });
  const options: RecordOptions = {
    media,
    game,
    out: folder,
    plan: settings.plan,
    workers: threads,
    resume: true,
    place: isDraft ? 'default' : 'auto',
    profiles,
    plugins,
    language,
    onMessage(message) {
      if (message.type === 'progress') report(message.total ? message.done / message.total : 0);
    },
  };
  if (kind === 'read') {
    await recordShare(options, { index: work.index!, count: work.count! });
    return undefined;
  }
  if (kind === 'finish') await mergeShares(folder, work.count!);
  return describe(await record(options, folder, attempt));
}

/** Makes the log. Where an earlier attempt still holds its folder, makes the same log in another one and puts it there. */
async function record(options: RecordOptions, folder: string, attempt: number): Promise<RecordSummary> {
  try {
    return await recordResumed(options);
  } catch (error) {
    if (!(error instanceof PlaybyplayError) || error.code !== 'folder-in-use' || attempt === 1) throw error;
    const own = join(folder, `attempt-${attempt}`);
    const summary = await recordResumed({ ...options, out: own });
    const log = join(folder, LOG_NAME);
    await copyOutput(summary.log, log, { kind: 'event log' });
    return { ...summary, folder, log };
  }
}

/** Goes on with the readings of an earlier attempt, unless these are of other settings. */
async function recordResumed(options: RecordOptions): Promise<RecordSummary> {
  try {
    return await recordLog(options);
  } catch (error) {
    if (!(error instanceof PlaybyplayError) || error.code !== 'resume-mismatch') throw error;
    return await recordLog({ ...options, resume: false });
  }
}

async function describe({ log, events, gaps, duration, doubt }: RecordSummary): Promise<WorkResult['recording']> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(log), hash);
  return {
    log,
    events,
    gaps: gaps.length,
    duration,
    hash: hash.digest('hex'),
    ...(doubt && { doubt: doubt.message }),
  };
}

let reported = 0;
function report(share: number): void {
  if (performance.now() - reported < PROGRESS_INTERVAL_MS) return;
  reported = performance.now();
  send({ type: 'progress', share });
}

process.on('message', (request: ChildRequest) => {
  void run(request)
    .finally(keepCompiledCode)
    .then(
      (result) => send({ type: 'done', result }),
      (error: unknown) => {
        const known = error instanceof PlaybyplayError ? error : undefined;
        const failure = {
          code: known?.code ?? 'internal',
          message: messageOf(error),
          ...(known?.hint !== undefined && { hint: known.hint }),
        };
        // What the data are to blame for will not change. A thread that does not return stays until the process is ended.
        const isStuck = known?.code === STUCK_CODE;
        const message: ChildMessage = { type: 'failed', failure, isFinal: known !== undefined && !isStuck };
        process.send?.(message, () => isStuck && process.kill(process.pid, 'SIGKILL'));
      },
    );
});
process.on('disconnect', () => {
  process.exit();
});
guardProcess(Number(process.argv[2]));
