import { setImmediate as turn } from 'node:timers/promises';
import type { HudSettings, Rect, Size } from '../../geometry.ts';
import { copyPicture, type Picture } from '../../media/picture.ts';
import { roundTo } from '../../statistics.ts';
import type { Game } from '../game.ts';
import { AnchoredLocator, toHudSettings } from './anchored-locator.ts';
import { type Borders, findBorders, findOutlines, hasBlackBorder } from './borders.ts';
import {
  type Candidate,
  candidatesFromMatch,
  candidatesFromOutlines,
  candidatesWithinBorders,
  findLandmarks,
  innermostArea,
  listPixelAspects,
  type PlacedLandmark,
} from './candidates.ts';
import {
  chooseElements,
  countSeenPerPicture,
  ElementReader,
  type Evidence,
  EvidenceCounter,
  type FoundPlacement,
  findBestCandidate,
  MIN_ELEMENT_CONFIDENCE,
} from './evidence.ts';
import {
  fitSimilarity,
  LandmarkLocator,
  type LandmarkMatch,
  type PointPair,
  type Similarity,
} from './landmark-locator.ts';
import {
  decodePictures,
  frameAt,
  type HudSource,
  spreadFrames,
  spreadPictures,
  type TimeSpan,
  toSquarePixels,
} from './pictures.ts';
import { findPixelSize, hasPixelText, type PixelSize } from './pixel-size.ts';

/** Pictures examined before the default placement is given up. */
const MAX_CHECKED_PICTURES = 40;
/** Limits of the pictures held in memory for the search. */
const MIN_SEARCHED_PICTURES = 3;
const MAX_SEARCHED_PICTURES = 6;
const MAX_SEARCHED_BYTES = 64 << 20;
/** Different elements below which the default placement may be seen by coincidence. */
const MIN_ELEMENTS_SEEN = 3;
/** Share of the elements read in a picture below which those seen may be coincidence. */
const MIN_SHARE_SEEN = 0.4;
/** Pictures in which landmarks are searched everywhere, and matches per landmark that are verified. */
const MAX_LOCATED_PICTURES = 2;
const MAX_VERIFIED_MATCHES = 2;
const MAX_REFINED_MATCHES = 8;
/** Score from which a match is verified: that of a single landmark. */
const MIN_MATCH_SCORE = 0.18;
/** Outlined windows in which other aspect ratios are tried; areas in which a resized HUD is searched, which costs more. */
const MAX_WINDOWS = 3;
const MAX_RESIZED_HUD_AREAS = 2;
/** Pictures examined for the size of text drawn in game pixels. */
const MAX_PIXEL_TEXT_PICTURES = 24;
/** How many times as many elements a resized HUD must show as a stretched picture, which is likelier. */
const MIN_RESIZED_HUD_GAIN = 1.08;
/** How many times as many elements a better placement must show as the default one. */
const MIN_BETTER_GAIN = 1.5;
/** Elements per picture from which a stretched picture or resized HUD is accepted without a further search. */
const CONVINCING_ELEMENTS = 6;
/** Enlargements of a picture whose edges are cut off: range, step, and step of the refinement. */
const ENLARGEMENTS = { min: 1.015, max: 1.16, step: 0.006, fineStep: 0.002 } as const;

/** Options of searching for the placement. */
export interface SearchOptions {
  /** The pictures to examine, from `decodeSearchedPictures`; default those of the whole recording. */
  readonly pictures?: readonly Picture[] | undefined;
  /** Names of elements seen already: they determine which HUD layout is searched. */
  readonly seen?: readonly string[];
  /** Searches the whole picture at every scale, which is slow; default true. */
  readonly everywhere?: boolean;
  /** Searches only within borders and outlines: no stretched or enlarged picture and no resized HUD. */
  readonly outlinesOnly?: boolean;
}

/** What was seen at the default placement. */
export interface DefaultEvidence extends Evidence {
  /** The picture has black borders: some elements may fit and others not. */
  readonly hasBlackBorder: boolean;
  /** So few elements were seen that it may be coincidence. */
  readonly isWeak: boolean;
}

/**
 * Checks the profile's default placement in pictures spread over a recording. Stops as soon as it is confirmed.
 *
 * @returns Undefined if the profile has no elements that depend on the placement.
 */
