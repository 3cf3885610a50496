import type { Dictionary } from '../../dictionary/dictionary.ts';
import { wordSlots } from '../../dictionary/format.ts';
import { READING } from '../../dictionary/sentences/function-words.ts';
import {
  alternativesOf,
  isAboutEvent,
  type ActionPattern,
  type Condition,
  type GroupKey,
  type MentionPattern,
  type PropertyPattern,
  type Query,
  type Range,
  type SlotPattern,
  type ValuePattern,
} from '../query.ts';

/**
 * A part of a query that exactly one word or phrase of the question says: a negation, an extreme, an average, an ordinal or a
 * number.
 */
export interface SinglePart {
  readonly kind: 'negation' | 'highest' | 'lowest' | 'average' | 'ordinal' | 'number';
  /** Of an ordinal: the position, negative from the end. Of a number: the number, of a time: seconds. */
  readonly value?: number;
  /** May it be left unsaid, as "in a row" says that nothing comes between? */
  readonly isOptional?: true;
}

/** What a query consists of, by what a question can say of it. */
export class QueryParts {
  /** The ids of words. */
  readonly ids = new Set<string>();
  /** Proper names and texts, in lower case. */
  readonly names = new Set<string>();
  /** Kinds of parts that several words may express together, such as `near` or `per`. */
  readonly traits = new Set<string>();
  readonly singles: SinglePart[] = [];

  private readonly dictionary: Dictionary;

  constructor(query: Query, dictionary: Dictionary) {
    this.dictionary = dictionary;
    this.addQuery(query);
  }

  /** Is one of the words of the query this one or under it? */
  mentions(id: string): boolean {
    return [...this.ids].some((each) => each === id || this.dictionary.isA(each, id));
  }

  private single(kind: SinglePart['kind'], value?: number, isOptional?: true): void {
    this.singles.push({ kind, ...(value !== undefined && { value }), ...(isOptional && { isOptional }) });
  }

  private number(value: number | undefined, isOptional?: true): void {
    if (value !== undefined) this.single('number', value, isOptional);
  }

  private addQuery(query: Query): void {
    const { find, by, top, bottom, sort, first, last, nth, measure, per, ratio, share, streak, state, at, versus } =
      query;
    this.addCondition(find);
    for (const key of by ?? []) this.addGroup(key);
    for (const name of ['count', 'distinct', 'whether', 'ratio', 'share', 'streak', 'state', 'per'] as const)
      if (query[name] !== undefined) this.traits.add(name);
    if (top !== undefined) this.limit('highest', top);
    if (bottom !== undefined) this.limit('lowest', bottom);
    if (sort) {
      this.traits.add(`of ${sort.of}`);
      this.single(sort.order);
    }
    // The first of a sorted list is its extreme.
    if (first !== undefined && !sort) this.ordinal(1, first);
    if (sort && first !== undefined && first > 1) this.number(first);
    if (last !== undefined) this.ordinal(-1, last);
    if (nth !== undefined) this.nth(nth);
    if (measure) {
      this.traits.add(`of ${measure.of}`);
      if (measure.of === 'held' && 'period' in find) this.traits.add('length of period');
      const { take } = measure;
      if (measure.of === 'value' && take !== 'sum' && take !== 'each') this.traits.add('extreme');
      // The time without anything is that to the next.
      if (measure.of === 'gap') this.single('negation', undefined, true);
      if (take === 'sum' || take === 'each') this.traits.add(take);
      else this.single(take, undefined, measure.of === 'time' || measure.of === 'gap' ? true : undefined);
    }
    if (per !== undefined) {
      if (typeof per === 'object') this.addPeriod(per.period);
      else this.traits.add(`per ${per}`);
      this.single('average', undefined, true);
    }
    if (ratio) this.addCondition(ratio);
    if (share) this.addCondition(share);
    if (streak) {
      this.addCondition(streak);
      this.single('highest', undefined, true);
      this.single('negation', undefined, true);
    }
    if (state) this.addProperty(state);
    if (at !== undefined) this.addMoment(at);
    if (versus) {
      this.traits.add('versus').add(`versus ${versus.as}`);
      this.addCondition(versus.with);
    }
    const isNumber =
      query.count || measure || per || ratio || share || streak || state || at !== undefined || by || versus;
    const isCountOfChanges = query.count === true && (isChange(find) || ('near' in find && isChange(find.find)));
    if (isNumber && !isCountOfChanges) this.traits.add('quantity');
    // "how many kills do Sarge and Major have together"
    if ((query.count || measure?.take === 'sum') && !by && !versus && this.traits.has('several'))
      this.traits.add('joint');
    this.traits.add(isNumber ? 'number' : query.whether ? 'whether' : 'list');
  }

  private limit(kind: 'highest' | 'lowest', number: number): void {
    this.single(kind);
    if (number > 1) this.number(number, true);
  }

  private ordinal(position: 1 | -1, number: number): void {
    this.single('ordinal', position);
    if (number > 1) this.number(number);
  }

