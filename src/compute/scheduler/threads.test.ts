import { describe, expect, it } from 'vitest';
import { schedule } from './schedule.ts';
import { type Copy, moduleBeside, ThreadDevice } from './threads.ts';

const sums = moduleBeside(import.meta.url, './fixtures/sums');

describe('a worker thread as a device', () => {
  it('answers calls, moves results and sends notes', async () => {
    await using device = new ThreadDevice('one', sums);
    const notes: unknown[] = [];
    const result = await device.call({ numbers: [1, 2, 3] }, { onNote: (note) => notes.push(note) });
    expect(result).toEqual(new Float64Array([6]));
    expect(notes).toEqual(['adding']);
    const copies: Copy[] = [];
    await device.call({ numbers: [1] }, { onCopy: (copy) => copies.push(copy) });
    expect(copies.map(({ name }) => name)).toEqual(['request', 'result']);
    expect(copies.every(({ start, end }) => end >= start)).toBe(true);
  });

  it('passes errors on with their code, and lives on', async () => {
    await using device = new ThreadDevice('one', sums);
    await expect(device.call({ numbers: [], fail: 'throw' })).rejects.toMatchObject({
      code: 'no-sum',
      hint: 'try others',
    });
    expect(await device.call({ numbers: [4] })).toEqual(new Float64Array([4]));
  });

  it('passes cancellation on', async () => {
    await using device = new ThreadDevice('one', sums);
    const controller = new AbortController();
    const waiting = device.call({ numbers: [], fail: 'wait' }, { signal: controller.signal });
    controller.abort();
    expect(await waiting).toBe('told');
  });

  it.each(['exit', 'hang'])('a thread that %ss in the middle loses its portion to the other', async (fail) => {
    await using good = new ThreadDevice('good', sums);
    await using bad = new ThreadDevice('bad', sums);
    for (const device of [good, bad]) await device.call({ numbers: [] });
    const portions = Array.from({ length: 6 }, (_, i) => [i, i + 1]);
    const by: string[] = [];
    const results: number[] = [];
    const run = async (numbers: number[], device: ThreadDevice) => {
      const [sum] = await device.call<Float64Array>({ numbers, fail: device === bad ? fail : undefined });
      return sum!;
    };
    for await (const { result, device } of schedule({ portions, devices: [good, bad], run, stuckAfter: 2000 })) {
      by.push(device.name);
      results.push(result);
    }
    expect(results).toEqual([1, 3, 5, 7, 9, 11]);
    expect(new Set(by)).toEqual(new Set(['good']));
  });
});
