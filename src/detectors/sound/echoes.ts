import { roundTime } from '../../time.ts';
import type { Heard, Listener, SoundFrame } from '../kind.ts';
import type { SoundPrint } from './print.ts';
import { HOP, RATE, STEP } from './spectrum.ts';
import { BLOCK, type Echo, Wave, WaveEar } from './wave.ts';

/** Seconds within which two answers of one sound are the same occurrence. */
const SAME = 0.06;
/** Seconds about a waveform's beginning in which another sound may answer for it, and the share it must reach to count. */
const BESIDE = 0.04;
const LESS = 0.5;

/** dB by which its level may differ before it must be clearer than otherwise, and those that ask for twice as clear. */
const LIKE = 4;
const UNLIKELY = 20;

interface Candidate extends Echo {
  readonly label: string;
}

/**
 * Recognises sounds by their waveform: what a matched filter in the noise of the moment answers. Of answers of one sound less than
 * `apart` seconds from each other only the clearest counts.
 */
export class EchoListener implements Listener {
  readonly delay: number;
  readonly #ear: WaveEar;
  readonly #labels: readonly string[];
  /** Seconds from a waveform's beginning to that of its sound. */
  readonly #onsets: readonly number[];
  readonly #least: number;
  readonly #within: number;
  readonly #apart: number;
  #open: Candidate[] = [];

  /** `least`: how many times the usual answer tells; `within`: dB by which it may be louder or quieter than learnt. */
  constructor(prints: readonly SoundPrint[], least: number, within: number, apart = SAME) {
    const waves = prints.flatMap(({ label, waves: some }) => some.map((samples) => ({ label, samples })));
    this.#ear = new WaveEar(
      waves.map(({ samples }) => new Wave(samples)),
      least,
    );
    this.#labels = waves.map(({ label }) => label);
    this.#onsets = waves.map(({ samples }) => onsetOf(samples));
    this.#least = least;
    this.#within = within;
    this.#apart = apart;
    this.delay = this.#ear.delay + BLOCK * STEP + Math.max(apart, BESIDE) + Math.max(...this.#onsets);
  }

  hear({ t, samples }: SoundFrame): Heard[] {
    const echoes = this.#ear.push(t, samples);
    if (echoes === undefined) return [];
    return this.#settle(echoes, this.#ear.start - Math.max(this.#apart, BESIDE));
  }

  pause(): Heard[] {
    return this.#settle(this.#ear.flush(), Number.POSITIVE_INFINITY);
  }

  /** What nothing that is still to come can outdo. */
  #settle(echoes: readonly Echo[], until: number): Heard[] {
    this.#open.push(...echoes.map((echo) => ({ ...echo, label: this.#labels[echo.wave]! })));
    const inOrder = this.#open.toSorted((a, b) => a.t - b.t);
    const heard = inOrder.filter((one) => one.t < until && !this.#outdone(one)).map((one) => this.#told(one));
    // Those that were told may still outdo others.
    this.#open = inOrder.filter(({ t }) => t >= until);
    return heard.filter((one) => one !== undefined).toSorted((a, b) => a.t - b.t);
  }

  #outdone(one: Candidate): boolean {
    return this.#open.some((other) => {
      if (other === one) return false;
      const apart = Math.abs(other.t - one.t);
      if (other.label === one.label)
        return apart < this.#apart && (other.clear > one.clear || (other.clear === one.clear && other.t < one.t));
      return apart < BESIDE && other.clear * LESS > one.clear;
    });
  }

  #told({ t, clear, gain, wave, label }: Candidate): Heard | undefined {
    const differs = Math.max(0, Math.abs(gain) - LIKE);
    if (Math.abs(gain) > this.#within || clear < this.#least * (1 + differs / UNLIKELY)) return undefined;
    return {
      t: roundTime(Math.round((t + this.#onsets[wave]!) * RATE) / RATE),
      observation: {
        state: 'seen',
        value: label,
        confidence: 1 - 0.5 * (this.#least / clear) ** 2,
        detail: { clear: Math.round(clear * 10) / 10, gain: Math.round(gain * 10) / 10 },
      },
    };
  }
}

/** Seconds to the first half hundredth that is a fifth as loud as the loudest. */
function onsetOf(samples: Float32Array): number {
  const cell = HOP / 2;
  const levels = Array.from({ length: Math.ceil(samples.length / cell) }, (_, i) =>
    samples.subarray(i * cell, (i + 1) * cell).reduce((most, value) => Math.max(most, Math.abs(value)), 0),
  );
  const loudest = Math.max(...levels);
  return (levels.findIndex((level) => level >= loudest / 5) * cell) / RATE;
}
