import type { Assets, Heard, Listener, Reading } from '../../detectors/kind.ts';
import type { Plugins } from '../../detectors/plugins/load.ts';
import { loadKind } from '../../detectors/registry.ts';
import { SAMPLE_RATE, Spectrogram } from '../../detectors/sound/spectrogram.ts';
import { PlaybyplayError } from '../../errors.ts';
import { type AudioBlock, readAudio } from '../../media/audio.ts';
import { mediaOf } from '../../profile/media.ts';
import type { Profile } from '../../profile/profile.ts';

/** Seconds of sound before the range of a run that listeners take in to know what is usual. */
const LEAD_IN = 10;
/** Seconds without samples that are a hole in the sound. */
const HOLE = 0.05;

interface Ear {
  readonly detector: string;
  readonly listener: Listener;
}

/** The detectors of a profile that hear a recording (`media`: a companion), by sound track; none of them means that no sound is decoded. */
async function earsOf(
  { detectors }: Profile,
  assets: Assets,
  plugins?: Plugins,
  media?: string,
): Promise<ReadonlyMap<number, readonly Ear[]>> {
  const ears = new Map<number, Ear[]>();
  for (const [detector, spec] of Object.entries(detectors)) {
    const kind = await loadKind(spec.kind, plugins);
    if (kind.input !== 'audio' || mediaOf(spec) !== media) continue;
    const track = Number(spec['track'] ?? 0);
    ears.set(track, [...(ears.get(track) ?? []), { detector, listener: await kind.listen(spec, assets) }]);
  }
  return ears;
}

/**
 * The names of a profile's detectors that look at no picture of a recording (`media`: of a companion): they hear, follow a
 * file, or belong to another recording.
 */
export async function hearersOf(
  { detectors }: Profile,
  plugins?: Plugins,
  media?: string,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const [name, spec] of Object.entries(detectors)) {
    const { input } = await loadKind(spec.kind, plugins);
    if (input === 'audio' || input === 'records' || mediaOf(spec) !== media) names.add(name);
  }
  return names;
}

export interface HearingOptions {
  /** Container time, in seconds, of the first video frame. */
  readonly origin: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Of a companion recording: its name. */
  readonly companion?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Listens to a recording, forwards, once: readings up to any time on demand. Sound is taken in order from the beginning (of
 * the range) whatever was read before, so the readings are the same for any chunks, workers and interruptions; the cost of
 * doing so again after an interruption is a hundredth of that of reading the video.
 */
export class Hearing implements Disposable {
  readonly #tracks: readonly Track[];

  private constructor(tracks: readonly Track[]) {
    this.#tracks = tracks;
  }

  /** `missing` is told of tracks that are not there: their detectors hear nothing. */
  static async open(
    media: string,
    profile: Profile,
    assets: Assets,
    options: HearingOptions,
    missing: (error: PlaybyplayError) => void,
    plugins?: Plugins,
  ): Promise<Hearing> {
    const tracks: Track[] = [];
    for (const [number, ears] of await earsOf(profile, assets, plugins, options.companion)) {
      const from = Math.max(0, options.from ?? 0);
      const blocks = readAudio(media, {
        track: number,
        sampleRate: SAMPLE_RATE,
        stereo: true,
        origin: options.origin,
        ...(options.from === undefined ? {} : { from: from - LEAD_IN }),
        ...(options.to === undefined ? {} : { to: options.to }),
        ...(options.signal ? { signal: options.signal } : {}),
      });
      const track = new Track(blocks, ears, from);
      try {
        track.start();
        tracks.push(track);
      } catch (error) {
        if (!(error instanceof PlaybyplayError)) throw error;
        missing(error);
      }
    }
    return new Hearing(tracks);
  }

  /** The readings before `t` seconds that were not given yet, in order of time. */
  until(t: number): Reading[] {
    const readings = this.#tracks.flatMap((track) => track.until(t));
    return this.#tracks.length < 2 ? readings : readings.toSorted((a, b) => a.t - b.t);
  }

  [Symbol.dispose](): void {
    for (const track of this.#tracks) track.close();
  }
}

/** One sound track and who listens to it. */
class Track {
  readonly #blocks: Generator<AudioBlock, void, undefined>;
  readonly #ears: readonly Ear[];
  readonly #from: number;
  readonly #delay: number;
  readonly #spectrograph = new Spectrogram();
  #next: IteratorResult<AudioBlock, void> | undefined;
  #heard: Reading[] = [];
  /** Seconds where the sound taken in so far ends. */
  #end = Number.NEGATIVE_INFINITY;

  constructor(blocks: Generator<AudioBlock, void, undefined>, ears: readonly Ear[], from: number) {
    this.#blocks = blocks;
    this.#ears = ears;
    this.#from = from;
    this.#delay = Math.max(...ears.map(({ listener }) => listener.delay));
  }

  /** Opens the track. Throws what `readAudio` throws. */
  start(): void {
    this.#next = this.#blocks.next();
  }

  until(t: number): Reading[] {
    // A frame is made when 21 ms more of sound are there.
    while (this.#next && !this.#next.done && this.#end < t + this.#delay + 0.1) this.#take(this.#next.value);
    if (this.#next?.done) {
      this.#pause();
      this.#next = undefined;
    }
    const ready = this.#heard.filter((reading) => reading.t < t).toSorted((a, b) => a.t - b.t);
    this.#heard = this.#heard.filter((reading) => reading.t >= t);
    return ready;
  }

  close(): void {
    this.#blocks.return();
  }

  #take(block: AudioBlock): void {
    if (block.t - this.#end > HOLE && Number.isFinite(this.#end)) this.#pause();
    for (const frame of this.#spectrograph.push(block)) {
      for (const { detector, listener } of this.#ears) this.#note(detector, listener.hear(frame));
    }
    this.#end = block.t + block.samples.length / SAMPLE_RATE;
    this.#next = this.#blocks.next();
  }

  #pause(): void {
    for (const { detector, listener } of this.#ears) this.#note(detector, listener.pause());
  }

  #note(detector: string, heard: readonly Heard[]): void {
    for (const { t, observation } of heard) if (t >= this.#from) this.#heard.push({ detector, t, observation });
  }
}
