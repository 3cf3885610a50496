import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { floats, node, pictureBytes } from '../../test/fixtures/onnx.ts';
import { openNetwork } from './inference.ts';
import type { NetworkRequest } from './network-process.ts';
import { MEMORY_VARIABLE, SECONDS_VARIABLE } from './onnx/limits.ts';

const CHANNELS = 12;
const KERNEL = 9;
const WEIGHTS = CHANNELS * KERNEL * KERNEL;

/** A network that takes the mean of an enlarged picture, by convolutions that do so too: enlarged 32 times, 3e9 multiply-adds each. */
function meanNetwork(convolutions: number, scale = 32): Uint8Array {
  const weights = Array.from({ length: CHANNELS * WEIGHTS }, () => 1 / WEIGHTS);
  const name = (i: number): string => (i === convolutions ? 'c' : `c${i}`);
  return pictureBytes(
    [
      node('Resize', ['x', '', 'scales'], ['r']),
      node('Concat', ['r', 'r', 'r', 'r'], ['c0'], { axis: 1 }),
      ...Array.from({ length: convolutions }, (_, i) => node('Conv', [name(i), 'w'], [name(i + 1)])),
      node('GlobalAveragePool', ['c'], ['p']),
      node('Flatten', ['p'], ['y']),
    ],
    [floats('scales', [1, 1, scale, scale]), floats('w', weights, [CHANNELS, CHANNELS, KERNEL, KERNEL])],
  );
}

const gray = { x: { dims: [1, 3, 16, 16], data: new Float32Array(3 * 16 * 16).fill(0.5) } };

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a network in a process of its own', () => {
  it('gives its outputs, run after run', async () => {
    using network = await openNetwork(meanNetwork(1, 4), { file: 'mean.onnx' });
    for (let run = 0; run < 2; run++) {
      const y = (await network.run(gray)).get('y')!;
      expect(y.dims).toEqual([1, CHANNELS]);
      for (const value of Array.from(y.data)) expect(value).toBeCloseTo(0.5, 4);
    }
  });

  it('is ended by the time limit, and stays ended', async () => {
    using network = await openNetwork(meanNetwork(40), { file: 'mean.onnx' });
    vi.stubEnv(SECONDS_VARIABLE, '0.05');
    const error = expect.objectContaining({
      code: 'model-timeout',
      message: 'the model mean.onnx is too slow: a run took longer than 0.05 s',
    });
    await expect(network.run(gray)).rejects.toThrow(error);
    vi.stubEnv(SECONDS_VARIABLE, '600');
    await expect(network.run(gray)).rejects.toThrow(error);
  });

  it('is ended by the memory limit', async () => {
    // 3 × 9600² floats are 1055 MiB.
    const enlarge = pictureBytes([node('Resize', ['x', '', 'scales'], ['y'])], [floats('scales', [1, 1, 600, 600])]);
    vi.stubEnv(MEMORY_VARIABLE, '150');
    using network = await openNetwork(enlarge, { file: 'large.onnx' });
    await expect(network.run(gray)).rejects.toThrow(
      expect.objectContaining({
        code: 'model-memory',
        message: 'the model large.onnx is too large: it needs more than 150 MiB of memory',
        hint: expect.stringContaining('PLAYBYPLAY_NETWORK_MEMORY=600'),
      }),
    );
  });

  it('fails with the name of the model after it is closed', async () => {
    const network = await openNetwork(meanNetwork(1), { file: 'mean.onnx' });
    network[Symbol.dispose]();
    await expect(network.run(gray)).rejects.toThrow('the model mean.onnx failed');
  });

  it('ends in the middle of a run when the program has ended', async () => {
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const child = fork(join(import.meta.dirname, 'network-child.ts'), [String(ended)], { serialization: 'advanced' });
    const requests: readonly NetworkRequest[] = [
      { open: { bytes: meanNetwork(40), options: { file: 'mean.onnx' } } },
      { feeds: gray },
    ];
    for (const request of requests) child.send(request);
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });
});
