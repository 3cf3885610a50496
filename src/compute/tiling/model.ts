import { messageOf, PlaybyplayError } from '../../errors.ts';
import {
  type AttributeProto,
  decodeModel,
  encodeModel,
  type ModelProto,
  type NodeProto,
  type TensorProto,
  toNumber,
  type ValueInfoProto,
} from '../onnx/proto.ts';

/** ONNX element types used here (`TensorProto.DataType`). */
export const FLOAT = 1;
/** ONNX element type `int64`. */
export const INT64 = 7;

/** A node attribute. Types that tiling never inspects are `other` and written back as they were read. */
export type Attribute =
  | { readonly kind: 'int' | 'float'; readonly value: number }
  | { readonly kind: 'ints' | 'floats'; readonly value: readonly number[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'tensor'; readonly value: TensorProto }
  | { readonly kind: 'other'; readonly value: AttributeProto };

/** One operator of a graph. */
export interface Node {
  readonly name: string;
  readonly op: string;
  readonly domain: string;
  /** Tensor names; an empty string is an optional input that is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, Attribute>;
}

/** A constant tensor of a graph. */
export interface Initializer {
  readonly name: string;
  readonly dims: readonly number[];
  /** ONNX element type. */
  readonly type: number;
  readonly proto: TensorProto;
}

/** An input or output of a graph. Open dimensions are symbolic names or undefined. */
export interface ValueInfo {
  readonly name: string;
  /** ONNX element type. */
  readonly type: number;
  readonly dims: readonly (number | string | undefined)[];
}

/** The parts of an ONNX model that are needed to inspect it, cut it and assemble new models from its nodes. */
export interface Model {
  readonly irVersion: number;
  /** Operator set versions by domain. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly nodes: readonly Node[];
  readonly initializers: ReadonlyMap<string, Initializer>;
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
  /** `metadata_props` of the file. */
  readonly metadata?: ReadonlyMap<string, string>;
}

/** `AttributeProto.AttributeType`. */
const ATTRIBUTE_TYPES = { float: 1, int: 2, string: 3, tensor: 4, floats: 6, ints: 7 } as const;
/** `TensorProto.DataLocation.EXTERNAL`. */
const EXTERNAL = 1;

/**
 * Reads an ONNX file. Constant nodes, and Identity nodes of constants, become initializers.
 *
 * @throws PlaybyplayError `model-unreadable` if the bytes are not an ONNX model, `model-external-data` if its weights are
 *   in other files.
 * @example
 * const model = readModel(await readFile('detector.onnx'));
 * console.log(model.inputs, model.nodes.length);
 */
export function readModel(bytes: Uint8Array): Model {
  try {
    return modelFromProto(decodeModel(bytes));
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    throw new PlaybyplayError('model-unreadable', `this is not an ONNX model: ${messageOf(error)}`, { cause: error });
  }
}

/** Encodes a model as an ONNX file. */
export function writeModel(model: Model): Uint8Array {
  const proto: ModelProto = {
    irVersion: model.irVersion,
    producerName: 'playbyplay',
    graph: {
      name: 'graph',
      node: model.nodes.map(nodeToProto),
      initializer: [...model.initializers.values()].map((initializer) => initializer.proto),
      input: model.inputs.map(valueToProto),
      output: model.outputs.map(valueToProto),
    },
    opsetImport: Array.from(model.opsets, ([domain, version]) => ({ domain, version })),
    metadataProps: Array.from(model.metadata ?? [], ([key, value]) => ({ key, value })),
  };
  return encodeModel(proto);
}

/** Returns the parts of a decoded model. Constant nodes, and Identity nodes of constants, become initializers. */
export function modelFromProto({ irVersion = 0, opsetImport, graph, metadataProps }: ModelProto): Model {
  if (!graph) throw new RangeError('it has no graph');
  const initializers = new Map<string, Initializer>();
  const addConstant = (proto: TensorProto, name = proto.name ?? '') => {
    initializers.set(name, initializerFromProto({ ...proto, name }));
  };
  for (const proto of graph.initializer) addConstant(proto);
  const nodes: Node[] = [];
  for (const proto of graph.node) {
    const node = nodeFromProto(proto);
    const value = node.op === 'Constant' ? node.attributes.get('value') : undefined;
    // Exporters write a constant that several layers share as Identity.
    const shared = node.op === 'Identity' ? initializers.get(node.inputs[0]!) : undefined;
    if (value?.kind === 'tensor') addConstant(value.value, node.outputs[0]);
    else if (shared) addConstant(shared.proto, node.outputs[0]);
    else nodes.push(node);
  }
  return {
    irVersion: toNumber(irVersion),
    opsets: new Map(opsetImport.map(({ domain = '', version = 0 }) => [domain, toNumber(version)])),
    nodes,
    initializers,
    inputs: graph.input.map(valueFromProto).filter(({ name }) => !initializers.has(name)),
    outputs: graph.output.map(valueFromProto),
    ...(metadataProps.length > 0 ? { metadata: new Map(metadataProps.map(({ key, value }) => [key, value])) } : {}),
  };
}

function initializerFromProto(proto: TensorProto): Initializer {
  if (proto.dataLocation === EXTERNAL) {
    throw new PlaybyplayError('model-external-data', 'this model keeps its weights in another file', {
      hint: 'Save it as one file.',
    });
  }
  return { name: proto.name ?? '', dims: (proto.dims ?? []).map(toNumber), type: proto.dataType ?? 0, proto };
}

function nodeFromProto({ input, output, name, opType, domain = '', attribute }: NodeProto): Node {
  const attributes = new Map(attribute.map((proto) => [proto.name, attributeFromProto(proto)]));
  return { inputs: input, outputs: output, name, op: opType, domain, attributes };
}

function attributeFromProto(proto: AttributeProto): Attribute {
  switch (proto.type) {
    case ATTRIBUTE_TYPES.float:
      return { kind: 'float', value: proto.f! };
    case ATTRIBUTE_TYPES.int:
      return { kind: 'int', value: toNumber(proto.i!) };
    case ATTRIBUTE_TYPES.string:
      return { kind: 'string', value: new TextDecoder().decode(proto.s) };
    case ATTRIBUTE_TYPES.tensor:
      return { kind: 'tensor', value: proto.t! };
    case ATTRIBUTE_TYPES.floats:
      return { kind: 'floats', value: proto.floats! };
    case ATTRIBUTE_TYPES.ints:
      return { kind: 'ints', value: proto.ints!.map(toNumber) };
    default:
      return { kind: 'other', value: proto };
  }
}

function valueFromProto({ name, type }: ValueInfoProto): ValueInfo {
  const tensor = type?.tensorType;
  const dims = (tensor?.shape?.dim ?? []).map((dim) => {
    if (Object.hasOwn(dim, 'dimValue')) return toNumber(dim.dimValue!);
    return Object.hasOwn(dim, 'dimParam') ? dim.dimParam : undefined;
  });
  return { name, type: tensor?.elemType ?? 0, dims };
}

function nodeToProto({ inputs, outputs, name, op, domain, attributes }: Node): NodeProto {
  const attribute = Array.from(attributes, ([key, value]) => attributeToProto(key, value));
  return {
    input: [...inputs],
    output: [...outputs],
    name,
    opType: op,
    attribute,
    ...(domain === '' ? {} : { domain }),
  };
}

function attributeToProto(name: string, { kind, value }: Attribute): AttributeProto {
  if (kind === 'other') return value;
  const common = { name, type: ATTRIBUTE_TYPES[kind] };
  switch (kind) {
    case 'float':
      return { ...common, f: value };
    case 'int':
      return { ...common, i: value };
    case 'string':
      return { ...common, s: new TextEncoder().encode(value) };
    case 'tensor':
      return { ...common, t: value };
    case 'floats':
      return { ...common, floats: [...value] };
    case 'ints':
      return { ...common, ints: [...value] };
  }
}

function valueToProto({ name, type, dims }: ValueInfo): ValueInfoProto {
  const dim = dims.map((size) =>
    typeof size === 'number' ? { dimValue: size } : size === undefined ? {} : { dimParam: size },
  );
  return { name, type: { tensorType: { elemType: type, shape: { dim } } } };
}

/** Creates a node named after its first output. Numbers, number lists and strings become attributes of these types. */
export function createNode(
  op: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, number | string | readonly number[] | Attribute>> = {},
): Node {
  const typed = Object.entries(attributes).map(([name, value]): [string, Attribute] => {
    if (typeof value === 'number') return [name, { kind: 'int', value }];
    if (typeof value === 'string') return [name, { kind: 'string', value }];
    return [name, 'kind' in value ? value : { kind: 'ints', value }];
  });
  return { name: outputs[0]!, op, domain: '', inputs, outputs, attributes: new Map(typed) };
}

/** Creates a constant of 32-bit floats or 64-bit integers. */
export function createInitializer(
  name: string,
  dims: readonly number[],
  data: Float32Array | BigInt64Array,
): Initializer {
  const type = data instanceof Float32Array ? FLOAT : INT64;
  const rawData = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return { name, dims, type, proto: { name, dims: [...dims], dataType: type, rawData } };
}

/**
 * Returns the values of a constant.
 *
 * @throws PlaybyplayError `model-unsupported` for raw data that is neither 32-bit float nor 64-bit integer.
 */
export function readValues({ proto, type }: Initializer): number[] {
  const { rawData, floatData = [], int32Data = [], int64Data = [] } = proto;
  if (!rawData || rawData.length === 0) {
    if (type === FLOAT) return floatData;
    return type === INT64 ? int64Data.map(toNumber) : int32Data;
  }
  const view = new DataView(rawData.buffer, rawData.byteOffset, rawData.byteLength);
  if (type === FLOAT) return Array.from({ length: rawData.length >> 2 }, (_, i) => view.getFloat32(4 * i, true));
  if (type === INT64)
    return Array.from({ length: rawData.length >> 3 }, (_, i) => Number(view.getBigInt64(8 * i, true)));
  throw new PlaybyplayError('model-unsupported', `constants of ONNX element type ${type} are not supported`);
}

/** Returns an integer attribute of a node, or the default where it is missing. */
export function intAttribute({ attributes }: Node, name: string, fallback: number): number {
  const attribute = attributes.get(name);
  return attribute?.kind === 'int' ? attribute.value : fallback;
}

/** Returns an integer list attribute of a node, if it has it. */
export function intsAttribute({ attributes }: Node, name: string): readonly number[] | undefined {
  const attribute = attributes.get(name);
  return attribute?.kind === 'ints' ? attribute.value : undefined;
}

/** Returns a string attribute of a node, or the default where it is missing. */
export function stringAttribute({ attributes }: Node, name: string, fallback: string): string {
  const attribute = attributes.get(name);
  return attribute?.kind === 'string' ? attribute.value : fallback;
}

/** Returns the number of elements of a tensor. */
export function elementCount(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}
