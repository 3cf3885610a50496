import { messageOf } from '../errors.ts';
import { checkDefinitions, checkEvents, checkFrames, checkNames, type Located, type UsableFile } from './checks.ts';
import { Dictionary, type DictionaryInfo, type EventDefinition, wordId } from './dictionary.ts';
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
import type { WordIssue } from './issues.ts';
import { hintFor } from './search.ts';
import { checkShape, isRecord, pointer, Report } from './shape.ts';

/** A dictionary file: its text or the parsed JSON, and the name by which issues speak of it. */
export interface DictionarySource {
  readonly file: string;
  readonly data: unknown;
}

export interface LoadOptions {
  /** Whether definitions are examined for circles, which is most of the work; default true. */
  readonly definitions?: boolean;
  /** Whether names, frames and composite events are examined; default true. Files that are known to be sound need it not. */
  readonly meaning?: boolean;
}

export interface LoadedDictionary {
  /** What could be made of the sources: words with issues that would break the tree are left out. */
  readonly dictionary: Dictionary;
  readonly issues: readonly WordIssue[];
}

/**
 * Merges the common dictionary and any extensions, in any order, into one. Everything wrong with any of them is
 * collected: shapes, versions, unknown or cyclic parents, redefinitions, clashing names, definitions, patterns.
 */
export function loadDictionary(sources: readonly DictionarySource[], options: LoadOptions = {}): LoadedDictionary {
  const reports: Report[] = [];
  const files: { file: UsableFile; report: Report }[] = [];
  for (const source of sources) {
    const report = new Report(source.file);
    reports.push(report);
    const raw = parsed(source, report);
    const data = raw === undefined ? undefined : checkShape(raw, report);
    const file = data && usablePart(data, report);
    if (file) files.push({ file, report });
  }
  // The common dictionary first, extensions by name: the order of the sources decides nothing.
  files.sort((a, b) => rank(a.file) - rank(b.file) || (a.file.name < b.file.name ? -1 : 1));
  checkVersions(files);
  const seen = new Set<string>();
  const unique = files.filter(({ file, report }) => {
    if (!seen.has(file.name)) return seen.add(file.name);
    report.add('duplicate-dictionary', '/name', `a dictionary named "${file.name}" is loaded already`);
    return false;
  });
  const located = collect(unique);
  const linked = link(located);
  const extra = addedSynonyms(unique, linked);
  const seeds = linked.map(({ seed }) => {
    const more = extra.get(seed.kind)?.get(seed.id);
    return more ? { ...seed, synonyms: [...seed.synonyms, ...more] } : seed;
  });
  const infos: DictionaryInfo[] = unique.map(({ file }) => ({
    name: file.name,
    version: file.version,
    title: file.title,
  }));
  const events: EventDefinition[] = unique.flatMap(({ file }) =>
    file.events.flatMap((event) =>
      event ? [{ ...event, id: wordId(file.name, event.name), namespace: file.name }] : [],
    ),
  );
  const dictionary = new Dictionary(seeds, infos, events);
  if (options.meaning ?? true) {
    checkNames(dictionary, linked);
    if (options.definitions ?? true) checkDefinitions(dictionary, linked);
    checkFrames(dictionary, linked);
    for (const { file, report } of unique) checkEvents(dictionary, file, report);
  }
  return { dictionary, issues: reports.flatMap((report) => report.issues) };
}

function parsed(source: DictionarySource, report: Report): unknown {
  if (typeof source.data !== 'string') return source.data;
  try {
    return JSON.parse(source.data) as unknown;
  } catch (error) {
    report.add('not-json', '', `the file is not JSON: ${messageOf(error)}`);
    return undefined;
  }
}

function rank(file: UsableFile): number {
  return file.name === commonName ? 0 : 1;
}

function checkVersions(files: readonly { file: UsableFile; report: Report }[]): void {
  const versions = new Map(files.map(({ file }) => [file.name, file.version]));
  for (const { file, report } of files) {
    if (file.name !== commonName && !file.extends?.[commonName]) {
      report.add(
        'no-base',
        '/extends',
        `"${file.name}" does not say which common dictionary it extends`,
        'add "extends": {"common": "^1.0.0"}',
      );
    }
    for (const [name, range] of Object.entries(file.extends ?? {})) {
      const version = versions.get(name);
      const path = `/extends/${name}`;
      if (version === undefined) {
        report.add(
          'missing-dictionary',
          path,
          `"${file.name}" extends "${name}", which is not loaded`,
          hintFor(name, versions.keys()),
        );
      } else if (!satisfies(version, range)) {
        report.add('version-mismatch', path, `"${file.name}" is made for ${name} ${range}, loaded is ${version}`);
      }
    }
  }
}

