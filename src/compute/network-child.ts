// The process of a network (network-process.ts): opens it with the first request and runs it with the others.
import { serveParent } from '../threads/guard-process.ts';
import { openInProcess, parseModel, type Runnable } from './inference.ts';
import type { NetworkReply, NetworkRequest } from './network-process.ts';
import { networkLimits } from './onnx/limits.ts';

let network: Runnable | undefined;

serveParent(async (request: NetworkRequest): Promise<NetworkReply> => {
  if (!('open' in request)) return { outputs: await network!.run(request.feeds) };
  const { bytes, options } = request.open;
  network = await openInProcess(bytes, parseModel(bytes, options.file), options);
  return { outputs: new Map() };
}, networkLimits().memory);
