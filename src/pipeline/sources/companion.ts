import type { Reading } from '../../detectors/kind.ts';
import { type Issue, messageOf, PlaybyplayError } from '../../errors.ts';
import type { Journal } from '../../events/journal.ts';
import type { HeaderLine } from '../../events/log.ts';
import { originSeconds } from '../../media/packets/packet-index.ts';
import { suggestSpelling } from '../../spelling.ts';
import { formatClock } from '../../time.ts';
import type { Game } from '../game.ts';
import { type ChunkReadings, ChunkStitcher, type Gap, readingsOf } from '../reading/chunk-readings.ts';
import { CHUNK_SECONDS, type PlannedChunk, planChunks } from '../reading/plan.ts';
import type { ReadChunk } from '../reading/reader-pool.ts';
import { ReaderPool } from '../reading/reader-pool.ts';
import { readJournaled } from '../reading/read-journaled.ts';
import { openSource, type Source } from '../source.ts';
import { missingMotionVectors } from '../warnings.ts';
import { AudioReader } from './audio.ts';
import { alignClocks, type ClockPairs, toRecordingTime } from './clock.ts';

/** A second recording of the session, with a picture and a clock of its own. */
export interface CompanionSource {
  /** As the profile's `media` calls it. */
  readonly name: string;
  readonly path: string;
  /** Times on its clock and in the recording that belong together, in seconds; one: an offset, several: also drift. */
  readonly pairs?: ClockPairs;
}

/** The run for which companions are read. */
export interface CompanionRun {
  readonly plan: 'full' | 'adaptive';
  readonly workers: number;
  /** Seconds of the recording that they accompany. */
  readonly duration: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly stuckAfter?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Readings and gaps of a source, in order of time. */
export interface SourceReadings {
  readonly readings: readonly Reading[];
  readonly gaps: readonly Gap[];
}

/** Seconds by which sound is asked for beyond a time, as clocks are rounded. */
const ROUNDING_SECONDS = 1e-3;

/** How a companion's frames are read. */
interface Opened {
  readonly header: NonNullable<HeaderLine['companions']>[number];
  readonly chunks: readonly PlannedChunk[];
  readonly gaps: readonly Gap[];
  readonly pool: ReaderPool;
  readonly audio: AudioReader;
}

/**
 * A second recording: its samples lie on a grid of its own clock, its detectors read them in threads of their own, and their
 * times are converted to the recording's afterwards.
 */
export class Companion implements AsyncDisposable {
  readonly name: string;
  /** For the header of the log. */
  readonly header: Opened['header'];
  /** What the profile wants of it that is not there. */
  readonly issues: readonly Issue[];
  readonly #opened: Opened;
  readonly #run: CompanionRun;
  readonly #stitcher: ChunkStitcher;
  readonly #detectors: readonly string[];
  readonly #resources: AsyncDisposableStack;
  #chunks: AsyncGenerator<ReadChunk> | undefined;
  /** Seconds of the recording up to which samples have been taken. */
  #reach = Number.NEGATIVE_INFINITY;
  #readings: Reading[] = [];
  #gaps: Gap[] = [];

  private constructor(
    name: string,
    game: Game,
    run: CompanionRun,
    opened: Opened,
    issues: readonly Issue[],
    resources: AsyncDisposableStack,
  ) {
    this.name = name;
    this.header = opened.header;
    this.issues = issues;
    this.#opened = opened;
    this.#run = run;
    this.#stitcher = new ChunkStitcher(game, name);
    this.#detectors = game.detectors.map((one) => one.name);
    this.#resources = resources;
  }

