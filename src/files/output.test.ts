import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppendFile } from './append-file.ts';
import { toFileName } from './file-name.ts';
import { checkOutput, produceOutput, TemporaryFile, TemporaryFolder, writeOutput } from './output.ts';

const HTML = '<!doctype html>\n<title>Report</title>\n';
const MP4 = Buffer.from('000000206674797069736f6d', 'hex');

let folder = '';
const at = (name: string): string => join(folder, name);
const put = (name: string, data: string | Uint8Array): string => {
  writeFileSync(at(name), data);
  return at(name);
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'playbyplay-output-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('writeOutput', () => {
  it('makes the folders of a new file, and replaces a file of the same kind', async () => {
    const path = join(folder, 'a', 'b', 'report.html');
    await writeOutput(path, HTML, { kind: 'HTML' });
    await writeOutput(path, `${HTML}<p>again`, { kind: 'HTML' });
    expect(readFileSync(path, 'utf8')).toBe(`${HTML}<p>again`);
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['report.html']);
  });

  it.each([
    ['its own name', (input: string) => input],
    ['another spelling of its name', (input: string) => join(folder, '.', 'x', '..', basename(input))],
    [
      'a hard link',
      (input: string) => {
        linkSync(input, at('link'));
        return at('link');
      },
    ],
    [
      'a symbolic link',
      (input: string) => {
        symlinkSync(input, at('link'));
        return at('link');
      },
    ],
  ])('never writes over an input by %s, not even with overwrite', async (_, nameOf) => {
    mkdirSync(at('x'));
    const input = put('input.html', HTML);
    const path = nameOf(input);
    const writing = writeOutput(path, 'new', { kind: 'HTML', inputs: [input], overwrite: true });
    await expect(writing).rejects.toMatchObject({ code: 'output-is-input' });
    expect(readFileSync(input, 'utf8')).toBe(HTML);
  });

  it.each([
    ['a recording', MP4],
    ['an event log', '{"type":"header","format":"playbyplay/1","game":"doom"}\n'],
    ['a profile', '{\n  "format": "playbyplay/profile/1"}'],
    ['a script', "on('health', () => {});\n"],
    ['binary data', Buffer.from([0, 1, 2, 255, 0])],
  ])('replaces %s by a page only with overwrite', async (_, content) => {
    const path = put('existing', content);
    await expect(writeOutput(path, HTML, { kind: 'HTML' })).rejects.toMatchObject({
      code: 'output-exists',
      hint: 'Choose another name, or replace it with --overwrite.',
    });
    expect(readFileSync(path)).toEqual(Buffer.from(content));
    await writeOutput(path, HTML, { kind: 'HTML', overwrite: true });
    expect(readFileSync(path, 'utf8')).toBe(HTML);
  });

  it('refuses a symbolic link, and replaces the link itself with overwrite', async () => {
    const target = put('target.html', HTML);
    symlinkSync(target, at('link'));
    await expect(writeOutput(at('link'), 'new', { kind: 'HTML' })).rejects.toMatchObject({ code: 'output-exists' });
    await writeOutput(at('link'), 'new', { kind: 'HTML', overwrite: true });
    expect(readFileSync(target, 'utf8')).toBe(HTML);
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(false);
  });

  it('refuses a folder', async () => {
    const writing = writeOutput(folder, HTML, { kind: 'HTML', overwrite: true });
    await expect(writing).rejects.toMatchObject({ code: 'output-exists', message: `${folder} is a folder` });
  });

  it.runIf(process.platform !== 'win32')('writes to devices directly', async () => {
    await writeOutput('/dev/null', HTML, { kind: 'HTML' });
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});

describe('produceOutput', () => {
  it('leaves the earlier file, and nothing else, after a failure, whose message names the file', async () => {
    const path = put('report.html', HTML);
    const failing = produceOutput(
      path,
      async (temporaryPath) => {
        writeFileSync(temporaryPath, 'half');
        throw Object.assign(new Error(`EIO: ${temporaryPath}`), { code: 'EIO', syscall: 'write' });
      },
      { kind: 'HTML' },
    );
    await expect(failing).rejects.toMatchObject({
      code: 'unwritable',
      message: `${path} cannot be written: EIO: ${path}`,
    });
    expect(readdirSync(folder)).toEqual(['report.html']);
    expect(readFileSync(path, 'utf8')).toBe(HTML);
  });

  it('sees what came into its way meanwhile', async () => {
    const path = at('report.html');
    const producing = produceOutput(path, async () => void put('report.html', MP4), { kind: 'HTML' });
    await expect(producing).rejects.toMatchObject({ code: 'output-exists' });
    expect(readdirSync(folder)).toEqual(['report.html']);
    expect(readFileSync(path)).toEqual(MP4);
  });
});

