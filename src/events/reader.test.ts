import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Issue } from '../errors.ts';
import { findAllLogs, findLogs, loadLog, readLog } from './reader.ts';

const HEADER =
  '{"type":"header","format":"playbyplay/1","game":"g","session":"s","media":{"name":"m","duration":1},"dictionaries":[]}';
const EVENT =
  '{"type":"event","id":"a","t":1,"end":1,"game":"g","session":"s","text":"player dies","statement":{"subject":"player","action":"die"},"confidence":1,"cues":[]}';
const END = '{"type":"end","events":1,"gaps":0,"samples":1}';

async function logOf(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'playbyplay-read-')), 'events.ndjson');
  await writeFile(path, text);
  return path;
}

async function read(path: string): Promise<{ types: string[]; issues: string[] }> {
  const issues: Issue[] = [];
  const types: string[] = [];
  for await (const line of readLog(path, { onIssue: (issue) => issues.push(issue) })) types.push(line.type);
  return { types, issues: issues.map(({ code }) => code) };
}

describe('readLog', () => {
  it('reads a log by its file and by its folder', async () => {
    const path = await logOf(`${HEADER}\n${EVENT}\n${END}\n`);
    expect(await read(path)).toEqual({ types: ['header', 'event', 'end'], issues: [] });
    expect((await read(join(path, '..'))).types).toEqual(['header', 'event', 'end']);
  });

  it('omits a truncated last line of any length and reports it', async () => {
    for (let length = 1; length < EVENT.length; length += 7) {
      const path = await logOf(`${HEADER}\n${EVENT}\n${EVENT.slice(0, length)}`);
      expect(await read(path)).toEqual({ types: ['header', 'event'], issues: ['log-torn'] });
    }
  });

  it('accepts a complete last line without line feed', async () => {
    const path = await logOf(`${HEADER}\n${EVENT}`);
    expect(await read(path)).toEqual({ types: ['header', 'event'], issues: ['log-unfinished'] });
  });

  it('names the line that is broken', async () => {
    const path = await logOf(`${HEADER}\n${EVENT}\nnonsense\n${EVENT}\n`);
    await expect(read(path)).rejects.toMatchObject({ code: 'log-damaged', message: expect.stringContaining('line 3') });
    const statement = EVENT.replace('"action":"die"', '"action":7');
    await expect(read(await logOf(`${HEADER}\n${statement}\n${END}\n`))).rejects.toMatchObject({
      code: 'log-damaged',
      message: expect.stringContaining('line 2: "action" must be a string'),
    });
  });

  it('refuses files that are not logs and unknown formats', async () => {
    await expect(read(await logOf(''))).rejects.toMatchObject({ code: 'log-invalid' });
    await expect(read(await logOf('hello\n'))).rejects.toMatchObject({ code: 'log-invalid' });
    await expect(read(await logOf(`${EVENT}\n`))).rejects.toMatchObject({ code: 'log-invalid' });
    const later = HEADER.replace('playbyplay/1', 'playbyplay/2');
    await expect(read(await logOf(`${later}\n`))).rejects.toMatchObject({ code: 'log-version' });
    await expect(read('/nowhere/at/all')).rejects.toMatchObject({ code: 'log-missing' });
  });

  it('reads lines across the borders of its buffer', async () => {
    const many = Array.from({ length: 5000 }, () => EVENT).join('\n');
    const { events } = await loadLog(await logOf(`${HEADER}\n${many}\n${END}\n`));
    expect(events).toHaveLength(5000);
  });

  it('takes the game and session of an event that names none from the header', async () => {
    const short = EVENT.replace('"game":"g","session":"s",', '');
    const { events } = await loadLog(await logOf(`${HEADER}\n${short}\n${END}\n`));
    expect(events).toMatchObject([{ game: 'g', session: 's', text: 'player dies' }]);
  });

  it('names the parts that a header does not have', async () => {
    const path = await logOf('{"type":"header","format":"playbyplay/1","game":"g","media":{}}\n');
    await expect(loadLog(path)).rejects.toMatchObject({
      code: 'log-invalid',
      message: expect.stringContaining(
        '"name" is missing in "media"; "duration" is missing in "media"; "session" is missing; "dictionaries" is missing',
      ) as string,
    });
  });

  it('stops when aborted', async () => {
    const path = await logOf(`${HEADER}\n${EVENT}\n${END}\n`);
    await expect(loadLog(path, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('findLogs', () => {
  it('finds the logs of a library in alphabetical order', async () => {
    const root = await mkdtemp(join(tmpdir(), 'playbyplay-find-'));
    for (const name of ['b.playbyplay', 'a/x.playbyplay', '.hidden']) {
      await mkdir(join(root, name), { recursive: true });
      await writeFile(join(root, name, 'events.ndjson'), HEADER);
    }
    const names = (await findLogs(root)).map((path) => path.slice(root.length + 1));
    expect(names).toEqual(['a/x.playbyplay/events.ndjson', 'b.playbyplay/events.ndjson']);
    const twice = await findAllLogs([join(root, 'b.playbyplay'), root, `${root}/a/../b.playbyplay/`]);
    expect(new Set(twice).size).toBe(2);
    expect(twice).toHaveLength(2);
    await expect(findLogs(join(root, 'c'))).rejects.toMatchObject({ code: 'log-missing' });
  });
});
