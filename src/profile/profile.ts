import type { Anchor } from '../geometry.ts';

/** `configs/<game>/profile.json`: everything about a game's screen that the engine needs. The JSON Schema is the published contract. */
export interface Profile {
  readonly format: 'playbyplay/profile/1';
  /** Identifier of the game, also the names of its script and dictionary: lower case, digits, hyphens. */
  readonly game: string;
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  /** The language of what the screen says (BCP 47), or several; default English. */
  readonly language?: string | readonly string[];
  /** Further languages that it can be told to read, by files beside those it names: `feed.json` in German is `feed.de.json`. */
  readonly languages?: readonly string[];
  /** The frame size on which the regions were measured. */
  readonly reference: { readonly width: number; readonly height: number };
  /** What regions are given in, in the file; a loaded profile's are fractions. */
  readonly unit?: 'fraction' | 'pixel';
  readonly sampling?: Sampling;
  /** Companion recordings (a webcam's, say) that detectors look at or listen to, by the name under which they are given. */
  readonly media?: Readonly<Record<string, MediaSpec>>;
  readonly regions: Readonly<Record<string, RegionSpec>>;
  /** Screens that exclude others: while one is seen, only the detectors that name it in `screens` are read. */
  readonly screens?: Readonly<Record<string, ScreenSpec>>;
  /** Modes of the game (a level, driving, looking on) by what a detector has read; detectors and regions may hold in some only. */
  readonly modes?: Readonly<Record<string, ModeSpec>>;
  readonly detectors: Readonly<Record<string, DetectorSpec>>;
  /** Cues that follow one another, by the name under which they make a cue of their own. */
  readonly sequences?: Readonly<Record<string, CueSequence>>;
  /** Extension dictionaries that the statements use besides the common one, by id; default: the one named like the game. */
  readonly dictionaries?: readonly string[];
  /** Mappings of cues to statements that need no script. */
  readonly events?: readonly EventMapping[];
  /** How statements from several detectors about one happening become one event; false: each is an event of its own. */
  readonly fusion?: FusionSpec | false;
  /** A trained network that makes statements of cues, in the place of the game script. */
  readonly interpreter?: SequenceSpec;
}

/** A network that is shown the cues of a window of time and says which kinds of events lie where; docs/networks.md. */
export interface SequenceSpec {
  readonly kind: 'onnx-sequence';
  readonly model: string;
  /** The detectors whose cues it is shown, in the order in which it learnt them. */
  readonly detectors: readonly string[];
  /** Kinds of events, in the order of its outputs. */
  readonly kinds: readonly string[];
  /** What a kind is in words; kinds that are left out are not logged. */
  readonly events: Readonly<Record<string, SequenceEvent>>;
  /** Seconds; default 0.05. */
  readonly tick?: number;
  /** Ticks in a window, and those on either side that are context only; defaults 64 and 16. */
  readonly window?: number;
  readonly margin?: number;
  /** Default 0.5. */
  readonly threshold?: number;
}

export interface SequenceEvent {
  /** The detector whose cue such an event is: it gives the time, `$value` and `$previous`. */
  readonly on?: string;
  readonly statement: Readonly<Record<string, unknown>>;
}

/** A second recording of the session, with a picture of its own. */
export interface MediaSpec {
  /** The frame size on which the regions of its detectors were measured. */
  readonly reference: { readonly width: number; readonly height: number };
  readonly description?: string;
}

/** Which frames are samples. One of the three. */
export interface Sampling {
  /** Seconds; default 0.1. */
  readonly interval?: number;
  /** Every n-th frame. */
  readonly every?: number;
  readonly all?: true;
}

/**
 * Which readings are meant: one value (a text between slashes is a regular expression), numbers within bounds (both inclusive), or any of a
 * list of these.
 */
export type WantedValue = WantedOne | readonly WantedOne[];
export type WantedOne = string | number | boolean | { readonly min?: number; readonly max?: number };

