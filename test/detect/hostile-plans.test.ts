// Changes where the adaptive plan could miss them: pictures of a real recording, put together anew and encoded with keyframes here and there.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTruth } from '../truth/truth.ts';
import { valueAt } from '../truth/series.ts';
import { loadLog } from '../../src/events/reader.ts';
import { isGap, decodeFrames } from '../../src/media/decode/decode-frames.ts';
import { createChunk, findGroup } from '../../src/media/packets/packet-index.ts';
import { scanPackets } from '../../src/media/packets/scan-packets.ts';
import { halved, makeVideo } from '../fixtures/videos.ts';
import { openVideo } from '../../src/media/video.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { clip, footage, root } from '../paths.ts';

const own = join(root, 'configs', 'freedoom');
/** Frames of the recording, which shows 35 a second: each has another health or ammunition. */
const STILLS = { start: 60, shotgun: 140, hit: 215, low: 290, lower: 340, other: 510 } as const;
type Still = keyof typeof STILLS;
/** Frames a second of what is put together. */
const FPS = 8.75;

/** Seconds from which on a still is shown. */
type Schedule = readonly (readonly [t: number, still: Still])[];

const END = 12.8;
/** Every 18 frames a keyframe: at 0, 2.06, 4.11, 6.17, 8.23, 10.29 and 12.34 s. */
const calm: Schedule = [
  [0, 'start'],
  // In the first group…
  [0.34, 'shotgun'],
  // …exactly at a keyframe…
  [36 / FPS, 'hit'],
  // …with the last sample before one…
  [71 / FPS, 'low'],
  // …and in the last group.
  [12.46, 'lower'],
];
const hostile: Schedule = [
  ...calm.slice(0, 3),
  // Two changes that cancel out between two keyframes, and a screen on which nothing else is read.
  [6.4, 'low'],
  [7.3, 'hit'],
  [8.5, 'other'],
  [9.4, 'hit'],
  [12.46, 'lower'],
];

/** The full plan does not care where keyframes are. */
const BOTH = ['full', 'adaptive'] as const;
const ADAPTIVE = ['adaptive'] as const;

let folder: string;
let stills: ReadonlyMap<Still, readonly Uint8Array[]>;
let shown: ReadonlyMap<Still, { readonly health: number; readonly ammunition: number }>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'));
  const truth = await loadTruth(join(footage, 'freedoom-demo1.truth.json'));
  using video = openVideo(clip);
  const index = scanPackets(video);
  const names = Object.keys(STILLS) as Still[];
  stills = new Map(
    names.map((name) => {
      const group = findGroup(index, STILLS[name]);
      const [item] = decodeFrames(video, index, createChunk(index, group, group + 1), [STILLS[name]]);
      if (!item || isGap(item)) throw new Error(`frame ${STILLS[name]} cannot be decoded`);
      using picture = item;
      return [name, [picture.y, picture.u, picture.v].map(halved)];
    }),
  );
  const at = (series: string, name: Still): number => Number(valueAt(truth.series[series]!, STILLS[name] / truth.fps));
  shown = new Map(names.map((name) => [name, { health: at('health', name), ammunition: at('ammunition', name) }]));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function encoded(name: string, schedule: Schedule, keyEvery: number): string {
  const path = join(folder, `${name}.mp4`);
  makeVideo({
    path,
    width: 640,
    height: 360,
    pts: Array.from({ length: Math.round(END * FPS) }, (_, i) => 4 * i),
    timeBase: { num: 1, den: 35 },
    keyEvery,
    options: { preset: 'ultrafast', sc_threshold: 0, crf: 20 },
    paint: (planes, strides, frame) => {
      const [, still] = schedule.findLast(([t]) => t <= frame / FPS + 1e-6)!;
      for (const [i, plane] of stills.get(still)!.entries()) {
        const width = i === 0 ? 640 : 320;
        for (let y = 0; y * width < plane.length; y++)
          planes[i]!.set(plane.subarray(y * width, (y + 1) * width), y * strides[i]!);
      }
    },
  });
  return path;
}

/** A pack that reads two figures of the status bar; one value of the first counts as another screen. */
async function packOf(persists: number): Promise<string> {
  const name = `persists${100 * persists}`;
  const at = join(folder, name, 'configs', name);
  await mkdir(at, { recursive: true });
  await cp(join(own, 'fonts'), join(at, 'fonts'), { recursive: true });
  await cp(join(own, 'light.json'), join(at, 'light.json'));
  const { format, title, version, reference, regions, detectors } = JSON.parse(
    await readFile(join(own, 'profile.json'), 'utf8'),
  ) as Profile;
  const profile = {
    format,
    game: name,
    title,
    version,
    reference,
    sampling: { interval: 0.1 },
    regions: Object.fromEntries(['health', 'ammunition', 'labels'].map((region) => [region, regions[region]])),
    screens: { other: { detector: 'health', value: shown.get('other')!.health } },
    detectors: Object.fromEntries(
      ['health', 'ammunition'].map((figure) => [figure, { ...detectors[figure]!, persists }]),
    ),
    events: ['health', 'ammunition'].map((property) => ({
      on: { detector: property, trigger: 'changed' },
      statement: { subject: 'player', property, from: '$previous', to: '$value' },
    })),
  };
  await writeFile(join(at, 'profile.json'), JSON.stringify(profile));
  return join(folder, name);
}

async function said(media: string, game: string, plan: 'full' | 'adaptive') {
  const out = join(game, plan);
  await recordLog({ media, game, out, plan, workers: 1, place: 'default' });
  return (await loadLog(out)).events.map(({ t, statement }) => ({ t, statement }));
}

/** What the stills in a row show to change: on the other screen no ammunition is read. */
function changesIn(schedule: Schedule): unknown[] {
  const lines: { readonly t: number; readonly statement: object }[] = [];
  const before = { ...shown.get(schedule[0]![1])! };
  for (const [t, still] of schedule) {
    for (const property of ['health', 'ammunition'] as const) {
      const [from, to] = [before[property], shown.get(still)![property]];
      if (from === to || (still === 'other' && property === 'ammunition')) continue;
      // The first frame that shows it.
      const at = Math.round((Math.ceil(t * FPS - 1e-6) / FPS) * 1e6) / 1e6;
      lines.push({ t: at, statement: { subject: 'player', property, from, to } });
      before[property] = to;
    }
  }
  return lines;
}

describe('both plans report all changes at their exact times', () => {
  it.each([
    {
      what: 'with keyframes close enough to interpolate between them',
      schedule: calm,
      keyEvery: 18,
      persists: 2.1,
      plans: BOTH,
    },
    { what: 'where what changes soon changes back', schedule: hostile, keyEvery: 6, persists: 0.75, plans: ADAPTIVE },
    {
      what: 'where it does so behind a single keyframe',
      schedule: hostile,
      keyEvery: 200,
      persists: 0.75,
      plans: BOTH,
    },
  ])('$what', async ({ schedule, keyEvery, persists, plans }) => {
    const media = encoded(`key${keyEvery}`, schedule, keyEvery);
    const game = await packOf(persists);
    const all = changesIn(schedule);
    for (const plan of plans) expect(await said(media, game, plan)).toEqual(all);
  });
});
