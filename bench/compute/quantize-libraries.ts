// Runs filters of other libraries on a uniform 8-bit image and compares the results with this program's: OpenCV (python3 with cv2), swscale
// (the ffmpeg command) and libvips (sharp). bench/compute/quantize.ts reimplements their published methods.
//
//   node bench/compute/quantize-libraries.ts [--kernels 200]
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { gaussian, toKernel, outerProduct } from '../../src/compute/quantize/kernel.ts';
import type { Kernel } from '../../src/compute/quantize/kernel.ts';
import { quantizeKernel } from '../../src/compute/quantize/quantize.ts';
import { separableFilter } from '../../src/regions/filter.ts';
import { resamplingTaps } from '../../src/regions/filter.ts';

const { values } = parseArgs({ options: { kernels: { type: 'string', default: '200' } } });
const count = Number(values.kernels);
const LEVELS = [1, 37, 100, 128, 200, 254, 255];
const SIDE = 48;

let state = 4711;
function random(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}

interface Family {
  readonly name: string;
  readonly kernels: readonly Kernel[];
}

const families: readonly Family[] = [
  {
    name: 'Gaussian, 2-D, σ 0.3…2',
    kernels: Array.from({ length: count }, () => {
      const g = gaussian(0.3 + 1.7 * random());
      return toKernel(outerProduct(g, g));
    }),
  },
  {
    name: 'box, 2-D, 2…9',
    kernels: Array.from({ length: count }, () => {
      const size = 3 + 2 * Math.floor(4 * random());
      return { shape: [size, size], data: new Float64Array(size * size).fill(1 / (size * size)) };
    }),
  },
];

/** Levels in the middle of flat pictures after a filter; by kernel, by level. */
type Outcome = readonly (readonly number[])[];

/** Integers times levels, rounded, as any convolution in fixed point does it. */
function fixed(kernels: readonly Kernel[], method: 'exact' | 'nearest'): Outcome {
  return kernels.map((kernel) => {
    const { mantissas, exponents } = quantizeKernel(kernel, { mantissaBits: 8, method });
    const sum = Array.from(mantissas).reduce((all, one) => all + one, 0) * 2 ** exponents[0]!;
    return LEVELS.map((level) => Math.min(255, Math.floor(level * sum + 0.5)));
  });
}

async function vips(kernels: readonly Kernel[]): Promise<Outcome> {
  const outcome: number[][] = [];
  for (const { shape, data } of kernels) {
    const [height, width] = shape as [number, number];
    const levels: number[] = [];
    for (const level of LEVELS) {
      const flat = sharp(Buffer.alloc(SIDE * SIDE, level), { raw: { width: SIDE, height: SIDE, channels: 1 } });
      const { data: bytes, info } = await flat
        .convolve({ width, height, kernel: Array.from(data) })
        .raw()
        .toBuffer({ resolveWithObject: true });
      levels.push(bytes[info.channels * ((SIDE / 2) * SIDE + SIDE / 2)]!);
    }
    outcome.push(levels);
  }
  return outcome;
}

const PYTHON = `
import cv2, json, sys
import numpy as np
task = json.load(sys.stdin)
side, levels = task["side"], task["levels"]
def middle(run):
    return [int(run(np.full((side, side), level, np.uint8))[side // 2, side // 2]) for level in levels]
if "kernels" in task:
    kernels = [np.array(k["data"]).reshape(k["shape"]) for k in task["kernels"]]
    print(json.dumps([middle(lambda p: cv2.filter2D(p, -1, k)) for k in kernels]))
elif "sigmas" in task:
    print(json.dumps([middle(lambda p: cv2.GaussianBlur(p, (0, 0), s)) for s in task["sigmas"]]))
else:
    how = {"linear": cv2.INTER_LINEAR, "cubic": cv2.INTER_CUBIC, "lanczos": cv2.INTER_LANCZOS4, "area": cv2.INTER_AREA}
    out = []
    for size, name in task["resizes"]:
        rows = []
        for level in levels:
            picture = cv2.resize(np.full((side, side), level, np.uint8), (size, size), interpolation=how[name])
            rows.append(max((int(v) for v in np.unique(picture)), key=lambda v: abs(v - level)))
        out.append(rows)
    print(json.dumps(out))
`;

