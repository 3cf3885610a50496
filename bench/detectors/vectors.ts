// Compares the codec's motion vectors with block matching, sample by sample: against a camera moving over real pictures at known speeds,
// encoded in several ways, and against each other on unedited recordings.
//   node bench/detectors/vectors.ts <video.mp4>… [--from 0] [--to 40] [--interval 0.1] [--pans] [--csv file]
// Processor time: medians of alternating runs with one, the other and neither. --pans needs the ffmpeg command.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createSketch,
  measureMovement,
  type Movement,
  readCodecMotion,
} from '../../src/detectors/motion/block-motion.ts';
import type { Sketch } from '../../src/detectors/kind.ts';
import { isGap, decodeFrames } from '../../src/media/decode/decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openVideo } from '../../src/media/video.ts';
import { upperMedian } from '../../src/statistics.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '0' },
    to: { type: 'string', default: '40' },
    interval: { type: 'string', default: '0.1' },
    height: { type: 'string', default: '0.84' },
    csv: { type: 'string' },
    pans: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0) {
  process.stderr.write(
    'usage: node bench/detectors/vectors.ts <video.mp4>… [--from 0] [--to 40] [--interval 0.1] [--pans]\n',
  );
  process.exit(2);
}

type Way = Partial<Pick<Movement, 'x' | 'y' | 'zoom' | 'over'>>;

interface Sample {
  readonly t: number;
  readonly blocks: Way;
  readonly coded: Way | undefined;
}

type Means = 'neither' | 'blocks' | 'codec' | 'both';

/** Reads the grid's samples (of frames that others refer to, as the program does) by the means asked for; with its CPU seconds. */
function read(path: string, by: Means, range: readonly [number, number]): { samples: Sample[]; cpu: number } {
  const before = process.cpuUsage();
  const samples: Sample[] = [];
  {
    using file = openVideo(path);
    if (by === 'codec' || by === 'both') file.exportMotionVectors();
    const index = scanPackets(file);
    const interval = Number(values.interval);
    const frames: number[] = [];
    for (const [i, t] of index.t.entries()) {
      if (t < range[0] || t > range[1] || index.reference[i] !== 1) continue;
      if (frames.length === 0 || t >= index.t[frames.at(-1)!]! + interval - 1e-3) frames.push(i);
    }
    let last: Sketch | undefined;
    for (const chunk of splitIntoChunks(index, { minSeconds: 1 })) {
      const own = frames.filter((frame) => frame >= chunk.firstFrame && frame < chunk.lastFrame);
      for (const item of decodeFrames(file, index, chunk, own)) {
        if (isGap(item)) throw new Error(item.reason);
        using picture = item;
        if (by === 'neither') continue;
        const height = Math.round(picture.height * Number(values.height));
        const rect = { x: 0, y: 0, width: picture.width, height };
        const now = createSketch(picture, rect);
        const coded = readCodecMotion(now, rect, picture.vectors);
        // The program compares blocks where the codec has no vectors.
        const compared = last && now.t - last.t < 1 && (by !== 'codec' || !coded);
        samples.push({ t: picture.t, blocks: compared ? measureMovement(last!, now) : {}, coded });
        last = now;
      }
    }
  }
  const { user, system } = process.cpuUsage(before);
  return { samples, cpu: (user + system) / 1e6 };
}

function median(list: readonly number[]): number {
  return upperMedian(list) ?? Number.NaN;
}

function share(count: number, of: number): string {
  return `${count}/${of} (${of === 0 ? '–' : `${((100 * count) / of).toFixed(0)} %`})`;
}

/** Angle between two ways, in degrees. */
function angle(a: Way, b: Way): number {
  const cosine = (a.x! * b.x! + a.y! * b.y!) / (Math.hypot(a.x!, a.y!) * Math.hypot(b.x!, b.y!) || 1);
  return (Math.acos(Math.max(-1, Math.min(1, cosine))) * 180) / Math.PI;
}

function speed(way: Way): number {
  return Math.hypot(way.x!, way.y!);
}

