import { InferenceSession } from 'onnxruntime-node';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { type Model, type Node, type Value, writeModel } from './onnx.ts';
import type { Analysis } from './units.ts';

/** Options that every session here is made with; unless told otherwise, memory goes back to the system after each run. */
export interface RuntimeOptions {
  /** Threads per operator; default 1. */
  readonly threads?: number;
  /** Execution providers, as onnxruntime names them; default the processor. */
  readonly providers?: readonly string[];
}

/** A session of onnxruntime for a model held in memory. */
export async function openSession(
  model: Model,
  options: RuntimeOptions = {},
  more: InferenceSession.SessionOptions = {},
): Promise<InferenceSession> {
  return await openBytes(writeModel(model), options, more);
}

/** … for a model as it stands in its file. Throws `model-unsupported` where the runtime refuses it. */
export async function openBytes(
  bytes: Uint8Array,
  options: RuntimeOptions = {},
  more: InferenceSession.SessionOptions = {},
): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(bytes, { ...settingsOf(options), ...more });
  } catch (error) {
    throw new PlaybyplayError('model-unsupported', `the runtime cannot execute this model: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** What the runtime is told. */
export function settingsOf({ threads = 1, providers = ['cpu'] }: RuntimeOptions): InferenceSession.SessionOptions {
  return {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionProviders: [...providers],
    enableCpuMemArena: false,
    enableMemPattern: false,
    logSeverityLevel: 3,
  };
}

/** What follows the units: makes the network's outputs from their results and whatever inputs are left. */
export function restModel(analysis: Analysis): Model | undefined {
  const { model, rest, shapes, results } = analysis;
  if (rest.length === 0) return undefined;
  const read = new Set(rest.flatMap(({ inputs }) => inputs));
  const made = new Set(rest.flatMap(({ outputs }) => outputs));
  return {
    ...partOf(model, rest),
    inputs: [
      ...[...new Set(results)].filter((name) => read.has(name)).map((name) => openValue(name, { shapes })),
      ...model.inputs.filter(({ name }) => read.has(name)),
    ],
    outputs: model.outputs.filter(({ name }) => made.has(name)),
  };
}

/** Nodes with the constants that they use. */
function partOf(model: Model, nodes: readonly Node[]): Pick<Model, 'irVersion' | 'opsets' | 'nodes' | 'initializers'> {
  const used = new Set(nodes.flatMap(({ inputs }) => inputs));
  return {
    irVersion: model.irVersion,
    opsets: model.opsets,
    nodes,
    initializers: new Map([...model.initializers].filter(([name]) => used.has(name))),
  };
}

function openValue(name: string, { shapes }: Pick<Analysis, 'shapes'>): Value {
  return { name, type: 1, dims: [1, shapes.get(name)!.channels, `${name}_height`, `${name}_width`] };
}
