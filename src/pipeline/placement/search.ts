import { setImmediate as turn } from 'node:timers/promises';
import type { Rect, Size } from '../../geometry.ts';
import type { PacketIndex } from '../../media/packets/packet-index.ts';
import type { Picture } from '../../media/picture.ts';
import type { VideoFile } from '../../media/video.ts';
import type { HudSettings } from '../../regions/place.ts';
import type { Game } from '../game.ts';
import { AnchoredLocator, settingsOf } from './anchored.ts';
import { findBestCandidate, type FoundPlacement, countSeenPerPicture } from './rank-candidates.ts';
import { type Edges, edgesOf, hasBlackBorder } from './borders.ts';
import { type Candidate, contentsOf, contentsWithin, contentsOutlined, innermost } from './content.ts';
import { EvidenceCounter, type Evidence, MIN_ELEMENT_CONFIDENCE } from './evidence.ts';
import { WitnessReader, chooseWitnesses } from './witness-reader.ts';
import { fitted, Locator, type Pair, type Sighting, type Similarity } from './locate.ts';
import { type PlacedLandmark, findLandmarks } from './landmarks.ts';
import { copyPicture } from '../../media/picture.ts';
import { decodePicture, spreadFrames, type TimeSpan } from './sample-pictures.ts';
import { outlinesOf } from './outlines.ts';
import { hasPixelText, type PixelSize, findPixelSize } from './pixel-size.ts';
import { aspectsOf, toSquarePixels } from './square-pixels.ts';

/** Pictures that are looked at before it is said that nothing is there; and that are kept to search in. */
export const MAX_CHECKED_PICTURES = 40;
const SEARCHED = 6;
/** Elements on one picture that say enough. */
const ENOUGH = 3;
/** Share of the elements asked for of which fewer on a picture say that it may be an accident. */
const SHARE = 0.4;
/** Pictures in which marks are looked for everywhere, and findings of one that are followed. */
const LOCATED = 2;
const FOLLOWED = 2;
const GROWN = 8;
/** Support that a sighting needs to be followed: that of one mark. */
const SUPPORT = 0.18;
/** Windows in which other proportions are tried; and places at which a HUD of its own size is searched, which costs more. */
const WINDOWS = 3;
const OWN_SIZE = 2;
/** Pictures that are looked at for the size of text drawn in pixels. */
const PIXELS = 24;
/** Bytes of luma that are kept at most. */
const KEPT_BYTES = 64 << 20;

/** Options of checking a placement. */
export interface PlacementOptions {
  readonly signal?: AbortSignal | undefined;
  /** Looks at nothing else. */
  readonly within?: TimeSpan | undefined;
}

/** Options of searching for the placement. */
export interface SearchOptions extends PlacementOptions {
  /** Elements that were seen already, by which it is known which of its layouts the HUD has. */
  readonly seen?: readonly string[];
  /** Looks into every place, in any scale, which costs much; else only within borders that can be seen. */
  readonly everywhere?: boolean;
  /** Looks only for the picture as it is, within borders and outlines: neither stretched nor with a HUD of its own size. */
  readonly outlinesOnly?: boolean;
}

/** What was seen where the profile has it by itself. */
export interface DefaultEvidence extends Evidence {
  /** The picture has black borders: even if something fits, other parts may not. */
  readonly framed: boolean;
  /** Hardly anything was seen when it was taken to fit. */
  readonly few: boolean;
}

/**
 * Whether a profile fits a recording where it lies by itself, judged by pictures spread over it; stops as soon as it does,
 * unless a `thorough` answer is wanted.
 * Undefined where the profile has nothing by which that could be told.
 */
export async function checkDefaultPlacement(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
  most = MAX_CHECKED_PICTURES,
  { signal, thorough = false }: PlacementOptions & { readonly thorough?: boolean } = {},
): Promise<DefaultEvidence | undefined> {
  using fit = await WitnessReader.open(game);
  if (fit.names.length === 0) return undefined;
  const count = new EvidenceCounter(fit.names);
  let framed = false;
  let share = 0;
  for (const frame of spreadFrames(index, most)) {
    using picture = decodePicture(file, index, frame);
    if (!picture) continue;
    const seen = await fit.read(picture, {}, thorough ? {} : { enough: ENOUGH });
    count.add(seen);
    share = Math.max(share, fit.share(seen));
    framed = hasBlackBorder(picture);
    if (count.fits && !thorough) break;
    await turn();
    signal?.throwIfAborted();
  }
  // Beside the HUD a profile may see three elements, too, but must ask nearly all to find them.
  const few = share < SHARE || Object.keys(count.evidence.elements).length < Math.min(ENOUGH, fit.names.length);
  return { ...count.evidence, framed, few };
}

