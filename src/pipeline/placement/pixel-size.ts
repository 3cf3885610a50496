import { isFeedDetail } from '../../detectors/feed/lines.ts';
import type { Detector, FrameDetectorKind, Observation, View } from '../../detectors/kind.ts';
import type { Picture } from '../../media/picture.ts';
import type { DetectorSpec, RegionSpec } from '../../profile/profile.ts';
import { type HudSettings, type PlacedRegion, placeRegion } from '../../regions/place.ts';
import { RegionSet } from '../../regions/regions.ts';
import { roundTo } from '../../statistics.ts';
import type { Game } from '../game.ts';

/** Resolutions at which games draw, Quake III's modes included: a recording may have been resized from any of them. */
const GAME_RESOLUTIONS = [
  [640, 480],
  [800, 600],
  [960, 540],
  [960, 720],
  [1024, 768],
  [1152, 864],
  [1280, 720],
  [1280, 800],
  [1280, 960],
  [1280, 1024],
  [1366, 768],
  [1440, 900],
  [1600, 900],
  [1600, 1200],
  [1680, 1050],
  [1920, 1080],
  [1920, 1200],
  [2560, 1080],
  [2560, 1440],
  [3440, 1440],
  [3840, 2160],
] as const;
/** Video pixels per game pixel at which text is readable. */
const MIN_PIXEL_SIZE = 0.42;
const MAX_PIXEL_SIZE = 3;
/** Evidence (log likelihood ratio) from which a character is certain, and the share of certain characters in a certain line. */
const MIN_CHARACTER_EVIDENCE = 30;
const MIN_CERTAIN_SHARE = 0.6;
const MIN_CERTAIN_CHARACTERS = 4;
const MIN_TEXT_CONFIDENCE = 0.8;
/** Certain characters from which a size can be chosen, and the lead over the next size: per picture, and after the last one. */
const MIN_CHARACTERS_READ = 24;
const MIN_LEAD = 1.3;
const MIN_FINAL_LEAD = 1.1;
/** Pictures that may show text in which size 1 is tried alone. */
const PICTURES_AT_DEFAULT_SIZE = 6;
/** Luma of bright text, and the number of such pixels from which a region may hold text. */
const MIN_TEXT_LEVEL = 120;
const MIN_BRIGHT_PIXELS = 20;

/** Video pixels per game pixel, and their aspect ratio if it is not 1. */
export type PixelSize = Pick<HudSettings, 'pixel' | 'aspect'>;

/** A detector of text drawn in game pixels; of a feed, its first line. */
interface PixelText {
  readonly spec: DetectorSpec;
  readonly kind: FrameDetectorKind;
  readonly region: RegionSpec;
}

/**
 * Finds the number of video pixels per game pixel for text that does not scale with the game's picture: the size at which most
 * text can be read. It is 1 for a game in a window and differs in a recording that was resized. Other sizes than 1 are tried
 * only if nothing can be read at 1.
 *
 * @param pictures Returns the pictures, each valid until the next; called twice at most.
 * @returns The size; undefined for 1.
 */
export async function findPixelSize(
  game: Game,
  pictures: () => Iterable<Picture>,
  hud: HudSettings,
): Promise<PixelSize | undefined> {
  const elements = listPixelTexts(game);
  if (elements.length === 0) return undefined;
  const { content = { width: 1, height: 1 } } = hud;
  let examined = 0;
  let sizes: PixelSize[] = [];
  using atDefault = await SizeTrial.open(game, elements, { pixel: 1 });
  for (const picture of pictures()) {
    sizes = listPixelSizes(content.width * picture.width, content.height * picture.height);
    if (!mayShowText(game, elements, picture, hud)) continue;
    await atDefault.read(picture, hud);
    if (atDefault.characters >= MIN_CHARACTERS_READ / 2) return undefined;
    if (++examined === PICTURES_AT_DEFAULT_SIZE) break;
  }
  if (examined === 0) return undefined;
  atDefault.characters = 0;
  using others = new DisposableStack();
  const trials = [atDefault];
  for (const size of sizes) trials.push(others.use(await SizeTrial.open(game, elements, size)));
  for (const picture of pictures()) {
    if (!mayShowText(game, elements, picture, hud)) continue;
    for (const trial of trials) await trial.read(picture, hud);
    const best = findBestTrial(trials, MIN_LEAD);
    if (best) return best === atDefault ? undefined : best.size;
  }
  const best = findBestTrial(trials, MIN_FINAL_LEAD);
  return best === atDefault ? undefined : best?.size;
}

/** Returns the size at which enough was read, and at least `lead` times as much as at any other. */
function findBestTrial(trials: readonly SizeTrial[], lead: number): SizeTrial | undefined {
  const [best, next] = trials.toSorted((a, b) => b.characters - a.characters);
  const isBest = best && best.characters >= MIN_CHARACTERS_READ && best.characters >= lead * (next?.characters ?? 0);
  return isBest ? best : undefined;
}

