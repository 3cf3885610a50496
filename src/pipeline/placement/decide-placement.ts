import { type Issue, PlaybyplayError } from '../../errors.ts';
import type { Fingerprint, HeaderLine } from '../../events/log.ts';
import type { PacketIndex } from '../../media/packets/packet-index.ts';
import { scanPacketsAsync } from '../../media/packets/scan-packets.ts';
import { openVideo, type VideoFile } from '../../media/video.ts';
import { type KnownProfile, knownProfiles } from '../../profile/find.ts';
import type { HudSettings } from '../../regions/place.ts';
import { type Game, openGame } from '../game.ts';
import type { Evidence } from './evidence.ts';
import type { FoundPlacement } from './rank-candidates.ts';
import {
  checkDefaultPlacement,
  MAX_CHECKED_PICTURES,
  searchBetterPlacement,
  searchPixelSize,
  searchPlacement,
} from './search.ts';
import type { TimeSpan } from './sample-pictures.ts';
import { findLayoutChanges } from './layout-changes.ts';

/** Pictures that decide whether a recording is of another game. */
const OTHERS_LOOK_AT = 12;

/** Where a run has its profile lie, and what is to be said about that. */
export interface Decision {
  /** Undefined: where the profile has it by itself. */
  readonly hud: HudSettings | undefined;
  /** For the log's header, where it is not the profile's own. */
  readonly placement: HeaderLine['placement'];
  /** Nothing of the profile was found: the recording may be of another game. */
  readonly doubt?: Issue;
  /** What else is to be said: the HUD is gone for long. */
  readonly remarks?: readonly Issue[];
}

const PLAIN: Decision = { hud: undefined, placement: undefined };

/**
 * Decides where the profile lies on a recording: where it has it by itself if its elements are seen there, else where they are
 * found; and where from which time on, if that changes. Depends on recording, profile and program alone; `profiles` (as for
 * `knownProfiles`) only tell which other game it may be.
 */
export async function decidePlacement(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
  signal: AbortSignal | undefined,
  profiles: readonly string[] = [],
): Promise<Decision> {
  const first = await decideFirst(file, index, game, signal, profiles);
  const { decision, confidence } = first;
  if (confidence === 0) return decision;
  const { hud = {} } = decision;
  const { changes, lost } = await findLayoutChanges(file, index, game, { hud, confidence }, signal);
  if (changes.length === 0 && lost.length === 0) return decision;
  const later = changes.map(({ t, confidence: sure, hud: own }) => ({ t, ...own, confidence: sure }));
  const all = later.length > 0 ? { ...hud, changes: later } : decision.hud;
  const placement = { ...all, confidence, ...(lost.length > 0 ? { lost } : {}) };
  return { hud: all, placement, remarks: remarksOn(game, lost) };
}

/** Where it lies on most of the pictures that tell; with how sure that is, 0 where nothing tells. */
async function decideFirst(
  file: VideoFile,
  index: PacketIndex,
  game: Game,
  signal: AbortSignal | undefined,
  profiles: readonly string[],
): Promise<{ readonly decision: Decision; readonly confidence: number }> {
  const check = await checkDefaultPlacement(file, index, game, MAX_CHECKED_PICTURES, { signal });
  // Nothing to go by, or nothing to look at.
  if (!check || check.pictures === 0) return { decision: PLAIN, confidence: 0 };
  if (check.confidence > 0 && !check.framed) {
    // A stretched picture, or HUD, still shows an icon or two where they are looked for.
    const better = check.few ? await searchBetterPlacement(file, index, game) : undefined;
    if (better) return fits(better);
    const pixel = await searchPixelSize(file, index, game);
    return fits({ ...check, hud: pixel ?? {} });
  }
  const other = check.confidence > 0 ? undefined : await otherGame(file, index, game, signal, profiles);
  const seen = Object.keys(check.elements);
  const found = other ? undefined : await searchPlacement(file, index, game, { signal, seen });
  if (found) return fits(found);
  if (check.confidence > 0) return fits({ ...check, hud: {} });
  return { decision: { ...PLAIN, doubt: doubtOf(game.profile.game, check, other) }, confidence: 0 };
}

function fits(found: FoundPlacement) {
  return { decision: decided(found), confidence: found.confidence };
}

function remarksOn({ profile }: Game, lost: readonly TimeSpan[]): Issue[] {
  return lost.map(({ t, end }) => ({
    code: 'hud-lost',
    message: `from ${Math.round(t)} to ${Math.round(end)} s none of the HUD elements of ${profile.game} were found, neither where they are elsewhere in the recording nor at another place`,
    hint: 'Was it hidden, or another picture shown? If the layout changed, detect --from … --place <file> reads that part by a placement of its own.',
  }));
}