function collect(files: readonly { file: UsableFile; report: Report }[]): Located[] {
  const located = new Map<string, Located>();
  for (const { file, report } of files) {
    for (const kind of wordKinds) {
      file[listOf[kind]].forEach((entry, index) => {
        if (!entry) return;
        const path = `/${listOf[kind]}/${index}`;
        const id = wordId(file.name, entry.name, entry.sense);
        const key = `${kind} ${id.toLowerCase()}`;
        if (located.has(key)) {
          report.add(
            'duplicate-word',
            path,
            `the ${kind} "${id}" is defined twice`,
            'give one of them a sense, or another name',
          );
          return;
        }
        const seed = { kind, id, namespace: file.name, parentId: entry.parent, entry, synonyms: entry.synonyms ?? [] };
        located.set(key, { seed, path, report });
      });
    }
  }
  return [...located.values()];
}

/** Leaves out what hangs on no root: words with unknown parents, in cycles, or without a parent where one is needed. */
function link(located: readonly Located[]): Located[] {
  const byKey = new Map(located.map((each) => [`${each.seed.kind} ${each.seed.id}`, each]));
  const state = new Map<Located, 'open' | 'good' | 'bad'>();
  const parentOf = (each: Located): Located | undefined =>
    each.seed.parentId === undefined ? undefined : byKey.get(`${each.seed.kind} ${each.seed.parentId}`);
  for (const first of located) {
    const chain: Located[] = [];
    let each: Located | undefined = first;
    while (each && !state.has(each)) {
      state.set(each, 'open');
      chain.push(each);
      each = parentOf(each);
    }
    let good: boolean;
    if (each && state.get(each) === 'open') {
      good = false;
      const cycle = chain.slice(chain.indexOf(each));
      const names = [...cycle, each].map((word) => word.seed.id).join(' → ');
      each.report.add('parent-cycle', `${each.path}/parent`, `"${each.seed.id}" stands under itself: ${names}`);
    } else if (each) good = state.get(each) === 'good';
    else good = rooted(chain.at(-1)!, byKey);
    for (const word of chain) state.set(word, good ? 'good' : 'bad');
    if (good && depthOf(first, parentOf) > limits.depth) {
      first.report.add('too-deep', first.path, `"${first.seed.id}" is more than ${limits.depth} levels deep`);
      for (const word of chain) state.set(word, 'bad');
    }
  }
  return located.filter((each) => state.get(each) === 'good');
}

function depthOf(word: Located, parentOf: (each: Located) => Located | undefined): number {
  let depth = 0;
  for (let each: Located | undefined = word; each && depth <= limits.depth; each = parentOf(each)) depth++;
  return depth;
}

/** The top of a chain: a root of the common dictionary, or a word whose parent is not there. */
function rooted(top: Located, byKey: ReadonlyMap<string, Located>): boolean {
  const { seed, path, report } = top;
  if (seed.parentId === undefined) {
    if (seed.namespace === commonName) return true;
    report.add(
      'orphan-word',
      path,
      `"${seed.id}" has no parent; an extension only adds words under others`,
      'name a parent, for example of the common dictionary',
    );
    return false;
  }
  const elsewhere = wordKinds.find((kind) => kind !== seed.kind && byKey.has(`${kind} ${seed.parentId}`));
  const hint = elsewhere
    ? `"${seed.parentId}" is of the ${listOf[elsewhere]}; a parent is of the same kind`
    : hintFor(seed.parentId, candidates(seed.kind, seed.namespace, seed.parentId, byKey));
  report.add(
    'unknown-parent',
    `${path}/parent`,
    `the parent "${seed.parentId}" of "${seed.id}" is not a known ${seed.kind}`,
    hint,
  );
  return false;
}

function* candidates(
  kind: WordKind,
  namespace: string,
  wanted: string,
  byKey: ReadonlyMap<string, Located>,
): Generator<string> {
  const own = wordId(namespace, wanted);
  if (byKey.has(`${kind} ${own}`)) yield own;
  for (const each of byKey.values()) if (each.seed.kind === kind) yield each.seed.id;
}

