import protobuf from 'protobufjs/light.js';
import { messageOf, PlaybyplayError } from '../../errors.ts';

/** A 64-bit integer as protobufjs decodes it. */
export type Int64 = number | { toNumber(): number };

/** `TensorProto`: a constant. */
export interface TensorProto {
  dims?: Int64[];
  dataType?: number;
  segment?: object;
  floatData?: number[];
  int32Data?: number[];
  stringData?: Uint8Array[];
  int64Data?: Int64[];
  doubleData?: number[];
  uint64Data?: Int64[];
  name?: string;
  rawData?: Uint8Array;
  externalData?: object[];
  dataLocation?: number;
}

/** `AttributeProto`: an argument of a node that is not a tensor of the graph. */
export interface AttributeProto {
  name: string;
  type: number;
  refAttrName?: string;
  f?: number;
  i?: Int64;
  s?: Uint8Array;
  t?: TensorProto;
  g?: GraphProto;
  floats?: number[];
  ints?: Int64[];
  strings?: Uint8Array[];
  tensors?: TensorProto[];
  graphs?: GraphProto[];
  sparseTensor?: object;
  sparseTensors?: object[];
  tp?: object;
  typeProtos?: object[];
}

/** `NodeProto`: one operator or a call of a function. */
export interface NodeProto {
  input: string[];
  output: string[];
  name: string;
  opType: string;
  domain?: string;
  overload?: string;
  attribute: AttributeProto[];
}

/** `ValueInfoProto`: name and type of an input or output. */
export interface ValueInfoProto {
  name: string;
  type?: { tensorType?: { elemType?: number; shape?: { dim?: { dimValue?: Int64; dimParam?: string }[] } } };
}

/** `GraphProto`: the model's graph, or that of an attribute. */
export interface GraphProto {
  name?: string;
  node: NodeProto[];
  initializer: TensorProto[];
  sparseInitializer?: object[];
  input: ValueInfoProto[];
  output: ValueInfoProto[];
}

/** `FunctionProto`: an operator that the model defines itself. */
export interface FunctionProto {
  name: string;
  domain?: string;
  overload?: string;
  input: string[];
  output: string[];
  attribute: string[];
  attributeProto: AttributeProto[];
  node: NodeProto[];
  opsetImport: OperatorSetProto[];
}

/** `OperatorSetIdProto`: which version of a domain's operators is meant. */
export interface OperatorSetProto {
  domain?: string;
  version?: Int64;
}

/** `ModelProto`: the file. */
export interface ModelProto {
  irVersion?: Int64;
  producerName?: string;
  graph?: GraphProto;
  opsetImport: OperatorSetProto[];
  metadataProps: { key: string; value: string }[];
  trainingInfo?: object[];
  functions?: FunctionProto[];
}

/** Fields of a message: number, type, and whether it is a list. */
type Fields = Readonly<Record<string, readonly [id: number, type: string, list?: 'list']>>;

