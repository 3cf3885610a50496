/** Writes the syntax elements of ITU-T H.264 §7.3 one by one. */
export class BitWriter {
  #bits = '';

  u(count: number, value: number): this {
    this.#bits += value.toString(2).padStart(count, '0');
    return this;
  }

  ue(...values: number[]): this {
    for (const value of values) {
      const code = (value + 1).toString(2);
      this.#bits += '0'.repeat(code.length - 1) + code;
    }
    return this;
  }

  se(...values: number[]): this {
    return this.ue(...values.map((value) => (value > 0 ? 2 * value - 1 : -2 * value)));
  }

  /** Zero bits up to a whole byte, then bytes. */
  bytes(values: Iterable<number>): this {
    this.#bits = this.#bits.padEnd(Math.ceil(this.#bits.length / 8) * 8, '0');
    for (const value of values) this.u(8, value);
    return this;
  }

  /** A NAL unit: header byte, payload, stop bit, emulation prevention. */
  nal(header: number): Uint8Array {
    const bits = `${this.#bits}1`;
    const bytes = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g)!;
    const out = [header];
    for (const byte of bytes.map((text) => Number.parseInt(text, 2))) {
      if (byte <= 3 && out.at(-1) === 0 && out.at(-2) === 0) out.push(3);
      out.push(byte);
    }
    return Uint8Array.from(out);
  }
}

/**
 * A picture of 16 × 32 as two fields, each an access unit after start codes: every pixel of the first is `top`, of the second
 * `bottom`. x264 cannot write such pictures (PAFF). An instant refresh where `frame` is 0; `frame` counts from there, below 16.
 */
export function fieldPair(frame: number, top: number, bottom: number): [Buffer, Buffer] {
  const sequence = new BitWriter().u(8, 77).u(8, 0).u(8, 30).ue(0, 0, 0, 4, 1).u(1, 0).ue(0, 0);
  // Fields allowed, no adaptive frames and fields, 8 × 8 inference, no cropping, no usability information.
  sequence.u(1, 0).u(1, 0).u(1, 1).u(1, 0).u(1, 0);
  const picture = new BitWriter().ue(0, 0).u(2, 0).ue(0, 0, 0).u(3, 0).se(0, 0, 0).u(3, 0);
  const field = (second: boolean, level: number): Buffer => {
    const instant = frame === 0 && !second;
    const slice = new BitWriter()
      .ue(0, 7, 0)
      .u(4, frame)
      .u(1, 1)
      .u(1, second ? 1 : 0);
    if (instant) slice.ue(0);
    slice
      .u(8, frame * 2 + (second ? 1 : 0))
      .u(instant ? 2 : 1, 0)
      .se(0);
    // One macroblock as it is (I_PCM).
    slice.ue(25).bytes([...Array<number>(256).fill(level), ...Array<number>(128).fill(128)]);
    const units = [
      Uint8Array.of(9, 16),
      ...(instant ? [sequence.nal(0x67), picture.nal(0x68)] : []),
      slice.nal(instant ? 0x65 : 0x61),
    ];
    return Buffer.concat(units.flatMap((unit) => [Uint8Array.of(0, 0, 0, 1), unit]));
  };
  return [field(false, top), field(true, bottom)];
}
