import { open } from 'node:fs/promises';
import { EBML, elementAt, makeElement, sizeOf, unsigned } from '../../events/ebml.ts';
import { LOG_ATTACHMENT, matroskaIndex } from '../../events/embedded.ts';
import type { TimedText } from './text-track.ts';

/** What is added to a Matroska or WebM file when its packets are written. */
export interface MatroskaFinish {
  readonly chapters: readonly TimedText[];
  /** Event log as NDJSON; WebM knows no attached files. */
  readonly log?: string;
}

/**
 * Adds chapters and the event log (an attached file) behind the last cluster, and names them in the list of parts at the
 * file's beginning, which the muxer leaves room for. Throws RangeError for a file without such a list.
 */
export async function finishMatroska(path: string, { chapters, log }: MatroskaFinish): Promise<void> {
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
