import type { EventLine } from '../events/log.ts';
import { type IncidentOptions, IncidentDetector } from './incidents.ts';
import { MinuteRecorder, TimelineRecorder } from './timeline.ts';
import type { SessionAnalysis } from './report/session.ts';
import { type FileOptions, scoreFiles } from './score.ts';

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
  let followed: { track: TimelineRecorder; minutes: MinuteRecorder; incidents: IncidentDetector | undefined }[] = [];
  const scored = await scoreFiles(paths, {
    ...options,
    observe: (input) => {
      const others = options.observe?.(input);
      const mine = {
        track: new TimelineRecorder(options.points),
        minutes: new MinuteRecorder(),
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
        others?.(meter, record, raw);
      };
    },
  });
  // A session that was read twice was observed twice: use the last observers.
  const last = followed.slice(-scored.length);
  return scored.map((one, i) => ({
    scored: one,
    points: last[i]!.track.points(),
    worst: last[i]!.minutes.worst(),
    incidents: last[i]!.incidents?.finish() ?? [],
  }));
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
