import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Group } from './groups.ts';
import { joints } from './group-model.ts';
import { FLOAT, initializer, integerOfNode, type Model, node, type Node, readModel, writeModel } from './onnx.ts';
import type { Analysis, Axis } from './units.ts';

/**
 * The runtime convolves maps in blocks of channels: [channels ÷ b][height][width][b] floats. It turns a map over where an
 * operator needs the plain order, as putting rows together does. Rows of blocks can be put together just as well: here
 * the optimized model of a group is rewritten so. `maps`: what is handed over in blocks, `block`: b.
 */
export interface Blocked {
  readonly model: Model;
  readonly maps: ReadonlySet<string>;
}

const DOMAIN = 'com.microsoft.nchwc';

/** A model as the runtime's optimizer leaves it. */
export async function optimized(model: Model, options: InferenceSession.SessionOptions): Promise<Model> {
  const folder = await mkdtemp(join(tmpdir(), 'playbyplay-'));
  try {
    const optimizedModelFilePath = join(folder, 'model.onnx');
    const session = await InferenceSession.create(writeModel(model), { ...options, optimizedModelFilePath });
    await session.release();
    return readModel(await readFile(optimizedModelFilePath));
  } finally {
    await rm(folder, { recursive: true });
  }
}

let known: Promise<number | undefined> | undefined;

/** How many channels a block has on this processor, found by looking; undefined where the runtime works without. */
export function blockSize(): Promise<number | undefined> {
  known ??= probe().catch(() => undefined);
  return known;
}

/** Runs an identity on 32 channels of two pixels, takes the last step away that brings them back into order, and looks. */
async function probe(): Promise<number | undefined> {
  const channels = 32;
  const weights = Float32Array.from({ length: channels * channels }, (_, i) => (i % (channels + 1) === 0 ? 1 : 0));
  const value = (name: string) => ({ name, type: FLOAT, dims: [1, channels, 'height', 'width'] });
  const attributes = { kernel_shape: [1, 1] };
  const plain: Model = {
    irVersion: 8,
    opsets: new Map([['', 17]]),
    nodes: [
      node('Conv', ['x', 'weights'], ['y'], attributes),
      node('Conv', ['y', 'weights'], ['z'], attributes),
    ],
    initializers: new Map([['weights', initializer('weights', [channels, channels, 1, 1], weights)]]),
    inputs: [value('x')],
    outputs: [value('z')],
  };
  const settings = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4 } as const;
  const model = await optimized(plain, settings);
  const last = model.nodes.find(isOutput);
  if (!last) return undefined;
  const [inner] = last.inputs as [string];
  const bare = { ...model, nodes: model.nodes.filter((one) => one !== last), outputs: [value(inner)] };
  const session = await InferenceSession.create(writeModel(bare), { ...settings, graphOptimizationLevel: 'disabled' });
  const pixels = Float32Array.from({ length: 2 * channels }, (_, i) => i + 1);
  const results = await session.run({ x: new Tensor('float32', pixels, [1, channels, 1, 2]) });
  const found = results[inner]!.data as Float32Array;
  await session.release();
  const fits = (b: number) =>
    pixels.every((value, i) => found[(((i >> 1) / b) | 0) * 2 * b + (i % 2) * b + ((i >> 1) % b)] === value);
  return [4, 8, 16, 32].find(fits);
}

function isOutput({ op, domain }: Node): boolean {
  return domain === DOMAIN && op === 'ReorderOutput';
}

function isInput({ op, domain }: Node): boolean {
  return domain === DOMAIN && op === 'ReorderInput';
}