/**
 * Searches where a profile lies on a recording: looks for its icons and figures everywhere on some pictures, in any scale,
 * and asks its detectors whether they can read there. The same recording and profile give the same result. Undefined where
 * nothing was found.
 */
export async function searchPlacement(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
  { signal, within, seen, everywhere = true, outlinesOnly = false }: SearchOptions = {},
): Promise<FoundPlacement | undefined> {
  using fit = await WitnessReader.open(game, chooseWitnesses(game.profile, seen));
  const search = await openSearch(file, index, game, fit, within);
  if (!search) return undefined;
  let best = await withinEdges(search);
  if (outlinesOnly) return best && (await withPixel(file, game, search, best));
  const other = best ? undefined : await stretchedOrSized(search);
  signal?.throwIfAborted();
  if (other && countSeenPerPicture(other) >= Math.min(CONVINCING, fit.names.length / 2)) best = other;
  best ??= await enlarged(search);
  signal?.throwIfAborted();
  for (const picture of everywhere ? search.pictures.slice(0, LOCATED) : []) {
    if (best) break;
    for (const sightings of new Locator(picture, search.marks, game.profile.reference).everywhere()) {
      best = await follow(search, picture, sightings);
      if (best) break;
      await turn();
      signal?.throwIfAborted();
    }
  }
  if (other && (!best || countSeenPerPicture(other) > countSeenPerPicture(best))) best = other;
  return best && (await withPixel(file, game, search, best));
}

/**
 * Whether much more is seen if a recording is taken to be stretched or squeezed, or its HUD to be of another size, than where the
 * profile has it by itself, which a few elements on it seemed to confirm.
 */
export async function searchBetterPlacement(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
): Promise<FoundPlacement | undefined> {
  using fit = await WitnessReader.open(game, chooseWitnesses(game.profile));
  const search = await openSearch(file, index, game, fit);
  if (!search) return undefined;
  const plain = await findBestCandidate(fit, search.pictures, [{ hud: {}, prior: 0 }]);
  const found = await stretchedOrSized(search);
  if (!found || countSeenPerPicture(found) < 1.5 * (plain ? countSeenPerPicture(plain.found) : 0)) return undefined;
  return await withPixel(file, game, search, found);
}

/**
 * The placement as a stretched picture or as one with a HUD of its own size. Near an edge both look alike, further from it
 * more is seen of the right one; where both explain all, a stretched picture is likelier.
 */
async function stretchedOrSized(search: Search): Promise<FoundPlacement | undefined> {
  const [stretched, sized] = [await oblong(search), await ownSize(search)];
  if (!stretched || !sized) return stretched ?? sized;
  return countSeenPerPicture(sized) > PLAINLY * countSeenPerPicture(stretched) ? sized : stretched;
}

/** How much more must be seen of a HUD of its own size. */
const PLAINLY = 1.08;
/** Elements in a picture for which a stretched one is believed without a look at anything else. */
const CONVINCING = 6;

async function openSearch(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
  fit: WitnessReader,
  within?: TimeSpan,
): Promise<Search | undefined> {
  if (fit.names.length === 0) return undefined;
  const pictures = picturesOf(file, index, within);
  const [frame] = pictures;
  if (!frame) return undefined;
  const [edges, marks] = [edgesOf(pictures), await findLandmarks(game)];
  const { pixelAspect } = file.info;
  const { reference } = game.profile;
  const outlined = contentsOutlined(outlinesOf(pictures, reference.width / reference.height), frame);
  return { fit, pictures, edges, outlined, marks, frame, pixelAspect, reference, growths: GROWN };
}

async function withPixel(file: VideoFile, game: Game, search: Search, found: FoundPlacement): Promise<FoundPlacement> {
  // The pictures' pixels are square, whatever those of the video are.
  const { aspect } = found.hud;
  const shown = aspect === undefined ? found.hud : { ...found.hud, aspect: aspect / (file.info.pixelAspect ?? 1) };
  const pixel = await findPixelSize(game, () => search.pictures, shown);
  // What the HUD itself tells of the picture's proportions is surer.
  return pixel === undefined ? found : { ...found, hud: { ...pixel, ...found.hud } };
}

