import * as fc from 'fast-check';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { Network, networks } from '../../../test/fixtures/networks.ts';
import { openImageModel, TiledModel } from './execute.ts';
import { fuseLayers } from './fuse.ts';
import { type Axis, rangeLength } from './layers.ts';
import { createInitializer, createNode, type Model, readModel, readValues, writeModel } from './model.ts';
import { countTraffic, type Pass, planPasses } from './passes.ts';
import { planTiling } from './plan.ts';
/** Rows each map gets anew, per pass: `image 13, conv 10, conv 8`. */
const fresh = (pass: Pass) => [...pass.maps.values()].map((map) => rangeLength(map.fresh));
const read = (pass: Pass) => pass.layers.map(({ reads }) => rangeLength(reads[0]!));

describe('the example of 7 × 7 and 5 × 5 convolutions on 16 × 16, in two tiles', () => {
  const net = new Network(1, 1);
  const network = fuseLayers(net.model(net.conv(net.conv('image', 1, 7), 1, 5)), { width: 16, height: 16 });

  it('without help: 13 rows in, 10 out, 10 in, 8 out, in both passes', () => {
    const passes = planPasses(network, { axis: 'rows', tiles: 2, keep: 'none' });
    expect(passes.map(fresh)).toEqual([
      [13, 10, 8],
      [13, 10, 8],
    ]);
  });

  it('with help: the second pass reads 9 rows, makes 6, and takes 6 + 4 kept ones to 8', () => {
    const passes = planPasses(network, { axis: 'rows', tiles: 2, keep: 'features' });
    expect(passes.map(fresh)).toEqual([
      [13, 10, 8],
      [9, 6, 8],
    ]);
    expect(passes.map(read)).toEqual([
      [13, 10],
      [9, 10],
    ]);
    const [, middle] = [...passes[0]!.maps.values()];
    expect(rangeLength(middle!.keep)).toBe(4);
    expect((13 - 9) / 13).toBeCloseTo(0.308, 3);
    expect((10 - 6) / 10).toBe(0.4);
  });

  it('the last pass keeps nothing', () => {
    const passes = planPasses(network, { axis: 'rows', tiles: 2 });
    expect([...passes.at(-1)!.maps.values()].map((map) => rangeLength(map.keep))).toEqual([0, 0, 0]);
  });

  it('keeping the input too, no row is fetched twice', () => {
    const [again, once] = (['features', 'all'] as const).map((keep) => {
      return countTraffic(network, 'rows', planPasses(network, { axis: 'rows', tiles: 2, keep }));
    });
    expect(again!.fetched).toBe(13 + 9);
    expect(once!.fetched).toBe(16);
  });
});

it('the example of three tiles along the width comes out of the planner: 322, 325 and 323 columns of 960', () => {
  const net = new Network(1);
  const network = fuseLayers(net.model(net.conv('image', 48, 7, { stride: 2, pads: [3, 3, 2, 2] })), {
    width: 960,
    height: 480,
  });
  expect(network.shapes.get(network.results[0]!)).toEqual({ channels: 48, height: 240, width: 480 });
  const passes = planPasses(network, { axis: 'columns', tiles: 3, keep: 'none' });
  expect(passes.map(fresh)).toEqual([
    [322, 160],
    [325, 160],
    [323, 160],
  ]);
});

