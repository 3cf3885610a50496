/**
 * NAL units of H.264 and HEVC as they are stored: after start codes (ITU-T H.264 annex B; length size 0) or after their
 * lengths (ISO/IEC 14496-15; length size 1 to 4 bytes).
 */

/** Passes the offset of each NAL unit's first byte to `accept` until it returns true. Returns whether it did. */
export function visitNalUnits(data: Uint8Array, lengthSize: number, accept: (offset: number) => boolean): boolean {
  if (lengthSize === 0) {
    for (let at = afterStartCode(data, 0); at >= 0 && at < data.length; at = afterStartCode(data, at)) {
      if (accept(at)) return true;
    }
    return false;
  }
  for (let at = 0; at + lengthSize < data.length; ) {
    const length = readLength(data, at, lengthSize);
    if (length > 0 && accept(at + lengthSize)) return true;
    at += lengthSize + length;
  }
  return false;
}

/** Yields the NAL units of a packet or of extradata, as views of `data`. */
export function* nalUnits(data: Uint8Array, lengthSize: number): Generator<Uint8Array> {
  if (lengthSize > 0) {
    for (let at = 0; at + lengthSize <= data.length; ) {
      const length = readLength(data, at, lengthSize);
      at += lengthSize;
      if (length > 0) yield data.subarray(at, Math.min(at + length, data.length));
      at += length;
    }
    return;
  }
  for (let start = afterStartCode(data, 0); start >= 0 && start < data.length; ) {
    const next = afterStartCode(data, start);
    let end = next < 0 ? data.length : next - 3;
    // Zero bytes before a start code belong to it.
    while (end > start && data[end - 1] === 0) end--;
    yield data.subarray(start, end);
    start = next;
  }
}

/** Yields the parameter sets of an AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1). */
export function* parameterSetsInRecord(record: Uint8Array): Generator<Uint8Array> {
  let at = 5;
  // Counted lists of sequence and picture parameter sets, each after its 16-bit length.
  for (const mask of [31, 255]) {
    for (let count = (record[at++] ?? 0) & mask; count > 0 && at + 2 < record.length; count--) {
      const length = record[at]! * 256 + record[at + 1]!;
      yield record.subarray(at + 2, at + 2 + length);
      at += 2 + length;
    }
  }
}

/** Bytes of a NAL unit's length in an avcC record; 0 where extradata is in annex B form. */
export function avcLengthSize(extradata: Uint8Array): number {
  return extradata[0] === 1 && extradata.length >= 7 ? (extradata[4]! & 3) + 1 : 0;
}

const THREE_ZEROS = Buffer.alloc(3);
const ZEROS_BETWEEN_START_CODES = Buffer.alloc(16);

/**
 * Whether a packet's NAL units fill it exactly, contain no three zeros in a row, which emulation prevention rules out, and
 * do not end in a zero (H.264 §7.4.1, H.265 §7.4.2.1). Between start codes a few zeros are allowed. Decoders do not report
 * zeroed ranges; this check finds them.
 */
export function isIntact(data: Buffer, lengthSize: number): boolean {
  if (lengthSize === 0) return !data.includes(ZEROS_BETWEEN_START_CODES);
  let zeros = data.indexOf(THREE_ZEROS);
  for (let at = 0; at < data.length; ) {
    const length = at + lengthSize <= data.length ? data.readUIntBE(at, lengthSize) : Number.NaN;
    const from = at + lengthSize;
    at = from + length;
    if (!(at <= data.length)) return false;
    if (zeros >= 0 && zeros < from) zeros = data.indexOf(THREE_ZEROS, from);
    if ((zeros >= from && zeros + 3 <= at) || data[at - 1] === 0) return false;
  }
  return true;
}

function readLength(data: Uint8Array, at: number, lengthSize: number): number {
  let length = 0;
  for (let i = 0; i < lengthSize; i++) length = length * 256 + data[at + i]!;
  return length;
}

/** Offset of the first byte after the next start code (0 0 1) at or after `from`, or -1. */
function afterStartCode(data: Uint8Array, from: number): number {
  for (let i = from + 2; i < data.length; i++) {
    const byte = data[i]!;
    if (byte > 1) i += 2;
    else if (byte === 1 && data[i - 1] === 0 && data[i - 2] === 0) return i + 1;
  }
  return -1;
}
