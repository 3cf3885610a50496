import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Slot } from '../../events/statement.ts';
import type { ActionPattern, Condition, SequenceCondition, SlotPattern } from '../query.ts';
import { type Compiled, firstAt, type Match, matchOf } from './combinators.ts';
import type { SessionEvents } from './event-index.ts';
import { patternSlots } from './patterns.ts';

/** A step of a sequence made ready. */
export interface Step {
  readonly compiled: Compiled;
  readonly bind: Binder;
}

/** A match of a sequence and what its variables stand for. */
export interface BoundMatch extends Match {
  readonly bindings: Bindings;
}

/** Most steps back and forth in one session: patterns that name variables could otherwise try every combination. */
const maxTries = 2_000_000;

/**
 * Finds steps in order. Each first step gives at most one match, with the earliest steps that fit it; the next step
 * begins no earlier than the one before, and within the given distances. A match that something unwanted disturbs is none.
 */
export function sequences(
  steps: readonly Step[],
  without: readonly Step[],
  limits: SequenceCondition,
): (session: SessionEvents) => BoundMatch[] {
  return (session) => {
    const search = new Search(session, steps, without, limits);
    const matches: BoundMatch[] = [];
    for (const first of search.starts()) {
      const match = search.from(first);
      if (!match) continue;
      matches.push(match);
      if (limits.first) break;
    }
    return matches;
  };
}

interface Candidates {
  readonly matches: readonly Match[];
  readonly bind: ReturnType<Binder>;
}

interface Chain {
  readonly matches: readonly Match[];
  readonly bindings: Bindings;
}

class Search {
  private tries = 0;
  private readonly steps: readonly Candidates[];
  private readonly unwanted: readonly Candidates[];
  private readonly limits: SequenceCondition;
  private readonly used = new Set<EventLine>();

  constructor(session: SessionEvents, steps: readonly Step[], without: readonly Step[], limits: SequenceCondition) {
    const ready = ({ compiled, bind }: Step): Candidates => ({ matches: compiled.find(session), bind: bind(session) });
    this.steps = steps.map(ready);
    this.unwanted = without.map(ready);
    this.limits = limits;
  }

  starts(): readonly Match[] {
    return this.steps[0]?.matches ?? [];
  }

  from(first: Match): BoundMatch | undefined {
    if (first.events.some((event) => this.used.has(event))) return undefined;
    const bindings = extendBindings(new Map(), this.steps[0]!.bind(first.events[0]!));
    const chain = bindings && this.extend({ matches: [first], bindings });
    if (!chain) return undefined;
    const match = matchOf(chain.matches);
    if (this.unwanted.some((each) => this.disturbs(each, match, chain.bindings))) return undefined;
    if (this.limits.apart) for (const event of match.events) this.used.add(event);
    return { ...match, bindings: chain.bindings };
  }

  private extend(chain: Chain): Chain | undefined {
    const step = this.steps[chain.matches.length];
    if (!step) return chain;
    const last = chain.matches.at(-1)!;
    const start = chain.matches[0]!;
    const { within = Number.POSITIVE_INFINITY, span = Number.POSITIVE_INFINITY } = this.limits;
    for (let i = firstAt(step.matches, last.t); i < step.matches.length; i++) {
      const next = step.matches[i]!;
      if (next.t - last.end > within || next.t - start.t > span || ++this.tries > maxTries) return undefined;
      if (next.first <= last.last || next.events.some((event) => this.used.has(event))) continue;
      const bindings = extendBindings(chain.bindings, step.bind(next.events[0]!));
      const whole = bindings && this.extend({ matches: [...chain.matches, next], bindings });
      if (whole) return whole;
    }
    return undefined;
  }

  /** Does something unwanted, about the same things, happen between the first event and the last? */
  private disturbs({ matches, bind }: Candidates, match: Match, bindings: Bindings): boolean {
    const last = match.events.at(-1)!;
    for (let i = firstAt(matches, match.t); i < matches.length && matches[i]!.t <= last.t; i++) {
      const [event] = matches[i]!.events;
      if (!match.events.includes(event!) && extendBindings(bindings, bind(event!))) return true;
    }
    return false;
  }
}

