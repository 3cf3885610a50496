// Compares trained networks with the profile's own detectors on recordings with truth, as recorded and degraded:
//   node bench/detectors/networks.ts <game> <detectors.json> <clip: video.mp4, truth.json>… [--interval 0.3] [--only "as recorded"]
// detectors.json holds the network detectors under the names of those they are compared with. Both read the same frames, alternating.
// Precision: share of the readings that are correct. Recall: share of the shown values that were read correctly.
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Observation } from '../../src/detectors/kind.ts';
import { isGap, decodeFrames } from '../../src/media/decode/decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../../src/media/packets/scan-packets.ts';
import type { Picture, Plane } from '../../src/media/picture.ts';
import { openVideo } from '../../src/media/video.ts';
import { compileProfile } from '../../src/pipeline/compile-profile.ts';
import { SampleReader } from '../../src/pipeline/reading/sample-reader.ts';
import { loadProfile } from '../../src/profile/load.ts';
import type { DetectorSpec, Profile } from '../../src/profile/profile.ts';
import { planSamples } from '../../src/sampling/plan.ts';
import { type Shown, valueAt } from '../../test/truth/series.ts';
import { loadTruth } from '../../test/truth/truth.ts';

/** Seconds on either side of a change that are left out: which of the two is right depends on the frame. */
const GUARD = 0.07;

type Planes = (plane: Plane, picture: Picture) => Plane;

/** Means of n × n. */
function shrunk(by: number): Planes {
  return (plane) => {
    const [width, height] = [Math.floor(plane.width / by), Math.floor(plane.height / by)];
    const data = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        let sum = 0;
        for (let j = 0; j < by; j++)
          for (let i = 0; i < by; i++) sum += plane.data[(y * by + j) * plane.stride + x * by + i]!;
        data[y * width + x] = Math.round(sum / by ** 2);
      }
    }
    return { data, stride: width, width, height };
  };
}

/** Means of (2r + 1) × (2r + 1) about each pixel. */
function blurred(r: number): Planes {
  return ({ data: from, stride, width, height }) => {
    const data = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        let [sum, count] = [0, 0];
        for (let j = Math.max(0, y - r); j <= Math.min(height - 1, y + r); j++)
          for (let i = Math.max(0, x - r); i <= Math.min(width - 1, x + r); i++, count++) sum += from[j * stride + i]!;
        data[y * width + x] = Math.round(sum / count);
      }
    }
    return { data, stride: width, width, height };
  };
}

/** Uniform noise, the same in every run. */
function noisy(size: number): Planes {
  let state = 1;
  return ({ data: from, stride, width, height }) => {
    const data = new Uint8ClampedArray(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        data[y * width + x] = from[y * stride + x]! + (state / 2 ** 31 - 1) * size;
      }
    }
    return { data: new Uint8Array(data.buffer), stride: width, width, height };
  };
}

/** Lighter or darker. */
function lit(gain: number, offset: number): Planes {
  return (plane, picture) => {
    if (plane !== picture.y) return plane;
    const { width, height, stride } = plane;
    const data = Uint8ClampedArray.from(plane.data.subarray(0, stride * height), (level) => level * gain + offset);
    return { data: new Uint8Array(data.buffer), stride, width, height };
  };
}

const RENDERINGS: Readonly<Record<string, Planes | undefined>> = {
  'as recorded': undefined,
  'half size': shrunk(2),
  'third of the size': shrunk(3),
  'blur 3 × 3': blurred(1),
  'blur 5 × 5': blurred(2),
  'noise ±25': noisy(25),
  'noise ±50': noisy(50),
  dark: lit(0.6, 0),
  faded: lit(0.6, 60),
};

function rendered(picture: Picture, change: Planes | undefined): Picture {
  if (!change) return picture;
  const [y, u, v] = [picture.y, picture.u, picture.v].map((plane) => change(plane, picture)) as [Plane, Plane, Plane];
  const { t, chromaShiftX, chromaShiftY, color } = picture;
  return { t, chromaShiftX, chromaShiftY, color, y, u, v, width: y.width, height: y.height, [Symbol.dispose]() {} };
}

interface Tally {
  right: number;
  wrong: number;
  unread: number;
  missed: number;
  nothing: number;
  rightlyNothing: number;
  readonly times: number[];
  readonly wrongly: Map<string, number>;
}

const tally = (): Tally => ({
  right: 0,
  wrong: 0,
  unread: 0,
  missed: 0,
  nothing: 0,
  rightlyNothing: 0,
  times: [],
  wrongly: new Map(),
});

