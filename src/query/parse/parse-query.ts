import type { Dictionary } from '../../dictionary/dictionary.ts';
import { maxTokens, ParseContext } from '../../dictionary/sentences/parse-context.ts';
import { explainParseFailure, type SentenceIssue } from '../../dictionary/sentences/parse-errors.ts';
import { numberValue } from '../../dictionary/sentences/tokenize.ts';
import type { WordId } from '../../events/statement.ts';
import type { GroupKey, Query } from '../query.ts';
import { recordSpan } from '../source-spans.ts';
import { parseConditions } from './conditions.ts';
import { parseNounLists } from './noun-lists.ts';
import { explainUnsupportedQuestion, rearrangeQuestion } from './questions.ts';
import { findImpossibleSlot } from './slot-compatibility.ts';

/** The result of {@link parseQuery}: a query, or why there is none. */
export interface ParsedQuery {
  readonly query: Query | undefined;
  readonly issues: readonly SentenceIssue[];
}

/**
 * Parses a query sentence; docs/reference/query-language.md describes the language.
 *
 * A query is a prefix ("count", "first 3"), a condition, and groups ("by weapon"). Of several readings the one of least cost is
 * meant.
 *
 * @param game The game whose words are preferred where several words share a name.
 */
export function parseQuery(sentence: string, dictionary: Dictionary, game?: string): ParsedQuery {
  const context = new ParseContext(sentence, dictionary, { game, isQuery: true, rearrange: rearrangeQuestion });
  const { tokens } = context;
  const span = { start: 0, end: sentence.length };
  if (tokens.length === 0)
    return failure({
      code: 'empty-sentence',
      message: 'the query is empty',
      hint: 'Example: player kills opponent.',
      ...span,
    });
  if (tokens.length > maxTokens)
    return failure({ code: 'sentence-too-long', message: `the query has more than ${maxTokens} words`, ...span });
  const prefix = parsePrefix(context);
  let best: { query: Query; cost: number } | undefined;
  for (const { condition, end, cost } of parseConditions(context, prefix.end)) {
    const groups = parseGroups(context, end, prefix.options.count !== undefined);
    if (groups?.end !== tokens.length || cost + groups.cost >= (best?.cost ?? Number.POSITIVE_INFINITY)) continue;
    const { count, ...limits } = prefix.options;
    const query = { find: condition, ...(count && { count }), ...(groups.by && { by: groups.by }), ...limits };
    best = { query, cost: cost + groups.cost };
  }
  if (context.isExhausted)
    return failure({
      code: 'sentence-too-complex',
      message: 'the query has too many possible readings',
      hint: 'Use parentheses, or put names in quotes.',
      ...span,
    });
  if (!best) return failure(explainUnsupportedQuestion(context) ?? explainParseFailure(context));
  const impossible = findImpossibleSlot(context, best.query.find);
  return impossible ? failure(impossible) : { query: best.query, issues: [] };
}

function failure(issue: SentenceIssue): ParsedQuery {
  return { query: undefined, issues: [issue] };
}

interface Prefix {
  readonly options: Pick<Query, 'count' | 'first' | 'last'>;
  readonly end: number;
}

/** Parses what precedes the condition: "count", "first 3", "list". */
function parsePrefix(context: ParseContext): Prefix {
  for (const phrase of ['count of', 'count', 'number of', 'how many', 'how often']) {
    const end = context.skip(0, phrase);
    if (end !== undefined) return { options: { count: true }, end };
  }
  const start = ['list', 'show', 'find', 'all'].includes(context.wordAt(0) ?? '') ? 1 : 0;
  const at = context.skip(start, 'the') ?? start;
  const limit = context.wordAt(at);
  if (limit !== 'first' && limit !== 'last') return { options: {}, end: start };
  const number = numberValue(context.tokens[at + 1]);
  return { options: { [limit]: number ?? 1 }, end: number === undefined ? at + 1 : at + 2 };
}

interface ParsedGroups {
  readonly by?: readonly GroupKey[];
  readonly end: number;
  readonly cost: number;
}

/** Parses what follows the condition: "by weapon", "per session". */
function parseGroups(context: ParseContext, at: number, isCount: boolean): ParsedGroups | undefined {
  if (at === context.tokens.length) return { end: at, cost: 0 };
  const start =
    context.skip(at, 'grouped by') ??
    context.skip(at, 'per') ??
    context.skip(at, 'for each') ??
    (isCount ? context.skip(at, 'by') : undefined);
  if (start === undefined) return undefined;
  const by: GroupKey[] = [];
  let next: number | undefined = start;
  let end = start;
  while (next !== undefined) {
    const group = parseGroup(context, next);
    if (!group) {
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
]);

function parseGroup(context: ParseContext, at: number): { key: GroupKey; end: number } | undefined {
  const key = groupKeys.get(context.wordAt(at) ?? '');
  if (key) return { key, end: at + 1 };
  const list = parseNounLists(context, at, 'object').find(
    ({ any }) => any.length === 1 && any[0]!.name === undefined && any[0]!.words.length > 0,
  );
  if (!list) return undefined;
  const noun = list.any[0]!;
  const ids = noun.words.map(({ word }) => word.id);
  // "kills by player", "kills by railgun": a single value makes no groups, so the phrase fills a slot.
  if (ids.every((id) => hasSingleValue(context.dictionary, id))) return undefined;
  return { key: { word: recordSpan(ids, context, noun.head ?? noun) }, end: list.end };
}

function hasSingleValue(dictionary: Dictionary, id: WordId): boolean {
  if (id === 'player') return true;
  return dictionary.descendants(id, 'object').length === 0 && dictionary.isA(id, 'item', 'object');
}
