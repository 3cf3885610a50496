import type { Picture } from '../media/picture.ts';
import type { Rect } from '../geometry.ts';
import type { Observation } from '../cues/reading.ts';
import type { Tracker } from '../cues/tracker.ts';
import type { DetectorSpec } from '../profile/profile.ts';

export type { Observation, Reading } from '../cues/reading.ts';

/** A JSON Schema (draft 2020-12) object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Where on the frame, in pixels, an observation found what it saw; undefined where it does not say. */
export function placeOf(observation: Observation): Rect | undefined {
  if (observation.state !== 'seen') return undefined;
  const { detail } = observation;
  const first: unknown = Array.isArray(detail) ? detail[0] : (detail as { place?: unknown } | undefined)?.place;
  if (typeof first !== 'object' || first === null) return undefined;
  const { x, y, width, height } = first as Partial<Rect>;
  const numbers = [x, y, width, height].every((one) => typeof one === 'number' && Number.isFinite(one));
  return numbers ? ({ x, y, width, height } as Rect) : undefined;
}

/** The position of a region on one picture; see regions/place.ts. */
export interface Placement {
  /** Whole pixels, padding included, clipped to the frame. */
  readonly rect: Rect;
  /** The element itself in fractional pixels, without padding, unclipped. */
  readonly inner: Rect;
  /** Pixels of this frame per pixel of the reference frame, across and down. */
  readonly scaleX: number;
  readonly scaleY: number;
}

/** What a detector is given: the picture, and the position of its region. */
export interface View extends Placement {
  readonly picture: Picture;
  /** The position of another of the profile's regions on this picture. */
  place(region: string): Placement;
  /** Computes `make()` once per picture and key, for all detectors. */
  once<T>(key: string, make: () => T): T;
  /** The region after its preprocessing steps, as 8-bit grey or RGB, computed once per picture and shared. */
  prepared(): PreparedCrop | Promise<PreparedCrop>;
}

/** A crop in memory of its own: `channels` interleaved bytes a pixel, rows without padding. */
export interface PreparedCrop {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
}

/** Reads files of the pack that the profile came from; no path leaves the pack. */
export interface Assets {
  /** `path` is relative to the profile's folder. Throws PlaybyplayError `asset-missing`, `asset-outside-pack`, `asset-too-large`. */
  read(path: string): Promise<Uint8Array>;
}

/** Something outside the pack that readings depend on: part of the profile's fingerprint. */
export interface Requirement {
  readonly name: string;
  readonly hash: string;
}

/** A detector at work: reads samples, one after the other, in the order of their times. */
export interface Detector extends Disposable {
  /** A pure function of the view: same pixels, same observation, whatever was read before. */
  read(view: View): Observation | Promise<Observation>;
  /**
   * For detectors that read several samples faster together: what a reading needs of the picture, as plain data with memory of its
   * own, or an observation where nothing is to be done. `settleAll` reads 1 to `together` of them, each as `read` would.
   */
  defer?(view: View): Deferred | Observation | Promise<Deferred | Observation>;
  settleAll?(deferred: readonly Deferred[]): Promise<readonly Observation[]>;
  /** How many samples it reads at once; default 1. */
  readonly together?: number;
}

/** What a reading needs of its picture: plain data. */
export interface Deferred {
  readonly deferred: unknown;
}

/** What is kept of a picture's region to compare the next sample with: a grid of averaged levels, in 64ths of a grey level. */
export interface Sketch {
  /** Seconds. */
  readonly t: number;
  readonly width: number;
  readonly height: number;
  readonly data: Uint16Array;
  /** What else the kind keeps of it: plain JSON. */
  readonly more?: unknown;
}

/** The work of a kind whose reading says what changed since the sample before. Both are pure functions. */
export interface Comparer {
  /** Undefined if the region is outside the picture. */
  sketch(view: View): Sketch | undefined;
  /** `before` is the detector's sample before, whichever chunk it lies in; undefined for the first of a recording. */
  compare(before: Sketch | undefined, now: Sketch): Observation;
}

/** A hundredth of a second of sound. */
export interface SoundFrame {
  /** Seconds of its middle on the video's clock: a whole number of hundredths. */
  readonly t: number;
  /** Power in bands (detectors/sound/spectrogram.ts), in dB of full scale. */
  readonly bands: Float32Array;
  /** Momentary loudness (EBU R128: the last 400 ms) in LUFS. */
  readonly loudness: number;
  /** Short-term loudness (EBU R128: the last 3 s) in LUFS. */
  readonly shortTerm: number;
  /** The 240 samples (mono, 24 000 a second) from `t` on. Only valid until the next frame. */
  readonly samples: Float32Array;
  /** The likeliest pitch of a voice and how clear it is (1: not at all). Only valid until the next frame. */
  pitch(): { readonly hertz: number; readonly clarity: number };
}

/** What a detector hears at a time; several may come of one frame, and one may come of many. */
export interface AudioObservation {
  /** Seconds. */
  readonly t: number;
  readonly observation: Observation;
}

/** The work of a kind that hears: takes all of a track's sound, once, in order. */
export interface Listener {
  /** Seconds by which what it hears may lie before the frame that settles it. */
  readonly delay: number;
  /** Takes the next frame; what it returns ascends in time, from call to call, too. */
  hear(frame: SoundFrame): AudioObservation[];
  /** Sound is missing from here on, or it is over: settles what is open and forgets the rest. */
  pause(): AudioObservation[];
}

/** One record of a sidecar file. */
export interface StreamEntry {
  /** Seconds. */
  readonly t: number;
  /** Seconds; left out where the record is of a moment. */
  readonly end?: number;
  readonly fields: Readonly<Record<string, string | number>>;
}

