import { BANDS, SILENCE_DB, SAMPLE_RATE, Spectrogram, FRAME_SECONDS } from '../../detectors/sound/spectrogram.ts';
import { readAudio } from '../../media/audio.ts';
import { Fft } from '../../compute/fft.ts';

/** Groups of bands in which what sets in is followed. */
export const GROUPS = 4;
const SIZE = BANDS / GROUPS;
/** Power in dB below which nothing sets in. */
const HEARD = SILENCE_DB + 35;
/** Frames over which the usual is taken out. */
const USUAL = 60;

/** How much sets in, hundredth by hundredth of a second from 0 on, in groups of bands. */
export interface Envelope {
  readonly groups: readonly Float32Array[];
  readonly frames: number;
}

/** The envelope of a sound track. Throws what `readAudio` throws. */
export function envelopeOf(path: string, origin: number, track: number, signal?: AbortSignal): Envelope {
  const flux: number[][] = Array.from({ length: GROUPS }, () => []);
  const spectrograph = new Spectrogram();
  let before: Float32Array | undefined;
  for (const block of readAudio(path, { track, sampleRate: SAMPLE_RATE, origin, ...(signal ? { signal } : {}) })) {
    for (const { t, bands } of spectrograph.push(block)) {
      const frame = Math.round(t / FRAME_SECONDS);
      if (frame < 0) continue;
      const last: Float32Array = before ?? bands;
      for (let group = 0; group < GROUPS; group++) {
        let sum = 0;
        for (let band = group * SIZE; band < (group + 1) * SIZE; band++) {
          const [now, then] = [Math.max(bands[band]!, HEARD), Math.max(last[band]!, HEARD)];
          sum += Math.max(0, now - then);
        }
        flux[group]![frame] = sum / SIZE;
      }
      before = bands;
    }
  }
  const frames = Math.max(...flux.map(({ length }) => length));
  return { frames, groups: flux.map((one) => leveled(Float32Array.from({ length: frames }, (_, i) => one[i] ?? 0))) };
}

/** The envelope of moments: how many there are, hundredth by hundredth, spread over five. */
export function momentsOf(times: readonly number[]): Envelope {
  const frames = Math.max(0, Math.ceil(Math.max(0, ...times) / FRAME_SECONDS)) + 10;
  const one = new Float32Array(frames);
  for (const t of times)
    for (let i = -2; i <= 2; i++) {
      const at = Math.round(t / FRAME_SECONDS) + i;
      if (at >= 0 && at < frames) one[at]! += 1 - Math.abs(i) / 3;
    }
  const level = leveled(one);
  return { frames, groups: Array.from({ length: GROUPS }, () => level) };
}

/** Less the mean about it; what stands out enormously counts less. */
function leveled(values: Float32Array): Float32Array {
  const sums = new Float64Array(values.length + 1);
  for (const [i, value] of values.entries()) sums[i + 1] = sums[i]! + Math.sqrt(value);
  return values.map((value, i) => {
    const [from, to] = [Math.max(0, i - USUAL), Math.min(values.length, i + USUAL + 1)];
    return Math.sqrt(value) - (sums[to]! - sums[from]!) / (to - from);
  });
}

/** Where a stretch of another recording might lie. */
export interface Candidate {
  /** Seconds of the stretch's middle on its own clock, and by how much later it lies in the first recording. */
  readonly at: number;
  readonly offset: number;
  /** How many times the usual answer. */
  readonly clear: number;
}

/** Places at which stretches of one recording answer in another. */
export class Places {
  readonly #size: number;
  readonly #fft: Fft;
  readonly #spectra: readonly { re: Float64Array; im: Float64Array }[];
  readonly #frames: number;

  /** `longest`: frames of the longest stretch. */
  constructor(whole: Envelope, longest: number) {
    this.#frames = whole.frames;
    this.#size = 2 ** Math.ceil(Math.log2(Math.max(2, whole.frames + longest)));
    this.#fft = new Fft(this.#size);
    this.#spectra = whole.groups.map((group) => this.#spectrum(group));
  }

  #spectrum(values: Float32Array): { re: Float64Array; im: Float64Array } {
    const [re, im] = [new Float64Array(this.#size), new Float64Array(this.#size)];
    re.set(values);
    this.#fft.forward(re, im);
    return { re, im };
  }

  /** The clearest places of the stretch of frames [from, to), a tenth of a second and more from each other. */
  of(other: Envelope, from: number, to: number, count: number): Candidate[] {
    const [re, im] = [new Float64Array(this.#size), new Float64Array(this.#size)];
    for (const [group, spectrum] of this.#spectra.entries()) {
      const part = this.#spectrum(other.groups[group]!.subarray(from, to));
      for (let k = 0; k < this.#size; k++) {
        re[k]! += spectrum.re[k]! * part.re[k]! + spectrum.im[k]! * part.im[k]!;
        im[k]! += spectrum.im[k]! * part.re[k]! - spectrum.re[k]! * part.im[k]!;
      }
    }
    this.#fft.inverse(re, im);
    const usual = Math.sqrt(re.reduce((sum, value) => sum + value * value, 0) / (this.#frames + to - from));
    if (!(usual > 0)) return [];
    const found: Candidate[] = [];
    const values = re;
    for (let n = 0; n < count; n++) {
      let at = 0;
      for (let k = 1; k < this.#size; k++) if (values[k]! > values[at]!) at = k;
      const lag = at < this.#frames ? at : at - this.#size;
      found.push({
        at: ((from + to) / 2) * FRAME_SECONDS,
        offset: (lag - from) * FRAME_SECONDS,
        clear: values[at]! / usual,
      });
      for (let k = at - 10; k <= at + 10; k++) values[(k + this.#size) % this.#size] = Number.NEGATIVE_INFINITY;
    }
    return found;
  }
}
