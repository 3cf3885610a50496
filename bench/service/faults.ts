// What survives faults of batch processing, on a real PostgreSQL: workers that are killed, stalled or cut off from the database,
// a job that is delivered twice, a recording that kills every worker. Prints what was lost and what was done twice.
//   node bench/service/faults.ts [--recording <file>] [--game freedoom] [--recordings 8]
// Takes about two minutes: heartbeats have to be missed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { PostgresQueue } from '../../src/batch/postgres-queue.ts';
import type { Lease, ListedJob } from '../../src/batch/queue.ts';
import { createJobs, type RecordingWork, type WorkResult } from '../../src/batch/work.ts';
import { startPostgres } from '../../test/fixtures/postgres.ts';

const root = join(import.meta.dirname, '..', '..');
const launcher = join(root, 'src', 'cli', 'launch.js');
const { values } = parseArgs({
  options: {
    recording: { type: 'string', default: join(root, 'test', 'footage', 'freedoom-demo1.mp4') },
    game: { type: 'string', default: 'freedoom' },
    recordings: { type: 'string', default: '8' },
  },
});
const count = Number(values.recordings);
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-faults-'));
const season = join(folder, 'season');
mkdirSync(season);
for (let i = 0; i < count; i++) copyFileSync(values.recording, join(season, `match-${i}.mp4`));

await using server = await startPostgres({ isDurable: true });
await using queue = await PostgresQueue.open(server.url, { timeoutSeconds: 10 });
const database = new Client({ connectionString: server.url });
database.on('error', () => undefined);
await database.connect();

const list = (): Promise<readonly ListedJob[]> => queue.list(season);
const countDone = async (): Promise<number> => (await list()).filter(({ state }) => state === 'done').length;

/** Starts a machine: the command that reads recordings from the queue. */
function startWorker(): ChildProcess {
  const args = ['process', season, '--game', values.game, '--workers', '1', '--queue', server.url, '--json'];
  return spawn(process.execPath, [launcher, ...args], { stdio: 'ignore' });
}

/** The processes below another one. */
function descendants(pid: number): readonly number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const own = rows.filter(([, parent]) => parent === pid).map(([child]) => child);
  return own.flatMap((child) => [child, ...descendants(child)]);
}

async function until(what: string, holds: () => Promise<boolean>, seconds = 240): Promise<void> {
  const start = performance.now();
  while (!(await holds())) {
    if (performance.now() - start > seconds * 1000) throw new Error(`${what} did not come about within ${seconds} s`);
    await sleep(250);
  }
}

/** A log without the name of its recording, which is the only thing in which those of copies differ. */
function readLog(path: string): string {
  return readFileSync(path, 'utf8').replace(/"name":"match-\d+\.mp4"/, '"name":"match.mp4"');
}

const say = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
const closed = (worker: ChildProcess): Promise<unknown> =>
  worker.exitCode !== null || worker.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => {
        worker.once('close', resolve);
      });

// What an undisturbed run writes.
const reference = join(folder, 'reference');
execFileSync(
  process.execPath,
  [launcher, 'detect', join(season, 'match-0.mp4'), '--game', values.game, '--out', reference, '--quiet'],
  {
    stdio: 'ignore',
  },
);
const expected = readLog(join(reference, 'events.ndjson'));

say(`kill -9: the first worker, with its processes, while it reads`);
const first = startWorker();
await until('a job', async () => (await list()).some(({ state }) => state === 'running'));
await sleep(1500);
for (const pid of [first.pid!, ...descendants(first.pid!)]) process.kill(pid, 'SIGKILL');
await closed(first);

say(`stall: the second worker stands still while it reads, and goes on when another one has its job`);
const second = startWorker();
await until('a second job', async () => (await list()).filter(({ state }) => state === 'running').length > 1);
await sleep(1500);
const stalled = [second.pid!, ...descendants(second.pid!)];
for (const pid of stalled) process.kill(pid, 'SIGSTOP');
const third = startWorker();
await until('second attempts', async () => (await list()).filter(({ attempt }) => attempt > 1).length >= 2);
say(`  another worker took what both left behind`);
for (const pid of stalled) process.kill(pid, 'SIGCONT');

say(`lost connection: every connection of the database is cut, then the server is restarted`);
const before = await countDone();
await until('progress', async () => (await countDone()) > before);
await database.query(
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'playbyplay' AND pid <> pg_backend_pid()",
);
await sleep(1000);
await server.restart();
const again = new Client({ connectionString: server.url });
again.on('error', () => undefined);
await until('a connection', () =>
  again.connect().then(
    () => true,
    () => false,
  ),
);

say(`waiting for the rest`);
await until('the end', async () => (await queue.countOpen(season).catch(() => 1)) === 0);
await Promise.all([second, third].map(closed));

say(`duplicate delivery: a finished job is delivered again, and completed by a worker that does not know`);
const [sample] = (await list()).filter(({ state }) => state === 'done');
const late = { job: sample!, attempt: sample!.attempt, claim: { id: sample!.id, retryCount: 0 } } as Lease;
const isStoredTwice = await queue.complete(late, { cpuSeconds: 0, seconds: 0 });

say(`poison: a recording that ends every process that reads it`);
const poison = join(folder, 'poison.mp4');
writeFileSync(poison, readFileSync(values.recording));
const [job] = await createJobs(poison, {
  batch: 'poison',
  settings: { game: values.game, plan: 'full', profiles: [], plugins: [] },
});
await queue.add([job!]);
const killer = startWorker();
// The process of the worker that has the poisoned recording at hand is ended, as a crashing decoder would end it.
const isPoisoned = async (): Promise<boolean> => (await queue.list('poison'))[0]!.state === 'running';
for (let round = 0; round < 3; round++) {
  const worker = round === 0 ? killer : startWorker();
  await until(`attempt ${round + 1}`, isPoisoned);
  await until('a reading process', async () => descendants(worker.pid!).length > 0);
  for (const pid of descendants(worker.pid!)) process.kill(pid, 'SIGKILL');
  await until(
    'the end of the attempt',
    async () => !(await isPoisoned()) || (await queue.list('poison'))[0]!.attempt > round + 1,
  );
  worker.kill('SIGTERM');
  await closed(worker);
}
await until('the recording to be set aside', async () => (await queue.list('poison'))[0]!.state === 'failed');
const [set] = await queue.list('poison');

const jobs = await list();
const results = jobs.flatMap(({ result }) => (result as WorkResult | undefined)?.recording ?? []);
const differing = results.filter(({ log }) => readLog(log) !== expected).length;
const missing = jobs.filter(({ work }) => !existsSync(join((work as RecordingWork).folder, 'events.ndjson'))).length;
console.log(`
| | |
|---|---:|
| recordings | ${count} |
| jobs | ${jobs.length} |
| done | ${jobs.filter(({ state }) => state === 'done').length} |
| lost (no log) | ${missing} |
| results stored twice | ${jobs.length - new Set(jobs.map(({ id }) => id)).size + (isStoredTwice ? 1 : 0)} |
| logs that differ from an undisturbed run | ${differing} |
| attempts that were begun | ${jobs.reduce((sum, { attempt }) => sum + attempt, 0)} |
| poisoned recording | ${set?.state} after ${set?.attempt} attempts: ${set?.failure?.message} |`);
await again.end();
await database.end().catch(() => undefined);
rmSync(folder, { recursive: true, force: true });
process.exitCode = missing + differing > 0 || isStoredTwice || jobs.length !== count ? 1 : 0;
