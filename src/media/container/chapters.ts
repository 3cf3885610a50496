import { type FileHandle, open } from 'node:fs/promises';
import { EBML, elementAt, elementsIn, readUnsigned } from '../../events/ebml.ts';
import { matroskaIndex, readBox, topBoxes } from '../../events/embedded.ts';

/** A chapter mark of a recording, in seconds of its container. */
export interface ChapterMark {
  readonly t: number;
  readonly title: string;
}

/** Chapter lists are far smaller; larger ones are not read. */
const MAX_BYTES = 4 << 20;
/** Boxes of the path moov/udta/chpl are looked for among so many of their level. */
const MAX_BOXES = 1000;

/**
 * Reads the chapters of a recording: the list of Nero in MP4 and MOV, which recorders and most editors write, and those of Matroska
 * and WebM.
 *
 * @returns In order of time; empty where the container has none, or another form of them.
 */
export async function readChapters(path: string): Promise<readonly ChapterMark[]> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const head = Buffer.alloc(4);
    await file.read(head, 0, 4, 0);
    const chapters = head.readUInt32BE() === EBML.head ? await readMatroska(file) : await readMp4(file);
    return chapters.toSorted((a, b) => a.t - b.t);
  } finally {
    await file.close();
  }
}

async function readMp4(file: FileHandle): Promise<readonly ChapterMark[]> {
  const moov = (await topBoxes(file)).find(({ type }) => type === 'moov');
  const udta = moov && (await findBox(file, moov.start + moov.header, moov.start + moov.size, 'udta'));
  const chpl = udta && (await findBox(file, udta.from, udta.to, 'chpl'));
  if (!chpl || chpl.to - chpl.from > MAX_BYTES) return [];
  const data = Buffer.alloc(chpl.to - chpl.from);
  await file.read(data, 0, data.length, chpl.from);
  // Version and flags, four reserved bytes of version 1, the number of chapters; of each its time in 100 ns and its title.
  const chapters: ChapterMark[] = [];
  let at = data[0] === 1 ? 9 : 5;
  for (let left = data[at - 1] ?? 0; left > 0 && at + 9 <= data.length; left--) {
    const length = data[at + 8]!;
    const t = Number(data.readBigUInt64BE(at)) / 1e7;
    chapters.push({ t, title: data.toString('utf8', at + 9, at + 9 + length) });
    at += 9 + length;
  }
  return chapters;
}

/** Finds a box among those from `from` to `to` of a file. */
async function findBox(
  file: FileHandle,
  from: number,
  to: number,
  type: string,
): Promise<{ readonly from: number; readonly to: number } | undefined> {
  const head = Buffer.alloc(16);
  let at = from;
  for (let seen = 0; at + 8 <= to && seen < MAX_BOXES; seen++) {
    const { bytesRead } = await file.read(head, 0, 16, at);
    const box = readBox(head.subarray(0, bytesRead), 0, to - at);
    if (!box) return undefined;
    if (box.type === type) return { from: at + box.header, to: at + box.size };
    at += box.size;
  }
  return undefined;
}

async function readMatroska(file: FileHandle): Promise<readonly ChapterMark[]> {
  const index = await matroskaIndex(file);
  const at = index?.parts.get(EBML.chapters);
  if (at === undefined) return [];
  const head = Buffer.alloc(12);
  await file.read(head, 0, head.length, at);
  const whole = elementAt(head, 0, at);
  if (whole?.id !== EBML.chapters || whole.to - whole.from > MAX_BYTES) return [];
  const data = Buffer.alloc(whole.to - whole.from);
  await file.read(data, 0, data.length, whole.from);
  const inside = (parent: { readonly from: number; readonly to: number }, id: number) =>
    elementsIn(data, parent.from, parent.to).filter((element) => element.id === id);
  return inside({ from: 0, to: data.length }, EBML.edition)
    .flatMap((edition) => inside(edition, EBML.chapter))
    .flatMap((chapter) => {
      const [start] = inside(chapter, EBML.chapterStart);
      const [title] = inside(chapter, EBML.chapterDisplay).flatMap((display) => inside(display, EBML.chapterText));
      if (!start) return [];
      const t = readUnsigned(data.subarray(start.from, start.to)) / 1e9;
      return [{ t, title: title ? data.toString('utf8', title.from, title.to) : '' }];
    });
}
