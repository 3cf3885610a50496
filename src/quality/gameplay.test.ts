import { afterAll, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadBuiltin } from '../dictionary/files.ts';
import { validateStatement } from '../dictionary/statements.ts';
import type { HeaderLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import { LogWriter } from '../events/writer.ts';
import { type FrameRecord, RawValueReader } from './frame.ts';
import { type StreamIncident, type IncidentOptions, IncidentDetector } from './incidents.ts';
import {
  mergeIntoLog,
  findStillSpans,
  findStreamFaults,
  incidentEvents,
  eventsNearFaults,
  streamFactors,
} from './gameplay.ts';
import { QualityMeter } from './meter.ts';

const folder = mkdtempSync(join(tmpdir(), 'quality-play-'));
afterAll(() => rmSync(folder, { recursive: true }));

function incidentsOf(records: readonly FrameRecord[], options?: IncidentOptions): readonly StreamIncident[] {
  const meter = new QualityMeter({ fps: 60, width: 1280, height: 720, targetBitrate: 1e7 });
  const values = new RawValueReader();
  const incidents = new IncidentDetector(60, options);
  for (const record of records) {
    const raw = values.next(record);
    meter.push(raw);
    incidents.add(meter, raw);
  }
  return incidents.finish();
}

/** A stream of `seconds` at 60 Hz, presented 50 ms after capture; `late` adds ms before a frame, and to all behind it. */
function stream(seconds: number, late: Readonly<Record<number, number>> = {}): FrameRecord[] {
  let extra = 0;
  return Array.from({ length: seconds * 60 }, (_, frame) => {
    extra += late[frame] ?? 0;
    const captured = (1000 / 60) * frame + extra;
    return { frame, captured, presented: captured + 50 };
  });
}

describe('IncidentDetector', () => {
  it('finds no incidents in a smooth stream', () => {
    expect(incidentsOf(stream(30))).toEqual([]);
  });

  it('reports a freeze from the last picture to the next', () => {
    // Frame 600 comes 400 ms after the one before, which was shown at 599/60 s.
    const [freeze, ...others] = incidentsOf(stream(20, { 600: 400 - 1000 / 60 }));
    expect(others.filter(({ kind }) => kind !== 'bad')).toEqual([]);
    expect(freeze).toMatchObject({ kind: 'freeze' });
    expect(freeze!.t).toBeCloseTo(599 / 60, 6);
    expect(freeze!.end).toBeCloseTo(599 / 60 + 0.4, 6);
    expect(freeze).toHaveProperty('ms', expect.closeTo(400, 6));
  });

  it('reports one stutter for consecutive late pictures, none for a single one', () => {
    expect(
      incidentsOf(stream(20, { 300: 20, 320: 20, 350: 20, 380: 30 })).filter(({ kind }) => kind === 'stutter'),
    ).toEqual([
      { kind: 'stutter', frames: 4, t: expect.closeTo(299 / 60, 3), end: expect.closeTo(380 / 60 + 0.09, 3) },
    ]);
    expect(incidentsOf(stream(20, { 300: 20, 600: 20, 900: 20 })).filter(({ kind }) => kind === 'stutter')).toEqual([]);
  });

  it('reports a lag while the delay exceeds its limit, and bad quality by the second', () => {
    const records = stream(40).map((record) => ({
      ...record,
      roundTripDelay: record.frame >= 600 && record.frame < 1200 ? 240 : 20,
    }));
    const found = incidentsOf(records);
    expect(found.find(({ kind }) => kind === 'lag')).toEqual({
      kind: 'lag',
      t: expect.closeTo(10, 6),
      end: expect.closeTo(20, 6),
      ms: 240,
    });
    const bad = found.find(({ kind }) => kind === 'bad');
    expect(bad).toMatchObject({ kind: 'bad', t: 10 });
  });

  it('reports changes of bitrate and resolution', () => {
    const records = stream(10).map((record): FrameRecord => {
      if (record.frame === 0) return { ...record, targetBitrate: 1e7, width: 1920, height: 1080 };
      return record.frame === 120 ? { ...record, targetBitrate: 4e6, width: 1280, height: 720 } : record;
    });
    expect(incidentsOf(records)).toEqual([
      { kind: 'bitrate', t: expect.closeTo(2, 6), end: expect.closeTo(2, 6), from: 1e7, to: 4e6 },
      { kind: 'resolution', t: expect.closeTo(2, 6), end: expect.closeTo(2, 6), from: '1920x1080', to: '1280x720' },
    ]);
  });
});

describe('incidents in a game log', async () => {
  const { dictionary, issues } = await loadBuiltin();
  const header: HeaderLine = {
    type: 'header',
    format: 'playbyplay/1',
    game: 'openarena',
    session: 'match',
    media: { name: 'match.mp4', hash: 'h', bytes: 1, duration: 120, width: 1280, height: 720, start: 0 },
    profile: { name: 'openarena', version: '1.0.0', hash: 'p' },
    dictionaries: [{ name: 'common', version: '1.0.0', hash: 'd' }],
    plan: { kind: 'full', interval: 0.1 },
    program: '0.1.0',
  };
  const freeze: StreamIncident = { kind: 'freeze', t: 20, end: 20.4, ms: 400 };
  const all: readonly StreamIncident[] = [
    freeze,
    { kind: 'stutter', t: 30, end: 31, frames: 12 },
    { kind: 'lag', t: 40, end: 43.2, ms: 240 },
    { kind: 'bad', t: 60, end: 66, score: 31, least: 12 },
    { kind: 'bitrate', t: 70, end: 70, from: 1e7, to: 4e6 },
    { kind: 'resolution', t: 71, end: 71, from: '1920x1080', to: '1280x720' },
  ];

  it('describes every incident in words and sentences of the dictionary', () => {
    expect(issues).toEqual([]);
    const events = incidentEvents(all, dictionary);
    expect(events.flatMap(({ statement }) => validateStatement(statement, dictionary))).toEqual([]);
    expect(events.map(({ text }) => text)).toEqual([
      'stream freezes for 400 milliseconds',
      'stream stutters for 12 frames',
      'stream lags for 3200 milliseconds',
      'stream degrades for 6000 milliseconds',
      'stream recovers',
      "stream's bitrate drops from 10000 to 4000",
      'stream\'s resolution changes from "1920x1080" to "1280x720"',
    ]);
  });

  it('drops incidents before the recording and shifts the others', () => {
    expect(incidentEvents(all, dictionary, -25).map(({ t }) => t)).toEqual([5, 15, 35, 41, 45, 46]);
  });

  const die = { subject: 'player', action: 'die' } satisfies Statement;
  const killed = { subject: 'opponent', action: 'kill', object: 'player', with: 'railgun' } satisfies Statement;
  const kills = { subject: 'player', action: 'gib', object: 'opponent' } satisfies Statement;
  const play: readonly (readonly [number, Statement])[] = [
    [5, kills],
    [21.5, die],
    [25, die],
    [41, killed],
    [62, kills],
    [90, killed],
  ];

  async function log(name: string): Promise<string> {
    const path = join(folder, name);
    await using writer = await LogWriter.create(path, header);
    for (const [t, statement] of play) {
      writer.add({ t, end: t, text: JSON.stringify(statement), statement, confidence: 1, cues: [] });
    }
    await writer.end(1200);
    return path;
  }

  it('merges incidents into a readable log, idempotently', async () => {
    const [path, again] = [join(folder, 'merged.ndjson'), join(folder, 'again.ndjson')];
    const first = await mergeIntoLog(await log('plain.ndjson'), all, path);
    await mergeIntoLog(path, all, again);
    expect(readFileSync(again)).toEqual(readFileSync(path));
    expect(first.events).toHaveLength(play.length + 7);
    expect(first.events.map(({ t }) => t)).toEqual(first.events.map(({ t }) => t).toSorted((a, b) => a - b));
    expect(first.header.dictionaries.map(({ name }) => name)).toEqual(['common', 'stream']);
  });

  it('never writes over the log that it reads', async () => {
    const path = await log('own.ndjson');
    const before = readFileSync(path);
    await expect(mergeIntoLog(path, all, path)).rejects.toMatchObject({ code: 'output-is-input' });
    expect(readFileSync(path)).toEqual(before);
  });

  it('counts losses under bad and good quality', async () => {
    const { report } = await mergeIntoLog(await log('report.ndjson'), all, join(folder, 'report-out.ndjson'));
    // Bad with the two seconds behind: 20–22.4, 30–33, 40–45.2, 60–68 = 18.6 s. Losses at 21.5 (1.1 s after the
    // freeze) and at 41 (in the lag) are under it, those at 25 and 90 are not.
    expect(report.bad).toBeCloseTo(18.6, 9);
    expect(report.losses).toEqual({
      total: 4,
      underBadQuality: 2,
      afterFreeze: 1,
      underGoodQuality: 2,
      rateBad: expect.closeTo((60 * 2) / 18.6, 9),
      rateGood: expect.closeTo((60 * 2) / 101.4, 9),
    });
    expect(report.wins).toMatchObject({ total: 2, underBadQuality: 1 });
    expect(report.excused.map(({ t, because }) => [t, because])).toEqual([
      [21.5, 'stream freezes for 400 milliseconds'],
      [41, 'stream lags for 3200 milliseconds'],
    ]);
  });

  it('lowers the score of events near stream faults', async () => {
    const { events } = await mergeIntoLog(await log('rank.ndjson'), all, join(folder, 'rank-out.ndjson'));
    expect(findStreamFaults(events)).toHaveLength(4);
    const factors = streamFactors([{ events }]);
    const at = (t: number) => factors(0, events.find((event) => event.t === t)!);
    expect(at(62)).toEqual([{ kind: 'quality', value: 0.5, text: 'while stream degrades for 6000 milliseconds' }]);
    expect(at(5)).toEqual([]);
    expect(at(21.5)).toEqual([{ kind: 'quality', value: 0.5, text: 'just after stream freezes for 400 milliseconds' }]);
    const spoiled = eventsNearFaults([{ events }]);
    const left = events.filter((event) => event.cues.length === 0 && !spoiled.has(event));
    expect(left.map(({ t }) => t)).toEqual([5, 25, 90]);
  });
});

/** A line of a log. */
const lineAt = (t: number, statement: Statement) => ({
  type: 'event' as const,
  id: String(t),
  t,
  end: t,
  game: 'g',
  session: 's',
  text: '',
  statement,
  confidence: 1,
  cues: [],
});

it('finds where a picture may stand still: deaths, displays and pauses', async () => {
  const { dictionary } = await loadBuiltin();
  const events = [
    lineAt(10, { subject: 'opponent', action: 'kill', object: 'player' }),
    lineAt(12, { subject: 'player', action: 'spawn' }),
    lineAt(20, { subject: 'opponent', action: 'die' }),
    lineAt(30, { subject: 'player', action: 'open', object: 'menu' }),
    lineAt(33, { subject: 'player', action: 'close', object: 'menu' }),
    lineAt(40, { subject: 'scoreboard', action: 'appear' }),
    lineAt(45, { subject: 'scoreboard', action: 'disappear' }),
    lineAt(50, { subject: 'game', action: 'pause' }),
    lineAt(58, { subject: 'game', action: 'resume' }),
    lineAt(60, { subject: 'door', action: 'open' }),
  ];
  const spans = findStillSpans(events, dictionary).filter(({ start, end }) => end > start);
  expect(spans.map(({ start, end }) => [start, end])).toEqual([
    [10, 12],
    [30, 33],
    [40, 45],
    [50, 58],
  ]);
});
