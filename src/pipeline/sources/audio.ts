import type { AudioObservation, Listener, Reading } from '../../detectors/kind.ts';
import { SAMPLE_RATE, Spectrogram } from '../../detectors/sound/spectrogram.ts';
import { PlaybyplayError } from '../../errors.ts';
import { type AudioBlock, readAudio } from '../../media/audio.ts';
import type { CompiledProfile } from '../compile-profile.ts';

/** Sound before the range of a run that listeners take in to know what is usual. */
const LEAD_IN_SECONDS = 10;
/** A stretch without samples from which on sound is missing. */
const MIN_GAP_SECONDS = 0.05;
/** A frame of the spectrogram is made when 21 ms more of sound are there. */
const FRAME_DELAY_SECONDS = 0.1;

/** A detector of a sound track. */
export interface DetectorListener {
  /** Its name. */
  readonly detector: string;
  readonly listener: Listener;
}

/** Which sound is read, and how its times relate to those of the recording. */
export interface AudioOptions {
  /** Container time, in seconds, of the first video frame. */
  readonly origin: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Name of the companion recording; undefined: the recording itself. */
  readonly companion?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Listens to the sound of a recording, forwards, as far as it is asked for. Sound is taken in order from the beginning of the
 * range whatever was read before, so the readings do not depend on chunks, workers and interruptions; doing so again costs a
 * hundredth of reading the video.
 */
export class AudioReader implements Disposable {
  readonly #tracks: readonly Track[];

  private constructor(tracks: readonly Track[]) {
    this.#tracks = tracks;
  }

  /** `onMissing` is called for tracks that are not there. Without audio detectors no sound is decoded. */
  static async open(
    media: string,
    game: CompiledProfile,
    { origin, from, to, companion, signal }: AudioOptions,
    onMissing: (error: PlaybyplayError) => void,
  ): Promise<AudioReader> {
    const tracks: Track[] = [];
    for (const [number, listeners] of await openListeners(game, companion)) {
      const start = Math.max(0, from ?? 0);
      const blocks = readAudio(media, {
        track: number,
        sampleRate: SAMPLE_RATE,
        stereo: true,
        origin,
        ...(from === undefined ? {} : { from: start - LEAD_IN_SECONDS }),
        to,
        signal,
      });
      const track = new Track(blocks, listeners, start);
      try {
        track.start();
        tracks.push(track);
      } catch (error) {
        if (!(error instanceof PlaybyplayError)) throw error;
        onMissing(error);
      }
    }
    return new AudioReader(tracks);
  }

  /** The readings before `t` seconds that were not given out yet, in order of time. */
  until(t: number): Reading[] {
    const readings = this.#tracks.flatMap((track) => track.until(t));
    return this.#tracks.length < 2 ? readings : readings.toSorted((a, b) => a.t - b.t);
  }

  [Symbol.dispose](): void {
    for (const track of this.#tracks) track.close();
  }
}

/**
 * Opens the audio detectors of a recording, by sound track.
 *
 * @param companion Name of the companion recording; undefined: the recording itself.
 */
export async function openListeners(
  { detectors, assets }: CompiledProfile,
  companion: string | undefined,
): Promise<ReadonlyMap<number, readonly DetectorListener[]>> {
  const listeners = new Map<number, DetectorListener[]>();
  for (const { name, kind, spec, media } of detectors) {
    if (kind.input !== 'audio' || media !== companion) continue;
    const track = Number(spec['track'] ?? 0);
    const own = { detector: name, listener: await kind.listen(spec, assets) };
    listeners.set(track, [...(listeners.get(track) ?? []), own]);
  }
  return listeners;
}

/** A sound track that is read as far as it is asked for. */
class Track {
  readonly #blocks: Generator<AudioBlock, void, undefined>;
  readonly #sound: TrackListeners;
  #next: IteratorResult<AudioBlock, void> | undefined;

  constructor(blocks: Generator<AudioBlock, void, undefined>, listeners: readonly DetectorListener[], from: number) {
    this.#blocks = blocks;
    this.#sound = new TrackListeners(listeners, from);
  }

  /** Opens the track. Throws what `readAudio` throws. */
  start(): void {
    this.#next = this.#blocks.next();
  }

  until(t: number): Reading[] {
    while (this.#next && !this.#next.done && this.#sound.settled < t) {
      this.#sound.take(this.#next.value);
      this.#next = this.#blocks.next();
    }
    if (this.#next?.done) {
      this.#sound.pause();
      this.#next = undefined;
    }
    return this.#sound.until(t);
  }

  close(): void {
    this.#blocks.return();
  }
}

/** The detectors of a sound track, and what they heard and was not asked for yet. */
export class TrackListeners {
  readonly #listeners: readonly DetectorListener[];
  readonly #from: number;
  readonly #delay: number;
  readonly #spectrogram = new Spectrogram();
  #heard: Reading[] = [];
  /** Seconds where the sound taken in so far ends. */
  #end = Number.NEGATIVE_INFINITY;

  /** @param from Seconds from which on readings are given. */
  constructor(listeners: readonly DetectorListener[], from: number) {
    this.#listeners = listeners;
    this.#from = from;
    this.#delay = Math.max(...listeners.map(({ listener }) => listener.delay)) + FRAME_DELAY_SECONDS;
  }

  /** Seconds before which all readings are known. */
  get settled(): number {
    return this.#end - this.#delay;
  }

  /** Takes the next block of the track. */
  take(block: AudioBlock): void {
    if (block.t - this.#end > MIN_GAP_SECONDS && Number.isFinite(this.#end)) this.pause();
    for (const frame of this.#spectrogram.push(block)) {
      for (const { detector, listener } of this.#listeners) this.#note(detector, listener.hear(frame));
    }
    this.#end = block.t + block.samples.length / SAMPLE_RATE;
  }

  /** Sound is missing from here on, or it is over. */
  pause(): void {
    for (const { detector, listener } of this.#listeners) this.#note(detector, listener.pause());
  }

  /** The readings before `t` seconds that were not given out yet, in order of time. */
  until(t: number): Reading[] {
    const ready = this.#heard.filter((reading) => reading.t < t).toSorted((a, b) => a.t - b.t);
    this.#heard = this.#heard.filter((reading) => reading.t >= t);
    return ready;
  }

  #note(detector: string, heard: readonly AudioObservation[]): void {
    for (const { t, observation } of heard) if (t >= this.#from) this.#heard.push({ detector, t, observation });
  }
}
