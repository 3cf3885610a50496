import { canonicalForms } from '../dictionary.ts';
import type { Dictionary, Word } from '../dictionary.ts';
import { commonName, type WordKind } from '../format.ts';
import { pluralOf, verbForms } from '../inflection.ts';
import { functionWords } from './function-words.ts';
import type { Token } from './tokenize.ts';

export type Form = 'name' | 'plural' | 'base' | 'third' | 'past' | 'participle' | 'gerund' | 'noun' | 'nouns';

/** One way of writing one word. */
export interface Entry {
  readonly word: Word;
  readonly form: Form;
  /** The parts, lower case and as they stand in the dictionary. */
  readonly parts: readonly string[];
  readonly written: readonly string[];
  readonly synonym: boolean;
  /** A verb with a particle ("pick up"), which may also stand behind the object. */
  readonly particle: string | undefined;
}

/** Entries of one way of writing found in a sentence. */
export interface Found {
  readonly entry: Entry;
  /** Index of the token behind it, marker included. */
  readonly end: number;
  /** How far it is from what `render` writes. */
  readonly cost: number;
  /** The particle still to come. */
  readonly pending: string | undefined;
}

const particles = new Set([
  'up',
  'down',
  'off',
  'out',
  'on',
  'away',
  'back',
  'over',
  'in',
  'apart',
  'aside',
  'through',
]);

const KINDS: readonly WordKind[] = ['object', 'action', 'property'];

/** All ways of writing all words, by their first part: those of a kind are worked out when they are first asked for. */
export class Lexicon {
  private readonly dictionary: Dictionary;
  private readonly byFirst: Partial<Record<WordKind, ReadonlyMap<string, readonly Entry[]>>> = {};
  /** Of the kinds that were worked out. */
  private readonly knownParts = new Set<string>();
  private allParts: ReadonlySet<string> | undefined;
  private readonly markers: Markers;
  private readonly written: Partial<Record<WordKind, readonly string[]>> = {};

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
    this.markers = markersOf(dictionary);
  }

  /** Every part of every word, in the dictionary's order: for suggestions. */
  get parts(): ReadonlySet<string> {
    this.allParts ??= new Set(
      this.dictionary.ordered.flatMap((word) => [...waysOf(word)].flatMap(({ written }) => partsOf(written))),
    );
    return this.allParts;
  }

  /**
   * Every way in which the tokens from `at` on write a word of `kind`. Where several words have the name and no marker
   * tells which, the plain word of the common dictionary comes first, then those of `game`. `anyKind`: in a place that
   * takes words of any kind, so that words of other kinds count among those that have the name.
   */
  find(kind: WordKind, tokens: readonly Token[], at: number, game?: string, anyKind = false): Found[] {
    const found: Found[] = [];
    const first = tokens[at];
    if (first === undefined || (first.kind !== 'word' && first.kind !== 'number')) return found;
    for (const entry of this.table(kind).get(first.lower) ?? []) {
      const match = matches(entry.parts, tokens, at, kind === 'action' && entry.particle === undefined);
      const full = match !== undefined;
      const split = !full && entry.particle !== undefined && entry.parts.length === 2;
      if (!full && !split) continue;
      const length = match?.length ?? 1;
      const cost =
        (entry.synonym ? 1 : 0) + (match?.cost ?? 1) + (match?.cost ? 0 : caseCost(entry, tokens, at, length));
      const marked = full ? markerAt(tokens, at + length) : undefined;
      if (marked === undefined)
        found.push({
          entry,
          end: at + length,
          cost: cost + this.unmarkedCost(entry.word, game, anyKind),
          pending: full ? undefined : entry.particle,
        });
      else if (marked.label === label(entry.word).toLowerCase())
        found.push({ entry, end: marked.end, cost, pending: undefined });
    }
    return found;
  }

  /** Is this a part of some word, or a function word? */
  knows(part: string): boolean {
    const lower = part.toLowerCase();
    for (const kind of KINDS) this.table(kind);
    return functionWords.has(lower) || this.knownParts.has(lower);
  }

  /** All ways of writing the words of a kind, for suggestions. */
  names(kind?: WordKind): readonly string[] {
    const kinds = kind === undefined ? KINDS : [kind];
    return kinds.flatMap((each) => {
      this.written[each] ??= [...this.table(each).values()].flat().map((entry) => entry.written.join(' '));
      return this.written[each];
    });
  }

  private unmarkedCost(word: Word, game: string | undefined, anyKind: boolean): number {
    const marker = (anyKind ? this.markers.anywhere : this.markers.inKind).get(word);
    if (marker === undefined || marker === '') return 0;
    return word.namespace === game && word.sense === undefined ? 0 : 2;
  }

  private table(kind: WordKind): ReadonlyMap<string, readonly Entry[]> {
    const known = this.byFirst[kind];
    if (known) return known;
    const table = new Map<string, Entry[]>();
    for (const word of this.dictionary.ordered) {
      if (word.kind !== kind) continue;
      for (const way of waysOf(word)) this.put(table, word, way);
    }
    for (const entries of table.values()) entries.sort((a, b) => b.parts.length - a.parts.length);
    this.byFirst[kind] = table;
    return table;
  }

  private put(table: Map<string, Entry[]>, word: Word, { form, written, synonym }: Way): void {
    const parts = partsOf(written);
    const last = parts.at(-1)!;
    const particle = word.kind === 'action' && parts.length === 2 && particles.has(last) ? last : undefined;
    const entries = table.get(parts[0]!) ?? [];
    entries.push({ word, form, parts, written, synonym, particle });
    table.set(parts[0]!, entries);
    for (const part of parts) this.knownParts.add(part);
  }
}

