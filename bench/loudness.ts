// Momentary loudness (EBU R128) of recordings against that of FFmpeg's ebur128: `node bench/loudness.ts <recording>… [--to 20]`.
// FFmpeg tells it every tenth of a second, the program every hundredth; compared is the frame within 30 ms that comes nearest, and the frame of the very time.
// Needs the command ffmpeg.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { RATE, Spectrograph } from '../src/detectors/sound/spectrum.ts';
import { readAudio } from '../src/media/audio.ts';

const { values, positionals } = parseArgs({
  options: { to: { type: 'string', default: '20' } },
  allowPositionals: true,
});
const to = Number(values.to);
/** Seconds at the beginning and the end that are not compared: the first window is not full. */
const EDGE = 0.6;
const NEAR = 3;

function summary(list: readonly number[]): string {
  const sorted = list.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(2);
  return `median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)} LU`;
}

for (const media of positionals) {
  const own = new Map<number, number>();
  const spectrograph = new Spectrograph();
  for (const block of readAudio(media, { sampleRate: RATE, stereo: true, from: 0, to }))
    for (const { t, loudness } of spectrograph.push(block)) own.set(Math.round(100 * t), loudness);
  const args = [
    '-hide_banner',
    '-nostats',
    '-t',
    String(to),
    '-i',
    media,
    '-vn',
    '-af',
    'aresample=48000,ebur128=metadata=1,ametadata=print:key=lavfi.r128.M:file=-',
  ];
  const told = execFileSync('ffmpeg', [...args, '-f', 'null', '-'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const nearest: number[] = [];
  const same: number[] = [];
  for (const [, time, loudness] of told.matchAll(/pts_time:([\d.]+)\s+lavfi\.r128\.M=(-?[\d.]+)/g)) {
    // FFmpeg's frame begins a tenth of a second before what it tells ends.
    const frame = Math.round(100 * Number(time)) + 10;
    if (frame < 100 * EDGE || frame > 100 * (to - EDGE)) continue;
    const apart = Array.from({ length: 2 * NEAR + 1 }, (_, i) => own.get(frame + i - NEAR)).flatMap((one) =>
      one === undefined ? [] : [Math.abs(one - Number(loudness))],
    );
    if (apart.length <= NEAR) continue;
    nearest.push(Math.min(...apart));
    same.push(apart[NEAR]!);
  }
  process.stdout.write(`${media}: ${nearest.length} values; nearest ${summary(nearest)}; same time ${summary(same)}\n`);
}