/** Lets an optimized group put its maps together in blocks, where they come in blocks. */
export function inBlocks(model: Model, group: Group, { shapes }: Analysis, axis: Axis, block: number): Blocked {
  const makers = new Map(model.nodes.flatMap((one) => one.outputs.map((name) => [name, one] as const)));
  const constants = new Map(model.initializers);
  const shapeAs = (dims: readonly number[]) => {
    const name = `shape@${dims.join(',')}`;
    constants.set(name, initializer(name, [dims.length], BigInt64Array.from(dims.map(BigInt))));
    return name;
  };
  const maps = new Set<string>();
  /** Tensors in rows of blocks, and whose map they are of. */
  const rows = new Map<string, string>();
  const before: Node[] = [];
  const replaced = new Map<Node, Node>();
  for (const map of group.kept) {
    const { whole } = joints(map);
    const { channels, height, width } = shapes.get(map)!;
    const join = makers.get(whole);
    const turned = makers.get(map);
    if (!join || join.op !== 'Concat' || !turned || !isOutput(turned)) continue;
    if (channels % block !== 0 || integerOfNode(turned, 'channels', 0) !== channels) continue;
    const dims = axis === 'rows' ? [1, channels / block, -1, width * block] : [1, channels / block, height, -1];
    const own = `${map}@blocks`;
    before.push(node('Reshape', [turned.inputs[0]!, shapeAs(dims)], [own]));
    replaced.set(join, { ...join, inputs: join.inputs.map((name) => (name === map ? own : name)) });
    maps.add(map);
    rows.set(whole, map);
    for (const part of model.nodes)
      if (part.op === 'Slice' && part.inputs[0] === whole) rows.set(part.outputs[0]!, map);
  }
  const outputs = new Set(model.outputs.map(({ name }) => name));
  const nodes: Node[] = [];
  const plain = new Set<string>();
  for (const one of model.nodes) {
    const next = replaced.get(one) ?? one;
    if (replaced.has(one)) nodes.push(before.find(({ outputs: [name] }) => next.inputs.includes(name!))!);
    const { channels, height, width } = shapes.get(rows.get(next.inputs[0] ?? '') ?? '') ?? NOTHING;
    const back = shapeAs(axis === 'rows' ? [1, channels, -1, width] : [1, channels, height, -1]);
    if (isInput(next) && rows.has(next.inputs[0]!)) {
      nodes.push(node('Reshape', [next.inputs[0]!, back], next.outputs));
      continue;
    }
    if (next.op !== 'Slice') {
      for (const name of next.inputs) {
        const map = rows.get(name);
        if (map === undefined || plain.has(name)) continue;
        // An operator that wants the plain order.
        const shape = shapes.get(map)!;
        const dims = axis === 'rows' ? [1, shape.channels, -1, shape.width] : [1, shape.channels, shape.height, -1];
        const turn = { channels: shape.channels, channels_last: 0 };
        nodes.push(node('Reshape', [name, shapeAs(dims)], [`${name}@turned`]));
        nodes.push({ ...node('ReorderOutput', [`${name}@turned`], [`${name}@plain`], turn), domain: DOMAIN });
        plain.add(name);
      }
    }
    nodes.push({ ...next, inputs: next.inputs.map((name) => (plain.has(name) && next.op !== 'Slice' ? `${name}@plain` : name)) });
  }
  const read = new Set(nodes.flatMap(({ inputs }) => inputs));
  const needed = nodes.filter((one) => one.outputs.some((name) => read.has(name) || outputs.has(name)));
  const open = (name: string) => [1, 'blocks', `${name}_height`, `${name}_width`];
  const inRows = (name: string) => rows.has(name) || [...maps].some((map) => extras(map).includes(name));
  return {
    maps,
    model: {
      ...model,
      nodes: needed,
      initializers: constants,
      inputs: model.inputs.map((value) => (inRows(value.name) ? { ...value, dims: open(value.name) } : value)),
      outputs: model.outputs.map((value) => (inRows(value.name) ? { ...value, dims: open(value.name) } : value)),
    },
  };
}

const NOTHING = { channels: 0, height: 0, width: 0 };

function extras(map: string): string[] {
  const { head, kept, tail } = joints(map);
  return [head, kept, tail];
}
