import type { Want } from '../../cues/nodes.ts';
import type { Reading } from '../../detectors/kind.ts';
import { type Issue, messageOf, PlaybyplayError } from '../../errors.ts';
import type { Journal } from '../../events/journal.ts';
import type { HeaderLine } from '../../events/log.ts';
import { findMissingFrames } from '../../media/decode/missing-frames.ts';
import { originSeconds, type PacketIndex } from '../../media/packets/packet-index.ts';
import { scanPacketsAsync } from '../../media/packets/scan-packets.ts';
import { openVideo, type VideoFile } from '../../media/video.ts';
import { formatClock } from '../../time.ts';
import { ASLEEP, asleepIn, type ChunkReadings, type Places, readingsOf } from '../reading/chunk-readings.ts';
import { fingerprintMedia } from '../fingerprint.ts';
import { alignment, onRecording } from './following.ts';
import type { Game } from '../game.ts';
import { Hearing, hearersOf } from './hearing.ts';
import type { Woken } from '../interpreter.ts';
import { planPortions, type Portion } from '../reading/plan.ts';
import { Readers } from '../reading/readers.ts';
import { type ReadPortion, readPortions } from '../reading/read-portions.ts';
import { Seams } from '../seams.ts';
import { withoutVectors } from '../vectors.ts';
import { Waking } from '../waking.ts';

/** A second recording of the session, with a picture and a clock of its own. */
export interface CompanionSource {
  /** As the profile's `media` calls it. */
  readonly name: string;
  readonly path: string;
  /** Times on its clock and in the recording that belong together, in seconds; one: an offset, several: also drift. */
  readonly pairs?: readonly (readonly [companion: number, recording: number])[];
}

/** The run that a companion is read for. */
export interface CompanionRun {
  readonly plan: 'full' | 'adaptive';
  readonly workers: number;
  /** Seconds of the recording that it accompanies. */
  readonly duration: number;
  readonly from?: number;
  readonly to?: number;
  readonly stuckAfter?: number;
  readonly signal?: AbortSignal;
}

type Gap = ChunkReadings['gaps'][number];

/** What a companion tells up to a time. */
export interface SourceReadings {
  readonly readings: readonly Reading[];
  readonly gaps: readonly Gap[];
}

/** Seconds by which sound is asked for beyond a time, as clocks are rounded. */
const ROUNDING = 1e-3;

/** What was opened for a companion, and what is to be read of it. */
interface Opened {
  readonly print: Companion['print'];
  readonly file: VideoFile;
  readonly index: PacketIndex;
  readonly portions: readonly Portion[];
  readonly seams: Seams;
  readonly hearing: Hearing;
}

/**
 * A second recording at work: its samples lie on a grid of its own clock, are read by threads of their own with those detectors
 * that name it, and their times become the recording's behind them. So which samples there are and what they show follows
 * from the companion alone, and what is made of them from the order of times.
 */
export class Companion implements AsyncDisposable {
  readonly name: string;
  /** For the log's header: what the readings depend on. */
  readonly print: NonNullable<HeaderLine['companions']>[number];
  readonly #file: VideoFile;
  readonly #index: PacketIndex;
  readonly #game: Game;
  readonly #run: CompanionRun;
  readonly #portions: readonly Portion[];
  readonly #seams: Seams;
  readonly #hearing: Hearing;
  readonly #readers: Readers;
  readonly #waking: Waking;
  readonly #detectors: readonly string[];
  #work: AsyncGenerator<ReadPortion> | undefined;
  /** Seconds of the recording up to which samples have been taken. */
  #reach = Number.NEGATIVE_INFINITY;
  #readings: Reading[] = [];
  #gaps: Gap[] = [];

  private constructor(
    { name }: CompanionSource,
    game: Game,
    run: CompanionRun,
    { print, file, index, portions, seams, hearing }: Opened,
  ) {
    this.name = name;
    this.print = print;
    this.#file = file;
    this.#index = index;
    this.#game = game;
    this.#run = run;
    this.#portions = portions;
    this.#seams = seams;
    this.#hearing = hearing;
    this.#detectors = Object.keys(game.profile.detectors);
    this.#readers = new Readers(file, game, undefined, run.workers, { companion: name, stuckAfter: run.stuckAfter });
    this.#waking = new Waking(file, game, undefined, index, portions, name);
  }

