import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { serve } from '../../threads/serve.ts';
import { decodeFrames, isGap } from './decode-frames.ts';
import { PictureSender, type TransferControl } from './picture-transfer.ts';
import type { Chunk, PacketIndex } from '../packets/packet-index.ts';
import { openVideo, type VideoDescription, type VideoFile } from '../video.ts';

/** Opens the file that the thread decodes. */
interface OpenRequest {
  readonly path: string;
  readonly description: VideoDescription | undefined;
  readonly control: TransferControl;
  /** Where pictures go, and where their memory comes back. */
  readonly port: MessagePort;
  readonly maxPictures: number;
}

/** Asks for frames of a chunk, ascending. */
export interface DecodeRequest {
  readonly index: PacketIndex;
  readonly chunk: Chunk;
  readonly frames: readonly number[];
}

/** Calls that `DecoderWorker` makes, served one after the other. */
export type ThreadRequest = { readonly open: OpenRequest } | { readonly decode: DecodeRequest } | 'close';

/** Pictures after which the event loop turns: only then does the FFmpeg binding free what it allocated for each. */
const PICTURES_PER_TURN = 64;

let file: VideoFile | undefined;
let sender: PictureSender | undefined;

serve(async (request) => {
  const call = request as ThreadRequest;
  if (call === 'close') {
    file?.[Symbol.dispose]();
    sender?.close();
  } else if ('open' in call) {
    const { path, description, control, port, maxPictures } = call.open;
    file = openVideo(path, description);
    sender = new PictureSender(control, port, maxPictures);
  } else {
    // Another request often waits already, so the event loop would not turn between two.
    await nextTurn();
    await decode(call.decode);
  }
});

/** Decodes until everything is posted or the reader abandons the request. */
async function decode({ index, chunk, frames }: DecodeRequest): Promise<void> {
  let pictures = 0;
  try {
    for (const item of decodeFrames(file!, index, chunk, frames)) {
      if (isGap(item)) {
        sender!.send(item);
        continue;
      }
      using picture = item;
      if (!sender!.sendPicture(picture)) return;
      if (++pictures % PICTURES_PER_TURN === 0) await nextTurn();
    }
  } finally {
    sender!.send('end');
  }
}
