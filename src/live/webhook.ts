import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { redactUrl } from '../media/live/source.ts';
import { VERSION } from '../version.ts';

/** Options of `Webhooks`. */
export interface WebhookOptions {
  /** Called with what went wrong; never with more of an address than its host. */
  readonly onProblem: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 3;
/** Longest wait that a server may ask for. */
const MAX_WAIT_SECONDS = 30;
/** Messages that wait at most: beyond, new ones are not sent. */
const MAX_WAITING = 20;
/** Characters of a message: Discord takes 2000. */
const MAX_CHARACTERS = 2000;

/** Posts messages to webhooks in the form of Discord's, one after the other. */
export class Webhooks implements AsyncDisposable {
  readonly #options: WebhookOptions;
  readonly #stop = new AbortController();
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** Posts a message. Resolves when it was taken, or given up. */
  post(url: string, message: string): Promise<void> {
    if (this.#waiting >= MAX_WAITING) {
      this.#options.onProblem(`${redactUrl(url)}: a message was not sent, as ${MAX_WAITING} are waiting already`);
      return Promise.resolve();
    }
    this.#waiting++;
    this.#queue = this.#queue.then(async () => {
      await this.#deliver(url, message).catch((error: unknown) => {
        this.#options.onProblem(`${redactUrl(url)}: a message was not sent (${describe(error, url)})`);
      });
      this.#waiting--;
    });
    return this.#queue;
  }

  async #deliver(url: string, message: string): Promise<void> {
    const body = JSON.stringify({
      content: message.slice(0, MAX_CHARACTERS),
      username: 'playbyplay',
      // A player's name must not call the members of a server.
      allowed_mentions: { parse: [] },
    });
    const signal = this.#options.signal
      ? AbortSignal.any([this.#options.signal, this.#stop.signal])
      : this.#stop.signal;
    for (let attempt = 1; ; attempt++) {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': `playbyplay/${VERSION}` },
        body,
        // An address that leads elsewhere is not the one that the user named.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await answer.body?.cancel();
      if (answer.ok) return;
      const isTemporary = answer.status === 429 || answer.status >= 500;
      if (!isTemporary || attempt === MAX_ATTEMPTS) throw new Error(`it answers ${answer.status}`);
      const wait = Number(answer.headers.get('retry-after') ?? attempt);
      await sleep(1000 * Math.min(MAX_WAIT_SECONDS, Number.isFinite(wait) ? wait : attempt), undefined, { signal });
    }
  }

  /** Gives up what has not been sent within a moment. */
  async [Symbol.asyncDispose](): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), TIMEOUT_MS);
    await this.#queue;
    clearTimeout(timer);
  }
}

/** The message of an error, and of its cause, without the address. */
function describe(error: unknown, url: string): string {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
  return `${messageOf(error)}${cause}`.replaceAll(url, redactUrl(url));
}
