// Measures the cost of a region: cropping, the change gate, the separable filters against sharp, and the chains of the built-in profiles
// with and without the kernels that replace sharp. Processor time, medians of alternating runs, ratios; the last table is the cost
// table of src/compute/quantize/cost.ts as measured here.
//
//   node bench/speed/regions.ts [--rounds 15]
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { COSTS } from '../../src/compute/quantize/cost.ts';
import { cropGrey, cropLuma, cropPlanes, cropRgb, sameLuma, samePixels } from '../../src/regions/crop.ts';
import type { Crop } from '../../src/regions/crop.ts';
import { filterByFloats, filterBySimd, fixedTaps, gaussianTaps, resamplingTaps } from '../../src/regions/filter.ts';
import { placeRegion } from '../../src/regions/place.ts';
import { compilePreprocess } from '../../src/regions/preprocess/compile.ts';
import { stillPicture } from '../../test/fixtures/still.ts';
import { loadProfile } from '../../src/profile/load.ts';
import { builtInPack, listGames } from '../../src/profile/find.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } });
const rounds = Number(values.rounds);
sharp.concurrency(1);
sharp.cache(false);

/** Keeps results alive, so that nothing is optimised away. */
let sink = 0;

type Work = () => unknown;

/** Microseconds of processor time a call (all threads; other programs do not count), medians over alternating rounds. */
async function compare(works: readonly Work[], calls: number): Promise<readonly number[]> {
  const times = works.map((): number[] => []);
  for (let round = 0; round < rounds + 2; round++) {
    for (const [i, work] of works.entries()) {
      const start = process.cpuUsage();
      for (let n = 0; n < calls; n++) {
        const made = work();
        const result = made instanceof Promise ? ((await made) as unknown) : made;
        sink += typeof result === 'boolean' ? Number(result) : ((result as { length?: number }).length ?? 1);
      }
      const { user, system } = process.cpuUsage(start);
      if (round >= 2) times[i]!.push((user + system) / calls);
    }
  }
  return times.map((list) => list.toSorted((a, b) => a - b)[list.length >> 1]!);
}

