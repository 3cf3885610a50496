/**
 * Reads mutated recordings of every container and codec.
 *
 *   node bench/robustness/mutate.ts <game> <recording> [--files 10000] [--from 0] [--at 4.5] [--seconds 1.6]
 *     [--compare 5] [--originals folder] [--keep folder]
 *
 * A short crop of the recording is converted to each format (ffmpeg). Every file of the sequence is one of them with one to
 * three structure-aware mutations (mutations.ts), which depend on its number alone. Each is opened, indexed and read by
 * `detect` twice, in a child process. Reports crashes, internal errors, hangs, logs that differ between both readings, and
 * the largest memory. Of every fifth refused file (`--compare`) the ffprobe command counts the frames: where it decodes at least
 * half of the original's, a readable file was refused. `--originals` keeps the crops for another run, `--keep` the files concerned.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { PlaybyplayError } from '../../src/errors.ts';
import { detect } from '../../src/pipeline/detect.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { openSource } from '../../src/pipeline/source.ts';
import { mutate } from './mutations.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    at: { type: 'string', default: '4.5' },
    seconds: { type: 'string', default: '1.6' },
    compare: { type: 'string', default: '5' },
    originals: { type: 'string' },
    keep: { type: 'string' },
    // The child reads files from this folder.
    child: { type: 'string' },
  },
});
const HANG_SECONDS = 60;

const X264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-g', '20', '-bf', '2'];
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-crf', '28', '-x265-params', 'log-level=error:keyint=20'];
const VP9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '600k', '-g', '20'];
const FRAGMENTED = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof'];

/** The formats: extension and ffmpeg arguments. */
const FORMATS: readonly (readonly [name: string, end: string, args: readonly string[]])[] = [
  ['H.264 in mp4', 'mp4', [...X264, '-movflags', '+faststart']],
  ['H.264 in fragmented mp4', 'mp4', [...X264, ...FRAGMENTED]],
  ['H.264 in mov', 'mov', X264],
  ['H.264 in mkv', 'mkv', X264],
  ['H.264 in ts', 'ts', X264],
  ['H.264 in flv', 'flv', X264],
  ['H.264 in avi', 'avi', X264],
  ['H.264 alone', 'h264', X264],
  ['HEVC in mp4', 'mp4', X265],
  ['HEVC in mkv', 'mkv', X265],
  ['HEVC in ts', 'ts', X265],
  ['VP8 in webm', 'webm', ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '600k', '-g', '20']],
  ['VP9 in webm', 'webm', VP9],
  ['AV1 in mkv', 'mkv', ['-c:v', 'libsvtav1', '-preset', '12', '-crf', '40', '-g', '20']],
  ['MPEG-2 in ts', 'ts', ['-c:v', 'mpeg2video', '-q:v', '6', '-bf', '2', '-r', '30']],
  ['MPEG-2 in mpg', 'mpg', ['-c:v', 'mpeg2video', '-q:v', '6', '-bf', '2', '-r', '30']],
  ['MPEG-4 in avi', 'avi', ['-c:v', 'mpeg4', '-q:v', '6', '-bf', '2']],
  ['MJPEG in avi', 'avi', ['-c:v', 'mjpeg', '-q:v', '8', '-pix_fmt', 'yuvj420p']],
  ['MJPEG in mov', 'mov', ['-c:v', 'mjpeg', '-q:v', '8', '-pix_fmt', 'yuvj420p']],
  ['ProRes in mov', 'mov', ['-c:v', 'prores_ks', '-profile:v', '0']],
  ['WMV in asf', 'wmv', ['-c:v', 'wmv2', '-q:v', '6', '-c:a', 'wmav2']],
  ['Theora in ogg', 'ogv', ['-c:v', 'libtheora', '-q:v', '4', '-c:a', 'libvorbis']],
  ['gif', 'gif', ['-r', '10', '-an']],
];

interface Result {
  readonly n: number;
  readonly what: string;
  /** `log`: it was read; `refused`: with an error that a user understands; else what went wrong. */
  readonly result: string;
  /** Why it was refused. */
  readonly message?: string | undefined;
  readonly events?: number;
  readonly gaps?: number;
  readonly ms: number;
  readonly megabytes: number;
}

const [game = 'freedoom', recording] = positionals;
if (values.child !== undefined) await runChild(values.child);
else if (recording === undefined)
  throw new Error('usage: node bench/robustness/mutate.ts <game> <recording> [options]');
else await runParent(recording);