function compare(path: string): void {
  const range = [Number(values.from), Number(values.to)] as const;
  const { samples } = read(path, 'both', range);
  const withVectors = samples.filter(({ coded }) => coded);
  const both = withVectors.filter(({ blocks, coded }) => blocks.x !== undefined && coded!.x !== undefined);
  const moving = both.filter(({ blocks, coded }) => Math.min(speed(blocks), speed(coded!)) >= 0.2);
  const angles = moving.map(({ blocks, coded }) => angle(blocks, coded!));
  const ratios = moving.map(({ blocks, coded }) => speed(coded!) / speed(blocks));
  const still = both.filter(({ blocks }) => speed(blocks) < 0.05);
  const lost = samples.filter(({ blocks }) => blocks.x === undefined);
  const name = basename(path) === 'video.mp4' ? basename(dirname(path)) : basename(path);
  process.stdout.write(
    `${name}: ${samples.length} samples; vectors have a direction in ${share(withVectors.length, samples.length)}, blocks in ${share(samples.length - lost.length, samples.length)}, vectors where blocks do not in ${share(lost.filter(({ coded }) => coded).length, lost.length)}\n` +
      `  both move (0.2 heights a second): ${moving.length}; directions within 20° in ${share(angles.filter((one) => one <= 20).length, angles.length)}, median ${median(angles).toFixed(1)}°; speeds within a third in ${share(ratios.filter((one) => one > 2 / 3 && one < 1.5).length, ratios.length)}, median ratio ${median(ratios).toFixed(2)}\n` +
      `  blocks still (below 0.05): vectors below 0.1 in ${share(still.filter(({ coded }) => speed(coded!) < 0.1).length, still.length)}; seconds that vectors lead, median ${median(withVectors.map(({ coded }) => coded!.over!)).toFixed(3)}\n`,
  );
  if (values.csv !== undefined) {
    for (const { t, blocks, coded } of samples)
      appendFileSync(values.csv, `${name},${t},${blocks.x},${blocks.y},${coded?.x},${coded?.y},${coded?.over}\n`);
  }
  const cost = new Map<Means, number[]>();
  for (let round = 0; round < 3; round++) {
    for (const by of ['neither', 'blocks', 'codec'] as const) {
      const { cpu } = read(path, by, range);
      cost.set(by, [...(cost.get(by) ?? []), (1000 * cpu) / samples.length]);
    }
  }
  const [decoding, blocks, codec] = (['neither', 'blocks', 'codec'] as const).map((by) => median(cost.get(by)!));
  process.stdout.write(
    `  CPU a sample: decoding alone ${decoding!.toFixed(2)} ms, with blocks ${blocks!.toFixed(2)} ms, with vectors ${codec!.toFixed(2)} ms (ratio ${(codec! / blocks!).toFixed(2)})\n`,
  );
}

/** Encodings of which one names the distance between pictures in its own way. */
const ENCODINGS: readonly (readonly [string, readonly string[]])[] = [
  ['x264 medium', ['-c:v', 'libx264', '-preset', 'medium']],
  ['x264 veryfast', ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '28']],
  ['x264 without B', ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '0']],
  ['x264 one reference', ['-c:v', 'libx264', '-refs', '1']],
  ['MPEG-4, two B', ['-c:v', 'mpeg4', '-q:v', '4', '-bf', '2']],
  ['MPEG-2, two B', ['-c:v', 'mpeg2video', '-q:v', '4', '-bf', '2']],
];

/** Pixels from picture to picture: whole ones, else truth is rounded. */
const PIXELS = [1, 3, 10, 20, 40];

/** A still picture of the recording that the camera goes over at known speeds, in heights of the region a second. */
function pans(path: string, folder: string): void {
  process.stdout.write(
    `pans over ${basename(dirname(path))}, error of the speed in percent of the truth: vectors; blocks\n`,
  );
  for (const [name, coding] of ENCODINGS) {
    const errors = PIXELS.map((pixels) => {
      const truth = (30 * pixels) / (360 * Number(values.height));
      const made = join(folder, `${name.replaceAll(/\W+/g, '-')}-${pixels}.mkv`);
      // Back and forth over 1200 pixels, so that every speed has its second.
      const x = `abs(mod(n*${pixels}\\,2400)-1200)`;
      const filter = `select='eq(n,0)',loop=loop=89:size=1,setpts=N/30/TB,scale=1840:1035,format=yuv444p,crop=640:360:x='${x}':y=120,format=yuv420p`;
      const args = ['-v', 'error', '-y', '-ss', '9', '-i', path, '-vf', filter, '-frames:v', '90', '-an', '-g', '45'];
      const { status, stderr } = spawnSync('ffmpeg', [...args, '-threads', '1', ...coding, made], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`ffmpeg cannot make ${made}: ${stderr}`);
      const { samples } = read(made, 'both', [0, Math.min(2.9, 1150 / (30 * pixels))]);
      const error = (of: readonly (Way | undefined)[]): string => {
        const known = of
          .filter((one) => one?.x !== undefined)
          .map((one) => Math.hypot(one!.x! - truth, one!.y!) / truth);
        return `${(100 * median(known)).toFixed(0)} (${known.length})`;
      };
      return `${error(samples.map(({ coded }) => coded))}; ${error(samples.map(({ blocks }) => blocks))}`;
    });
    process.stdout.write(`  ${name}: ${PIXELS.map((pixels, i) => `${pixels} pixels: ${errors[i]}`).join(' | ')}\n`);
  }
}

for (const path of positionals) {
  if (values.pans) {
    const folder = mkdtempSync(join(tmpdir(), 'vectors-'));
    try {
      pans(path, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  } else compare(path);
}
