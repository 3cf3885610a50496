import { canonicalForms, type Dictionary, type Word } from '../dictionary.ts';
import { complementOf, countedNoun } from '../english.ts';
import { commonName, wordKinds, type WordKind } from '../format.ts';
import { pluralOf, verbForms } from '../inflection.ts';
import { functionWords } from './function-words.ts';
import { articleOfOwnNoun, canOmitNoun } from './own-nouns.ts';
import type { Token } from './tokenize.ts';

type WordForm = 'name' | 'plural' | 'base' | 'third' | 'past' | 'participle' | 'gerund' | 'noun' | 'nouns' | 'counted';

/** One spelling of a word. */
export interface LexiconEntry {
  readonly word: Word;
  readonly form: WordForm;
  /** The parts of the spelling in lower case, and as the dictionary writes them. */
  readonly parts: readonly string[];
  readonly written: readonly string[];
  readonly isSynonym: boolean;
  /** The particle of a phrasal verb ("pick up") or the complement of an action ("put to sleep"): may also follow the object. */
  readonly particle: string | undefined;
  /** The noun of an action that its object says instead: "plays spell card", of the action "play card". */
  readonly elidedNoun?: string;
  /** Of an action that ends with a noun: the article that it has in prose ("crosses the finish line"). */
  readonly nounArticle: string;
}

/** A spelling found in a sentence. */
export interface LexiconMatch {
  readonly entry: LexiconEntry;
  /** Index of the token after the match, sense label included. */
  readonly end: number;
  /** Distance from the canonical form that `render` writes; 0 for the form itself. */
  readonly cost: number;
  /** The particle if it has not occurred yet. */
  readonly pendingParticle: string | undefined;
}

const particles = new Set('up down off out on away back over in apart aside through'.split(' '));

/** All spellings of all words, indexed by their first part. The index of a kind is built on first use. */
export class Lexicon {
  private readonly dictionary: Dictionary;
  private readonly indexes: Partial<Record<WordKind, ReadonlyMap<string, readonly LexiconEntry[]>>> = {};
  private readonly indexedParts = new Set<string>();
  private canonicalParts: ReadonlySet<string> | undefined;
  private readonly labels: SenseLabels;
  private readonly spellings: Partial<Record<WordKind, readonly string[]>> = {};

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
    this.labels = getSenseLabels(dictionary);
  }

  /** The parts of all spellings in dictionary order, for suggestions. */
  get parts(): ReadonlySet<string> {
    this.canonicalParts ??= new Set(
      this.dictionary.ordered.flatMap((word) => spellingsOf(word).flatMap(({ written }) => toParts(written))),
    );
    return this.canonicalParts;
  }

  /**
   * Finds the spellings of words of a kind that start at a token.
   *
   * Where several words share a name and no sense label follows, the word of the common dictionary costs least, then words
   * of `game`.
   *
   * @param anyKind Whether the position accepts words of any kind, so that words of other kinds are homonyms too.
   */
  find(kind: WordKind, tokens: readonly Token[], at: number, game?: string, anyKind = false): LexiconMatch[] {
    const first = tokens[at];
    if (first === undefined || !isWordToken(first)) return [];
    const matches: LexiconMatch[] = [];
    for (const entry of this.index(kind).get(first.lower) ?? []) {
      const match = matchParts(entry, tokens, at);
      // Only the verb of a phrasal verb: its particle may follow the object.
      if (!match && entry.particle === undefined) continue;
      const length = match?.length ?? 1;
      const cost =
        (entry.isSynonym ? 1 : 0) +
        (match?.cost ?? 1) +
        (match?.cost ? 0 : capitalizationCost(entry, tokens, at, length));
      const label = match && readSenseLabel(tokens, at + length);
      if (label === undefined)
        matches.push({
          entry,
          end: at + length,
          cost: cost + this.missingLabelCost(entry.word, game, anyKind),
          pendingParticle: match ? undefined : entry.particle,
        });
      // The parser divides "battle-royale" where both parts are words.
      else if (label.text === senseLabel(entry.word).toLowerCase().replaceAll('-', ' '))
        matches.push({ entry, end: label.end, cost, pendingParticle: undefined });
    }
    return matches;
  }

  /** Is this a function word or a part of a spelling? */
  knows(part: string): boolean {
    const lower = part.toLowerCase();
    for (const kind of wordKinds) this.index(kind);
    return functionWords.has(lower) || this.indexedParts.has(lower);
  }

  /** All spellings of the words of a kind, for suggestions. */
  names(kind?: WordKind): readonly string[] {
    const kinds = kind === undefined ? wordKinds : [kind];
    return kinds.flatMap((each) => {
      this.spellings[each] ??= [...this.index(each).values()].flat().map((entry) => entry.written.join(' '));
      return this.spellings[each];
    });
  }

  /** The parts of all spellings in all forms, in lower case. */
  allParts(): ReadonlySet<string> {
    for (const kind of wordKinds) this.index(kind);
    return this.indexedParts;
  }

  private missingLabelCost(word: Word, game: string | undefined, anyKind: boolean): number {
    if (!(anyKind ? this.labels.anyKind : this.labels.sameKind).get(word)) return 0;
    return word.namespace === game && word.sense === undefined ? 0 : 2;
  }

  private index(kind: WordKind): ReadonlyMap<string, readonly LexiconEntry[]> {
    const existing = this.indexes[kind];
    if (existing) return existing;
    const index = new Map<string, LexiconEntry[]>();
    for (const word of this.dictionary.words(kind)) {
      const spellings = [...spellingsOf(word), ...elidedSpellings(word, this.dictionary)];
      for (const spelling of spellings) {
        const parts = toParts(spelling.written);
        const last = parts.at(-1)!;
        const particle =
          kind !== 'action'
            ? undefined
            : parts.length === 2 && particles.has(last)
              ? last
              : complementOf(parts.join(' '));
        const entries = index.get(parts[0]!) ?? [];
        const nounArticle =
          kind === 'action' && parts.length > 1 ? articleOfOwnNoun(parts.slice(1).join(' '), this.dictionary) : '';
        entries.push({ word, ...spelling, parts, particle, nounArticle });
        index.set(parts[0]!, entries);
        for (const part of parts) this.indexedParts.add(part);
      }
    }
    for (const entries of index.values()) entries.sort((a, b) => b.parts.length - a.parts.length);
    this.indexes[kind] = index;
    return index;
  }
}

