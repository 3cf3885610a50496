import { Frame, SoftwareScaleContext, avGetPixFmtName } from 'node-av/lib';
import {
  AV_FRAME_DATA_MOTION_VECTORS,
  AV_FRAME_FLAG_INTERLACED,
  AV_PICTURE_TYPE_B,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUV422P,
  AV_PIX_FMT_YUV444P,
  AV_PIX_FMT_YUVJ420P,
  AV_PIX_FMT_YUVJ422P,
  AV_PIX_FMT_YUVJ444P,
  SWS_ACCURATE_RND,
  SWS_BICUBIC,
  SWS_BITEXACT,
} from 'node-av/constants';
import type { AVPixelFormat, SwsFlags } from 'node-av/constants';
import { PlaybyplayError } from '../../errors.ts';
import { SDR_COLOR, toneMap } from './hdr.ts';
import type { ToneMappedPlanes } from './hdr.ts';
import { toColorEncoding } from '../container/info.ts';
import type { Rotation } from '../container/info.ts';
import type { ColorEncoding, MotionVectors, Picture, Plane } from '../picture.ts';
import { parseVectors, type ReferenceDistances, exportsVectors, rotateVectors } from './motion-vectors.ts';

/** log2 of the chroma subsampling of the formats whose planes are handed on as they are. */
const PLANAR = new Map<AVPixelFormat, readonly [shiftX: number, shiftY: number, fullRange: boolean]>([
  [AV_PIX_FMT_YUV420P, [1, 1, false]],
  [AV_PIX_FMT_YUV422P, [1, 0, false]],
  [AV_PIX_FMT_YUV444P, [0, 0, false]],
  [AV_PIX_FMT_YUVJ420P, [1, 1, true]],
  [AV_PIX_FMT_YUVJ422P, [1, 0, true]],
  [AV_PIX_FMT_YUVJ444P, [0, 0, true]],
]);

/** Turns decoded frames into pictures: converts what is not 8-bit planar, turns what is not upright, reuses the memory. */
export class PictureFactory implements Disposable {
  readonly #rotation: Rotation;
  readonly #pixelAspect: number | undefined;
  readonly #free: Frame[] = [];
  #current: Frame | undefined;
  #scaler: { readonly key: string; readonly context: SoftwareScaleContext } | undefined;
  #closed = false;

  constructor(rotation: Rotation, pixelAspect?: number) {
    this.#rotation = rotation;
    this.#pixelAspect = pixelAspect;
  }

  /** The frame to decode into. */
  frame(): ReturnType<Frame['getNative']> {
    this.#current ??= this.#blank();
    return this.#current.getNative();
  }

  /** Gives up the frame last decoded. */
  drop(): void {
    this.#current?.unref();
  }

  /**
   * Makes a picture of the frame last decoded; its memory comes back when the picture is disposed of. `spans`: with its motion
   * vectors, which lead that far.
   */
  take(t: number, spans?: ReferenceDistances): Picture {
    const decoded = this.#current!;
    this.#current = undefined;
    const vectors = spans && vectorsOf(decoded, spans);
    const shown = toneMap(decoded);
    if (shown) return this.#shown(decoded, t, shown, vectors);
    // The scaler makes Y'CbCr of R'G'B' by a matrix and range of its own, whatever the stream says.
    const color = isRgb(decoded) ? SCALED : toColorEncoding(decoded.colorSpace, decoded.colorRange);
    const frame = PLANAR.has(decoded.format as AVPixelFormat) ? decoded : this.#convert(decoded);
    const [shiftX, shiftY, fullRange] = PLANAR.get(frame.format as AVPixelFormat)!;
    const release = () => {
      frame.unref();
      if (this.#closed) frame.free();
      else this.#free.push(frame);
    };
    const encoding = { matrix: color.matrix, fullRange: color.fullRange || fullRange };
    const picture = new FramePicture(frame, t, shiftX, shiftY, encoding, this.#pixelAspect, vectors, release);
    return this.#rotation === 0 ? picture : turned(picture, this.#rotation);
  }

  /** A picture in memory of its own; the frame it was made of is free again. */
  #shown(
    decoded: Frame,
    t: number,
    { planes, shiftX, shiftY }: ToneMappedPlanes,
    vectors: MotionVectors | undefined,
  ): Picture {
    const { width, height } = decoded;
    decoded.unref();
    this.#free.push(decoded);
    const [y, u, v] = planes;
    const picture: Picture = {
      t,
      width,
      height,
      pixelAspect: this.#pixelAspect,
      y,
      u,
      v,
      chromaShiftX: shiftX,
      chromaShiftY: shiftY,
      color: SDR_COLOR,
      vectors,
      [Symbol.dispose]() {},
    };
    return this.#rotation === 0 ? picture : turned(picture, this.#rotation);
  }

  #blank(): Frame {
    const reused = this.#free.pop();
    if (reused) return reused;
    const frame = new Frame();
    frame.alloc();
    return frame;
  }

  #convert(decoded: Frame): Frame {
    const name = avGetPixFmtName(decoded.format as AVPixelFormat) ?? '';
    const to = targetFormat(name);
    const { width, height } = decoded;
    const key = `${width}x${height} ${name}`;
    if (this.#scaler?.key !== key) {
      this.#scaler?.context.freeContext();
      const context = new SoftwareScaleContext();
      const flags = (SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT) as SwsFlags;
      context.getContext(width, height, decoded.format as AVPixelFormat, width, height, to, flags);
      this.#scaler = { key, context };
    }
    const frame = this.#blank();
    frame.width = width;
    frame.height = height;
    frame.format = to;
    const failed = frame.getBuffer() < 0 || this.#scaler.context.scaleFrameSync(frame, decoded) < 0;
    decoded.unref();
    this.#free.push(decoded);
    if (failed) throw new PlaybyplayError('unsupported-codec', `pictures of format ${name} cannot be converted`);
    return frame;
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#current?.free();
    for (const frame of this.#free) frame.free();
    this.#free.length = 0;
    this.#scaler?.context.freeContext();
  }
}

