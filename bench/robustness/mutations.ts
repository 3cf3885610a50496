// Structure-aware mutations of media files: of boxes, EBML elements, transport stream packets, chunks, pages and NAL units.

/** Gives whole numbers from 0 to `below` − 1. */
export type Random = (below: number) => number;

/** A generator whose numbers depend on the seed alone (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A part of a file: a box, an element, a packet. Bytes; `body` is where its content begins, `sizeAt` where its size is stored. */
interface Part {
  readonly start: number;
  readonly body: number;
  readonly end: number;
  readonly sizeAt?: number;
  readonly sizeBytes?: number;
}

const MAX_PARTS = 20_000;
/** Boxes (ISO/IEC 14496-12) that contain boxes. */
const CONTAINER_BOXES = new Set('moov trak mdia minf stbl dinf edts udta mvex moof traf mfra stsd'.split(' '));
/** Identifiers of EBML elements that contain elements: Segment, SeekHead, Info, Tracks, TrackEntry, Video, Cluster, BlockGroup, Cues… */
const CONTAINER_ELEMENTS = new Set([
  0x18538067, 0x114d9b74, 0x1549a966, 0x1654ae6b, 0xae, 0xe0, 0xe1, 0x1f43b675, 0xa0, 0x1c53bb6b, 0xbb, 0xb7,
  0x1a45dfa3,
]);

function boxes(file: Buffer, from = 0, to = file.length): Part[] {
  const parts: Part[] = [];
  for (let start = from; start + 8 <= to && parts.length < MAX_PARTS; ) {
    const size = file.readUInt32BE(start);
    if (size < 8 || start + size > to) break;
    const part = { start, body: start + 8, end: start + size, sizeAt: start, sizeBytes: 4 };
    parts.push(part);
    const type = file.toString('latin1', start + 4, start + 8);
    const inner = type === 'stsd' ? part.body + 8 : part.body;
    if (CONTAINER_BOXES.has(type)) parts.push(...boxes(file, inner, part.end));
    start = part.end;
  }
  return parts;
}

/** Reads an EBML number of variable length: its value and length in bytes. */
function variableNumber(file: Buffer, at: number, keepsMarker: boolean): readonly [value: number, length: number] {
  const first = file[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || at + length > file.length) return [0, 0];
  let value = keepsMarker ? first : first & ((1 << (8 - length)) - 1);
  for (let i = 1; i < length; i++) value = value * 256 + file[at + i]!;
  return [value, length];
}

function elements(file: Buffer, from = 0, to = file.length): Part[] {
  const parts: Part[] = [];
  for (let start = from; start < to && parts.length < MAX_PARTS; ) {
    const [id, idLength] = variableNumber(file, start, true);
    const [size, sizeLength] = variableNumber(file, start + idLength, false);
    if (idLength === 0 || sizeLength === 0) break;
    const body = start + idLength + sizeLength;
    const end = Math.min(to, body + size);
    parts.push({ start, body, end, sizeAt: start + idLength, sizeBytes: sizeLength });
    if (CONTAINER_ELEMENTS.has(id)) parts.push(...elements(file, body, end));
    start = end;
  }
  return parts;
}

function transportPackets(file: Buffer): Part[] {
  const count = Math.floor(file.length / 188);
  return Array.from({ length: count }, (_, i) => ({ start: 188 * i, body: 188 * i + 4, end: 188 * i + 188 }));
}

/** RIFF chunks (avi). */
function chunks(file: Buffer, from = 0, to = file.length): Part[] {
  const parts: Part[] = [];
  for (let start = from; start + 8 <= to && parts.length < MAX_PARTS; ) {
    const size = file.readUInt32LE(start + 4);
    const end = Math.min(to, start + 8 + size + (size & 1));
    parts.push({ start, body: start + 8, end, sizeAt: start + 4, sizeBytes: 4 });
    const type = file.toString('latin1', start, start + 4);
    if (type === 'RIFF' || type === 'LIST') parts.push(...chunks(file, start + 12, end));
    start = end;
  }
  return parts;
}

/** FLV tags. */
function tags(file: Buffer): Part[] {
  const parts: Part[] = [];
  for (let start = 13; start + 15 <= file.length; ) {
    const end = Math.min(file.length, start + 15 + file.readUIntBE(start + 1, 3));
    parts.push({ start, body: start + 11, end, sizeAt: start + 1, sizeBytes: 3 });
    start = end;
  }
  return parts;
}

/** Parts that begin with a fixed pattern: pages, start codes. */
function partsAt(file: Buffer, pattern: Buffer, headerBytes: number): Part[] {
  const starts: number[] = [];
  for (let at = file.indexOf(pattern); at >= 0 && starts.length < MAX_PARTS; at = file.indexOf(pattern, at + 1))
    starts.push(at);
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? file.length;
    return { start, body: Math.min(end, start + headerBytes), end };
  });
}

const START_CODE = Buffer.from([0, 0, 1]);

/** NAL units in mdat or a cluster: parts whose 4-byte length fits a chain of at least two. */
function lengthPrefixedUnits(file: Buffer): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at + 9 < file.length && parts.length < MAX_PARTS; ) {
    const size = file.readUInt32BE(at);
    const next = at + 4 + size;
    const isUnit = size > 1 && size < 1 << 20 && next + 5 <= file.length && (file[at + 4]! & 0x80) === 0;
    const following = isUnit ? file.readUInt32BE(next) : 0;
    if (isUnit && following > 1 && next + 4 + following <= file.length) {
      parts.push({ start: at, body: at + 4, end: next, sizeAt: at, sizeBytes: 4 });
      at = next;
    } else at++;
  }
  return parts;
}

