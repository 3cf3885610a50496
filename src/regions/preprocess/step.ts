import type { Sharp } from 'sharp';
import type { PreprocessStep } from '../../profile/profile.ts';
import type { FromSchema, SchemaObject } from '../../schema/from-schema.ts';
import type { Crop } from '../crop.ts';

/** The shape of all crops that a compiled step receives. */
export interface CropShape {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  /**
   * Pixels of the crop per pixel of the profile's reference frame, across and down. Lengths in options are pixels of the
   * reference frame: a step multiplies them by this, so that one profile serves every resolution.
   */
  readonly scaleX: number;
  readonly scaleY: number;
}

/** Largest crop, in pixels, that a chain may produce. */
const MAX_CROP_PIXELS = 2 ** 24;

/**
 * Checks the size of what a step makes. A step whose preparation takes longer for larger results checks it first.
 *
 * @throws RangeError with the size.
 */
export function checkCropSize({ width, height }: Pick<CropShape, 'width' | 'height'>): void {
  if (width * height > MAX_CROP_PIXELS)
    throw new RangeError(`it makes a crop of ${width}×${height} pixels, more than ${MAX_CROP_PIXELS}`);
}

/**
 * The order in which sharp applies operations within one pipeline, whatever the order of the calls. Consecutive steps whose
 * operations ascend in it share a pipeline; others start a new one.
 */
export const SHARP_ORDER = [
  'resize',
  'quarter turn',
  'extend',
  'median',
  'threshold',
  'convolve',
  'extract channel',
  'negate',
] as const;

/** A step as an operation of sharp. */
export interface SharpOperation {
  readonly operation: (typeof SHARP_ORDER)[number];
  apply(image: Sharp): Sharp;
}

/** A step as a function in this thread. Must not write into its input. */
export type Kernel = (crop: Crop) => Crop | Promise<Crop>;

/**
 * A step compiled for crops of one shape. Give `sharp` where sharp has the operation, `kernel` where it has not. Give both only
 * where the kernel is tested equal to sharp within a stated tolerance and `bench/speed/regions.ts` shows what it gains: the
 * kernel is then used, and sharp is its reference.
 */
export type CompiledStep = { readonly shape: CropShape } & (
  | { readonly sharp: SharpOperation; readonly kernel?: undefined }
  | { readonly sharp?: SharpOperation; readonly kernel: Kernel }
);

/** A compiled list of steps. */
export interface CompiledChain {
  /** The shape of the result. */
  readonly shape: CropShape;
  /** Pure and deterministic. Synchronous where no step needs sharp. */
  run(crop: Crop): Crop | Promise<Crop>;
}

/** Compiles a nested list of steps; given to steps that have branches. */
export type CompileSteps = (steps: readonly PreprocessStep[], shape: CropShape) => CompiledChain;

/** A kind of preprocessing step; see `defineStep`. */
export interface StepKind {
  readonly name: string;
  /** One paragraph for authors of profiles: what it does, and when to use it. */
  readonly description: string;
  /** JSON Schema of each option. */
  readonly options: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  /**
   * The crops it accepts. `grey`: RGB is converted to luma first. `color`: RGB only; a profile that has it after a grey step is
   * refused. `any`: treats each channel alone, so that it may as well run on luma. `either`: both, with different results.
   */
  readonly input: 'grey' | 'color' | 'any' | 'either';
  /** Computes kernels, tables and sizes for crops of one shape. */
  compile(options: Readonly<Record<string, unknown>>, shape: CropShape, compileSteps: CompileSteps): CompiledStep;
}

type StepOptions<Properties, Required> = FromSchema<{
  readonly type: 'object';
  readonly properties: Properties;
  readonly required: Required;
}>;

interface StepDefinition<Properties, Required> extends Omit<StepKind, 'options' | 'required' | 'compile'> {
  readonly options: Properties;
  readonly required?: Required;
  compile(options: StepOptions<Properties, Required>, shape: CropShape, compileSteps: CompileSteps): CompiledStep;
}

/**
 * Defines a kind of preprocessing step: one file in `steps/`, listed in `steps/index.ts`. The type of the options that `compile`
 * receives follows from their schemas; profiles are checked against these before a step is compiled.
 *
 * @example
 * export const step = defineStep({
 *   name: 'invert',
 *   description: 'Negative: level v becomes 255 − v.',
 *   options: {},
 *   input: 'any',
 *   compile: (_, shape) => ({ shape, sharp: { operation: 'negate', apply: (image) => image.negate() } }),
 * });
 */
export function defineStep<
  const Properties extends Readonly<Record<string, SchemaObject>>,
  const Required extends readonly (keyof Properties)[] = readonly [],
>(definition: StepDefinition<Properties, Required>): StepKind {
  return definition as unknown as StepKind;
}

/** Converts a length of the reference frame to whole pixels of the crop, at least `minimum`. */
export function pixels(length: number, scale: number, minimum = 0): number {
  return Math.max(minimum, Math.round(length * scale));
}

/** Compiles a step that leaves crops as they are. */
export function identityStep(shape: CropShape): CompiledStep {
  return { shape, kernel: (crop) => crop };
}

/** Maps every grey level through `map`, which is called once per level. */
export function mapLevels(crop: Crop, map: (level: number) => number): Crop {
  const table = Uint8ClampedArray.from({ length: 256 }, (_, level) => map(level));
  const { data } = crop;
  const out = new Uint8Array(data.length);
  for (let i = 0; i < data.length; i++) out[i] = table[data[i]!]!;
  return { ...crop, data: out };
}

/** Compiles a step that turns each RGB pixel into one grey level. */
export function pixelStep(shape: CropShape, map: (r: number, g: number, b: number) => number): CompiledStep {
  return {
    shape: { ...shape, channels: 1 },
    kernel({ data, width, height }) {
      const out = new Uint8Array(width * height);
      for (let i = 0, at = 0; i < out.length; i++, at += 3) out[i] = map(data[at]!, data[at + 1]!, data[at + 2]!);
      return { data: out, width, height, channels: 1 };
    },
  };
}

/** Counts how many samples have each level. */
export function histogram({ data }: Crop): Uint32Array {
  const counts = new Uint32Array(256);
  for (let i = 0; i < data.length; i++) counts[data[i]!]!++;
  return counts;
}
