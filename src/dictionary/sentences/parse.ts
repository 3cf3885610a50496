import { didYouMean, editDistance, findNearest } from '../../spelling.ts';
import type { Mention, PropertyValue, Slot, Statement } from '../../events/statement.ts';
import type { WordIssue } from '../issues.ts';
import type { Dictionary, Word } from '../dictionary.ts';
import { functionWords } from './function-words.ts';
import { propertyClausesAt, type PropertyClause, type ReadValue } from './property-clauses.ts';
import { actionClausesAt, singleNouns, type ActionClause, type NounList } from './action-clauses.ts';
import { normalizeStatement, validateStatement } from '../statements.ts';
import type { Noun } from './noun-phrases.ts';
import { maxTokens, Reader } from './parse-context.ts';
import { render } from './render.ts';

/** An issue with the stretch of the sentence that it is about. */
export interface TextIssue extends WordIssue {
  readonly start: number;
  readonly end: number;
}

export interface Parsed {
  /** What the sentence says, if that is one thing and the dictionary accepts it. */
  readonly statement: Statement | undefined;
  /** All readings that are equally near; more than one: the sentence is ambiguous. */
  readonly readings: readonly Statement[];
  readonly issues: readonly TextIssue[];
}

export interface ParseOptions {
  /** The game of the log: its words come first where a name has several. */
  readonly game?: string;
}

/** Senses that are tried together at most; more are ambiguous beyond help anyway. */
const maxSenses = 512;

/**
 * The statement that an English sentence makes: `parse(render(s)) = s`. Tolerant of articles, tense, synonyms, passive
 * voice and the order of phrases. Whatever keeps it from being understood is said, with the place: unknown words with
 * suggestions, several readings with all of them, statements that break a pattern with the rule.
 */
export function parse(sentence: string, dictionary: Dictionary, options: ParseOptions = {}): Parsed {
  const reader = new Reader(sentence, dictionary, { game: options.game });
  const all = { start: 0, end: sentence.length };
  if (reader.tokens.length === 0) return failed({ code: 'empty-sentence', message: 'there is no sentence', ...all });
  if (reader.tokens.length > maxTokens)
    return failed({ code: 'sentence-too-long', message: `a sentence has at most ${maxTokens} words`, ...all });
  const whole = reader.tokens.length;
  const clauses = [...propertyClausesAt(reader, 0), ...actionClausesAt(reader, 0, singleNouns)].filter(
    (clause) => clause.end === whole,
  );
  if (reader.exhausted)
    return failed({
      code: 'sentence-too-complex',
      message: 'the sentence has too many possible readings',
      hint: 'make it shorter, or put names in quotes',
      ...all,
    });
  const candidates = clauses.flatMap((clause) => statementsOf(clause));
  if (candidates.length === 0) return failed(misunderstood(reader));
  const judged = candidates.map((each) => ({ ...each, issues: validateStatement(each.statement, dictionary) }));
  const fewest = Math.min(...judged.map(({ issues }) => issues.length));
  const best = cheapest(judged.filter(({ issues }) => issues.length === fewest));
  if (fewest > 0) {
    return {
      statement: undefined,
      readings: best.map(({ statement }) => statement),
      issues: best[0]!.issues.map((issue) => ({ ...issue, ...all })),
    };
  }
  const readings = best.map(({ statement }) => statement);
  if (readings.length === 1) return { statement: readings[0], readings, issues: [] };
  const sentences = readings.map((each) => `"${render(each, dictionary)}"`);
  return {
    statement: undefined,
    readings,
    issues: [
      {
        code: 'ambiguous-sentence',
        message: `the sentence can mean ${readings.length} things`,
        hint: `say ${sentences.join(' or ')}`,
        ...all,
      },
    ],
  };
}

function failed(...issues: TextIssue[]): Parsed {
  return { statement: undefined, readings: [], issues };
}

interface Candidate {
  readonly statement: Statement;
  readonly cost: number;
}

/** The cheapest candidates, each statement once. */
function cheapest<Kind extends Candidate>(candidates: readonly Kind[]): Kind[] {
  const least = Math.min(...candidates.map(({ cost }) => cost));
  const once = new Map<string, Kind>();
  for (const candidate of candidates)
    if (candidate.cost === least) once.set(JSON.stringify(candidate.statement), candidate);
  return [...once.values()];
}

/** The statements that a clause makes, one for each combination of senses. */
function statementsOf(clause: ActionClause | PropertyClause): Candidate[] {
  const parts: [string, Variant[]][] = [];
  if (clause.kind === 'action') {
    parts.push(['action', [{ value: clause.verbs[0]!.word.id, cost: 0 }]]);
    for (const [slot, list] of Object.entries(clause.slots)) parts.push([slot, slotsOf(list)]);
    if (clause.amount?.min !== undefined) parts.push(['amount', [{ value: clause.amount.min, cost: 0 }]]);
    if (clause.unit) parts.push(['unit', wordsOf(clause.unit.words)]);
  } else {
    if (clause.subject) parts.push(['subject', slotsOf(clause.subject)]);
    parts.push(['property', wordsOf(clause.properties)]);
    for (const key of ['from', 'to'] as const) if (clause[key] !== undefined) parts.push([key, valuesOf(clause[key])]);
    if (!directed(clause)) return [];
  }
  if (clause.kind === 'action' && clause.verbs[0]!.negated) return [];
  let combinations: { entries: [string, unknown][]; cost: number }[] = [{ entries: [], cost: clause.cost }];
  for (const [key, variants] of parts) {
    combinations = combinations
      .flatMap(({ entries, cost }) =>
        variants.map((variant) => ({
          entries: [...entries, [key, variant.value] as [string, unknown]],
          cost: cost + variant.cost,
        })),
      )
      .slice(0, maxSenses);
  }
  return combinations.map(({ entries, cost }) => ({
    statement: normalizeStatement(Object.fromEntries(entries) as unknown as Statement),
    cost,
  }));
}