/** What is seen at a placement on a dozen pictures. */
export async function evidenceAt(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
  hud: HudSettings,
  within?: TimeSpan,
): Promise<Evidence> {
  using fit = await WitnessReader.open(game);
  const count = new EvidenceCounter(fit.names);
  for (const frame of spreadFrames(index, 12, within)) {
    using picture = decodePicture(file, index, frame);
    if (picture) count.add(await fit.read(picture, hud));
  }
  return count.evidence;
}

/** `findPixelSize` for a profile that fits a recording where it lies by itself; looks at nothing where it cannot matter. */
export async function searchPixelSize(file: VideoFile, index: PacketIndex, game: Game): Promise<PixelSize | undefined> {
  return hasPixelText(game) ? findPixelSize(game, () => spreadPictures(file, index, PIXELS), {}) : undefined;
}

/** Pictures spread over a recording, each gone when the next is asked for. */
function* spreadPictures(file: VideoFile, index: PacketIndex, most: number): Generator<Picture> {
  for (const frame of spreadFrames(index, most)) {
    using picture = decodePicture(file, index, frame);
    if (picture) yield picture;
  }
}

interface Search {
  readonly fit: WitnessReader;
  readonly pictures: readonly Picture[];
  readonly edges: Edges;
  /** Windows whose outline can be seen, the likeliest first. */
  readonly outlined: readonly Candidate[];
  readonly marks: readonly PlacedLandmark[];
  readonly frame: Size;
  readonly pixelAspect: number | undefined;
  readonly reference: Size;
  /** How many sightings may still be made exact by reading about them, which costs much. */
  growths: number;
}

/** The placement of a game that was stretched or squeezed into the frame, or into the borders that can be seen. */
async function oblong(search: Search): Promise<FoundPlacement | undefined> {
  const { fit, frame } = search;
  const places = placesIn(search);
  let best: { readonly score: number; readonly aspect: number; readonly hud: HudSettings } | undefined;
  for (const aspect of aspectsOf(frame, places)) {
    // Two pictures tell whether it is worth while to look at all.
    const pictures = search.pictures.slice(0, 2).map((picture) => toSquarePixels(picture, aspect));
    const found = await findBestCandidate(
      fit,
      pictures,
      places.map((part) => ({ hud: hudIn(part), prior: 0 })),
    );
    if (found && found.score > (best?.score ?? 0)) best = { score: found.score, aspect, hud: found.found.hud };
  }
  if (!best) return undefined;
  const { aspect } = best;
  const pictures = search.pictures.map((picture) => toSquarePixels(picture, aspect));
  const found = await findBestCandidate(fit, pictures, [{ hud: best.hud, prior: 0 }]);
  // By the pixels of the video itself.
  return found && { ...found.found, hud: { ...best.hud, aspect: rounded(aspect * (search.pixelAspect ?? 1)) } };
}

/** The placement of a HUD that is drawn at a size of its own, perhaps stretched, in the frame or in the borders that can be seen. */
async function ownSize(search: Search): Promise<FoundPlacement | undefined> {
  const { fit, pictures, marks, reference } = search;
  for (const content of placesIn(search).slice(0, OWN_SIZE))
    for (const picture of pictures.slice(0, LOCATED)) {
      const candidates = new AnchoredLocator(picture, marks, reference, content)
        .sightings()
        .slice(0, FOLLOWED)
        .map((size) => ({ hud: { ...hudIn(content), ...settingsOf(size) }, prior: 0 }));
      const best = await findBestCandidate(fit, pictures, candidates);
      if (best) return best.found;
    }
  return undefined;
}

/** How much larger than the frame a picture may be whose edges are cut off alike, and in which steps that is tried. */
const ENLARGED = { least: 1.015, most: 1.16, step: 0.006, exact: 0.002 } as const;

/** The placement of a picture that was enlarged about its middle, so that all its edges are lost. */
async function enlarged({ fit, pictures }: Search): Promise<FoundPlacement | undefined> {
  const { least, most, step, exact } = ENLARGED;
  const rough = (await findBestCandidate(fit, pictures, enlargements(least, most, step)))?.found;
  const size = rough?.hud.content?.width;
  if (size === undefined) return undefined;
  return (await findBestCandidate(fit, pictures, enlargements(size - step, size + step, exact)))?.found ?? rough;
}

function enlargements(from: number, to: number, step: number): Candidate[] {
  const found: Candidate[] = [];
  for (let size = from; size <= to; size += step) {
    const [at, length] = [rounded((1 - size) / 2), rounded(size)];
    found.push({ hud: { content: { x: at, y: at, width: length, height: length } }, prior: 0 });
  }
  return found;
}

const WHOLE: Rect = { x: 0, y: 0, width: 1, height: 1 };

