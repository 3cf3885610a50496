import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCommandLine } from '../fixtures/command-line.ts';
import { fixture } from '../paths.ts';

// The query command over the log of a real server: what a person sees.

const folder = mkdtempSync(join(tmpdir(), 'query-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

const source = fixture('logs', 'quake3-games.txt');
await runCommandLine('import', source, '--player', 'Sarge', '-o', folder);
const ask = (sentence: string, ...options: string[]): ReturnType<typeof runCommandLine> =>
  runCommandLine('query', sentence, folder, ...options);

const timesOf = (text: string): string[] => text.split('\n').map((line) => line.slice(0, 7));

describe('playbyplay query', () => {
  it('gives the same answer to a sentence and to its structured form', async () => {
    const sentence = await ask('kills with launcher');
    const structured = await ask('{"find":{"action":["kill"],"with":{"any":[{"words":["launcher"]}]}}}');
    expect(sentence.out).toMatch(/^\d\d:\d\d\.\d {2}.+ kills .+ with (?:rocket|grenade) launcher\n/);
    expect(structured.out).toBe(sentence.out);
    expect(structured.code).toBe(sentence.code);
  });

  it('applies corrections, which the log does not contain', async () => {
    const correctable = mkdtempSync(join(tmpdir(), 'correct-command-'));
    onTestFinished(() => rmSync(correctable, { recursive: true }));
    await runCommandLine('import', source, '--player', 'Sarge', '-o', correctable);
    const [count, found] = await Promise.all([
      runCommandLine('query', 'count kills', correctable),
      runCommandLine('query', 'kills', correctable, '--json'),
    ]);
    const ids = found.out.split('\n', 2).map((line) => /"id":"(\w+)"/.exec(line)![1]!);
    const add = ['--add', 'player kills opponent "New Name"', '--at', '0:01'];
    const change = ['--change', `${ids[1]}=player kills opponent "Another Name"`];
    const corrected = await runCommandLine('correct', correctable, '--delete', ids[0]!.slice(0, 8), ...add, ...change);
    expect(corrected).toMatchObject({ code: 0, err: '3 corrections saved\n' });
    expect((await runCommandLine('query', 'count kills', correctable)).out).toBe(count.out);
    const named = ['kills of "New Name"', 'kills of "Another Name"'];
    const texts = await Promise.all(named.map((sentence) => runCommandLine('query', sentence, correctable)));
    expect(texts.map(({ out }) => out.trim())).toEqual([
      '00:01.0  player kills opponent "New Name"',
      '00:01.0  player kills opponent "Another Name"',
    ]);
    const undone = await runCommandLine('correct', correctable, '--revert', ids[0]!, '--revert', ids[1]!);
    expect(undone.code).toBe(0);
    expect((await runCommandLine('correct', correctable)).out).toMatch(/^\+\w+ {2}add {6}00:01\.0 {2}player kills/);
    expect((await runCommandLine('query', 'count kills', correctable)).out).toBe(`${Number(count.out) + 1}\n`);
  });

  it('counts as deaths both kills by others and self-inflicted deaths', async () => {
    const [kills, alone, deaths] = await Promise.all(
      ['count kills', 'count deaths except kills', 'count deaths'].map((sentence) => ask(sentence)),
    );
    expect(Number(kills!.out)).toBeGreaterThan(0);
    expect(Number(deaths!.out)).toBe(Number(kills!.out) + Number(alone!.out));
  });

  it('shows events in a caster’s style and in other languages', async () => {
    const [log, caster, german] = await Promise.all([
      ask('kills with launcher'),
      ask('kills with launcher', '--style', 'caster'),
      ask('kills with launcher', '--language', 'de'),
    ]);
    expect(timesOf(caster.out)).toEqual(timesOf(log.out));
    expect(caster.out).toMatch(
      / (?:killed|fragged|was killed by|was fragged by) .+ with the (?:rocket|grenade) launcher\n/,
    );
    expect(german.out).toMatch(/ tötet .+ mit dem (?:Raketen|Granat)werfer\n/);
    expect(await ask('kills', '--style', 'caster', '--language', 'de')).toMatchObject({ code: 2, out: '' });
  });

  it('says once which words a language lacks', async () => {
    const statement = '{"subject":"player","action":"obtain","object":"snowmobile","from":"snowmobile"}';
    expect(await runCommandLine('dictionary', 'render', statement, '--language', 'es')).toEqual({
      code: 0,
      out: 'El jugador obtiene snowmobile de snowmobile\n',
      err: '1 word without Spanish translation: snowmobile\n',
    });
  });

  it('explains which part of the sentence each word matches', async () => {
    const { out } = await ask('count kills by weapon', '--explain');
    expect(out.split('\n').slice(0, 2)).toEqual(['  count kills by weapon', '        ^^^^^    ^^^^^^']);
    expect(out).toContain('“kills”: action "kill" and the ');
    expect(out).toContain('“weapon”: object "weapon" and the ');
  });

  it('reports the position of unknown words in sentences and structured queries', async () => {
    expect(await ask('kills with gnu')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('\n             ^^^\n'),
    });
    expect(await ask('{"find":{"action":["kil"]}}')).toMatchObject({
      code: 2,
      err: '  #/find/action/0: "kil" is not a known action — Did you mean "kill"?\n',
    });
  });

  it('finds the dictionary of a pack by the content that the log names', async () => {
    const pack = mkdtempSync(join(tmpdir(), 'pack-'));
    onTestFinished(() => rmSync(pack, { recursive: true }));
    const words = JSON.stringify({
      format: 'playbyplay/dictionary/1',
      name: 'paintball',
      version: '1.0.0',
      extends: { common: '^1.0.0' },
      actions: [{ name: 'splat', parent: 'defeat', definition: 'Defeat by covering in color.', past: 'splatted' }],
    });
    mkdirSync(join(pack, 'dictionary'));
    writeFileSync(join(pack, 'dictionary', 'paintball.json'), words);
    const lines = readFileSync(join(folder, 'events.ndjson'), 'utf8').trim().split('\n');
    const header = JSON.parse(lines[0]!) as { dictionaries: object[] };
    const hash = createHash('sha256').update(words).digest('hex').slice(0, 16);
    header.dictionaries.push({ name: 'paintball', version: '1.0.0', hash });
    writeFileSync(join(pack, 'events.ndjson'), [JSON.stringify(header), ...lines.slice(1)].join('\n'));
    // The word is known from there, although nothing in the log is called so.
    expect((await runCommandLine('query', 'splats', pack)).err).toContain('states the action “splat”');
    writeFileSync(join(pack, 'dictionary', 'paintball.json'), `${words} `);
    expect((await runCommandLine('query', 'splats', pack)).err).toContain('uses the dictionary "paintball"');
  });

  it("says what a misspelt word was read as, and how many of a count are the player's", async () => {
    const { out, err } = await ask('how many kils');
    expect(Number(out)).toBeGreaterThan(0);
    expect(err).toMatch(
      /^“kils” was read as “kills”\nread as: how many times anyone kills\n\d+ of them by the player /,
    );
  });

  it('prints numbers, values and truth with --json', async () => {
    const [kills, rate, first, any] = await Promise.all(
      ['how many kills did I get', 'kills per minute', 'how long until my first kill', 'did I die'].map(
        async (sentence) => JSON.parse((await ask(sentence, '--json')).out) as { value: unknown; unit: unknown },
      ),
    );
    expect(kills).toEqual({ value: expect.any(Number), unit: null });
    expect(rate).toEqual({ value: expect.any(Number), unit: 'per minute' });
    expect(first).toEqual({ value: expect.any(Number), unit: 's' });
    expect(any).toEqual({ value: true, unit: null });
  });

  it('reports a name that occurs in no event', async () => {
    expect((await ask('kills by Grund')).err).toMatch(
      /^read as: Grund kills\nno event names “Grund”\. Did you mean "Grunt"\?\nno match among \d+ events\n$/,
    );
  });

  it('uses the names of logs as session names in answers and queries', async () => {
    const season = mkdtempSync(join(tmpdir(), 'season-'));
    onTestFinished(() => rmSync(season, { recursive: true }));
    const log = readFileSync(join(folder, 'events.ndjson'), 'utf8');
    const { session } = JSON.parse(log.slice(0, log.indexOf('\n'))) as { session: string };
    for (const name of ['final', 'semi']) {
      mkdirSync(join(season, `${name}.playbyplay`));
      writeFileSync(join(season, `${name}.playbyplay`, 'events.ndjson'), log.replaceAll(session, `id-${name}`));
    }
    const path = (name: string): string => join(season, `${name}.playbyplay`, 'events.ndjson');
    const all = await runCommandLine('query', 'kills', season);
    const one = await runCommandLine('query', 'kills in session Final', season, path('semi'));
    expect(
      all.out
        .split('\n')
        .filter((line) => line.startsWith('final  '))
        .join('\n'),
    ).toBe(one.out.trim());
    const kills = one.out.split('\n').length - 1;
    expect(await runCommandLine('query', 'count kills by session', season)).toEqual({
      code: 0,
      out: `${String(kills).padStart(5)}  final\n${String(kills).padStart(5)}  semi\n`,
      err: 'read as: how many times anyone kills, by session\n',
    });
    const [match] = (await runCommandLine('query', '--json', 'first kill in session semi', season)).out.split('\n');
    expect(JSON.parse(match!)).toMatchObject({ session: 'id-semi', log: path('semi') });
    const [group] = (await runCommandLine('query', '--json', 'count kills by session', season)).out.split('\n');
    expect(JSON.parse(group!)).toEqual({ group: ['id-final'], count: kills, log: path('final') });
    expect((await runCommandLine('query', 'kills in session fianl', season)).err).toContain(
      'no session is called “fianl”. Did you mean "final"?',
    );
    mkdirSync(join(season, 'again'));
    writeFileSync(join(season, 'again', 'events.ndjson'), readFileSync(path('semi')));
    expect(await runCommandLine('query', 'count kills', season)).toEqual({
      code: 0,
      out: `${kills * 3}\n`,
      err: 'playbyplay: logs contain the same session: again and semi; its events count twice\nread as: how many times anyone kills\n',
    });
  });
});
