/** Reads bits, most significant first, from a NAL unit freed of its emulation prevention bytes. */
export class Bits {
  readonly #bytes: Uint8Array;
  #length = 0;
  #at = 0;

  /** `capacity`: bytes of a NAL unit that are looked at. */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Takes what fits from `data` at `from`, dropping the 3 of every 0 0 3. */
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
    this.#at = 0;
  }

  /** Past the end of what was loaded: the last values are not to be trusted. */
  get spent(): boolean {
    return this.#at > this.#length;
  }

  u(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      const bit = this.#at < this.#length ? (this.#bytes[this.#at >> 3]! >> (7 - (this.#at & 7))) & 1 : 0;
      this.#at++;
      value = value * 2 + bit;
    }
    return value;
  }

  flag(): boolean {
    return this.u(1) === 1;
  }

  /** Exponential Golomb code, unsigned (H.264 §9.1). */
  ue(): number {
    let zeros = 0;
    while (zeros < 32 && this.#at < this.#length && !this.flag()) zeros++;
    return 2 ** zeros - 1 + this.u(zeros);
  }

  se(): number {
    const code = this.ue();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}
