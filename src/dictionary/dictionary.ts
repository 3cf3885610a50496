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
import { complementOf, countedNoun, ownNounOf } from './english.ts';
import { pluralOf, verbForms, type VerbForms } from './inflection.ts';

/** What an action says about one of its slots, inherited rules included. */
export interface SlotRule {
  readonly use: SlotUse;
  /** With `use: 'within'`: the word that the action itself names. */
  readonly word: WordId | undefined;
  /** The slot accepts these words and their descendants; empty: any word. */
  readonly accepts: readonly WordId[];
  readonly preposition: string;
  /** The action that declares `use`, for messages. */
  readonly source: WordId;
}

/** The slot rules of an action. */
export type SlotRules = Readonly<Record<SlotName, SlotRule>>;

/** May a statement fill the slot? */
export function isOpen(rule: SlotRule): boolean {
  return rule.use === 'required' || rule.use === 'optional';
}

/** A word of a loaded dictionary. */
export interface Word {
  readonly kind: WordKind;
  readonly id: WordId;
  readonly name: string;
  /** Distinguishes words of the same name. */
  readonly sense: string | undefined;
  /** Name of the dictionary that defines the word (`common`, `openarena`). */
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
  /** Objects: what follows a number, where it is not the noun itself ("10 rounds of ammunition"). */
  readonly counted: { readonly singular: string; readonly plural: string } | undefined;
  /** Objects: the preposition of something there ("in lava"), own or inherited; `undefined`: "at". */
  readonly preposition: string | undefined;
  /** Actions: the verb forms. */
  readonly forms: VerbForms;
  /** Actions: the noun that the name ends with (`golf ball` of `drive golf ball`). */
  readonly ownNoun: string | undefined;
  /** Actions: what follows the object ("puts enemy to sleep"). */
  readonly complement: string | undefined;
  /** Actions: nouns for the action (`death` for `die`). */
  readonly nouns: readonly string[];
  /** Actions: the slot rules, inherited ones included. */
  readonly slots: SlotRules;
  /** Actions: what the object does as a result (`kill` causes `die`), own or inherited. */
  readonly causes: Word | undefined;
  /** Properties: are lower values better (rank, lap time)? Own or inherited. */
  readonly isLowerBetter: boolean;
  /** Index in a preorder walk of the dictionary. A word is a descendant when `order <= descendant.order <= last`. */
  readonly order: number;
  /** `order` of the last descendant. */
  readonly last: number;
}

/** A loaded dictionary file, as named in the header of a log. */
export interface DictionaryInfo {
  readonly name: string;
  readonly version: string;
  readonly title: string | undefined;
}

/** A composite event and the dictionary that defines it. */
export interface EventDefinition extends EventEntry {
  readonly id: string;
  readonly namespace: string;
}

/** A word before the hierarchy is linked. */
export interface WordSeed {
  readonly kind: WordKind;
  readonly id: WordId;
  readonly namespace: string;
  readonly parentId: WordId | undefined;
  readonly entry: WordEntry;
  readonly synonyms: readonly string[];
}

type MutableWord = { -readonly [K in keyof Word]: Word[K] } & { children: Word[] };

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

const defaultSlotRules = Object.fromEntries(
  slotNames.map((slot) => [
    slot,
    { use: 'optional', word: undefined, accepts: [], preposition: usualPrepositions[slot], source: '' },
  ]),
) as unknown as SlotRules;

/**
 * The merged words of the common dictionary and its extensions. Immutable. Use {@link loadDictionary} to create one.
 *
 * @example
 * const { dictionary } = await loadBuiltin(['openarena']);
 * dictionary.isA('stomp', 'kill'); // true
 * dictionary.find('railgun', 'object')?.parent?.id; // 'gun'
 */
