import type { Rational } from '../time.ts';
import type { HudSettings } from '../geometry.ts';
import type { Statement } from './statement.ts';

/** What a detector reports: a text, a number, or a list of either. */
export type CueValue = string | number | boolean;

/** The evidence behind an event, as it stands in the log. */
export interface LoggedCue {
  readonly detector: string;
  /** Seconds. */
  readonly t: number;
  readonly trigger: 'found' | 'changed' | 'lost';
  readonly value?: CueValue;
  readonly previous?: CueValue;
  readonly confidence: number;
}

export interface HeaderLine {
  readonly type: 'header';
  readonly format: 'playbyplay/1';
  readonly game: string;
  readonly session: string;
  readonly media: {
    readonly name: string;
    /** Fingerprint of the content (never a path or a date). */
    readonly hash: string;
    readonly bytes: number;
    /** Seconds of video. */
    readonly duration: number;
    readonly width: number;
    readonly height: number;
    readonly frameRate?: Rational;
    /** Seconds: the container's start offset, which `t` leaves out. */
    readonly start: number;
  };
  readonly profile: Fingerprint;
  /** Languages of the screen (BCP 47), where the profile or its user said. */
  readonly languages?: readonly string[];
  readonly script?: Fingerprint;
  readonly dictionaries: readonly Fingerprint[];
  readonly plan: {
    readonly kind: 'full' | 'adaptive';
    /** Seconds between samples; or every n-th frame. */
    readonly interval?: number;
    readonly every?: number;
    readonly from?: number;
    readonly to?: number;
  };
  /** Where the HUD lies, if not where the profile has it by itself; with a confidence where it was found, not given. */
  readonly placement?: HudSettings & {
    readonly confidence?: number;
    /** Stretches in which it was found nowhere, in seconds. */
    readonly lost?: readonly { readonly t: number; readonly end: number }[];
  };
  /** Files beside the recording: recording = offset + rate · stream, in seconds. */
  readonly streams?: readonly {
    readonly name: string;
    readonly hash: string;
    readonly offset: number;
    readonly rate: number;
    readonly records: number;
    readonly skipped: number;
  }[];
  /** Second recordings of the session: recording = offset + rate · companion, in seconds. */
  readonly companions?: readonly {
    readonly name: string;
    readonly hash: string;
    readonly bytes: number;
    /** Seconds of its video, by its own clock. */
    readonly duration: number;
    readonly width: number;
    readonly height: number;
    readonly offset: number;
    readonly rate: number;
  }[];
  /** The plug-ins whose kinds of detectors the profile uses. */
  readonly plugins?: readonly Fingerprint[];
  readonly program: string;
}

/** Name, version and content hash of something the log depends on. */
export interface Fingerprint {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
}

export interface EventLine {
  readonly type: 'event';
  readonly id: string;
  /** Seconds from the first video frame: when it happened, and when it was over. */
  readonly t: number;
  readonly end: number;
  readonly game: string;
  readonly session: string;
  readonly text: string;
  readonly statement: Statement;
  readonly confidence: number;
  readonly cues: readonly LoggedCue[];
  /** Where it happened, for an event of a reel: `t` and `session` are then the reel's own. */
  readonly source?: { readonly session: string; readonly t: number };
}

/** A stretch of the media that could not be read, and why. */
export interface GapLine {
  readonly type: 'gap';
  readonly t: number;
  readonly end: number;
  readonly reason: string;
}

export interface EndLine {
  readonly type: 'end';
  readonly events: number;
  readonly gaps: number;
  readonly samples: number;
  /** Issues of the script while it ran, by code. */
  readonly problems?: Readonly<Record<string, number>>;
  /** Why the log may tell less, or less surely, than the recording shows. */
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
}

export type LogLine = HeaderLine | EventLine | GapLine | EndLine;
