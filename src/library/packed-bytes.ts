/** How a number is written, in its lowest two bits: a whole one, a negative whole one, thousandths, a double. */
const WHOLE = 0;
const NEGATIVE = 1;
const THOUSANDTHS = 2;
const DOUBLE = 3;
/** Whole numbers up to this are written as such: four times them is still exact. */
const MAX_WHOLE = 2 ** 50;

/** Writes numbers in few bytes: integers as LEB128 (DWARF 5, section 7.6), signed ones in zigzag form. */
export class PackedWriter {
  #bytes = new Uint8Array(64);
  #length = 0;

  /** @param value A whole number from 0. */
  write(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#push((rest % 0x80) | 0x80);
    this.#push(rest);
  }

  /** @param value A whole number. */
  writeSigned(value: number): void {
    this.write(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** @param value Any number. */
  writeNumber(value: number): void {
    const thousandths = Math.round(value * 1000);
    if (Number.isInteger(value) && Math.abs(value) <= MAX_WHOLE && !Object.is(value, -0))
      this.write(4 * Math.abs(value) + (value < 0 ? NEGATIVE : WHOLE));
    else if (value > 0 && thousandths / 1000 === value && thousandths <= MAX_WHOLE)
      this.write(4 * thousandths + THOUSANDTHS);
    else {
      this.write(DOUBLE);
      for (const byte of new Uint8Array(new Float64Array([value]).buffer)) this.#push(byte);
    }
  }

  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#length);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#length++] = byte;
  }
}

/** Reads what {@link PackedWriter} wrote. Reading past the end throws a RangeError. */
export class PackedReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length;
  }

  read(): number {
    const bytes = this.#bytes;
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = bytes[this.#position++];
      if (byte === undefined) throw new RangeError('the bytes end within a number');
      if (byte < 0x80) return value + byte * factor;
      value += (byte & 0x7f) * factor;
    }
  }

  readSigned(): number {
    const value = this.read();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  readNumber(): number {
    const written = this.read();
    const form = written % 4;
    const whole = (written - form) / 4;
    if (form === WHOLE) return whole;
    if (form === NEGATIVE) return -whole;
    if (form === THOUSANDTHS) return whole / 1000;
    const start = this.#position;
    this.#position += 8;
    if (this.#position > this.#bytes.length) throw new RangeError('the bytes end within a number');
    return new Float64Array(this.#bytes.slice(start, this.#position).buffer)[0]!;
  }
}
