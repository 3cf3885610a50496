import {
  type Initializer,
  integerOfNode,
  integersOfNode,
  type Model,
  type Node,
  numbersOf,
  textOfNode,
} from './onnx.ts';
import { type AxisWindow, outputSize, POINT } from './window.ts';

/** A feature map of one picture: `channels` planes of `height` rows of `width` floats. */
export interface Shape {
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** An operator that can be executed on a part of the rows or columns. */
export interface Operator {
  readonly node: Node;
  /** Feature maps that it reads, in order, each once. */
  readonly inputs: readonly string[];
  readonly output: string;
  readonly shape: Shape;
  readonly rows: AxisWindow;
  readonly columns: AxisWindow;
  /** What padding holds. */
  readonly padValue: number;
  /** Multiply-adds per element of output. */
  readonly work: number;
  /** Constants that it uses. */
  readonly constants: readonly string[];
  /** Attribute of the node that holds its padding along both axes, if it has one. */
  readonly padded: boolean;
}

const UNARY = new Set(
  `Relu LeakyRelu Sigmoid Tanh HardSwish HardSigmoid Clip Elu Selu Celu Softplus Softsign ThresholdedRelu Gelu Mish Erf Exp
  Log Sqrt Abs Neg Reciprocal Floor Ceil Round Sign Identity BatchNormalization PRelu LRN Sin Cos`.split(/\s+/),
);
const BINARY = new Set(['Add', 'Sub', 'Mul', 'Div', 'Pow', 'Min', 'Max', 'Sum', 'Mean']);

/**
 * The operator of a node, if it can be executed in parts given the shapes of the feature maps known so far; undefined
 * where its output depends on the whole picture, or where it is not understood.
 */
export function operatorOf(node: Node, shapes: ReadonlyMap<string, Shape>, model: Model): Operator | undefined {
  if (node.domain !== '' && node.domain !== 'ai.onnx') return undefined;
  const present = node.inputs.filter((name) => name !== '');
  const inputs = [...new Set(present.filter((name) => shapes.has(name)))];
  const constants = present.filter((name) => model.initializers.has(name));
  if (inputs.length === 0 || present.some((name) => !shapes.has(name) && !model.initializers.has(name)))
    return undefined;
  if (node.outputs.filter((name) => name !== '').length !== 1) return undefined;
  const facts = factsOf(
    node,
    inputs.map((name) => shapes.get(name)!),
    model,
  );
  if (!facts) return undefined;
  const { height, width } = shapes.get(inputs[0]!)!;
  const shape = {
    channels: facts.channels,
    height: outputSize(facts.rows, height),
    width: outputSize(facts.columns, width),
  };
  if (shape.height < 1 || shape.width < 1) return undefined;
  return { node, inputs, output: node.outputs[0]!, shape, constants, ...facts };
}

type Facts = Pick<Operator, 'rows' | 'columns' | 'padValue' | 'work' | 'padded'> & { readonly channels: number };

function factsOf(node: Node, shapes: readonly Shape[], model: Model): Facts | undefined {
  const first = shapes[0]!;
  const point = { rows: POINT, columns: POINT, padValue: 0, padded: false };
  switch (node.op) {
    case 'Conv':
      return convolution(node, first, model);
    case 'ConvTranspose':
      return transposed(node, model);
    case 'MaxPool':
    case 'AveragePool':
      return pooling(node, first);
    case 'Resize':
    case 'Upsample':
      return enlargement(node, first, model);
    case 'Concat':
      if (
        integerOfNode(node, 'axis', 1) !== 1 ||
        !alike(shapes) ||
        node.inputs.some((name) => model.initializers.has(name))
      )
        return undefined;
      return { ...point, channels: channelsOfConcat(node, shapes), work: 0 };
    case 'Softmax':
    case 'LogSoftmax':
      return integerOfNode(node, 'axis', -1) === 1 ? { ...point, channels: first.channels, work: 1 } : undefined;
    default:
      if (!UNARY.has(node.op) && !BINARY.has(node.op)) return undefined;
      if (!alike(shapes) || !node.inputs.every((name) => flat(model.initializers.get(name), node.op))) return undefined;
      return { ...point, channels: Math.max(...shapes.map(({ channels }) => channels)), work: 1 };
  }
}

/** Maps of one size, as many channels each or one (elementwise), that can be cut at the same place. */
function alike(shapes: readonly Shape[]): boolean {
  return shapes.every(({ height, width }) => height === shapes[0]!.height && width === shapes[0]!.width);
}

/** A Concat may read the same map twice, so its inputs are counted from the node. */
function channelsOfConcat(node: Node, shapes: readonly Shape[]): number {
  const names = [...new Set(node.inputs)];
  return node.inputs.reduce((sum, name) => sum + shapes[names.indexOf(name)]!.channels, 0);
}

/** A constant that does not change along the picture's rows and columns. */
function flat(constant: Initializer | undefined, op: string): boolean {
  if (!constant || op === 'BatchNormalization' || op === 'Clip') return true;
  const { dims } = constant;
  return (dims.at(-1) ?? 1) === 1 && (dims.at(-2) ?? 1) === 1;
}

function convolution(node: Node, input: Shape, model: Model): Facts | undefined {
  const weights = model.initializers.get(node.inputs[1]!);
  if (!weights || weights.dims.length !== 4) return undefined;
  const [channels, perGroup, high, wide] = weights.dims as [number, number, number, number];
  const both = windowsOf(node, [high, wide], input);
  return both && { ...both, channels, padValue: 0, padded: true, work: perGroup * high * wide };
}

function pooling(node: Node, input: Shape): Facts | undefined {
  const kernel = integersOfNode(node, 'kernel_shape');
  if (!kernel || kernel.length !== 2 || integerOfNode(node, 'ceil_mode', 0) !== 0) return undefined;
  const both = windowsOf(node, [kernel[0]!, kernel[1]!], input);
  if (!both) return undefined;
  const max = node.op === 'MaxPool';
  const pads = [both.rows.before, both.rows.after, both.columns.before, both.columns.after];
  // An average that leaves padding out of its count cannot be had from a padded window.
  if (!max && pads.some((pad) => pad > 0) && integerOfNode(node, 'count_include_pad', 0) === 0) return undefined;
  const padValue = max ? Number.NEGATIVE_INFINITY : 0;
  return { ...both, channels: input.channels, padValue, padded: true, work: kernel[0]! * kernel[1]! };
}

function transposed(node: Node, model: Model): Facts | undefined {
  const weights = model.initializers.get(node.inputs[1]!);
  if (!weights || weights.dims.length !== 4 || node.attributes.has('output_shape')) return undefined;
  const [, perGroup, high, wide] = weights.dims as [number, number, number, number];
  const strides = integersOfNode(node, 'strides') ?? [1, 1];
  const dilations = integersOfNode(node, 'dilations') ?? [1, 1];
  const extra = integersOfNode(node, 'output_padding') ?? [0, 0];
  const pads = integersOfNode(node, 'pads') ?? [0, 0, 0, 0];
  if (textOfNode(node, 'auto_pad', 'NOTSET') !== 'NOTSET' || [...dilations].some((by) => by !== 1)) return undefined;
  // Only where the output is a whole multiple of the input.
  const along = (d: 0 | 1, kernel: number): AxisWindow | undefined => {
    const up = strides[d]!;
    const before = pads[d]!;
    const after = kernel - up - before;
    if (up === 1 || before < 0 || after < 0 || pads[d + 2]! - extra[d]! !== after) return undefined;
    return { kernel, stride: 1, before, after, up };
  };
  const rows = along(0, high);
  const columns = along(1, wide);
  if (!rows || !columns) return undefined;
  const group = integerOfNode(node, 'group', 1);
  const inputs = weights.dims[0]! / group;
  const work = (inputs * high * wide) / (rows.up * columns.up);
  return { rows, columns, channels: perGroup * group, padValue: 0, padded: true, work };
}

function enlarging(up: number): AxisWindow {
  return up === 1 ? POINT : { kernel: up, stride: 1, before: 0, after: 0, up };
}

/** Nearest-neighbour enlargement by whole numbers, each output taken from the input at its index divided by the factor. */
function enlargement(node: Node, input: Shape, model: Model): Facts | undefined {
  const nearest = textOfNode(node, 'mode', 'nearest') === 'nearest';
  const coordinates = textOfNode(node, 'coordinate_transformation_mode', 'half_pixel');
  const rounding = textOfNode(node, 'nearest_mode', 'round_prefer_floor');
  // For whole factors all of these name the same pixels.
  const floor = coordinates === 'asymmetric' && (rounding === 'floor' || node.op === 'Upsample');
  const middle =
    ['half_pixel', 'pytorch_half_pixel'].includes(coordinates) && rounding !== 'ceil' && rounding !== 'floor';
  if (!nearest || !(floor || middle || node.op === 'Upsample')) return undefined;
  const scales = model.initializers.get(node.inputs[node.op === 'Upsample' ? 1 : 2] ?? '');
  const sizes = model.initializers.get(node.inputs[3] ?? '');
  const wanted = scales?.dims[0] === 4 ? numbersOf(scales) : undefined;
  const target = sizes?.dims[0] === 4 ? numbersOf(sizes) : undefined;
  const up = wanted?.slice(2) ?? (target && [target[2]! / input.height, target[3]! / input.width]);
  // Sizes are those of the whole picture; a part needs factors.
  if (!up || !wanted || wanted[0] !== 1 || wanted[1] !== 1 || !up.every((by) => Number.isInteger(by) && by >= 1))
    return undefined;
  return {
    rows: enlarging(up[0]!),
    columns: enlarging(up[1]!),
    channels: input.channels,
    padValue: 0,
    padded: false,
    work: 0,
  };
}

function windowsOf(
  node: Node,
  kernel: readonly [number, number],
  input: Shape,
): Pick<Facts, 'rows' | 'columns'> | undefined {
  const strides = integersOfNode(node, 'strides') ?? [1, 1];
  const dilations = integersOfNode(node, 'dilations') ?? [1, 1];
  const automatic = textOfNode(node, 'auto_pad', 'NOTSET');
  const pads = integersOfNode(node, 'pads') ?? [0, 0, 0, 0];
  const along = (d: 0 | 1, size: number): AxisWindow | undefined => {
    const effective = (kernel[d] - 1) * dilations[d]! + 1;
    const stride = strides[d]!;
    if (automatic === 'VALID' || automatic === 'NOTSET') {
      const given = automatic === 'NOTSET';
      return { kernel: effective, stride, before: given ? pads[d]! : 0, after: given ? pads[d + 2]! : 0, up: 1 };
    }
    if (automatic !== 'SAME_UPPER' && automatic !== 'SAME_LOWER') return undefined;
    const total = Math.max(0, (Math.ceil(size / stride) - 1) * stride + effective - size);
    const less = Math.floor(total / 2);
    const before = automatic === 'SAME_UPPER' ? less : total - less;
    return { kernel: effective, stride, before, after: total - before, up: 1 };
  };
  const rows = along(0, input.height);
  const columns = along(1, input.width);
  return rows && columns ? { rows, columns } : undefined;
}
