import { messageOf } from '../errors.ts';
import { appendPointer, isObject } from '../json.ts';
import { checkCompositeEvents, checkDefinitions, checkNames, checkSlotRules, type LocatedEntry } from './checks.ts';
import { Dictionary, wordId } from './dictionary.ts';
import {
  commonName,
  type DictionaryFile,
  limits,
  listOf,
  namePattern,
  namespacePattern,
  sensePattern,
  type WordEntry,
  type WordKind,
  wordKinds,
} from './format.ts';
import type { DictionaryIssue } from './issues.ts';
import { suggestWord } from './search.ts';
import { checkShape, Report } from './shape.ts';

/** A dictionary file. */
export interface DictionarySource {
  /** Names the file in issues. */
  readonly file: string;
  /** The text of the file or its parsed JSON. */
  readonly data: unknown;
  /** The file is part of the package, so that its tests have checked its shape. */
  readonly isBuiltin?: boolean;
}

/** Options of {@link loadDictionary}. */
export interface LoadOptions {
  /** Checks definitions for cycles, which takes most of the time. Default true. */
  readonly definitions?: boolean;
  /**
   * Checks names, slot rules and composite events, and the shape of built-in files. Default true; unnecessary for files that were
   * checked before.
   */
  readonly meaning?: boolean;
}

/** The result of {@link loadDictionary}. */
export interface LoadedDictionary {
  /** The usable words; words with issues that would break the hierarchy are omitted. */
  readonly dictionary: Dictionary;
  readonly issues: readonly DictionaryIssue[];
}

/** The usable part of a file. Entries keep their index; unusable ones are `undefined`. */
interface UsableFile extends Omit<DictionaryFile, 'objects' | 'actions' | 'properties' | 'events'> {
  readonly objects: readonly (WordEntry | undefined)[];
  readonly actions: readonly (WordEntry | undefined)[];
  readonly properties: readonly (WordEntry | undefined)[];
  readonly events: readonly (NonNullable<DictionaryFile['events']>[number] | undefined)[];
}

interface LoadedFile {
  readonly file: UsableFile;
  readonly report: Report;
}

/**
 * Merges the common dictionary and extensions, in any order.
 *
 * @returns The dictionary and all issues of all files: shape, versions, parents, names, definitions, slot rules, events.
 * @example
 * const sources = await readSources(['node_modules/playbyplay/dictionary/common.json']);
 * const extension = {
 *   format: 'playbyplay/dictionary/1', name: 'my-game', version: '1.0.0', extends: { common: '^1.0.0' },
 *   objects: [{ name: 'bubble gun', parent: 'water gun', definition: 'A water gun that blows soap.' }],
 * };
 * const { dictionary, issues } = loadDictionary([...sources, { file: 'my-game.json', data: extension }]);
 * issues; // []
 * dictionary.isA('my-game:bubble gun', 'weapon'); // true
 */
export function loadDictionary(sources: readonly DictionarySource[], options: LoadOptions = {}): LoadedDictionary {
  const { definitions = true, meaning = true } = options;
  const reports: Report[] = [];
  const files: LoadedFile[] = [];
  for (const source of sources) {
    const report = new Report(source.file);
    reports.push(report);
    const json = parseJson(source, report);
    const isChecked = source.isBuiltin && !meaning && isObject(json);
    const data = isChecked ? json : json === undefined ? undefined : checkShape(json, report);
    const file = data && extractUsable(data, report);
    if (file) files.push({ file, report });
  }
  const sorted = sortFiles(files);
  checkExtends(sorted);
  const merged = removeDuplicates(sorted);
  const entries = linkEntries(collectEntries(merged));
  const added = collectAddedSynonyms(merged, entries);
  const seeds = entries.map(({ seed }) => ({
    ...seed,
    synonyms: [...seed.synonyms, ...(added.get(entryKey(seed.kind, seed.id)) ?? [])],
  }));
  const infos = merged.map(({ file: { name, version, title } }) => ({ name, version, title }));
  const events = merged.flatMap(({ file: { name, events: definitionsOfFile } }) =>
    definitionsOfFile.flatMap((event) => (event ? [{ ...event, id: wordId(name, event.name), namespace: name }] : [])),
  );
  const dictionary = new Dictionary(seeds, infos, events);
  if (meaning) {
    checkNames(dictionary, entries);
    if (definitions) checkDefinitions(dictionary, entries);
    checkSlotRules(dictionary, entries);
    for (const { file, report } of merged) checkCompositeEvents(dictionary, file.events, report);
  }
  return { dictionary, issues: reports.flatMap((report) => report.issues) };
}

function parseJson({ data }: DictionarySource, report: Report): unknown {
  if (typeof data !== 'string') return data;
  try {
    return JSON.parse(data) as unknown;
  } catch (error) {
    report.add('not-json', '', `the file is not JSON: ${messageOf(error)}`);
    return undefined;
  }
}

/**
 * Extracts the usable part of a file with shape issues, so that later checks can report in the same run. A broken word keeps
 * its name and parent, so that its children are not reported as orphans.
 */
