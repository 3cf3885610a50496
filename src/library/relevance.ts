import type { Dictionary } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import { toSequence } from '../query/match/compile.ts';
import { boundaryActions, endsOwnNoun } from '../query/match/periods.ts';
import { type EventTest, PatternCompiler } from '../query/match/patterns.ts';
import {
  type ActionPattern,
  alternativesOf,
  type Condition,
  type MentionCondition,
  type PropertyPattern,
  type Query,
  type SlotPattern,
  subjectOf,
} from '../query/query.ts';
import { wordSlots } from '../dictionary/format.ts';

/** A pattern that a single statement fulfils or not. */
type Pattern = ActionPattern | PropertyPattern | MentionCondition;

/** Which events a condition needs. */
interface Needs {
  /** Every match begins with or consists of events that fulfil one of these; `undefined`: of any events. */
  readonly candidates: readonly Pattern[] | undefined;
  /** Further events that decide which candidates match, such as the deaths that end a life; `undefined`: any. */
  readonly context: readonly Pattern[] | undefined;
}

/** Returns which statements a query needs: those that it can find, and those on which its answer depends. */
export interface Relevance {
  /** Whether events with a statement of these words can be found. The test knows no names, numbers or texts. */
  readonly isCandidate: EventTest;
  /** Whether events with a statement of these words are needed, found or not. */
  readonly isNeeded: EventTest;
}

const everything: Needs = { candidates: undefined, context: [] };
const playerPattern: SlotPattern = { any: [{ words: ['player'] }] };

/** Finds out what a query needs, from its patterns alone. */
export function findRelevance(query: Query, dictionary: Dictionary): Relevance {
  const needs = new NeedsCollector(dictionary);
  const { candidates, context } = needs.ofQuery(query);
  const patterns = new PatternCompiler(dictionary);
  const compile = (list: readonly Pattern[] | undefined): EventTest => {
    if (!list) return () => true;
    const tests = list.map((pattern) => compilePattern(withoutDetails(pattern), patterns));
    return (event) => tests.some((test) => test(event));
  };
  const isCandidate = compile(candidates);
  const isContext = compile(context);
  return { isCandidate, isNeeded: (event) => isCandidate(event) || isContext(event) };
}

function compilePattern(pattern: Pattern, patterns: PatternCompiler): EventTest {
  if ('action' in pattern) return patterns.action(pattern);
  return 'property' in pattern ? patterns.property(pattern) : patterns.mentions(pattern.mentions);
}

/** The pattern without what only some statements of the same words fulfil. */
function withoutDetails(pattern: Pattern): Pattern {
  if ('mentions' in pattern) return { mentions: withoutNames(pattern.mentions) ?? {} };
  if ('property' in pattern) {
    const subject = withoutNames(pattern.subject);
    return { property: pattern.property, ...(subject && { subject }) };
  }
  const kept = Object.entries(pattern).flatMap(([key, value]) => {
    if (key === 'action') return [[key, value]];
    const slot = (wordSlots as readonly string[]).includes(key) ? withoutNames(value as SlotPattern) : undefined;
    return slot ? [[key, slot]] : [];
  });
  return Object.fromEntries(kept) as ActionPattern;
}

function withoutNames(slot: SlotPattern | undefined): SlotPattern | undefined {
  if (!slot?.any || slot.absent) return undefined;
  return { any: slot.any.map(({ words }) => (words ? { words } : {})) };
}

/** Whether a condition about single statements depends on their words alone, not on names, numbers or texts. */
export function dependsOnWordsOnly(condition: Condition): boolean {
  if ('all' in condition) return condition.all.every((each) => dependsOnWordsOnly(each));
  if ('not' in condition) return dependsOnWordsOnly(condition.not);
  const alternatives = alternativesOf(condition);
  if (alternatives) return alternatives.every((each) => dependsOnWordsOnly(each));
  const isPattern =
    'action' in condition || 'mentions' in condition || ('property' in condition && !('while' in condition));
  return isPattern && JSON.stringify(withoutDetails(condition as Pattern)) === JSON.stringify(condition);
}

/**
 * The names of which every match of a condition mentions at least one; `undefined` where a match need not mention any.
 */
export function findRequiredNames(condition: Condition): readonly string[] | undefined {
  if ('all' in condition || 'sequence' in condition) {
    const parts = 'all' in condition ? condition.all : condition.sequence;
    return parts.map((part) => findRequiredNames(part)).find((names) => names !== undefined);
  }
  if ('near' in condition) return findRequiredNames(condition.find);
  if ('period' in condition) return undefined;
  if ('nth' in condition) return findRequiredNames(condition.of);
  if ('mentions' in condition) return namesOfSlot(condition.mentions as SlotPattern);
  if ('action' in condition || ('property' in condition && !('while' in condition))) {
    const pattern = condition as ActionPattern;
    return wordSlots.map((slot) => namesOfSlot(pattern[slot])).find((names) => names !== undefined);
  }
  const alternatives = alternativesOf(condition)?.map((each) => findRequiredNames(each));
  return alternatives?.every((names) => names !== undefined) ? alternatives.flat() : undefined;
}

