import { messageOf, PlaybyplayError } from '../../errors.ts';
import { bytesOf, type Field, fieldsOf, floats, integers, Message, text } from './protobuf.ts';

/** Element types of ONNX tensors that occur here, by the number the format gives them. */
export const FLOAT = 1;
export const INT64 = 7;

/** A node's attribute. Kinds that are of no concern here stay as they stand in the file (`raw`: the whole attribute). */
export type Attribute =
  | { readonly kind: 'int' | 'float'; readonly value: number }
  | { readonly kind: 'ints' | 'floats'; readonly value: readonly number[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'tensor' | 'raw'; readonly value: Uint8Array };

export interface Node {
  readonly name: string;
  readonly op: string;
  readonly domain: string;
  /** Empty strings stand for optional inputs that are left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, Attribute>;
}

/** A constant of the graph: its dimensions, element type and message as it stands in the file. */
export interface Initializer {
  readonly name: string;
  readonly dims: readonly number[];
  readonly type: number;
  readonly message: Uint8Array;
}

/** An input or output of the graph; dimensions that the model leaves open are names or undefined. */
export interface Value {
  readonly name: string;
  readonly type: number;
  readonly dims: readonly (number | string | undefined)[];
}

/** What of an ONNX model is needed to cut it into parts and to put parts together. */
export interface Model {
  readonly irVersion: number;
  readonly opsets: ReadonlyMap<string, number>;
  readonly nodes: readonly Node[];
  readonly initializers: ReadonlyMap<string, Initializer>;
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
  /** What its maker noted in it, by name. */
  readonly metadata?: ReadonlyMap<string, string>;
}

/**
 * Reads an ONNX model (the protocol-buffer form). Constant nodes become initializers. Throws `model-unreadable` for
 * anything else, `model-external-data` for a model that keeps weights in other files.
 */
export function readModel(bytes: Uint8Array): Model {
  try {
    return modelOf(bytes);
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    throw new PlaybyplayError('model-unreadable', `this is not an ONNX model: ${messageOf(error)}`, { cause: error });
  }
}

const METADATA = 14;

function modelOf(bytes: Uint8Array): Model {
  const opsets = new Map<string, number>();
  let irVersion = 0;
  let graph: Uint8Array | undefined;
  const metadata = new Map<string, string>();
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) irVersion = integers(field)[0]!;
    else if (field.number === 7) graph = bytesOf(field);
    else if (field.number === 8) {
      const fields = fieldsByNumber(bytesOf(field));
      opsets.set(textOf(fields.get(1)), integerOf(fields.get(2)));
    } else if (field.number === METADATA) {
      const fields = fieldsByNumber(bytesOf(field));
      metadata.set(textOf(fields.get(1)), textOf(fields.get(2)));
    }
  }
  if (!graph) throw new RangeError('it has no graph');
  const fields = fieldsByNumber(graph);
  const initializers = new Map((fields.get(5) ?? []).map((field) => named(initializerOf(bytesOf(field)))));
  const nodes: Node[] = [];
  for (const field of fields.get(1) ?? []) {
    const read = nodeOf(bytesOf(field));
    const constant = constantOf(read, initializers);
    if (constant) {
      const name = read.outputs[0]!;
      initializers.set(name, { ...initializerOf(constant), name, message: renamed(constant, name) });
    } else nodes.push(read);
  }
  return {
    irVersion,
    opsets,
    nodes,
    initializers,
    inputs: (fields.get(11) ?? [])
      .map((field) => valueOf(bytesOf(field)))
      .filter(({ name }) => !initializers.has(name)),
    outputs: (fields.get(12) ?? []).map((field) => valueOf(bytesOf(field))),
    ...(metadata.size > 0 ? { metadata } : {}),
  };
}

/** What a node makes, if that is a constant: exporters also write constants that several layers share as Identity. */
function constantOf({ op, attributes, inputs }: Node, known: ReadonlyMap<string, Initializer>): Uint8Array | undefined {
  const value = op === 'Constant' ? attributes.get('value') : undefined;
  if (value?.kind === 'tensor') return value.value;
  return op === 'Identity' ? known.get(inputs[0]!)?.message : undefined;
}

function nodeOf(bytes: Uint8Array): Node {
  const fields = fieldsByNumber(bytes);
  const attributes = new Map((fields.get(5) ?? []).map((field) => attributeOf(bytesOf(field))));
  return {
    inputs: (fields.get(1) ?? []).map(text),
    outputs: (fields.get(2) ?? []).map(text),
    name: textOf(fields.get(3)),
    op: textOf(fields.get(4)),
    domain: textOf(fields.get(7)),
    attributes,
  };
}

