import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, loadSharedDictionary, readSources } from '../dictionary/files.ts';
import { validateStatement } from '../dictionary/statements.ts';
import { type Issue } from '../errors.ts';
import type { Fingerprint } from '../events/log.ts';
import { parseStatement } from '../events/statement.ts';
import { appendPointer, asObject, isObject } from '../json.ts';
import type { Pack } from '../profile/pack.ts';
import type { Profile } from '../profile/profile.ts';
import type { Script } from '../profile/script.ts';
import { suggestSpelling } from '../spelling.ts';

/** The dictionary of a game, its sources, and the issues found in them. */
export interface GameWords {
  readonly dictionary: Dictionary;
  readonly dictionaries: readonly Fingerprint[];
  readonly issues: readonly Issue[];
}

/** Reads the common dictionary and the profile's extensions. Those of its pack take precedence over built-in ones. */
export async function readWords(
  { game, dictionaries }: Pick<Profile, 'game' | 'dictionaries'>,
  pack: Pack,
): Promise<GameWords> {
  const own = await pack.has(`dictionary/${game}.json`);
  const names = ['common', ...(dictionaries ?? (own ? [game] : []))];
  const builtin = await dictionaryNames();
  const lacking: Issue[] = [];
  const sources: { name: string; file: string; data: unknown }[] = [];
  for (const name of names) {
    const file = `dictionary/${name}.json`;
    const isOwn = name !== 'common' && (await pack.has(file));
    if (isOwn) sources.push({ name, file, data: Buffer.from(await pack.read(file)).toString('utf8') });
    else if (builtin.includes(name)) {
      const [source] = await readSources([join(builtinFolder, `${name}.json`)]);
      sources.push({ name, file, data: source!.data });
    } else {
      const hint = suggestSpelling(name, [...builtin, game]) ?? `Write it to ${pack.locate(file)}.`;
      lacking.push({ code: 'dictionary-missing', path: file, message: `there is no dictionary “${name}”`, hint });
    }
  }
  // Built-in dictionaries are checked by tests; checking takes longer than all other loading.
  const meaning = pack.locate('dictionary') !== builtinFolder;
  const { dictionary, issues } = loadSharedDictionary(sources, { definitions: false, meaning });
  const fingerprints = sources.map(({ name, data }) => ({
    name,
    version: dictionary.sources.find((source) => source.name === name)?.version ?? '0',
    hash: createHash('sha256').update(String(data)).digest('hex').slice(0, 16),
  }));
  return { dictionary, dictionaries: fingerprints, issues: [...lacking, ...issues] };
}

/**
 * Finds words in fusion rules that the dictionary does not have.
 *
 * @param profile The profile's JSON, perhaps invalid.
 */
export function findRuleIssues(profile: unknown, path: string, dictionary: Dictionary): Issue[] {
  const fusion = isObject(profile) ? profile['fusion'] : undefined;
  const rules = isObject(fusion) && Array.isArray(fusion['rules']) ? (fusion['rules'] as readonly unknown[]) : [];
  return rules.flatMap((rule, index) =>
    (['action', 'property'] as const).flatMap((kind): Issue[] => {
      const word = isObject(rule) ? rule[kind] : undefined;
      if (typeof word !== 'string') return [];
      const issue = findUnknownWord(word, kind, dictionary);
      return issue === undefined ? [] : [{ ...issue, path: `${path}#/fusion/rules/${index}/${kind}` }];
    }),
  );
}

function findUnknownWord(word: string, kind: 'action' | 'property', dictionary: Dictionary): Issue | undefined {
  if (dictionary.find(word, kind)) return undefined;
  const hint =
    suggestSpelling(
      word,
      dictionary.words(kind).map(({ id }) => id),
    ) ?? UNKNOWN_WORD_HINT;
  return { code: 'unknown-word', message: `there is no ${kind} “${word}”`, hint };
}

const UNKNOWN_WORD_HINT = 'See `playbyplay dictionary search`, or add it to the dictionary of the game.';

/**
 * Finds unknown words and wrong slots in the statements of a profile. Slots with placeholders are not checked.
 *
 * @param profile The profile's JSON, perhaps invalid.
 * @param source Name of the file in the issues' paths.
 */
export function findStatementIssues(profile: unknown, source: string, dictionary: Dictionary): Issue[] {
  return [...listStatements(profile)].flatMap(({ statement, pointer }) => {
    const placeholders = new Set<string>();
    const filled = fillPlaceholders(statement, '', placeholders);
    if ('issues' in parseStatement(filled)) return [];
    return validateStatement(filled, dictionary)
      .filter(({ path = '' }) => ![...placeholders].some((at) => path === at || path.startsWith(`${at}/`)))
      .map(({ code, path = '', message, hint }) => ({
        code,
        path: `${source}#${pointer}${path}`,
        message,
        hint: hint ?? (code === 'unknown-word' ? UNKNOWN_WORD_HINT : undefined),
      }))
      .map(({ hint, ...issue }) => (hint === undefined ? issue : { ...issue, hint }));
  });
}

/** Lists the statements of mappings, sequences and the sequence network. */
function* listStatements(profile: unknown): Generator<{ readonly statement: unknown; readonly pointer: string }> {
  const { events, sequences, interpreter } = asObject(profile);
  const lists: readonly (readonly [string, unknown])[] = [
    ['/events', events],
    ['/sequences', sequences],
    ['/interpreter/events', asObject(interpreter)['events']],
  ];
  for (const [pointer, list] of lists) {
    if (typeof list !== 'object' || list === null) continue;
    for (const [name, one] of Object.entries(list)) {
      const { statement } = asObject(one);
      if (statement !== undefined) yield { statement, pointer: appendPointer(pointer, name, 'statement') };
    }
  }
}

/** Replaces each placeholder by a valid value and adds its path to `placeholders`. */
function fillPlaceholders(value: unknown, at: string, placeholders: Set<string>): unknown {
  if (typeof value === 'string' && /\$(?:value|previous|change|count|\d|\([^()]+\))/.test(value)) {
    placeholders.add(at);
    return /\/(?:amount|count)$/.test(at) ? 1 : 'player';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, fillPlaceholders(one, `${at}/${key}`, placeholders)]),
  );
}

/** `action: '…'` and `property: "…"` of a statement in a script. */
const WORD_IN_SCRIPT = /\b(action|property):\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/g;

/** Finds actions and properties in the literals of a script that the dictionary does not have. */
export function findScriptWordIssues(
  { name, source, modules }: Pick<Script, 'name' | 'source' | 'modules'>,
  dictionary: Dictionary,
): Issue[] {
  return [[name, source] as const, ...modules].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, n) => {
      if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) return [];
      return [...line.matchAll(WORD_IN_SCRIPT)].flatMap(([, kind, single, double]): Issue[] => {
        const issue = findUnknownWord(single ?? double ?? '', kind as 'action' | 'property', dictionary);
        return issue === undefined ? [] : [{ ...issue, path: `${file}:${n + 1}` }];
      });
    }),
  );
}