function openCv(task: object): Outcome | undefined {
  const input = JSON.stringify({ side: SIDE, levels: LEVELS, ...task });
  const { stdout, status } = spawnSync('/usr/bin/python3', ['-c', PYTHON], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return status === 0 ? (JSON.parse(stdout) as Outcome) : undefined;
}

/** The level furthest from a flat picture's after scaling by ffmpeg. */
function swscale(size: number, flags: string): readonly number[] | undefined {
  // A frame a level.
  const input = Buffer.concat(LEVELS.map((level) => Buffer.alloc(SIDE * SIDE, level)));
  const flat = ['-f', 'rawvideo', '-pix_fmt', 'gray', '-s', `${SIDE}x${SIDE}`, '-i', '-'];
  const args = ['-v', 'error', ...flat, '-vf', `scale=${size}:${size}:flags=${flags}`, '-f', 'rawvideo', '-'];
  const { stdout, status } = spawnSync('ffmpeg', args, { input });
  if (status !== 0) return undefined;
  const frame = size * size;
  return LEVELS.map((level, i) => furthest(stdout.subarray(i * frame, (i + 1) * frame), level));
}

function furthest(bytes: Uint8Array, level: number): number {
  return bytes.reduce((worst, value) => (Math.abs(value - level) > Math.abs(worst - level) ? value : worst), level);
}

function ours(size: number, kernel: 'linear' | 'lanczos'): readonly number[] {
  const taps = () => resamplingTaps(SIDE, size, Math.max(1, SIDE / size), kernel);
  return LEVELS.map((level) => {
    const crop = { data: new Uint8Array(SIDE * SIDE).fill(level), width: SIDE, height: SIDE, channels: 1 as const };
    return furthest(separableFilter(crop, taps(), taps()).run(crop).data, level);
  });
}

async function sharpResize(size: number, kernel: 'cubic' | 'lanczos3'): Promise<readonly number[]> {
  const levels: number[] = [];
  for (const level of LEVELS) {
    const flat = sharp(Buffer.alloc(SIDE * SIDE, level), { raw: { width: SIDE, height: SIDE, channels: 1 } });
    const bytes = await flat.resize(size, size, { kernel, fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer();
    levels.push(furthest(bytes, level));
  }
  return levels;
}

function row(name: string, outcome: Outcome | undefined): void {
  if (!outcome || outcome.length === 0) {
    console.log(`| ${name} | not installed | |`);
    return;
  }
  const errors = outcome.map((levels) => Math.max(...levels.map((level, i) => Math.abs(level - LEVELS[i]!))));
  const changed = errors.filter((error) => error > 0).length;
  console.log(`| ${name} | ${((100 * changed) / errors.length).toFixed(1)} % | ${Math.max(...errors)} |`);
}

for (const { name, kernels } of families) {
  console.log(`\n${name}: ${kernels.length} kernels on flat pictures of ${LEVELS.length} levels`);
  console.log('| filter | kernels that change a flat picture | levels off, most |\n|---|---|---|');
  row('ours, 8 bits', fixed(kernels, 'exact'));
  row('each coefficient rounded, 8 bits', fixed(kernels, 'nearest'));
  row('libvips (sharp convolve)', await vips(kernels));
  row(
    'OpenCV filter2D (floats)',
    openCv({ kernels: kernels.map(({ shape, data }) => ({ shape, data: Array.from(data) })) }),
  );
  if (name.startsWith('Gaussian'))
    row('OpenCV GaussianBlur (bit-exact)', openCv({ sigmas: kernels.map(() => 0.3 + 1.7 * random()) }));
}

const sizes = [17, 23, 31, 40, 47, 61, 77, 96, 131];
console.log(`\nA flat picture of ${SIDE} × ${SIDE} resized to ${sizes.join(', ')}`);
console.log('| filter | sizes that change a flat picture | levels off, most |\n|---|---|---|');
for (const kernel of ['linear', 'lanczos'] as const)
  row(
    `ours, ${kernel}`,
    sizes.map((size) => ours(size, kernel)),
  );
for (const flags of ['bilinear', 'bicubic', 'lanczos', 'area']) {
  const all = sizes.map((size) => swscale(size, flags));
  row(`swscale, ${flags}`, all.includes(undefined) ? undefined : (all as Outcome));
}
for (const kernel of ['cubic', 'lanczos3'] as const)
  row(`libvips (sharp resize), ${kernel}`, await Promise.all(sizes.map((size) => sharpResize(size, kernel))));
for (const how of ['linear', 'cubic', 'lanczos', 'area'])
  row(`OpenCV resize, ${how}`, openCv({ resizes: sizes.map((size) => [size, how]) }));