function extractUsable(data: Readonly<Record<string, unknown>>, report: Report): UsableFile | undefined {
  const { name, version } = data;
  if (typeof name !== 'string' || !namespacePattern.test(name)) return undefined;
  const broken = new Set(
    report.issues.map(
      ({ path }) => /^(\/[a-z]+\/\d+|\/[a-z]+)/.exec(path?.slice(report.file.length + 1) ?? '')?.[1] ?? '',
    ),
  );
  const isUsable = (key: string): boolean => key in data && !broken.has(`/${key}`);
  const entries = (kind: WordKind): (WordEntry | undefined)[] => {
    const list = data[listOf[kind]];
    if (!Array.isArray(list)) return [];
    return list.map((entry: unknown, index) =>
      broken.has(`/${listOf[kind]}/${index}`) ? extractWord(entry) : (entry as WordEntry),
    );
  };
  const events = Array.isArray(data['events']) ? data['events'] : [];
  return {
    format: 'playbyplay/dictionary/1',
    name,
    version: typeof version === 'string' && !broken.has('/version') ? version : '0.0.0',
    ...(isUsable('title') && { title: data['title'] as string }),
    ...(isUsable('extends') && { extends: data['extends'] as Record<string, string> }),
    ...(isUsable('synonyms') && { synonyms: data['synonyms'] as NonNullable<DictionaryFile['synonyms']> }),
    objects: entries('object'),
    actions: entries('action'),
    properties: entries('property'),
    events: events.map((event: unknown, index) =>
      broken.has(`/events/${index}`) ? undefined : (event as UsableFile['events'][number]),
    ),
  };
}

function extractWord(entry: unknown): WordEntry | undefined {
  if (!isObject(entry)) return undefined;
  const { name, sense, parent, definition } = entry;
  if (typeof name !== 'string' || !namePattern.test(name)) return undefined;
  return {
    name,
    ...(typeof sense === 'string' && sensePattern.test(sense) && { sense }),
    ...(typeof parent === 'string' && { parent }),
    definition: typeof definition === 'string' ? definition : '',
  };
}

/** Puts the common dictionary first and extensions by name, so that the order of the sources does not matter. */
function sortFiles(files: readonly LoadedFile[]): LoadedFile[] {
  const rank = ({ file }: LoadedFile): number => (file.name === commonName ? 0 : 1);
  return files.toSorted((a, b) => rank(a) - rank(b) || (a.file.name < b.file.name ? -1 : 1));
}

function checkExtends(files: readonly LoadedFile[]): void {
  const versions = new Map(files.map(({ file }) => [file.name, file.version]));
  for (const { file, report } of files) {
    if (file.name !== commonName && !file.extends?.[commonName])
      report.add(
        'no-base',
        '/extends',
        `"${file.name}" does not declare which common dictionary it extends`,
        'Add "extends": {"common": "^1.0.0"}.',
      );
    for (const [name, range] of Object.entries(file.extends ?? {})) {
      const version = versions.get(name);
      const path = `/extends/${name}`;
      if (version === undefined)
        report.add(
          'missing-dictionary',
          path,
          `"${file.name}" extends "${name}", which is not loaded`,
          suggestWord(name, versions.keys()),
        );
      else if (!satisfies(version, range))
        report.add('version-mismatch', path, `"${file.name}" requires ${name} ${range}, but ${version} is loaded`);
    }
  }
}

/** Is `version` in `range`: exact `1.2.3`, `~1.2.3` (same minor) or `^1.2.3` (same first non-zero number), as in npm? */
function satisfies(version: string, range: string): boolean {
  const wanted = range
    .replace(/^[\^~]/, '')
    .split('.')
    .map(Number);
  const actual = version.split('.').map(Number);
  const firstDifference = wanted.findIndex((part, index) => part !== actual[index]);
  if (firstDifference < 0) return true;
  if (actual[firstDifference]! < wanted[firstDifference]!) return false;
  const firstNonZero = wanted.findIndex((part) => part > 0);
  const fixedParts = range.startsWith('~') ? 2 : range.startsWith('^') && firstNonZero >= 0 ? firstNonZero + 1 : 3;
  return firstDifference >= fixedParts;
}

function removeDuplicates(files: readonly LoadedFile[]): LoadedFile[] {
  const names = new Set<string>();
  return files.filter(({ file: { name }, report }) => {
    if (!names.has(name)) return names.add(name);
    report.add('duplicate-dictionary', '/name', `another loaded dictionary is named "${name}"`);
    return false;
  });
}

function entryKey(kind: WordKind, id: string): string {
  return `${kind} ${id}`;
}

