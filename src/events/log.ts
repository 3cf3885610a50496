import type { Rational } from '../time.ts';
import type { HudSettings } from '../geometry.ts';
import type { Statement } from './statement.ts';

/** The value of a reading. */
export type CueValue = string | number | boolean;

/** A cue as evidence of an event, in the form of the log. */
export interface LoggedCue {
  readonly detector: string;
  /** Seconds. */
  readonly t: number;
  readonly trigger: 'found' | 'changed' | 'lost';
  readonly value?: CueValue;
  readonly previous?: CueValue;
  readonly confidence: number;
}

/** The first line of a log: what was read, and with what. */
export interface HeaderLine {
  readonly type: 'header';
  readonly format: 'playbyplay/1';
  readonly game: string;
  readonly session: string;
  readonly media: {
    readonly name: string;
    /** Hash of the content. */
    readonly hash: string;
    readonly bytes: number;
    /** Seconds of video. */
    readonly duration: number;
    readonly width: number;
    readonly height: number;
    readonly frameRate?: Rational;
    /** Start offset of the container in seconds, which times in the log do not include. */
    readonly start: number;
  };
  readonly profile: Fingerprint;
  /** Languages of the text on screen (BCP 47), if specified. */
  readonly languages?: readonly string[];
  readonly script?: Fingerprint;
  readonly dictionaries: readonly Fingerprint[];
  readonly plan: {
    readonly kind: 'full' | 'adaptive';
    /** Seconds between samples; with `every`, every n-th frame is a sample instead. */
    readonly interval?: number;
    readonly every?: number;
    readonly from?: number;
    readonly to?: number;
  };
  /** Placement of the HUD, if it differs from the profile; with a confidence if it was located automatically. */
  readonly placement?: HudSettings & {
    readonly confidence?: number;
    /** Stretches in which the HUD was not found, in seconds. */
    readonly lost?: readonly { readonly t: number; readonly end: number }[];
  };
  /** Sidecar files: time in the recording = offset + rate · time in the file, in seconds. */
  readonly streams?: readonly {
    readonly name: string;
    readonly hash: string;
    readonly offset: number;
    readonly rate: number;
    readonly records: number;
    readonly skipped: number;
  }[];
  /** Companion recordings: time in the recording = offset + rate · time in the companion, in seconds. */
  readonly companions?: readonly {
    readonly name: string;
    readonly hash: string;
    readonly bytes: number;
    /** Duration of its video in seconds. */
    readonly duration: number;
    readonly width: number;
    readonly height: number;
    readonly offset: number;
    readonly rate: number;
  }[];
  /** Plug-ins whose detector kinds the profile uses. */
  readonly plugins?: readonly Fingerprint[];
  readonly program: string;
}

/** Name, version and content hash of an input of the log. */
export interface Fingerprint {
  readonly name: string;
  readonly version: string;
  readonly hash: string;
}

/** An event of a log. */
export interface EventLine {
  readonly type: 'event';
  readonly id: string;
  /** Start and end in seconds from the first video frame. */
  readonly t: number;
  readonly end: number;
  readonly game: string;
  readonly session: string;
  readonly text: string;
  readonly statement: Statement;
  readonly confidence: number;
  readonly cues: readonly LoggedCue[];
  /** For an event of a reel, its time and session in the original recording; `t` and `session` are those of the reel. */
  readonly source?: { readonly session: string; readonly t: number };
}

/** A stretch of the media that could not be read, and why. */
export interface GapLine {
  readonly type: 'gap';
  readonly t: number;
  readonly end: number;
  readonly reason: string;
}

/** The last line of a complete log. */
export interface EndLine {
  readonly type: 'end';
  readonly events: number;
  readonly gaps: number;
  readonly samples: number;
  /** Number of script issues by code. */
  readonly problems?: Readonly<Record<string, number>>;
  /** Reasons why events may be missing or less certain. */
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
}

/** A line of a log. */
export type LogLine = HeaderLine | EventLine | GapLine | EndLine;