/**
 * A picture of something that a detector knows, to find out from a recording where it lies. Pixels are of the reference
 * frame, unless said otherwise.
 */
export interface Landmark {
  /** The region that contains it. */
  readonly region: string;
  /** Its size; 0: that of the region. */
  readonly width: number;
  readonly height: number;
  /** Its samples: grey levels and how much each counts (0…255), `columns` × `rows` of them. */
  readonly columns: number;
  readonly rows: number;
  readonly levels: Uint8Array;
  readonly weights: Uint8Array;
  /** Where its upper left corner may lie in the region, which has the size given: in the middle, unless said otherwise. */
  at?(region: {
    readonly width: number;
    readonly height: number;
  }): readonly { readonly x: number; readonly y: number }[];
}

/** How large the characters of a font are drawn. */
export interface CharacterSize {
  readonly width: number;
  readonly height: number;
  /** Figures differ more than letters do. */
  readonly figures: boolean;
}

/** What every detector kind has, whatever it reads. `Options` are those of a detector in a profile. */
interface KindBase<Options> {
  readonly name: string;
  /** One paragraph for the reference. */
  readonly description: string;
  /**
   * Schema of the options that this kind adds to those of every detector. A string that names something says so by `format`:
   * `asset` (a file next to the profile: checked, and part of the profile's fingerprint), `region`, `detector`, `regex`.
   */
  readonly schema: JsonSchema;
  /**
   * Lists what has to be installed for these options. It is called before anything is read.
   * @throws PlaybyplayError that names what is missing and how to get it.
   */
  requires?(options: Options, assets: Assets): Promise<readonly Requirement[]>;
  /**
   * Creates the tracker that turns readings into cues; default: the found/changed/lost state machine of cues/tracker.ts.
   * @param interval Seconds between two samples; 0 where the profile counts frames.
   * @param isEarly Reports what is likely as soon as it is, for a live session that also has the tracker without; default false.
   */
  track?(
    name: string,
    spec: DetectorSpec & Options,
    interval: number,
    assets: Assets,
    isEarly?: boolean,
  ): Promise<Tracker>;
}

/** What the kinds that read pictures of a region have in common. */
interface RegionKind<Options> extends KindBase<Options> {
  /** Lists the regions, besides its own, that a reading depends on. */
  regions?(options: Options): readonly string[];
  /** Whether a reading needs the codec's motion vectors (`Picture.vectors`). */
  vectors?(options: Options): boolean;
  /** Whether a grayscale recording makes readings unreliable. */
  byColour?(options: Options, assets: Assets): boolean | Promise<boolean>;
}

/** A kind that reads each sample from its frame alone. */
export interface FrameDetectorKind<Options = DetectorOptions> extends RegionKind<Options> {
  readonly input: 'frame';
  /** A region is read again when this changed: luma alone, or chroma too (default). */
  readonly reads?: 'luma' | 'pixels';
  open(options: Options, assets: Assets): Promise<Detector>;
  /** Whether a reading says where: `detail.place`, or that of the first in a list, in pixels of the frame. */
  places?(options: Options): boolean;
  /**
   * Lists pictures by which the HUD is located, for kinds that see something only where they know it (icons, text in a
   * learned font), so that seeing it proves that the profile fits.
   */
  landmarks?(options: Options, assets: Assets): Promise<readonly Landmark[]>;
  /** The size of a usual character, in pixels of the reference frame, for kinds that read text in a learned font. */
  characters?(options: Options, assets: Assets): Promise<CharacterSize | undefined>;
}

/** A kind that reads what changed from one sample to the next. */
export interface FrameComparerKind<Options = DetectorOptions> extends RegionKind<Options> {
  readonly input: 'frame-pair';
  compare(options: Options): Comparer;
}

/** A kind that listens to a sound track. Its detectors have no region. */
export interface AudioListenerKind<Options = DetectorOptions> extends KindBase<Options> {
  readonly input: 'audio';
  listen(options: Options, assets: Assets): Promise<Listener>;
}

/** A kind that reads the records of a file that accompanies the recording. Its detectors have no region. */
export interface RecordFollowerKind<Options = DetectorOptions> extends KindBase<Options> {
  readonly input: 'records';
  /** Turns all records of the file into readings, ascending in time. */
  follow(options: Options, entries: readonly StreamEntry[]): readonly AudioObservation[];
}

/** The options of a detector before its kind has given them a type. */
export type DetectorOptions = Readonly<Record<string, unknown>>;

/**
 * A kind of detector. Each folder under detectors/ with an index exports one as `kind`, and so does a plug-in.
 * `input` says what it reads and thereby which of the four interfaces it has.
 *
 * @example
 * const kind: DetectorKind<{ threshold?: number }> = {
 *   input: 'frame',
 *   name: 'flash',
 *   description: 'Whether the region is bright.',
 *   schema: { type: 'object', properties: { threshold: { type: 'number' } } },
 *   async open({ threshold = 200 }) {
 *     return {
 *       async read(view) {
 *         const { data } = await view.prepared();
 *         return data.some((level) => level > threshold)
 *           ? { state: 'seen', value: true, confidence: 1 }
 *           : { state: 'absent', confidence: 1 };
 *       },
 *       [Symbol.dispose]() {},
 *     };
 *   },
 * };
 */
export type DetectorKind<Options = DetectorOptions> =
  | FrameDetectorKind<Options>
  | FrameComparerKind<Options>
  | AudioListenerKind<Options>
  | RecordFollowerKind<Options>;
