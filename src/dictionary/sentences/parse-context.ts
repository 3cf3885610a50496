import type { Mention } from '../../events/statement.ts';
import type { Dictionary, Word } from '../dictionary.ts';
import { KnownNames } from './known-names.ts';
import { getLexicon, type Lexicon } from './lexicon.ts';
import { numberValue, tokenize, type Token } from './tokenize.ts';

/** The most tokens that a sentence may have. */
export const maxTokens = 400;
const maxSentenceLength = 20_000;
/** Bounds the work on sentences with exponentially many readings. */
const maxSteps = 60_000;
const ABSENCE_COST = 2;
const NO_NAMES: readonly string[] = [];

/** By the test of what logs mention, which all parts of a question share. */
const compoundActionsOf = new WeakMap<(word: Word) => boolean, readonly Word[]>();
const compoundObjectsOf = new WeakMap<(word: Word) => boolean, readonly Word[]>();

/** Options of {@link ParseContext}. */
export interface ParseContextOptions {
  /** The game whose words are preferred. */
  readonly game?: string | undefined;
  /** Accepts what only queries allow: lists ("railgun or shotgun"), names without a word, comparisons. Default false. */
  readonly isQuery?: boolean;
  /** The tokens of the sentence, or of a part of it; they keep their offsets. */
  readonly tokens?: readonly Token[];
  /** Characters that may be called by their names alone. */
  readonly cast?: readonly Mention[] | undefined;
  /** Queries: proper names that may be written in lower case. */
  readonly names?: readonly string[];
  /** Queries: names of sessions. */
  readonly sessions?: Pick<ReadonlySet<string>, 'has'>;
  /** Queries: what the screen shows in the logs, which may be named like a property: "laps" for "counter Laps". */
  readonly displays?: readonly Display[];
  /** Queries: do the logs mention a word or one under it? */
  readonly isMentioned?: ((word: Word) => boolean) | undefined;
  /** Queries: what else is known of the logs. */
  readonly facts?: LogFacts | undefined;
}

/** What is known of the logs that a query is about, besides the words that they mention. */
export interface LogFacts {
  /** The only other character, where the logs are about two. */
  readonly rival: Mention | undefined;
  /** Of whom the logs state a property or one under it. */
  owners(property: Word): readonly Mention[];
  /** Do the logs have the word itself, rather than one under it? */
  states(word: Word): boolean;
  /** Does the word, or one under it, act in the logs or have values? */
  acts(word: Word): boolean;
  /** Is an action only ever done to what the word names, never by it? */
  onlySuffers(word: Word, action: Word): boolean;
  /** The only action that somebody does to what the word names, where the logs mention it in no other way. */
  onlyActionOn(word: Word): Word | undefined;
}

/** A figure on the screen whose meaning no profile states, by its word (`counter`) and caption (`Laps`). */
export interface Display {
  readonly word: string;
  readonly name: string;
}

/**
 * The state shared by the parsing functions of one sentence: tokens, lexicon, memoized results, a work budget, and the
 * furthest position reached with what was expected there, for error messages.
 *
 * Parsing functions take the index of a token and return every reading that starts there, each with the index of the token
 * after it (`end`) and its distance from the canonical sentence (`cost`).
 */
export class ParseContext {
  readonly sentence: string;
  readonly tokens: readonly Token[];
  readonly lexicon: Lexicon;
  readonly dictionary: Dictionary;
  readonly game: string | undefined;
  readonly isQuery: boolean;
  /** Characters that may be called by their names alone, with the tokens of the name. */
  readonly cast: readonly { readonly mention: Mention; readonly tokens: readonly Token[] }[];
  readonly names: KnownNames;
  readonly sessions: Pick<ReadonlySet<string>, 'has'>;
  readonly displays: readonly Display[];
  /** Index of the token after the longest parsed part. */
  furthest = 0;
  /** Descriptions of what could follow at `furthest`. */
  readonly expected = new Set<string>();
  readonly facts: LogFacts | undefined;
  private readonly isMentioned: ((word: Word) => boolean) | undefined;
  private steps = 0;
  private readonly memo = new Map<string, unknown>();

  constructor(sentence: string, dictionary: Dictionary, options: ParseContextOptions = {}) {
    this.sentence = sentence;
    this.dictionary = dictionary;
    this.lexicon = getLexicon(dictionary);
    const tokens = options.tokens ?? tokenize(sentence.slice(0, maxSentenceLength));
    this.tokens = tokens.flatMap((token) => splitToken(token, this.lexicon));
    this.cast = (options.cast ?? []).map((mention) => ({
      mention,
      tokens: tokenize(mention.name ?? '').flatMap((token) => splitToken(token, this.lexicon)),
    }));
    this.names = KnownNames.of(options.names ?? NO_NAMES);
    this.sessions = options.sessions ?? new Set();
    this.displays = options.displays ?? [];
    this.isMentioned = options.isMentioned;
    this.facts = options.facts;
    this.game = options.game;
    this.isQuery = options.isQuery ?? false;
  }

