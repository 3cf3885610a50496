import { roundTime } from '../../time.ts';
import type { AudioObservation, Listener, SoundFrame } from '../kind.ts';
import type { SoundFingerprint } from './fingerprint.ts';
import { BANDS, FRAME_SECONDS } from './spectrogram.ts';
import { WaveformListener } from './waveform.ts';

/** The background is measured over these frames before the beginning of a sound. */
const BACKGROUND_FROM_FRAMES = 30;
const BACKGROUND_TO_FRAMES = 4;
/** Number of cells that are compared first. */
const ANCHOR_CELLS = 48;
/** Least score of the anchor cells for comparing the others. */
const MIN_ANCHOR_SCORE = 0.2;
/** Quantiles of the anchors' level differences to try as gains. */
const GAIN_QUANTILES = [0.12, 0.3, 0.5];

/** How well a fingerprint fits at a place. */
export interface Fit {
  /** 1: every cell as learned; 0: as much evidence against as for. */
  readonly score: number;
  /** Gain over the learned level, in dB. */
  readonly gain: number;
}

/** A fingerprint placed at frame `start`. */
export interface Placed {
  readonly print: SoundFingerprint;
  readonly start: number;
  readonly gain: number;
}

/** Level above that of recognized sounds from which a cell is evidence for another. */
const UNEXPLAINED_DB = 5;
/** Least share of a sound's weight that counts even if other sounds explain more. */
const MIN_UNEXPLAINED_SHARE = 0.8;

/** The spectrogram of the last seconds, with the background level of each band before every frame. */
class SpectrogramHistory {
  readonly #capacity: number;
  readonly #bands: Float32Array;
  readonly #before: Float32Array;
  readonly #sums = new Float64Array(BANDS);
  readonly #gains = new Float32Array(ANCHOR_CELLS);
  /** Frames taken so far, since the last hole in the sound. */
  count = 0;

  /** `frames`: how many must be at hand. */
  constructor(frames: number) {
    this.#capacity = frames + BACKGROUND_FROM_FRAMES + 1;
    this.#bands = new Float32Array(this.#capacity * BANDS);
    this.#before = new Float32Array(this.#capacity * BANDS);
  }

  clear(): void {
    this.count = 0;
    this.#sums.fill(0);
  }

  push(bands: Float32Array): void {
    const slot = this.#slot(this.count);
    // The means of the frames from BACKGROUND_FROM_FRAMES to BACKGROUND_TO_FRAMES before this one.
    const [enters, leaves] = [this.count - BACKGROUND_TO_FRAMES, this.count - BACKGROUND_FROM_FRAMES - 1];
    for (let band = 0; band < BANDS; band++) {
      if (enters >= 0) this.#sums[band]! += this.#bands[this.#slot(enters) + band]!;
      if (leaves >= 0) this.#sums[band]! -= this.#bands[this.#slot(leaves) + band]!;
      const known = Math.min(BACKGROUND_FROM_FRAMES, this.count) - BACKGROUND_TO_FRAMES + 1;
      this.#before[slot + band] = known > 0 ? this.#sums[band]! / known : -60;
    }
    this.#bands.set(bands, slot);
    this.count++;
  }

  /** Where frame number `frame` and its background begin in `bands` and `before`. */
  #slot(frame: number): number {
    return (frame % this.#capacity) * BANDS;
  }

  /** Fits a fingerprint at frame `start`; undefined if the history does not cover it. */
  fit(print: SoundFingerprint, start: number): Fit | undefined {
    if (start < 0 || start + print.frames > this.count) return undefined;
    const anchors = Math.min(ANCHOR_CELLS, print.at.length);
    const gains = this.#gains.subarray(0, anchors);
    for (let i = 0; i < anchors; i++) gains[i] = this.#level(print, i, start) - print.level[i]!;
    gains.sort();
    let gain = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (const share of GAIN_QUANTILES) {
      const tried = gains[Math.floor(share * anchors)]!;
      const score = this.#score(print, start, tried, anchors);
      if (score <= most) continue;
      most = score;
      gain = tried;
    }
    if (most < MIN_ANCHOR_SCORE) return { score: most, gain };
    let best: Fit = { score: Number.NEGATIVE_INFINITY, gain };
    for (const more of [-2, 2]) {
      const score = this.#score(print, start, gain + more, print.at.length);
      if (score > best.score) best = { score, gain: gain + more };
    }
    return best;
  }