  /**
   * Opens a companion. `missing` is told of sound tracks that are not there, `note` what else is not as the profile wants it. Throws PlaybyplayError `bad-media` where it cannot be read,
   * `no-overlap` where nothing of it falls within the recording.
   */
  static async open(
    source: CompanionSource,
    game: Game,
    run: CompanionRun,
    missing: (error: PlaybyplayError) => void,
    note: (issue: Issue) => void,
  ): Promise<Companion> {
    const { name, path, pairs = [] } = source;
    await using resources = new AsyncDisposableStack();
    const file = resources.use(opened(name, path));
    const { offset, rate } = alignment(pairs);
    const index = await scanPacketsAsync(file, run.signal ? { signal: run.signal } : {});
    const duration = index.t.at(-1) ?? 0;
    const { hash, bytes } = await fingerprintMedia(path);
    const { width, height } = file.info;
    const print = { name, hash, bytes, duration, width, height, offset, rate };
    const [start, end] = [
      Math.max(0, run.from ?? 0),
      Math.min(run.to ?? Number.POSITIVE_INFINITY, run.duration + 1e-6),
    ];
    const [first, last] = [onRecording(print, 0), onRecording(print, duration)];
    if (index.t.length === 0 || first >= end || last < start)
      throw new PlaybyplayError(
        'no-overlap',
        `“${name}” (${path}) lies at ${clock(first)} to ${clock(last)} of the recording's clock: nothing of it falls within ${clock(start)} to ${clock(end)}`,
        { hint: 'Does its clock fit? Give it behind the file: --media name=file@offset, or @auto.' },
      );
    const range = { from: (start - offset) / rate, to: (end - offset) / rate };
    const { profile, plugins } = game;
    const portions = planPortions(index, profile, range, run.plan, await hearersOf(profile, plugins, name));
    const { signal } = run;
    const hearing = await Hearing.open(
      path,
      profile,
      game.assets,
      { origin: originSeconds(index), from: Math.max(0, range.from), to: range.to, signal, companion: name },
      missing,
      plugins,
    );
    const seams = await Seams.open(profile, plugins, name);
    const issue = await withoutVectors(game, file, index, name);
    if (issue) note(issue);
    resources.move();
    return new Companion(source, game, run, { print, file, index, portions, seams, hearing });
  }

  /** Begins to read; readings are kept in the journal, and those that are there are not made again. */
  begin(journal: Journal<ChunkReadings>): void {
    const { plan, stuckAfter, signal, from = 0, to = Number.POSITIVE_INFINITY } = this.#run;
    const options = { ...(stuckAfter === undefined ? {} : { stuckAfter }), ...(signal ? { signal } : {}) };
    const readers = this.#readers;
    const run = { game: this.#game, options, index: this.#index, plan, readers, shared: false, companion: this.name };
    this.#work = readPortions(run, this.#portions, journal);
    // Threads start while the recording itself is looked at.
    if (journal.completed.size === 0) readers.start(this.#portions.length);
    for (const hole of findMissingFrames(this.#index, this.#file.info)) {
      const gap = this.#gapOf(hole);
      if (gap.end > from && gap.t < Math.min(to, this.#run.duration)) this.#gaps.push(gap);
    }
  }

  /** The readings before `t` seconds of the recording that were not given yet, in order of time, and what could not be read. */
  async until(t: number): Promise<SourceReadings> {
    while (this.#work && this.#reach < t) await this.#take(this.#work);
    const heard = this.#hearing.until((t - this.print.offset) / this.print.rate + ROUNDING);
    for (const one of heard) this.#readings.push({ ...one, t: onRecording(this.print, one.t) });
    const ready = this.#readings.filter((reading) => reading.t < t).toSorted((a, b) => a.t - b.t);
    this.#readings = this.#readings.filter((reading) => reading.t >= t);
    const gaps = this.#gaps.filter((gap) => gap.t < t).toSorted((a, b) => a.t - b.t);
    this.#gaps = this.#gaps.filter((gap) => gap.t >= t);
    return { readings: ready, gaps };
  }

  /** Reads what turned out to be switched on; times are the recording's. */
  async wake(wants: readonly Want[], places: Places): Promise<readonly Woken[]> {
    const times = new Map<number, number>();
    const own = wants.map((want) => {
      const t = this.#sampleAt(want.t);
      times.set(t, want.t);
      return { ...want, t };
    });
    const here = new Map([...places].map(([t, place]) => [this.#sampleAt(t), place]));
    const woken = await this.#waking.read(own, here, this.#run.signal);
    return woken.map((one) => ({ ...one, t: times.get(one.t)! }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work?.return(undefined);
    await this.#readers[Symbol.asyncDispose]();
    this.#waking[Symbol.dispose]();
    this.#hearing[Symbol.dispose]();
    this.#file[Symbol.dispose]();
  }

  async #take(work: AsyncGenerator<ReadPortion>): Promise<void> {
    const { value, done } = await work.next();
    if (done) {
      this.#work = undefined;
      return;
    }
    const chunk = this.#seams.mend(value.readings);
    for (const [i, time] of chunk.t.entries()) {
      const t = onRecording(this.print, time);
      for (const reading of readingsOf(chunk, i, this.#detectors)) this.#readings.push({ ...reading, t });
      for (const detector of asleepIn(chunk, i, this.#detectors))
        this.#readings.push({ detector, t, observation: ASLEEP });
    }
    for (const gap of chunk.gaps) this.#gaps.push(this.#gapOf(gap));
    this.#reach = onRecording(this.print, value.portion.chunk.end);
  }

  #gapOf({ t, end, reason }: Gap): Gap {
    return { t: onRecording(this.print, t), end: onRecording(this.print, end), reason: `${this.name}: ${reason}` };
  }

  /** The time of its frame that lies at `t` seconds of the recording. */
  #sampleAt(t: number): number {
    const times = this.#index.t;
    const wanted = (t - this.print.offset) / this.print.rate;
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low > 0 && wanted - times[low - 1]! < times[low]! - wanted ? times[low - 1]! : times[low]!;
  }
}

function clock(t: number): string {
  return t < 0 ? `−${formatClock(-t)}` : formatClock(t);
}

function opened(name: string, path: string): VideoFile {
  try {
    return openVideo(path);
  } catch (error) {
    throw new PlaybyplayError('bad-media', `“${name}” cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
