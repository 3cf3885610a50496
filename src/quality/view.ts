import type { EventLine } from '../events/log.ts';
import { type HappeningOptions, Happenings } from './happenings.ts';
import { Minutes } from './minutes.ts';
import type { SessionView } from './report/session.ts';
import { type FileOptions, scoreFiles } from './score.ts';
import { Track } from './track.ts';

export interface ViewOptions extends FileOptions {
  /** Stretches that a session's course is cut into at most; default 1200. */
  readonly points?: number;
  readonly happenings?: HappeningOptions;
}

/** Scores the sessions of files and follows each for a picture of it: its course, worst minutes and happenings. */
export async function viewFiles(paths: readonly string[], options: ViewOptions = {}): Promise<SessionView[]> {
  let followed: { track: Track; minutes: Minutes; happenings: Happenings | undefined }[] = [];
  const scored = await scoreFiles(paths, {
    ...options,
    observe: (input) => {
      const others = options.observe?.(input);
      const mine = {
        track: new Track(options.points),
        minutes: new Minutes(),
        happenings: undefined as Happenings | undefined,
      };
      followed = [...followed, mine];
      return (meter, record, raw) => {
        mine.happenings ??= new Happenings(meter.fps, {
          measuredRate: input.measuredRate,
          ...options.happenings,
        });
        mine.happenings.add(meter, raw);
        mine.track.add(meter, raw);
        mine.minutes.add(meter, raw);
        others?.(meter, record, raw);
      };
    },
  });
  // A session that had to be read again was followed twice: the last ones count.
  const last = followed.slice(-scored.length);
  return scored.map((one, i) => ({
    scored: one,
    points: last[i]!.track.points(),
    worst: last[i]!.minutes.worst(),
    happenings: last[i]!.happenings?.finish() ?? [],
  }));
}

/** Events of the play for the time line of a session whose clock begins at `offset` (s) of the recording. */
export function playMarks(
  events: readonly EventLine[],
  kindOf: (event: EventLine) => 'loss' | 'win' | 'other',
  offset = 0,
): NonNullable<SessionView['play']> {
  return events
    .filter((event) => !event.cues.some((cue) => cue.detector === 'stream'))
    .map((event) => ({ event: { ...event, t: event.t - offset, end: event.end - offset }, kind: kindOf(event) }))
    .filter(({ event }) => event.t >= 0);
}
