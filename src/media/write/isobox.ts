import { readBox, type Box } from '../../events/embedded.ts';

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
