// Evaluates the icon detector on recordings with truth: the ammunition icons of OpenArena, which swing over moving scenery. Variants are
// learned from alternate stretches of each weapon and tested on the others, as recorded and degraded. Prints accuracy, median
// time per reading, calibration, and the best logistic weights (src/detectors/icon/decide.ts).
//
//   node bench/detectors/icons.ts <folder of an openarena clip: video.mp4, truth.json>
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openIcons } from '../../src/detectors/icon/index.ts';
import { learnTemplate } from '../../src/detectors/icon/template.ts';
import type { Template } from '../../src/detectors/icon/template.ts';
import type { Detector, Observation, PreparedCrop } from '../../src/detectors/kind.ts';
import { eachFrame, viewOfImage } from '../../test/fixtures/views.ts';
import { cropRgb } from '../../src/regions/crop.ts';
import { compilePreprocess } from '../../src/regions/preprocess/compile.ts';

interface Row {
  readonly frame: number;
  readonly weapon: string;
  readonly dead: boolean;
}
interface Sample {
  readonly crop: PreparedCrop;
  /** The weapon whose icon is shown; undefined: none is. */
  readonly name: string | undefined;
  readonly frame: number;
  readonly training: boolean;
}

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: node bench/detectors/icons.ts <folder of an openarena clip>\n');
  process.exit(2);
}
const truth = JSON.parse(readFileSync(join(folder, 'truth.json'), 'utf8')) as { frames: number; series: Row[] };

/** Pixels of 1280×720 in which the icon swings, with a margin. */
const RECT = { x: 198, y: 640, width: 100, height: 76 };
/** Frames on either side of a change that are left out: the figure lags by one snapshot. */
const GUARD = 6;
const VARIANTS = 4;

function rowAt(frame: number): Row {
  return truth.series.findLast((row) => row.frame <= frame) ?? truth.series[0]!;
}

function collect(): readonly Sample[] {
  const wanted: { frame: number; name: string | undefined; training: boolean }[] = [];
  for (let frame = 20; frame < truth.frames - GUARD; frame += 4) {
    const [before, now, after] = [rowAt(frame - GUARD), rowAt(frame), rowAt(frame + GUARD)];
    if (before.weapon !== now.weapon || after.weapon !== now.weapon || before.dead || now.dead || after.dead) continue;
    // Stretches of two seconds belong to one side, so that no test crop has a neighbour in training.
    const training = Math.floor(frame / 60) % 2 === 0;
    wanted.push({ frame, name: now.weapon === 'gauntlet' || now.weapon === 'none' ? undefined : now.weapon, training });
  }
  const samples: Sample[] = [];
  let next = 0;
  eachFrame(
    join(folder!, 'video.mp4'),
    wanted.map(({ frame }) => frame),
    (picture) => {
      const crop: PreparedCrop = { data: cropRgb(picture, RECT), width: RECT.width, height: RECT.height, channels: 3 };
      samples.push({ ...wanted[next++]!, crop });
    },
  );
  return samples;
}

/** Pixel by pixel difference of two crops. */
function difference(a: PreparedCrop, b: PreparedCrop): number {
  let sum = 0;
  for (let i = 0; i < a.data.length; i++) sum += Math.abs(a.data[i]! - b.data[i]!);
  return sum;
}

/** Templates of the positions in which an icon is seen: crops grouped around the most different ones (farthest first). */
function learn(crops: readonly PreparedCrop[]): readonly Template[] {
  if (crops.length < 2) return [];
  const centres = [crops[0]!];
  const nearest = (crop: PreparedCrop): number =>
    centres.reduce((best, centre, i) => (difference(crop, centre) < difference(crop, centres[best]!) ? i : best), 0);
  while (centres.length < VARIANTS && centres.length < crops.length / 2) {
    const farthest = crops.reduce((best, crop) =>
      difference(crop, centres[nearest(crop)]!) > difference(best, centres[nearest(best)]!) ? crop : best,
    );
    centres.push(farthest);
  }
  return centres.flatMap((_, i) => {
    const group = crops.filter((crop) => nearest(crop) === i);
    return group.length < 2 ? [] : [cutMask(learnTemplate(group, 20))];
  });
}

/** The middle of a learned crop: leaves a margin for motion and excludes scenery that happened not to move. */
function cutMask(template: Template): Template {
  const [left, top, width, height] = [12, 8, 80, 60];
  const rgb = new Uint8Array(width * height * 3);
  const mask = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = (y + top) * template.width + x + left;
      mask[y * width + x] = template.mask[from]!;
      for (let k = 0; k < 3; k++) rgb[3 * (y * width + x) + k] = template.rgb[3 * from + k]!;
    }
  }
  return { width, height, rgb, mask };
}

const degradations: Readonly<
  Record<
    string,
    { readonly steps: Parameters<typeof compilePreprocess>[0]; readonly scale: number; readonly noise?: number }
  >
