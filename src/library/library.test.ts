import { spawn } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { PlaybyplayError } from '../errors.ts';
import type { Query } from '../query/query.ts';
import { loadLogs } from '../query/logs.ts';
import { compileQuery, runQuery } from '../query/run.ts';
import { Library } from './library.ts';
import { type Occurrence, packOccurrences, unpackOccurrences } from './occurrences.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-library-'));
afterAll(() => rmSync(folder, { recursive: true }));

const casesFolder = fileURLToPath(new URL('../../test/cases/', import.meta.url));
const logFile = (name: string): string => join(casesFolder, 'logs', `${name}.ndjson`);

interface Case {
  readonly log: string;
  readonly query: Query;
  readonly questions: readonly string[];
  readonly answer: Readonly<Partial<Record<'matches' | 'groups' | 'values' | 'value', unknown>>>;
}

const { cases } = JSON.parse(readFileSync(join(casesFolder, 'questions.json'), 'utf8')) as { cases: readonly Case[] };

let libraries = 0;
const newLibrary = (): Promise<Library> => Library.open(join(folder, `${libraries++}.sqlite`), { create: true });

/** Rounds numbers to six digits, as sums in another order differ. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
    typeof each === 'number' ? Number(each.toPrecision(6)) : each,
  );

async function answer(library: Library, query: Query): Promise<unknown> {
  const compiled = await library.compile(query);
  const { matches, groups, values, answer: single, count } = await library.ask(compiled, { limit: 1e6 });
  if (groups && !query.distinct)
    return {
      groups: groups
        .map(({ labels, count: number }) => [labels, number])
        .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    };
  if (values) return { values: values.map(({ value }) => value) };
  if (single) return { value: single.value };
  const ids: string[][] = [];
  for (const { events } of matches) ids.push((await library.readLines(events)).map(({ id }) => id));
  expect(count).toBe(ids.length);
  return { matches: ids };
}

describe('the answers of a library', () => {
  test('are those of the portable questions', { timeout: 60_000 }, async () => {
    const byLog = Map.groupBy(cases, ({ log }) => log);
    for (const [log, ofLog] of byLog) {
      await using library = await newLibrary();
      await library.add(log.split('+').map(logFile));
      for (const { query, answer: expected } of ofLog)
        expect([query, rounded(await answer(library, query))]).toEqual([query, rounded(expected)]);
    }
  });

  test('are those of the logs, session by session', { timeout: 60_000 }, async () => {
    const files = ['arena', 'arena2'].map(logFile);
    const logs = await loadLogs(files);
    await using library = await newLibrary();
    await library.add(files);
    for (const sentence of ['kills', 'my deaths', 'kill followed by kill within 10 s', 'health drops below 50']) {
      const all = runQuery(compileQuery(sentence, logs.dictionary, { logs }), logs.events, {
        durations: logs.durations,
      });
      const expected = all.matches.map(({ events }) => events.map(({ session, id }) => [session, id]));
      for (const limit of [1, 3, 1000]) {
        const { matches, hasMore } = await library.ask(await library.compile(sentence), { limit });
        const found = await Promise.all(matches.map(({ events }) => library.readLines(events)));
        expect(found.map((events) => events.map(({ session, id }) => [session, id]))).toEqual(expected.slice(0, limit));
        expect(hasMore).toBe(expected.length > limit);
      }
    }
  });

  test('to sentences are those that the logs give', { timeout: 60_000 }, async () => {
    for (const [log, ofLog] of Map.groupBy(cases, (each) => each.log)) {
      const files = log.split('+').map(logFile);
      const logs = await loadLogs(files);
      await using library = await newLibrary();
      await library.add(files);
      const sentences = ofLog.flatMap(({ questions }) => questions).filter((_, i) => i % 5 === 0);
      for (const sentence of sentences)
        expect([sentence, (await library.compile(sentence)).query]).toEqual([
          sentence,
          compileQuery(sentence, logs.dictionary, { logs }).query,
        ]);
    }
  });

  test('leave out tentative events unless asked for', async () => {
    const path = join(folder, 'tentative.ndjson');
    const lines = readFileSync(logFile('arena'), 'utf8').trim().split('\n');
    const kill = lines.findIndex((line) => line.includes('"action":"kill"'));
    lines[kill] = lines[kill]!.replace('"type":"event"', '"type":"event","tentative":true');
    writeFileSync(path, `${lines.join('\n')}\n`);
    await using library = await newLibrary();
    await library.add([path]);
    const compiled = await library.compile('kills');
    const certain = (await library.ask(compiled)).count;
    expect((await library.ask(compiled, { tentative: true })).count).toBe(certain + 1);
    const counted = await library.compile('count kills');
    expect((await library.ask(counted)).answer?.value).toBe(certain);
    expect((await library.ask(counted, { tentative: true })).answer?.value).toBe(certain + 1);
  });
});

/** A folder with two logs. */
function season(name: string): string {
  const path = join(folder, name);
  for (const log of ['arena', 'arena2']) {
    mkdirSync(join(path, `${log}.playbyplay`), { recursive: true });
    copyFileSync(logFile(log), join(path, `${log}.playbyplay`, 'events.ndjson'));
  }
  return path;
}
const count = async (library: Library): Promise<unknown> =>
  (await library.ask(await library.compile('count events'))).answer?.value;

