import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** More than a recording of a week in fragments of a second has. */
const MOST_BOXES = 2_000_000;

/** A box on the top level of an mp4 or mov file. */
interface TopBox {
  readonly kind: string;
  /** All of it lies in the file. */
  readonly whole: boolean;
}

/** The boxes on the top level of a file (ISO/IEC 14496-12 §4.2), as far as they can be told apart. */
function* topBoxes(path: string): Generator<TopBox, void, undefined> {
  const head = Buffer.alloc(16);
  const file = openSync(path, 'r');
  try {
    const { size: length } = fstatSync(file);
    for (let at = 0, boxes = 0; at < length && boxes < MOST_BOXES; boxes++) {
      const got = readSync(file, head, 0, head.length, at);
      const kind = head.toString('latin1', 4, 8);
      if (got < 8) return yield { kind: '', whole: false };
      const size = head.readUInt32BE(0);
      const bytes = size === 1 && got === head.length ? Number(head.readBigUInt64BE(8)) : size;
      // A box without a size reaches to the end of the file; one that is shorter than its own head is none.
      if (bytes < 8) return yield { kind, whole: bytes === 0 };
      yield { kind, whole: at + bytes <= length };
      at += bytes;
    }
  } finally {
    closeSync(file);
  }
}

/** An mp4 or mov file without a `moov` box: it begins as one, and no box on its top level is the index (§8.2). */
export function isUnfinished(path: string): boolean {
  let first = true;
  for (const { kind } of topBoxes(path)) {
    if (first && kind !== 'ftyp') return false;
    if (kind === 'moov') return false;
    first = false;
  }
  return !first;
}

/** An mp4 or mov file that ends within pictures or within what tells of them, as a fragmented recording does that was cut off. */
export function isCutOff(path: string): boolean {
  for (const { kind, whole } of topBoxes(path)) if (!whole) return kind === 'mdat' || kind === 'moof';
  return false;
}