/** Runs code in another process, which ends as the code says, and returns what it printed. */
function runChild(code: string): string {
  const module = JSON.stringify(new URL('./output.ts', import.meta.url).href);
  const program = `const output = await import(${module}); ${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return stdout + stderr;
}

describe('temporary files', () => {
  it('of a process that was killed are removed by the next one, those of a running process are kept', async () => {
    const create = `const file = await output.TemporaryFile.create(${JSON.stringify(at('reel.mp4'))}); const nested = await output.TemporaryFile.create(file.path);`;
    expect(runChild(`${create} process.kill(process.pid, 'SIGKILL')`)).toBe('');
    expect(readdirSync(folder)).toHaveLength(2);
    await using own = await TemporaryFile.create(at('other.mp4'));
    expect(readdirSync(folder)).toEqual([basename(own.path)]);
    expect(runChild(`await output.writeOutput(${JSON.stringify(at('page.html'))}, '<html>', { kind: 'HTML' })`)).toBe(
      '',
    );
    expect(readdirSync(folder).toSorted()).toEqual([basename(own.path), 'page.html'].toSorted());
  });

  it('of another machine are kept for a day', async () => {
    const old = put('reel.mp4.000000-1-0-0.part', '');
    put('new.mp4.000000-1-0-0.part', '');
    put('notes.part', '');
    const now = Date.now() / 1000;
    utimesSync(old, now - 25 * 3600, now - 25 * 3600);
    await writeOutput(at('page.html'), HTML, { kind: 'HTML' });
    expect(readdirSync(folder).toSorted()).toEqual(['new.mp4.000000-1-0-0.part', 'notes.part', 'page.html']);
  });

  it('are removed when the process exits early', () => {
    const code = `await output.TemporaryFile.create(${JSON.stringify(at('reel.mp4'))}); const { path } = await output.TemporaryFolder.create(); console.log(path); process.exit(130)`;
    const path = runChild(code).trim();
    expect(path).toContain('playbyplay');
    expect([readdirSync(folder), existsSync(path)]).toEqual([[], false]);
  });

  it('in folders of their own are gone with the folder', async () => {
    let path = '';
    {
      await using temporary = await TemporaryFolder.create();
      path = await temporary.write('a.txt', Buffer.from('a'));
      expect(readFileSync(path, 'utf8')).toBe('a');
    }
    expect(existsSync(path)).toBe(false);
  });
});

describe('AppendFile', () => {
  it('neither follows a symbolic link nor truncates a file of another kind', async () => {
    const target = put('target', Buffer.from('{"format":"playbyplay/journal/1"}\n\0\0\u00FF', 'latin1'));
    await using journal = await AppendFile.open(target, 34, { kind: 'journal' });
    expect(journal.size).toBe(34);
    symlinkSync(target, at('link'));
    const recording = put('recording', MP4);
    for (const path of [at('link'), recording])
      await expect(AppendFile.open(path, 0, { kind: 'journal' })).rejects.toMatchObject({ code: 'output-exists' });
    expect(readFileSync(target, 'utf8')).toContain('journal');
    expect(readFileSync(recording)).toEqual(MP4);
  });
});

describe('checkOutput', () => {
  it('ignores inputs that do not exist', async () => {
    await checkOutput(at('new'), { kind: 'HTML', inputs: [at('missing')] });
    expect(readdirSync(folder)).toEqual([]);
  });
});

it.each([
  ['87', '87'],
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['..', '_'],
  ['', '_'],
  ['a\u0000b\u001B[2J', 'a_b_[2J'],
  ['com1.png', '_com1.png'],
  ['\u202Egnp.exe', '_gnp.exe'],
  ['x'.repeat(300), 'x'.repeat(100)],
])('toFileName(%j) stays in its folder', (text, name) => {
  expect(toFileName(text)).toBe(name);
});
