import { join } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { PlaybyplayError } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import { TemporaryFolder } from '../files/output.ts';
import type { Rect, Size } from '../geometry.ts';
import { findCameraPicture } from '../media/write/camera-picture.ts';
import { type Beats, findBeats } from '../media/write/beats.ts';
import {
  even,
  FrameFilter,
  hudStrip,
  type Layout,
  type OverlaidRegion,
  plainView,
  sizeFor,
  type View,
} from '../media/write/frame-filter.ts';
import { blendOverlay, fillRectangle } from '../media/write/overlay.ts';
import type { Paint, ReelOptions } from '../media/write/reel.ts';
import { readPixels, writeCard } from '../media/write/still.ts';
import { RecordingPool } from '../media/write/timeline.ts';
import { clamp, sum } from '../statistics.ts';
import type { Rational } from '../time.ts';
import { cropCenters, type CropCenter, moveCropOff, shownWidth } from './attention.ts';
import { type Brand, defaultBrand } from './brand.ts';
import type { SceneChoice } from './choose.ts';
import {
  captionCharacters,
  cardSvg,
  type DrawnItem,
  drawItems,
  ENTRANCE_STEP_SECONDS,
  wrapSubtitle,
} from './drawings.ts';
import { bottomHudStrip, iconsOf, mapToReel, screenLayout, type ScreenLayout } from './hud.ts';
import type { HighlightList, Scene, Source } from './list.ts';
import { emptyDictionary } from './score.ts';
import {
  type OverlayItem,
  type PlannedScene,
  planOverlays,
  planScenes,
  type Storyboard,
  transitionAt,
  zoomAt,
} from './storyboard.ts';
import type { Subtitle } from './subtitles.ts';
import { END_CARD_SECONDS, type ReelStyle, reelStyle, TITLE_CARD_SECONDS } from './style.ts';

/** Options of `makeReel`. */
export interface HighlightReelOptions
  extends Pick<
    ReelOptions,
    | 'method'
    | 'quality'
    | 'preset'
    | 'codec'
    | 'encoder'
    | 'maxBytes'
    | 'loudness'
    | 'crossfade'
    | 'audioTrack'
    | 'signal'
    | 'onProgress'
    | 'overwrite'
  > {
  readonly aspect?: '16:9' | '9:16' | '1:1' | 'source' | undefined;
  /**
   * How a recording of another shape is fitted; default: crop for portrait and square reels where it keeps what the player
   * looks at, else the whole picture before a blurred copy; bars for others.
   */
  readonly layout?: Layout | undefined;
  /** Where the picture of a camera is, in fractions of the frame; for the layout `split`. Default: where it is found. */
  readonly facecam?: Rect | undefined;
  readonly captions?: 'burn' | 'track' | 'none' | undefined;
  /** Texts of the captions by event id, where they are not the log's or, in the picture, a caster's. */
  readonly captionTexts?: ReadonlyMap<string, string> | undefined;
  /** What is said, by source; drawn into the picture. */
  readonly subtitles?: readonly (readonly Subtitle[] | undefined)[] | undefined;
  /** Counter, banners, slow motion and so on; default `plain`: none. */
  readonly style?: ReelStyle | undefined;
  /** Fonts, colours and logo. */
  readonly brand?: Brand | undefined;
  /** A sound file that is played under, or over, the game. Cuts move to its beats. */
  readonly music?: string | undefined;
  /** Words and names, needed for a style other than `plain`. */
  readonly dictionary?: Dictionary | undefined;
  /** Maximum seconds of the scenes; slow motion that does not fit is left out. */
  readonly duration?: number | undefined;
  /** Title shown before the first scene. */
  readonly title?: string | undefined;
  readonly subtitle?: string | undefined;
  /** What a style with an end card shows on it. */
  readonly ending?: string | undefined;
  readonly frameRate?: Rational | undefined;
}

/** Largest shift of the title's end to a beat. */
const MAX_TITLE_SHIFT_SECONDS = 0.5;

