import { AVCOL_PRI_BT2020, AVCOL_RANGE_JPEG, AVCOL_TRC_ARIB_STD_B67, AVCOL_TRC_SMPTE2084 } from 'node-av/constants';
import { type Frame, avGetPixFmtName } from 'node-av/lib';
import type { AVPixelFormat } from 'node-av/constants';
import type { ColorEncoding, Plane } from '../picture.ts';

/** Light that is shown as white, in candela a square metre: graphics white of ITU-R BT.2408 §2.1. What is brighter is white, too. */
const WHITE = 203;
/** The brightest that a display of hybrid log-gamma shows, and its system gamma (ITU-R BT.2100 table 5). */
const [PEAK, GAMMA] = [1000, 1.2] as const;
/** Steps from black to the greatest signal, or to white, in tables. */
const STEPS = 4096;
const LAST = STEPS - 1;

/** Pictures of this encoding are made by `toneMap`. */
export const SDR_COLOR: ColorEncoding = { matrix: 'bt709', fullRange: false };

/** How many bits, and log2 of the chroma subsampling, a frame of high dynamic range has; undefined for any other. */
function layoutOf(
  frame: Frame,
): { readonly bits: number; readonly shiftX: number; readonly shiftY: number } | undefined {
  const { colorTrc } = frame;
  if (colorTrc !== AVCOL_TRC_SMPTE2084 && colorTrc !== AVCOL_TRC_ARIB_STD_B67) return undefined;
  const [, sampling, bits] =
    /^yuv4(20|22|44)p(10|12)le$/.exec(avGetPixFmtName(frame.format as AVPixelFormat) ?? '') ?? [];
  if (bits === undefined) return undefined;
  return { bits: Number(bits), shiftX: sampling === '44' ? 0 : 1, shiftY: sampling === '20' ? 1 : 0 };
}

/** Planes of a picture, with log2 of their chroma subsampling. */
export interface ToneMappedPlanes {
  readonly planes: readonly [y: Plane, u: Plane, v: Plane];
  readonly shiftX: number;
  readonly shiftY: number;
}

/**
 * A frame of high dynamic range (perceptual quantizer or hybrid log-gamma, ITU-R BT.2100) as an ordinary display shows it: light relative
 * to graphics white, in the primaries of BT.709, by the curve of sRGB (IEC 61966-2-1), in memory of its own. Undefined for other frames.
 */