describe('add', () => {
  test('reads what is new and changed, and forgets what is gone', async () => {
    const path = season('changing');
    await using library = await newLibrary();
    expect(await library.add([path])).toMatchObject({ added: 2, updated: 0, unchanged: 0, removed: 0, issues: [] });
    const before = await count(library);
    expect(await library.add()).toMatchObject({ added: 0, updated: 0, unchanged: 2, removed: 0 });
    const log = join(path, 'arena2.playbyplay', 'events.ndjson');
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    const events = lines.filter((line) => line.includes('"type":"event"'));
    writeFileSync(log, `${lines.filter((line) => line !== events[0]).join('\n')}\n`);
    utimesSync(log, 1, 1);
    expect(await library.add()).toMatchObject({ added: 0, updated: 1, unchanged: 1 });
    expect(await count(library)).toBe((before as number) - 1);
    rmSync(join(path, 'arena2.playbyplay'), { recursive: true });
    expect(await library.add()).toMatchObject({ unchanged: 1, removed: 1 });
    expect(await count(library)).toBe((before as number) - events.length);
    expect(await library.remove([path])).toBe(1);
    expect(await library.sessions()).toEqual([]);
    expect(await library.add()).toMatchObject({ added: 0, unchanged: 0 });
  });

  test('goes on after a damaged log and says which it is', async () => {
    const path = season('damaged');
    appendFileSync(join(path, 'arena.playbyplay', 'events.ndjson'), 'not JSON\n{}\n');
    await using library = await newLibrary();
    const { added, issues } = await library.add([path]);
    expect(added).toBe(1);
    expect(issues).toMatchObject([{ code: 'log-damaged', path: join(path, 'arena.playbyplay', 'events.ndjson') }]);
  });

  test('a log that changed since then is not quoted', async () => {
    const path = season('stale');
    await using library = await newLibrary();
    await library.add([path]);
    const { matches } = await library.ask(await library.compile('kills'), { limit: 1 });
    const log = join(path, 'arena.playbyplay', 'events.ndjson');
    writeFileSync(log, readFileSync(log, 'utf8').replaceAll('"text":"', '"text":"x'));
    await expect(library.readLines(matches[0]!.events)).rejects.toMatchObject({ code: 'library-stale' });
  });

  test('two writers do not disturb each other', async () => {
    const path = join(folder, 'shared.sqlite');
    const [a, b] = [season('first'), season('second')];
    await using one = await Library.open(path, { create: true });
    await using other = await Library.open(path, { create: true });
    await one.add([a]);
    await other.add([b]);
    await using reader = await Library.open(path);
    expect(await reader.sessions()).toHaveLength(4);
    expect(await count(one)).toBe(await count(reader));
    expect(new Set((await one.sessions()).map(({ session }) => session)).size).toBe(4);
  });

  test('a killed writer leaves a library that can be brought up to date', { timeout: 60_000 }, async () => {
    const path = join(folder, 'many');
    for (let i = 0; i < 60; i++) {
      mkdirSync(join(path, `${i}.playbyplay`), { recursive: true });
      copyFileSync(logFile('arena'), join(path, `${i}.playbyplay`, 'events.ndjson'));
    }
    const file = join(folder, 'killed.sqlite');
    const launcher = fileURLToPath(new URL('../cli/launch.js', import.meta.url));
    for (const delay of [350, 500]) {
      const child = spawn(process.execPath, [launcher, 'library', 'add', path, '--library', file], { stdio: 'ignore' });
      const closed = new Promise((resolve) => child.once('close', resolve));
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGKILL');
      await closed;
    }
    await using library = await Library.open(file, { create: true });
    await library.add([path]);
    expect(await library.sessions()).toHaveLength(60);
    await using whole = await newLibrary();
    await whole.add([path]);
    expect(await count(library)).toBe(await count(whole));
  });
});

