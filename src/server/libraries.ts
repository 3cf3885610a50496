import { join } from 'node:path';
import { Library } from '../library/library.ts';

/** Libraries that are kept open for questions. */
const MAX_OPEN = 50;

/** The libraries of tenants: each in a file or in a schema of its own, so that no question can reach another's. */
export class Libraries implements AsyncDisposable {
  readonly #location: string;
  readonly #open = new Map<string, Promise<Library>>();
  /** Ends when the writer of a tenant's library does. */
  readonly #writers = new Map<string, Promise<unknown>>();

  /** @param location A folder, or the address of a PostgreSQL database. */
  constructor(location: string) {
    this.#location = location;
  }

  /** The library of a tenant, for questions. */
  async get(tenant: string): Promise<Library> {
    const known = this.#open.get(tenant);
    if (known) {
      this.#open.delete(tenant);
      this.#open.set(tenant, known);
      return known;
    }
    const opened = Library.open(this.#locationOf(tenant), { create: true });
    this.#open.set(tenant, opened);
    opened.catch(() => this.#open.delete(tenant));
    const [oldest] = this.#open;
    if (this.#open.size > MAX_OPEN && oldest) {
      this.#open.delete(oldest[0]);
      // Questions that are being answered end first.
      setTimeout(() => void oldest[1].then((library) => library[Symbol.asyncDispose]()), 60_000).unref();
    }
    return opened;
  }

  /** Adds logs to the library of a tenant. */
  async add(tenant: string, logs: readonly string[]): Promise<void> {
    await this.#write(tenant, (library) => library.add(logs));
  }

  /** Removes the logs below a folder from the library of a tenant. */
  async remove(tenant: string, folder: string): Promise<void> {
    await this.#write(tenant, (library) => library.remove([folder]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#writers.values());
    for (const opened of this.#open.values()) await (await opened)[Symbol.asyncDispose]();
  }

  /** Writers have a connection of their own: what they have not committed is no answer. */
  async #write(tenant: string, change: (library: Library) => Promise<unknown>): Promise<void> {
    const previous = this.#writers.get(tenant);
    const next = (async () => {
      await previous?.catch(() => undefined);
      await using library = await Library.open(this.#locationOf(tenant), { create: true });
      await change(library);
    })();
    this.#writers.set(tenant, next);
    await next.finally(() => {
      if (this.#writers.get(tenant) === next) this.#writers.delete(tenant);
    });
  }

  #locationOf(tenant: string): string {
    if (!/^postgres(?:ql)?:\/\//i.test(this.#location)) return join(this.#location, `${tenant}.sqlite`);
    const url = new URL(this.#location);
    url.searchParams.set('library', tenant.replaceAll('-', ''));
    return url.href;
  }
}
