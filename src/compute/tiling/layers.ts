import {
  type Initializer,
  intAttribute,
  intsAttribute,
  type Model,
  type Node,
  readValues,
  stringAttribute,
} from './model.ts';

/** The direction along which images are cut. */
export type Axis = 'rows' | 'columns';

/** Rows (or columns) `from` to `to`, exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** How a layer moves over its input along one axis. */
export interface Window {
  /** Effective kernel: dilation · (kernel − 1) + 1. */
  readonly kernel: number;
  readonly stride: number;
  readonly padBefore: number;
  readonly padAfter: number;
  /** Outputs per input. Over 1 the layer upsamples: its stride is 1 and its kernel that of a transposed convolution. */
  readonly upsample: number;
}

/** Windows of a layer along both axes. */
export type Windows = Readonly<Record<Axis, Window>>;

/** The window of a layer that works on each position independently. */
export const POINTWISE: Window = { kernel: 1, stride: 1, padBefore: 0, padAfter: 0, upsample: 1 };
/** A range without positions. */
export const EMPTY_RANGE: Range = { from: 0, to: 0 };

/** Returns the number of positions of a range. */
export function rangeLength({ from, to }: Range): number {
  return Math.max(0, to - from);
}

/** Returns the output size for an input of `size`. */
export function outputSize({ kernel, stride, padBefore, padAfter, upsample }: Window, size: number): number {
  if (upsample > 1) return (size - 1) * upsample + kernel - padBefore - padAfter;
  return Math.floor((size + padBefore + padAfter - kernel) / stride) + 1;
}

/** Returns the first input that output `out` depends on; negative inside the padding. */
export function firstInput({ kernel, stride, padBefore, upsample }: Window, out: number): number {
  return upsample > 1 ? Math.ceil((out + padBefore - kernel + 1) / upsample) : out * stride - padBefore;
}

/** Returns the end (exclusive) of the inputs that output `out` depends on; beyond the input inside the padding. */
function endInput({ kernel, stride, padBefore, upsample }: Window, out: number): number {
  return upsample > 1 ? Math.floor((out + padBefore) / upsample) + 1 : out * stride - padBefore + kernel;
}

/** Returns the inputs that the outputs `out` depend on, and the padding that they see before and after the input. */
export function inputRange(
  window: Window,
  out: Range,
  size: number,
): Range & { readonly padBefore: number; readonly padAfter: number } {
  const clamp = (at: number) => Math.min(Math.max(at, 0), size);
  const first = firstInput(window, out.from);
  if (out.to <= out.from) return { from: clamp(first), to: clamp(first), padBefore: 0, padAfter: 0 };
  const end = endInput(window, out.to - 1);
  return { from: clamp(first), to: clamp(end), padBefore: Math.max(0, -first), padAfter: Math.max(0, end - size) };
}

/** Returns how many inputs, padding included, `outputs` outputs take; a multiple of `upsample` of them. */
export function inputLength(window: Window, outputs: number): number {
  return endInput(window, outputs - 1) - firstInput(window, 0);
}

/** Returns how many outputs can be computed from the first `available` of `size` inputs. */
export function computableOutputs(window: Window, available: number, size: number): number {
  const total = outputSize(window, size);
  if (available >= size) return total;
  const { kernel, stride, padBefore, upsample } = window;
  const complete =
    upsample > 1 ? available * upsample - padBefore : Math.floor((available + padBefore - kernel) / stride) + 1;
  return Math.min(total, Math.max(0, complete));
}

/**
 * Returns the outputs at both ends of an upsampled part that also depend on inputs outside the part. They must be cut off.
 */
export function incompleteOutputs({ kernel, padBefore, upsample }: Window): { before: number; after: number } {
  if (upsample === 1) return { before: 0, after: 0 };
  return {
    before: padBefore - upsample * Math.ceil((padBefore - kernel + 1) / upsample),
    after: upsample * Math.floor((padBefore - 1) / upsample) - padBefore + kernel,
  };
}

/** Returns tile `tile` of `count` even tiles of `size` positions. */
export function tileRange(size: number, tile: number, count: number): Range {
  return { from: Math.round((tile * size) / count), to: Math.round(((tile + 1) * size) / count) };
}

