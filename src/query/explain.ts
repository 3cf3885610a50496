import type { Dictionary } from '../dictionary/dictionary.ts';
import { rangeText } from './describe.ts';
import { wordSlots, type WordKind } from '../dictionary/format.ts';
import {
  alternativesOf,
  type ActionPattern,
  type Condition,
  type GroupKey,
  type MentionPattern,
  type PropertyPattern,
  type Query,
  type SequenceCondition,
  type SlotPattern,
  type TimeCondition,
  type ValuePattern,
} from './query.ts';
import { findSpan, type SourceSpan } from './source-spans.ts';

/** How a query was understood. */
export interface Explanation {
  /** The query as indented lines. */
  readonly lines: readonly string[];
  /** The words of the query in order of the sentence. */
  readonly words: readonly ExplainedWord[];
}

/** A word of a query, with its position if the query was a sentence. */
export interface ExplainedWord extends Partial<SourceSpan> {
  readonly id: string;
  readonly kind: WordKind;
  /** The ids of its descendants, which the query finds too. */
  readonly covers: readonly string[];
}

/**
 * Explains how a query was understood.
 *
 * @example
 * const { dictionary } = await loadBuiltin();
 * const { query } = compileQuery('kills with any gun', dictionary);
 * explainQuery(query, dictionary).lines; // ['all:', '  action "kill"; with: "gun"']
 */
export function explainQuery(query: Query, dictionary: Dictionary): Explanation {
  const explainer = new QueryExplainer(dictionary);
  const lines = [headline(query), ...explainer.condition(query.find).map((line) => `  ${line}`)];
  for (const second of [query.ratio, query.share, query.streak])
    if (second) lines.push('second:', ...explainer.condition(second).map((line) => `  ${line}`));
  if (query.versus)
    lines.push(
      `compared (${query.versus.as}) with:`,
      ...explainer.condition(query.versus.with).map((line) => `  ${line}`),
    );
  if (query.state) lines.push(`value of: ${explainer.condition(query.state).join()}`);
  if (query.by) {
    const limit = query.top ? `, the largest ${query.top}` : query.bottom ? `, the smallest ${query.bottom}` : '';
    lines.push(
      `${query.distinct ? 'how many different' : 'counted by'} ${query.by.map(groupName).join(' and ')}${limit}`,
    );
  }
  for (const key of query.by ?? []) if ('word' in key) explainer.ids(key.word, 'object');
  const words = [...explainer.words.values()].toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0));
  return { lines, words };
}

function headline({
  count,
  first,
  last,
  nth,
  measure,
  state,
  at,
  per,
  ratio,
  share,
  streak,
  whether,
  sort,
}: Query): string {
  const order = sort ? `, ${sort.order} ${sort.of} first` : '';
  const divided = per === undefined ? '' : ` per ${typeof per === 'object' ? per.period.word[0] : per}`;
  if (whether) return 'is there any of:';
  if (ratio) return 'how many of the first per one of the second:';
  if (share) return 'what percentage the first is of the second:';
  if (streak) return 'how many in a row at most, without the second between them:';
  if (state) return 'the value of a property at each of:';
  if (at !== undefined) return `the value ${momentText(at)} of:`;
  if (measure)
    return `the ${measure.take === 'each' ? '' : `${measure.take} `}${quantityNames[measure.of]}${divided} of:`;
  if (nth !== undefined) return `${nthText(nth)}${order}:`;
  if (first !== undefined) return `the first ${first}${order} of:`;
  if (last !== undefined) return `the last ${last}${order} of:`;
  return count ? `how many${divided}:` : `all${order}:`;
}

const quantityNames = {
  count: 'number',
  amount: 'amount',
  change: 'difference',
  value: 'new value',
  time: 'time',
  duration: 'duration',
  gap: 'time to the next',
  life: 'time since the last spawn',
  held: 'time',
  state: 'value',
} as const;

function nthText(nth: number): string {
  return nth > 0 ? `number ${nth} of` : `number ${-nth} from the end of`;
}

function momentText(at: NonNullable<Query['at']>): string {
  if (typeof at === 'number') return `at ${at} s`;
  return typeof at === 'string'
    ? `at the ${at}`
    : `at the ${at.edge} of ${at.period.word.join(' or ')} ${at.period.nth}`;
}

function groupName(key: GroupKey): string {
  if ('word' in key) return key.word.join(' or ');
  if ('period' in key) return `number of the ${key.period.word.join(' or ')}`;
  return 'slot' in key ? key.slot : key.key;
}

/** Explains a condition in one line. */
export function explainCondition(condition: Condition, dictionary: Dictionary): string {
  return new QueryExplainer(dictionary)
    .condition(condition)
    .map((line) => line.trim())
    .join(' ')
    .replace(/^any action; /, '');
}

