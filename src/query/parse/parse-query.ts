import type { Dictionary, Word } from '../../dictionary/dictionary.ts';
import { type Display, maxTokens, ParseContext } from '../../dictionary/sentences/parse-context.ts';
import { explainParseFailure, type SentenceIssue } from '../../dictionary/sentences/parse-errors.ts';
import type { Token } from '../../dictionary/sentences/tokenize.ts';
import type { WordId } from '../../events/statement.ts';
import { findUncovered } from '../accounting/coverage.ts';
import { findTokenOf, findUnaccounted } from '../accounting/index.ts';
import {
  isAboutEvent,
  type ActionPattern,
  childConditions,
  type Condition,
  type GroupKey,
  type MentionCondition,
  type MentionPattern,
  type PropertyPattern,
  type Query,
} from '../query.ts';
import type { SessionNames } from '../session-names.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { recordSpan } from '../source-spans.ts';
import { KnownNames } from '../../dictionary/sentences/known-names.ts';
import { leaveOutAsides } from './asides.ts';
import { parseConditions } from './conditions.ts';
import { describeQuery } from '../describe.ts';
import { composeQuestion } from './composition/index.ts';
import { parseNounLists } from './noun-lists.ts';
import { normalizeQuestion, type Correction } from './normalize.ts';
import { ordinalValue } from './ordinals.ts';
import { parseGains, parsePropertyPatterns, toSlotPattern } from './patterns.ts';
import { readOperators, type QuestionReader } from './operators.ts';
import { periodWordsOf } from './questions/periods.ts';
import { sameSubject } from './questions/subjects.ts';
import { type KnownReadings, questionWords, readQuestion, readWithoutAdjunct } from './questions/index.ts';
import type { Body, BodyKind, Reading, Redirection } from './questions/readings.ts';
import { showsPlace } from '../accounting/parts.ts';
import { rewriteQuestion } from './rewrites.ts';
import { findImpossibleSlot } from './slot-compatibility.ts';

/** The result of {@link parseQuery}: a query, or why there is none. */
export interface ParsedQuery {
  readonly query: Query | undefined;
  readonly issues: readonly SentenceIssue[];
  /** Misspelt words that were read as others, and parts that were left out. */
  readonly corrections: readonly Correction[];
}

/** Options of {@link parseQuery}. */
export interface ParseQueryOptions {
  /** The game whose words are preferred where several words share a name. */
  readonly game?: string | undefined;
  /** The proper names in the logs, which may be written in lower case. */
  readonly names?: readonly string[] | undefined;
  /** Refuses misspelt words instead of correcting them. */
  readonly exactSpelling?: boolean | undefined;
  /** The names of sessions, which may follow "in" without "session". */
  readonly sessions?: SessionNames | undefined;
  /** What the screen shows in the logs, which may be asked about by its caption. */
  readonly displays?: readonly Display[] | undefined;
  /** The words that the logs mention, which are more likely meant than others. */
  readonly vocabulary?: Vocabulary | undefined;
  /** Says of a sentence that is not understood only that it is not: finding out why takes longer than parsing. */
  readonly withoutReason?: boolean | undefined;
  /** Reads the question as it stands only, not in other words or with its parts in another order. */
  readonly asItStands?: boolean | undefined;
}

/**
 * Parses a query sentence; docs/reference/query-language.md describes the language.
 *
 * Of several readings the one of least cost is meant.
 */
