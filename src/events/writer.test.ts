import { mkdtemp, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HeaderLine } from './log.ts';
import { loadLog } from './reader.ts';
import { eventId, LogWriter, type NewEvent } from './writer.ts';

const header: HeaderLine = {
  type: 'header',
  format: 'playbyplay/1',
  game: 'freedoom',
  session: 'clip',
  media: { name: 'clip.mp4', hash: 'a1', bytes: 12, duration: 60, width: 1280, height: 720, start: 0 },
  profile: { name: 'freedoom', version: '1', hash: 'b2' },
  dictionaries: [],
  plan: { kind: 'full', interval: 0.1 },
  program: '0.1.0',
};

function event(t: number, to: number): NewEvent {
  return {
    t,
    end: t,
    text: `player's health changes to ${to}`,
    statement: { subject: 'player', property: 'health', to },
    confidence: 0.98765,
    cues: [{ detector: 'health', t, trigger: 'changed', value: to, confidence: 0.98765 }],
  };
}

async function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'playbyplay-log-'));
}

/** Writes events in batches: after each, all times up to its number are settled. */
async function writeAll(path: string, batches: readonly (readonly NewEvent[])[], resume = false): Promise<void> {
  await using log = await LogWriter.create(path, header, { resume });
  for (const [index, batch] of batches.entries()) {
    for (const one of batch) log.add(one);
    await log.settle(index);
  }
  await log.end(600);
}

describe('LogWriter', () => {
  it('writes header, lines in order of time, and end', async () => {
    const path = join(await folder(), 'events.ndjson');
    await using log = await LogWriter.create(path, header);
    log.add(event(3, 50));
    log.add(event(1, 90));
    log.gap(1, 2, 'damaged');
    const first = await log.settle(3);
    expect(first.map(({ t }) => t)).toEqual([1]);
    expect((await loadLog(path)).lines.map(({ type }) => type)).toEqual(['header', 'gap', 'event']);
    log.add(event(3, 40));
    const end = await log.end(600, { 'script-error': 2, 'script-budget': 1 });
    expect(end).toEqual({
      type: 'end',
      events: 3,
      gaps: 1,
      samples: 600,
      problems: { 'script-budget': 1, 'script-error': 2 },
    });
    const { events } = await loadLog(path);
    expect(events.map(({ statement }) => 'to' in statement && statement.to)).toEqual([90, 50, 40]);
  });

  it('writes an event with its keys in the order of the format, confidence to three digits', async () => {
    const path = join(await folder(), 'events.ndjson');
    await using log = await LogWriter.create(path, header);
    const { statement, ...rest } = event(1.23456789, 62);
    log.add({ ...rest, statement: { to: 62, from: 87, property: 'health', subject: 'player' } as typeof statement });
    await log.end(1);
    const line = (await readFile(path, 'utf8')).split('\n')[1]!;
    const id = eventId(1.234568, { subject: 'player', property: 'health', from: 87, to: 62 }, 0);
    expect(line).toBe(
      `{"type":"event","id":"${id}","t":1.234568,"end":1.234568,"game":"freedoom","session":"clip","text":"player's health changes to 62","statement":{"subject":"player","property":"health","from":87,"to":62},"confidence":0.988,"cues":[{"detector":"health","t":1.234568,"trigger":"changed","value":62,"confidence":0.988}]}`,
    );
  });

  it('gives equal statements of one time different ids', async () => {
    const path = join(await folder(), 'events.ndjson');
    await using log = await LogWriter.create(path, header);
    for (const to of [1, 1, 2, 1]) log.add(event(5, to));
    const ids = (await log.settle(6)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
  });

  it('refuses events before the settled time', async () => {
    const path = join(await folder(), 'events.ndjson');
    await using log = await LogWriter.create(path, header);
    await log.settle(10);
    expect(() => log.add(event(9.99, 1))).toThrow(RangeError);
    expect(() => log.add(event(10, 1))).not.toThrow();
  });

  it('writes the same bytes for any batches and any truncation before resuming', async () => {
    const times = fc.array(fc.record({ t: fc.integer({ min: 0, max: 300 }), to: fc.integer({ min: 0, max: 3 }) }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(times, fc.nat(), fc.boolean(), async (points, cut, garbage) => {
        const events = points.map(({ t, to }) => event(t / 10, to));
        const dir = await folder();
        const whole = join(dir, 'whole.ndjson');
        await writeAll(whole, [events]);
        const expected = await readFile(whole, 'utf8');

        const batches = Array.from({ length: 31 }, (_, second) => events.filter(({ t }) => Math.floor(t) === second));
        const parted = join(dir, 'parted.ndjson');
        await writeAll(
          parted,
          batches.map((_, index) => [...(batches[index - 1] ?? []), ...(index === 30 ? batches[30]! : [])]),
        );
        const byTime = events.toSorted((a, b) => a.t - b.t);
        const sorted = join(dir, 'sorted.ndjson');
        await writeAll(sorted, [byTime]);
        expect(await readFile(sorted, 'utf8')).toBe(expected);
        expect(await readFile(parted, 'utf8')).toBe(expected);

        const size = (await stat(whole)).size;
        await truncate(whole, cut % (size + 1));
        if (garbage) await writeFile(whole, '{"type":"ev', { flag: 'a' });
        await writeAll(whole, [events], true);
        expect(await readFile(whole, 'utf8')).toBe(expected);
      }),
      { numRuns: 40 },
    );
  });

  it('loses no written event while a resumed run catches up', async () => {
    const path = join(await folder(), 'events.ndjson');
    await writeAll(path, [[event(1, 1), event(2, 2), event(3, 3)]]);
    await using log = await LogWriter.create(path, header, { resume: true });
    log.add(event(1, 1));
    await log.settle(2);
    expect((await loadLog(path)).events).toHaveLength(3);
  });

  it('starts over when the header differs', async () => {
    const path = join(await folder(), 'events.ndjson');
    await writeAll(path, [[event(1, 1)]]);
    await using log = await LogWriter.create(path, { ...header, program: '0.2.0' }, { resume: true });
    expect((await loadLog(path)).lines).toHaveLength(1);
    await log.end(0);
  });

  it('reports a folder that is not writable', async () => {
    const path = join(await folder(), 'missing', 'events.ndjson');
    await expect(LogWriter.create(path, header)).rejects.toMatchObject({
      name: 'PlaybyplayError',
      code: 'write-failed',
    });
  });
});