/** "rises from 5 to 3" says nothing that can be so; rising and dropping are for numbers. */
function directed({ direction, from, to }: PropertyClause): boolean {
  if (direction !== 'rises' && direction !== 'drops') return true;
  if (to === undefined || !('number' in to)) return false;
  if (from === undefined) return true;
  return 'number' in from && (direction === 'rises' ? from.number < to.number : from.number > to.number);
}

interface Variant {
  readonly value: string | number | Mention;
  readonly cost: number;
}

function wordsOf(words: readonly { readonly word: Word; readonly cost: number }[]): Variant[] {
  return words.map(({ word, cost }) => ({ value: word.id, cost }));
}

function slotsOf(list: NounList): Variant[] {
  return list.any.flatMap((noun) => mentionsOf(noun));
}

function mentionsOf(noun: Noun): { value: Mention; cost: number }[] {
  const owners: readonly ({ value: Slot; cost: number } | undefined)[] = noun.of ? mentionsOf(noun.of) : [undefined];
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

function valuesOf(value: ReadValue): Variant[] {
  if ('number' in value) return [{ value: value.number satisfies PropertyValue, cost: 0 }];
  if ('text' in value) return [{ value: value.text, cost: 0 }];
  return slotsOf(value.nouns);
}

/** Why no reading covers the sentence: a word that nobody knows, or the place where it stops making sense. */
export function misunderstood(reader: Reader): TextIssue {
  const { tokens, lexicon } = reader;
  const unknown = tokens.find(
    (token) => token.kind === 'word' && !lexicon.knows(token.text) && !/^[\p{Lu}\d]/u.test(token.text),
  );
  const at = unknown ? tokens.indexOf(unknown) : Math.min(reader.furthest, tokens.length - 1);
  const token = tokens[at]!;
  const place = { start: token.start, end: token.end };
  if (unknown) {
    const near = suggestion(reader, at);
    return {
      code: 'unknown-word',
      message: `"${token.text}" is not a word of the dictionary`,
      ...hinted(near && didYouMean(near), (!near || mayBeName(reader, at)) && nameHint(reader)),
      ...place,
    };
  }
  const wanted = [...reader.expected].slice(0, 6).join(', ');
  if (reader.furthest >= tokens.length) {
    return {
      code: 'incomplete-sentence',
      message: `the sentence ends too soon`,
      ...(wanted && { hint: `expected next: ${wanted}` }),
      start: token.end,
      end: token.end,
    };
  }
  const capital = /^\p{Lu}/u.test(token.text) && !lexicon.knows(token.text);
  if (capital)
    return {
      code: 'unknown-word',
      message: `"${token.text}" is not a word of the dictionary`,
      hint: `for a name, say what it names: "opponent ${token.text}"`,
      ...place,
    };
  return {
    code: 'unexpected-word',
    message: `"${token.text}" does not fit here`,
    ...(wanted && { hint: `expected: ${wanted}` }),
    ...place,
  };
}

/** Does it stand where a person's name might, in lower case? */
function mayBeName(reader: Reader, at: number): boolean {
  return at === 0 || reader.lower(at - 1) === 'by';
}

function nameHint(reader: Reader): string | undefined {
  return reader.lists ? 'a name begins with a capital or stands in quotes' : undefined;
}

function hinted(...parts: readonly (string | false | undefined)[]): { hint?: string } {
  const said = parts.filter((part) => part !== undefined && part !== false && part !== '');
  return said.length === 0 ? {} : { hint: said.join(' ') };
}

function suggestion(reader: Reader, at: number): string | undefined {
  const { tokens, lexicon } = reader;
  if (!/[\p{L}\p{N}]/u.test(tokens[at]!.text)) return undefined;
  // The whole name first ("roket launcher"), then the single word; where both are as near, "with" rather than "pit".
  const next = tokens[at + 1];
  const both = `${tokens[at]!.text} ${next?.text ?? ''}`;
  const names = next?.kind === 'word' ? lexicon.names().filter((name) => name.includes(' ')) : [];
  const found = findNearest(both, names);
  const pair = found !== undefined && editDistance(both, found) <= Math.max(1, both.length / 6) ? found : undefined;
  // Behind "player's" a property is wanted: "healt" is "health" there, not "heal".
  const own =
    tokens[at - 1]?.kind === 'possessive' ? findNearest(tokens[at]!.text, lexicon.names('property')) : undefined;
  return (
    pair ??
    own ??
    findNearest(tokens[at]!.text, [...functionWords, ...lexicon.names()]) ??
    findNearest(tokens[at]!.text, lexicon.parts)
  );
}
