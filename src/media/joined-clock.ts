import { statSync } from 'node:fs';
import { AVMEDIA_TYPE_VIDEO, AV_NOPTS_VALUE } from 'node-av/constants';
import { Packet } from 'node-av/lib';
import { openFormat } from './container/open.ts';
import { frameTime } from './packets/packet-index.ts';
import { scanPackets } from './packets/scan-packets.ts';
import { openVideo } from './video.ts';

/** A part of a recording that was joined byte by byte: its own clock is `shift` seconds behind that of the whole. */
export interface JoinedPart {
  /** Where it begins in the file, in bytes. */
  readonly offset: number;
  /** When it begins, in seconds of the stored clock of the first part. */
  readonly start: number;
  readonly shift: number;
}

/** Formats of which recordings can be joined byte by byte. */
const JOINABLE_CONTAINERS: readonly string[] = ['mpegts', 'mpeg'];
/** By so many seconds a clock steps where parts were joined. */
const MIN_STEP_SECONDS = 0.1;
/** By so much stored times step back, or ahead, only where a part ends. */
const MAX_STEP_BACK_SECONDS = 0.5;
const MAX_STEP_AHEAD_SECONDS = 600;

const known = new Map<string, readonly JoinedPart[]>();

/**
 * Finds the parts of a recording whose clock restarts because files were joined byte by byte. It reads all packets of such
 * formats, once for a file.
 *
 * @returns The parts in order of the file; none where the clock runs through.
 */
export function findJoinedParts(path: string): readonly JoinedPart[] {
  const { size, mtimeMs } = statSync(path);
  const key = `${path} ${size} ${mtimeMs}`;
  let parts = known.get(key);
  if (parts === undefined) known.set(key, (parts = readParts(path)));
  return parts;
}

function readParts(path: string): readonly JoinedPart[] {
  using resources = new DisposableStack();
  const format = resources.adopt(openFormat(path), (opened) => opened.closeInputSync());
  const hasPictures = format.streams.some(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO);
  if (!JOINABLE_CONTAINERS.includes(format.iformat?.name ?? '') || !hasPictures) return [];
  const file = resources.use(openVideo(path));
  const index = scanPackets(file);
  if (index.clockSetAnew === undefined) return [];
  const { num, den } = index.timeBase;
  const parts: JoinedPart[] = [];
  using packet = new Packet();
  packet.alloc();
  file.rewind();
  for (let position = 0; file.read(packet) >= 0; position++, packet.unref()) {
    const { pts, pos } = packet;
    const frame = index.packets.frame[position] ?? -1;
    if (pts === AV_NOPTS_VALUE || pos < 0n || frame < 0) continue;
    const stored = (Number(pts) * num) / den;
    const start = frameTime(index, frame) + (index.origin * num) / den;
    const shift = start - stored;
    if (parts.length > 0 && Math.abs(shift - parts.at(-1)!.shift) < MIN_STEP_SECONDS) continue;
    parts.push({ offset: parts.length === 0 ? 0 : Number(pos), start, shift });
  }
  return parts.length > 1 ? parts : [];
}

/** Brings the times of packets that are read in order of the file to the clock of the whole. */
export class JoinedClock {
  readonly #parts: readonly JoinedPart[];
  #part = 0;
  #last = Number.NaN;

  /** @param parts At least one. */
  constructor(parts: readonly JoinedPart[]) {
    this.#parts = parts;
  }

  /** Prepares reading up to a time, in seconds of the whole; returns the byte at which to begin. */
  seek(t: number): number {
    this.#part = Math.max(
      0,
      this.#parts.findLastIndex(({ start }) => start <= t),
    );
    this.#last = Number.NaN;
    return this.#parts[this.#part]!.offset;
  }

  /**
   * Returns the seconds to add to a packet's stored time.
   *
   * @param offset Its place in the file in bytes; negative where that is not known.
   * @param stored Seconds.
   */
  shiftOf(offset: number, stored: number): number {
    // Sound of a part may lie before its first picture.
    const isNext = stored < this.#last - MAX_STEP_BACK_SECONDS || stored > this.#last + MAX_STEP_AHEAD_SECONDS;
    if (isNext && this.#part + 1 < this.#parts.length) this.#part++;
    while (offset >= (this.#parts[this.#part + 1]?.offset ?? Number.POSITIVE_INFINITY)) this.#part++;
    this.#last = stored;
    return this.#parts[this.#part]!.shift;
  }
}
