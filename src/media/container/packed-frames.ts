import { BitStreamFilter, BitStreamFilterContext } from 'node-av/lib';
import type { CodecParameters, Packet, Rational } from 'node-av/lib';
import { PlaybyplayError } from '../../errors.ts';

/**
 * Takes apart what DivX and Xvid pack into one packet of an avi: a picture and the B-picture that follows it in decode order, whose own
 * packet is then a placeholder. As many packets come out as go in, each with one picture.
 */
export class PackedFrameSplitter implements Disposable {
  readonly #filter: BitStreamFilterContext;
  readonly #path: string;

  constructor(parameters: CodecParameters, timeBase: Rational, path: string) {
    this.#path = path;
    this.#filter = new BitStreamFilterContext();
    const filter = BitStreamFilter.getByName('mpeg4_unpack_bframes');
    if (!filter || this.#filter.alloc(filter) < 0) throw this.#failed();
    parameters.copy(this.#filter.inputCodecParameters!);
    this.#filter.inputTimeBase = timeBase;
    if (this.#filter.init() < 0) throw this.#failed();
  }

  /** The stream as it is then. */
  get parameters(): CodecParameters {
    return this.#filter.outputCodecParameters!;
  }

  /** Puts what belongs into the packet in its place; negative on an error, as FFmpeg's code. */
  change(packet: Packet): number {
    const sent = this.#filter.sendPacketSync(packet);
    return sent < 0 ? sent : this.#filter.receivePacketSync(packet);
  }

  /** Forgets what the packets before left to come. */
  flush(): void {
    this.#filter.flush();
  }

  [Symbol.dispose](): void {
    this.#filter.free();
  }

  #failed(): PlaybyplayError {
    return new PlaybyplayError('unsupported-codec', `${this.#path}: its packed pictures cannot be taken apart`);
  }
}
