import { createTracker } from '../../cues/tracker.ts';
import { flag, number, oneOf, positive } from '../../schema/build.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import { roundTo } from '../../statistics.ts';
import type { Comparer, FrameComparerKind, Observation, Sketch } from '../kind.ts';
import {
  type CodecMotion,
  createSketch,
  type Movement,
  measureLight,
  measureMovement,
  readCodecMotion,
} from './block-motion.ts';
import { encodeLevels, PatternTracker } from './patterns.ts';

/** Schema of the options of `motion` detectors. */
const MOTION_SCHEMA = {
  type: 'object',
  required: ['region', 'of'],
  properties: {
    of: oneOf(['movement', 'freeze', 'black', 'cut', 'fade', 'flash', 'burst', 'stroke'], 'What is detected.'),
    what: oneOf(
      ['whole', 'parts', 'any'],
      'Of `movement`: movement of the whole region, of parts that move differently, or either.',
      'whole',
    ),
    directions: flag('Of `movement`: also reads the direction.', false),
    speed: positive(100, 'Minimum speed, in heights of the region per second.'),
    share: positive(
      1,
      'Of `movement`: the minimum share of the structure that moves differently from the whole (0.1). Of `stroke`: the minimum share of the region that moves away and returns (0.15).',
    ),
    level: number([0, 255], 'Of `black`: the maximum mean gray level.', 24),
    rise: positive(255, 'Of `flash`: the minimum rise of the mean gray level.', 24),
    least: positive(1, 'Of `cut`: the minimum share of the structure that is new.', 0.8),
    longest: positive(60, 'Of `flash`, `burst`, `fade` and `stroke`: the maximum duration, in seconds.'),
    times: number([1, 100], 'Of `burst`: how many times faster than before.', 3),
    swing: flag('Of `burst`: it must move in one direction first, then faster in the opposite one.', false),
    vectors: oneOf(
      ['blocks', 'codec'],
      'Of `movement` and `burst`: how motion is measured. `blocks`: by searching blocks of pixels in the sample before. `codec`: by the motion vectors in the video, which lead from a picture to the one that it is predicted from; pictures without vectors use `blocks`.',
      'blocks',
    ),
  },
  // The others depend on brightness and new structure, which motion vectors lack.
  if: { properties: { vectors: { const: 'codec' } }, required: ['vectors'] },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: { properties: { of: { enum: ['movement', 'burst'] } } },
} as const satisfies Schema;

/** Options of `motion` detectors, with the region and the sampling interval (seconds) of the detector. */
export type MotionOptions = FromSchema<typeof MOTION_SCHEMA> & { readonly region: string; readonly interval?: number };

/** Two samples further apart than this are not compared. */
const MAX_INTERVAL_SECONDS = 1;
/** Mean difference, in grey levels, that compression noise causes between still pictures. */
const NOISE_LEVELS = 0.35;

/**
 * Reads how the picture changes from one sample to the next, at most a second apart. `cut`, `fade`, `flash`, `burst` and `stroke` are
 * patterns over many readings: `PatternTracker` finds them in the ordered readings of all workers.
 */
export const kind: FrameComparerKind<MotionOptions> = {
  input: 'frame-pair',
  name: 'motion',
  description:
    'How the picture moves and changes from one sample to the next. `of` selects what is detected: `movement` (reads `moving`, or the direction: `left`, `right`, `up`, `down`, `in`, `out`, `parts`; absent while it is still), `freeze` (the picture does not change at all), `black`, and, as one `found` cue each: `cut` (another scene from one sample to the next), `fade` (`in` or `out`), `flash` (`bright` or `dark`, and back), `burst` (a sudden fast movement, such as a swing), `stroke` (something in the foreground that moves away and soon returns, such as a blow or a weapon that is pumped, even if the camera moves). Directions are those of the content of the picture; speeds are in heights of the region per second. `stability` sets how long movement, stillness and blackness must last.',
  schema: MOTION_SCHEMA,
  vectors: ({ vectors }) => vectors === 'codec',
  compare: createComparer,
  async track(name, spec, interval) {
    const { of } = spec;
    if (of === 'movement' || of === 'freeze' || of === 'black') return createTracker(name, spec, interval);
    return new PatternTracker(name, { ...spec, of });
  },
};

/** The reading of a sample without a comparable sample before it. */
const UNCOMPARABLE: Observation = { state: 'unreadable', confidence: 0 };

