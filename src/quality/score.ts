import type { Issue } from '../errors.ts';
import type { ConstantsInput } from './constants.ts';
import { type FrameRecord, type RawFrame, RawValueReader, type SessionInfo, standardRate } from './frame.ts';
import { LateRecordError, JOIN_WINDOW_FRAMES } from './input/frame-log.ts';
import { readSessions, type VideoReader } from './input/read.ts';
import { upperMedian } from './statistics.ts';
import type { ReadOptions, SessionInput } from './input/session.ts';
import { type FrameQuality, QualityMeter, type SessionQuality } from './meter.ts';

/** Where the target frame rate came from. */
export type RateSource = 'option' | 'header' | 'estimated' | 'assumed';

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

export type FrameObserver = (meter: QualityMeter, record: FrameRecord, raw: RawFrame) => void;

export interface ScoreOptions {
  /** In place of what the session says. */
  readonly fps?: number | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly targetBitrate?: number | undefined;
  readonly constants?: ConstantsInput;
  /** Makes an observer of a session's frames; it is called after each frame, when the meter holds its figures. */
  readonly observe?: ((input: SessionInput) => FrameObserver | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Frames that the frame rate is estimated from where nothing tells it. */
const RATE_ESTIMATION_FRAMES = 600;

/** Scores a session as it is read, in memory that does not grow with its length. */
export async function scoreInput(input: SessionInput, options: ScoreOptions = {}): Promise<ScoredInput> {
  const values = new RawValueReader(input);
  const onFrame = options.observe?.(input);
  let meter: QualityMeter | undefined;
  let waiting: FrameRecord[] = [];
  let fpsFrom: RateSource = 'assumed';
  let info: SessionInfo = { fps: 60 };
  const begin = (records: readonly FrameRecord[]): QualityMeter => {
    const told = options.fps ?? input.fps ?? records.find((record) => record.fps !== undefined)?.fps;
    const estimate = told ?? estimateRate(records);
    if (options.fps !== undefined) fpsFrom = 'option';
    else if (told !== undefined) fpsFrom = 'header';
    else if (estimate !== undefined) fpsFrom = 'estimated';
    info = {
      fps: estimate ?? 60,
      width: options.width ?? input.width,
      height: options.height ?? input.height,
      targetBitrate: options.targetBitrate ?? input.targetBitrate,
    };
    return new QualityMeter(info, options.constants);
  };
  const score = (into: QualityMeter, records: readonly FrameRecord[]): void => {
    for (const record of records) {
      const raw = values.next(record);
      into.push(raw);
      onFrame?.(into, record, raw);
    }
  };
  for await (const records of input.records()) {
    options.signal?.throwIfAborted();
    if (meter) {
      score(meter, records);
      continue;
    }
    waiting = waiting.length === 0 ? [...records] : waiting.concat(records);
    if (waiting.length >= RATE_ESTIMATION_FRAMES || options.fps !== undefined || input.fps !== undefined) {
      meter = begin(waiting);
      score(meter, waiting);
      waiting = [];
    }
  }
  if (!meter) {
    meter = begin(waiting);
    score(meter, waiting);
  }
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
      ...(values.outOfTurn > 0 && { outOfTurn: values.outOfTurn }),
      ...(values.impossible > 0 && { impossible: values.impossible }),
    },
    ...(input.extra && { extra: input.extra }),
    issues: [...input.notes.issues, ...plausibilityIssues(quality, fpsFrom, values)],
  };
}

/**
 * Reads and scores the sessions of files: files in our own form are halves of one session, any other stands for itself.
 * Where records of a session come later than the join waits for them, it is read again with everything in memory.
 */
export async function scoreFiles(paths: readonly string[], options: FileOptions = {}): Promise<ScoredInput[]> {
  return (await scoreFilesWithin(paths, options)).scored;
}

export type FileOptions = ScoreOptions & ReadOptions & { readonly video?: VideoReader | undefined };

/** Likewise, and the window (in frames) that the join had to wait; Infinity where it had to hold everything. */
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

/** A session's figures, and those of its frames in batches. */
export interface ScoredSeries {
  readonly scored: ScoredInput;
  readonly frames: AsyncIterable<readonly FrameQuality[]>;
}

/** Like `scoreFiles`, with the figures of every frame; files are read twice, so that nothing has to be held in memory. */
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
 * The standard rate that the first frames speak of: that of their presentation where it is known (an application may
 * render more often than anything is shown), else that of their capture.
 */
function estimateRate(records: readonly FrameRecord[]): number | undefined {
  const values = new RawValueReader();
  const raws = records.map((record) => values.next(record));
  return rateOf(raws.map((raw) => raw.presentDelta)) ?? rateOf(raws.map((raw) => raw.captureDelta));
}

function rateOf(deltas: readonly (number | undefined)[]): number | undefined {
  const known = deltas.filter((delta) => delta !== undefined && delta > 0) as number[];
  const usual = upperMedian(known);
  return usual === undefined ? undefined : standardRate([1000 / usual]);
}

function explainPicture(missing: Readonly<Record<string, string>>, quality: SessionQuality): Record<string, string> {
  const rest = { ...missing };
  if (quality.picture !== null) delete rest['picture'];
  else rest['picture'] ??= 'target bitrate, width and height are not all known';
  return rest;
}

/** What makes the figures doubtful, so that none is wrong in silence. */
function plausibilityIssues(quality: SessionQuality, fpsFrom: RateSource, values: RawValueReader): Issue[] {
  const issues: Issue[] = [];
  if (fpsFrom === 'estimated') {
    issues.push({
      code: 'rate-estimated',
      message: `nothing tells the target frame rate; ${quality.fps} was estimated from the frame times`,
      hint: 'name it with --fps',
    });
  }
  const mean = quality.components['captureDelta']?.mean ?? quality.components['presentDelta']?.mean;
  if (mean !== undefined && mean > 0) {
    const ratio = (mean * quality.fps) / 1000;
    if (ratio < 0.02) {
      issues.push({
        code: 'time-unit',
        message: `the mean time between frames is ${mean.toPrecision(3)} ms at ${quality.fps} frames a second: the times may be seconds`,
        hint: 'times are in ms',
      });
    } else if (ratio > 50) {
      issues.push({
        code: 'time-unit',
        message: `the mean time between frames is ${mean.toPrecision(3)} ms at ${quality.fps} frames a second: the times may be µs`,
        hint: 'times are in ms',
      });
    }
  }
  if (values.outOfTurn > 0) {
    issues.push({
      code: 'out-of-turn',
      message: `frames were captured or presented before the frame ahead of them (${values.outOfTurn} times): no stutter`,
    });
  }
  if (values.impossible > 0) {
    issues.push({
      code: 'time-backward',
      message: `times that ran backwards and delays below zero were left out (${values.impossible} times)`,
    });
  }
  if (quality.frames > 0 && quality.total === null) {
    issues.push({ code: 'nothing-to-score', message: 'the frames tell none of the components' });
  }
  return issues;
}
