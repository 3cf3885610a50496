import { plausibilityOf } from '../cues/plausible.ts';
import { minConfidenceOf } from '../cues/tracker.ts';
import type { Reading } from '../detectors/kind.ts';
import type { Issue } from '../errors.ts';
import type { FrameSize, HudSettings } from '../geometry.ts';
import type { VideoInfo } from '../media/container/info.ts';
import { decodeFrames, isGap } from '../media/decode/decode-frames.ts';
import { createChunk, groupEnd, groupFirstFrame, type PacketIndex } from '../media/packets/packet-index.ts';
import type { Picture, Plane } from '../media/picture.ts';
import type { VideoFile } from '../media/video.ts';
import { placeRegion } from '../regions/place.ts';
import type { Game } from './game.ts';
import type { SampleMessage } from './messages.ts';
import { isElement, MIN_ELEMENT_CONFIDENCE, modeKeyOf } from './placement/evidence.ts';
import { spreadPictures } from './placement/pictures.ts';

/** Names that a message lists before it says how many more there are. */
const MAX_LISTED = 8;

/** Warns of a file with several video streams. */
export function multipleVideoStreams({ width, height, otherVideos = 0 }: VideoInfo): Issue | undefined {
  if (otherVideos === 0) return undefined;
  return {
    code: 'several-videos',
    message: `the file contains ${otherVideos + 1} video streams; the largest (${width} × ${height} pixels) is read`,
    hint: 'To read another one, extract it: ffmpeg -i <media> -map 0:v:1 -map 0:a? -c copy other.mkv.',
  };
}

/** Smallest width, in pixels of the video, at which the strokes of a letter or a digit stay apart; and the smallest height. */
const MIN_CHARACTER_WIDTH = { letter: 4.7, digit: 3.7 } as const;
const MIN_CHARACTER_HEIGHT = 6;

/** Warns of text that is drawn too small in a recording to be read reliably. */
export async function textTooSmall(game: Game, frame: FrameSize, hud: HudSettings): Promise<Issue | undefined> {
  const { profile, assets } = game;
  const small: { readonly name: string; readonly width: number; readonly height: number }[] = [];
  for (const { name, kind, spec, media } of game.detectors) {
    const region = spec.region === undefined ? undefined : profile.regions[spec.region];
    if (!region || region.relative || media !== undefined || kind.input !== 'frame') continue;
    const size = await kind.characters?.(spec, assets);
    if (!size) continue;
    const { scaleX, scaleY } = placeRegion(region, frame, profile.reference, hud);
    const [width, height] = [size.width * scaleX, size.height * scaleY];
    const minWidth = size.figures ? MIN_CHARACTER_WIDTH.digit : MIN_CHARACTER_WIDTH.letter;
    if (width < minWidth || height < MIN_CHARACTER_HEIGHT) small.push({ name, width, height });
  }
  if (small.length === 0) return undefined;
  const list = small.map(({ name, width, height }) => `${name} (${width.toFixed(1)} × ${height.toFixed(1)} pixels)`);
  return {
    code: 'text-too-small',
    message: `characters are too small in this recording to be read reliably: ${list.join(', ')}`,
    hint: 'Expect wrong letters in names. A recording with a higher resolution is read better.',
  };
}

/** Groups, and pictures of each, in which motion vectors are looked for. */
const VECTOR_GROUPS = 4;
const VECTOR_PICTURES = 8;

/** Warns of detectors that ask for the codec's motion vectors of a recording (`media`: a companion) that has none. */
export function missingMotionVectors(
  { detectors }: Game,
  file: VideoFile,
  index: PacketIndex,
  media?: string,
): Issue | undefined {
  const names = detectors.flatMap(({ name, kind, spec, media: own }) =>
    own === media && 'vectors' in kind && kind.vectors?.(spec) ? [name] : [],
  );
  if (names.length === 0 || hasVectors(file, index)) return undefined;
  return {
    code: 'no-motion-vectors',
    message: `the video has no motion vectors (${file.info.codec}): ${names.join(', ')} ${names.length > 1 ? 'compare' : 'compares'} blocks of pixels instead`,
    hint: 'H.264, MPEG-2 and MPEG-4 have them, unless every picture is a keyframe.',
  };
}

function hasVectors(file: VideoFile, index: PacketIndex): boolean {
  file.exportMotionVectors();
  const last = Math.min(groupEnd(index), index.firstGroup + VECTOR_GROUPS);
  for (let group = index.firstGroup; group < last; group++) {
    const first = groupFirstFrame(index, group);
    const count = Math.min(VECTOR_PICTURES, groupFirstFrame(index, group + 1) - first);
    const frames = Array.from({ length: count }, (_, i) => first + i);
    for (const item of decodeFrames(file, index, createChunk(index, group, group + 1), frames)) {
      if (isGap(item)) continue;
      using picture = item;
      if (picture.vectors) return true;
    }
  }
  return false;
}

