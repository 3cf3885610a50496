import { spawnSync } from 'node:child_process';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeError } from './describe-error.ts';
import { runCommandLine } from '../../test/fixtures/command-line.ts';
import { root } from '../../test/paths.ts';

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
    [['quality', 'simulate', '--seeds', '1e12'], '--seeds must be a whole number from 1 to 100000, not "1e12"'],
    [
      ['quality', 'score', 'a', '--offset', '1e400'],
      '--offset must be a number of at most 1000000000000000 in magnitude, not "1e400"',
    ],
    [
      ['dictionary', 'tree', '--depth', '1e30'],
      '--depth must be a whole number of at most 9007199254740991, not "1e30"',
    ],
    [['profile', 'sound', 'a.mp4', '--label', 'x'], 'missing value of --out'],
    [['detect', 'a', '--plan', 'ful'], '--plan must be one of full, adaptive, not "ful"\nDid you mean "full"?'],
    [['detect', 'a', '--wrkers', '2'], 'unknown option --wrkers\nDid you mean "--workers"?'],
  ])('%j', async (args, message) => {
    const isGroup = ['profile', 'quality', 'dictionary'].includes(args[0]!);
    const name = args.slice(0, isGroup ? 2 : 1).join(' ');
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
    [['detect', 'match.mp4', '--plan', 'f'], 'full'],
    [['detect', '--plan', '=', ''], 'full adaptive'],
    [['detect', '--plan=a'], '--plan=adaptive'],
    [['detect', '--game', 'op'], 'openarena'],
    [['profile', 'check', 'f'], 'freedoom'],
    [['completion', ''], 'bash zsh fish'],
    [['export', '-f', 'reel-'], 'reel-vtt reel-srt'],
    [['detect', 'match'], ''],
  ])('proposes values: %j', async (words, expected) => {
    const { out } = await runCommandLine('__complete', ...words);
    expect(out.replaceAll(/\t.*\n/g, ' ').trim()).toBe(expected);
  });

  it('works in bash', async () => {
    const { out: script } = await runCommandLine('completion', 'bash');
    const launch = `"${process.execPath}" src/cli/launch.js`;
    const program = `playbyplay() { ${launch} "$@"; }
      ${script}
      for line in "detect --pl" "detect --plan =" "profile glyphs x --channel sat" "detect match"; do
        IFS=' ' read -ra words <<< "$line"
        COMP_WORDS=(playbyplay "\${words[@]}"); COMP_CWORD=\${#words[@]}; COMPREPLY=()
        _playbyplay
        (IFS=,; echo "\${COMPREPLY[*]}")
      done`;
    const { stdout } = spawnSync('bash', ['-c', program], { cwd: root, encoding: 'utf8' });
    expect(stdout.split('\n')).toEqual(['--plan,--place,--plugin', 'full,adaptive', 'saturation red', '', '']);
  });

  it.each([
    [['det'], ['detect', 'detectors']],
    [
      ['profile', 's'],
      ['sound', 'sheet', 'score', 'schema'],
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
