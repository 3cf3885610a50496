import type { WordId } from '../events/statement.ts';
import {
  commonName,
  slotNames,
  wordKinds,
  type EventEntry,
  type SlotName,
  type SlotUse,
  type WordEntry,
  type WordKind,
} from './format.ts';
import { pluralOf, verbForms, type VerbForms } from './inflection.ts';

/** What an action says about a slot, its ancestors' words included. */
export interface SlotRule {
  readonly use: SlotUse;
  /** With `within`: what the word itself names. */
  readonly word: WordId | undefined;
  readonly accepts: readonly WordId[];
  readonly preposition: string;
  /** The action that says `use`, for messages. */
  readonly source: WordId;
}

/** May a statement fill the slot? */
export function isOpen(rule: SlotRule): boolean {
  return rule.use === 'required' || rule.use === 'optional';
}

export type Frame = Readonly<Record<SlotName, SlotRule>>;

/** A word of a loaded dictionary. */
export interface Word {
  readonly kind: WordKind;
  readonly id: WordId;
  readonly name: string;
  readonly sense: string | undefined;
  /** Name of the dictionary it comes from (`common`, `openarena`). */
  readonly namespace: string;
  readonly definition: string;
  readonly examples: readonly string[];
  readonly parent: Word | undefined;
  readonly children: readonly Word[];
  /** 1 for a root. */
  readonly depth: number;
  /** Names besides `name`. */
  readonly synonyms: readonly string[];
  /** Objects: the plural. */
  readonly plural: string;
  /** Actions: the forms of the verb. */
  readonly forms: VerbForms;
  /** Actions: nouns for the happening. */
  readonly nouns: readonly string[];
  /** Actions: the pattern, inherited parts included. */
  readonly frame: Frame;
  /** Actions: what the object thereby does, if anything; its own or inherited. */
  readonly causes: Word | undefined;
  /** Position in a preorder walk of the whole dictionary, and that of the last word under it: is-a is `order <= o <= last`. */
  readonly order: number;
  readonly last: number;
}

/** A loaded file, as a log's header names it. */
export interface DictionaryInfo {
  readonly name: string;
  readonly version: string;
  readonly title: string | undefined;
}

/** A composite event and where it comes from. */
export interface EventDefinition extends EventEntry {
  readonly id: string;
  readonly namespace: string;
}

const usualPrepositions: Readonly<Record<SlotName, string>> = {
  subject: '',
  object: '',
  with: 'with',
  to: 'to',
  from: 'from',
  at: 'at',
  manner: '',
  amount: 'for',
};

const emptyFrame = Object.fromEntries(
  slotNames.map((slot) => [
    slot,
    { use: 'optional', word: undefined, accepts: [], preposition: usualPrepositions[slot], source: '' },
  ]),
) as unknown as Frame;

/** What `load` knows of a word before the tree is linked. */
export interface WordSeed {
  readonly kind: WordKind;
  readonly id: WordId;
  readonly namespace: string;
  readonly parentId: WordId | undefined;
  readonly entry: WordEntry;
  readonly synonyms: readonly string[];
}

type Building = { -readonly [K in keyof Word]: Word[K] } & { children: Word[] };

/** The merged words of the common dictionary and its extensions. Immutable; made by `loadDictionary`. */
export class Dictionary {
  readonly sources: readonly DictionaryInfo[];
  readonly events: readonly EventDefinition[];
  /** In preorder: `ordered[word.order] === word`. */
  readonly ordered: readonly Word[];
  private readonly byKind: Readonly<Record<WordKind, ReadonlyMap<string, Word>>>;

  /** Seeds must form a forest (`loadDictionary` sees to it). */
  constructor(seeds: readonly WordSeed[], sources: readonly DictionaryInfo[], events: readonly EventDefinition[]) {
    this.sources = sources;
    this.events = events;
    const byKind = {
      object: new Map<string, Building>(),
      action: new Map<string, Building>(),
      property: new Map<string, Building>(),
    };
    for (const seed of seeds) byKind[seed.kind].set(seed.id, build(seed));
    for (const seed of seeds) {
      const word = byKind[seed.kind].get(seed.id)!;
      const parent = seed.parentId === undefined ? undefined : byKind[seed.kind].get(seed.parentId);
      word.parent = parent;
      parent?.children.push(word);
    }
    const ordered: Word[] = [];
    for (const kind of wordKinds) {
      for (const word of byKind[kind].values()) if (!word.parent) number(word, ordered, seeds);
    }
    const entries = new Map(seeds.filter((seed) => seed.kind === 'action').map((seed) => [seed.id, seed.entry]));
    for (const word of ordered) {
      if (word.kind !== 'action') continue;
      const entry = entries.get(word.id);
      inheritFrame(word as Building, entry?.slots);
      (word as Building).causes = entry?.causes === undefined ? word.parent?.causes : byKind.action.get(entry.causes);
    }
    for (const kind of wordKinds) {
      // Another spelling of an id finds the word too; a map goes on over what is added, which changes nothing here.
      for (const [id, word] of byKind[kind]) {
        const lower = id.toLowerCase();
        if (!byKind[kind].has(lower)) byKind[kind].set(lower, word);
      }
    }
    this.ordered = ordered;
    this.byKind = byKind;
  }