export async function checkDefaultPlacement(source: HudSource): Promise<DefaultEvidence | undefined> {
  using reader = await ElementReader.open(source.game);
  if (reader.names.length === 0) return undefined;
  const count = new EvidenceCounter(reader);
  let isFramed = false;
  let share = 0;
  for (const picture of spreadPictures(source, MAX_CHECKED_PICTURES)) {
    const seen = await reader.read(picture, {}, { stopAfter: reader.enough });
    count.add(seen, picture);
    share = Math.max(share, reader.shareSeen(seen));
    isFramed = hasBlackBorder(picture);
    if (count.fits) break;
    await turn();
    source.signal?.throwIfAborted();
  }
  // Three elements may also be seen at a wrong placement, but then among many that are not.
  const { evidence } = count;
  const isWeak =
    share < MIN_SHARE_SEEN || Object.keys(evidence.elements).length < Math.min(MIN_ELEMENTS_SEEN, reader.names.length);
  return { ...evidence, hasBlackBorder: isFramed, isWeak };
}

/**
 * Searches the placement of a profile in a recording. Candidates follow from visible borders, from stretching and enlarging, and
 * from icons and digits found anywhere at any scale; the one at which the detectors see most is returned. Deterministic.
 *
 * @returns Undefined if no candidate fits.
 */
export async function searchPlacement(
  source: HudSource,
  { pictures, seen, everywhere = true, outlinesOnly = false }: SearchOptions = {},
): Promise<FoundPlacement | undefined> {
  const { game, signal } = source;
  using reader = await ElementReader.open(game, chooseElements(game.profile, seen));
  const search = await openSearch(source, reader, pictures);
  if (!search) return undefined;
  let best = await findWithinBorders(search);
  if (outlinesOnly) return best && (await addPixelSize(search, best));
  const other = best ? undefined : await findStretchedOrResized(search);
  signal?.throwIfAborted();
  if (other && countSeenPerPicture(other) >= Math.min(CONVINCING_ELEMENTS, reader.names.length / 2)) best = other;
  best ??= await findEnlarged(search);
  signal?.throwIfAborted();
  for (const picture of everywhere ? search.pictures.slice(0, MAX_LOCATED_PICTURES) : []) {
    if (best) break;
    const locator = new LandmarkLocator(picture, search.landmarks, game.profile.reference);
    for (const matches of locator.searchEverywhere()) {
      best = await verifyMatches(search, picture, matches);
      if (best) break;
      await turn();
      signal?.throwIfAborted();
    }
  }
  if (other && (!best || countSeenPerPicture(other) > countSeenPerPicture(best))) best = other;
  return best && (await addPixelSize(search, best));
}

/**
 * Searches for a stretched picture or a resized HUD where few elements confirmed the default placement.
 *
 * @returns Undefined unless many more elements are seen than at the default placement.
 */
export async function searchBetterPlacement(source: HudSource): Promise<FoundPlacement | undefined> {
  using reader = await ElementReader.open(source.game, chooseElements(source.game.profile));
  const search = await openSearch(source, reader);
  if (!search) return undefined;
  const plain = await findBestCandidate(reader, search.pictures, [{ hud: {}, prior: 0 }]);
  const found = await findStretchedOrResized(search);
  if (!found || countSeenPerPicture(found) < MIN_BETTER_GAIN * (plain ? countSeenPerPicture(plain.found) : 0))
    return undefined;
  return await addPixelSize(search, found);
}

/** Finds a stretched picture or a resized HUD. Close to an edge both look alike; the one with more elements is right. */
async function findStretchedOrResized(search: Search): Promise<FoundPlacement | undefined> {
  const [stretched, resized] = [await findStretched(search), await findResizedHud(search)];
  if (!stretched || !resized) return stretched ?? resized;
  return countSeenPerPicture(resized) > MIN_RESIZED_HUD_GAIN * countSeenPerPicture(stretched) ? resized : stretched;
}

async function openSearch(
  source: HudSource,
  reader: ElementReader,
  given?: readonly Picture[],
): Promise<Search | undefined> {
  if (reader.names.length === 0) return undefined;
  const { file, game } = source;
  const pictures = given ?? decodeSearchedPictures(source);
  const [frame] = pictures;
  if (!frame) return undefined;
  const [borders, landmarks] = [findBorders(pictures), await findLandmarks(game)];
  const { pixelAspect } = file.info;
  const { reference } = game.profile;
  const windows = candidatesFromOutlines(findOutlines(pictures, reference.width / reference.height), frame);
  const found = { pictures, borders, windows, landmarks, frame, pixelAspect, reference };
  return { game, reader, ...found, remainingRefinements: MAX_REFINED_MATCHES };
}

/** Adds the size of text drawn in game pixels to a placement. */
async function addPixelSize(
  { game, pictures, pixelAspect = 1 }: Search,
  found: FoundPlacement,
): Promise<FoundPlacement> {
  // The searched pictures have square pixels, unlike the video perhaps.
  const { aspect } = found.hud;
  const shown = aspect === undefined ? found.hud : { ...found.hud, aspect: aspect / pixelAspect };
  const pixel = await findPixelSize(game, () => pictures, shown);
  // An aspect ratio found by the HUD is more reliable than one found by text.
  return pixel === undefined ? found : { ...found, hud: { ...pixel, ...found.hud } };
}