  private nth(position: number): void {
    this.traits.add('nth');
    this.single('ordinal', position);
  }

  private addMoment(at: NonNullable<Query['at']>): void {
    this.traits.add('at');
    if (at === 0) this.traits.add('at start');
    if (typeof at === 'number') this.number(at);
    else if (typeof at === 'string') this.traits.add(`at ${at}`);
    else {
      this.traits.add(`at ${at.edge}`);
      this.addPeriod(at.period);
    }
  }

  private addPeriod({ word, nth }: { readonly word: readonly string[]; readonly nth?: number }): void {
    this.traits.add('period');
    this.addIds(word);
    if (nth !== undefined) this.nth(nth);
  }

  private addGroup(key: GroupKey): void {
    this.traits.add('by');
    if ('word' in key) this.addIds(key.word);
    else if ('period' in key) this.addPeriod(key.period);
    else this.traits.add(`by ${'slot' in key ? key.slot : key.key}`);
  }

  private addIds(ids: readonly string[]): void {
    for (const id of ids) this.ids.add(id);
  }

  private addCondition(condition: Condition): void {
    if ('all' in condition) {
      if (condition.all.filter((each) => isAboutEvent(each) || 'near' in each).length > 1) this.traits.add('and');
      if (condition.all.length > 1) this.traits.add('all');
      for (const each of condition.all) this.addCondition(each);
    } else if ('not' in condition) {
      this.single('negation');
      this.addCondition(condition.not);
    } else if ('sequence' in condition) this.addSequence(condition);
    else if ('near' in condition) {
      this.traits.add('near').add(condition.side);
      if (condition.absent) this.single('negation');
      if (condition.within !== undefined) this.traits.add('within');
      this.number(condition.within, true);
      // "in the first 10 seconds after"
      if (condition.within !== undefined) this.single('ordinal', condition.side === 'before' ? -1 : 1, true);
      if (JSON.stringify(condition.find) === JSON.stringify(condition.near)) this.traits.add('mutual');
      this.addCondition(condition.find);
      this.addCondition(condition.near);
    } else if ('action' in condition) this.addAction(condition as ActionPattern);
    else if ('property' in condition) this.addProperty(condition as PropertyPattern);
    else if ('mentions' in condition) this.addSlot(condition.mentions as SlotPattern);
    else if ('event' in condition) {
      this.traits.add('event');
      this.addIds(condition.event);
      if (condition.subject) this.addSlot(condition.subject);
    } else if ('while' in condition) {
      this.traits.add('while');
      this.addProperty(condition.while);
    } else if ('nth' in condition) {
      this.nth(condition.nth);
      this.addCondition(condition.of);
    } else if ('period' in condition) this.addPeriod(condition.period);
    else if ('time' in condition) this.addTime(condition.time);
    else if ('confidence' in condition) {
      this.traits.add('confidence');
      this.addRange(condition.confidence);
    } else {
      const alternatives = alternativesOf(condition);
      if (alternatives) {
        this.traits.add('or');
        if (isMutual(alternatives)) this.traits.add('mutual').add('and');
        for (const each of alternatives) this.addCondition(each);
        return;
      }
      const { game = [], session = [] } = condition as { game?: readonly string[]; session?: readonly string[] };
      this.traits.add('scope');
      if (game.length + session.length > 1) this.traits.add('or');
      for (const name of [...game, ...session]) this.names.add(name.toLowerCase());
    }
  }

  private addSequence(condition: Extract<Condition, { sequence: unknown }>): void {
    const { sequence, without, within, span, apart } = condition;
    this.traits.add('sequence');
    const steps = new Set(sequence.map((step) => JSON.stringify(step)));
    if (steps.size === 1) {
      this.number(sequence.length);
      this.traits.add(`times ${sequence.length}`);
    }
    if (apart) this.traits.add('row');
    if (within !== undefined || span !== undefined) this.traits.add('within');
    this.number(within);
    this.number(span);
    if (without) this.single('negation', undefined, true);
    for (const each of steps.size === 1 ? sequence.slice(0, 1) : sequence) this.addCondition(each);
    for (const each of without ?? []) this.addCondition(each);
  }

  private addTime({ from, to, first, last, part }: Extract<Condition, { time: unknown }>['time']): void {
    this.traits.add('time');
    if (first !== undefined) this.single('ordinal', 1);
    if (last !== undefined) this.single('ordinal', -1);
    this.number(first);
    this.number(last);
    if (part) {
      this.traits.add(`part ${Math.round(1 / (part.to - part.from))}`);
      // "the second half"; "the end" has no number.
      const index = Math.round(part.from / (part.to - part.from));
      this.single('ordinal', part.to === 1 ? -1 : index + 1, true);
      if (part.to === 1) this.single('ordinal', index + 1, true);
    }
    if (from !== undefined && to !== undefined && to - from === 60) this.single('ordinal', from / 60 + 1, true);
    // "at 1:30" is a few seconds around it.
    const middle = from !== undefined && to !== undefined && to - from <= 10 ? (from + to) / 2 : undefined;
    for (const each of [from, to, middle]) this.number(each, true);
    if (from === 0 && middle === undefined) this.traits.add('start');
  }

