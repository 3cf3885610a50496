import { asSize, combine, divide, exactly, increasing, isExact, join, type Range, UNKNOWN } from './range.ts';
import {
  type Attributes,
  bytesOf,
  constantOf,
  isInteger,
  list,
  MAX_VALUES,
  type Tensor,
  tensor,
  TYPE,
  Unbounded,
} from './tensor.ts';

/** A node with what is known about its inputs. */
export interface Call {
  readonly attributes: Attributes;
  /** Undefined where an optional input is left out. */
  readonly inputs: readonly (Tensor | undefined)[];
  /** Number of outputs that the node names. */
  readonly outputs: number;
}

/** What an operator computes at most. */
export interface Effect {
  readonly outputs: readonly Tensor[];
  /** Multiply-adds, or what takes as long. */
  readonly work: number;
  /** Bytes that the runtime needs while it computes, apart from inputs and outputs. */
  readonly scratch?: number;
}

/** Bounds the outputs of an operator. @throws Unbounded */
export type Operator = (call: Call) => Effect;

/** Work of a function like exp per element, in multiply-adds. */
const ELEMENT_WORK = 8;

// What operators are made of.

function input({ inputs }: Call, index: number): Tensor {
  const found = inputs[index];
  if (found === undefined) throw new Unbounded(`its input ${index + 1} is missing`);
  return found;
}

function dimsOf({ dims }: Tensor): readonly Range[] {
  if (dims === undefined)
    throw new Unbounded('the number of dimensions of its input is not known before the run', FIXED);
  return dims;
}

const FIXED = 'Export the model with fixed shapes, and simplify it (for example with onnxsim).';

function valuesOf(found: Tensor | undefined, what: string): readonly Range[] {
  const values = found?.values;
  if (values === undefined || values.some(({ lo, hi }) => lo === -Infinity || hi === Infinity))
    throw new Unbounded(`the size of its result depends on its ${what}, which are not constant`, FIXED);
  return values;
}

function sizesOf(found: Tensor | undefined, what: string): readonly Range[] {
  return valuesOf(found, what).map(asSize);
}

/** Integers that are an attribute in older operator sets and an input in later ones. */
function numbersOf(call: Call, name: string, index: number): readonly Range[] | undefined {
  const attribute = call.attributes.ints(name);
  return attribute ? attribute.map(exactly) : call.inputs[index]?.values;
}

/** An axis counted from the front. */
function axisOf(axis: number, rank: number): number {
  const found = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(found) || found < 0 || found >= Math.max(rank, 1))
    throw new Unbounded(`it has the axis ${axis} of ${rank} dimensions`);
  return found;
}

/** Known axes counted from the front; undefined where they are computed. */
function axesOf(call: Call, index: number, rank: number): readonly number[] | 'all' | undefined {
  const given = numbersOf(call, 'axes', index);
  if (given === undefined) return call.inputs[index] === undefined ? 'all' : undefined;
  if (!given.every(isExact)) return undefined;
  return given.length === 0 ? 'all' : given.map(({ lo }) => axisOf(lo, rank));
}

/** All of these, as many as the node names. */
function effect({ outputs }: Call, made: readonly Tensor[], work: number, scratch = 0): Effect {
  return { outputs: made.slice(0, Math.max(1, outputs)), work, scratch };
}

function like({ dims, count }: Tensor, type: number): Tensor {
  return { type, dims, count };
}

/** Something of the same number of dimensions, none of them larger. */
function noLarger({ type, dims, count }: Tensor): Tensor {
  return { type, dims: dims?.map(({ hi }) => ({ lo: 0, hi })), count };
}

function replaced<T>(items: readonly T[], index: number, item: T): T[] {
  return items.map((one, i) => (i === index ? item : one));
}

/** Dimensions of an elementwise operator's result. */
function broadcastDims(all: readonly (readonly Range[])[]): Range[] {
  const rank = Math.max(0, ...all.map(({ length }) => length));
  return Array.from({ length: rank }, (_, i) => {
    const meeting = all.flatMap((dims) => dims[i - rank + dims.length] ?? []);
    // A dimension other than 1 decides.
    const decided = meeting.find((dim) => isExact(dim) && dim.lo !== 1);
    return decided ?? { lo: Math.min(...meeting.map(({ lo }) => lo)), hi: Math.max(...meeting.map(({ hi }) => hi)) };
  });
}

function broadcast(type: number, ...all: readonly Tensor[]): Tensor {
  if (all.some(({ dims }) => dims === undefined))
    return { type, dims: undefined, count: all.reduce((product, { count }) => product * Math.max(1, count), 1) };
  return tensor(type, broadcastDims(all.map((one) => one.dims!)));
}

/** Applies a function to the known values of inputs of which each has one value or as many as the others. */
function applied(result: Tensor, all: readonly Tensor[], apply: (...values: readonly Range[]) => Range): Tensor {
  if (result.dims === undefined || result.count > MAX_VALUES || all.some(({ values }) => values === undefined))
    return result;
  const fits = all.every(({ values }) => values!.length === 1 || values!.length === result.count);
  if (!fits) return result;
  const values = Array.from({ length: result.count }, (_, i) =>
    apply(...all.map((one) => one.values![one.values!.length === 1 ? 0 : i]!)),
  );
  return tensor(result.type, result.dims, values);
}

// Elementwise operators.

/** Same size and type as the first input. */
const same: Operator = (call) => {
  const x = input(call, 0);
  return effect(call, [like(x, x.type)], ELEMENT_WORK * x.count);
};

function unary(apply: (value: Range, type: number) => Range): Operator {
  return (call) => {
    const x = input(call, 0);
    return effect(call, [applied(like(x, x.type), [x], (value) => apply(value, x.type))], ELEMENT_WORK * x.count);
  };
}

function elementwise(type: number | undefined, apply?: (type: number, ...values: readonly Range[]) => Range): Operator {
  return (call) => {
    const all = call.inputs.map((_, i) => input(call, i));
    const kind = all[0]!.type;
    const result = broadcast(type ?? kind, ...all);
    const made = apply ? applied(result, all, (...values) => apply(kind, ...values)) : result;
    return effect(call, [made], ELEMENT_WORK * result.count * all.length);
  };
}

const TRUTH: Range = { lo: 0, hi: 1 };

function compare(decide: (a: Range, b: Range) => boolean | undefined): Operator {
  return elementwise(TYPE.bool, (_, a, b) => {
    const known = decide(a!, b!);
    return known === undefined ? TRUTH : exactly(Number(known));
  });
}

function logic(apply: (a: number, b: number) => number): Operator {
  return elementwise(TYPE.bool, (_, a, b) => combine(a!, b!, apply));
}

function quotient(type: number, a: Range, b: Range): Range {
  const exact = divide(a, b);
  return isInteger(type) ? increasing(exact, Math.trunc) : exact;
}

function remainder(type: number, a: Range, b: Range): Range {
  if (!isInteger(type) || !isExact(b) || b.lo <= 0) return UNKNOWN;
  return isExact(a) && a.lo >= 0 ? exactly(a.lo % b.lo) : { lo: 1 - b.lo, hi: b.lo - 1 };
}

/** Bounds of `min` or `max` of several ranges. */
function extreme(of: (...values: number[]) => number): (type: number, ...values: readonly Range[]) => Range {
  return (_, ...values) => ({ lo: of(...values.map(({ lo }) => lo)), hi: of(...values.map(({ hi }) => hi)) });
}

function converted(x: Tensor, type: number): Tensor {
  return applied(like(x, type), [x], (value) => {
    if (type === TYPE.bool) return isExact(value) ? exactly(Number(value.lo !== 0)) : TRUTH;
    return isInteger(type) ? increasing(value, Math.trunc) : value;
  });
}

function typeAttribute({ attributes }: Call, name: string, fallback: number): number {
  const type = attributes.int(name, fallback);
  if (type === TYPE.string) throw new Unbounded('it makes texts, which are not supported');
  return type;
}

