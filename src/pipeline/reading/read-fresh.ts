import { type RunContext, schedule } from '../../compute/scheduler/schedule.ts';
import { now, Trace } from '../../compute/scheduler/trace.ts';
import type { Observation } from '../../detectors/kind.ts';
import { type PacketIndex, sliceIndex } from '../../media/packets/packet-index.ts';
import type { ChunkReadings } from './chunk-readings.ts';
import type { Game } from '../game.ts';
import { type Portion, wantedOf } from './plan.ts';
import { adaptiveRules } from './rules.ts';
import type { ReadingNote } from './read-thread.ts';
import type { Reader } from './reader.ts';
import type { Readers } from './readers.ts';
import type { ReadRequest } from './session.ts';
import { complete, type LeftReading, type Waiting } from './sharing.ts';

/** What reading portions takes. */
export interface FreshRun {
  readonly game: Game;
  /** Of `DetectOptions`. */
  readonly options: {
    readonly trace?: string;
    readonly signal?: AbortSignal;
    /** Seconds. */
    readonly stuckAfter?: number;
  };
  readonly index: PacketIndex;
  readonly plan: 'full' | 'adaptive';
  readonly readers: Readers;
  /** Whether threads share dear readings, so that there are portions of two sorts. */
  readonly shared: boolean;
  /** The recording is this companion of the profile's. */
  readonly companion?: string;
}

/** One portion for the scheduler: a chunk to decode and read, or what its thread has left of one of its samples. */
interface Job {
  readonly portion: Portion;
  /** The number of the sample; undefined: the whole chunk. */
  readonly sample?: number;
}

type Made = { readonly readings: ChunkReadings } | { readonly made: ReadonlyMap<number, Observation> };

const STUCK_AFTER = 120;

/** Milliseconds after which a thread says again that it is at work: often enough not to count as stuck. */
const PULSE = 1000;

/**
 * The readings of the portions, in order. The threads are the scheduler's devices. With `shared`, a sample that a thread
 * is done with is a region: what was left of it is a portion that may start as soon as the region is there, while the
 * same thread reads on.
 */
export async function* readFresh(
  run: FreshRun,
  portions: readonly Portion[],
): AsyncGenerator<ChunkReadings, undefined> {
  if (portions.length === 0) return undefined;
  const { options, game, readers } = run;
  const trace = options.trace === undefined ? undefined : new Trace();
  const devices = await readers.open(run.shared ? Number.POSITIVE_INFINITY : portions.length);
  const shared = run.shared && devices.length > 1;
  const jobs = portions.flatMap((portion): Job[] => [
    { portion },
    ...(shared ? portion.plan.frames.map((_, sample) => ({ portion, sample })) : []),
  ]);
  const rules = run.plan === 'adaptive' ? await adaptiveRules(game.profile, game.plugins, run.companion) : undefined;
  const worker = new Worker(run, jobs, rules, trace, devices.length);
  const most = Math.max(...portions.map(({ plan }) => (shared ? plan.frames.length : 0) + 1));
  const patience = 1000 * (options.stuckAfter ?? STUCK_AFTER);
  const stuckAfter = devices[0]!.thread ? { stuckAfter: patience } : {};
  const work = schedule<Job, Made, Reader>({
    portions: jobs,
    devices,
    run: (job, reader, context) => worker.run(job, reader, context),
    ahead: 4 * devices.length * most,
    ...(shared ? { regions: worker.regions } : {}),
    ...stuckAfter,
    ...(options.signal ? { signal: options.signal } : {}),
    ...(trace ? { trace, label: (job: Job, index: number) => worker.label(job, index) } : {}),
  });
  let readings: ChunkReadings | undefined;
  let made = new Map<number, Observation>();
  for await (const { index, portion, result } of work) {
    if ('readings' in result) {
      readings = result.readings;
      made = new Map();
    } else for (const [id, observation] of result.made) made.set(id, observation);
    // The last of its samples, too.
    if (jobs[index + 1]?.portion === portion.portion) continue;
    yield complete(readings!, made);
  }
  if (trace) await trace.write(options.trace!);
  return undefined;
}