function collectEntries(files: readonly LoadedFile[]): LocatedEntry[] {
  const entries = new Map<string, LocatedEntry>();
  for (const { file, report } of files) {
    for (const kind of wordKinds) {
      for (const [index, entry] of file[listOf[kind]].entries()) {
        if (!entry) continue;
        const path = `/${listOf[kind]}/${index}`;
        const id = wordId(file.name, entry.name, entry.sense);
        const key = entryKey(kind, id.toLowerCase());
        const seed = { kind, id, namespace: file.name, parentId: entry.parent, entry, synonyms: synonymsOf(entry) };
        if (!entries.has(key)) entries.set(key, { seed, path, report });
        else
          report.add(
            'duplicate-word',
            path,
            `the ${kind} "${id}" is defined twice`,
            'Give one of them a sense or another name.',
          );
      }
    }
  }
  return [...entries.values()];
}

/** Keeps the entries with a path to a root; reports unknown, missing and cyclic parents and excessive depth. */
function linkEntries(entries: readonly LocatedEntry[]): LocatedEntry[] {
  const byKey = new Map(entries.map((entry) => [entryKey(entry.seed.kind, entry.seed.id), entry]));
  // Depth below the root; 0 for entries that are being visited, `undefined` depth for entries without a root.
  const depths = new Map<LocatedEntry, number | undefined>();
  for (const entry of entries) {
    const chain: LocatedEntry[] = [];
    let next: LocatedEntry | undefined = entry;
    while (next && !depths.has(next)) {
      depths.set(next, 0);
      chain.push(next);
      const { kind, parentId }: LocatedEntry['seed'] = next.seed;
      next = parentId === undefined ? undefined : byKey.get(entryKey(kind, parentId));
    }
    let depth = next ? depths.get(next) : checkRoot(chain.at(-1)!, byKey);
    if (next && depth === 0) {
      reportParentCycle(chain.slice(chain.indexOf(next)));
      depth = undefined;
    }
    for (const each of chain.toReversed()) {
      if (depth !== undefined) depth++;
      depths.set(each, depth);
    }
    if (depth !== undefined && depth > limits.depth) {
      entry.report.add('too-deep', entry.path, `"${entry.seed.id}" is more than ${limits.depth} levels deep`);
      for (const each of chain) depths.set(each, undefined);
    }
  }
  return entries.filter((entry) => depths.get(entry) !== undefined);
}

function reportParentCycle(cycle: readonly LocatedEntry[]): void {
  const [{ seed, path, report }] = cycle as readonly [LocatedEntry];
  const ids = [...cycle.map((entry) => entry.seed.id), seed.id].join(' → ');
  report.add('parent-cycle', `${path}/parent`, `"${seed.id}" is its own ancestor: ${ids}`);
}

/** Checks the top of a chain of parents. Returns 0, the depth above a root, or `undefined` if it is no root. */
function checkRoot({ seed, path, report }: LocatedEntry, byKey: ReadonlyMap<string, LocatedEntry>): 0 | undefined {
  const { kind, id, parentId, namespace } = seed;
  if (parentId === undefined) {
    if (namespace === commonName) return 0;
    report.add(
      'orphan-word',
      path,
      `"${id}" has no parent; only the common dictionary has words without one`,
      'Name a parent, for example of the common dictionary.',
    );
    return undefined;
  }
  const otherKind = wordKinds.find((each) => each !== kind && byKey.has(entryKey(each, parentId)));
  const ownId = wordId(namespace, parentId);
  const known = (): string[] => {
    const ids = [...byKey.values()].filter((entry) => entry.seed.kind === kind).map((entry) => entry.seed.id);
    return byKey.has(entryKey(kind, ownId)) ? [ownId, ...ids] : ids;
  };
  const hint = otherKind
    ? `"${parentId}" is one of the ${listOf[otherKind]}; a parent must be of the same kind.`
    : report.suggestsSpelling
      ? suggestWord(parentId, known())
      : undefined;
  report.add('unknown-parent', `${path}/parent`, `the parent "${parentId}" of "${id}" is not a known ${kind}`, hint);
  return undefined;
}

function synonymsOf({ synonyms = [], formerly = [] }: WordEntry): readonly string[] {
  return [...synonyms, ...formerly.filter((name) => !name.includes(':'))];
}

/** Collects the synonyms that files add to words of other dictionaries, by entry key. */
function collectAddedSynonyms(
  files: readonly LoadedFile[],
  entries: readonly LocatedEntry[],
): ReadonlyMap<string, readonly string[]> {
  const known = new Set(entries.map(({ seed }) => entryKey(seed.kind, seed.id)));
  const added = new Map<string, string[]>();
  for (const { file, report } of files) {
    for (const kind of wordKinds) {
      for (const [id, synonyms] of Object.entries(file.synonyms?.[kind] ?? {})) {
        const key = entryKey(kind, id);
        if (known.has(key)) added.set(key, [...(added.get(key) ?? []), ...synonyms]);
        else {
          const ids = report.suggestsSpelling
            ? entries.filter(({ seed }) => seed.kind === kind).map(({ seed }) => seed.id)
            : [];
          report.add(
            'unknown-word',
            appendPointer('/synonyms', kind, id),
            `"${id}" is not a known ${kind}`,
            suggestWord(id, ids),
          );
        }
      }
    }
  }
  return added;
}
