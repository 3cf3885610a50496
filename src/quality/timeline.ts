import { componentNames } from './constants.ts';
import { RunningStatistics } from './statistics.ts';
import type { RawFrame } from './frame.ts';
import type { QualityMeter } from './meter.ts';
import type { EventLine } from '../events/log.ts';
import { IncidentDetector, type IncidentOptions } from './incidents.ts';
import { FrameTimeRecorder } from './report/frame-times.ts';
import type { SessionAnalysis } from './report/session.ts';
import { type FileOptions, scoreFiles } from './score.ts';

/** Figures of a short span of a session. Scores 0–100, raw values in ms. */
export interface TimelinePoint {
  /** Seconds. */
  readonly t: number;
  readonly end: number;
  readonly frames: number;
  /** Mean and minimum of the frames' base. */
  readonly base?: number;
  readonly baseMin?: number;
  /** Mean and minimum combined weighted score. */
  readonly cws?: number;
  readonly cwsMin?: number;
  readonly picture?: number;
  /** Mean and maximum raw value of each measured component. */
  readonly raw: Readonly<Record<string, { readonly mean: number; readonly max: number }>>;
}

class Bucket {
  frames = 0;
  readonly base = new RunningStatistics();
  readonly cws = new RunningStatistics();
  readonly picture = new RunningStatistics();
  readonly raw = componentNames.map(() => new RunningStatistics());

  merge(other: Bucket): void {
    this.frames += other.frames;
    this.base.merge(other.base);
    this.cws.merge(other.cws);
    this.picture.merge(other.picture);
    for (const [i, sum] of this.raw.entries()) sum.merge(other.raw[i]!);
  }
}

/**
 * Records the course of a session for charts in constant memory: spans start at `width` seconds, and neighbouring spans
 * are merged whenever there are more than `limit`.
 */
export class TimelineRecorder {
  readonly #limit: number;
  #width: number;
  #buckets: (Bucket | undefined)[] = [];

  /** @param width Initial length of a span in seconds. */
  constructor(limit = 1200, width = 0.1) {
    this.#limit = limit;
    this.#width = width;
  }

