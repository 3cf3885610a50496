import { PatternCompiler } from './match/patterns.ts';
import { timeBounds, type Match } from './match/combinators.ts';
import { ConditionCompiler } from './match/compile.ts';
import type { SessionEvents } from './match/event-index.ts';
import { findPeriods, numberedPeriods } from './match/periods.ts';
import { collectLives, PropertyTimeline } from './match/states.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { isPropertyStatement, type PropertyValue } from '../events/statement.ts';
import { roundTime } from '../time.ts';
import {
  subjectOf,
  type Condition,
  type PropertyPattern,
  type quantities,
  type Query,
  type SlotPattern,
} from './query.ts';

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
  /** The match it belongs to; `undefined` for a value at a given time. */
  readonly match: Match | undefined;
}

const playerPattern: SlotPattern = { any: [{ words: ['player'] }] };
const secondQuantities: ReadonlySet<Quantity> = new Set(['time', 'duration', 'gap', 'life', 'held']);

/** Computes what a query asks about its matches. */
export class AnswerComputer {
  private readonly query: Query;
  private readonly dictionary: Dictionary;
  private readonly sessions: readonly SessionEvents[];
  private readonly allSessions: readonly SessionEvents[];

  /** @param sessions All sessions, with their durations. */
  constructor(query: Query, dictionary: Dictionary, sessions: readonly SessionEvents[]) {
    this.query = query;
    this.dictionary = dictionary;
    this.allSessions = sessions;
    this.sessions = sessions.filter((session) => this.isInScope(session));
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
    const { measure, per, ratio, share, streak, whether, count } = this.query;
    // A state can hold without anything happening in it.
    if (whether) return { value: matches.length > 0 || this.heldSpans().length > 0, unit: undefined };
    if (ratio) return { value: divide(matches.length, this.count(ratio)), unit: undefined };
    if (share) return { value: divide(100 * matches.length, this.count(share)), unit: '%' };
    if (streak) return { value: this.longestStreak(matches, streak), unit: undefined };
    if (measure && measure.take !== 'each') {
      const numbers = this.measure(matches, measure.of).flatMap(({ value }) =>
        typeof value === 'number' ? [value] : [],
      );
      const unit = secondQuantities.has(measure.of) ? 's' : undefined;
      return this.divided(take(numbers, measure.take), unit);
    }
    return count || per ? this.divided(matches.length, undefined) : undefined;
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
      return { value: typeof answer.value === 'number' ? answer.value : null, unit: answer.unit };
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
      return { value: as === 'larger' ? Math.max(a, b) : Math.min(a, b), unit: first.unit, compared };
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
        return { session: session.session, t, value, match: undefined, ...(owner && { of: owner.label }) };
      });
    });
    if (top === undefined && bottom === undefined) return values;
    const ranked = sortValues(values, top === undefined ? 'lowest' : 'highest');
    const limit = ranked[(top ?? bottom)! - 1]?.value;
    return ranked.filter(({ value }, index) => index < (top ?? bottom)! || value === limit);
  }

  /** Of whom a session states a property, in order of first appearance. */
  private ownersOf(session: SessionEvents, find: PropertyPattern): readonly { label: string; slot: SlotPattern }[] {
    const isWanted = new PatternCompiler(this.dictionary).property({ property: find.property });
    const owners = new Map<string, { label: string; slot: SlotPattern }>();
    for (const event of session.events) {
      if (!isPropertyStatement(event.statement) || !isWanted(event)) continue;
      const { subject } = event.statement;
      const { word, name } = typeof subject === 'string' ? { word: subject, name: undefined } : subject;
      const label = name === undefined ? word : `${word} ${name}`;
      owners.set(
        label,
        owners.get(label) ?? { label, slot: { any: [{ words: [word], ...(name !== undefined && { name }) }] } },
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

  private divided(value: number | null, unit: string | undefined): Answer {
    const { per } = this.query;
    if (per === undefined) return { value, unit };
    return {
      value: value === null ? null : divide(value, this.divisorOf(per)),
      unit: `${unit === undefined ? '' : `${unit} `}per ${typeof per === 'object' ? per.period.word[0] : per}`,
    };
  }

  private divisorOf(per: NonNullable<Query['per']>): number {
    if (typeof per === 'object')
      return this.sessions.reduce((sum, each) => sum + findPeriods(each, per.period.word, this.dictionary).length, 0);
    if (per === 'life') return this.countLives();
    return per === 'session' ? this.sessions.length : this.seconds() / secondsPer[per];
  }

  private count(condition: Condition): number {
    const { find } = new ConditionCompiler(this.dictionary).compile(condition);
    return this.sessions.reduce((sum, session) => sum + find(session).length, 0);
  }

  private longestStreak(matches: readonly Match[], without: Condition): number {
    const { find } = new ConditionCompiler(this.dictionary).compile(without);
    const lengths = this.sessions.map((session) => {
      const ends = find(session).map(({ t }) => t);
      let longest = 0;
      let current = 0;
      let before = Number.NEGATIVE_INFINITY;
      for (const { t } of this.matchesOf(session, matches)) {
        current = ends.some((end) => end > before && end <= t) ? 1 : current + 1;
        before = t;
        longest = Math.max(longest, current);
      }
      return longest;
    });
    return Math.max(0, ...lengths);
  }

  private measure(matches: readonly Match[], quantity: Quantity): TimedValue[] {
    if (quantity === 'held') return this.heldSpans();
    if (quantity === 'state') return this.states(matches);
    return this.sessions.flatMap((session) => {
      const own = this.matchesOf(session, matches);
      const lives = quantity === 'life' ? collectLives(session, this.subject(), this.dictionary) : undefined;
      return own.map((match, index): TimedValue => {
        const next = own[index + 1];
        const value =
          quantity === 'gap' ? (next ? roundTime(next.t - match.t) : undefined) : quantityOf(match, quantity, lives);
        return { session: session.session, t: match.t, value: value ?? null, match };
      });
    });
  }

  private states(matches: readonly Match[]): TimedValue[] {
    const { state } = this.query;
    if (!state) return [];
    return this.sessions.flatMap((session) => {
      const timeline = new PropertyTimeline(session, state, this.dictionary);
      return this.matchesOf(session, matches).map((match) => ({
        session: session.session,
        t: match.t,
        value: timeline.valueAt(match.t) ?? null,
        match,
      }));
    });
  }

  private heldSpans(): TimedValue[] {
    const { find } = this.query;
    if ('period' in find) {
      const periodsOf = new ConditionCompiler(this.dictionary).compilePeriods(find.period);
      return this.sessions.flatMap((session) =>
        periodsOf(session).map(({ t, end }) => ({
          session: session.session,
          t,
          value: roundTime(end - t),
          match: undefined,
        })),
      );
    }
    if (!('while' in find)) return [];
    const isWanted = new PatternCompiler(this.dictionary).value(find.while.to);
    return this.sessions.flatMap((session) =>
      new PropertyTimeline(session, find.while, this.dictionary)
        .spansWith(isWanted)
        .map(({ t, end }) => ({ session: session.session, t, value: roundTime(end - t), match: undefined })),
    );
  }

  private subject(): SlotPattern {
    return subjectOf(this.query.find) ?? playerPattern;
  }

  /** Lives that ended, at least one. */
  private countLives(): number {
    const ended = this.sessions.map((session) => collectLives(session, this.subject(), this.dictionary).deaths.length);
    return Math.max(
      1,
      ended.reduce((sum, each) => sum + each, 0),
    );
  }

  /** The seconds that the time conditions of the query cover. */
  private seconds(): number {
    const { find } = this.query;
    const times = [find, ...('all' in find ? find.all : [])].flatMap((each) => ('time' in each ? [each.time] : []));
    return this.sessions.reduce((sum, { duration }) => {
      const bounds = times.map((time) => timeBounds(time, duration));
      const start = Math.max(0, ...bounds.map(({ t }) => t));
      return sum + Math.max(0, Math.min(duration, ...bounds.map(({ end }) => end)) - start);
    }, 0);
  }

  private isInScope({ session, events }: SessionEvents): boolean {
    const { find } = this.query;
    return [find, ...('all' in find ? find.all : [])].every((each) => {
      if ('session' in each && !each.session?.includes(session)) return false;
      return !('game' in each) || (each.game?.includes(events[0]?.game ?? '') ?? true);
    });
  }

  private matchesOf({ session }: SessionEvents, matches: readonly Match[]): readonly Match[] {
    return matches.filter(({ events }) => events[0]!.session === session);
  }
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
  lives: ReturnType<typeof collectLives> | undefined,
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

function take(numbers: readonly number[], how: 'sum' | 'average' | 'highest' | 'lowest'): number | null {
  const sum = numbers.reduce((total, each) => total + each, 0);
  if (how === 'sum') return roundTime(sum);
  if (numbers.length === 0) return null;
  if (how === 'average') return sum / numbers.length;
  return how === 'highest' ? Math.max(...numbers) : Math.min(...numbers);
}
