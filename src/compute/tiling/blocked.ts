import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Group } from './group.ts';
import { pieces, tensors } from './group-model.ts';
import {
  FLOAT,
  type Initializer,
  initializer,
  integerOfNode,
  type Model,
  node,
  type Node,
  numbersOf,
  readModel,
  type Value,
  writeModel,
} from './onnx.ts';
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
  const open = (name: string) => ({ name, type: FLOAT, dims: [1, channels, 'height', 'width'] });
  const attributes = { kernel_shape: [1, 1] };
  const plain: Model = {
    irVersion: 8,
    opsets: new Map([['', 17]]),
    nodes: [node('Conv', ['x', 'weights'], ['y'], attributes), node('Conv', ['y', 'weights'], ['z'], attributes)],
    initializers: new Map([['weights', initializer('weights', [channels, channels, 1, 1], weights)]]),
    inputs: [open('x')],
    outputs: [open('z')],
  };
  const settings = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 4 } as const;
  const model = await optimized(plain, settings);
  const last = model.nodes.find(isOutput);
  if (!last) return undefined;
  const [inner] = last.inputs as [string];
  const bare = { ...model, nodes: model.nodes.filter((one) => one !== last), outputs: [open(inner)] };
  const session = await InferenceSession.create(writeModel(bare), { ...settings, graphOptimizationLevel: 'disabled' });
  const pixels = Float32Array.from({ length: 2 * channels }, (_, i) => i + 1);
  const results = await session.run({ x: new Tensor('float32', pixels, [1, channels, 1, 2]) });
  const found = results[inner]!.data as Float32Array;
  await session.release();
  const fits = (b: number) =>
    pixels.every((pixel, i) => found[(((i >> 1) / b) | 0) * 2 * b + (i % 2) * b + ((i >> 1) % b)] === pixel);
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
  const plain = new Set<string>();
  for (;;) {
    const rewriter = new Rewriter(model, group, shapes, axis, block, plain);
    const found = rewriter.rewritten();
    if (rewriter.mixed.size === 0) return found;
    for (const map of rewriter.mixed) plain.add(map);
  }
}

/** A tensor that is there in blocks: under which name, and how many channels it has. */
interface InBlocks {
  readonly name: string;
  readonly channels: number;
}

/** Operators that work number by number, and so on blocks as well. */
const POINTWISE = new Set(
  'Add Sub Mul Div Sum Min Max Mean Relu LeakyRelu Sigmoid Tanh HardSigmoid Clip Elu'.split(' '),
);

/** Goes through the operators in order; what is there in blocks is turned over only for those that can do nothing else. */
class Rewriter {
  private readonly model: Model;
  private readonly group: Group;
  private readonly shapes: Analysis['shapes'];
  private readonly axis: Axis;
  private readonly block: number;
  private readonly nodes: Node[] = [];
  private readonly constants: Map<string, Initializer>;
  /** By the name that a tensor has in the plain order. */
  private readonly blocked = new Map<string, InBlocks>();
  /** Names in the model of what is the same in blocks. */
  private readonly same = new Map<string, string>();
  private readonly plain: Set<string>;
  /** Maps handed over in blocks; rows of which map a tensor holds in blocks; of which map a tensor is a window or a part. */
  private readonly maps = new Set<string>();
  private readonly rows = new Map<string, string>();
  private readonly mapOf = new Map<string, string>();
  /** Maps of which the seam is there in blocks and the bulk is not, or the other way round: they are left in the plain order. */
  readonly mixed = new Set<string>();

  constructor(
    model: Model,
    group: Group,
    shapes: Analysis['shapes'],
    axis: Axis,
    block: number,
    plain: ReadonlySet<string>,
  ) {
    this.model = model;
    this.group = group;
    this.shapes = shapes;
    this.axis = axis;
    this.block = block;
    this.constants = new Map(model.initializers);
    for (const name of group.maps.keys()) {
      if (plain.has(name)) continue;
      this.mapOf.set(tensors(name).seamRows, name);
      this.mapOf.set(tensors(name).rows, name);
    }
    for (const { name, map } of group.windows) this.mapOf.set(name, map);
    this.plain = new Set([...model.inputs.map(({ name }) => name), ...model.initializers.keys()]);
  }

  rewritten(): Blocked {
    for (const one of this.model.nodes) this.take(one);
    for (const { name } of this.model.outputs) if (!this.rows.has(name)) this.inPlainOrder(name);
    const read = new Set(this.nodes.flatMap(({ inputs }) => inputs));
    const outputs = new Set(this.model.outputs.map(({ name }) => name));
    const nodes = this.nodes.filter((one) => one.outputs.some((name) => read.has(name) || outputs.has(name)));
    const handed = new Set(
      [...this.maps].flatMap((map) => {
        const { head, kept, tail, keep } = tensors(map);
        const padded = this.group.windows.filter((window) => window.map === map && window.padded);
        const own = padded.map(({ name }) => pieces(name)).flatMap((names) => [names.head, names.tail]);
        return [head, kept, tail, keep, ...own];
      }),
    );
    const open = (value: Value): Value =>
      handed.has(value.name) ? { ...value, dims: [1, 'blocks', `${value.name}_height`, `${value.name}_width`] } : value;
    return {
      maps: this.maps,
      model: {
        ...this.model,
        nodes,
        initializers: this.constants,
        inputs: this.model.inputs.map(open),
        outputs: this.model.outputs.map(open),
      },
    };
  }

