import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AVMEDIA_TYPE_VIDEO } from 'node-av/constants';
import { CodecParameters, type Frame } from 'node-av/lib';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { threadModule } from '../../threads/rpc-worker.ts';
import type { Failure } from '../../threads/serve.ts';
import { STUCK_CODE, stuckSeconds, STUCK_VARIABLE } from '../../threads/watchdog.ts';
import type { VideoEncoding } from './encoder.ts';

/** An encoded frame. */
export interface EncodedFrame {
  readonly data: Uint8Array;
  /** Presentation time in the encoder's time base. */
  readonly pts: bigint;
  readonly isKey: boolean;
}

/** Request to the process. */
export type EncoderRequest =
  | { readonly open: VideoEncoding }
  /** A frame in yuv420p, plane after plane. */
  | { readonly frame: Uint8Array; readonly pts: bigint; readonly isKey: boolean }
  | 'finish';

/** Message of the process: encoded frames as they come, and the end of a request. */
export type EncoderReply =
  | { readonly opened: StreamParameters }
  | { readonly encoded: EncodedFrame }
  | { readonly done: true }
  | { readonly failure: Failure };

/** What a muxer must know of the encoded frames. */
interface StreamParameters {
  readonly codecId: number;
  readonly extradata: Uint8Array | undefined;
}

/** A request that was not answered yet. */
interface Pending {
  readonly resolve: (parameters: StreamParameters | undefined) => void;
  readonly reject: (reason: unknown) => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * A video encoder in a process of its own, for libraries that at times do not return: SVT-AV1 up to 4.0 waits for itself for ever on some
 * frames. The process is ended when it does not respond, or when the program has ended. Calls must not overlap.
 */
export class EncoderProcess implements Disposable {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #sink: (frame: EncodedFrame) => void;
  #pending: Pending | undefined;
  #ended: PlaybyplayError | undefined;

  private constructor(name: string, sink: (frame: EncodedFrame) => void) {
    this.#name = name;
    this.#sink = sink;
    this.#child = fork(fileURLToPath(threadModule(import.meta.url, './encoder-child')), [String(process.pid)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    });
    this.#child.on('message', (reply: EncoderReply) => this.#receive(reply));
    this.#child.on('error', (error) => this.#end(this.#failed(messageOf(error))));
    this.#child.on('exit', (code, signal) =>
      this.#end(this.#failed(`its process ended with ${signal ?? `exit code ${code}`}`)),
    );
  }

  /**
   * Starts the process and opens the encoder.
   *
   * @param sink Takes each encoded frame.
   * @returns The encoder, and the parameters of its stream for a muxer.
   * @throws PlaybyplayError `no-encoder`, `encoder-failed`, `stuck-in-library`.
   */
  static async open(
    encoding: VideoEncoding,
    sink: (frame: EncodedFrame) => void,
  ): Promise<{ readonly encoder: EncoderProcess; readonly parameters: CodecParameters }> {
    const encoder = new EncoderProcess(encoding.encoder ?? 'libx264', sink);
    try {
      const { codecId, extradata } = (await encoder.#call({ open: encoding }))!;
      const parameters = new CodecParameters();
      parameters.alloc();
      parameters.codecType = AVMEDIA_TYPE_VIDEO;
      parameters.codecId = codecId as typeof parameters.codecId;
      parameters.width = encoding.width;
      parameters.height = encoding.height;
      parameters.extradata = extradata === undefined ? null : Buffer.from(extradata);
      if (encoding.color) {
        parameters.colorPrimaries = encoding.color.primaries as typeof parameters.colorPrimaries;
        parameters.colorTrc = encoding.color.transfer as typeof parameters.colorTrc;
        parameters.colorSpace = encoding.color.space as typeof parameters.colorSpace;
        parameters.colorRange = encoding.color.range as typeof parameters.colorRange;
      }
      return { encoder, parameters };
    } catch (error) {
      encoder[Symbol.dispose]();
      throw error;
    }
  }

  /** Encodes a frame in yuv420p. @throws PlaybyplayError `encoder-failed`, `stuck-in-library`. */
  async encode(frame: Frame, pts: bigint, isKey = false): Promise<void> {
    await this.#call({ frame: frame.toBuffer(), pts, isKey });
  }

  /** Encodes what the encoder still holds. @throws PlaybyplayError `encoder-failed`, `stuck-in-library`. */
  async finish(): Promise<void> {
    await this.#call('finish');
  }

  [Symbol.dispose](): void {
    this.#ended ??= this.#failed('it is closed');
    this.#child.kill('SIGKILL');
  }

  async #call(request: EncoderRequest): Promise<StreamParameters | undefined> {
    if (this.#ended) throw this.#ended;
    const { promise, resolve, reject } = Promise.withResolvers<StreamParameters | undefined>();
    this.#pending = { resolve, reject, timer: undefined };
    this.#watch();
    this.#child.send(request);
    try {
      return await promise;
    } finally {
      clearTimeout(this.#pending?.timer);
      this.#pending = undefined;
    }
  }

  #receive(reply: EncoderReply): void {
    if (!this.#pending) return;
    this.#watch();
    try {
      if ('opened' in reply) this.#pending.resolve(reply.opened);
      else if ('failure' in reply) {
        const { code = 'encoder-failed', message, hint } = reply.failure;
        throw new PlaybyplayError(code, message, { hint });
      } else if ('encoded' in reply) this.#sink(reply.encoded);
      else this.#pending.resolve(undefined);
    } catch (error) {
      this.#pending.reject(error);
    }
  }

  /** Ends the process if its next message does not come in time. */
  #watch(): void {
    const seconds = stuckSeconds();
    clearTimeout(this.#pending?.timer);
    this.#pending!.timer = setTimeout(() => {
      this.#end(
        new PlaybyplayError(STUCK_CODE, `the encoder ${this.#name} has not responded for ${seconds} s`, {
          hint: `Run the command again, or choose another codec: --codec hevc. On a very slow machine, set ${STUCK_VARIABLE}=${Math.ceil(10 * seconds)}.`,
        }),
      );
      this.#child.kill('SIGKILL');
    }, 1000 * seconds);
  }

  #end(reason: PlaybyplayError): void {
    this.#ended ??= reason;
    this.#pending?.reject(this.#ended);
  }

  #failed(reason: string): PlaybyplayError {
    return new PlaybyplayError('encoder-failed', `the encoder ${this.#name} failed: ${reason}`, {
      hint: 'Run the command again, or choose another codec: --codec hevc.',
    });
  }
}