> = {
  'as recorded': { steps: [], scale: 1 },
  'half size': { steps: [{ step: 'resize', factor: 0.5 }], scale: 0.5 },
  '1.5 times': { steps: [{ step: 'resize', factor: 1.5 }], scale: 1.5 },
  'blur 0.7': { steps: [{ step: 'blur', sigma: 0.7 }], scale: 1 },
  'blur 1': { steps: [{ step: 'blur', sigma: 1 }], scale: 1 },
  'blur 1.5': { steps: [{ step: 'blur', sigma: 1.5 }], scale: 1 },
  'blur 2': { steps: [{ step: 'blur', sigma: 2 }], scale: 1 },
  'blur 3': { steps: [{ step: 'blur', sigma: 3 }], scale: 1 },
  'noise 25': { steps: [], scale: 1, noise: 25 },
  'noise 60': { steps: [], scale: 1, noise: 60 },
};

async function degrade(crop: PreparedCrop, name: string): Promise<PreparedCrop> {
  const { steps, noise } = degradations[name]!;
  const { run } = compilePreprocess(steps, { width: crop.width, height: crop.height, scaleX: 1, scaleY: 1 });
  const made = await run(crop);
  if (!noise) return made;
  let state = 1;
  const data = Uint8ClampedArray.from(made.data, (level) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return level + (state / 2 ** 31 - 1) * noise;
  });
  return { ...made, data: new Uint8Array(data.buffer) };
}

interface Case {
  readonly score: number;
  readonly margin: number;
  readonly confidence: number;
  readonly right: boolean;
}

async function measure(detector: Detector, samples: readonly Sample[], name: string): Promise<readonly Case[]> {
  const { scale } = degradations[name]!;
  let [right, wrong, unread, absentRight, absentWrong] = [0, 0, 0, 0, 0];
  const times: number[] = [];
  const cases: Case[] = [];
  for (const sample of samples) {
    const crop = await degrade(sample.crop, name);
    const view = viewOfImage(crop, undefined, scale);
    const start = performance.now();
    const observation = detector.read(view) as Observation;
    times.push(performance.now() - start);
    if (observation.state === 'seen') {
      const good = observation.value === sample.name;
      const { score, margin } = observation.detail as { score: number; margin: number };
      cases.push({ score, margin, confidence: observation.confidence, right: good });
      if (sample.name === undefined) absentWrong++;
      else if (good) right++;
      else {
        wrong++;
      }
    } else if (sample.name === undefined) absentRight++;
    else unread++;
  }
  const median = times.toSorted((a, b) => a - b)[times.length >> 1]!;
  process.stdout.write(
    `| ${name} | ${right} | ${wrong} | ${unread} | ${absentRight} of ${absentRight + absentWrong} | ${median.toFixed(2)} ms |\n`,
  );
  return cases;
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Weights (constant, score, margin) of P(right) as in decide.ts, by the likelihood, one after the other over a fine grid. */
function fit(cases: readonly Case[]): readonly number[] {
  const likelihood = ([constant, byScore, byMargin]: readonly number[]): number =>
    cases.reduce((sum, { score, margin, right }) => {
      const p = logistic(constant! + byScore! * (score - 0.7)) * logistic(byMargin! * margin);
      return sum + Math.log(Math.max(1e-9, right ? p : 1 - p));
    }, 0);
  let best = [2, 10, 30];
  for (let round = 0; round < 12; round++) {
    for (const [i, from, to] of [
      [0, 0, 6],
      [1, 0, 60],
      [2, 0, 200],
    ] as const) {
      const tries = Array.from({ length: 61 }, (_, n) => best.with(i, from + ((to - from) * n) / 60));
      best = tries.reduce((a, b) => (likelihood(b) > likelihood(a) ? b : a));
    }
  }
  return best;
}

const samples = collect();
const names = [...new Set(samples.flatMap(({ name }) => (name === undefined ? [] : [name])))].toSorted();
const icons = names.flatMap((name) => {
  const crops = samples.filter((sample) => sample.training && sample.name === name).map(({ crop }) => crop);
  return learn(crops).map((template) => ({ name, template }));
});
const known = new Set(icons.map(({ name }) => name));
const tests = samples.filter(({ training, name }) => !training && (name === undefined || known.has(name)));
process.stdout.write(
  `${icons.length} templates of ${known.size} weapons (${[...known].join(', ')}), ${tests.length} crops to read\n\n`,
);
process.stdout.write(
  '| crops | right | wrong | not read | rightly absent | median time |\n|---|---|---|---|---|---|\n',
);
using detector = openIcons({ search: 8, threshold: 0.55, margin: 0 }, icons);
const all: Case[] = [];
const only = process.argv[3];
for (const name of Object.keys(degradations).filter((one) => only === undefined || one.startsWith(only)))
  all.push(...(await measure(detector, tests, name)));
process.stdout.write('\n| confidence | readings | right |\n|---|---|---|\n');
for (const [low, high] of [
  [0, 0.6],
  [0.6, 0.8],
  [0.8, 0.9],
  [0.9, 0.95],
  [0.95, 0.99],
  [0.99, 1.01],
] as const) {
  const bin = all.filter(({ confidence }) => confidence >= low && confidence < high);
  if (bin.length > 0)
    process.stdout.write(
      `| ${low}…${Math.min(1, high)} | ${bin.length} | ${((100 * bin.filter(({ right }) => right).length) / bin.length).toFixed(1)} % |\n`,
    );
}
process.stdout.write(
  `\nbest weights (constant, score − 0.7, margin): ${fit(all)
    .map((weight) => weight.toFixed(2))
    .join(', ')}\n`,
);
