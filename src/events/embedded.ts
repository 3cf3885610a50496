import { open, type FileHandle } from 'node:fs/promises';
import { EBML, elementAt, elementsIn, readUnsigned, type Element } from './ebml.ts';

/** A box of an ISO base media file (ISO/IEC 14496-12), such as MP4: its position, size and header size in bytes. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly size: number;
  readonly header: number;
}

/** UUID of the MP4 box that contains an event log; players skip unknown boxes. */
export const LOG_UUID = Buffer.from('7c0d5c3f0b3b5b1e9f6a1d2e4c8a9b70', 'hex');

const MAX_LOG_BYTES = 64 << 20;

/** Name of the Matroska attachment that contains an event log. */
export const LOG_ATTACHMENT = 'events.ndjson';

/** Reads the event log embedded in a reel (mp4, mov or mkv) as NDJSON; `undefined` if there is none. */
export async function readEmbeddedLog(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    const head = Buffer.alloc(4);
    await file.read(head, 0, 4, 0);
    if (head.readUInt32BE() === EBML.head) return await readAttachedLog(file);
    for (const box of await topBoxes(file)) {
      if (box.type !== 'uuid' || box.size < box.header + 16 || box.size > MAX_LOG_BYTES) continue;
      const content = Buffer.alloc(box.size - box.header);
      await file.read(content, 0, content.length, box.start + box.header);
      if (content.subarray(0, 16).equals(LOG_UUID)) return content.toString('utf8', 16);
    }
    return undefined;
  } finally {
    await file.close();
  }
}

/** Whether a video is a reel of this program: it contains an event log. WebM files cannot. */
export async function isReel(path: string): Promise<boolean> {
  return (await readEmbeddedLog(path)) !== undefined;
}

/** The seek head of a Matroska file: its segment and the positions of its elements. */
export interface MatroskaIndex {
  readonly segment: Element;
  readonly seekHead: Element;
  /** Positions of the elements in the file, by id. */
  readonly parts: ReadonlyMap<number, number>;
  /** The first bytes of the file. */
  readonly data: Buffer;
}

/** Reads the seek head of a Matroska file; `undefined` if there is none. */
export async function matroskaIndex(file: FileHandle): Promise<MatroskaIndex | undefined> {
  const buffer = Buffer.alloc(4096);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  const data = buffer.subarray(0, bytesRead);
  const head = elementAt(data, 0);
  const segment = head && elementAt(data, head.to);
  const seekHead = segment?.id === EBML.segment ? elementAt(data, segment.from) : undefined;
  if (!segment || seekHead?.id !== EBML.seekHead || seekHead.to > data.length) return undefined;
  const parts = new Map<number, number>();
  for (const seek of elementsIn(data, seekHead.from, seekHead.to)) {
    if (seek.id !== EBML.seek) continue;
    const fields = elementsIn(data, seek.from, seek.to);
    const value = (id: number) => {
      const field = fields.find((each) => each.id === id);
      return field && readUnsigned(data.subarray(field.from, field.to));
    };
    const [id, position] = [value(EBML.seekId), value(EBML.seekPosition)];
    if (id !== undefined && position !== undefined) parts.set(id, segment.from + position);
  }
  return { segment, seekHead, parts, data };
}

async function readAttachedLog(file: FileHandle): Promise<string | undefined> {
  const index = await matroskaIndex(file);
  const at = index?.parts.get(EBML.attachments);
  if (at === undefined) return undefined;
  const head = Buffer.alloc(12);
  await file.read(head, 0, head.length, at);
  const whole = elementAt(head, 0, at);
  if (whole?.id !== EBML.attachments || whole.to - whole.from > MAX_LOG_BYTES) return undefined;
  const data = Buffer.alloc(whole.to - whole.from);
  await file.read(data, 0, data.length, whole.from);
  for (const attached of elementsIn(data)) {
    const fields = elementsIn(data, attached.from, attached.to);
    const name = fields.find(({ id }) => id === EBML.fileName);
    const content = fields.find(({ id }) => id === EBML.fileData);
    if (name && content && data.toString('utf8', name.from, name.to) === LOG_ATTACHMENT)
      return data.toString('utf8', content.from, content.to);
  }
  return undefined;
}

/** Lists the top-level boxes of a file, up to the first invalid one. */
export async function topBoxes(file: FileHandle): Promise<Box[]> {
  const { size: length } = await file.stat();
  const boxes: Box[] = [];
  const head = Buffer.alloc(16);
  for (let at = 0; at + 8 <= length; ) {
    const { bytesRead } = await file.read(head, 0, 16, at);
    const box = readBox(head.subarray(0, bytesRead), 0, length - at);
    if (!box) break;
    boxes.push({ ...box, start: at });
    at += box.size;
  }
  return boxes;
}

/** Reads the box header at `at`; `undefined` if it is invalid or the box is larger than `limit` bytes. */
export function readBox(data: Buffer, at: number, limit: number): Omit<Box, 'start'> | undefined {
  if (data.length < at + 8) return undefined;
  const type = data.toString('latin1', at + 4, at + 8);
  let size = data.readUInt32BE(at);
  let header = 8;
  if (size === 1) {
    if (data.length < at + 16) return undefined;
    size = Number(data.readBigUInt64BE(at + 8));
    header = 16;
  } else if (size === 0) size = limit;
  return size < header || size > limit ? undefined : { type, size, header };
}
