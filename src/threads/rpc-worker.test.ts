import { describe, expect, it } from 'vitest';
import { type MessageTransfer, WorkerError, threadModule, RpcWorker } from './rpc-worker.ts';

const sums = threadModule(import.meta.url, '../../test/fixtures/threads/sums');

describe('RpcWorker', () => {
  it('answers calls, moves results and sends notifications', async () => {
    await using worker = new RpcWorker('one', sums);
    const notifications: unknown[] = [];
    const result = await worker.call(
      { numbers: [1, 2, 3] },
      { onNotification: (notification) => notifications.push(notification) },
    );
    expect(result).toEqual(new Float64Array([6]));
    expect(notifications).toEqual(['adding']);
    const copies: MessageTransfer[] = [];
    await worker.call({ numbers: [1] }, { onTransfer: (copy) => copies.push(copy) });
    expect(copies.map(({ name }) => name)).toEqual(['request', 'result']);
    expect(copies.every(({ start, end }) => end >= start)).toBe(true);
  });

  it('passes errors on with their code and continues', async () => {
    await using worker = new RpcWorker('one', sums);
    await expect(worker.call({ numbers: [], fail: 'throw' })).rejects.toMatchObject({
      code: 'no-sum',
      hint: 'try others',
    });
    expect(await worker.call({ numbers: [4] })).toEqual(new Float64Array([4]));
  });

  it('passes cancellation on', async () => {
    await using worker = new RpcWorker('one', sums);
    const controller = new AbortController();
    const waiting = worker.call({ numbers: [], fail: 'wait' }, { signal: controller.signal });
    controller.abort();
    expect(await waiting).toBe('cancelled');
  });

  it('fails pending calls when it exits, and when it is terminated while it hangs', async () => {
    await using exiting = new RpcWorker('exiting', sums);
    await expect(exiting.call({ numbers: [], fail: 'exit' })).rejects.toThrow('exiting ended with exit code 3');
    await expect(exiting.call({ numbers: [1] })).rejects.toBeInstanceOf(WorkerError);
    await using hanging = new RpcWorker('hanging', sums);
    const pending = hanging.call({ numbers: [], fail: 'hang' });
    await Promise.all([expect(pending).rejects.toBeInstanceOf(WorkerError), hanging.terminate()]);
  });
});
