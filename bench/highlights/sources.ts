// Checks reels of unusual recordings with the ffmpeg command: whether every frame is the intended one, and the offset of each scene's sound.
//   node bench/highlights/sources.ts <video> [name …]
// From 9 s of the video it makes: plain, open groups with three B-frames, HEVC, VP9, a transport stream, a container that
// starts at 3.7 s, two sound tracks, none, a variable frame rate, a rotated picture. Needs the ffmpeg command (Debian: ffmpeg).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeReel } from '../../src/media/write/reel.ts';

const [video, ...wanted] = process.argv.slice(2);
if (video === undefined) throw new RangeError('usage: sources.ts <video> [name …]');
const folder = mkdtempSync(join(tmpdir(), 'sources-'));
const x264 = ['-c:v', 'libx264', '-preset', 'superfast', '-x264-params'];
const small = ['-ss', '2', '-t', '9', '-i', video, '-vf', 'scale=640:360'];
const closed = 'keyint=50:scenecut=0:bframes=3:b-pyramid=normal';

/** Name of a recording and what ffmpeg makes it with; `from` another one instead of the video. */
const recordings: Record<string, { readonly from?: string; readonly args: readonly string[] }> = {
  'plain.mp4': { args: [...small, ...x264, closed, '-c:a', 'copy'] },
  'open groups.mp4': { args: [...small, ...x264, `${closed}:open-gop=1`, '-c:a', 'copy'] },
  'hevc.mp4': {
    args: [...small, '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-c:a', 'copy'],
  },
  'vp9.webm': {
    args: [...small, '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '1M', '-c:a', 'libopus'],
  },
  'variable rate.mp4': {
    args: [
      ...small.slice(0, -1),
      "scale=640:360,select='mod(n,7)*mod(n,5)'",
      '-fps_mode',
      'vfr',
      ...x264,
      closed,
      '-c:a',
      'copy',
    ],
  },
  'stream.ts': { from: 'plain.mp4', args: ['-c', 'copy'] },
  'late.mkv': { from: 'plain.mp4', args: ['-c', 'copy', '-output_ts_offset', '3.7'] },
  'two tracks.mkv': {
    from: 'plain.mp4',
    args: ['-map', '0:v', '-map', '0:a', '-map', '0:a', '-c', 'copy', '-filter:a:1', 'volume=0', '-c:a:1', 'aac'],
  },
  'no sound.mp4': { from: 'plain.mp4', args: ['-an', '-c', 'copy'] },
  'turned.mp4': { from: 'plain.mp4', args: ['-c', 'copy', '-metadata:s:v', 'rotate=90'] },
};

function ffmpeg(...args: string[]): Buffer {
  const { status, stdout, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...args], { maxBuffer: 1 << 29 });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout;
}

const PIXELS = 96 * 54;

/** Every frame of a file, small and grey, in the order of showing. */
function pictures(path: string): Buffer[] {
  const raw = ffmpeg(
    '-i',
    path,
    '-fps_mode',
    'passthrough',
    '-vf',
    'scale=96:54',
    '-pix_fmt',
    'gray',
    '-f',
    'rawvideo',
    '-',
  );
  return Array.from({ length: raw.length / PIXELS }, (_, i) => raw.subarray(i * PIXELS, (i + 1) * PIXELS));
}

