import { open, type FileHandle } from 'node:fs/promises';

/** A box of an ISO base media file (ISO/IEC 14496-12), such as mp4: where it lies and how long its header is. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly size: number;
  readonly header: number;
}

/** Marks the box of an mp4 that holds its event log (a UUID; players skip boxes they do not know). */
export const LOG_UUID = Buffer.from('7c0d5c3f0b3b5b1e9f6a1d2e4c8a9b70', 'hex');

const LARGEST_LOG = 64 << 20;

/** The event log that an mp4 reel carries in itself, as NDJSON; undefined where the file is no such reel. */
export async function readEmbeddedLog(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    for (const box of await topBoxes(file)) {
      if (box.type !== 'uuid' || box.size < box.header + 16 || box.size > LARGEST_LOG) continue;
      const content = Buffer.alloc(box.size - box.header);
      await file.read(content, 0, content.length, box.start + box.header);
      if (content.subarray(0, 16).equals(LOG_UUID)) return content.toString('utf8', 16);
    }
    return undefined;
  } finally {
    await file.close();
  }
}

/** The boxes at the top level of a file. Stops at the first that cannot be one. */
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

/** The box whose header lies at `at`, of at most `room` bytes; undefined where there can be none. */
export function readBox(data: Buffer, at: number, room: number): Omit<Box, 'start'> | undefined {
  if (data.length < at + 8) return undefined;
  const type = data.toString('latin1', at + 4, at + 8);
  let size = data.readUInt32BE(at);
  let header = 8;
  if (size === 1) {
    if (data.length < at + 16) return undefined;
    size = Number(data.readBigUInt64BE(at + 8));
    header = 16;
  } else if (size === 0) size = room;
  return size < header || size > room ? undefined : { type, size, header };
}
