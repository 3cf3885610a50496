import { open, type FileHandle } from 'node:fs/promises';
import { EBML, elementAt, makeElement, sizeOf, unsigned } from '../../events/ebml.ts';
import { LOG_UUID, topBoxes, type Box, LOG_ATTACHMENT, matroskaIndex, readBox } from '../../events/embedded.ts';
import type { TimedText } from './muxer.ts';

/** What is added to an mp4 or mov when its packets are written. */
export interface Mp4Additions {
  readonly chapters?: readonly { readonly start: number; readonly title: string }[];
  /** Position (from 0) of the track that holds the chapters' titles, among the file's tracks. */
  readonly chapterTrack?: number;
  /** Event log as NDJSON. */
  readonly log?: string;
  readonly title?: string;
}

/**
 * Rewrites an mp4 so that it starts playing before it is loaded whole (its index moved to the front), with chapters in
 * both forms that players look for (a list in the user data, a text track that the picture refers to), a title, and an
 * event log in a box of its own that players skip.
 */
export async function addToMp4(from: string, to: string, finish: Mp4Additions, signal?: AbortSignal): Promise<void> {
  const input = await open(from, 'r');
  try {
    const boxes = await topBoxes(input);
    const moovBox = boxes.find(({ type }) => type === 'moov');
    if (!moovBox) throw new RangeError(`${from} has no index`);
    const old = Buffer.alloc(moovBox.size);
    await input.read(old, 0, old.length, moovBox.start);
    const moov = withAdditions(old, finish);
    const front = boxes.filter(({ type, start }) => type === 'ftyp' && start < moovBox.start);
    const rest = boxes.filter((box) => box !== moovBox && !front.includes(box));
    const places = new Map<number, number>();
    let at = front.reduce((sum, { size }) => sum + size, 0) + moov.length;
    for (const box of rest) {
      places.set(box.start, at);
      at += box.size;
    }
    moveChunks(moov, rest, places);
    const output = await open(to, 'w');
    try {
      for (const box of front) await copyRange(input, output, box.start, box.size, signal);
      await output.write(moov);
      for (const box of rest) await copyRange(input, output, box.start, box.size, signal);
      if (finish.log !== undefined) await output.write(makeBox('uuid', LOG_UUID, Buffer.from(finish.log)));
    } finally {
      await output.close();
    }
  } finally {
    await input.close();
  }
}

async function copyRange(
  input: FileHandle,
  output: FileHandle,
  start: number,
  size: number,
  signal?: AbortSignal,
): Promise<void> {
  const buffer = Buffer.alloc(Math.min(size, 4 << 20));
  for (let done = 0; done < size; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await input.read(buffer, 0, Math.min(buffer.length, size - done), start + done);
    if (bytesRead === 0) throw new RangeError('the file ended early');
    await output.write(buffer, 0, bytesRead);
    done += bytesRead;
  }
}

/** The index with its additions. */
function withAdditions(old: Buffer, { chapters = [], chapterTrack, title }: Mp4Additions): Buffer {
  const root = boxesIn(old)[0]!;
  const children = boxesIn(old, root.start + root.header, root.start + root.size);
  const traks = children.filter(({ type }) => type === 'trak');
  const video = traks.find((trak) => handlerOf(old, trak) === 'vide');
  const chapterTrak = chapterTrack === undefined ? undefined : traks[chapterTrack];
  const additions: Buffer[] = [];
  if (chapters.length > 0) additions.push(chapterList(chapters));
  if (title !== undefined && title !== '') additions.push(titleTag(title));
  const parts = children
    .filter(({ type }) => type !== 'udta')
    .map((box) => {
      const copy = Buffer.from(old.subarray(box.start, box.start + box.size));
      if (box === video && chapterTrak) return extended(copy, box, reference(trackId(old, chapterTrak)));
      if (box === chapterTrak) disable(copy);
      return copy;
    });
  return makeBox('moov', ...parts, ...(additions.length > 0 ? [makeBox('udta', ...additions)] : []));
}