/** Times of a file's frames in seconds from the first, by ffprobe. */
function times(path: string): number[] {
  const args = ['-v', 'error', '-select_streams', 'v', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0', path];
  const list = spawnSync('ffprobe', args, { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
    .map(Number.parseFloat);
  const sorted = list.toSorted((a, b) => a - b);
  return sorted.map((t) => t - sorted[0]!);
}

const RATE = 8000;

/** Sound from `t` seconds behind the first frame on, `seconds` long. */
function sound(path: string, t: number, seconds: number): Float32Array {
  const ask = [
    '-v',
    'error',
    '-select_streams',
    'v',
    '-show_entries',
    'packet=pts_time',
    '-read_intervals',
    '%+1',
    '-of',
    'csv=p=0',
    path,
  ];
  const list = spawnSync('ffprobe', ask, { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
    .map(Number.parseFloat);
  const place = `asetpts=PTS-(${Math.min(...list)})/TB,aresample=${RATE}:async=1:first_pts=0`;
  const filter = `[0:a:0]${place},pan=mono|c0=0.5*c0+0.5*c1,atrim=${t.toFixed(6)}:${(t + seconds).toFixed(6)}`;
  const raw = ffmpeg('-copyts', '-i', path, '-filter_complex', filter, '-f', 'f32le', '-');
  return new Float32Array(raw.buffer, raw.byteOffset, Math.floor(raw.length / 4));
}

/** Milliseconds by which `heard` lags behind `meant`, at most 60, and how alike they then are. */
function lagOf(heard: Float32Array, meant: Float32Array): { lag: number; alike: number } {
  let best = { lag: 0, alike: -1 };
  const most = Math.round(RATE * 0.06);
  const n = Math.min(heard.length, meant.length) - 2 * most;
  for (let shift = -most; shift <= most; shift++) {
    let [xy, xx, yy] = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      const [x, y] = [heard[i + most + shift]!, meant[i + most]!];
      xy += x * y;
      xx += x * x;
      yy += y * y;
    }
    const alike = xy / Math.sqrt(xx * yy + 1e-12);
    if (alike > best.alike) best = { lag: (shift * 1000) / RATE, alike };
  }
  return best;
}

function difference(a: Buffer, b: Buffer): number {
  let sum = 0;
  for (let i = 0; i < PIXELS; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum / PIXELS;
}

function mean(values: Iterable<number>): number {
  const list = [...values];
  return list.reduce((sum, value) => sum + value, 0) / list.length;
}

let wrong = 0;
for (const [name, { from, args }] of Object.entries(recordings)) {
  const path = join(folder, name);
  if (wanted.length > 0 && !wanted.includes(name) && name !== 'plain.mp4') continue;
  ffmpeg(...(from === undefined ? [] : ['-i', join(folder, from)]), ...args, path);
  const output = join(folder, 'reel.mp4');
  const cuts = [
    { media: path, start: 0.63, end: 5.1 },
    { media: path, start: 5.71, end: 7.17 },
  ];
  const reel = await writeReel(output, cuts, { quality: 14, loudness: false });
  const all = times(path);
  const meant = cuts.flatMap(({ start, end }) =>
    all.flatMap((t, i) => (t >= start - 5e-4 && t < end - 5e-4 ? [i] : [])),
  );
  const [source, seen] = [pictures(path), pictures(output)];
  // A frame is the one that was meant if neither of its neighbours is more like it.
  const misplaced = seen.filter((picture, i) => {
    const at = meant[i] ?? -1;
    const away = [at - 1, at, at + 1].map((j) => (source[j] ? difference(picture, source[j]!) : 255));
    return Math.min(...away) < away[1]! - 0.05;
  }).length;
  const darker = mean(seen.map((picture, i) => mean(source[meant[i] ?? 0]!) - mean(picture)));
  const shown = times(output);
  const late = reel.cuts.map(({ offset }) => Math.min(...shown.map((t) => Math.abs(t - offset))));
  const lags = name.startsWith('no sound')
    ? []
    : reel.cuts.map(({ start, end, offset }) =>
        lagOf(sound(output, offset, end - start), sound(path, start, end - start)),
      );
  const right =
    misplaced === 0 &&
    Math.abs(darker) < 0.5 &&
    seen.length === meant.length &&
    Math.max(...late) < 0.002 &&
    lags.every(({ lag, alike }) => Math.abs(lag) <= 20 && alike > 0.97);
  if (!right) wrong++;
  process.stdout.write(
    `${name.padEnd(18)} ${right ? 'right' : 'WRONG'}: ${seen.length} frames of ${meant.length}, ${misplaced} not the one meant, darker by ${darker.toFixed(2)}; ${reel.copied} copied${reel.whyEncoded === undefined ? '' : ` (${reel.whyEncoded})`}; sound off by ${lags.map(({ lag, alike }) => `${lag.toFixed(1)} ms (${alike.toFixed(2)})`).join(', ') || 'nothing: there is none'}\n`,
  );
}
rmSync(folder, { recursive: true });
process.exitCode = wrong > 0 ? 1 : 0;
