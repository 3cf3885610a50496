// The process of a network (network-process.ts): opens it with the first request and runs it with the others.
import { Worker } from 'node:worker_threads';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { CheckedModel } from './onnx/checked-model.ts';
import { openInProcess, type Runnable } from './inference.ts';
import type { NetworkReply, NetworkRequest } from './network-process.ts';

/** Milliseconds between two checks that the program still runs. */
const WATCH_INTERVAL_MS = 500;

let network: Runnable | undefined;

async function answer(request: NetworkRequest): Promise<NetworkReply> {
  try {
    if (!('open' in request)) return { outputs: await network!.run(request.feeds) };
    const { bytes, options } = request.open;
    network = await openInProcess(bytes, new CheckedModel(bytes, options.file).model, options);
    return { outputs: new Map() };
  } catch (error) {
    const known = error instanceof PlaybyplayError ? error : undefined;
    const { code, hint, issues } = known ?? {};
    return {
      failure: {
        message: messageOf(error),
        stack: undefined,
        ...(code === undefined ? {} : { code }),
        ...(hint === undefined ? {} : { hint }),
        ...(issues === undefined ? {} : { issues }),
      },
    };
  }
}

process.on('message', (request: NetworkRequest) => {
  void answer(request).then((reply) => process.send?.(reply));
});
process.on('disconnect', () => {
  process.exit();
});

/** Ends this process when the program (`workerData` is its process id) has ended. On Windows the id of the parent never changes. */
const watch = `
  const { workerData } = require('node:worker_threads');
  function isOrphan() {
    if (process.ppid !== workerData) return true;
    try {
      process.kill(workerData, 0);
      return false;
    } catch (error) {
      return error.code === 'ESRCH';
    }
  }
  setInterval(() => isOrphan() && process.kill(process.pid, 'SIGKILL'), ${WATCH_INTERVAL_MS});
`;
// In a thread of its own, because a run blocks this one.
new Worker(watch, { eval: true, workerData: Number(process.argv[2]) }).unref();
