import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { PlaybyplayError } from '../errors.ts';
import { loadLogs } from '../query/logs.ts';
import { compileQuery } from '../query/run.ts';
import { cases, countEvents, describeLibrary, logFile } from '../../test/fixtures/library-suite.ts';
import { Library } from './library.ts';
import { packValueCounts, unpackValueCounts, ValueCounter, type ValueCounts } from './counts.ts';
import { type Occurrence, packOccurrences, unpackOccurrences } from './occurrences.ts';
import type { ValueKind } from './templates.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-library-'));
afterAll(() => rmSync(folder, { recursive: true }));

let libraries = 0;
const newLocation = (): string => join(folder, `${libraries++}.sqlite`);
const newLibrary = (): Promise<Library> => Library.open(newLocation(), { create: true });

describeLibrary(newLocation);

describe('the questions to a library', () => {
  test('are read as those to its logs', async () => {
    for (const [log, ofLog] of Map.groupBy(cases, (each) => each.log)) {
      const files = log.split('+').map(logFile);
      const logs = await loadLogs(files);
      await using library = await newLibrary();
      await library.add(files);
      const sentences = ofLog.flatMap(({ questions }) => questions).filter((_, i) => i % 12 === 0);
      for (const sentence of sentences)
        expect([sentence, (await library.compile(sentence)).query]).toEqual([
          sentence,
          compileQuery(sentence, logs.dictionary, { logs }).query,
        ]);
    }
  });
});

describe('add to a file', () => {
  test('a killed writer leaves a library that can be brought up to date', async () => {
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
    expect(await countEvents(library)).toBe(await countEvents(whole));
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

test('a library of another version is rebuilt from its logs', async () => {
  const path = join(folder, 'old.sqlite');
  {
    await using library = await Library.open(path, { create: true });
    await library.add([logFile('arena')]);
  }
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 98; DROP TABLE occurrence');
  database.close();
  await expect(Library.open(path)).rejects.toMatchObject({ code: 'library-version' });
  await using library = await Library.open(path, { empty: true });
  expect(await library.add()).toMatchObject({ added: 1 });
  expect(await countEvents(library)).toBeGreaterThan(0);
});

describe('a library that somebody changed', () => {
  test.each([
    ['a statement that is none', `UPDATE shape SET json = '{"action":7}'`],
    ['a statement that is no JSON', `UPDATE shape SET json = '{'`],
    ['a statement that is a list', `UPDATE shape SET json = '[]' WHERE id = 1`],
    ['events that end early', "UPDATE occurrence SET data = x'80'"],
    ['events with unknown names', 'DELETE FROM string'],
    ['no table of statements', 'DROP TABLE shape'],
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
    confidence: fc.nat(1000),
    isTentative: fc.boolean(),
    offset: fc.nat(2 ** 40),
    values: fc.tuple(
      fc.nat(1e9),
      fc.oneof(
        fc.integer(),
        fc.integer({ min: -9e6, max: 9e6 }).map((n) => n / 1000),
        fc.double(),
      ),
    ),
  });
  const kinds: readonly ValueKind[] = ['name', 'number'];

  test('come out of their bytes as they went in', () => {
    fc.assert(
      fc.property(fc.array(occurrence), (list) => {
        const ordered = list
          .toSorted((a, b) => a.ordinal - b.ordinal)
          .map((one, i, all) => ({
            ...one,
            offset: all.slice(0, i + 1).reduce((sum, { offset }) => sum + offset, 0),
          }));
        expect(unpackOccurrences(packOccurrences(ordered, kinds), kinds)).toEqual(ordered);
      }),
    );
  });

  test('bytes that end within an event are refused', () => {
    const bytes = packOccurrences(
      [{ ordinal: 1, t: 2, end: 3, confidence: 5, isTentative: false, offset: 600, values: [4, 0.1] }],
      kinds,
    );
    for (let length = 1; length < bytes.length; length++)
      expect(() => unpackOccurrences(bytes.subarray(0, length), kinds)).toThrow(RangeError);
  });
});

/** Counts by the values that they belong to. */
function byValues({ columns, certain, all }: ValueCounts): ReadonlyMap<string, unknown> {
  return new Map([...all].map((count, row) => [columns.map((column) => column[row]).join(), [certain[row], count]]));
}

describe('counts by value', () => {
  const event = fc.record({
    values: fc.tuple(fc.nat(3), fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }))),
    isTentative: fc.boolean(),
  });
  const kinds: readonly ValueKind[] = ['name', 'number', 'text'];
  test('come out of their bytes as they went in, and without what was taken away', () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(event), (kept, removed) => {
        const [counter, expected] = [new ValueCounter(2), new ValueCounter(2)];
        for (const { values, isTentative } of [...kept, ...removed]) counter.add(values, isTentative ? 0 : 1, 1);
        for (const { values, isTentative } of removed) counter.add(values, isTentative ? 0 : -1, -1);
        for (const { values, isTentative } of kept) expected.add(values, isTentative ? 0 : 1, 1);
        const stored = unpackValueCounts(packValueCounts(counter.toCounts(), kinds), kinds, 2);
        expect(byValues(stored)).toEqual(byValues(expected.toCounts()));
      }),
    );
  });
});
