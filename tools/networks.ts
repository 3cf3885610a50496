// Three small networks of the sorts that detectors use, with seeded random weights, and the design's two examples, as ONNX files:
//   node tools/networks.ts <folder>
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Attribute,
  FLOAT,
  type Initializer,
  createInitializer,
  type Model,
  type Node,
  createNode,
  writeModel,
} from '../src/compute/tiling/model.ts';

/** Puts a graph together layer by layer; methods return the name of the tensor they make. */
export class Network {
  readonly nodes: Node[] = [];
  private readonly initializers = new Map<string, Initializer>();
  private readonly channels = new Map<string, number>();
  private readonly random: () => number;
  private count = 0;

  constructor(seed: number, channels = 3) {
    this.random = generator(seed);
    this.channels.set('image', channels);
  }

  channelsOf(tensor: string): number {
    return this.channels.get(tensor)!;
  }

  /** Convolution with bias, weights scaled so that activations keep their size, then an activation if one is named. */
  conv(
    from: string,
    to: number,
    kernel: number | readonly [number, number],
    options: { stride?: number; pads?: readonly number[]; group?: number; dilation?: number; activation?: string } = {},
  ): string {
    const [high, wide] = typeof kernel === 'number' ? [kernel, kernel] : kernel;
    const { stride = 1, group = 1, dilation = 1 } = options;
    const same = [((high - 1) * dilation) >> 1, ((wide - 1) * dilation) >> 1];
    const pads = options.pads ?? [...same, ...same];
    const inputs = this.channelsOf(from) / group;
    const weights = this.weights([to, inputs, high, wide], Math.sqrt(2 / (inputs * high * wide)));
    const attributes = {
      kernel_shape: [high, wide],
      strides: [stride, stride],
      pads,
      group,
      dilations: [dilation, dilation],
    };
    const made = this.add('Conv', [from, weights, this.weights([to], 0.1)], to, attributes);
    return options.activation ? this.add(options.activation, [made], to) : made;
  }

  /** Any operator with inputs of the graph (or constants added before). */
  add(
    op: string,
    inputs: readonly string[],
    channels: number,
    attributes: Readonly<Record<string, number | string | readonly number[] | Attribute>> = {},
  ): string {
    const name = `${op.toLowerCase()}${++this.count}`;
    this.nodes.push(createNode(op, inputs, [name], attributes));
    this.channels.set(name, channels);
    return name;
  }

  weights(dims: readonly number[], scale: number): string {
    const length = dims.reduce((product, dim) => product * dim, 1);
    return this.constant(
      dims,
      Float32Array.from({ length }, () => scale * normal(this.random)),
    );
  }

  constant(dims: readonly number[], data: Float32Array | BigInt64Array): string {
    const name = `constant${++this.count}`;
    this.initializers.set(name, createInitializer(name, dims, data));
    return name;
  }

  pool(from: string, size = 2, stride = size, pads: readonly number[] = [0, 0, 0, 0], op = 'MaxPool'): string {
    const attributes = { kernel_shape: [size, size], strides: [stride, stride], pads };
    return this.add(op, [from], this.channelsOf(from), attributes);
  }

  relu6(from: string): string {
    const limits = [0, 6].map((limit) => this.constant([], Float32Array.of(limit)));
    return this.add('Clip', [from, ...limits], this.channelsOf(from));
  }

  double(from: string): string {
    const scales = this.constant([4], Float32Array.of(1, 1, 2, 2));
    const attributes = { mode: 'nearest', coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' };
    return this.add('Resize', [from, '', scales], this.channelsOf(from), attributes);
  }

  concat(...from: readonly string[]): string {
    return this.add(
      'Concat',
      from,
      from.reduce((sum, name) => sum + this.channelsOf(name), 0),
      { axis: 1 },
    );
  }

  model(...outputs: readonly string[]): Model {
    const value = (name: string) => ({
      name,
      type: FLOAT,
      dims: [1, this.channelsOf(name), `${name} height`, `${name} width`],
    });
    return {
      irVersion: 8,
      opsets: new Map([['', 17]]),
      nodes: this.nodes,
      initializers: this.initializers,
      inputs: [value('image')],
      outputs: outputs.map(value),
    };
  }
}

/** Pairs of 3 × 3 convolutions, max pooling between, a map of class scores at 1/16 of the size. */
export function vgg(width = 16): Model {
  const net = new Network(1);
  let at = 'image';
  for (const [stage, factor] of [1, 2, 4, 4].entries()) {
    at = net.conv(at, width * factor, 3, { activation: 'Relu' });
    at = net.conv(at, width * factor, 3, { activation: 'Relu' });
    if (stage < 4) at = net.pool(at);
  }
  return net.model(net.add('Sigmoid', [net.conv(at, 8, 1)], 8));
}

/** Inverted residuals with depthwise convolutions; class scores at 1/16 and boxes at 1/8 of the size. */
export function mobilenet(width = 16): Model {
  const net = new Network(2);
  const block = (from: string, to: number, stride: number): string => {
    const wide = 4 * net.channelsOf(from);
    const expanded = net.relu6(net.conv(from, wide, 1));
    const filtered = net.relu6(net.conv(expanded, wide, 3, { stride, group: wide }));
    const narrow = net.conv(filtered, to, 1);
    return stride === 1 && to === net.channelsOf(from) ? net.add('Add', [from, narrow], to) : narrow;
  };
  let at = net.relu6(net.conv('image', width, 3, { stride: 2, pads: [0, 0, 1, 1] }));
  at = block(at, width, 1);
  at = block(at, Math.round(1.5 * width), 2);
  at = block(at, Math.round(1.5 * width), 1);
  at = block(at, 2 * width, 2);
  at = block(at, 2 * width, 1);
  const boxes = net.conv(at, 4, 3);
  at = block(at, 4 * width, 2);
  at = block(at, 4 * width, 1);
  return net.model(net.add('Sigmoid', [net.conv(at, 8, 1)], 8), boxes);
}

/** An encoder and decoder with skip connections and nearest upsampling: a score for every pixel. Sizes must divide by 8. */
export function unet(width = 8): Model {
  const net = new Network(3);
  const twice = (from: string, to: number) =>
    net.conv(net.conv(from, to, 3, { activation: 'Relu' }), to, 3, { activation: 'Relu' });
  const skips: string[] = [];
  let at = 'image';
  for (const factor of [1, 2, 4]) {
    at = twice(at, width * factor);
    skips.push(at);
    at = net.pool(at);
  }
  at = twice(at, 8 * width);
  for (const [i, skip] of skips.toReversed().entries())
    at = twice(net.concat(net.double(at), skip), width * [4, 2, 1][i]!);
  return net.model(net.add('Sigmoid', [net.conv(at, 2, 1)], 2));
}

export const networks = { vgg, mobilenet, unet };

/** The two worked examples of the design: 7 × 7 then 5 × 5 on 16 × 16, and 7 × 7 with stride 2 on 960 × 480. */
export const examples = {
  'example-16x16': (): Model => {
    const net = new Network(1, 1);
    return net.model(net.conv(net.conv('image', 1, 7), 1, 5));
  },
  'example-960x480': (): Model => {
    const net = new Network(1);
    return net.model(net.conv('image', 48, 7, { stride: 2, pads: [3, 3, 2, 2] }));
  },
};

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Numbers in [0, 1) from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (!folder) throw new TypeError('usage: node tools/networks.ts <folder>');
  await mkdir(folder, { recursive: true });
  for (const [name, make] of Object.entries({ ...networks, ...examples }))
    await writeFile(join(folder, `${name}.onnx`), writeModel(make()));
}
