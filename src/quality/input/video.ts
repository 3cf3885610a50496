import { setImmediate } from 'node:timers/promises';
import { basename } from 'node:path';
import { isGap, decodeFrames } from '../../media/decode/decode-frames.ts';
import { originSeconds } from '../../media/packets/packet-index.ts';
import { splitIntoChunks, type PacketIndex, scanPackets } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import { PlaybyplayError } from '../../errors.ts';
import { formatClock } from '../../time.ts';
import { type FrameRecord, standardRate } from '../frame.ts';
import { Notes, inMemory, type ReadOptions, type SessionInput } from './session.ts';
import { upperMedian } from '../../statistics.ts';
import { findSoundStops } from './sound-stops.ts';
import { type Difference, findRepeatedRuns, PictureComparer, type RepeatedRun, type Verdict } from './stillness.ts';

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
  let compare = new PictureComparer();
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
        compare = new PictureComparer();
        continue;
      }
      using picture = item;
      const frame = frameAt(index, picture.t, chunk.firstFrame + seen);
      differences[frame] = compare.next(picture.y);
      seen = frame - chunk.firstFrame + 1;
    }
    await setImmediate();
  }
  const judged = findRepeatedRuns(
    Array.from({ length: index.t.length }, (_, i) => differences[i]),
    (frame) => index.key[frame] === 1,
  ).map((run) => (isStillByNature(index, run, options.still) ? { ...run, verdict: 'still' as const } : run));
  const runs = file.info.audio.length > 0 ? decideBySound(path, index, judged, options.signal) : judged;
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
    extra: {
      frozen: stretches(index, runs, 'freeze'),
      uncertainFreezes: stretches(index, runs, 'uncertain'),
      codec: file.info.codec,
    },
    records: () => inMemory(records),
  };
}

/** Seconds by which a log may place the begin of a death or menu after its first picture. */
const LOG_DELAY_SECONDS = 0.5;

/** Whether pictures repeat where they stand still by nature: a freeze that begins before is still one. */
function isStillByNature({ t }: PacketIndex, { first, last }: RepeatedRun, spans: ReadOptions['still'] = []): boolean {
  return spans.some(({ start, end }) => t[first]! >= start - LOG_DELAY_SECONDS && t[last]! <= end);
}

/** Where the picture alone cannot decide, a freeze is what stops the sound as well. */
function decideBySound(
  path: string,
  index: PacketIndex,
  runs: readonly RepeatedRun[],
  signal: AbortSignal | undefined,
): readonly RepeatedRun[] {
  const uncertain = runs.filter(({ verdict }) => verdict === 'uncertain');
  const spans = uncertain.map((run) => spanOf(index, run)).map(({ t, end }) => ({ start: t, end }));
  const stops = findSoundStops(path, spans, { origin: originSeconds(index), signal });
  const frozen = new Set(uncertain.filter((_, i) => stops[i]));
  return runs.map((run) => (frozen.has(run) ? { ...run, verdict: 'freeze' } : run));
}

/** Frame with this time, from `from` on. */
function frameAt(index: PacketIndex, t: number, from: number): number {
  let frame = from;
  while (frame + 1 < index.t.length && index.t[frame]! < t - 5e-7) frame++;
  return frame;
}

function toRecords(index: PacketIndex, runs: readonly RepeatedRun[]): FrameRecord[] {
  const repeated = new Uint8Array(index.t.length);
  for (const { first, last, verdict } of runs) if (verdict === 'freeze') repeated.fill(1, first + 1, last + 1);
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

/** Stretches of several repeats with this verdict. */
function stretches(index: PacketIndex, runs: readonly RepeatedRun[], wanted: Verdict): { t: number; end: number }[] {
  return runs
    .filter(({ verdict, first, last }) => verdict === wanted && last - first >= 2)
    .map((run) => spanOf(index, run));
}

/** From the picture that is repeated to the next new one, in seconds. */
function spanOf({ t }: PacketIndex, { first, last }: RepeatedRun): { t: number; end: number } {
  return { t: t[first]!, end: t[Math.min(last + 1, t.length - 1)]! };
}

function noteFindings(
  notes: Notes,
  index: PacketIndex,
  runs: readonly RepeatedRun[],
  fps: number | undefined,
  path: string,
): void {
  notes.count('frames', index.t.length);
  const names = { freeze: 'duplicates', still: 'still', uncertain: 'uncertain' } as const;
  for (const name of Object.values(names)) notes.count(name, 0);
  for (const { first, last, verdict } of runs) notes.count(names[verdict], last - first);
  const limit = 1.5 / (fps ?? 30);
  let gaps = 0;
  for (let i = 1; i < index.t.length; i++) if (index.t[i]! - index.t[i - 1]! > limit) gaps++;
  notes.count('timestampGaps', gaps);
  if (index.t.length < 2) notes.add('single-frame', 'the recording has only one frame', path);
}
