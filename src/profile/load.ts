import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import type { Fingerprint } from '../events/log.ts';
import { AssetReader } from './checked.ts';
import { checkProfile } from './check.ts';
import { localizeProfile } from './languages.ts';
import { findProfile, type FoundProfile, MAX_PROFILE_BYTES, parseJson } from './find.ts';
import type { Pack } from './pack.ts';
import type { Profile } from './profile.ts';
import type { KindCatalog } from './schema.ts';
import { readScript, type Script } from './script.ts';
import { membersOf } from './unchecked.ts';
import { withFractionalRegions } from './units.ts';

/** Options of {@link loadProfile}. */
export interface LoadOptions {
  /** Packs in which games are looked up by name; default: the built-in one. */
  readonly packs?: readonly Pack[];
  /** Loads what is known of detector kinds: the schemas of those used, and of preprocessing if a region has `steps`. */
  readonly kinds?: (used: ReadonlySet<string>, steps: boolean) => Promise<KindCatalog>;
  /** Languages of the text on screen, instead of the profile's. */
  readonly language?: string | readonly string[] | undefined;
  /** For a profile being written: missing files of detectors are listed in `missing` instead of thrown. */
  readonly unfinished?: boolean;
}

/** A valid profile with its files. */
export interface LoadedProfile {
  /** With the languages to read set in every detector, and regions in fractions. */
  readonly profile: Profile;
  /** The languages of the text on screen: those requested, else the profile's; may be empty. */
  readonly languages: readonly string[];
  /** Name and version of the profile, and a hash of it and of every file it names. */
  readonly fingerprint: Fingerprint;
  readonly pack: Pack;
  /** Path of profile.json within the pack. */
  readonly path: string;
  /** Reads files relative to the profile's folder, for detectors. */
  readonly assets: { read(path: string): Promise<Uint8Array> };
  /** Missing files that detectors name; only of an unfinished profile. */
  readonly missing: readonly Issue[];
  /** The game script, if there is one. */
  readonly script?: Script;
}

/**
 * Finds, reads and checks a profile.
 *
 * @param nameOrPath The name of a game, or a path as `findProfile` takes it.
 * @throws PlaybyplayError `unknown-game`, `profile-missing`, or `profile-broken` with all issues.
 */
export async function loadProfile(nameOrPath: string, options: LoadOptions = {}): Promise<LoadedProfile> {
  return loadFoundProfile(await findProfile(nameOrPath, options.packs), options);
}

/** Reads and checks a profile that was found, as {@link loadProfile} does. */
export async function loadFoundProfile(
  { pack, path }: FoundProfile,
  options: Omit<LoadOptions, 'packs'> = {},
): Promise<LoadedProfile> {
  const place = pack.locate(path);
  const bytes = await pack.read(path, MAX_PROFILE_BYTES);
  const value = parseJson(bytes, place);
  const kinds = await options.kinds?.(usedKinds(value), hasSteps(value));
  const { issues, assets } = checkProfile(value, place, kinds);
  const folder = posix.dirname(path);
  const assetIssues = await checkAssets(pack, folder, assets, place);
  const missing = options.unfinished ? assetIssues.filter(isUnfinishedAsset) : [];
  const all = [...issues, ...assetIssues.filter((issue) => !missing.includes(issue))];
  if (all.length > 0) {
    const message = `the profile ${place} has ${all.length === 1 ? 'a mistake' : `${all.length} mistakes`}`;
    throw new PlaybyplayError('profile-broken', message, { issues: all });
  }
  const localized = localizeProfile(withFractionalRegions(value as Profile), options.language);
  const { profile, languages } = localized;
  const hash = createHash('sha256').update(bytes);
  if (options.language !== undefined) hash.update(`\0language ${languages.join(' ')}\0`);
  const present = assets.filter(({ pointer }) => !missing.some(({ path: at }) => at === `${place}#${pointer}`));
  const reader = new AssetReader(pack, folder, localized);
  await reader.addToHash(hash, new Set(present.map((asset) => asset.path).toSorted()));
  const script = await readScript(pack, profile.game);
  return {
    profile,
    languages,
    fingerprint: { name: profile.game, version: profile.version, hash: hash.digest('hex').slice(0, 32) },
    pack,
    path,
    missing,
    assets: reader,
    ...(script === undefined ? {} : { script }),
  };
}

/** Whether an issue is about a detector's file that is still to be created. */
function isUnfinishedAsset({ code, path }: Issue): boolean {
  return code === 'asset-missing' && /#\/detectors\//.test(path ?? '');
}

async function checkAssets(
  pack: Pack,
  folder: string,
  assets: readonly { readonly path: string; readonly pointer: string }[],
  place: string,
): Promise<readonly Issue[]> {
  const checked = await Promise.all(
    assets.map(async ({ path, pointer }): Promise<Issue | undefined> => {
      try {
        await pack.read(posix.join(folder, path));
        return undefined;
      } catch (error) {
        const code = error instanceof PlaybyplayError ? error.code : 'asset-missing';
        const hint = (error instanceof PlaybyplayError ? error.hint : undefined) ?? creationHint(code, pointer);
        return {
          code,
          path: `${place}#${pointer}`,
          message: messageOf(error),
          ...(hint === undefined ? {} : { hint }),
        };
      }
    }),
  );
  return checked.filter((issue) => issue !== undefined);
}

/** Says how to create a missing file. */
function creationHint(code: string, pointer: string): string | undefined {
  if (code !== 'asset-missing') return undefined;
  const option = /^\/detectors\/[^/]+\/([^/]+)/.exec(pointer)?.[1] ?? '';
  return CREATION_HINTS[option];
}

const CREATION_HINTS: Readonly<Record<string, string>> = {
  atlas: 'Learn the font: playbyplay profile glyphs.',
  light: 'Learn it: playbyplay profile glyphs --light.',
  clips: 'Learn the sound: playbyplay profile sound.',
  icons: 'Cut the picture out of a frame and save it there (playbyplay profile try --out writes regions as PNG).',
};

/** Returns the names of the detector kinds in an unchecked profile. */
function usedKinds(value: unknown): ReadonlySet<string> {
  return new Set(membersOf(value, 'detectors').flatMap(([, { kind }]) => (typeof kind === 'string' ? [kind] : [])));
}

/** Whether any region of an unchecked profile has preprocessing steps. */
function hasSteps(value: unknown): boolean {
  return membersOf(value, 'regions').some(([, region]) => 'preprocess' in region);
}