const where: Operator = (call) => {
  const [condition, x, y] = [input(call, 0), input(call, 1), input(call, 2)];
  const result = applied(broadcast(x.type, condition, x, y), [condition, x, y], (test, a, b) =>
    isExact(test!) ? (test.lo === 0 ? b! : a!) : join(a!, b!),
  );
  return effect(call, [result], ELEMENT_WORK * result.count);
};

const quantize: Operator = (call) => {
  const x = input(call, 0);
  const type = call.inputs[2]?.type ?? (call.attributes.int('output_dtype', 0) || TYPE.uint8);
  return effect(call, [like(x, type)], ELEMENT_WORK * x.count);
};

const dropout: Operator = (call) => {
  const training = call.inputs[2];
  if (training && !(training.values?.length === 1 && training.values[0]!.hi === 0))
    throw new Unbounded('it is in training mode, which is random', 'Export the model for inference: model.eval().');
  const x = input(call, 0);
  return effect(call, [{ ...x, constant: false }, like(x, TYPE.bool)], x.count);
};

/** Normalizations: further outputs are statistics, no larger than the input. */
const normalize: Operator = (call) => {
  if (call.attributes.int('training_mode', 0) !== 0)
    throw new Unbounded('it is in training mode', 'Export the model for inference: model.eval().');
  const x = input(call, 0);
  const rest = Array.from({ length: Math.max(0, call.outputs - 1) }, () => noLarger(x));
  return effect(call, [like(x, x.type), ...rest], ELEMENT_WORK * x.count * call.outputs);
};

const localNormalize: Operator = (call) => {
  const x = input(call, 0);
  const size = call.attributes.int('size', 1);
  const channels = Math.max(1, dimsOf(x)[1]?.lo ?? 1);
  return effect(call, [like(x, x.type)], ELEMENT_WORK * x.count, (bytesOf(x) * (channels + size)) / channels);
};

// Reductions and indices.

function reduced(x: Tensor, type: number, axes: readonly number[] | 'all' | undefined, keep: boolean): Tensor {
  const { dims, count } = x;
  if (dims === undefined || (axes === undefined && !keep)) return { type, dims: undefined, count: Math.max(1, count) };
  if (axes === undefined)
    return tensor(
      type,
      dims.map(({ lo, hi }) => ({ lo: Math.min(1, lo), hi: Math.max(1, hi) })),
    );
  const isReduced = (i: number): boolean => axes === 'all' || axes.includes(i);
  return tensor(
    type,
    keep ? dims.map((dim, i) => (isReduced(i) ? exactly(1) : dim)) : dims.filter((_, i) => !isReduced(i)),
  );
}

function reduce(fold?: (values: readonly Range[]) => Range): Operator {
  return (call) => {
    const x = input(call, 0);
    const given = x.dims === undefined ? undefined : axesOf(call, 1, x.dims.length);
    const isIdentity = given === 'all' && call.attributes.int('noop_with_empty_axes', 0) === 1;
    const result = isIdentity ? x : reduced(x, x.type, given, call.attributes.int('keepdims', 1) === 1);
    const isWhole = fold !== undefined && x.values !== undefined && result.count === 1 && result.dims !== undefined;
    const made = isWhole && !isIdentity ? tensor(x.type, result.dims, [fold(x.values!)]) : result;
    return effect(call, [made], ELEMENT_WORK * x.count);
  };
}

const arg: Operator = (call) => {
  const x = input(call, 0);
  const axes = [axisOf(call.attributes.int('axis', 0), dimsOf(x).length)];
  return effect(call, [reduced(x, TYPE.int64, axes, call.attributes.int('keepdims', 1) === 1)], x.count);
};

const topK: Operator = (call) => {
  const x = input(call, 0);
  const dims = dimsOf(x);
  const axis = axisOf(call.attributes.int('axis', -1), dims.length);
  const attribute = call.attributes.int('k');
  const k = attribute === undefined ? call.inputs[1]?.values?.[0] : exactly(attribute);
  const most =
    k === undefined ? { lo: 0, hi: dims[axis]!.hi } : asSize({ lo: k.lo, hi: Math.min(k.hi, dims[axis]!.hi) });
  const out = replaced(dims, axis, most);
  return effect(
    call,
    [tensor(x.type, out), tensor(TYPE.int64, out)],
    x.count * (ELEMENT_WORK + Math.log2(2 + dims[axis]!.hi)),
    16 * dims[axis]!.hi,
  );
};

const nonZero: Operator = (call) => {
  const x = input(call, 0);
  const rank = dimsOf(x).length;
  return effect(
    call,
    [tensor(TYPE.int64, [exactly(Math.max(1, rank)), { lo: 0, hi: x.count }])],
    ELEMENT_WORK * x.count * rank,
    8 * x.count * rank,
  );
};

const unique: Operator = (call) => {
  const x = input(call, 0);
  const axis = call.attributes.int('axis');
  const dims = axis === undefined ? undefined : dimsOf(x);
  const along = dims === undefined ? x.count : dims[axisOf(axis!, dims.length)]!.hi;
  const most = { lo: 0, hi: along };
  const indices = tensor(TYPE.int64, [most]);
  const values =
    dims === undefined ? tensor(x.type, [most]) : tensor(x.type, replaced(dims, axisOf(axis!, dims.length), most));
  const work = x.count * (ELEMENT_WORK + 4 * Math.log2(2 + along));
  // The runtime sorts in a tree of vectors.
  return effect(call, [values, indices, indices, indices], work, 96 * along + 2 * bytesOf(x));
};

const compress: Operator = (call) => {
  const x = input(call, 0);
  const axis = call.attributes.int('axis');
  if (axis === undefined) return effect(call, [tensor(x.type, [{ lo: 0, hi: x.count }])], x.count);
  const dims = dimsOf(x);
  const at = axisOf(axis, dims.length);
  return effect(call, [tensor(x.type, replaced(dims, at, { lo: 0, hi: dims[at]!.hi }))], x.count);
};

const gather: Operator = (call) => {
  const [x, indices] = [input(call, 0), input(call, 1)];
  const [dims, places] = [dimsOf(x), dimsOf(indices)];
  const axis = axisOf(call.attributes.int('axis', 0), dims.length);
  const out = [...dims.slice(0, axis), ...places, ...dims.slice(axis + 1)];
  const isKnown = x.values !== undefined && dims.length === 1 && indices.values !== undefined;
  const values = isKnown
    ? indices.values!.map((at) =>
        isExact(at) ? (x.values!.at(at.lo) ?? UNKNOWN) : x.values!.reduce(join, x.values![0] ?? UNKNOWN),
      )
    : undefined;
  const made = tensor(x.type, out, values);
  return effect(call, [made], made.count);
};

const gatherElements: Operator = (call) => {
  const indices = input(call, 1);
  return effect(call, [like(indices, input(call, 0).type)], ELEMENT_WORK * indices.count);
};

const gatherNd: Operator = (call) => {
  const [x, indices] = [input(call, 0), input(call, 1)];
  const [dims, places] = [dimsOf(x), dimsOf(indices)];
  const last = places.at(-1);
  if (last === undefined || !isExact(last)) throw new Unbounded('the size of its indices is not known', FIXED);
  const out = [...places.slice(0, -1), ...dims.slice(call.attributes.int('batch_dims', 0) + last.lo)];
  const made = tensor(x.type, out);
  return effect(call, [made], ELEMENT_WORK * (made.count + indices.count));
};

const scatter: Operator = (call) => {
  const x = input(call, 0);
  const counts = call.inputs.reduce((sum, one) => sum + (one?.count ?? 0), 0);
  return effect(call, [like(x, x.type)], ELEMENT_WORK * counts);
};

