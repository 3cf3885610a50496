import type { Dictionary, Word } from '../dictionary/dictionary.ts';
import { pluralOf } from '../dictionary/inflection.ts';
import { wordSlots, type WordKind } from '../dictionary/format.ts';
import { formatClock } from '../time.ts';
import {
  alternativesOf,
  type ActionPattern,
  type Condition,
  type GroupKey,
  type MentionPattern,
  type PeriodCondition,
  type PropertyPattern,
  type Query,
  type Range,
  type SlotPattern,
  type TimeCondition,
  type ValuePattern,
  type WhileCondition,
} from './query.ts';

/**
 * Says in one English sentence how a query was understood, so that whoever asked sees it.
 *
 * @example
 * const { dictionary } = await loadBuiltin();
 * describeQuery(compileQuery('how many kills did I get with the railgun', dictionary).query, dictionary);
 * // 'how many times player kills with railgun'
 */
export function describeQuery(query: Query, dictionary: Dictionary): string {
  return new QueryWriter(dictionary).query(query);
}

const maxAlternatives = 4;
const ordinalNames = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** "the second", "the last", "the third from the end". */
function ordinalName(nth: number): string {
  if (nth === -1) return 'the last';
  const name = ordinalNames[Math.abs(nth) - 1] ?? `${Math.abs(nth)}th`;
  return nth > 0 ? `the ${name}` : `the ${name} from the end`;
}

const extremeNames = { average: 'the average', highest: 'the highest', lowest: 'the lowest' } as const;
const lengthNames = { average: 'the average', highest: 'the longest', lowest: 'the shortest' } as const;

