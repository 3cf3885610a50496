/** Schemas of Hierarchical Event Descriptors (hedtags.org) as dictionaries. */
import { messageOf, PlaybyplayError } from '../errors.ts';
import { isObject } from '../json.ts';
import { canonicalForms, type Dictionary, wordId } from './dictionary.ts';
import { commonName, type DictionaryFile, limits, listOf, type WordEntry, type WordKind, wordKinds } from './format.ts';
import { pluralOf, verbForms } from './inflection.ts';

/** A tag of a HED schema. */
export interface HedTag {
  readonly name: string;
  readonly description: string;
  /** Name of the tag above; none for a root. */
  readonly parent: string | undefined;
}

/** The tags of a HED schema. */
export interface HedSchema {
  readonly version: string;
  /** Parents before children. */
  readonly tags: readonly HedTag[];
}

/** The kind and the common word of the tags below a root of the standard schema. Other roots are those of items. */
const roots: ReadonlyMap<string, { readonly kind: WordKind; readonly parent: string }> = new Map([
  ['Event', { kind: 'object', parent: 'part of play' }],
  ['Agent', { kind: 'object', parent: 'character' }],
  ['Action', { kind: 'action', parent: 'happen' }],
  ['Item', { kind: 'object', parent: 'item' }],
  ['Property', { kind: 'property', parent: 'attribute' }],
  ['Relation', { kind: 'property', parent: 'attribute' }],
] as const);

/** Distinguishes a tag from the common word of the same name. */
const TAG_SENSE = 'tag';

/**
 * Reads a HED schema in its JSON form (8.4.0 and later) or its MediaWiki form.
 *
 * @throws PlaybyplayError `not-a-hed-schema` if the text is neither.
 * @see https://github.com/hed-standard/hed-schemas
 * @example
 * const text = ['HED version="8.4.0"', '!# start schema', "'''Event'''", '* Sensory-event', '!# end schema'].join('\n');
 * parseHedSchema(text).tags[1].parent; // 'Event'
 */
export function parseHedSchema(text: string): HedSchema {
  const schema = text.trimStart().startsWith('{') ? parseJson(text) : parseWiki(text);
  if (schema.tags.length === 0) throw notASchema('it has no tags');
  return schema;
}

function notASchema(reason: string): PlaybyplayError {
  return new PlaybyplayError('not-a-hed-schema', `this is not a HED schema: ${reason}`, {
    hint: 'Give the file HED8.4.0.json or HED8.4.0.mediawiki of hed-standard/hed-schemas.',
  });
}

function parseJson(text: string): HedSchema {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw notASchema(messageOf(error));
  }
  const { tags, version } = isObject(data) ? data : {};
  if (!isObject(tags) || typeof version !== 'string') throw notASchema('"version" or "tags" is missing');
  return {
    version,
    tags: Object.entries(tags).map(([name, tag]) => {
      const { description, parent } = isObject(tag) ? tag : {};
      return {
        name,
        description: typeof description === 'string' ? description : '',
        parent: typeof parent === 'string' ? parent : undefined,
      };
    }),
  };
}

/** Reads `'''Event'''` and `* Sensory-event <nowiki>{…} [description]</nowiki>`, the stars being the depth. */
function parseWiki(text: string): HedSchema {
  const version = /^HED version="([^"]+)"/.exec(text.trimStart())?.[1];
  const body = /!# start schema([^]*?)!# end schema/.exec(text)?.[1];
  if (version === undefined || body === undefined) throw notASchema('its header or the mark of its start is missing');
  const tags: HedTag[] = [];
  const path: string[] = [];
  for (const line of body.split('\n')) {
    const match = /^(?:'''([^']+)'''|(\*+) ([^<{[\s]+))\s*(?:<nowiki>)?(?:\{[^}]*\})?\s*(?:\[(.*)\])?/.exec(
      line.trim(),
    );
    const name = match?.[1] ?? match?.[3];
    // "#" stands for a value that a user writes, which is no word.
    if (!match || name === undefined || name === '#') continue;
    const depth = match[2]?.length ?? 0;
    path.length = depth;
    tags.push({ name, description: match[4] ?? '', parent: path[depth - 1] });
    path.push(name);
  }
  return { version, tags };
}

