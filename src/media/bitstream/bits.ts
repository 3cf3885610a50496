/** Reads bits, most significant first, from a NAL unit without its emulation prevention bytes. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #length = 0;
  #position = 0;

  /** @param capacity Bytes of a NAL unit to read at most. */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Loads what fits from `data` at `from`, dropping the 3 of every 0 0 3. */
  load(data: Uint8Array, from: number): void {
    const end = Math.min(data.length, from + this.#bytes.length);
    let zeros = 0;
    let length = 0;
    for (let i = from; i < end; i++) {
      const byte = data[i]!;
      if (zeros >= 2 && byte === 3) {
        zeros = 0;
        continue;
      }
      zeros = byte === 0 ? zeros + 1 : 0;
      this.#bytes[length++] = byte;
    }
    this.#length = length * 8;
    this.#position = 0;
  }

  /** Whether reading went past the end of what was loaded, so that the last values are wrong. */
  get isExhausted(): boolean {
    return this.#position > this.#length;
  }

  /** Unsigned integer of `count` bits. */
  u(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const bit =
        this.#position < this.#length ? (this.#bytes[this.#position >> 3]! >> (7 - (this.#position & 7))) & 1 : 0;
      this.#position++;
      value = value * 2 + bit;
    }
    return value;
  }

  /** One bit. */
  flag(): boolean {
    return this.u(1) === 1;
  }

  /** Unsigned Exponential-Golomb code (H.264 §9.1). One that begins at or goes past the end exhausts the reader. */
  ue(): number {
    let zeros = 0;
    while (zeros < 32 && !this.isExhausted && !this.flag()) zeros++;
    return 2 ** zeros - 1 + this.u(zeros);
  }

  /** Signed Exponential-Golomb code (H.264 §9.1.1). */
  se(): number {
    const code = this.ue();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}
