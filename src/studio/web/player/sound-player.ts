import { readSound } from '../../api/recording.ts';
import { send } from '../api-client.ts';

const RATE = 48_000;
/** Seconds of sound that are fetched at once, and how far ahead. */
const PIECE_SECONDS = 2;
const AHEAD_SECONDS = 4;

/** Plays the sound of a recording whose format the browser does not play, and keeps the time. */
export class SoundPlayer {
  readonly #context = new AudioContext({ sampleRate: RATE });
  readonly #gain: GainNode;
  readonly #path: string;
  readonly #start: number;
  readonly #rate: number;
  readonly #began: number;
  readonly #controller = new AbortController();
  #fetched: number;

  /**
   * @param t Where to begin, in seconds.
   * @param rate Speed; sound is played at normal speed only.
   */
  constructor(path: string, t: number, rate: number, hasSound: boolean, volume: number) {
    this.#path = path;
    this.#start = t;
    this.#fetched = t;
    this.#rate = rate;
    this.#began = this.#context.currentTime;
    this.#gain = this.#context.createGain();
    this.#gain.gain.value = volume;
    this.#gain.connect(this.#context.destination);
    void this.#context.resume();
    if (hasSound && rate === 1) void this.#feed();
  }

  /** The time of the recording that is heard now. */
  get t(): number {
    return this.#start + (this.#context.currentTime - this.#began) * this.#rate;
  }

  set volume(volume: number) {
    this.#gain.gain.value = volume;
  }

  /** Ends the sound. */
  stop(): void {
    this.#controller.abort();
    void this.#context.close();
  }

  async #feed(): Promise<void> {
    const { signal } = this.#controller;
    while (!signal.aborted) {
      if (this.#fetched - this.t > AHEAD_SECONDS) {
        await new Promise((resolve) => void setTimeout(resolve, 500));
        continue;
      }
      const from = this.#fetched;
      const query = { path: this.#path, from, to: from + PIECE_SECONDS };
      const response = await send(readSound, { query, signal }).catch(() => undefined);
      const samples = response && new Int16Array(await response.arrayBuffer());
      if (signal.aborted || !samples || samples.length === 0) return;
      this.#fetched = from + PIECE_SECONDS;
      const length = samples.length / 2;
      const buffer = this.#context.createBuffer(2, length, RATE);
      for (const channel of [0, 1]) {
        const out = buffer.getChannelData(channel);
        for (let i = 0; i < length; i++) out[i] = samples[2 * i + channel]! / 32768;
      }
      const node = new AudioBufferSourceNode(this.#context, { buffer });
      node.connect(this.#gain);
      const at = this.#began + (from - this.#start);
      const late = this.#context.currentTime - at;
      if (late < PIECE_SECONDS) node.start(Math.max(at, this.#context.currentTime), Math.max(0, late));
    }
  }
}
