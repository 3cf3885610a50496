import { accessSync, constants as fs, statSync } from 'node:fs';
import { FFmpegError, FormatContext, Log } from 'node-av/lib';
import { AV_LOG_QUIET } from 'node-av/constants';
import { PlaybyplayError, messageOf } from '../../errors.ts';
import { isUnfinished } from './boxes.ts';

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
