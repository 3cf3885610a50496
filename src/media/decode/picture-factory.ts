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
import { type Rotation, toColorEncoding } from '../container/info.ts';
import type { ColorEncoding, MotionVectors, Picture, Plane } from '../picture.ts';
import { toneMap } from './hdr.ts';
import { exportsVectors, parseVectors, type ReferenceDistances, rotateVectors } from './motion-vectors.ts';

/** Formats whose planes are used as they are: log2 of their chroma subsampling, and whether they imply full range. */
const PLANAR_FORMATS = new Map<AVPixelFormat, readonly [shiftX: number, shiftY: number, fullRange: boolean]>([
  [AV_PIX_FMT_YUV420P, [1, 1, false]],
  [AV_PIX_FMT_YUV422P, [1, 0, false]],
  [AV_PIX_FMT_YUV444P, [0, 0, false]],
  [AV_PIX_FMT_YUVJ420P, [1, 1, true]],
  [AV_PIX_FMT_YUVJ422P, [1, 0, true]],
  [AV_PIX_FMT_YUVJ444P, [0, 0, true]],
]);

/** What FFmpeg's scaler makes of RGB, whatever the stream declares. */
const SCALED_RGB_COLOR: ColorEncoding = { matrix: 'bt601', fullRange: false };

/** What a picture has besides its planes. */
type PictureProperties = Omit<Picture, 'y' | 'u' | 'v' | typeof Symbol.dispose>;

/** Makes pictures of decoded frames: converts other formats to 8-bit planar, rotates, and reuses frames. */
export class PictureFactory implements Disposable {
  readonly #rotation: Rotation;
  readonly #pixelAspect: number | undefined;
  readonly #free: Frame[] = [];
  #current: Frame | undefined;
  #scaler: { readonly key: string; readonly context: SoftwareScaleContext } | undefined;
  #isClosed = false;

  constructor(rotation: Rotation, pixelAspect?: number) {
    this.#rotation = rotation;
    this.#pixelAspect = pixelAspect;
  }

  /** The frame to decode into. */
  frame(): ReturnType<Frame['getNative']> {
    this.#current ??= this.#takeFree();
    return this.#current.getNative();
  }

  /** Discards the last decoded frame. */
  drop(): void {
    this.#current?.unref();
  }

  /**
   * Makes a picture of the last decoded frame.
   *
   * @param t Its presentation time in seconds.
   * @param distances Distances of its references, if the picture is to have motion vectors.
   * @returns The picture, which the caller disposes of.
   */
  take(t: number, distances?: ReferenceDistances): Picture {
    const decoded = this.#current!;
    this.#current = undefined;
    const picture = this.#toPicture(decoded, t, distances && readVectors(decoded, distances));
    return this.#rotation === 0 ? picture : rotatePicture(picture, this.#rotation);
  }

  #toPicture(decoded: Frame, t: number, vectors: MotionVectors | undefined): Picture {
    const { width, height } = decoded;
    const common = { t, width, height, pixelAspect: this.#pixelAspect, vectors };
    const toneMapped = toneMap(decoded);
    if (toneMapped) {
      this.#release(decoded);
      return { ...common, ...toneMapped, [Symbol.dispose]() {} };
    }
    const color = isRgb(decoded) ? SCALED_RGB_COLOR : toColorEncoding(decoded.colorSpace, decoded.colorRange);
    const frame = PLANAR_FORMATS.has(decoded.format as AVPixelFormat) ? decoded : this.#convert(decoded);
    const [chromaShiftX, chromaShiftY, fullRange] = PLANAR_FORMATS.get(frame.format as AVPixelFormat)!;
    const encoding = { matrix: color.matrix, fullRange: color.fullRange || fullRange };
    const properties = { ...common, chromaShiftX, chromaShiftY, color: encoding };
    return new FramePicture(frame, properties, () => this.#release(frame));
  }

  #takeFree(): Frame {
    const reused = this.#free.pop();
    if (reused) return reused;
    const frame = new Frame();
    frame.alloc();
    return frame;
  }

  #release(frame: Frame): void {
    frame.unref();
    if (this.#isClosed) frame.free();
    else this.#free.push(frame);
  }

  /** Converts a frame to the 8-bit planar format with the same chroma subsampling. */
  #convert(decoded: Frame): Frame {
    const name = avGetPixFmtName(decoded.format as AVPixelFormat) ?? '';
    const target = planarFormatFor(name);
    const { width, height } = decoded;
    const key = `${width}x${height} ${name}`;
    if (this.#scaler?.key !== key) {
      this.#scaler?.context.freeContext();
      const context = new SoftwareScaleContext();
      const flags = (SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT) as SwsFlags;
      context.getContext(width, height, decoded.format as AVPixelFormat, width, height, target, flags);
      this.#scaler = { key, context };
    }
    const frame = this.#takeFree();
    frame.width = width;
    frame.height = height;
    frame.format = target;
    const hasFailed = frame.getBuffer() < 0 || this.#scaler.context.scaleFrameSync(frame, decoded) < 0;
    this.#release(decoded);
    if (hasFailed) throw new PlaybyplayError('unsupported-codec', `the pixel format ${name} cannot be converted`);
    return frame;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#current?.free();
    for (const frame of this.#free) frame.free();
    this.#free.length = 0;
    this.#scaler?.context.freeContext();
  }
}