  private take(one: Node): void {
    const [output] = one.outputs as [string];
    const [first] = one.inputs as [string];
    if (isOutput(one)) {
      const channels = integerOfNode(one, 'channels', 0);
      if (channels % this.block === 0) this.blocked.set(output, { name: this.named(first), channels });
      else this.add(one);
    } else if (isInput(one) && this.blocked.has(first)) this.same.set(output, this.blocked.get(first)!.name);
    else if (one.op === 'Reshape' && this.broadcasts(one)) this.same.set(output, this.named(first));
    else if (one.op === 'Resize' && this.enlarged(one)) return;
    else if (one.op === 'Reshape' && this.mapOf.has(output) && this.reshaped(one)) return;
    else if (one.op === 'Slice' && this.rows.has(first)) this.inRows(one, this.rows.get(first)!);
    else if (one.op === 'Concat' && one.inputs.some((name) => this.rows.has(name))) this.join(one);
    else if (!this.pointwise(one)) this.add(one);
  }

  /**
   * Where the runtime does not know that two maps have one shape, it splits their channels before it adds them. Here they
   * always have; and a batch of none cannot be split.
   */
  private broadcasts({ inputs }: Node): boolean {
    const shape = this.model.initializers.get(inputs[1]!);
    if (!shape || shape.dims[0]! < 4) return false;
    const dims = numbersOf(shape).map(Number).join();
    return dims === '0,-1,0,0' || dims === `0,-1,0,0,${this.block}`;
  }

  /** A map as rows, or rows as a map: the same numbers in blocks, too. */
  private reshaped(one: Node): boolean {
    const [output] = one.outputs as [string];
    const [first, shape] = one.inputs as [string, string];
    const map = this.mapOf.get(output)!;
    const { channels, height, width } = this.shapes.get(map)!;
    const { block } = this;
    if (this.rows.has(first)) {
      const name = `${output}@blocked`;
      this.nodes.push(node('Reshape', [first, shape], [name]));
      this.blocked.set(output, { name, channels });
      return true;
    }
    const found = this.blocked.get(first);
    if (!found) return false;
    const dims = this.axis === 'rows' ? [1, channels / block, -1, width * block] : [1, channels / block, height, -1];
    this.nodes.push(node('Reshape', [found.name, this.dims(dims)], [output]));
    this.maps.add(map);
    this.rows.set(output, map);
    return true;
  }

  /** Enlargement by whole numbers, which the runtime can do in blocks. */
  private enlarged(one: Node): boolean {
    const [output] = one.outputs as [string];
    const found = this.blocked.get(one.inputs[0]!);
    const scales = this.model.initializers.get(one.inputs[2] ?? one.inputs[1] ?? '');
    if (!found || scales?.dims[0] !== 4) return false;
    const name = `${output}@blocked`;
    const attributes = { scales: numbersOf(scales).map(Number), mode: 'nearest' };
    this.nodes.push({ ...node('Upsample', [found.name], [name], attributes), domain: DOMAIN });
    this.blocked.set(output, { name, channels: found.channels });
    return true;
  }

  private join(one: Node): void {
    const maps = new Set(one.inputs.flatMap((name) => this.rows.get(name) ?? []));
    const own = one.inputs.filter((name) => !this.model.inputs.some((input) => input.name === name));
    const [map] = [...maps] as [string];
    if (own.some((name) => !this.rows.has(name))) this.mixed.add(map);
    this.inRows(one, map);
  }

  private inRows(one: Node, map: string): void {
    this.nodes.push(one);
    this.rows.set(one.outputs[0]!, map);
  }

  /** An operator that can as well work on blocks, if all that it reads is there in blocks. */
  private pointwise(one: Node): boolean {
    const [output] = one.outputs as [string];
    const stacks = one.op === 'Concat' && integerOfNode(one, 'axis', 0) === 1;
    if (one.domain !== '' || (!stacks && !POINTWISE.has(one.op))) return false;
    const read = one.inputs.slice(0, one.op === 'Clip' ? 1 : undefined).map((name) => this.blocked.get(name));
    if (!read.every((each) => each !== undefined)) return false;
    const [{ channels }] = read as [InBlocks];
    if (!stacks && read.some((each) => each.channels !== channels)) return false;
    const name = `${output}@blocked`;
    this.nodes.push({
      ...one,
      inputs: one.inputs.map((input, i) => read[i]?.name ?? input),
      outputs: [name],
    });
    this.blocked.set(output, {
      name,
      channels: stacks ? read.reduce((sum, each) => sum + each.channels, 0) : channels,
    });
    return true;
  }

  private add(one: Node): void {
    const inputs = one.inputs.map((name) => this.same.get(name) ?? this.inPlainOrder(name));
    this.nodes.push({ ...one, inputs });
    for (const name of one.outputs) this.plain.add(name);
  }

  private named(name: string): string {
    return this.same.get(name) ?? name;
  }

  /** The name of a tensor in the plain order: turned over, once, if it is there in blocks only. */
  private inPlainOrder(name: string): string {
    const rows = this.rows.get(name);
    if (rows !== undefined) this.mixed.add(rows);
    const found = this.blocked.get(name);
    if (!found || this.plain.has(name)) return name;
    const turn = { channels: found.channels, channels_last: 0 };
    this.nodes.push({ ...node('ReorderOutput', [found.name], [name], turn), name: `${name}@turned`, domain: DOMAIN });
    this.plain.add(name);
    return name;
  }

  private dims(dims: readonly number[]): string {
    const name = `shape@${dims.join(',')}`;
    this.constants.set(name, initializer(name, [dims.length], BigInt64Array.from(dims.map(BigInt))));
    return name;
  }
}
