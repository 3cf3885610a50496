import type { StepKind } from '../step.ts';
import { step as blur } from './blur.ts';
import { step as border } from './border.ts';
import { step as channel } from './channel.ts';
import { step as denoise } from './denoise.ts';
import { step as grayscale } from './grayscale.ts';
import { step as hsv } from './hsv.ts';
import { step as conditional } from './if.ts';
import { step as invert } from './invert.ts';
import { step as isolate } from './isolate.ts';
import { step as morphology } from './morphology.ts';
import { step as perspective } from './perspective.ts';
import { step as resize } from './resize.ts';
import { step as rotate } from './rotate.ts';
import { step as sharpen } from './sharpen.ts';
import { step as stretch } from './stretch.ts';
import { step as threshold } from './threshold.ts';

const kinds: readonly StepKind[] = [
  blur,
  border,
  channel,
  denoise,
  grayscale,
  hsv,
  conditional,
  invert,
  isolate,
  morphology,
  perspective,
  resize,
  rotate,
  sharpen,
  stretch,
  threshold,
];

/** Every kind of preprocessing step by name. */
export const STEPS: ReadonlyMap<string, StepKind> = new Map(kinds.map((kind) => [kind.name, kind]));
