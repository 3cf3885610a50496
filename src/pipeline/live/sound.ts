import type { Packet, Stream } from 'node-av/lib';
import type { Reading } from '../../detectors/kind.ts';
import { SAMPLE_RATE } from '../../detectors/sound/spectrogram.ts';
import { PlaybyplayError } from '../../errors.ts';
import { AudioDecoder, missingTrack } from '../../media/audio.ts';
import type { LiveInput } from '../../media/live/input.ts';
import { nameOfSource } from '../../media/live/source.ts';
import type { CompiledProfile } from '../compile-profile.ts';
import type { ChunkEndMessage, SampleMessage, SideMessage } from '../messages.ts';
import { type DetectorListener, openListeners, TrackListeners } from '../sources/audio.ts';

type LiveMessage = SampleMessage | ChunkEndMessage | SideMessage;

/** Seconds for which samples wait for sound that arrives later than they do. */
const MAX_WAIT_SECONDS = 3;
/** Seconds of a stretch without sound that one line of the log names. */
const GAP_SECONDS = 1;
/** Packets that are kept while the first frame, which the clock begins with, has not arrived. */
const MAX_EARLY_PACKETS = 512;

interface LiveTrack {
  readonly number: number;
  readonly sound: TrackListeners;
  /** Of this connection; undefined where it has no such track. */
  open: { readonly stream: number; readonly decoder: AudioDecoder } | undefined;
}

/** When a time of the container is, in seconds of the session; undefined while no frame has arrived. */
type ToSessionTime = (seconds: number) => number | undefined;

/**
 * Adds to the samples of a live session what its sound detectors hear. Samples wait until the sound up to their time has been
 * heard, so that readings are in order of time. Where sound is too late, samples wait no longer: what is heard afterwards of the time
 * before is discarded, and gaps say so.
 */
export class LiveSound implements Disposable {
  readonly #tracks: readonly LiveTrack[];
  #toSessionTime: ToSessionTime = () => undefined;
  /** Packets that came before the first frame. */
  #early: { readonly packet: Packet; readonly stream: number }[] = [];
  /** Messages that wait, in order. */
  #waiting: LiveMessage[] = [];
  /** Seconds of the last sample that was given out, and of the last that came in. */
  #released = Number.NEGATIVE_INFINITY;
  #latest = Number.NEGATIVE_INFINITY;
  #isLate = false;
  #gapEnd = Number.NEGATIVE_INFINITY;

