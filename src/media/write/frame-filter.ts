import {
  AV_BUFFERSRC_FLAG_KEEP_REF,
  AV_PIX_FMT_GRAY8,
  AV_PIX_FMT_NV12,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUV420P,
  AVCOL_RANGE_MPEG,
  AVCOL_RANGE_UNSPECIFIED,
  AVCOL_SPC_UNSPECIFIED,
} from 'node-av/constants';
import { FFmpegError, FilterGraph, Frame, type FilterContext } from 'node-av/lib';
import type { Rect, Size } from '../../geometry.ts';
import type { Rotation } from '../container/info.ts';
import type { ColorTags } from './encoder.ts';

/**
 * How a frame is fitted into another shape: `pad` between black bars, `blur` in front of a blurred copy of itself, `crop`
 * to fill the shape, `hud` cropped above a panel that shows parts of the HUD, `split` cropped below a strip that shows another
 * part of the frame, such as a camera on the player's face.
 */
export type Layout = 'pad' | 'blur' | 'crop' | 'hud' | 'split';

/** What is shown of a frame, and how. */
export interface View {
  /** Centre of a crop, as fractions of the upright frame. */
  readonly x: number;
  readonly y: number;
  /** Enlargement beyond what the layout needs; default 1. */
  readonly zoom?: number;
  /** Parts of the frame that are shown again, enlarged, over the picture. */
  readonly lifted?: readonly OverlaidRegion[];
  /** 1 (default) as it is, 0 black. */
  readonly brightness?: number;
  /** Horizontal blur, as the standard deviation in shares of the width; default 0. */
  readonly smear?: number;
}

/** A part of the frame shown again over the picture. */
export interface OverlaidRegion {
  /** Fractions of the upright frame. */
  readonly from: Rect;
  /** Fractions of the result. */
  readonly to: Rect;
  /** Shown blurred and darker, to cover what is there. Default: false. */
  readonly isBlurred?: boolean;
}

/** What the layout `hud` shows below the picture: parts of the frame that the crop would cut off. */
export interface HudPanel {
  /** Share of the result's height that it takes. */
  readonly height: number;
  /** The lines of the frame of which the picture shows a part, without HUD that would be cut through; in fractions. */
  readonly visible: Pick<Rect, 'y' | 'height'>;
  readonly parts: readonly OverlaidRegion[];
}

/** The bottom of the frame as it is. */
const BOTTOM_PANEL: HudPanel = {
  height: 0.1,
  visible: { y: 0, height: 0.85 },
  parts: [{ from: { x: 0, y: 0.85, width: 1, height: 0.15 }, to: { x: 0, y: 0.9, width: 1, height: 0.1 } }],
};

/** The whole frame, or its middle. */
export const plainView: View = { x: 0.5, y: 0.5 };

/** Returns the size of a reel of some shape: as many lines as the source has, rounded to even. */
export function sizeFor(aspect: '16:9' | '9:16' | '1:1' | 'source', source: Size): Size {
  const lines = Math.min(source.width, source.height);
  if (aspect === 'source') return { width: even(source.width), height: even(source.height) };
  if (aspect === '1:1') return { width: even(lines), height: even(lines) };
  const long = even((lines * 16) / 9);
  return aspect === '16:9' ? { width: long, height: even(lines) } : { width: even(lines), height: long };
}

/**
 * Returns the largest part of a source frame that has the target's shape, in even pixels.
 *
 * @param x Its center, as fractions of the source.
 * @param zoom Enlargement beyond filling the target.
 */
export function cropAround(x: number, y: number, source: Size, target: Size, zoom = 1): Rect {
  const scale = Math.min(source.width / target.width, source.height / target.height) / zoom;
  const width = Math.min(even(target.width * scale), source.width);
  const height = Math.min(even(target.height * scale), source.height);
  return {
    x: clampEven(x * source.width - width / 2, source.width - width),
    y: clampEven(y * source.height - height / 2, source.height - height),
    width,
    height,
  };
}

/** The strip of the layout `split` takes at most this share of the height. */
const MAX_STRIP_SHARE = 0.4;
/** The part that it shows by default. */
const DEFAULT_STRIP: Rect = { x: 0, y: 0.85, width: 1, height: 0.15 };

/** How frames are arranged in another shape. */
export interface Arrangement {
  /** What to do where the shapes differ; default `pad`. */
  readonly layout?: Layout | undefined;
  /** The part that the strip of the layout `split` shows, in fractions of the upright frame. */
  readonly strip?: Rect | undefined;
  /** Of the layout `hud`; default: the bottom of the frame. */
  readonly panel?: HudPanel | undefined;
}

