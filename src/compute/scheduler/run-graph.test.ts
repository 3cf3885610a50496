import { describe, expect, it } from 'vitest';
import { withinRadius, scaledBy } from './index-space.ts';
import type { KernelCall } from './graph.ts';
import { type GraphRun, runGraph } from './run-graph.ts';
import { threadModule } from '../../threads/rpc-worker.ts';
import { Trace } from '../../threads/trace.ts';

const resources = [
  { name: 'given', regions: [6, 4], bytes: 8, data: given() },
  { name: 'a', regions: [6, 4], bytes: 8 },
  { name: 'b', regions: [6, 4], bytes: 8 },
  { name: 'c', regions: [3, 2], bytes: 8 },
];
const calls: KernelCall[] = [
  { name: 'first', space: [6, 4], reads: [{ resource: 'given' }], writes: [{ resource: 'a' }] },
  { name: 'second', space: [6, 4], reads: [{ resource: 'a', regions: withinRadius(1) }], writes: [{ resource: 'b' }] },
  { name: 'third', space: [3, 2], reads: [{ resource: 'b', regions: scaledBy(2) }], writes: [{ resource: 'c' }] },
];
const base: GraphRun = {
  calls,
  resources,
  devices: 2,
  kernels: threadModule(import.meta.url, '../../../test/fixtures/scheduler/kernels'),
};

function given(): SharedArrayBuffer {
  const data = new SharedArrayBuffer(6 * 4 * 8);
  new Uint8Array(data).forEach((_, i, all) => void (all[i] = i));
  return data;
}

/** All that a run made. */
async function made(run: GraphRun): Promise<number[][]> {
  const result = await runGraph(run);
  return [
    ...Array.from({ length: 24 }, (_, i) => [...result.region('b', i)]),
    ...Array.from({ length: 6 }, (_, i) => [...result.region('c', i)]),
  ];
}

describe('a graph on threads with memories of their own', () => {
  it('gives the same on any number of devices', async () => {
    const alone = await made({ ...base, devices: 1 });
    expect(await made({ ...base, devices: 3, options: { ahead: 1, prefetch: 2 } })).toEqual(alone);
  });

  it('gives it with concurrent copies, and kernels that read while a copy runs', async () => {
    const alone = await made({ ...base, devices: 1 });
    for (const whileCopying of [false, true]) {
      const copying = { block: 3, push: whileCopying };
      const kernels = threadModule(
        import.meta.url,
        whileCopying
          ? '../../../test/fixtures/scheduler/streaming-kernels'
          : '../../../test/fixtures/scheduler/kernels',
      );
      const trace = new Trace();
      const shares = calls.map((call) => ({ ...call, allocation: 'static' as const }));
      const run = { ...base, calls: shares, devices: 3, kernels, copying, options: { ahead: 1 }, trace };
      expect(await made(run)).toEqual(alone);
      const { traceEvents } = trace.toJSON();
      // Pushed to all, every region is copied to both of the others at most. Who need not wait may be done before.
      const copied = traceEvents.filter(({ cat }) => cat === 'copy').length;
      expect(copied).toBeGreaterThanOrEqual(whileCopying ? 0 : 6);
      expect(copied).toBeLessThanOrEqual(2 * (24 + 24 + 6));
    }
  });

  it('gives the portions of a device that ends, or is stuck, to the others', async () => {
    const alone = await made({ ...base, devices: 1 });
    for (const how of ['exit', 'hang'] as const) {
      const result = await made({ ...base, stuckAfter: 1500, settings: { fault: { device: 1, how } } });
      expect({ how, result }).toEqual({ how, result: alone });
    }
  });

  it('tries a failed portion elsewhere, and says which one failed too often', async () => {
    const alone = await made({ ...base, devices: 1 });
    expect(await made({ ...base, settings: { fault: { device: 0, how: 'throw' } } })).toEqual(alone);
    await expect(runGraph({ ...base, settings: { hopeless: true } })).rejects.toMatchObject({
      code: 'portion-failed',
      message: expect.stringMatching(/^portion \(\d,\d\) of "first" failed 3 times: no hope$/),
    });
  });

  it('stops when aborted', async () => {
    const controller = new AbortController();
    const hanging = runGraph({ ...base, signal: controller.signal, settings: { fault: { device: 0, how: 'hang' } } });
    controller.abort(new Error('enough'));
    await expect(hanging).rejects.toThrow('enough');
  });

  it('shows portions, waits and copies in a trace', async () => {
    const trace = new Trace();
    const { copied } = await runGraph({ ...base, trace });
    const { traceEvents } = trace.toJSON();
    expect(traceEvents.filter(({ cat }) => cat === 'run')).toHaveLength(24 + 24 + 6);
    expect(traceEvents.filter(({ cat }) => cat === 'copy')).toHaveLength(copied);
  });
});