type Way = Pick<Entry, 'form' | 'written' | 'synonym'>;

/** All ways of writing a word. */
function* waysOf(word: Word): Generator<Way> {
  for (const [index, name] of [word.name, ...word.synonyms].entries()) {
    const synonym = index > 0;
    for (const [form, text] of formsOf(word, name, synonym)) {
      for (const variant of variantsOf(text))
        yield { form, written: variant.split(' '), synonym: synonym || variant !== text };
    }
  }
}

function partsOf(written: readonly string[]): string[] {
  return written.map((part) => part.toLowerCase().replaceAll('’', "'"));
}

function* formsOf(word: Word, name: string, synonym: boolean): Generator<[Form, string]> {
  if (word.kind === 'property') yield ['name', name];
  else if (word.kind === 'object') {
    yield ['name', name];
    const plural = synonym ? pluralOf(name) : word.plural;
    if (plural !== name) yield ['plural', plural];
  } else {
    const forms = synonym ? verbForms(name) : word.forms;
    yield ['base', forms.base];
    yield ['third', forms.third];
    yield ['past', forms.past];
    if (forms.participle !== forms.past) yield ['participle', forms.participle];
    yield ['gerund', forms.gerund];
    if (synonym) return;
    for (const noun of word.nouns) {
      yield ['noun', noun];
      yield ['nouns', pluralOf(noun)];
    }
  }
}

/** "power-up" is also written "power up" and "powerup". */
function variantsOf(text: string): string[] {
  return text.includes('-') ? [text, text.replaceAll('-', ' '), text.replaceAll('-', '')] : [text];
}

/** How far an article inside an action ("scores a goal") is from what `render` writes; "the" mostly parts verb and object. */
const articleCosts: Readonly<Record<string, number>> = { a: 0.5, an: 0.5, the: 3 };

function matches(
  parts: readonly string[],
  tokens: readonly Token[],
  at: number,
  articles: boolean,
): { length: number; cost: number } | undefined {
  let from = at;
  let cost = 0;
  for (const [index, part] of parts.entries()) {
    const article = articles && index === 1 ? articleCosts[tokens[from]?.lower ?? ''] : undefined;
    if (article !== undefined && tokens[from]!.lower !== part) {
      from++;
      cost = article;
    }
    const token = tokens[from++];
    if (token === undefined || (token.kind !== 'word' && token.kind !== 'number') || token.lower !== part)
      return undefined;
  }
  return { length: from - at, cost };
}

