import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { builtinFolder, dictionaryNames, readSources } from '../dictionary/files.ts';
import { validateStatement } from '../dictionary/statements.ts';
import { loadDictionary } from '../dictionary/load.ts';
import { type Issue } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import type { Fingerprint } from '../events/log.ts';
import { parseStatement } from '../events/statement.ts';
import type { Pack } from '../profile/pack.ts';
import type { Profile } from '../profile/profile.ts';
import type { Script } from '../profile/script.ts';
import { appendPointer } from '../json-pointer.ts';

/** The words of a game, and what is wrong with the files that bring them. */
export interface GameWords {
  readonly dictionary: Dictionary;
  readonly dictionaries: readonly Fingerprint[];
  readonly issues: readonly Issue[];
}

/** The common dictionary, and of the extensions that the profile names those of its pack before the built-in ones. */
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
  // The built-in ones are examined by their own tests; that takes longer than all other loading.
  const meaning = pack.locate('dictionary') !== builtinFolder;
  const { dictionary, issues } = loadDictionary(sources, { definitions: false, meaning });
  const fingerprints = sources.map(({ name, data }) => ({
    name,
    version: dictionary.sources.find((source) => source.name === name)?.version ?? '0',
    hash: createHash('sha256').update(String(data)).digest('hex').slice(0, 16),
  }));
  return { dictionary, dictionaries: fingerprints, issues: [...lacking, ...issues] };
}

/** The words of rules of fusion must be there, or they would hold for nothing. */
export function ruleIssues({ fusion }: Pick<Profile, 'fusion'>, path: string, dictionary: Dictionary): Issue[] {
  const rules = fusion === false ? [] : (fusion?.rules ?? []);
  return rules.flatMap((rule, index) =>
    (['action', 'property'] as const).flatMap((kind): Issue[] => {
      const word = rule[kind];
      if (word === undefined) return [];
      const issue = unknownWord(word, kind, dictionary);
      return issue === undefined ? [] : [{ ...issue, path: `${path}#/fusion/rules/${index}/${kind}` }];
    }),
  );
}

function unknownWord(word: string, kind: 'action' | 'property', dictionary: Dictionary): Issue | undefined {
  if (dictionary.find(word, kind)) return undefined;
  const hint =
    suggestSpelling(
      word,
      dictionary.words(kind).map(({ id }) => id),
    ) ?? ADD;
  return { code: 'unknown-word', message: `there is no ${kind} “${word}”`, hint };
}

const ADD = 'See `playbyplay dictionary search`, or add it to the dictionary of the game.';

/**
 * Words that the statements of a profile (its JSON, right or not) use and the dictionary does not have, and slots that are not as their
 * actions want them. What a placeholder will stand for is not known.
 */
export function statementIssues(profile: unknown, place: string, dictionary: Dictionary): Issue[] {
  return [...statementsIn(profile)].flatMap(({ statement, pointer }) => {
    const open = new Set<string>();
    const filled = filledIn(statement, '', open);
    if ('issues' in parseStatement(filled)) return [];
    return validateStatement(filled, dictionary)
      .filter(({ path = '' }) => ![...open].some((at) => path === at || path.startsWith(`${at}/`)))
      .map(({ code, path = '', message, hint }) => ({
        code,
        path: `${place}#${pointer}${path}`,
        message,
        hint: hint ?? (code === 'unknown-word' ? ADD : undefined),
      }))
      .map(({ hint, ...issue }) => (hint === undefined ? issue : { ...issue, hint }));
  });
}

/** The statements of mappings, sequences and of the network that takes the script's place. */
function* statementsIn(profile: unknown): Generator<{ readonly statement: unknown; readonly pointer: string }> {
  const { events, sequences, interpreter } = recordOf(profile);
  const lists: readonly (readonly [string, unknown])[] = [
    ['/events', events],
    ['/sequences', sequences],
    ['/interpreter/events', recordOf(interpreter)['events']],
  ];
  for (const [pointer, list] of lists) {
    if (typeof list !== 'object' || list === null) continue;
    for (const [name, one] of Object.entries(list)) {
      const { statement } = recordOf(one);
      if (statement !== undefined) yield { statement, pointer: appendPointer(pointer, name, 'statement') };
    }
  }
}

/** A statement with something in the place of each placeholder; `open` gets where those are. */
function filledIn(value: unknown, at: string, open: Set<string>): unknown {
  if (typeof value === 'string' && /\$(?:value|previous|\d)/.test(value)) {
    open.add(at);
    return /\/(?:amount|count)$/.test(at) ? 1 : 'player';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one, `${at}/${key}`, open)]));
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** `action: '…'` and `property: "…"` of a statement in a script. */
const SPOKEN = /\b(action|property):\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/g;

/** Actions and properties that a script names outright and the dictionary does not have: each is a statement that would be refused. */
export function scriptWordIssues(
  { name, source, modules }: Pick<Script, 'name' | 'source' | 'modules'>,
  dictionary: Dictionary,
): Issue[] {
  return [[name, source] as const, ...modules].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, n) => {
      if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) return [];
      return [...line.matchAll(SPOKEN)].flatMap(([, kind, single, double]): Issue[] => {
        const issue = unknownWord(single ?? double ?? '', kind as 'action' | 'property', dictionary);
        return issue === undefined ? [] : [{ ...issue, path: `${file}:${n + 1}` }];
      });
    }),
  );
}
