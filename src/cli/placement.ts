import { readInputText } from '../files/input.ts';
import { type HudSettings, placementSchema } from '../geometry.ts';
import { parseJsonFile } from '../schema/parse.ts';

/**
 * Reads a placement file written by `profile place`.
 *
 * @throws PlaybyplayError `placement-broken`
 */
export async function readPlacement(path: string): Promise<HudSettings> {
  const hint = '--place takes auto, default, or a file that profile place --write wrote.';
  const text = readInputText(path, 'placement-broken', { hint });
  const {
    format: _,
    confidence: __,
    ...hud
  } = parseJsonFile(placementSchema, text, {
    source: path,
    code: 'placement-broken',
    hint,
  });
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