/** Finds the size of text drawn in game pixels at the default placement; undefined without decoding if there is no such text. */
export async function searchPixelSize(source: HudSource): Promise<PixelSize | undefined> {
  return hasPixelText(source.game)
    ? findPixelSize(source.game, () => spreadPictures(source, MAX_PIXEL_TEXT_PICTURES), {})
    : undefined;
}

/** What all strategies of a search use. */
interface Search {
  readonly game: Game;
  readonly reader: ElementReader;
  /** With square pixels. */
  readonly pictures: readonly Picture[];
  readonly borders: Borders;
  /** Windows whose outline is visible, the likeliest first. */
  readonly windows: readonly Candidate[];
  readonly landmarks: readonly PlacedLandmark[];
  readonly frame: Size;
  readonly pixelAspect: number | undefined;
  readonly reference: Size;
  /** Number of matches that may still be refined by reading, which is slow. */
  remainingRefinements: number;
}

/** Finds a game stretched to the frame or to visible borders. */
async function findStretched(search: Search): Promise<FoundPlacement | undefined> {
  const { reader, frame } = search;
  const areas = listAreas(search);
  let best: { readonly score: number; readonly aspect: number; readonly hud: HudSettings } | undefined;
  for (const aspect of listPixelAspects(frame, areas)) {
    // Two pictures are enough to compare the aspect ratios.
    const pictures = search.pictures.slice(0, 2).map((picture) => toSquarePixels(picture, aspect));
    const found = await findBestCandidate(
      reader,
      pictures,
      areas.map((area) => ({ hud: toHud(area), prior: 0 })),
    );
    if (found && found.score > (best?.score ?? 0)) best = { score: found.score, aspect, hud: found.found.hud };
  }
  if (!best) return undefined;
  const { aspect } = best;
  const pictures = search.pictures.map((picture) => toSquarePixels(picture, aspect));
  const found = await findBestCandidate(reader, pictures, [{ hud: best.hud, prior: 0 }]);
  // Relative to the pixels of the video.
  return found && { ...found.found, hud: { ...best.hud, aspect: roundTo(aspect * (search.pixelAspect ?? 1), 4) } };
}

/** Finds a HUD scaled or stretched independently of the picture, in the frame or within visible borders. */
async function findResizedHud(search: Search): Promise<FoundPlacement | undefined> {
  const { reader, pictures, landmarks, reference } = search;
  for (const content of listAreas(search).slice(0, MAX_RESIZED_HUD_AREAS))
    for (const picture of pictures.slice(0, MAX_LOCATED_PICTURES)) {
      const candidates = new AnchoredLocator(picture, landmarks, reference, content)
        .search()
        .slice(0, MAX_VERIFIED_MATCHES)
        .map((size) => ({ hud: { ...toHud(content), ...toHudSettings(size) }, prior: 0 }));
      const best = await findBestCandidate(reader, pictures, candidates);
      if (best) return best.found;
    }
  return undefined;
}

/** Finds a picture enlarged about its middle, whose edges are all cut off. */
async function findEnlarged({ reader, pictures }: Search): Promise<FoundPlacement | undefined> {
  const { min, max, step, fineStep } = ENLARGEMENTS;
  const rough = (await findBestCandidate(reader, pictures, listEnlargements(min, max, step)))?.found;
  const size = rough?.hud.content?.width;
  if (size === undefined) return undefined;
  return (
    (await findBestCandidate(reader, pictures, listEnlargements(size - step, size + step, fineStep)))?.found ?? rough
  );
}

function listEnlargements(from: number, to: number, step: number): Candidate[] {
  const found: Candidate[] = [];
  for (let size = from; size <= to; size += step) {
    const [at, length] = [roundTo((1 - size) / 2, 4), roundTo(size, 4)];
    found.push({ hud: { content: { x: at, y: at, width: length, height: length } }, prior: 0 });
  }
  return found;
}

const WHOLE_FRAME: Rect = { x: 0, y: 0, width: 1, height: 1 };

/** Lists areas that the game may fill whatever its aspect ratio: the frame, the area within all borders, outlined windows. */
function listAreas({ borders, frame, windows }: Search): readonly Rect[] {
  const within = innermostArea(borders, frame);
  return [WHOLE_FRAME, ...(within ? [within] : []), ...windows.slice(0, MAX_WINDOWS).map(({ hud }) => hud.content!)];
}

