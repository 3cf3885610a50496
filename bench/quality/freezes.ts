/**
 * False and missed freezes of recordings (needs ffmpeg).
 *
 * ```sh
 * node bench/quality/freezes.ts <folder for the encodings> [--sound] <recording>…
 * ```
 *
 * Each recording, which must be without faults, is encoded at CRF 20, 26, 30 and 35 as it is, and at two of these with faults at
 * seeded random places: repeated pictures (the picture stands still, its frames go on) and missing frames. With --sound, those with
 * faults keep the sound of the recording, which stops with the picture. A place
 * qualifies if the source moves before, during and after the fault, by pictures that ffmpeg decodes: a fault in a still
 * scene changes no picture. A fault is found if an incident begins and ends at its very frames.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { analyzeFiles } from '../../src/quality/timeline.ts';
import { readVideo } from '../../src/quality/input/video.ts';

interface Fault {
  readonly kind: 'repeated' | 'missing';
  /** The last picture before the fault, and the number of frames that repeat it or are missing. */
  readonly at: number;
  readonly frames: number;
}

const QUALITIES = [20, 26, 30, 35];
const SIZE = { width: 640, height: 360 };
const SKETCH = { width: 160, height: 90 };
/** Seconds of the shortest and the longest fault. */
const FAULT_SECONDS = { least: 0.2, most: 1.2 };
const SECONDS_BETWEEN_FAULTS = 2;
/** Seconds of each recording that are encoded. */
const SECONDS_OF_EACH = 60;

const hasSound = process.argv.includes('--sound');
const [folder, ...recordings] = process.argv.slice(2).filter((one) => one !== '--sound');
if (folder === undefined || recordings.length === 0)
  throw new Error('usage: freezes.ts <folder> [--sound] <recording>…');
mkdirSync(folder, { recursive: true });

const clean = { seconds: 0, freezes: 0, uncertain: 0 };
const found = { repeated: [0, 0], missing: [0, 0] };
console.log(
  '| recording | without faults | false freezes | uncertain | CRF of the faults | repeated pictures found | missing frames found | others |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const [i, recording] of recordings.entries()) {
  const name = basename(recording) === 'video.mp4' ? basename(dirname(recording)) : basename(recording, '.mp4');
  const fps = frameRate(recording);
  const moves = sourceMotion(recording);
  const own = { seconds: 0, freezes: 0, uncertain: 0 };
  const copies = QUALITIES.map((crf) => ({ path: join(folder, `${name}-${crf}.mp4`), crf, faults: [] }));
  const broken = [i, i + 2].map((k) => {
    const [crf, seed] = [QUALITIES[k % QUALITIES.length]!, 1 + k];
    const path = join(folder, `${name}-${crf}-faults-${seed}${hasSound ? '-sound' : ''}.mp4`);
    return { path, crf, faults: placeFaults(moves, fps, seed) };
  });
  encode(recording, fps, [...copies, ...broken]);
  for (const path of [recording, ...copies.map((copy) => copy.path)]) {
    const { seconds, freezes, uncertain } = await freezesOf(path);
    own.seconds += seconds;
    own.freezes += freezes.length;
    own.uncertain += uncertain;
    for (const { t, end } of freezes) console.error(`false: ${path} ${t.toFixed(3)}–${end.toFixed(3)} s`);
  }
  clean.seconds += own.seconds;
  clean.freezes += own.freezes;
  clean.uncertain += own.uncertain;
  const hits: Record<Fault['kind'], [number, number]> = { repeated: [0, 0], missing: [0, 0] };
  let others = 0;
  for (const { path, faults } of broken) {
    const { freezes } = await freezesOf(path);
    const unexplained = new Set(freezes);
    for (const fault of faults) {
      const [t, end] = [fault.at / fps, (fault.at + fault.frames + 1) / fps];
      const hit = freezes.find((one) => Math.abs(one.t - t) < 0.5 / fps && Math.abs(one.end - end) < 0.5 / fps);
      hits[fault.kind][1]++;
      if (hit) {
        hits[fault.kind][0]++;
        unexplained.delete(hit);
      } else
        console.error(
          `missed: ${path} ${fault.kind} ${t.toFixed(3)}–${end.toFixed(3)} s (frame ${fault.at}, ${fault.frames})`,
        );
    }
    for (const { t, end } of unexplained)
      console.error(`not to the frame: ${path} ${t.toFixed(3)}–${end.toFixed(3)} s`);
    others += unexplained.size;
  }
  for (const kind of ['repeated', 'missing'] as const) {
    found[kind][0]! += hits[kind][0];
    found[kind][1]! += hits[kind][1];
  }
  console.log(
    `| ${name} | ${(own.seconds / 60).toFixed(1)} min | ${own.freezes} | ${own.uncertain} | ${broken.map(({ crf }) => crf).join(', ')} | ${hits.repeated.join(' of ')} | ${hits.missing.join(' of ')} | ${others} |`,
  );
}
const hours = clean.seconds / 3600;
console.log(
  `| all | ${hours.toFixed(2)} h | ${clean.freezes} (${(clean.freezes / hours).toFixed(2)} an hour) | ${clean.uncertain} | | ${found.repeated.join(' of ')} | ${found.missing.join(' of ')} | |`,
);

