import type { Dictionary, Word } from '../dictionary.ts';
import type { WordKind } from '../format.ts';
import { pluralOf, verbForms } from '../inflect.ts';
import { functionWords } from './closed.ts';
import { label, markersOf, type Markers } from './markers.ts';
import type { Token } from './tokens.ts';

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

/** All ways of writing all words, by their first part. */
export class Lexicon {
  private readonly byFirst: Readonly<Record<WordKind, Map<string, Entry[]>>> = {
    object: new Map(),
    action: new Map(),
    property: new Map(),
  };
  /** Every part of every word. */
  readonly parts: ReadonlySet<string>;
  private readonly allParts = new Set<string>();
  private readonly markers: Markers;
  private readonly written: Partial<Record<WordKind, readonly string[]>> = {};

  constructor(dictionary: Dictionary) {
    this.markers = markersOf(dictionary);
    this.parts = this.allParts;
    for (const word of dictionary.ordered) {
      this.add(word, word.name, false);
      for (const synonym of word.synonyms) this.add(word, synonym, true);
    }
    for (const kind of ['object', 'action', 'property'] as const) {
      for (const entries of this.byFirst[kind].values()) entries.sort((a, b) => b.parts.length - a.parts.length);
    }
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
    for (const entry of this.byFirst[kind].get(first.lower) ?? []) {
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
    return functionWords.has(lower) || this.parts.has(lower);
  }

  /** All ways of writing the words of a kind, for suggestions. */
  names(kind?: WordKind): readonly string[] {
    const kinds: readonly WordKind[] = kind === undefined ? ['object', 'action', 'property'] : [kind];
    return kinds.flatMap((each) => {
      this.written[each] ??= [...this.byFirst[each].values()].flat().map((entry) => entry.written.join(' '));
      return this.written[each];
    });
  }

  private unmarkedCost(word: Word, game: string | undefined, anyKind: boolean): number {
    const marker = (anyKind ? this.markers.anywhere : this.markers.inKind).get(word);
    if (marker === undefined || marker === '') return 0;
    return word.namespace === game && word.sense === undefined ? 0 : 2;
  }

  private add(word: Word, name: string, synonym: boolean): void {
    for (const [form, text] of formsOf(word, name, synonym)) {
      for (const variant of variantsOf(text)) this.put(word, form, variant, synonym || variant !== text);
    }
  }

  private put(word: Word, form: Form, text: string, synonym: boolean): void {
    const written = text.split(' ');
    const parts = written.map((part) => part.toLowerCase().replaceAll('’', "'"));
    const last = parts.at(-1)!;
    const particle = word.kind === 'action' && parts.length === 2 && particles.has(last) ? last : undefined;
    const table = this.byFirst[word.kind];
    const entries = table.get(parts[0]!) ?? [];
    entries.push({ word, form, parts, written, synonym, particle });
    table.set(parts[0]!, entries);
    for (const part of parts) this.allParts.add(part);
  }
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