function toHud(content: Rect): HudSettings {
  return content === WHOLE_FRAME ? {} : { content };
}

/** Finds the default placement or one within visible borders or outlines, refined by landmarks. */
async function findWithinBorders(search: Search): Promise<FoundPlacement | undefined> {
  const { reader, pictures, borders, windows, landmarks, frame, reference } = search;
  const plain: Candidate = { hud: {}, prior: 0.1 };
  const rough = await findBestCandidate(reader, pictures, [
    plain,
    ...candidatesWithinBorders(borders, frame, reference),
    ...windows,
  ]);
  if (!rough) return undefined;
  const { content } = rough.found.hud;
  if (content === undefined) return rough.found;
  const scale = (content.height * frame.height) / reference.height;
  const expected = { scale, x: content.x * frame.width, y: content.y * frame.height };
  const [match] = new LandmarkLocator(pictures[0]!, landmarks, reference).searchNear(expected);
  if (!match) return rough.found;
  const exact = await findBestCandidate(reader, pictures, candidatesFromMatch(match, borders, frame, reference));
  return exact && exact.score > rough.score ? exact.found : rough.found;
}

/** Returns the placement that the first of a landmark's matches implies at which the detectors see something. */
async function verifyMatches(
  search: Search,
  picture: Picture,
  matches: readonly LandmarkMatch[],
): Promise<FoundPlacement | undefined> {
  const { reader, pictures, borders, frame, reference } = search;
  for (const match of matches.slice(0, MAX_VERIFIED_MATCHES)) {
    if (match.score < MIN_MATCH_SCORE) continue;
    const refined = search.remainingRefinements-- > 0 ? await refineByReading(search, picture, match) : undefined;
    for (const one of refined ? [refined, match] : [match]) {
      const best = await findBestCandidate(
        reader,
        [picture, ...pictures],
        candidatesFromMatch(one, borders, frame, reference),
      );
      if (best) return best.found;
    }
  }
  return undefined;
}

/** Refines a match by the positions at which nearby text can be read; undefined where there is none. */
async function refineByReading(
  { reader, frame, reference }: Search,
  picture: Picture,
  match: LandmarkMatch,
): Promise<LandmarkMatch | undefined> {
  const { spot, scale } = match;
  const pairs: PointPair[] = [{ from: spot, x: match.x + scale * spot.x, y: match.y + scale * spot.y, score: 1 }];
  for (const { index, region } of reader.cheapElementsAt(spot.anchor, spot.mode).slice(0, 3)) {
    const from = { x: region.x * reference.width, y: region.y * reference.height };
    const reach = 2 + 0.012 * Math.hypot(from.x - spot.x, from.y - spot.y);
    const step = Math.max(0.75, reach / 4) * scale;
    let best = { confidence: MIN_ELEMENT_CONFIDENCE, x: 0, y: 0 };
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const [x, y] = [match.x + dx * step, match.y + dy * step];
        const seen = await reader.read(
          picture,
          { content: toContent({ scale, x, y }, frame, reference) },
          { only: index },
        );
        if (seen[index]! > best.confidence) best = { confidence: seen[index]!, x: dx * step, y: dy * step };
      }
    if (best.confidence > MIN_ELEMENT_CONFIDENCE)
      pairs.push({ from, x: match.x + scale * from.x + best.x, y: match.y + scale * from.y + best.y, score: 1 });
  }
  return pairs.length < 2 ? undefined : { ...match, ...fitSimilarity(pairs, match) };
}

/** Converts a similarity to the area of the game's picture, in fractions of the frame. */
function toContent({ scale, x, y }: Similarity, frame: Size, reference: Size): Rect {
  return {
    x: x / frame.width,
    y: y / frame.height,
    width: (scale * reference.width) / frame.width,
    height: (scale * reference.height) / frame.height,
  };
}

/**
 * Decodes the pictures that a search of the placement looks at, with square pixels. Searches for several games in one recording
 * share them.
 */
export function decodeSearchedPictures(
  { file, index }: Pick<HudSource, 'file' | 'index'>,
  within?: TimeSpan,
): readonly Picture[] {
  const { width, height } = file.info;
  const fitting = Math.floor(MAX_SEARCHED_BYTES / (width * height));
  const count = Math.max(MIN_SEARCHED_PICTURES, Math.min(MAX_SEARCHED_PICTURES, fitting));
  const frames = spreadFrames(index, count, within);
  const decoded = new Map<number, Picture>();
  for (const picture of decodePictures({ file, index }, frames))
    decoded.set(frameAt(index, picture.t), toSquarePixels(copyPicture(picture)));
  return frames.flatMap((frame) => decoded.get(frame) ?? []);
}