function createComparer(options: MotionOptions): Comparer {
  return {
    sketch(view) {
      if (view.rect.width < 2 || view.rect.height < 2) return undefined;
      const { x, y, width, height } = view.rect;
      const key = `motion sketch ${x},${y},${width},${height}`;
      const plain = view.once(key, () => createSketch(view.picture, view.rect));
      if (options.vectors !== 'codec') return plain;
      return view.once(`${key} codec`, () => {
        const more = readCodecMotion(plain, view.rect, view.picture.vectors);
        return more ? { ...plain, more } : plain;
      });
    },
    compare(before: Sketch | undefined, now: Sketch): Observation {
      if (!before || before.width !== now.width || before.height !== now.height) return UNCOMPARABLE;
      const seconds = now.t - before.t;
      if (!(seconds > 0) || seconds > Math.max(MAX_INTERVAL_SECONDS, 2.5 * (options.interval ?? 0)))
        return UNCOMPARABLE;
      if (options.of === 'stroke')
        return { state: 'seen', value: 'stroke', confidence: 1, detail: { levels: encodeLevels(now) } };
      return observe(cachedMovement(before, now), options);
    },
  };
}

/** The movement up to a sketch, shared by all detectors of a region. */
const cachedMovements = new WeakMap<Sketch, { readonly before: Sketch; readonly movement: Movement }>();

function cachedMovement(before: Sketch, now: Sketch): Movement {
  const found = cachedMovements.get(now);
  if (found?.before === before) return found.movement;
  const coded = now.more as CodecMotion | undefined;
  const movement = coded ? { ...measureLight(before, now), ...coded } : measureMovement(before, now);
  cachedMovements.set(now, { before, movement });
  return movement;
}

function observe(movement: Movement, options: MotionOptions): Observation {
  const { level, contrast, difference } = movement;
  switch (options.of) {
    case 'black': {
      const maximum = options.level ?? 24;
      // Dark and uniform: a night scene has lights.
      const excess = Math.max(level / maximum, contrast / 6);
      return seenOrAbsent(excess < 1, 'black', Math.abs(Math.log2(Math.max(excess, 1e-3))), toDetail(movement));
    }
    case 'freeze':
      return seenOrAbsent(
        difference < NOISE_LEVELS,
        'frozen',
        Math.abs(Math.log2(Math.max(difference, 1e-3) / NOISE_LEVELS)),
        undefined,
      );
    case 'movement':
      return readMovement(movement, options);
    default: {
      const { blocks = '' } = movement;
      const detail = options.of === 'cut' ? { ...toDetail(movement), blocks } : toDetail(movement);
      return { state: 'seen', value: options.of, confidence: 1, detail };
    }
  }
}

/** @param margin Distance to the threshold, as a power of two. */
function seenOrAbsent(seen: boolean, value: string, margin: number, detail: unknown): Observation {
  const confidence = 1 - 0.5 * 4 ** -margin;
  return seen
    ? { state: 'seen', value, confidence, ...(detail === undefined ? {} : { detail }) }
    : { state: 'absent', confidence };
}

function readMovement(
  movement: Movement,
  { what = 'whole', directions = false, speed = 0.1, share = 0.1 }: MotionOptions,
) {
  const { x, y, zoom = 0, parts = 0, difference, lost } = movement;
  if (x === undefined || y === undefined) {
    // Without structure to follow, or with new structure only: detects whether anything changed.
    if (difference < NOISE_LEVELS) return seenOrAbsent(false, 'moving', 2, undefined);
    if (lost < 0.5) return UNCOMPARABLE;
    return what === 'whole' ? UNCOMPARABLE : seenOrAbsent(true, directions ? 'parts' : 'moving', 1, toDetail(movement));
  }
  const translation = Math.hypot(x, y) / speed;
  // Speed by zoom at half a height from the centre.
  const growth = (0.5 * Math.abs(zoom)) / speed;
  const whole = what === 'parts' ? 0 : Math.max(translation, growth);
  const separate = what === 'whole' ? 0 : (parts / share) * Math.min(1, (movement.speed ?? 0) / speed);
  const strongest = Math.max(whole, separate);
  const value = directions ? directionOf(movement, translation, growth, whole >= separate) : 'moving';
  return seenOrAbsent(strongest >= 1, value, Math.abs(Math.log2(Math.max(strongest, 1e-3))), toDetail(movement));
}

function directionOf(
  { x = 0, y = 0, zoom = 0 }: Movement,
  translation: number,
  growth: number,
  isWhole: boolean,
): string {
  if (!isWhole) return 'parts';
  if (growth > translation) return zoom > 0 ? 'in' : 'out';
  if (Math.abs(x) >= Math.abs(y)) return x > 0 ? 'right' : 'left';
  return y > 0 ? 'down' : 'up';
}

/** The numbers of a movement, rounded for the log. */
function toDetail(movement: Movement): Movement {
  const { blocks: _, levels: _levels, ...numbers } = movement;
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, roundTo(value, 4)]),
  ) as unknown as Movement;
}
