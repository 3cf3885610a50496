import { accessSync, constants as fs, statSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { AV_LOG_QUIET } from 'node-av/constants';
import { FFmpegError, FormatContext, Log } from 'node-av/lib';
import { PlaybyplayError, messageOf } from '../../errors.ts';

/** Opens a container and finds its streams. Throws PlaybyplayError `no-such-file`, `unreadable-file`, `not-a-video`. */
export function openFormat(path: string): FormatContext {
  Log.setLevel(AV_LOG_QUIET);
  checkFile(path);
  const format = new FormatContext();
  format.allocContext();
  // The prefix keeps FFmpeg from taking a name such as `concat:…` or `http://…` for a protocol.
  const opened = format.openInputSync(`file:${path}`);
  if (opened < 0) {
    throw new PlaybyplayError('not-a-video', `${path} is not a video file that can be read (${reason(opened)})`, {
      hint: isUnfinished(path)
        ? 'It is an mp4 or mov file without its index, which is written last: the recording or copy was cut off. If another copy ' +
          'is whole, take that; else a program such as untrunc can rebuild the index from a whole recording by the same recorder. ' +
          'Record to mkv or fragmented mp4: what was written of those can be read.'
        : 'Give an mp4, mov, mkv, webm, ts, flv or avi file.',
    });
  }
  const found = format.findStreamInfoSync();
  if (found < 0) {
    format.closeInputSync();
    throw new PlaybyplayError('not-a-video', `${path} holds no stream that can be read (${reason(found)})`);
  }
  return format;
}

/** Throws PlaybyplayError `no-such-file`, `unreadable-file`, or `not-a-video` for what is plainly none. */
export function checkFile(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new PlaybyplayError('no-such-file', `there is no file ${path}`, { hint: elsewhere(path) });
  if (stat.isFile() && stat.size === 0) throw new PlaybyplayError('not-a-video', `${path} is empty`);
  if (stat.isDirectory()) throw new PlaybyplayError('not-a-video', `${path} is a folder, not a video file`);
  if (!stat.isFile())
    throw new PlaybyplayError('not-a-video', `${path} is no ordinary file`, {
      hint: 'A recording is read in several places at once, so it must lie in a file: write it to one first.',
    });
  try {
    accessSync(path, fs.R_OK);
  } catch (cause) {
    throw new PlaybyplayError('unreadable-file', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** What was meant is no file. */
function elsewhere(path: string): string | undefined {
  if (path === '-')
    return 'A recording is read in several places at once, so it must be a file: standard input is not read.';
  return /^[a-z][a-z\d+.-]+:\/\//i.test(path) ? 'Recordings are read from files: download it first.' : undefined;
}

/** FFmpeg's words for an error code. */
export function reason(code: number): string {
  return FFmpegError.strerror(code);
}

/** More than a recording of a week in fragments of a second has. */
const MOST_BOXES = 2_000_000;

/** A box on the top level of an mp4 or mov file. */
interface TopBox {
  readonly kind: string;
  /** All of it lies in the file. */
  readonly whole: boolean;
}

/** The boxes on the top level of a file (ISO/IEC 14496-12 §4.2), as far as they can be told apart. */
function* topBoxes(path: string): Generator<TopBox, void, undefined> {
  const head = Buffer.alloc(16);
  const file = openSync(path, 'r');
  try {
    const { size: length } = fstatSync(file);
    for (let at = 0, boxes = 0; at < length && boxes < MOST_BOXES; boxes++) {
      const got = readSync(file, head, 0, head.length, at);
      const kind = head.toString('latin1', 4, 8);
      if (got < 8) return yield { kind: '', whole: false };
      const size = head.readUInt32BE(0);
      const bytes = size === 1 && got === head.length ? Number(head.readBigUInt64BE(8)) : size;
      // A box without a size reaches to the end of the file; one that is shorter than its own head is none.
      if (bytes < 8) return yield { kind, whole: bytes === 0 };
      yield { kind, whole: at + bytes <= length };
      at += bytes;
    }
  } finally {
    closeSync(file);
  }
}

/** An mp4 or mov file without a `moov` box: it begins as one, and no box on its top level is the index (§8.2). */
export function isUnfinished(path: string): boolean {
  let first = true;
  for (const { kind } of topBoxes(path)) {
    if (first && kind !== 'ftyp') return false;
    if (kind === 'moov') return false;
    first = false;
  }
  return !first;
}

/** An mp4 or mov file that ends within pictures or within what tells of them, as a fragmented recording does that was cut off. */
export function isCutOff(path: string): boolean {
  for (const { kind, whole } of topBoxes(path)) if (!whole) return kind === 'mdat' || kind === 'moof';
  return false;
}
