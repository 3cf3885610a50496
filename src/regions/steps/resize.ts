import { separableFilter } from '../filter.ts';
import type { CompiledStep, Crop, CropShape, StepKind } from '../step.ts';
import { resamplingTaps } from '../taps.ts';

interface ResizeOptions {
  readonly zoom?: number;
  readonly factor?: number;
  readonly width?: number;
  readonly height?: number;
  readonly filter?: 'nearest' | 'linear' | 'lanczos';
}

export const step: StepKind<ResizeOptions> = {
  name: 'resize',
  description:
    'Enlarges or shrinks. `zoom`: so many pixels per pixel of the reference frame, whatever the size of the video (the usual choice: what follows always sees one size); `factor`: so many times the crop; `width` and/or `height`: exactly so many pixels (one alone keeps the proportions). Filters: `nearest` for pixel fonts and whole factors, `linear`, `lanczos` (three lobes; sharpest, default).',
  options: {
    zoom: { type: 'number', exclusiveMinimum: 0, maximum: 16 },
    factor: { type: 'number', exclusiveMinimum: 0, maximum: 16 },
    width: { type: 'integer', minimum: 1, maximum: 8192 },
    height: { type: 'integer', minimum: 1, maximum: 8192 },
    filter: { enum: ['nearest', 'linear', 'lanczos'], default: 'lanczos' },
  },
  input: 'any',
  compile(options, shape) {
    const { stepX, stepY, ...size } = target(options, shape);
    const { filter = 'lanczos' } = options;
    const result = { ...shape, ...size };
    if (size.width === shape.width && size.height === shape.height && stepX === 1 && stepY === 1) {
      return { shape: result, run: (crop) => crop };
    }
    if (filter === 'nearest') return nearest(result, shape, stepX, stepY);
    const across = resamplingTaps(shape.width, size.width, stepX, filter);
    const down = resamplingTaps(shape.height, size.height, stepY, filter);
    const { run } = separableFilter(shape, across, down);
    return { shape: result, run };
  },
};

interface Target extends Pick<CropShape, 'width' | 'height' | 'scaleX' | 'scaleY'> {
  /** Pixels of the crop per pixel of the result. */
  readonly stepX: number;
  readonly stepY: number;
}

function target({ zoom, factor, width, height }: ResizeOptions, shape: CropShape): Target {
  const given = [zoom, factor, width ?? height].filter((value) => value !== undefined);
  if (given.length !== 1) throw new TypeError('give one of zoom, factor, or width and height');
  if (width !== undefined || height !== undefined) {
    const outWidth = width ?? Math.max(1, Math.round((height! * shape.width) / shape.height));
    const outHeight = height ?? Math.max(1, Math.round((width! * shape.height) / shape.width));
    const steps = { stepX: shape.width / outWidth, stepY: shape.height / outHeight };
    return { width: outWidth, height: outHeight, scaleX: 1, scaleY: 1, ...steps };
  }
  // The scale is exact, whatever the crop's rounding to whole pixels: a glyph has the same size in every crop.
  const [stepX, stepY] = zoom === undefined ? [1 / factor!, 1 / factor!] : [shape.scaleX / zoom, shape.scaleY / zoom];
  const [scaleX, scaleY] = zoom === undefined ? [shape.scaleX, shape.scaleY] : [1, 1];
  return {
    width: Math.max(1, Math.round(shape.width / stepX)),
    height: Math.max(1, Math.round(shape.height / stepY)),
    scaleX,
    scaleY,
    stepX,
    stepY,
  };
}

/** The input sample under the centre of each output sample. */
function pick(count: number, pitch: number, size: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => Math.min(size - 1, Math.floor((i + 0.5) * pitch)));
}

function nearest(result: CropShape, shape: CropShape, stepX: number, stepY: number): CompiledStep {
  const { width, height } = result;
  const columns = pick(width, stepX, shape.width);
  const rows = pick(height, stepY, shape.height);
  return {
    shape: result,
    run(crop: Crop): Crop {
      const { channels } = crop;
      const out = new Uint8Array(width * height * channels);
      let to = 0;
      for (let y = 0; y < height; y++) {
        if (y > 0 && rows[y] === rows[y - 1]) {
          out.copyWithin(to, to - width * channels, to);
          to += width * channels;
          continue;
        }
        const line = rows[y]! * crop.width * channels;
        for (let x = 0; x < width; x++) {
          const from = line + columns[x]! * channels;
          for (let k = 0; k < channels; k++) out[to++] = crop.data[from + k]!;
        }
      }
      return { data: out, width, height, channels };
    },
  };
}
