import { list, oneOf, positive } from '../../schema/build.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import type { AudioObservation, Observation, Reading, RecordFollowerKind, StreamEntry } from '../kind.ts';
import { findField } from './read-stream.ts';
import type { Cue } from '../../cues/cue.ts';
import { createTracker, type Tracker } from '../../cues/tracker.ts';

/** Schema of the options of `stream` detectors. */
const STREAM_SCHEMA = {
  type: 'object',
  required: ['stream', 'of'],
  properties: {
    stream: { type: 'string', minLength: 1, description: 'The name that the file was given with `--stream`.' },
    of: oneOf(['text', 'key', 'rate', 'value'], 'What is read from each record.'),
    field: { type: 'string', minLength: 1, description: 'Column or field to read.' },
    keys: list(
      { type: 'string', minLength: 1 },
      [1, 256],
      'Of `key`: the keys and combinations (`ctrl+c`) to read; default: every key.',
    ),
    window: positive(600, 'Of `rate`: presses are counted over this many seconds.', 2),
    hold: positive(3600, 'Of `value`: seconds after which a value is no longer valid.', 10),
    step: {
      type: 'number',
      exclusiveMinimum: 0,
      default: 1,
      description: 'Of `value`: values are rounded to multiples of it.',
    },
  },
} as const satisfies Schema;

/** Options of `stream` detectors. */
type StreamOptions = FromSchema<typeof STREAM_SCHEMA>;

const seen = (value: string | number): Observation => ({ state: 'seen', value, confidence: 1 });
const absent: Observation = { state: 'absent', confidence: 1 };

/** Reads records whose times (seconds) are already those of the recording. */
export function follow(options: StreamOptions, entries: readonly StreamEntry[]): AudioObservation[] {
  switch (options.of) {
    case 'text':
      return readTexts(options, entries);
    case 'key':
      return readKeys(options, entries);
    case 'rate':
      return readRates(options, entries);
    case 'value':
      return readValues(options, entries);
  }
}

/** A record with an end lasts until then, or until the next record; one without is a moment. */
function readTexts({ field }: StreamOptions, entries: readonly StreamEntry[]): AudioObservation[] {
  const readings: AudioObservation[] = [];
  let until: number | undefined;
  for (const entry of entries) {
    const value = findField(
      entry,
      ...(field === undefined ? ['text', 'message.body', 'message', 'body', 'event', 'name'] : [field]),
    );
    if (value === undefined || value === '') continue;
    if (until !== undefined) readings.push({ t: Math.min(until, entry.t), observation: absent });
    readings.push({ t: entry.t, observation: seen(value) });
    until = entry.end;
  }
  if (until !== undefined) readings.push({ t: until, observation: absent });
  return readings;
}

const DOWN = /^(?:down|press(?:ed)?|key_?down|button_?down|1|true)$/i;
const UP = /^(?:up|released?|key_?up|button_?up|0|false)$/i;

/** A key that goes down. */
interface Press {
  readonly t: number;
  readonly key: string;
  /** All keys that are down then, this one included. */
  readonly held: ReadonlySet<string>;
}

/** Finds the key presses; repeated records of a key that is held are none. */
function findPresses({ field }: StreamOptions, entries: readonly StreamEntry[]): Press[] {
  const held = new Set<string>();
  const found: Press[] = [];
  for (const entry of entries) {
    const name = findField(entry, ...(field === undefined ? ['key', 'button', 'code', 'input', 'name'] : [field]));
    if (name === undefined || name === '') continue;
    const key = String(name).toLowerCase();
    const action = String(findField(entry, 'action', 'state', 'type', 'event', 'value') ?? '');
    if (UP.test(action)) {
      held.delete(key);
    } else if (!held.has(key)) {
      found.push({ t: entry.t, key, held: new Set([...held, key]) });
      if (DOWN.test(action)) held.add(key);
    }
  }
  return found;
}

/** A combination is pressed when the last of its keys goes down while the others are held. */
function readKeys(options: StreamOptions, entries: readonly StreamEntry[]): AudioObservation[] {
  const wanted = options.keys?.map((name) => ({
    name,
    keys: name
      .toLowerCase()
      .split('+')
      .map((key) => key.trim()),
  }));
  return findPresses(options, entries).flatMap(({ t, key, held }) => {
    if (!wanted) return [{ t, observation: seen(key) }];
    return wanted
      .filter(({ keys }) => keys.includes(key) && keys.every((one) => held.has(one)))
      .map(({ name }) => ({ t, observation: seen(name) }));
  });
}

/** Interval between two readings of a rate. */
const RATE_INTERVAL_SECONDS = 0.5;

/** Presses per second over the last `window` seconds, from the first press to the last. */
function readRates(options: StreamOptions, entries: readonly StreamEntry[]): AudioObservation[] {
  const { window = 2, step = 1 } = options;
  const times = findPresses(options, entries).map(({ t }) => t);
  const readings: AudioObservation[] = [];
  if (times.length === 0) return readings;
  let first = 0;
  let next = 0;
  for (
    let i = Math.ceil(times[0]! / RATE_INTERVAL_SECONDS);
    i * RATE_INTERVAL_SECONDS < times.at(-1)! + window + RATE_INTERVAL_SECONDS;
    i++
  ) {
    const t = i * RATE_INTERVAL_SECONDS;
    while (next < times.length && times[next]! <= t) next++;
    while (times[first]! <= t - window) first++;
    readings.push({ t, observation: seen(roundTo((next - first) / window, step)) });
  }
  return readings;
}

/** A value is valid until the next one, for at most `hold` seconds. */
function readValues(
  { field, hold = 10, step = 1 }: StreamOptions,
  entries: readonly StreamEntry[],
): AudioObservation[] {
  const names = field === undefined ? ['value', 'hr', 'bpm', 'heart', 'heartrate', 'pulse'] : [field];
  const readings: AudioObservation[] = [];
  let last: number | undefined;
  for (const entry of entries) {
    const cell = findField(entry, ...names);
    const value = typeof cell === 'number' ? cell : Number(cell?.trim() ? cell.replace(',', '.') : Number.NaN);
    if (!Number.isFinite(value)) continue;
    if (last !== undefined && entry.t - last > hold) readings.push({ t: last + hold, observation: absent });
    readings.push({ t: entry.t, observation: seen(roundTo(value, step)) });
    last = entry.t;
  }
  if (last !== undefined) readings.push({ t: last + hold, observation: absent });
  return readings;
}

function roundTo(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toPrecision(12));
}

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
