/** An element of an EBML file (RFC 8794), such as Matroska. */
export interface Element {
  readonly id: number;
  readonly start: number;
  /** Start and end of its content. */
  readonly from: number;
  readonly to: number;
}

/** Matroska element ids (RFC 9559), including their length marker. */
export const EBML = {
  head: 0x1a45dfa3,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  seekPosition: 0x53ac,
  void: 0xec,
  attachments: 0x1941a469,
  attachedFile: 0x61a7,
  fileName: 0x466e,
  fileData: 0x465c,
  chapters: 0x1043a770,
  edition: 0x45b9,
  chapter: 0xb6,
  chapterUid: 0x73c4,
  chapterStart: 0x91,
  chapterEnd: 0x92,
  chapterDisplay: 0x80,
  chapterText: 0x85,
  chapterLanguage: 0x437c,
} as const;

/** Reads the element header at `at` of data from position `origin` of a file; `undefined` if it is incomplete. */
export function elementAt(data: Buffer, at: number, origin = 0): Element | undefined {
  const idLength = Math.clz32(data[at] ?? 0) - 23;
  if (idLength > 4 || at + idLength >= data.length) return undefined;
  const sizeAt = at + idLength;
  const sizeLength = Math.clz32(data[sizeAt]!) - 23;
  if (sizeLength > 8 || sizeAt + sizeLength > data.length) return undefined;
  let size = data[sizeAt]! & (0xff >> sizeLength);
  let unknown = size === 0xff >> sizeLength;
  for (let i = 1; i < sizeLength; i++) {
    size = size * 256 + data[sizeAt + i]!;
    unknown &&= data[sizeAt + i] === 0xff;
  }
  const from = origin + sizeAt + sizeLength;
  const to = unknown ? Number.POSITIVE_INFINITY : from + size;
  return { id: data.readUIntBE(at, idLength), start: origin + at, from, to };
}

/** Lists the consecutive elements in a buffer, up to the first incomplete one. */
export function elementsIn(data: Buffer, from = 0, to = data.length): Element[] {
  const elements: Element[] = [];
  for (let at = from; at < to; ) {
    const element = elementAt(data, at);
    if (!element || element.to > to) break;
    elements.push(element);
    at = element.to;
  }
  return elements;
}

/** Encodes an element. */
export function makeElement(id: number, ...content: readonly Uint8Array[]): Buffer {
  const size = content.reduce((sum, part) => sum + part.length, 0);
  const digits = id.toString(16);
  return Buffer.concat([
    Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'),
    sizeOf(size),
    ...content,
  ]);
}

/** Encodes a length in the given or the minimum number of bytes. */
export function sizeOf(
  size: number,
  bytes = Array.from({ length: 8 }, (_, i) => i + 1).find((n) => size < 2 ** (7 * n) - 1)!,
): Buffer {
  const data = Buffer.alloc(8);
  data.writeBigUInt64BE(BigInt(size) | (1n << BigInt(7 * bytes)));
  return data.subarray(8 - bytes);
}

/** Encodes an unsigned integer in eight bytes. */
export function unsigned(value: number): Buffer {
  const data = Buffer.alloc(8);
  data.writeBigUInt64BE(BigInt(Math.round(value)));
  return data;
}

/** Decodes an unsigned integer of one to eight bytes. */
export function readUnsigned(data: Buffer): number {
  return data.reduce((value, byte) => value * 256 + byte, 0);
}
