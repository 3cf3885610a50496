import type { HudSettings } from '../../geometry.ts';
import { cropRgb } from '../../regions/crop.ts';
import { placeRegion } from '../../regions/place.ts';
import { ElementReader, type Evidence, EvidenceCounter, MIN_ELEMENT_CONFIDENCE } from './evidence.ts';
import { type HudSource, spreadPictures, type TimeSpan } from './pictures.ts';

const EVIDENCE_PICTURES = 12;
const DRAWN_PICTURE_CANDIDATES = 6;

/** Counts the elements seen at a placement in pictures spread over a recording. */
export async function collectEvidence(source: HudSource, hud: HudSettings, within?: TimeSpan): Promise<Evidence> {
  using reader = await ElementReader.open(source.game);
  const count = new EvidenceCounter(reader);
  for (const picture of spreadPictures(source, EVIDENCE_PICTURES, within))
    count.add(await reader.read(picture, hud), picture);
  return count.evidence;
}

/**
 * Draws a profile's regions on a frame of a recording: green where a detector sees something, else yellow; the game's picture blue.
 *
 * @returns A PNG file.
 * @throws RangeError if no picture can be decoded.
 */
export async function drawPlacement(source: HudSource, hud: HudSettings, within?: TimeSpan): Promise<Uint8Array> {
  using reader = await ElementReader.open(source.game);
  const shown = await findPictureWithMostSeen(source, reader, hud, within);
  if (!shown) throw new RangeError('no picture of the recording can be decoded');
  const { width, height, rgb, seen } = shown;
  const { regions, reference } = source.game.profile;
  const seenRegions = new Set(reader.regionNames.filter((_, i) => seen[i]! >= MIN_ELEMENT_CONFIDENCE));
  const drawn = Object.entries(regions).map(([name, spec]) => {
    const { inner } = placeRegion(spec, { width, height }, reference, hud);
    return { ...inner, color: seenRegions.has(name) ? '#30ff50' : '#ffd020' };
  });
  const { content } = hud;
  const frame = content && {
    x: content.x * width,
    y: content.y * height,
    width: content.width * width,
    height: content.height * height,
    color: '#40a0ff',
  };
  const { drawRegions } = await import('../authoring/inspect-pictures.ts');
  return drawRegions({ width, height, rgb }, frame ? [frame, ...drawn] : drawn);
}

/** Returns the picture in which most elements are seen. */
async function findPictureWithMostSeen(
  source: HudSource,
  reader: ElementReader,
  hud: HudSettings,
  within: TimeSpan | undefined,
) {
  let best: { width: number; height: number; rgb: Uint8Array; seen: Float64Array; sum: number } | undefined;
  for (const picture of spreadPictures(source, DRAWN_PICTURE_CANDIDATES, within)) {
    const { width, height } = picture;
    const seen = await reader.read(picture, hud);
    const sum = seen.reduce((total, confidence) => total + confidence, 0);
    if (best && best.sum >= sum) continue;
    best = { width, height, rgb: cropRgb(picture, { x: 0, y: 0, width, height }), seen, sum };
  }
  return best;
}
