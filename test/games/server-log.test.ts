import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { PlaybyplayError } from '../../src/errors.ts';
import type { EventLine } from '../../src/events/log.ts';
import { loadLog } from '../../src/events/reader.ts';
import {
  loadMapping,
  listMappings,
  recognizeMapping,
  compileMapping,
  logMappingSchema,
} from '../../src/events/import/mapping.ts';
import { importLog } from '../../src/events/import/import-log.ts';
import { compileQuery, runQuery } from '../../src/query/run.ts';
import { findSchemaError } from '../../src/schema/compile.ts';
import { launcher } from '../paths.ts';

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/logs/${name}`, import.meta.url), 'utf8');
const games = fixture('quake3-games.txt');
const { dictionary } = await loadBuiltin(['openarena', 'freedoom']);
const folder = mkdtempSync(join(tmpdir(), 'foreign-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** How many lines of the log are of a kind. */
function lines(kind: string): number {
  return games.split('\n').filter((line) => line.slice(7).startsWith(`${kind}:`)).length;
}

function count(events: readonly EventLine[], query: string): number {
  return runQuery(compileQuery(query, dictionary), events).count;
}

function times(events: readonly EventLine[], query: string): number[] {
  return runQuery(compileQuery(query, dictionary), events).matches.map(({ t }) => t);
}

/** The places of what is wrong with a mapping. */
function refuse(data: unknown): readonly string[] {
  try {
    compileMapping(data, 'm.json');
  } catch (error) {
    if (error instanceof PlaybyplayError) return error.issues.map(({ path }) => path ?? '');
    throw error;
  }
  return [];
}

describe('a server log of the Quake III family', async () => {
  const mapping = await recognizeMapping(games);
  const { sessions, issues } = await importLog(games, mapping, dictionary, { player: 'Grunt' });
  const [session] = sessions;
  const texts = session!.events.map(({ t, text }) => `${t} ${text}`);

  it('is recognized, and every line about play is converted', () => {
    expect(mapping.mapping.name).toBe('quake3');
    expect(issues).toEqual([]);
    expect(sessions.length).toBe(1);
  });

  it('yields as many kills, items, scores and awards as the log contains', () => {
    expect(count(session!.events, 'kills or deaths')).toBe(lines('Kill'));
    expect(count(session!.events, 'picks up')).toBe(lines('Item'));
    expect(count(session!.events, 'score')).toBe(lines('PlayerScore'));
    expect(count(session!.events, 'earns medal')).toBe(lines('Award'));
  });

  it.each([
    '0 match begins',
    '0 match\'s map becomes "aggressor"',
    '0 player joins match',
    '7 player kills opponent Gargoyle with railgun',
    "7 player's score becomes 1",
    '9 opponent Major kills player with rocket launcher',
    "15 opponent Sarge's score rises from 1 to 2",
    '30 player earns excellent',
    '36 opponent Sarge telefrags opponent Kyonshi',
    '40 opponent Sarge kills themselves with grenade launcher',
    '173 match ends',
  ])('says “%s”', (line) => {
    expect(texts).toContain(line);
  });

  it('yields event lines that can be read back one by one', () => {
    for (const { text, statement } of session!.events)
      expect([text, parse(text, dictionary, { game: 'openarena' }).statement]).toEqual([text, statement]);
  });

  it('answers the same queries as logs of recordings', () => {
    expect(times(session!.events, 'player defeats enemy with gun')).toEqual([7]);
    expect(times(session!.events, 'player is killed')).toEqual([9, 15, 34, 42]);
    expect(times(session!.events, 'player obtains armor')).toEqual([3]);
  });

  it('a double kill is found where the server awarded it', () => {
    const awards = runQuery(compileQuery('earns medal', dictionary), session!.events).matches.filter(({ events }) =>
      events[0]!.text.endsWith('earns excellent'),
    );
    const doubles = runQuery(compileQuery('double kill', dictionary), session!.events).matches;
    expect(awards.map(({ t }) => t)).toEqual([30, 36, 44]);
    for (const { t } of awards) expect(doubles.some(({ end }) => end === t)).toBe(true);
  });
});

describe('level statistics of Doom', () => {
  it('yield completed levels with consistent times and found shares', async () => {
    const text = fixture('levelstat.txt');
    const { sessions, issues } = await importLog(text, await recognizeMapping(text), dictionary);
    expect(issues).toEqual([]);
    expect(
      sessions[0]!.events.filter(({ text: line }) => line.includes('completes')).map(({ t, text: line }) => [t, line]),
    ).toEqual([
      [35.97, 'player completes E1M1'],
      [106, 'player completes E1M2'],
      // 62 min 5.5 s later
      [3831.5, 'player completes MAP03'],
    ]);
    expect(runQuery(compileQuery('secrets found above 0', dictionary), sessions[0]!.events).count).toBe(2);
  });
});

describe('a mapping', async () => {
  it.each([...(await listMappings()).keys()])('%s is valid', async (name) => {
    expect((await loadMapping(name)).rules.length).toBeGreaterThan(0);
  });

  it('has a valid JSON Schema', () => {
    expect(findSchemaError(logMappingSchema)).toBe(undefined);
  });

  const base = {
    format: 'playbyplay/log-mapping/1',
    name: 'm',
    title: 'M',
    game: 'm',
    dictionaries: [],
    known: '^x',
    rules: [],
  };

  it('is refused with all of its issues', () => {
    expect(refuse({ ...base, rules: [{ match: '(', and: { table: 'none', key: '$1' } }, { mach: 'x' }] })).not.toEqual(
      [],
    );
    expect(refuse({ ...base, rules: [{ match: 'x', and: { table: 'none', key: '$1' } }] })).toEqual([
      'm.json#/rules/0/and/table',
    ]);
    expect(refuse(base)).toEqual([]);
  });

  it('reports each unknown word once, with its count and first line, and continues', async () => {
    const rules = [
      { match: '^got (.*)$', say: { subject: 'player', action: 'obtain', object: { lookup: 'items', key: '$1' } } },
    ];
    const compiled = compileMapping({ ...base, tables: { items: { gun: 'gun' } }, rules }, 'm.json');
    const { sessions, issues } = await importLog('got spoon\ngot gun\ngot spoon\nnothing', compiled, dictionary);
    expect(sessions[0]!.events.map(({ text }) => text)).toEqual(['player obtains gun']);
    expect(issues).toEqual([
      { code: 'log-unmapped', path: '1', message: 'the table "items" has no entry "spoon" (2 times)' },
    ]);
  });

  it('omits statements that the dictionary refuses', async () => {
    const compiled = compileMapping(
      { ...base, rules: [{ match: '^(.*)$', say: { subject: 'player', action: '$1' } }] },
      'm.json',
    );
    const { sessions, issues } = await importLog('die\nobtain\nfly away', compiled, dictionary);
    expect(sessions[0]!.events.map(({ text }) => text)).toEqual(['player dies']);
    expect(issues.map(({ code, path }) => [code, path])).toEqual([
      ['slot-missing', '2'],
      ['unknown-word', '3'],
    ]);
  });

  it('takes no exponential time on a hostile pattern', async () => {
    const compiled = compileMapping({ ...base, rules: [{ match: '^(a+)+$', say: { action: 'attack' } }] }, 'm.json');
    expect((await importLog(`${'a'.repeat(3000)}!`, compiled, dictionary)).sessions).toEqual([]);
  });
});

const run = (...args: string[]): { code: number | null; out: string; err: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
};

describe('playbyplay import', () => {
  it('writes logs that other commands can read', async () => {
    const log = join(folder, 'games.log');
    writeFileSync(log, `${games}${games}`);
    const { code, out } = run('import', log, '--player', 'Grunt');
    expect(code).toBe(0);
    const paths = out.trim().split('\n');
    expect(paths.length).toBe(2);
    const { header, events } = await loadLog(paths[1]!);
    expect([header.game, header.session]).toEqual(['openarena', 'games.log aggressor #2']);
    expect(events.length).toBeGreaterThan(100);
    const query = run('query', 'count kills by player per session', `${log}.playbyplay`);
    expect([query.code, query.out.trim().split('\n').length]).toEqual([0, 2]);
  });

  it('lists the known formats for an unknown one', () => {
    const log = join(folder, 'other.txt');
    writeFileSync(log, 'hello\n');
    const { code, err } = run('import', log);
    expect(code).toBe(1);
    expect(err).toContain('levelstat, quake3');
  });
});
