import type { Mention, Slot, Statement } from '../../events/statement.ts';
import type { Dictionary } from '../dictionary.ts';
import type { DictionaryIssue } from '../issues.ts';
import { normalizeStatement, validateStatement } from '../statements.ts';
import { parseActionClauses, parseSingleNouns, type ActionClause, type NounList } from './action-clauses.ts';
import type { NounPhrase, WordCandidate } from './noun-phrases.ts';
import { maxTokens, ParseContext } from './parse-context.ts';
import { explainParseFailure, type SentenceIssue } from './parse-errors.ts';
import { numericDirection, parsePropertyClauses, type ParsedValue, type PropertyClause } from './property-clauses.ts';
import { writeSentence } from './sentence-writer.ts';

/** The result of {@link parse}. */
export interface Parsed {
  /** The statement, if the sentence has exactly one valid reading. */
  readonly statement: Statement | undefined;
  /** All equally likely readings; several if the sentence is ambiguous. */
  readonly readings: readonly Statement[];
  /** Why there is no statement. */
  readonly issues: readonly SentenceIssue[];
}

/** Options of {@link parse}. */
export interface ParseOptions {
  /** The game whose words are preferred where several words share a name. */
  readonly game?: string;
  /** Characters that the sentence may call by their names alone: "Gargoyle kills Sarge". */
  readonly cast?: readonly Mention[];
}

/** Limits the combinations of words that share a name. */
const maxCombinations = 512;

/**
 * Parses an English sentence into a statement: `parse(render(s)) = s`.
 *
 * Also accepts articles, other tenses, synonyms, the passive voice and phrases in another order.
 *
 * @returns The statement, or issues with their position in the sentence: unknown words with suggestions, all readings of an
 * ambiguous sentence, violated slot rules.
 * @example
 * const { dictionary } = await loadBuiltin();
 * parse('the enemy was killed by the player', dictionary).statement;
 * // { subject: 'player', action: 'kill', object: 'enemy' }
 * parse('player kils enemy', dictionary).issues[0]?.hint; // 'Did you mean "kill"?'
 */
export function parse(sentence: string, dictionary: Dictionary, options: ParseOptions = {}): Parsed {
  const context = new ParseContext(sentence, dictionary, { game: options.game, cast: options.cast });
  const { tokens } = context;
  const span = { start: 0, end: sentence.length };
  if (tokens.length === 0) return failure({ code: 'empty-sentence', message: 'the sentence is empty', ...span });
  if (tokens.length > maxTokens)
    return failure({ code: 'sentence-too-long', message: `the sentence has more than ${maxTokens} words`, ...span });
  const { readings, issues } = findReadings(context);
  if (context.isExhausted)
    return failure({
      code: 'sentence-too-complex',
      message: 'the sentence has too many possible readings',
      hint: 'Shorten it, or put names in quotes.',
      ...span,
    });
  if (readings.length === 0) return failure(explainParseFailure(context));
  if (issues.length > 0)
    return { statement: undefined, readings, issues: issues.map((issue) => ({ ...issue, ...span })) };
  if (readings.length === 1) return { statement: readings[0], readings, issues: [] };
  const sentences = readings.map((each) => `"${writeSentence(each, dictionary)}"`);
  const issue: SentenceIssue = {
    code: 'ambiguous-sentence',
    message: `the sentence has ${readings.length} meanings`,
    hint: `Write ${sentences.join(' or ')}.`,
    ...span,
  };
  return { statement: undefined, readings, issues: [issue] };
}

/** Does the sentence mean this and nothing else? Faster than {@link parse}, because it does not explain why not. */
export function means(
  sentence: string,
  statement: Statement,
  dictionary: Dictionary,
  options: ParseOptions = {},
): boolean {
  const context = new ParseContext(sentence, dictionary, { game: options.game, cast: options.cast });
  if (context.tokens.length > maxTokens) return false;
  const { readings, issues } = findReadings(context);
  const isUnambiguous = !context.isExhausted && issues.length === 0 && readings.length === 1;
  return isUnambiguous && JSON.stringify(readings[0]) === JSON.stringify(normalizeStatement(statement));
}

/** The equally likely readings that have the fewest issues, and the issues of the first. */
function findReadings(context: ParseContext): { readings: Statement[]; issues: readonly DictionaryIssue[] } {
  const clauses = [...parsePropertyClauses(context, 0), ...parseActionClauses(context, 0, parseSingleNouns)];
  const candidates = clauses
    .filter(({ end }) => end === context.tokens.length)
    .flatMap((clause) => toStatements(clause));
  if (candidates.length === 0) return { readings: [], issues: [] };
  const checked = candidates.map((each) => ({
    ...each,
    issues: validateStatement(each.statement, context.dictionary),
  }));
  const fewestIssues = Math.min(...checked.map(({ issues }) => issues.length));
  const best = keepCheapest(checked.filter(({ issues }) => issues.length === fewestIssues));
  return { readings: best.map(({ statement }) => statement), issues: best[0]!.issues };
}

