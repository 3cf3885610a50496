import {
  AV_BUFFERSRC_FLAG_KEEP_REF,
  AV_PIX_FMT_GRAY8,
  AV_PIX_FMT_RGB24,
  AV_PIX_FMT_YUV420P,
  AVCOL_RANGE_MPEG,
  AVCOL_RANGE_UNSPECIFIED,
  AVCOL_SPC_UNSPECIFIED,
} from 'node-av/constants';
import { FFmpegError, Filter, FilterGraph, Frame, type FilterContext } from 'node-av/lib';
import type { Rect, Size } from '../../geometry.ts';
import type { Rotation } from '../container/info.ts';
import type { ColorTags } from './encoder.ts';

/**
 * How a recording's frame comes into a frame of another shape: `pad` whole between black bars, `blur` whole before a
 * blurred copy of itself, `crop` filling the frame, with what lies outside cut off, `hud` cropped above a strip that
 * keeps the HUD whole.
 */
export type Layout = 'pad' | 'blur' | 'crop' | 'hud';

/** The size of a reel of this shape from recordings of this size: as many lines as they have, made even. */
export function sizeFor(aspect: '16:9' | '9:16' | '1:1' | 'source', source: Size): Size {
  const lines = Math.min(source.width, source.height);
  if (aspect === 'source') return { width: even(source.width), height: even(source.height) };
  if (aspect === '1:1') return { width: even(lines), height: even(lines) };
  const long = even((lines * 16) / 9);
  return aspect === '16:9' ? { width: long, height: even(lines) } : { width: even(lines), height: long };
}

/** The largest part of a source frame that has the target's shape, around (x, y), fractions of the source; whole even pixels. */
export function cropAround(x: number, y: number, source: Size, target: Size): Rect {
  const scale = Math.min(source.width / target.width, source.height / target.height);
  const width = Math.min(even(target.width * scale), source.width);
  const height = Math.min(even(target.height * scale), source.height);
  return {
    x: clamp(x * source.width - width / 2, source.width - width),
    y: clamp(y * source.height - height / 2, source.height - height),
    width,
    height,
  };
}

/** How a reel's frame is divided by the `hud` layout: lines of the picture, lines of the strip below it. Even. */
export function hudStrip(hud: Rect, source: Size, target: Size): { readonly picture: number; readonly strip: number } {
  const lines = (target.width * hud.height * source.height) / (hud.width * source.width);
  const strip = Math.min(even(lines), even(target.height * 0.4));
  return { picture: target.height - strip, strip };
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, Math.round(value / 2) * 2));
}

export function even(size: number): number {
  return Math.max(2, Math.round(size / 2) * 2);
}

const pixelFormats = { yuv420p: AV_PIX_FMT_YUV420P, rgb24: AV_PIX_FMT_RGB24, gray: AV_PIX_FMT_GRAY8 } as const;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Adds a filter to a graph: what it is, what it is called there, its options. */
type Make = (filter: string, name: string, args?: string) => FilterContext;

/** Filters that turn a picture clockwise. */
const TURNS: Readonly<Record<Rotation, readonly (readonly [filter: string, args: string])[]>> = {
  0: [],
  90: [['transpose', 'clock']],
  180: [
    ['hflip', ''],
    ['vflip', ''],
  ],
  270: [['transpose', 'cclock']],
};

export interface FrameFilterOptions {
  /** What happens where the shapes differ; default `pad`. */
  readonly layout?: Layout;
  /** Where the HUD is, in fractions of the upright frame, for the `hud` layout. */
  readonly hud?: Rect;
  /** What the levels that come out mean; default what those of the frame do. */
  readonly levels?: Levels;
}

/** Matrix between colours and levels, and the range of these. */
export type Levels = Pick<ColorTags, 'space' | 'range'>;

