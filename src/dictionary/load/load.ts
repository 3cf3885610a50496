import { messageOf } from '../../errors.ts';
import type { WordIssue } from '../codes.ts';
import { Dictionary, wordId, type DictionaryInfo, type EventDefinition } from '../dictionary.ts';
import { checkEvents } from './composites.ts';
import { checkDefinitions } from './definitions.ts';
import { checkFrames } from '../frames.ts';
import { commonName, limits, listOf, wordKinds, type WordKind } from '../format.ts';
import { hintFor, type Located } from '../located.ts';
import { checkNames } from '../names.ts';
import { checkShape, pointer, Report } from '../shape.ts';
import { usablePart, type UsableFile } from './usable.ts';
import { satisfies } from './version.ts';

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