const lexicons = new WeakMap<Dictionary, Lexicon>();

/** The lexicon of a dictionary, built once. */
export function getLexicon(dictionary: Dictionary): Lexicon {
  let lexicon = lexicons.get(dictionary);
  if (!lexicon) lexicons.set(dictionary, (lexicon = new Lexicon(dictionary)));
  return lexicon;
}

type Spelling = Pick<LexiconEntry, 'form' | 'written' | 'isSynonym' | 'elidedNoun'>;

/** The forms of an action without its own noun, which an object of that kind says. */
function elidedSpellings(word: Word, dictionary: Dictionary): readonly Spelling[] {
  if (word.kind !== 'action' || !canOmitNoun(word, dictionary)) return [];
  const elidedNoun = word.ownNoun!;
  return formsOf(word, word.name, false)
    .filter(([, text]) => text.endsWith(` ${elidedNoun}`))
    .map(([form, text]) => ({
      form,
      written: text.slice(0, -elidedNoun.length - 1).split(' '),
      isSynonym: false,
      elidedNoun,
    }));
}

function spellingsOf(word: Word): readonly Spelling[] {
  const spellings: Spelling[] = [];
  for (const name of [word.name, ...word.synonyms]) {
    const isSynonym = name !== word.name;
    for (const [form, text] of formsOf(word, name, isSynonym))
      for (const variant of hyphenVariants(text))
        spellings.push({ form, written: variant.split(' '), isSynonym: isSynonym || variant !== text });
  }
  return spellings;
}

function formsOf(word: Word, name: string, isSynonym: boolean): readonly (readonly [WordForm, string])[] {
  if (word.kind === 'property') return [['name', name]];
  if (word.kind === 'object') {
    const plural = isSynonym ? pluralOf(name) : word.plural;
    if (plural !== name)
      return [
        ['name', name],
        ['plural', plural],
      ];
    const counted = isSynonym ? countedNoun(name, name) : word.counted;
    return counted === undefined
      ? [['name', name]]
      : [
          ['name', name],
          ['counted', counted.singular],
          ['counted', counted.plural],
        ];
  }
  const { base, third, past, participle, gerund } = isSynonym ? verbForms(name) : word.forms;
  const nouns = isSynonym ? [] : word.nouns;
  return [
    ['base', base],
    ['third', third],
    ['past', past],
    ...(participle === past ? [] : [['participle', participle] as const]),
    ['gerund', gerund],
    ...nouns.flatMap((noun) => [['noun', noun] as const, ['nouns', pluralOf(noun)] as const]),
  ];
}

/** "power-up" is also written "power up" and "powerup". */
function hyphenVariants(text: string): string[] {
  return text.includes('-') ? [text, text.replaceAll('-', ' '), text.replaceAll('-', '')] : [text];
}

function toParts(written: readonly string[]): string[] {
  return written.map((part) => part.toLowerCase().replaceAll('’', "'"));
}

function isWordToken({ kind }: Token): boolean {
  return kind === 'word' || kind === 'number';
}

/** Cost of an article inside an action ("scores a goal"). An unusual one more likely separates a verb from its object. */
function articleCost(article: string | undefined, usual: string): number | undefined {
  if (article !== 'a' && article !== 'an' && article !== 'the') return undefined;
  return (article === 'the') === (usual === 'the') ? 0.5 : 3;
}

