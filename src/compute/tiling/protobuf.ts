/** One field of a protocol-buffer message: a number (varint or fixed 32/64 bits) or bytes. */
export interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
  /** 0 varint, 1 64-bit, 2 length-delimited, 5 32-bit. */
  readonly wire: 0 | 1 | 2 | 5;
}

/** The fields of a message, in the order in which they stand. Throws RangeError where the bytes are no message. */
export function* fieldsOf(bytes: Uint8Array): Iterable<Field> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const number64 = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (at >= bytes.length) break;
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError('a number runs past the end of the message');
  };
  const room = (length: number): number => {
    if (at + length > bytes.length) throw new RangeError('a field runs past the end of the message');
    at += length;
    return at - length;
  };
  while (at < bytes.length) {
    const key = Number(number64());
    const number = key >>> 3;
    const wire = key & 7;
    if (number === 0) throw new RangeError('a field has no number');
    if (wire === 0) yield { number, wire, value: number64() };
    else if (wire === 1) yield { number, wire, value: view.getBigUint64(room(8), true) };
    else if (wire === 5) yield { number, wire, value: BigInt(view.getUint32(room(4), true)) };
    else if (wire === 2) {
      const length = Number(number64());
      const start = room(length);
      yield { number, wire, value: bytes.subarray(start, start + length) };
    } else throw new RangeError(`wire type ${wire} is not in use`);
  }
}

/** The numbers of a repeated integer field, packed or not. Signed: negative numbers are stored as 64-bit two's complement. */
export function integers({ value }: Field): number[] {
  if (typeof value === 'bigint') return [Number(BigInt.asIntN(64, value))];
  const found: number[] = [];
  let number = 0n;
  let shift = 0n;
  for (const byte of value) {
    number |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte >= 0x80) continue;
    found.push(Number(BigInt.asIntN(64, number)));
    number = 0n;
    shift = 0n;
  }
  return found;
}

/** The 32-bit floats of a repeated float field, packed or not. */
export function floats({ value }: Field): number[] {
  if (typeof value === 'bigint') return [new Float32Array(new Uint32Array([Number(value)]).buffer)[0]!];
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return Array.from({ length: value.byteLength >> 2 }, (_, i) => view.getFloat32(4 * i, true));
}

export function text({ value }: Field): string {
  return typeof value === 'bigint' ? '' : new TextDecoder().decode(value);
}

export function bytesOf({ value }: Field): Uint8Array {
  return typeof value === 'bigint' ? new Uint8Array() : value;
}

/** Puts a message together, field by field. Large byte fields are not copied until `finish`. */
export class Message {
  private readonly parts: Uint8Array[] = [];

  integer(number: number, value: number | bigint): this {
    this.parts.push(varint(BigInt(number) << 3n), varint(BigInt.asUintN(64, BigInt(value))));
    return this;
  }

  float(number: number, value: number): this {
    this.parts.push(varint((BigInt(number) << 3n) | 5n), new Uint8Array(new Float32Array([value]).buffer));
    return this;
  }

  bytes(number: number, value: Uint8Array): this {
    this.parts.push(varint((BigInt(number) << 3n) | 2n), varint(BigInt(value.length)), value);
    return this;
  }

  text(number: number, value: string): this {
    return this.bytes(number, new TextEncoder().encode(value));
  }

  message(number: number, value: Message): this {
    return this.bytes(number, value.finish());
  }

  finish(): Uint8Array {
    const whole = new Uint8Array(this.parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of this.parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}
