import { PatternCompiler } from './match/patterns.ts';
import { type CompiledCondition, timeBounds, type Match } from './match/combinators.ts';
import { ConditionCompiler } from './match/compile.ts';
import type { SessionEvents } from './match/event-index.ts';
import { findPeriods, numberedPeriods } from './match/periods.ts';
import { collectLives, type Lives, PropertyTimeline } from './match/states.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { isPropertyStatement, type PropertyValue } from '../events/statement.ts';
import { roundTime } from '../time.ts';
import { subjectOf, type PropertyPattern, type quantities, type Query, type SlotPattern } from './query.ts';

type Quantity = (typeof quantities)[number];

/** A number or text that answers a query. */
export interface Answer {
  /** `null` where there is nothing to compute it from. */
  readonly value: PropertyValue | boolean | null;
  /** `s`, `%`, `kills per minute`; `undefined` for a plain number or word. */
  readonly unit: string | undefined;
  /** Of a comparison: the two numbers that it compares. */
  readonly compared?: readonly [number | null, number | null];
}

/** A value at a time of a session. */
export interface TimedValue {
  readonly session: string;
  /** Seconds. */
  readonly t: number;
  readonly value: PropertyValue | null;
  /** Whose value it is, where the query does not say: a score can be that of several teams. */
  readonly of?: string;
  /** Of a length: the log does not state both the beginning and the end, so that it is what the recording has of it. */
  readonly isOpen?: true;
  /** The match it belongs to; `undefined` for a value at a given time. */
  readonly match: Match | undefined;
}

const playerPattern: SlotPattern = { any: [{ words: ['player'] }] };
const secondQuantities: ReadonlySet<Quantity> = new Set(['time', 'duration', 'gap', 'life', 'held']);

/** Computes what a query asks about its matches. */
export class AnswerComputer {
  private readonly query: Query;
  private readonly dictionary: Dictionary;
  private readonly quantities: SessionQuantities;
  private readonly sessions: readonly SessionEvents[];
  private readonly allSessions: readonly SessionEvents[];

  /** @param sessions All sessions, with their durations. */
  constructor(query: Query, dictionary: Dictionary, sessions: readonly SessionEvents[]) {
    this.query = query;
    this.dictionary = dictionary;
    this.quantities = new SessionQuantities(query, dictionary);
    this.allSessions = sessions;
    this.sessions = sessions.filter((session) => this.quantities.isInScope(session));
  }

  /** Sorts matches by a quantity; matches without it are left out. */
  sort(matches: readonly Match[], { of, order }: NonNullable<Query['sort']>): Match[] {
    const sign = order === 'highest' ? -1 : 1;
    return this.measure(matches, of)
      .flatMap(({ value, match }) => (typeof value === 'number' && match ? [{ value, match }] : []))
      .toSorted((a, b) => sign * (a.value - b.value))
      .map(({ match }) => match);
  }

  /** The single value that answers the query; `undefined` if the answer is its matches, groups or timed values. */
  answer(matches: readonly Match[]): Answer | undefined {
    const { versus, ...plain } = this.query;
    if (versus) return this.compare(matches, plain, versus);
    const totals = new AnswerTotals(plain, this.dictionary);
    const bySession = bySessionOf(matches);
    for (const session of this.allSessions) totals.add(session, bySession.get(session.session) ?? []);
    return totals.answer();
  }

  /** Computes the same number of two conditions. */
  private compare(
    matches: readonly Match[],
    query: Query,
    { with: other, as }: NonNullable<Query['versus']>,
  ): Answer | undefined {
    const numberOf = (of: Query, found: readonly Match[]): { value: number | null; unit: string | undefined } => {
      const computer = new AnswerComputer(of, this.dictionary, this.allSessions);
      const answer = computer.answer(found) ?? {
        value: computer.timedValues(found)?.find(({ value }) => typeof value === 'number')?.value ?? null,
        unit: undefined,
      };
      return {
        value: typeof answer.value === 'number' ? answer.value : null,
        unit: answer.unit,
      };
    };
    const { find } = new ConditionCompiler(this.dictionary).compile(other);
    const first = numberOf(query, matches);
    const second = numberOf(
      { ...query, find: other },
      this.allSessions.flatMap((session) => find(session)),
    );
    const compared = [first.value, second.value] as const;
    const [a, b] = compared;
    if (as === 'both') return { value: a, unit: first.unit, compared };
    if (a === null || b === null) return { value: null, unit: undefined, compared };
    if (as === 'larger' || as === 'smaller')
      return {
        value: as === 'larger' ? Math.max(a, b) : Math.min(a, b),
        unit: first.unit,
        compared,
      };
    if (as === 'difference') return { value: roundTime(a - b), unit: first.unit, compared };
    const value = as === 'more' ? a > b : as === 'fewer' ? a < b : a === b;
    return { value, unit: first.unit, compared };
  }

