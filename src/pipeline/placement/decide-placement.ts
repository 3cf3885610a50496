import { setImmediate as turn } from 'node:timers/promises';
import { type Issue, PlaybyplayError } from '../../errors.ts';
import type { Fingerprint, HeaderLine } from '../../events/log.ts';
import type { HudSettings } from '../../geometry.ts';
import { scanPacketsAsync } from '../../media/packets/scan-packets.ts';
import { openVideo } from '../../media/video.ts';
import { type KnownProfile, knownProfiles } from '../../profile/find.ts';
import { type Game, inspectGame } from '../game.ts';
import { loadPlugins } from '../../detectors/plugins/load.ts';
import { kindNames } from '../../detectors/registry.ts';
import { ElementReader, type Evidence, EvidenceCounter, type FoundPlacement } from './evidence.ts';
import { findLayoutChanges } from './layout-changes.ts';
import { decodePictures, type HudSource, spreadFrames, type TimeSpan } from './pictures.ts';
import {
  checkDefaultPlacement,
  decodeSearchedPictures,
  searchBetterPlacement,
  searchPixelSize,
  searchPlacement,
} from './search-placement.ts';

/** Pictures per game in which its default placement is tried to recognize the game. */
const RECOGNITION_PICTURES = 12;

/** The placement that a run uses. */
export interface PlacementDecision {
  /** Undefined: the profile's default placement. */
  readonly hud: HudSettings | undefined;
  /** For the header of the log; undefined for the default placement. */
  readonly placement: HeaderLine['placement'];
  /** Nothing of the HUD was found: the recording may show another game. */
  readonly doubt?: Issue;
  /** Parts without the HUD. */
  readonly remarks?: readonly Issue[];
}

const DEFAULT_PLACEMENT: PlacementDecision = { hud: undefined, placement: undefined };

/**
 * Decides the placement of a profile in a recording: the default placement if its elements are seen there, else the one found by
 * a search, and its changes. Depends on recording, profile and program alone.
 *
 * @param profiles Profiles besides the built-in ones, as for `knownProfiles`: only to name the game if it is another one.
 */
export async function decidePlacement(source: HudSource, profiles: readonly string[] = []): Promise<PlacementDecision> {
  const first = await decideFirstPlacement(source, profiles);
  const { decision, confidence } = first;
  if (confidence === 0) return decision;
  const { hud = {} } = decision;
  const { changes, lost } = await findLayoutChanges(source, { hud, confidence });
  if (changes.length === 0 && lost.length === 0) return decision;
  const laterSettings = changes.map(({ t, confidence: later, hud: own }) => ({ t, ...own, confidence: later }));
  const all = laterSettings.length > 0 ? { ...hud, changes: laterSettings } : decision.hud;
  const placement = { ...all, confidence, ...(lost.length > 0 ? { lost } : {}) };
  return { hud: all, placement, remarks: describeLostParts(source.game, lost) };
}

/** Decides the placement without its changes. The confidence is 0 where no element was seen. */
async function decideFirstPlacement(
  source: HudSource,
  profiles: readonly string[],
): Promise<{ readonly decision: PlacementDecision; readonly confidence: number }> {
  const check = await checkDefaultPlacement(source);
  if (!check || check.pictures === 0) return { decision: DEFAULT_PLACEMENT, confidence: 0 };
  if (check.confidence > 0 && !check.hasBlackBorder) {
    // A stretched picture or HUD may still show an icon or two at the default placement.
    const better = check.isWeak ? await searchBetterPlacement(source) : undefined;
    if (better) return accept(better);
    const pixel = await searchPixelSize(source);
    return accept({ ...check, hud: pixel ?? {} });
  }
  const other = check.confidence > 0 ? undefined : await recognizeOtherGame(source, profiles);
  const seen = Object.keys(check.elements);
  const found = other ? undefined : await searchPlacement(source, { seen });
  if (found) return accept(found);
  if (check.confidence > 0) return accept({ ...check, hud: {} });
  return {
    decision: { ...DEFAULT_PLACEMENT, doubt: describeDoubt(source.game.profile.game, check, other) },
    confidence: 0,
  };
}

function accept(found: FoundPlacement) {
  return { decision: toDecision(found), confidence: found.confidence };
}

function describeLostParts({ profile }: Game, lost: readonly TimeSpan[]): Issue[] {
  return lost.map(({ t, end }) => ({
    code: 'hud-lost',
    message: `none of the HUD elements of ${profile.game} were found from ${Math.round(t)} to ${Math.round(end)} s, at any placement`,
    hint: 'Was it hidden, or another picture shown? If the layout changed, detect --from … --place <file> reads that part by a placement of its own.',
  }));
}

function toDecision({ hud, confidence }: FoundPlacement): PlacementDecision {
  return Object.keys(hud).length === 0 ? DEFAULT_PLACEMENT : { hud, placement: { ...hud, confidence } };
}

/** Returns the placement in the header of an interrupted run of the same recording, profile and program. */
export function restorePlacement(
  header: HeaderLine | undefined,
  game: Game,
  {
    media,
    profile,
    program,
  }: { readonly media: { readonly hash: string }; readonly profile: Fingerprint; readonly program: string },
): PlacementDecision | undefined {
  if (header?.placement?.confidence === undefined || header.program !== program) return undefined;
  if (header.media.hash !== media.hash || header.profile.hash !== profile.hash) return undefined;
  const { confidence: _, lost = [], ...hud } = header.placement;
  const found = Object.keys(hud).length > 0 ? hud : undefined;
  return { hud: found, placement: header.placement, remarks: describeLostParts(game, lost) };
}

