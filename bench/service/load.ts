// Load of a service on this machine: many small uploads at once, then questions while recordings are read.
//   node bench/service/load.ts [--uploads 1000] [--at-once 16] [--bytes 65536] [--tenants 4] [--postgres]
// The recordings are not read: a queue that is as fast as the disk completes them with a log that is there, so that the figures
// are those of the service.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { PostgresQueue } from '../../src/batch/postgres-queue.ts';
import { SqliteQueue } from '../../src/batch/sqlite-queue.ts';
import type { RecordingWork } from '../../src/batch/work.ts';
import { startService } from '../../src/server/service.ts';
import { quantile } from '../../src/statistics.ts';
import { startPostgres } from '../../test/fixtures/postgres.ts';

const { values } = parseArgs({
  options: {
    uploads: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '16' },
    bytes: { type: 'string', default: '65536' },
    tenants: { type: 'string', default: '4' },
    postgres: { type: 'boolean', default: false },
  },
});
const [uploads, atOnce, bytes] = [Number(values.uploads), Number(values['at-once']), Number(values.bytes)];
const data = mkdtempSync(join(tmpdir(), 'playbyplay-load-'));
const sample = join(import.meta.dirname, '..', '..', 'test', 'cases', 'logs', 'arena.ndjson');
await using server = values.postgres ? await startPostgres({ isDurable: true }) : undefined;
const service = await startService({ data, database: server?.url, workers: 0, requestsPerMinute: 1e6 });
const queue = server ? await PostgresQueue.open(server.url) : SqliteQueue.open(join(data, 'jobs.sqlite'));
const keys: string[] = [];
for (let i = 0; i < Number(values.tenants); i++)
  keys.push((await service.tenants.add(`tenant ${i}`, { maxBytes: 1e12, maxRecordingsPerDay: 1e6 })).key);
const body = new Uint8Array(bytes);
const times: Record<string, number[]> = {};

async function call(
  name: string,
  key: string,
  method: string,
  path: string,
  options: RequestInit = {},
): Promise<Response> {
  const start = performance.now();
  const headers = { authorization: `Bearer ${key}`, 'tus-resumable': '1.0.0', ...options.headers };
  const response = await fetch(service.address + path, { method, ...options, headers });
  const clone = new Response(await response.arrayBuffer().then((buffer) => (buffer.byteLength > 0 ? buffer : null)), {
    status: response.status,
    headers: response.headers,
  });
  (times[name] ??= []).push(performance.now() - start);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await clone.text()}`);
  return clone;
}

async function inParallel(number: number, run: (index: number) => Promise<void>): Promise<number> {
  const start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < number) await run(next++);
    }),
  );
  return (performance.now() - start) / 1000;
}

const cpuBefore = process.cpuUsage();
const uploading = await inParallel(uploads, async (index) => {
  const key = keys[index % keys.length]!;
  const created = await call('create an upload', key, 'POST', '/v1/uploads', {
    headers: {
      'upload-length': String(bytes),
      'upload-metadata': `filename ${btoa(`match-${index}.mp4`)},game ${btoa('openarena')}`,
    },
  });
  const path = new URL(created.headers.get('location')!, service.address).pathname;
  await call('send it', key, 'PATCH', path, {
    body,
    headers: { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
  });
});
const { user, system } = process.cpuUsage(cpuBefore);

// The jobs, as fast as they can be taken and completed, each with a log of its own.
const start = performance.now();
let jobs = 0;
for (let lease = await queue.take(); lease; lease = await queue.take()) {
  const { folder } = lease.job.work as RecordingWork;
  const log = join(folder, 'events.ndjson');
  mkdirSync(dirname(log), { recursive: true });
  copyFileSync(sample, log);
  await queue.complete(lease, {
    cpuSeconds: 0,
    seconds: 0,
    recording: { log, events: 1, gaps: 0, duration: 60, hash: '' },
  });
  jobs++;
}
const completing = (performance.now() - start) / 1000;
let done = 0;
while (done < uploads) {
  await sleep(250);
  done = 0;
  for (const key of keys) {
    const { recordings } = (await (await call('list recordings', key, 'GET', '/v1/recordings?limit=1000')).json()) as {
      readonly recordings: readonly { readonly state: string }[];
    };
    done += recordings.filter(({ state }) => state === 'done').length;
  }
}
const settling = (performance.now() - start) / 1000;
const QUESTIONS = ['kills with railgun', 'how many kills', 'count kills by opponent', 'my deaths'];
const asking = await inParallel(400, async (index) => {
  await call('ask a question', keys[index % keys.length]!, 'POST', '/v1/questions', {
    body: JSON.stringify({ question: QUESTIONS[index % QUESTIONS.length], limit: 20 }),
    headers: { 'content-type': 'application/json' },
  });
});
console.log(`${uploads} uploads of ${bytes} bytes, ${atOnce} at once, ${keys.length} tenants, ${server ? 'PostgreSQL' : 'SQLite'}
uploaded in ${uploading.toFixed(1)} s (${(uploads / uploading).toFixed(0)} a second, ${((user + system) / 1e3 / uploads).toFixed(1)} ms of processor time each, client included)
${jobs} jobs taken and completed in ${completing.toFixed(1)} s; all logs in the libraries after ${settling.toFixed(1)} s
400 questions in ${asking.toFixed(1)} s

| request | number | p50 ms | p99 ms |
|---|---:|---:|---:|`);
for (const [name, list] of Object.entries(times))
  console.log(`| ${name} | ${list.length} | ${quantile(list, 0.5).toFixed(1)} | ${quantile(list, 0.99).toFixed(1)} |`);
await queue[Symbol.asyncDispose]();
await service[Symbol.asyncDispose]();
rmSync(data, { recursive: true, force: true });
if (jobs !== uploads) process.exitCode = 1;