/** Whether a profile has text that is drawn in game pixels, whatever the size of the picture. */
export function hasPixelText(game: Game): boolean {
  return listPixelTexts(game).length > 0;
}

function listPixelTexts({ profile, detectors }: Game): PixelText[] {
  return detectors.flatMap(({ spec, kind }) => {
    if (kind.input !== 'frame') return [];
    const region = spec.region === undefined ? undefined : profile.regions[spec.region];
    if (region?.scale !== 'none') return [];
    if (spec.kind === 'text') {
      // A fallback for unknown fonts reads something at any size.
      const { fallback: _, ...exact } = spec;
      return exact['atlas'] === undefined ? [] : [{ spec: exact, kind, region }];
    }
    const { lines } = spec as { lines?: unknown };
    if (spec.kind !== 'feed' || typeof lines !== 'number') return [];
    return [{ spec: { ...spec, lines: 1 }, kind, region: { ...region, height: region.height / lines } }];
  });
}

/** Lists the sizes other than 1 of a game picture of `width` × `height` video pixels, resized or stretched from a known resolution. */
export function listPixelSizes(width: number, height: number): PixelSize[] {
  const found = new Map<string, PixelSize>();
  for (const [gameWidth, gameHeight] of GAME_RESOLUTIONS) {
    const [x, y] = [roundTo(width / gameWidth, 4), roundTo(height / gameHeight, 4)];
    if (Math.min(x, y) < MIN_PIXEL_SIZE || Math.max(x, y) > MAX_PIXEL_SIZE) continue;
    const size = Math.abs(x / y - 1) < 0.01 ? { pixel: y } : { pixel: y, aspect: roundTo(y / x, 4) };
    if (size.aspect !== undefined || y !== 1) found.set(JSON.stringify(size), size);
  }
  return [...found.values()];
}

function placeText(
  game: Game,
  { region }: PixelText,
  picture: Picture,
  hud: HudSettings,
  size: PixelSize,
): PlacedRegion {
  return placeRegion(region, picture, game.profile.reference, { ...hud, ...size });
}

/** Whether any of the regions has pixels as bright as text. */
function mayShowText(game: Game, elements: readonly PixelText[], picture: Picture, hud: HudSettings): boolean {
  return elements.some((element) => {
    const { rect } = placeText(game, element, picture, hud, { pixel: 1 });
    const { data, stride } = picture.y;
    let bright = 0;
    for (let y = rect.y; y < rect.y + rect.height; y++)
      for (let x = rect.x; x < rect.x + rect.width; x++) if (data[y * stride + x]! >= MIN_TEXT_LEVEL) bright++;
    return bright >= MIN_BRIGHT_PIXELS;
  });
}

/** Reads the texts at one size and counts the characters. */
class SizeTrial implements Disposable {
  readonly #game: Game;
  readonly #elements: readonly PixelText[];
  readonly #detectors: readonly Detector[];
  readonly size: PixelSize;
  /** Number of characters read with certainty. */
  characters = 0;

  constructor(game: Game, elements: readonly PixelText[], detectors: readonly Detector[], size: PixelSize) {
    this.#game = game;
    this.#elements = elements;
    this.#detectors = detectors;
    this.size = size;
  }

  static async open(game: Game, elements: readonly PixelText[], size: PixelSize): Promise<SizeTrial> {
    const detectors: Detector[] = [];
    for (const { spec, kind } of elements) detectors.push(await kind.open(spec, game.assets));
    return new SizeTrial(game, elements, detectors, size);
  }

  async read(picture: Picture, hud: HudSettings): Promise<void> {
    for (const [i, element] of this.#elements.entries()) {
      const regions = { element: element.region };
      const set = RegionSet.open(regions, picture, this.#game.profile.reference, { ...hud, ...this.size });
      const placed = set.get('element');
      const view: View = {
        picture,
        ...placed,
        place: (name) => set.get(name),
        once: (_, make) => make(),
        prepared: () => placed.prepare(picture),
      };
      this.characters += countCertainCharacters(await this.#detectors[i]!.read(view));
    }
  }

  [Symbol.dispose](): void {
    for (const detector of this.#detectors) detector[Symbol.dispose]();
  }
}

/** Counts the characters read with certainty, in lines that consist mostly of such. */
function countCertainCharacters(seen: Observation): number {
  if (seen.state !== 'seen') return 0;
  if (!isFeedDetail(seen.detail))
    return seen.confidence >= MIN_TEXT_CONFIDENCE ? String(seen.value).replaceAll(/\s/g, '').length : 0;
  return seen.detail.lines.reduce((sum, { scores }) => {
    const read = scores.filter((score) => score > 0).length;
    const certain = scores.filter((score) => score >= MIN_CHARACTER_EVIDENCE).length;
    return sum + (certain >= MIN_CERTAIN_SHARE * read && certain >= MIN_CERTAIN_CHARACTERS ? certain : 0);
  }, 0);
}
