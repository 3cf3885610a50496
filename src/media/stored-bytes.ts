import { closeSync, openSync, readSync } from 'node:fs';

/** Reads pieces of a file into one buffer that grows to the longest of them. */
export class StoredBytes implements Disposable {
  readonly #path: string;
  #descriptor: number | undefined;
  #buffer = Buffer.allocUnsafeSlow(1 << 16);

  constructor(path: string) {
    this.#path = path;
  }

  /** Valid until the next call; undefined where the file ends before. */
  at(place: number, size: number): Buffer | undefined {
    this.#descriptor ??= openSync(this.#path, 'r');
    if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * size);
    if (readSync(this.#descriptor, this.#buffer, 0, size, place) < size) return undefined;
    return this.#buffer.subarray(0, size);
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
