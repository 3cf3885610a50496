import type { Comparer, FrameComparerKind, Observation, Sketch } from '../kind.ts';
import { createTracker } from '../../cues/tracker.ts';
import { type CodedWays, codedWays } from './coded.ts';
import { lightBetween, type Movement, movementOf } from './flow.ts';
import { MOTION_SCHEMA, type MotionOptions } from './options.ts';
import { PatternTracker } from './patterns.ts';
import { digits } from './series.ts';
import { sketchOf } from './sketch.ts';
import { levelsOf } from './stroke.ts';

/** Seconds beyond which two samples say nothing about the time between them. */
const FURTHEST = 1;
/** Grey levels by which compression makes still pictures differ: on average, of cells of a hundred pixels. */
const NOISE = 0.35;

/**
 * How the picture changes from one sample to the next. The window of a reading is two samples: this one and the detector's
 * sample before, at most a second earlier; where chunks meet the reading is made by pipeline/seams.ts. `cut`, `fade`, `flash`
 * `burst` and `stroke` are patterns over the readings and are found by a tracker of their own, behind all workers.
 */
export const kind: FrameComparerKind<MotionOptions> = {
  input: 'frame-pair',
  name: 'motion',
  description:
    'How the picture moves and changes from one sample to the next. `of` says what is looked for: `movement` (reads `moving`, or the way it goes: `left`, `right`, `up`, `down`, `in`, `out`, `parts`; nothing while it is still), `freeze` (the picture does not change at all), `black`, and as one `found` cue each: `cut` (another scene from one sample to the next), `fade` (`in` or `out`), `flash` (`bright` or `dark`, and back), `burst` (a sudden fast movement, such as a swing), `stroke` (something before the scene that is away and soon back, such as a blow or a weapon that is pumped; also before a camera that moves). Ways are those of the picture’s content; speeds are in heights of the region a second. `stability` says how long movement, stillness and blackness must last.',
  schema: MOTION_SCHEMA,
  vectors: ({ vectors }) => vectors === 'codec',
  compare: comparer,
  async track(name, spec, interval) {
    const { of } = spec;
    if (of === 'movement' || of === 'freeze' || of === 'black') return createTracker(name, spec, interval);
    return new PatternTracker(name, { ...spec, of });
  },
};

/** A picture alone says nothing about change. */
const alone: Observation = { state: 'unreadable', confidence: 0 };

function comparer(options: MotionOptions): Comparer {
  return {
    sketch(view) {
      if (view.rect.width < 2 || view.rect.height < 2) return undefined;
      const { x, y, width, height } = view.rect;
      const key = `motion sketch ${x},${y},${width},${height}`;
      const plain = view.once(key, () => sketchOf(view.picture, view.rect));
      if (options.vectors !== 'codec') return plain;
      return view.once(`${key} codec`, () => {
        const more = codedWays(plain, view.rect, view.picture.vectors);
        return more ? { ...plain, more } : plain;
      });
    },
    compare(before: Sketch | undefined, now: Sketch): Observation {
      if (!before || before.width !== now.width || before.height !== now.height) return alone;
      const seconds = now.t - before.t;
      if (!(seconds > 0) || seconds > Math.max(FURTHEST, 2.5 * (options.interval ?? 0))) return alone;
      if (options.of === 'stroke')
        return { state: 'seen', value: 'stroke', confidence: 1, detail: { levels: levelsOf(now) } };
      return observe(measured(before, now), options);
    },
  };
}

/** What detectors of one region have in common is measured once. */
const known = new WeakMap<Sketch, { readonly before: Sketch; readonly movement: Movement }>();

function measured(before: Sketch, now: Sketch): Movement {
  const found = known.get(now);
  if (found?.before === before) return found.movement;
  const coded = now.more as CodedWays | undefined;
  const movement = coded ? { ...lightBetween(before, now), ...coded } : movementOf(before, now);
  known.set(now, { before, movement });
  return movement;
}

function observe(movement: Movement, options: MotionOptions): Observation {
  const { level, contrast, difference } = movement;
  switch (options.of) {
    case 'black': {
      const most = options.level ?? 24;
      // Dark, and plain: a night scene has lights.
      const excess = Math.max(level / most, contrast / 6);
      return either(excess < 1, 'black', Math.abs(Math.log2(Math.max(excess, 1e-3))), rounded(movement));
    }
    case 'freeze':
      return either(difference < NOISE, 'frozen', Math.abs(Math.log2(Math.max(difference, 1e-3) / NOISE)), undefined);
    case 'movement':
      return way(movement, options);
    default: {
      const { blocks = '' } = movement;
      const detail = options.of === 'cut' ? { ...rounded(movement), blocks } : rounded(movement);
      return { state: 'seen', value: options.of, confidence: 1, detail };
    }
  }
}

/** Seen or absent; `margin` is the distance to the limit between them, in doublings. */
function either(seen: boolean, value: string, margin: number, detail: unknown): Observation {
  const confidence = 1 - 0.5 * 4 ** -margin;
  return seen
    ? { state: 'seen', value, confidence, ...(detail === undefined ? {} : { detail }) }
    : { state: 'absent', confidence };
}

function way(movement: Movement, { what = 'whole', directions = false, speed = 0.1, share = 0.1 }: MotionOptions) {
  const { x, y, zoom = 0, parts = 0, difference, lost } = movement;
  if (x === undefined || y === undefined) {
    // Without structure, or with all of it new: only whether anything changed can be told.
    if (difference < NOISE) return either(false, 'moving', 2, undefined);
    if (lost < 0.5) return alone;
    return what === 'whole' ? alone : either(true, directions ? 'parts' : 'moving', 1, rounded(movement));
  }
  const travelled = Math.hypot(x, y) / speed;
  // What lies half a height from the middle moves by this through zoom.
  const grown = (0.5 * Math.abs(zoom)) / speed;
  const whole = what === 'parts' ? 0 : Math.max(travelled, grown);
  const apart = what === 'whole' ? 0 : (parts / share) * Math.min(1, (movement.speed ?? 0) / speed);
  const most = Math.max(whole, apart);
  const value = directions ? direction(movement, travelled, grown, whole >= apart) : 'moving';
  return either(most >= 1, value, Math.abs(Math.log2(Math.max(most, 1e-3))), rounded(movement));
}

function direction({ x = 0, y = 0, zoom = 0 }: Movement, travelled: number, grown: number, whole: boolean): string {
  if (!whole) return 'parts';
  if (grown > travelled) return zoom > 0 ? 'in' : 'out';
  if (Math.abs(x) >= Math.abs(y)) return x > 0 ? 'right' : 'left';
  return y > 0 ? 'down' : 'up';
}

/** Numbers as a log shows them. */
function rounded(movement: Movement): Movement {
  const { blocks: _, levels: _levels, ...numbers } = movement;
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, digits(value)]),
  ) as unknown as Movement;
}
