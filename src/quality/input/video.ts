import { setImmediate } from 'node:timers/promises';
import { basename } from 'node:path';
import { isGap, decodeFrames } from '../../media/decode/decode-frames.ts';
import { splitIntoChunks, type PacketIndex, scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import { PlaybyplayError } from '../../errors.ts';
import { formatClock } from '../../time.ts';
import { type FrameRecord, standardRate } from '../frame.ts';
import { Notes, inMemory, type ReadOptions, type SessionInput } from './session.ts';
import type { Plane } from '../../media/picture.ts';
import { median, quantile, upperMedian } from '../../statistics.ts';

/** Seconds of video between two turns of the event loop. */
const CHUNK_SECONDS = 2;

/**
 * Reads a recording as a session, from its timestamps, packets and pictures. A frame that repeats the previous picture
 * has no capture, so the capture delta spans it; present deltas are timestamp differences; the bitrate is measured over
 * groups of pictures.
 *
 * @example
 * ```ts
 * const [session] = await scoreFiles(['match.mp4'], { video: readVideo });
 * session.format; // 'video'
 * ```
 */
export async function readVideo(path: string, options: ReadOptions = {}): Promise<SessionInput> {
  using file = openVideo(path);
  const notes = new Notes();
  const index = scanPackets(file, options.signal ? { signal: options.signal } : {});
  if (index.t.length === 0) throw new PlaybyplayError('no-frames', `${path} has no video frames`);
  if (index.problem) notes.add('video-cut', `reading ended early: ${index.problem}`, path);
  const differences: (Difference | undefined)[] = [];
  let compare = new PictureDifference();
  for (const chunk of splitIntoChunks(index, { minSeconds: CHUNK_SECONDS })) {
    options.signal?.throwIfAborted();
    const wanted = Array.from({ length: chunk.lastFrame - chunk.firstFrame }, (_, i) => chunk.firstFrame + i);
    let seen = 0;
    for (const item of decodeFrames(file, index, chunk, wanted)) {
      if (isGap(item)) {
        notes.count('undecoded');
        notes.add(
          'video-damaged',
          `pictures could not be decoded: ${item.reason}`,
          `${path} at ${formatClock(item.t)}`,
        );
        // Do not compare across the gap.
        compare = new PictureDifference();
        continue;
      }
      using picture = item;
      const frame = frameAt(index, picture.t, chunk.firstFrame + seen);
      differences[frame] = compare.next(picture.y);
      seen = frame - chunk.firstFrame + 1;
    }
    await setImmediate();
  }
  const runs = findRepeatedRuns(
    Array.from({ length: index.t.length }, (_, i) => differences[i]),
    (frame) => index.key[frame] === 1,
  );
  const records = toRecords(index, runs);
  const fps = estimateFrameRate(index);
  noteFindings(notes, index, runs, fps, path);
  return {
    format: 'video',
    name: basename(path),
    fps,
    width: file.info.width,
    height: file.info.height,
    measuredRate: true,
    repeats: true,
    derived: {
      captureDelta: 'time between pictures that differ',
      presentDelta: 'differences of the timestamps',
      picture: 'bits a second, measured over whole groups of pictures',
    },
    missing: {
      roundTripDelay: 'a recording has no network data',
      stackLatency: 'a recording has no inputs',
    },
    notes,
    extra: { frozen: frozenStretches(index, runs), codec: file.info.codec },
    records: () => inMemory(records),
  };
}

/** Frame with this time, from `from` on. */
function frameAt(index: PacketIndex, t: number, from: number): number {
  let frame = from;
  while (frame + 1 < index.t.length && index.t[frame]! < t - 5e-7) frame++;
  return frame;
}

function toRecords(index: PacketIndex, runs: readonly RepeatedRun[]): FrameRecord[] {
  const repeated = new Uint8Array(index.t.length);
  for (const { first, last, frozen } of runs) if (frozen) repeated.fill(1, first + 1, last + 1);
  const rates = bitrates(index);
  return Array.from(index.t, (t, frame) => ({
    frame,
    captured: repeated[frame] ? undefined : 1000 * t,
    presented: 1000 * t,
    bytes: packetBytes(index, frame),
    targetBitrate: rates.get(frame),
  }));
}

function packetBytes(index: PacketIndex, frame: number): number {
  return index.packets.size[index.packet[frame]! - index.firstPacket] ?? 0;
}

/** Seconds per bitrate measurement: whole groups of pictures, split if longer than `most`. */
const BITRATE_WINDOW_SECONDS = { least: 4, most: 10 };

/**
 * Bits per second by the first frame of the stretch that they were measured over. A keyframe takes many times the bits
 * of another frame, so a stretch holds whole groups of pictures: from second to second the rate of a stream that is
 * perfectly steady goes up and down.
 */
function bitrates(index: PacketIndex): Map<number, number> {
  const { t, key } = index;
  const cuts = [0];
  for (let frame = 1; frame < t.length; frame++) {
    const since = t[frame]! - t[cuts.at(-1)!]!;
    if ((key[frame] === 1 && since >= BITRATE_WINDOW_SECONDS.least) || since >= BITRATE_WINDOW_SECONDS.most)
      cuts.push(frame);
  }
  const end = t.at(-1)! + (t.length > 1 ? (t.at(-1)! - t[0]!) / (t.length - 1) : 0);
  // The rest at the end is not a whole group.
  if (cuts.length > 1 && end - t[cuts.at(-1)!]! < BITRATE_WINDOW_SECONDS.least) cuts.pop();
  const rates = new Map<number, number>();
  for (const [i, from] of cuts.entries()) {
    const to = cuts[i + 1] ?? t.length;
    let bits = 0;
    for (let frame = from; frame < to; frame++) bits += 8 * packetBytes(index, frame);
    const seconds = (t[to] ?? end) - t[from]!;
    if (seconds > 0) rates.set(from, bits / seconds);
  }
  return rates;
}

/** Standard rate nearest to the median frame interval. */
function estimateFrameRate(index: PacketIndex): number | undefined {
  const deltas = Array.from(index.t.subarray(1), (t, i) => t - index.t[i]!).filter((delta) => delta > 0);
  const usual = upperMedian(deltas);
  return usual === undefined ? undefined : standardRate([1 / usual]);
}

function frozenStretches(index: PacketIndex, runs: readonly RepeatedRun[]): { t: number; end: number }[] {
  return runs
    .filter(({ frozen, first, last }) => frozen && last - first >= 2)
    .map(({ first, last }) => ({ t: index.t[first]!, end: index.t[Math.min(last + 1, index.t.length - 1)]! }));
}

function noteFindings(
  notes: Notes,
  index: PacketIndex,
  runs: readonly RepeatedRun[],
  fps: number | undefined,
  path: string,
): void {
  notes.count('frames', index.t.length);
  notes.count(
    'duplicates',
    runs.reduce((sum, { first, last, frozen }) => sum + (frozen ? last - first : 0), 0),
  );
  notes.count(
    'still',
    runs.reduce((sum, { first, last, frozen }) => sum + (frozen ? 0 : last - first), 0),
  );
  const limit = 1.5 / (fps ?? 30);
  let gaps = 0;
  for (let i = 1; i < index.t.length; i++) if (index.t[i]! - index.t[i - 1]! > limit) gaps++;
  notes.count('timestampGaps', gaps);
  if (index.t.length < 2) notes.add('single-frame', 'the recording has only one frame', path);
}

/** Difference of two pictures in 8-bit luma levels. */
export interface Difference {
  readonly mean: number;
  readonly most: number;
}

/** Compares luma with the previous picture on a grid of about `columns` × 9/16 `columns` points. */
export class PictureDifference {
  readonly #columns: number;
  #before: Uint8Array | undefined;

  constructor(columns = 240) {
    this.#columns = columns;
  }

  /** Undefined for the first picture and after a change of size. */
  next(luma: Plane): Difference | undefined {
    const step = Math.max(1, Math.floor(luma.width / this.#columns));
    const columns = Math.floor(luma.width / step);
    const rows = Math.floor(luma.height / step);
    const now = new Uint8Array(columns * rows);
    for (let y = 0, i = 0; y < rows; y++) {
      for (let x = 0, at = y * step * luma.stride; x < columns; x++, at += step) now[i++] = luma.data[at]!;
    }
    const before = this.#before;
    this.#before = now;
    if (before?.length !== now.length) return undefined;
    let sum = 0;
    let most = 0;
    for (let i = 0; i < now.length; i++) {
      const apart = Math.abs(now[i]! - before[i]!);
      sum += apart;
      if (apart > most) most = apart;
    }
    return { mean: sum / now.length, most };
  }
}

/** A run of frames with the same picture: the first is new, the others repeat it. Frame numbers. */
export interface RepeatedRun {
  readonly first: number;
  readonly last: number;
  /** The stream froze; otherwise the scene was still (a menu, a pause). */
  readonly frozen: boolean;
}

/**
 * Finds runs of repeated pictures. A repeated picture is re-encoded at keyframes (`key`) and differs slightly there,
 * though by far less than motion. A run is a freeze if there was motion before it and the picture has moved on by the
 * elapsed time after it; a still scene resumes where it stopped.
 */
export function findRepeatedRuns(
  differences: readonly (Difference | undefined)[],
  key: (frame: number) => boolean = () => false,
): RepeatedRun[] {
  const moving = differences.filter((one, i) => one && !key(i) && !isRepeat(one)).map((one) => one!.mean);
  const usual = moving.length > 0 ? median(moving) : 0;
  const repeats = differences.map((one, i) => {
    if (!one) return false;
    return isRepeat(one) || (key(i) && one.mean < Math.min(2, 0.2 * usual));
  });
  const runs: RepeatedRun[] = [];
  const strict = repeats.slice();
  for (let i = 1; i < repeats.length; i++) {
    if (!repeats[i]) continue;
    let last = i;
    while (repeats[last + 1]) last++;
    if (last - i + 1 >= MIN_RESTING_REPEATS) last = extendRun(differences, strict, i, last);
    runs.push({ first: i - 1, last, frozen: isFreeze(differences, repeats, i, last) });
    i = last;
  }
  return runs;
}

/** Minimum repeats of a still scene. */
const MIN_RESTING_REPEATS = 4;

/**
 * Extends a run over nearly unchanged frames that follow it: lookahead encoders retouch a repeated picture in its last
 * frames.
 */
function extendRun(
  differences: readonly (Difference | undefined)[],
  strict: readonly boolean[],
  from: number,
  last: number,
): number {
  const around: Difference[] = [];
  for (let i = Math.max(1, from - 15); i <= Math.min(last + 15, differences.length - 1); i++)
    if (differences[i] && !strict[i]) around.push(differences[i]!);
  if (around.length < 8) return last;
  const mean = Math.min(
    1,
    0.1 *
      quantile(
        around.map((one) => one.mean),
        0.75,
      ),
  );
  const most =
    0.3 *
    quantile(
      around.map((one) => one.most),
      0.75,
    );
  let end = last;
  for (let weak = 0; weak < 3; weak++) {
    const next = differences[end + 1];
    if (!next || next.mean >= mean || next.most > most) break;
    end++;
    while (strict[end + 1]) end++;
  }
  return end;
}

function isFreeze(
  differences: readonly (Difference | undefined)[],
  repeats: readonly boolean[],
  from: number,
  last: number,
): boolean {
  const before: number[] = [];
  for (let i = Math.max(1, from - 30); i < from; i++)
    if (differences[i] && !repeats[i]) before.push(differences[i]!.mean);
  if (before.length < 5) return false;
  const after = differences[last + 1];
  // A run to the end cannot be verified; there was motion before it, so treat it as a freeze.
  if (after === undefined) return true;
  if (after.mean <= 0.6 * median(before)) return false;
  const count = last - from + 1;
  if (count < MIN_RESTING_REPEATS) return true;
  const steps = stepsAfter(differences, repeats, last + 2, count);
  return steps.length < 3 || after.mean > median(steps);
}

/**
 * Motion per frame after a run, of frames that repeat for much less time than the run: motion resumes slowly after a
 * still scene and jumps after a freeze. An application that renders less often than is recorded has no such frames.
 */
function stepsAfter(
  differences: readonly (Difference | undefined)[],
  repeats: readonly boolean[],
  from: number,
  count: number,
): number[] {
  const steps: number[] = [];
  let repeated = 0;
  for (let i = from; i < Math.min(from + 12, differences.length) && steps.length < 6; i++) {
    if (repeats[i]) {
      repeated++;
      continue;
    }
    if (differences[i] && repeated < count / 2) steps.push(differences[i]!.mean);
    repeated = 0;
  }
  return steps;
}

/**
 * Encoders repeat a picture almost exactly: at low bitrates they refine it by up to 9 levels at single points
 * (measured), while motion changes points by dozens.
 */
function isRepeat({ mean, most }: Difference): boolean {
  return mean < 0.12 && most <= 16;
}
