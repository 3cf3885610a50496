// Measures loudness and true peaks of reels for several ceilings of the limiter, with ffmpeg's ebur128:
//   node bench/highlights/loudness.ts <recording>…          (CEILINGS=-1.5,-2,-2.5 SECONDS=20)
// The sound of each stretch of a recording is normalized to −14 LUFS, encoded as in an mp4 (AAC) and a webm (Opus), and
// measured. Needs the ffmpeg command (Debian: ffmpeg).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Stream } from 'node-av/lib';
import { AudioEncoder } from '../../src/media/write/encoder.ts';
import { AUDIO_SAMPLE_RATE, mixAudio, normalizeLoudness } from '../../src/media/write/audio-mix.ts';
import type { Container } from '../../src/media/write/muxer.ts';
import { Muxer } from '../../src/media/write/muxer.ts';
import { Recording } from '../../src/media/write/recording.ts';
import { openVideo } from '../../src/media/video.ts';

const paths = process.argv.slice(2);
if (paths.length === 0) throw new RangeError('usage: loudness.ts <recording>…');
const ceilings = (process.env['CEILINGS'] ?? '-1.5,-2,-2.3,-2.6,-3').split(',').map(Number);
const SECONDS = Number(process.env['SECONDS'] ?? 20);
const folder = mkdtempSync(join(tmpdir(), 'loudness-'));
const codecs = [
  ['aac', 'mp4'],
  ['libopus', 'webm'],
] as const;

function encode(
  path: string,
  codec: (typeof codecs)[number][0],
  container: Container,
  sound: Iterable<{ left: Float32Array; right: Float32Array }>,
): void {
  const base = { num: 1, den: AUDIO_SAMPLE_RATE };
  using muxer = new Muxer(path, container);
  const track: { stream?: Stream } = {};
  using encoder = new AudioEncoder(AUDIO_SAMPLE_RATE, (packet) => muxer.write(packet, track.stream!, base), codec);
  track.stream = muxer.addStream(encoder.context, base);
  muxer.start();
  for (const { left, right } of sound) encoder.encode(left, right);
  encoder.finish();
  muxer.finish();
}

/** Integrated loudness and true peak of a file. */
function measure(path: string): { lufs: number; peak: number } {
  const args = ['-hide_banner', '-nostats', '-i', path, '-map', '0:a', '-af', 'ebur128=peak=true', '-f', 'null', '-'];
  const summary = spawnSync('ffmpeg', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
    .stderr.split('Summary:')
    .at(-1)!;
  return { lufs: Number(/I:\s+(\S+) LUFS/.exec(summary)![1]), peak: Number(/Peak:\s+(\S+) dBFS/.exec(summary)![1]) };
}

const highest = new Map<string, number[]>();
for (const path of paths) {
  using recording = new Recording(path);
  using file = openVideo(path);
  const { duration = 0 } = file.info;
  for (let start = 0; start + SECONDS <= duration; start += SECONDS) {
    const cut = { recording, start, end: start + SECONDS, offset: 0 };
    for (const [codec, extension] of codecs) {
      const measured = ceilings.map((ceiling) => {
        const out = join(folder, `reel.${extension}`);
        encode(
          out,
          codec,
          extension,
          normalizeLoudness(() => mixAudio([cut], AUDIO_SAMPLE_RATE), AUDIO_SAMPLE_RATE, -14, ceiling),
        );
        const { lufs, peak } = measure(out);
        const key = `${codec} ${ceiling}`;
        highest.set(key, [...(highest.get(key) ?? []), peak]);
        return `${ceiling}: ${lufs.toFixed(1)} LUFS ${peak.toFixed(1)} dB`;
      });
      process.stdout.write(`${basename(path)} ${start} s ${codec.padEnd(7)} ${measured.join('   ')}\n`);
    }
  }
}
for (const [key, peaks] of highest) {
  const over = peaks.filter((peak) => peak > -1).length;
  process.stdout.write(
    `${key.padEnd(13)} highest ${Math.max(...peaks).toFixed(1)} dB, over −1 dB in ${over} of ${peaks.length}\n`,
  );
}
rmSync(folder, { recursive: true });