function handlerOf(data: Buffer, trak: Box): string | undefined {
  const mdia = childOf(data, trak, 'mdia');
  const hdlr = mdia && childOf(data, mdia, 'hdlr');
  return hdlr && data.toString('latin1', hdlr.start + hdlr.header + 8, hdlr.start + hdlr.header + 12);
}

function trackId(data: Buffer, trak: Box): number {
  const tkhd = childOf(data, trak, 'tkhd')!;
  const version = data[tkhd.start + tkhd.header];
  return data.readUInt32BE(tkhd.start + tkhd.header + 4 + (version === 1 ? 16 : 8));
}

/** The box with another box at its end. */
function extended(copy: Buffer, box: Box, addition: Buffer): Buffer {
  return makeBox(box.type, copy.subarray(box.header), addition);
}

/** "The chapters of this track are in that one." */
function reference(id: number): Buffer {
  const content = Buffer.alloc(4);
  content.writeUInt32BE(id);
  return makeBox('tref', makeBox('chap', content));
}

/** A track that is not shown by itself. */
function disable(trak: Buffer): void {
  const tkhd = childOf(trak, boxesIn(trak)[0]!, 'tkhd')!;
  const at = tkhd.start + tkhd.header + 3;
  trak[at] = trak[at]! & ~1;
}

/** Chapter list as Nero wrote it, read by most players: times in 100 ns, names of at most 255 bytes; at most 255. */
function chapterList(chapters: readonly { readonly start: number; readonly title: string }[]): Buffer {
  const kept = chapters.slice(0, 255);
  const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, kept.length]);
  const entries = kept.map(({ start, title }) => {
    const name = utf8(title, 255);
    const entry = Buffer.alloc(9);
    entry.writeBigUInt64BE(BigInt(Math.round(start * 1e7)));
    entry[8] = name.length;
    return Buffer.concat([entry, name]);
  });
  return makeBox('chpl', head, ...entries);
}

/** Text cut to a number of bytes between characters. */
function utf8(text: string, most: number): Buffer {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > most) break;
    kept += character;
  }
  return Buffer.from(kept);
}

/** The title as iTunes and most players read it. */
function titleTag(title: string): Buffer {
  const handler = Buffer.concat([Buffer.alloc(8), Buffer.from('mdirappl'), Buffer.alloc(9)]);
  const data = makeBox('data', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), Buffer.from(title));
  return makeBox('meta', Buffer.alloc(4), makeBox('hdlr', handler), makeBox('ilst', makeBox('©nam', data)));
}

/** Chunk offsets in the index follow the boxes that moved. */
function moveChunks(moov: Buffer, rest: readonly Box[], places: ReadonlyMap<number, number>): void {
  const shift = (offset: number) => {
    const box = rest.find(({ start, size }) => offset >= start && offset < start + size);
    return box ? places.get(box.start)! - box.start : 0;
  };
  const root = boxesIn(moov)[0]!;
  for (const trak of boxesIn(moov, root.start + root.header, root.start + root.size)) {
    const mdia = trak.type === 'trak' ? childOf(moov, trak, 'mdia') : undefined;
    const minf = mdia && childOf(moov, mdia, 'minf');
    const stbl = minf && childOf(moov, minf, 'stbl');
    if (!stbl) continue;
    for (const table of boxesIn(moov, stbl.start + stbl.header, stbl.start + stbl.size)) {
      const wide = table.type === 'co64';
      if (!wide && table.type !== 'stco') continue;
      const count = moov.readUInt32BE(table.start + table.header + 4);
      for (let i = 0; i < count; i++) {
        const at = table.start + table.header + 8 + i * (wide ? 8 : 4);
        const offset = wide ? Number(moov.readBigUInt64BE(at)) : moov.readUInt32BE(at);
        const moved = offset + shift(offset);
        if (wide) moov.writeBigUInt64BE(BigInt(moved), at);
        else if (moved < 2 ** 32) moov.writeUInt32BE(moved, at);
        else throw new RangeError('the reel is larger than its index can hold');
      }
    }
  }
}

/** What is added to a Matroska or WebM file when its packets are written. */
export interface MatroskaAdditions {
  readonly chapters: readonly TimedText[];
  /** Event log as NDJSON; WebM knows no attached files. */
  readonly log?: string;
}

