import { posix } from 'node:path';
import { parseArgs } from 'node:util';
import { loadPlugins, type Plugins } from '../../detectors/plugins/load.ts';
import { kindNames, loadKind } from '../../detectors/registry.ts';
import { messageOf, PlaybyplayError, type Issue } from '../../errors.ts';
import { settingsSchema } from '../../highlights/settings-schema.ts';
import { languageName, languagesOf } from '../../language/tags.ts';
import { requirements } from '../../pipeline/game.ts';
import { loadKindCatalog } from '../../pipeline/schemas.ts';
import { readWords, ruleIssues, scriptWordIssues, statementIssues } from '../../pipeline/words.ts';
import type { Profile } from '../../profile/profile.ts';
import type { Pack } from '../../profile/pack.ts';
import { checkSchema } from '../../schema/check.ts';
import { findProfile, type FoundProfile, inspectProfile, loadProfile, rawProfile } from '../../profile/load.ts';
import { readScript, type Script } from '../../profile/script.ts';
import { SequenceReader } from '../../script/sequence/sequence.ts';
import { openScript } from '../../script/script.ts';
import { type CommandIo, usage } from '../command.ts';
import { namedPlugins } from '../plugins.ts';
import { formatIssues } from '../explain.ts';

/** `profile check`: everything that is wrong with a profile, its script and its words, at once. */
export async function checkCommand(args: string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: 'boolean' }, plugin: { type: 'string', multiple: true }, language: { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length === 0) {
    throw usage('which profile?', 'Give the name of a game, or a path.');
  }
  const plugins = await loadPlugins(await namedPlugins(values.plugin), kindNames());
  let findings = 0;
  for (const name of positionals) {
    const found = await findProfile(name);
    const { pack, path } = found;
    const place = pack.locate(path);
    const { language } = values;
    const issues = [
      ...(await inspectProfile(name, { kinds: (used, steps) => loadKindCatalog(used, steps, plugins), language })),
    ];
    if (issues.length === 0) issues.push(...(await detectorIssues(name, plugins, language)));
    const isSound = issues.length === 0;
    issues.push(...(await meaningIssues(found, place)));
    if (isSound) issues.push(...(await otherLanguages(name, plugins, language)));
    issues.push(...(await highlightIssues(pack, posix.join(posix.dirname(path), 'highlights.json'))));
    findings += issues.length;
    if (values.json) io.stdout.write(`${JSON.stringify({ profile: place, issues })}\n`);
    else if (issues.length === 0) io.stdout.write(`${place}: no mistakes\n`);
    else
      io.stdout.write(
        `${place}: ${issues.length === 1 ? 'a mistake' : `${issues.length} mistakes`}\n${formatIssues(issues)}`,
      );
  }
  return findings > 0 ? 3 : 0;
}

/** What is wrong with the files that detectors and interpreter use: fonts, icons, networks. */
async function detectorIssues(name: string, plugins: Plugins, language?: string): Promise<Issue[]> {
  const loaded = await loadProfile(name, { language });
  const { profile, assets, pack, path } = loaded;
  const issues: Issue[] = [];
  const attempt = async (pointer: string, open: () => Promise<Disposable>): Promise<void> => {
    try {
      (await open())[Symbol.dispose]();
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
      const { code, message, hint } = error;
      const place = `${pack.locate(path)}#${pointer}`;
      issues.push({ code, path: place, message, ...(hint === undefined ? {} : { hint }) });
    }
  };
  for (const [detector, spec] of Object.entries(profile.detectors))
    await attempt(`/detectors/${detector}`, async () => {
      const kind = await loadKind(spec.kind, plugins);
      return kind.input === 'frame' ? await kind.open(spec, assets) : { [Symbol.dispose]() {} };
    });
  issues.push(...unusedSteps(profile, pack.locate(path)), ...(await requirements(loaded, plugins)).issues);
  const { interpreter } = profile;
  if (interpreter) await attempt('/interpreter', () => SequenceReader.open(interpreter, assets));
  return issues;
}

