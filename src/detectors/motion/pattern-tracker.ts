import type { Cue } from '../../cues/cue.ts';
import type { Tracker } from '../../cues/tracker.ts';
import type { Reading } from '../kind.ts';
import { BurstFinder } from './burst.ts';
import { CutFinder } from './cut.ts';
import type { Movement } from './block-motion.ts';
import { FadeFinder, FlashFinder } from './fade-flash.ts';
import type { MotionOptions } from './options.ts';
import type { PatternFinder, PatternMatch } from './patterns.ts';
import { StrokeFinder } from './stroke.ts';

/** Turns the readings of a motion detector into one `found` cue for each cut, fade, flash, burst or stroke. */
export class PatternTracker implements Tracker {
  readonly #detector: string;
  readonly #region: string;
  readonly #finder: PatternFinder;
  readonly #threshold: number;
  #last: number | undefined;

  constructor(
    detector: string,
    options: MotionOptions & { readonly stability?: { readonly confidence?: number | undefined } },
  ) {
    this.#detector = detector;
    this.#region = options.region;
    this.#threshold = options.stability?.confidence ?? 0.5;
    this.#finder = createFinder(options);
  }

  push({ t, observation }: Reading): Cue[] {
    if (t === this.#last) return [];
    this.#last = t;
    if (observation.state !== 'seen') return this.#cues(this.#finder.end());
    return this.#cues(this.#finder.push({ t, ...(observation.detail as Movement) }));
  }

  end(): Cue[] {
    return this.#cues(this.#finder.end());
  }

  pendingSince(): number | undefined {
    return this.#finder.pendingSince();
  }

  #cues(matches: readonly PatternMatch[]): Cue[] {
    return matches
      .filter(({ confidence }) => confidence >= this.#threshold)
      .map(({ t, value, confidence, detail }) => ({
        t,
        detector: this.#detector,
        region: this.#region,
        trigger: 'found' as const,
        value,
        confidence,
        detail,
      }));
  }
}

function createFinder(options: MotionOptions): PatternFinder {
  switch (options.of) {
    case 'cut':
      return new CutFinder(options.least ?? 0.8);
    case 'fade':
      return new FadeFinder(options.longest ?? 5);
    case 'flash':
      return new FlashFinder(options.rise ?? 24, options.longest ?? 0.6);
    case 'burst':
      return new BurstFinder(options.speed ?? 0.5, options.times ?? 3, options.longest ?? 1, options.swing ?? false);
    case 'stroke':
      return new StrokeFinder(options.share ?? 0.15, options.longest ?? 1.2);
    default:
      throw new RangeError(`${options.of} is not a pattern`);
  }
}
