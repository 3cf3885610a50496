import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isProblem, readPictures } from '../../media/decode.ts';
import { chunksOf, type PacketIndex, scanPackets } from '../../media/packets.ts';
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
 * differences of the timestamps; the bitrate is that of each second.
 */
export async function readVideo(path: string, options: ReadOptions = {}): Promise<SessionInput> {
  using file = openVideo(path);
  const notes = new Notes();
  const index = scanPackets(file, options.signal ? { signal: options.signal } : {});
  if (index.t.length === 0) throw new PlaybyplayError('no-frames', `${path} holds no video frame`);
  if (index.problem) notes.add('video-cut', `reading ended early: ${index.problem}`, path);
  const differences: (Difference | undefined)[] = [];
  let compare = new PictureDifference();
  for (const chunk of chunksOf(index, { minSeconds: chunkSeconds })) {
    options.signal?.throwIfAborted();
    const wanted = Array.from({ length: chunk.lastFrame - chunk.firstFrame }, (_, i) => chunk.firstFrame + i);
    let seen = 0;
    for (const item of readPictures(file, index, chunk, wanted)) {
      if (isProblem(item)) {
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
    derived: {
      captureDelta: 'time between pictures that differ',
      presentDelta: 'differences of the timestamps',
      picture: 'bits of each second',
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
  const bits = new Map<number, number>();
  const bytesOf = (frame: number): number => index.packets.size[index.packet[frame]! - index.firstPacket] ?? 0;
  for (const [frame, t] of index.t.entries()) {
    bits.set(Math.floor(t), (bits.get(Math.floor(t)) ?? 0) + 8 * bytesOf(frame));
  }
  const end = index.t.at(-1)!;
  let second = -1;
  return Array.from(index.t, (t, frame) => {
    const begins = Math.floor(t) !== second;
    second = Math.floor(t);
    // The last second is mostly not a whole one: its bits say nothing of a rate.
    const whole = second + 1 <= end || second === 0;
    return {
      frame,
      captured: repeated[frame] ? undefined : 1000 * t,
      presented: 1000 * t,
      bytes: bytesOf(frame),
      ...(begins && whole && { targetBitrate: bits.get(second)! / Math.min(1, Math.max(end, 0.001)) }),
    };
  });
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
