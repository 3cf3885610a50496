import { BitStreamFilter, BitStreamFilterContext } from 'node-av/lib';
import type { CodecParameters, Packet, Rational } from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';

/**
 * Splits the packed bitstream that DivX and Xvid write to avi: one packet holds a picture and the B-picture that follows
 * it, whose own packet is a placeholder. As many packets come out as go in, each with one picture.
 */
export class PackedFrameSplitter implements Disposable {
  readonly #filter = new BitStreamFilterContext();
  readonly #path: string;

  /** @throws PlaybyplayError `unsupported-codec` when FFmpeg's filter cannot be set up. */
  constructor(parameters: CodecParameters, timeBase: Rational, path: string) {
    this.#path = path;
    const filter = BitStreamFilter.getByName('mpeg4_unpack_bframes');
    if (!filter || this.#filter.alloc(filter) < 0) throw this.#failure();
    parameters.copy(this.#filter.inputCodecParameters!);
    this.#filter.inputTimeBase = timeBase;
    if (this.#filter.init() < 0) throw this.#failure();
  }

  /** Parameters of the stream that comes out. */
  get parameters(): CodecParameters {
    return this.#filter.outputCodecParameters!;
  }

  /** Replaces a packet by the one that belongs in its place; returns FFmpeg's code, negative on an error. */
  replace(packet: Packet): number {
    const sent = this.#filter.sendPacketSync(packet);
    return sent < 0 ? sent : this.#filter.receivePacketSync(packet);
  }

  /** Discards what earlier packets left over, before a seek. */
  flush(): void {
    this.#filter.flush();
  }

  [Symbol.dispose](): void {
    this.#filter.free();
  }

  #failure(): PlaybyplayError {
    return new PlaybyplayError('unsupported-codec', `${this.#path}: its packed pictures cannot be split`);
  }
}
