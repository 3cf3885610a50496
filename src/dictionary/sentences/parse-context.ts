import type { Dictionary } from '../dictionary.ts';
import { type Lexicon, lexiconOf } from './lexicon.ts';
import { numberOf, type Token, tokenize } from './tokenize.ts';

/** Most tokens in a sentence, and most steps taken to understand one: bounds against sentences made to take for ever. */
export const maxTokens = 400;
const maxSteps = 60_000;

/** A sentence being read: its tokens, the lexicon, how far any attempt came and what it wanted there. */
export class Reader {
  readonly sentence: string;
  readonly tokens: readonly Token[];
  readonly lexicon: Lexicon;
  readonly dictionary: Dictionary;
  readonly game: string | undefined;
  /** Lists ("railgun or shotgun"), names without a word, words of any sense: what queries may say and statements may not. */
  readonly lists: boolean;
  /** Index of the token behind the longest piece that was understood, and what could have followed. */
  furthest = 0;
  readonly expected = new Set<string>();
  private steps = 0;
  private readonly memos = new Map<string, unknown>();

  constructor(
    sentence: string,
    dictionary: Dictionary,
    options: {
      game?: string | undefined;
      lists?: boolean;
      /** Brings the tokens into another order; they keep their places in the sentence. */
      arrange?: (tokens: readonly Token[]) => readonly Token[];
    } = {},
  ) {
    this.sentence = sentence;
    this.dictionary = dictionary;
    this.lexicon = lexiconOf(dictionary);
    const tokens = tokenize(sentence.slice(0, 20_000)).flatMap((token) => apart(token, this.lexicon));
    this.tokens = options.arrange ? options.arrange(tokens) : tokens;
    this.game = options.game;
    this.lists = options.lists ?? false;
  }

  get exhausted(): boolean {
    return this.steps > maxSteps;
  }

  /** Counts a step; false when there have been too many. */
  step(): boolean {
    return ++this.steps <= maxSteps;
  }

  lower(at: number): string | undefined {
    const token = this.tokens[at];
    return token === undefined || token.kind === 'quoted' ? undefined : token.lower;
  }

  /** Notes that `what` could stand at `at`. */
  expect(at: number, what: string): void {
    if (at < this.furthest) return;
    if (at > this.furthest) {
      this.furthest = at;
      this.expected.clear();
    }
    this.expected.add(what);
  }

  /** Notes that the tokens before `at` were understood. */
  reach(at: number): void {
    if (at <= this.furthest) return;
    this.furthest = at;
    this.expected.clear();
  }

  /** Index behind `phrase` (words with spaces) if it stands at `at`, else undefined. */
  phrase(at: number, phrase: string): number | undefined {
    const parts = phrase.split(' ');
    for (let i = 0; i < parts.length; i++) if (this.lower(at + i) !== parts[i]) return undefined;
    return at + parts.length;
  }

  /** Computes once per key. */
  memo<Value>(key: string, compute: () => Value): Value {
    const known = this.memos.get(key);
    if (known !== undefined) return known as Value;
    const value = compute();
    this.memos.set(key, value);
    return value;
  }
}

const contraction = /^(do|does|did|has|have|had|is|are|was|were|could|would|wo|ca)n't$/;

/**
 * The parts of a token that is written as one: "doesn't" is "does not", and "rocket-launcher" a rocket launcher. Names
 * begin with a capital and stay whole.
 */
function apart(token: Token, lexicon: Lexicon): readonly Token[] {
  if (token.kind !== 'word') return [token];
  if (token.text === '&') return [{ ...token, lower: 'and' }];
  const verb = contraction.exec(token.lower)?.[1];
  if (verb !== undefined) {
    const middle = token.start + verb.length;
    return [
      { ...token, text: verb, lower: verb, end: middle },
      { ...token, text: 'not', lower: 'not', start: middle },
    ];
  }
  if (!token.text.includes('-') || token.text !== token.lower || lexicon.knows(token.text)) return [token];
  if (numberOf(token) !== undefined) return [token];
  const parts = token.text.split('-');
  if (!parts.every((part) => lexicon.knows(part))) return [token];
  let start = token.start;
  return parts.map((text) => {
    const part: Token = { kind: 'word', text, lower: text, start, end: start + text.length };
    start += text.length + 1;
    return part;
  });
}
