// Everything that needs a database server, in one file: one server starts for all of it.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PostgresQueue } from '../src/batch/postgres-queue.ts';
import { Library } from '../src/library/library.ts';
import { openDatabase } from '../src/server/database.ts';
import { countEvents, describeLibrary, logFile } from './fixtures/library-suite.ts';
import { type PostgresServer, startPostgres } from './fixtures/postgres.ts';
import { describeQueue } from './fixtures/queue-suite.ts';
import { describeService } from './fixtures/service-suite.ts';
import { launcher } from './paths.ts';

let server: PostgresServer;
const folder = mkdtempSync(join(tmpdir(), 'playbyplay-postgres-test-'));
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

let libraries = 0;
const newLocation = (): string => `${server.url}?library=library_${libraries++}`;

/** A folder with so many logs. */
function manyLogs(name: string, count: number): string {
  const path = join(folder, name);
  for (let i = 0; i < count; i++) {
    mkdirSync(join(path, `${i}.playbyplay`), { recursive: true });
    copyFileSync(logFile('arena'), join(path, `${i}.playbyplay`, 'events.ndjson'));
  }
  return path;
}

describeLibrary(newLocation, 25);

describeQueue(() => PostgresQueue.open(server.url));

describeService(() => ({ database: server.url, openQueue: () => PostgresQueue.open(server.url) }));

test('processes that start at one time create a queue and a service once', { timeout: 60_000 }, async () => {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query('CREATE DATABASE fresh');
  await client.end();
  const url = new URL(server.url);
  url.pathname = '/fresh';
  const opened = await Promise.all([
    ...[1, 2, 3].map(() => PostgresQueue.open(url.href)),
    ...[1, 2, 3].map(() => openDatabase(url.href)),
  ]);
  expect(opened).toHaveLength(6);
  for (const each of opened) await each[Symbol.asyncDispose]();
});

describe('a library in PostgreSQL', () => {
  test('has views with readable names', async () => {
    const location = newLocation();
    await using library = await Library.open(location, { create: true });
    await library.add([logFile('arena')]);
    const kills = (await library.ask(await library.compile('how many kills by player'))).answer?.value;
    const client = new Client({ connectionString: server.url });
    await client.connect();
    const schema = `playbyplay_${new URL(location).searchParams.get('library')}`;
    const { rows } = await client.query<{ instrument: string | null; events: number }>(
      `SELECT instrument, events FROM ${schema}.session_statements WHERE action = 'kill' AND subject = 'player'`,
    );
    await client.end();
    expect(rows.reduce((sum, { events }) => sum + events, 0)).toBe(kills);
    expect(rows.map(({ instrument }) => instrument)).toContain('rocket launcher');
  });

  test('is brought up to date after its writer was killed', async () => {
    const path = manyLogs('killed', 12);
    const location = newLocation();
    const child = spawn(process.execPath, [launcher, 'library', 'add', path, '--library', location], {
      stdio: 'ignore',
    });
    const closed = new Promise((resolve) => {
      child.once('close', resolve);
    });
    const client = new Client({ connectionString: server.url });
    await client.connect();
    // The writer is at work when its transaction holds locks on the tables.
    const isWriting = async (): Promise<boolean> => {
      const sql = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted";
      return (await client.query(sql)).rowCount! > 0;
    };
    while (child.exitCode === null && !(await isWriting()));
    child.kill('SIGKILL');
    await closed;
    await client.end();
    await using library = await Library.open(location, { create: true });
    await library.add([path]);
    expect(await library.sessions()).toHaveLength(12);
    await using whole = await Library.open(newLocation(), { create: true });
    await whole.add([path]);
    expect(await countEvents(library)).toBe(await countEvents(whole));
  });

  test('says what is missing, without the password', async () => {
    await expect(Library.open(newLocation())).rejects.toMatchObject({ code: 'library-missing' });
    const wrong = new URL(newLocation());
    wrong.port = '1';
    const error = await Library.open(wrong.href).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'library-unreachable' });
    expect(String(error)).not.toContain('secret');
    await expect(Library.open(`${server.url}?library=Robert');--`)).rejects.toMatchObject({ code: 'library-invalid' });
  });
});
