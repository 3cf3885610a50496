import { type OutputPolicy, writeOutput } from '../files/output.ts';

/** What a device or thread does during a span. */
export type Activity = 'run' | 'wait' | 'copy' | 'other';

/** One activity of a device or thread; times in milliseconds of `now()`. */
export interface Span {
  readonly device: string;
  readonly activity: Activity;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Returns milliseconds of a clock that all threads of the process share. `performance.timeOrigin` is not exact enough: each
 * thread computes its own from two clocks and may be suspended between reading them.
 */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * Records the activities of devices or threads for Chrome (chrome://tracing) and Perfetto (ui.perfetto.dev): one track per
 * device, one category per activity (Trace Event Format, complete events).
 */
export class Trace {
  private readonly origin: number;
  private readonly tracks = new Map<string, number>();
  private readonly events: Record<string, unknown>[] = [];

  /** @param origin Time that becomes 0, in milliseconds of `now()`. */
  constructor(origin = now()) {
    this.origin = origin;
  }

  /** Adds an activity. */
  span({ device, activity, name, start, end, details }: Span): void {
    this.events.push({
      name,
      cat: activity,
      ph: 'X',
      ts: microseconds(start - this.origin),
      dur: Math.max(0, microseconds(end - start)),
      pid: 1,
      tid: this.track(device),
      ...(details ? { args: details } : {}),
    });
  }

  /** Adds an instant, for example a device that failed. */
  mark(device: string, name: string, at = now(), details?: Readonly<Record<string, unknown>>): void {
    const ts = microseconds(at - this.origin);
    this.events.push({ name, cat: 'mark', ph: 'i', s: 't', ts, pid: 1, tid: this.track(device), args: details ?? {} });
  }

  /** Returns the content of the trace file, events in order of time. */
  toJSON(): { readonly traceEvents: readonly Readonly<Record<string, unknown>>[]; readonly displayTimeUnit: 'ms' } {
    const names = [...this.tracks].flatMap(([name, tid]) => [
      { name: 'thread_name', ph: 'M', pid: 1, tid, args: { name } },
      { name: 'thread_sort_index', ph: 'M', pid: 1, tid, args: { sort_index: tid } },
    ]);
    const timed = this.events.toSorted((a, b) => Number(a['ts']) - Number(b['ts']));
    return { traceEvents: [...names, ...timed], displayTimeUnit: 'ms' };
  }

  /** Writes the trace to a JSON file. Throws as `writeOutput`. */
  async write(path: string, policy: OutputPolicy = {}): Promise<void> {
    await writeOutput(path, `${JSON.stringify(this.toJSON())}\n`, { kind: 'JSON', ...policy });
  }

  private track(device: string): number {
    const known = this.tracks.get(device) ?? this.tracks.size + 1;
    this.tracks.set(device, known);
    return known;
  }
}

function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000);
}