/**
 * Decides everything about a reel that is not written yet: size, layout, shots, where crops lie, what is drawn.
 *
 * @param media Returns the path of a source's recording.
 */
export async function designReel(
  choice: SceneChoice,
  sources: readonly Source[],
  media: (source: Source) => string,
  options: HighlightReelOptions = {},
): Promise<ReelDesign> {
  const icons = await Promise.all(sources.map(({ header }) => iconsOf(header.game)));
  const screens = await Promise.all(sources.map(({ header }) => screenLayout(header.game, header.media)));
  return new ReelDesign({ choice, sources, media, options, screens, icons });
}

interface DesignInput {
  readonly choice: SceneChoice;
  readonly sources: readonly Source[];
  readonly media: (source: Source) => string;
  readonly options: HighlightReelOptions;
  /** By source. */
  readonly screens: readonly ScreenLayout[];
  readonly icons: readonly ReadonlyMap<string, Buffer>[];
}

/** Seconds that a lifted part of the HUD is shown. */
const LIFTED_SECONDS = 3;
/** Seconds after an event at which its text is measured. */
const LIFTED_DELAY_SECONDS = 0.35;
/** Share of the height of a camera's picture, from its top, in which faces are. */
const FACE_SHARE = 0.6;
/** Share of the reel's width that lifted text takes. */
const LIFTED_WIDTH = 0.94;
/** Seconds over which overlays appear and disappear. */
const FADE_SECONDS = 0.12;

/** A reel's design. It holds open recordings until it is disposed of. */
export class ReelDesign implements AsyncDisposable {
  readonly size: Size;
  readonly layout: Layout;
  readonly strip: Rect | undefined;
  readonly style: ReelStyle;
  readonly planned: readonly PlannedScene[];
  /** Seconds of the title; undefined without one. */
  readonly lead: number | undefined;
  readonly hasEnding: boolean;
  readonly #input: DesignInput;
  readonly #brand: Brand;
  readonly #dictionary: Dictionary;
  readonly #recordings: RecordingPool;
  readonly #beats: Beats | undefined;
  readonly #centers: readonly (CropCenter | undefined)[];
  #scratch: TemporaryFolder | undefined;

