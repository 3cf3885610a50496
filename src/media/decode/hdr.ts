import { AVCOL_PRI_BT2020, AVCOL_RANGE_JPEG, AVCOL_TRC_ARIB_STD_B67, AVCOL_TRC_SMPTE2084 } from 'node-av/constants';
import { type Frame, avGetPixFmtName } from 'node-av/lib';
import type { AVPixelFormat } from 'node-av/constants';
import type { Picture, Plane } from '../picture.ts';

/** Light shown as white, in cd/m²: graphics white of ITU-R BT.2408 §2.1. Brighter light is clipped to white. */
const WHITE_NITS = 203;
/** Peak of a hybrid log-gamma display in cd/m², and its system gamma (ITU-R BT.2100 table 5). */
const [HLG_PEAK_NITS, HLG_GAMMA] = [1000, 1.2] as const;
/** Entries of a table from black to the greatest signal, or to white. */
const TABLE_SIZE = 4096;
const LAST = TABLE_SIZE - 1;

/** A tone-mapped frame: its planes, subsampling and encoding. */
export type ToneMappedPlanes = Pick<Picture, 'y' | 'u' | 'v' | 'chromaShiftX' | 'chromaShiftY' | 'color'>;

/**
 * Converts a frame of high dynamic range (PQ or HLG, ITU-R BT.2100) to what an ordinary display shows: light relative to
 * graphics white, in BT.709 primaries, with the sRGB curve (IEC 61966-2-1).
 *
 * @returns Planes in memory of their own; undefined for a frame of ordinary range or another layout.
 */
export function toneMap(frame: Frame): ToneMappedPlanes | undefined {
  const layout = hdrLayout(frame);
  if (!layout) return undefined;
  const { shiftX, shiftY } = layout;
  const { width, height } = frame;
  const [chromaWidth, chromaHeight] = [-(-width >> shiftX), -(-height >> shiftY)];
  const y = createPlane(width, height);
  const u = createPlane(chromaWidth, chromaHeight);
  const v = createPlane(chromaWidth, chromaHeight);
  const [lumas, cbs, crs] = [0, 1, 2].map((plane) => toWords(frame.data![plane]!)) as [
    Uint16Array,
    Uint16Array,
    Uint16Array,
  ];
  const [lumaStride, chromaStride] = [frame.linesize[0]! >> 1, frame.linesize[1]! >> 1];
  const { black, middle, lumaScale, chromaScale } = signalRange(frame, layout.bits);
  const isLogGamma = frame.colorTrc === AVCOL_TRC_ARIB_STD_B67;
  const light = isLogGamma ? HLG_LIGHT() : PQ_LIGHT();
  const gain = isLogGamma ? HLG_SYSTEM_GAIN() : undefined;
  const isWide = frame.colorPrimaries === AVCOL_PRI_BT2020;
  const curve = SRGB_CURVE();
  for (let row = 0; row < chromaHeight; row++) {
    for (let column = 0; column < chromaWidth; column++) {
      const cb = (cbs[row * chromaStride + column]! - middle) * chromaScale;
      const cr = (crs[row * chromaStride + column]! - middle) * chromaScale;
      // Y'CbCr of BT.2020 (non-constant luminance) to R'G'B'.
      const redOffset = 1.4746 * cr;
      const greenOffset = -0.164553 * cb - 0.571353 * cr;
      const blueOffset = 1.8814 * cb;
      let [reds, greens, blues, count] = [0, 0, 0, 0];
      const bottom = Math.min(height, (row + 1) << shiftY);
      const right = Math.min(width, (column + 1) << shiftX);
      for (let line = row << shiftY; line < bottom; line++) {
        for (let at = column << shiftX; at < right; at++) {
          const luma = (lumas[line * lumaStride + at]! - black) * lumaScale;
          let r = light[tableIndex(luma + redOffset)]!;
          let g = light[tableIndex(luma + greenOffset)]!;
          let b = light[tableIndex(luma + blueOffset)]!;
          if (gain) {
            const factor = gain[tableIndex((0.2627 * r + 0.678 * g + 0.0593 * b) * LAST)]!;
            r *= factor;
            g *= factor;
            b *= factor;
          }
          // ITU-R BT.2087: light in BT.2020 primaries to BT.709 primaries.
          const red = curve[tableIndex((isWide ? 1.660491 * r - 0.587641 * g - 0.07285 * b : r) * LAST)]!;
          const green = curve[tableIndex((isWide ? -0.12455 * r + 1.1329 * g - 0.00835 * b : g) * LAST)]!;
          const blue = curve[tableIndex((isWide ? -0.018151 * r - 0.100579 * g + 1.11873 * b : b) * LAST)]!;
          y.data[line * width + at] = 16.5 + 219 * (0.2126 * red + 0.7152 * green + 0.0722 * blue);
          reds += red;
          greens += green;
          blues += blue;
          count++;
        }
      }
      const mean = (0.2126 * reds + 0.7152 * greens + 0.0722 * blues) / count;
      u.data[row * chromaWidth + column] = 128.5 + (224 / 1.8556) * (blues / count - mean);
      v.data[row * chromaWidth + column] = 128.5 + (224 / 1.5748) * (reds / count - mean);
    }
  }
  return { y, u, v, chromaShiftX: shiftX, chromaShiftY: shiftY, color: { matrix: 'bt709', fullRange: false } };
}

