import type { Cue } from '../../cues/cue.ts';
import { createTracker, type Tracker } from '../../cues/tracker.ts';
import type { Reading, RecordFollowerKind } from '../kind.ts';
import { follow } from './follow.ts';
import { STREAM_SCHEMA, type StreamOptions } from './options.ts';

/** Reads a file that accompanies the recording: inputs, biometric data, events, subtitles. */
export const kind: RecordFollowerKind<StreamOptions> = {
  input: 'records',
  name: 'stream',
  description:
    'Reads a file that accompanies the recording, given to `detect --stream name=file@offset`. `of` selects what is read: `text` (subtitles or messages; `found`, and `lost` at its end), `key` (a key, button or combination goes down: one `found` cue each), `rate` (presses per second over `window` seconds, 2 by default), `value` (a number such as a heart rate, rounded to `step`, 1 by default; it is valid for `hold` seconds, 10 by default). `field` names the column or field. Subtitles (SRT, VTT, ASS), JSON (a list or lines), CSV, TCX, GPX, exports of Apple Health, chats with times before their lines and intervals between heartbeats are supported. It has no region.',
  schema: STREAM_SCHEMA,
  follow,
  async track(name, spec) {
    if (spec.of !== 'rate' && spec.of !== 'value') return new MomentTracker(name);
    // A record is exact: it needs no second one to confirm it.
    return createTracker(name, { ...spec, stability: { samples: 1, ...spec.stability } });
  },
};

/** Turns every value into a `found` cue and the end of one that lasts into `lost`. */
class MomentTracker implements Tracker {
  readonly #detector: string;
  #state: Cue['value'];

  constructor(detector: string) {
    this.#detector = detector;
  }

  push({ t, observation }: Reading): Cue[] {
    const base = { t, detector: this.#detector, confidence: observation.confidence };
    if (observation.state === 'unreadable') return [];
    if (observation.state === 'absent') {
      const previous = this.#state;
      this.#state = undefined;
      return previous === undefined ? [] : [{ ...base, trigger: 'lost', previous }];
    }
    this.#state = observation.value;
    return [{ ...base, trigger: 'found', value: observation.value }];
  }

  end(): Cue[] {
    return [];
  }

  pendingSince(): undefined {
    return undefined;
  }
}
