import { expect, it } from 'vitest';
import { GracefulWorker } from './graceful-worker.ts';
import { threadModule } from './rpc-worker.ts';

it('is ended between its calls: closing cancels those that run, and they still answer', async () => {
  const worker = new GracefulWorker('graceful', threadModule(import.meta.url, '../../test/fixtures/threads/sums'));
  expect(await worker.call({ numbers: [1, 2] })).toEqual(new Float64Array([3]));
  const running = worker.call({ numbers: [], fail: 'wait' });
  await worker[Symbol.asyncDispose]();
  expect(await running).toBe('cancelled');
  await expect(worker.call({ numbers: [1] })).rejects.toThrow('graceful was ended');
});
