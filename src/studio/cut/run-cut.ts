import { RpcWorker, threadModule } from '../../threads/rpc-worker.ts';
import type { JobProgress } from '../jobs.ts';
import type { CutRequest } from './cut-thread.ts';

/** Runs a request in a thread of its own, which ends with it. Throws what the request does. */
export async function runCut<T>(
  request: CutRequest,
  signal: AbortSignal,
  onProgress?: (at: JobProgress) => void,
): Promise<T> {
  await using worker = new RpcWorker('cut', threadModule(import.meta.url, './cut-thread'));
  return await worker.call<T>(request, { signal, onNotification: (at) => onProgress?.(at as JobProgress) });
}
