import { describe, expect, it } from 'vitest';
import { type Copy, DeviceError, moduleBeside, ThreadDevice } from './threads.ts';

const sums = moduleBeside(import.meta.url, '../../../test/fixtures/scheduler/sums');

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

  it('fails pending calls when it exits, and when it is retired while it hangs', async () => {
    await using exiting = new ThreadDevice('exiting', sums);
    await expect(exiting.call({ numbers: [], fail: 'exit' })).rejects.toThrow('exiting ended with exit code 3');
    await expect(exiting.call({ numbers: [1] })).rejects.toBeInstanceOf(DeviceError);
    await using hanging = new ThreadDevice('hanging', sums);
    const pending = hanging.call({ numbers: [], fail: 'hang' });
    await Promise.all([expect(pending).rejects.toBeInstanceOf(DeviceError), hanging.retire()]);
  });
});
