import { accessSync, closeSync, constants as fs, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { AVERROR_INVALIDDATA, AV_LOG_QUIET } from 'node-av/constants';
import { Dictionary, FFmpegError, FormatContext, InputFormat, Log } from 'node-av/lib';
import { PlaybyplayError, messageOf } from '../../errors.ts';
import { checkLimit, mediaLimits } from '../limits.ts';

/**
 * FFmpeg's names of the demuxers that may open a recording: those of the containers, sound files and pictures that the
 * documentation lists. None of them opens another file (mov only with `enable_drefs`, which is off). Playlists, manifests
 * and scripts of files (hls, dash, imf, concat, image2, vobsub, sdp, …) are not among them.
 */
const READABLE_FORMATS: readonly string[] = [
  'mov,mp4,m4a,3gp,3g2,mj2',
  'matroska,webm',
  'mpegts',
  'mpeg',
  'avi',
  'flv',
  'asf',
  'ogg',
  'gif',
  'h264',
  'hevc',
  'wav',
  'mp3',
  'flac',
  'aac',
  'png_pipe',
  'jpeg_pipe',
  'webp_pipe',
  'bmp_pipe',
];

/** Formats that name other files or addresses, and what they are called. */
const REFERRING_FORMATS: Readonly<Record<string, string>> = {
  hls: 'an HLS playlist',
  dash: 'a DASH manifest',
  webm_dash_manifest: 'a DASH manifest',
  imf: 'an IMF composition playlist',
  concat: 'a list of files (ffconcat)',
  sdp: 'a session description (SDP)',
  vobsub: 'an index of subtitles (VobSub)',
  image2: 'a series of pictures',
};

/**
 * Opens a container and finds its streams. The caller closes it with `closeInputSync`.
 *
 * The one place in which recordings are opened. FFmpeg receives a descriptor of the file instead of a path, and may use no
 * other protocol than that of descriptors, so that no content of the file can make it open another one.
 *
 * @throws PlaybyplayError `no-such-file`, `unreadable-file`, `not-a-video`, `refers-to-files`, `over-limit`.
 */
export function openFormat(path: string): FormatContext {
  Log.setLevel(AV_LOG_QUIET);
  const descriptor = openFile(path);
  try {
    let { format, result } = openDescriptor(descriptor, path);
    if (result === AVERROR_INVALIDDATA) {
      // A damaged beginning shows no format, but the name may.
      const named = formatOfName(path);
      if (named) ({ format, result } = openDescriptor(descriptor, path, named));
    }
    if (result < 0) throw refuse(path, descriptor, result);
    try {
      // Finding out what the container does not say decodes pictures.
      checkStreams(format, path);
      const found = format.findStreamInfoSync();
      checkStreams(format, path);
      if (found >= 0) return format;
      throw new PlaybyplayError('not-a-video', `${path} contains no stream that can be read (${describeError(found)})`);
    } catch (error) {
      format.closeInputSync();
      throw error;
    }
  } finally {
    // FFmpeg has a descriptor of its own.
    closeSync(descriptor);
  }
}

function openDescriptor(
  descriptor: number,
  path: string,
  as: InputFormat | null = null,
): { readonly format: FormatContext; readonly result: number } {
  const format = new FormatContext();
  format.allocContext();
  format.setOption('format_whitelist', READABLE_FORMATS.join(','));
  // On Windows, descriptors of Node mean nothing to a library with a C runtime of its own.
  const [protocol, url] = process.platform === 'win32' ? ['file', `file:${path}`] : ['fd', 'fd:'];
  format.setOption('protocol_whitelist', protocol!);
  // One more than the limit, so that it is noticed that there are more.
  format.maxStreams = mediaLimits().streams + 1;
  using options = Dictionary.fromObject(protocol === 'fd' ? { fd: String(descriptor) } : {});
  return { format, result: format.openInputSync(url!, as, options) };
}

function checkStreams(format: FormatContext, path: string): void {
  checkLimit('streams', format.nbStreams, path);
  for (const { codecpar } of format.streams) checkLimit('pixels', codecpar.width * codecpar.height, path);
}

/** The readable format with the extension of a file. */
function formatOfName(path: string): InputFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  if (extension === '') return undefined;
  return (
    READABLE_FORMATS.map((names) => InputFormat.findInputFormat(names.split(',')[0]!)).find((format) =>
      format?.extensions?.split(',').includes(extension),
    ) ?? undefined
  );
}