/** A rectangle of the frame, in fractions of the reference frame. */
export interface RegionSpec {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The point of the frame that the element keeps its distance to; default `centre`. */
  readonly anchor?: Anchor;
  /**
   * How the element grows with the frame: with its `height` (default), its `width`, the lesser of the two (`fit`),
   * both independently (`stretch`), in whole steps (`whole`: as many pixels as `canvas` fits into the frame), or not at all (`none`:
   * pixels of the reference frame).
   */
  readonly scale?: 'height' | 'width' | 'fit' | 'stretch' | 'whole' | 'none';
  /** With `scale` `whole`: the pixels on which the game draws its HUD before it enlarges them by the greatest whole number that fits. */
  readonly canvas?: { readonly width: number; readonly height: number };
  /** Extra margin on every side, in fractions of the region's own size; for jitter and settings. */
  readonly padding?: number | { readonly x: number; readonly y: number };
  readonly preprocess?: readonly PreprocessStep[];
  /** The modes in which it is of use: its detectors are read in no other. */
  readonly modes?: readonly string[];
  /**
   * It lies where a detector found something in the same sample: `x` and `y` count from the upper left corner of what was
   * found, and all four are in `unit`s: sizes of what was found (default), or fractions of the reference frame. Where nothing is
   * found, it stays where something was found last, for `hold` seconds.
   */
  readonly relative?: { readonly detector: string; readonly unit?: 'found' | 'frame'; readonly hold?: number };
}

/** One step of a region's preprocessing; `step` names it, the rest are its options (see regions/ for their schemas). */
export interface PreprocessStep {
  readonly step: string;
  readonly [option: string]: unknown;
}

export interface ScreenSpec {
  /** The detector whose being found means that this screen is shown. */
  readonly detector: string;
  /** If given, the reading must be it. */
  readonly value?: WantedValue;
}

/** A mode holds while the accepted reading of `detector` is `value` (anything, if left out; nothing, with `seen` false). */
export interface ModeSpec {
  readonly detector: string;
  /** As in `ScreenSpec`. */
  readonly value?: WantedValue;
  readonly seen?: boolean;
  /** It holds on while nothing is read, until something else is: the name of a level is shown only when it begins. */
  readonly keeps?: true;
}

/** Which cues are meant. */
export interface CueCondition {
  /** Name of a detector or a sequence. */
  readonly detector: string;
  /** Default: `found` or `changed`. */
  readonly trigger?: 'found' | 'changed' | 'lost';
  /** Regular expression over the value (of `lost`: over what was lost). */
  readonly match?: string;
  /** Condition on numbers: value against previous. */
  readonly change?: 'rise' | 'fall';
}

/**
 * When a detector is switched on: from the time of such a cue on, for a time, until another cue, or whichever comes first.
 * With neither, until the next cue of the same detector that is not such a cue: until what it read is lost or another.
 */
export interface Activation extends CueCondition {
  /** Seconds. */
  readonly for?: number;
  readonly until?: CueCondition;
}

/** Cues that follow one another make a cue at the time of the last. */
export interface CueSequence {
  readonly steps: readonly (CueCondition & {
    /** Seconds after the step before, at most. */
    readonly within?: number;
  })[];
  /** Seconds from the first step to the last, at most; default 10. */
  readonly within?: number;
  /** A cue that breaks off what has begun. */
  readonly unless?: CueCondition;
  /** A statement without a script: `$1` … `$9` is what that step read (the first group of its `match`, where it has one). */
  readonly statement?: Readonly<Record<string, unknown>>;
}