/** What the variables of a sequence stand for. */
export type Bindings = ReadonlyMap<string, Bound>;

export interface Bound {
  readonly slot: Slot;
  /** Equal exactly for mentions of the same thing. */
  readonly identity: string;
}

/** Reads the variables of a step from an event that it matches; undefined where a slot with one is empty. */
export type Binder = (
  session: SessionEvents,
) => (event: EventLine) => readonly (readonly [string, Bound])[] | undefined;

const none: Binder = () => () => [];

/** The binder of a condition; `compile` makes tests of its alternatives. */
export function binderOf(
  condition: Condition,
  compile: (condition: Condition) => Compiled,
  causedBy: (pattern: ActionPattern) => ActionPattern | undefined,
): Binder {
  if ('all' in condition) {
    const parts = condition.all.map((each) => binderOf(each, compile, causedBy)).filter((each) => each !== none);
    if (parts.length === 0) return none;
    return (session) => {
      const readers = parts.map((part) => part(session));
      return (event) => {
        const read = readers.map((reader) => reader(event));
        return read.every((each) => each !== undefined) ? read.flat() : undefined;
      };
    };
  }
  if ('action' in condition || 'property' in condition) {
    const said = slotBinder({ ...condition });
    const caused = said !== none && 'action' in condition ? causedBy(condition as ActionPattern) : undefined;
    // "kills ?who" says that ?who dies.
    return caused ? saidOrCaused(said, slotBinder({ ...caused }), compile(caused)) : said;
  }
  if (!('any' in condition)) return none;
  return alternativeBinder(condition.any as readonly Condition[], compile, causedBy);
}

function slotBinder(pattern: Readonly<Record<string, unknown>>): Binder {
  const variables = patternSlots.flatMap((slot) => {
    const name = (pattern[slot] as SlotPattern | undefined)?.same;
    return name === undefined ? [] : [{ name, slot }];
  });
  if (variables.length === 0) return none;
  return () =>
    ({ statement }) => {
      const bound: (readonly [string, Bound])[] = [];
      for (const { name, slot } of variables) {
        const filler = isPropertyStatement(statement)
          ? slot === 'subject'
            ? statement.subject
            : undefined
          : statement[slot];
        if (filler === undefined) return undefined;
        bound.push([name, { slot: filler, identity: identityOf(filler) }]);
      }
      return bound;
    };
}

function saidOrCaused(said: Binder, caused: Binder, { test }: Compiled): Binder {
  return (session) => {
    const [plain, other, isCaused] = [said(session), caused(session), test?.(session)];
    return (event) => (isCaused?.(event) ? other(event) : plain(event));
  };
}

function alternativeBinder(
  conditions: readonly Condition[],
  compile: (condition: Condition) => Compiled,
  causedBy: (pattern: ActionPattern) => ActionPattern | undefined,
): Binder {
  const alternatives = conditions.map((each) => ({
    binder: binderOf(each, compile, causedBy),
    test: compile(each).test,
  }));
  if (alternatives.every(({ binder }) => binder === none)) return none;
  return (session) => {
    const readers = alternatives.map(({ binder, test }) => ({ read: binder(session), fits: test?.(session) }));
    return (event) => readers.find(({ fits }) => fits?.(event))?.read(event);
  };
}

/** `bindings` with what the event binds; undefined where it contradicts them. */
export function extendBindings(
  bindings: Bindings,
  bound: readonly (readonly [string, Bound])[] | undefined,
): Bindings | undefined {
  if (bound === undefined) return undefined;
  if (bound.length === 0) return bindings;
  const extended = new Map(bindings);
  for (const [name, value] of bound) {
    const known = extended.get(name);
    if (known !== undefined && known.identity !== value.identity) return undefined;
    if (known === undefined) extended.set(name, value);
  }
  return extended;
}

/** The same for mentions of the same thing: word, name and owner; how many plays no part. */
export function identityOf(slot: Slot): string {
  if (typeof slot === 'string') return JSON.stringify([slot]);
  const owner = slot.of === undefined ? undefined : identityOf(slot.of);
  if (slot.name === undefined && owner === undefined) return JSON.stringify([slot.word]);
  return JSON.stringify([slot.word, slot.name ?? null, owner ?? null]);
}
