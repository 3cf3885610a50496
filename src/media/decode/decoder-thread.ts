import { setImmediate as turn } from 'node:timers/promises';
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { serve } from '../../compute/scheduler/serve.ts';
import { isGap, decodeFrames } from './decode-frames.ts';
import { type Counters, packPicture, RETURNED, SENT, type DecoderMessage, STOPPED } from './decoder-messages.ts';
import type { Chunk, PacketIndex } from '../packets/packet-index.ts';
import { openVideo, type VideoDescription, type VideoFile } from '../video.ts';

/** What the thread of `DecoderWorker` is asked, one after the other. */
export type ThreadRequest =
  | { readonly open: Opening }
  | { readonly index: PacketIndex; readonly chunk: Chunk; readonly wanted: readonly number[] }
  | { readonly close: true };

interface Opening {
  readonly path: string;
  readonly described: VideoDescription | undefined;
  readonly counters: Counters;
  /** Where pictures go, and where their memory comes back. */
  readonly port: MessagePort;
  /** So many pictures may wait or be looked at. */
  readonly most: number;
}

let file: VideoFile | undefined;
let sender: Sender | undefined;

serve(async (request) => {
  const wanted = request as ThreadRequest;
  if ('open' in wanted) {
    file = openVideo(wanted.open.path, wanted.open.described);
    sender = new Sender(wanted.open);
  } else if ('close' in wanted) {
    file?.[Symbol.dispose]();
    sender?.close();
  } else {
    // Another request often waits already: without a turn of the event loop between them the library's packets are never freed.
    await turn();
    decode(file!, sender!, wanted);
  }
});

/** Decodes until all is decoded or the reader has stopped. */
function decode(
  from: VideoFile,
  to: Sender,
  { index, chunk, wanted }: { index: PacketIndex; chunk: Chunk; wanted: readonly number[] },
): void {
  try {
    for (const item of decodeFrames(from, index, chunk, wanted)) {
      if (isGap(item)) {
        to.send(item);
        continue;
      }
      using picture = item;
      const sent = packPicture(picture, (bytes) => to.memory(bytes));
      if (!sent) return;
      to.send(sent, sent.memory);
    }
  } finally {
    to.send('over');
  }
}

class Sender {
  readonly #counters: Counters;
  readonly #port: MessagePort;
  readonly #most: number;
  readonly #free: ArrayBuffer[] = [];
  #away = 0;

  constructor({ counters, port, most }: Opening) {
    this.#counters = counters;
    this.#port = port;
    this.#most = most;
  }

  send(item: DecoderMessage, memory?: ArrayBuffer): void {
    if (memory) this.#away++;
    this.#port.postMessage(item, memory ? [memory] : []);
    Atomics.add(this.#counters, SENT, 1);
    Atomics.notify(this.#counters, SENT);
  }

  /** Memory for a picture, as soon as there may be one more; undefined: the reader has stopped. Waits with all of its thread. */
  memory(bytes: number): ArrayBuffer | undefined {
    for (;;) {
      const returned = Atomics.load(this.#counters, RETURNED);
      for (let back = receiveMessageOnPort(this.#port); back; back = receiveMessageOnPort(this.#port)) {
        this.#away--;
        this.#free.push(back.message as ArrayBuffer);
      }
      if (Atomics.load(this.#counters, STOPPED) !== 0) return undefined;
      if (this.#away < this.#most) break;
      Atomics.wait(this.#counters, RETURNED, returned);
    }
    const known = this.#free.pop();
    return known && known.byteLength === bytes ? known : new ArrayBuffer(bytes);
  }

  close(): void {
    this.#port.close();
  }
}