const row = (...cells: readonly (string | number)[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`);
const micro = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} µs`;

const size = { width: 1280, height: 720 };
const rgb = Uint8Array.from({ length: size.width * size.height * 3 }, (_, i) => ((i * 2654435761) >>> 13) & 255);
const picture = stillPicture(rgb, size, { chromaShift: 1 });

process.stdout.write('Cropping and the change gate (an unchanged region: the whole of it is compared)\n');
row('crop', 'luma', 'full-range grey', 'RGB', 'gate on luma', 'gate on all planes');
row('---', '---', '---', '---', '---', '---');
for (const [width, height] of [
  [40, 20],
  [131, 70],
  [300, 60],
  [600, 26],
  [576, 65],
] as const) {
  const rect = { x: 33, y: 17, width, height };
  const [luma, planes] = [cropLuma(picture, rect), cropPlanes(picture, rect)];
  const works = [
    () => cropLuma(picture, rect),
    () => cropGrey(picture, rect),
    () => cropRgb(picture, rect),
    () => sameLuma(picture, rect, luma),
    () => samePixels(picture, rect, planes),
  ];
  row(`${width}×${height}`, ...(await compare(works, 500)).map(micro));
}

process.stdout.write('\nFilters: doubles in plain code, integers with SIMD, sharp (one thread)\n');
row('crop', 'filter', 'doubles', 'SIMD', 'sharp', 'sharp / SIMD');
row('---', '---', '---', '---', '---', '---');
const points: {
  readonly products: number;
  readonly samples: number;
  readonly float: number;
  readonly fixed: number;
}[] = [];
for (const [width, height, channels] of [
  [8, 8, 1],
  [24, 10, 1],
  [64, 24, 1],
  [131, 70, 1],
  [131, 70, 3],
  [600, 26, 1],
  [300, 200, 3],
] as const) {
  const data = Uint8Array.from({ length: width * height * channels }, (_, i) => (i * 7919) >> 3);
  const crop: Crop = { data, width, height, channels };
  const raw = (): Sharp => sharp(data, { raw: { width, height, channels } });
  const filters = [
    ['blur σ 1', gaussianTaps(width, 1), gaussianTaps(height, 1), () => raw().blur(1).raw().toBuffer()],
    ['blur σ 3', gaussianTaps(width, 3), gaussianTaps(height, 3), () => raw().blur(3).raw().toBuffer()],
    [
      'Lanczos ×3',
      resamplingTaps(width, width * 3, 1 / 3, 'lanczos'),
      resamplingTaps(height, height * 3, 1 / 3, 'lanczos'),
      () =>
        raw()
          .resize(width * 3, height * 3, { kernel: 'lanczos3' })
          .raw()
          .toBuffer(),
    ],
  ] as const;
  for (const [name, across, down, bySharp] of filters) {
    const [fixedAcross, fixedDown] = [fixedTaps(across), fixedTaps(down)];
    const works = [
      () => filterByFloats(crop, across, down).data,
      () => filterBySimd(crop, fixedAcross, fixedDown).data,
      bySharp,
    ];
    const [float, fixed, theirs] = (await compare(works, width * height > 20_000 ? 5 : 50)) as [number, number, number];
    row(
      `${width}×${height}×${channels}`,
      name,
      micro(float),
      micro(fixed),
      micro(theirs),
      `${(theirs / fixed).toFixed(1)}×`,
    );
    const [columns, rows] = [across.starts.length, down.starts.length];
    const products = channels * rows * (width * down.length + columns * across.length);
    points.push({ products, samples: channels * (width * height + width * rows + columns * rows), float, fixed });
  }
}

process.stdout.write(
  '\nChains of the built-in profiles: with the kernels that replace sharp, and with sharp wherever it can\n',
);
row('profile', 'region', 'crop', 'kernels', 'sharp', 'sharp / kernels');
row('---', '---', '---', '---', '---', '---');
for (const game of await listGames(builtInPack())) {
  const { profile } = await loadProfile(game);
  const measured = new Set<string>();
  for (const [name, spec] of Object.entries(profile.regions)) {
    const steps = spec.preprocess ?? [];
    if (steps.length === 0 || measured.has(JSON.stringify(steps))) continue;
    measured.add(JSON.stringify(steps));
    const { rect, scaleX, scaleY } = placeRegion(spec, size, profile.reference);
    const shape = { width: rect.width, height: rect.height, scaleX, scaleY };
    const works = (['fastest', 'sharp'] as const).map((engine) => {
      const { from, run } = compilePreprocess(steps, shape, { engine });
      const data = (from === 'grey' ? cropGrey : cropRgb)(picture, rect);
      const crop: Crop = { data, width: rect.width, height: rect.height, channels: from === 'grey' ? 1 : 3 };
      return async () => (await run(crop)).data;
    });
    const [kernels, bySharp] = (await compare(works, 20)) as [number, number];
    const ratio = `${(bySharp / kernels).toFixed(1)}×`;
    row(game, name, `${rect.width}×${rect.height}`, micro(kernels), micro(bySharp), ratio);
  }
}

/** Least squares of relative errors for start + product · products + sample · samples, none below 0. */
function fit(kind: 'float' | 'fixed'): readonly number[] {
  let best = [COSTS[kind].start, COSTS[kind].product, COSTS[kind].sample];
  const error = ([start, product, sample]: readonly number[]): number =>
    points.reduce(
      (sum, point) =>
        sum + Math.log((start! + product! * point.products + sample! * point.samples) / (point[kind] * 1000)) ** 2,
      0,
    );
  for (let step = 1; step > 1e-3; step *= 0.9) {
    for (let i = 0; i < 3; i++) {
      for (const factor of [1 + step, 1 / (1 + step)]) {
        const tried = best.with(i, best[i]! * factor);
        if (error(tried) < error(best)) best = tried;
      }
    }
  }
  return best;
}
process.stdout.write('\nCost table, nanoseconds to start, per product, per sample\n');
for (const kind of ['float', 'fixed'] as const)
  row(kind, ...fit(kind).map((value) => value.toFixed(3)), `in use: ${JSON.stringify(COSTS[kind])}`);
process.stderr.write(`(${sink % 10})\n`);