function isRgb({ format }: Frame): boolean {
  return /rgb|bgr|gbr|pal8/.test(avGetPixFmtName(format as AVPixelFormat) ?? '');
}

function planarFormatFor(name: string): AVPixelFormat {
  if (/444|rgb|bgr|gbr|pal8|24$|^nv42/.test(name)) return AV_PIX_FMT_YUV444P;
  if (/422|yuyv|uyvy|^p21|^nv16|^nv20|y210/.test(name)) return AV_PIX_FMT_YUV422P;
  return AV_PIX_FMT_YUV420P;
}

/** A picture whose planes are views of the decoder's memory. */
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
  #isOpen = true;

  constructor(frame: Frame, properties: PictureProperties, release: () => void) {
    this.t = properties.t;
    this.width = properties.width;
    this.height = properties.height;
    this.pixelAspect = properties.pixelAspect;
    this.chromaShiftX = properties.chromaShiftX;
    this.chromaShiftY = properties.chromaShiftY;
    this.color = properties.color;
    this.vectors = properties.vectors;
    this.#frame = frame;
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
    if (!this.#isOpen) throw new TypeError('the picture has been disposed of');
    this.#planes ??= this.#viewPlanes();
    return this.#planes[i]!;
  }

  #viewPlanes(): Plane[] {
    const { data, linesize, width, height } = this.#frame;
    return [0, 1, 2].map((i) => ({
      data: data![i]!,
      stride: linesize[i]!,
      width: i === 0 ? width : -(-width >> this.chromaShiftX),
      height: i === 0 ? height : -(-height >> this.chromaShiftY),
    }));
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const { data } of this.#planes ?? []) detach(data);
    this.#planes = undefined;
    this.#release();
  }
}

/**
 * Detaches a view of decoder memory. V8 counts the bytes behind a view as its own until the view is collected, and would
 * collect garbage twice a second for pictures that are long released.
 */
function detach({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Reads a frame's motion vectors; those of interlaced frames may point from field to field, so they are left out. */
function readVectors(frame: Frame, distances: ReferenceDistances): MotionVectors | undefined {
  if ((frame.flags & AV_FRAME_FLAG_INTERLACED) !== 0) return undefined;
  if (!exportsVectors(distances.codec, frame.pictType === AV_PICTURE_TYPE_B)) return undefined;
  const data = frame.getSideData(AV_FRAME_DATA_MOTION_VECTORS);
  return data ? parseVectors(data, distances) : undefined;
}

/** Rotates a picture clockwise into memory of its own. Disposes of the original. */
function rotatePicture(picture: Picture, rotation: Rotation): Picture {
  const { t, color, pixelAspect, chromaShiftX, chromaShiftY } = picture;
  const [y, u, v] = [picture.y, picture.u, picture.v].map((plane) => rotatePlane(plane, rotation)) as [
    Plane,
    Plane,
    Plane,
  ];
  const vectors = picture.vectors && rotateVectors(picture.vectors, rotation, picture.width, picture.height);
  picture[Symbol.dispose]();
  const shifts =
    rotation === 180 ? { chromaShiftX, chromaShiftY } : { chromaShiftX: chromaShiftY, chromaShiftY: chromaShiftX };
  const { width, height } = y;
  return { t, color, pixelAspect, vectors, width, height, y, u, v, ...shifts, [Symbol.dispose]() {} };
}

/** Rotates a plane clockwise. */
export function rotatePlane(plane: Plane, rotation: Rotation): Plane {
  const { data, stride, width, height } = plane;
  const isSideways = rotation === 90 || rotation === 270;
  const out = new Uint8Array(width * height);
  const outWidth = isSideways ? height : width;
  // Where the source's first pixel goes, and how far a step right or down in the source leads.
  const start =
    rotation === 90 ? height - 1 : rotation === 180 ? out.length - 1 : rotation === 270 ? out.length - height : 0;
  const right = rotation === 90 ? outWidth : rotation === 180 ? -1 : rotation === 270 ? -outWidth : 1;
  const down = rotation === 90 ? -1 : rotation === 180 ? -outWidth : rotation === 270 ? 1 : outWidth;
  for (let y = 0; y < height; y++) {
    let to = start + y * down;
    for (let from = y * stride, end = from + width; from < end; from++, to += right) out[to] = data[from]!;
  }
  return { data: out, stride: outWidth, width: outWidth, height: isSideways ? width : height };
}