/** Brings frames of any size and pixel format to one size and format, by a layout where the shapes differ. */
export class FrameFilter implements Disposable {
  readonly #width: number;
  readonly #height: number;
  readonly #format: keyof typeof pixelFormats;
  readonly #layout: Layout;
  readonly #hud: Rect;
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
    format: keyof typeof pixelFormats = 'yuv420p',
    options: FrameFilterOptions = {},
  ) {
    this.#format = format;
    this.#layout = options.layout ?? 'pad';
    this.#hud = options.hud ?? { x: 0, y: 0.85, width: 1, height: 0.15 };
    this.#levels = options.levels;
    this.#width = width;
    this.#height = height;
    this.#output.alloc();
  }

  /**
   * The frame itself where it fits already, else a frame that is valid until the next call. `rotation` makes it upright;
   * `centre` (fractions of the upright frame) is what a crop keeps in the middle.
   */
  fit(frame: Frame, rotation: Rotation = 0, centre: Place = { x: 0.5, y: 0.5 }): Frame {
    const format = pixelFormats[this.#format];
    const upright = rotation % 180 === 0 ? frame : { width: frame.height, height: frame.width };
    const fits = rotation === 0 && frame.width === this.#width && frame.height === this.#height;
    const levels = levelsOf({ space: frame.colorSpace, range: frame.colorRange }, this.#levels);
    if (fits && frame.format === format && same(levels, this.#levels)) return frame;
    const { width, height, sampleAspectRatio } = frame;
    const key = [width, height, frame.format, `${sampleAspectRatio}`, rotation, levels.space, levels.range].join();
    if (key !== this.#key) {
      this.#build(frame, upright, rotation, levels);
      this.#key = key;
    }
    if (this.#layout === 'crop' || this.#layout === 'hud') this.#moveCrop(upright, centre);
    FFmpegError.throwIfError(this.#source!.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF), 'scale');
    this.#output.unref();
    FFmpegError.throwIfError(this.#sink!.buffersinkGetFrameSync(this.#output), 'scale');
    return this.#output;
  }

  #moveCrop(frame: Size, { x, y }: Place): void {
    const rect =
      this.#layout === 'hud'
        ? this.#above(frame, x)
        : cropAround(x, y, frame, { width: this.#width, height: this.#height });
    const wanted = `${rect.x}:${rect.y}`;
    if (wanted === this.#crop) return;
    this.#graph!.sendCommand('view', 'x', String(rect.x));
    this.#graph!.sendCommand('view', 'y', String(rect.y));
    this.#crop = wanted;
  }

  /** What of the frame stands above the HUD's strip. */
  #above(frame: Size, x: number): Rect {
    const { picture } = hudStrip(this.#hud, frame, { width: this.#width, height: this.#height });
    const free = { width: frame.width, height: even(frame.height * this.#hud.y) };
    return cropAround(x, 0.5, free, { width: this.#width, height: picture });
  }

  #build(frame: Frame, upright: Size, rotation: Rotation, levels: Levels): void {
    this.#graph?.free();
    const graph = new FilterGraph();
    graph.alloc();
    const { num, den } = frame.sampleAspectRatio;
    const aspect = num > 0 && den > 0 ? `${num}/${den}` : '1/1';
    const make: Make = (filter, name, args = '') => {
      const made = graph.createFilter(Filter.getByName(filter)!, name, args);
      if (!made) throw new RangeError(`filter ${filter} rejects ${args}`);
      return made;
    };
    const source = make(
      'buffer',
      'in',
      `video_size=${frame.width}x${frame.height}:pix_fmt=${frame.format}:time_base=1/1000000:pixel_aspect=${aspect}:colorspace=${levels.space}:range=${levels.range}`,
    );
    let start = source;
    for (const [index, turn] of TURNS[rotation].entries()) {
      const filter = make(turn[0], `turn${index}`, turn[1]);
      link(start, filter);
      start = filter;
    }
    if (!same(levels, this.#levels)) {
      const { space, range } = levelsOf(this.#levels!, levels);
      const filter = make('scale', 'levels', `out_color_matrix=${space}:out_range=${range}`);
      link(start, filter);
      start = filter;
    }
    const end = this.#lay(upright, start, make);
    const format = make('format', 'format', `pix_fmts=${this.#format}`);
    const sink = make('buffersink', 'out');
    link(end, format);
    link(format, sink);
    FFmpegError.throwIfError(graph.configSync(), 'configure scaling');
    this.#graph = graph;
    this.#source = source;
    this.#sink = sink;
    this.#crop = '';
  }

  /** Adds the layout's filters behind `source`; the last of them. */
  #lay(frame: Size, source: FilterContext, make: Make) {
    const [w, h] = [this.#width, this.#height];
    const chain = (from: FilterContext, ...filters: FilterContext[]) =>
      filters.reduce((last, next) => {
        link(last, next);
        return next;
      }, from);
    const whole = () =>
      make(
        'scale',
        'whole',
        `w='max(2,2*round(min(${w},${h}*dar)/2))':h='max(2,2*round(min(${h},${w}/dar)/2))':flags=lanczos`,
      );
    if (this.#layout === 'crop') {
      const rect = cropAround(0.5, 0.5, frame, { width: w, height: h });
      const crop = make('crop', 'view', `${rect.width}:${rect.height}:${rect.x}:${rect.y}`);
      return chain(source, crop, make('scale', 'fill', `${w}:${h}:flags=lanczos`), make('setsar', 'square', '1'));
    }
    if (this.#layout === 'hud') return this.#layHud(frame, source, make);
    if (this.#layout === 'pad') {
      return chain(source, whole(), make('setsar', 'square', '1'), make('pad', 'pad', `${w}:${h}:(ow-iw)/2:(oh-ih)/2`));
    }
    // The background is blurred small and enlarged: the same to the eye, at a fraction of the cost.
    const split = chain(source, make('split', 'split', '2'));
    const [bw, bh] = [Math.ceil(w / 16) * 2, Math.ceil(h / 16) * 2];
    const back = make(
      'scale',
      'back',
      `w='if(gt(dar,${w}/${h}),2*round(${bh}*dar/2),${bw})':h='if(gt(dar,${w}/${h}),${bh},2*round(${bw}/dar/2))'`,
    );
    link(split, back);
    const blurred = chain(
      back,
      make('crop', 'trim', `${bw}:${bh}`),
      make('gblur', 'blur', 'sigma=4'),
      make('eq', 'dim', 'brightness=-0.12'),
      make('scale', 'grow', `${w}:${h}`),
      make('setsar', 'square', '1'),
    );
    const front = whole();
    link(split, front, 1);
    const over = make('overlay', 'over', 'x=(W-w)/2:y=(H-h)/2:format=yuv420');
    link(blurred, over);
    link(chain(front, make('setsar', 'square2', '1')), over, 0, 1);
    return over;
  }

  /** The picture without its HUD above, the HUD in a strip below. */
  #layHud(frame: Size, source: FilterContext, make: Make): FilterContext {
    const { picture, strip } = hudStrip(this.#hud, frame, { width: this.#width, height: this.#height });
    const above = this.#above(frame, 0.5);
    const below = {
      x: Math.round((this.#hud.x * frame.width) / 2) * 2,
      y: Math.round((this.#hud.y * frame.height) / 2) * 2,
      width: even(this.#hud.width * frame.width),
      height: even(this.#hud.height * frame.height),
    };
    const parts = [
      ['view', above, picture],
      ['keep', below, strip],
    ] as const;
    const split = make('split', 'split', '2');
    link(source, split);
    const stack = make('vstack', 'stack', 'inputs=2');
    for (const [index, [name, rect, lines]] of parts.entries()) {
      const crop = make('crop', name, `${rect.width}:${rect.height}:${rect.x}:${rect.y}`);
      const scale = make('scale', `fill${index}`, `${this.#width}:${lines}:flags=lanczos`);
      const square = make('setsar', `square${index}`, '1');
      link(split, crop, index);
      link(crop, scale);
      link(scale, square);
      link(square, stack, 0, index);
    }
    return stack;
  }

  [Symbol.dispose](): void {
    this.#output.free();
    this.#graph?.free();
  }
}

/** The levels of a frame; what it does not say about them is taken to be as `wanted`, else as usual. */
function levelsOf({ space, range }: Levels, wanted: Levels | undefined): Levels {
  return {
    space: space === AVCOL_SPC_UNSPECIFIED ? (wanted?.space ?? space) : space,
    range: range === AVCOL_RANGE_UNSPECIFIED ? AVCOL_RANGE_MPEG : range,
  };
}

/** Whether levels are as wanted, as far as that is said. */
function same(levels: Levels, wanted: Levels | undefined): boolean {
  if (!wanted) return true;
  const { space, range } = levelsOf(wanted, levels);
  return space === levels.space && range === levels.range;
}

function link(from: FilterContext, to: FilterContext, fromPad = 0, toPad = 0): void {
  FFmpegError.throwIfError(from.link(fromPad, to, toPad), `link ${from.name} to ${to.name}`);
}