/** The error for a file that FFmpeg did not open: what it is instead of a recording, and what to do. */
function refuse(path: string, descriptor: number, result: number): PlaybyplayError {
  const format = probe(descriptor);
  const kind = REFERRING_FORMATS[format?.name ?? ''];
  const command = `ffmpeg -i ${basename(path)} -c copy one-file.mkv`;
  if (kind !== undefined)
    return new PlaybyplayError(
      'refers-to-files',
      `${path} is ${kind}: it names other files, and a recording is one file`,
      {
        hint: `If you trust the files that it names, make one file of them with the program ffmpeg: ${command}`,
      },
    );
  if (format?.name && format.name !== 'tty' && !READABLE_FORMATS.includes(format.name))
    return new PlaybyplayError('not-a-video', `${path} has an unsupported format (${format.longName ?? format.name})`, {
      hint: `Recordings are mp4, mov, mkv, webm, ts, flv or avi files. The program ffmpeg converts other videos: ${command}`,
    });
  return new PlaybyplayError('not-a-video', `${path} is not a video file that can be read (${describeError(result)})`, {
    hint: hasNoIndex(path)
      ? 'The mp4 or mov file has no index: it is written last, so the recording or copy was cut off. Use another copy, or ' +
        'rebuild the index with a program such as untrunc. Recordings to mkv or fragmented mp4 stay readable when cut off.'
      : 'Give an mp4, mov, mkv, webm, ts, flv or avi file.',
  });
}

/** Bytes at the beginning of a file by which a format is named, and those that FFmpeg requires after them. */
const PROBED_BYTES = 64 * 1024;
const PROBE_PADDING_BYTES = 64;

/** What the beginning of a file looks like to FFmpeg. */
function probe(descriptor: number): InputFormat | undefined {
  const buffer = Buffer.alloc(PROBED_BYTES + PROBE_PADDING_BYTES);
  const length = readSync(descriptor, buffer, 0, PROBED_BYTES, 0);
  // Under other names, FFmpeg does not see that a text is an HLS playlist.
  return InputFormat.probe(buffer.subarray(0, length), 'list.m3u8') ?? undefined;
}

/**
 * Opens a file for reading, if it is a regular one. The caller closes the descriptor.
 *
 * @throws PlaybyplayError `no-such-file`, `unreadable-file`, `not-a-video`.
 */
export function openFile(path: string): number {
  checkFile(path);
  // A FIFO in the place of the file since it was checked must not block.
  const descriptor = openSync(path, fs.O_RDONLY | (fs.O_NONBLOCK ?? 0));
  try {
    checkKind(path, fstatSync(descriptor));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/**
 * Checks that a path is a readable, non-empty file.
 *
 * @throws PlaybyplayError `no-such-file`, `unreadable-file`, `not-a-video`.
 */
export function checkFile(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new PlaybyplayError('no-such-file', `there is no file ${path}`, { hint: hintForMissingFile(path) });
  checkKind(path, stat);
  try {
    accessSync(path, fs.R_OK);
  } catch (cause) {
    throw new PlaybyplayError('unreadable-file', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function checkKind(path: string, stat: Stats): void {
  if (stat.isFile() && stat.size === 0) throw new PlaybyplayError('not-a-video', `${path} is empty`);
  if (stat.isDirectory()) throw new PlaybyplayError('not-a-video', `${path} is a folder, not a video file`);
  if (!stat.isFile())
    throw new PlaybyplayError('not-a-video', `${path} is not a regular file`, {
      hint: 'Several threads read a recording at once, so it must be a file: save it to one first.',
    });
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
  const file = openFile(path);
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
