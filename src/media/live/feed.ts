import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { LiveInput, type LiveInputOptions, type LivePacket } from './input.ts';
import { type LiveSource, listens, receivesDatagrams } from './source.ts';

/** What a live source gives, in order. The receiver frees packets. */
export type FeedItem =
  | { readonly type: 'connected'; readonly input: LiveInput }
  | ({ readonly type: 'packet' } & LivePacket)
  | { readonly type: 'lost'; readonly reason: string };

/** The items of a live source, in order. */
export interface FeedItems extends AsyncDisposable {
  /** Resolves to the next item; `undefined` at the end. */
  next(): Promise<FeedItem | undefined>;
  /** Closes an input that a `connected` item named, once nothing of it is used any more. */
  release(input: LiveInput): Promise<void>;
  /** `performance.now()` at the first packet, where that was before it is asked for. */
  readonly arrived?: number | undefined;
}

/** Options of a `LiveFeed`. */
export interface LiveFeedOptions extends LiveInputOptions {
  /** Seconds without a packet after which a connection is given up. */
  readonly stallSeconds: number;
  /** Seconds for which a lost connection is tried again. */
  readonly reconnectSeconds: number;
  /** Called when a source of the network is about to be opened for the first time, and each time that a sender is waited for. */
  readonly onOpen?: ((source: LiveSource) => void) | undefined;
  /** Called when a connection is about to be tried again. */
  readonly onRetry?: ((reason: string, delaySeconds: number) => void) | undefined;
}

/** Defaults of `LiveFeedOptions`. */
export const LIVE_DEFAULTS = {
  idleSeconds: 10,
  connectSeconds: 20,
  stallSeconds: 10,
  reconnectSeconds: Number.POSITIVE_INFINITY,
} as const;

/** Seconds before the first and, doubling, before later attempts. */
const FIRST_DELAY_SECONDS = 0.5;
const MAX_DELAY_SECONDS = 30;
/** Packets that wait for the consumer: beyond, a file is not read on, and of a network stream the oldest are lost. */
const MAX_WAITING_PACKETS = 4096;
const MAX_WAITING_BYTES = 256 << 20;
const MAX_WAITING_OF_FILE = 64;

/**
 * Reads packets from a live source while the consumer works on earlier ones, and connects again when a connection is lost.
 * Files and standard input wait for the consumer and end; the others do not wait, and end when they cannot be reached any more.
 */
export class LiveFeed implements FeedItems {
  readonly #source: LiveSource;
  readonly #options: LiveFeedOptions;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #waiting: FeedItem[] = [];
  readonly #run: Promise<void>;
  #bytes = 0;
  #isDone = false;
  #failure: unknown;
  #notifyConsumer: (() => void) | undefined;
  #notifyReader: (() => void) | undefined;
  #inputs: LiveInput[] = [];
  #lostPackets = 0;

  constructor(source: LiveSource, options: LiveFeedOptions) {
    this.#source = source;
    this.#options = options;
    this.#signal = options.signal ? AbortSignal.any([options.signal, this.#stop.signal]) : this.#stop.signal;
    this.#run = this.#read()
      .catch((error: unknown) => {
        if (!this.#signal.aborted) this.#failure = error;
      })
      .finally(() => {
        this.#isDone = true;
        this.#notifyConsumer?.();
      });
  }

  /** Whether the source waits for its consumer. */
  get #isPatient(): boolean {
    return this.#source.kind === 'file' || this.#source.kind === 'stdin';
  }