/** The size of a feature map of one image: `channels` planes of `height` rows of `width` floats. */
export interface Shape {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** Returns the length of a feature map along the axis. */
export function sizeAlong({ height, width }: Shape, axis: Axis): number {
  return axis === 'rows' ? height : width;
}

/** Returns the floats of one row (column) of a feature map, all channels. */
export function rowSize({ channels, height, width }: Shape, axis: Axis): number {
  return channels * (axis === 'rows' ? width : height);
}

/** A node that can be computed on a part of the rows or columns. */
export interface Layer {
  readonly node: Node;
  /** Feature maps read, in order, each once. */
  readonly inputs: readonly string[];
  readonly output: string;
  readonly shape: Shape;
  readonly windows: Windows;
  readonly padValue: number;
  /** Multiply-adds per output element. */
  readonly work: number;
  /** Names of the constants used. */
  readonly constants: readonly string[];
  /** Whether an attribute of the node holds its padding. */
  readonly hasPads: boolean;
}

const UNARY = new Set(
  `Relu LeakyRelu Sigmoid Tanh HardSwish HardSigmoid Clip Elu Selu Celu Softplus Softsign ThresholdedRelu Gelu Mish Erf Exp
  Log Sqrt Abs Neg Reciprocal Floor Ceil Round Sign Identity BatchNormalization PRelu LRN Sin Cos`.split(/\s+/),
);
const BINARY = new Set(['Add', 'Sub', 'Mul', 'Div', 'Pow', 'Min', 'Max', 'Sum', 'Mean']);

/**
 * Describes a node as a layer that can be computed in parts. Returns undefined where the output depends on the whole image
 * or the node is not supported.
 *
 * @param shapes Feature maps known so far.
 */
export function describeLayer(node: Node, shapes: ReadonlyMap<string, Shape>, model: Model): Layer | undefined {
  if (node.domain !== '' && node.domain !== 'ai.onnx') return undefined;
  const present = node.inputs.filter((name) => name !== '');
  const inputs = [...new Set(present.filter((name) => shapes.has(name)))];
  const constants = present.filter((name) => model.initializers.has(name));
  if (inputs.length === 0 || present.some((name) => !shapes.has(name) && !model.initializers.has(name)))
    return undefined;
  if (node.outputs.filter((name) => name !== '').length !== 1) return undefined;
  const inputShapes = inputs.map((name) => shapes.get(name)!);
  const found = describeOperator(node, inputShapes, model);
  if (!found) return undefined;
  const { channels, ...layer } = found;
  const [{ height, width }] = inputShapes as [Shape];
  const { rows, columns } = layer.windows;
  const shape = { channels, height: outputSize(rows, height), width: outputSize(columns, width) };
  if (shape.height < 1 || shape.width < 1) return undefined;
  return { node, inputs, output: node.outputs[0]!, shape, constants, ...layer };
}

type Operator = Pick<Layer, 'windows' | 'padValue' | 'work' | 'hasPads'> & { readonly channels: number };

const pointwise = (channels: number, work: number): Operator => ({
  windows: { rows: POINTWISE, columns: POINTWISE },
  padValue: 0,
  hasPads: false,
  channels,
  work,
});

function describeOperator(node: Node, shapes: readonly Shape[], model: Model): Operator | undefined {
  const first = shapes[0]!;
  switch (node.op) {
    case 'Conv':
      return convolution(node, first, model);
    case 'ConvTranspose':
      return transposedConvolution(node, model);
    case 'MaxPool':
    case 'AveragePool':
      return pooling(node, first);
    case 'Resize':
    case 'Upsample':
      return nearestUpsampling(node, first, model);
    case 'Concat': {
      const isStacking = intAttribute(node, 'axis', 1) === 1 && haveSameSize(shapes);
      if (!isStacking || node.inputs.some((name) => model.initializers.has(name))) return undefined;
      // A Concat may read one map twice.
      const names = [...new Set(node.inputs)];
      return pointwise(
        node.inputs.reduce((sum, name) => sum + shapes[names.indexOf(name)]!.channels, 0),
        0,
      );
    }
    case 'Softmax':
    case 'LogSoftmax':
      return intAttribute(node, 'axis', -1) === 1 ? pointwise(first.channels, 1) : undefined;
    default: {
      if (!UNARY.has(node.op) && !BINARY.has(node.op)) return undefined;
      if (!haveSameSize(shapes) || !node.inputs.every((name) => isUniform(model.initializers.get(name), node.op)))
        return undefined;
      return pointwise(Math.max(...shapes.map(({ channels }) => channels)), 1);
    }
  }
}

function haveSameSize(shapes: readonly Shape[]): boolean {
  return shapes.every(({ height, width }) => height === shapes[0]!.height && width === shapes[0]!.width);
}

/** Whether a constant operand is the same for all rows and columns. */
function isUniform(constant: Initializer | undefined, op: string): boolean {
  if (!constant || op === 'BatchNormalization' || op === 'Clip') return true;
  const { dims } = constant;
  return (dims.at(-1) ?? 1) === 1 && (dims.at(-2) ?? 1) === 1;
}

function convolution(node: Node, input: Shape, model: Model): Operator | undefined {
  const weights = model.initializers.get(node.inputs[1]!);
  if (weights?.dims.length !== 4) return undefined;
  const [channels, channelsPerGroup, high, wide] = weights.dims as [number, number, number, number];
  const windows = slidingWindows(node, [high, wide], input);
  return windows && { windows, channels, padValue: 0, hasPads: true, work: channelsPerGroup * high * wide };
}

function pooling(node: Node, input: Shape): Operator | undefined {
  const kernel = intsAttribute(node, 'kernel_shape');
  if (kernel?.length !== 2 || intAttribute(node, 'ceil_mode', 0) !== 0) return undefined;
  const [high, wide] = kernel as [number, number];
  const windows = slidingWindows(node, [high, wide], input);
  if (!windows) return undefined;
  const isMax = node.op === 'MaxPool';
  const isPadded = Object.values(windows).some(({ padBefore, padAfter }) => padBefore + padAfter > 0);
  // An average that does not count padding differs at the edges from one over a padded window.
  if (!isMax && isPadded && intAttribute(node, 'count_include_pad', 0) === 0) return undefined;
  const padValue = isMax ? Number.NEGATIVE_INFINITY : 0;
  return { windows, channels: input.channels, padValue, hasPads: true, work: high * wide };
}

/** Transposed convolutions whose output is a whole multiple of their input. */
function transposedConvolution(node: Node, model: Model): Operator | undefined {
  const weights = model.initializers.get(node.inputs[1]!);
  if (weights?.dims.length !== 4 || node.attributes.has('output_shape')) return undefined;
  const [inputs, channelsPerGroup, high, wide] = weights.dims as [number, number, number, number];
  const strides = intsAttribute(node, 'strides') ?? [1, 1];
  const dilations = intsAttribute(node, 'dilations') ?? [1, 1];
  const outputPadding = intsAttribute(node, 'output_padding') ?? [0, 0];
  const pads = intsAttribute(node, 'pads') ?? [0, 0, 0, 0];
  if (stringAttribute(node, 'auto_pad', 'NOTSET') !== 'NOTSET' || dilations.some((by) => by !== 1)) return undefined;
  const along = (d: 0 | 1, kernel: number): Window | undefined => {
    const upsample = strides[d]!;
    const padBefore = pads[d]!;
    const padAfter = kernel - upsample - padBefore;
    if (upsample === 1 || padBefore < 0 || padAfter < 0 || pads[d + 2]! - outputPadding[d]! !== padAfter)
      return undefined;
    return { kernel, stride: 1, padBefore, padAfter, upsample };
  };
  const rows = along(0, high);
  const columns = along(1, wide);
  if (!rows || !columns) return undefined;
  const group = intAttribute(node, 'group', 1);
  const work = ((inputs / group) * high * wide) / (rows.upsample * columns.upsample);
  return { windows: { rows, columns }, channels: channelsPerGroup * group, padValue: 0, hasPads: true, work };
}

/** Nearest-neighbour upsampling by whole factors. Other interpolations read across the edge of a part. */
function nearestUpsampling(node: Node, input: Shape, model: Model): Operator | undefined {
  const isUpsample = node.op === 'Upsample';
  const coordinates = stringAttribute(node, 'coordinate_transformation_mode', 'half_pixel');
  const rounding = stringAttribute(node, 'nearest_mode', 'round_prefer_floor');
  // For whole factors these combinations select the same pixels.
  const isFloor = coordinates === 'asymmetric' && rounding === 'floor';
  const isHalfPixel = ['half_pixel', 'pytorch_half_pixel'].includes(coordinates) && rounding.startsWith('round');
  if (stringAttribute(node, 'mode', 'nearest') !== 'nearest' || !(isUpsample || isFloor || isHalfPixel))
    return undefined;
  // Only scales: target sizes are those of the whole image.
  const constant = model.initializers.get(node.inputs[isUpsample ? 1 : 2] ?? '');
  if (constant?.dims[0] !== 4) return undefined;
  const [batch, channels, high, wide] = readValues(constant) as [number, number, number, number];
  if (batch !== 1 || channels !== 1 || ![high, wide].every((by) => Number.isInteger(by) && by >= 1)) return undefined;
  return { ...pointwise(input.channels, 0), windows: { rows: repeating(high), columns: repeating(wide) } };
}

function repeating(upsample: number): Window {
  return { ...POINTWISE, kernel: upsample, upsample };
}

/** Windows of a convolution or pooling layer with explicit or automatic padding. */
function slidingWindows(node: Node, kernel: readonly [number, number], input: Shape): Windows | undefined {
  const strides = intsAttribute(node, 'strides') ?? [1, 1];
  const dilations = intsAttribute(node, 'dilations') ?? [1, 1];
  const autoPad = stringAttribute(node, 'auto_pad', 'NOTSET');
  const pads = intsAttribute(node, 'pads') ?? [0, 0, 0, 0];
  if (!['NOTSET', 'VALID', 'SAME_UPPER', 'SAME_LOWER'].includes(autoPad)) return undefined;
  const along = (d: 0 | 1, size: number): Window => {
    const common = { kernel: (kernel[d] - 1) * dilations[d]! + 1, stride: strides[d]!, upsample: 1 };
    if (autoPad === 'VALID') return { ...common, padBefore: 0, padAfter: 0 };
    if (autoPad === 'NOTSET') return { ...common, padBefore: pads[d]!, padAfter: pads[d + 2]! };
    const { kernel: effective, stride } = common;
    const total = Math.max(0, (Math.ceil(size / stride) - 1) * stride + effective - size);
    const less = Math.floor(total / 2);
    const padBefore = autoPad === 'SAME_UPPER' ? less : total - less;
    return { ...common, padBefore, padAfter: total - padBefore };
  };
  return { rows: along(0, input.height), columns: along(1, input.width) };
}