  /** The values that answer the query, one per match or session; `undefined` if the answer is another. */
  timedValues(matches: readonly Match[]): readonly TimedValue[] | undefined {
    const { measure, state, at, find, versus, top, bottom, sort, first } = this.query;
    if (versus) return undefined;
    if (measure) {
      if (measure.take !== 'each') return undefined;
      const values = this.measure(matches, measure.of);
      // Stretches of time are no matches that could be sorted.
      return measure.of === 'held' && sort ? sortValues(values, sort.order).slice(0, first) : values;
    }
    if (state) return this.measure(matches, 'state');
    if (at === undefined || !('property' in find)) return undefined;
    const values = this.sessions.flatMap((session) => {
      const t = this.momentOf(session, at);
      if (t === undefined) return [{ session: session.session, t: 0, value: null, match: undefined }];
      const owners = find.subject ? [] : this.ownersOf(session, find);
      return (owners.length > 1 ? owners : [undefined]).map((owner) => {
        const pattern = owner ? { ...find, subject: owner.slot } : find;
        const timeline = new PropertyTimeline(session, pattern, this.dictionary);
        // A value that is set at the start has none before.
        const value = timeline.valueAt(t, at !== 'start') ?? timeline.valueAt(t, true) ?? null;
        return {
          session: session.session,
          t,
          value,
          match: undefined,
          ...(owner && { of: owner.label }),
        };
      });
    });
    if (top === undefined && bottom === undefined) return values;
    const ranked = sortValues(values, top === undefined ? 'lowest' : 'highest');
    const limit = ranked[(top ?? bottom)! - 1]?.value;
    return ranked.filter(({ value }, index) => index < (top ?? bottom)! || value === limit);
  }

  /** Of whom a session states a property, in order of first appearance. */
  private ownersOf(session: SessionEvents, find: PropertyPattern): readonly { label: string; slot: SlotPattern }[] {
    const isWanted = new PatternCompiler(this.dictionary).property({
      property: find.property,
    });
    const owners = new Map<string, { label: string; slot: SlotPattern }>();
    for (const event of session.events) {
      if (!isPropertyStatement(event.statement) || !isWanted(event)) continue;
      const { subject } = event.statement;
      const { word, name } = typeof subject === 'string' ? { word: subject, name: undefined } : subject;
      const label = name === undefined ? word : `${word} ${name}`;
      owners.set(
        label,
        owners.get(label) ?? {
          label,
          slot: {
            any: [{ words: [word], ...(name !== undefined && { name }) }],
          },
        },
      );
    }
    return [...owners.values()];
  }

  /** The time in a session at which a value is asked for; `undefined` if it has no such period. */
  private momentOf(session: SessionEvents, at: NonNullable<Query['at']>): number | undefined {
    if (typeof at === 'number') return at;
    if (typeof at === 'string') return at === 'start' ? 0 : session.duration;
    const [period] = numberedPeriods(findPeriods(session, at.period.word, this.dictionary), at.period.nth);
    return at.edge === 'start' ? period?.t : period?.end;
  }

  private measure(matches: readonly Match[], quantity: Quantity): TimedValue[] {
    const bySession = bySessionOf(matches);
    return this.sessions.flatMap((session) =>
      this.quantities.measure(session, bySession.get(session.session) ?? [], quantity),
    );
  }
}

/** What a query asks of one session. */
class SessionQuantities {
  private readonly query: Query;
  private readonly dictionary: Dictionary;

  constructor(query: Query, dictionary: Dictionary) {
    this.query = query;
    this.dictionary = dictionary;
  }

  /** Whether a session is one that the query is about. */
  isInScope({ session, events }: SessionEvents): boolean {
    const { find } = this.query;
    return [find, ...('all' in find ? find.all : [])].every((each) => {
      if ('session' in each && !each.session?.includes(session)) return false;
      return !('game' in each) || (each.game?.includes(events[0]?.game ?? '') ?? true);
    });
  }