/** Reads mutated files and prints a line of JSON for each. */
async function runChild(folder: string): Promise<void> {
  const opened = await openGame(game);
  const originals = FORMATS.map(([, end], i) => readFileSync(join(folder, `${i}.${end}`)));
  for (let n = Number(values.from); n < Number(values.files); n++) {
    const format = n % FORMATS.length;
    const [name, end] = FORMATS[format]!;
    const { bytes, what } = mutate(originals[format]!, end, n);
    const path = join(folder, `mutated-${process.pid}.${end}`);
    writeFileSync(path, bytes);
    const began = performance.now();
    const read = async (): Promise<{ readonly result: string; readonly lines: readonly string[] }> => {
      const lines: string[] = [];
      try {
        using source = await openSource(path);
        for await (const message of detect(source, opened, { workers: 1, place: 'default' }))
          if (['header', 'event', 'gap', 'end'].includes(message.type)) lines.push(JSON.stringify(message));
        return { result: 'log', lines };
      } catch (error) {
        if (error instanceof PlaybyplayError) return { result: 'refused', lines: [...lines, error.message] };
        return { result: `internal error: ${error instanceof Error ? error.stack : String(error)}`, lines };
      }
    };
    const [first, second] = [await read(), await read()];
    const isSame = first.result === second.result && first.lines.join('\n') === second.lines.join('\n');
    const count = (type: string): number => first.lines.filter((line) => line.startsWith(`{"type":"${type}"`)).length;
    const result: Result = {
      n,
      what: `${name}: ${what}`,
      result: isSame ? first.result : 'two readings differ',
      ...(first.result === 'refused' && { message: first.lines.at(-1)?.replaceAll(path, 'the file') }),
      events: count('event'),
      gaps: count('gap'),
      ms: Math.round(performance.now() - began),
      megabytes: Math.round(process.memoryUsage().rss / 1e6),
    };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}

async function runParent(source: string): Promise<void> {
  const folder = values.originals ?? mkdtempSync(join(tmpdir(), 'mutate-'));
  mkdirSync(folder, { recursive: true });
  if (values.keep !== undefined) mkdirSync(values.keep, { recursive: true });
  for (const [i, [name, end, args]] of FORMATS.entries()) {
    const cut = ['-v', 'error', '-y', '-ss', values.at, '-t', values.seconds, '-i', source, '-vf', 'scale=320:-2'];
    const original = join(folder, `${i}.${end}`);
    if (existsSync(original)) continue;
    const made = spawnSync('ffmpeg', [...cut, ...args, original], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`cannot make ${name}: ${made.stderr}`);
  }
  const tally = new Map<
    string,
    { files: number; read: number; refused: number; readable: number; events: number; gaps: number; bad: number }
  >();
  let [compared, refusals] = [0, 0];
  let [slowest, largest] = [0, 0];
  // SIGINT ends the sequence early; the table covers what was read.
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const note = ({ n, what, result, message, events = 0, gaps = 0, ms, megabytes }: Result): void => {
    const [name, end] = FORMATS[n % FORMATS.length]!;
    const row = tally.get(name) ?? { files: 0, read: 0, refused: 0, readable: 0, events: 0, gaps: 0, bad: 0 };
    tally.set(name, row);
    row.files++;
    row.events += events;
    row.gaps += gaps;
    slowest = Math.max(slowest, ms);
    largest = Math.max(largest, megabytes);
    if (result === 'log') row.read++;
    else if (result === 'refused') {
      row.refused++;
      if (refusals++ % Number(values.compare) > 0) return;
      compared++;
      const original = join(folder, `${n % FORMATS.length}.${end}`);
      const path = join(folder, `refused.${end}`);
      writeFileSync(path, mutate(readFileSync(original), end, n).bytes);
      const frames = countFrames(path);
      const all = wholes.get(original) ?? countFrames(original);
      wholes.set(original, all);
      if (2 * frames < all) return;
      row.readable++;
      console.log(`? ${n} ${what}: refused (${message}), but ffprobe decodes ${frames} of ${all} frames`);
      keep(n, end);
    } else {
      row.bad++;
      console.log(`! ${n} ${what}: ${result}`);
      keep(n, end);
    }
  };
  const wholes = new Map<string, number>();
  function keep(n: number, end: string): void {
    if (values.keep === undefined) return;
    const original = readFileSync(join(folder, `${n % FORMATS.length}.${end}`));
    writeFileSync(join(values.keep, `${n}.${end}`), mutate(original, end, n).bytes);
  }
  for (let from = Number(values.from); from < Number(values.files); ) {
    const args = [...process.execArgv, import.meta.filename, game, '--child', folder];
    const child = spawn(process.execPath, [...args, '--from', `${from}`, '--files', values.files], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let last = performance.now();
    let said = '';
    let isHung = false;
    child.stderr.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-2000)));
    const endChild = (): void => void child.kill('SIGKILL');
    stop.signal.addEventListener('abort', endChild);
    const watchdog = setInterval(() => {
      if (performance.now() - last < 1000 * HANG_SECONDS) return;
      isHung = true;
      child.kill('SIGKILL');
    }, 1000);
    for await (const line of createInterface({ input: child.stdout })) {
      last = performance.now();
      const result = JSON.parse(line) as Result;
      note(result);
      from = result.n + 1;
      if (from % 1000 === 0) console.log(`${from} files, slowest ${slowest} ms, largest ${largest} MB`);
    }
    clearInterval(watchdog);
    if (stop.signal.aborted || from >= Number(values.files)) break;
    const reason = isHung ? `no result for ${HANG_SECONDS} s` : `the process ended: ${said.trim()}`;
    note({ n: from, what: FORMATS[from % FORMATS.length]![0], result: reason, ms: 0, megabytes: 0 });
    from++;
  }
  if (values.originals === undefined) rmSync(folder, { recursive: true });
  console.log(
    '| Format | Files | Read | Refused | Refused though readable | Events | Gaps | Crashes, hangs, differences |\n|---|---|---|---|---|---|---|---|',
  );
  for (const [name, { files, read, refused, readable, events, gaps, bad }] of tally)
    console.log(`| ${name} | ${files} | ${read} | ${refused} | ${readable} | ${events} | ${gaps} | ${bad} |`);
  console.log(`${compared} refused files were compared with ffprobe.`);
  console.log(`Slowest file: ${slowest} ms for both readings. Largest memory: ${largest} MB.`);
}

/** How many frames of the first video the ffprobe command decodes in at most 20 s. */
function countFrames(path: string): number {
  const show = ['-select_streams', 'v:0', '-count_frames', '-show_entries', 'stream=nb_read_frames', '-of', 'csv=p=0'];
  const { stdout } = spawnSync('ffprobe', ['-v', 'quiet', ...show, path], { encoding: 'utf8', timeout: 20_000 });
  return Number.parseInt(stdout, 10) || 0;
}