  /**
   * Resolves to the next item; `undefined` at the end.
   * @throws what the first connection throws.
   */
  async next(): Promise<FeedItem | undefined> {
    while (this.#waiting.length === 0 && !this.#isDone)
      await new Promise<void>((resolve) => {
        this.#notifyConsumer = resolve;
      });
    const item = this.#waiting.shift();
    if (item?.type === 'packet') this.#bytes -= item.packet.size;
    this.#notifyReader?.();
    if (item) return item;
    if (this.#failure !== undefined) throw this.#failure;
    return undefined;
  }

  /** Closes an input that a `connected` item named, once nothing of it is used any more. */
  async release(input: LiveInput): Promise<void> {
    this.#inputs = this.#inputs.filter((one) => one !== input);
    await input[Symbol.asyncDispose]();
  }

  async #read(): Promise<void> {
    let delay = FIRST_DELAY_SECONDS;
    let lostAt: number | undefined;
    for (let connection = 0; !this.#signal.aborted; ) {
      let reason: string;
      try {
        const isNetwork = this.#source.kind === 'network' || this.#source.kind === 'hls';
        if (isNetwork && (connection === 0 || listens(this.#source))) this.#options.onOpen?.(this.#source);
        const input = await LiveInput.open(this.#source, { ...this.#options, signal: this.#signal });
        this.#inputs.push(input);
        connection++;
        this.#push({ type: 'connected', input });
        const count = await this.#readPackets(input);
        // Whoever stops the session knows why it ends.
        if (this.#signal.aborted) return;
        if (count > 0) {
          delay = FIRST_DELAY_SECONDS;
          lostAt = undefined;
        }
        reason = input.problem ?? 'the sender ended the connection';
        // A playlist says itself that it is complete.
        if (this.#source.kind === 'hls' && input.problem === undefined) return;
        if (this.#isPatient) {
          if (input.problem !== undefined)
            this.#push({ type: 'lost', reason: `it cannot be read on (${input.problem})` });
          return;
        }
      } catch (error) {
        if (this.#signal.aborted || this.#isPatient || connection === 0 || !(error instanceof PlaybyplayError))
          throw error;
        reason = messageOf(error);
      }
      if (this.#signal.aborted) return;
      lostAt ??= performance.now();
      this.#push({ type: 'lost', reason });
      if (performance.now() - lostAt + 1000 * delay > 1000 * this.#options.reconnectSeconds) return;
      this.#options.onRetry?.(reason, delay);
      await sleep(1000 * delay, undefined, { signal: this.#signal }).catch(() => undefined);
      // Datagrams are not asked for, only received: nobody is troubled, and what is sent while nobody listens is lost.
      if (!receivesDatagrams(this.#source)) delay = Math.min(2 * delay, MAX_DELAY_SECONDS);
    }
  }

  /** Reads until the connection ends; returns how many packets there were. */
  async #readPackets(input: LiveInput): Promise<number> {
    const interrupt = (): void => input.interrupt();
    const { stallSeconds } = this.#options;
    let hasStalled = false;
    const giveUp = (): void => {
      hasStalled = true;
      input.interrupt();
    };
    this.#signal.addEventListener('abort', interrupt);
    let count = 0;
    try {
      while (!this.#signal.aborted) {
        const timer = this.#isPatient ? undefined : setTimeout(giveUp, 1000 * stallSeconds);
        const read = await input.read().finally(() => clearTimeout(timer));
        if (!read) {
          if (hasStalled) input.problem = `nothing arrived for ${stallSeconds} s`;
          break;
        }
        count++;
        await this.#makeRoom(read.packet.size);
        this.#push({ type: 'packet', ...read });
      }
    } finally {
      this.#signal.removeEventListener('abort', interrupt);
    }
    return count;
  }

  /** Waits until there is room for another packet; of a source that does not wait, gives up the oldest packets instead. */
  async #makeRoom(bytes: number): Promise<void> {
    if (this.#isPatient) {
      while (this.#waiting.length >= MAX_WAITING_OF_FILE && !this.#signal.aborted)
        await new Promise<void>((resolve) => {
          this.#notifyReader = resolve;
        });
      return;
    }
    const isFull = (): boolean =>
      this.#waiting.length >= MAX_WAITING_PACKETS || this.#bytes + bytes > MAX_WAITING_BYTES;
    while (isFull()) {
      const at = this.#waiting.findIndex(({ type }) => type === 'packet');
      if (at < 0) return;
      const [oldest] = this.#waiting.splice(at, 1);
      if (oldest?.type !== 'packet') return;
      this.#bytes -= oldest.packet.size;
      oldest.packet.free();
      this.#lostPackets++;
    }
  }

  /** Packets that were given up because the consumer was too slow. */
  get lostPackets(): number {
    return this.#lostPackets;
  }

  #push(item: FeedItem): void {
    if (item.type === 'packet') this.#bytes += item.packet.size;
    this.#waiting.push(item);
    this.#notifyConsumer?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#notifyReader?.();
    for (const input of this.#inputs) input.interrupt();
    await this.#run;
    for (const item of this.#waiting.splice(0)) if (item.type === 'packet') item.packet.free();
    for (const input of this.#inputs.splice(0)) await input[Symbol.asyncDispose]();
  }
}