const nonMaxSuppression: Operator = (call) => {
  const [boxes, scores] = [dimsOf(input(call, 0)), dimsOf(input(call, 1))];
  const count = Math.max(boxes[1]?.hi ?? 0, scores[2]?.hi ?? 0);
  const batches = Math.max(boxes[0]?.hi ?? 0, scores[0]?.hi ?? 0);
  const classes = scores[1]?.hi ?? 0;
  const limit = call.inputs[2];
  const most = limit === undefined ? 0 : Math.min(count, Math.max(0, limit.values?.[0]?.hi ?? count));
  const out = tensor(TYPE.int64, [{ lo: 0, hi: batches * classes * most }, exactly(3)]);
  return effect(
    call,
    [out],
    ELEMENT_WORK * batches * classes * count * (most + 1),
    32 * count + 24 * batches * classes * most,
  );
};

const oneHot: Operator = (call) => {
  const dims = dimsOf(input(call, 0));
  const [depth] = sizesOf(input(call, 1), 'classes');
  const axis = axisOf(call.attributes.int('axis', -1), dims.length + 1);
  const out = tensor(input(call, 2).type, [...dims.slice(0, axis), depth!, ...dims.slice(axis)]);
  return effect(call, [out], out.count);
};

// Shapes.

const shape: Operator = (call) => {
  const dims = dimsOf(input(call, 0));
  return effect(
    call,
    [list(TYPE.int64, dims.slice(call.attributes.int('start', 0), call.attributes.int('end', dims.length)))],
    1,
  );
};

const countElements: Operator = (call) => {
  const { dims, count } = input(call, 0);
  const lo = dims?.reduce((product, dim) => product * dim.lo, 1) ?? 0;
  return effect(call, [tensor(TYPE.int64, [], [{ lo, hi: count }])], 1);
};

/** The same elements in other dimensions. */
function reshaped(x: Tensor, dims: readonly Range[]): Tensor {
  const made = tensor(x.type, dims, x.values);
  return { ...made, count: Math.min(made.count, x.count) };
}

const reshape: Operator = (call) => {
  const x = input(call, 0);
  // Nothing at all can have any dimensions.
  const isSurelyFilled = x.dims?.every(({ lo }) => lo > 0) ?? false;
  const any = { lo: 0, hi: isSurelyFilled ? x.count : Number.POSITIVE_INFINITY };
  const wanted = numbersOf(call, 'shape', 1);
  if (wanted === undefined) {
    const rank = input(call, 1).dims?.[0];
    if (rank === undefined || !isExact(rank) || rank.lo > 64)
      return effect(call, [{ ...like(x, x.type), dims: undefined }], 1);
    return effect(
      call,
      [
        reshaped(
          x,
          Array.from({ length: rank.lo }, () => any),
        ),
      ],
      x.count,
    );
  }
  const copiesZero = call.attributes.int('allowzero', 0) === 0;
  const dims = wanted.map((one, i): Range => {
    if (isExact(one) && one.lo === 0 && copiesZero) return x.dims?.[i] ?? any;
    return one.lo >= 1 ? { lo: one.lo, hi: Math.max(one.lo, Math.min(one.hi, x.count)) } : any;
  });
  const open = wanted.findIndex((one) => isExact(one) && one.lo === -1);
  if (open >= 0) {
    const others = dims.filter((_, i) => i !== open);
    const lo = others.reduce((product, dim) => product * dim.lo, 1);
    const hi = others.reduce((product, dim) => product * dim.hi, 1);
    const fewest = x.dims?.reduce((product, dim) => product * dim.lo, 1) ?? 0;
    dims[open] = { lo: hi > 0 ? Math.floor(fewest / hi) : 0, hi: Math.floor(x.count / Math.max(1, lo)) };
  }
  return effect(call, [reshaped(x, dims)], x.count);
};

function rangeProduct(dims: readonly Range[]): Range {
  return dims.reduce((all, dim) => combine(all, dim, (a, b) => a * b), exactly(1));
}

const flatten: Operator = (call) => {
  const x = input(call, 0);
  const dims = dimsOf(x);
  const given = call.attributes.int('axis', 1);
  const axis = given < 0 ? given + dims.length : given;
  return effect(call, [reshaped(x, [rangeProduct(dims.slice(0, axis)), rangeProduct(dims.slice(axis))])], x.count);
};

const squeeze: Operator = (call) => {
  const x = input(call, 0);
  const { dims } = x;
  const axes = dims && axesOf(call, 1, dims.length);
  const isOpen =
    dims === undefined || axes === undefined || (axes === 'all' && dims.some((dim) => !isExact(dim) && dim.lo <= 1));
  if (isOpen) return effect(call, [{ ...like(x, x.type), dims: undefined }], x.count);
  const kept = dims.filter((dim, i) => (axes === 'all' ? dim.lo !== 1 : !axes.includes(i)));
  return effect(call, [reshaped(x, kept)], x.count);
};

const unsqueeze: Operator = (call) => {
  const x = input(call, 0);
  const dims = dimsOf(x);
  const given = numbersOf(call, 'axes', 1);
  if (given === undefined || !given.every(isExact))
    return effect(call, [{ ...like(x, x.type), dims: undefined }], x.count);
  const axes = given.map(({ lo }) => axisOf(lo, dims.length + given.length));
  const rest = [...dims];
  const out = Array.from({ length: dims.length + given.length }, (_, i) =>
    axes.includes(i) ? exactly(1) : (rest.shift() ?? exactly(1)),
  );
  return effect(call, [reshaped(x, out)], x.count);
};

const transpose: Operator = (call) => {
  const x = input(call, 0);
  const dims = dimsOf(x);
  const order = call.attributes.ints('perm') ?? dims.map((_, i) => dims.length - 1 - i);
  const made = tensor(
    x.type,
    order.map((i) => dims[axisOf(i, dims.length)]!),
    dims.length <= 1 ? x.values : undefined,
  );
  return effect(call, [made], 2 * x.count);
};

function joined(type: number, all: readonly Tensor[], given: number): Tensor {
  const ranks = all.map(dimsOf);
  const axis = axisOf(given, ranks[0]!.length);
  const along = ranks.reduce((sum, dims) => combine(sum, dims[axis] ?? exactly(0), (a, b) => a + b), exactly(0));
  const out = ranks[0]!.map((dim, i) =>
    i === axis ? along : ranks.reduce((widest, dims) => join(widest, dims[i]!), dim),
  );
  const values = out.length === 1 && all.every((one) => one.values) ? all.flatMap((one) => one.values!) : undefined;
  return tensor(type, out, values);
}

const concat: Operator = (call) => {
  const all = call.inputs.map((_, i) => input(call, i));
  const made = joined(all[0]!.type, all, call.attributes.int('axis', 1));
  return effect(call, [made], made.count);
};

const split: Operator = (call) => {
  const x = input(call, 0);
  const dims = dimsOf(x);
  const axis = axisOf(call.attributes.int('axis', 0), dims.length);
  const along = dims[axis]!;
  const given = numbersOf(call, 'split', 1);
  const part = increasing(along, (length) => Math.ceil(length / Math.max(1, call.outputs)));
  const start = (i: number): number | undefined => {
    const before = given?.slice(0, i) ?? Array.from({ length: i }, () => part);
    return before.every(isExact) ? before.reduce((sum, { lo }) => sum + lo, 0) : undefined;
  };
  const made = Array.from({ length: call.outputs }, (_, i) => {
    const isLast = i === call.outputs - 1;
    const open = call.inputs[1] !== undefined && given === undefined ? { lo: 0, hi: along.hi } : undefined;
    const even = isLast ? { lo: 0, hi: part.hi } : part;
    const exact = isExact(along) && isLast ? exactly(Math.max(0, along.lo - part.lo * (call.outputs - 1))) : even;
    const length =
      open ?? (given ? asSize({ lo: given[i]?.lo ?? 0, hi: Math.min(along.hi, given[i]?.hi ?? along.hi) }) : exact);
    const from = start(i);
    const values =
      dims.length === 1 && isExact(length) && from !== undefined ? x.values?.slice(from, from + length.lo) : undefined;
    return tensor(x.type, replaced(dims, axis, length), values);
  });
  return effect(call, made, x.count);
};