/**
 * Adds chapters and the event log (an attached file) behind the last cluster, and names them in the list of parts at the
 * file's beginning, which the muxer leaves room for. Throws RangeError for a file without such a list.
 */
export async function addToMatroska(path: string, { chapters, log }: MatroskaAdditions): Promise<void> {
  const parts: (readonly [id: number, data: Buffer])[] = [];
  if (chapters.length > 0) parts.push([EBML.chapters, chaptersElement(chapters)]);
  if (log !== undefined) parts.push([EBML.attachments, attachment(log)]);
  if (parts.length === 0) return;
  const file = await open(path, 'r+');
  try {
    const index = await matroskaIndex(file);
    const room = index && elementAt(index.data, index.seekHead.to);
    if (!index || room?.id !== EBML.void || index.segment.from - index.segment.start !== 12)
      throw new RangeError(`${path} has no list of its parts that could be added to`);
    const { segment, seekHead } = index;
    const { size: end } = await file.stat();
    const places = new Map(index.parts);
    let at = end;
    for (const [id, data] of parts) {
      await file.write(data, 0, data.length, at);
      places.set(id, at);
      at += data.length;
    }
    const seeks = [...places].map(([id, place]) => seekTo(id, place - segment.from));
    const list = makeElement(EBML.seekHead, ...seeks);
    const left = room.to - seekHead.start - list.length;
    if (left < 2) throw new RangeError(`${path} has no room for its parts`);
    const digits = left < 128 ? 1 : 2;
    const gap = left - 1 - digits;
    const filling = Buffer.concat([Buffer.from([EBML.void]), sizeOf(gap, digits), Buffer.alloc(gap)]);
    await file.write(Buffer.concat([list, filling]), 0, list.length + left, seekHead.start);
    const size = sizeOf(at - segment.from, 8);
    await file.write(size, 0, 8, segment.start + 4);
  } finally {
    await file.close();
  }
}

function seekTo(id: number, position: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return makeElement(EBML.seek, makeElement(EBML.seekId, bytes), makeElement(EBML.seekPosition, unsigned(position)));
}

function chaptersElement(chapters: readonly TimedText[]): Buffer {
  const atoms = chapters.map(({ start, end, text }, index) =>
    makeElement(
      EBML.chapter,
      makeElement(EBML.chapterUid, unsigned(index + 1)),
      makeElement(EBML.chapterStart, unsigned(start * 1e9)),
      makeElement(EBML.chapterEnd, unsigned(end * 1e9)),
      makeElement(
        EBML.chapterDisplay,
        makeElement(EBML.chapterText, Buffer.from(text)),
        makeElement(EBML.chapterLanguage, Buffer.from('eng')),
      ),
    ),
  );
  return makeElement(EBML.chapters, makeElement(EBML.edition, ...atoms));
}

function attachment(log: string): Buffer {
  return makeElement(
    EBML.attachments,
    makeElement(
      EBML.attachedFile,
      makeElement(EBML.fileDescription, Buffer.from('what happens in this reel, an event a line')),
      makeElement(EBML.fileName, Buffer.from(LOG_ATTACHMENT)),
      makeElement(EBML.fileType, Buffer.from('application/x-ndjson')),
      makeElement(EBML.fileData, Buffer.from(log)),
      makeElement(EBML.fileUid, unsigned(1)),
    ),
  );
}

/** The boxes within a stretch of memory. */
export function boxesIn(data: Buffer, from = 0, to = data.length): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    const box = readBox(data, at, to - at);
    if (!box) break;
    boxes.push({ ...box, start: at });
    at += box.size;
  }
  return boxes;
}

/** A box of a type with this content. */
export function makeBox(type: string, ...content: Uint8Array[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.reduce((sum, part) => sum + part.length, 0));
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, ...content]);
}

/** A child of a box in memory, by type. */
export function childOf(data: Buffer, parent: Box, type: string): Box | undefined {
  return boxesIn(data, parent.start + parent.header, parent.start + parent.size).find((box) => box.type === type);
}
