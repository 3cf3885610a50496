// The process of a network (network-process.ts): opens it with the first request and runs it with the others.
import { messageOf, PlaybyplayError } from '../errors.ts';
import { CheckedModel } from './onnx/checked-model.ts';
import { openInProcess, type Runnable } from './inference.ts';
import { exitWithParent } from '../threads/exit-with-parent.ts';
import type { NetworkReply, NetworkRequest } from './network-process.ts';

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

exitWithParent(Number(process.argv[2]));