export class Dictionary {
  /** The loaded files, the common dictionary first. */
  readonly sources: readonly DictionaryInfo[];
  /** Composite events such as `double kill`. */
  readonly events: readonly EventDefinition[];
  /** All words in preorder: `ordered[word.order] === word`. */
  readonly ordered: readonly Word[];
  private readonly byKind: Readonly<Record<WordKind, ReadonlyMap<string, Word>>>;
  private readonly orderedByKind: Readonly<Record<WordKind, readonly Word[]>>;

  /** @param seeds Words whose parents form a forest. */
  constructor(seeds: readonly WordSeed[], sources: readonly DictionaryInfo[], events: readonly EventDefinition[]) {
    this.sources = sources;
    this.events = events;
    const byKind = {
      object: new Map<string, MutableWord>(),
      action: new Map<string, MutableWord>(),
      property: new Map<string, MutableWord>(),
    };
    for (const seed of seeds) byKind[seed.kind].set(seed.id, createWord(seed));
    for (const { kind, id, parentId } of seeds) {
      const word = byKind[kind].get(id)!;
      word.parent = parentId === undefined ? undefined : byKind[kind].get(parentId);
      (word.parent as MutableWord | undefined)?.children.push(word);
    }
    const ordered: MutableWord[] = [];
    for (const kind of wordKinds) for (const word of byKind[kind].values()) if (!word.parent) number(word, ordered);
    // In preorder the rules of a parent are complete before its children inherit them.
    const entries = new Map(seeds.filter(({ kind }) => kind === 'action').map(({ id, entry }) => [id, entry]));
    const seedBetter = new Map(
      seeds.flatMap(({ kind, id, entry }) => (kind === 'property' && entry.better ? [[id, entry.better]] : [])),
    );
    for (const word of ordered) {
      word.preposition ??= word.parent?.preposition;
      if (word.kind === 'property')
        word.isLowerBetter = (seedBetter.get(word.id) ?? (word.parent?.isLowerBetter ? 'lower' : 'higher')) === 'lower';
      if (word.kind !== 'action') continue;
      const entry = entries.get(word.id);
      word.slots = inheritSlotRules(word, entry?.slots);
      word.causes = entry?.causes === undefined ? word.parent?.causes : byKind.action.get(entry.causes);
    }
    for (const { kind, id, namespace, entry } of seeds) {
      for (const name of entry.formerly ?? []) {
        const formerId = name.includes(':') ? name : wordId(namespace, name, entry.sense);
        if (!byKind[kind].has(formerId)) byKind[kind].set(formerId, byKind[kind].get(id)!);
      }
    }
    for (const words of Object.values(byKind)) {
      for (const [id, word] of words) if (!words.has(id.toLowerCase())) words.set(id.toLowerCase(), word);
    }
    this.ordered = ordered;
    this.orderedByKind = Object.fromEntries(
      wordKinds.map((kind) => [kind, ordered.filter((word) => word.kind === kind)]),
    ) as unknown as Record<WordKind, readonly Word[]>;
    this.byKind = byKind;
  }

  /**
   * Finds a word by id, ignoring case, or by an id that it had before it was renamed.
   *
   * @param kind Without it, the first of object, property and action that has the id.
   */
  find(id: WordId, kind?: WordKind): Word | undefined {
    if (kind !== undefined) return this.byKind[kind].get(id) ?? this.byKind[kind].get(id.toLowerCase());
    return this.find(id, 'object') ?? this.find(id, 'property') ?? this.find(id, 'action');
  }

  /** Is `a` the word `b` or a descendant of it? Takes constant time; false for unknown words. */
  isA(a: WordId, b: WordId, kind?: WordKind): boolean {
    if (kind !== undefined) return covers(this.find(b, kind), this.find(a, kind));
    return wordKinds.some((each) => covers(this.find(b, each), this.find(a, each)));
  }

  /** The ancestors of a word, its parent first; none for a root or an unknown word. */
  ancestors(id: WordId, kind?: WordKind): readonly Word[] {
    const list: Word[] = [];
    for (let word = this.find(id, kind)?.parent; word; word = word.parent) list.push(word);
    return list;
  }