/** Carries jobs out on readers, and keeps what one has left until another has made it. */
class Worker {
  private readonly from: FreshRun;
  private readonly jobs: readonly Job[];
  private readonly rules: ReadRequest['rules'];
  private readonly trace: Trace | undefined;
  private readonly most: number;
  /** By number of the job. */
  private readonly left = new Map<number, readonly LeftReading[]>();
  private readonly waiting: Waiting = new Int32Array(new SharedArrayBuffer(4));

  constructor(
    from: FreshRun,
    jobs: readonly Job[],
    rules: ReadRequest['rules'],
    trace: Trace | undefined,
    devices: number,
  ) {
    this.from = from;
    this.jobs = jobs;
    this.rules = rules;
    this.trace = trace;
    // For every other thread one to be at and one to come.
    this.most = 2 * (devices - 1);
  }

  /** Region n is what is left for job n. */
  get regions() {
    return {
      count: this.jobs.length,
      writes: (index: number) => {
        const { portion, sample } = this.jobs[index]!;
        return sample === undefined ? portion.plan.frames.map((_, i) => index + 1 + i) : [];
      },
      reads: (index: number) => (this.jobs[index]!.sample === undefined ? [] : [index]),
    };
  }

  label({ portion: { chunk, plan }, sample }: Job, index: number): string | undefined {
    if (sample === undefined) return `read ${chunk.t.toFixed(1)}–${chunk.end.toFixed(1)} s`;
    const { t, firstFrame } = this.from.index;
    return this.left.has(index) ? `infer ${t[plan.frames[sample]! - firstFrame]!.toFixed(1)} s` : undefined;
  }

  async run(job: Job, reader: Reader, context: RunContext): Promise<Made> {
    const { index, signal } = context;
    const onCopy = this.trace && ((copy: { name: string; start: number; end: number }) => this.copied(reader, copy));
    if (job.sample !== undefined) {
      const left = this.left.get(index) ?? [];
      if (left.length === 0) return { made: new Map() };
      const made = await reader.settle(left, { signal, onCopy });
      Atomics.sub(this.waiting, 0, left.length);
      this.left.set(index, []);
      return { made };
    }
    const { chunk, plan } = job.portion;
    // What another thread had left before it failed counts no more: this one makes all readings itself.
    const share = this.from.shared && reader.thread && context.attempt === 1;
    const request: ReadRequest = {
      chunk,
      index: sliceIndex(this.from.index, chunk),
      plan,
      rules: this.rules,
      next: reader.thread ? undefined : this.next(index),
      pulse: Math.min(PULSE, 250 * (this.from.options.stuckAfter ?? STUCK_AFTER)),
      ...(share ? { share: { waiting: this.waiting, most: this.most } } : {}),
    };
    const onNote = (note: ReadingNote) => this.note(note, reader, context);
    return { readings: await reader.read(request, { signal, onCopy, onNote }) };
  }

  /** What a reader that does all by itself will be given after this job. */
  private next(job: number): ReadRequest['next'] {
    const portion = this.from.plan === 'full' ? this.jobs[job + 1]?.portion : undefined;
    return portion && wantedOf(this.from.index, portion);
  }

  private note(note: ReadingNote, reader: Reader, { index, publish, alive }: RunContext): void {
    alive();
    if ('alive' in note) return;
    const { sample, left, sent } = note;
    const to = index + 1 + sample;
    if (left.length > 0) {
      this.left.set(to, left);
      this.copied(reader, { name: 'picture', start: sent, end: now() });
    }
    publish(to);
  }

  private copied({ name: device }: Reader, copy: { name: string; start: number; end: number }): void {
    this.trace?.span({ device, activity: 'copy', ...copy });
  }
}
