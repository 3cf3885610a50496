import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explain } from './explain.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explain-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a person is told where an action fails. */
async function told(action: () => Promise<unknown>): Promise<string> {
  const error: unknown = await action().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return explain(error, { command: undefined, aborted: false, color: false }).text;
}

describe('what the system refuses', () => {
  it('is told in words where it concerns a file that a person named', async () => {
    const file = join(folder, 'labels.ndjson');
    expect(await told(() => readFile(file))).toBe(`playbyplay: there is no file ${file}\n`);
    expect(await told(() => writeFile(join(folder, 'no', 'x.html'), ''))).toBe(
      `playbyplay: there is no folder ${join(folder, 'no')}\n`,
    );
    expect(await told(() => readFile(folder))).toBe('playbyplay: a folder was named where a file is wanted\n');
    expect(await told(() => readFile(`${'a'.repeat(300)}.mp4`))).toMatch(
      /^playbyplay: a{60}… .*the name is too long\n$/,
    );
    await writeFile(file, '');
    expect(await told(() => open(join(file, 'x')))).toContain('which is no folder');
  });

  it('is a mistake of the program where it concerns its own files', async () => {
    expect(await told(() => readFile(join(import.meta.dirname, 'nothing.js')))).toContain('a mistake in the program');
  });
});

/** What a person is told of arguments. */
const refused = (...args: string[]): Promise<string> =>
  told(async () => parseArgs({ args, options: { out: { type: 'string' }, json: { type: 'boolean' } } }));

describe('what the parser of arguments refuses', () => {
  it('has the form of all other errors', async () => {
    expect(await refused('--out')).toBe('playbyplay: --out needs a value\nSee: playbyplay --help\n');
    expect(await refused('--json=3')).toContain('playbyplay: --json takes no value\n');
    expect(await refused('--out', '--json')).toContain('playbyplay: --out needs a value, which begins with no dash');
    expect(await refused('match.mp4')).toContain("playbyplay: unexpected argument 'match.mp4'\n");
  });
});