  /** The word with this id, of this kind if given (else the first of object, property, action that has it). */
  find(id: WordId, kind?: WordKind): Word | undefined {
    if (kind !== undefined) return this.byKind[kind].get(id) ?? this.byKind[kind].get(id.toLowerCase());
    return this.find(id, 'object') ?? this.find(id, 'property') ?? this.find(id, 'action');
  }

  /** Is `a` the same word as `b`, or one under it? In O(1). Unknown words are nothing. */
  isA(a: WordId, b: WordId, kind?: WordKind): boolean {
    if (kind !== undefined) return covers(this.find(b, kind), this.find(a, kind));
    return wordKinds.some((each) => covers(this.find(b, each), this.find(a, each)));
  }

  /** From the word's parent up to its root. */
  ancestors(id: WordId, kind?: WordKind): readonly Word[] {
    const list: Word[] = [];
    for (let word = this.find(id, kind)?.parent; word; word = word.parent) list.push(word);
    return list;
  }

  /** All words under the word, each parent before its children. */
  descendants(id: WordId, kind?: WordKind): readonly Word[] {
    const word = this.find(id, kind);
    return word ? this.ordered.slice(word.order + 1, word.last + 1) : [];
  }

  /** The words without a parent. */
  roots(kind?: WordKind): readonly Word[] {
    return this.ordered.filter((word) => !word.parent && (kind === undefined || word.kind === kind));
  }

  words(kind?: WordKind): readonly Word[] {
    return kind === undefined ? this.ordered : this.ordered.filter((word) => word.kind === kind);
  }
}

/** Does `word` stand at or under `ancestor`? */
export function covers(ancestor: Word | undefined, word: Word | undefined): boolean {
  return ancestor !== undefined && word !== undefined && word.order >= ancestor.order && word.order <= ancestor.last;
}

/** Is the word `a` the same as `b`, or one under it? In O(1); words that the dictionary does not have are nothing. */
export function isA(dictionary: Dictionary, a: WordId, b: WordId, kind?: WordKind): boolean {
  return dictionary.isA(a, b, kind);
}

/** The words above a word, its parent first; none for a root or an unknown word. */
export function ancestors(dictionary: Dictionary, id: WordId, kind?: WordKind): readonly Word[] {
  return dictionary.ancestors(id, kind);
}

/** All words under a word, each parent before its children; none for an unknown word. */
export function descendants(dictionary: Dictionary, id: WordId, kind?: WordKind): readonly Word[] {
  return dictionary.descendants(id, kind);
}

/** The id of an entry of the dictionary called `namespace`. */
export function wordId(namespace: string, name: string, sense?: string): WordId {
  return `${namespace === commonName ? '' : `${namespace}:`}${name}${sense === undefined ? '' : `#${sense}`}`;
}

function build(seed: WordSeed): Building {
  const { entry } = seed;
  return {
    kind: seed.kind,
    id: seed.id,
    name: entry.name,
    sense: entry.sense,
    namespace: seed.namespace,
    definition: entry.definition,
    examples: entry.examples ?? [],
    parent: undefined,
    children: [],
    depth: 1,
    synonyms: seed.synonyms,
    plural: entry.plural ?? pluralOf(entry.name),
    forms: verbForms(entry.name, entry),
    nouns: entry.nouns ?? [],
    frame: emptyFrame,
    causes: undefined,
    order: 0,
    last: 0,
  };
}

/** Numbers a tree in preorder without recursion (a file may hold a chain as long as the limits allow). */
function number(root: Building, ordered: Word[], seeds: readonly WordSeed[]): void {
  const stack: { word: Building; next: number }[] = [{ word: root, next: 0 }];
  root.order = ordered.push(root) - 1;
  while (stack.length > 0 && ordered.length <= seeds.length) {
    const top = stack.at(-1)!;
    const child = top.word.children[top.next++] as Building | undefined;
    if (child) {
      child.depth = top.word.depth + 1;
      child.order = ordered.push(child) - 1;
      stack.push({ word: child, next: 0 });
    } else {
      top.word.last = ordered.length - 1;
      stack.pop();
    }
  }
}

/** Words come in preorder, so a parent's frame is complete when its children ask for it. */
function inheritFrame(word: Building, own: WordEntry['slots']): void {
  const inherited = word.parent?.frame ?? emptyFrame;
  if (!own) {
    word.frame = inherited;
    return;
  }
  const frame: Record<SlotName, SlotRule> = { ...inherited };
  for (const slot of slotNames) {
    const said = own[slot];
    if (said === undefined) continue;
    const entry = typeof said === 'string' ? { use: said } : said;
    const before = inherited[slot];
    frame[slot] = {
      use: entry.use ?? before.use,
      word: entry.word ?? before.word,
      accepts: entry.accepts ?? before.accepts,
      preposition: entry.preposition ?? before.preposition,
      source: entry.use === undefined || entry.use === before.use ? before.source : word.id,
    };
  }
  word.frame = frame;
}

/** How a word can be written in a sentence, lower case. Canonical forms are those that `render` writes. */
export function canonicalForms(word: Word): readonly string[] {
  switch (word.kind) {
    case 'object':
      return [word.name, word.plural];
    case 'action':
      return [word.forms.base, word.forms.third, word.forms.participle];
    case 'property':
      return [word.name];
  }
}