/** Pictures that must all be gray for a recording to count as grayscale. */
const GRAYSCALE_PICTURES = 6;
/** Levels by which the chroma of a gray picture may be off, as encoders round. */
const MAX_GRAY_CHROMA = 4;

/** Warns of a grayscale recording whose profile distinguishes things by color. */
export async function grayscaleVideo(game: Game, file: VideoFile, index: PacketIndex): Promise<Issue | undefined> {
  let count = 0;
  for (const picture of spreadPictures({ file, index }, GRAYSCALE_PICTURES)) {
    if (!isGray(picture)) return undefined;
    count++;
  }
  if (count === 0) return undefined;
  const names: string[] = [];
  for (const { name, kind, spec, media } of game.detectors) {
    if (media !== undefined || kind.input === 'audio' || kind.input === 'records') continue;
    if (await kind.byColour?.(spec, game.assets)) names.push(name);
  }
  if (names.length === 0) return undefined;
  return {
    code: 'no-colours',
    message: `the recording is grayscale (all ${count} pictures examined), but ${names.length} of the ${game.detectors.length} detectors of ${game.profile.game} rely on color: ${listed(names)}`,
    hint: 'Use a color recording. If the game itself is gray, let the profile go by brightness (fonts learned with --channel luma, icons with "color": false, grays as colors).',
  };
}

function isGray({ u, v }: Picture): boolean {
  return isFlat(u) && isFlat(v);
}

function isFlat({ data, stride, width, height }: Plane): boolean {
  for (let row = 0; row < height; row++)
    for (let i = row * stride; i < row * stride + width; i++)
      if (Math.abs(data[i]! - 128) > MAX_GRAY_CHROMA) return false;
  return true;
}

/** Seconds after which it is judged whether the profile fits, and that are needed to judge at all. */
const FIT_SECONDS = 60;
const MIN_FIT_SECONDS = 10;
/** A profile fits if at least this share of its elements is seen; with fewer elements nothing is said. */
const MIN_SEEN_SHARE = 0.3;
const MIN_ELEMENTS = 4;
/** Samples in which an element is seen when that is no accident. */
const MIN_SAMPLES_SEEN = 2;
/** Samples in which a detector sees something that switches on a mode, when the mode is on. */
const MIN_MODE_SAMPLES = 10;

/**
 * Watches how much of a profile is recognized in the first minute. A profile that is placed next to the HUD may still see an
 * icon or two and read nothing else.
 */
export class ProfileFitMonitor {
  readonly #game: Game;
  /** By name of the detector: samples in which it saw something. */
  readonly #seen: Map<string, number>;
  /** Names of the detectors that switch on modes in which others are read. */
  readonly #modeDetectors: ReadonlySet<string>;
  #first: number | undefined;
  #last = 0;
  #isOver = false;

  constructor(game: Game) {
    this.#game = game;
    const used = game.detectors.flatMap(({ spec }) => spec.modes ?? []);
    this.#modeDetectors = new Set(used.map((mode) => game.profile.modes![mode]!.detector));
    const witnesses = game.detectors.filter(({ spec, kind }) => isElement(game.profile, spec, kind));
    this.#seen = new Map(witnesses.map(({ name }) => [name, 0]));
  }

