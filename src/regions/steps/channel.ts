import type { StepKind } from '../step.ts';
import { pixelStep } from '../step.ts';
import { toHsv } from './hsv.ts';

const channels = {
  red: (r: number): number => r,
  green: (_: number, g: number): number => g,
  blue: (_: number, __: number, b: number): number => b,
  cb: (r: number, g: number, b: number): number => clampRound(128 + (b - luma(r, g, b)) / 1.8556),
  cr: (r: number, g: number, b: number): number => clampRound(128 + (r - luma(r, g, b)) / 1.5748),
  hue: (r: number, g: number, b: number): number => Math.round((toHsv(r, g, b)[0] * 255) / 360),
  saturation: (r: number, g: number, b: number): number => Math.round(toHsv(r, g, b)[1] * 255),
  value: (r: number, g: number, b: number): number => Math.max(r, g, b),
} as const;

function luma(r: number, g: number, b: number): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function clampRound(level: number): number {
  return Math.min(255, Math.max(0, Math.round(level)));
}

export const step: StepKind<{ readonly channel: keyof typeof channels }> = {
  name: 'channel',
  description:
    'One channel as grey: `red`, `green`, `blue`; `cb`, `cr` (colour difference, 128 is neutral); `hue` (0…360° as 0…255), `saturation`, `value`. Red text on dark stone stands out in `cr` whatever the light.',
  options: { channel: { enum: Object.keys(channels) } },
  required: ['channel'],
  input: 'color',
  compile: ({ channel }, shape) => pixelStep(shape, channels[channel]),
};
