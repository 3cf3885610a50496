/**
 * Additions to finished files for which FFmpeg's muxers have no option in the binding: chapters, and in mp4 the event log
 * and an index before the media data.
 */
import { open } from 'node:fs/promises';
import { EBML, elementAt, makeElement, sizeOf, unsigned } from '../../events/ebml.ts';
import { LOG_UUID, matroskaIndex, readBox, topBoxes, type Box } from '../../events/embedded.ts';

/** A chapter mark, in seconds of the reel. */
export interface Chapter {
  readonly start: number;
  readonly end: number;
  readonly title: string;
}

/** What is added to an mp4 or mov file. */
export interface Mp4Additions {
  readonly chapters?: readonly Chapter[];
  /** Position (from 0) of the track that contains the chapter titles. */
  readonly chapterTrack?: number;
  /** Event log as NDJSON. */
  readonly log?: string;
}

/**
 * Adds to an mp4 whose index stands before the frames, with free space behind it: chapters in both forms that players look
 * for (a list in the user data, a text track that the video track refers to), and an event log in a box of its own at the
 * end, which players skip.
 *
 * @throws RangeError for a file without such an index or with too little space behind it.
 */
export async function addToMp4(path: string, additions: Mp4Additions): Promise<void> {
  await using file = await open(path, 'r+');
  const boxes = await topBoxes(file);
  const at = boxes.findIndex(({ type }) => type === 'moov');
  const [index, space] = [boxes[at], boxes[at + 1]];
  if (!index || space?.type !== 'free') throw new RangeError(`${path} has no index that can be extended`);
  const original = Buffer.alloc(index.size);
  await file.read(original, 0, original.length, index.start);
  const moov = extendMoov(original, additions);
  const left = index.size + space.size - moov.length;
  if (left < 8) throw new RangeError(`${path} has too little space for its index`);
  const free = Buffer.alloc(8);
  free.writeUInt32BE(left);
  free.write('free', 4, 'latin1');
  await file.write(Buffer.concat([moov, free]), 0, moov.length + 8, index.start);
  if (additions.log === undefined) return;
  const log = makeBox('uuid', LOG_UUID, Buffer.from(additions.log));
  await file.write(log, 0, log.length, (await file.stat()).size);
}

/** Bytes that the index of an mp4 needs at most. */
export function mp4IndexBytes(samples: number, chapters: readonly Chapter[]): number {
  // Per sample its size, position, times and whether it is a keyframe; per chapter its title.
  return 48 * samples + 300 * chapters.length + 32_768;
}

/** Returns a copy of the index with the chapter list, and with the video track referring to the chapter track. */
function extendMoov(original: Buffer, { chapters = [], chapterTrack }: Mp4Additions): Buffer {
  const root = boxesIn(original)[0]!;
  const children = boxesIn(original, root.start + root.header, root.start + root.size);
  const tracks = children.filter(({ type }) => type === 'trak');
  const video = tracks.find((track) => trackHandler(original, track) === 'vide');
  const chapter = chapterTrack === undefined ? undefined : tracks[chapterTrack];
  const userData = children.find(({ type }) => type === 'udta');
  const parts = children
    .filter((box) => box !== userData)
    .map((box) => {
      const copy = Buffer.from(original.subarray(box.start, box.start + box.size));
      if (box === video && chapter) {
        const id = Buffer.alloc(4);
        id.writeUInt32BE(trackId(original, chapter));
        return makeBox(box.type, copy.subarray(box.header), makeBox('tref', makeBox('chap', id)));
      }
      if (box === chapter) disableTrack(copy);
      return copy;
    });
  const content = userData ? [original.subarray(userData.start + userData.header, userData.start + userData.size)] : [];
  if (chapters.length > 0) content.push(neroChapterList(chapters));
  return makeBox('moov', ...parts, ...(content.length > 0 ? [makeBox('udta', ...content)] : []));
}

function trackHandler(data: Buffer, track: Box): string | undefined {
  const mdia = childOf(data, track, 'mdia');
  const hdlr = mdia && childOf(data, mdia, 'hdlr');
  return hdlr && data.toString('latin1', hdlr.start + hdlr.header + 8, hdlr.start + hdlr.header + 12);
}

function trackId(data: Buffer, track: Box): number {
  const tkhd = childOf(data, track, 'tkhd')!;
  const version = data[tkhd.start + tkhd.header];
  return data.readUInt32BE(tkhd.start + tkhd.header + 4 + (version === 1 ? 16 : 8));
}

