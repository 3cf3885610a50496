import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import type { HeaderLine } from '../../src/events/log.ts';
import { LogWriter } from '../../src/events/writer.ts';
import { mergeIntoLog } from '../../src/quality/gameplay.ts';
import { compileQuery, matchEvents } from '../../src/query/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'quality-query-'));
afterAll(() => rmSync(folder, { recursive: true }));

const header: HeaderLine = {
  type: 'header',
  format: 'playbyplay/1',
  game: 'openarena',
  session: 'match',
  media: { name: 'match.mp4', hash: 'h', bytes: 1, duration: 120, width: 1280, height: 720, start: 0 },
  profile: { name: 'openarena', version: '1.0.0', hash: 'p' },
  dictionaries: [],
  plan: { kind: 'full', interval: 0.1 },
  program: '0.1.0',
};

it('queries game events and stream incidents in one sentence', async () => {
  const path = join(folder, 'play.ndjson');
  await using writer = await LogWriter.create(path, header);
  for (const t of [21.5, 50, 71, 93]) {
    const statement = { subject: 'player', action: 'die' };
    writer.add({ t, end: t, text: 'player dies', statement, confidence: 1, cues: [] });
  }
  await writer.end(1200);
  const { events } = await mergeIntoLog(
    path,
    [
      { kind: 'freeze', t: 20, end: 20.4, ms: 400 },
      { kind: 'freeze', t: 70, end: 70.2, ms: 200 },
      { kind: 'freeze', t: 90, end: 90.6, ms: 600 },
      { kind: 'lag', t: 49, end: 52, ms: 220 },
    ],
    join(folder, 'merged.ndjson'),
  );
  const { dictionary } = await loadBuiltin();
  const times = (query: string): number[] =>
    matchEvents(compileQuery(query, dictionary), events).map(({ events: [first] }) => first!.t);
  expect(times('player dies within 2 s after stream freezes for at least 400 milliseconds')).toEqual([21.5]);
  expect(times('player dies within 2 s after stream freezes')).toEqual([21.5, 71]);
  expect(times('player dies within 3 s after stream falters')).toEqual([21.5, 50, 71, 93]);
  expect(times('stream falters')).toEqual([20, 49, 70, 90]);
});
