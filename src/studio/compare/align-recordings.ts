import type { ClockAlignment } from '../../pipeline/align/align.ts';
import { RpcWorker, threadModule } from '../../threads/rpc-worker.ts';
import type { AlignRequest } from './align-thread.ts';

/** Finds in a thread how the clocks of two recordings lie, by their sound. Throws as `alignSound`. */
export async function alignRecordings(request: AlignRequest, signal: AbortSignal): Promise<ClockAlignment> {
  await using worker = new RpcWorker('align', threadModule(import.meta.url, './align-thread'));
  return await worker.call<ClockAlignment>(request, { signal });
}