export function parseQuery(sentence: string, dictionary: Dictionary, options: ParseQueryOptions = {}): ParsedQuery {
  const { names = [], sessions = new Map(), exactSpelling = false } = options;
  const normalized = normalizeQuestion(sentence, dictionary, {
    names,
    sessions,
    exactSpelling,
    nameOfPart: (part) => options.vocabulary?.nameOfPart(part),
    nameOfInitials: (initials) => options.vocabulary?.nameOfInitials(initials),
  });
  const { corrections } = normalized;
  const tokens = readTeam(normalized.tokens, options.vocabulary);
  const span = { start: 0, end: sentence.length };
  const fail = (issue: SentenceIssue): ParsedQuery => ({ query: undefined, issues: [issue], corrections });
  if (tokens.length === 0)
    return fail({
      code: 'empty-sentence',
      message: 'the query is empty',
      hint: 'Example: player kills opponent.',
      ...span,
    });
  if (tokens.length > maxTokens)
    return fail({ code: 'sentence-too-long', message: `the query has more than ${maxTokens} words`, ...span });
  const settings = { dictionary, options, corrections, parser: new BodyParser(sentence, dictionary, options) };
  const parsed = parseTokens(sentence, tokens, settings);
  if (parsed.query || options.asItStands || isFinal(parsed)) return parsed;
  const combined = readOperators(tokens, createReader(sentence, settings));
  if (combined) return { query: combined, issues: [], corrections };
  const [composed, ...others] = compose(tokens, settings);
  if (composed && others.length > 0 && options.vocabulary)
    return fail(ambiguous([composed, ...others], dictionary, span));
  if (composed) return { query: composed, issues: [], corrections };
  // Where the question is not understood as it stands: with its parts in another order, or in other words.
  const tolerant = { ...settings, options: { ...options, withoutReason: true } };
  const facts = { dictionary, vocabulary: options.vocabulary, displays: options.displays ?? [] };
  const forms = [tokens, ...rewriteQuestion(tokens, facts)];
  const attempts = [
    [tokens, readWithoutAdjunct] as const,
    ...forms.slice(1).map((form) => [form, readQuestion] as const),
    ...forms.slice(1, maxReorderedForms).map((form) => [form, readWithoutAdjunct] as const),
  ];
  for (const [form, read] of attempts) {
    if (settings.parser.isBusy) break;
    const other = parseTokens(sentence, form, tolerant, read);
    if (other.query) return other;
  }
  return parseWithoutAsides(sentence, dictionary, options) ?? parsed;
}

/** Reads a question without what is said around it; what is left out is reported as a correction. */
function parseWithoutAsides(
  sentence: string,
  dictionary: Dictionary,
  options: ParseQueryOptions,
): ParsedQuery | undefined {
  const { vocabulary, names = [], exactSpelling = false } = options;
  if (!vocabulary || exactSpelling) return undefined;
  const known = KnownNames.of(names).words;
  const rest = leaveOutAsides(sentence, dictionary, (word) => known.has(word));
  if (!rest) return undefined;
  const parsed = parseQuery(rest.sentence, dictionary, { ...options, withoutReason: true });
  return parsed.query && { ...parsed, corrections: [...rest.leftOut, ...parsed.corrections] };
}

const maxOperatorDepth = 3;

/** Reads the questions within a question: as they stand, composed of their units, or as operators themselves. */
function createReader(sentence: string, settings: ParseSettings, depth = 1): QuestionReader {
  const { dictionary, options, parser } = settings;
  const tolerant = { ...settings, options: { ...options, withoutReason: true } };
  const known = new Map<string, Query | undefined>();
  const read = (tokens: readonly Token[]): Query | undefined => {
    if (tokens.length === 0 || parser.isBusy) return undefined;
    const parsed = parseTokens(sentence, tokens, tolerant);
    if (parsed.query) return parsed.query;
    const combined =
      depth < maxOperatorDepth ? readOperators(tokens, createReader(sentence, settings, depth + 1)) : undefined;
    if (combined) return combined;
    const composed = compose(tokens, settings);
    return composed.length === 1 ? composed[0] : undefined;
  };
  return {
    dictionary,
    vocabulary: options.vocabulary,
    sentence,
    ask: (tokens) => {
      const key = tokens.map(({ lower, start }) => `${start} ${lower}`).join(' ');
      if (!known.has(key)) known.set(key, read(tokens));
      return known.get(key);
    },
    periodOf: (noun) => {
      const body = noun.length === 1 ? parser.parseBody(noun, 'noun', false) : undefined;
      return body && periodWordsOf(body);
    },
  };
}

interface ParseSettings {
  readonly dictionary: Dictionary;
  readonly options: ParseQueryOptions;
  readonly corrections: readonly Correction[];
  /** Forms of one question have parts in common. */
  readonly parser: BodyParser;
}

/** Is a refusal one that no other reading can answer? */
function isFinal({ issues: [issue] }: ParsedQuery): boolean {
  return issue?.code === 'other-command' || issue?.code === 'slot-mismatch';
}

