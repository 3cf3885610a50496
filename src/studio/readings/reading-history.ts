import { countLeading } from '../../binary-search.ts';
import type { Observation } from '../../cues/reading.ts';
import type { CueValue } from '../../events/log.ts';
import type { ChunkReadings } from '../../pipeline/reading/chunk-readings.ts';

/** What a detector made of a stretch: it read a value surely, or doubtfully; it could not read; it saw that nothing is there. */
export type RunState = 'read' | 'doubtful' | 'unreadable' | 'absent';

/** A stretch in which a detector read the same all the time. Times in seconds. */
export interface ReadingRun {
  readonly t: number;
  readonly end: number;
  readonly state: RunState;
  /** Of what was read, surely or doubtfully. */
  readonly value?: CueValue;
  /** The least of its readings, 0 to 1. */
  readonly confidence: number;
}

/** Columns of a stretch that has more readings than pixels: equal parts of it, each with what its readings were. */
export interface ReadingColumns {
  /** Lowest and highest number that was read surely; null where there is none. */
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
  /** Percentage of the time for which there are readings. */
  readonly covered: readonly number[];
  /** Percentage of the covered time that was read surely, could not be read, and had nothing to read. */
  readonly read: readonly number[];
  readonly unreadable: readonly number[];
  readonly absent: readonly number[];
  /** Least confidence of what was read, in percent. */
  readonly confidence: readonly number[];
  /** How often what is read surely changed. */
  readonly changes: readonly number[];
}

/** The readings of a detector along a stretch. */
export interface ReadingLane {
  readonly name: string;
  /** All values are numbers: they are drawn by their height. */
  readonly isNumber: boolean;
  /** Of the whole recording. */
  readonly low?: number;
  readonly high?: number;
  readonly runs?: readonly ReadingRun[];
  readonly columns?: ReadingColumns;
}

/** A change of what a detector reads surely: of its value, or of whether anything is there. */
export interface ReadingChange {
  readonly name: string;
  readonly t: number;
  /** Absent where nothing was there. */
  readonly from?: CueValue;
  readonly to?: CueValue;
}

/** Confidence below which a reading does not count, where a profile does not say otherwise. */
const SURE_CONFIDENCE = 0.8;
/** Runs of a lane in a stretch beyond which it is summarized. */
const MAX_RUNS = 320;
/** Missing samples, in sampling intervals, over which a run goes on; and seconds, where both sides read the same. */
const MAX_MISSING_SAMPLES = 3;
const MAX_MISSING_SECONDS = 15;
/** Seconds within which two times are the same frame. */
const SAME_FRAME_SECONDS = 1e-4;

const STATES: readonly RunState[] = ['read', 'doubtful', 'unreadable', 'absent'];
const [READ, DOUBTFUL, UNREADABLE, ABSENT] = [0, 1, 2, 3];
const NO_VALUE = -1;

/** The readings of one detector as runs, in columns: a recording of ten hours has hundreds of thousands. */
class Track {
  readonly name: string;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly states: number[] = [];
  /** Indices into `values`. */
  readonly value: number[] = [];
  readonly confidence: number[] = [];
  readonly values: CueValue[] = [];
  /** Runs at which what is read surely changes, and the run before that holds what was read. */
  readonly changes: number[] = [];
  readonly changedFrom: number[] = [];
  isNumber = true;
  low = Number.POSITIVE_INFINITY;
  high = Number.NEGATIVE_INFINITY;
  readonly #indices = new Map<CueValue, number>();
  #last = Number.NEGATIVE_INFINITY;
  #interval = Number.POSITIVE_INFINITY;
  /** The last run that was read surely or absent. */
  #settled = -1;

  constructor(name: string) {
    this.name = name;
  }

  get length(): number {
    return this.starts.length;
  }

