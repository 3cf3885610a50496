/**
 * Compares sampled decoding (scan, then one frame every 100 ms, each luma row touched) with decoding everything
 * (`ffmpeg -threads 1 -i CLIP -f null -`), alternating, with one decoder thread each.
 *
 *   node bench/speed/decode.ts [--runs 5] [--interval 0.1] [--skip-loop-filter noref|bidir|nokey|all] CLIP…
 *
 * `--skip-loop-filter` decodes without the deblocking filter and also reports how far pictures drift. Needs ffmpeg.
 */
import { spawnSync } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isGap, decodeFrames } from '../../src/media/decode/decode-frames.ts';
import { splitIntoChunks, scanPackets } from '../../src/media/packets/scan-packets.ts';
import type { Plane } from '../../src/media/picture.ts';
import { openVideo } from '../../src/media/video.ts';
import { planSamples } from '../../src/sampling/plan.ts';
import { median } from '../../src/statistics.ts';

interface Run {
  readonly wall: number;
  readonly cpu: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    interval: { type: 'string', default: '0.1' },
    'skip-loop-filter': { type: 'string', default: 'default' },
    once: { type: 'boolean', default: false },
  },
});

const interval = Number(values.interval);
if (values.once) {
  process.stdout.write(JSON.stringify(await decodeSamples(positionals[0]!, values['skip-loop-filter'])));
} else {
  for (const clip of positionals) report(clip);
}

function medianBy<T>(runs: readonly T[], value: (run: T) => number): number {
  return median(runs.map(value));
}

function report(clip: string): void {
  const full: Run[] = [];
  const ours: (Run & { scan: number; samples: number; start: number; rss: number })[] = [];
  for (let run = 0; run < Number(values.runs); run++) {
    full.push(decodeAll(clip));
    const args = [
      import.meta.filename,
      '--once',
      '--interval',
      values.interval,
      '--skip-loop-filter',
      values['skip-loop-filter'],
      clip,
    ];
    ours.push(JSON.parse(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout));
  }
  const cpu = medianBy(ours, (run) => run.cpu);
  const wall = medianBy(ours, (run) => run.wall);
  const ratio = median(ours.map((run, i) => run.cpu / full[i]!.cpu));
  console.log(clip);
  console.log(`  ffmpeg  wall ${ms(medianBy(full, (run) => run.wall))}  cpu ${ms(medianBy(full, (run) => run.cpu))}`);
  console.log(
    `  sampled wall ${ms(wall)}  cpu ${ms(cpu)}  of it scan ${ms(medianBy(ours, (run) => run.scan))}; ` +
      `${ours[0]!.samples} samples; start-up ${ms(medianBy(ours, (run) => run.start))}; peak ${Math.round(medianBy(ours, (run) => run.rss))} MB`,
  );
  console.log(
    `  ratio   cpu ${ratio.toFixed(3)}  wall ${median(ours.map((run, i) => run.wall / full[i]!.wall)).toFixed(3)}`,
  );
  if (values['skip-loop-filter'] !== 'default') reportDrift(clip);
}

/** Decodes everything with the ffmpeg command, which reports its times. */
function decodeAll(clip: string): Run {
  const args = [
    '-nostdin',
    '-hide_banner',
    '-benchmark',
    '-threads',
    '1',
    '-i',
    clip,
    '-map',
    '0:v:0',
    '-f',
    'null',
    '-',
  ];
  const { stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8' });
  const times = /utime=([\d.]+)s stime=([\d.]+)s rtime=([\d.]+)s/.exec(stderr);
  if (!times) throw new Error(`ffmpeg: ${stderr.slice(-400)}`);
  return { wall: Number(times[3]) * 1000, cpu: (Number(times[1]) + Number(times[2])) * 1000 };
}

async function decodeSamples(clip: string, filter: string): Promise<Run & Record<string, number>> {
  const before = process.cpuUsage();
  const began = performance.now();
  using file = openVideo(clip);
  if (filter !== 'default') file.decoder.setOption('skip_loop_filter', filter);
  const index = scanPackets(file);
  const scan = performance.now() - began;
  const frames = planSamples(index, { interval }).map((sample) => sample.frame);
  let samples = 0;
  let sum = 0;
  for (const chunk of splitIntoChunks(index, { minSeconds: 10 })) {
    const wanted = frames.filter((frame) => frame >= chunk.firstFrame && frame < chunk.lastFrame);
    for (const item of decodeFrames(file, index, chunk, wanted)) {
      if (isGap(item)) throw new Error(item.reason);
      using picture = item;
      const { data, stride, height } = picture.y;
      for (let y = 0; y < height; y++) sum += data[y * stride]!;
      samples++;
    }
    await turn();
  }
  const used = process.cpuUsage(before);
  const rss = process.resourceUsage().maxRSS / 1024;
  return {
    wall: performance.now() - began,
    cpu: (used.user + used.system) / 1000,
    scan,
    samples,
    sum,
    start: began,
    rss,
  };
}

/** Reports mean and greatest difference of luma from exact pictures, by third of the group. */
function reportDrift(clip: string): void {
  using exact = openVideo(clip);
  using rough = openVideo(clip);
  rough.decoder.setOption('skip_loop_filter', values['skip-loop-filter']);
  const index = scanPackets(exact);
  const thirds = [0, 1, 2].map(() => ({ pictures: 0, mean: 0, greatest: 0 }));
  for (const chunk of splitIntoChunks(index, { minSeconds: 0 }).filter((_, i) => i % 4 === 0)) {
    const frames = planSamples(index, { interval }).map((sample) => sample.frame);
    const wanted = frames.filter((frame) => frame >= chunk.firstFrame && frame < chunk.lastFrame);
    const pairs = decodeFrames(rough, index, chunk, wanted);
    for (const item of decodeFrames(exact, index, chunk, wanted)) {
      const other = pairs.next().value!;
      if (isGap(item)) throw new Error(item.reason);
      if (isGap(other)) throw new Error(other.reason);
      const place = Math.min(2, Math.floor((3 * (item.t - chunk.t)) / (chunk.end - chunk.t)));
      const { mean, greatest } = difference(item.y, other.y);
      const third = thirds[place]!;
      third.pictures++;
      third.mean += mean;
      third.greatest = Math.max(third.greatest, greatest);
      item[Symbol.dispose]();
      other[Symbol.dispose]();
    }
  }
  const text = thirds.map(({ pictures, mean, greatest }) => `${(mean / pictures).toFixed(2)} (${greatest})`).join(', ');
  console.log(`  drift   mean (greatest) difference of luma by third of the group: ${text}`);
}

function difference(a: Plane, b: Plane): { mean: number; greatest: number } {
  let total = 0;
  let greatest = 0;
  for (let y = 0; y < a.height; y++) {
    for (let x = 0; x < a.width; x++) {
      const distance = Math.abs(a.data[y * a.stride + x]! - b.data[y * b.stride + x]!);
      total += distance;
      if (distance > greatest) greatest = distance;
    }
  }
  return { mean: total / (a.width * a.height), greatest };
}

function ms(milliseconds: number): string {
  return `${Math.round(milliseconds)} ms`;
}
