import { readFile } from 'node:fs/promises';
import { messageOf, PlaybyplayError } from '../errors.ts';
import type { HudSettings } from '../geometry.ts';
import { checkSchema } from '../schema/check.ts';
import type { Schema } from '../schema/from-schema.ts';

const FRACTION: Schema = { type: 'number', minimum: -10, maximum: 10 };
const settings: Readonly<Record<string, Schema>> = {
  confidence: { type: 'number' },
  content: {
    type: 'object',
    required: ['x', 'y', 'width', 'height'],
    additionalProperties: false,
    properties: {
      x: FRACTION,
      y: FRACTION,
      width: { type: 'number', exclusiveMinimum: 0, maximum: 20 },
      height: { type: 'number', exclusiveMinimum: 0, maximum: 20 },
    },
  },
  scale: { type: 'number', exclusiveMinimum: 0, maximum: 20 },
  stretch: { type: 'number', exclusiveMinimum: 0, maximum: 20 },
  pixel: { type: 'number', exclusiveMinimum: 0, maximum: 20 },
  aspect: { type: 'number', minimum: 0.1, maximum: 10 },
  x: FRACTION,
  y: FRACTION,
};
const placementSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    format: { const: 'playbyplay/placement/1' },
    ...settings,
    changes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['t'],
        additionalProperties: false,
        properties: { t: { type: 'number', minimum: 0 }, ...settings },
      },
    },
  },
};

/**
 * Reads a placement file written by `profile place`.
 *
 * @throws PlaybyplayError `placement-broken`
 */
export async function readPlacement(path: string): Promise<HudSettings> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new PlaybyplayError('placement-broken', `cannot read the placement ${path}: ${messageOf(error)}`, {
      hint: '--place takes auto, default, or a file that profile place --write wrote.',
    });
  }
  const issues = checkSchema(placementSchema, value, { source: path });
  if (issues.length > 0) throw new PlaybyplayError('placement-broken', `the placement ${path} is invalid`, { issues });
  const { format: _, confidence: __, ...hud } = value as HudSettings & { format?: string; confidence?: number };
  return hud;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

/** Describes a placement: “at 10.0 %, 5.2 %, 50.0 % × 50.0 % of the frame, at 0.800 of its size”. */
export function describePlacement({ content, scale, stretch, pixel, aspect }: HudSettings): string {
  const parts: string[] = [];
  if (content)
    parts.push(
      `at ${percent(content.x)}, ${percent(content.y)}, ${percent(content.width)} × ${percent(content.height)} of the frame`,
    );
  if (stretch !== undefined) {
    const high = scale ?? 1;
    parts.push(`with the HUD ${(high * stretch).toFixed(3)} times as wide and ${high.toFixed(3)} times as high`);
  } else if (scale !== undefined) parts.push(`at ${scale.toFixed(3)} of its size`);
  if (pixel !== undefined) parts.push(`with pixels ${pixel.toFixed(3)} times as large as drawn by the game`);
  if (aspect !== undefined)
    parts.push(
      `with pixels ${aspect.toFixed(3)} times as wide as high: the picture, or its HUD, is ${aspect > 1 ? 'squeezed' : 'stretched'}`,
    );
  return parts.join(', ') || 'at the position of the profile';
}
