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
 * How a frame is fitted into another shape: `pad` between black bars, `blur` in front of a blurred copy of itself, `crop`
 * to fill the shape, `hud` cropped above a strip that shows the whole HUD.
 */
export type Layout = 'pad' | 'blur' | 'crop' | 'hud';

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
 */
export function cropAround(x: number, y: number, source: Size, target: Size): Rect {
  const scale = Math.min(source.width / target.width, source.height / target.height);
  const width = Math.min(even(target.width * scale), source.width);
  const height = Math.min(even(target.height * scale), source.height);
  return {
    x: clampEven(x * source.width - width / 2, source.width - width),
    y: clampEven(y * source.height - height / 2, source.height - height),
    width,
    height,
  };
}

/** Divides a frame for the `hud` layout into lines of the picture and lines of the strip below it, both even. */
export function hudStrip(hud: Rect, source: Size, target: Size): { readonly picture: number; readonly strip: number } {
  const lines = (target.width * hud.height * source.height) / (hud.width * source.width);
  const strip = Math.min(even(lines), even(target.height * 0.4));
  return { picture: target.height - strip, strip };
}

function clampEven(value: number, max: number): number {
  return Math.max(0, Math.min(max, Math.round(value / 2) * 2));
}

/** Rounds a size to an even number of pixels, at least 2. */
export function even(size: number): number {
  return Math.max(2, Math.round(size / 2) * 2);
}

const PIXEL_FORMATS = { yuv420p: AV_PIX_FMT_YUV420P, rgb24: AV_PIX_FMT_RGB24, gray: AV_PIX_FMT_GRAY8 } as const;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Adds a filter to a graph. @param name Its name within the graph. */
type AddFilter = (filter: string, name: string, args?: string) => FilterContext;

/** Filters that rotate a picture clockwise. */
const ROTATION_FILTERS: Readonly<Record<Rotation, readonly (readonly [filter: string, args: string])[]>> = {
  0: [],
  90: [['transpose', 'clock']],
  180: [
    ['hflip', ''],
    ['vflip', ''],
  ],
  270: [['transpose', 'cclock']],
};

/** Options of `FrameFilter`. */
export interface FrameFilterOptions {
  /** What to do where the shapes differ; default `pad`. */
  readonly layout?: Layout;
  /** Region of the HUD for the `hud` layout, in fractions of the upright frame. */
  readonly hud?: Rect;
  /** Matrix and range of the result; default those of the frame. */
  readonly levels?: Levels;
}

/** Matrix between colours and levels, and the range of the levels. */
export type Levels = Pick<ColorTags, 'space' | 'range'>;