  /** Takes the next reading in order of time. */
  add(t: number, observation: Observation): void {
    // Parts of a recording can overlap where it was read anew.
    if (t <= this.#last) return;
    const { state, confidence } = observation;
    const code =
      state === 'absent'
        ? ABSENT
        : state === 'unreadable'
          ? UNREADABLE
          : confidence < SURE_CONFIDENCE
            ? DOUBTFUL
            : READ;
    const value = state === 'seen' ? this.#indexOf(observation.value) : NO_VALUE;
    const at = this.length - 1;
    const isSame = at >= 0 && this.states[at] === code && this.value[at] === value;
    const since = t - this.#last;
    if (Number.isFinite(this.#last)) this.#interval = Math.min(this.#interval, since);
    this.#last = t;
    const isClose = since <= MAX_MISSING_SAMPLES * this.#interval || (isSame && since <= MAX_MISSING_SECONDS);
    if (at >= 0) this.ends[at] = isClose ? t : Math.min(t, this.ends[at]! + this.#interval);
    if (isSame && isClose) {
      this.confidence[at] = Math.min(this.confidence[at]!, confidence);
      return;
    }
    this.starts.push(t);
    this.ends.push(t);
    this.states.push(code);
    this.value.push(value);
    this.confidence.push(confidence);
    this.#noteChange();
  }

  /** Lets the last run go on until its next reading would have come. */
  finish(): void {
    const at = this.length - 1;
    if (at >= 0 && Number.isFinite(this.#interval)) this.ends[at] = this.ends[at]! + this.#interval;
  }

  valueOf(run: number): CueValue | undefined {
    return this.values[this.value[run]!];
  }

  numberOf(run: number): number | undefined {
    const value = this.valueOf(run);
    return value === undefined ? undefined : toNumber(value);
  }

  #indexOf(value: CueValue): number {
    let index = this.#indices.get(value);
    if (index !== undefined) return index;
    index = this.values.push(value) - 1;
    this.#indices.set(value, index);
    const number = toNumber(value);
    if (number === undefined) this.isNumber = false;
    return index;
  }

  #noteChange(): void {
    const at = this.length - 1;
    if (this.states[at] !== READ && this.states[at] !== ABSENT) return;
    if (this.states[at] === READ) {
      const number = this.numberOf(at);
      if (number !== undefined) {
        this.low = Math.min(this.low, number);
        this.high = Math.max(this.high, number);
      }
    }
    const before = this.#settled;
    this.#settled = at;
    // Before the first reading nothing is known.
    if (before < 0 || this.value[before] === this.value[at]) return;
    this.changes.push(at);
    this.changedFrom.push(before);
  }
}

function toNumber(value: CueValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^-?\d+(?:\.\d+)?$/.test(value)) return undefined;
  return Number(value);
}

/**
 * What the detectors of a profile read along a recording, from the journal in which `detect` stores it.
 *
 * @example
 * const history = new ReadingHistory(['health', 'ammunition']);
 * for await (const { record } of journal.records()) history.add(record as ChunkReadings);
 * history.finish();
 * history.nextChange(12.5, 1, 'health'); // { name: 'health', t: 15, from: 87, to: 62 }
 */
export class ReadingHistory {
  readonly #tracks: readonly Track[];

  /** @param detectors Names in the order of the stored readings. */
  constructor(detectors: readonly string[]) {
    this.#tracks = detectors.map((name) => new Track(name));
  }

  /** Takes the next part of the recording. */
  add({ t, observations, seen }: ChunkReadings): void {
    for (const [i, at] of t.entries())
      for (const [d, number] of seen[i]!.entries()) {
        const observation = number < 0 ? undefined : observations[number];
        if (observation) this.#tracks[d]?.add(at, observation);
      }
  }

  /** All parts were added. */
  finish(): void {
    for (const track of this.#tracks) track.finish();
  }

  /** Describes a stretch of every detector that ever read anything, in `columns` parts where there are more readings than that shows. */
  lanes(from: number, to: number, columns: number): readonly ReadingLane[] {
    return this.#tracks.filter(({ values }) => values.length > 0).map((track) => laneOf(track, from, to, columns));
  }

  /** The next change after a time, or the last one before it: of one detector, or of any. */
  nextChange(t: number, direction: 1 | -1, name?: string): ReadingChange | undefined {
    let found: ReadingChange | undefined;
    for (const track of this.#tracks) {
      if (name !== undefined && track.name !== name) continue;
      const { changes, changedFrom, starts } = track;
      const at =
        direction > 0
          ? countLeading(changes.length, (i) => starts[changes[i]!]! <= t + SAME_FRAME_SECONDS)
          : countLeading(changes.length, (i) => starts[changes[i]!]! < t - SAME_FRAME_SECONDS) - 1;
      const run = changes[at];
      if (run === undefined) continue;
      const own = starts[run]!;
      if (found && (direction > 0 ? own >= found.t : own <= found.t)) continue;
      const [before, after] = [track.valueOf(changedFrom[at]!), track.valueOf(run)];
      found = {
        name: track.name,
        t: own,
        ...(before === undefined ? {} : { from: before }),
        ...(after === undefined ? {} : { to: after }),
      };
    }
    return found;
  }
}

function laneOf(track: Track, from: number, to: number, columns: number): ReadingLane {
  const { name, isNumber, low, high, starts, ends } = track;
  // Runs are in order and do not overlap.
  const first = countLeading(track.length, (i) => ends[i]! <= from);
  const last = countLeading(track.length, (i) => starts[i]! < to);
  const lane = { name, isNumber, ...(isNumber && low <= high && { low, high }) };
  if (last - first > MAX_RUNS) return { ...lane, columns: summarize(track, first, last, { from, to, columns }) };
  const runs = Array.from({ length: Math.max(0, last - first) }, (_, i): ReadingRun => {
    const run = first + i;
    const value = track.valueOf(run);
    return {
      t: starts[run]!,
      end: ends[run]!,
      state: STATES[track.states[run]!]!,
      ...(value === undefined ? {} : { value }),
      confidence: track.confidence[run]!,
    };
  });
  return { ...lane, runs };
}

function summarize(
  track: Track,
  first: number,
  last: number,
  { from, to, columns }: { readonly from: number; readonly to: number; readonly columns: number },
): ReadingColumns {
  const width = (to - from) / columns;
  const low = Array.from<unknown, number | null>({ length: columns }, () => null);
  const high = Array.from<unknown, number | null>({ length: columns }, () => null);
  const covered = new Float64Array(columns);
  const shares = STATES.map(() => new Float64Array(columns));
  const confidence = new Float64Array(columns).fill(1);
  const changes = Array.from({ length: columns }, () => 0);
  const columnAt = (t: number): number => Math.max(0, Math.min(columns - 1, Math.floor((t - from) / width)));
  for (let run = first; run < last; run++) {
    const [start, end] = [track.starts[run]!, track.ends[run]!];
    const state = track.states[run]!;
    const number = state === READ ? track.numberOf(run) : undefined;
    for (let column = columnAt(start), stop = columnAt(end); column <= stop; column++) {
      const left = Math.max(start, from + column * width);
      const seconds = Math.max(0, Math.min(end, from + (column + 1) * width) - left);
      covered[column]! += seconds;
      shares[state]![column]! += seconds;
      if (state <= DOUBTFUL) confidence[column] = Math.min(confidence[column]!, track.confidence[run]!);
      if (number === undefined) continue;
      low[column] = Math.min(low[column] ?? number, number);
      high[column] = Math.max(high[column] ?? number, number);
    }
  }
  const changesFrom = countLeading(track.changes.length, (i) => track.starts[track.changes[i]!]! < from);
  for (let i = changesFrom; i < track.changes.length; i++) {
    const t = track.starts[track.changes[i]!]!;
    if (t >= to) break;
    const column = columnAt(t);
    changes[column] = changes[column]! + 1;
  }
  const ofCovered = (column: number): number => covered[column]!;
  return {
    low,
    high,
    covered: percent(covered, () => width),
    read: percent(shares[READ]!, ofCovered),
    unreadable: percent(shares[UNREADABLE]!, ofCovered),
    absent: percent(shares[ABSENT]!, ofCovered),
    confidence: Array.from(confidence, (least) => Math.round(100 * least)),
    changes,
  };
}

/** Seconds of each column as a percentage of others. */
function percent(part: Float64Array, whole: (column: number) => number): number[] {
  return Array.from(part, (seconds, column) =>
    Math.min(100, Math.round((100 * seconds) / Math.max(1e-9, whole(column)))),
  );
}
