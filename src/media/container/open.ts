import { accessSync, closeSync, constants as fs, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { AV_LOG_QUIET } from 'node-av/constants';
import { FFmpegError, FormatContext, Log } from 'node-av/lib';
import { PlaybyplayError, messageOf } from '../../errors.ts';

/**
 * Opens a container and finds its streams. The caller closes it with `closeInputSync`.
 *
 * @throws PlaybyplayError `no-such-file`, `unreadable-file`, `not-a-video`.
 */
export function openFormat(path: string): FormatContext {
  Log.setLevel(AV_LOG_QUIET);
  checkFile(path);
  const format = new FormatContext();
  format.allocContext();
  // The prefix keeps FFmpeg from taking a name such as `concat:…` or `http://…` for a protocol.
  const opened = format.openInputSync(`file:${path}`);
  if (opened < 0) {
    throw new PlaybyplayError(
      'not-a-video',
      `${path} is not a video file that can be read (${describeError(opened)})`,
      {
        hint: hasNoIndex(path)
          ? 'The mp4 or mov file has no index: it is written last, so the recording or copy was cut off. Use another copy, or ' +
            'rebuild the index with a program such as untrunc. Recordings to mkv or fragmented mp4 stay readable when cut off.'
          : 'Give an mp4, mov, mkv, webm, ts, flv or avi file.',
      },
    );
  }
  const found = format.findStreamInfoSync();
  if (found < 0) {
    format.closeInputSync();
    throw new PlaybyplayError('not-a-video', `${path} contains no stream that can be read (${describeError(found)})`);
  }
  return format;
}

/**
 * Checks that a path is a readable, non-empty file.
 *
 * @throws PlaybyplayError `no-such-file`, `unreadable-file`, `not-a-video`.
 */
export function checkFile(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new PlaybyplayError('no-such-file', `there is no file ${path}`, { hint: hintForMissingFile(path) });
  if (stat.isFile() && stat.size === 0) throw new PlaybyplayError('not-a-video', `${path} is empty`);
  if (stat.isDirectory()) throw new PlaybyplayError('not-a-video', `${path} is a folder, not a video file`);
  if (!stat.isFile())
    throw new PlaybyplayError('not-a-video', `${path} is not a regular file`, {
      hint: 'Several threads read a recording at once, so it must be a file: save it to one first.',
    });
  try {
    accessSync(path, fs.R_OK);
  } catch (cause) {
    throw new PlaybyplayError('unreadable-file', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function hintForMissingFile(path: string): string | undefined {
  if (path === '-')
    return 'Several threads read a recording at once, so it must be a file: standard input is not read.';
  return /^[a-z][a-z\d+.-]+:\/\//i.test(path) ? 'Recordings are read from files: download it first.' : undefined;
}

/** Returns FFmpeg's message for an error code. */
export function describeError(code: number): string {
  return FFmpegError.strerror(code);
}

/** Bounds the walk over a damaged file; a week recorded in fragments of one second has fewer boxes. */
const MAX_BOXES = 2_000_000;

/** A box on the top level of an mp4 or mov file. */
interface TopLevelBox {
  readonly type: string;
  readonly isComplete: boolean;
}

/** Lists the boxes on the top level of a file (ISO/IEC 14496-12 §4.2) up to the first that cannot be read. */
function* topLevelBoxes(path: string): Generator<TopLevelBox, void, undefined> {
  const header = Buffer.alloc(16);
  const file = openSync(path, 'r');
  try {
    const { size: length } = fstatSync(file);
    for (let offset = 0, boxes = 0; offset < length && boxes < MAX_BOXES; boxes++) {
      const got = readSync(file, header, 0, header.length, offset);
      const type = header.toString('latin1', 4, 8);
      if (got < 8) return yield { type: '', isComplete: false };
      const size = header.readUInt32BE(0);
      const bytes = size === 1 && got === header.length ? Number(header.readBigUInt64BE(8)) : size;
      // A size of 0 means up to the end of the file; a box cannot be shorter than its header.
      if (bytes < 8) return yield { type, isComplete: bytes === 0 };
      yield { type, isComplete: offset + bytes <= length };
      offset += bytes;
    }
  } finally {
    closeSync(file);
  }
}

/** Whether a file starts as mp4 or mov but has no `moov` box (§8.2). */
function hasNoIndex(path: string): boolean {
  let isFirst = true;
  for (const { type } of topLevelBoxes(path)) {
    if (isFirst && type !== 'ftyp') return false;
    if (type === 'moov') return false;
    isFirst = false;
  }
  return !isFirst;
}

/** Whether an mp4 or mov file ends within media data or a fragment's header, as an interrupted fragmented recording does. */
export function isTruncated(path: string): boolean {
  for (const { type, isComplete } of topLevelBoxes(path)) if (!isComplete) return type === 'mdat' || type === 'moof';
  return false;
}
