import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture } from '../../../test/paths.ts';
import { addCorrections, additionOf } from '../../events/corrections.ts';
import type { EventLine } from '../../events/log.ts';
import { completeQuestion } from './complete-question.ts';
import { lanesOf, ReviewedLog, ReviewedLogs } from './reviewed-log.ts';

let folder: string;
let path: string;
let events: readonly EventLine[];
let log: ReviewedLog;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reviewed-log-'));
  path = join(folder, 'events.ndjson');
  await cp(fixture('logs', 'freedoom-demo1.ndjson'), path);
  events = (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EventLine)
    .filter(({ type }) => type === 'event');
  log = await ReviewedLog.load(path);
});
afterAll(() => rm(folder, { recursive: true }));

/** The events of the log with an action, between two times. */
function withAction(action: string, from = 0, to = 1e9): readonly EventLine[] {
  return events.filter(
    ({ t, statement }) => 'action' in statement && statement.action === action && t >= from && t <= to,
  );
}

describe('a log under review', () => {
  it('lists what a question finds, and says why one is not understood', () => {
    const found = log.list('player obtains shotgun', 'all').indices.map((index) => log.events[index]!.event.text);
    expect(found).toEqual(events.map(({ text }) => text).filter((text) => text === 'player obtains shotgun'));
    expect(log.ask('how many times did player obtain shotgun').answers).toHaveLength(1);
    expect(log.ask('player kills unicorn').found).toBeUndefined();
    expect(log.ask('player kills unicorn').issues[0]).toMatchObject({ start: 13, end: 20 });
    expect(log.ask('player jumps').issues[0]!.message).toContain('jump');
  });

  it('describes a stretch by lanes: marks where there are few, numbers where there are many', () => {
    const lane = lanesOf(log, 5, 20, 10).find(({ name }) => name === 'obtain')!;
    expect(lane.marks!.map(({ id }) => id)).toEqual(withAction('obtain', 5, 20).map(({ id }) => id));
    const health = lanesOf(log, 0, 42, 10).find(({ name }) => name === 'player health')!;
    const changes = events.flatMap(({ t, statement }) =>
      'property' in statement && statement.property === 'health' ? [{ t, value: statement.to }] : [],
    );
    // The demo begins with 100 % health.
    expect(health.points).toEqual([{ t: 0, value: 100 }, ...changes]);
  });

  it('counts chapters and gaps in parts of the stretch where they are many: none is left out', async () => {
    const [header] = (await readFile(path, 'utf8')).split('\n');
    const begins = events.find(({ text }) => text === 'level begins')!;
    const lines = Array.from({ length: 400 }, (_, i) => [
      { ...begins, id: `level-${i}`, t: 10 * i, end: 10 * i },
      { type: 'gap', t: 10 * i + 5, end: 10 * i + 6, reason: 'damaged' },
    ]).flat();
    const long = join(await mkdtemp(join(tmpdir(), 'reviewed-long-')), 'events.ndjson');
    await writeFile(long, [header, ...lines.map((line) => JSON.stringify(line)), ''].join('\n'));
    const lanes = lanesOf(await ReviewedLog.load(long), 0, 4000, 8);
    for (const kind of ['chapters', 'gaps'])
      expect(lanes.find((lane) => lane.kind === kind)!.bins).toEqual([50, 50, 50, 50, 50, 50, 50, 50]);
    const [chapters] = lanesOf(await ReviewedLog.load(long), 95, 125, 8);
    // The one in which the stretch begins, too; each lasts until the next.
    expect(chapters!.marks!.map(({ t, end }) => [t, end])).toEqual([
      [90, 100],
      [100, 110],
      [110, 120],
      [120, 130],
    ]);
  });

  it('completes words, those of the log first', () => {
    const { from, completions } = completeQuestion(log, 'player obtains shotg');
    expect(from).toBe('player obtains '.length);
    expect(completions[0]!.text).toBe('shotgun');
    for (const complete of ['player ', 'player obtains shotgun'])
      expect(completeQuestion(log, complete).completions).toEqual([]);
    for (const { text } of completeQuestion(log, 'pl').completions) expect(text.toLowerCase()).toMatch(/^pl/);
  });

  it('shows what a person said: approved, changed, deleted and added events', async () => {
    const logs = new ReviewedLogs();
    expect((await logs.get(path)).events.every(({ status }) => status === undefined)).toBe(true);
    const [first, second, third] = events;
    const event = { t: 7, end: 7, text: 'player dies', statement: { subject: 'player', action: 'die' } };
    await addCorrections(path, [
      { type: 'approve', id: first!.id },
      { type: 'delete', id: second!.id },
      { type: 'change', id: third!.id, event },
      additionOf({ ...event, t: 0.5, end: 0.5 }, new Map()),
    ]);
    const reviewed = await logs.get(path);
    const statusOf = (id: string) => reviewed.events[reviewed.indexOf(id)]!;
    expect(statusOf(first!.id).status).toBe('approved');
    expect(statusOf(second!.id)).toMatchObject({ status: 'deleted', event: { text: second!.text } });
    expect(statusOf(third!.id)).toMatchObject({ status: 'changed', event: { t: 7 }, original: { text: third!.text } });
    expect(reviewed.events[0]).toMatchObject({ status: 'added', event: { t: 0.5, text: 'player dies' } });
    expect(reviewed.events.map((each) => each.event.t)).toEqual(
      reviewed.events.map((each) => each.event.t).toSorted((a, b) => a - b),
    );
    expect(reviewed.list('', 'corrected').indices).toHaveLength(4);
    expect(reviewed.list('', 'open').indices).toHaveLength(events.length - 3);
    // Two that were said to be, and the one of the log.
    expect(reviewed.list('player dies', 'all').indices).toHaveLength(2 + withAction('die').length);
  });
});
