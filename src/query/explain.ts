import type { Dictionary } from '../dictionary/dictionary.ts';
import type { WordKind } from '../dictionary/format.ts';
import { patternSlots } from './match/patterns.ts';
import type {
  ActionPattern,
  Condition,
  GroupKey,
  MentionPattern,
  PropertyPattern,
  Query,
  Range,
  SlotPattern,
  ValuePattern,
} from './query.ts';
import { type Place, placeOf } from './source-spans.ts';

/** How a query was understood, as indented lines for people, and what each of its words covers. */
export interface Explanation {
  readonly lines: readonly string[];
  readonly words: readonly ExplainedWord[];
}

/** A word of the dictionary that a query speaks of. */
export interface ExplainedWord extends Partial<Place> {
  readonly id: string;
  readonly kind: WordKind;
  /** The ids of all words under it, which it finds as well. */
  readonly covers: readonly string[];
}

export function explainQuery(query: Query, dictionary: Dictionary): Explanation {
  const describer = new Describer(dictionary);
  const lines = [headline(query), ...describer.condition(query.find).map((line) => `  ${line}`)];
  if (query.by) lines.push(`counted by ${query.by.map(groupName).join(' and ')}`);
  for (const key of query.by ?? []) if ('word' in key) describer.ids(key.word, 'object');
  const words = [...describer.words.values()].toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0));
  return { lines, words };
}

function headline({ count, first, last }: Query): string {
  if (first !== undefined) return `the first ${first} of:`;
  if (last !== undefined) return `the last ${last} of:`;
  return count ? 'how many:' : 'all:';
}

function groupName(key: GroupKey): string {
  if ('word' in key) return key.word.join(' or ');
  return 'slot' in key ? key.slot : key.key;
}

class Describer {
  readonly words = new Map<string, ExplainedWord>();
  private readonly dictionary: Dictionary;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
  }

  condition(condition: Condition): string[] {
    if ('all' in condition) return this.list('all of', condition.all);
    if ('not' in condition) return this.list('not', [condition.not]);
    if ('sequence' in condition) {
      const limits = [
        condition.within === undefined ? '' : `, each within ${condition.within} s of the one before`,
        condition.span === undefined ? '' : `, within ${condition.span} s in total`,
      ];
      return this.list(`in this order${limits.join('')}`, condition.sequence);
    }
    if ('near' in condition) {
      const distance = condition.within === undefined ? '' : `within ${condition.within} s `;
      const side = condition.side === 'around' ? 'of' : condition.side;
      return [
        ...this.condition(condition.find),
        `${condition.absent ? 'but not ' : ''}${distance}${side}`,
        ...this.condition(condition.near).map((line) => `  ${line}`),
      ];
    }
    if ('action' in condition) return this.action(condition as ActionPattern);
    if ('property' in condition) return this.property(condition as PropertyPattern);
    if ('mentions' in condition)
      return [`any event that mentions ${this.slot(condition.mentions as SlotPattern, 'object')}`];
    if ('event' in condition)
      return condition.event.map(
        (id) => `the event "${id}": ${this.dictionary.events.find((event) => event.id === id)?.definition ?? ''}`,
      );
    if ('any' in condition) return this.list('any of', condition.any as readonly Condition[]);
    if ('time' in condition) return [timeText(condition.time)];
    if ('confidence' in condition) return [`confidence ${rangeText(condition.confidence)}`];
    return [
      condition.game
        ? `in the game ${condition.game.join(' or ')}`
        : `in the session ${condition.session?.join(' or ')}`,
    ];
  }

  private list(title: string, conditions: readonly Condition[]): string[] {
    return [
      `${title}:`,
      ...conditions.flatMap((each) => this.condition(each).map((line, index) => `${index === 0 ? '- ' : '  '}${line}`)),
    ];
  }

  private action(pattern: ActionPattern): string[] {
    const parts = [pattern.action.length === 0 ? 'any action' : `action ${this.ids(pattern.action, 'action')}`];
    for (const slot of patternSlots) {
      const wanted = pattern[slot];
      if (wanted) parts.push(`${slot}: ${this.slot(wanted, slot === 'manner' ? 'property' : 'object')}`);
    }
    if (pattern.amount)
      parts.push(`amount ${rangeText(pattern.amount)}${pattern.unit ? ` ${this.ids(pattern.unit, 'object')}` : ''}`);
    return [parts.join('; ')];
  }

  private property(pattern: PropertyPattern): string[] {
    const parts = [`property ${this.ids(pattern.property, 'property')}`];
    if (pattern.subject) parts.push(`of ${this.slot(pattern.subject, 'object')}`);
    if (pattern.change) parts.push(pattern.change);
    if (pattern.from) parts.push(`from ${this.value(pattern.from)}`);
    if (pattern.to) parts.push(`to ${this.value(pattern.to)}`);
    if (pattern.by) parts.push(`by ${rangeText(pattern.by)}`);
    return [parts.join('; ')];
  }

  private slot(pattern: SlotPattern, kind: 'object' | 'property'): string {
    const any = pattern.any?.map((each) => this.mention(each, kind)).join(' or ') ?? 'anything';
    const except = pattern.except
      ? ` except ${pattern.except.map((each) => this.mention(each, kind)).join(' or ')}`
      : '';
    return `${pattern.absent ? 'no ' : ''}${any}${except}${pattern.same ? ' (the same each time)' : ''}`;
  }

  private mention({ words, name, count, of }: MentionPattern, kind: 'object' | 'property'): string {
    return [
      of ? `${this.mention(of, 'object')}'s` : '',
      count ? rangeText(count) : '',
      words ? this.ids(words, kind) : 'anyone',
      name === undefined ? '' : `named ${JSON.stringify(name)}`,
    ]
      .filter((part) => part !== '')
      .join(' ');
  }

  private value(pattern: ValuePattern): string {
    if (pattern.text !== undefined) return JSON.stringify(pattern.text);
    return pattern.any ? pattern.any.map((each) => this.mention(each, 'object')).join(' or ') : rangeText(pattern);
  }

  ids(ids: readonly string[], kind: WordKind): string {
    const place = placeOf(ids);
    for (const id of ids) {
      const word = this.dictionary.find(id, kind) ?? this.dictionary.find(id);
      if (word)
        this.words.set(`${word.kind} ${id} ${place?.start}`, {
          id,
          kind: word.kind,
          ...place,
          covers: this.dictionary.descendants(id, word.kind).map((each) => each.id),
        });
    }
    return ids.map((id) => `"${id}"`).join(' or ');
  }
}

function timeText({ from, to, first, last }: { from?: number; to?: number; first?: number; last?: number }): string {
  if (first !== undefined) return `in the first ${first} s`;
  if (last !== undefined) return `in the last ${last} s`;
  if (from === undefined) return `before ${to} s`;
  return to === undefined ? `after ${from} s` : `from ${from} s to ${to} s`;
}

function rangeText({ min, max, above, below }: Range): string {
  if (min !== undefined && min === max) return String(min);
  const parts = [
    min === undefined ? '' : `at least ${min}`,
    above === undefined ? '' : `above ${above}`,
    max === undefined ? '' : `at most ${max}`,
    below === undefined ? '' : `below ${below}`,
  ];
  return parts.filter((part) => part !== '').join(' and ');
}
