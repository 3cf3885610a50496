import { join } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { PlaybyplayError } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import { TemporaryFolder } from '../files/output.ts';
import type { Point, Rect, Size } from '../geometry.ts';
import { findCameraPicture } from '../media/write/camera-picture.ts';
import { type Beats, findBeats } from '../media/write/beats.ts';
import {
  type Arrangement,
  even,
  FrameFilter,
  type HudPanel,
  type Layout,
  type OverlaidRegion,
  placePicture,
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
import { iconsOf, mapToReel, type Obstacle, screenLayout, type ScreenLayout } from './hud.ts';
import { arrangePanel, brightest, isFigure, union } from './hud-panel.ts';
import { type HighlightList, type Scene, type Source, timeInReel } from './list.ts';
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
   * looks at, above a panel with the figures that it would cut off, else the whole picture before a blurred copy; bars for
   * others.
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
  const icons = await Promise.all(sources.map(({ header, log }) => iconsOf(header.game, log)));
  const screens = await Promise.all(sources.map(({ header, log }) => screenLayout(header.game, header.media, log)));
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
const LIFTED_SECONDS = 4;
/** Seconds after an event at which its text is measured. */
const LIFTED_DELAY_SECONDS = 0.35;
/** Share of the height of a camera's picture, from its top, in which faces are. */
const FACE_SHARE = 0.6;
/** Share of the reel's width that lifted text takes. */
const LIFTED_WIDTH = 0.94;
/** Least height of text that can be read, and of text that is shown at all, in shares of the reel's. */
const [MIN_TEXT_HEIGHT, MIN_SHOWN_HEIGHT] = [0.02, 0.012];
/** Least seconds for which it is shown. */
const MIN_LIFTED_SECONDS = 0.3;
/** Rows in which lifted text is shown at most. */
const MAX_LIFTED_ROWS = 4;
/** Distance of lifted text from the edges, in shares of the width. */
const EDGE = 0.02;
/** What stays free above what the player looks at, in shares of the reel's height. */
const FREE_HEIGHT = 0.06;
/** Figures on the panel are worth more than those in the picture. */
const PANEL_WEIGHT = 5;
/** What the player looks at must not be covered. */
const AIM_WEIGHT = 20;
/** Its size around its middle, in shares of the frame. */
const AIM_SIZE = 0.09;
/** Where in the first scene frames are compared to find text that stands still. */
const PANEL_FRAMES = [0.1, 0.3, 0.5, 0.7, 0.95];
/** Seconds over which overlays appear and disappear. */
const FADE_SECONDS = 0.12;

/** A reel's design. It holds open recordings until it is disposed of. */
export class ReelDesign implements AsyncDisposable {
  readonly size: Size;
  readonly layout: Layout;
  /** Of the layout `split`. */
  readonly strip: Rect | undefined;
  /** Of the layout `hud`. */
  readonly panel: HudPanel | undefined;
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
    const layout = options.layout ?? defaultLayout(choice, sources, screens, this.size);
    const mayHavePanel =
      layout === 'hud' || (layout === 'crop' && options.layout === undefined && isOneScreen(choice, sources));
    this.panel = mayHavePanel ? this.#planPanel(layout === 'hud') : undefined;
    this.layout = this.panel ? 'hud' : layout;
    this.strip = layout === 'split' ? (options.facecam ?? this.#findCamera()) : undefined;
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

  /** How frames are arranged in the reel. */
  get arrangement(): Arrangement {
    const { layout, strip, panel } = this;
    return { layout, strip, panel };
  }

  /** The panel with the figures of the first recording; undefined where the crop needs none. @param isWanted It is asked for. */
  #planPanel(isWanted: boolean): HudPanel | undefined {
    const { choice, sources, screens } = this.#input;
    const scene = choice.scenes[0]!;
    const { source, start, end } = scene;
    const { header, events } = sources[source]!;
    const screen = screens[source]!;
    const times = PANEL_FRAMES.map((share) => start + share * (end - start));
    const panel = arrangePanel({
      screen,
      frame: header.media,
      reel: this.size,
      events,
      shown: events.filter(({ t }) =>
        choice.scenes.some((each) => each.source === source && t >= each.start && t <= each.end),
      ),
      frames: times.flatMap((t) => this.#pixelsAt(scene, t) ?? []),
      ...(screen.attention && { center: middleOf(screen.attention) }),
      isWanted,
    });
    if (panel || !isWanted) return panel;
    throw new PlaybyplayError(
      'no-hud',
      `the log of ${header.game} has no figures of a HUD that fit below the picture`,
      {
        hint: 'Choose another layout: crop, blur or pad.',
      },
    );
  }

  /** Where the crop of each scene lies, clear of a camera picture that is shown elsewhere. */
  #findCenters(): CropCenter[] {
    const { choice, sources, screens } = this.#input;
    const scenes = choice.scenes.map((scene) => {
      const { media } = sources[scene.source]!.header;
      const { attention } = screens[scene.source]!;
      const { crop } = placePicture(media, this.size, this.arrangement, plainView);
      return { ...scene, media: this.#mediaOf(scene), attention, width: crop.width / media.width };
    });
    const centers = cropCenters(scenes, this.#recordings);
    if (this.layout !== 'split') return centers;
    return centers.map((center, i) => moveCropOff(center, this.strip!, scenes[i]!.width));
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
    if (this.layout !== 'crop' && this.layout !== 'hud') return [];
    return scenes.flatMap((scene, index): OverlayItem[] => {
      const { header, events } = this.#input.sources[scene.source]!;
      const screen = this.#input.screens[scene.source]!;
      const { shots, at, duration } = list.scenes[index]!;
      const ownEvents = new Set(scene.events.map(({ event }) => event.id));
      // What is said before the scene begins is still there.
      const said = events.filter(({ t }) => t > scene.start - LIFTED_SECONDS && t < scene.end);
      const items: OverlayItem[] = [];
      /** Indices of the items of the last text in a region. */
      const last = new Map<Rect, readonly number[]>();
      for (const event of said) {
        const center = this.#centers[index]!(event.t);
        const regions = this.#textRegions(event, screen).filter((region) => this.#isCut(region, header.media, center));
        const t = Math.max(event.t, scene.start);
        const start = timeInReel(shots, t);
        const end = Math.min(timeInReel(shots, Math.min(scene.end, event.t + LIFTED_SECONDS)), at + duration);
        if (regions.length === 0 || end - start < MIN_LIFTED_SECONDS) continue;
        const pixels = this.#pixelsAt(scene, t + LIFTED_DELAY_SECONDS);
        const texts = regions
          .map((region) => ({ region, lines: pixels ? textWithin(region, pixels, header.media) : [] }))
          .filter(({ lines }) => lines.some((line) => this.#isCut(line, header.media, center)))
          .toSorted((a, b) => b.lines[0]!.letters - a.lines[0]!.letters);
        for (const [rank, { region, lines }] of texts.entries()) {
          // One text says what happened; others are shown only where the crop would cut through them.
          const isNews = rank === 0 && ownEvents.has(event.id);
          if (!isNews && !lines.some((line) => this.#isCutThrough(line, header.media, center))) continue;
          if (!this.#legibleRows(lines, header.media, center) && !this.#isLarge(lines, header.media, center)) continue;
          const parts = this.#liftInPlace(lines, header.media, center);
          // A text takes the place of the one before it.
          for (const before of last.get(region) ?? [])
            items[before] = { ...items[before]!, end: Math.min(items[before]!.end, start) };
          last.set(
            region,
            parts.map((_, part) => items.length + part),
          );
          items.push(...parts.map((part): OverlayItem => ({ kind: 'hud', start, end, ...part })));
        }
      }
      return items.filter((item) => item.end > item.start);
    });
  }

  /** The frame shown at a time of a scene's recording, in colours. */
  #pixelsAt(scene: Scene, t: number): Uint8Array | undefined {
    const { width, height } = this.#input.sources[scene.source]!.header.media;
    return readPixels(this.#recordings.open(this.#mediaOf(scene)), t, new FrameFilter(width, height, 'rgb24'));
  }

  /** Where the text behind an event is, except on the panel. */
  #textRegions(event: EventLine, screen: ScreenLayout): Rect[] {
    const messages = event.cues.filter(({ value }) => !isFigure(value));
    const names = messages.flatMap(({ detector }) => screen.textRegions.get(detector) ?? []);
    const onPanel = (rect: Rect): boolean => (this.panel?.parts ?? []).some(({ from }) => contains(from, rect));
    return names.flatMap((name) => screen.hud.get(name) ?? []).filter((rect) => !onPanel(rect));
  }

  #isCut(rect: Rect, frame: Size, center: Point): boolean {
    const { x, width } = mapToReel(rect, frame, this.size, this.arrangement, center);
    return x < 0 || x + width > 1;
  }

  #isCutThrough(rect: Rect, frame: Size, center: Point): boolean {
    const { x, width } = mapToReel(rect, frame, this.size, this.arrangement, center);
    return this.#isCut(rect, frame, center) && x < 1 && x + width > 0;
  }

  /** Lines of text, divided so that each is large enough to be read; undefined where that takes too many rows. */
  #legibleRows(lines: readonly TextLine[], frame: Size, center: Point): readonly TextLine[] | undefined {
    const rows = lines.flatMap((line) => {
      if (this.#scaleOf(line, frame, center) * line.letters * frame.height >= MIN_TEXT_HEIGHT * this.size.height)
        return [line];
      return [
        { ...line, width: line.middle - line.x },
        { ...line, x: line.middle, width: line.x + line.width - line.middle },
      ];
    });
    const scale = Math.min(...rows.map((row) => this.#scaleOf(row, frame, center)));
    const isLegible = rows.every(({ letters }) => scale * letters * frame.height >= MIN_TEXT_HEIGHT * this.size.height);
    return isLegible && rows.length <= MAX_LIFTED_ROWS ? rows : undefined;
  }

  /** Whether lines that cannot be divided into legible ones are worth being shown whole. */
  #isLarge(lines: readonly TextLine[], frame: Size, center: Point): boolean {
    const scale = Math.min(...lines.map((line) => this.#scaleOf(line, frame, center)));
    return lines.every(({ letters }) => scale * letters * frame.height >= MIN_SHOWN_HEIGHT * this.size.height);
  }

  /** How much text is enlarged: as the picture is, or until it is as wide as the reel. */
  #scaleOf(line: Rect, frame: Size, center: Point): number {
    const place = mapToReel(line, frame, this.size, this.arrangement, center);
    const usual = (place.height * this.size.height) / (line.height * frame.height);
    return Math.min((LIFTED_WIDTH * this.size.width) / (line.width * frame.width), usual);
  }

  /** Shows lines of text whole where the crop shows a part of them, which is covered. */
  #liftInPlace(lines: readonly TextLine[], frame: Size, center: Point): OverlaidRegion[] {
    const rows = this.#legibleRows(lines, frame, center) ?? lines;
    const scale = Math.min(...rows.map((row) => this.#scaleOf(row, frame, center)));
    const heights = rows.map(({ height }) => (height * frame.height * scale) / this.size.height);
    const block = lines.reduce<Rect>(union, lines[0]!);
    const place = mapToReel(block, frame, this.size, this.arrangement, center);
    const cover = lines.some((line) => this.#isCutThrough(line, frame, center))
      ? [this.#cover(block, place, frame, center)]
      : [];
    let y = this.#aboveAttention(place, sum(heights), frame, center);
    const middle = clamp(place.x + place.width / 2, 0, 1);
    const placed = rows.map(({ x, y: top, width, height }, index): OverlaidRegion => {
      const across = (width * frame.width * scale) / this.size.width;
      const left = clamp(middle - across / 2, EDGE, 1 - EDGE - across);
      const to = { x: left, y, width: across, height: heights[index]! };
      y += heights[index]!;
      return { from: { x, y: top, width, height }, to };
    });
    return [...cover, ...placed];
  }

  /** Covers what the crop shows of a text with a blurred copy of the picture there. */
  #cover(text: Rect, place: Rect, frame: Size, center: Point): OverlaidRegion {
    const { crop } = placePicture(frame, this.size, this.arrangement, { ...plainView, ...center });
    return {
      from: { x: crop.x / frame.width, y: text.y, width: crop.width / frame.width, height: text.height },
      to: { x: 0, y: Math.max(0, place.y), width: 1, height: place.height },
      isBlurred: true,
    };
  }

  /** Where text that needs some height begins so that what the player looks at stays free: at its place, else higher. */
  #aboveAttention(place: Rect, height: number, frame: Size, center: Point): number {
    const point = mapToReel({ ...center, width: 0, height: 0 }, frame, this.size, this.arrangement, center).y;
    const isBefore = place.y + place.height <= point;
    const limit = point - FREE_HEIGHT;
    return isBefore && place.y + height > limit ? Math.max(0, limit - height) : place.y;
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
        item.kind === 'hud' && at >= item.start && at < item.end
          ? [this.#zoomed(item, zoom, this.#input.choice.scenes[scene]!, center?.(t))]
          : [],
      );
      const changes = board ? transitionAt(transition, board.cuts, at) : {};
      return { ...plainView, ...center?.(t), zoom: Math.round(zoom * 500) / 500, lifted, ...changes };
    };
  }

  /** A lifted part while the picture is enlarged: text stays where it is, what covers text of the picture moves with it. */
  #zoomed(item: OverlaidRegion, zoom: number, { source }: Scene, center: Point | undefined): OverlaidRegion {
    const { from, to, isBlurred = false } = item;
    if (zoom === 1 || !isBlurred) return { from, to, isBlurred };
    const { media } = this.#input.sources[source]!.header;
    const view = { ...plainView, ...center };
    const { crop, lines } = placePicture(media, this.size, this.arrangement, view);
    const near = placePicture(media, this.size, this.arrangement, { ...view, zoom }).crop;
    const share = lines / this.size.height;
    const y = ((crop.y + (to.y / share) * crop.height - near.y) / near.height) * share;
    const grown = (to.height * crop.height) / near.height;
    return { from, to: { ...to, y: Math.max(0, y), height: Math.min(grown, grown + y) }, isBlurred };
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
      // Banners and captions keep clear of lifted text.
      hud: [
        ...this.#hudInReel(shown),
        ...board.overlays.flatMap((item) => (item.kind === 'hud' ? [{ ...item.to, weight: PANEL_WEIGHT }] : [])),
      ],
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
  #hudInReel({ scenes }: SceneChoice): Obstacle[] {
    const { sources, screens } = this.#input;
    const { arrangement, panel } = this;
    const used = [...new Set(scenes.map(({ source }) => source))];
    const below = panel ? [{ x: 0, y: 1 - panel.height, width: 1, height: panel.height, weight: PANEL_WEIGHT }] : [];
    return used.flatMap((source) => {
      const { hud, attention } = screens[source]!;
      const { media } = sources[source]!.header;
      const center = attention && middleOf(attention);
      const { top } = placePicture(media, this.size, arrangement, plainView);
      const camera = top > 0 ? [{ x: 0, y: 0, width: 1, height: (FACE_SHARE * top) / this.size.height }] : [];
      const aim = mapToReel(aimOf(attention), media, this.size, arrangement, center);
      const regions = [...hud.values()].map((rect) => mapToReel(rect, media, this.size, arrangement, center));
      return [...camera, ...regions, { ...aim, weight: AIM_WEIGHT }, ...below];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#recordings[Symbol.dispose]();
    await this.#scratch?.[Symbol.asyncDispose]();
  }
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
const BRIGHT_LEVEL = 170;
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

/** Whether all scenes show the screen of one game in one size. */
function isOneScreen({ scenes }: SceneChoice, sources: readonly Source[]): boolean {
  const screens = scenes.map(({ source }) => {
    const { game, media } = sources[source]!.header;
    return `${game} ${media.width}x${media.height}`;
  });
  return new Set(screens).size === 1;
}

function middleOf({ x, y, width, height }: Rect): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

/** The middle of what the player looks at: by the profile, else of the frame. */
function aimOf(attention: Rect | undefined): Rect {
  const { x, y } = attention ? middleOf(attention) : { x: 0.5, y: 0.5 };
  return { x: x - AIM_SIZE / 2, y: y - AIM_SIZE / 2, width: AIM_SIZE, height: AIM_SIZE };
}

/** Whether the middle of a part lies within a rectangle. */
function contains(rect: Rect, part: Rect): boolean {
  const { x, y } = middleOf(part);
  return x >= rect.x && x <= rect.x + rect.width && y >= rect.y && y <= rect.y + rect.height;
}

/** A line of text in a frame, in fractions. */
interface TextLine extends Rect {
  /** Height of its letters. */
  readonly letters: number;
  /** The space between two words nearest to its middle. */
  readonly middle: number;
}

/** The line of bright text in a region, and the line below it if there is one. @param pixels The frame in RGB. */
function textWithin(region: Rect, pixels: Uint8Array, frame: Size): TextLine[] {
  const own = lineWithin(region, pixels, frame);
  if (!own) return [];
  const lower = { ...region, y: region.y + region.height };
  const below = lower.y + lower.height <= 1 ? lineWithin(lower, pixels, frame) : undefined;
  // What is as bright over a large part is scenery.
  const isText = (line: typeof own): boolean => line.ink <= MAX_TEXT_INK && line.letters > 0.3 * region.height;
  return below && isText(own) && isText(below) ? [own, below] : [own];
}

function lineWithin(region: Rect, pixels: Uint8Array, frame: Size): (TextLine & { readonly ink: number }) | undefined {
  const [left, top] = [Math.round(region.x * frame.width), Math.round(region.y * frame.height)];
  const [width, height] = [Math.round(region.width * frame.width), Math.round(region.height * frame.height)];
  const columns = Array.from({ length: width }, () => 0);
  const lines = Array.from({ length: height }, () => 0);
  for (let y = 0; y < height; y++) {
    let wasBright = false;
    for (let x = 0; x < width; x++) {
      const isBright = brightest(pixels, (top + y) * frame.width + left + x) > BRIGHT_LEVEL;
      if (isBright) columns[x]!++;
      // Letters begin and end many times in a line, scenery does not.
      if (isBright !== wasBright) lines[y]!++;
      wasBright = isBright;
    }
  }
  const all = sum(columns);
  if (all < height) return undefined;
  let seen = 0;
  const shares = columns.map((value) => (seen += value) / all);
  const [first, last] = [shares.findIndex((share) => share > 0.01), shares.findIndex((share) => share > 0.99)];
  const from = Math.max(0, first - height / 3);
  const to = Math.min(width, last + height / 3);
  return {
    x: region.x + from / frame.width,
    y: region.y,
    width: (to - from) / frame.width,
    height: region.height,
    middle: region.x + gapNearMiddle(columns, first, last) / frame.width,
    letters: longestRun(lines.map((count) => count > Math.max(...lines) / 4)) / frame.height,
    ink: all / (width * height),
  };
}

function longestRun(flags: readonly boolean[]): number {
  let [run, longest] = [0, 0];
  for (const flag of flags) {
    run = flag ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** The middle of a wide gap between columns with ink near the middle of a text. */
function gapNearMiddle(ink: readonly number[], first: number, last: number): number {
  const middle = (first + last) / 2;
  let best = { at: middle, worth: Number.NEGATIVE_INFINITY };
  for (let start = first; start < last; start++) {
    if (ink[start]! > 0) continue;
    let end = start;
    while (end < last && !ink[end]) end++;
    const at = (start + end) / 2;
    const worth = end - start - Math.abs(at - middle) / 8;
    if (worth > best.worth) best = { at, worth };
    start = end;
  }
  return best.at;
}