function failure(issue: SentenceIssue): Parsed {
  return { statement: undefined, readings: [], issues: [issue] };
}

interface Candidate {
  readonly statement: Statement;
  readonly cost: number;
}

/** The cheapest candidates without duplicates. */
function keepCheapest<Kind extends Candidate>(candidates: readonly Kind[]): Kind[] {
  const leastCost = Math.min(...candidates.map(({ cost }) => cost));
  const cheapest = candidates.filter(({ cost }) => cost === leastCost);
  return [...new Map(cheapest.map((each) => [JSON.stringify(each.statement), each])).values()];
}

interface Alternative {
  readonly value: string | number | Mention;
  readonly cost: number;
}

/** The statements that a clause can mean, one for each combination of words that share a name. */
function toStatements(clause: ActionClause | PropertyClause): Candidate[] {
  const parts = clause.kind === 'action' ? actionParts(clause) : propertyParts(clause);
  if (!parts) return [];
  let combinations: { entries: [string, unknown][]; cost: number }[] = [{ entries: [], cost: clause.cost }];
  for (const [key, alternatives] of parts) {
    combinations = combinations
      .flatMap(({ entries, cost }) =>
        alternatives.map((each) => ({
          entries: [...entries, [key, each.value] as [string, unknown]],
          cost: cost + each.cost,
        })),
      )
      .slice(0, maxCombinations);
  }
  return combinations.map(({ entries, cost }) => ({
    statement: normalizeStatement(Object.fromEntries(entries) as unknown as Statement),
    cost,
  }));
}

type Parts = [key: string, alternatives: Alternative[]][];

function actionParts({ verbs, slots, amount, unit }: ActionClause): Parts | undefined {
  const verb = verbs[0]!;
  if (verb.isNegated) return undefined;
  const parts: Parts = [['action', [{ value: verb.word.id, cost: 0 }]]];
  for (const [slot, list] of Object.entries(slots)) parts.push([slot, mentionsOfList(list)]);
  if (amount?.min !== undefined) parts.push(['amount', [{ value: amount.min, cost: 0 }]]);
  if (unit) parts.push(['unit', toWordIds(unit.words)]);
  return parts;
}

function propertyParts(clause: PropertyClause): Parts | undefined {
  if (!isPossibleChange(clause)) return undefined;
  const parts: Parts = clause.subject ? [['subject', mentionsOfList(clause.subject)]] : [];
  parts.push(['property', toWordIds(clause.properties)]);
  for (const key of ['from', 'to'] as const) if (clause[key] !== undefined) parts.push([key, toValues(clause[key])]);
  return parts;
}

/** Only numbers rise and drop, and in the right direction. */
function isPossibleChange({ direction, from, to, properties }: PropertyClause): boolean {
  const change = numericDirection(direction, properties[0]!);
  if (change === undefined) return true;
  if (to === undefined || !('number' in to)) return false;
  if (from === undefined) return true;
  if (!('number' in from) || from.number === to.number) return false;
  // "rank drops from 3 to 1" is about the number: earlier versions wrote so.
  const isAboutNumber =
    (direction === 'rises') === from.number < to.number && (direction === 'rises' || direction === 'drops');
  return isAboutNumber || (change === 'rises') === from.number < to.number;
}

function toWordIds(words: readonly WordCandidate[]): Alternative[] {
  return words.map(({ word, cost }) => ({ value: word.id, cost }));
}

function toValues(value: ParsedValue): Alternative[] {
  if ('number' in value) return [{ value: value.number, cost: 0 }];
  if ('text' in value) return [{ value: value.text, cost: 0 }];
  return mentionsOfList(value.nouns);
}

function mentionsOfList({ any }: NounList): { value: Mention; cost: number }[] {
  return any.flatMap((noun) => toMentions(noun));
}

function toMentions(noun: NounPhrase): { value: Mention; cost: number }[] {
  const owners: readonly ({ value: Slot; cost: number } | undefined)[] = noun.of ? toMentions(noun.of) : [undefined];
  return noun.words.flatMap(({ word, cost }) =>
    owners.map((owner) => ({
      value: {
        word: word.id,
        ...(noun.name !== undefined && { name: noun.name }),
        ...(noun.count !== undefined && { count: noun.count }),
        ...(owner && { of: owner.value }),
      },
      cost: cost + (owner?.cost ?? 0),
    })),
  );
}
