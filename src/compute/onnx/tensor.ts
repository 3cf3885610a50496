import { type AttributeProto, type NodeProto, type TensorProto, toNumber } from './proto.ts';
import { exactly, type Range, UNKNOWN } from './range.ts';

/** ONNX element types (`TensorProto.DataType`) that decide about sizes and values here. */
export const TYPE = { float: 1, uint8: 2, int8: 3, int32: 6, int64: 7, string: 8, bool: 9, double: 11 } as const;

/** Bytes per element by ONNX element type; types of less than a byte count as one. */
const BYTES: ReadonlyMap<number, number> = new Map([
  ...[1, 6, 12].map((type) => [type, 4] as const),
  ...[2, 3, 9, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26].map((type) => [type, 1] as const),
  ...[4, 5, 10, 16].map((type) => [type, 2] as const),
  ...[7, 11, 13, 14].map((type) => [type, 8] as const),
  [15, 16],
]);

/** Smallest and largest value of each integer type. */
const INTEGERS: ReadonlyMap<number, Range> = new Map([
  [2, { lo: 0, hi: 255 }],
  [3, { lo: -128, hi: 127 }],
  [4, { lo: 0, hi: 65_535 }],
  [5, { lo: -32_768, hi: 32_767 }],
  [6, { lo: -(2 ** 31), hi: 2 ** 31 - 1 }],
  // Beyond 2^53 a number here is no longer the number of the runtime.
  [7, { lo: -(2 ** 53), hi: 2 ** 53 }],
  [9, { lo: 0, hi: 1 }],
  [12, { lo: 0, hi: 2 ** 32 - 1 }],
  [13, { lo: 0, hi: 2 ** 53 }],
]);

/** Integers that every type of 16-bit floats can hold. */
const SMALL_FLOATS: Range = { lo: -256, hi: 256 };

/** How many values of a tensor are followed; shapes, pads and scales have a few each. */
export const MAX_VALUES = 256;

/** What is known about a tensor before the run. */
export interface Tensor {
  /** ONNX element type. */
  readonly type: number;
  /** Undefined where even their number depends on the input. */
  readonly dims: readonly Range[] | undefined;
  /** Largest number of elements. */
  readonly count: number;
  /** Values in row-major order, of small tensors with exact dimensions. */
  readonly values?: readonly Range[] | undefined;
  /** Whether it depends on no input of the graph. The runtime computes such tensors once, and keeps them. */
  readonly constant?: boolean;
}

/** A result whose size cannot be bounded, or an operator that is used as it must not be. */
export class Unbounded extends Error {
  readonly hint: string | undefined;
  /** Whether the message names the node. */
  readonly isLocated: boolean;

  constructor(message: string, hint?: string, isLocated = false) {
    super(message);
    this.hint = hint;
    this.isLocated = isLocated;
  }
}

/** A tensor of these dimensions. Values are dropped where they do not fit or are too many, or could overflow their type. */
export function tensor(type: number, dims: readonly Range[], values?: readonly Range[]): Tensor {
  const count = dims.reduce((product, { hi }) => (product === 0 || hi === 0 ? 0 : product * hi), 1);
  const fits = values !== undefined && values.length <= MAX_VALUES && dims.every(({ lo, hi }) => lo === hi);
  if (!fits || values.length !== count) return { type, dims, count };
  return { type, dims, count, values: values.map((one) => representable(one, type)) };
}

/** A range in the arithmetic of a type: floats are rounded as the runtime rounds them, what may overflow is unknown. */
function representable(range: Range, type: number): Range {
  if (type === TYPE.float) return { lo: Math.fround(range.lo), hi: Math.fround(range.hi) };
  if (type === TYPE.double) return range;
  const limits = INTEGERS.get(type) ?? SMALL_FLOATS;
  const fits = range.lo >= limits.lo && range.hi <= limits.hi;
  const whole = Number.isInteger(range.lo) && Number.isInteger(range.hi);
  return fits && whole ? range : UNKNOWN;
}

/** A list of numbers. */
export function list(type: number, values: readonly Range[]): Tensor {
  return tensor(type, [exactly(values.length)], values);
}

/** Largest number of bytes of a tensor. */
export function bytesOf({ type, count }: Tensor): number {
  return count * (BYTES.get(type) ?? 16);
}

/** Whether values of a type are integers. */
export function isInteger(type: number): boolean {
  return INTEGERS.has(type);
}

