import type { PreprocessStep } from '../profile/profile.ts';

/** A JSON Schema (draft 2020-12) object. */
export type StepSchema = Readonly<Record<string, unknown>>;

/** A crop in memory of its own: `channels` interleaved bytes a pixel (grey, or RGB), rows without padding. */
export interface Crop {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
}

/** What a step knows of the crops it will be given: all of one shape. */
export interface CropShape {
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3;
  /**
   * Pixels of the crop per pixel that it would have on the profile's reference frame, across and down. Lengths in options
   * are meant for the reference frame: a step multiplies them by this, so that one profile serves every resolution.
   */
  readonly scaleX: number;
  readonly scaleY: number;
}

/** A step made ready for crops of one shape. */
export interface CompiledStep {
  /** The shape of what comes out. */
  readonly shape: CropShape;
  /** Pure, deterministic; returns new memory or the crop itself, never writes into it. */
  run(crop: Crop): Crop;
}

/** Compiles a nested list of steps; given to steps that have branches. */
export type CompileSteps = (steps: readonly PreprocessStep[], shape: CropShape) => CompiledStep;

/** One sort of preprocessing: a file in `steps/` exports one of these as `step`. */
export interface StepKind<Options = Readonly<Record<string, unknown>>> {
  readonly name: string;
  /** One paragraph for people: what it does, and when to use it. */
  readonly description: string;
  /** JSON Schema of each option, and which are required. */
  readonly options: Readonly<Record<string, StepSchema>>;
  readonly required?: readonly string[];
  /**
   * What it works on. `grey`: RGB is turned into its luma first. `color`: RGB only; after grey it is a mistake in the profile.
   * `any`: each channel alone, so that it may as well run after a later grey step. `either`: both, but not the same.
   */
  readonly input: 'grey' | 'color' | 'any' | 'either';
  compile(options: Options, shape: CropShape, compileSteps: CompileSteps): CompiledStep;
}

/** A length of the reference frame, in whole pixels of the crop; at least `least`. */
export function pixels(length: number, scale: number, least = 0): number {
  return Math.max(least, Math.round(length * scale));
}

/** A step that maps every grey level on its own. */
export function levelStep(shape: CropShape, map: (level: number) => number): CompiledStep {
  const table = Uint8ClampedArray.from({ length: 256 }, (_, level) => map(level));
  return {
    shape,
    run(crop) {
      const { data } = crop;
      const out = new Uint8Array(data.length);
      for (let i = 0; i < data.length; i++) out[i] = table[data[i]!]!;
      return { ...crop, data: out };
    },
  };
}

/** A step that makes one grey byte of each RGB pixel. */
export function pixelStep(shape: CropShape, map: (r: number, g: number, b: number) => number): CompiledStep {
  return {
    shape: { ...shape, channels: 1 },
    run({ data, width, height }) {
      const out = new Uint8Array(width * height);
      for (let i = 0, at = 0; i < out.length; i++, at += 3) out[i] = map(data[at]!, data[at + 1]!, data[at + 2]!);
      return { data: out, width, height, channels: 1 };
    },
  };
}

/** How many pixels have each grey level. */
export function histogram(crop: Crop): Uint32Array {
  const counts = new Uint32Array(256);
  const { data } = crop;
  for (let i = 0; i < data.length; i++) counts[data[i]!]!++;
  return counts;
}

/** Schema of a colour: `#rrggbb`, or three levels 0…255. */
export const COLOR_SCHEMA = {
  oneOf: [
    { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
    { type: 'array', items: { type: 'number', minimum: 0, maximum: 255 }, minItems: 3, maxItems: 3 },
  ],
} as const;

export type ColorOption = string | readonly [number, number, number];

/** Red, green and blue levels of a colour option. Throws TypeError on anything that its schema refuses. */
export function parseColor(color: ColorOption): readonly [number, number, number] {
  if (typeof color !== 'string') return color;
  if (!/^#[0-9a-f]{6}$/i.test(color)) throw new TypeError(`not a colour: ${color}`);
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