const slice: Operator = (call) => {
  const x = input(call, 0);
  const dims = dimsOf(x);
  const [starts, ends] = [numbersOf(call, 'starts', 1), numbersOf(call, 'ends', 2)];
  const count = starts?.length ?? ends?.length;
  const given = numbersOf(call, 'axes', 3);
  const isDefault = given === undefined && call.inputs[3] === undefined;
  const axes = isDefault && count !== undefined ? Array.from({ length: count }, (_, i) => exactly(i)) : given;
  // Whatever is taken, no dimension grows.
  let out = dims.map(({ hi }): Range => ({ lo: 0, hi }));
  let values: readonly Range[] | undefined;
  if (axes?.every(isExact)) {
    const sliced = axes.map(({ lo }) => axisOf(lo, dims.length));
    out = dims.map((dim, i) => (sliced.includes(i) ? { lo: 0, hi: dim.hi } : dim));
    for (const [n, axis] of sliced.entries()) {
      const dim = dims[axis]!;
      const step =
        call.inputs[4] === undefined && !call.attributes.has('steps') ? exactly(1) : numbersOf(call, 'steps', 4)?.[n];
      const [from, to] = [starts?.[n], ends?.[n]];
      if (!step || !from || !to || !isExact(step) || !isExact(from) || !isExact(to) || step.lo === 0) continue;
      if (isExact(dim)) {
        const taken = sliceIndices(dim.lo, from.lo, to.lo, step.lo);
        out[axis] = exactly(taken.length);
        if (dims.length === 1 && x.values) values = indicesOf(taken).map((i) => x.values![i]!);
      } else if (from.lo >= 0 && to.lo >= 0 && step.lo > 0) {
        out[axis] = { lo: 0, hi: Math.min(dim.hi, Math.ceil(Math.max(0, to.lo - from.lo) / step.lo)) };
      }
    }
  }
  const made = tensor(x.type, out, values);
  return effect(call, [made], ELEMENT_WORK * made.count);
};

/** Which indices of a dimension a slice takes. */
function sliceIndices(
  dim: number,
  from: number,
  to: number,
  step: number,
): { first: number; step: number; length: number } {
  const clamp = (at: number, low: number, high: number): number =>
    Math.min(high, Math.max(low, at < 0 ? at + dim : at));
  const [first, last] =
    step > 0 ? [clamp(from, 0, dim), clamp(to, 0, dim)] : [clamp(from, 0, dim - 1), clamp(to, -1, dim - 1)];
  return { first, step, length: Math.max(0, Math.ceil((last - first) / step)) };
}

function indicesOf({ first, step, length }: { first: number; step: number; length: number }): number[] {
  return Array.from({ length: Math.min(length, MAX_VALUES + 1) }, (_, i) => first + i * step);
}

const expand: Operator = (call) => {
  const x = input(call, 0);
  const wanted = valuesOf(input(call, 1), 'dimensions').map(asSize);
  const out = broadcastDims([dimsOf(x), wanted]);
  const made = applied(tensor(x.type, out), [x], (value) => value);
  return effect(call, [made], made.count);
};

const tile: Operator = (call) => {
  const x = input(call, 0);
  const repeats = sizesOf(input(call, 1), 'repeats');
  const made = tensor(
    x.type,
    dimsOf(x).map((dim, i) => combine(dim, repeats[i] ?? exactly(1), (a, b) => a * b)),
  );
  return effect(call, [made], made.count);
};

const pad: Operator = (call) => {
  const x = input(call, 0);
  const dims = dimsOf(x);
  const attribute = call.attributes.ints('pads');
  const pads = attribute?.map(exactly) ?? valuesOf(input(call, 1), 'margins');
  const axes =
    call.inputs[3] === undefined
      ? dims.map((_, i) => i)
      : valuesOf(call.inputs[3], 'axes').map(({ lo }) => axisOf(lo, dims.length));
  const out = dims.map((dim, i) => {
    const at = axes.indexOf(i);
    if (at < 0) return dim;
    const margin = combine(pads[at] ?? exactly(0), pads[at + axes.length] ?? exactly(0), (a, b) => a + b);
    return asSize(combine(dim, margin, (a, b) => a + b));
  });
  const made = tensor(x.type, out);
  return effect(call, [made], 2 * made.count);
};

const centerCropPad: Operator = (call) => {
  const x = input(call, 0);
  const dims = [...dimsOf(x)];
  const wanted = sizesOf(input(call, 1), 'dimensions');
  const axes = call.attributes.ints('axes') ?? dims.map((_, i) => i);
  for (const [n, axis] of axes.entries()) dims[axisOf(axis, dims.length)] = wanted[n] ?? exactly(0);
  const made = tensor(x.type, dims);
  return effect(call, [made], ELEMENT_WORK * made.count, 2 * bytesOf(made) + bytesOf(x));
};

function resizeWith(find: (call: Call) => { scales: Tensor | undefined; sizes: Tensor | undefined }): Operator {
  return (call) => {
    const x = input(call, 0);
    const dims = dimsOf(x);
    const { scales, sizes } = find(call);
    const axes = (call.attributes.ints('axes') ?? dims.map((_, i) => i)).map((axis) => axisOf(axis, dims.length));
    const out = [...dims];
    if (scales !== undefined && scales.count > 0) {
      const crops = call.attributes.text('coordinate_transformation_mode', '') === 'tf_crop_and_resize';
      const roi = crops ? valuesOf(input(call, 1), 'regions') : [];
      for (const [n, scale] of valuesOf(scales, 'scales').entries()) {
        const axis = axes[n];
        if (axis === undefined) continue;
        const extent = crops
          ? combine(roi[n + axes.length] ?? exactly(1), roi[n] ?? exactly(0), (a, b) => a - b)
          : exactly(1);
        const factor = combine(scale, extent, (a, b) => a * b);
        // The runtime multiplies in single precision.
        out[axis] = asSize(
          increasing(
            combine(dims[axis]!, factor, (a, b) => a * b),
            (side) => side * (1 + 1e-6),
          ),
        );
      }
    } else {
      const wanted = sizesOf(sizes, 'sizes');
      const policy = call.attributes.text('keep_aspect_ratio_policy', 'stretch');
      // Keeping the aspect, the largest factor of any axis can apply to all.
      const factors = axes.map((axis, n) => (wanted[n]?.hi ?? 0) / Math.max(1, dims[axis]!.lo));
      const most = Math.max(0, ...factors);
      for (const [n, axis] of axes.entries())
        out[axis] =
          policy === 'stretch' ? (wanted[n] ?? exactly(0)) : { lo: 0, hi: Math.ceil(most * dims[axis]!.hi) + 1 };
    }
    const made = tensor(x.type, out);
    const isNearest = call.attributes.text('mode', 'nearest') === 'nearest';
    const scratch = isNearest ? 0 : 8 * (x.count + made.count);
    return effect(call, [made], (isNearest ? 2 : 32) * (made.count + x.count), scratch);
  };
}

function scaled(dim: Range, factor: number): Range {
  return asSize(increasing(dim, (side) => side * factor));
}

function blocks(deepens: boolean): Operator {
  return (call) => {
    const x = input(call, 0);
    const [n, c, h, w] = dimsOf(x);
    const block = call.attributes.int('blocksize', 1);
    if (!n || !c || !h || !w || block < 1) throw new Unbounded('it has no picture as its input');
    const dims = deepens
      ? [n, scaled(c, block * block), scaled(h, 1 / block), scaled(w, 1 / block)]
      : [n, scaled(c, 1 / (block * block)), scaled(h, block), scaled(w, block)];
    return effect(call, [reshaped({ ...x, values: undefined }, dims)], x.count);
  };
}