async function freezesOf(path: string): Promise<{
  seconds: number;
  freezes: { readonly t: number; readonly end: number }[];
  uncertain: number;
}> {
  const [view] = await analyzeFiles([path], { video: readVideo });
  const uncertain = (view!.scored.extra!['uncertainFreezes'] ?? []) as readonly unknown[];
  return {
    seconds: view!.scored.quality.duration,
    freezes: view!.incidents.filter(({ kind }) => kind === 'freeze'),
    uncertain: uncertain.length,
  };
}

function frameRate(path: string): number {
  const text = execFileSync(
    'ffprobe',
    ['-v', 'error', '-select_streams', 'v:0', '-show_entries', 'stream=avg_frame_rate', '-of', 'csv=p=0', path],
    { encoding: 'utf8' },
  );
  const [frames, seconds] = text.trim().split('/').map(Number) as [number, number];
  return frames / seconds;
}

/** Whether each frame differs from the one before by more than coding noise. */
function sourceMotion(path: string): boolean[] {
  const { width, height } = SKETCH;
  const pictures = execFileSync(
    'ffmpeg',
    [
      '-v',
      'error',
      '-t',
      String(SECONDS_OF_EACH),
      '-i',
      path,
      '-vf',
      `scale=${width}:${height}`,
      '-pix_fmt',
      'gray',
      '-f',
      'rawvideo',
      '-',
    ],
    { maxBuffer: 2 ** 31 },
  );
  const size = width * height;
  return Array.from({ length: Math.floor(pictures.length / size) }, (_, frame) => {
    if (frame === 0) return false;
    let sum = 0;
    for (let i = frame * size; i < (frame + 1) * size; i++) sum += Math.abs(pictures[i]! - pictures[i - size]!);
    return sum / size > 0.5;
  });
}

function placeFaults(moves: readonly boolean[], fps: number, seed: number): Fault[] {
  const random = mulberry32(seed);
  const faults: Fault[] = [];
  let from = Math.round(fps);
  for (;;) {
    const { least, most } = FAULT_SECONDS;
    const frames = Math.round(fps * (least + (most - least) * random() ** 2));
    const at = from + Math.round(random() * fps);
    if (at + frames + fps > moves.length) return faults;
    const around = moves.slice(at - 12, at + frames + 12);
    if (around.every(Boolean)) {
      faults.push({ kind: random() < 0.75 ? 'repeated' : 'missing', at, frames });
      from = at + frames + Math.round(fps * SECONDS_BETWEEN_FAULTS);
    } else from += 5;
  }
}

/** Random numbers in [0, 1) from a seed (mulberry32, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function faultFilter(faults: readonly Fault[], fps: number): string {
  const select = (kind: Fault['kind']): string =>
    `select='not(${faults
      .filter((fault) => fault.kind === kind)
      .map(({ at, frames }) => `between(n,${at + 1},${at + frames})`)
      .concat('0')
      .join('+')})'`;
  // The filter `fps` fills the first gaps with the picture before them; the second gaps stay.
  return `,${select('repeated')},fps=${fps},${select('missing')}`;
}

/** An encoding of a recording. */
interface Copy {
  readonly path: string;
  readonly crf: number;
  readonly faults: readonly Fault[];
}

/** Encodes what is missing of the copies, with one decoding of the source. */
function encode(source: string, fps: number, copies: readonly Copy[]): void {
  const missing = copies.filter(({ path }) => !existsSync(path));
  if (missing.length === 0) return;
  const split = `scale=${SIZE.width}:${SIZE.height},split=${missing.length}${missing.map((_, i) => `[s${i}]`).join('')}`;
  const chains = missing.map(
    ({ faults }, i) => `[s${i}]null${faults.length > 0 ? faultFilter(faults, fps) : ''}[v${i}]`,
  );
  const codec = ['-fps_mode', 'passthrough', '-c:v', 'libx264', '-preset', 'veryfast', '-g', '120'];
  const outputs = missing.flatMap(({ path, crf, faults }, i) => {
    const sound =
      hasSound && faults.length > 0 ? ['-map', '0:a?', '-af', stoppedSound(faults, fps), '-c:a', 'aac'] : [];
    return ['-map', `[v${i}]`, ...sound, ...codec, '-crf', String(crf), `${path}.part.mp4`];
  });
  const input = ['-v', 'error', '-y', '-t', String(SECONDS_OF_EACH), '-i', source];
  execFileSync('ffmpeg', [...input, '-filter_complex', [split, ...chains].join(';'), ...outputs]);
  for (const { path } of missing) renameSync(`${path}.part.mp4`, path);
}

/** Silence where the picture stands. */
function stoppedSound(faults: readonly Fault[], fps: number): string {
  const spans = faults.map(({ at, frames }) => `between(t,${at / fps},${(at + frames + 1) / fps})`);
  return `volume=0:enable='${spans.join('+')}'`;
}
