import { toHsv, toYCbCr } from '../../color.ts';
import { defineStep, pixelStep } from '../step.ts';

const computed = {
  cb: (r: number, g: number, b: number): number => clampRound(128 + toYCbCr(r, g, b)[1]),
  cr: (r: number, g: number, b: number): number => clampRound(128 + toYCbCr(r, g, b)[2]),
  hue: (r: number, g: number, b: number): number => Math.round((toHsv(r, g, b)[0] * 255) / 360),
  saturation: (r: number, g: number, b: number): number => Math.round(toHsv(r, g, b)[1] * 255),
  value: (r: number, g: number, b: number): number => Math.max(r, g, b),
} as const;

function clampRound(level: number): number {
  return Math.min(255, Math.max(0, Math.round(level)));
}

/** The step `channel` of a preprocessing chain. */
export const step = defineStep({
  name: 'channel',
  description:
    'One channel as gray: `red`, `green`, `blue`; `cb`, `cr` (color difference, 128 is neutral); `hue` (0…360° as 0…255), `saturation`, `value`. Red text on dark stone stands out in `cr` whatever the light.',
  options: { channel: { enum: ['red', 'green', 'blue', 'cb', 'cr', 'hue', 'saturation', 'value'] } },
  required: ['channel'],
  input: 'color',
  compile({ channel }, shape) {
    if (channel !== 'red' && channel !== 'green' && channel !== 'blue') return pixelStep(shape, computed[channel]);
    return {
      shape: { ...shape, channels: 1 },
      sharp: { operation: 'extract channel', apply: (image) => image.extractChannel(channel) },
    };
  },
});