const constantOfShape: Operator = (call) => {
  const dims = sizesOf(input(call, 0), 'dimensions');
  const proto = call.attributes.get('value')?.t;
  const value = proto ? constantOf(proto) : undefined;
  const made = applied(tensor(value?.type ?? TYPE.float, dims), [], () => value?.values?.[0] ?? exactly(0));
  return effect(call, [made], made.count);
};

const range: Operator = (call) => {
  const [start, limit, delta] = [0, 1, 2].map((i) => valuesOf(input(call, i), 'limits')[0]!) as [Range, Range, Range];
  const { type } = input(call, 0);
  if (delta.lo <= 0 && delta.hi >= 0) throw new Unbounded('its step can be zero');
  const length = asSize(
    increasing(
      divide(
        combine(limit, start, (a, b) => a - b),
        delta,
      ),
      (steps) => Math.ceil(steps * (isInteger(type) ? 1 : 1 + 1e-6)),
    ),
  );
  const isKnown = isExact(start) && isExact(delta) && isExact(length) && length.lo <= MAX_VALUES;
  const values = isKnown ? Array.from({ length: length.lo }, (_, i) => exactly(start.lo + i * delta.lo)) : undefined;
  const made = tensor(type, [length], values);
  return effect(call, [made], made.count);
};

const eyeLike: Operator = (call) => {
  const x = input(call, 0);
  return effect(call, [like(x, typeAttribute(call, 'dtype', x.type))], x.count);
};

const col2im: Operator = (call) => {
  const x = input(call, 0);
  const dims = dimsOf(x);
  const image = sizesOf(input(call, 1), 'dimensions');
  const block = sizesOf(input(call, 2), 'blocks').reduce((product, { lo }) => product * Math.max(1, lo), 1);
  const made = tensor(x.type, [dims[0]!, asSize(increasing(dims[1]!, (c) => c / block)), ...image]);
  return effect(call, [made], x.count + made.count);
};

// Convolutions and pooling.

/** One spatial dimension of a window operator. */
interface Window {
  readonly kernel: number;
  readonly stride: number;
  readonly dilation: number;
  readonly before: number;
  readonly after: number;
}

function windowsOf({ attributes }: Call, kernel: readonly number[]): readonly Window[] {
  const rank = kernel.length;
  const [strides, dilations, pads] = ['strides', 'dilations', 'pads'].map((name) => attributes.ints(name));
  const isPadded = ['NOTSET', ''].includes(attributes.text('auto_pad', 'NOTSET'));
  return kernel.map((size, i) => {
    const window = {
      kernel: size,
      stride: strides?.[i] ?? 1,
      dilation: dilations?.[i] ?? 1,
      before: isPadded ? (pads?.[i] ?? 0) : 0,
      after: isPadded ? (pads?.[i + rank] ?? 0) : 0,
    };
    if (window.stride < 1 || window.dilation < 1 || size < 1 || window.before < 0 || window.after < 0)
      throw new Unbounded(
        `its kernel is ${size}, its stride ${window.stride}, its dilation ${window.dilation}, its padding ${window.before}, ${window.after}`,
      );
    return window;
  });
}

function slide(call: Call, spatial: readonly Range[], windows: readonly Window[]): Range[] {
  const isSame = call.attributes.text('auto_pad', '').startsWith('SAME');
  const roundsUp = call.attributes.int('ceil_mode', 0) === 1;
  return spatial.map((dim, i) => {
    const { kernel, stride, dilation, before, after } = windows[i]!;
    const extent = dilation * (kernel - 1) + 1;
    const steps = (side: number): number => (side + before + after - extent) / stride;
    if (isSame) return asSize(increasing(dim, (side) => Math.ceil(side / stride)));
    const down = increasing(dim, (side) => Math.floor(steps(side)) + 1);
    // A last window that would begin in the padding is left out.
    return asSize(roundsUp ? { lo: down.lo, hi: Math.ceil(steps(dim.hi)) + 1 } : down);
  });
}

function exactDims(found: Tensor, what: string): readonly number[] {
  const dims = dimsOf(found);
  if (!dims.every(isExact)) throw new Unbounded(`the size of its ${what} is computed from the picture`, FIXED);
  return dims.map(({ lo }) => lo);
}

/** Largest number of elements of these dimensions. */
function elementsOf(dims: readonly Range[]): number {
  return dims.reduce((count, { hi }) => count * hi, 1);
}

/** Convolution; `weights` and `type` say which inputs have the weights and the type of the result. */
function convolve({
  weights = 1,
  type,
}: {
  weights?: number;
  type?: number | ((call: Call) => number);
} = {}): Operator {
  return (call) => {
    const x = input(call, 0);
    const [n, , ...spatial] = dimsOf(x);
    const [m, c, ...kernel] = exactDims(input(call, weights), 'weights') as [number, number, ...number[]];
    if (n === undefined || kernel.length !== spatial.length) throw new Unbounded('its weights do not fit its input');
    const out = slide(call, spatial, windowsOf(call, kernel));
    const made = tensor(typeof type === 'function' ? type(call) : (type ?? x.type), [n, exactly(m), ...out]);
    const patch = kernel.reduce((all, side) => all * side, c);
    // Kernels other than those for floats in two dimensions first copy the patch of each result.
    const copies = x.type !== TYPE.float || kernel.length > 3 || call.inputs.length > 4;
    return effect(call, [made], made.count * patch, copies ? elementsOf(out) * patch * 8 : 0);
  };
}

const convTranspose: Operator = (call) => {
  const x = input(call, 0);
  const [n, , ...spatial] = dimsOf(x);
  const [channels, m, ...kernel] = exactDims(input(call, 1), 'weights') as [number, number, ...number[]];
  if (n === undefined || kernel.length !== spatial.length) throw new Unbounded('its weights do not fit its input');
  const windows = windowsOf(call, kernel);
  const fixed = call.attributes.ints('output_shape');
  const more = call.attributes.ints('output_padding');
  const isSame = call.attributes.text('auto_pad', '').startsWith('SAME');
  const out = spatial.map((dim, i) => {
    const { kernel: side, stride, dilation, before, after } = windows[i]!;
    if (fixed) return asSize(exactly(fixed.at(i - spatial.length) ?? 0));
    return asSize(
      increasing(dim, (from) =>
        isSame ? from * stride : stride * (from - 1) + (more?.[i] ?? 0) + dilation * (side - 1) + 1 - before - after,
      ),
    );
  });
  const made = tensor(x.type, [n, exactly(m * call.attributes.int('group', 1)), ...out]);
  const patch = kernel.reduce((all, side) => all * side, m);
  return effect(
    call,
    [made],
    x.count * patch + made.count,
    (elementsOf(spatial) * patch + elementsOf(out)) * 4 + channels,
  );
};

const deformConv: Operator = (call) => {
  const { outputs, work } = convolve()(call);
  const [, c, ...kernel] = exactDims(input(call, 1), 'weights') as [number, number, ...number[]];
  const patch = kernel.reduce((all, side) => all * side, c);
  const spatial = elementsOf(dimsOf(outputs[0]!).slice(2));
  return effect(call, outputs, ELEMENT_WORK * work, spatial * patch * call.attributes.int('group', 1) * 8);
};

function pool(
  kernelOf: (call: Call) => readonly number[] = ({ attributes }) => attributes.ints('kernel_shape') ?? [],
): Operator {
  return (call) => {
    const x = input(call, 0);
    const [n, c, ...spatial] = dimsOf(x);
    const kernel = kernelOf(call);
    if (!n || !c || kernel.length !== spatial.length) throw new Unbounded('its kernel does not fit its input');
    const dims = [n, c, ...slide(call, spatial, windowsOf(call, kernel))];
    const made = tensor(x.type, dims);
    return effect(call, [made, tensor(TYPE.int64, dims)], made.count * kernel.reduce((all, side) => all * side, 1));
  };
}

