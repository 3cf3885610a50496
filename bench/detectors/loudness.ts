// Compares momentary and short-term loudness (EBU R128) of recordings with FFmpeg's ebur128: `node bench/detectors/loudness.ts <recording>… [--to 20]`.
// FFmpeg reports a value every 100 ms, the program every 10 ms; compared are the closest value within 30 ms and the value at the same time.
// Needs the ffmpeg command.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { SAMPLE_RATE, Spectrogram } from '../../src/detectors/sound/spectrogram.ts';
import { readAudio } from '../../src/media/audio.ts';

const { values, positionals } = parseArgs({
  options: { to: { type: 'string', default: '20' } },
  allowPositionals: true,
});
const to = Number(values.to);
/** Seconds at the beginning and the end that are not compared: the first window is not full. */
const EDGE = { M: 0.6, S: 3.2 };
const NEAR = 3;

function summary(list: readonly number[]): string {
  const sorted = list.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(2);
  return `median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)} LU`;
}

for (const media of positionals) {
  const own = { M: new Map<number, number>(), S: new Map<number, number>() };
  const spectrograph = new Spectrogram();
  for (const block of readAudio(media, { sampleRate: SAMPLE_RATE, stereo: true, from: 0, to }))
    for (const { t, loudness, shortTerm } of spectrograph.push(block)) {
      own.M.set(Math.round(100 * t), loudness);
      own.S.set(Math.round(100 * t), shortTerm);
    }
  const args = [
    '-hide_banner',
    '-nostats',
    '-t',
    String(to),
    '-i',
    media,
    '-vn',
    '-af',
    'aresample=48000,ebur128=metadata=1,ametadata=print:file=-',
  ];
  const output = execFileSync('ffmpeg', [...args, '-f', 'null', '-'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for (const which of ['M', 'S'] as const) {
    const nearest: number[] = [];
    const same: number[] = [];
    let frame = 0;
    for (const [, time, key, loudness] of output.matchAll(/pts_time:([\d.]+)|lavfi\.r128\.([MS])=(-?[\d.]+)/g)) {
      // FFmpeg's frame starts 100 ms before the end of its measurement.
      if (time !== undefined) frame = Math.round(100 * Number(time)) + 10;
      if (key !== which || frame < 100 * EDGE[which] || frame > 100 * (to - EDGE.M)) continue;
      const apart = Array.from({ length: 2 * NEAR + 1 }, (_, i) => own[which].get(frame + i - NEAR)).flatMap((one) =>
        one === undefined ? [] : [Math.abs(one - Number(loudness))],
      );
      if (apart.length <= NEAR) continue;
      nearest.push(Math.min(...apart));
      same.push(apart[NEAR]!);
    }
    process.stdout.write(
      `${media}: ${which}, ${nearest.length} values; nearest ${summary(nearest)}; same time ${summary(same)}\n`,
    );
  }
}