type Extra = Map<WordKind, Map<string, string[]>>;

function addedSynonyms(files: readonly { file: UsableFile; report: Report }[], located: readonly Located[]): Extra {
  const known = new Map(
    wordKinds.map((kind) => [kind, new Set(located.filter((l) => l.seed.kind === kind).map((l) => l.seed.id))]),
  );
  const extra: Extra = new Map();
  for (const { file, report } of files) {
    for (const kind of wordKinds) {
      for (const [id, list] of Object.entries(file.synonyms?.[kind] ?? {})) {
        if (!known.get(kind)!.has(id)) {
          report.add(
            'unknown-word',
            `/synonyms/${kind}/${pointer(id)}`,
            `"${id}" is not a known ${kind}`,
            hintFor(id, known.get(kind)!),
          );
          continue;
        }
        const table = extra.get(kind) ?? new Map<string, string[]>();
        table.set(id, [...(table.get(id) ?? []), ...list]);
        extra.set(kind, table);
      }
    }
  }
  return extra;
}

/**
 * The usable part of a file whose shape has findings, so that the findings beyond the shape are told at the same time:
 * of a broken word its name and parent, so that its children do not seem to be orphans; of all else only what is right.
 */
export function usablePart(data: Readonly<Record<string, unknown>>, report: Report): UsableFile | undefined {
  const { name, version } = data;
  if (typeof name !== 'string' || !namespacePattern.test(name)) return undefined;
  const broken = new Set(
    report.issues.map(
      ({ path }) => /^(\/[a-z]+\/\d+|\/[a-z]+)/.exec(path?.slice(report.file.length + 1) ?? '')?.[1] ?? '',
    ),
  );
  const good = (key: string): boolean => key in data && !broken.has(`/${key}`);
  const entries = (kind: (typeof wordKinds)[number]): (WordEntry | undefined)[] => {
    const list = data[listOf[kind]];
    if (!Array.isArray(list)) return [];
    return list.map((entry: unknown, index) =>
      broken.has(`/${listOf[kind]}/${index}`) ? essence(entry) : (entry as WordEntry),
    );
  };
  const events = Array.isArray(data['events']) ? data['events'] : [];
  return {
    format: 'playbyplay/dictionary/1',
    name,
    version: typeof version === 'string' && !broken.has('/version') ? version : '0.0.0',
    ...(good('title') && { title: data['title'] as string }),
    ...(good('extends') && { extends: data['extends'] as Record<string, string> }),
    ...(good('synonyms') && { synonyms: data['synonyms'] as NonNullable<DictionaryFile['synonyms']> }),
    objects: entries('object'),
    actions: entries('action'),
    properties: entries('property'),
    events: events.map((event: unknown, index) =>
      broken.has(`/events/${index}`) ? undefined : (event as UsableFile['events'][number]),
    ),
  };
}

/** Name, sense, parent and definition of a broken entry, where they can be read. */
function essence(entry: unknown): WordEntry | undefined {
  if (!isRecord(entry)) return undefined;
  const { name, sense, parent, definition } = entry;
  if (typeof name !== 'string' || !namePattern.test(name)) return undefined;
  return {
    name,
    ...(typeof sense === 'string' && sensePattern.test(sense) && { sense }),
    ...(typeof parent === 'string' && { parent }),
    definition: typeof definition === 'string' ? definition : '',
  };
}

/** The three numbers of a version. */
function versionNumbers(version: string): readonly [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return [major, minor, patch];
}

/** Does `version` lie in `range`: exact `1.2.3`, `~1.2.3` (same minor) or `^1.2.3` (same leading non-zero number), as in npm? */
export function satisfies(version: string, range: string): boolean {
  const wanted = versionNumbers(range.replace(/^[\^~]/, ''));
  const given = versionNumbers(version);
  const order = compareVersions(given, wanted);
  if (range.startsWith('~')) return order >= 0 && given[0] === wanted[0] && given[1] === wanted[1];
  if (!range.startsWith('^')) return order === 0;
  if (order < 0) return false;
  if (wanted[0] > 0) return given[0] === wanted[0];
  if (wanted[1] > 0) return given[0] === 0 && given[1] === wanted[1];
  return order === 0;
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