class QueryExplainer {
  readonly words = new Map<string, ExplainedWord>();
  private readonly dictionary: Dictionary;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
  }

  condition(condition: Condition): string[] {
    if ('all' in condition) return this.list('all of', condition.all);
    if ('not' in condition) return this.list('not', [condition.not]);
    if ('sequence' in condition) return this.list(`in this order${limitText(condition)}`, condition.sequence);
    if ('near' in condition) {
      const distance = condition.within === undefined ? '' : `within ${condition.within} s `;
      const side = condition.side === 'around' ? 'of' : condition.side;
      return [
        ...this.condition(condition.find),
        `${condition.absent ? 'but not ' : ''}${distance}${side}`,
        ...this.condition(condition.near).map((line) => `  ${line}`),
      ];
    }
    if ('action' in condition) return [this.action(condition as ActionPattern)];
    if ('property' in condition) return [this.property(condition as PropertyPattern)];
    if ('mentions' in condition)
      return [`any event that mentions ${this.slot(condition.mentions as SlotPattern, 'object')}`];
    if ('event' in condition)
      return condition.event.map(
        (id) =>
          `the event "${id}"${condition.subject ? ` of ${this.slot(condition.subject, 'object')}` : ''}: ${this.dictionary.events.find((event) => event.id === id)?.definition ?? ''}`,
      );
    if ('while' in condition) return [`while ${this.property({ ...condition.while })}`];
    if ('period' in condition) {
      const { word, nth, having, without } = condition.period;
      return [
        `in ${nth === undefined ? 'any' : `number ${nth} of`} ${this.ids(word, 'object')}`,
        ...(having ? this.list('in which this happens:', [having]) : []),
        ...(without ? this.list('in which this does not happen:', [without]) : []),
      ];
    }
    if ('nth' in condition) return this.list(nthText(condition.nth), [condition.of]);
    const alternatives = alternativesOf(condition);
    if (alternatives) return this.list('any of', alternatives);
    if ('time' in condition) return [timeText(condition.time)];
    if ('confidence' in condition) return [`confidence ${rangeText(condition.confidence)}`];
    const { game, session } = condition as { game?: readonly string[]; session?: readonly string[] };
    return [game ? `in the game ${game.join(' or ')}` : `in the session ${session?.join(' or ')}`];
  }

  /** Records the words with these ids and names them. */
  ids(ids: readonly string[], kind: WordKind): string {
    const span = findSpan(ids);
    for (const id of ids) {
      const word = this.dictionary.find(id, kind) ?? this.dictionary.find(id);
      if (!word) continue;
      const covers = this.dictionary.descendants(id, word.kind).map((each) => each.id);
      this.words.set(`${word.kind} ${id} ${span?.start}`, { id, kind: word.kind, ...span, covers });
    }
    return ids.map((id) => `"${id}"`).join(' or ');
  }

  private list(title: string, conditions: readonly Condition[]): string[] {
    const items = conditions.flatMap((each) =>
      this.condition(each).map((line, index) => `${index === 0 ? '- ' : '  '}${line}`),
    );
    return [`${title}:`, ...items];
  }

  private action(pattern: ActionPattern): string {
    const { action, amount, unit } = pattern;
    const parts = [action.length === 0 ? 'any action' : `action ${this.ids(action, 'action')}`];
    for (const slot of wordSlots)
      if (pattern[slot]) parts.push(`${slot}: ${this.slot(pattern[slot], slot === 'manner' ? 'property' : 'object')}`);
    if (amount) parts.push(`amount ${rangeText(amount)}${unit ? ` ${this.ids(unit, 'object')}` : ''}`);
    return parts.join('; ');
  }

  private property({ property, subject, change, from, to, by }: PropertyPattern): string {
    const parts = [`property ${this.ids(property, 'property')}`];
    if (subject) parts.push(`of ${this.slot(subject, 'object')}`);
    if (change) parts.push(change);
    if (from) parts.push(`from ${this.value(from)}`);
    if (to) parts.push(`to ${this.value(to)}`);
    if (by) parts.push(`by ${rangeText(by)}`);
    return parts.join('; ');
  }

  private slot({ any, except, absent, same }: SlotPattern, kind: 'object' | 'property'): string {
    const included = any ? this.mentions(any, kind) : 'anything';
    const excluded = except ? ` except ${this.mentions(except, kind)}` : '';
    return `${absent ? 'no ' : ''}${included}${excluded}${same ? ' (the same each time)' : ''}`;
  }

  private mentions(patterns: readonly MentionPattern[], kind: 'object' | 'property'): string {
    return patterns.map((each) => this.mention(each, kind)).join(' or ');
  }

  private mention({ words, name, count, of }: MentionPattern, kind: 'object' | 'property'): string {
    const parts = [
      of ? `${this.mention(of, 'object')}'s` : '',
      count ? rangeText(count) : '',
      words ? this.ids(words, kind) : 'anyone',
      name === undefined ? '' : `named ${JSON.stringify(name)}`,
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  private value(pattern: ValuePattern): string {
    if (pattern.text !== undefined) return JSON.stringify(pattern.text);
    return pattern.any ? this.mentions(pattern.any, 'object') : rangeText(pattern);
  }
}

function limitText({ within, span }: SequenceCondition): string {
  const each = within === undefined ? '' : `, each within ${within} s of the previous one`;
  return `${each}${span === undefined ? '' : `, within ${span} s in total`}`;
}

function timeText({ from, to, first, last, part }: TimeCondition['time']): string {
  if (part) return `from ${Math.round(part.from * 100)} % to ${Math.round(part.to * 100)} % of the session`;
  if (first !== undefined) return `in the first ${first} s`;
  if (last !== undefined) return `in the last ${last} s`;
  if (from === undefined) return `before ${to} s`;
  return to === undefined ? `after ${from} s` : `from ${from} s to ${to} s`;
}