/** Where the game's picture may lie, whatever its proportions: all of the frame, what borders or movement enclose, windows. */
function placesIn({ edges, frame, outlined }: Search): readonly Rect[] {
  const within = innermost(edges, frame);
  const windows = outlined.slice(0, WINDOWS).map(({ hud }) => hud.content!);
  return [WHOLE, ...(within ? [within] : []), ...windows];
}

function hudIn(content: Rect): HudSettings {
  return content === WHOLE ? {} : { content };
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** The placement within borders that can be seen, as exact as marks there make it. */
async function withinEdges(search: Search): Promise<FoundPlacement | undefined> {
  const { fit, pictures, edges, outlined, marks, frame, reference } = search;
  const plain: Candidate = { hud: {}, prior: 0.1 };
  const rough = await findBestCandidate(fit, pictures, [
    plain,
    ...contentsWithin(edges, frame, reference),
    ...outlined,
  ]);
  if (!rough) return undefined;
  if (rough.found.hud.content === undefined) return rough.found;
  const { content = { x: 0, y: 0, width: 1, height: 1 } } = rough.found.hud;
  const scale = (content.height * frame.height) / reference.height;
  const expected = { scale, x: content.x * frame.width, y: content.y * frame.height };
  const [sighting] = new Locator(pictures[0]!, marks, reference).about(expected);
  if (!sighting) return rough.found;
  const exact = await findBestCandidate(fit, pictures, contentsOf(sighting, edges, frame, reference));
  return exact && exact.score > rough.score ? exact.found : rough.found;
}

/** The placement that the best of a mark's sightings lead to, if detectors can read there. */
async function follow(
  search: Search,
  picture: Picture,
  sightings: readonly Sighting[],
): Promise<FoundPlacement | undefined> {
  const { fit, pictures, edges, frame, reference } = search;
  for (const sighting of sightings.slice(0, FOLLOWED)) {
    if (sighting.score < SUPPORT) continue;
    const grown = search.growths-- > 0 ? await grow(fit, picture, sighting, frame, reference) : undefined;
    for (const one of grown ? [grown, sighting] : [sighting]) {
      const best = await findBestCandidate(fit, [picture, ...pictures], contentsOf(one, edges, frame, reference));
      if (best) return best.found;
    }
  }
  return undefined;
}

/** A sighting made exact by the places near by at which text can be read; undefined where there is none. */
async function grow(
  fit: WitnessReader,
  picture: Picture,
  sighting: Sighting,
  frame: Size,
  reference: Size,
): Promise<Sighting | undefined> {
  const { spot, scale } = sighting;
  const pairs: Pair[] = [{ from: spot, x: sighting.x + scale * spot.x, y: sighting.y + scale * spot.y, score: 1 }];
  for (const { number, region } of fit.lightAt(spot.anchor, spot.mode).slice(0, 3)) {
    const from = { x: region.x * reference.width, y: region.y * reference.height };
    const reach = 2 + 0.012 * Math.hypot(from.x - spot.x, from.y - spot.y);
    const step = Math.max(0.75, reach / 4) * scale;
    let best = { confidence: MIN_ELEMENT_CONFIDENCE, x: 0, y: 0 };
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const [x, y] = [sighting.x + dx * step, sighting.y + dy * step];
        const seen = await fit.read(
          picture,
          { content: contentAt({ scale, x, y }, frame, reference) },
          { only: number },
        );
        if (seen[number]! > best.confidence) best = { confidence: seen[number]!, x: dx * step, y: dy * step };
      }
    if (best.confidence > MIN_ELEMENT_CONFIDENCE)
      pairs.push({ from, x: sighting.x + scale * from.x + best.x, y: sighting.y + scale * from.y + best.y, score: 1 });
  }
  return pairs.length < 2 ? undefined : { ...sighting, ...fitted(pairs, sighting) };
}

function contentAt({ scale, x, y }: Similarity, frame: Size, reference: Size): Rect {
  return {
    x: x / frame.width,
    y: y / frame.height,
    width: (scale * reference.width) / frame.width,
    height: (scale * reference.height) / frame.height,
  };
}

function picturesOf(file: VideoFile, index: PacketIndex, within?: TimeSpan): Picture[] {
  const pictures: Picture[] = [];
  const most = Math.max(3, Math.min(SEARCHED, Math.floor(KEPT_BYTES / (file.info.width * file.info.height))));
  for (const frame of spreadFrames(index, most, within)) {
    using picture = decodePicture(file, index, frame);
    if (picture) pictures.push(toSquarePixels(copyPicture(picture)));
  }
  return pictures;
}