class QueryWriter {
  private readonly dictionary: Dictionary;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
  }

  query(query: Query): string {
    const { by, top, bottom, distinct, per } = query;
    const head = `${this.head(query)}${per === undefined ? '' : ` per ${this.divisor(per)}`}`;
    if (!by) return head;
    const groups = by.map((key) => this.groupName(key)).join(' and ');
    if (distinct) return `how many different ${groups}: ${this.condition(query.find)}`;
    const limit =
      top === undefined && bottom === undefined
        ? ''
        : `, the ${(top ?? bottom) === 1 ? '' : `${top ?? bottom} `}${top === undefined ? 'least' : 'most'} frequent`;
    return `${head.startsWith('how many') ? head : `how many times ${head}`}, by ${groups}${limit}`;
  }

  private divisor(per: NonNullable<Query['per']>): string {
    if (typeof per === 'object') return this.names(per.period.word, 'object');
    return per === 'session' ? 'match' : per;
  }

  private head(query: Query): string {
    const { find, measure, state, at, ratio, share, streak, whether, count, per, versus, sort } = query;
    const what = this.condition(find);
    const compared = versus && { ...query, find: versus.with, versus: undefined };
    if (compared) {
      const other = this.condition(versus.with);
      const { versus: _, ...plain } = query;
      const first = this.head(plain as Query);
      if (versus.as === 'difference') return `the difference between ${first} and the same for: ${other}`;
      if (versus.as === 'larger' || versus.as === 'smaller')
        return `the ${versus.as} of: ${first}, and the same for: ${other}`;
      if (versus.as === 'both') return `${first}, compared with: ${other}`;
      return `whether it is ${versus.as}: ${first}, compared with: ${other}`;
    }
    if (whether) return `whether ${what.replace(/^while /, '')}`;
    if (ratio) return `how many times ${what}, divided by how many times ${this.condition(ratio)}`;
    if (share) return `how many percent of the times ${this.condition(share)} it is that ${what}`;
    if (streak) return `how many times in a row at most ${what}, without that ${this.condition(streak)}`;
    if (state) {
      const value = this.property({ ...state });
      if (measure && measure.take !== 'each' && measure.take !== 'sum')
        return `${extremeNames[measure.take]} ${value} when ${what}`;
      return `${value} when ${this.limited(query, what)}`;
    }
    if (at !== undefined) {
      const limit = query.top === undefined ? (query.bottom === undefined ? '' : 'the lowest ') : 'the highest ';
      return `${limit}${what} ${this.moment(at)}`;
    }
    if (measure) {
      const order =
        sort && measure.of === 'held' ? `, only the ${sort.order === 'highest' ? 'longest' : 'shortest'}` : '';
      return `${this.measured(measure, find, what)}${order}`;
    }
    if (count || per) return `how many times ${what}`;
    return this.limited(query, what);
  }

  /** When a value is asked for. */
  private moment(at: NonNullable<Query['at']>): string {
    if (typeof at === 'number') return `at ${formatClock(at, 0)}`;
    if (typeof at === 'string') return `at the ${at}`;
    return `at the ${at.edge} of ${this.period(at.period)}`;
  }

  private limited({ first, last, nth, sort }: Query, what: string): string {
    if (sort) {
      const size = { highest: 'largest', lowest: 'smallest' }[sort.order];
      const number = first === undefined || first === 1 ? '' : `${first} `;
      return `the ${number}${number === '' ? 'time' : 'times'} with the ${size} ${quantityNames[sort.of]} when ${what}`;
    }
    if (nth !== undefined) return `${ordinalName(nth)} time ${what}`;
    if (first !== undefined) return `the first ${first === 1 ? 'time' : `${first} times`} ${what}`;
    return last === undefined ? what : `the last ${last === 1 ? 'time' : `${last} times`} ${what}`;
  }

  private measured({ of, take }: NonNullable<Query['measure']>, find: Condition, what: string): string {
    const isOne = take === 'average' || take === 'highest' || take === 'lowest';
    switch (of) {
      case 'count': {
        const object = 'action' in find ? (find as ActionPattern).object : undefined;
        return `how many ${object ? `${this.slot(object, 'object')} there are where ` : 'times '}${what}`;
      }
      case 'amount':
        return `${isOne ? extremeNames[take] : take === 'sum' ? 'the total' : 'each'} amount where ${what}`;
      case 'change':
        return isOne
          ? `${extremeNames[take]} difference where ${what}`
          : `by how much ${take === 'sum' ? 'in all' : 'each time'} ${what}`;
      case 'value':
        return `${isOne ? extremeNames[take] : 'each'} value of ${what}`;
      case 'time':
        return take === 'lowest' ? `how long until ${what}` : `when ${what}`;
      case 'duration':
        return isOne
          ? `${lengthNames[take]} time from the first to the last of: ${what}`
          : `how long it takes: ${what}`;
      case 'gap':
        return `${isOne ? lengthNames[take] : 'the'} time from one to the next of: ${what}`;
      case 'life':
        return `${isOne ? lengthNames[take] : 'the'} time since the last spawn when ${what}`;
      case 'held':
        if ('period' in find) {
          const period = this.period(find.period);
          return isOne
            ? `${lengthNames[take]} time that ${period.replace(/^any /, 'a ')} takes`
            : `how long ${period.replace(/^any /, 'each ')} takes`;
        }
        return `how long${isOne ? ` (${lengthNames[take].slice(4)})` : take === 'sum' ? ' in all' : ''} ${what.replace(/^while /, '')}`;
      case 'state':
        return `the value when ${what}`;
    }
  }

  condition(condition: Condition): string {
    if ('all' in condition) return this.joined(condition.all);
    if ('not' in condition) return `not (${this.condition(condition.not)})`;
    if ('sequence' in condition) {
      const { sequence, within, span, without } = condition;
      const steps = sequence.map((step) => this.condition(step));
      const isRepeated = new Set(steps).size === 1;
      const chain = isRepeated ? `${steps[0]} ${steps.length} times` : steps.join(', then ');
      const limit = within === undefined ? '' : `, each within ${within} s of the one before`;
      const total = span === undefined ? '' : ` within ${span} s`;
      const none = without ? ` without that ${without.map((each) => this.condition(each)).join(' or ')}` : '';
      return `${chain}${limit}${total}${none}`;
    }
    if ('near' in condition) {
      const { find, near, side, within, absent } = condition;
      const distance = within === undefined ? '' : `within ${within} s `;
      const relation = side === 'around' ? `${distance}of` : `${distance}${side}`;
      return `${this.condition(find)} ${absent ? 'but not ' : ''}${relation}: ${this.condition(near)}`;
    }
    if ('action' in condition) return this.action(condition as ActionPattern);
    if ('property' in condition) return this.property(condition as PropertyPattern);
    if ('mentions' in condition) return `an event mentions ${this.slot(condition.mentions as SlotPattern, 'object')}`;
    if ('event' in condition) {
      const names = condition.event.map((id) => this.dictionary.events.find((each) => each.id === id)?.name ?? id);
      return `${this.alternatives(names)}${condition.subject ? ` of ${this.slot(condition.subject, 'object')}` : ''}`;
    }
    if ('while' in condition) return `while ${this.state(condition)}`;
    if ('nth' in condition) return `${ordinalName(condition.nth)} time ${this.condition(condition.of)}`;
    if ('period' in condition) return `in ${this.period(condition.period)}`;
    const alternatives = alternativesOf(condition);
    if (alternatives) return this.alternatives([...new Set(alternatives.map((each) => this.condition(each)))]);
    if ('time' in condition) return timeText(condition.time);
    if ('confidence' in condition) return `with confidence ${rangeText(condition.confidence)}`;
    const { game, session } = condition as { game?: readonly string[]; session?: readonly string[] };
    return game ? `in the game ${game.join(' or ')}` : `in the session ${session?.join(' or ')}`;
  }

  private state({ while: pattern }: WhileCondition): string {
    const { to, ...property } = pattern;
    return `${this.property(property)} is ${this.value(to)}`;
  }

  private period({ word, nth, having, without }: PeriodCondition['period']): string {
    const name = this.names(word, 'object');
    const numbered = nth === undefined ? `any ${name}` : `${ordinalName(nth)} ${name}`;
    const conditions = [
      ...(having ? [this.condition(having)] : []),
      ...(without ? [`not (${this.condition(without)})`] : []),
    ];
    return conditions.length === 0 ? numbered : `${numbered} in which ${conditions.join(' and ')}`;
  }

  /** Puts what happens before when, where and whose. */
  private joined(conditions: readonly Condition[]): string {
    const events = conditions.filter((each) => !isFilter(each) && !isFragment(each));
    const fragments = conditions.filter((each) => isFragment(each));
    const filters = conditions.filter((each) => isFilter(each));
    return [
      events.map((each) => this.condition(each)).join(' and '),
      ...fragments.map((each) => this.fragment(each as ActionPattern)),
      ...filters.map((each) => this.condition(each)),
    ]
      .filter((part) => part !== '')
      .join(' ');
  }

  private fragment(pattern: ActionPattern): string {
    const { subject, ...rest } = pattern;
    return [subject ? `by ${this.slot(subject, 'object')}` : '', this.slotsText(rest)]
      .filter((part) => part !== '')
      .join(' ');
  }

  private action(pattern: ActionPattern): string {
    const { action, subject } = pattern;
    const words = action.flatMap((id) => this.dictionary.find(id, 'action') ?? []);
    const who = subject && Object.keys(subject).length > 0 ? this.slot(subject, 'object') : 'anyone';
    const verbs =
      words.length === 0 || action.includes('happen')
        ? 'does anything'
        : this.alternatives(outermost(words).map(({ forms }) => forms.third));
    return [who, verbs, this.slotsText(pattern, words)].filter((part) => part !== '').join(' ');
  }

  private slotsText(pattern: ActionPattern, words: readonly Word[] = []): string {
    const { amount, unit } = pattern;
    const parts: string[] = [];
    for (const slot of wordSlots) {
      const filler = pattern[slot];
      if (!filler || slot === 'subject') continue;
      const text = this.slot(filler, slot === 'manner' ? 'property' : 'object');
      const preposition = slot === 'object' || slot === 'manner' ? '' : this.preposition(slot, filler, words);
      parts.push(preposition === '' ? text : `${preposition} ${text}`);
    }
    if (amount) parts.push(`${rangeText(amount)}${unit ? ` ${this.names(unit, 'object')}` : ''}`);
    return parts.join(' ');
  }

  private preposition(slot: 'with' | 'to' | 'from' | 'at', { any }: SlotPattern, words: readonly Word[]): string {
    if (slot === 'at') {
      const id = any?.[0]?.words?.[0];
      return (id === undefined ? undefined : this.dictionary.find(id, 'object')?.preposition) ?? 'at';
    }
    return words[0]?.slots[slot].preposition ?? slot;
  }

  private property({ property, subject, change, from, to, by }: PropertyPattern): string {
    const name = property.length === 0 ? 'any value' : this.names(property, 'property');
    const [own] = property.flatMap((id) => this.dictionary.find(id, 'property') ?? []);
    const better = own?.isLowerBetter ?? false;
    const verb =
      change === undefined
        ? to
          ? 'becomes'
          : ''
        : change === 'changes'
          ? 'changes'
          : better
            ? change === 'drops'
              ? 'improves'
              : 'worsens'
            : change;
    const parts = [
      subject?.any ? `${possessiveOf(this.slot(subject, 'object'))} ${name}` : name,
      verb,
      from && !(change && to && isCrossing(from)) ? `from ${this.value(from)}` : '',
      to ? (change === undefined ? this.value(to) : `to ${this.value(to)}`) : '',
      by ? `by ${rangeText(by)}` : '',
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  private slot({ any, except, absent, same }: SlotPattern, kind: 'object' | 'property'): string {
    const included = any
      ? this.alternatives(any.map((each) => this.mention(each, kind)))
      : same
        ? 'the same'
        : 'anything';
    const excluded = except ? ` except ${this.alternatives(except.map((each) => this.mention(each, kind)))}` : '';
    return `${absent ? 'no ' : ''}${same !== undefined && any ? 'the same ' : ''}${included}${excluded}`;
  }

  private mention({ words, name, count, of }: MentionPattern, kind: 'object' | 'property'): string {
    const noun = words && this.names(words, kind, count !== undefined && count.max !== 1);
    const parts = [
      of ? possessiveOf(this.mention(of, 'object')) : '',
      count ? rangeText(count) : '',
      noun ?? '',
      name ?? '',
    ];
    return parts.filter((part) => part !== '').join(' ');
  }

  private value(pattern: ValuePattern): string {
    if (pattern.text !== undefined) return JSON.stringify(pattern.text);
    return pattern.any
      ? this.alternatives(pattern.any.map((each) => this.mention(each, 'object')))
      : rangeText(pattern);
  }

  private groupName(key: GroupKey): string {
    if ('word' in key) return this.names(key.word, 'object');
    if ('period' in key) return this.names(key.period.word, 'object');
    if ('slot' in key)
      return (
        { subject: 'who does it', object: 'to whom or what', with: 'means', at: 'place' }[key.slot as string] ??
        key.slot
      );
    return key.key;
  }

  private names(ids: readonly string[], kind: WordKind, isPlural = false): string {
    const words = ids.flatMap((id) => this.dictionary.find(id, kind) ?? this.dictionary.find(id) ?? []);
    return this.alternatives(outermost(words).map(({ name }) => (isPlural ? pluralOf(name) : name)));
  }

  private alternatives(texts: readonly string[]): string {
    const all = [...new Set(texts)];
    if (all.length <= maxAlternatives) return all.join(' or ');
    return `${all.slice(0, maxAlternatives).join(', ')} or ${all.length - maxAlternatives} more`;
  }
}

/** Does a condition only say when or where? */
function isFilter(condition: Condition): boolean {
  return ['time', 'while', 'game', 'session', 'confidence', 'period'].some((key) => key in condition);
}

/** Is it a slot of whatever happens? */
function isFragment(condition: Condition): boolean {
  return 'action' in condition && (condition as ActionPattern).action.length === 0;
}

const quantityNames = {
  count: 'number',
  amount: 'amount',
  change: 'difference',
  value: 'value',
  time: 'time',
  duration: 'duration',
  gap: 'time to the next',
  life: 'time since the last spawn',
  held: 'time',
  state: 'value',
} as const;

/** Words that no other of them covers: of "weapon" and "gun" the first. */
function outermost(words: readonly Word[]): readonly Word[] {
  return words.filter(
    (word) =>
      !words.some(
        (each) => each !== word && each.kind === word.kind && each.order < word.order && word.order <= each.last,
      ),
  );
}

function possessiveOf(text: string): string {
  return text.endsWith('s') ? `${text}'` : `${text}'s`;
}

/** Is it the range before a bound was crossed, which the bound says already? */
function isCrossing({ min, max, above, below }: ValuePattern): boolean {
  return [min, max, above, below].filter((each) => each !== undefined).length === 1;
}

function clock(seconds: number): string {
  return formatClock(seconds, Number.isInteger(seconds) ? 0 : 1);
}

function timeText({ from, to, first, last, part }: TimeCondition['time']): string {
  if (part) {
    const name = partNames.get(`${part.from} ${part.to}`);
    return name ?? `from ${Math.round(part.from * 100)} % to ${Math.round(part.to * 100)} % of the recording`;
  }
  if (first !== undefined) return `in the first ${first} s`;
  if (last !== undefined) return `in the last ${last} s`;
  if (from === undefined) return `before ${clock(to ?? 0)}`;
  return to === undefined ? `after ${clock(from)}` : `between ${clock(from)} and ${clock(to)}`;
}

const partNames: ReadonlyMap<string, string> = new Map([
  ['0 0.5', 'in the first half of the recording'],
  ['0.5 1', 'in the second half of the recording'],
  ['0 0.1', 'in the first tenth of the recording'],
  ['0.9 1', 'in the last tenth of the recording'],
]);

/** Says which numbers a range holds: "at least 2 and below 5". */
export function rangeText({ min, max, above, below }: Range): string {
  if (min !== undefined && min === max) return String(min);
  const parts = [
    min === undefined ? '' : `at least ${min}`,
    above === undefined ? '' : `above ${above}`,
    max === undefined ? '' : `at most ${max}`,
    below === undefined ? '' : `below ${below}`,
  ];
  return parts.filter((part) => part !== '').join(' and ');
}
