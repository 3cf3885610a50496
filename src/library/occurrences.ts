import type { ValueKind } from './templates.ts';

/** One event of a session, as the index stores it: everything else of the event stands in its template. */
export interface Occurrence {
  /** Number of the event in its log, from 0. */
  readonly ordinal: number;
  /** Start and end in microseconds. */
  readonly t: number;
  readonly end: number;
  /** In thousandths. */
  readonly confidence: number;
  readonly isTentative: boolean;
  /** Where its line begins, as in a `LocatedLine`. */
  readonly offset: number;
  /** The values of its template: numbers, and of names and texts their ids in the index. */
  readonly values: readonly number[];
}

/** How a number is written, in its lowest two bits: a whole one, a negative whole one, thousandths, a double. */
const WHOLE = 0;
const NEGATIVE = 1;
const THOUSANDTHS = 2;
const DOUBLE = 3;
/** Whole numbers up to this are written as such: four times them is still exact. */
const MAX_WHOLE = 2 ** 50;

/**
 * Packs the events of one template in one session, in the order of the log: differences to the event before as LEB128 integers
 * (DWARF 5, section 7.6), signed ones in zigzag form. About ten bytes an event.
 *
 * @param kinds Of the values of the template.
 */
export function packOccurrences(occurrences: readonly Occurrence[], kinds: readonly ValueKind[]): Uint8Array {
  const bytes: number[] = [];
  const write = (value: number): void => {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  };
  const writeSigned = (value: number): void => write(value < 0 ? -2 * value - 1 : 2 * value);
  const writeNumber = (value: number): void => {
    const thousandths = Math.round(value * 1000);
    if (Number.isInteger(value) && Math.abs(value) <= MAX_WHOLE && !Object.is(value, -0))
      write(4 * Math.abs(value) + (value < 0 ? NEGATIVE : WHOLE));
    else if (value > 0 && thousandths / 1000 === value && thousandths <= MAX_WHOLE)
      write(4 * thousandths + THOUSANDTHS);
    else {
      write(DOUBLE);
      bytes.push(...new Uint8Array(new Float64Array([value]).buffer));
    }
  };
  let last = { ordinal: 0, t: 0, offset: 0 };
  for (const one of occurrences) {
    write(one.ordinal - last.ordinal);
    writeSigned(one.t - last.t);
    writeSigned(one.end - one.t);
    write(2 * one.confidence + (one.isTentative ? 1 : 0));
    writeSigned(one.offset - last.offset);
    for (const [index, kind] of kinds.entries()) {
      const value = one.values[index]!;
      if (kind === 'number') writeNumber(value);
      else write(value);
    }
    last = one;
  }
  return Uint8Array.from(bytes);
}

/**
 * Unpacks what `packOccurrences` packed.
 *
 * @throws RangeError for bytes that end within an event.
 */
export function unpackOccurrences(bytes: Uint8Array, kinds: readonly ValueKind[]): Occurrence[] {
  let position = 0;
  const read = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = bytes[position++];
      if (byte === undefined) throw new RangeError('the bytes end within an event');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const readSigned = (): number => {
    const value = read();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const readNumber = (): number => {
    const written = read();
    const form = written % 4;
    const whole = (written - form) / 4;
    if (form === WHOLE) return whole;
    if (form === NEGATIVE) return -whole;
    if (form === THOUSANDTHS) return whole / 1000;
    if (position + 8 > bytes.length) throw new RangeError('the bytes end within an event');
    position += 8;
    return new Float64Array(bytes.slice(position - 8, position).buffer)[0]!;
  };
  const found: Occurrence[] = [];
  let [ordinal, t, offset] = [0, 0, 0];
  while (position < bytes.length) {
    ordinal += read();
    t += readSigned();
    const end = t + readSigned();
    const flags = read();
    offset += readSigned();
    const values = kinds.map((kind) => (kind === 'number' ? readNumber() : read()));
    found.push({ ordinal, t, end, confidence: Math.floor(flags / 2), isTentative: flags % 2 === 1, offset, values });
  }
  return found;
}