  /** Scores a placed fingerprint without the cells that other sounds explain. */
  fitBeside({ print, start, gain }: Placed, others: readonly Placed[]): number {
    const explained = new Float32Array(print.frames * BANDS).fill(Number.NEGATIVE_INFINITY);
    for (const other of others) {
      const later = other.start - start;
      for (let i = 0; i < other.print.at.length; i++) {
        const frame = other.print.at[i]! + later;
        if (frame < 0 || frame >= print.frames) continue;
        const at = frame * BANDS + other.print.band[i]!;
        explained[at] = Math.max(explained[at]!, other.print.level[i]! + other.gain);
      }
    }
    return this.#score(print, start, gain, print.at.length, explained);
  }

  #level(print: SoundFingerprint, i: number, start: number): number {
    return this.#bands[this.#slot(start + print.at[i]!) + print.band[i]!]!;
  }

  /**
   * The weighted mean over cells of: 1 where the level is as learned, 0 where it is higher (another sound covers it) or where
   * it was as loud before, −1 where what must be there is missing.
   */
  #score(print: SoundFingerprint, start: number, gain: number, cells: number, explained?: Float32Array): number {
    const background = this.#slot(start);
    let sum = 0;
    let weights = 0;
    let all = 0;
    for (let i = 0; i < cells; i++) {
      const level = this.#level(print, i, start);
      const weight = print.weight[i]!;
      all += weight;
      if (explained && level < explained[print.at[i]! * BANDS + print.band[i]!]! + UNEXPLAINED_DB) continue;
      weights += weight;
      const apart = level - print.level[i]! - gain;
      if (apart <= -4) {
        sum += weight * Math.max(-1, (apart + 4) / 4 + 1);
        continue;
      }
      if (apart >= 8) continue;
      const alike = apart <= 4 ? 1 : (8 - apart) / 4;
      const risen = (level - this.#before[background + print.band[i]!]! - 2) / 4;
      if (risen > 0) sum += weight * alike * Math.min(1, risen);
    }
    // The few cells that other sounds leave unexplained prove nothing.
    return sum / Math.max(weights, MIN_UNEXPLAINED_SHARE * all);
  }
}

/** Fits of one sound within this time are one occurrence. */
const SAME_OCCURRENCE_SECONDS = 0.1;
/** Longest group of overlapping candidates, in multiples of that time. */
const MAX_GROUP_SPANS = 4;
/** Logistic mapping from likeness to confidence, fitted with bench/detectors/sounds.ts. */
const EVEN_ODDS_LIKENESS = 0.6;
const CONFIDENCE_SLOPE = 12;

interface Candidate extends Placed {
  readonly t: number;
  readonly score: number;
}

/**
 * Recognizes learned sounds, also simultaneous ones, by their spectrogram. Of fits of one sound less than `apart` seconds apart only the best
 * counts. A fit inside another sound must be likely without the cells that the other explains.
 */
class SpectrogramListener implements Listener {
  readonly delay: number;
  readonly #prints: readonly SoundFingerprint[];
  readonly #likeness: number;
  readonly #within: number;
  readonly #apart: number;
  readonly #history: SpectrogramHistory;
  /** Seconds of the longest print. */
  readonly #longest: number;
  #open: Candidate[] = [];
  /** Accepted candidates that may still explain others. */
  #chosen: Candidate[] = [];

