// The process of a network (network-process.ts): opens it with the first request and runs it with the others.
import { messageOf, PlaybyplayError } from '../errors.ts';
import { guardProcess } from '../threads/guard-process.ts';
import { openInProcess, parseModel, type Runnable } from './inference.ts';
import type { NetworkReply, NetworkRequest } from './network-process.ts';
import { networkLimits } from './onnx/limits.ts';

let network: Runnable | undefined;

async function answer(request: NetworkRequest): Promise<NetworkReply> {
  try {
    if (!('open' in request)) return { outputs: await network!.run(request.feeds) };
    const { bytes, options } = request.open;
    network = await openInProcess(bytes, parseModel(bytes, options.file), options);
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

guardProcess(Number(process.argv[2]), networkLimits().memory);