  private constructor(listeners: ReadonlyMap<number, readonly DetectorListener[]>) {
    this.#tracks = [...listeners].map(([number, own]) => ({
      number,
      sound: new TrackListeners(own, 0),
      open: undefined,
    }));
  }

  /** Resolves to undefined for a game without sound detectors. */
  static async open(game: CompiledProfile): Promise<LiveSound | undefined> {
    const listeners = await openListeners(game, undefined);
    return listeners.size === 0 ? undefined : new LiveSound(listeners);
  }

  /**
   * Hears a new connection.
   *
   * @returns The streams whose packets are needed, and warnings about tracks that the connection lacks.
   */
  connect(
    input: LiveInput,
    toSessionTime: ToSessionTime,
  ): { readonly streams: readonly number[]; readonly warnings: readonly SideMessage[] } {
    this.#toSessionTime = toSessionTime;
    const { audio } = input;
    const name = nameOfSource(input.source);
    const warnings: SideMessage[] = [];
    for (const track of this.#tracks) {
      try {
        const stream = audio[track.number];
        if (!stream) throw missingTrack(name, audio.length, track.number);
        track.open = { stream: stream.index, decoder: openDecoder(stream, name) };
      } catch (error) {
        if (!(error instanceof PlaybyplayError)) throw error;
        const message = `${error.message}; audio detectors are left out`;
        warnings.push({ type: 'warning', about: 'recording', issue: { code: error.code, message } });
      }
    }
    return { streams: this.#tracks.flatMap(({ open }) => (open ? [open.stream] : [])), warnings };
  }

  /** Takes a packet of sound, which the caller frees. @returns The messages that waited for it. */
  *hear(packet: Packet, stream: number): Generator<LiveMessage, void, undefined> {
    if (!this.#tracks.some(({ open }) => open?.stream === stream)) return;
    if (this.#toSessionTime(0) === undefined) {
      const copy = packet.clone();
      if (copy) this.#early.push({ packet: copy, stream });
      if (this.#early.length > MAX_EARLY_PACKETS) this.#early.shift()!.packet.free();
      return;
    }
    this.#hearEarly();
    this.#decode(packet, stream);
    yield* this.#release();
  }

  /** Takes the next message about samples. @returns Those that need not wait. */
  *add(message: LiveMessage): Generator<LiveMessage, void, undefined> {
    if (message.type === 'sample') this.#latest = message.t;
    this.#waiting.push(message);
    this.#hearEarly();
    yield* this.#release();
  }

  /** The connection is over: gives out everything. */
  *finish(): Generator<LiveMessage, void, undefined> {
    this.#hearEarly();
    for (const { open, sound } of this.#tracks) {
      if (open) this.#decode(null, open.stream);
      sound.pause();
    }
    this.#close();
    yield* this.#release();
    yield* this.#heardBefore(Number.POSITIVE_INFINITY);
    for (const { packet } of this.#early.splice(0)) packet.free();
  }

  /** Seconds before which everything has been heard. */
  get #settled(): number {
    return Math.min(...this.#tracks.map(({ open, sound }) => (open ? sound.settled : Number.POSITIVE_INFINITY)));
  }

  #hearEarly(): void {
    if (this.#early.length === 0 || this.#toSessionTime(0) === undefined) return;
    for (const { packet, stream } of this.#early.splice(0)) {
      this.#decode(packet, stream);
      packet.free();
    }
  }

  #decode(packet: Packet | null, stream: number): void {
    for (const { open, sound } of this.#tracks) {
      if (open?.stream !== stream) continue;
      for (const block of open.decoder.decode(packet, (seconds) => this.#toSessionTime(seconds)!)) sound.take(block);
    }
  }

  *#release(): Generator<LiveMessage, void, undefined> {
    const settled = this.#settled;
    if (this.#isLate && settled > this.#latest - MAX_WAIT_SECONDS) this.#isLate = false;
    while (this.#waiting.length > 0) {
      const [next] = this.#waiting;
      if (next?.type === 'sample' && !(next.t < settled)) {
        this.#isLate ||= this.#latest - next.t > MAX_WAIT_SECONDS;
        if (!this.#isLate) return;
        if (next.t >= this.#gapEnd) {
          this.#gapEnd = next.t + GAP_SECONDS;
          yield { type: 'gap', gap: { t: next.t, end: this.#gapEnd, reason: 'sound is late' } };
        }
      }
      this.#waiting.shift();
      if (next?.type === 'sample') yield* this.#complete(next);
      else if (next) yield next;
    }
  }

  /** A sample with what was heard before it and at the same time. */
  *#complete(sample: SampleMessage): Generator<SampleMessage, void, undefined> {
    const { t } = sample;
    yield* this.#heardBefore(t);
    // Times are whole microseconds.
    const same = this.#take(t + 1e-7);
    this.#released = t;
    yield same.length === 0 ? sample : { ...sample, readings: [...sample.readings, ...same] };
  }

  *#heardBefore(t: number): Generator<SampleMessage, void, undefined> {
    const readings = this.#take(t);
    for (const group of Map.groupBy(readings, (reading) => reading.t).values()) {
      this.#released = group[0]!.t;
      yield { type: 'sample', t: this.#released, readings: group, isFrame: false };
    }
  }

  /** The readings before `t` seconds, without those that come too late. */
  #take(t: number): readonly Reading[] {
    const readings = this.#tracks.flatMap(({ sound }) => sound.until(t)).filter((one) => one.t > this.#released);
    return readings.toSorted((a, b) => a.t - b.t);
  }

  #close(): void {
    for (const track of this.#tracks) {
      track.open?.decoder[Symbol.dispose]();
      track.open = undefined;
    }
  }

  [Symbol.dispose](): void {
    for (const { packet } of this.#early.splice(0)) packet.free();
    this.#close();
  }
}

function openDecoder(stream: Stream, name: string): AudioDecoder {
  return new AudioDecoder(stream, name, { sampleRate: SAMPLE_RATE, stereo: true });
}
