import { messageOf, PlaybyplayError } from '../../errors.ts';
import { type Model, modelFromProto } from '../tiling/model.ts';
import {
  type AttributeProto,
  decodeModel,
  type GraphProto,
  type ModelProto,
  type NodeProto,
  type TensorProto,
  toNumber,
} from './proto.ts';

/** Limit of the size of a network file. */
export const MAX_MODEL_BYTES = 256 << 20;
/** Most operators of a model, those of graphs in attributes and of functions included. */
const MAX_NODES = 50_000;
/** How deep graphs may be nested. */
const MAX_NESTING = 16;

/** Operators whose results differ from run to run. */
const RANDOM_OPERATORS: ReadonlySet<string> = new Set([
  'Bernoulli',
  'Multinomial',
  'RandomNormal',
  'RandomNormalLike',
  'RandomUniform',
  'RandomUniformLike',
]);
const EXPORT_FOR_INFERENCE = 'Export the model for inference: model.eval().';

/**
 * Decodes a model from a stranger, and refuses what could make it read another file or give another result in the next run. What it
 * needs of memory and time is limited by the process that runs it (`network-process.ts`).
 *
 * @param file Path of the model, for errors.
 * @throws PlaybyplayError `model-refused` with an issue that names the file and the reason.
 */
export function decodeCheckedModel(bytes: Uint8Array, file: string): Model {
  if (bytes.length > MAX_MODEL_BYTES)
    throw refuseModel(file, `it has ${bytes.length} bytes; at most ${MAX_MODEL_BYTES} are allowed`);
  try {
    const proto = decodeModel(bytes);
    checkModel(proto);
    return modelFromProto(proto);
  } catch (error) {
    const hint = error instanceof PlaybyplayError ? error.hint : undefined;
    throw refuseModel(file, messageOf(error), hint, error);
  }
}

function checkModel({ graph, functions = [], trainingInfo = [] }: ModelProto): void {
  if (trainingInfo.length > 0) throw refusal('it holds graphs for training', EXPORT_FOR_INFERENCE);
  let count = 0;
  const checkGraph = (part: GraphProto, depth: number): void => {
    if (depth > MAX_NESTING) throw refusal(`its graphs are nested more than ${MAX_NESTING} deep`);
    if ((part.sparseInitializer?.length ?? 0) > 0) throw refusal('it has sparse constants', DENSE);
    for (const tensor of part.initializer) checkTensor(tensor, `constant “${tensor.name ?? ''}”`);
    checkNodes(part.node, part.initializer, depth);
  };
  const checkNodes = (nodes: readonly NodeProto[], constants: readonly TensorProto[], depth: number): void => {
    count += nodes.length;
    if (count > MAX_NODES) throw refusal(`it has more than ${MAX_NODES} operators`);
    for (const node of nodes) {
      if (RANDOM_OPERATORS.has(node.opType)) throw refusal(`its node ${describeNode(node)} is random`);
      if (isInTraining(node, nodes, constants))
        throw refusal(`its node ${describeNode(node)} is in training mode`, EXPORT_FOR_INFERENCE);
      checkAttributes(node.attribute, depth);
    }
  };
  const checkAttributes = (attributes: readonly AttributeProto[], depth: number): void => {
    for (const { name, t, tensors = [], g, graphs = [], sparseTensor, sparseTensors = [] } of attributes) {
      if (sparseTensor || sparseTensors.length > 0) throw refusal(`its attribute “${name}” is sparse`, DENSE);
      for (const tensor of [...(t ? [t] : []), ...tensors]) checkTensor(tensor, `attribute “${name}”`);
      for (const part of [...(g ? [g] : []), ...graphs]) checkGraph(part, depth + 1);
    }
  };
  if (graph) checkGraph(graph, 1);
  for (const { node, attributeProto } of functions) {
    checkAttributes(attributeProto, 1);
    checkNodes(node, [], 1);
  }
}

const DENSE = 'Save the model with dense constants.';

function checkTensor({ dataLocation, externalData = [] }: TensorProto, what: string): void {
  if (dataLocation === 1 || externalData.length > 0)
    throw refusal(`its ${what} keeps its values in another file`, 'Save the model as one file.');
}

/** Whether a node behaves as in training: `Dropout` by its third input, normalizations by an attribute. */
function isInTraining(
  { opType, input, attribute }: NodeProto,
  nodes: readonly NodeProto[],
  constants: readonly TensorProto[],
): boolean {
  if (attribute.some(({ name, i = 0 }) => name === 'training_mode' && toNumber(i) !== 0)) return true;
  const mode = input[2];
  if (opType !== 'Dropout' || !mode) return false;
  const constant =
    constants.find(({ name }) => name === mode) ??
    nodes.find(({ opType: op, output }) => op === 'Constant' && output[0] === mode)?.attribute[0]?.t;
  return (
    constant === undefined || [...(constant.int32Data ?? []), ...(constant.rawData ?? [])].some((value) => value !== 0)
  );
}

/** A name for a node in messages: its own, or what it computes. */
function describeNode({ name, opType, output }: NodeProto): string {
  const own = name || output.find((one) => one !== '') || '';
  return own === '' ? opType : `${opType} “${own.length > 80 ? `${own.slice(0, 80)}…` : own}”`;
}

function refusal(reason: string, hint?: string): PlaybyplayError {
  return new PlaybyplayError('model-refused', reason, { hint });
}

/** Creates the error for a model that cannot be used. */
export function refuseModel(file: string, reason: string, hint?: string, cause?: unknown): PlaybyplayError {
  return modelError('model-refused', 'cannot be used', file, reason, hint, cause);
}

/** Creates an error about a model, with an issue that names the file and the reason. */
export function modelError(
  code: string,
  what: string,
  file: string,
  reason: string,
  hint?: string,
  cause?: unknown,
): PlaybyplayError {
  const issue = { code, path: file, message: reason, ...(hint === undefined ? {} : { hint }) };
  return new PlaybyplayError(code, `the model ${file} ${what}: ${reason}`, {
    hint,
    issues: [issue],
    ...(cause === undefined ? {} : { cause }),
  });
}