  /**
   * @throws PlaybyplayError `bad-media` if it cannot be read, `no-overlap` if nothing of it falls within the recording.
   */
  static async open({ name, path, pairs = [] }: CompanionSource, game: Game, run: CompanionRun): Promise<Companion> {
    await using resources = new AsyncDisposableStack();
    const issues: Issue[] = [];
    const source = resources.use(await openCompanion(name, path));
    const index = await source.preview(run.signal);
    const { hash, bytes, duration = 0 } = await source.identify();
    const { width, height } = source.video.info;
    const clock = alignClocks(pairs);
    const header = { name, hash, bytes, duration, width, height, ...clock };
    const [start, end] = [Math.max(0, run.from ?? 0), Math.min(run.to ?? Infinity, run.duration + 1e-6)];
    const [first, last] = [toRecordingTime(clock, 0), toRecordingTime(clock, duration)];
    if (index.t.length === 0 || first >= end || last < start)
      throw new PlaybyplayError(
        'no-overlap',
        `“${name}” (${path}) covers ${signedClock(first)} to ${signedClock(last)} of the recording's clock: nothing of it falls within ${signedClock(start)} to ${signedClock(end)}`,
        { hint: 'Is the clock right? Give it with the file: --media name=file@offset, or @auto.' },
      );
    const range = { from: (start - clock.offset) / clock.rate, to: (end - clock.offset) / clock.rate };
    const chunks: PlannedChunk[] = [];
    const gaps: Gap[] = [];
    const sourceChunks = await Array.fromAsync(source.chunks(CHUNK_SECONDS[run.plan], run.signal));
    for (const one of sourceChunks) gaps.push(...one.gaps);
    for await (const chunk of planChunks(sourceChunks, game, { range, companion: name })) chunks.push(chunk);
    const missing = ({ code, message }: PlaybyplayError): void =>
      void issues.push({ code, message: `${name}: ${message}; its audio detectors are left out` });
    const audio = resources.use(
      await AudioReader.open(
        path,
        game,
        {
          origin: originSeconds(index),
          from: Math.max(0, range.from),
          to: range.to,
          signal: run.signal,
          companion: name,
        },
        missing,
      ),
    );
    const issue = missingMotionVectors(game, source.video, index, name);
    if (issue) issues.push({ ...issue, message: `${name}: ${issue.message}` });
    const pool = resources.use(
      new ReaderPool(source.video, game, {
        plan: run.plan,
        workers: run.workers,
        companion: name,
        stuckAfter: run.stuckAfter,
      }),
    );
    return new Companion(name, game, run, { header, chunks, gaps, pool, audio }, issues, resources.move());
  }

  /** Starts to read; readings are stored in the journal, and those that are there are not made again. */
  start(journal: Journal<ChunkReadings> | undefined): void {
    const { chunks, gaps, pool } = this.#opened;
    const { signal, duration, from = 0, to = Infinity } = this.#run;
    this.#chunks = readJournaled(chunks, pool, journal, { prefix: `${this.name} `, signal });
    // Threads start while the recording itself is examined.
    if (!journal?.completed.size) pool.start(chunks.length);
    for (const missing of gaps) {
      const gap = this.#toRecording(missing);
      if (gap.end > from && gap.t < Math.min(to, duration)) this.#gaps.push(gap);
    }
  }

  /** The readings before `t` seconds of the recording that were not given out yet, and what could not be read. */
  async until(t: number): Promise<SourceReadings> {
    while (this.#chunks && this.#reach < t) await this.#take(this.#chunks);
    const { offset, rate } = this.header;
    for (const one of this.#opened.audio.until((t - offset) / rate + ROUNDING_SECONDS))
      this.#readings.push({ ...one, t: toRecordingTime(this.header, one.t) });
    const readings = this.#readings.filter((reading) => reading.t < t).toSorted((a, b) => a.t - b.t);
    this.#readings = this.#readings.filter((reading) => reading.t >= t);
    const gaps = this.#gaps.filter((gap) => gap.t < t).toSorted((a, b) => a.t - b.t);
    this.#gaps = this.#gaps.filter((gap) => gap.t >= t);
    return { readings, gaps };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks?.return(undefined);
    await this.#resources[Symbol.asyncDispose]();
  }

  async #take(chunks: AsyncGenerator<ReadChunk>): Promise<void> {
    const { value, done } = await chunks.next();
    if (done) {
      this.#chunks = undefined;
      return;
    }
    const chunk = this.#stitcher.stitch(value.readings);
    for (const [i, own] of chunk.t.entries()) {
      const t = toRecordingTime(this.header, own);
      for (const reading of readingsOf(chunk, i, this.#detectors)) this.#readings.push({ ...reading, t });
    }
    for (const gap of chunk.gaps) this.#gaps.push(this.#toRecording(gap));
    this.#reach = toRecordingTime(this.header, value.request.chunk.end);
  }

  #toRecording({ t, end, reason }: Gap): Gap {
    const { header, name } = this;
    return { t: toRecordingTime(header, t), end: toRecordingTime(header, end), reason: `${name}: ${reason}` };
  }
}

/** @throws PlaybyplayError `unknown-media` for a name that the profile does not have, or that is given twice. */
export function checkCompanionNames(sources: readonly CompanionSource[], { profile: { media = {} } }: Game): void {
  const known = Object.keys(media);
  const seen = new Set<string>();
  for (const { name } of sources) {
    if (seen.has(name)) throw new PlaybyplayError('unknown-media', `“${name}” is given twice`);
    seen.add(name);
    if (known.includes(name)) continue;
    const names =
      known.length === 0 ? 'It has none: see “media” in docs/games/how-to.md.' : `It has ${known.join(', ')}.`;
    throw new PlaybyplayError('unknown-media', `the profile has no companion recording “${name}”`, {
      hint: suggestSpelling(name, known) ?? names,
    });
  }
}

function signedClock(t: number): string {
  return t < 0 ? `−${formatClock(-t)}` : formatClock(t);
}

async function openCompanion(name: string, path: string): Promise<Source> {
  try {
    return await openSource(path);
  } catch (error) {
    throw new PlaybyplayError('bad-media', `“${name}” cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