/** Bits and log2 of the chroma subsampling of a PQ or HLG frame; undefined for any other. */
function hdrLayout(
  frame: Frame,
): { readonly bits: number; readonly shiftX: number; readonly shiftY: number } | undefined {
  const { colorTrc } = frame;
  if (colorTrc !== AVCOL_TRC_SMPTE2084 && colorTrc !== AVCOL_TRC_ARIB_STD_B67) return undefined;
  const name = avGetPixFmtName(frame.format as AVPixelFormat) ?? '';
  const [, sampling, bits] = /^yuv4(20|22|44)p(10|12)le$/.exec(name) ?? [];
  if (bits === undefined) return undefined;
  return { bits: Number(bits), shiftX: sampling === '44' ? 0 : 1, shiftY: sampling === '20' ? 1 : 0 };
}

/** Black level, chroma zero, and factors from levels to table entries. */
function signalRange({ colorRange }: Frame, bits: number) {
  const unit = 2 ** (bits - 8);
  const isFull = colorRange === AVCOL_RANGE_JPEG;
  return {
    black: isFull ? 0 : 16 * unit,
    middle: 128 * unit,
    lumaScale: LAST / (isFull ? 256 * unit - 1 : 219 * unit),
    chromaScale: LAST / (isFull ? 256 * unit - 1 : 224 * unit),
  };
}

function createPlane(width: number, height: number): Plane {
  return { data: new Uint8Array(width * height), stride: width, width, height };
}

function tableIndex(value: number): number {
  return value <= 0 ? 0 : value >= LAST ? LAST : (value + 0.5) | 0;
}

function toWords(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1);
}

/** A table of a function over 0…1, computed on first use. */
function lazyTable(value: (x: number) => number): () => Float32Array {
  let table: Float32Array | undefined;
  return () => (table ??= Float32Array.from({ length: TABLE_SIZE }, (_, i) => value(i / LAST)));
}

/** Light of a PQ signal, relative to white (SMPTE ST 2084 §5.2). */
const PQ_LIGHT = lazyTable((signal) => {
  const power = signal ** (1 / 78.84375);
  const ratio = Math.max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power);
  return (10_000 / WHITE_NITS) * ratio ** (1 / 0.1593017578125);
});

/** Scene light of an HLG signal, 0…1 (ITU-R BT.2100 table 5, inverse OETF). */
const HLG_LIGHT = lazyTable((signal) =>
  signal <= 0.5 ? signal ** 2 / 3 : (Math.exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12,
);

/** Display light relative to white per scene light, by the scene's luminance (ITU-R BT.2100 table 5, OOTF). */
const HLG_SYSTEM_GAIN = lazyTable((luminance) => (HLG_PEAK_NITS / WHITE_NITS) * luminance ** (HLG_GAMMA - 1));

/** Signal of light, 0…1 (IEC 61966-2-1). */
const SRGB_CURVE = lazyTable((light) => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