/** The parts of a file of a container, by their kind. */
function structure(file: Buffer, end: string): readonly (readonly [string, readonly Part[]])[] {
  const units: readonly [string, readonly Part[]] = ['NAL unit', partsAt(file, START_CODE, 4)];
  switch (end) {
    case 'mp4':
    case 'mov':
      return [['box', boxes(file)], ['NAL unit', lengthPrefixedUnits(file)]]; // biome-ignore format: one line shows both
    case 'mkv':
    case 'webm':
      return [['element', elements(file)], ['NAL unit', lengthPrefixedUnits(file)]]; // biome-ignore format: one line shows both
    case 'ts':
      return [['packet', transportPackets(file)], units];
    case 'avi':
      return [['chunk', chunks(file)], units];
    case 'flv':
      return [['tag', tags(file)], ['NAL unit', lengthPrefixedUnits(file)]]; // biome-ignore format: one line shows both
    case 'ogv':
      return [['page', partsAt(file, Buffer.from('OggS'), 27)]];
    default:
      return [units];
  }
}

/** Numbers that break assumptions. */
const EXTREMES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

type Mutation = (file: Buffer, part: Part, all: readonly Part[], random: Random) => Buffer;

function splice(file: Buffer, start: number, end: number, ...content: readonly Buffer[]): Buffer {
  return Buffer.concat([file.subarray(0, start), ...content, file.subarray(end)]);
}

function writeNumber(file: Buffer, at: number, bytes: number, value: number): Buffer {
  for (let i = 0; i < bytes && at + i < file.length; i++)
    file[at + i] = Math.floor(value / 256 ** (bytes - 1 - i)) & 255;
  return file;
}

const MUTATIONS: readonly (readonly [string, Mutation])[] = [
  ['size changed', (file, { sizeAt, sizeBytes = 0, start, end }, _, random) =>
    sizeAt === undefined
      ? splice(file, end - Math.min(end - start, 1 + random(16)), end)
      : writeNumber(file, sizeAt, sizeBytes, random(2) ? EXTREMES[random(EXTREMES.length)]! : random(2 * (end - start)))],
  ['type changed', (file, { start }, _, random) => writeNumber(file, start + random(8), 1, random(256))],
  ['field set', (file, { body, end }, _, random) => {
    if (end - body < 1) return file;
    const bytes = [1, 2, 4, 8][random(4)]!;
    return writeNumber(file, body + random(Math.min(end - body, 64)), bytes, EXTREMES[random(EXTREMES.length)]!);
  }],
  ['bit flipped', (file, { body, end }, _, random) => {
    for (let i = 0; i < 1 + random(4); i++) {
      if (end <= body) break;
      file[body + random(Math.min(end - body, 256))]! ^= 1 << random(8);
    }
    return file;
  }],
  ['removed', (file, { start, end }) => splice(file, start, end)],
  ['repeated', (file, { start, end }, _, random) =>
    splice(file, end, end, ...Array.from({ length: 1 + random(8) }, () => file.subarray(start, end)))],
  ['exchanged', (file, a, all, random) => {
    const b = all[random(all.length)]!;
    const [one, two] = a.start < b.start ? [a, b] : [b, a];
    if (one.end > two.start) return file;
    const between = file.subarray(one.end, two.start);
    return splice(file, one.start, two.end, file.subarray(two.start, two.end), between, file.subarray(one.start, one.end));
  }],
  ['emptied', (file, { body, end }) => file.fill(0, body, end)],
  ['replaced by noise', (file, { body, end }, _, random) => {
    for (let at = body; at < Math.min(end, body + 4096); at++) file[at] = random(256);
    return file;
  }],
  ['cut off', (file, { start, end }, _, random) => file.subarray(0, Math.max(16, start + random(Math.max(1, end - start))))],
  ['nested into itself', (file, { start, body, end }) => splice(file, body, body, file.subarray(start, end))],
]; // biome-ignore format: a table

/** A mutated file, and in words what was done. */
export interface Mutated {
  readonly bytes: Buffer;
  readonly what: string;
}

/** Applies one to three mutations, which depend on the seed alone. @param end The file's extension. */
export function mutate(original: Buffer, end: string, seed: number): Mutated {
  const random = seeded(seed);
  let bytes: Buffer = Buffer.from(original);
  const what: string[] = [];
  for (let i = 0; i < 1 + random(3); i++) {
    const kinds = structure(bytes, end).filter(([, parts]) => parts.length > 0);
    if (kinds.length === 0) break;
    const [kind, parts] = kinds[random(kinds.length)]!;
    // The first parts are headers, which are read with more assumptions than what follows.
    const part = parts[random(random(2) ? Math.min(parts.length, 40) : parts.length)]!;
    const [name, apply] = MUTATIONS[random(MUTATIONS.length)]!;
    bytes = apply(Buffer.from(bytes), part, parts, random);
    what.push(`${kind} ${name}`);
  }
  return { bytes, what: what.join(', ') || 'nothing' };
}