const globalPool: Operator = (call) => {
  const x = input(call, 0);
  const isLast = call.attributes.int('channels_last', 0) === 1;
  const dims = dimsOf(x);
  const out = dims.map((dim, i) => (i === 0 || i === (isLast ? dims.length - 1 : 1) ? dim : exactly(1)));
  return effect(call, [tensor(x.type, out)], x.count);
};

const maxUnpool: Operator = (call) => {
  const x = input(call, 0);
  const [n, c, ...spatial] = dimsOf(x);
  const windows = windowsOf(call, call.attributes.ints('kernel_shape') ?? []);
  const dims =
    call.inputs[2] === undefined
      ? [
          n!,
          c!,
          ...spatial.map((dim, i) => {
            const { kernel, stride, before, after } = windows[i] ?? { kernel: 1, stride: 1, before: 0, after: 0 };
            return asSize(increasing(dim, (side) => stride * (side - 1) + kernel - before - after));
          }),
        ]
      : sizesOf(call.inputs[2], 'dimensions');
  const made = tensor(x.type, dims);
  return effect(call, [made], made.count + x.count);
};

function pooledRegions(sample: (call: Call) => number, size: (call: Call) => readonly number[]): Operator {
  return (call) => {
    const [x, regions] = [input(call, 0), dimsOf(input(call, 1))];
    const [height = 1, width = 1] = size(call);
    const made = tensor(x.type, [
      regions[0] ?? exactly(0),
      dimsOf(x)[1] ?? exactly(0),
      exactly(height),
      exactly(width),
    ]);
    const points = sample(call) ** 2;
    return effect(call, [made], made.count * points * 4, 64 * height * width * points);
  };
}

const roiAlign = pooledRegions(
  ({ attributes }) => {
    const ratio = attributes.int('sampling_ratio', 0);
    if (ratio > 0) return ratio;
    throw new Unbounded(
      'it takes as many samples as a region is large, which has no bound',
      'Export it with sampling_ratio 2.',
    );
  },
  ({ attributes }) => [attributes.int('output_height', 1), attributes.int('output_width', 1)],
);

const maxRoiPool: Operator = (call) => {
  const side = Math.max(
    0,
    ...dimsOf(input(call, 0))
      .slice(2)
      .map(({ hi }) => hi),
  );
  return pooledRegions(
    () => side,
    ({ attributes }) => attributes.ints('pooled_shape') ?? [],
  )(call);
};

const gridSample: Operator = (call) => {
  const [x, grid] = [input(call, 0), dimsOf(input(call, 1))];
  const made = tensor(x.type, [...dimsOf(x).slice(0, 2), ...grid.slice(1, -1)]);
  return effect(call, [made], 32 * made.count);
};

const affineGrid: Operator = (call) => {
  const theta = input(call, 0);
  const [n, , ...spatial] = sizesOf(input(call, 1), 'dimensions');
  const made = tensor(theta.type, [n ?? exactly(0), ...spatial, exactly(spatial.length)]);
  return effect(call, [made], ELEMENT_WORK * made.count, 4 * bytesOf(made));
};

// Matrices and sequences.

/** Dimensions with the last two swapped. */
function transposed(dims: readonly Range[], swaps: boolean): readonly Range[] {
  return swaps && dims.length >= 2 ? [...dims.slice(0, -2), dims.at(-1)!, dims.at(-2)!] : dims;
}

function multiplied(
  type: number,
  a: Tensor,
  b: Tensor,
  transA = false,
  transB = false,
): { made: Tensor; work: number } {
  const [left, right] = [transposed(dimsOf(a), transA), transposed(dimsOf(b), transB)];
  const [l, r] = [
    left.length === 1 ? [exactly(1), ...left] : left,
    right.length === 1 ? [...right, exactly(1)] : right,
  ];
  const [rows, inner, columns] = [l.at(-2), l.at(-1), r.at(-1)];
  if (!rows || !inner || !columns) throw new Unbounded('its inputs are no matrices');
  const batch = broadcastDims([l.slice(0, -2), r.slice(0, -2)]);
  const made = tensor(type, [...batch, ...(left.length === 1 ? [] : [rows]), ...(right.length === 1 ? [] : [columns])]);
  return { made, work: made.count * inner.hi };
}

function matMul(second: number, type?: (call: Call) => number): Operator {
  return (call) => {
    const { attributes } = call;
    if (attributes.int('transBatchA', 0) !== 0 || attributes.int('transBatchB', 0) !== 0)
      throw new Unbounded('it transposes batches, which is not supported');
    const [a, b] = [input(call, 0), input(call, second)];
    const { made, work } = multiplied(
      type?.(call) ?? a.type,
      a,
      b,
      attributes.int('transA', 0) === 1,
      attributes.int('transB', 0) === 1,
    );
    return effect(call, [made], work, bytesOf(a) + bytesOf(b));
  };
}

const matMulBits: Operator = (call) => {
  const x = input(call, 0);
  const [k, n] = [call.attributes.int('K', 0), call.attributes.int('N', 0)];
  const made = tensor(x.type, [...dimsOf(x).slice(0, -1), exactly(n)]);
  return effect(call, [made], made.count * k, 4 * k * n);
};

const einsum: Operator = (call) => {
  const all = call.inputs.map((_, i) => input(call, i));
  const [left = '', right] = call.attributes.text('equation', '').replaceAll(/\s/g, '').split('->');
  const sizes = new Map<string, Range>();
  let ellipsis: Range[] = [];
  for (const [i, term] of left.split(',').entries()) {
    const dims = dimsOf(all[i] ?? input(call, i));
    const [front = '', back] = term.split('...');
    const hidden = back === undefined ? 0 : dims.length - front.length - back.length;
    if (hidden < 0) throw new Unbounded(`its equation does not fit its input ${i + 1}`);
    ellipsis = broadcastDims([ellipsis, dims.slice(front.length, front.length + hidden)]);
    for (const [at, letter] of [...front].entries()) widen(letter, dims[at]);
    for (const [at, letter] of [...(back ?? '')].entries()) widen(letter, dims[front.length + hidden + at]);
  }
  function widen(letter: string, dim: Range | undefined): void {
    if (dim === undefined) throw new Unbounded('its equation does not fit its inputs');
    const known = sizes.get(letter);
    sizes.set(letter, known === undefined ? dim : broadcastDims([[known], [dim]])[0]!);
  }
  const once = [...sizes.keys()].filter((letter) => left.split(letter).length === 2).toSorted();
  const result = right ?? `...${once.join('')}`;
  const out = result
    .split('...')
    .flatMap((part, i) => [...(i > 0 ? ellipsis : []), ...[...part].map((letter) => sizes.get(letter) ?? exactly(0))]);
  const made = tensor(all[0]!.type, out);
  const whole = elementsOf([...sizes.values(), ...ellipsis]);
  // With three inputs or more, the runtime may keep a product of two with all of their dimensions.
  const scratch = all.reduce((sum, one) => sum + bytesOf(one), bytesOf(made));
  return effect(call, [made], whole * all.length, all.length > 2 ? Math.max(scratch, whole * 8) : 2 * scratch);
};

const det: Operator = (call) => {
  const x = input(call, 0);
  const dims = dimsOf(x);
  return effect(call, [tensor(x.type, dims.slice(0, -2))], x.count * (dims.at(-1)?.hi ?? 0), bytesOf(x));
};

function recurrent(gates: number): Operator {
  return (call) => {
    const x = input(call, 0);
    const isBatchFirst = call.attributes.int('layout', 0) === 1;
    const [a, b, inner] = dimsOf(x);
    const [directions = 1, ,] = exactDims(input(call, 1), 'weights');
    const hidden = exactDims(input(call, 2), 'weights')[2] ?? 0;
    if (!a || !b || !inner) throw new Unbounded('its input is no sequence');
    const [steps, batch] = isBatchFirst ? [b, a] : [a, b];
    const [d, h] = [exactly(directions), exactly(hidden)];
    const last = tensor(x.type, isBatchFirst ? [batch, d, h] : [d, batch, h]);
    const made = tensor(x.type, isBatchFirst ? [batch, steps, d, h] : [steps, d, batch, h]);
    const work = steps.hi * batch.hi * directions * gates * hidden * (inner.hi + hidden + ELEMENT_WORK);
    return effect(call, [made, last, last], work, 8 * gates * (made.count + last.count) + 2 * bytesOf(x));
  };
}