  /** The values of a quantity, one for each of the session's matches. */
  measure(session: SessionEvents, matches: readonly Match[], quantity: Quantity): TimedValue[] {
    if (quantity === 'held') return this.heldSpans(session);
    if (quantity === 'state') return this.states(session, matches);
    const lives = quantity === 'life' ? this.lives(session) : undefined;
    return matches.map((match, index): TimedValue => {
      const next = matches[index + 1];
      const value =
        quantity === 'gap' ? (next ? roundTime(next.t - match.t) : undefined) : quantityOf(match, quantity, lives);
      return {
        session: session.session,
        t: match.t,
        value: value ?? null,
        match,
      };
    });
  }

  private states(session: SessionEvents, matches: readonly Match[]): TimedValue[] {
    const { state } = this.query;
    if (!state) return [];
    const timeline = new PropertyTimeline(session, state, this.dictionary);
    return matches.map((match) => ({
      session: session.session,
      t: match.t,
      value: timeline.valueAt(match.t) ?? null,
      match,
    }));
  }

  /** The stretches of time that the query finds. */
  heldSpans(session: SessionEvents): TimedValue[] {
    const { find } = this.query;
    const toValue = ({ t, end }: { readonly t: number; readonly end: number }): TimedValue => ({
      session: session.session,
      t,
      value: roundTime(end - t),
      match: undefined,
    });
    if ('period' in find)
      return new ConditionCompiler(this.dictionary)
        .compilePeriods(find.period)(session)
        .map((period) => ({ ...toValue(period), ...(!period.isMeasured && { isOpen: true as const }) }));
    if (!('while' in find)) return [];
    const isWanted = new PatternCompiler(this.dictionary).value(find.while.to);
    return new PropertyTimeline(session, find.while, this.dictionary).spansWith(isWanted).map(toValue);
  }

  lives(session: SessionEvents): Lives {
    return collectLives(session, subjectOf(this.query.find) ?? playerPattern, this.dictionary);
  }

  /** How much a session has of what the query divides by: lives that ended, for instance; seconds of any unit of time. */
  divisor(session: SessionEvents): number {
    const { per } = this.query;
    if (typeof per === 'object') return findPeriods(session, per.period.word, this.dictionary).length;
    if (per === 'life') return this.lives(session).deaths.length;
    return per === undefined || per === 'session' ? 1 : this.seconds(session);
  }

  /** The seconds that the time conditions of the query cover. */
  private seconds({ duration }: SessionEvents): number {
    const { find } = this.query;
    const times = [find, ...('all' in find ? find.all : [])].flatMap((each) => ('time' in each ? [each.time] : []));
    const bounds = times.map((time) => timeBounds(time, duration));
    const start = Math.max(0, ...bounds.map(({ t }) => t));
    return Math.max(0, Math.min(duration, ...bounds.map(({ end }) => end)) - start);
  }
}

/**
 * The single value that answers a query, summed up session by session, so that nobody holds the events of all.
 *
 * @example
 * const totals = new AnswerTotals(query, dictionary);
 * for (const session of sessions) totals.add(session, condition.find(session));
 * totals.answer();
 */
export class AnswerTotals {
  private readonly query: Query;
  private readonly quantities: SessionQuantities;
  /** What matches are divided by, or what interrupts them. */
  private readonly other: CompiledCondition | undefined;
  private matches = 0;
  private others = 0;
  private isHeld = false;
  private streak = 0;
  private divisor = 0;
  private readonly numbers = {
    count: 0,
    sum: 0,
    highest: Number.NEGATIVE_INFINITY,
    lowest: Number.POSITIVE_INFINITY,
  };

  /** @param query Without `versus`. */
  constructor(query: Query, dictionary: Dictionary) {
    this.query = query;
    this.quantities = new SessionQuantities(query, dictionary);
    const other = query.ratio ?? query.share ?? query.streak;
    this.other = other && new ConditionCompiler(dictionary).compile(other);
  }

  /** Adds a session and those of the matches that it has. */
  add(session: SessionEvents, matches: readonly Match[]): void {
    this.matches += matches.length;
    if (!this.quantities.isInScope(session)) return;
    const { measure, per, ratio, share, streak, whether } = this.query;
    if (whether) this.isHeld ||= this.quantities.heldSpans(session).length > 0;
    else if (ratio ?? share) this.others += this.other!.find(session).length;
    else if (streak) this.streak = Math.max(this.streak, longestStreak(matches, this.other!.find(session)));
    else {
      if (measure && measure.take !== 'each')
        for (const { value, isOpen } of this.quantities.measure(session, matches, measure.of))
          if (typeof value === 'number' && !isOpen) this.addNumber(value);
      if (per !== undefined) this.divisor += this.quantities.divisor(session);
    }
  }

