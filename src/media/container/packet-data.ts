import { closeSync, openSync, readSync } from 'node:fs';
import type { Packet } from 'node-av/lib';
import { messageOf } from '../../errors.ts';
import { checkFile } from './open.ts';

/** Read at a time; a packet is rarely longer. */
const WINDOW = 1 << 20;
/** Packets that are compared with the demuxer's before the file's own bytes are trusted. */
const TRIAL = 4;

/**
 * The bytes of packets without a copy each: where a container stores them in one piece at a known place (mp4, mov), they
 * are read from the file, through one window. Elsewhere each is copied out of the demuxer.
 */
export class PacketBytes implements Disposable {
  #file: number | undefined;
  #buffer = Buffer.alloc(0);
  /** The filled part of the buffer, and its place in the file. */
  #window = this.#buffer;
  #start = 0;
  #trial = TRIAL;
  /** Where in the file the last packet's bytes stand in one piece; NaN where that is not known. */
  place = Number.NaN;

  constructor(path: string, container: string) {
    if (!container.startsWith('mov,')) return;
    this.#file = openSync(path, 'r');
    this.#buffer = Buffer.allocUnsafeSlow(WINDOW);
  }

  /** Valid until the next call. */
  of(packet: Packet): Buffer {
    const place = Number(packet.pos);
    const stored = this.#file === undefined || place < 0 ? undefined : this.#at(place, packet.size);
    this.place = Number.NaN;
    if (!stored) return packet.data!;
    if (this.#trial > 0) {
      this.#trial--;
      const data = packet.data!;
      if (!data.equals(stored)) {
        this[Symbol.dispose]();
        return data;
      }
    }
    this.place = place;
    return stored;
  }

  #at(place: number, size: number): Buffer | undefined {
    if (place < this.#start || place + size > this.#start + this.#window.length) {
      if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(size);
      const length = readSync(this.#file!, this.#buffer, 0, this.#buffer.length, place);
      this.#window = this.#buffer.subarray(0, length);
      this.#start = place;
      if (length < size) return undefined;
    }
    return this.#window.subarray(place - this.#start, place - this.#start + size);
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Reads pieces of a file into one buffer that grows to the longest of them. */
export class FileReader implements Disposable {
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
