import sharp from 'sharp';
import type { PacketIndex } from '../../media/packet-index.ts';
import type { VideoFile } from '../../media/video.ts';
import { cropRgb } from '../../regions/crop.ts';
import { type HudSettings, placeRegion } from '../../regions/place.ts';
import type { Game } from '../game.ts';
import { Fit } from './fit.ts';
import { pictureAt, spreadFrames } from './pictures.ts';

/** A frame of a recording (PNG) with a profile's regions: green where a detector surely sees something, else yellow; the game's picture blue. */
export async function drawPlacement(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
  hud: HudSettings,
): Promise<Uint8Array> {
  using fit = await Fit.open(game, game.plugins);
  const shown = await mostTelling(file, index, fit, hud);
  if (!shown) throw new RangeError('no picture of the recording can be decoded');
  const { width, height, rgb, seen } = shown;
  const { regions, reference } = game.profile;
  const good = new Set(fit.regionNames.filter((_, i) => seen[i]! >= 0.7));
  const line = Math.max(1, Math.round(height / 480));
  const box = (x: number, y: number, w: number, h: number, color: string): string =>
    `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="none" stroke="${color}" stroke-width="${line}"/>`;
  const boxes = Object.entries(regions).map(([name, spec]) => {
    const { inner } = placeRegion(spec, { width, height }, reference, hud);
    return box(inner.x, inner.y, inner.width, inner.height, good.has(name) ? '#30ff50' : '#ffd020');
  });
  const { content } = hud;
  const frame = content
    ? box(content.x * width, content.y * height, content.width * width, content.height * height, '#40a0ff')
    : '';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${frame}${boxes.join('')}</svg>`;
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .composite([{ input: Buffer.from(svg), left: 0, top: 0 }])
    .png()
    .toBuffer();
}

/** Of some pictures that in which most is seen. */
async function mostTelling(file: VideoFile, index: PacketIndex, fit: Fit, hud: HudSettings) {
  let best: { width: number; height: number; rgb: Uint8Array; seen: Float64Array; sum: number } | undefined;
  for (const frame of spreadFrames(index, 6)) {
    using picture = pictureAt(file, index, frame);
    if (!picture) continue;
    const { width, height } = picture;
    const seen = await fit.look(picture, hud);
    const sum = seen.reduce((total, confidence) => total + confidence, 0);
    if (best && best.sum >= sum) continue;
    best = { width, height, rgb: cropRgb(picture, { x: 0, y: 0, width, height }), seen, sum };
  }
  return best;
}
