// The main job on a real recording, against truth that was read from the lossless capture by other means.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gridTimes, loadTruth } from '../truth/truth.ts';
import type { EventLine } from '../../src/events/log.ts';
import { loadLog } from '../../src/events/reader.ts';
import { evaluate } from '../../src/evaluate/evaluate.ts';
import { makeVideo } from '../fixtures/videos.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { footage } from '../paths.ts';

const media = join(footage, 'freedoom-demo1.mp4');

function said(list: readonly EventLine[]): string[] {
  return list.map(({ t, text }) => `${t} ${text}`);
}

let folder: string;
let events: readonly EventLine[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'detect-'));
  await recordLog({
    media,
    game: 'freedoom',
    out: join(folder, 'full'),
    // Readers in threads of their own, so that the trace shows messages, too.
    workers: 3,
    trace: join(folder, 'trace.json'),
  });
  ({ events } = await loadLog(join(folder, 'full')));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('detect on a recording of Freedoom', () => {
  it('reports the changes of health, armor and ammunition and the pickups of the ground truth', async () => {
    const truth = await loadTruth(join(footage, 'freedoom-demo1.truth.json'));
    const rule = { samples: 1, gaps: 3, times: gridTimes(truth.fps, truth.frames, 0.1) };
    const lines = truth.reduce({ default: rule, message: { ...rule, samples: 2 } });
    const { all, misses, falseEvents } = evaluate([{ events, truth: lines }], { tolerance: 0.15, kinds: 'truth' });
    expect(all.truth).toBeGreaterThan(40);
    // At most one in twenty of each, so that a failure shows which.
    expect(misses.slice(Math.floor(all.truth / 20))).toEqual([]);
    expect(falseEvents.slice(Math.floor(all.events / 20))).toEqual([]);
  });

  it('writes a trace in the Trace Event Format with every chunk and wait', async () => {
    const { traceEvents } = JSON.parse(await readFile(join(folder, 'trace.json'), 'utf8')) as {
      traceEvents: { name: string; ph: string; cat?: string; ts: number; dur: number; pid: number; tid: number }[];
    };
    const spans = traceEvents.filter(({ ph }) => ph === 'X');
    expect(traceEvents.every(({ ph, pid, tid }) => 'XMi'.includes(ph) && pid === 1 && tid > 0)).toBe(true);
    const runs = spans.filter(({ cat }) => cat === 'run');
    const copies = spans.filter(({ cat }) => cat === 'copy');
    expect(runs.length).toBeGreaterThan(2);
    expect(copies.map(({ name }) => name).toSorted()).toEqual(
      ['request', 'result'].flatMap((name) => runs.map(() => name)),
    );
    // Tolerance: times are rounded to microseconds, and the span of a run ends just after its result was taken out.
    const inside = ({ tid, ts, dur }: (typeof spans)[number]) =>
      runs.filter((run) => run.tid === tid && ts >= run.ts - 2 && ts + dur <= run.ts + run.dur + 2);
    expect(copies.map((copy) => inside(copy).length)).toEqual(copies.map(() => 1));
  });

  it('gives the same events with the adaptive plan', async () => {
    await recordLog({ media, game: 'freedoom', out: join(folder, 'adaptive'), plan: 'adaptive', workers: 2 });
    const { events: adaptive } = await loadLog(join(folder, 'adaptive'));
    expect(said(adaptive)).toEqual(said(events));
  });

  it('refuses a start after the end, and a still image', async () => {
    const out = join(folder, 'refused');
    await expect(recordLog({ media, game: 'freedoom', out, from: 500, workers: 1 })).rejects.toMatchObject({
      code: 'nothing-to-read',
      message: expect.stringContaining('ends at 00:42.0, before --from 08:20.0'),
    });
    const picture = join(folder, 'picture.mp4');
    makeVideo({ path: picture, pts: [0], timeBase: { num: 1, den: 25 } });
    await expect(recordLog({ media: picture, game: 'freedoom', out, workers: 1 })).rejects.toMatchObject({
      code: 'not-a-video',
      message: expect.stringContaining('is a single picture'),
    });
  });

  it('writes a header with the inputs of the log and nothing about the machine', async () => {
    const [first] = (await readFile(join(folder, 'full', 'events.ndjson'), 'utf8')).split('\n');
    const header = JSON.parse(first!) as Record<string, unknown>;
    expect(header).toMatchObject({ type: 'header', format: 'playbyplay/1', game: 'freedoom' });
    expect(first).not.toContain(folder);
    expect(first).not.toContain(footage);
  });
});
