import type { Sharp } from 'sharp';
import type { Issue } from '../../errors.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { PreprocessStep } from '../../profile/profile.ts';
import type { SchemaObject } from '../../schema/from-schema.ts';
import { suggestSpelling } from '../../spelling.ts';
import type { Crop } from '../crop.ts';
import { luma } from './steps/grayscale.ts';
import { STEPS } from './steps/index.ts';
import type { CompiledChain, CompiledStep, CropShape } from './step.ts';
import { checkCropSize, pixelStep, SHARP_ORDER } from './step.ts';

/**
 * Returns the JSON Schema (draft 2020-12) of a region's `preprocess` list, composed of the kinds' own, with `$id`
 * urn:playbyplay:preprocess. Every step is an object with `step` and that step's options, nothing else.
 */
export function preprocessSchema(): SchemaObject {
  schema ??= composeSchema();
  return schema;
}

let schema: SchemaObject | undefined;

function composeSchema(): SchemaObject {
  const kinds = [...STEPS.values()];
  return {
    $id: 'urn:playbyplay:preprocess',
    type: 'array',
    maxItems: 32,
    items: {
      type: 'object',
      required: ['step'],
      properties: { step: { enum: kinds.map((kind) => kind.name) } },
      allOf: kinds.map((kind) => ({
        if: { properties: { step: { const: kind.name } }, required: ['step'] },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: {
          description: kind.description,
          properties: { step: true, ...kind.options },
          required: kind.required ?? [],
          additionalProperties: false,
        },
      })),
    },
  };
}

/** A region's preprocessing, compiled for crops of one size. */
export interface Preprocess extends CompiledChain {
  /** The crop it starts from: luma as grey, which costs a third, or RGB. `run` needs one of exactly this shape. */
  readonly from: 'grey' | 'color';
}

/** How a chain is compiled. */
export interface CompileOptions {
  /** JSON pointer of the list, for issues; default `preprocess`. */
  readonly path?: string;
  /** `sharp` uses sharp also where a step has a faster kernel: the reference in tests and benchmarks. Default `fastest`. */
  readonly engine?: 'fastest' | 'sharp';
}

/**
 * Compiles a list of steps into pipelines of sharp, with kernels in between where sharp lacks a step.
 *
 * @param size Size of the crops, and pixels per pixel of the reference frame.
 * @throws PlaybyplayError `invalid-preprocessing` with an issue for each step that cannot be used.
 */
export function compilePreprocess(
  steps: readonly PreprocessStep[],
  size: Omit<CropShape, 'channels'>,
  { path = 'preprocess', engine = 'fastest' }: CompileOptions = {},
): Preprocess {
  const unknown = unknownSteps(steps, path);
  if (unknown.length > 0) throw invalid(unknown);
  const from = startingFrom(steps);
  return { from, ...compileChain(steps, { ...size, channels: from === 'grey' ? 1 : 3 }, path, engine) };
}

/** Returns an issue for each step that does not exist, in nested lists too. */
function unknownSteps(steps: readonly PreprocessStep[], path: string): readonly Issue[] {
  return steps.flatMap((step, index): readonly Issue[] => {
    const here = `${path}/${index}`;
    if (!STEPS.has(step.step)) {
      const hint = suggestSpelling(step.step, STEPS.keys()) ?? `The steps are ${[...STEPS.keys()].join(', ')}.`;
      return [{ code: 'unknown-step', path: `${here}/step`, message: `there is no step "${step.step}"`, hint }];
    }
    return (['then', 'else'] as const).flatMap((branch) => {
      const nested = step[branch];
      return Array.isArray(nested) ? unknownSteps(nested as PreprocessStep[], `${here}/${branch}`) : [];
    });
  });
}

/** Luma is enough if the first step that is not indifferent wants grey. */
function startingFrom(steps: readonly PreprocessStep[]): 'grey' | 'color' {
  for (const step of steps) {
    const { input } = STEPS.get(step.step)!;
    const lumaOnly = step.step === 'grayscale' && (step.mode ?? 'luma') === 'luma';
    if (input === 'grey' || lumaOnly) return 'grey';
    if (input !== 'any' || step.step === 'grayscale') return 'color';
  }
  return 'color';
}