/** Players do not show a disabled track on their own. */
function disableTrack(track: Buffer): void {
  const tkhd = childOf(track, boxesIn(track)[0]!, 'tkhd')!;
  const at = tkhd.start + tkhd.header + 3;
  track[at] = track[at]! & ~1;
}

/** Chapter list of Nero, which most players read: times in 100 ns, at most 255 chapters with titles of at most 255 bytes. */
function neroChapterList(chapters: readonly Chapter[]): Buffer {
  const listed = chapters.slice(0, 255);
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, listed.length]);
  const entries = listed.map(({ start, title }) => {
    const text = truncateUtf8(title, 255);
    const entry = Buffer.alloc(9);
    entry.writeBigUInt64BE(BigInt(Math.round(start * 1e7)));
    entry[8] = text.length;
    return Buffer.concat([entry, text]);
  });
  return makeBox('chpl', header, ...entries);
}

/** Truncates text to a number of bytes between characters. */
function truncateUtf8(text: string, maxBytes: number): Buffer {
  let result = '';
  for (const character of text) {
    if (Buffer.byteLength(result + character) > maxBytes) break;
    result += character;
  }
  return Buffer.from(result);
}

/** Lists the boxes within a range of memory (ISO/IEC 14496-12 §4.2). */
function boxesIn(data: Buffer, from = 0, to = data.length): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    const box = readBox(data, at, to - at);
    if (!box) break;
    boxes.push({ ...box, start: at });
    at += box.size;
  }
  return boxes;
}

function makeBox(type: string, ...content: Uint8Array[]): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.reduce((sum, part) => sum + part.length, 0));
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...content]);
}

function childOf(data: Buffer, parent: Box, type: string): Box | undefined {
  return boxesIn(data, parent.start + parent.header, parent.start + parent.size).find((box) => box.type === type);
}

/**
 * Adds chapters to a Matroska or WebM file after its last cluster, and to the list of parts at its beginning, for which the
 * muxer leaves room.
 *
 * @throws RangeError for a file without such a list.
 */
export async function addChaptersToMatroska(path: string, chapters: readonly Chapter[]): Promise<void> {
  if (chapters.length === 0) return;
  const file = await open(path, 'r+');
  try {
    const index = await matroskaIndex(file);
    const padding = index && elementAt(index.data, index.seekHead.to);
    if (!index || padding?.id !== EBML.void || index.segment.from - index.segment.start !== 12)
      throw new RangeError(`${path} has no list of its parts that can be extended`);
    const { segment, seekHead } = index;
    const { size: end } = await file.stat();
    const data = makeChapters(chapters);
    await file.write(data, 0, data.length, end);
    const seeks = [...new Map(index.parts).set(EBML.chapters, end)].map(([id, offset]) =>
      makeSeek(id, offset - segment.from),
    );
    const list = makeElement(EBML.seekHead, ...seeks);
    const left = padding.to - seekHead.start - list.length;
    if (left < 2) throw new RangeError(`${path} has no room for another part in its list`);
    const digits = left < 128 ? 1 : 2;
    const gap = left - 1 - digits;
    const filling = Buffer.concat([Buffer.from([EBML.void]), sizeOf(gap, digits), Buffer.alloc(gap)]);
    await file.write(Buffer.concat([list, filling]), 0, list.length + left, seekHead.start);
    await file.write(sizeOf(end + data.length - segment.from, 8), 0, 8, segment.start + 4);
  } finally {
    await file.close();
  }
}

function makeSeek(id: number, position: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return makeElement(EBML.seek, makeElement(EBML.seekId, bytes), makeElement(EBML.seekPosition, unsigned(position)));
}

function makeChapters(chapters: readonly Chapter[]): Buffer {
  const atoms = chapters.map(({ start, end, title }, index) =>
    makeElement(
      EBML.chapter,
      makeElement(EBML.chapterUid, unsigned(index + 1)),
      makeElement(EBML.chapterStart, unsigned(start * 1e9)),
      makeElement(EBML.chapterEnd, unsigned(end * 1e9)),
      makeElement(
        EBML.chapterDisplay,
        makeElement(EBML.chapterText, Buffer.from(title)),
        makeElement(EBML.chapterLanguage, Buffer.from('eng')),
      ),
    ),
  );
  return makeElement(EBML.chapters, makeElement(EBML.edition, ...atoms));
}