function matchParts(
  { parts, word, particle, nounArticle }: LexiconEntry,
  tokens: readonly Token[],
  start: number,
): { length: number; cost: number } | undefined {
  let at = start;
  let cost = 0;
  for (const [index, part] of parts.entries()) {
    const mayHaveArticle = index === 1 && word.kind === 'action' && particle === undefined;
    const ofArticle = mayHaveArticle ? articleCost(tokens[at]?.lower, nounArticle) : undefined;
    if (ofArticle !== undefined && tokens[at]!.lower !== part) {
      at++;
      cost = ofArticle;
    }
    const token = tokens[at++];
    if (token === undefined || !isWordToken(token)) return undefined;
    if (token.lower === part) continue;
    // "draws cards"
    const isPlural =
      index > 0 && index === parts.length - 1 && word.kind === 'action' && token.lower === pluralOf(part);
    if (!isPlural || particle !== undefined) return undefined;
    cost += 1;
  }
  return { length: at - start, cost };
}

/** Words are lower case in a log, so an unexpected capital letter more likely starts a name. */
function capitalizationCost(
  { written }: LexiconEntry,
  tokens: readonly Token[],
  start: number,
  length: number,
): number {
  let cost = 0;
  for (let i = 0; i < length; i++) {
    const { text } = tokens[start + i]!;
    if (start + i > 0 && text !== written[i] && /^\p{Lu}/u.test(text)) cost += 2;
  }
  return cost;
}

/** Is the token this mark? A quoted name can be a bracket too, but is no mark. */
function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'mark' && token.text === mark;
}

/** A sense label may have this many words. */
const maxLabelTokens = 8;

function readSenseLabel(tokens: readonly Token[], at: number): { text: string; end: number } | undefined {
  if (!isMark(tokens[at], '(')) return undefined;
  const close = tokens.findIndex((token, index) => index > at && isMark(token, ')'));
  if (close <= at + 1 || close > at + 1 + maxLabelTokens) return undefined;
  const text = tokens.slice(at + 1, close).map(({ lower }) => lower);
  return { text: text.join(' ').replaceAll('-', ' '), end: close + 1 };
}

/** The labels that distinguish words of the same name, written in parentheses after the name; most words have none. */
export interface SenseLabels {
  /** Among words of the same kind. */
  readonly sameKind: ReadonlyMap<Word, string>;
  /** Among words of all kinds, for values. */
  readonly anyKind: ReadonlyMap<Word, string>;
}

const senseLabels = new WeakMap<Dictionary, Record<keyof SenseLabels, Map<Word, string>>>();

/** The sense labels of a dictionary, computed once. A word of the common dictionary without a sense has an empty label. */
export function getSenseLabels(dictionary: Dictionary): SenseLabels {
  let labels = senseLabels.get(dictionary);
  if (!labels) {
    labels = { sameKind: new Map(), anyKind: new Map() };
    for (const words of findHomonyms(dictionary)) {
      labelWords(words, labels.anyKind);
      for (const own of Map.groupBy(words, ({ kind }) => kind).values()) labelWords(own, labels.sameKind);
    }
    senseLabels.set(dictionary, labels);
  }
  return labels;
}

/** The words that share a spelling with others, by spelling. */
function findHomonyms(dictionary: Dictionary): Iterable<readonly Word[]> {
  const first = new Map<string, Word>();
  const shared = new Map<string, Word[]>();
  for (const word of dictionary.ordered) {
    for (const form of canonicalForms(word)) {
      const key = form.toLowerCase();
      const other = first.get(key);
      if (!other) first.set(key, word);
      else if (other !== word) {
        const words = shared.get(key);
        if (!words) shared.set(key, [other, word]);
        else if (words.at(-1) !== word) words.push(word);
      }
    }
  }
  return shared.values();
}

function labelWords(words: readonly Word[], labels: Map<Word, string>): void {
  // Words of different kinds can have the same id and need no label.
  if (words.some(({ id }) => id !== words[0]!.id)) for (const word of words) labels.set(word, senseLabel(word));
}

/** `golf` for `drive#golf`, `openarena` for `openarena:chaingun`, `golfer drive` for `golfer:swing#drive`. */
function senseLabel({ namespace, sense }: Word): string {
  return [namespace === commonName ? undefined : namespace, sense].filter((part) => part !== undefined).join(' ');
}

const unquotedNamePart = /^\p{Lu}[\p{L}\p{M}\p{N}_.-]*$/u;

/** Writes a proper name: unquoted if each part starts with a capital and is no word (`Xaero Prime`), else as a JSON string. */
export function quoteName(name: string, lexicon: Lexicon): string {
  const isPlain = name
    .split(' ')
    .every((part) => unquotedNamePart.test(part) && !part.endsWith('.') && !lexicon.knows(part));
  return isPlain ? name : JSON.stringify(name);
}