  /** @param within Largest gain relative to the learned level, in dB. */
  constructor(prints: readonly SoundFingerprint[], likeness: number, within: number, apart = SAME_OCCURRENCE_SECONDS) {
    const longest = Math.max(...prints.map(({ frames }) => frames));
    this.#prints = prints;
    this.#likeness = likeness;
    this.#within = within;
    this.#apart = apart;
    this.#history = new SpectrogramHistory(
      2 * longest + Math.ceil(((MAX_GROUP_SPANS + 2) * apart) / FRAME_SECONDS) + 4,
    );
    this.#longest = (longest + 2) * FRAME_SECONDS;
    this.delay = this.#longest + (MAX_GROUP_SPANS + 2) * apart;
  }

  hear(frame: SoundFrame): AudioObservation[] {
    this.#history.push(frame.bands);
    for (const print of this.#prints) {
      const start = this.#history.count - print.frames;
      const fit = this.#history.fit(print, start);
      if (!fit || fit.score < this.#likeness || Math.abs(fit.gain) > this.#within) continue;
      const t = roundTime(frame.t - (print.frames - 1 - print.onset) * FRAME_SECONDS);
      this.#open.push({ t, print, start, ...fit });
    }
    return this.#settle(frame.t - this.#longest);
  }

  pause(): AudioObservation[] {
    const heard = this.#settle(Number.POSITIVE_INFINITY);
    this.#history.clear();
    this.#chosen = [];
    return heard;
  }

  /** Returns candidates that no later one can outdo. `until`: the latest time at which a fingerprint can begin. */
  #settle(until: number): AudioObservation[] {
    const found: Candidate[] = [];
    while (this.#open.length > 0) {
      const group = this.#group();
      if (group.end + this.#apart > until) break;
      found.push(...this.#choose(group.members));
      this.#open = this.#open.filter((one) => !group.members.includes(one));
    }
    return found
      .toSorted((a, b) => a.t - b.t)
      .map(({ t, print, score, gain }) => ({
        t,
        observation: {
          state: 'seen',
          value: print.label,
          confidence: 1 / (1 + Math.exp(-CONFIDENCE_SLOPE * (score - EVEN_ODDS_LIKENESS))),
          detail: { likeness: Math.round(score * 1e3) / 1e3, gain: Math.round(gain * 10) / 10 },
        },
      }));
  }

  /** Returns the earliest candidates without a gap of `apart` between them, up to a maximum span. */
  #group(): { members: Candidate[]; end: number } {
    const members: Candidate[] = [];
    const inOrder = this.#open.toSorted((a, b) => a.t - b.t);
    const start = inOrder[0]!.t;
    let end = start;
    for (const one of inOrder) {
      if (one.t > end + this.#apart || one.t > start + MAX_GROUP_SPANS * this.#apart) break;
      members.push(one);
      end = one.t;
    }
    return { members, end };
  }

  #choose(members: readonly Candidate[]): Candidate[] {
    const earliest = Math.min(...members.map(({ t }) => t)) - this.#longest;
    this.#chosen = this.#chosen.filter(({ t }) => t >= earliest);
    const chosen: Candidate[] = [];
    for (const one of members.toSorted((a, b) => b.score - a.score || a.t - b.t)) {
      const sounding = this.#chosen.filter(({ start, print }) => start + print.frames > one.start);
      const same = sounding.some(
        ({ print, t }) => print.label === one.print.label && Math.abs(t - one.t) < this.#apart,
      );
      if (same) continue;
      const score = sounding.length === 0 ? one.score : this.#history.fitBeside(one, sounding);
      if (score < this.#likeness) continue;
      const taken = { ...one, score: Math.min(score, one.score) };
      chosen.push(taken);
      this.#chosen.push(taken);
    }
    return chosen;
  }
}

/** Thresholds of recognition: least likeness of a spectrogram, least clarity of a waveform, largest gain in dB, least seconds apart. */
export interface ClipLimits {
  readonly likeness?: number | undefined;
  readonly clear?: number | undefined;
  readonly within?: number | undefined;
  readonly apart?: number | undefined;
}

/** Recognizes learned sounds: by waveform if the game always plays the same one, else by spectrogram. */
export class ClipListener implements Listener {
  readonly delay: number;
  readonly #parts: readonly Listener[];
  #heard: AudioObservation[] = [];

  constructor(
    prints: readonly SoundFingerprint[],
    { likeness = 0.55, clear = 10, within = 15, apart }: ClipLimits = {},
  ) {
    const [waves, spectrograms] = [
      prints.filter((one) => one.waves.length > 0),
      prints.filter((one) => one.waves.length === 0),
    ];
    this.#parts = [
      ...(waves.length > 0 ? [new WaveformListener(waves, clear, within, apart)] : []),
      ...(spectrograms.length > 0 ? [new SpectrogramListener(spectrograms, likeness, within, apart)] : []),
    ];
    this.delay = Math.max(...this.#parts.map((part) => part.delay)) + FRAME_SECONDS;
  }

  hear(frame: SoundFrame): AudioObservation[] {
    return this.#ready(
      this.#parts.flatMap((part) => part.hear(frame)),
      frame.t - this.delay,
    );
  }

  pause(): AudioObservation[] {
    return this.#ready(
      this.#parts.flatMap((part) => part.pause()),
      Number.POSITIVE_INFINITY,
    );
  }

  /** Merges what both recognizers heard in order of time. */
  #ready(heard: readonly AudioObservation[], until: number): AudioObservation[] {
    if (this.#parts.length === 1) return [...heard];
    this.#heard.push(...heard);
    const ready = this.#heard.filter(({ t }) => t < until).toSorted((a, b) => a.t - b.t);
    this.#heard = this.#heard.filter(({ t }) => t >= until);
    return ready;
  }
}