function record(into: Tally, got: Observation, shown: Shown): void {
  const value = got.state === 'seen' ? got.value : null;
  if (shown === null) into.nothing++;
  if (got.state === 'unreadable') into.unread++;
  else if (value === shown) {
    if (shown === null) into.rightlyNothing++;
    else into.right++;
  } else if (value === null) into.missed++;
  else {
    into.wrong++;
    const what = `${shown ?? 'nothing'} as ${value}`;
    into.wrongly.set(what, (into.wrongly.get(what) ?? 0) + 1);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { interval: { type: 'string', default: '0.3' }, only: { type: 'string' } },
});
const [game, overlay, ...clips] = positionals;
if (game === undefined || overlay === undefined || clips.length === 0)
  throw new TypeError('usage: node bench/detectors/networks.ts <game> <detectors.json> <clip>…');
const { profile, assets } = await loadProfile(game);
const networks = JSON.parse(await readFile(overlay, 'utf8')) as Record<string, DetectorSpec>;
const names = Object.keys(networks);
// Both without their activation conditions.
const own = Object.fromEntries(
  names.map((name) => {
    const { when: _, ...spec } = profile.detectors[name]!;
    return [name, spec as DetectorSpec];
  }),
);
const sides = { [own[names[0]!]!.kind]: own, network: networks } as const;

function drawn(value: Shown): Shown {
  // OpenArena draws neither an armor of nought nor an icon for the gauntlet, and nothing while the player is dead.
  if (game !== 'openarena') return value;
  return value === 0 || value === 'gauntlet' || value === 'none'
    ? null
    : value === 'machinegun'
      ? 'machine gun'
      : value;
}

const only = Object.entries(RENDERINGS).filter(([name]) => values.only === undefined || name === values.only);
const totals = new Map<string, Tally>();
for (const clip of clips) {
  const truth = await loadTruth(clip);
  using file = openVideo(join(clip, 'video.mp4'));
  const index = scanPackets(file);
  const frames = planSamples(index, { interval: Number(values.interval) }).map(({ frame }) => frame);
  const readers = new Map<string, SampleReader>();
  const steady = (name: string, t: number): boolean =>
    valueAt(truth.series[name]!, t - GUARD) === valueAt(truth.series[name]!, t + GUARD);
  for (const chunk of splitIntoChunks(index, { minSeconds: 8 })) {
    const wanted = frames.filter((frame) => frame >= chunk.firstFrame && frame < chunk.lastFrame);
    for (const item of decodeFrames(file, index, chunk, wanted)) {
      if (isGap(item)) continue;
      using picture = item;
      for (const [rendering, change] of only) {
        const shown = rendered(picture, change);
        for (const [side, detectors] of Object.entries(sides)) {
          const key = `${rendering} ${side}`;
          let reader = readers.get(key);
          if (!reader)
            readers.set(
              key,
              (reader = await SampleReader.open(
                await compileProfile({ profile: { ...profile, detectors, screens: {} } as Profile, assets }),
                shown,
              )),
            );
          for (const [d, name] of names.entries()) {
            const due = names.map((_, i) => (i === d ? 1 : 0));
            const start = performance.now();
            const got = (await reader.read(shown, due))[d]!;
            const took = performance.now() - start;
            if (!truth.series[name] || !steady(name, picture.t)) continue;
            const total = totals.get(`${rendering}\t${side}`) ?? tally();
            totals.set(`${rendering}\t${side}`, total);
            total.times.push(took);
            record(total, got, drawn(valueAt(truth.series[name]!, picture.t)));
          }
        }
      }
    }
  }
  process.stderr.write(`${basename(clip)}\n`);
}
const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);
process.stdout.write(
  '| pictures | reader | precision | recall | not read | seen where nothing is | median cost | most frequent |\n|---|---|---|---|---|---|---|---|\n',
);
for (const [key, { right, wrong, unread, missed, nothing, rightlyNothing, times, wrongly }] of totals) {
  const [rendering, side] = key.split('\t') as [string, string];
  const all = right + wrong + unread + missed + rightlyNothing;
  const worst = [...wrongly]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, 3)
    .map(([what, n]) => `${n} × ${what}`);
  const falsely = [...wrongly].reduce((sum, [what, n]) => sum + (what.startsWith('nothing') ? n : 0), 0);
  const median = times.toSorted((a, b) => a - b)[times.length >> 1]!;
  const cells = [
    rendering,
    side,
    `${right}/${right + wrong} (${percent(right, right + wrong)})`,
    `${right}/${all - nothing} (${percent(right, all - nothing)})`,
    String(unread),
    `${falsely}/${nothing}`,
    `${median.toFixed(2)} ms`,
    worst.join('; '),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
