import { number, object, positive } from './schema/build.ts';
import type { FromSchema } from './schema/from-schema.ts';

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A frame size in pixels, which may be non-square. */
export interface FrameSize extends Size {
  /** Width of a displayed pixel divided by its height; default 1. */
  readonly pixelAspect?: number | undefined;
}

/** A point, in pixels or in fractions of a picture. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A rectangle: in pixels, or in fractions of a frame where the name says so. Right and bottom edges are exclusive. */
export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

/** The point of the frame to which a HUD element keeps its distance when the aspect ratio changes. */
export type Anchor =
  | 'top left'
  | 'top'
  | 'top right'
  | 'left'
  | 'centre'
  | 'right'
  | 'bottom left'
  | 'bottom'
  | 'bottom right';

/** The anchor's position as fractions of the frame. */
export function anchorPoint(anchor: Anchor): { readonly x: number; readonly y: number } {
  return {
    x: anchor.endsWith('left') ? 0 : anchor.endsWith('right') ? 1 : 0.5,
    y: anchor.startsWith('top') ? 0 : anchor.startsWith('bottom') ? 1 : 0.5,
  };
}

/** Intersects a rectangle with a frame; the result is empty if they do not overlap. */
export function clip(rect: Rect, size: Size): Rect {
  const x = Math.min(Math.max(rect.x, 0), size.width);
  const y = Math.min(Math.max(rect.y, 0), size.height);
  return {
    x,
    y,
    width: Math.max(0, Math.min(rect.x + rect.width, size.width) - x),
    height: Math.max(0, Math.min(rect.y + rect.height, size.height) - y),
  };
}

/** A rectangle in pixels of another size of the frame. */
export function scaleRect({ x, y, width, height }: Rect, scaleX: number, scaleY: number): Rect {
  return { x: x * scaleX, y: y * scaleY, width: width * scaleX, height: height * scaleY };
}

/** The smallest rectangle around rectangles, of which there is at least one. */
export function boundsOf(boxes: readonly Rect[]): Rect {
  const [x, y] = [Math.min(...boxes.map((one) => one.x)), Math.min(...boxes.map((one) => one.y))];
  const right = Math.max(...boxes.map((one) => one.x + one.width));
  const bottom = Math.max(...boxes.map((one) => one.y + one.height));
  return { x, y, width: right - x, height: bottom - y };
}

const OFFSET = number([-10, 10]);
const FACTOR = positive(20);

const HUD_PROPERTIES = {
  confidence: number([], 'Confidence, if the placement was located automatically.'),
  scale: {
    ...FACTOR,
    description: 'HUD scale relative to the profile, for sizes and distances to the anchor; default 1.',
  },
  stretch: { ...FACTOR, description: 'Additional horizontal scale of the HUD relative to the picture; default 1.' },
  x: {
    ...OFFSET,
    description: 'Horizontal safe-area margin as a fraction of the frame: elements at an edge move inwards; default 0.',
  },
  y: { ...OFFSET, description: 'Vertical safe-area margin.' },
  content: object(
    ['x', 'y', 'width', 'height'],
    { x: OFFSET, y: OFFSET, width: FACTOR, height: FACTOR },
    'The picture of the game within the video (letterbox, pillarbox, stream layout), in fractions of the frame; default all.',
  ),
  pixel: {
    ...FACTOR,
    description:
      'Video pixels per game pixel if the recording was resized, for regions with `scale: "none"`; default 1.',
  },
  aspect: number(
    [0.1, 10],
    'Width of a video pixel divided by its height, in the picture of the game: 4/3 if 16:9 was squeezed to 4:3. Default: as declared by the video file.',
  ),
} as const;

const HUD_CHANGES = {
  type: 'array',
  description: 'Changes over time, in order: each replaces all settings from `t` seconds until the next.',
  items: object(['t'], { t: number([0]), ...HUD_PROPERTIES }),
} as const;

/** The JSON Schema of the placement in the header of a log; further properties are allowed. */
export const hudSchema = { type: 'object', properties: { ...HUD_PROPERTIES, changes: HUD_CHANGES } } as const;

/** The JSON Schema of a placement file, which `profile place --write` writes. */
export const placementSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:placement:1',
  title: 'A HUD placement of playbyplay',
  type: 'object',
  additionalProperties: false,
  properties: {
    format: { const: 'playbyplay/placement/1' },
    ...hudSchema.properties,
  },
} as const;

/** How the HUD of a recording differs from the profile: HUD settings of the player, scaling by the recorder. */
export interface HudSettings extends Omit<FromSchema<typeof hudSchema>, 'confidence'> {}

/** HUD settings from a time on. */
export type LaterSettings = NonNullable<HudSettings['changes']>[number];