const attention: Operator = (call) => {
  const [q, k, v] = [input(call, 0), input(call, 1), input(call, 2)];
  const [qd, kd, vd] = [dimsOf(q), dimsOf(k), dimsOf(v)];
  const heads = call.attributes.int('q_num_heads', 1);
  const isFlat = qd.length === 3;
  const count = isFlat ? exactly(heads) : qd[1]!;
  const past = call.inputs[4]?.dims?.at(2) ?? exactly(0);
  const keys = combine(kd.at(-2) ?? exactly(0), past, (a, b) => a + b);
  const keyHeads = isFlat ? exactly(call.attributes.int('kv_num_heads', heads)) : kd[1]!;
  const width = isFlat ? asSize(increasing(vd[2]!, (all) => all / Math.max(1, keyHeads.hi))) : vd.at(-1)!;
  const scores = tensor(q.type, [qd[0]!, count, qd.at(-2)!, keys]);
  const made = tensor(
    q.type,
    isFlat ? [qd[0]!, qd[1]!, asSize(increasing(width, (one) => one * heads))] : [...qd.slice(0, 3), width],
  );
  const kept = (found: Tensor, side: Range): Tensor => tensor(found.type, [qd[0]!, keyHeads, keys, side]);
  const keyWidth = isFlat ? asSize(increasing(kd[2]!, (all) => all / Math.max(1, keyHeads.hi))) : kd.at(-1)!;
  const outputs = [made, kept(k, keyWidth), kept(v, width), scores];
  return effect(
    call,
    outputs,
    scores.count * (keyWidth.hi + width.hi + ELEMENT_WORK),
    4 * bytesOf(scores) + 2 * (bytesOf(q) + bytesOf(k) + bytesOf(v)),
  );
};

// Signals.

const windowFunction: Operator = (call) => {
  const made = tensor(typeAttribute(call, 'output_datatype', TYPE.float), [
    sizesOf(input(call, 0), 'size')[0] ?? exactly(0),
  ]);
  return effect(call, [made], 4 * ELEMENT_WORK * made.count);
};

const melWeights: Operator = (call) => {
  const [bins] = sizesOf(input(call, 0), 'bins');
  const [length] = sizesOf(input(call, 1), 'size');
  const made = tensor(typeAttribute(call, 'output_datatype', TYPE.float), [
    increasing(length!, (n) => Math.floor(n / 2) + 1),
    bins!,
  ]);
  return effect(call, [made], ELEMENT_WORK * made.count);
};

const dft: Operator = (call) => {
  const x = input(call, 0);
  const dims = [...dimsOf(x)];
  const given =
    call.inputs[2] === undefined ? exactly(call.attributes.int('axis', -2)) : valuesOf(call.inputs[2], 'axis')[0]!;
  const axis = axisOf(
    call.inputs[2] === undefined && !call.attributes.has('axis') ? Math.min(1, dims.length - 1) : given.lo,
    dims.length,
  );
  const length = call.inputs[1] === undefined ? dims[axis]! : sizesOf(call.inputs[1], 'length')[0]!;
  const isHalf = call.attributes.int('onesided', 0) === 1;
  // The default axis differs between operator sets, so every dimension may be the one that changes.
  const hi = Math.max(length.hi, isHalf ? 2 * length.hi : 0);
  const lo = isHalf ? Math.floor(length.lo / 2) + 1 : length.lo;
  const isDefault = call.inputs[2] === undefined && !call.attributes.has('axis');
  const out = dims.map((dim, i) => {
    if (i === dims.length - 1) return { lo: 1, hi: 2 };
    if (isDefault)
      return { lo: Math.min(dim.lo, lo), hi: i === axis || i === dims.length - 2 ? Math.max(dim.hi, hi) : dim.hi };
    return i === axis ? { lo, hi } : dim;
  });
  const made = tensor(x.type, out);
  return effect(call, [made], (made.count + x.count) * Math.max(1, length.hi), 32 * (made.count + 4 * length.hi));
};

const stft: Operator = (call) => {
  const signal = input(call, 0);
  const [batch, samples] = dimsOf(signal);
  const [step] = sizesOf(input(call, 1), 'step');
  const length = call.inputs[3] ? sizesOf(call.inputs[3], 'length')[0]! : (call.inputs[2]?.dims?.[0] ?? samples);
  if (!batch || !samples || !length || !step || step.lo < 1)
    throw new Unbounded('its step or length is not known', FIXED);
  const frames = { lo: 0, hi: Math.max(0, Math.floor((samples.hi - length.lo) / step.lo) + 1) };
  const bins = { lo: Math.floor(length.lo / 2) + 1, hi: Math.max(length.hi, 1) };
  const made = tensor(signal.type, [batch, frames, bins, exactly(2)]);
  return effect(call, [made], batch.hi * frames.hi * length.hi * length.hi, 32 * (length.hi * 4 + bins.hi));
};

/** Repeats an operator under several names. */
function sharing(names: string, operator: Operator): Record<string, Operator> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, operator]));
}

/** The type of an input, such as the zero point of a quantized result. */
function typeOf(index: number): (call: Call) => number {
  return (call) => call.inputs[index]?.type ?? TYPE.uint8;
}

/** The quantized forms of an operator with two inputs, each followed by scale and zero point. */
const quantizedPair: Operator = (call) => {
  const made = broadcast(input(call, 0).type, input(call, 0), input(call, 3));
  return effect(call, [made], ELEMENT_WORK * made.count);
};

