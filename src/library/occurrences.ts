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
 * Reads what `packOccurrences` packed, event by event and without an object for each: a season has millions of them.
 *
 * @example
 * const reader = new OccurrenceReader(bytes, kinds);
 * while (reader.next()) console.log(reader.t, reader.values);
 */
export class OccurrenceReader implements Occurrence {
  ordinal = 0;
  t = 0;
  end = 0;
  confidence = 0;
  isTentative = false;
  offset = 0;
  /** Overwritten by those of the next event. */
  readonly values: number[];
  readonly #bytes: Uint8Array;
  readonly #areNumbers: readonly boolean[];
  #position = 0;

  /** @param kinds Of the values of the template. */
  constructor(bytes: Uint8Array, kinds: readonly ValueKind[]) {
    this.#bytes = bytes;
    this.#areNumbers = kinds.map((kind) => kind === 'number');
    this.values = kinds.map(() => 0);
  }

  /**
   * Reads the next event; `false` where there is none.
   *
   * @throws RangeError for bytes that end within an event.
   */
  next(): boolean {
    if (this.#position >= this.#bytes.length) return false;
    this.ordinal += this.#read();
    this.t += this.#readSigned();
    this.end = this.t + this.#readSigned();
    const flags = this.#read();
    this.confidence = Math.floor(flags / 2);
    this.isTentative = flags % 2 === 1;
    this.offset += this.#readSigned();
    for (let i = 0; i < this.values.length; i++)
      this.values[i] = this.#areNumbers[i] ? this.#readNumber() : this.#read();
    return true;
  }

  #read(): number {
    const bytes = this.#bytes;
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = bytes[this.#position++];
      if (byte === undefined) throw new RangeError('the bytes end within an event');
      if (byte < 0x80) return value + byte * factor;
      value += (byte & 0x7f) * factor;
    }
  }

  #readSigned(): number {
    const value = this.#read();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #readNumber(): number {
    const written = this.#read();
    const form = written % 4;
    const whole = (written - form) / 4;
    if (form === WHOLE) return whole;
    if (form === NEGATIVE) return -whole;
    if (form === THOUSANDTHS) return whole / 1000;
    const start = this.#position;
    this.#position += 8;
    if (this.#position > this.#bytes.length) throw new RangeError('the bytes end within an event');
    return new Float64Array(this.#bytes.slice(start, this.#position).buffer)[0]!;
  }
}

/** Reads all events that `packOccurrences` packed. Throws as `OccurrenceReader.next`. */
export function unpackOccurrences(bytes: Uint8Array, kinds: readonly ValueKind[]): Occurrence[] {
  const reader = new OccurrenceReader(bytes, kinds);
  const found: Occurrence[] = [];
  while (reader.next()) {
    const { ordinal, t, end, confidence, isTentative, offset } = reader;
    found.push({ ordinal, t, end, confidence, isTentative, offset, values: reader.values.slice() });
  }
  return found;
}
