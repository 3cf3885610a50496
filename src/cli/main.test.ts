import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeError } from './describe-error.ts';
import { runCommandLine } from '../../test/fixtures/command-line.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explain-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The message for the error of an action that fails. */
async function messageOf(action: () => Promise<unknown>): Promise<string> {
  const error: unknown = await action().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return describeError(error);
}

describe('describeError', () => {
  it('explains what the system refused about a file of the user', async () => {
    const file = join(folder, 'labels.ndjson');
    expect(await messageOf(() => readFile(file))).toBe(`playbyplay: there is no file ${file}`);
    expect(await messageOf(() => writeFile(join(folder, 'no', 'x.html'), ''))).toBe(
      `playbyplay: there is no folder ${join(folder, 'no')}`,
    );
    expect(await messageOf(() => readFile(folder))).toBe('playbyplay: a folder was given where a file is expected');
    expect(await messageOf(() => readFile(`${'a'.repeat(300)}.mp4`))).toMatch(
      /^playbyplay: a{60}… .*the name is too long$/,
    );
    await writeFile(file, '');
    expect(await messageOf(() => open(join(file, 'x')))).toContain('is a file, not a folder');
  });

  it('reports an internal error when a file of the program is missing', async () => {
    const path = join(import.meta.dirname, 'nothing.js');
    expect(await messageOf(() => readFile(path))).toContain('internal error (please report it)');
  });
});

describe('mistakes in the command line', () => {
  it.each([
    [['evaluate', 'a', 'b', '--tolerance'], 'missing value of --tolerance'],
    [['evaluate', 'a', 'b', '--tolerance', '--json'], 'missing value of --tolerance before --json'],
    [['evaluate', 'a', 'b', '--json=3'], '--json takes no value'],
    [['evaluate', 'a', 'b', '--tolerance', 'x'], '--tolerance must be a time such as 90, 1:30 or 2m, not "x"'],
    [['import', 'a', 'b.mp4'], 'unexpected argument "b.mp4"'],
    [['align', 'a'], 'missing argument <second file>'],
    [['profile', 'sound', 'a.mp4', '--label', 'x'], 'missing value of --out'],
    [['detect', 'a', '--plan', 'ful'], '--plan must be one of full, adaptive, not "ful"\nDid you mean "full"?'],
    [['detect', 'a', '--wrkers', '2'], 'unknown option --wrkers\nDid you mean "--workers"?'],
  ])('%j', async (args, message) => {
    const name = args[0] === 'profile' ? 'profile sound' : args[0];
    expect(await runCommandLine(...args)).toEqual({
      code: 2,
      out: '',
      err: `playbyplay: ${message}\nSee: playbyplay ${name} --help\n`,
    });
  });
});

describe('help', () => {
  it('of a subcommand shows that one only', async () => {
    const { code, out } = await runCommandLine('profile', 'sound', '--help');
    expect(code).toBe(0);
    expect(out).toContain('Usage: playbyplay profile sound <recording> --label <name>');
    expect(out).not.toContain('profile glyphs');
    expect((await runCommandLine('help', 'profile', 'sound')).out).toBe(out);
  });

  it('lists the subcommands of a group, on stderr when none is given', async () => {
    const { out } = await runCommandLine('profile', '--help');
    expect(out).toMatch(/^ {2}check +Check game profiles/m);
    expect(await runCommandLine('profile')).toEqual({ code: 2, out: '', err: out });
  });

  it('breaks lines at 100 characters', async () => {
    const { out } = await runCommandLine('detect', '--help');
    const [usage] = out.split('\nExamples:');
    expect(usage!.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });
});

describe('completion', () => {
  it.each([
    [['det'], ['detect', 'detectors']],
    [
      ['profile', 's'],
      ['sound', 'schema'],
    ],
    [
      ['detect', '--pl'],
      ['--place', '--plan', '--plugin'],
    ],
    [
      ['detect', '--plan', ''],
      ['full', 'adaptive'],
    ],
    [['quality', 'ad'], ['advise']],
    [['detect', ''], []],
  ])('of %j', async (words, expected) => {
    const { out } = await runCommandLine('__complete', ...words);
    const proposals = out
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split('\t')[0]);
    expect(proposals.toSorted()).toEqual(expected.toSorted());
  });

  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, out } = await runCommandLine('completion', shell);
    expect(code).toBe(0);
    expect(out).toContain('playbyplay __complete');
  });
});