  /** Takes a sample, whose readings `add` takes as far as they count. */
  sample({ t, isFrame }: SampleMessage): void {
    if (!isFrame || this.#isOver) return;
    this.#first ??= t;
    this.#last = Math.min(t, this.#first + FIT_SECONDS);
  }

  add({ detector, t, observation }: Reading): void {
    const count = this.#seen.get(detector);
    if (count === undefined || t > (this.#first ?? t) + FIT_SECONDS) return;
    if (observation.state === 'seen' && observation.confidence >= MIN_ELEMENT_CONFIDENCE)
      this.#seen.set(detector, count + 1);
  }

  /** Says once, after the first minute or at the end, if too little was seen. */
  judge(isEnd: boolean): Issue | undefined {
    const seconds = this.#last - (this.#first ?? 0);
    if (this.#isOver || seconds < (isEnd ? MIN_FIT_SECONDS : FIT_SECONDS)) return undefined;
    this.#isOver = true;
    const { profile } = this.#game;
    const all = [...this.#seen];
    const isSeen = ([, count]: (typeof all)[number]): boolean => count >= MIN_SAMPLES_SEEN;
    // One HUD of several is enough: that of some mode.
    const byModes = Map.groupBy(all, ([name]) => modeKeyOf(profile, profile.detectors[name]!));
    const shares = [...byModes.values()].map((own) => own.filter(isSeen).length / own.length);
    if (all.length < MIN_ELEMENTS || Math.max(...shares) >= MIN_SEEN_SHARE) return undefined;
    // The detectors of a mode may be read later: what switches it on proves that they are there.
    if (all.some(([name, count]) => count >= MIN_MODE_SAMPLES && this.#modeDetectors.has(name))) return undefined;
    const names = (own: typeof all): readonly string[] => own.map(([name]) => name);
    const seen = all.filter(isSeen);
    return {
      code: 'little-recognised',
      message: `only ${seen.length} of the ${all.length} HUD elements of ${profile.game} were recognized in the first ${Math.round(seconds)} s (${listed(names(seen))}); never seen: ${listed(names(all.filter((one) => !isSeen(one))))}`,
      hint: 'If they are visible, they are at another place or look different: playbyplay profile place <media> --game <game> --picture regions.png draws where the profile expects them.',
    };
  }
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${names.slice(0, MAX_LISTED).join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Samples from which it is said that a detector seldom reads. */
const MIN_JUDGED_SAMPLES = 50;
/** Share of the samples that a detector must be able to use. */
const MIN_USED_SHARE = 0.1;

/** What became of a detector's samples. */
interface SampleCounts {
  total: number;
  unreadable: number;
  implausible: number;
  unsure: number;
  /** A value that is not plausible. */
  example?: string;
}

/** Counts the samples of each frame detector that cannot be used, and why: a font, a region or a rule is wrong then. */
export class UnusedSamples {
  readonly #counts = new Map<string, SampleCounts>();
  readonly #rules: ReadonlyMap<
    string,
    { readonly least: number; readonly judge: ReturnType<typeof plausibilityOf>; readonly isFigure: boolean }
  >;

  constructor({ detectors }: Game) {
    const frames = detectors.filter(({ kind }) => kind.input === 'frame' && !kind.track);
    this.#rules = new Map(
      frames.map(({ name, spec, kind }) => {
        const { value = 'text' } = spec as { readonly value?: unknown };
        const least = Math.min(minConfidenceOf(spec), spec.plausible?.expected?.confidence ?? 1);
        return [name, { least, judge: plausibilityOf(spec), isFigure: kind.name !== 'text' || value !== 'text' }];
      }),
    );
  }

  add({ detector, observation }: Reading): void {
    const rules = this.#rules.get(detector);
    if (!rules) return;
    const counts = this.#counts.get(detector) ?? { total: 0, unreadable: 0, implausible: 0, unsure: 0 };
    this.#counts.set(detector, counts);
    counts.total++;
    if (observation.state === 'unreadable') counts.unreadable++;
    else if (observation.confidence < rules.least) counts.unsure++;
    else if (observation.state === 'seen' && rules.judge(observation.value, undefined) === 'impossible') {
      counts.implausible++;
      counts.example ??= String(observation.value);
    }
  }

  /**
   * Warns of detectors that could use hardly any sample.
   *
   * @param silent Those of which no cue came.
   */
  judge(silent: ReadonlySet<string>): readonly { readonly detector: string; readonly issue: Issue }[] {
    return [...this.#counts].flatMap(([detector, { total, unreadable, implausible, unsure, example }]) => {
      const unused = unreadable + implausible + unsure;
      const isSeldom = total >= MIN_JUDGED_SAMPLES && total - unused < MIN_USED_SHARE * total;
      // Where messages appear now and then, scenery is unreadable meanwhile.
      if (!isSeldom || (!silent.has(detector) && !this.#rules.get(detector)!.isFigure)) return [];
      const reasons = [
        [unreadable, 'unreadable'],
        [unsure, 'below the confidence that the profile asks for'],
        [implausible, `not “plausible” (such as ${example})`],
      ] as const;
      const share = reasons.flatMap(([count, what]) =>
        count === 0 ? [] : [`${Math.round((100 * count) / total)} % ${what}`],
      );
      return [
        {
          detector,
          issue: {
            code: 'seldom-read',
            message: `${detector} ${silent.has(detector) ? 'never' : 'seldom'} reads anything: of ${total} samples ${share.join(', ')}`,
            hint: `See what it reads: playbyplay profile try <game> <recording> --detector "${detector}" --at <time> --out crops.`,
          },
        },
      ];
    });
  }
}