export function toneMap(frame: Frame): ToneMappedPlanes | undefined {
  const layout = layoutOf(frame);
  if (!layout) return undefined;
  const { bits, shiftX, shiftY } = layout;
  const { width, height } = frame;
  const [chromaWidth, chromaHeight] = [-(-width >> shiftX), -(-height >> shiftY)];
  const [y, u, v] = [new Uint8Array(width * height), new Uint8Array(chromaWidth * chromaHeight), new Uint8Array(chromaWidth * chromaHeight)]; // biome-ignore format: one line a plane says no more
  const from = [0, 1, 2].map((plane) => wordsOf(frame.data![plane]!)) as [Uint16Array, Uint16Array, Uint16Array];
  const [lumas, cbs, crs] = from;
  const [lumaStride, chromaStride] = [frame.linesize[0]! >> 1, frame.linesize[1]! >> 1];
  const log = frame.colorTrc === AVCOL_TRC_ARIB_STD_B67;
  const light = log ? LOG_LIGHT() : QUANTIZED_LIGHT();
  const gain = log ? SYSTEM_GAIN() : undefined;
  const wide = frame.colorPrimaries === AVCOL_PRI_BT2020;
  const full = frame.colorRange === AVCOL_RANGE_JPEG;
  const unit = 2 ** (bits - 8);
  const black = full ? 0 : 16 * unit;
  const lumaScale = LAST / (full ? 256 * unit - 1 : 219 * unit);
  const chromaScale = LAST / (full ? 256 * unit - 1 : 224 * unit);
  const middle = 128 * unit;
  const curve = CURVE();
  for (let row = 0; row < chromaHeight; row++) {
    for (let column = 0; column < chromaWidth; column++) {
      const cb = (cbs[row * chromaStride + column]! - middle) * chromaScale;
      const cr = (crs[row * chromaStride + column]! - middle) * chromaScale;
      // Y'CbCr of BT.2020 (non-constant luminance) to R'G'B'.
      const addRed = 1.4746 * cr;
      const addGreen = -0.164553 * cb - 0.571353 * cr;
      const addBlue = 1.8814 * cb;
      let reds = 0;
      let greens = 0;
      let blues = 0;
      let count = 0;
      const below = Math.min(height, (row + 1) << shiftY);
      const right = Math.min(width, (column + 1) << shiftX);
      for (let line = row << shiftY; line < below; line++) {
        for (let at = column << shiftX; at < right; at++) {
          const luma = (lumas[line * lumaStride + at]! - black) * lumaScale;
          let r = light[step(luma + addRed)]!;
          let g = light[step(luma + addGreen)]!;
          let b = light[step(luma + addBlue)]!;
          if (gain) {
            const factor = gain[step((0.2627 * r + 0.678 * g + 0.0593 * b) * LAST)]!;
            r *= factor;
            g *= factor;
            b *= factor;
          }
          // ITU-R BT.2087: light in the primaries of BT.2020 to those of BT.709.
          const red = curve[step((wide ? 1.660491 * r - 0.587641 * g - 0.07285 * b : r) * LAST)]!;
          const green = curve[step((wide ? -0.12455 * r + 1.1329 * g - 0.00835 * b : g) * LAST)]!;
          const blue = curve[step((wide ? -0.018151 * r - 0.100579 * g + 1.11873 * b : b) * LAST)]!;
          y[line * width + at] = 16.5 + 219 * (0.2126 * red + 0.7152 * green + 0.0722 * blue);
          reds += red;
          greens += green;
          blues += blue;
          count++;
        }
      }
      const mean = (0.2126 * reds + 0.7152 * greens + 0.0722 * blues) / count;
      u[row * chromaWidth + column] = 128.5 + (224 / 1.8556) * (blues / count - mean);
      v[row * chromaWidth + column] = 128.5 + (224 / 1.5748) * (reds / count - mean);
    }
  }
  return {
    planes: [planeOf(y, width), planeOf(u, chromaWidth), planeOf(v, chromaWidth)],
    shiftX,
    shiftY,
  };
}

function planeOf(data: Uint8Array, width: number): Plane {
  return { data, stride: width, width, height: data.length / width };
}

function step(value: number): number {
  return value <= 0 ? 0 : value >= LAST ? LAST : (value + 0.5) | 0;
}

function wordsOf(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);
}

/** A table over 0 … 1, made when it is first wanted. */
function table(value: (share: number) => number): () => Float32Array {
  let made: Float32Array | undefined;
  return () => (made ??= Float32Array.from({ length: STEPS }, (_, i) => value(i / LAST)));
}

/** Light of a quantized signal, relative to white (SMPTE ST 2084 §5.2). */
const QUANTIZED_LIGHT = table((signal) => {
  const power = signal ** (1 / 78.84375);
  return (10_000 / WHITE) * (Math.max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125);
});

/** Light of the scene of a log-gamma signal, 0 … 1 (ITU-R BT.2100 table 5, inverse OETF). */
const LOG_LIGHT = table((signal) =>
  signal <= 0.5 ? signal ** 2 / 3 : (Math.exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12,
);

/** By how much a display gives back the light of a scene of that luminance, relative to white (the same, OOTF). */
const SYSTEM_GAIN = table((luminance) => (PEAK / WHITE) * luminance ** (GAMMA - 1));

/** The signal of light, 0 … 1 (IEC 61966-2-1). */
const CURVE = table((light) => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
