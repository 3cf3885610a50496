// The examples of docs/reference/compute.md.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  comparePlan,
  formatKernelC,
  type KernelCall,
  openImageModel,
  planGraph,
  planTiling,
  quantizeKernel,
  readModel,
  runGraph,
  withinRadius,
} from './index.ts';
import { createInitializer, createNode, FLOAT, writeModel } from './tiling/model.ts';

describe('the examples of playbyplay/compute', () => {
  it('quantize a kernel whose coefficients sum to 1', () => {
    const kernel = quantizeKernel([0.25, 0.5, 0.25], { mantissaBits: 8 });
    expect([...kernel.mantissas]).toEqual([32, 64, 32]);
    expect(kernel.sum).toBe(1);
    expect(formatKernelC(kernel, 'blur')).toContain('static const int8_t blur[3] = { 32, 64, 32 };');
  });

  it('plan and run a network within a memory budget', async () => {
    const bytes = smallNetwork();
    const size = { width: 64, height: 512 };
    const plan = planTiling(readModel(bytes), { ...size, budget: 600_000 });
    const { untiled, plan: tiled } = comparePlan(plan);
    expect(tiled.memory).toBeLessThan(untiled.memory);
    expect(tiled.macs).toBe(untiled.macs);
    await using model = await openImageModel(bytes, { ...size, memoryBudget: 600_000 });
    expect(model.plan?.chains[0]?.passes.length).toBeGreaterThan(1);
    const image = Float32Array.from({ length: 64 * 512 }, (_, i) => i % 7);
    const outputs = await model.run({ image });
    await using whole = await openImageModel(bytes, size);
    expect(outputs['features']!.data).toEqual((await whole.run({ image }))['features']!.data);
  });

  it('plan and run a graph of kernel calls on two threads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kernels-'));
    const kernels = join(folder, 'kernels.mjs');
    const sum = '({ inputs, outputs }) => { for (const input of inputs) outputs[0][0] += input[0]; }';
    await writeFile(kernels, `export const kernels = { count: ({ outputs }) => outputs[0].fill(1), sum: ${sum} };`);
    const calls: KernelCall[] = [
      { name: 'count', space: [6, 4], writes: [{ resource: 'ones' }] },
      {
        name: 'sum',
        space: [6, 4],
        reads: [{ resource: 'ones', regions: withinRadius(1), outside: 'ignore' }],
        writes: [{ resource: 'sums' }],
      },
    ];
    const resources = [
      { name: 'ones', regions: [6, 4], bytes: 1 },
      { name: 'sums', regions: [6, 4], bytes: 1 },
    ];
    expect(planGraph(calls, resources, 2).portions).toBe(48);
    const result = await runGraph({ calls, resources, devices: 2, kernels: pathToFileURL(kernels) });
    // A corner has 4 regions within radius 1, an edge 6, the inside 9.
    expect([0, 1, 7].map((region) => result.region('sums', region)[0])).toEqual([4, 6, 9]);
    await rm(folder, { recursive: true });
  });
});

/** Two 3 × 3 convolutions of 16 channels on one channel. */
function smallNetwork(): Uint8Array {
  const attributes = { kernel_shape: [3, 3], pads: [1, 1, 1, 1] };
  return writeModel({
    irVersion: 8,
    opsets: new Map([['', 17]]),
    nodes: [
      createNode('Conv', ['image', 'first'], ['hidden'], attributes),
      createNode('Conv', ['hidden', 'second'], ['features'], attributes),
    ],
    initializers: new Map([
      ['first', weights('first', [16, 1, 3, 3])],
      ['second', weights('second', [16, 16, 3, 3])],
    ]),
    inputs: [{ name: 'image', type: FLOAT, dims: [1, 1, 'height', 'width'] }],
    outputs: [{ name: 'features', type: FLOAT, dims: [1, 16, 'height', 'width'] }],
  });
}

function weights(name: string, dims: readonly number[]) {
  const length = dims.reduce((product, dim) => product * dim);
  return createInitializer(
    name,
    dims,
    Float32Array.from({ length }, (_, i) => Math.sin(i)),
  );
}