  add(meter: QualityMeter, raw: RawFrame): void {
    let at = Math.floor(raw.t / this.#width);
    while (at >= this.#limit) {
      this.#halve();
      at = Math.floor(raw.t / this.#width);
    }
    const bucket = (this.#buckets[at] ??= new Bucket());
    bucket.frames++;
    const { base, cws, picture } = meter.latest;
    bucket.base.add(base);
    bucket.cws.add(cws);
    bucket.picture.add(picture);
    bucket.raw[0]!.add(raw.captureDelta);
    bucket.raw[1]!.add(raw.presentDelta);
    bucket.raw[2]!.add(raw.roundTripDelay);
    bucket.raw[3]!.add(raw.stackLatency);
  }

  #halve(): void {
    this.#width *= 2;
    const halved: (Bucket | undefined)[] = [];
    for (const [i, bucket] of this.#buckets.entries()) {
      if (!bucket) continue;
      const into = halved[i >> 1];
      if (into) into.merge(bucket);
      else halved[i >> 1] = bucket;
    }
    this.#buckets = halved;
  }

  /** Spans that contain a frame, in order. */
  points(): TimelinePoint[] {
    return this.#buckets.flatMap((bucket, i) =>
      bucket ? [toPoint(bucket, i * this.#width, (i + 1) * this.#width)] : [],
    );
  }
}

function toPoint(bucket: Bucket, t: number, end: number): TimelinePoint {
  const known = componentNames.map((name, i) => [name, bucket.raw[i]!] as const).filter(([, sum]) => sum.count > 0);
  return {
    t,
    end,
    frames: bucket.frames,
    ...(bucket.base.count > 0 && { base: bucket.base.mean, baseMin: bucket.base.least }),
    ...(bucket.cws.count > 0 && { cws: bucket.cws.mean, cwsMin: bucket.cws.least }),
    ...(bucket.picture.count > 0 && { picture: bucket.picture.mean }),
    raw: Object.fromEntries(known.map(([name, sum]) => [name, { mean: sum.mean, max: sum.most }])),
  };
}

/** Merges neighbouring points down to at most `limit`. */
export function downsample(points: readonly TimelinePoint[], limit: number): readonly TimelinePoint[] {
  const step = Math.ceil(points.length / limit);
  if (step <= 1) return points;
  return Array.from({ length: Math.ceil(points.length / step) }, (_, i) =>
    mergePoints(points.slice(i * step, (i + 1) * step)),
  );
}

function mergePoints(part: readonly TimelinePoint[]): TimelinePoint {
  const frames = part.reduce((sum, point) => sum + point.frames, 0);
  const mean = (value: (point: TimelinePoint) => number | undefined): number | undefined => {
    const known = part.filter((point) => value(point) !== undefined);
    const count = known.reduce((sum, point) => sum + point.frames, 0);
    return count === 0 ? undefined : known.reduce((sum, point) => sum + value(point)! * point.frames, 0) / count;
  };
  const least = (value: (point: TimelinePoint) => number | undefined): number | undefined => {
    const known = part.map(value).filter((one) => one !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  };
  const known = {
    base: mean((p) => p.base),
    baseMin: least((p) => p.baseMin),
    cws: mean((p) => p.cws),
    cwsMin: least((p) => p.cwsMin),
    picture: mean((p) => p.picture),
  };
  const names = [...new Set(part.flatMap((point) => Object.keys(point.raw)))];
  return {
    t: part[0]!.t,
    end: part.at(-1)!.end,
    frames,
    ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as Partial<TimelinePoint>),
    raw: Object.fromEntries(
      names.map((name) => [
        name,
        {
          mean: mean((point) => point.raw[name]?.mean)!,
          max: Math.max(...part.map((point) => point.raw[name]?.max ?? 0)),
        },
      ]),
    ),
  };
}

/** Figures of one minute of a session. Scores 0–100. */
export interface MinuteStatistics {
  /** Minute of the session, from 0. */
  readonly minute: number;
  readonly frames: number;
  /** Mean combined weighted score. */
  readonly cws: number;
  /** Mean base, which includes instability; can be negative. */
  readonly base: number;
  /** Longest time without a new picture, ms. */
  readonly longest: number;
}

/** Records the figures of a session minute by minute. */
export class MinuteRecorder {
  readonly #minutes: { minute: number; frames: number; scored: number; cws: number; base: number; longest: number }[] =
    [];

  add(meter: QualityMeter, raw: RawFrame): void {
    const minute = Math.floor(raw.t / 60);
    let last = this.#minutes.at(-1);
    if (last?.minute !== minute) {
      last = { minute, frames: 0, scored: 0, cws: 0, base: 0, longest: 0 };
      this.#minutes.push(last);
    }
    last.frames++;
    last.longest = Math.max(last.longest, raw.pictureDelta ?? 0);
    const { cws, base } = meter.latest;
    if (cws === undefined || base === undefined) return;
    last.scored++;
    last.cws += cws;
    last.base += base;
  }

  /** Minutes with a scored frame, in order. */
  all(): MinuteStatistics[] {
    return this.#minutes
      .filter(({ scored }) => scored > 0)
      .map(({ minute, frames, scored, cws, base, longest }) => ({
        minute,
        frames,
        cws: cws / scored,
        base: base / scored,
        longest,
      }));
  }

  /** Minutes with the lowest mean combined weighted score. */
  worst(count = 5): MinuteStatistics[] {
    return this.all()
      .toSorted((a, b) => a.cws - b.cws || a.base - b.base)
      .slice(0, count);
  }
}

/** Options of `analyzeFiles`. */
export interface AnalyzeOptions extends FileOptions {
  /** Maximum number of points of the timeline; default 1200. */
  readonly points?: number;
  readonly incidents?: IncidentOptions;
}

/**
 * Scores the sessions of files and records what a report needs: timeline, worst minutes and incidents.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 *
 * await writeFile('session.ndjson', '{"fps":60}\n{"frame":0,"captured":0}\n{"frame":1,"captured":17}\n');
 * const [session] = await analyzeFiles(['session.ndjson']);
 * console.log(session.incidents, session.worst);
 * ```
 */
export async function analyzeFiles(paths: readonly string[], options: AnalyzeOptions = {}): Promise<SessionAnalysis[]> {
  let followed: {
    track: TimelineRecorder;
    minutes: MinuteRecorder;
    frameTimes: FrameTimeRecorder;
    incidents: IncidentDetector | undefined;
  }[] = [];
  const scored = await scoreFiles(paths, {
    ...options,
    observe: (input) => {
      const others = options.observe?.(input);
      const mine = {
        track: new TimelineRecorder(options.points),
        minutes: new MinuteRecorder(),
        frameTimes: new FrameTimeRecorder(),
        incidents: undefined as IncidentDetector | undefined,
      };
      followed = [...followed, mine];
      return (meter, record, raw) => {
        mine.incidents ??= new IncidentDetector(meter.fps, {
          measuredRate: input.measuredRate,
          ...options.incidents,
        });
        mine.incidents.add(meter, raw);
        mine.track.add(meter, raw);
        mine.minutes.add(meter, raw);
        mine.frameTimes.add(raw);
        others?.(meter, record, raw);
      };
    },
  });
  // A session that was read twice was observed twice: use the last observers.
  const last = followed.slice(-scored.length);
  return scored.map((one, i) => {
    const { track, minutes, incidents, frameTimes } = last[i]!;
    const frames = frameTimes.frames();
    return {
      scored: one,
      points: track.points(),
      worst: minutes.worst(),
      incidents: incidents?.finish() ?? [],
      ...(frames && { frameTimes: frames }),
    };
  });
}

/** Events of the game on the timeline of a session whose clock starts at `offset` seconds of the recording. */
export function gameplayMarks(
  events: readonly EventLine[],
  kindOf: (event: EventLine) => 'loss' | 'win' | 'other',
  offset = 0,
): NonNullable<SessionAnalysis['play']> {
  return events
    .filter((event) => !event.cues.some((cue) => cue.detector === 'stream'))
    .map((event) => ({ event: { ...event, t: event.t - offset, end: event.end - offset }, kind: kindOf(event) }))
    .filter(({ event }) => event.t >= 0);
}
