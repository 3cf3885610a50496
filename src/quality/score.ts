import type { Issue } from '../errors.ts';
import type { ConstantsInput } from './constants.ts';
import { type FrameRecord, type RawFrame, RawValueReader, type SessionInfo, standardRate } from './frame.ts';
import { LateRecordError, JOIN_WINDOW_FRAMES } from './input/frame-log.ts';
import { readSessions, type VideoReader } from './input/read.ts';
import { upperMedian } from '../statistics.ts';
import type { ReadOptions, SessionInput } from './input/session.ts';
import { type FrameQuality, QualityMeter, type SessionQuality } from './meter.ts';

/** Source of the target frame rate. */
export type RateSource = 'option' | 'header' | 'estimated' | 'assumed';

/** A scored session with what its figures are based on. */
export interface ScoredInput {
  readonly format: SessionInput['format'];
  readonly name: string;
  readonly quality: SessionQuality;
  readonly info: SessionInfo;
  readonly fpsFrom: RateSource;
  readonly derived: Readonly<Record<string, string>>;
  readonly missing: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly issues: readonly Issue[];
}

/** Receives each frame after it was scored. */
export type FrameObserver = (meter: QualityMeter, record: FrameRecord, raw: RawFrame) => void;

/** Options of scoring; given values override the session's. */
export interface ScoreOptions {
  /** Overrides the session's value. */
  readonly fps?: number | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly targetBitrate?: number | undefined;
  readonly constants?: ConstantsInput;
  /** Makes an observer of a session's frames, called after each frame when the meter has its figures. */
  readonly observe?: ((input: SessionInput) => FrameObserver | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Frames used to estimate an unknown frame rate. */
const RATE_ESTIMATION_FRAMES = 600;

/** Scores a session while it is read, in constant memory. */
export async function scoreInput(input: SessionInput, options: ScoreOptions = {}): Promise<ScoredInput> {
  const values = new RawValueReader(input);
  const onFrame = options.observe?.(input);
  let session: { readonly meter: QualityMeter; readonly info: SessionInfo; readonly fpsFrom: RateSource } | undefined;
  let waiting: readonly FrameRecord[] = [];
  const score = (records: readonly FrameRecord[]): QualityMeter => {
    if (!session) {
      const chosen = chooseInfo(input, options, records);
      session = { ...chosen, meter: new QualityMeter(chosen.info, options.constants) };
    }
    const { meter } = session;
    for (const record of records) {
      const raw = values.next(record);
      meter.push(raw);
      onFrame?.(meter, record, raw);
    }
    return meter;
  };
  const isRateKnown = options.fps !== undefined || input.fps !== undefined;
  for await (const records of input.records()) {
    options.signal?.throwIfAborted();
    if (!session) waiting = [...waiting, ...records];
    if (session) score(records);
    else if (isRateKnown || waiting.length >= RATE_ESTIMATION_FRAMES) score(waiting);
  }
  const meter = session?.meter ?? score(waiting);
  const { info, fpsFrom } = session!;
  const quality = meter.result();
  return {
    format: input.format,
    name: input.name,
    quality,
    info,
    fpsFrom,
    derived: input.derived,
    missing: explainPicture(input.missing, quality),
    counts: {
      ...input.notes.counts,
      ...(values.outOfOrder > 0 && { outOfTurn: values.outOfOrder }),
      ...(values.impossible > 0 && { impossible: values.impossible }),
    },
    ...(input.extra && { extra: input.extra }),
    issues: [...input.notes.issues, ...plausibilityIssues(quality, fpsFrom, values)],
  };
}

/** Decides the properties of a session from the options, the file and its first records. */
function chooseInfo(
  input: SessionInput,
  options: ScoreOptions,
  records: readonly FrameRecord[],
): { readonly info: SessionInfo; readonly fpsFrom: RateSource } {
  const stated = options.fps ?? input.fps ?? records.find((record) => record.fps !== undefined)?.fps;
  const estimate = stated ?? estimateRate(records);
  const info = {
    fps: estimate ?? 60,
    width: options.width ?? input.width,
    height: options.height ?? input.height,
    targetBitrate: options.targetBitrate ?? input.targetBitrate,
  };
  if (options.fps !== undefined) return { info, fpsFrom: 'option' };
  if (stated !== undefined) return { info, fpsFrom: 'header' };
  return { info, fpsFrom: estimate === undefined ? 'assumed' : 'estimated' };
}

/**
 * Reads and scores the sessions of files. Frame logs with the server's and the client's half are joined; every other
 * file is scored separately. If records arrive later than the join waits, the session is read again in memory.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 *
 * await writeFile('session.ndjson', '{"fps":60}\n{"frame":0,"captured":0}\n{"frame":1,"captured":17}\n');
 * const [session] = await scoreFiles(['session.ndjson']);
 * session.quality.frames; // 2
 * ```
 */
export async function scoreFiles(paths: readonly string[], options: FileOptions = {}): Promise<ScoredInput[]> {
  return (await scoreFilesWithin(paths, options)).scored;
}

/** Options of reading and scoring files. */
export type FileOptions = ScoreOptions & ReadOptions & { readonly video?: VideoReader | undefined };

/**
 * Scores like `scoreFiles` and returns the join window in frames that was needed; Infinity if everything had to be held
 * in memory.
 */
async function scoreFilesWithin(
  paths: readonly string[],
  options: FileOptions,
): Promise<{ scored: ScoredInput[]; window: number }> {
  const all = async (window: number): Promise<{ scored: ScoredInput[]; window: number }> => {
    const scored: ScoredInput[] = [];
    for (const input of await readSessions(paths, { ...options, window }))
      scored.push(await scoreInput(input, options));
    return { scored, window };
  };
  try {
    return await all(JOIN_WINDOW_FRAMES);
  } catch (error) {
    if (!(error instanceof LateRecordError)) throw error;
    return all(Number.POSITIVE_INFINITY);
  }
}

/** Figures of a session and, in batches, of its frames. */
export interface ScoredSeries {
  readonly scored: ScoredInput;
  readonly frames: AsyncIterable<readonly FrameQuality[]>;
}

/**
 * Scores like `scoreFiles` and also yields the figures of every frame. Reads the files twice instead of holding them in
 * memory.
 */
export async function scoreSeries(paths: readonly string[], options: FileOptions = {}): Promise<ScoredSeries[]> {
  const { scored, window } = await scoreFilesWithin(paths, options);
  const inputs = await readSessions(paths, { ...options, window });
  return inputs.map((input, i) => ({ scored: scored[i]!, frames: frameFigures(input, scored[i]!.info, options) }));
}

async function* frameFigures(
  input: SessionInput,
  info: SessionInfo,
  options: ScoreOptions,
): AsyncGenerator<readonly FrameQuality[]> {
  const meter = new QualityMeter(info, options.constants);
  const values = new RawValueReader();
  for await (const records of input.records()) {
    for (let from = 0; from < records.length; from += 1000) {
      options.signal?.throwIfAborted();
      yield records.slice(from, from + 1000).map((record) => {
        meter.push(values.next(record));
        return meter.current()!;
      });
    }
  }
}

/**
 * Estimates the standard frame rate from the first frames: by presentation if known (an application may render more
 * often than it presents), else by capture.
 */
function estimateRate(records: readonly FrameRecord[]): number | undefined {
  const values = new RawValueReader();
  const raws = records.map((record) => values.next(record));
  return medianRate(raws.map((raw) => raw.presentDelta)) ?? medianRate(raws.map((raw) => raw.captureDelta));
}

function medianRate(deltas: readonly (number | undefined)[]): number | undefined {
  const known = deltas.filter((delta) => delta !== undefined && delta > 0) as number[];
  const usual = upperMedian(known);
  return usual === undefined ? undefined : standardRate([1000 / usual]);
}

function explainPicture(missing: Readonly<Record<string, string>>, quality: SessionQuality): Record<string, string> {
  const rest = { ...missing };
  if (quality.picture !== null) delete rest['picture'];
  else rest['picture'] ??= 'target bitrate, width or height is unknown';
  return rest;
}

/** Reports what makes the figures doubtful. */
function plausibilityIssues(quality: SessionQuality, fpsFrom: RateSource, values: RawValueReader): Issue[] {
  const issues: Issue[] = [];
  if (fpsFrom === 'estimated') {
    issues.push({
      code: 'rate-estimated',
      message: `the file has no target frame rate; estimated ${quality.fps} from the frame times`,
      hint: 'Set it with --fps.',
    });
  }
  const mean = quality.components['captureDelta']?.mean ?? quality.components['presentDelta']?.mean;
  if (mean !== undefined && mean > 0) {
    const ratio = (mean * quality.fps) / 1000;
    if (ratio < 0.02) {
      issues.push({
        code: 'time-unit',
        message: `the mean time between frames is ${mean.toPrecision(3)} ms at ${quality.fps} frames a second: times may be in seconds`,
        hint: 'Times must be in ms.',
      });
    } else if (ratio > 50) {
      issues.push({
        code: 'time-unit',
        message: `the mean time between frames is ${mean.toPrecision(3)} ms at ${quality.fps} frames a second: times may be in µs`,
        hint: 'Times must be in ms.',
      });
    }
  }
  if (values.outOfOrder > 0) {
    issues.push({
      code: 'out-of-turn',
      message: `${values.outOfOrder} frames were captured or presented out of order; not counted as stutter`,
    });
  }
  if (values.impossible > 0) {
    issues.push({
      code: 'time-backward',
      message: `ignored ${values.impossible} times that ran backwards or delays below zero`,
    });
  }
  if (quality.frames > 0 && quality.total === null) {
    issues.push({ code: 'nothing-to-score', message: 'the frames contain no value of any component' });
  }
  return issues;
}
