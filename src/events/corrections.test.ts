import { appendFile, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Issue } from '../errors.ts';
import { addCorrections, additionOf, correctionsPath, readCorrections } from './corrections.ts';
import type { EventLine } from './log.ts';
import { loadLog, readEventAt, readLogWithOffsets } from './reader.ts';

const TEXTS: Readonly<Record<string, string>> = {
  jump: 'player jumps',
  die: 'player dies',
  kill: 'player kills',
  fall: 'player falls',
  win: 'player wins',
};

const event = (id: string, t: number, action: string, more: object = {}): string =>
  JSON.stringify({
    type: 'event',
    id,
    t,
    end: t,
    game: 'g',
    session: 's',
    text: TEXTS[action],
    statement: { subject: 'player', action },
    confidence: 0.8,
    ...more,
    cues: [],
  });

const LINES = [
  '{"type":"header","format":"playbyplay/1","game":"g","session":"s","media":{"name":"m","duration":9},"dictionaries":[]}',
  event('one', 1, 'jump'),
  event('two', 2, 'die', { tentative: true }),
  '{"type":"gap","t":3,"end":4,"reason":"damaged"}',
  event('five', 5, 'kill'),
  '{"type":"end","events":3,"gaps":1,"samples":9}',
];

const happened = (t: number, action: string) => {
  return { t, end: t, text: TEXTS[action]!, statement: { subject: 'player', action } };
};

async function writeLog(): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'playbyplay-corrections-')), 'events.ndjson');
  await writeFile(path, `${LINES.join('\n')}\n`);
  return path;
}

async function load(log: string, withoutTentative = false) {
  const issues: Issue[] = [];
  const { events, lines } = await loadLog(log, { withoutTentative, onIssue: (issue) => issues.push(issue) });
  const shown = events.map(({ t, text, corrected, tentative }) => [t, text, corrected ?? tentative ?? '']);
  return { shown, types: lines.map(({ type }) => type), end: lines.at(-1), issues: issues.map(({ code }) => code) };
}

describe('corrections', () => {
  it('approves, changes, deletes and adds events, in order of time', async () => {
    const log = await writeLog();
    const added = additionOf(happened(3.5, 'win'), new Map());
    await addCorrections(log, [
      { type: 'delete', id: 'one' },
      { type: 'approve', id: 'two' },
      { type: 'change', id: 'five', event: happened(2.5, 'fall') },
      added,
    ]);
    const { shown, types, end, issues } = await load(log, true);
    expect(shown).toEqual([
      [2, 'player dies', 'approved'],
      [2.5, 'player falls', 'changed'],
      [3.5, 'player wins', 'added'],
    ]);
    expect(types).toEqual(['header', 'event', 'event', 'gap', 'event', 'end']);
    expect(end).toMatchObject({ events: 3 });
    expect(issues).toEqual([]);
    expect(await readFile(log, 'utf8')).toBe(`${LINES.join('\n')}\n`);
    expect((await loadLog(log, { withoutCorrections: true })).events).toHaveLength(3);
  });

  it('applies the last correction of an event', async () => {
    const log = await writeLog();
    await addCorrections(log, [
      { type: 'delete', id: 'one' },
      { type: 'approve', id: 'five' },
    ]);
    await addCorrections(log, [
      { type: 'revert', id: 'one' },
      { type: 'change', id: 'five', event: happened(6, 'win') },
    ]);
    expect((await load(log)).shown).toEqual([
      [1, 'player jumps', ''],
      [2, 'player dies', true],
      [6, 'player wins', 'changed'],
    ]);
    const added = additionOf(happened(1, 'die'), new Map());
    await addCorrections(log, [added]);
    const known = await readCorrections(log);
    expect([...known.keys()]).toEqual(['five', added.id]);
    expect(additionOf(happened(1, 'die'), known).id).not.toBe(added.id);
  });

  it('reports corrections of events that the log no longer has, and leaves changes of them out', async () => {
    const log = await writeLog();
    await addCorrections(log, [
      { type: 'approve', id: 'gone' },
      { type: 'change', id: 'lost', event: happened(1, 'win') },
    ]);
    const { shown, issues } = await load(log);
    expect(shown).toHaveLength(3);
    expect(issues).toEqual(['corrections-unmatched']);
  });

  it('finds each event again where its line begins', async () => {
    const log = await writeLog();
    await addCorrections(log, [
      additionOf(happened(3.5, 'win'), new Map()),
      { type: 'change', id: 'one', event: happened(7, 'fall') },
    ]);
    const events: EventLine[] = [];
    const found: unknown[] = [];
    for await (const { line, offset } of readLogWithOffsets(log)) {
      if (line.type !== 'event') continue;
      events.push(line);
      found.push(await readEventAt(log, offset, line));
    }
    expect(found).toEqual(events);
    expect(events.map(({ t }) => t)).toEqual([2, 3.5, 5, 7]);
  });

  it('drops a line that a kill left incomplete, and goes on', async () => {
    const log = await writeLog();
    await addCorrections(log, [{ type: 'delete', id: 'one' }]);
    await appendFile(correctionsPath(log), '{"type":"delete","id":"tw');
    expect((await load(log)).shown).toHaveLength(2);
    await addCorrections(log, [{ type: 'delete', id: 'five' }]);
    expect((await load(log)).shown).toHaveLength(1);
  });

  it('names the line that is not a correction', async () => {
    const log = await writeLog();
    const refusal = async (text: string): Promise<string> => {
      await writeFile(correctionsPath(log), text);
      return loadLog(log).then(
        () => '',
        (error: Error) => error.message,
      );
    };
    const header = '{"format":"playbyplay/corrections/1"}\n';
    expect(await refusal('{"format":"playbyplay/corrections/2"}\n')).toContain('corrections.ndjson:1');
    expect(await refusal(`${header}{"type":"approve"}\n`)).toContain('corrections.ndjson:2');
    expect(await refusal(`${header}{"type":"add","id":"a"}\n`)).toContain('"event" is missing');
    const backwards = { ...happened(2, 'win'), end: 1 };
    expect(await refusal(`${header}${JSON.stringify({ type: 'add', id: 'a', event: backwards })}\n`)).toContain(
      'before it begins',
    );
    const bad = { ...happened(2, 'win'), statement: { subject: 'player' } };
    expect(await refusal(`${header}${JSON.stringify({ type: 'add', id: 'a', event: bad })}\n`)).toContain('action');
  });

  it('has a file for each log of a folder', async () => {
    const log = await writeLog();
    const other = log.replace('events', 'match');
    await rename(log, other);
    await addCorrections(other, [{ type: 'delete', id: 'one' }]);
    expect(correctionsPath(other)).toMatch(/match\.corrections\.ndjson$/);
    expect((await load(other)).shown).toHaveLength(2);
  });
});