  /** Is the work budget used up? */
  get isExhausted(): boolean {
    return this.steps > maxSteps;
  }

  /** Do the logs mention a word or one under it? Without logs, any word may be. */
  mentions(word: Word): boolean {
    return this.isMentioned === undefined || this.isMentioned(word);
  }

  /** Is it known what the logs mention? */
  get knowsLogs(): boolean {
    return this.isMentioned !== undefined;
  }

  /** What it costs that the logs do not mention a word: another reading is more likely meant. */
  absenceCost(word: Word): number {
    if (this.mentions(word)) return 0;
    return word.kind === 'action' && this.longerActions(word).length > 0 ? 0 : ABSENCE_COST;
  }

  /** The actions of the logs whose name is a verb and a noun: "perform combo". */
  compoundActions(): readonly Word[] {
    const { isMentioned } = this;
    if (!isMentioned) return [];
    const known = compoundActionsOf.get(isMentioned);
    if (known) return known;
    const found = this.dictionary.words('action').filter((each) => each.name.includes(' ') && isMentioned(each));
    compoundActionsOf.set(isMentioned, found);
    return found;
  }

  /** The objects of the logs whose name has several words: "health bonus". */
  compoundObjects(): readonly Word[] {
    const { isMentioned } = this;
    if (!isMentioned) return [];
    const known = compoundObjectsOf.get(isMentioned);
    if (known) return known;
    const found = this.dictionary.words('object').filter((each) => each.name.includes(' ') && isMentioned(each));
    compoundObjectsOf.set(isMentioned, found);
    return found;
  }

  /** The actions of the logs whose name starts with that of an action: "save shot" for "save". */
  longerActions(word: Word): readonly Word[] {
    return this.compoundActions().filter((each) => each.name.startsWith(`${word.name} `));
  }

  /** Takes a step of the work budget; false when it is used up. */
  takeStep(): boolean {
    return ++this.steps <= maxSteps;
  }

  /** The lower-case text of a token; `undefined` for quoted text and after the end. */
  wordAt(at: number): string | undefined {
    const token = this.tokens[at];
    return token === undefined || token.kind === 'quoted' ? undefined : token.lower;
  }

  /** Index of the token after `phrase` if it stands at `at`, else `undefined`. */
  skip(at: number, phrase: string): number | undefined {
    const first = this.wordAt(at);
    // Most phrases do not stand there.
    if (first === undefined || !phrase.startsWith(first)) return undefined;
    if (phrase.length === first.length) return at + 1;
    const parts = phrase.split(' ');
    return parts.every((part, index) => this.wordAt(at + index) === part) ? at + parts.length : undefined;
  }

  /** Records that `what` could follow at `at`. */
  expect(at: number, what: string): void {
    this.reach(at);
    if (at === this.furthest) this.expected.add(what);
  }

  /** Records that the tokens before `at` were parsed. */
  reach(at: number): void {
    if (at <= this.furthest) return;
    this.furthest = at;
    this.expected.clear();
  }

  /** Computes a value once per key. */
  memoize<Value>(key: string, compute: () => Value): Value {
    const cached = this.memo.get(key);
    if (cached !== undefined) return cached as Value;
    const value = compute();
    this.memo.set(key, value);
    return value;
  }
}

const reflexives = new Set(
  'myself yourself himself herself itself themselves themself yourselves ourselves'.split(' '),
);
const negativeContraction = /^(do|does|did|has|have|had|is|are|was|were|could|would|wo|ca)n't$/;

/** Splits "doesn't" into "does not" and "rocket-launcher" into its words. Names start with a capital and stay whole. */
function splitToken(token: Token, lexicon: Lexicon): readonly Token[] {
  if (token.kind !== 'word') return [token];
  if (reflexives.has(token.lower)) return [{ ...token, lower: 'oneself' }];
  if (token.text === '&') return [{ ...token, lower: 'and' }];
  const verb = negativeContraction.exec(token.lower)?.[1];
  if (verb !== undefined) {
    const middle = token.start + verb.length;
    return [
      { ...token, text: verb, lower: verb, end: middle },
      { ...token, text: 'not', lower: 'not', start: middle },
    ];
  }
  if (!token.text.includes('-') || token.text !== token.lower || lexicon.knows(token.text)) return [token];
  if (numberValue(token) !== undefined) return [token];
  const parts = token.text.split('-');
  if (!parts.every((part) => lexicon.knows(part))) return [token];
  let { start } = token;
  return parts.map((text) => {
    const part: Token = { kind: 'word', text, lower: text, start, end: start + text.length };
    start += text.length + 1;
    return part;
  });
}
