/** One event of a session, as the index stores it: everything else of the event stands in its statement. */
export interface Occurrence {
  /** Number of the event in its log, from 0. */
  readonly ordinal: number;
  /** Start and end in microseconds. */
  readonly t: number;
  readonly end: number;
  /** Id of its statement in the index. */
  readonly statement: number;
  /** In thousandths. */
  readonly confidence: number;
  readonly isTentative: boolean;
  /** Where its line begins, as in a `LocatedLine`. */
  readonly offset: number;
}

/**
 * Packs the events of one shape in one session, in the order of the log: differences to the event before as LEB128 integers
 * (DWARF 5, section 7.6), signed ones in zigzag form. About ten bytes an event.
 */
export function packOccurrences(occurrences: readonly Occurrence[]): Uint8Array {
  const bytes: number[] = [];
  const write = (value: number): void => {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  };
  const writeSigned = (value: number): void => write(value < 0 ? -2 * value - 1 : 2 * value);
  let last = { ordinal: 0, t: 0, statement: 0, offset: 0 };
  for (const one of occurrences) {
    write(one.ordinal - last.ordinal);
    writeSigned(one.t - last.t);
    writeSigned(one.end - one.t);
    writeSigned(one.statement - last.statement);
    write(2 * one.confidence + (one.isTentative ? 1 : 0));
    writeSigned(one.offset - last.offset);
    last = one;
  }
  return Uint8Array.from(bytes);
}

/** Unpacks what `packOccurrences` packed. Throws a RangeError for bytes that end within an event. */
export function* unpackOccurrences(bytes: Uint8Array): Generator<Occurrence, void, undefined> {
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
  let [ordinal, t, statement, offset] = [0, 0, 0, 0];
  while (position < bytes.length) {
    ordinal += read();
    t += readSigned();
    const end = t + readSigned();
    statement += readSigned();
    const flags = read();
    offset += readSigned();
    yield { ordinal, t, end, statement, confidence: Math.floor(flags / 2), isTentative: flags % 2 === 1, offset };
  }
}
