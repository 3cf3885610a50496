import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { checkFile } from '../container/open.ts';

/** Bytes of a container that arrive over time, in order. */
export interface ByteSource extends AsyncDisposable {
  /** Resolves to the next bytes, at most `size`, as soon as there are some; `undefined` at the end. */
  read(size: number): Promise<Buffer | undefined>;
  /** Ends the source: what waits for bytes gets none. */
  stop(): void;
  /** Whether bytes had to be waited for since this was asked last; undefined where that is not known. */
  takeWaited(): boolean | undefined;
}

/** Milliseconds between two looks at a file that has not grown. */
const POLL_MS = 20;

/** A file that another program still writes to. Ends when it has not grown for some time. */
export class GrowingFile implements ByteSource {
  readonly #path: string;
  readonly #idleSeconds: number;
  readonly #stop = new AbortController();
  #file: FileHandle | undefined;
  #position = 0;
  #hasWaited = false;
  #isOver = false;

  /** @param idleSeconds Seconds without growth after which the file is complete. */
  constructor(path: string, idleSeconds: number) {
    this.#path = path;
    this.#idleSeconds = idleSeconds;
  }

  /** Waits until there is a file with content. @throws PlaybyplayError `no-such-file`, `not-a-video`, `unreadable-file`. */
  async open(): Promise<void> {
    const patience = performance.now() + 1000 * this.#idleSeconds;
    for (;;) {
      const found = await stat(this.#path).catch(() => undefined);
      if (found && (found.size > 0 || !found.isFile())) break;
      if (this.#stop.signal.aborted || performance.now() > patience) break;
      await this.#pause();
    }
    checkFile(this.#path);
    this.#file = await open(this.#path, 'r');
  }

  async read(size: number): Promise<Buffer | undefined> {
    const file = this.#file!;
    // FFmpeg asks again at the end.
    if (this.#isOver) return undefined;
    const buffer = Buffer.allocUnsafeSlow(size);
    let grown = performance.now();
    let known = -1;
    while (!this.#stop.signal.aborted) {
      const { bytesRead } = await file.read(buffer, 0, size, this.#position).catch((cause: unknown) => {
        throw new PlaybyplayError('unreadable-file', `${this.#path} cannot be read: ${messageOf(cause)}`, { cause });
      });
      if (bytesRead > 0) {
        this.#position += bytesRead;
        return buffer.subarray(0, bytesRead);
      }
      const found = await file.stat();
      if (found.size < this.#position)
        throw new PlaybyplayError('unreadable-file', `${this.#path} has become shorter while it was read`);
      if (found.size !== known) grown = performance.now();
      known = found.size;
      this.#isOver = performance.now() - grown > 1000 * this.#idleSeconds;
      if (this.#isOver) return undefined;
      await this.#pause();
      this.#hasWaited = true;
    }
    return undefined;
  }

  takeWaited(): boolean {
    const hasWaited = this.#hasWaited;
    this.#hasWaited = false;
    return hasWaited;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #pause(): Promise<void> {
    await sleep(POLL_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#file?.close();
  }
}

/** Bytes of a readable stream, such as standard input. */
export class StreamBytes implements ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #stream: NodeJS.ReadableStream;
  /** Lets the pending read end without bytes. */
  #endRead: (() => void) | undefined;
  #isStopped = false;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: NodeJS.ReadableStream) {
    this.#stream = stream;
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async read(size: number): Promise<Buffer | undefined> {
    if (this.#rest.length === 0) {
      const next = await this.#next();
      if (!next || next.done) return undefined;
      this.#rest = next.value;
    }
    const piece = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return piece;
  }

  /** The next chunk, or undefined once the source is stopped. A race with a lasting promise would keep every chunk alive. */
  async #next(): Promise<IteratorResult<Buffer> | undefined> {
    if (this.#isStopped) return undefined;
    return await new Promise((resolve, reject) => {
      this.#endRead = () => resolve(undefined);
      this.#chunks.next().then(resolve, reject);
    });
  }

  takeWaited(): undefined {
    return undefined;
  }

  stop(): void {
    this.#isStopped = true;
    this.#endRead?.();
    // Otherwise a terminal or pipe that stays open keeps the process alive.
    if ('destroy' in this.#stream && typeof this.#stream.destroy === 'function') this.#stream.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
  }
}