/** Numbers of attribute types in the format. */
const TYPES = { float: 1, int: 2, string: 3, tensor: 4, floats: 6, ints: 7 } as const;

function attributeOf(bytes: Uint8Array): [string, Attribute] {
  const fields = fieldsByNumber(bytes);
  const type = integerOf(fields.get(20));
  const name = textOf(fields.get(1));
  if (type === TYPES.float) return [name, { kind: 'float', value: floats(fields.get(2)![0]!)[0]! }];
  if (type === TYPES.int) return [name, { kind: 'int', value: integerOf(fields.get(3)) }];
  if (type === TYPES.string) return [name, { kind: 'string', value: textOf(fields.get(4)) }];
  if (type === TYPES.tensor) return [name, { kind: 'tensor', value: bytesOf(fields.get(5)![0]!) }];
  if (type === TYPES.floats) return [name, { kind: 'floats', value: (fields.get(7) ?? []).flatMap(floats) }];
  if (type === TYPES.ints) return [name, { kind: 'ints', value: (fields.get(8) ?? []).flatMap(integers) }];
  return [name, { kind: 'raw', value: bytes }];
}

/** A node's integer attribute. */
export function integerOfNode({ attributes }: Node, name: string, otherwise: number): number {
  const found = attributes.get(name);
  return found?.kind === 'int' ? found.value : otherwise;
}

/** A node's list of integers, if it has it. */
export function integersOfNode({ attributes }: Node, name: string): readonly number[] | undefined {
  const found = attributes.get(name);
  return found?.kind === 'ints' ? found.value : undefined;
}

/** A node's text attribute. */
export function textOfNode({ attributes }: Node, name: string, otherwise: string): string {
  const found = attributes.get(name);
  return found?.kind === 'string' ? found.value : otherwise;
}

const DATA_LOCATION = 14;

function initializerOf(message: Uint8Array): Initializer {
  const fields = fieldsByNumber(message, [1, 2, 8, DATA_LOCATION]);
  if (integerOf(fields.get(DATA_LOCATION)) === 1) {
    throw new PlaybyplayError('model-external-data', 'this model keeps its weights in another file', {
      hint: 'save it as one file',
    });
  }
  const dims = (fields.get(1) ?? []).flatMap(integers);
  return { name: textOf(fields.get(8)), dims, type: integerOf(fields.get(2)), message };
}

function renamed(message: Uint8Array, name: string): Uint8Array {
  const copy = new Message();
  for (const field of fieldsOf(message)) {
    if (field.number !== 8) appendField(copy, field);
  }
  return copy.text(8, name).finish();
}

function appendField(to: Message, { number, value, wire }: Field): void {
  if (typeof value !== 'bigint') to.bytes(number, value);
  else if (wire === 5) to.float(number, new Float32Array(new Uint32Array([Number(value)]).buffer)[0]!);
  else to.integer(number, value);
}

function valueOf(bytes: Uint8Array): Value {
  const fields = fieldsByNumber(bytes);
  const type = fieldsByNumber(bytesOf(fields.get(2)?.[0] ?? EMPTY));
  const tensor = fieldsByNumber(bytesOf(type.get(1)?.[0] ?? EMPTY));
  const shape = fieldsByNumber(bytesOf(tensor.get(2)?.[0] ?? EMPTY));
  const dims = (shape.get(1) ?? []).map((field) => {
    const dim = fieldsByNumber(bytesOf(field));
    return dim.has(1) ? integerOf(dim.get(1)) : dim.has(2) ? textOf(dim.get(2)) : undefined;
  });
  return { name: textOf(fields.get(1)), type: integerOf(tensor.get(1)), dims };
}

/** The model as an ONNX file. */
export function writeModel(model: Model): Uint8Array {
  const graph = new Message();
  for (const each of model.nodes) graph.message(1, nodeMessage(each));
  graph.text(2, 'graph');
  for (const { message } of model.initializers.values()) graph.bytes(5, message);
  for (const value of model.inputs) graph.message(11, valueMessage(value));
  for (const value of model.outputs) graph.message(12, valueMessage(value));
  const whole = new Message().integer(1, model.irVersion).text(2, 'playbyplay').message(7, graph);
  for (const [domain, version] of model.opsets) whole.message(8, new Message().text(1, domain).integer(2, version));
  for (const [key, value] of model.metadata ?? []) whole.message(METADATA, new Message().text(1, key).text(2, value));
  return whole.finish();
}

