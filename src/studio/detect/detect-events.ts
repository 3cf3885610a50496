import { RpcWorker, threadModule } from '../../threads/rpc-worker.ts';
import type { JobProgress } from '../jobs.ts';
import type { DetectEventsRequest } from './detect-thread.ts';

/** Detects the events of a recording in a thread. Throws as `resolveGame` and `recordLog`. */
export async function detectEvents(
  request: DetectEventsRequest,
  signal: AbortSignal,
  onProgress: (at: JobProgress) => void,
): Promise<void> {
  await using worker = new RpcWorker('detect', threadModule(import.meta.url, './detect-thread'));
  await worker.call(request, { signal, onNotification: (at) => onProgress(at as JobProgress) });
}
