import type { PacketIndex } from '../../media/packets/packet-index.ts';
import type { VideoFile } from '../../media/video.ts';
import { cropRgb } from '../../regions/crop.ts';
import { type HudSettings, placeRegion } from '../../regions/place.ts';
import { drawRegions } from '../authoring/draw-regions.ts';
import type { Game } from '../game.ts';
import { WitnessReader } from './witness-reader.ts';
import { decodePicture, spreadFrames, type TimeSpan } from './sample-pictures.ts';

/** A frame of a recording (PNG) with a profile's regions: green where a detector surely sees something, else yellow; the game's picture blue. */
export async function drawPlacement(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
  hud: HudSettings,
  within?: TimeSpan,
): Promise<Uint8Array> {
  using fit = await WitnessReader.open(game);
  const shown = await mostTelling(file, index, fit, hud, within);
  if (!shown) throw new RangeError('no picture of the recording can be decoded');
  const { width, height, rgb, seen } = shown;
  const { regions, reference } = game.profile;
  const good = new Set(fit.regionNames.filter((_, i) => seen[i]! >= 0.7));
  const drawn = Object.entries(regions).map(([name, spec]) => {
    const { inner } = placeRegion(spec, { width, height }, reference, hud);
    return { ...inner, color: good.has(name) ? '#30ff50' : '#ffd020' };
  });
  const { content } = hud;
  const frame = content && {
    x: content.x * width,
    y: content.y * height,
    width: content.width * width,
    height: content.height * height,
    color: '#40a0ff',
  };
  return drawRegions({ width, height, rgb }, frame ? [frame, ...drawn] : drawn);
}

/** Of some pictures that in which most is seen. */
async function mostTelling(
  file: VideoFile,
  index: PacketIndex,
  fit: WitnessReader,
  hud: HudSettings,
  within?: TimeSpan,
) {
  let best: { width: number; height: number; rgb: Uint8Array; seen: Float64Array; sum: number } | undefined;
  for (const frame of spreadFrames(index, 6, within)) {
    using picture = decodePicture(file, index, frame);
    if (!picture) continue;
    const { width, height } = picture;
    const seen = await fit.read(picture, hud);
    const sum = seen.reduce((total, confidence) => total + confidence, 0);
    if (best && best.sum >= sum) continue;
    best = { width, height, rgb: cropRgb(picture, { x: 0, y: 0, width, height }), seen, sum };
  }
  return best;
}