/** onnx.proto of ONNX 1.23 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto), every field. */
const MESSAGES: Readonly<Record<string, Fields>> = {
  ModelProto: {
    irVersion: [1, 'int64'],
    producerName: [2, 'string'],
    producerVersion: [3, 'string'],
    domain: [4, 'string'],
    modelVersion: [5, 'int64'],
    docString: [6, 'string'],
    graph: [7, 'GraphProto'],
    opsetImport: [8, 'OperatorSetId', 'list'],
    metadataProps: [14, 'StringEntry', 'list'],
    trainingInfo: [20, 'TrainingInfo', 'list'],
    functions: [25, 'FunctionProto', 'list'],
    configuration: [26, 'DeviceConfiguration', 'list'],
  },
  OperatorSetId: { domain: [1, 'string'], version: [2, 'int64'] },
  StringEntry: { key: [1, 'string'], value: [2, 'string'] },
  TrainingInfo: {
    initialization: [1, 'GraphProto'],
    algorithm: [2, 'GraphProto'],
    initializationBinding: [3, 'StringEntry', 'list'],
    updateBinding: [4, 'StringEntry', 'list'],
  },
  DeviceConfiguration: { name: [1, 'string'], numDevices: [2, 'int32'], device: [3, 'string', 'list'] },
  FunctionProto: {
    name: [1, 'string'],
    input: [4, 'string', 'list'],
    output: [5, 'string', 'list'],
    attribute: [6, 'string', 'list'],
    node: [7, 'NodeProto', 'list'],
    docString: [8, 'string'],
    opsetImport: [9, 'OperatorSetId', 'list'],
    domain: [10, 'string'],
    attributeProto: [11, 'AttributeProto', 'list'],
    valueInfo: [12, 'ValueInfo', 'list'],
    overload: [13, 'string'],
    metadataProps: [14, 'StringEntry', 'list'],
  },
  GraphProto: {
    node: [1, 'NodeProto', 'list'],
    name: [2, 'string'],
    initializer: [5, 'TensorProto', 'list'],
    docString: [10, 'string'],
    input: [11, 'ValueInfo', 'list'],
    output: [12, 'ValueInfo', 'list'],
    valueInfo: [13, 'ValueInfo', 'list'],
    quantizationAnnotation: [14, 'TensorAnnotation', 'list'],
    sparseInitializer: [15, 'SparseTensor', 'list'],
    metadataProps: [16, 'StringEntry', 'list'],
  },
  TensorAnnotation: { tensorName: [1, 'string'], quantParameterTensorNames: [2, 'StringEntry', 'list'] },
  NodeProto: {
    input: [1, 'string', 'list'],
    output: [2, 'string', 'list'],
    name: [3, 'string'],
    opType: [4, 'string'],
    attribute: [5, 'AttributeProto', 'list'],
    docString: [6, 'string'],
    domain: [7, 'string'],
    overload: [8, 'string'],
    metadataProps: [9, 'StringEntry', 'list'],
    deviceConfigurations: [10, 'NodeDeviceConfiguration', 'list'],
  },
  NodeDeviceConfiguration: {
    configurationId: [1, 'string'],
    shardingSpec: [2, 'bytes', 'list'],
    pipelineStage: [3, 'int32'],
  },
  AttributeProto: {
    name: [1, 'string'],
    f: [2, 'float'],
    i: [3, 'int64'],
    s: [4, 'bytes'],
    t: [5, 'TensorProto'],
    g: [6, 'GraphProto'],
    floats: [7, 'float', 'list'],
    ints: [8, 'int64', 'list'],
    strings: [9, 'bytes', 'list'],
    tensors: [10, 'TensorProto', 'list'],
    graphs: [11, 'GraphProto', 'list'],
    docString: [13, 'string'],
    tp: [14, 'TypeProto'],
    typeProtos: [15, 'TypeProto', 'list'],
    type: [20, 'int32'],
    refAttrName: [21, 'string'],
    sparseTensor: [22, 'SparseTensor'],
    sparseTensors: [23, 'SparseTensor', 'list'],
  },
  TensorProto: {
    dims: [1, 'int64', 'list'],
    dataType: [2, 'int32'],
    segment: [3, 'Segment'],
    floatData: [4, 'float', 'list'],
    int32Data: [5, 'int32', 'list'],
    stringData: [6, 'bytes', 'list'],
    int64Data: [7, 'int64', 'list'],
    name: [8, 'string'],
    rawData: [9, 'bytes'],
    doubleData: [10, 'double', 'list'],
    uint64Data: [11, 'uint64', 'list'],
    docString: [12, 'string'],
    externalData: [13, 'StringEntry', 'list'],
    dataLocation: [14, 'int32'],
    metadataProps: [16, 'StringEntry', 'list'],
  },
  Segment: { begin: [1, 'int64'], end: [2, 'int64'] },
  SparseTensor: { values: [1, 'TensorProto'], indices: [2, 'TensorProto'], dims: [3, 'int64', 'list'] },
  ValueInfo: {
    name: [1, 'string'],
    type: [2, 'TypeProto'],
    docString: [3, 'string'],
    metadataProps: [4, 'StringEntry', 'list'],
  },
  TypeProto: {
    tensorType: [1, 'TensorType'],
    sequenceType: [4, 'ElementType'],
    mapType: [5, 'MapType'],
    denotation: [6, 'string'],
    opaqueType: [7, 'OpaqueType'],
    sparseTensorType: [8, 'TensorType'],
    optionalType: [9, 'ElementType'],
  },
  TensorType: { elemType: [1, 'int32'], shape: [2, 'Shape'] },
  ElementType: { elemType: [1, 'TypeProto'] },
  MapType: { keyType: [1, 'int32'], valueType: [2, 'TypeProto'] },
  OpaqueType: { domain: [1, 'string'], name: [2, 'string'] },
  Shape: { dim: [1, 'Dimension', 'list'] },
  Dimension: { dimValue: [1, 'int64'], dimParam: [2, 'string'], denotation: [3, 'string'] },
};

