import type { CueSequence } from '../profile/profile.ts';
import { roundTime } from '../time.ts';
import { compileCondition, contentOf, type MatchedGroups } from './condition.ts';
import type { Cue } from './cue.ts';

/** From the first step of a sequence to its last, unless the profile says otherwise. */
const DEFAULT_WITHIN_SECONDS = 10;
/** Sequences of one name that may be open at once; the oldest is dropped. */
const MAX_OPEN_SEQUENCES = 100;

/** A matched step: the cue, and what it read (the first group of `match`, if there is one). */
export interface Step {
  readonly cue: Cue;
  readonly read: string | undefined;
}

/** The detail of a sequence's cue. */
export interface SequenceDetail {
  readonly steps: readonly Step[];
}

/** Whether a cue's detail is that of a sequence. */
export function isSequenceDetail(detail: unknown): detail is SequenceDetail {
  const { steps } = (detail ?? {}) as { steps?: unknown };
  return Array.isArray(steps) && steps.every((step) => typeof (step as Partial<Step> | null)?.cue === 'object');
}

/** Finds cues that follow one another. Cues of the same time may match in any order. Each cue is used once. */
export class SequenceMatcher {
  readonly #name: string;
  readonly #steps: readonly { readonly test: (cue: Cue) => MatchedGroups | undefined; readonly within: number }[];
  readonly #unless: (cue: Cue) => MatchedGroups | undefined;
  readonly #within: number;
  /** Oldest first. */
  #open: Step[][] = [];

  constructor(name: string, { steps, within = DEFAULT_WITHIN_SECONDS, unless }: CueSequence) {
    this.#name = name;
    this.#steps = steps.map((step) => ({
      test: compileCondition(step),
      within: step.within ?? Number.POSITIVE_INFINITY,
    }));
    this.#unless = unless === undefined ? () => undefined : compileCondition(unless);
    this.#within = within;
  }

  /** Takes all cues of the time `t`; times ascend. A cue that breaks a sequence off takes effect before cues that continue it. */
  take(t: number, cues: readonly Cue[]): Cue[] {
    const alive = (open: readonly Step[]): boolean =>
      roundTime(t - open[0]!.cue.t) <= this.#within &&
      roundTime(t - open.at(-1)!.cue.t) <= this.#steps[open.length]!.within;
    this.#open = cues.some((cue) => this.#unless(cue) !== undefined) ? [] : this.#open.filter(alive);
    const made: Cue[] = [];
    const left = new Set(cues);
    for (let before = -1; before !== left.size; ) {
      before = left.size;
      for (const cue of left) if (this.#serves(cue, made)) left.delete(cue);
    }
    return made;
  }

  /** Continues the sequence whose last step is the latest, else begins one. */
  #serves(cue: Cue, made: Cue[]): boolean {
    let best: Step[] | undefined;
    let groups: MatchedGroups | undefined;
    for (const open of this.#open) {
      if (best !== undefined && best.at(-1)!.cue.t > open.at(-1)!.cue.t) continue;
      const found = this.#steps[open.length]!.test(cue);
      if (found === undefined) continue;
      [best, groups] = [open, found];
    }
    if (best === undefined) {
      groups = this.#steps[0]!.test(cue);
      if (groups === undefined) return false;
      best = [];
      this.#open.push(best);
      if (this.#open.length > MAX_OPEN_SEQUENCES) this.#open.shift();
    }
    const content = contentOf(cue);
    best.push({ cue, read: groups![1] ?? (content === undefined ? undefined : String(content)) });
    if (best.length < this.#steps.length) return true;
    this.#open = this.#open.filter((open) => open !== best);
    made.push(this.#cueOf(best));
    return true;
  }

  #cueOf(steps: readonly Step[]): Cue {
    const last = steps.at(-1)!.cue;
    const value = contentOf(last);
    return {
      t: last.t,
      detector: this.#name,
      trigger: 'found',
      ...(value === undefined ? {} : { value }),
      // All of them must be right; they are seldom independent.
      confidence: Math.min(...steps.map(({ cue }) => cue.confidence)),
      detail: { steps } satisfies SequenceDetail,
    };
  }
}