/** What every detector has; further options belong to its kind. */
export interface DetectorSpec {
  readonly kind: string;
  /** The languages of what it reads, if not those of the profile. */
  readonly language?: string | readonly string[];
  /** The region it looks at (kinds that hear, or read logs, have none). */
  readonly region?: string;
  /** The companion recording that it looks at or listens to (a name of `Profile.media`); default: the recording itself. */
  readonly media?: string;
  /** Read only while this other detector sees something in the same sample (optionally: such a value). */
  readonly when?: { readonly detector: string; readonly value?: WantedValue; readonly seen?: boolean };
  /** Switched on by cues of other detectors; off, it costs nothing and reads nothing. Of a list, any one. */
  readonly after?: Activation | readonly Activation[];
  /** Read only in these modes, any of them; see `Profile.modes`. */
  readonly modes?: readonly string[];
  /** Screens during which it is read besides the normal one (default none); see `Profile.screens`. */
  readonly screens?: readonly string[];
  /** Seconds between samples, or every n-th frame; default the profile's. */
  readonly interval?: number;
  readonly every?: number;
  readonly stability?: Stability;
  /**
   * Seconds: after a change the reading does not come back to the earlier value within this time, so that two probes
   * no further apart which agree prove that nothing happened between them. Default: the sampling interval.
   */
  readonly persists?: number;
  readonly plausible?: Plausibility;
  readonly [option: string]: unknown;
}

/** A candidate value becomes the accepted one when `samples` consecutive samples read it at `confidence` or more. */
export interface Stability {
  /** N, default 2. */
  readonly samples?: number;
  /** C, default 0.8. */
  readonly confidence?: number;
  /** Samples in a row that may be unreadable within a run without breaking it; default 2. */
  readonly gaps?: number;
  /** N for `lost`; default the same as `samples`. */
  readonly lost?: number;
}

/** What a reading can be, over time; a reading that breaks it counts as unreadable until it has been confirmed `unless` times. */
export interface Plausibility {
  readonly min?: number;
  readonly max?: number;
  /** Greatest rise and fall from one accepted value to the next. */
  readonly rise?: number;
  readonly fall?: number;
  /** Regular expression that the whole text must match. */
  readonly pattern?: string;
  /** Consecutive samples after which an implausible change (not range or pattern) is accepted after all; default 10. */
  readonly unless?: number;
  /**
   * Changes that are likely beforehand (a shot: −1, any fall of health): a reading that makes one of these `steps` from the
   * accepted value, or one `within` a range, needs only this confidence. While nothing is accepted every reading needs
   * the full one: something that looks like a figure where none stands is likelier than one misread for another.
   */
  readonly expected?: {
    readonly steps?: readonly number[];
    readonly within?: readonly [number, number];
    readonly confidence: number;
  };
}

/** How statements about one happening are counted once; docs/fusion.md. */
export interface FusionSpec {
  /** Seconds within which statements of several detectors may be about one happening; default 0.5. */
  readonly window?: number;
  /** How much of what further evidence says counts, 0…1; default 0.5. */
  readonly independence?: number;
  /** Other settings for some statements: the first rule that fits. */
  readonly rules?: readonly FusionRule[];
  /** By detector: how its confidence relates to its events being right, as a line in log-odds: [offset, slope]. */
  readonly calibration?: Readonly<Record<string, readonly [number, number]>>;
}

/** Settings for statements with this action, or about this property, or with words under it. */
export interface FusionRule {
  readonly action?: string;
  readonly property?: string;
  readonly window?: number;
  /** Such statements are always events of their own. */
  readonly off?: true;
}

/** A cue that makes a statement without a script. `$value`, `$previous` and `$1`… (groups of `match`) stand for what was read. */
export interface EventMapping {
  readonly on: {
    readonly detector: string;
    readonly trigger: 'found' | 'changed' | 'lost';
    /** Regular expression over the value. */
    readonly match?: string;
    /** Condition on numbers: value against previous. */
    readonly change?: 'rise' | 'fall';
  };
  readonly statement: Readonly<Record<string, unknown>>;
  /** It only supports statements that say as much; by itself it makes no event. */
  readonly support?: true;
  /** It is an event of its own, whatever else is said. */
  readonly alone?: true;
}