describe('open', () => {
  test.each([
    ['nothing', 'library-missing', undefined],
    ['another file', 'library-invalid', 'no database, but a text that is long enough to look like one'],
    ['another database', 'library-invalid', 'CREATE TABLE x (y)'],
    [
      'a library of another version',
      'library-version',
      'PRAGMA application_id = 1885499500; PRAGMA user_version = 99; CREATE TABLE x (y)',
    ],
  ])('%s: %s', async (name, code, content) => {
    const path = join(folder, `${name}.sqlite`);
    if (content?.includes('PRAGMA') || content?.startsWith('CREATE')) {
      const database = new DatabaseSync(path);
      database.exec(content);
      database.close();
    } else if (content !== undefined) writeFileSync(path, content.repeat(20));
    for (const create of content === undefined ? [false] : [false, true]) {
      const error = await Library.open(path, { create }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(PlaybyplayError);
      expect((error as PlaybyplayError).code).toBe(create && code === 'library-invalid' ? 'output-exists' : code);
    }
  });
});

describe('a library that somebody changed', () => {
  test.each([
    ['a statement that is none', `UPDATE statement SET json = '{"action":7}'`],
    ['a statement that is no JSON', `UPDATE statement SET json = '{'`],
    ['a shape that is none', `UPDATE shape SET json = '[]' WHERE id = 1`],
    ['events that end early', "UPDATE occurrence SET data = x'80'"],
    ['events of unknown statements', 'DELETE FROM statement'],
    ['no table of statements', 'DROP TABLE statement'],
    ['text in the place of events', "UPDATE occurrence SET data = 'text'"],
  ])('%s', async (name, sql) => {
    const path = join(folder, `changed ${name}.sqlite`);
    {
      await using library = await Library.open(path, { create: true });
      await library.add([logFile('arena')]);
    }
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    await using library = await Library.open(path);
    const asked = library.compile('my kills').then((compiled) => library.ask(compiled));
    await expect(asked).rejects.toMatchObject({ code: 'library-damaged' });
  });
});

describe('occurrences', () => {
  const occurrence: fc.Arbitrary<Occurrence> = fc.record({
    ordinal: fc.nat(1e6),
    t: fc.integer({ min: -1e9, max: 1e12 }),
    end: fc.integer({ min: -1e9, max: 1e12 }),
    statement: fc.nat(1e9),
    confidence: fc.nat(1000),
    isTentative: fc.boolean(),
    offset: fc.nat(2 ** 40),
  });

  test('come out of their bytes as they went in', () => {
    fc.assert(
      fc.property(fc.array(occurrence), (list) => {
        const ordered = list
          .toSorted((a, b) => a.ordinal - b.ordinal)
          .map((one, i, all) => ({
            ...one,
            offset: all.slice(0, i + 1).reduce((sum, { offset }) => sum + offset, 0),
          }));
        expect([...unpackOccurrences(packOccurrences(ordered))]).toEqual(ordered);
      }),
    );
  });

  test('bytes that end within an event are refused', () => {
    const bytes = packOccurrences([
      { ordinal: 1, t: 2, end: 3, statement: 4, confidence: 5, isTentative: false, offset: 600 },
    ]);
    expect(() => [...unpackOccurrences(bytes.subarray(0, -1))]).toThrow(RangeError);
  });
});