describe('a tiled network', () => {
  it('gives what the untiled one gives, computes nothing twice and fetches nothing twice, whatever the network', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 }),
        fc.constantFrom<Axis>('rows', 'columns'),
        fc.integer({ min: 1, max: 32 }),
        async (choices, axis, tiles) => {
          const model = randomNetwork(choices);
          const [along, across] = [48 + 8 * (choices[0]! % 5), 16 + 8 * (choices[1]! % 3)];
          const size = axis === 'rows' ? { width: across, height: along } : { width: along, height: across };
          const plan = planTiling(model, { ...size, budget: 1e9, axis, tiles });
          await using tiled = await TiledModel.open(plan);
          const picture = pictureOf(3, size);
          expect(await furthest(await tiled.run({ image: picture }), model, picture, size)).toBeLessThan(1e-5);
          expect(tiled.traffic.fetched).toBe(axis === 'rows' ? size.height : size.width);
          const made = plan.chains[0]!.passes.flatMap(({ layers }) =>
            layers.filter(({ out }) => rangeLength(out) > 0),
          ).map(({ layer, out }) => `${layer.name} ${out.from}-${out.to}`);
          expect(new Set(made).size).toBe(made.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each(Object.entries(networks))('%s within a budget equals the network at once', async (_, make) => {
    const size = { width: 160, height: 96 };
    const model = make();
    const plan = planTiling(model, { ...size, budget: 1_500_000 });
    expect(plan.memory).toBeLessThanOrEqual(1_500_000);
    await using tiled = await TiledModel.open(plan);
    const picture = pictureOf(3, size);
    expect(await furthest(await tiled.run({ image: picture }), model, picture, size)).toBeLessThan(1e-5);
  });

  it('is cut into chains where one does not fit, with the same result', async () => {
    const size = { width: 160, height: 96 };
    const model = networks.unet();
    const least = planTiling(model, { ...size, budget: 1e9, tiles: 96, axis: 'rows' }).memory;
    const plan = planTiling(model, { ...size, budget: least - 20_000, axis: 'rows' });
    expect(plan.chains.length).toBeGreaterThan(1);
    expect(plan.betweenChains).toBeGreaterThan(0);
    await using tiled = await TiledModel.open(plan);
    const picture = pictureOf(3, size);
    expect(await furthest(await tiled.run({ image: picture }), model, picture, size)).toBeLessThan(1e-5);
  });

  it('takes sets of operators from 7 on, maps that are padded with two values, and layers that read one map twice', async () => {
    const net = new Network(11);
    const first = net.conv('image', 8, 3, { activation: 'Relu' });
    const pooled = net.pool(first, 3, 1, [1, 1, 1, 1]);
    const both = net.concat(pooled, net.conv(first, 8, 5), net.conv(first, 8, 1));
    const halved = net.conv(both, 8, 3, { stride: 2 });
    const four = net.constant([4], Float32Array.of(1, 1, 2, 2));
    const back = net.add('Upsample', [halved, four], 8, { mode: 'nearest' });
    const model: Model = { ...net.model(net.add('Add', [back, first], 8)), opsets: new Map([['', 9]]) };
    const size = { width: 24, height: 96 };
    const picture = pictureOf(3, size);
    for (const tiles of [1, 5, 12, 40]) {
      await using tiled = await TiledModel.open(planTiling(model, { ...size, budget: 1e9, axis: 'rows', tiles }));
      expect(await furthest(await tiled.run({ image: picture }), model, picture, size)).toBeLessThan(1e-5);
    }
    const old: Model = { ...model, opsets: new Map([['', 6]]) };
    expect(() => planTiling(old, { ...size, budget: 1e9 })).toThrow(/older than 7/);
  });

  it('says what budget would do where none is enough', () => {
    expect(() => planTiling(networks.vgg(), { width: 320, height: 240, budget: 1000 })).toThrow(
      expect.objectContaining({ code: 'budget-too-small', hint: expect.stringMatching(/at least .* MiB/) }),
    );
  });

  it('is left to an ordinary session where it fits into the budget at once', async () => {
    const size = { width: 64, height: 48 };
    const model = networks.mobilenet();
    const { untiled } = planTiling(model, { ...size, budget: 1e9 });
    await using tight = await openImageModel(writeModel(model), { ...size, memoryBudget: untiled - 1 });
    await using ample = await openImageModel(writeModel(model), { ...size, memoryBudget: untiled });
    expect([tight.plan?.untiled, ample.plan]).toEqual([untiled, undefined]);
    const picture = pictureOf(3, size);
    expect(await furthest(await ample.run({ image: picture }), model, picture, size)).toBe(0);
    expect(await furthest(await tight.run({ image: picture }), model, picture, size)).toBeLessThan(1e-5);
  });

  it('hands what cannot be tiled to the rest of the network', async () => {
    const net = new Network(5);
    const features = net.conv(net.conv('image', 8, 3, { activation: 'Relu' }), 8, 3, { stride: 2 });
    const mean = net.add('GlobalAveragePool', [features], 8);
    const gate = net.add('Sigmoid', [mean], 8);
    const model = net.model(net.add('Mul', [features, gate], 8));
    const size = { width: 40, height: 32 };
    const picture = pictureOf(3, size);
    await using tiled = await openImageModel(writeModel(model), { ...size, memoryBudget: 60_000 });
    expect(tiled.plan!.network.remainder.map(({ op }) => op)).toEqual(['GlobalAveragePool', 'Sigmoid', 'Mul']);
    expect(await furthest(await tiled.run({ image: picture }), model, picture, size)).toBeLessThan(1e-5);
    await using whole = await openImageModel(writeModel(model), size);
    expect(await furthest(await whole.run({ image: picture }), model, picture, size)).toBe(0);
  });
});

describe('ONNX files', () => {
  it('are written as they were read', () => {
    const model = networks.mobilenet();
    const again = readModel(writeModel(model));
    expect(again.nodes).toEqual(model.nodes);
    expect(again.inputs).toEqual(model.inputs);
    expect([...again.initializers.keys()]).toEqual([...model.initializers.keys()]);
    const [name, first] = [...model.initializers][0]!;
    expect(readValues(again.initializers.get(name)!)).toEqual(readValues(first));
  });

  it('that are none are refused with a reason', () => {
    expect(() => readModel(new TextEncoder().encode('no model at all'))).toThrow(
      expect.objectContaining({ code: 'model-unreadable' }),
    );
    expect(() => readModel(new Uint8Array())).toThrow(/has no graph/);
  });

  it('that keep weights elsewhere are refused', () => {
    const model = networks.vgg();
    const [name] = [...model.initializers.keys()];
    const elsewhere = createInitializer(name!, [1], Float32Array.of(1));
    const proto = { ...elsewhere.proto, dataLocation: 1 };
    const broken = { ...model, initializers: new Map([...model.initializers, [name!, { ...elsewhere, proto }]]) };
    expect(() => readModel(writeModel(broken))).toThrow(expect.objectContaining({ code: 'model-external-data' }));
  });
});

/** The greatest difference between a tiled run's outputs and those of onnxruntime on the whole picture. */
async function furthest(
  outputs: Readonly<Record<string, Tensor>>,
  model: Model,
  picture: Float32Array,
  { width, height }: { width: number; height: number },
): Promise<number> {
  const session = await InferenceSession.create(writeModel(model), { logSeverityLevel: 3 });
  const whole = await session.run({ image: new Tensor('float32', picture, [1, 3, height, width]) });
  let most = 0;
  for (const [name, { data, dims }] of Object.entries(whole)) {
    expect(outputs[name]!.dims).toEqual(dims);
    for (const [i, value] of (data as Float32Array).entries()) {
      const off = Math.abs(value - (outputs[name]!.data as Float32Array)[i]!);
      most = Math.max(most, off / Math.max(1, Math.abs(value)));
    }
  }
  await session.release();
  return most;
}

function pictureOf(channels: number, { width, height }: { width: number; height: number }): Float32Array {
  return Float32Array.from({ length: channels * width * height }, (_, i) => Math.sin(i * 0.7) + Math.cos(i * 0.013));
}

/** Layers of every kind that can be tiled, in an order given by `choices`, with residuals and concatenations. */
function randomNetwork(choices: readonly number[]): Model {
  const net = new Network(choices[2]!);
  // Eight channels fill a block of the runtime's, four do not.
  const wide = choices[2]! % 2 === 0 ? 8 : 4;
  const maps = [{ name: net.conv('image', wide, 3), scale: 8 }];
  for (const [i, choice] of choices.slice(3).entries()) {
    const from = maps[Math.max(0, maps.length - 1 - (choice % 2) * (i % 3))]!;
    const same = maps.filter(({ scale, name }) => scale === from.scale && net.channelsOf(name) === wide);
    const other = same[choice % same.length]!.name;
    const four = net.channelsOf(from.name) === wide ? from.name : net.conv(from.name, wide, 1);
    const kinds: (() => string)[] = [
      () => net.conv(from.name, wide, 3, { activation: 'Relu' }),
      () => net.conv(from.name, wide, [5, 3], { pads: [1, 2, 3, 0] }),
      () => net.conv(four, wide, 3, { group: wide, dilation: 2, pads: [2, 2, 2, 2] }),
      () => net.add('Add', [four, other], wide),
      () => net.concat(four, other),
      () => net.pool(from.name, 3, 1, [1, 1, 1, 1]),
      () => net.add('LeakyRelu', [net.conv(from.name, wide, 1)], wide, { alpha: { kind: 'float', value: 0.1 } }),
    ];
    if (from.scale > 1)
      kinds.push(
        () => net.pool(four),
        () => net.conv(four, wide, 3, { stride: 2 }),
      );
    if (from.scale < 8)
      kinds.push(
        () => net.double(four),
        () => transposed(net, four, (choice >> 6) % 4),
      );
    const kind = (choice >> 3) % kinds.length;
    const halves = from.scale > 1 && (kind === 7 || kind === 8);
    const doubles = kind >= (from.scale > 1 ? 9 : 7);
    // Residuals need both sides to have been made with the same padding: sizes differ after [1, 2, 3, 0].
    const name = kind === 1 ? net.conv(from.name, wide, [5, 3], { pads: [2, 2, 2, 0] }) : kinds[kind]!();
    maps.push({ name, scale: halves ? from.scale / 2 : doubles ? from.scale * 2 : from.scale });
  }
  return net.model(...new Set([maps.at(-1)!.name, maps.at(-3)!.name]));
}

/** Transposed convolutions that double: kernels of 2, of 4 with padding, of 3 with padding at the start, of 5 and 2. */
function transposed(net: Network, from: string, which: number): string {
  const channels = net.channelsOf(from);
  const [high, wide, pads, extra] = (
    [
      [2, 2, [0, 0, 0, 0], [0, 0]],
      [4, 4, [1, 1, 1, 1], [0, 0]],
      [3, 3, [1, 1, 1, 1], [1, 1]],
      [5, 2, [2, 0, 2, 0], [1, 0]],
    ] as const
  )[which]!;
  const weights = net.weights([channels, channels, high, wide], 0.3);
  const attributes = { kernel_shape: [high, wide], strides: [2, 2], pads, output_padding: extra };
  return net.add('ConvTranspose', [from, weights], channels, attributes);
}

it('says why nothing can be cut, and takes constants that an exporter shares between layers', () => {
  const net = new Network(9);
  const one = net.model(net.conv('image', 4, 3));
  const inputs = one.inputs.map((input) => ({ ...input, dims: [4, 3, 'height', 'width'] }));
  expect(() => fuseLayers({ ...one, inputs }, { width: 16, height: 16 })).toThrow(/takes 4 images at once, not one/);
  const [conv] = one.nodes as [(typeof one.nodes)[number]];
  const shared = { ...conv, inputs: [conv.inputs[0]!, conv.inputs[1]!, 'same bias'] };
  const nodes = [createNode('Identity', [conv.inputs[2]!], ['same bias']), shared];
  const { layers, remainder } = fuseLayers(readModel(writeModel({ ...one, nodes })), { width: 16, height: 16 });
  expect([layers.length, remainder.length]).toEqual([1, 0]);
});

it('leaves out operators that cannot be cut, and takes those that can', () => {
  const net = new Network(9);
  const first = net.conv('image', 4, 3);
  const model = net.model(net.add('Softmax', [first], 4, { axis: 3 }));
  expect(fuseLayers(model, { width: 16, height: 16 }).remainder.map(({ op }) => op)).toEqual(['Softmax']);
  const whole: Model = { ...model, nodes: [createNode('Flatten', ['image'], ['flat'])], outputs: [] };
  expect(() => fuseLayers(whole, { width: 16, height: 16 })).toThrow(/no layer can be computed in parts/);
});
