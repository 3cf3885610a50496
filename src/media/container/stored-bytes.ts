import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../../errors.ts';
import { checkFile } from './open.ts';

/** Reads pieces of a file into one buffer that grows to the longest of them. */
export class StoredBytes implements Disposable {
  readonly #path: string;
  #descriptor: number | undefined;
  #buffer = Buffer.allocUnsafeSlow(1 << 16);

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Valid until the next call; or why the bytes cannot be had. Throws PlaybyplayError `no-such-file` or `unreadable-file` if the
   * file has gone since it was looked through.
   */
  at(place: number, size: number): Buffer | string {
    if (this.#descriptor === undefined) {
      checkFile(this.#path);
      this.#descriptor = openSync(this.#path, 'r');
    }
    if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * size);
    try {
      if (readSync(this.#descriptor, this.#buffer, 0, size, place) < size) return 'the file has become shorter';
    } catch (cause) {
      return `the file cannot be read here (${messageOf(cause)})`;
    }
    return this.#buffer.subarray(0, size);
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
