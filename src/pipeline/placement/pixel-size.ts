import type { Detector, FrameDetectorKind, Observation, View } from '../../detectors/kind.ts';
import { isFeedDetail } from '../../detectors/feed/lines.ts';
import type { Picture } from '../../media/picture.ts';
import type { DetectorSpec, RegionSpec } from '../../profile/profile.ts';
import { type HudSettings, type PlacedRegion, placeRegion } from '../../regions/place.ts';
import { RegionSet } from '../../regions/regions.ts';
import type { Game } from '../game.ts';

/** Sizes of the pictures that games draw, Quake III's own modes among them: what a recording may have been resized from. */
const DRAWN = [
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
/** Smaller than this text in pixels cannot be read, larger it is not drawn. */
const SIZES = [0.42, 3] as const;
/** Evidence (log likelihood ratio) of a character that is surely there, and the share of a line's that must be. */
const SURE = 30;
const MOST = 0.6;
/** Characters that decide, and how many more than any other size has there must be. */
const ENOUGH = 24;
const AHEAD = 1.3;
/** The same once there are no more pictures. */
const AHEAD_LAST = 1.1;

/** Pictures with text, it may be, in which it is looked for as the game drew it before any other size is thought of. */
const FIRST = 6;
/** How bright text is at least (luma), and of how many pixels a line of it has so many. */
const BRIGHT = 120;
const LETTERS = 20;

/** Pixels of the video per pixel of the game, and how oblong they are where they differ across and down. */
export type PixelSize = Pick<HudSettings, 'pixel' | 'aspect'>;

/** An element in pixels of the game, with its detector; of a feed its first line. */
interface Element {
  readonly spec: DetectorSpec;
  readonly kind: FrameDetectorKind;
  readonly region: RegionSpec;
}

/**
 * Pixels of the video per pixel that the game drew, for elements that do not grow with the game's picture: what lets text
 * there be read best, if it is not 1. A recording that was resized has its own factor, a game drawn in a window has 1. Looks at
 * pictures until one size is plainly the best; at other sizes only where nothing can be read as the game drew it.
 */
export async function findPixelSize(
  game: Game,
  pictures: () => Iterable<Picture>,
  hud: HudSettings,
): Promise<PixelSize | undefined> {
  const elements = elementsOf(game);
  if (elements.length === 0) return undefined;
  const { content = { width: 1, height: 1 } } = hud;
  let looked = 0;
  let factors: PixelSize[] = [];
  using own = await Size.open(game, elements, { pixel: 1 });
  for (const picture of pictures()) {
    factors = sizesOf(content.width * picture.width, content.height * picture.height);
    if (!mayHold(game, elements, picture, hud)) continue;
    await own.read(picture, hud);
    if (own.sure >= ENOUGH / 2) return undefined;
    if (++looked === FIRST) break;
  }
  if (looked === 0) return undefined;
  own.sure = 0;
  using others = new DisposableStack();
  const sizes = [own];
  for (const factor of factors) sizes.push(others.use(await Size.open(game, elements, factor)));
  for (const picture of pictures()) {
    if (!mayHold(game, elements, picture, hud)) continue;
    for (const size of sizes) await size.read(picture, hud);
    const best = findBestCandidate(sizes, AHEAD);
    if (best) return best === own ? undefined : best.factor;
  }
  const best = findBestCandidate(sizes, AHEAD_LAST);
  return best === own ? undefined : best?.factor;
}

/** The size at which enough was read, and so many times as much as at any other. */
function findBestCandidate(sizes: readonly Size[], ahead: number): Size | undefined {
  const [best, next] = sizes.toSorted((a, b) => b.sure - a.sure);
  return best && best.sure >= ENOUGH && best.sure >= ahead * (next?.sure ?? 0) ? best : undefined;
}

/** Whether a profile has text that is drawn in pixels of the game. */
export function hasPixelText(game: Game): boolean {
  return elementsOf(game).length > 0;
}

function elementsOf({ profile, detectors }: Game): Element[] {
  return detectors.flatMap(({ spec, kind }) => {
    if (kind.input !== 'frame') return [];
    const region = spec.region === undefined ? undefined : profile.regions[spec.region];
    if (region?.scale !== 'none') return [];
    if (spec.kind === 'text') {
      // What reads unknown fonts reads something at any size.
      const { fallback: _, ...own } = spec;
      return own['atlas'] === undefined ? [] : [{ spec: own, kind, region }];
    }
    const { lines } = spec as { lines?: unknown };
    if (spec.kind !== 'feed' || typeof lines !== 'number') return [];
    return [{ spec: { ...spec, lines: 1 }, kind, region: { ...region, height: region.height / lines } }];
  });
}

/** The sizes other than 1 that a recording can have, where its picture is `width` × `height`: drawn as wide, or stretched to it. */
export function sizesOf(width: number, height: number): PixelSize[] {
  const found = new Map<string, PixelSize>();
  for (const [wide, high] of DRAWN) {
    const [x, y] = [rounded(width / wide), rounded(height / high)];
    if (Math.min(x, y) < SIZES[0] || Math.max(x, y) > SIZES[1]) continue;
    const size = Math.abs(x / y - 1) < 0.01 ? { pixel: y } : { pixel: y, aspect: rounded(y / x) };
    if (size.aspect !== undefined || y !== 1) found.set(JSON.stringify(size), size);
  }
  return [...found.values()];
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

function placedAt(game: Game, { region }: Element, picture: Picture, hud: HudSettings, size: PixelSize): PlacedRegion {
  return placeRegion(region, picture, game.profile.reference, { ...hud, ...size });
}

/** Whether anything is there that is as bright as text. */
function mayHold(game: Game, elements: readonly Element[], picture: Picture, hud: HudSettings): boolean {
  return elements.some((element) => {
    const { rect } = placedAt(game, element, picture, hud, { pixel: 1 });
    const { data, stride } = picture.y;
    let bright = 0;
    for (let y = rect.y; y < rect.y + rect.height; y++)
      for (let x = rect.x; x < rect.x + rect.width; x++) if (data[y * stride + x]! >= BRIGHT) bright++;
    return bright >= LETTERS;
  });
}

/** The elements read at one size. */
class Size implements Disposable {
  readonly #game: Game;
  readonly #elements: readonly Element[];
  readonly #detectors: readonly Detector[];
  readonly factor: PixelSize;
  /** Characters that were surely read. */
  sure = 0;

  constructor(game: Game, elements: readonly Element[], detectors: readonly Detector[], factor: PixelSize) {
    this.#game = game;
    this.#elements = elements;
    this.#detectors = detectors;
    this.factor = factor;
  }

  static async open(game: Game, elements: readonly Element[], factor: PixelSize): Promise<Size> {
    const detectors: Detector[] = [];
    for (const { spec, kind } of elements) detectors.push(await kind.open(spec, game.assets));
    return new Size(game, elements, detectors, factor);
  }

  async read(picture: Picture, hud: HudSettings): Promise<void> {
    for (const [i, element] of this.#elements.entries()) {
      const regions = { element: element.region };
      const set = await RegionSet.open(regions, picture, this.#game.profile.reference, { ...hud, ...this.factor });
      const placed = set.get('element');
      const view: View = {
        picture,
        ...placed,
        place: (name) => set.get(name),
        once: (_, make) => make(),
        prepared: () => placed.prepare(picture),
      };
      this.sure += sureIn(await this.#detectors[i]!.read(view));
    }
  }

  [Symbol.dispose](): void {
    for (const detector of this.#detectors) detector[Symbol.dispose]();
  }
}

/** Characters that were read beyond doubt, of lines that are so on the whole. */
function sureIn(seen: Observation): number {
  if (seen.state !== 'seen') return 0;
  if (!isFeedDetail(seen.detail)) return seen.confidence >= 0.8 ? String(seen.value).replaceAll(/\s/g, '').length : 0;
  return seen.detail.lines.reduce((sum, { scores }) => {
    const read = scores.filter((score) => score > 0).length;
    const sure = scores.filter((score) => score >= SURE).length;
    return sum + (sure >= MOST * read && sure >= 4 ? sure : 0);
  }, 0);
}
