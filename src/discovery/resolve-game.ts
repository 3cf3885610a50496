import { UNKNOWN_GAME } from '../events/log.ts';
import { join } from 'node:path';
import { loadBuiltin } from '../dictionary/files.ts';
import { PlaybyplayError } from '../errors.ts';
import { readFileKind } from '../files/file-kind.ts';
import { recognizeGame, type RecognizedGame } from '../pipeline/placement/decide-placement.ts';
import { knownProfiles } from '../profile/find.ts';
import { discoverHud } from './discover.ts';
import { type Draft, draftPack, writePack } from './draft.ts';

/** Options of {@link resolveGame}. */
export interface ResolveGameOptions {
  /** Name of a game, path of a profile, or `auto`. */
  readonly game: string;
  /** Further profiles, and plug-ins that they use, see `recordLog`. */
  readonly profiles?: readonly string[] | undefined;
  readonly plugins?: readonly string[] | undefined;
  /** The folder of the log, in which the profile of an unknown game is drafted. */
  readonly folder: string;
  /** Whether an interrupted run is continued: its readings belong to its draft. */
  readonly resume?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onRecognized?: (found: RecognizedGame) => void;
  /** Called where no known game was recognized, before its HUD is looked for. */
  readonly onUnknown?: (() => void) | undefined;
  readonly onProgress?: ((share: number) => void) | undefined;
  readonly onDraft?: ((draft: Draft) => void) | undefined;
}

/** The profile with which a recording is read. */
export interface ResolvedGame {
  /** Name of a game, or path of a profile. */
  readonly game: string;
  /** Whether it was drafted from this very recording, so that it needs no placement. */
  readonly isDraft: boolean;
}

/**
 * Finds the profile with which a recording is read: the one that was named, that of the game that it shows, or, of an unknown
 * game, one that is drafted from the recording itself, in the folder `draft` of its log.
 *
 * @throws PlaybyplayError `unknown-recording` if no HUD is found.
 */
export async function resolveGame(media: string, options: ResolveGameOptions): Promise<ResolvedGame> {
  const { game, profiles = [], plugins = [], folder, resume = false, signal } = options;
  if (game !== 'auto') {
    const own = profiles.length === 0 ? undefined : await knownProfiles(profiles);
    return { game: own?.find((profile) => profile.game === game)?.path ?? game, isDraft: false };
  }
  const earlier = resume ? await findDraft(folder) : undefined;
  if (earlier !== undefined) return { game: earlier, isDraft: true };
  const { found } = await recognizeGame(media, { profiles, plugins, signal });
  if (found) {
    options.onRecognized?.(found);
    return { game: found.path, isDraft: false };
  }
  options.onUnknown?.();
  return { game: await draftUnknownGame(media, options), isDraft: true };
}

/** The profile that was drafted for the log in a folder; undefined where there is none. */
async function findDraft(folder: string): Promise<string | undefined> {
  const profile = join(folder, 'draft', 'configs', UNKNOWN_GAME, 'profile.json');
  return (await readFileKind(profile).catch(() => undefined)) === 'profile' ? profile : undefined;
}

/** Drafts a profile and returns its path. */
async function draftUnknownGame(
  media: string,
  { folder, signal, onProgress, onDraft }: ResolveGameOptions,
): Promise<string> {
  const discovery = await discoverHud([media], { signal, onProgress });
  const { dictionary } = await loadBuiltin([]);
  const draft = draftPack(discovery, UNKNOWN_GAME, dictionary);
  if (Object.keys(draft.profile['detectors'] as object).length === 0)
    throw new PlaybyplayError(
      'unknown-recording',
      `${media} shows none of the known games, and no text that stays on the screen`,
      {
        hint: `Name the game, or the path of a profile: --game ./my-game. The known games: ${(await knownProfiles([])).map((each) => each.game).join(', ')}.`,
      },
    );
  onDraft?.(draft);
  return await writePack(join(folder, 'draft'), draft, { inputs: [media] });
}
