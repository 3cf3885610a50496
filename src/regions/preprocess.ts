import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import type { PreprocessStep } from '../profile/profile.ts';
import type { CompiledStep, Crop, CropShape, StepKind, StepSchema } from './step.ts';
import { pixelStep } from './step.ts';
import { luma } from './steps/grayscale.ts';

/** The modules of `steps/`, imported when a profile first preprocesses a region. */
const STEP_MODULES: readonly (() => Promise<{ readonly step: unknown }>)[] = [
  () => import('./steps/blur.ts'),
  () => import('./steps/border.ts'),
  () => import('./steps/channel.ts'),
  () => import('./steps/denoise.ts'),
  () => import('./steps/grayscale.ts'),
  () => import('./steps/hsv.ts'),
  () => import('./steps/if.ts'),
  () => import('./steps/invert.ts'),
  () => import('./steps/isolate.ts'),
  () => import('./steps/morphology.ts'),
  () => import('./steps/perspective.ts'),
  () => import('./steps/resize.ts'),
  () => import('./steps/rotate.ts'),
  () => import('./steps/sharpen.ts'),
  () => import('./steps/stretch.ts'),
  () => import('./steps/threshold.ts'),
];

/** No crop grows beyond this many pixels, whatever a profile says. */
const MAX_PIXELS = 2 ** 24;

let loaded: Promise<ReadonlyMap<string, StepKind>> | undefined;
const NONE: ReadonlyMap<string, StepKind> = new Map();

/** All preprocessing steps by name. */
export function loadSteps(): Promise<ReadonlyMap<string, StepKind>> {
  loaded ??= listSteps();
  return loaded;
}

async function listSteps(): Promise<ReadonlyMap<string, StepKind>> {
  const modules = await Promise.all(STEP_MODULES.map((load) => load()));
  const kinds = modules.map(({ step }) => step as StepKind);
  return new Map(kinds.map((kind) => [kind.name, kind]));
}

/**
 * JSON Schema (draft 2020-12) of a region's `preprocess` list, composed from the steps' own; `$id` urn:playbyplay:preprocess.
 * Every step is an object with `step` and that step's options, nothing else.
 */
export async function preprocessSchema(): Promise<StepSchema> {
  const kinds = [...(await loadSteps()).values()];
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
        // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
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

/** A region's chain of steps, made ready for crops of one size. */
export interface Preprocess {
  /** What it starts from: the luma alone as grey (cheaper), or RGB. */
  readonly from: 'grey' | 'color';
  /** The shape of what comes out. */
  readonly shape: CropShape;
  /** The steps one after the other; chains with the same beginning share it (see RegionSet). */
  readonly stages: readonly CompiledStep[];
  /** Pure and deterministic. `crop` must have the size it was compiled for and the channels of `from`. */
  run(crop: Crop): Crop;
}

/**
 * Makes `steps` ready for crops of `size` (with pixels per pixel of the reference frame). Kernels, tables and sizes are worked
 * out here, once. All of it runs synchronously in the calling thread.
 * @throws PlaybyplayError `invalid-preprocessing` with an issue for each step that cannot be used.
 */
export async function compilePreprocess(
  steps: readonly PreprocessStep[],
  size: Omit<CropShape, 'channels'>,
  path = 'preprocess',
): Promise<Preprocess> {
  const kinds = steps.length === 0 ? NONE : await loadSteps();
  const unknown = checkStepNames(steps, kinds, path);
  if (unknown.length > 0) throw invalid(unknown);
  const from = startingFrom(steps, kinds);
  const { stages, shape } = compileStages(steps, { ...size, channels: from === 'grey' ? 1 : 3 }, kinds, path);
  return { from, shape, stages, run: (crop) => runAll(stages, crop) };
}

function runAll(stages: readonly CompiledStep[], crop: Crop): Crop {
  let result = crop;
  for (const stage of stages) result = stage.run(result);
  return result;
}

/** Issues for steps that do not exist, in nested lists too. */
function checkStepNames(
  steps: readonly PreprocessStep[],
  kinds: ReadonlyMap<string, StepKind>,
  path: string,
): readonly Issue[] {
  return steps.flatMap((step, index): readonly Issue[] => {
    const here = `${path}/${index}`;
    if (!kinds.has(step.step)) {
      const hint = suggestSpelling(step.step, kinds.keys()) ?? `The steps are ${[...kinds.keys()].join(', ')}.`;
      return [{ code: 'unknown-step', path: `${here}/step`, message: `there is no step "${step.step}"`, hint }];
    }
    return (['then', 'else'] as const).flatMap((branch) => {
      const nested = step[branch];
      return Array.isArray(nested) ? checkStepNames(nested as PreprocessStep[], kinds, `${here}/${branch}`) : [];
    });
  });
}

/** Grey where the first step that cares wants grey: luma is a third of the work, and steps before it treat channels alike. */
function startingFrom(steps: readonly PreprocessStep[], kinds: ReadonlyMap<string, StepKind>): 'grey' | 'color' {
  for (const step of steps) {
    const { input } = kinds.get(step.step)!;
    const lumaOnly = step.step === 'grayscale' && (step.mode ?? 'luma') === 'luma';
    if (input === 'grey' || lumaOnly) return 'grey';
    if (input !== 'any' || step.step === 'grayscale') return 'color';
  }
  return 'color';
}

function compileStages(
  steps: readonly PreprocessStep[],
  start: CropShape,
  kinds: ReadonlyMap<string, StepKind>,
  path: string,
): { readonly stages: readonly CompiledStep[]; readonly shape: CropShape } {
  const stages: CompiledStep[] = [];
  let shape = start;
  for (const [index, { step, ...options }] of steps.entries()) {
    const kind = kinds.get(step)!;
    const here = `${path}/${index}`;
    if (kind.input === 'color' && shape.channels === 1) {
      const message = `"${step}" works on colours, but the crop is grey by then.`;
      throw invalid([
        { code: 'color-step-after-grey', path: here, message, hint: 'Move it before the steps that make grey.' },
      ]);
    }
    if (kind.input === 'grey' && shape.channels === 3) {
      const grey = pixelStep(shape, luma);
      stages.push(grey);
      shape = grey.shape;
    }
    try {
      const compiled = kind.compile(options, shape, (nested, at) => {
        const inner = compileStages(nested, at, kinds, here);
        return { shape: inner.shape, run: (crop) => runAll(inner.stages, crop) };
      });
      stages.push(compiled);
      shape = compiled.shape;
      if (shape.width * shape.height > MAX_PIXELS)
        throw new RangeError(`it makes a crop of ${shape.width}×${shape.height}`);
    } catch (error) {
      if (error instanceof PlaybyplayError) throw error;
      throw invalid([
        { code: 'invalid-step', path: here, message: `"${step}" cannot be used here: ${messageOf(error)}` },
      ]);
    }
  }
  return { stages, shape };
}

function invalid(issues: readonly Issue[]): PlaybyplayError {
  const [first] = issues;
  return new PlaybyplayError('invalid-preprocessing', `the preprocessing cannot be used: ${first?.message}`, {
    hint: first?.hint,
    issues,
  });
}
