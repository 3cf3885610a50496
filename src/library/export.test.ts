import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLogs } from '../query/logs.ts';
import type { EventLine } from '../events/log.ts';
import { exportLibrary } from './export.ts';
import { Library } from './library.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-export-'));
afterAll(() => rmSync(folder, { recursive: true }));
const logFile = (name: string): string =>
  fileURLToPath(new URL(`../../test/cases/logs/${name}.ndjson`, import.meta.url));
const LOGS = ['arena', 'moba', 'race'].map((name) => logFile(name));
const path = join(folder, 'library.sqlite');
let events: readonly EventLine[] = [];

beforeAll(async () => {
  await using library = await Library.open(path, { create: true });
  await library.add(LOGS);
  await exportLibrary(library, folder, { formats: ['parquet', 'csv'], tentative: true });
  ({ events } = await loadLogs(LOGS));
});

async function readParquet(name: string): Promise<readonly Record<string, unknown>[]> {
  const file = await asyncBufferFromFile(join(folder, name));
  return parquetReadObjects({ file });
}

/** Reads CSV by RFC 4180: fields in quotes contain commas and doubled quotes. */
function readCsv(name: string): readonly (readonly string[])[] {
  const text = readFileSync(join(folder, name), 'utf8');
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    );
}

describe('an exported library', () => {
  it('holds every event of its logs, in Parquet', async () => {
    const rows = await readParquet('events.parquet');
    expect(
      rows.map(({ session, t, sentence, statement }) => [session, t, sentence, JSON.parse(statement as string)]),
    ).toEqual(events.map(({ session, t, text, statement }) => [session, t, text, statement]));
    const kill = rows.find(({ action, object_name: name }) => action === 'kill' && name !== null)!;
    const { object } = JSON.parse(kill['statement'] as string) as { object: { word: string; name: string } };
    expect([kill['object'], kill['object_name']]).toEqual([object.word, object.name]);
    const sessions = await readParquet('sessions.parquet');
    expect(sessions.map(({ session, log }) => [session, log])).toEqual(
      [...new Set(events.map(({ session }) => session))].map((session, i) => [session, LOGS[i]]),
    );
  });

  it('holds the same in CSV', async () => {
    const [head, ...rows] = readCsv('events.csv');
    const parquet = await readParquet('events.parquet');
    expect(rows).toHaveLength(parquet.length);
    expect(rows.map((row) => Object.fromEntries(head!.map((name, i) => [name, row[i]])))).toEqual(
      parquet.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value as string)]),
        ),
      ),
    );
  });

  it('has views with readable names in its index', () => {
    const arena = events[0]!.session;
    using database = new DatabaseSync(path, { readOnly: true });
    const kills = database
      .prepare(
        "SELECT sum(events) AS events FROM session_statements WHERE action = 'kill' AND subject = 'player' AND session = ?",
      )
      .get(arena) as { events: number };
    const expected = events.filter(
      ({ session, text }) => session === arena && /^player kills (?!oneself)/.test(text),
    ).length;
    expect(expected).toBeGreaterThan(3);
    expect(kills.events).toBe(expected);
    const names = database
      .prepare('SELECT name FROM session_names WHERE session = ?')
      .all(arena)
      .map(({ name }) => name);
    expect(names).toContain('Sarge');
  });
});
