import { OBSWebSocket, OBSWebSocketError, type OBSRequestTypes } from 'obs-websocket-js/json';
import { messageOf } from '../errors.ts';
import { redactUrl } from '../media/live/source.ts';

/** Where OBS is, and what is reported. */
export interface ObsOptions {
  readonly address: string;
  readonly password?: string | undefined;
  /** Called with what went wrong; never with the password. */
  readonly onProblem: (message: string) => void;
}

/** The requests that triggers make. */
export type ObsRequest = 'SaveReplayBuffer' | 'SetCurrentProgramScene' | 'CreateRecordChapter';

/** Milliseconds for a connection or an answer. */
const TIMEOUT_MS = 5000;
/** After a failed connection, none is tried for so long: a program that is not there must not delay what is. */
const RETRY_AFTER_MS = 5000;
/** Status of the protocol: an output, such as the replay buffer, is not running. OBS gives no message with it. */
const OUTPUT_NOT_RUNNING = 501;
/** Requests that wait at most. */
const MAX_WAITING = 20;

/** Sends requests to OBS by its WebSocket protocol (version 5), one after the other. Connects when it is first needed. */
export class ObsClient implements AsyncDisposable {
  readonly #options: ObsOptions;
  readonly #socket = new OBSWebSocket();
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isConnected = false;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ObsOptions) {
    this.#options = options;
    this.#socket.on('ConnectionClosed', () => {
      this.#isConnected = false;
    });
    // Rejections report errors.
    this.#socket.on('ConnectionError', () => undefined);
  }

  /** Saves the replay buffer. */
  saveReplay(): Promise<boolean> {
    return this.#send('SaveReplayBuffer');
  }

  /** Marks a chapter in the running recording. */
  markChapter(chapterName: string): Promise<boolean> {
    return this.#send('CreateRecordChapter', { chapterName });
  }

  /** Shows a scene. */
  showScene(sceneName: string): Promise<boolean> {
    return this.#send('SetCurrentProgramScene', { sceneName });
  }

  /** The name of the scene that is shown; undefined where OBS does not say. */
  currentScene(): Promise<string | undefined> {
    let scene: string | undefined;
    return this.#enqueue('the current scene is not known', async () => {
      ({ currentProgramSceneName: scene } = await withTimeout(this.#socket.call('GetCurrentProgramScene')));
    }).then(() => scene);
  }

  #send<Type extends ObsRequest>(type: Type, data?: OBSRequestTypes[Type]): Promise<boolean> {
    return this.#enqueue(`${type} failed`, async () => {
      await withTimeout(this.#socket.call(type, data));
    });
  }

  /** Resolves to whether it was done. */
  #enqueue(failure: string, work: () => Promise<void>): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING) {
      this.#options.onProblem(`OBS: ${failure} (${MAX_WAITING} requests are waiting already)`);
      return Promise.resolve(false);
    }
    this.#waiting++;
    const done = this.#queue.then(async () => {
      try {
        await this.#connect();
        await work();
        return true;
      } catch (error) {
        this.#options.onProblem(`OBS: ${failure} (${this.#describe(error)})`);
        return false;
      } finally {
        this.#waiting--;
      }
    });
    this.#queue = done.then(() => undefined);
    return done;
  }

  async #connect(): Promise<void> {
    if (this.#isConnected) return;
    if (performance.now() - this.#failedAt < RETRY_AFTER_MS) throw new Error('it could not be reached just now');
    const { address, password } = this.#options;
    try {
      await withTimeout(this.#socket.connect(address, password, { rpcVersion: 1, eventSubscriptions: 0 }));
      this.#isConnected = true;
    } catch (error) {
      this.#failedAt = performance.now();
      await this.#socket.disconnect().catch(() => undefined);
      throw new Error(`${redactUrl(address)} cannot be reached: ${this.#describe(error)}`, { cause: error });
    }
  }

  /** The message of an error, without the password. */
  #describe(error: unknown): string {
    const { password } = this.#options;
    const code = error instanceof OBSWebSocketError ? error.code : undefined;
    const message =
      messageOf(error) || (code === OUTPUT_NOT_RUNNING ? 'it is not running in OBS' : `status ${code ?? 'unknown'}`);
    return password === undefined || password === '' ? message : message.replaceAll(password, '…');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue;
    await this.#socket.disconnect().catch(() => undefined);
  }
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