/** A constant of floats (Float32Array) or 64-bit integers (BigInt64Array). */
export function initializer(name: string, dims: readonly number[], data: Float32Array | BigInt64Array): Initializer {
  const type = data instanceof Float32Array ? FLOAT : INT64;
  const message = new Message();
  for (const dim of dims) message.integer(1, dim);
  message
    .integer(2, type)
    .text(8, name)
    .bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return { name, dims, type, message: message.finish() };
}

/** The numbers of a constant, whatever its type. */
export function numbersOf({ message, type }: Initializer): number[] {
  const fields = fieldsByNumber(message);
  const raw = fields.get(9)?.[0];
  if (!raw)
    return type === FLOAT
      ? (fields.get(4) ?? []).flatMap(floats)
      : (fields.get(type === INT64 ? 7 : 5) ?? []).flatMap(integers);
  const bytes = bytesOf(raw);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type === FLOAT) return Array.from({ length: bytes.length >> 2 }, (_, i) => view.getFloat32(4 * i, true));
  if (type === INT64) return Array.from({ length: bytes.length >> 3 }, (_, i) => Number(view.getBigInt64(8 * i, true)));
  throw new PlaybyplayError('model-unsupported', `constants of element type ${type} cannot be read here`);
}

/** A node. Whole numbers, lists of them and texts are attributes of these kinds; anything else is given as an Attribute. */
export function node(
  op: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, number | string | readonly number[] | Attribute>> = {},
): Node {
  const tagged = Object.entries(attributes).map(([name, value]): [string, Attribute] => {
    if (typeof value === 'number') return [name, { kind: 'int', value }];
    if (typeof value === 'string') return [name, { kind: 'string', value }];
    return [name, 'kind' in value ? value : { kind: 'ints', value }];
  });
  return { name: outputs[0]!, op, domain: '', inputs, outputs, attributes: new Map(tagged) };
}

function nodeMessage({ name, op, domain, inputs, outputs, attributes }: Node): Message {
  const message = new Message();
  for (const input of inputs) message.text(1, input);
  for (const output of outputs) message.text(2, output);
  message.text(3, name).text(4, op);
  for (const [key, value] of attributes) message.bytes(5, attributeBytes(key, value));
  return domain === '' ? message : message.text(7, domain);
}

function attributeBytes(name: string, attribute: Attribute): Uint8Array {
  if (attribute.kind === 'raw') return attribute.value;
  const message = new Message().text(1, name).integer(20, TYPES[attribute.kind]);
  switch (attribute.kind) {
    case 'float':
      return message.float(2, attribute.value).finish();
    case 'int':
      return message.integer(3, attribute.value).finish();
    case 'string':
      return message.text(4, attribute.value).finish();
    case 'tensor':
      return message.bytes(5, attribute.value).finish();
    case 'floats':
      for (const item of attribute.value) message.float(7, item);
      return message.finish();
    case 'ints':
      for (const item of attribute.value) message.integer(8, item);
      return message.finish();
  }
}

function valueMessage({ name, type, dims }: Value): Message {
  const shape = new Message();
  for (const dim of dims) {
    const message = new Message();
    if (typeof dim === 'number') message.integer(1, dim);
    else if (typeof dim === 'string') message.text(2, dim);
    shape.message(1, message);
  }
  const tensor = new Message().integer(1, type).message(2, shape);
  return new Message().text(1, name).message(2, new Message().message(1, tensor));
}

const EMPTY: Field = { number: 0, wire: 2, value: new Uint8Array() };

/** Fields by number; with `wanted`, only those (raw tensor data is not looked at). */
function fieldsByNumber(bytes: Uint8Array, wanted?: readonly number[]): Map<number, Field[]> {
  const found = new Map<number, Field[]>();
  for (const field of fieldsOf(bytes)) {
    if (wanted && !wanted.includes(field.number)) continue;
    const list = found.get(field.number) ?? [];
    list.push(field);
    found.set(field.number, list);
  }
  return found;
}

function named(of: Initializer): [string, Initializer] {
  return [of.name, of];
}

function textOf(fields: readonly Field[] | undefined): string {
  return fields?.[0] ? text(fields[0]) : '';
}

function integerOf(fields: readonly Field[] | undefined): number {
  return fields?.[0] ? integers(fields[0])[0]! : 0;
}
