import type { Reading } from '../detectors/kind.ts';
import type { Moment } from '../cues/cue-stream.ts';
import type { Issue } from '../errors.ts';
import type { Cue } from '../cues/cue.ts';
import type { CueValue, EndLine, EventLine, GapLine, HeaderLine, LoggedCue } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import type { NewEvent } from '../events/log-lines.ts';
import type { ScriptNote, ScriptStatement } from '../script/script.ts';
import type { Gap } from './reading/chunk-readings.ts';
import type { SampleReading } from './reading/interpolation.ts';

/** What `detect` yields: the lines of the log, and what its user should know meanwhile. */
export type DetectMessage =
  | HeaderLine
  | EventLine
  | GapLine
  | EndLine
  | WarningMessage
  | NoteMessage
  | StopMessage
  | ProgressMessage
  | EarlyMessage
  | WithdrawnMessage
  | ConnectionMessage;

/** Something is wrong or uncertain. */
export interface WarningMessage {
  readonly type: 'warning';
  /**
   * What it concerns: the whole `recording`, whether the profile fits it (`placement`), `detectors` that never read anything, or
   * a single `problem` of script, profile or plug-in, of which the `end` line gives the numbers.
   */
  readonly about: 'recording' | 'placement' | 'detectors' | 'problem';
  readonly issue: Issue;
  /** Names of the detectors concerned. */
  readonly detectors?: readonly string[];
}

/** What the game script writes for its author (`game.note`). */
export interface NoteMessage {
  readonly type: 'note';
  readonly note: ScriptNote;
}

/** A cue at which the author of a game wants to see what is known. */
export interface CueBreakpoint {
  readonly detector: string;
  /** Default: any. */
  readonly trigger?: Cue['trigger'] | undefined;
  /** Only where the value, as text, is this one. */
  readonly value?: string | undefined;
}

/** What was known when a cue came at which the author has set a breakpoint. */
export interface StopMessage {
  readonly type: 'stop';
  /** Seconds. */
  readonly t: number;
  readonly cue: LoggedCue;
  /** What every detector reads then, by name. */
  readonly readings: Readonly<Record<string, CueValue>>;
  /** `game.state` of the script before and after it took the cue, as JSON; absent without a script. */
  readonly before?: string;
  readonly after?: string;
  /** What rules and script stated at it. */
  readonly statements: readonly Statement[];
}

/** How far the recording has been processed, in seconds. */
export interface ProgressMessage {
  readonly type: 'progress';
  readonly done: number;
  /** Undefined where the source does not know its duration. */
  readonly total: number | undefined;
}

/**
 * What a rule or script of a live session states, before it is known whether another detector reports the same event: as a rule
 * seconds before the event stands in the log. What becomes no event, or a more specific one, is withdrawn.
 */
export interface EarlyMessage extends Omit<NewEvent, 'cues'> {
  readonly type: 'early';
  /** The id of the event if it stays as it is. */
  readonly id: string;
}

/** An early statement of a live session did not become an event as it was stated; another event may stand in its place. */
export interface WithdrawnMessage extends Pick<EarlyMessage, 'id' | 't' | 'text'> {
  readonly type: 'withdrawn';
}

/** The connection of a live session begins, or is lost. */
export interface ConnectionMessage {
  readonly type: 'connection';
  readonly state: 'connected' | 'lost';
  /** Seconds since the first frame of the session. */
  readonly t: number;
  /** Where the frames come from, without passwords and keys; or why the connection is lost. */
  readonly text: string;
}

/** Messages that later stages pass on. */
export type SideMessage =
  | WarningMessage
  | NoteMessage
  | StopMessage
  | ProgressMessage
  | EarlyMessage
  | ConnectionMessage
  | { readonly type: 'gap'; readonly gap: Gap };

/** The readings of one moment, in order of time. */
export interface SampleMessage {
  readonly type: 'sample';
  /** Seconds. */
  readonly t: number;
  readonly readings: readonly Reading[];
  /** A frame was read; otherwise the readings are of sound, records or companions alone. */
  readonly isFrame: boolean;
  /** How the frame was read, where those around it may prove what it shows. */
  readonly frame?: SampleReading;
}

/** No more samples before this time follow: results up to here can be given out. */
export interface ChunkEndMessage {
  readonly type: 'chunk-end';
  /** The media is over at this time, in seconds. */
  readonly end?: number;
}

/** The cues that are known after a sample, and the time up to which all are. */
export interface CuesMessage {
  readonly type: 'cues';
  readonly moments: readonly Moment[];
  readonly until: number;
}

/** Statements of the game script and the rules, before fusion. */
export interface StatementsMessage {
  readonly type: 'statements';
  readonly statements: readonly ScriptStatement[];
}

/** Nothing earlier follows, in seconds. */
export interface SettledMessage {
  readonly type: 'settled';
  readonly until: number;
}

/** Events for the log. */
export interface EventsMessage {
  readonly type: 'events';
  readonly events: readonly NewEvent[];
}

/** Counts that go into the last line of the log. */
export interface SummaryMessage {
  readonly type: 'summary';
  readonly samples?: number;
  readonly problems?: Readonly<Record<string, number>>;
}

/** Creates a message about one problem. */
export function problemMessage(issue: Issue): WarningMessage {
  return { type: 'warning', about: 'problem', issue };
}
