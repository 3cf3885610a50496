import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { remux } from '../../../test/fixtures/remux.ts';
import { makeVideo } from '../../../test/fixtures/videos.ts';
import { clip } from '../../../test/paths.ts';
import { scoreFiles } from '../score.ts';
import { analyzeFiles } from '../timeline.ts';
import { readVideo } from './video.ts';

const folder = mkdtempSync(join(tmpdir(), 'quality-video-'));
afterAll(() => rmSync(folder, { recursive: true }));
const frames = Array.from({ length: 240 }, (_, i) => i);
const timeBase = { num: 1, den: 60_000 };

function tone(t: number): number {
  return 0.3 * Math.sin(2 * Math.PI * 440 * t);
}

function frozen(frame: number): number {
  if (frame >= 100 && frame <= 123) return 99;
  return frame === 150 || frame === 160 ? frame - 1 : frame;
}

/** Reads recordings whose log says that the picture may stand still. */
const readerOf = (still: { readonly start: number; readonly end: number }) => (path: string) =>
  readVideo(path, { still: [still] });

describe('a recording', () => {
  it('has even deltas, no duplicates and the bitrate of its packets', async () => {
    const path = join(folder, 'even.mp4');
    const packets = makeVideo({ path, pts: frames.map((i) => 1000 * i), timeBase });
    const [scored] = await scoreFiles([path], { video: readVideo });
    expect(scored).toMatchObject({
      format: 'video',
      info: { fps: 60, width: 128, height: 96 },
      counts: { frames: 240, duplicates: 0, timestampGaps: 0 },
      issues: [],
    });
    const { captureDelta, presentDelta } = scored!.quality.components;
    expect([captureDelta!.mean, captureDelta!.max, presentDelta!.max].map((ms) => Math.round(ms * 10) / 10)).toEqual([
      16.7, 16.7, 16.7,
    ]);
    const input = await readVideo(path);
    const rates: number[] = [];
    for await (const records of input.records())
      for (const { targetBitrate } of records) if (targetBitrate !== undefined) rates.push(targetBitrate);
    // Four seconds of sixty frames: one stretch, whatever its keyframes weigh.
    expect(rates).toEqual([expect.closeTo(packets.reduce((sum, { size }) => sum + 8 * size, 0) / 4, -2)]);
  });

  it('has capture deltas across repeated pictures, and the frozen span', async () => {
    const path = join(folder, 'frozen.mp4');
    // Frames 100 to 123 repeat 99 — 0.4 s until 124 comes — and 150 and 160 repeat the frame before each.
    makeVideo({ path, pts: frames.map((i) => 1000 * i), timeBase, shows: frozen, keyEvery: 30 });
    const [view] = await analyzeFiles([path], { video: readVideo });
    const { counts, extra, quality } = view!.scored;
    // The picture after the repeat at 150 differs no more than its neighbours, so nothing shows that one was lost.
    expect(counts).toMatchObject({ duplicates: 24 + 1, uncertain: 1, timestampGaps: 0 });
    expect(extra!['frozen']).toEqual([{ t: expect.closeTo(99 / 60, 4), end: expect.closeTo(124 / 60, 4) }]);
    expect(quality.components['captureDelta']!.max).toBeCloseTo((1000 / 60) * 25, 2);
    expect(quality.components['presentDelta']!.max).toBeCloseTo(1000 / 60, 2);
    // The stream stood still though its frames came: that is what happened to who watched, and not that its rate fell.
    expect(view!.incidents).toEqual([
      { kind: 'freeze', t: expect.closeTo(99 / 60, 4), end: expect.closeTo(124 / 60, 4), ms: expect.closeTo(416.7, 1) },
    ]);
  });

  it('has no freeze where a log says that the picture may stand still', async () => {
    const path = join(folder, 'frozen-log.mp4');
    makeVideo({ path, pts: frames.map((i) => 1000 * i), timeBase, shows: frozen, keyEvery: 30 });
    // The picture stands from 1.65 to 2.05 s. A death whose log line comes two frames late explains it.
    const [explained] = await scoreFiles([path], { video: readerOf({ start: 1.7, end: 2.2 }) });
    expect(explained!.extra!['frozen']).toEqual([]);
    expect(explained!.counts).toMatchObject({ still: 24 });
    // One that ends before the picture goes on does not, nor does one long after its begin.
    for (const span of [
      { start: 1.5, end: 1.9 },
      { start: 2.3, end: 3 },
    ]) {
      const [scored] = await scoreFiles([path], { video: readerOf(span) });
      expect(scored!.extra!['frozen']).toHaveLength(1);
    }
  });

  it('has present deltas across a jump of the timestamps', async () => {
    const path = join(folder, 'gap.mp4');
    makeVideo({ path, pts: frames.map((i) => 1000 * i + (i >= 80 ? 18_000 : 0)), timeBase });
    const [view] = await analyzeFiles([path], { video: readVideo });
    expect(view!.scored.counts).toMatchObject({ duplicates: 0, timestampGaps: 1 });
    expect(view!.scored.quality.components['presentDelta']!.max).toBeCloseTo(300 + 1000 / 60, 2);
    expect(view!.incidents.filter(({ kind }) => kind === 'freeze')).toMatchObject([{ t: expect.closeTo(79 / 60, 3) }]);
  });

  it('has no freeze in a still scene, which resumes where it stopped', async () => {
    const path = join(folder, 'menu.mp4');
    // A picture that stands from the beginning on, and moves from frame 120.
    makeVideo({ path, pts: frames.map((i) => 1000 * i), timeBase, shows: (i) => Math.max(0, i - 120) });
    const [scored] = await scoreFiles([path], { video: readVideo });
    expect(scored!.counts).toMatchObject({ duplicates: 0, still: 120 });
    expect(scored!.extra!['frozen']).toEqual([]);
    expect(scored!.quality.components['captureDelta']!.max).toBeLessThan(17);
  });

  it('that stands in the middle of motion and goes on where it stood has a freeze if its sound stops, too', async () => {
    const [from, to] = [100, 130];
    const shows = (i: number): number => (i < from ? i : Math.max(from - 1, i - (to - from)));
    // A slope of brightness moves by three columns a frame, and after the stand by as much: nothing shows that frames were lost.
    const paint = ([luma, ...chroma]: readonly Uint8Array[], [stride]: readonly number[], frame: number): void => {
      for (const plane of chroma) plane.fill(128);
      for (let i = 0; i < luma!.length; i++) luma![i] = 40 + (((i % stride!) * 2 + 6 * shows(frame)) % 160);
    };
    const sounds = { plays: tone, stops: (t: number) => (t >= from / 60 && t < to / 60 ? 0 : tone(t)) };
    const found = await Promise.all(
      Object.entries(sounds).map(async ([name, wave]) => {
        const path = join(folder, `sound-${name}.mkv`);
        const audio = [{ frequency: 440, from: 0, to: 4, length: 4, wave }];
        makeVideo({ path, pts: frames.map((i) => 1000 * i), timeBase, paint, audio });
        const [scored] = await scoreFiles([path], { video: readVideo });
        return [name, scored!.extra!['frozen'], scored!.extra!['uncertainFreezes']];
      }),
    );
    const stretch = { t: expect.closeTo((from - 1) / 60, 3), end: expect.closeTo(to / 60, 3) };
    expect(found).toEqual([
      ['plays', [], [stretch]],
      ['stops', [stretch], []],
    ]);
  });

  it('is read as far as possible if damaged, with a warning', async () => {
    const path = join(folder, 'cut.mkv');
    makeVideo({ path, pts: frames.map((i) => 1000 * i), timeBase });
    const bytes = readFileSync(path);
    const cut = join(folder, 'cut-off.mkv');
    writeFileSync(cut, bytes.subarray(0, Math.floor(bytes.length * 0.6)));
    const [scored] = await scoreFiles([cut], { video: readVideo });
    expect(scored!.counts['frames']).toBeGreaterThan(80);
    expect(scored!.counts['frames']).toBeLessThan(200);
    const damaged = join(folder, 'damaged.mkv');
    const broken = Buffer.from(bytes);
    broken.fill(0x55, Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.42));
    writeFileSync(damaged, broken);
    const [hurt] = await scoreFiles([damaged], { video: readVideo });
    expect(hurt!.issues.length).toBeGreaterThan(0);
    expect(hurt!.quality.frames).toBeGreaterThan(150);
  });

  it('of a game has its frame rate and hardly any repeated pictures', async () => {
    const part = join(folder, 'game.mkv');
    remux(clip, part, 'matroska', { seconds: 12 });
    const [scored] = await scoreFiles([part], { video: readVideo });
    // 12 s of packets: two more than are shown in this time, as B-frames are decoded after the pictures that they depend on.
    expect(scored).toMatchObject({ info: { fps: 35, width: 1280 }, counts: { frames: 422, timestampGaps: 0 } });
    expect(scored!.counts['duplicates']).toBeLessThan(5);
    expect(scored!.quality.picture).toBeGreaterThan(20);
  });
});
