import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** What is read of a file to recognize its kind. */
const HEAD_BYTES = 4096;

/**
 * What a file contains: a format of this program (`event log`, `journal`, or the middle of its `format`, such as `profile` for
 * `playbyplay/profile/1`), another common kind, or `unknown`.
 */
export type FileKind =
  | 'empty'
  | 'event log'
  | 'library'
  | 'SQLite database'
  | 'Parquet'
  | 'journal'
  | 'corrections'
  | 'JSON'
  | 'HTML'
  | 'XML'
  | 'text'
  | 'picture'
  | 'video'
  | 'unknown'
  | (string & {});

/** Recognizes the kind of a file by its content; a pipe or device is `unknown`. */
export async function readFileKind(path: string): Promise<FileKind> {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  // Without waiting for somebody to write to a pipe.
  await using file = await open(path, O_RDONLY | O_NONBLOCK);
  if (!(await file.stat()).isFile()) return 'unknown';
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return fileKindOf(buffer.subarray(0, bytesRead));
}

/** Marks an SQLite file as a library ("pbpl"), see sqlite.org/fileformat.html#application_id. */
export const LIBRARY_ID = 0x7062706c;
/** Where SQLite keeps that number. */
const APPLICATION_ID_OFFSET = 68;

/** How files that grow begin: a run that was killed may have left less than that. */
const FIRST_BYTES: readonly (readonly [start: string, FileKind])[] = [
  ['{"type":"header","format":"playbyplay/', 'event log'],
  ['{"format":"playbyplay/journal/', 'journal'],
  ['{"format":"playbyplay/corrections/', 'corrections'],
];

/**
 * Recognizes the kind of a file by its first bytes.
 *
 * @param head The file's first 4 KiB, or all of a shorter file.
 */
export function fileKindOf(head: Buffer): FileKind {
  if (head.length === 0) return 'empty';
  if (head.toString('latin1', 0, 16) === 'SQLite format 3\0')
    return head.length >= 72 && head.readUInt32BE(APPLICATION_ID_OFFSET) === LIBRARY_ID ? 'library' : 'SQLite database';
  if (head.toString('latin1', 0, 4) === 'PAR1') return 'Parquet';
  if (isVideo(head)) return 'video';
  if (isPicture(head)) return 'picture';
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  const grown = FIRST_BYTES.find(([start]) => text.startsWith(start) || start.startsWith(text));
  if (grown) return grown[1];
  // The last character may be cut in two.
  if (text.includes('\0') || text.slice(0, -1).includes('\uFFFD')) return 'unknown';
  if (/^[{[]/.test(text)) {
    const [, part = ''] = /"format"\s*:\s*"playbyplay\/(?:([a-z][\w-]*)\/)?/.exec(text) ?? [];
    if (part !== '') return part;
    return /"format"\s*:\s*"playbyplay\/\d/.test(text) ? 'event log' : 'JSON';
  }
  if (/^<(?:!doctype html|html)/i.test(text)) return 'HTML';
  return /^<(?:\?xml|!doctype)/i.test(text) ? 'XML' : 'text';
}

/** Size of a packet of an MPEG transport stream, without and with a time in front (ISO/IEC 13818-1 §2.4.3.2). */
const TRANSPORT_PACKETS = [
  { start: 0, size: 188 },
  { start: 4, size: 192 },
] as const;

/** Whether a file begins like MP4, Matroska, AVI, FLV, Ogg or an MPEG transport stream. */
function isVideo(head: Buffer): boolean {
  if (head.toString('hex', 0, 4) === '1a45dfa3') return true;
  if (
    /^(?:.{4}(?:ftyp|moov|mdat|free|wide|skip|pnot|styp)|RIFF.{4}AVI |FLV|OggS)/s.test(head.toString('latin1', 0, 12))
  )
    return true;
  return TRANSPORT_PACKETS.some(
    ({ start, size }) => head[start] === 0x47 && head[start + size] === 0x47 && head[start + 2 * size] === 0x47,
  );
}

/** Whether a file begins like PNG, JPEG, GIF, WebP, BMP or TIFF. */
function isPicture(head: Buffer): boolean {
  return /^(?:\x89PNG|\xFF\xD8\xFF|GIF8|RIFF.{4}WEBP|BM.{4}\0\0\0\0|II\*\0|MM\0\*)/s.test(
    head.toString('latin1', 0, 12),
  );
}