type Engine = NonNullable<CompileOptions['engine']>;

function compileChain(steps: readonly PreprocessStep[], start: CropShape, path: string, engine: Engine): CompiledChain {
  const compiled: CompiledStep[] = [];
  let shape = start;
  for (const [index, { step, ...options }] of steps.entries()) {
    const kind = STEPS.get(step)!;
    const here = `${path}/${index}`;
    if (kind.input === 'color' && shape.channels === 1) {
      const message = `"${step}" works on colours, but the crop is grey by then`;
      throw invalid([
        { code: 'color-step-after-grey', path: here, message, hint: 'Move it before the steps that make grey.' },
      ]);
    }
    if (kind.input === 'grey' && shape.channels === 3) {
      const grey = pixelStep(shape, luma);
      compiled.push(grey);
      shape = grey.shape;
    }
    try {
      const one = kind.compile(options, shape, (nested, at) => compileChain(nested, at, here, engine));
      compiled.push(one);
      shape = one.shape;
      checkCropSize(shape);
    } catch (error) {
      if (error instanceof PlaybyplayError) throw error;
      throw invalid([
        { code: 'invalid-step', path: here, message: `"${step}" cannot be used here: ${messageOf(error)}` },
      ]);
    }
  }
  const passes = passesOf(compiled, engine);
  return { shape, run: (crop) => runPasses(passes, crop) };
}

type Pass = CompiledChain['run'];

function runPasses(passes: readonly Pass[], crop: Crop): Crop | Promise<Crop> {
  let result: Crop | Promise<Crop> = crop;
  for (const pass of passes) result = result instanceof Promise ? result.then(pass) : pass(result);
  return result;
}

/** Groups steps: one pass a kernel, one a sequence of sharp operations that ascend in sharp's own order. */
function passesOf(steps: readonly CompiledStep[], engine: Engine): readonly Pass[] {
  const passes: Pass[] = [];
  let group: SharpGroup | undefined;
  for (const { shape, sharp, kernel } of steps) {
    if (kernel && !(sharp && engine === 'sharp')) {
      passes.push(kernel);
      group = undefined;
      continue;
    }
    const order = SHARP_ORDER.indexOf(sharp!.operation);
    if (!group || order <= group.order) {
      const started: SharpGroup = { order, shape, apply: [sharp!.apply] };
      passes.push((crop) => runSharp(started, crop));
      group = started;
    } else {
      group.apply.push(sharp!.apply);
      group.order = order;
      group.shape = shape;
    }
  }
  return passes;
}

interface SharpGroup {
  /** The last operation's place in sharp's order, and the shape of the result. */
  order: number;
  shape: CropShape;
  readonly apply: ((image: Sharp) => Sharp)[];
}

let loading: Promise<typeof import('sharp').default> | undefined;

/** Loads sharp when the first crop needs it: profiles without such steps start without it. */
async function loadSharp(): Promise<typeof import('sharp').default> {
  const { default: sharp } = await import('sharp');
  // Crops are small and never repeat: several run side by side in the thread pool, each in one thread.
  sharp.concurrency(1);
  sharp.cache(false);
  return sharp;
}

async function runSharp({ shape, apply }: SharpGroup, { data, width, height, channels }: Crop): Promise<Crop> {
  const sharp = await (loading ??= loadSharp());
  let image = sharp(data, { raw: { width, height, channels } });
  for (const one of apply) image = one(image);
  // Steps that treat each channel alone leave a grey crop grey, though the chain was compiled for RGB.
  const isGrey = channels === 1 || shape.channels === 1;
  if (channels === 1) image = image.toColourspace('b-w');
  const out = await image.raw().toBuffer();
  return {
    data: new Uint8Array(out.buffer, out.byteOffset, out.length),
    width: shape.width,
    height: shape.height,
    channels: isGrey ? 1 : 3,
  };
}

function invalid(issues: readonly Issue[]): PlaybyplayError {
  const [first] = issues;
  return new PlaybyplayError('invalid-preprocessing', `the preprocessing cannot be used: ${first?.message}`, {
    hint: first?.hint,
    issues,
  });
}