/** What is wrong with the files of the profile's other languages; what reading them needs is asked for with `--language` alone. */
async function otherLanguages(name: string, plugins: Plugins, language: string | undefined): Promise<readonly Issue[]> {
  const { profile } = await loadProfile(name);
  const issues: Issue[] = [];
  for (const tag of language === undefined ? languagesOf(profile.languages) : []) {
    const found = await detectorIssues(name, plugins, tag);
    const own = found.filter(({ code }) => code !== 'no-language-data');
    issues.push(...own.map((issue) => ({ ...issue, message: `in ${languageName(tag)}: ${issue.message}` })));
  }
  return issues;
}

/** Preprocessing of regions that are read by a learnt font alone: glyphs are looked for in the untouched picture. */
function unusedSteps({ detectors, regions }: Profile, place: string): Issue[] {
  const byRegion = Map.groupBy(Object.entries(detectors), ([, { region }]) => region ?? '');
  return [...byRegion].flatMap(([region, users]) => {
    const steps = regions[region]?.preprocess ?? [];
    const isUnused = users.every(
      ([, { kind, ...more }]) => (kind === 'text' || kind === 'feed') && 'atlas' in more && !('fallback' in more),
    );
    if (steps.length === 0 || !isUnused) return [];
    const message = `does nothing: ${users.map(([name]) => `“${name}”`).join(', ')} looks for its font in the picture as it is`;
    const hint = 'Leave it out. The colours of the font are told by “profile glyphs --inks” or --channel.';
    return [{ code: 'unused-steps', path: `${place}#/regions/${region}/preprocess`, message, hint }];
  });
}

/** What is wrong with the settings for highlights beside a profile, if there are any. */
async function highlightIssues(pack: Pack, path: string): Promise<readonly Issue[]> {
  if (!(await pack.has(path))) return [];
  const place = pack.locate(path);
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(await pack.read(path)).toString('utf8'));
  } catch (error) {
    return [{ code: 'settings-invalid', path: place, message: `is not JSON: ${messageOf(error)}` }];
  }
  return checkSchema(settingsSchema, data, { source: place });
}

/** What is wrong with the script, the words and the statements of a game, whatever else is wrong with its profile. */
async function meaningIssues({ pack, path }: FoundProfile, place: string): Promise<readonly Issue[]> {
  const raw = await rawProfile({ pack, path });
  const value = (typeof raw === 'object' && raw !== null ? raw : {}) as Partial<Profile>;
  const game = typeof value.game === 'string' ? value.game : posix.basename(posix.dirname(path));
  const named = Array.isArray(value.dictionaries) ? { dictionaries: value.dictionaries } : {};
  const { dictionary, issues } = await readWords({ game, ...named }, pack);
  const words = [...issues, ...statementIssues(raw, place, dictionary)];
  if (value.fusion && Array.isArray(value.fusion.rules))
    words.push(...ruleIssues({ fusion: value.fusion }, place, dictionary));
  const script = await readScript(pack, game);
  if (script !== undefined)
    return [...words, ...(await scriptIssues(script, value)), ...scriptWordIssues(script, dictionary)];
  if (raw === undefined || value.interpreter !== undefined || (value.events ?? []).length > 0) return words;
  const message = 'nothing is ever said: there is no script, and the profile has no “events”';
  return [...words, { code: 'no-events', message, hint: `Write ${pack.locate(`scripts/${game}.js`)}, or “events”.` }];
}

async function scriptIssues(script: Script, { detectors }: Partial<Profile>): Promise<readonly Issue[]> {
  try {
    using running = await openScript({ ...script, detectors: Object.keys(detectors ?? {}) });
    return running.end(0).problems;
  } catch (error) {
    if (error instanceof PlaybyplayError && error.code === 'script-broken') return error.issues;
    throw error;
  }
}