/** Number of elements of a constant, and whether its data has that many. @throws Unbounded */
export function constantOf(proto: TensorProto): Tensor {
  const { dataType: type = 0, rawData } = proto;
  if (proto.dataLocation === 1 || (proto.externalData?.length ?? 0) > 0)
    throw new Unbounded('it keeps its values in another file', 'Save the model as one file.');
  if (proto.segment) throw new Unbounded('it is split into segments', 'Save the model with onnx.save.');
  const size = BYTES.get(type);
  if (size === undefined) throw new Unbounded(`it holds values of the unsupported type ${type}`);
  const dims = (proto.dims ?? []).map(toNumber);
  if (dims.some((dim) => !(dim >= 0))) throw new Unbounded(`its dimensions are ${dims.join(' × ')}`);
  const count = dims.reduce((product, dim) => product * dim, 1);
  const half = type === 21 || type === 22 || type === 23 ? 2 : type === 25 || type === 26 ? 4 : 1;
  const fields = [proto.floatData, proto.int32Data, proto.int64Data, proto.doubleData, proto.uint64Data];
  const filled = fields.filter((field) => field !== undefined && field.length > 0);
  const raw = rawData !== undefined && rawData.length > 0;
  if (filled.length + Number(raw) > 1) throw new Unbounded('it states its values twice');
  if (raw && filled.length === 0 && rawData.length !== Math.ceil((count * size) / half))
    throw new Unbounded(`it has ${rawData.length} bytes, not the ${dims.join(' × ')} values that it declares`);
  if (!raw && (filled[0]?.length ?? 0) < Math.ceil(count / half) / (type === 14 || type === 15 ? 0.5 : 1))
    throw new Unbounded(`it has fewer values than the ${dims.join(' × ')} that it declares`);
  const values = count <= MAX_VALUES ? readNumbers(proto, type, count) : undefined;
  return { ...tensor(type, dims.map(exactly), values?.map(exactly)), constant: true };
}

function readNumbers(proto: TensorProto, type: number, count: number): readonly number[] | undefined {
  const { rawData: raw } = proto;
  if (raw === undefined || raw.length === 0) {
    const typed: Readonly<Record<number, readonly number[] | undefined>> = {
      1: proto.floatData,
      7: proto.int64Data?.map(toNumber),
      11: proto.doubleData,
      12: proto.uint64Data?.map(toNumber),
      13: proto.uint64Data?.map(toNumber),
    };
    const numbers = type in typed ? typed[type] : [2, 3, 4, 5, 6, 9].includes(type) ? proto.int32Data : undefined;
    return numbers?.length === count ? numbers : undefined;
  }
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  const read: Readonly<Record<number, (i: number) => number>> = {
    1: (i) => view.getFloat32(4 * i, true),
    2: (i) => view.getUint8(i),
    3: (i) => view.getInt8(i),
    4: (i) => view.getUint16(2 * i, true),
    5: (i) => view.getInt16(2 * i, true),
    6: (i) => view.getInt32(4 * i, true),
    7: (i) => Number(view.getBigInt64(8 * i, true)),
    9: (i) => view.getUint8(i),
    11: (i) => view.getFloat64(8 * i, true),
    12: (i) => view.getUint32(4 * i, true),
    13: (i) => Number(view.getBigUint64(8 * i, true)),
  };
  const reader = read[type];
  return reader && Array.from({ length: count }, (_, i) => reader(i));
}

/** The field of an attribute that holds its value, by `AttributeProto.AttributeType`. */
const ATTRIBUTE_FIELDS = {
  1: 'f',
  2: 'i',
  3: 's',
  4: 't',
  5: 'g',
  6: 'floats',
  7: 'ints',
  8: 'strings',
  9: 'tensors',
  10: 'graphs',
  11: 'sparseTensor',
  12: 'sparseTensors',
  13: 'tp',
  14: 'typeProtos',
} as const satisfies Readonly<Record<number, keyof AttributeProto>>;

/** The attributes of one node, by name and type. */
export class Attributes {
  readonly #byName: ReadonlyMap<string, AttributeProto>;

  /** @throws Unbounded for an attribute that occurs twice, or holds another value than its type says. */
  constructor(attributes: readonly AttributeProto[]) {
    this.#byName = new Map(attributes.map((one) => [one.name, one]));
    if (this.#byName.size !== attributes.length) throw new Unbounded('an attribute occurs twice');
    for (const one of attributes) {
      const held = Object.entries(ATTRIBUTE_FIELDS).filter(([, field]) => {
        const value: unknown = Object.hasOwn(one, field) ? one[field] : undefined;
        return Array.isArray(value) ? value.length > 0 : value !== undefined;
      });
      if (held.length > 1 || held.some(([type]) => Number(type) !== one.type))
        throw new Unbounded(`the attribute “${one.name}” holds another value than its type ${one.type} says`);
    }
  }

  get all(): readonly AttributeProto[] {
    return [...this.#byName.values()];
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  get(name: string): AttributeProto | undefined {
    return this.#byName.get(name);
  }

  int(name: string): number | undefined;
  int(name: string, fallback: number): number;
  int(name: string, fallback?: number): number | undefined {
    const value = this.#byName.get(name)?.i;
    return value === undefined ? fallback : toNumber(value);
  }

  float(name: string, fallback: number): number {
    return this.#byName.get(name)?.f ?? fallback;
  }

  ints(name: string): readonly number[] | undefined {
    const values = this.#byName.get(name)?.ints;
    return values === undefined || (values.length === 0 && this.#byName.get(name)?.type !== 7)
      ? undefined
      : values.map(toNumber);
  }

  floats(name: string): readonly number[] | undefined {
    const values = this.#byName.get(name)?.floats;
    return values === undefined || values.length === 0 ? undefined : values;
  }

  text(name: string, fallback: string): string {
    const bytes = this.#byName.get(name)?.s;
    return bytes === undefined ? fallback : new TextDecoder().decode(bytes);
  }
}

/** A name for a node in messages: its own, or what it computes. */
export function describeNode({ name, opType, output }: NodeProto): string {
  const own = name || output.find((one) => one !== '') || '';
  return own === '' ? opType : `${opType} “${own.length > 80 ? `${own.slice(0, 80)}…` : own}”`;
}
