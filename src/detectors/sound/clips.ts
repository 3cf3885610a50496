import type { Heard, Listener, SoundFrame } from '../kind.ts';
import { EchoListener } from './echoes.ts';
import { Past, type Placed } from './match.ts';
import type { SoundPrint } from './print.ts';
import { STEP } from './spectrum.ts';
import { roundTime } from '../../time.ts';

/** Seconds within which two fits of one sound are the same occurrence. */
const SAME = 0.1;
/** How many times that far apart candidates that hang together may lie. */
const CHAIN = 4;
/** Likeness at which a fit is as likely wrong as right, and how fast it becomes sure; see bench/detectors/sounds.ts. */
const EVEN = 0.6;
const STEEP = 12;

interface Candidate extends Placed {
  readonly t: number;
  readonly score: number;
}

/**
 * Recognises learnt sounds by their spectrogram, several at once. Of fits of one sound less than `apart` seconds from each other only the best
 * counts; one that lies in another sound must be likely without what that one explains.
 */
class PatchListener implements Listener {
  readonly delay: number;
  readonly #prints: readonly SoundPrint[];
  readonly #likeness: number;
  readonly #within: number;
  readonly #apart: number;
  readonly #past: Past;
  /** Seconds of the longest print. */
  readonly #longest: number;
  #open: Candidate[] = [];
  /** Chosen ones that may still explain others. */
  #chosen: Candidate[] = [];

  /** `within`: dB by which it may be louder or quieter than learnt. */
  constructor(prints: readonly SoundPrint[], likeness: number, within: number, apart = SAME) {
    const longest = Math.max(...prints.map(({ frames }) => frames));
    this.#prints = prints;
    this.#likeness = likeness;
    this.#within = within;
    this.#apart = apart;
    this.#past = new Past(2 * longest + Math.ceil(((CHAIN + 2) * apart) / STEP) + 4);
    this.#longest = (longest + 2) * STEP;
    this.delay = this.#longest + (CHAIN + 2) * apart;
  }

  hear(frame: SoundFrame): Heard[] {
    this.#past.push(frame.bands);
    for (const print of this.#prints) {
      const start = this.#past.count - print.frames;
      const fit = this.#past.fit(print, start);
      if (!fit || fit.score < this.#likeness || Math.abs(fit.gain) > this.#within) continue;
      const t = roundTime(frame.t - (print.frames - 1 - print.onset) * STEP);
      this.#open.push({ t, print, start, ...fit });
    }
    return this.#settle(frame.t - this.#longest);
  }

  pause(): Heard[] {
    const heard = this.#settle(Number.POSITIVE_INFINITY);
    this.#past.clear();
    this.#chosen = [];
    return heard;
  }

  /** Gives out what nothing that is still to come can outdo: `until` is where the latest print may begin. */
  #settle(until: number): Heard[] {
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
          confidence: 1 / (1 + Math.exp(-STEEP * (score - EVEN))),
          detail: { likeness: Math.round(score * 1e3) / 1e3, gain: Math.round(gain * 10) / 10 },
        },
      }));
  }

  /** The earliest candidates, those between which there is no pause of `apart`; a chain of them is cut off. */
  #group(): { members: Candidate[]; end: number } {
    const members: Candidate[] = [];
    const inOrder = this.#open.toSorted((a, b) => a.t - b.t);
    const start = inOrder[0]!.t;
    let end = start;
    for (const one of inOrder) {
      if (one.t > end + this.#apart || one.t > start + CHAIN * this.#apart) break;
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
      const score = sounding.length === 0 ? one.score : this.#past.beside(one, sounding);
      if (score < this.#likeness) continue;
      const taken = { ...one, score: Math.min(score, one.score) };
      chosen.push(taken);
      this.#chosen.push(taken);
    }
    return chosen;
  }
}

/** Least likeness of a spectrogram and clearness of a waveform, dB of difference, and seconds apart, all optional. */
export interface ClipLimits {
  readonly likeness?: number | undefined;
  readonly clear?: number | undefined;
  readonly within?: number | undefined;
  readonly apart?: number | undefined;
}

/** Recognises learnt sounds: by their waveform where the game plays the same one every time, else by their spectrogram. */
export class ClipListener implements Listener {
  readonly delay: number;
  readonly #parts: readonly Listener[];
  #heard: Heard[] = [];

  constructor(prints: readonly SoundPrint[], { likeness = 0.55, clear = 10, within = 15, apart }: ClipLimits = {}) {
    const [waves, patches] = [
      prints.filter((one) => one.waves.length > 0),
      prints.filter((one) => one.waves.length === 0),
    ];
    this.#parts = [
      ...(waves.length > 0 ? [new EchoListener(waves, clear, within, apart)] : []),
      ...(patches.length > 0 ? [new PatchListener(patches, likeness, within, apart)] : []),
    ];
    this.delay = Math.max(...this.#parts.map((part) => part.delay)) + STEP;
  }

  hear(frame: SoundFrame): Heard[] {
    return this.#ready(
      this.#parts.flatMap((part) => part.hear(frame)),
      frame.t - this.delay,
    );
  }

  pause(): Heard[] {
    return this.#ready(
      this.#parts.flatMap((part) => part.pause()),
      Number.POSITIVE_INFINITY,
    );
  }

  /** In order of time, whichever of the two takes longer to tell. */
  #ready(heard: readonly Heard[], until: number): Heard[] {
    if (this.#parts.length === 1) return [...heard];
    this.#heard.push(...heard);
    const ready = this.#heard.filter(({ t }) => t < until).toSorted((a, b) => a.t - b.t);
    this.#heard = this.#heard.filter(({ t }) => t >= until);
    return ready;
  }
}