  constructor(input: DesignInput) {
    const { choice, sources, screens, options } = input;
    this.#input = input;
    this.#recordings = new RecordingPool(options.audioTrack);
    this.#brand = options.brand ?? defaultBrand();
    this.#dictionary = options.dictionary ?? emptyDictionary;
    const style = options.style ?? reelStyle('plain');
    const burnsCaptions = options.captions === 'burn' && !style.parts.includes('captions');
    this.style = burnsCaptions ? { ...style, parts: [...style.parts, 'captions'] } : style;
    const first = this.#recordings.open(this.#mediaOf(choice.scenes[0]!));
    const seconds = sum(choice.scenes.map(({ start, end }) => end - start));
    const size = sizeFor(options.aspect ?? 'source', first);
    const { num, den } = first.frameRate;
    this.size = options.maxBytes === undefined ? size : sizeWithin(size, options.maxBytes, (seconds + 5) * (num / den));
    this.layout = options.layout ?? defaultLayout(choice, sources, screens, this.size);
    this.strip = options.facecam;
    if (this.layout === 'hud') this.strip = requireHudStrip(sources, choice, screens);
    else if (this.layout === 'split') this.strip ??= this.#findCamera();
    this.#beats = options.music === undefined ? undefined : findBeats(options.music, seconds * 2 + 10);
    this.lead = options.title === undefined ? undefined : this.#titleSeconds();
    this.hasEnding = this.style.parts.includes('end-card') && options.ending !== undefined;
    const lead = this.lead ?? 0;
    this.planned = planScenes(choice.scenes, {
      dictionary: this.#dictionary,
      style: this.style,
      duration: options.duration,
      beats: (this.#beats?.times ?? []).flatMap((t) => (t >= lead ? [t - lead] : [])),
    });
    const isCropped = this.layout !== 'pad' && this.layout !== 'blur';
    this.#centers = isCropped ? this.#findCenters() : choice.scenes.map(() => undefined);
  }

  /** Where the crop of each scene lies, clear of a camera picture that is shown elsewhere. */
  #findCenters(): CropCenter[] {
    const { choice, sources, screens } = this.#input;
    const scenes = choice.scenes.map((scene) => {
      const { media } = sources[scene.source]!.header;
      const { attention } = screens[scene.source]!;
      return { ...scene, media: this.#mediaOf(scene), attention, width: shownWidth(media, this.size) };
    });
    const centers = cropCenters(scenes, this.#recordings);
    if (this.layout !== 'split') return centers;
    return centers.map((center, i) => {
      const { media } = sources[choice.scenes[i]!.source]!.header;
      const lines = hudStrip(this.strip!, media, this.size).picture;
      return moveCropOff(center, this.strip!, shownWidth(media, { ...this.size, height: lines }));
    });
  }

  /** Where the recording of the first scene shows a camera. @throws PlaybyplayError `no-facecam`. */
  #findCamera(): Rect {
    const { choice, sources, options } = this.#input;
    const scene = choice.scenes[0]!;
    const end = sources[scene.source]!.header.media.duration;
    const path = this.#mediaOf(scene);
    const found = findCameraPicture(this.#recordings.open(path), [{ start: 0, end }], options.signal);
    if (found) return found;
    throw new PlaybyplayError('no-facecam', `${path} shows no picture of a camera that stands out from the game`, {
      hint: 'Name its place with --facecam x,y,width,height in fractions of the frame.',
    });
  }

  #mediaOf(scene: Scene): string {
    return this.#input.media(this.#input.sources[scene.source]!);
  }

  /** The title ends on a beat, if there is one near its usual end. */
  #titleSeconds(): number {
    const near = (this.#beats?.times ?? []).filter((t) => Math.abs(t - TITLE_CARD_SECONDS) <= MAX_TITLE_SHIFT_SECONDS);
    return (
      near.toSorted((a, b) => Math.abs(a - TITLE_CARD_SECONDS) - Math.abs(b - TITLE_CARD_SECONDS))[0] ??
      TITLE_CARD_SECONDS
    );
  }

  /** The title or end card as a picture. */
  cardSvg(which: 'title' | 'ending'): string {
    const { title = '', subtitle = '', ending = '' } = this.#input.options;
    return which === 'title'
      ? cardSvg(title, subtitle, this.size, this.#brand)
      : cardSvg(this.#brand.name ?? ending, this.#brand.name === undefined ? '' : ending, this.size, this.#brand);
  }

  /** Writes the title or end card as a short recording. Returns its path, which is valid until the design is disposed of. */
  async writeCard(which: 'title' | 'ending'): Promise<string> {
    this.#scratch ??= await TemporaryFolder.create();
    const { scenes } = this.#input.choice;
    const [path, scene] = [join(this.#scratch.path, `${which}.mp4`), which === 'title' ? scenes[0]! : scenes.at(-1)!];
    const { timeBase, frameRate } = this.#recordings.open(this.#mediaOf(scenes[0]!));
    const seconds = which === 'title' ? this.lead! : END_CARD_SECONDS;
    const card = { svg: this.cardSvg(which), seconds, ...this.size, timeBase, frameRate };
    const t = which === 'title' ? scene.start : Math.max(scene.start, scene.end - 0.2);
    await writeCard(path, card, this.#recordings.open(this.#mediaOf(scene)), t);
    return path;
  }

  /** The reel as data. @param shown The scenes of the list, in its order. */
  storyboard(list: HighlightList, shown: SceneChoice): Storyboard {
    const { options } = this.#input;
    const overlays = planOverlays(list, shown.scenes, {
      dictionary: this.#dictionary,
      style: this.style,
      captionWidth: captionCharacters(this.size, this.#brand),
      hasLogo: this.#brand.logo !== undefined,
      texts: options.captionTexts,
      subtitles: options.subtitles,
      wrapSubtitle: (text) => wrapSubtitle(text, this.size, this.#brand),
    });
    const lifted = this.style.parts.includes('hud') ? this.#liftedItems(list, shown.scenes) : [];
    const starts = list.scenes.map(({ at }) => at);
    const ends = list.scenes.map(({ at, duration }) => at + duration);
    return {
      format: 'playbyplay/storyboard/1',
      ...this.size,
      duration: list.duration,
      layout: this.layout,
      transition: this.style.transition,
      cuts: [...new Set([...starts, ...ends])].filter((t) => t > 0 && t < list.duration).toSorted((a, b) => a - b),
      scenes: list.scenes,
      overlays: [...overlays, ...lifted],
      ...(options.music !== undefined && {
        music: { path: options.music, ...(this.#beats && { tempo: Math.round(this.#beats.tempo * 10) / 10 }) },
      }),
    };
  }

  /** Text of the HUD that says what happened and that the crop would cut off: shown whole where it is. */
  #liftedItems(list: HighlightList, scenes: readonly Scene[]): OverlayItem[] {
    const { sources, screens } = this.#input;
    return scenes.flatMap((scene, index) => {
      const screen = screens[scene.source]!;
      const frame = sources[scene.source]!.header.media;
      const listed = list.scenes[index]!;
      return scene.events.flatMap(({ event }, order): OverlayItem[] => {
        const region = this.#cutRegion(event, screen, frame);
        const text = region && this.#textWithin(region, this.#mediaOf(scene), event.t + LIFTED_DELAY_SECONDS, frame);
        const at = listed.events[order]!.at;
        const end = Math.min(at + LIFTED_SECONDS, listed.at + listed.duration);
        if (!text || end - at < 0.3) return [];
        return [{ kind: 'hud', start: at, end, ...this.#liftInPlace(text, frame, screen.attention) }];
      });
    });
  }

  /** The region of a detector behind an event that the crop shows in part. */
  #cutRegion(event: EventLine, screen: ScreenLayout, frame: Size): Rect | undefined {
    if (this.layout !== 'crop') return undefined;
    const names = event.cues.flatMap(({ detector }) => screen.textRegions.get(detector) ?? []);
    return names
      .map((name) => screen.hud.get(name))
      .find((rect) => {
        if (!rect) return false;
        const { x, width } = mapToReel(rect, frame, this.size, this.layout, screen.attention);
        return (x < 0 || x + width > 1) && x < 0.3 && x + width > 0.7;
      });
  }

  /** Where the bright text in a region lies, with the line below it if there is one; undefined where there is none. */
  #textWithin(region: Rect, media: string, t: number, frame: Size): Rect | undefined {
    const filter = new FrameFilter(frame.width, frame.height, 'gray');
    const levels = readPixels(this.#recordings.open(media), t, filter);
    if (!levels) return undefined;
    const [left, top] = [Math.round(region.x * frame.width), Math.round(region.y * frame.height)];
    const [width, height] = [Math.round(region.width * frame.width), Math.round(region.height * frame.height)];
    const inkOf = (line: number): number[] =>
      Array.from({ length: width }, (_, x) => {
        let bright = 0;
        for (let y = top + line * height; y < top + (line + 1) * height; y++)
          if (levels[y * frame.width + left + x]! > BRIGHT_LEVEL) bright++;
        return Math.min(bright, height / 2);
      });
    const isText = (ink: readonly number[]): boolean => sum(ink) >= height && sum(ink) <= MAX_TEXT_INK * width * height;
    const [own, below] = [inkOf(0), top + 2 * height <= frame.height ? inkOf(1) : []];
    if (sum(own) < height) return undefined;
    const hasBelow = isText(own) && isText(below);
    const ink = own.map((value, x) => value + (hasBelow ? below[x]! : 0));
    const all = sum(ink);
    let seen = 0;
    const shares = ink.map((value) => (seen += value) / all);
    const from = Math.max(0, shares.findIndex((share) => share > 0.01) - height / 3);
    const to = Math.min(width, shares.findIndex((share) => share > 0.99) + height / 3);
    return {
      x: region.x + from / frame.width,
      y: region.y,
      width: (to - from) / frame.width,
      height: region.height * (hasBelow ? 2 : 1),
    };
  }

  /** Enlarges or reduces text to nearly the reel's width, at the height where the crop shows it. */
  #liftInPlace(text: Rect, frame: Size, attention: Rect | undefined): OverlaidRegion {
    const place = mapToReel(text, frame, this.size, this.layout, attention);
    const scale = Math.min(
      (LIFTED_WIDTH * this.size.width) / (text.width * frame.width),
      this.size.height / frame.height,
    );
    // As much of the frame as fills the reel's width, and the height of what it covers, so that nothing of that is left at the sides.
    const part = Math.min(1, this.size.width / (scale * frame.width));
    const x = clamp(text.x + text.width / 2 - part / 2, 0, 1 - part);
    const width = (part * frame.width * scale) / this.size.width;
    const lines = (place.height * this.size.height) / (scale * frame.height);
    const y = clamp(text.y + text.height / 2 - lines / 2, 0, 1 - lines);
    return {
      from: { x, y, width: part, height: lines },
      to: { x: (1 - width) / 2, y: place.y, width, height: place.height },
    };
  }

  /**
   * Makes a function that says what is shown of each frame; undefined where it is the whole frame as it is.
   *
   * @param owners The scene of each cut, -1 for cards.
   */
  viewer(owners: readonly number[]): ((cut: number, t: number, at: number, board?: Storyboard) => View) | undefined {
    const { parts, transition } = this.style;
    const isPlain = transition === 'cut' && !parts.includes('punch-in') && !parts.includes('hud');
    if (isPlain && this.#centers.every((center) => center === undefined)) return undefined;
    return (cut, t, at, board) => {
      const scene = owners[cut]!;
      const center = scene < 0 ? undefined : this.#centers[scene];
      const zoom = scene < 0 ? 1 : zoomAt(this.planned[scene]!.punches, t);
      const lifted = (board?.overlays ?? []).flatMap((item) =>
        item.kind === 'hud' && at >= item.start && at < item.end ? [enlarged(item, zoom)] : [],
      );
      const changes = board ? transitionAt(transition, board.cuts, at) : {};
      return { ...plainView, ...center?.(t), zoom: Math.round(zoom * 500) / 500, lifted, ...changes };
    };
  }

  /** Draws what the storyboard plans; undefined where it plans nothing. */
  async painter(board: Storyboard, shown: SceneChoice): Promise<Paint | undefined> {
    const items = board.overlays.filter(({ kind }) => kind !== 'hud');
    if (items.length === 0) return undefined;
    const { sources, icons } = this.#input;
    const brand = this.#brand;
    const drawn = await drawItems(items, {
      ...this.size,
      brand,
      hud: this.#hudInReel(shown),
      icon: (game, word) => icons[sources.findIndex(({ header }) => header.game === game)]?.get(word),
    });
    const progress = items.find(({ kind }) => kind === 'progress');
    const unit = Math.min(this.size.width, this.size.height) / 100;
    return (planes, t) => {
      for (const each of drawn) {
        if (t < each.item.start || t >= each.item.end) continue;
        blendOverlay(planes, pictureAt(each, t), opacityAt(each.item, t));
      }
      if (progress) {
        const width = (t / progress.end) * planes.width;
        fillRectangle(planes, { x: 0, y: 0, width, height: 2 * Math.round(unit * 0.5) }, brand.colors.accent);
      }
    };
  }

  /** HUD regions of the games shown, and the upper part of a camera's picture, in fractions of the reel's frame. */
  #hudInReel({ scenes }: SceneChoice): Rect[] {
    const { sources, screens } = this.#input;
    const used = [...new Set(scenes.map(({ source }) => source))];
    return used.flatMap((source) => {
      const { hud, attention } = screens[source]!;
      const { media } = sources[source]!.header;
      const lines = this.strip ? hudStrip(this.strip, media, this.size).picture : this.size.height;
      const top = this.layout === 'split' ? this.size.height - lines : 0;
      const picture = { ...this.size, height: lines };
      const camera = top > 0 ? [{ x: 0, y: 0, width: 1, height: (FACE_SHARE * top) / this.size.height }] : [];
      const regions = [...hud.values()].map((rect) => {
        const { y, height, ...across } = mapToReel(rect, media, picture, this.layout, attention);
        return {
          ...across,
          y: (top + y * lines) / this.size.height,
          height: (height * lines) / this.size.height,
        };
      });
      return [...camera, ...regions];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#recordings[Symbol.dispose]();
    await this.#scratch?.[Symbol.asyncDispose]();
  }
}

/** A lifted part that covers what it covers without enlargement of the picture. */
function enlarged({ from, to }: OverlaidRegion, zoom: number): OverlaidRegion {
  const grow = ({ y, height }: Rect, middle: number) => ({ y: middle + (y - middle) * zoom, height: height * zoom });
  const lines = Math.min(1, from.height * zoom);
  const y = Math.max(0, Math.min(1 - lines, from.y - (lines - from.height) / 2));
  return { from: { ...from, y, height: lines }, to: { ...to, ...grow(to, 0.5) } };
}

/** Bits that a pixel of a frame needs to look good. */
const BITS_PER_PIXEL = 0.045;

/** Reduces a frame size until a file of so many bytes has enough bits for its pixels. */
function sizeWithin(size: Size, bytes: number, frames: number): Size {
  const pixels = (bytes * 8) / (frames * BITS_PER_PIXEL);
  const scale = Math.min(1, Math.sqrt(pixels / (size.width * size.height)));
  // In steps of an eighth, not below a third.
  const step = scale >= 1 ? 1 : Math.max(3, Math.floor(scale * 8)) / 8;
  return { width: even(size.width * step), height: even(size.height * step) };
}

/** Levels of text on a screen, and the largest share of a line that it fills. */
const BRIGHT_LEVEL = 190;
const MAX_TEXT_INK = 0.3;

/** The picture of an item at a time of the reel: first those of its entrance. */
function pictureAt({ item, overlay, entrance }: DrawnItem, t: number): DrawnItem['overlay'] {
  return entrance[Math.floor((t - item.start) / ENTRANCE_STEP_SECONDS)] ?? overlay;
}

function opacityAt({ kind, start, end }: OverlayItem, t: number): number {
  if (kind === 'counter' || kind === 'logo') return 1;
  const out = Math.min(1, (end - t) / FADE_SECONDS + 0.15);
  return kind === 'caption' || kind === 'subtitle' ? Math.min(out, (t - start) / FADE_SECONDS + 0.15) : out;
}

/** A crop where it keeps what the players look at, else the whole picture: before a blurred copy, or between bars. */
function defaultLayout(
  { scenes }: SceneChoice,
  sources: readonly Source[],
  screens: readonly ScreenLayout[],
  size: Size,
): Layout {
  if (size.width > size.height) return 'pad';
  const isTooWide = scenes.some(
    ({ source }) => (screens[source]!.attention?.width ?? 0) > shownWidth(sources[source]!.header.media, size),
  );
  return isTooWide ? 'blur' : 'crop';
}

/**
 * Strip with the HUD of the first recording.
 *
 * @throws PlaybyplayError `no-hud` if the profile has none.
 */
function requireHudStrip(sources: readonly Source[], { scenes }: SceneChoice, screens: readonly ScreenLayout[]): Rect {
  const { source } = scenes[0]!;
  const strip = bottomHudStrip([...screens[source]!.hud.values()]);
  if (strip) return strip;
  const { game } = sources[source]!.header;
  throw new PlaybyplayError('no-hud', `the profile of ${game} has no HUD at the bottom of the picture`, {
    hint: 'Choose another layout: crop, blur or pad.',
  });
}