  /** The descendants of a word, parents before children; none for an unknown word. */
  descendants(id: WordId, kind?: WordKind): readonly Word[] {
    const word = this.find(id, kind);
    return word ? this.ordered.slice(word.order + 1, word.last + 1) : [];
  }

  /** The words without a parent. */
  roots(kind?: WordKind): readonly Word[] {
    return this.ordered.filter((word) => !word.parent && (kind === undefined || word.kind === kind));
  }

  /** The words of a kind, or all words, in preorder. */
  words(kind?: WordKind): readonly Word[] {
    return kind === undefined ? this.ordered : this.orderedByKind[kind];
  }
}

/** Is `word` the word `ancestor` or a descendant of it? */
export function covers(ancestor: Word | undefined, word: Word | undefined): boolean {
  return ancestor !== undefined && word !== undefined && word.order >= ancestor.order && word.order <= ancestor.last;
}

/** Composes the id of a word or composite event: `railgun`, `openarena:chaingun`, `drive#golf`. */
export function wordId(namespace: string, name: string, sense?: string): WordId {
  return `${namespace === commonName ? '' : `${namespace}:`}${name}${sense === undefined ? '' : `#${sense}`}`;
}

/** The forms of a word that `render` writes. */
export function canonicalForms(word: Word): readonly string[] {
  switch (word.kind) {
    case 'object':
      return word.counted === undefined
        ? [word.name, word.plural]
        : [word.name, word.plural, word.counted.singular, word.counted.plural];
    case 'action':
      return [word.forms.base, word.forms.third, word.forms.participle];
    case 'property':
      return [word.name];
  }
}

function createWord({ kind, id, namespace, entry, synonyms }: WordSeed): MutableWord {
  let plural: string | undefined;
  let forms: VerbForms | undefined;
  return {
    kind,
    id,
    name: entry.name,
    sense: entry.sense,
    namespace,
    definition: entry.definition,
    examples: entry.examples ?? [],
    parent: undefined,
    children: [],
    depth: 1,
    synonyms,
    // Inflected on first use: most commands need the forms of few words.
    get plural() {
      return (plural ??= entry.plural ?? pluralOf(entry.name));
    },
    get forms() {
      return (forms ??= verbForms(entry.name, entry));
    },
    get counted() {
      return kind === 'object' ? countedNoun(entry.name, this.plural) : undefined;
    },
    preposition: entry.preposition,
    ownNoun: kind === 'action' ? ownNounOf(entry.name, entry.verb) : undefined,
    complement: kind === 'action' ? complementOf(entry.name) : undefined,
    nouns: entry.nouns ?? [],
    slots: defaultSlotRules,
    causes: undefined,
    isLowerBetter: false,
    order: 0,
    last: 0,
  };
}

/** Numbers a tree in preorder. The loader limits its depth. */
function number(word: MutableWord, ordered: MutableWord[]): void {
  word.order = ordered.push(word) - 1;
  word.depth = (word.parent?.depth ?? 0) + 1;
  for (const child of word.children) number(child as MutableWord, ordered);
  word.last = ordered.length - 1;
}

function inheritSlotRules(word: Word, own: WordEntry['slots']): SlotRules {
  const inherited = word.parent?.slots ?? defaultSlotRules;
  if (!own) return inherited;
  const rules: Record<SlotName, SlotRule> = { ...inherited };
  for (const slot of slotNames) {
    const declared = own[slot];
    if (declared === undefined) continue;
    const entry = typeof declared === 'string' ? { use: declared } : declared;
    const base = inherited[slot];
    rules[slot] = {
      use: entry.use ?? base.use,
      word: entry.word ?? base.word,
      accepts: entry.accepts ?? base.accepts,
      preposition: entry.preposition ?? base.preposition,
      source: entry.use === undefined || entry.use === base.use ? base.source : word.id,
    };
  }
  return rules;
}
