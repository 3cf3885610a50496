// Compares smart cut with encoding every frame by the ffmpeg command, on the same scenes of the same recording:
//   node bench/highlights/smart-cut.ts <video> [from-to …]     (seconds; default: five scenes of about 8 s)
// Alternates the two and prints medians and their ratio; then compares every frame of both results with the recording
// (PSNR and SSIM by ffmpeg). Needs the ffmpeg command (Debian: ffmpeg).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Recording } from '../../src/media/write/recording.ts';
import { writeReel, type WrittenReel } from '../../src/media/write/reel.ts';
import { median } from '../../src/statistics.ts';

const [video, ...spans] = process.argv.slice(2);
if (video === undefined) throw new RangeError('usage: smart-cut.ts <video> [from-to …]');
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const wanted = (spans.length > 0 ? spans : ['3.2-11.1', '13.5-20.7', '22.3-30.9', '31.7-36.4']).map((span) => {
  const [start, end] = span.split('-').map(Number);
  return { media: video, start: start!, end: end! };
});
using recording = new Recording(video);
const rate = recording.frameRate.num / recording.frameRate.den;
const folder = mkdtempSync(join(tmpdir(), 'smart-'));
const smartPath = join(folder, 'smart.mp4');
const fullPath = join(folder, 'full.mp4');

function ffmpeg(...args: string[]): string {
  const { status, stderr, error } = spawnSync('ffmpeg', ['-hide_banner', '-y', ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr);
  return stderr;
}

/** A cut's frames by their numbers: the recording has a constant rate. */
function trim({ start, end }: { start: number; end: number }): string {
  return `trim=start_frame=${Math.round(start * rate)}:end_frame=${Math.round(end * rate)},setpts=PTS-STARTPTS`;
}

/** The cuts as one filter: the frames and the sound of each, joined. */
function cutsFilter(reel: WrittenReel): string {
  const parts = reel.cuts.flatMap(({ start, end }, i) => [
    `[0:v]${trim({ start, end })}[v${i}]`,
    `[0:a]atrim=${start.toFixed(6)}:${end.toFixed(6)},asetpts=PTS-STARTPTS[a${i}]`,
  ]);
  const inputs = reel.cuts.map((_, i) => `[v${i}][a${i}]`).join('');
  return `${parts.join(';')};${inputs}concat=n=${reel.cuts.length}:v=1:a=1[v][a]`;
}

/** Per-frame values of a metric of ffmpeg's, a reel against the cuts of the recording. */
function compare(path: string, reel: WrittenReel, metric: 'psnr' | 'ssim'): number[] {
  const log = join(folder, `${metric}.log`);
  const cuts = reel.cuts.flatMap(({ start, end }, i) => [`[1:v]${trim({ start, end })}[r${i}]`]);
  const inputs = reel.cuts.map((_, i) => `[r${i}]`).join('');
  const graph = `${cuts.join(';')};${inputs}concat=n=${reel.cuts.length}:v=1:a=0,settb=1/100,setpts=N[r];[0:v]settb=1/100,setpts=N[d];[d][r]${metric}=stats_file=${log}`;
  ffmpeg('-i', path, '-i', video!, '-filter_complex', graph, '-f', 'null', '-');
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const value = /(?:psnr_avg|All):(\S+)/.exec(line)![1]!;
      return value === 'inf' ? Number.POSITIVE_INFINITY : Number(value);
    });
}

const times = { smart: [] as number[], full: [] as number[] };
let reel: WrittenReel | undefined;
for (let round = 0; round < ROUNDS; round++) {
  let start = performance.now();
  reel = await writeReel(smartPath, wanted);
  times.smart.push(performance.now() - start);
  start = performance.now();
  const encode = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-c:a', 'aac', '-b:a', '192k'];
  ffmpeg(
    '-i',
    video,
    '-filter_complex',
    cutsFilter(reel),
    '-map',
    '[v]',
    '-map',
    '[a]',
    ...encode,
    '-movflags',
    '+faststart',
    fullPath,
  );
  times.full.push(performance.now() - start);
}
const [smart, full] = [median(times.smart), median(times.full)];
const sizes = [smartPath, fullPath].map((path) => statSync(path).size / 1e6);
process.stdout.write(
  `${reel!.duration.toFixed(2)} s in ${reel!.cuts.length} scenes: ${reel!.copied} frames copied, ${reel!.encoded} encoded\n`,
);
process.stdout.write(
  `time   smart ${(smart / 1000).toFixed(2)} s   ffmpeg ${(full / 1000).toFixed(2)} s   ratio ${(smart / full).toFixed(3)}\n`,
);
process.stdout.write(
  `size   smart ${sizes[0]!.toFixed(2)} MB   ffmpeg ${sizes[1]!.toFixed(2)} MB   ratio ${(sizes[0]! / sizes[1]!).toFixed(3)}\n`,
);
for (const [name, path] of [
  ['smart', smartPath],
  ['ffmpeg', fullPath],
] as const) {
  const psnr = compare(path, reel!, 'psnr');
  const ssim = compare(path, reel!, 'ssim');
  const exact = psnr.filter((value) => value === Number.POSITIVE_INFINITY).length;
  const rest = psnr.filter(Number.isFinite);
  const mean = rest.reduce((sum, value) => sum + value, 0) / rest.length;
  process.stdout.write(
    `${name.padEnd(6)} ${exact} of ${psnr.length} frames bit-exact; the others PSNR mean ${mean.toFixed(1)} dB, least ${Math.min(...rest).toFixed(1)} dB; SSIM least ${Math.min(...ssim).toFixed(4)}\n`,
  );
}
rmSync(folder, { recursive: true });