/** The name of a tag as a word: `sensory event` for `Sensory-event`. */
function hedWord(tag: string): string {
  return tag.replaceAll('-', ' ').toLowerCase();
}

/** The forms of a word that `render` writes. */
function formsOf(kind: WordKind, { name, plural }: WordEntry): readonly string[] {
  if (kind === 'property') return [name];
  if (kind === 'object') return [name, plural ?? pluralOf(name)];
  const { third, participle } = verbForms(name);
  return [name, third, participle];
}

/**
 * Makes a dictionary of a HED schema, an extension of the common dictionary: actions of the tags below `Action`, properties of
 * those below `Property` and `Relation`, objects of all others.
 *
 * A tag whose name is that of a common word of its kind gets the sense `tag`.
 *
 * @param common The common dictionary.
 * @param name Namespace of the words.
 * @example
 * const { dictionary } = await loadBuiltin([]);
 * const text = JSON.stringify({ version: '8.4.0', tags: { Event: { description: 'What happens.', parent: null } } });
 * hedDictionary(parseHedSchema(text), dictionary).objects[0].parent; // 'part of play'
 */
export function hedDictionary({ version, tags }: HedSchema, common: Dictionary, name = 'hed'): DictionaryFile {
  const byName = new Map(tags.map((tag) => [tag.name, tag]));
  const words = new Set(tags.map((tag) => hedWord(tag.name)));
  const spellings = new Set(
    common.ordered
      .filter(({ namespace }) => namespace === commonName)
      .flatMap((word) =>
        [...canonicalForms(word), ...word.synonyms].map((form) => `${word.kind} ${form.toLowerCase()}`),
      ),
  );
  const rootOf = (tag: HedTag): HedTag => {
    let root = tag;
    for (let depth = 0; root.parent !== undefined && depth < limits.depth; depth++)
      root = byName.get(root.parent) ?? { ...root, parent: undefined };
    return root;
  };
  const entries = tags.map((tag): { readonly kind: WordKind; readonly tag: HedTag; readonly entry: WordEntry } => {
    const { kind, parent } = roots.get(rootOf(tag).name) ?? { kind: 'object', parent: 'item' };
    const plural = pluralOf(hedWord(tag.name));
    const entry = {
      name: hedWord(tag.name),
      parent,
      definition: (tag.description || `What HED calls ${tag.name}.`).slice(0, limits.definitionLength),
      // HED has both "Toe" and "Toes": then neither is the plural of the other.
      ...(kind === 'object' && words.has(plural) && { plural: hedWord(tag.name) }),
    };
    return { kind, tag, entry };
  });
  const senses = new Map(
    entries.map(({ kind, tag, entry }) => {
      const isTaken = formsOf(kind, entry).some((form) => spellings.has(`${kind} ${form}`));
      return [tag.name, isTaken ? TAG_SENSE : undefined];
    }),
  );
  const lists = Map.groupBy(entries, ({ kind }) => kind);
  return {
    format: 'playbyplay/dictionary/1',
    name,
    version,
    title: `HED ${version}`,
    extends: { [commonName]: `^${common.sources.find((source) => source.name === commonName)?.version ?? '1.0.0'}` },
    ...Object.fromEntries(
      wordKinds.map((kind) => [
        listOf[kind],
        (lists.get(kind) ?? []).map(({ tag, entry }): WordEntry => {
          const sense = senses.get(tag.name);
          const above = tag.parent === undefined ? undefined : byName.get(tag.parent);
          return {
            ...entry,
            ...(sense !== undefined && { sense }),
            ...(above && { parent: wordId(name, hedWord(above.name), senses.get(above.name)) }),
          };
        }),
      ]),
    ),
  };
}