function namesOfSlot(slot: SlotPattern | undefined): readonly string[] | undefined {
  if (!slot?.any || slot.absent) return undefined;
  const names = slot.any.flatMap(({ name }) => name ?? []);
  return names.length === slot.any.length ? names : undefined;
}

/** Collects the patterns of a query's conditions. */
class NeedsCollector {
  readonly #dictionary: Dictionary;
  readonly #patterns: PatternCompiler;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
    this.#patterns = new PatternCompiler(dictionary);
  }

  ofQuery({ find, ratio, share, streak, state, at, by, per, measure, sort, versus }: Query): Needs {
    const needs = [find, ratio, share, streak, versus?.with].flatMap((each) => (each ? [this.of(each)] : []));
    const subject = subjectOf(find) ?? playerPattern;
    const context = needs.map((each) => each.context);
    if (state) context.push([{ property: state.property }, ...this.#lives({})]);
    if (at !== undefined || per === 'life' || measure?.of === 'life' || sort?.of === 'life')
      context.push(this.#lives(at === undefined ? subject : {}));
    const periods = [
      ...(by ?? []).flatMap((key) => ('period' in key ? [key.period.word] : [])),
      ...(typeof at === 'object' ? [at.period.word] : []),
      ...(typeof per === 'object' ? [per.period.word] : []),
    ];
    context.push(...periods.map((words) => this.#boundaries(words)));
    if (by?.some((key) => 'key' in key && key.key === 'life')) context.push(this.#lives(playerPattern));
    return { candidates: union(needs.map((each) => each.candidates)), context: union(context) };
  }

  of(condition: Condition): Needs {
    if ('all' in condition) return this.#ofAll(condition.all);
    if ('not' in condition) {
      const { candidates, context } = this.of(condition.not);
      return { candidates: undefined, context: union([candidates, context]) };
    }
    if ('sequence' in condition) return this.#join([...condition.sequence, ...(condition.without ?? [])]);
    if ('near' in condition) {
      const near = this.of(condition.near);
      const find = this.of(condition.find);
      return { candidates: find.candidates, context: union([find.context, near.candidates, near.context]) };
    }
    if ('action' in condition) return { candidates: this.#withCauses(condition as ActionPattern), context: [] };
    if ('property' in condition) return { candidates: [condition as PropertyPattern], context: [] };
    if ('mentions' in condition) return { candidates: [condition as MentionCondition], context: [] };
    if ('event' in condition) return this.#join(condition.event.flatMap((id) => this.#ofComposite(id)));
    if ('while' in condition) {
      const { property } = condition.while;
      return { candidates: undefined, context: [{ property }, ...this.#lives({})] };
    }
    if ('period' in condition) return { candidates: undefined, context: this.#boundaries(condition.period.word) };
    if ('nth' in condition) return this.of(condition.of);
    const alternatives = alternativesOf(condition);
    return alternatives ? this.#join(alternatives) : everything;
  }

  /** Of conditions that hold together, the patterns of any part contain all matches; parts without a pattern filter them. */
  #ofAll(parts: readonly Condition[]): Needs {
    const needs = parts.map((part) => this.of(part));
    const bounded = needs.flatMap(({ candidates }) => candidates ?? []);
    const context = union(needs.map((each) => each.context));
    return { candidates: needs.some(({ candidates }) => candidates) ? bounded : undefined, context };
  }

  #join(parts: readonly Condition[]): Needs {
    const needs = parts.map((part) => this.of(part));
    return {
      candidates: union(needs.map(({ candidates }) => candidates)),
      context: union(needs.map(({ context }) => context)),
    };
  }

  #ofComposite(id: string): readonly Condition[] {
    const definition = this.#dictionary.events.find((event) => event.id === id);
    return definition ? [toSequence(definition), { mentions: { any: [{ words: [id] }] } }] : [];
  }

  /** A death is also found by what causes it. */
  #withCauses(pattern: ActionPattern): readonly Pattern[] {
    const causing = this.#patterns.causing(pattern);
    return causing ? [pattern, causing] : [pattern];
  }

  /** What begins and ends the periods of a word: an action of which it is the subject or the object, or part of the name. */
  #boundaries(words: readonly string[]): readonly Pattern[] {
    const named = this.#dictionary.words('action').filter((each) => endsOwnNoun(each));
    // A night also ends where something that alternates with it begins.
    const actions = [...named.map(({ id }) => id), ...boundaryActions];
    return [{ mentions: { any: [{ words }] } }, { action: actions }];
  }

  #lives(subject: SlotPattern): readonly Pattern[] {
    return ['spawn', 'die'].flatMap((action) => this.#withCauses({ action: [action], subject }));
  }
}

function union(lists: readonly (readonly Pattern[] | undefined)[]): readonly Pattern[] | undefined {
  return lists.includes(undefined) ? undefined : lists.flatMap((list) => list ?? []);
}

/** Wraps a statement for tests of single events. */
export function asEvent(statement: Statement): EventLine {
  return { type: 'event', id: '', t: 0, end: 0, game: '', session: '', text: '', statement, confidence: 1, cues: [] };
}