const SCALED: ColorEncoding = { matrix: 'bt601', fullRange: false };

function isRgb({ format }: Frame): boolean {
  return /rgb|bgr|gbr|pal8/.test(avGetPixFmtName(format as AVPixelFormat) ?? '');
}

/** The 8-bit planar format with the same chroma subsampling. */
function targetFormat(name: string): AVPixelFormat {
  if (/444|rgb|bgr|gbr|pal8|24$|^nv42/.test(name)) return AV_PIX_FMT_YUV444P;
  if (/422|yuyv|uyvy|^p21|^nv16|^nv20|y210/.test(name)) return AV_PIX_FMT_YUV422P;
  return AV_PIX_FMT_YUV420P;
}

/** A picture whose planes alias the decoder's memory. */
class FramePicture implements Picture {
  readonly t: number;
  readonly width: number;
  readonly height: number;
  readonly pixelAspect: number | undefined;
  readonly chromaShiftX: number;
  readonly chromaShiftY: number;
  readonly color: ColorEncoding;
  readonly vectors: MotionVectors | undefined;
  readonly #frame: Frame;
  readonly #release: () => void;
  #planes: readonly Plane[] | undefined;
  #open = true;

  constructor(
    frame: Frame,
    t: number,
    shiftX: number,
    shiftY: number,
    color: ColorEncoding,
    pixelAspect: number | undefined,
    vectors: MotionVectors | undefined,
    release: () => void,
  ) {
    this.pixelAspect = pixelAspect;
    this.vectors = vectors;
    this.#frame = frame;
    this.t = t;
    this.width = frame.width;
    this.height = frame.height;
    this.chromaShiftX = shiftX;
    this.chromaShiftY = shiftY;
    this.color = color;
    this.#release = release;
  }

  get y(): Plane {
    return this.#plane(0);
  }

  get u(): Plane {
    return this.#plane(1);
  }

  get v(): Plane {
    return this.#plane(2);
  }

  #plane(i: number): Plane {
    if (!this.#open) throw new TypeError('the picture has been disposed of');
    this.#planes ??= planesOf(this.#frame, this.chromaShiftX, this.chromaShiftY);
    return this.#planes[i]!;
  }

  [Symbol.dispose](): void {
    if (!this.#open) return;
    this.#open = false;
    for (const { data } of this.#planes ?? []) detach(data);
    this.#planes = undefined;
    this.#release();
  }
}

/**
 * Detaches a view of decoder memory: V8 counts the bytes behind a view as its own until the view is collected, and
 * collects garbage twice a second for pictures that are long released.
 */
function detach({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Of interlaced pictures vectors may lead from field to field: they are left aside. */
function vectorsOf(frame: Frame, spans: ReferenceDistances): MotionVectors | undefined {
  if ((frame.flags & AV_FRAME_FLAG_INTERLACED) !== 0) return undefined;
  if (!exportsVectors(spans.codec, frame.pictType === AV_PICTURE_TYPE_B)) return undefined;
  const data = frame.getSideData(AV_FRAME_DATA_MOTION_VECTORS);
  return data ? parseVectors(data, spans) : undefined;
}

function planesOf(frame: Frame, shiftX: number, shiftY: number): Plane[] {
  const data = frame.data ?? [];
  const strides = frame.linesize;
  return [0, 1, 2].map((i) => ({
    data: data[i]!,
    stride: strides[i]!,
    width: i === 0 ? frame.width : -(-frame.width >> shiftX),
    height: i === 0 ? frame.height : -(-frame.height >> shiftY),
  }));
}

/** The same picture turned upright, in memory of its own. */
function turned(picture: Picture, rotation: Rotation): Picture {
  const { t, color, pixelAspect, chromaShiftX, chromaShiftY } = picture;
  const sideways = rotation !== 180;
  const planes = [picture.y, picture.u, picture.v].map((plane) => rotatePlane(plane, rotation));
  const vectors = picture.vectors && rotateVectors(picture.vectors, rotation, picture.width, picture.height);
  picture[Symbol.dispose]();
  return {
    t,
    color,
    pixelAspect,
    vectors,
    width: planes[0]!.width,
    height: planes[0]!.height,
    y: planes[0]!,
    u: planes[1]!,
    v: planes[2]!,
    chromaShiftX: sideways ? chromaShiftY : chromaShiftX,
    chromaShiftY: sideways ? chromaShiftX : chromaShiftY,
    [Symbol.dispose]() {},
  };
}

/** Turns a plane clockwise. */
export function rotatePlane(plane: Plane, rotation: Rotation): Plane {
  const { data, stride, width, height } = plane;
  const sideways = rotation === 90 || rotation === 270;
  const out = new Uint8Array(width * height);
  const outWidth = sideways ? height : width;
  // Where the source's first pixel goes, and how far a step right or down in the source leads.
  const start =
    rotation === 90 ? height - 1 : rotation === 180 ? out.length - 1 : rotation === 270 ? out.length - height : 0;
  const right = rotation === 90 ? outWidth : rotation === 180 ? -1 : rotation === 270 ? -outWidth : 1;
  const down = rotation === 90 ? -1 : rotation === 180 ? -outWidth : rotation === 270 ? 1 : outWidth;
  for (let y = 0; y < height; y++) {
    let to = start + y * down;
    for (let from = y * stride, end = from + width; from < end; from++, to += right) out[to] = data[from]!;
  }
  return { data: out, stride: outWidth, width: outWidth, height: sideways ? width : height };
}
