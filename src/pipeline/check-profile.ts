import { posix } from 'node:path';
import type { Plugins } from '../detectors/plugins/load.ts';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import { languageName, toLanguageTags } from '../language/tags.ts';
import { compileProfile } from './compile-profile.ts';
import { findRequirements } from './game.ts';
import { loadKindCatalog } from './schemas.ts';
import { readWords, findRuleIssues, findScriptWordIssues, findStatementIssues } from './words.ts';
import type { Profile } from '../profile/profile.ts';
import type { Pack } from '../profile/pack.ts';
import { checkSchema } from '../schema/check.ts';
import type { Schema } from '../schema/from-schema.ts';
import { inspectProfile, loadProfile } from '../profile/load.ts';
import { findProfile, type FoundProfile, rawProfile } from '../profile/find.ts';
import { readScript, type Script } from '../profile/script.ts';
import { SequenceNetwork } from '../script/sequence-network.ts';
import { openScript } from '../script/script.ts';

/** Options of `checkProfile`. */
export interface ProfileCheckOptions {
  readonly plugins: Plugins;
  readonly language?: string | undefined;
  readonly highlightSettings: Schema;
}

/** What a check of a profile found. */
export interface ProfileCheck {
  /** Where the profile is stored. */
  readonly location: string;
  readonly issues: readonly Issue[];
}

/**
 * Checks a profile with everything that belongs to it: form, references, assets, script, words and highlight settings.
 *
 * @param name - The name of a game, or a path.
 * @param options - `language`: also checks what reading this language needs; `highlightSettings`: the schema of highlights.json,
 *   which belongs to a higher layer.
 */
export async function checkProfile(
  name: string,
  { plugins, language, highlightSettings }: ProfileCheckOptions,
): Promise<ProfileCheck> {
  const found = await findProfile(name);
  const { pack, path } = found;
  const location = pack.locate(path);
  const issues = [
    ...(await inspectProfile(name, { kinds: (used, steps) => loadKindCatalog(used, steps, plugins), language })),
  ];
  if (issues.length === 0) issues.push(...(await checkDetectors(name, plugins, language)));
  const isSound = issues.length === 0;
  issues.push(...(await checkMeaning(found, location)));
  if (isSound) issues.push(...(await checkOtherLanguages(name, plugins, language)));
  issues.push(
    ...(await checkHighlightSettings(pack, posix.join(posix.dirname(path), 'highlights.json'), highlightSettings)),
  );
  return { location, issues };
}

/** Opens the files that detectors and interpreter use: fonts, icons, networks. */
async function checkDetectors(name: string, plugins: Plugins, language?: string): Promise<Issue[]> {
  const loaded = await compileProfile(await loadProfile(name, { language }), plugins);
  const { profile, assets, pack, path } = loaded;
  const issues: Issue[] = [];
  const attempt = async (pointer: string, open: () => Promise<Disposable>): Promise<void> => {
    try {
      (await open())[Symbol.dispose]();
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
      const { code, message, hint } = error;
      const place = `${pack.locate(path)}#${pointer}`;
      issues.push({ code, path: place, message, ...(hint === undefined ? {} : { hint }) }, ...error.issues);
    }
  };
  for (const { name: detector, kind, spec } of loaded.detectors)
    if (kind.input === 'frame') await attempt(`/detectors/${detector}`, () => kind.open(spec, assets));
  issues.push(...findUnusedSteps(profile, pack.locate(path)), ...(await findRequirements(loaded)).issues);
  const { interpreter } = profile;
  if (interpreter) await attempt('/interpreter', () => SequenceNetwork.open(interpreter, assets));
  return issues;
}

/** Checks the files of the profile's other languages, but not what reading them needs: that takes `language`. */
async function checkOtherLanguages(
  name: string,
  plugins: Plugins,
  language: string | undefined,
): Promise<readonly Issue[]> {
  const { profile } = await loadProfile(name);
  const issues: Issue[] = [];
  for (const tag of language === undefined ? toLanguageTags(profile.languages) : []) {
    const found = await checkDetectors(name, plugins, tag);
    const own = found.filter(({ code }) => code !== 'no-language-data');
    issues.push(...own.map((issue) => ({ ...issue, message: `in ${languageName(tag)}: ${issue.message}` })));
  }
  return issues;
}

/** Finds preprocessing of regions that only glyph readers use: these read the unprocessed crop. */
function findUnusedSteps({ detectors, regions }: Profile, place: string): Issue[] {
  const byRegion = Map.groupBy(Object.entries(detectors), ([, { region }]) => region ?? '');
  return [...byRegion].flatMap(([region, users]) => {
    const steps = regions[region]?.preprocess ?? [];
    const isUnused = users.every(
      ([, { kind, ...more }]) => (kind === 'text' || kind === 'feed') && 'atlas' in more && !('fallback' in more),
    );
    if (steps.length === 0 || !isUnused) return [];
    const message = `has no effect: ${users.map(([name]) => `“${name}”`).join(', ')} reads the unprocessed crop`;
    const hint = 'Remove it. Set the colors of the font with “profile glyphs --inks” or --channel.';
    return [{ code: 'unused-steps', path: `${place}#/regions/${region}/preprocess`, message, hint }];
  });
}

/** Checks the highlight settings next to a profile, if there are any. */
async function checkHighlightSettings(pack: Pack, path: string, schema: Schema): Promise<readonly Issue[]> {
  if (!(await pack.has(path))) return [];
  const place = pack.locate(path);
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(await pack.read(path)).toString('utf8'));
  } catch (error) {
    return [{ code: 'settings-invalid', path: place, message: `is not JSON: ${messageOf(error)}` }];
  }
  return checkSchema(schema, data, { source: place });
}

/** Checks the script, words and statements of a game, even if its profile has other mistakes. */
async function checkMeaning({ pack, path }: FoundProfile, place: string): Promise<readonly Issue[]> {
  const raw = await rawProfile({ pack, path });
  const value = (typeof raw === 'object' && raw !== null ? raw : {}) as Partial<Profile>;
  const game = typeof value.game === 'string' ? value.game : posix.basename(posix.dirname(path));
  const named = Array.isArray(value.dictionaries) ? { dictionaries: value.dictionaries } : {};
  const { dictionary, issues } = await readWords({ game, ...named }, pack);
  const words = [...issues, ...findStatementIssues(raw, place, dictionary)];
  if (value.fusion && Array.isArray(value.fusion.rules))
    words.push(...findRuleIssues({ fusion: value.fusion }, place, dictionary));
  const script = await readScript(pack, game);
  if (script !== undefined)
    return [...words, ...(await checkScript(script, value)), ...findScriptWordIssues(script, dictionary)];
  if (raw === undefined || value.interpreter !== undefined || (value.events ?? []).length > 0) return words;
  const message = 'no events can be detected: there is no script, and the profile has no “events”';
  return [...words, { code: 'no-events', message, hint: `Write ${pack.locate(`scripts/${game}.js`)}, or “events”.` }];
}

async function checkScript(script: Script, { detectors }: Partial<Profile>): Promise<readonly Issue[]> {
  try {
    using running = await openScript({ ...script, detectors: Object.keys(detectors ?? {}) });
    return running.end(0).problems;
  } catch (error) {
    if (error instanceof PlaybyplayError && error.code === 'script-broken') return error.issues;
    throw error;
  }
}
