import { AudioReader } from '../audio.ts';
import { LoudnessMeter } from './loudness-meter.ts';
import type { StereoAudio } from './recording.ts';

/** Music of a reel. */
export interface Music {
  /** A sound file. It begins with the reel and is repeated where it is shorter. */
  readonly path: string;
  /**
   * Which of the two is in front: over the `game` the music steps back where the game is loud; under the `music` the game is
   * quiet throughout. Default `game`.
   */
  readonly priority?: 'game' | 'music';
}

/** Loudness of the music relative to the game's, in LU: usually, and where the game is loud. */
const LEVELS = { game: { music: -6, ducked: -16, game: 0 }, music: { music: 0, ducked: -2, game: -9 } } as const;
/** The game is loud from here: decibels relative to its own loudness. */
const LOUD_DB = -3;
/** How fast the music steps back and returns, in seconds. */
const ATTACK_SECONDS = 0.06;
const RELEASE_SECONDS = 0.5;
const FADE_IN_SECONDS = 0.2;
const FADE_OUT_SECONDS = 1.2;
/** Length of the blocks in which the game's level is measured. */
const BLOCK_SECONDS = 0.01;
/** How much of the music is measured. */
const MEASURED_SECONDS = 120;

/**
 * Lays music under audio.
 *
 * @param createGame Starts the game's audio from the beginning.
 * @param seconds Length of the reel.
 * @param rate Samples per second.
 * @returns A function that starts the mix from the beginning.
 */
export function prepareMusic(
  createGame: () => Iterable<StereoAudio>,
  music: Music,
  seconds: number,
  rate: number,
): () => Iterable<StereoAudio> {
  const meter = new LoudnessMeter(rate);
  for (const part of createGame()) meter.add(part);
  const game = meter.integrated;
  const own = measureMusic(music.path, rate);
  const levels = LEVELS[music.priority ?? 'game'];
  // Silent recordings leave the music as it is.
  const reference = game ?? -20;
  const gain = (db: number): number => (own === undefined ? 0 : 10 ** ((reference - own + db) / 20));
  const plan = {
    seconds,
    rate,
    usual: gain(levels.music),
    ducked: gain(levels.ducked),
    game: 10 ** (levels.game / 20),
    loud: 10 ** ((reference + LOUD_DB) / 20),
  };
  return () => layMusic(createGame(), music.path, plan);
}

/** Integrated loudness of the beginning of a sound file in LUFS; undefined where it is silent. */
function measureMusic(path: string, rate: number): number | undefined {
  const meter = new LoudnessMeter(rate);
  using reader = new AudioReader(path);
  for (const { sides } of reader.read({ sampleRate: rate, stereo: true, to: MEASURED_SECONDS }))
    meter.add({ left: sides![0], right: sides![1] });
  return meter.integrated;
}

interface MixPlan {
  readonly seconds: number;
  readonly rate: number;
  /** Gains of the music, and of the game. */
  readonly usual: number;
  readonly ducked: number;
  readonly game: number;
  /** Root mean square from which the game is loud. */
  readonly loud: number;
}

function* layMusic(game: Iterable<StereoAudio>, path: string, plan: MixPlan): Generator<StereoAudio> {
  using stream = new MusicStream(path, plan.rate);
  const block = Math.round(BLOCK_SECONDS * plan.rate);
  const total = Math.round(plan.seconds * plan.rate);
  let gain = plan.usual;
  let target = plan.usual;
  let at = 0;
  for (const { left, right } of game) {
    const own = stream.take(left.length);
    for (let i = 0; i < left.length; i++, at++) {
      if (at % block === 0) target = levelOf(left, right, i, block) > plan.loud ? plan.ducked : plan.usual;
      gain += (target - gain) / ((target < gain ? ATTACK_SECONDS : RELEASE_SECONDS) * plan.rate);
      const fade = Math.min(1, at / (FADE_IN_SECONDS * plan.rate), (total - at) / (FADE_OUT_SECONDS * plan.rate));
      const level = gain * Math.max(0, fade);
      left[i] = left[i]! * plan.game + own.left[i]! * level;
      right[i] = right[i]! * plan.game + own.right[i]! * level;
    }
    yield { left, right };
  }
}

/** Root mean square of a block, in both channels. */
function levelOf(left: Float32Array, right: Float32Array, from: number, length: number): number {
  const to = Math.min(left.length, from + length);
  let power = 0;
  for (let i = from; i < to; i++) power += left[i]! ** 2 + right[i]! ** 2;
  return Math.sqrt(power / (2 * Math.max(1, to - from)));
}

/** Samples of a sound file one after the other, from the beginning again at its end. */
class MusicStream implements Disposable {
  readonly #path: string;
  readonly #rate: number;
  #reader: AudioReader | undefined;
  #blocks: Iterator<StereoAudio> | undefined;
  #rest: StereoAudio = { left: new Float32Array(0), right: new Float32Array(0) };

  constructor(path: string, rate: number) {
    this.#path = path;
    this.#rate = rate;
  }

  take(length: number): StereoAudio {
    const left = new Float32Array(length);
    const right = new Float32Array(length);
    let filled = 0;
    // A file without a single sample stays silent.
    for (let starts = 0; filled < length && starts < 2; ) {
      if (this.#rest.left.length === 0) {
        const next = this.#next();
        if (next) this.#rest = next;
        else {
          starts++;
          continue;
        }
      }
      starts = 0;
      const n = Math.min(length - filled, this.#rest.left.length);
      left.set(this.#rest.left.subarray(0, n), filled);
      right.set(this.#rest.right.subarray(0, n), filled);
      this.#rest = { left: this.#rest.left.subarray(n), right: this.#rest.right.subarray(n) };
      filled += n;
    }
    return { left, right };
  }

  #next(): StereoAudio | undefined {
    this.#blocks ??= this.#start();
    const next = this.#blocks.next();
    if (!next.done) return next.value;
    this[Symbol.dispose]();
    return undefined;
  }

  *#start(): Generator<StereoAudio> {
    this.#reader = new AudioReader(this.#path);
    for (const { sides } of this.#reader.read({ sampleRate: this.#rate, stereo: true }))
      yield { left: sides![0], right: sides![1] };
  }

  [Symbol.dispose](): void {
    this.#blocks?.return?.();
    this.#reader?.[Symbol.dispose]();
    this.#reader = undefined;
    this.#blocks = undefined;
  }
}