  /** The value; `undefined` if the answer is the query's matches, groups or timed values. */
  answer(): Answer | undefined {
    const { measure, per, ratio, share, streak, whether, count } = this.query;
    // A state can hold without anything happening in it.
    if (whether) return { value: this.matches > 0 || this.isHeld, unit: undefined };
    if (ratio) return { value: divide(this.matches, this.others), unit: undefined };
    if (share) return { value: divide(100 * this.matches, this.others), unit: '%' };
    if (streak) return { value: this.streak, unit: undefined };
    if (measure && measure.take !== 'each')
      return this.divided(this.take(measure.take), secondQuantities.has(measure.of) ? 's' : undefined);
    return count || per ? this.divided(this.matches, undefined) : undefined;
  }

  private addNumber(value: number): void {
    const { numbers } = this;
    numbers.count++;
    numbers.sum += value;
    numbers.highest = Math.max(numbers.highest, value);
    numbers.lowest = Math.min(numbers.lowest, value);
  }

  private take(how: 'sum' | 'average' | 'highest' | 'lowest'): number | null {
    const { count, sum } = this.numbers;
    if (how === 'sum') return roundTime(sum);
    if (count === 0) return null;
    return how === 'average' ? sum / count : this.numbers[how];
  }

  private divided(value: number | null, unit: string | undefined): Answer {
    const { per } = this.query;
    if (per === undefined) return { value, unit };
    return {
      value: value === null ? null : divide(value, this.amountOf(per)),
      unit: `${unit === undefined ? '' : `${unit} `}per ${typeof per === 'object' ? per.period.word[0] : per}`,
    };
  }

  private amountOf(per: NonNullable<Query['per']>): number {
    if (typeof per === 'object' || per === 'session') return this.divisor;
    // Who has not died yet has lived once.
    return per === 'life' ? Math.max(1, this.divisor) : this.divisor / secondsPer[per];
  }
}

/** The most matches in a row without one of what interrupts them. */
function longestStreak(matches: readonly Match[], interruptions: readonly Match[]): number {
  let longest = 0;
  let current = 0;
  let before = Number.NEGATIVE_INFINITY;
  for (const { t } of matches) {
    current = interruptions.some((each) => each.t > before && each.t <= t) ? 1 : current + 1;
    before = t;
    longest = Math.max(longest, current);
  }
  return longest;
}

function bySessionOf(matches: readonly Match[]): ReadonlyMap<string, readonly Match[]> {
  return Map.groupBy(matches, ({ events }) => events[0]!.session);
}

/** The values that are numbers, the largest or smallest first. */
function sortValues(values: readonly TimedValue[], order: 'highest' | 'lowest'): readonly TimedValue[] {
  const sign = order === 'highest' ? -1 : 1;
  return values
    .filter(({ value }) => typeof value === 'number')
    .toSorted((a, b) => sign * ((a.value as number) - (b.value as number)));
}

const secondsPer = { second: 1, minute: 60, hour: 3600 } as const;

function quantityOf(
  { t, events }: Match,
  quantity: Exclude<Quantity, 'gap' | 'held' | 'state'>,
  lives: Lives | undefined,
): PropertyValue | undefined {
  const { statement } = events[0]!;
  switch (quantity) {
    case 'count': {
      const object = isPropertyStatement(statement) ? undefined : statement.object;
      return typeof object === 'object' ? (object.count ?? 1) : 1;
    }
    case 'amount':
      return isPropertyStatement(statement) ? undefined : statement.amount;
    case 'change': {
      if (!isPropertyStatement(statement)) return undefined;
      const { from, to } = statement;
      return typeof from === 'number' && typeof to === 'number' ? Math.abs(to - from) : undefined;
    }
    case 'value':
      return isPropertyStatement(statement) ? statement.to : undefined;
    case 'time':
      return t;
    case 'duration':
      return roundTime(events.at(-1)!.t - t);
    case 'life': {
      const start = lives!.spawns.findLast((each) => each < t) ?? lives!.deaths.findLast((each) => each < t) ?? 0;
      return roundTime(t - start);
    }
  }
}

function divide(value: number, divisor: number): number | null {
  return divisor === 0 ? null : value / divisor;
}
