import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FormatContext, Packet } from 'node-av/lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFrames, writeFlashClip } from '../../../test/fixtures/flash-clip.ts';
import { readChapters } from '../container/chapters.ts';
import { readEmbeddedLog } from '../../events/embedded.ts';
import { EBML, elementsIn, readUnsigned } from '../../events/ebml.ts';
import { type Cut, type ReelOptions, writeReel } from './reel.ts';

const folder = mkdtempSync(join(tmpdir(), 'finish-'));
const clip = join(folder, 'clip.mp4');
const path = join(folder, 'reel.mp4');
const log = '{"type":"header"}\n{"type":"end"}\n';

beforeAll(async () => {
  await writeFlashClip(clip, { seconds: 5 });
  const cuts = [{ media: clip, start: 0.5, end: 4.5 }];
  const options: ReelOptions = {
    prepare: (plan) => ({
      captions: [
        { start: 0.5, end: 1.5, text: 'first “Ж”' },
        { start: 2, end: 3, text: 'second' },
      ],
      chapters: [
        { start: 0, end: 1.25, title: 'Anfang' },
        { start: 1.25, end: plan.duration, title: 'ende – é' },
      ],
      log,
      title: 'Ein Titel',
    }),
  };
  await writeReel(path, cuts, options);
  for (const name of ['reel.mkv', 'reel.webm'])
    await writeReel(join(folder, name), cuts.map(short), { ...options, quality: 50 });
});

function short(cut: Cut): Cut {
  return { ...cut, end: 2 };
}
afterAll(() => rmSync(folder, { recursive: true }));

describe('mp4 additions', () => {
  it('puts the index before the frames, which are still found', () => {
    const bytes = readFileSync(path);
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
    expect(readFrames(path).map(({ number }) => number)).toEqual(Array.from({ length: 120 }, (_, i) => 15 + i));
  });

  it('contains the log, which is found without reading the frames', async () => {
    expect(await readEmbeddedLog(path)).toBe(log);
    expect(await readEmbeddedLog(clip)).toBeUndefined();
    expect(await readEmbeddedLog(join(folder, 'none.mp4'))).toBeUndefined();
  });

  it('lists its chapters in 100 ns with names in UTF-8', () => {
    const bytes = readFileSync(path);
    // Version 1, four reserved bytes, a count; then time and name behind its length.
    let at = bytes.indexOf('chpl') + 4 + 4 + 4;
    const chapters = Array.from({ length: bytes[at++]! }, () => {
      const start = Number(bytes.readBigUInt64BE(at)) / 1e7;
      const length = bytes[at + 8]!;
      const title = bytes.toString('utf8', at + 9, at + 9 + length);
      at += 9 + length;
      return { start, title };
    });
    expect(chapters).toEqual([
      { start: 0, title: 'Anfang' },
      { start: 1.25, title: 'ende – é' },
    ]);
  });

  it.each(['reel.mp4', 'reel.mkv'])('has chapters that are read from %s', async (name) => {
    expect(await readChapters(join(folder, name))).toEqual([
      { t: 0, title: 'Anfang' },
      { t: 1.25, title: 'ende – é' },
    ]);
    expect(await readChapters(clip)).toEqual([]);
  });

  it('contains title, timed captions and a track of chapter titles that FFmpeg reads', () => {
    const context = new FormatContext();
    context.openInputSync(path, null, null);
    context.findStreamInfoSync(null);
    expect(context.metadata?.get('title')).toBe('Ein Titel');
    const texts = new Map<number, { t: number; text: string }[]>();
    const packet = new Packet();
    packet.alloc();
    const textStreams = context.streams.slice(2).map(({ index }) => index);
    while (context.readFrameSync(packet) >= 0) {
      if (textStreams.includes(packet.streamIndex) && packet.data && packet.data.length > 2) {
        const { num, den } = context.streams[packet.streamIndex]!.timeBase;
        const list = texts.get(packet.streamIndex) ?? [];
        const length = packet.data.readUInt16BE(0);
        list.push({ t: (Number(packet.pts) * num) / den, text: packet.data.toString('utf8', 2, 2 + length) });
        texts.set(packet.streamIndex, list);
      }
      packet.unref();
    }
    context.closeInputSync();
    expect(texts.get(2)).toEqual([
      { t: 0.5, text: 'first “Ж”' },
      { t: 2, text: 'second' },
    ]);
  });
});

describe('mkv and webm additions', () => {
  it.each(['reel.mkv', 'reel.webm'])('%s: lists chapters in ns where the seek head says', (name) => {
    const bytes = readFileSync(join(folder, name));
    const segment = elementsIn(bytes).find(({ id }) => id === EBML.segment)!;
    expect(segment.to).toBe(bytes.length);
    const parts = elementsIn(bytes, segment.from, segment.to);
    const chapters = parts.find(({ id }) => id === EBML.chapters)!;
    const [list] = parts;
    const places = elementsIn(bytes, list!.from, list!.to).map(({ from, to }) => {
      const [id, position] = elementsIn(bytes, from, to).map((each) =>
        readUnsigned(bytes.subarray(each.from, each.to)),
      );
      return [id, segment.from + position!];
    });
    expect(places).toContainEqual([EBML.chapters, chapters.start]);
    for (const [id, place] of places) expect(parts.find(({ start }) => start === place)?.id).toBe(id);
    const [edition] = elementsIn(bytes, chapters.from, chapters.to);
    const starts = elementsIn(bytes, edition!.from, edition!.to).map(({ from, to }) => {
      const start = elementsIn(bytes, from, to).find(({ id }) => id === EBML.chapterStart)!;
      return readUnsigned(bytes.subarray(start.from, start.to)) / 1e9;
    });
    expect(starts).toEqual([0, 1.25]);
    expect(bytes.indexOf('ende – é')).toBeGreaterThan(chapters.start);
  });

  it('contains title, frames and the log as an attachment that FFmpeg reads', () => {
    const context = new FormatContext();
    context.openInputSync(join(folder, 'reel.mkv'), null, null);
    context.findStreamInfoSync(null);
    expect(context.metadata?.get('title')).toBe('Ein Titel');
    const attached = context.streams.find(({ metadata }) => metadata?.get('filename') === 'events.ndjson');
    expect(attached?.codecpar.extradata?.toString()).toBe(log);
    context.closeInputSync();
    expect(readFrames(join(folder, 'reel.mkv')).map(({ number }) => number)).toEqual(
      Array.from({ length: 45 }, (_, i) => 15 + i),
    );
  });

  it('contains the log in mkv only', async () => {
    expect(await readEmbeddedLog(join(folder, 'reel.mkv'))).toBe(log);
    expect(await readEmbeddedLog(join(folder, 'reel.webm'))).toBeUndefined();
  });
});
