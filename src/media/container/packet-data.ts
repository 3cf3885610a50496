import { closeSync, readSync } from 'node:fs';
import type { Packet } from 'node-av/lib';
import { messageOf } from '../../errors.ts';
import { openFile } from './open.ts';

/** Reads byte ranges of a file into one buffer, which grows to the longest of them. */
export class FileReader implements Disposable {
  readonly #path: string;
  readonly #readAheadBytes: number;
  #descriptor: number | undefined;
  #buffer = Buffer.alloc(0);
  /** The filled part of the buffer and its offset in the file. */
  #window = this.#buffer;
  #windowOffset = 0;

  /** @param readAheadBytes How many bytes to read at once, for ranges that follow each other. */
  constructor(path: string, readAheadBytes = 0) {
    this.#path = path;
    this.#readAheadBytes = readAheadBytes;
  }

  /**
   * Reads a range.
   *
   * @returns The bytes, valid until the next call, or the reason why they cannot be read.
   * @throws PlaybyplayError `no-such-file` or `unreadable-file` when the file is gone before the first read.
   */
  read(offset: number, size: number): Buffer | string {
    this.#descriptor ??= openFile(this.#path);
    if (offset < this.#windowOffset || offset + size > this.#windowOffset + this.#window.length) {
      const length = Math.max(size, this.#readAheadBytes);
      if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * size > length ? 2 * size : length);
      try {
        const got = readSync(this.#descriptor, this.#buffer, 0, length, offset);
        this.#window = this.#buffer.subarray(0, got);
        this.#windowOffset = offset;
        if (got < size) return 'the file has become shorter';
      } catch (cause) {
        return `the file cannot be read here (${messageOf(cause)})`;
      }
    }
    return this.#window.subarray(offset - this.#windowOffset, offset - this.#windowOffset + size);
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

const READ_AHEAD_BYTES = 1 << 20;
/** Packets compared with the demuxer's bytes before the file's own are trusted. */
const VERIFIED_PACKETS = 4;

/**
 * Gives the bytes of demuxed packets. mp4 and mov store packets in one piece, so these are read from the file, many at a
 * time; those of other containers are copied out of the demuxer one by one.
 */
export class PacketData implements Disposable {
  #file: FileReader | undefined;
  #unverified = VERIFIED_PACKETS;
  /** Offset of the last packet's bytes in the file; NaN where they are not stored in one piece. */
  offset = Number.NaN;

  /** @param container FFmpeg's name of the demuxer. */
  constructor(path: string, container: string) {
    if (container.startsWith('mov,')) this.#file = new FileReader(path, READ_AHEAD_BYTES);
  }

  /** Returns the packet's bytes, valid until the next call. */
  read(packet: Packet): Buffer {
    this.offset = Number.NaN;
    const offset = Number(packet.pos);
    const stored = offset < 0 ? undefined : this.#file?.read(offset, packet.size);
    if (stored === undefined || typeof stored === 'string') return packet.data!;
    if (this.#unverified > 0) {
      this.#unverified--;
      const data = packet.data!;
      if (!data.equals(stored)) {
        this[Symbol.dispose]();
        return data;
      }
    }
    this.offset = offset;
    return stored;
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
    this.#file = undefined;
  }
}