/** The queries that the units of a question make, whatever their order: the cheapest one, and others of the same cost. */
function compose(tokens: readonly Token[], { dictionary, options, parser }: ParseSettings): readonly Query[] {
  const accounting = { dictionary, vocabulary: options.vocabulary };
  const compositions = composeQuestion(tokens, {
    ...accounting,
    contextOf: (each) => parser.context(each),
    parse: (each, kind) => parser.parseBody(each, kind, false),
  });
  const found = new Map<string, Query>();
  let least: number | undefined;
  for (const { query: composed, cost } of compositions) {
    if (least !== undefined && cost > least) break;
    const query = asTotal(composed, tokens);
    if (!query || isPlayerInState(query) || actsOnOneself(query.find) || asksWhere(query, tokens, accounting)) continue;
    if (findUnaccounted(query, tokens, accounting)) continue;
    if (options.vocabulary && findUncovered(query, dictionary, options.vocabulary)) continue;
    if (findImpossibleSlot(parser.context(tokens), query.find)) continue;
    least = cost;
    // "kills anyone" are kills.
    const key = JSON.stringify(query, (_, value: unknown) => (isEmptySlot(value) ? undefined : value));
    if (!found.has(key)) found.set(key, query);
  }
  return [...found.values()];
}

function isEmptySlot(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Parses the tokens of a question. */
function parseTokens(
  sentence: string,
  tokens: readonly Token[],
  { dictionary, options, corrections, parser }: ParseSettings,
  read: (tokens: readonly Token[], known: KnownReadings) => readonly (Reading | Redirection)[] = readQuestion,
): ParsedQuery {
  const span = { start: 0, end: sentence.length };
  const fail = (issue: SentenceIssue): ParsedQuery => ({ query: undefined, issues: [issue], corrections });
  let best: { query: Query; cost: number } | undefined;
  let redirection: Redirection | undefined;
  let ignored: Token | undefined;
  let uncovered: Word | undefined;
  const accounting = { dictionary, vocabulary: options.vocabulary };
  for (const reading of read(tokens, parser.readings).toSorted((a, b) => a.cost - b.cost)) {
    if ('command' in reading) {
      if (reading.cost < (redirection?.cost ?? best?.cost ?? Number.POSITIVE_INFINITY)) redirection = reading;
      continue;
    }
    if (reading.cost + leastBodyCost * reading.bodies.length >= (best?.cost ?? Number.POSITIVE_INFINITY)) break;
    const parsed = parser.parseAll(reading);
    if (!parsed || parsed.cost >= (best?.cost ?? Number.POSITIVE_INFINITY)) continue;
    const query = asTotal(reading.build(...parsed.bodies), tokens);
    if (!query || isPlayerInState(query) || actsOnOneself(query.find)) continue;
    if (asksWhere(query, tokens, accounting)) {
      ignored ??= tokens[0];
      continue;
    }
    const unaccounted = findUnaccounted(query, tokens, accounting);
    const foreign =
      unaccounted || !options.vocabulary ? undefined : findUncovered(query, dictionary, options.vocabulary);
    if (unaccounted) ignored ??= unaccounted;
    else if (foreign) uncovered ??= foreign;
    else best = { query, cost: parsed.cost };
  }
  if (redirection && redirection.cost < (best?.cost ?? Number.POSITIVE_INFINITY))
    return fail(redirect(redirection, span));
  if (!best && parser.isExhausted)
    return fail({
      code: 'sentence-too-complex',
      message: 'the query has too many possible readings',
      hint: 'Use parentheses, or put names in quotes.',
      ...span,
    });
  if (!best && options.withoutReason)
    return fail({ code: 'unexpected-word', message: 'the query is not understood', ...span });
  if (!best && uncovered) {
    const isKnown = options.vocabulary?.has(uncovered) === true;
    return fail(absentWord(uncovered, findTokenOf(uncovered, tokens, dictionary), isKnown));
  }
  if (!best && ignored) return fail(ignoredWord(ignored, sentence));
  if (!best) return fail(parser.explainFailure(tokens));
  const impossible = findImpossibleSlot(parser.context(tokens), best.query.find);
  return impossible ? fail(impossible) : { query: best.query, issues: [], corrections };
}

/** "where did I die" in logs that do not state where. */
function asksWhere(
  query: Query,
  tokens: readonly Token[],
  { dictionary, vocabulary }: { readonly dictionary: Dictionary; readonly vocabulary: Vocabulary | undefined },
): boolean {
  const find = 'nth' in query.find ? query.find.of : query.find;
  if (tokens[0]?.lower !== 'where' || !vocabulary || !('action' in find) || query.state || query.at !== undefined)
    return false;
  const actions = (find as ActionPattern).action.flatMap((id) => dictionary.find(id, 'action') ?? []);
  return !(['at', 'from', 'to'] as const).some((slot) => vocabulary.uses(slot, actions));
}

/** "who took the most damage", "health lost in round 2": by how much a value changes, rather than how often. */
function asTotal(query: Query | undefined, tokens: readonly Token[]): Query | undefined {
  if (!query || query.measure) return query;
  const isRanked = query.by !== undefined && (query.top !== undefined || query.bottom !== undefined);
  if (isRanked) {
    const isAmount =
      isChange(query.find) && tokens.some(({ lower }) => /^(?:damage|health|gold|money|mana)$/.test(lower));
    if (!isAmount) return query;
    const { count: _, ...rest } = query;
    return { ...rest, measure: { of: 'change', take: 'sum' } };
  }
  // "damage taken", not "when my health dropped" or "every time I lost health"
  const isAmount = tokens.some(({ lower }, at) => at > 0 && changedAmounts.has(lower));
  const { find, ...others } = query;
  const isList = Object.keys(others).length === 0;
  if (!isList || !isAmount || listing.has(tokens[0]!.lower) || !isChange(find)) return query;
  return { find: sameSubject(find), measure: { of: 'change', take: 'sum' } };
}

const changedAmounts: ReadonlySet<string> = new Set(
  'lost spent taken gained earned wasted used dealt burned'.split(' '),
);
const listing: ReadonlySet<string> = new Set(
  'when which what who where did do does was were list show every each times time timestamps timestamp moments'.split(
    ' ',
  ),
);

/** Is it about a value that rises or drops? */
function isChange(find: Condition): boolean {
  if ('all' in find) return find.all.some((each) => isChange(each));
  if ('near' in find) return isChange(find.find);
  return 'property' in find && (find as PropertyPattern).change !== undefined;
}

/** "when was I on 2 health" does not ask for all that mentions the player meanwhile. */
function isPlayerInState({ find }: Query): boolean {
  const condition = 'near' in find ? find.find : find;
  if (!('all' in condition) || !condition.all.some((each) => 'while' in each)) return false;
  return condition.all.every(
    (each) =>
      'while' in each ||
      ('mentions' in each &&
        (each as MentionCondition).mentions.any?.every(
          ({ words, name }) => name === undefined && words?.[0] === 'player',
        )),
  );
}

/** "kills of our team" are not those of the player by the player. */
function actsOnOneself(condition: Condition): boolean {
  const parts = 'all' in condition ? condition.all : [condition];
  const patterns = parts.filter((each): each is ActionPattern => 'action' in each);
  const isDone = (['subject', 'object'] as const).every((slot) =>
    patterns.some((each) => each[slot]?.any?.some((mention) => isThePlayer(mention))),
  );
  return isDone || childConditions(condition).some((each) => !('action' in each) && actsOnOneself(each));
}

function isThePlayer({ words, name, of }: MentionPattern): boolean {
  return words?.includes('player') === true && name === undefined && of === undefined;
}

/** No body costs less: the caption of a display makes it cheaper by two, a group at its end by one. */
const leastBodyCost = -3;

function redirect({ command }: Redirection, span: { start: number; end: number }): SentenceIssue {
  if (command === undefined)
    return {
      code: 'other-command',
      message: 'a log states what happened, not what did not; queries cannot list what is missing',
      hint: 'Ask what happened ("which weapons did I use") and compare.',
      ...span,
    };
  return {
    code: 'other-command',
    message: `queries find and count events; this is a question for "playbyplay ${command}"`,
    hint: `Run: playbyplay ${command} <log>`,
    ...span,
  };
}

/**
 * "we" are the player and the teammates, in logs that have teammates; in others the player, or those on the player's side.
 * "they" are the opponents.
 */
function readTeam(tokens: readonly Token[], vocabulary: Vocabulary | undefined): readonly Token[] {
  const hasOwnTeam = vocabulary?.hasOwnTeam ?? false;
  return tokens.flatMap((token, at) => {
    // "how many fouls did they commit" is about the other side.
    if (token.kind === 'word' && token.lower === 'they' && vocabulary?.others !== undefined)
      return [{ ...token, text: vocabulary.others, lower: vocabulary.others }];
    // "how many kills did the bots have" where no bots are mentioned
    if (/^bots?$/.test(token.lower) && vocabulary?.others !== undefined && !vocabulary.mentions('bot')) {
      const other = token.lower === 'bots' ? vocabulary.others : vocabulary.others === 'enemies' ? 'enemy' : 'opponent';
      return [{ ...token, text: other, lower: other }];
    }
    // "did Vega finish" where the logs say who crosses the finish line
    const next = tokens[at + 1]?.lower;
    const isFinish = /^finish(?:es|ed)?$/.test(token.lower) && (next === undefined || finishFollowers.has(next));
    if (isFinish && !/^(?:where|what|which)$/.test(tokens[0]!.lower) && vocabulary?.hasFinishLine)
      return [token.lower === 'finish' ? 'cross' : 'crossed', 'finish', 'line'].map(
        (text): Token => ({
          ...token,
          text,
          lower: text,
        }),
      );
    // "how many players did I kill" is about those on the other side.
    const isOther = /^(?:players|people)$/.test(token.lower) && tokens[at - 1]?.lower === 'many';
    if (
      isOther &&
      /^(?:did|have)$/.test(next ?? '') &&
      /^(?:i|we)$/.test(tokens[at + 2]?.lower ?? '') &&
      vocabulary?.others
    )
      return [{ ...token, text: vocabulary.others, lower: vocabulary.others }];
    // "when I knocked him out" is about the only other one.
    const rival = token.kind === 'word' && /^(?:he|she|him)$/.test(token.lower) ? vocabulary?.rival?.name : undefined;
    if (rival !== undefined) return [{ ...token, text: rival, lower: rival.toLowerCase() }];
    const alone = token.kind === 'word' ? singularOf.get(token.lower) : undefined;
    if (alone === undefined) return [token];
    if (!hasOwnTeam) return [{ ...token, text: alone, lower: alone }];
    // "our team" is "my team" as it stands.
    if (token.lower === 'our' && /^(?:team|squad|side)$/.test(next ?? ''))
      return [{ ...token, text: 'my', lower: 'my' }];
    const team = ['my', 'team'].map((text): Token => ({ ...token, text, lower: text }));
    // "when we got our third kill"
    const isRepeated = token.lower === 'our' && tokens.slice(0, at).some(({ lower }) => lower === 'we');
    if (isRepeated && ordinalValue(tokens[at + 1]?.lower ?? '') !== undefined)
      return [{ ...token, text: 'the', lower: 'the' }];
    return token.lower === 'our' ? [...team, { ...token, kind: 'possessive', text: "'s", lower: "'s" }] : team;
  });
}

const finishFollowers: ReadonlySet<string> = new Set(['first', 'last', 'before', 'after', '1st', 'when']);

const singularOf: ReadonlyMap<string, string> = new Map([
  ['we', 'i'],
  ['us', 'me'],
  ['our', 'my'],
]);

/** The refusal of a question that can mean several things. */
function ambiguous(
  queries: readonly Query[],
  dictionary: Dictionary,
  span: { start: number; end: number },
): SentenceIssue {
  const meanings = queries.slice(0, 2).map((each) => `“${describeQuery(each, dictionary)}”`);
  return {
    code: 'ambiguous-question',
    message: 'the question can mean different things',
    hint: `Ask for ${meanings.join(' or ')}.`,
    ...span,
  };
}

/** The refusal of a question of which no reading accounts for a word. */
function ignoredWord({ start, end }: Token, sentence: string): SentenceIssue {
  const message = `“${sentence.slice(start, end)}” is not understood here`;
  return { code: 'unexpected-word', message, hint: 'Ask without it, or in other words.', start, end };
}

/** The refusal of a question about what the logs never state. */
function absentWord({ name, kind }: Word, { start, end }: Token, isKnown: boolean): SentenceIssue {
  const how = kind === 'property' ? ' of whom this asks about' : ' in the way this asks about';
  const what = kind === 'action' ? `the action “${name}”` : `“${name}”${isKnown ? how : ''}`;
  return {
    code: 'absent-word',
    message: `no event of these logs states ${what}, so they cannot answer this`,
    hint: 'Ask about what the logs state.',
    start,
    end,
  };
}

type ParsedBody = Body & { readonly cost: number };

interface ParsedBodies {
  readonly bodies: readonly Body[];
  readonly cost: number;
}

/** The offset up to which a sentence was parsed. */
function placeOf({ tokens, furthest }: ParseContext): number {
  return furthest === 0 ? 0 : (tokens[furthest - 1]?.end ?? 0);
}

const maxParsedBodies = 700;
/** Of the other forms of a question, the first ones are read with their parts in another order, too. */
const maxReorderedForms = 9;

/** Parses the conditions in a question, each run of tokens once. */
class BodyParser {
  isExhausted = false;
  readonly readings: KnownReadings = new Map();
  private readonly sentence: string;
  private readonly dictionary: Dictionary;
  private readonly options: ParseQueryOptions;
  private readonly isMentioned: ((word: Word) => boolean) | undefined;
  private readonly failures: ParseContext[] = [];
  private readonly parsed = new Map<string, ParsedBody | undefined>();

  constructor(sentence: string, dictionary: Dictionary, options: ParseQueryOptions) {
    this.sentence = sentence;
    this.dictionary = dictionary;
    this.options = options;
    const { vocabulary } = options;
    this.isMentioned = vocabulary?.has;
  }

  /** Were so many conditions parsed that further forms of the question would take too long? */
  get isBusy(): boolean {
    return this.parsed.size > maxParsedBodies;
  }

  parseAll({ bodies, cost, isCount, kinds }: Reading): ParsedBodies | undefined {
    const parsed: Body[] = [];
    let sum = cost;
    for (const [index, tokens] of bodies.entries()) {
      const kind = kinds?.[index];
      const body = this.parseBody(tokens, kind, isCount ?? false);
      if (!body) return undefined;
      parsed.push(body);
      sum += body.cost;
    }
    return { bodies: parsed, cost: sum };
  }

  /** Explains the failure by the reading that got furthest. */
  explainFailure(tokens: readonly Token[]): SentenceIssue {
    const whole = this.context(tokens);
    parseConditions(whole, 0);
    // What a reading added itself cannot be quoted.
    const failures = this.failures.filter((each) => each.tokens.every(({ start, end }) => end > start));
    const furthest = [whole, ...failures].reduce((best, each) => (placeOf(each) > placeOf(best) ? each : best));
    return explainParseFailure(furthest, (word) => questionWords.has(word) || whole.names.words.has(word));
  }

  context(tokens: readonly Token[]): ParseContext {
    const { game, names, sessions, displays } = this.options;
    return new ParseContext(this.sentence, this.dictionary, {
      game,
      isQuery: true,
      tokens,
      ...(names && { names }),
      ...(sessions && { sessions }),
      ...(displays && { displays }),
      isMentioned: this.isMentioned,
      facts: this.options.vocabulary,
    });
  }

  parseBody(tokens: readonly Token[], kind: BodyKind | undefined, isCount: boolean): ParsedBody | undefined {
    const key = `${kind ?? isCount} ${tokens.map((each) => `${each.kind}${each.text}${each.start}`).join(' ')}`;
    if (this.parsed.has(key)) return this.parsed.get(key);
    const body =
      kind === 'noun'
        ? this.parseNoun(tokens)
        : kind === 'property'
          ? this.parseProperty(tokens)
          : this.parse(tokens, isCount);
    this.parsed.set(key, body);
    return body;
  }

  private parseNoun(tokens: readonly Token[]): ParsedBody | undefined {
    const context = this.context(tokens);
    const lists = parseNounLists(context, 0, 'object').filter(({ end }) => end === context.tokens.length);
    const [list] = lists.toSorted((a, b) => a.cost - b.cost);
    if (!list) return undefined;
    const { vocabulary } = this.options;
    const isPeriod =
      vocabulary !== undefined && list.any.some(({ words }) => words.some(({ word }) => vocabulary.isPeriod(word)));
    return {
      condition: { mentions: toSlotPattern(context, list, 'object') },
      by: undefined,
      cost: list.cost,
      isPeriod,
    };
  }

  private parseProperty(tokens: readonly Token[]): ParsedBody | undefined {
    const context = this.context(tokens);
    const patterns = [...parsePropertyPatterns(context, 0), ...parseGains(context, 0)];
    const [best] = patterns.filter(({ end }) => end === context.tokens.length).toSorted((a, b) => a.cost - b.cost);
    if (!best) return undefined;
    const [id] = 'property' in best.condition ? (best.condition as PropertyPattern).property : [];
    const { vocabulary } = this.options;
    const properties = 'property' in best.condition ? (best.condition as PropertyPattern).property : [];
    const isLowerBetter =
      properties.some((each) => {
        const word = this.dictionary.find(each, 'property');
        return word?.isLowerBetter === true && (properties.length === 1 || vocabulary?.has(word) === true);
      }) ||
      ('property' in best.condition && showsPlace(best.condition as PropertyPattern));
    return {
      condition: best.condition,
      by: undefined,
      cost: best.cost,
      isLowerBetter,
      hasWords: this.hasWords(id),
      ...this.ownersOf(id),
    };
  }

  private ownersOf(id: WordId | undefined): Pick<Body, 'owners'> {
    const { vocabulary } = this.options;
    const property = id === undefined ? undefined : this.dictionary.find(id, 'property');
    return property && vocabulary ? { owners: vocabulary.owners(property) } : {};
  }

  private hasWords(id: WordId | undefined): boolean {
    const { vocabulary } = this.options;
    const property = id === undefined ? undefined : this.dictionary.find(id, 'property');
    return (
      property !== undefined && vocabulary !== undefined && vocabulary.has(property) && !vocabulary.isNumeric(property)
    );
  }

  /** "I played my third card" is the third time that I played a card. */
  private parseOrdinalObject(tokens: readonly Token[]): ParsedBody | undefined {
    const at = tokens.findIndex(
      ({ lower }, index) =>
        index > 1 && ordinalValue(lower) !== undefined && ordinalOwners.has(tokens[index - 1]!.lower),
    );
    if (at < 0 || at === tokens.length - 1 || tokens.some(({ lower }) => clauseLinks.has(lower))) return undefined;
    const body = this.parseBody([...tokens.slice(0, at - 1), ...tokens.slice(at + 1)], undefined, false);
    if (!body || body.by || !isAboutEvent(body.condition) || 'nth' in body.condition) return undefined;
    return {
      condition: { nth: ordinalValue(tokens[at]!.lower)!, of: body.condition },
      by: undefined,
      cost: body.cost + 1,
    };
  }

  private parse(tokens: readonly Token[], isCount: boolean): ParsedBody | undefined {
    const context = this.context(tokens);
    let best: ParsedBody | undefined;
    for (const { condition, end, cost } of parseConditions(context, 0)) {
      const groups = parseGroups(context, end, isCount, this.options.vocabulary);
      if (groups?.end !== context.tokens.length) continue;
      if (best && cost + groups.cost >= best.cost) continue;
      best = { condition, by: groups.by, cost: cost + groups.cost };
    }
    if (context.isExhausted) this.isExhausted = true;
    best ??= this.parseOrdinalObject(tokens);
    if (!best) this.failures.push(context);
    return best;
  }
}

const ordinalOwners: ReadonlySet<string> = new Set(['my', 'his', 'her', 'their', 'the', 'its']);
/** Words after which an ordinal belongs to another clause. */
const clauseLinks: ReadonlySet<string> = new Set(
  'before after within while when between and or then followed until since of without'.split(' '),
);

interface ParsedGroups {
  readonly by?: readonly GroupKey[];
  readonly end: number;
  readonly cost: number;
}

/** Parses what follows the condition: "by weapon", "per session". */
function parseGroups(
  context: ParseContext,
  at: number,
  isCount: boolean,
  vocabulary: Vocabulary | undefined,
): ParsedGroups | undefined {
  if (at === context.tokens.length) return { end: at, cost: 0 };
  const start =
    context.skip(at, 'grouped by') ??
    context.skip(at, 'per') ??
    context.skip(at, 'for each') ??
    context.skip(at, 'by each') ??
    context.skip(at, 'by');
  const isByAlone = !isCount && context.wordAt(at) === 'by';
  if (start === undefined) return undefined;
  // "fouls by the opponents" names who did it.
  if (isCount && context.wordAt(at) === 'by' && context.wordAt(start) === 'the') return undefined;
  const by: GroupKey[] = [];
  let next: number | undefined = start;
  let end = start;
  while (next !== undefined) {
    const group = parseGroup(context, next, vocabulary);
    // "kills by opponent" names who did it; only after "count" are they groups.
    if (!group || (isByAlone && isCharacter(context.dictionary, group.key))) {
      context.expect(next, 'what to group by');
      return undefined;
    }
    by.push(group.key);
    end = group.end;
    next = context.skip(end, ',') ?? context.skip(end, 'and');
    if (next !== undefined) next = context.skip(next, 'by') ?? context.skip(next, 'per') ?? next;
  }
  // After "count", "by opponent" groups rather than naming who did it.
  return { by, end, cost: -1 };
}

const groupKeys: ReadonlyMap<string, GroupKey> = new Map<string, GroupKey>([
  ['subject', { slot: 'subject' }],
  ['killer', { slot: 'subject' }],
  ['attacker', { slot: 'subject' }],
  ['object', { slot: 'object' }],
  ['victim', { slot: 'object' }],
  ['instrument', { slot: 'with' }],
  ['means', { slot: 'with' }],
  ['place', { slot: 'at' }],
  ['manner', { slot: 'manner' }],
  ['property', { slot: 'property' }],
  ['action', { key: 'action' }],
  ['game', { key: 'game' }],
  ['session', { key: 'session' }],
  ['name', { key: 'name' }],
  ['minute', { key: 'minute' }],
  ['life', { key: 'life' }],
  ['match', { key: 'session' }],
  ['recording', { key: 'session' }],
]);

function parseGroup(
  context: ParseContext,
  at: number,
  vocabulary: Vocabulary | undefined,
): { key: GroupKey; end: number } | undefined {
  const key = groupKeys.get(context.wordAt(at) ?? '');
  if (key) return { key, end: at + 1 };
  const list = parseNounLists(context, at, 'object').find(
    ({ any }) => any.length === 1 && any[0]!.name === undefined && any[0]!.words.length > 0,
  );
  if (!list) return undefined;
  const noun = list.any[0]!;
  // "by my teammate"
  if (noun.of) return undefined;
  const ids = noun.words.map(({ word }) => word.id);
  // "goals per half"
  if (vocabulary && noun.words.some(({ word }) => vocabulary.isPeriod(word)))
    return { key: { period: { word: recordSpan(ids, context, noun.head ?? noun) } }, end: list.end };
  // "kills by player", "kills by railgun": a single value makes no groups, so the phrase fills a slot.
  if (ids.every((id) => hasSingleValue(context.dictionary, id))) return undefined;
  // "deaths by rocket", where the logs mention nothing under it.
  const isItem = ids.every((id) => id !== 'weapon' && id !== 'item' && context.dictionary.isA(id, 'item', 'object'));
  if (isItem && vocabulary && !noun.words.some(({ word }) => vocabulary.hasGroups(word))) return undefined;
  return { key: { word: recordSpan(ids, context, noun.head ?? noun) }, end: list.end };
}

function isCharacter(dictionary: Dictionary, key: GroupKey): boolean {
  return 'word' in key && key.word.some((id) => !dictionary.isA(id, 'item', 'object'));
}

function hasSingleValue(dictionary: Dictionary, id: WordId): boolean {
  if (id === 'player') return true;
  return dictionary.descendants(id, 'object').length === 0 && dictionary.isA(id, 'item', 'object');
}
