// Turns a HED schema (MediaWiki form, as published by hed-standard/hed-schemas) into a dictionary file.
//   node test/dictionary/hed-vocabulary.ts HED8.4.0.mediawiki > hed.json
import { readFileSync } from 'node:fs';
import { pluralOf } from '../../src/dictionary/inflection.ts';
import { loadDictionary, type LoadedDictionary } from '../../src/dictionary/load.ts';

interface Tag {
  readonly name: string;
  readonly depth: number;
  readonly description: string;
  readonly parent: Tag | undefined;
}

/** The tags of a HED schema in its MediaWiki form: `'''Event'''`, `* Sensory-event <nowiki>{…} [description]</nowiki>`. */
export function hedTags(wiki: string): readonly Tag[] {
  const body = wiki.slice(wiki.indexOf('!# start schema'), wiki.indexOf('!# end schema'));
  const tags: Tag[] = [];
  const path: Tag[] = [];
  for (const line of body.split('\n')) {
    const match = /^(?:'''([^']+)'''|(\*+) ([^<{[\s]+))\s*(?:<nowiki>)?(?:\{[^}]*\})?\s*(?:\[(.*)\])?/.exec(
      line.trim(),
    );
    if (!match) continue;
    const depth = match[2]?.length ?? 0;
    const name = (match[1] ?? match[3])!;
    // "#" stands for a value that a user writes, which is no word.
    if (name === '#') continue;
    const tag: Tag = { name, depth, description: match[4] ?? '', parent: depth === 0 ? undefined : path[depth - 1] };
    path.length = depth;
    path.push(tag);
    tags.push(tag);
  }
  return tags;
}

/**
 * A HED schema (hierarchical event descriptors, hedtags.org) as a dictionary: its tree "Action" becomes actions, its
 * trees of properties and relations become properties, the others objects. "Agent-action" becomes "agent action".
 */
export function hedDictionary(wiki: string, version = '1.0.0'): unknown {
  const tags = hedTags(wiki);
  const names = new Set(tags.map((tag) => wordOf(tag.name)));
  const lists = { objects: [] as object[], actions: [] as object[], properties: [] as object[] };
  for (const tag of tags) {
    const name = wordOf(tag.name);
    const list = listOf(tag);
    const entry = {
      name,
      // HED has both "Toe" and "Toes": then neither is the plural of the other.
      ...(list === 'objects' && names.has(pluralOf(name)) && { plural: name }),
      ...(tag.parent && { parent: wordOf(tag.parent.name) }),
      definition: (tag.description || `What HED calls ${tag.name.toLowerCase()}.`).slice(0, 600),
    };
    lists[list].push(entry);
  }
  return { format: 'playbyplay/dictionary/1', name: 'common', version, title: 'HED standard schema', ...lists };
}

/** Loads it; definitions are not examined, as HED does not promise that they run in no circles. */
export function loadHed(wiki: string): LoadedDictionary {
  return loadDictionary([{ file: 'hed', data: hedDictionary(wiki) }], { definitions: false });
}

function wordOf(tag: string): string {
  return tag.replaceAll('-', ' ').toLowerCase();
}

function listOf(tag: Tag): 'objects' | 'actions' | 'properties' {
  let root = tag;
  while (root.parent) root = root.parent;
  if (root.name === 'Action') return 'actions';
  return root.name === 'Property' || root.name === 'Relation' ? 'properties' : 'objects';
}

if (import.meta.main) {
  const [path] = process.argv.slice(2);
  if (path === undefined) throw new TypeError('give the path of a HED schema in its MediaWiki form');
  process.stdout.write(`${JSON.stringify(hedDictionary(readFileSync(path, 'utf8')), null, 1)}\n`);
}
