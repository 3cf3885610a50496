import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { isDownfall } from './weights.ts';
import type { Margin } from './windows.ts';

/** A purpose, and what it makes of the options that are not given. */
export interface Preset {
  readonly summary: string;
  /** Seconds; none: all scenes. */
  readonly duration?: number;
  readonly margin?: Partial<Margin>;
  readonly notable?: number;
  readonly aspect?: '16:9' | '9:16' | '1:1';
  readonly captions?: 'burn' | 'track' | 'none';
  readonly titles?: boolean;
  /** Which events ask for a scene. */
  readonly include?: (event: EventLine, dictionary: Dictionary) => boolean;
}

export const presets: Readonly<Record<string, Preset>> = {
  short: {
    summary: 'the best 30 seconds, upright, captions in the picture',
    duration: 30,
    aspect: '9:16',
    captions: 'burn',
  },
  montage: { summary: 'the best minute, with a title', duration: 60, titles: true },
  coaching: {
    summary: 'what went wrong, with what led to it, captions in the picture',
    margin: { before: 8, after: 3 },
    captions: 'burn',
    include: (event, dictionary) => isDownfall(event.statement, dictionary),
  },
  lowlights: {
    summary: 'the 45 seconds that one would rather forget',
    duration: 45,
    include: (event, dictionary) => isDownfall(event.statement, dictionary),
  },
  everything: { summary: 'every notable event, however long it takes' },
};
