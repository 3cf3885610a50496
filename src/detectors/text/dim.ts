import { type Atlas, prepareAtlas } from './atlas.ts';
import { channelWeights } from './line-image.ts';

/**
 * Shares of the contrast that a tint or a fade may leave: what is read in less light than the first is held against a font
 * made for the nearest one below. The last is what Doom leaves when it is reddest.
 */
const LIGHTS: readonly number[] = [0.36, 0.24, 0.16, 0.1];

/** Standard deviation of what compression does to a level, as recorded, beside what the font's own deviations hold. */
const NOISE = 1.5;
/** How far a mean level may be off, as recorded. */
const OFF = 1;
/** How far the contrast that was measured may be off. */
const UNSURE = 0.2;

/** Most pixels of a font that count as showing one sample of colour. */
const COARSEST = 8;

const known = new WeakMap<Atlas, Map<number, Atlas>>();

/**
 * The font as it is to be expected where the light has this gain: taking the light out of a picture makes its noise greater by as
 * much as its contrast, so that pixels say less and may fit worse. The same font in nearly plain light. `coarse` is how many of the
 * font's pixels show the same sample of colour: what they say is said once.
 */
export function dimmed(atlas: Atlas, gain: number, coarse = 1): Atlas {
  if (gain >= LIGHTS[0]!) return atlas;
  const step = LIGHTS.findLastIndex((light) => gain < light);
  const shared = 2 ** Math.ceil(Math.log2(Math.min(COARSEST, Math.max(1, coarse))) - 0.1);
  const all = known.get(atlas) ?? new Map<number, Atlas>();
  known.set(atlas, all);
  const key = step * 2 * COARSEST + shared;
  const made = all.get(key) ?? darker(atlas, LIGHTS[step + 1] ?? LIGHTS[step]!, shared);
  all.set(key, made);
  return made;
}

function darker({ file }: Atlas, gain: number, shared: number): Atlas {
  const weights = file.inks ? { y: 1, cb: 0, cr: 0 } : channelWeights(file.channel, 'bt709');
  const size = Math.hypot(weights.y, weights.cb, weights.cr) / gain;
  const illumination = {
    gain: Math.hypot(file.illumination.gain, UNSURE),
    offset: Math.hypot(file.illumination.offset, OFF * size),
  };
  const noise = weights.y ** 2 + shared * (weights.cb ** 2 + weights.cr ** 2);
  return prepareAtlas({ ...file, illumination }, noise * (NOISE / gain) ** 2);
}