/** Words stand in lower case in a log; a capital that the dictionary does not have may begin a name instead. */
function caseCost(entry: Entry, tokens: readonly Token[], at: number, length: number): number {
  let cost = 0;
  for (let i = 0; i < length; i++)
    if (at + i > 0 && tokens[at + i]!.text !== entry.written[i] && /^\p{Lu}/u.test(tokens[at + i]!.text)) cost += 2;
  return cost;
}

/** A name may be a bracket, too, in quotes. */
function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'mark' && token.text === mark;
}

function markerAt(tokens: readonly Token[], at: number): { label: string; end: number } | undefined {
  if (!isMark(tokens[at], '(')) return undefined;
  const close = tokens.findIndex((token, index) => index > at && isMark(token, ')'));
  if (close < 0 || close === at + 1 || close > at + 9) return undefined;
  return {
    label: tokens
      .slice(at + 1, close)
      .map((token) => token.lower)
      .join(' '),
    end: close + 1,
  };
}

const cache = new WeakMap<Dictionary, Lexicon>();

/** The lexicon of a dictionary, made once. */
export function lexiconOf(dictionary: Dictionary): Lexicon {
  let lexicon = cache.get(dictionary);
  if (!lexicon) {
    lexicon = new Lexicon(dictionary);
    cache.set(dictionary, lexicon);
  }
  return lexicon;
}

/** For each word what is written after its name to tell it from others of that name; '' mostly. */
export interface Markers {
  /** Among words of its kind. */
  readonly inKind: ReadonlyMap<Word, string>;
  /** Among all words, for places that take any kind (values). */
  readonly anywhere: ReadonlyMap<Word, string>;
}

const markersCache = new WeakMap<Dictionary, Markers>();

/** Only words that share a form with another get a marker, and the plain word of the common dictionary never does. */
export function markersOf(dictionary: Dictionary): Markers {
  let markers = markersCache.get(dictionary);
  if (!markers) {
    markers = { inKind: shared(dictionary, (word) => `${word.kind} `), anywhere: shared(dictionary, () => '') };
    markersCache.set(dictionary, markers);
  }
  return markers;
}

function shared(dictionary: Dictionary, groupOf: (word: Word) => string): Map<Word, string> {
  const first = new Map<string, Word>();
  const clashes = new Map<string, Set<Word>>();
  for (const word of dictionary.ordered) {
    const group = groupOf(word);
    for (const form of canonicalForms(word)) {
      const key = group + form.toLowerCase();
      const other = first.get(key);
      if (other === undefined) first.set(key, word);
      else if (other !== word) {
        const set = clashes.get(key) ?? new Set([other]);
        clashes.set(key, set.add(word));
      }
    }
  }
  const marked = new Map<Word, string>();
  for (const set of clashes.values()) {
    // Words of different kinds may have the very same id; those need no telling apart.
    if (new Set([...set].map((word) => word.id)).size > 1) for (const word of set) marked.set(word, label(word));
  }
  return marked;
}

/** `golf` for `drive#golf`, `openarena` for `openarena:chaingun`, `golfer drive` for `golfer:swing#drive`. */
export function label(word: Word): string {
  return [word.namespace === commonName ? undefined : word.namespace, word.sense]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** A part of a name that needs no quotes: a capital letter first, and nothing that ends a word in a sentence. */
const plainPart = /^\p{Lu}[\p{L}\p{M}\p{N}_.-]*$/u;

/** A proper name as it stands in a sentence: plain if each part starts with a capital and is no word itself (`Sarge`, `Xaero Prime`), else in quotes. */
export function quoteName(name: string, lexicon: Lexicon): string {
  const plain = name.split(' ').every((part) => plainPart.test(part) && !part.endsWith('.') && !lexicon.knows(part));
  return plain ? name : JSON.stringify(name);
}
