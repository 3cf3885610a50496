import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isGap, decodeFrames } from '../../media/decode/decode-frames.ts';
import { splitIntoChunks, type PacketIndex, scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import { PlaybyplayError } from '../../errors.ts';
import { formatClock } from '../../time.ts';
import type { FrameRecord } from '../frame.ts';
import { standardRate } from '../rate.ts';
import { Notes } from './notes.ts';
import { inMemory, type ReadOptions, type SessionInput } from './session.ts';
import { type Difference, PictureDifference, type StillRun, stillRuns } from './stillness.ts';

/** Seconds of video between two turns of the event loop. */
const chunkSeconds = 2;

/**
 * A recording as a session of its own: what its timestamps, its packets and its pictures tell without any log. A frame
 * that repeats the one before it was not captured anew, so the capture delta runs over it; present deltas are the
 * differences of the timestamps; the bitrate is measured over some groups of pictures at a time.
 */
export async function readVideo(path: string, options: ReadOptions = {}): Promise<SessionInput> {
  using file = openVideo(path);
  const notes = new Notes();
  const index = scanPackets(file, options.signal ? { signal: options.signal } : {});
  if (index.t.length === 0) throw new PlaybyplayError('no-frames', `${path} holds no video frame`);
  if (index.problem) notes.add('video-cut', `reading ended early: ${index.problem}`, path);
  const differences: (Difference | undefined)[] = [];
  let compare = new PictureDifference();
  for (const chunk of splitIntoChunks(index, { minSeconds: chunkSeconds })) {
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
        // What follows is not compared with what came before the gap.
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
  const runs = stillRuns(
    Array.from({ length: index.t.length }, (_, i) => differences[i]),
    (frame) => index.key[frame] === 1,
  );
  const records = toRecords(index, runs);
  const fps = rateOf(index);
  tell(notes, index, runs, fps, path);
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
      roundTripDelay: 'a recording tells nothing of the network',
      stackLatency: 'a recording tells of no input',
    },
    notes,
    extra: { frozen: frozenStretches(index, runs), codec: file.info.codec },
    records: () => inMemory(records),
  };
}

/** The frame that has this time, from `from` on. */
function frameAt(index: PacketIndex, t: number, from: number): number {
  let frame = from;
  while (frame + 1 < index.t.length && index.t[frame]! < t - 5e-7) frame++;
  return frame;
}

function toRecords(index: PacketIndex, runs: readonly StillRun[]): FrameRecord[] {
  const repeated = new Uint8Array(index.t.length);
  for (const { first, last, frozen } of runs) if (frozen) repeated.fill(1, first + 1, last + 1);
  const rates = bitrates(index);
  return Array.from(index.t, (t, frame) => ({
    frame,
    captured: repeated[frame] ? undefined : 1000 * t,
    presented: 1000 * t,
    bytes: bytesOf(index, frame),
    targetBitrate: rates.get(frame),
  }));
}

function bytesOf(index: PacketIndex, frame: number): number {
  return index.packets.size[index.packet[frame]! - index.firstPacket] ?? 0;
}

/** Seconds over which a bitrate is measured: whole groups of pictures of this many together, or cut where one is longer. */
const rateStretch = { least: 4, most: 10 };

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
    if ((key[frame] === 1 && since >= rateStretch.least) || since >= rateStretch.most) cuts.push(frame);
  }
  const end = t.at(-1)! + (t.length > 1 ? (t.at(-1)! - t[0]!) / (t.length - 1) : 0);
  // What is left over at the end tells of no whole group.
  if (cuts.length > 1 && end - t[cuts.at(-1)!]! < rateStretch.least) cuts.pop();
  const rates = new Map<number, number>();
  for (const [i, from] of cuts.entries()) {
    const to = cuts[i + 1] ?? t.length;
    let bits = 0;
    for (let frame = from; frame < to; frame++) bits += 8 * bytesOf(index, frame);
    const seconds = (t[to] ?? end) - t[from]!;
    if (seconds > 0) rates.set(from, bits / seconds);
  }
  return rates;
}

/** The rate that most frames come at, whatever gaps lie between. */
function rateOf(index: PacketIndex): number | undefined {
  const deltas = Array.from(index.t.subarray(1), (t, i) => t - index.t[i]!).filter((delta) => delta > 0);
  const median = deltas.toSorted((a, b) => a - b)[deltas.length >> 1];
  return median === undefined ? undefined : standardRate([1 / median]);
}

function frozenStretches(index: PacketIndex, runs: readonly StillRun[]): { t: number; end: number }[] {
  return runs
    .filter(({ frozen, first, last }) => frozen && last - first >= 2)
    .map(({ first, last }) => ({ t: index.t[first]!, end: index.t[Math.min(last + 1, index.t.length - 1)]! }));
}

function tell(
  notes: Notes,
  index: PacketIndex,
  runs: readonly StillRun[],
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
  if (index.t.length < 2) notes.add('single-frame', 'a single frame tells nothing of time', path);
}