const STANDARD: Readonly<Record<string, Operator>> = {
  ...sharing(
    `Acos Acosh Asin Asinh Atan Atanh BitwiseNot Celu Cos Cosh CumProd CumSum Elu Erf Exp Gelu Hardmax HardSigmoid HardSwish
    LeakyRelu Log LogSoftmax LpNormalization MeanVarianceNormalization Mish Reciprocal ReverseSequence RotaryEmbedding Selu Shrink
    Sigmoid Sign Sin Sinh Softmax Softplus Softsign Swish Tan Tanh ThresholdedRelu Trilu Clip`,
    same,
  ),
  Identity: (call) => effect(call, [input(call, 0)], input(call, 0).count),
  Abs: unary((x) => (x.lo >= 0 ? x : { lo: x.hi < 0 ? -x.hi : 0, hi: Math.max(-x.lo, x.hi) })),
  Ceil: unary((x) => increasing(x, Math.ceil)),
  Floor: unary((x) => increasing(x, Math.floor)),
  Neg: unary(({ lo, hi }) => ({ lo: -hi, hi: -lo })),
  Not: unary(({ lo, hi }) => ({ lo: 1 - hi, hi: 1 - lo })),
  Relu: unary((x) => increasing(x, (value) => Math.max(0, value))),
  // Halves are rounded to even: to one of these.
  Round: unary(({ lo, hi }) => ({ lo: Math.ceil(lo - 0.5), hi: Math.floor(hi + 0.5) })),
  Sqrt: unary((x) => (x.lo < 0 ? UNKNOWN : increasing(x, Math.sqrt))),
  Add: elementwise(undefined, (_, a, b) => combine(a!, b!, (x, y) => x + y)),
  Sub: elementwise(undefined, (_, a, b) => combine(a!, b!, (x, y) => x - y)),
  Mul: elementwise(undefined, (_, a, b) => combine(a!, b!, (x, y) => x * y)),
  Div: elementwise(undefined, (type, a, b) => quotient(type, a!, b!)),
  Mod: elementwise(undefined, (type, a, b) => remainder(type, a!, b!)),
  Min: elementwise(undefined, extreme(Math.min)),
  Max: elementwise(undefined, extreme(Math.max)),
  ...sharing('Pow PRelu Sum Mean BitShift BitwiseAnd BitwiseOr BitwiseXor', elementwise(undefined)),
  And: logic(Math.min),
  Or: logic(Math.max),
  Xor: elementwise(TYPE.bool),
  Equal: compare((a, b) => (isExact(a) && isExact(b) ? a.lo === b.lo : a.hi < b.lo || b.hi < a.lo ? false : undefined)),
  Greater: compare((a, b) => (a.lo > b.hi ? true : a.hi <= b.lo ? false : undefined)),
  GreaterOrEqual: compare((a, b) => (a.lo >= b.hi ? true : a.hi < b.lo ? false : undefined)),
  Less: compare((a, b) => (a.hi < b.lo ? true : a.lo >= b.hi ? false : undefined)),
  LessOrEqual: compare((a, b) => (a.hi <= b.lo ? true : a.lo > b.hi ? false : undefined)),
  ...sharing('IsInf IsNaN', (call) => effect(call, [like(input(call, 0), TYPE.bool)], input(call, 0).count)),
  Where: where,
  Cast: (call) =>
    effect(call, [converted(input(call, 0), typeAttribute(call, 'to', TYPE.float))], input(call, 0).count),
  CastLike: (call) => effect(call, [converted(input(call, 0), input(call, 1).type)], input(call, 0).count),
  QuantizeLinear: quantize,
  DequantizeLinear: (call) =>
    effect(call, [like(input(call, 0), input(call, 1).type)], ELEMENT_WORK * input(call, 0).count),
  DynamicQuantizeLinear: (call) =>
    effect(
      call,
      [like(input(call, 0), TYPE.uint8), tensor(TYPE.float, []), tensor(TYPE.uint8, [])],
      ELEMENT_WORK * input(call, 0).count,
    ),
  Dropout: dropout,
  ...sharing(
    'BatchNormalization GroupNormalization InstanceNormalization LayerNormalization RMSNormalization',
    normalize,
  ),
  LRN: localNormalize,
  ...sharing('ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMean ReduceSumSquare', reduce()),
  ReduceSum: reduce((values) => values.reduce((a, b) => combine(a, b, (x, y) => x + y), exactly(0))),
  ReduceProd: reduce((values) => values.reduce((a, b) => combine(a, b, (x, y) => x * y), exactly(1))),
  ReduceMax: reduce((values) => extreme(Math.max)(0, ...values)),
  ReduceMin: reduce((values) => extreme(Math.min)(0, ...values)),
  ...sharing('ArgMax ArgMin', arg),
  TopK: topK,
  NonZero: nonZero,
  Unique: unique,
  Compress: compress,
  Gather: gather,
  GatherElements: gatherElements,
  GatherND: gatherNd,
  ...sharing('Scatter ScatterElements ScatterND', scatter),
  NonMaxSuppression: nonMaxSuppression,
  OneHot: oneHot,
  Shape: shape,
  Size: countElements,
  Reshape: reshape,
  Flatten: flatten,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Transpose: transpose,
  Concat: concat,
  Split: split,
  Slice: slice,
  Expand: expand,
  Tile: tile,
  Pad: pad,
  CenterCropPad: centerCropPad,
  Resize: resizeWith(({ inputs }) =>
    inputs.length === 2 ? { scales: inputs[1], sizes: undefined } : { scales: inputs[2], sizes: inputs[3] },
  ),
  Upsample: resizeWith(({ inputs, attributes }) => {
    const scales = attributes.floats('scales');
    return { scales: scales ? list(TYPE.float, scales.map(exactly)) : inputs[1], sizes: undefined };
  }),
  DepthToSpace: blocks(false),
  SpaceToDepth: blocks(true),
  ConstantOfShape: constantOfShape,
  Range: range,
  EyeLike: eyeLike,
  Col2Im: col2im,
  Conv: convolve(),
  ConvInteger: convolve({ type: TYPE.int32 }),
  QLinearConv: convolve({ weights: 3, type: typeOf(7) }),
  ConvTranspose: convTranspose,
  DeformConv: deformConv,
  ...sharing('MaxPool AveragePool LpPool', pool()),
  ...sharing('GlobalAveragePool GlobalMaxPool GlobalLpPool', globalPool),
  MaxUnpool: maxUnpool,
  MaxRoiPool: maxRoiPool,
  RoiAlign: roiAlign,
  GridSample: gridSample,
  AffineGrid: affineGrid,
  MatMul: matMul(1),
  MatMulInteger: matMul(1, () => TYPE.int32),
  QLinearMatMul: matMul(3, typeOf(7)),
  Gemm: matMul(1),
  Einsum: einsum,
  Det: det,
  LSTM: recurrent(4),
  GRU: recurrent(3),
  RNN: recurrent(1),
  Attention: attention,
  ...sharing('HannWindow HammingWindow BlackmanWindow', windowFunction),
  MelWeightMatrix: melWeights,
  DFT: dft,
  STFT: stft,
};

/** Operators of ONNX Runtime that its tools for optimization and quantization write. */
const MICROSOFT: Readonly<Record<string, Operator>> = {
  ...sharing('Gelu FastGelu QuickGelu QLinearSigmoid QLinearLeakyRelu QLinearSoftmax', same),
  BiasGelu: elementwise(undefined),
  ...sharing(
    'LayerNormalization SimplifiedLayerNormalization SkipLayerNormalization SkipSimplifiedLayerNormalization',
    normalize,
  ),
  QuantizeLinear: quantize,
  DequantizeLinear: STANDARD['DequantizeLinear']!,
  FusedConv: convolve(),
  FusedMatMul: matMul(1),
  FusedGemm: matMul(1),
  ...sharing('QLinearAdd QLinearMul', quantizedPair),
  QLinearGlobalAveragePool: globalPool,
  QLinearConcat: (call) => {
    const parts = call.inputs.filter((_, i) => i >= 2 && i % 3 === 2).map((one) => one!);
    const made = joined(input(call, 2).type, parts, call.attributes.int('axis', 1));
    return effect(call, [made], ELEMENT_WORK * made.count);
  },
  DynamicQuantizeMatMul: matMul(1),
  MatMulIntegerToFloat: matMul(1, () => TYPE.float),
  MatMulNBits: matMulBits,
};

const MICROSOFT_DOMAIN = 'com.microsoft';

/** Operators that draw random numbers. */
const RANDOM = new Set(
  'Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike'.split(' '),
);

/** Names of the default domain. */
export const STANDARD_DOMAINS: ReadonlySet<string> = new Set(['', 'ai.onnx']);

/**
 * Finds an operator that models from strangers may use.
 *
 * @throws Unbounded for one that they may not.
 */
export function findOperator(domain: string, name: string): Operator {
  const table = STANDARD_DOMAINS.has(domain) ? STANDARD : domain === MICROSOFT_DOMAIN ? MICROSOFT : {};
  if (Object.hasOwn(table, name)) return table[name]!;
  const full = STANDARD_DOMAINS.has(domain) ? name : `${domain}.${name}`;
  if (STANDARD_DOMAINS.has(domain) && RANDOM.has(name))
    throw new Unbounded(
      `the operator ${full} is random, and the same recording must give the same log`,
      'Export the model for inference: model.eval().',
    );
  throw new Unbounded(
    `the operator ${full} is not supported`,
    'Export the model with the operators that docs/reference/profile.md lists, to which most others can be converted.',
  );
}

/** The supported operators: those of ONNX, and those of ONNX Runtime. */
export function operatorNames(): readonly string[] {
  const control = ['Constant', 'If', 'Loop', 'Scan'];
  return [
    ...[...Object.keys(STANDARD), ...control].toSorted(),
    ...Object.keys(MICROSOFT)
      .toSorted()
      .map((name) => `${MICROSOFT_DOMAIN}.${name}`),
  ];
}