/** Where the picture of the game lies. */
interface PicturePlace {
  /** The part of the frame that it shows, in pixels. */
  readonly crop: Rect;
  /** The first line and the number of lines of the result. */
  readonly top: number;
  readonly lines: number;
}

/** Where a layout that crops shows which part of a frame. @param frame Size of the upright frame. */
export function placePicture(
  frame: Size,
  target: Size,
  { layout, strip = DEFAULT_STRIP, panel = BOTTOM_PANEL }: Arrangement,
  { x, y, zoom = 1 }: View,
): PicturePlace {
  if (layout === 'split') {
    const wanted = even((target.width * strip.height * frame.height) / (strip.width * frame.width));
    const top = Math.min(wanted, even(target.height * MAX_STRIP_SHARE));
    const lines = target.height - top;
    return { crop: cropAround(x, y, frame, { width: target.width, height: lines }, zoom), top, lines };
  }
  if (layout !== 'hud') return { crop: cropAround(x, y, frame, target, zoom), top: 0, lines: target.height };
  const lines = target.height - even(target.height * panel.height);
  const first = clampEven(frame.height * panel.visible.y, frame.height);
  const free = {
    width: frame.width,
    height: Math.min(even(frame.height * panel.visible.height), frame.height - first),
  };
  const shape = { width: target.width, height: lines };
  const crop = cropAround(x, (y * frame.height - first) / free.height, free, shape, zoom);
  return { crop: { ...crop, y: crop.y + first }, top: 0, lines };
}

function clampEven(value: number, max: number): number {
  return Math.max(0, Math.min(max, Math.round(value / 2) * 2));
}

/** Rounds a size to an even number of pixels, at least 2. */
export function even(size: number): number {
  return Math.max(2, Math.round(size / 2) * 2);
}

const PIXEL_FORMATS = {
  yuv420p: AV_PIX_FMT_YUV420P,
  nv12: AV_PIX_FMT_NV12,
  rgb24: AV_PIX_FMT_RGB24,
  gray: AV_PIX_FMT_GRAY8,
} as const;

/** Filters that rotate a picture clockwise. */
const ROTATION_FILTERS: Readonly<Record<Rotation, readonly string[]>> = {
  0: [],
  90: ['transpose=clock'],
  180: ['hflip', 'vflip'],
  270: ['transpose=cclock'],
};

/** Options of `FrameFilter`. */
export interface FrameFilterOptions extends Arrangement {
  /** Matrix and range of the result; default those of the frame. */
  readonly levels?: Levels | undefined;
}

/** Matrix between colours and levels, and the range of the levels. */
export type Levels = Pick<ColorTags, 'space' | 'range'>;

/** Scales frames of any size and pixel format to one size and format, with a layout where the shapes differ. */
export class FrameFilter implements Disposable {
  readonly #width: number;
  readonly #height: number;
  readonly #format: keyof typeof PIXEL_FORMATS;
  readonly #arrangement: Arrangement & { readonly layout: Layout };
  readonly #levels: Levels | undefined;
  #graph: FilterGraph | undefined;
  #source: FilterContext | undefined;
  #sink: FilterContext | undefined;
  #key = '';
  #crop = '';
  readonly #output = new Frame();

  constructor(
    width: number,
    height: number,
    format: keyof typeof PIXEL_FORMATS = 'yuv420p',
    options: FrameFilterOptions = {},
  ) {
    this.#format = format;
    this.#arrangement = { ...options, layout: options.layout ?? 'pad' };
    this.#levels = options.levels;
    this.#width = width;
    this.#height = height;
    this.#output.alloc();
  }

