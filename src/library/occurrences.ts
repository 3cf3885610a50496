import { PackedReader, PackedWriter } from './packed-bytes.ts';
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

/**
 * Packs the events of one template in one session, in the order of the log, as differences to the event before. About ten bytes
 * an event.
 *
 * @param kinds Of the values of the template.
 */
export function packOccurrences(occurrences: readonly Occurrence[], kinds: readonly ValueKind[]): Uint8Array {
  const writer = new PackedWriter();
  let last = { ordinal: 0, t: 0, offset: 0 };
  for (const one of occurrences) {
    writer.write(one.ordinal - last.ordinal);
    writer.writeSigned(one.t - last.t);
    writer.writeSigned(one.end - one.t);
    writer.write(2 * one.confidence + (one.isTentative ? 1 : 0));
    writer.writeSigned(one.offset - last.offset);
    for (const [index, kind] of kinds.entries()) {
      const value = one.values[index]!;
      if (kind === 'number') writer.writeNumber(value);
      else writer.write(value);
    }
    last = one;
  }
  return writer.toBytes();
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
  readonly #reader: PackedReader;
  readonly #areNumbers: readonly boolean[];

  /** @param kinds Of the values of the template. */
  constructor(bytes: Uint8Array, kinds: readonly ValueKind[]) {
    this.#reader = new PackedReader(bytes);
    this.#areNumbers = kinds.map((kind) => kind === 'number');
    this.values = kinds.map(() => 0);
  }

  /**
   * Reads the next event; `false` where there is none.
   *
   * @throws RangeError for bytes that end within an event.
   */
  next(): boolean {
    const reader = this.#reader;
    if (reader.isAtEnd) return false;
    this.ordinal += reader.read();
    this.t += reader.readSigned();
    this.end = this.t + reader.readSigned();
    const flags = reader.read();
    this.confidence = Math.floor(flags / 2);
    this.isTentative = flags % 2 === 1;
    this.offset += reader.readSigned();
    for (let i = 0; i < this.values.length; i++)
      this.values[i] = this.#areNumbers[i] ? reader.readNumber() : reader.read();
    return true;
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