/** A placement that was found, as the header has it. */
export function decided({ hud, confidence }: FoundPlacement): Decision {
  return Object.keys(hud).length === 0 ? PLAIN : { hud, placement: { ...hud, confidence } };
}

/** The placement that an interrupted run of the same recording and profile found, if its header tells. */
export function earlierPlacement(
  header: HeaderLine | undefined,
  game: Game,
  {
    media,
    profile,
    program,
  }: { readonly media: { readonly hash: string }; readonly profile: Fingerprint; readonly program: string },
): Decision | undefined {
  if (header?.placement?.confidence === undefined || header.program !== program) return undefined;
  if (header.media.hash !== media.hash || header.profile.hash !== profile.hash) return undefined;
  const { confidence: _, lost = [], ...hud } = header.placement;
  const found = Object.keys(hud).length > 0 ? hud : undefined;
  return { hud: found, placement: header.placement, remarks: remarksOn(game, lost) };
}

/** A game that a recording may show. */
export interface RecognizedGame {
  readonly game: string;
  /** What opens its profile. */
  readonly path: string;
  readonly confidence: number;
  /** Where it lies, if not where its profile has it by itself. */
  readonly hud?: HudSettings;
}

/** The known game that a recording plainly shows, if it is another one. */
async function otherGame(
  file: VideoFile,
  index: PacketIndex,
  own: Game,
  signal: AbortSignal | undefined,
  profiles: readonly string[],
): Promise<RecognizedGame | undefined> {
  const others = (await knownProfiles(profiles)).filter(({ game }) => game !== own.profile.game);
  return mostLikely(
    await recognizeAtDefault(file, index, await opened(others, own.plugins.modules), OTHERS_LOOK_AT, signal),
  );
}

async function recognizeAtDefault(
  file: VideoFile,
  index: PacketIndex,
  games: readonly Candidate[],
  most: number,
  signal: AbortSignal | undefined,
): Promise<RecognizedGame[]> {
  const found: RecognizedGame[] = [];
  for (const { known, game } of games) {
    const check = await checkDefaultPlacement(file, index, game, most, { signal, thorough: true });
    if (check && check.confidence > 0) found.push({ ...known, confidence: check.confidence });
  }
  return found;
}

/** A known game that can be opened. */
interface Candidate {
  readonly known: KnownProfile;
  readonly game: Game;
}

/** Those of them that can be opened: what is wrong with a profile that nobody chose does not matter. */
async function opened(known: readonly KnownProfile[], plugins: readonly string[]): Promise<readonly Candidate[]> {
  const games: Candidate[] = [];
  for (const one of known) {
    try {
      games.push({ known: one, game: await openGame(one.path, plugins) });
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
    }
  }
  return games;
}

function mostLikely(found: readonly RecognizedGame[]): RecognizedGame | undefined {
  return found.toSorted((a, b) => b.confidence - a.confidence)[0];
}

/** Options of recognizing the game of a recording. */
export interface RecognizeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Profiles besides the built-in ones, as for `knownProfiles`. */
  readonly profiles?: readonly string[];
  /** As for `openGame`. */
  readonly plugins?: readonly string[];
}

/**
 * The known game that a recording shows: that whose HUD elements are seen, where its profile has them, or else anywhere.
 * Undefined where none is found.
 */
export async function recognizeGame(
  media: string,
  { signal, profiles = [], plugins = [] }: RecognizeOptions = {},
): Promise<{ readonly found: RecognizedGame | undefined; readonly known: readonly string[] }> {
  using file = openVideo(media);
  const index = await scanPacketsAsync(file, signal ? { signal } : {});
  const games = await opened(await knownProfiles(profiles), plugins);
  const known = games.map((one) => one.known.game);
  const plain = mostLikely(await recognizeAtDefault(file, index, games, OTHERS_LOOK_AT, signal));
  if (plain) return { found: plain, known };
  for (const everywhere of [false, true]) {
    const found: RecognizedGame[] = [];
    for (const one of games) {
      const place = await searchPlacement(file, index, one.game, { signal, everywhere });
      if (place) found.push({ ...one.known, confidence: place.confidence, hud: place.hud });
    }
    if (found.length > 0) return { found: mostLikely(found), known };
  }
  return { found: undefined, known };
}

/** Says what was seen, little as it is: an element alone is too little to tell that the profile fits. */
export function doubtOf(game: string, { pictures, elements }: Evidence, other: RecognizedGame | undefined): Issue {
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