  /**
   * Returns the frame itself where it fits already, else a frame that is valid until the next call.
   *
   * @param rotation Clockwise rotation that makes the frame upright.
   * @param view What is shown of the frame.
   */
  apply(frame: Frame, rotation: Rotation = 0, view: View = plainView): Frame {
    const format = PIXEL_FORMATS[this.#format];
    const upright = rotation % 180 === 0 ? frame : { width: frame.height, height: frame.width };
    const fits = rotation === 0 && frame.width === this.#width && frame.height === this.#height;
    const levels = completeLevels({ space: frame.colorSpace, range: frame.colorRange }, this.#levels);
    const { zoom = 1, lifted = [], brightness = 1, smear = 0 } = view;
    const look = JSON.stringify([zoom, lifted, brightness, smear]);
    if (fits && look === PLAIN_LOOK && frame.format === format && matchesLevels(levels, this.#levels)) return frame;
    const { width, height, sampleAspectRatio } = frame;
    const key = [
      width,
      height,
      frame.format,
      `${sampleAspectRatio}`,
      rotation,
      levels.space,
      levels.range,
      look,
    ].join();
    const place = this.#placeOf(upright, view);
    if (key !== this.#key) {
      this.#build(frame, upright, rotation, levels, view, place);
      this.#key = key;
      this.#crop = '';
    }
    if (place) this.#moveCrop(place.crop);
    FFmpegError.throwIfError(this.#source!.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF), 'scale');
    this.#output.unref();
    FFmpegError.throwIfError(this.#sink!.buffersinkGetFrameSync(this.#output), 'scale');
    return this.#output;
  }

  /** Applies the filter and copies the first plane, without padding between rows. Takes the arguments of `apply`. */
  pixels(...args: Parameters<FrameFilter['apply']>): Buffer {
    const { data, linesize } = this.apply(...args);
    const bytes = this.#width * (this.#format === 'rgb24' ? 3 : 1);
    const packed = Buffer.alloc(bytes * this.#height);
    for (let y = 0; y < this.#height; y++)
      packed.set(data![0]!.subarray(y * linesize[0]!, y * linesize[0]! + bytes), y * bytes);
    return packed;
  }

  #moveCrop(rect: Rect): void {
    const wanted = `${rect.x}:${rect.y}`;
    if (wanted === this.#crop) return;
    this.#graph!.sendCommand('crop@view', 'x', String(rect.x));
    this.#graph!.sendCommand('crop@view', 'y', String(rect.y));
    this.#crop = wanted;
  }

  /** Where the picture lies that a crop shows; undefined where the whole frame is shown. */
  #placeOf(frame: Size, view: View): PicturePlace | undefined {
    const { layout } = this.#arrangement;
    if (layout !== 'pad' && layout !== 'blur') return placePicture(frame, this.#target, this.#arrangement, view);
    return (view.zoom ?? 1) > 1 ? placePicture(frame, frame, {}, view) : undefined;
  }

  get #target(): Size {
    return { width: this.#width, height: this.#height };
  }

  #build(frame: Frame, upright: Size, rotation: Rotation, levels: Levels, view: View, place?: PicturePlace): void {
    this.#graph?.free();
    const { num, den } = frame.sampleAspectRatio;
    const aspect = num > 0 && den > 0 ? `${num}/${den}` : '1/1';
    const wanted = matchesLevels(levels, this.#levels) ? undefined : completeLevels(this.#levels!, levels);
    const { brightness = 1, smear = 0 } = view;
    const { layout, panel = BOTTOM_PANEL } = this.#arrangement;
    const panelParts = layout === 'hud' ? panel.parts : [];
    const dim = `128+(val-128)*${brightness}`;
    const chain = [
      `buffer@in=video_size=${frame.width}x${frame.height}:pix_fmt=${frame.format}:time_base=1/1000000:pixel_aspect=${aspect}:colorspace=${levels.space}:range=${levels.range}`,
      ...ROTATION_FILTERS[rotation],
      ...(wanted ? [`scale=out_color_matrix=${wanted.space}:out_range=${wanted.range}`] : []),
      this.#withLifted(this.#layoutFilters(upright, place), upright, [...panelParts, ...(view.lifted ?? [])]),
      ...(smear > 0 ? [`gblur=sigma=${smear * this.#width}:sigmaV=0.1`] : []),
      ...(brightness < 1 ? ['format=pix_fmts=yuv420p', `lutyuv=y=16+(val-16)*${brightness}:u=${dim}:v=${dim}`] : []),
      `format=pix_fmts=${this.#format}`,
      'buffersink@out',
    ];
    const graph = new FilterGraph();
    graph.alloc();
    FFmpegError.throwIfError(graph.parse2(chain.join(',')), 'build scaling');
    FFmpegError.throwIfError(graph.configSync(), 'configure scaling');
    this.#graph = graph;
    this.#source = graph.getFilter('buffer@in')!;
    this.#sink = graph.getFilter('buffersink@out')!;
  }

  /** The layout's filters, as FFmpeg writes filter graphs. */
  #layoutFilters(frame: Size, place: PicturePlace | undefined): string {
    const [w, h] = [this.#width, this.#height];
    const { layout, strip = DEFAULT_STRIP } = this.#arrangement;
    if (layout !== 'pad' && layout !== 'blur') {
      const { crop, top, lines } = place!;
      const picture = cropTo('crop@view', crop, w, lines);
      if (layout === 'crop') return picture;
      if (layout === 'hud') return `${picture},pad=${w}:${h}:0:0:color=${PANEL_COLOR}`;
      const other = cropTo('crop', pixelsOf(strip, frame), w, top);
      return `split[a][b];[a]${picture}[view];[b]${other}[strip];[strip][view]vstack=inputs=2`;
    }
    const zoomed = place ? `${cropTo('crop@view', place.crop, frame.width, frame.height)},` : '';
    const whole = `scale=w='max(2,2*round(min(${w},${h}*dar)/2))':h='max(2,2*round(min(${h},${w}/dar)/2))':flags=lanczos,setsar=1`;
    if (layout === 'pad') return `${zoomed}${whole},pad=${w}:${h}:(ow-iw)/2:(oh-ih)/2`;
    // Blurring a small copy looks the same at a fraction of the cost.
    const [bw, bh] = [Math.ceil(w / 16) * 2, Math.ceil(h / 16) * 2];
    const back = `scale=w='if(gt(dar,${w}/${h}),2*round(${bh}*dar/2),${bw})':h='if(gt(dar,${w}/${h}),${bh},2*round(${bw}/dar/2))'`;
    const blur = `crop=${bw}:${bh},gblur=sigma=4,eq=brightness=-0.12,scale=${w}:${h},setsar=1`;
    return `${zoomed}split[a][b];[a]${back},${blur}[back];[b]${whole}[front];[back][front]overlay=x=(W-w)/2:y=(H-h)/2:format=yuv420`;
  }

  /** Adds the lifted parts over the picture that filters make. */
  #withLifted(filters: string, frame: Size, lifted: readonly OverlaidRegion[]): string {
    if (lifted.length === 0) return filters;
    const names = lifted.map((_, index) => `[l${index}]`);
    const parts = lifted.map(({ from, to, isBlurred = false }, index) => {
      const { x, y, width, height } = pixelsOf(to, this.#target);
      return {
        cut: `[l${index}]${cropTo('crop', pixelsOf(from, frame), width, height)}${isBlurred ? COVER_FILTERS : ''}[m${index}]`,
        lay: `[p${index}][m${index}]overlay=x=${x}:y=${y}:format=yuv420`,
      };
    });
    const laid = parts.map(({ lay }, index) => (index < parts.length - 1 ? `${lay}[p${index + 1}]` : lay));
    return [
      `split=${lifted.length + 1}[base]${names.join('')}`,
      `[base]${filters}[p0]`,
      ...parts.map(({ cut }) => cut),
      ...laid,
    ].join(';');
  }

  [Symbol.dispose](): void {
    this.#output.free();
    this.#graph?.free();
  }
}

/** Completes the levels of a frame: an undeclared matrix is the wanted one, an undeclared range is limited. */
function completeLevels({ space, range }: Levels, wanted: Levels | undefined): Levels {
  return {
    space: space === AVCOL_SPC_UNSPECIFIED ? (wanted?.space ?? space) : space,
    range: range === AVCOL_RANGE_UNSPECIFIED ? AVCOL_RANGE_MPEG : range,
  };
}

/** Whether levels are as wanted, as far as that is declared. */
function matchesLevels(levels: Levels, wanted: Levels | undefined): boolean {
  if (!wanted) return true;
  const { space, range } = completeLevels(wanted, levels);
  return space === levels.space && range === levels.range;
}

/** Ground of the panel with the HUD. */
const PANEL_COLOR = '0x0d0f14';

/** Make a part unreadable, and text over it readable. */
const COVER_FILTERS = ',gblur=sigma=24,eq=brightness=-0.1';

/** A look without effects, which leaves a frame that fits as it is. */
const PLAIN_LOOK = JSON.stringify([1, [], 1, 0]);

/** A part of a frame in even pixels within it. */
function pixelsOf({ x, y, width, height }: Rect, frame: Size): Rect {
  const [w, h] = [
    Math.min(even(width * frame.width), frame.width),
    Math.min(even(height * frame.height), frame.height),
  ];
  return {
    x: clampEven(x * frame.width, frame.width - w),
    y: clampEven(y * frame.height, frame.height - h),
    width: w,
    height: h,
  };
}

/** Filters that crop a part and enlarge it. @param crop The crop filter, with its name if commands move it. */
function cropTo(crop: string, { x, y, width, height }: Rect, targetWidth: number, targetHeight: number): string {
  return `${crop}=${width}:${height}:${x}:${y},scale=${targetWidth}:${targetHeight}:flags=lanczos,setsar=1`;
}