/** Fields of TensorProto that onnx.proto declares as packed. Readers accept either encoding of a list of numbers. */
const PACKED: ReadonlySet<string> = new Set(['floatData', 'int32Data', 'int64Data', 'doubleData', 'uint64Data']);

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(MESSAGES).map(([message, fields]) => [
      message,
      {
        fields: Object.fromEntries(
          Object.entries(fields).map(([name, [id, type, list]]) => [
            name,
            { id, type, ...(list && { rule: 'repeated', options: { packed: PACKED.has(name) } }) },
          ]),
        ),
      },
    ]),
  ),
});
const modelProto = root.lookupType('ModelProto');

/** Wire types (https://protobuf.dev/programming-guides/encoding/#structure) of numbers. */
const WIRE_TYPES: Readonly<Record<string, number>> = { int64: 0, uint64: 0, int32: 0, double: 1, float: 5 };
const LENGTH_DELIMITED = 2;

/** Fields of which a message holds at most one (`oneof`). */
const ALTERNATIVES: ReadonlySet<string> = new Set(
  'tensorType sequenceType mapType opaqueType sparseTensorType optionalType dimValue dimParam'.split(' '),
);

/** A field by its number. */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly list: boolean;
}

const fieldsByNumber: ReadonlyMap<string, ReadonlyMap<number, Field>> = new Map(
  Object.entries(MESSAGES).map(([message, fields]) => [
    message,
    new Map(Object.entries(fields).map(([name, [id, type, list]]) => [id, { name, type, list: list !== undefined }])),
  ]),
);

/** How deep messages may be nested. A graph within a graph is four levels deeper; real models nest two or three graphs. */
const MAX_DEPTH = 64;

/**
 * Decodes an ONNX file such that every reader of it sees the same model: the protobuf format lets fields that are unknown be
 * skipped and fields that occur twice be merged or replaced, and readers differ in what they do.
 *
 * @throws PlaybyplayError `model-unreadable` for anything but a ModelProto, an unknown field, and a repeated single field.
 */
export function decodeModel(bytes: Uint8Array): ModelProto {
  try {
    checkMessage(protobuf.Reader.create(bytes), bytes.length, 'ModelProto', 1);
    return modelProto.decode(bytes) as unknown as ModelProto;
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    throw new PlaybyplayError('model-unreadable', `this is not an ONNX model: ${messageOf(error)}`, { cause: error });
  }
}

/** Encodes a model as an ONNX file. */
export function encodeModel(model: ModelProto): Uint8Array {
  return modelProto.encode(model as object).finish();
}

function checkMessage(reader: protobuf.Reader, end: number, message: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new RangeError(`its messages are nested more than ${MAX_DEPTH} deep`);
  const fields = fieldsByNumber.get(message)!;
  const seen = new Set<number>();
  while (reader.pos < end) {
    const tag = reader.uint32();
    const [id, wire] = [tag >>> 3, tag & 7];
    const field = fields.get(id);
    if (field === undefined) throw new RangeError(`field ${id} of ${message} is unknown`);
    const slot = ALTERNATIVES.has(field.name) ? 0 : id;
    if (!field.list && seen.has(slot)) throw new RangeError(`the field ${field.name} of ${message} occurs twice`);
    seen.add(slot);
    const number = WIRE_TYPES[field.type];
    if (wire !== LENGTH_DELIMITED) {
      if (wire !== number) throw new RangeError(`the field ${field.name} of ${message} has the wrong type`);
      reader.skipType(wire);
      continue;
    }
    if (number !== undefined && !field.list)
      throw new RangeError(`the field ${field.name} of ${message} has the wrong type`);
    const length = reader.uint32();
    const stop = reader.pos + length;
    if (stop > end) throw new RangeError(`the field ${field.name} of ${message} is longer than the message`);
    if (fieldsByNumber.has(field.type)) checkMessage(reader, stop, field.type, depth + 1);
    else reader.skip(length);
  }
  if (reader.pos !== end) throw new RangeError(`${message} is longer than its length says`);
}

/** Converts an integer of a decoded message. Beyond 2^53 it is the nearest number. */
export function toNumber(value: Int64): number {
  return typeof value === 'number' ? value : value.toNumber();
}