/** Scales frames of any size and pixel format to one size and format, with a layout where the shapes differ. */
export class FrameFilter implements Disposable {
  readonly #width: number;
  readonly #height: number;
  readonly #format: keyof typeof PIXEL_FORMATS;
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
    format: keyof typeof PIXEL_FORMATS = 'yuv420p',
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
   * Returns the frame itself where it fits already, else a frame that is valid until the next call.
   *
   * @param rotation Clockwise rotation that makes the frame upright.
   * @param center Center of a crop, in fractions of the upright frame.
   */
  apply(frame: Frame, rotation: Rotation = 0, center: Point = { x: 0.5, y: 0.5 }): Frame {
    const format = PIXEL_FORMATS[this.#format];
    const upright = rotation % 180 === 0 ? frame : { width: frame.height, height: frame.width };
    const fits = rotation === 0 && frame.width === this.#width && frame.height === this.#height;
    const levels = completeLevels({ space: frame.colorSpace, range: frame.colorRange }, this.#levels);
    if (fits && frame.format === format && matchesLevels(levels, this.#levels)) return frame;
    const { width, height, sampleAspectRatio } = frame;
    const key = [width, height, frame.format, `${sampleAspectRatio}`, rotation, levels.space, levels.range].join();
    if (key !== this.#key) {
      this.#build(frame, upright, rotation, levels);
      this.#key = key;
    }
    if (this.#layout === 'crop' || this.#layout === 'hud') this.#moveCrop(upright, center);
    FFmpegError.throwIfError(this.#source!.buffersrcAddFrameSync(frame, AV_BUFFERSRC_FLAG_KEEP_REF), 'scale');
    this.#output.unref();
    FFmpegError.throwIfError(this.#sink!.buffersinkGetFrameSync(this.#output), 'scale');
    return this.#output;
  }

  #moveCrop(frame: Size, { x, y }: Point): void {
    const rect =
      this.#layout === 'hud'
        ? this.#cropAboveHud(frame, x)
        : cropAround(x, y, frame, { width: this.#width, height: this.#height });
    const wanted = `${rect.x}:${rect.y}`;
    if (wanted === this.#crop) return;
    this.#graph!.sendCommand('view', 'x', String(rect.x));
    this.#graph!.sendCommand('view', 'y', String(rect.y));
    this.#crop = wanted;
  }

  /** The part of the frame that is shown above the HUD's strip. */
  #cropAboveHud(frame: Size, x: number): Rect {
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
    const add: AddFilter = (filter, name, args = '') => {
      const made = graph.createFilter(Filter.getByName(filter)!, name, args);
      if (!made) throw new RangeError(`filter ${filter} rejects ${args}`);
      return made;
    };
    const source = add(
      'buffer',
      'in',
      `video_size=${frame.width}x${frame.height}:pix_fmt=${frame.format}:time_base=1/1000000:pixel_aspect=${aspect}:colorspace=${levels.space}:range=${levels.range}`,
    );
    let start = source;
    for (const [index, turn] of ROTATION_FILTERS[rotation].entries()) {
      const filter = add(turn[0], `turn${index}`, turn[1]);
      link(start, filter);
      start = filter;
    }
    if (!matchesLevels(levels, this.#levels)) {
      const { space, range } = completeLevels(this.#levels!, levels);
      const filter = add('scale', 'levels', `out_color_matrix=${space}:out_range=${range}`);
      link(start, filter);
      start = filter;
    }
    const end = this.#addLayout(upright, start, add);
    const format = add('format', 'format', `pix_fmts=${this.#format}`);
    const sink = add('buffersink', 'out');
    link(end, format);
    link(format, sink);
    FFmpegError.throwIfError(graph.configSync(), 'configure scaling');
    this.#graph = graph;
    this.#source = source;
    this.#sink = sink;
    this.#crop = '';
  }

  /** Adds the layout's filters after `source`; returns the last of them. */
  #addLayout(frame: Size, source: FilterContext, add: AddFilter) {
    const [w, h] = [this.#width, this.#height];
    const chain = (from: FilterContext, ...filters: FilterContext[]) =>
      filters.reduce((last, next) => {
        link(last, next);
        return next;
      }, from);
    const whole = () =>
      add(
        'scale',
        'whole',
        `w='max(2,2*round(min(${w},${h}*dar)/2))':h='max(2,2*round(min(${h},${w}/dar)/2))':flags=lanczos`,
      );
    if (this.#layout === 'crop') {
      const rect = cropAround(0.5, 0.5, frame, { width: w, height: h });
      const crop = add('crop', 'view', `${rect.width}:${rect.height}:${rect.x}:${rect.y}`);
      return chain(source, crop, add('scale', 'fill', `${w}:${h}:flags=lanczos`), add('setsar', 'square', '1'));
    }
    if (this.#layout === 'hud') return this.#addHudLayout(frame, source, add);
    if (this.#layout === 'pad') {
      return chain(source, whole(), add('setsar', 'square', '1'), add('pad', 'pad', `${w}:${h}:(ow-iw)/2:(oh-ih)/2`));
    }
    // Blurring a small copy looks the same at a fraction of the cost.
    const split = chain(source, add('split', 'split', '2'));
    const [bw, bh] = [Math.ceil(w / 16) * 2, Math.ceil(h / 16) * 2];
    const back = add(
      'scale',
      'back',
      `w='if(gt(dar,${w}/${h}),2*round(${bh}*dar/2),${bw})':h='if(gt(dar,${w}/${h}),${bh},2*round(${bw}/dar/2))'`,
    );
    link(split, back);
    const blurred = chain(
      back,
      add('crop', 'trim', `${bw}:${bh}`),
      add('gblur', 'blur', 'sigma=4'),
      add('eq', 'dim', 'brightness=-0.12'),
      add('scale', 'grow', `${w}:${h}`),
      add('setsar', 'square', '1'),
    );
    const front = whole();
    link(split, front, 1);
    const over = add('overlay', 'over', 'x=(W-w)/2:y=(H-h)/2:format=yuv420');
    link(blurred, over);
    link(chain(front, add('setsar', 'square2', '1')), over, 0, 1);
    return over;
  }

  /** Puts the picture without its HUD above a strip with the HUD. */
  #addHudLayout(frame: Size, source: FilterContext, add: AddFilter): FilterContext {
    const { picture, strip } = hudStrip(this.#hud, frame, { width: this.#width, height: this.#height });
    const picturePart = this.#cropAboveHud(frame, 0.5);
    const hudPart = {
      x: Math.round((this.#hud.x * frame.width) / 2) * 2,
      y: Math.round((this.#hud.y * frame.height) / 2) * 2,
      width: even(this.#hud.width * frame.width),
      height: even(this.#hud.height * frame.height),
    };
    const parts = [
      ['view', picturePart, picture],
      ['hud', hudPart, strip],
    ] as const;
    const split = add('split', 'split', '2');
    link(source, split);
    const stack = add('vstack', 'stack', 'inputs=2');
    for (const [index, [name, rect, lines]] of parts.entries()) {
      const crop = add('crop', name, `${rect.width}:${rect.height}:${rect.x}:${rect.y}`);
      const scale = add('scale', `fill${index}`, `${this.#width}:${lines}:flags=lanczos`);
      const square = add('setsar', `square${index}`, '1');
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

function link(from: FilterContext, to: FilterContext, fromPad = 0, toPad = 0): void {
  FFmpegError.throwIfError(from.link(fromPad, to, toPad), `link ${from.name} to ${to.name}`);
}
