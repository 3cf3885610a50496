import { integer, number } from '../../../schema/build.ts';
import { resamplingTaps, separableFilter } from '../../filter.ts';
import type { CropShape, SharpOperation } from '../step.ts';
import { checkCropSize, defineStep, identityStep } from '../step.ts';

/** A smaller scale would make one pixel of any crop. */
const SCALES = [0.001, 16] as const;

/** The step `resize` of a preprocessing chain. */
export const step = defineStep({
  name: 'resize',
  description:
    'Enlarges or shrinks. `zoom`: so many pixels per pixel of the reference frame, whatever the size of the video (the usual choice: what follows always sees one size); `factor`: so many times the crop; `width` and/or `height`: exactly so many pixels (one alone keeps the proportions). Filters: `nearest` for pixel fonts and whole factors, `linear`, `lanczos` (three lobes; sharpest, default).',
  options: {
    zoom: number(SCALES),
    factor: number(SCALES),
    width: integer([1, 8192]),
    height: integer([1, 8192]),
    filter: { enum: ['nearest', 'linear', 'lanczos'], default: 'lanczos' },
  },
  input: 'any',
  compile(options, shape) {
    const { stepX, stepY, ...size } = targetOf(options, shape);
    const { filter = 'lanczos' } = options;
    const result = { ...shape, ...size };
    const { width, height } = result;
    checkCropSize(result);
    if (width === shape.width && height === shape.height && stepX === 1 && stepY === 1) return identityStep(result);
    const kernel = filter === 'lanczos' ? 'lanczos3' : filter;
    const sharp: SharpOperation = {
      operation: 'resize',
      apply: (image) => image.resize(width, height, { fit: 'fill', kernel }),
    };
    if (filter === 'nearest') return { shape: result, sharp };
    const across = resamplingTaps(shape.width, width, stepX, filter);
    const down = resamplingTaps(shape.height, height, stepY, filter);
    return { shape: result, sharp, kernel: separableFilter(shape, across, down).run };
  },
});

interface ResizeOptions {
  readonly zoom?: number;
  readonly factor?: number;
  readonly width?: number;
  readonly height?: number;
}

interface Target extends Pick<CropShape, 'width' | 'height' | 'scaleX' | 'scaleY'> {
  /** Pixels of the crop per pixel of the result. */
  readonly stepX: number;
  readonly stepY: number;
}

function targetOf({ zoom, factor, width, height }: ResizeOptions, shape: CropShape): Target {
  const given = [zoom, factor, width ?? height].filter((value) => value !== undefined);
  if (given.length !== 1) throw new TypeError('give one of zoom, factor, or width and height');
  if (width !== undefined || height !== undefined) {
    const outWidth = width ?? Math.max(1, Math.round((height! * shape.width) / shape.height));
    const outHeight = height ?? Math.max(1, Math.round((width! * shape.height) / shape.width));
    const steps = { stepX: shape.width / outWidth, stepY: shape.height / outHeight };
    return { width: outWidth, height: outHeight, scaleX: 1, scaleY: 1, ...steps };
  }
  // The scale does not follow the crop's rounding to whole pixels, so that a glyph has the same size in every crop.
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
