import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import { serve } from '../../compute/scheduler/serve.ts';
import { decodeFrames, isGap } from './decode-frames.ts';
import { type DecoderMessage, POSTED, type SlotControl, SlotWriter, signal } from './picture-slots.ts';
import type { Chunk, PacketIndex } from '../packets/packet-index.ts';
import { openVideo, type VideoDescription, type VideoFile } from '../video.ts';

/** Opens the file that the thread decodes. */
interface OpenRequest {
  readonly path: string;
  readonly description: VideoDescription | undefined;
  readonly control: SlotControl;
  /** Takes one `DecoderMessage` per picture, gap and end. */
  readonly port: MessagePort;
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
let output: { readonly port: MessagePort; readonly control: SlotControl; readonly writer: SlotWriter } | undefined;

serve(async (request) => {
  const call = request as ThreadRequest;
  if (call === 'close') {
    file?.[Symbol.dispose]();
    output?.port.close();
  } else if ('open' in call) {
    const { path, description, control, port } = call.open;
    file = openVideo(path, description);
    output = { port, control, writer: new SlotWriter(control) };
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
        post(item);
        continue;
      }
      using picture = item;
      const message = output!.writer.write(picture);
      if (!message) return;
      post(message);
      if (++pictures % PICTURES_PER_TURN === 0) await nextTurn();
    }
  } finally {
    post('end');
  }
}

function post(message: DecoderMessage): void {
  output!.port.postMessage(message, []);
  signal(output!.control, POSTED);
}
