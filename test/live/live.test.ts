import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventLine } from '../../src/events/log.ts';
import { loadLog } from '../../src/events/reader.ts';
import { parseLiveSource } from '../../src/media/live/source.ts';
import { detect } from '../../src/pipeline/detect.ts';
import { type Game, openGame } from '../../src/pipeline/game.ts';
import type { DetectMessage } from '../../src/pipeline/messages.ts';
import { recordLive } from '../../src/pipeline/live/record-live.ts';
import { watch, type WatchOptions } from '../../src/pipeline/live/watch.ts';
import { openSource } from '../../src/pipeline/source.ts';
import { writeGame } from '../fixtures/games.ts';
import { remux } from '../fixtures/remux.ts';
import { makeVideo } from '../fixtures/videos.ts';
import { root } from '../paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-live-'));
const recording = join(root, 'test/footage/freedoom-demo1.mp4');
const SECONDS = 7;
/** What comes later is not stated before the recording is over. */
const END = SECONDS - 2;
let game: Game;
let detected: readonly EventLine[];

beforeAll(async () => {
  game = await openGame('freedoom');
  const finished = join(folder, 'finished.mkv');
  remux(recording, finished, 'matroska', { seconds: SECONDS });
  using source = await openSource(finished);
  const events: EventLine[] = [];
  for await (const message of detect(source, game, { workers: 1, place: 'default' }))
    if (message.type === 'event') events.push(message);
  detected = events;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function watched(
  source: string,
  options: Partial<WatchOptions> = {},
  shown = game,
): Promise<readonly DetectMessage[]> {
  const messages: DetectMessage[] = [];
  for await (const message of watch(parseLiveSource(source), shown, {
    identity: '0'.repeat(32),
    readsAll: true,
    ...options,
  }))
    messages.push(message);
  return messages;
}

function eventsOf(messages: readonly DetectMessage[]) {
  return messages.filter((message) => message.type === 'event').map(withoutSession);
}

/** A rule by which a sound makes an event. */
function found(detector: string, object: string): object {
  return { on: { detector, trigger: 'found' }, statement: { subject: 'player', action: 'obtain', object } };
}

/** The session is named after the content, which is not known yet while a recording grows. */
function withoutSession(event: EventLine) {
  return { ...event, session: 'the session' };
}

describe('a file that another program writes', () => {
  it('gives the events of the finished recording, and a log with its duration', async () => {
    const finished = readFileSync(join(folder, 'finished.mkv'));
    const growing = join(folder, 'growing.mkv');
    writeFileSync(growing, finished.subarray(0, 5000));
    const write = async (): Promise<void> => {
      for (let at = 5000; at < finished.length; at += 20_000) {
        appendFileSync(growing, finished.subarray(at, at + 20_000));
        await turn();
      }
    };
    const out = join(folder, 'log');
    const record = async (): Promise<readonly DetectMessage[]> =>
      await Array.fromAsync(recordLive(parseLiveSource(growing), game, { out, idleSeconds: 0.5, readsAll: true }));
    const [messages] = await Promise.all([record(), write()]);
    expect(eventsOf(messages).length).toBeGreaterThan(5);
    expect(eventsOf(messages)).toEqual(detected.map(withoutSession));
    expect(messages.at(-1)).toMatchObject({ type: 'end', events: detected.length, gaps: 0 });
    const { header, lines } = await loadLog(join(out, 'events.ndjson'));
    expect(header.media.duration).toBeCloseTo(SECONDS, 0);
    expect(lines.filter(({ type }) => type === 'event')).toHaveLength(detected.length);
  });
});

describe('standard input', () => {
  it('gives the events of the finished recording, each stated before it is certain', async () => {
    const stream = join(folder, 'stream.ts');
    remux(recording, stream, 'mpegts', { seconds: SECONDS });
    const messages = await watched('-', { stdin: Readable.from([readFileSync(stream)]) });
    const events = eventsOf(messages);
    expect(events.map(({ statement }) => statement)).toEqual(detected.map(({ statement }) => statement));
    // Matroska counts milliseconds, MPEG-TS ninetieths of them.
    for (const [i, { t }] of events.entries()) expect(Math.abs(t - detected[i]!.t)).toBeLessThan(0.001);
    const early = messages.flatMap((message, i) => (message.type === 'early' ? [{ id: message.id, i }] : []));
    const late = messages.filter(
      (message, i) =>
        message.type === 'event' && message.t < END && !early.some((one) => one.id === message.id && one.i < i),
    );
    expect(late).toEqual([]);
  });

  it('is read on where the codec changes in mid-stream', async () => {
    const timeBase = { num: 1, den: 25 };
    const parts = ['libx264', 'mpeg2video'].map((codec, i) => {
      const path = join(folder, `${codec}.ts`);
      const pts = Array.from({ length: 50 }, (_, frame) => 50 * i + frame);
      makeVideo({ path, codec, width: 640, height: 360, pts, timeBase, options: { bf: 0 } });
      return readFileSync(path);
    });
    const messages = await watched('-', { stdin: Readable.from(parts) });
    const gaps = messages.filter((message) => message.type === 'gap');
    expect(gaps.map(({ reason }) => reason)).toEqual(['the codec changes']);
    expect(gaps[0]!.t).toBeGreaterThan(1.5);
    expect(gaps[0]!.end).toBeLessThan(2.5);
    expect(messages.findLast(({ type }) => type === 'progress')).toMatchObject({ done: expect.closeTo(3.96, 1) });
  });

  it('replaces the log of a session that was interrupted, where that is asked for', async () => {
    const out = join(folder, 'replaced');
    const record = async (seconds: number, overwrite: boolean): Promise<void> => {
      const stream = join(folder, `${seconds}.ts`);
      remux(recording, stream, 'mpegts', { seconds });
      await Array.fromAsync(
        recordLive(parseLiveSource('-'), game, {
          out,
          overwrite,
          readsAll: true,
          stdin: Readable.from([readFileSync(stream)]),
        }),
      );
    };
    await record(1, false);
    const path = join(out, 'events.ndjson');
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, lines.filter((line) => !line.startsWith('{"type":"end"')).join('\n'));
    await record(SECONDS, true);
    const statements = (await loadLog(path)).lines.flatMap((line) => (line.type === 'event' ? [line.statement] : []));
    expect(statements).toEqual(detected.map(({ statement }) => statement));
  });
});

describe('sound', () => {
  const recordingWithSound = join(folder, 'sound.mp4');
  let heard: Game;

  beforeAll(async () => {
    const tone = { length: 8, to: 16, frequency: 440 };
    const pts = Array.from({ length: 200 }, (_, i) => i * 40);
    const audio = [
      { ...tone, from: 2.5 },
      { ...tone, from: 4.2 },
    ];
    makeVideo({ path: recordingWithSound, pts, timeBase: { num: 1, den: 1000 }, audio });
    heard = await openGame(
      writeGame(folder, 'sounds', {
        reference: { width: 128, height: 96 },
        sampling: { interval: 0.2 },
        regions: { view: { x: 0, y: 0, width: 1, height: 1 } },
        detectors: {
          view: { kind: 'color', region: 'view', colors: { dark: '#000000' } },
          first: { kind: 'sound', of: 'onset' },
          second: { kind: 'sound', of: 'onset', track: 1 },
        },
        events: [found('first', 'shotgun'), found('second', 'pistol')],
        dictionaries: [],
      }),
    );
  });

  /** Events of the finished stream, and the messages of a session that watches it. */
  async function compare(late: number) {
    const stream = join(folder, `late${late}.ts`);
    remux(recordingWithSound, stream, 'mpegts', { sound: { late } });
    using source = await openSource(stream);
    const messages = await Array.fromAsync(detect(source, heard, { workers: 1, place: 'default' }));
    const stdin = Readable.from([readFileSync(stream)]);
    return { finished: eventsOf(messages), live: await watched('-', { stdin }, heard) };
  }

  it.each([0, 1.5])('gives the events of the finished recording where it arrives %d s late', async (late) => {
    const { finished, live } = await compare(late);
    expect(finished.map(({ text }) => text)).toEqual(['player obtains shotgun', 'player obtains pistol']);
    expect(eventsOf(live)).toEqual(finished);
    expect(live.filter(({ type }) => type === 'gap')).toEqual([]);
  });

  it('is a gap where it arrives too late, while pictures are read on', async () => {
    const { live } = await compare(5);
    expect(eventsOf(live)).toEqual([]);
    const gaps = live.filter((message) => message.type === 'gap');
    expect(gaps.map(({ reason }) => reason)).toContain('sound is late');
    expect(live.at(-1)).toMatchObject({ type: 'end', samples: expect.toSatisfy((count: number) => count >= 40) });
  });
});