  private addAction({ action, amount, unit, ...slots }: ActionPattern): void {
    this.addIds(action);
    if (action.length === 0) this.traits.add('any action');
    if (action.length > 1) this.traits.add('or');
    if (amount) this.addRange(amount);
    if (unit) this.addIds(unit);
    for (const slot of wordSlots) {
      const pattern = slots[slot];
      if (!pattern) continue;
      this.traits.add(`slot ${slot}`);
      this.addSlot(pattern);
    }
  }

  private addProperty({ property, subject, change, from, to, by }: PropertyPattern): void {
    this.addIds(property);
    this.traits.add('property');
    // What the screen shows is the player's.
    if (property.includes(READING)) this.traits.add('other owner');
    if (showsPlace({ property, ...(subject && { subject }) })) this.ids.add('rank');
    if (subject) this.addSlot(subject);
    const isLowerBetter = property.some((id) => this.dictionary.find(id, 'property')?.isLowerBetter);
    if (change) this.traits.add(change);
    const isNothing = to !== undefined && !('any' in to) && to.max === 0;
    const isOfLives = property.includes('lives') || subject?.any?.some(({ name }) => name?.toLowerCase() === 'lives');
    if (change === 'drops' && (isNothing || isOfLives)) this.traits.add('loss of life');
    // Who gains a rank goes from 4 to 3.
    if (change && change !== 'changes' && isLowerBetter) this.traits.add('rises').add('drops');
    // "in second place"
    if ((isLowerBetter || property.includes(READING)) && to?.min !== undefined && to.min === to.max)
      this.single('ordinal', to.min, true);
    // What a crossed bound was crossed from follows from the bound.
    if (from && !(change && to && !('any' in to) && isBound(from))) this.addValue(from);
    if (to) this.addValue(to);
    if (by) {
      this.traits.add('of change');
      this.addRange(by);
    }
  }

  private addSlot({ any, except, absent, same }: SlotPattern): void {
    if (absent) this.single('negation');
    if (except) this.single('negation');
    if (same !== undefined) this.traits.add('same');
    if ((any?.length ?? 0) > 1 || (except?.length ?? 0) > 1) this.traits.add('or');
    if ((any?.length ?? 0) > 1) this.traits.add('several');
    if (any?.some(({ words }) => words?.includes('teammate')) && any.some(({ words }) => words?.includes('player')))
      this.traits.add('own team');
    for (const each of [...(any ?? []), ...(except ?? [])]) this.addMention(each);
  }

  private addMention({ words, name, count, of }: MentionPattern): void {
    // Whose team is whose, logs do not say.
    const isOwnTeam = of?.words?.includes('player') && words?.includes('team');
    if (words && !isOwnTeam) this.addIds(words);
    if (name !== undefined) this.names.add(name.toLowerCase());
    if (count) this.addRange(count);
    if (of) this.addMention(of);
  }

  private addValue(value: ValuePattern): void {
    this.traits.add('value');
    if (value.text !== undefined) this.names.add(value.text.toLowerCase());
    for (const each of value.any ?? []) this.addMention(each);
    this.addRange(value);
  }

  private addRange({ min, max, above, below }: Range): void {
    if (min !== undefined && min === max) {
      this.number(min, true);
      // "no health" is health of zero.
      if (min === 0) this.single('negation', undefined, true);
      return;
    }
    for (const each of [min, max, above, below]) this.number(each, true);
    if ([min, max, above, below].some((each) => each !== undefined)) this.traits.add('bound');
  }
}

/** Is it what a display shows whose caption says that it is a place? */
export function showsPlace({ property, subject }: Pick<PropertyPattern, 'property' | 'subject'>): boolean {
  const isNamed = subject?.any?.some(({ name }) => /^(?:position|place|rank|pos)$/i.test(name ?? ''));
  return property.includes(READING) && isNamed === true;
}

/** Do two do the same to each other? */
function isMutual([first, second, ...others]: readonly Condition[]): boolean {
  if (!first || !second || others.length > 0 || !('action' in first) || !('action' in second)) return false;
  const [a, b] = [first as ActionPattern, second as ActionPattern];
  const isSwapped = JSON.stringify([a.subject, a.object]) === JSON.stringify([b.object, b.subject]);
  return isSwapped && a.object !== undefined && JSON.stringify(a.action) === JSON.stringify(b.action);
}

function isChange(condition: Condition): boolean {
  return 'property' in condition || ('all' in condition && condition.all.some((each) => 'property' in each));
}

function isBound({ min, max, above, below }: Range): boolean {
  return min !== max || (min === undefined && (above ?? below) !== undefined);
}
