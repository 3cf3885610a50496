import type { Observation, StreamEntry } from '../kind.ts';
import { fieldOf } from './entries.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';

/** JSON Schema of the options of `stream` detectors. */
export const STREAM_SCHEMA = {
  type: 'object',
  required: ['stream', 'of'],
  properties: {
    stream: { type: 'string', minLength: 1, description: 'The name under which the file is given.' },
    of: { enum: ['text', 'key', 'rate', 'value'], description: 'What is read.' },
    field: { type: 'string', minLength: 1, description: 'Column or field that holds it.' },
    keys: {
      type: 'array',
      minItems: 1,
      maxItems: 256,
      items: { type: 'string', minLength: 1 },
      description: 'Of `key`: keys and combinations (`ctrl+c`) that are told; else every key.',
    },
    window: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 600,
      default: 2,
      description: 'Of `rate`: seconds over which presses are counted.',
    },
    hold: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 3600,
      default: 10,
      description: 'Of `value`: seconds for which a value holds.',
    },
    step: { type: 'number', exclusiveMinimum: 0, default: 1, description: 'Of `value`: values are rounded to it.' },
  },
} as const satisfies Schema;

/** Options of the kind. */
export type StreamOptions = FromSchema<typeof STREAM_SCHEMA>;

interface Told {
  readonly t: number;
  readonly observation: Observation;
}

const seen = (value: string | number): Observation => ({ state: 'seen', value, confidence: 1 });
const absent: Observation = { state: 'absent', confidence: 1 };

/** What a detector reads from entries whose times (seconds) are the recording's already. */
export function follow(options: StreamOptions, entries: readonly StreamEntry[]): Told[] {
  switch (options.of) {
    case 'text':
      return texts(options, entries);
    case 'key':
      return combinations(options, entries);
    case 'rate':
      return rates(options, entries);
    case 'value':
      return values(options, entries);
  }
}

/** What lasts is there until its end, or until the next; what does not is a moment. */
function texts({ field }: StreamOptions, entries: readonly StreamEntry[]): Told[] {
  const told: Told[] = [];
  let until: number | undefined;
  for (const entry of entries) {
    const value = fieldOf(
      entry,
      ...(field === undefined ? ['text', 'message.body', 'message', 'body', 'event', 'name'] : [field]),
    );
    if (value === undefined || value === '') continue;
    if (until !== undefined) told.push({ t: Math.min(until, entry.t), observation: absent });
    told.push({ t: entry.t, observation: seen(value) });
    until = entry.end;
  }
  if (until !== undefined) told.push({ t: until, observation: absent });
  return told;
}

const down = /^(?:down|press(?:ed)?|key_?down|button_?down|1|true)$/i;
const up = /^(?:up|released?|key_?up|button_?up|0|false)$/i;

interface Press {
  readonly t: number;
  readonly key: string;
  readonly held: ReadonlySet<string>;
}

/** Each time that a key goes down, with all that are held then. A key that is held and tells so again is not pressed again. */
function presses({ field }: StreamOptions, entries: readonly StreamEntry[]): Press[] {
  const held = new Set<string>();
  const found: Press[] = [];
  for (const entry of entries) {
    const name = fieldOf(entry, ...(field === undefined ? ['key', 'button', 'code', 'input', 'name'] : [field]));
    if (name === undefined || name === '') continue;
    const key = String(name).toLowerCase();
    const action = String(fieldOf(entry, 'action', 'state', 'type', 'event', 'value') ?? '');
    if (up.test(action)) {
      held.delete(key);
    } else if (!held.has(key)) {
      found.push({ t: entry.t, key, held: new Set([...held, key]) });
      if (down.test(action)) held.add(key);
    }
  }
  return found;
}

/** A combination happens when the last of its keys goes down while the others are held. */
function combinations(options: StreamOptions, entries: readonly StreamEntry[]): Told[] {
  const wanted = options.keys?.map((name) => ({
    name,
    keys: name
      .toLowerCase()
      .split('+')
      .map((key) => key.trim()),
  }));
  return presses(options, entries).flatMap(({ t, key, held }) => {
    if (!wanted) return [{ t, observation: seen(key) }];
    return wanted
      .filter(({ keys }) => keys.includes(key) && keys.every((one) => held.has(one)))
      .map(({ name }) => ({ t, observation: seen(name) }));
  });
}

/** Seconds between two readings of a rate. */
const RATE_STEP = 0.5;

/** Presses a second over the last `window` seconds, read twice a second from the first press to the last. */
function rates(options: StreamOptions, entries: readonly StreamEntry[]): Told[] {
  const { window = 2, step = 1 } = options;
  const times = presses(options, entries).map(({ t }) => t);
  const told: Told[] = [];
  if (times.length === 0) return told;
  let first = 0;
  let next = 0;
  for (let i = Math.ceil(times[0]! / RATE_STEP); i * RATE_STEP < times.at(-1)! + window + RATE_STEP; i++) {
    const t = i * RATE_STEP;
    while (next < times.length && times[next]! <= t) next++;
    while (times[first]! <= t - window) first++;
    told.push({ t, observation: seen(rounded((next - first) / window, step)) });
  }
  return told;
}

/** A number that holds until the next, at most `hold` seconds; then nothing is known of it. */
function values({ field, hold = 10, step = 1 }: StreamOptions, entries: readonly StreamEntry[]): Told[] {
  const names = field === undefined ? ['value', 'hr', 'bpm', 'heart', 'heartrate', 'pulse'] : [field];
  const told: Told[] = [];
  let last: number | undefined;
  for (const entry of entries) {
    const cell = fieldOf(entry, ...names);
    const value = typeof cell === 'number' ? cell : Number(cell?.trim() ? cell.replace(',', '.') : Number.NaN);
    if (!Number.isFinite(value)) continue;
    if (last !== undefined && entry.t - last > hold) told.push({ t: last + hold, observation: absent });
    told.push({ t: entry.t, observation: seen(rounded(value, step)) });
    last = entry.t;
  }
  if (last !== undefined) told.push({ t: last + hold, observation: absent });
  return told;
}

function rounded(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toPrecision(12));
}