/** A game that a recording seems to show. */
export interface RecognizedGame {
  readonly game: string;
  /** Name or path that opens its profile. */
  readonly path: string;
  readonly confidence: number;
  /** Its placement, if it is not the default. */
  readonly hud?: HudSettings;
}

/** Returns the most likely other game whose elements are seen at its default placement. */
async function recognizeOtherGame(source: HudSource, profiles: readonly string[]): Promise<RecognizedGame | undefined> {
  const { profile, plugins } = source.game;
  const others = (await knownProfiles(profiles)).filter(({ game }) => game !== profile.game);
  return selectMostLikely(await recognizeAtDefault(source, await openProfiles(others, plugins.modules)));
}

/** Returns the games whose elements are seen at their default placements. */
async function recognizeAtDefault(
  recording: Omit<HudSource, 'game'>,
  games: readonly OpenProfile[],
): Promise<RecognizedGame[]> {
  using readers = new DisposableStack();
  const counts: { readonly known: KnownProfile; readonly reader: ElementReader; readonly count: EvidenceCounter }[] =
    [];
  for (const { known, game } of games) {
    const reader = readers.use(await ElementReader.open(game));
    if (reader.names.length > 0) counts.push({ known, reader, count: new EvidenceCounter(reader) });
  }
  for (const picture of decodePictures(recording, spreadFrames(recording.index, RECOGNITION_PICTURES))) {
    for (const { reader, count } of counts) count.add(await reader.read(picture, {}), picture);
    await turn();
    recording.signal?.throwIfAborted();
  }
  return counts
    .map(({ known, count }) => ({ ...known, confidence: count.evidence.confidence }))
    .filter(({ confidence }) => confidence > 0);
}

interface OpenProfile {
  readonly known: KnownProfile;
  readonly game: Game;
}

/** Opens profiles. Skips invalid ones, as the user chose none of them. */
async function openProfiles(
  known: readonly KnownProfile[],
  plugins: readonly string[],
): Promise<readonly OpenProfile[]> {
  const games: OpenProfile[] = [];
  const loadedPlugins = await loadPlugins(plugins, plugins.length > 0 ? kindNames() : []);
  for (const one of known) {
    try {
      // The chosen one is opened by the run.
      const { game } = await inspectGame(one.path, loadedPlugins, undefined, false);
      if (game) games.push({ known: one, game });
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
    }
  }
  return games;
}

function selectMostLikely(found: readonly RecognizedGame[]): RecognizedGame | undefined {
  return found.toSorted((a, b) => b.confidence - a.confidence)[0];
}

/** Options of `recognizeGame`. */
export interface RecognizeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Profiles besides the built-in ones, as for `knownProfiles`. */
  readonly profiles?: readonly string[] | undefined;
  /** As for `openGame`. */
  readonly plugins?: readonly string[] | undefined;
}

/**
 * Recognizes the game of a recording by its HUD: first at the default placements of all profiles, then within borders, then
 * anywhere.
 *
 * @returns The game if one was recognized, and the names of all games tried.
 * @throws PlaybyplayError if the recording cannot be opened.
 *
 * @example
 * const { found } = await recognizeGame('match.mp4');
 * console.log(found?.game); // 'openarena'
 */
export async function recognizeGame(
  media: string,
  { signal, profiles = [], plugins = [] }: RecognizeOptions = {},
): Promise<{ readonly found: RecognizedGame | undefined; readonly known: readonly string[] }> {
  using file = openVideo(media);
  const index = await scanPacketsAsync(file, signal ? { signal } : {});
  const games = await openProfiles(await knownProfiles(profiles), plugins);
  const known = games.map((one) => one.known.game);
  const atDefault = selectMostLikely(await recognizeAtDefault({ file, index, signal }, games));
  if (atDefault) return { found: atDefault, known };
  const pictures = decodeSearchedPictures({ file, index });
  for (const everywhere of [false, true]) {
    const found: RecognizedGame[] = [];
    for (const one of games) {
      const place = await searchPlacement({ file, index, signal, game: one.game }, { pictures, everywhere });
      if (place) found.push({ ...one.known, confidence: place.confidence, hud: place.hud });
    }
    if (found.length > 0) return { found: selectMostLikely(found), known };
  }
  return { found: undefined, known };
}

/** Describes what was seen where no placement was found. */
export function describeDoubt(
  game: string,
  { pictures, elements }: Evidence,
  other: RecognizedGame | undefined,
): Issue {
  const seen = Object.entries(elements).map(([name, count]) => `${name} in ${count}`);
  const message =
    seen.length === 0
      ? `none of the HUD elements of ${game} were found in ${pictures} pictures`
      : `hardly any of the HUD elements of ${game} were found in ${pictures} pictures (${seen.join(', ')}, and never two in one)`;
  return other
    ? {
        code: 'wrong-game',
        message: `${message}; the recording looks like ${other.game} (${other.confidence.toFixed(2)})`,
        hint: `Give --game ${other.path}; detect --place default reads it as ${game} all the same.`,
      }
    : {
        code: 'hud-not-found',
        message: `${message}, nor ${seen.length === 0 ? '' : 'more '}anywhere else in them`,
        hint:
          seen.length === 0
            ? 'Is it another game, or is its HUD hidden? It is read all the same, where the profile has it.'
            : 'It is read where the profile has it. If that is right, detect --place default does not look; “profile try” shows what the other elements see.',
      };
}
