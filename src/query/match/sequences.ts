import type { EventLine } from '../../events/log.ts';
import type { Slot } from '../../events/statement.ts';
import type { SequenceCondition } from '../query.ts';
import { findFirstAt, joinMatches, type CompiledCondition, type Match } from './combinators.ts';
import type { SessionEvents } from './event-index.ts';

/** The values of the variables of a sequence. */
export type Bindings = ReadonlyMap<string, BoundValue>;

/** The value of a variable. */
export interface BoundValue {
  readonly slot: Slot;
  /** Equal for mentions of the same thing. */
  readonly identity: string;
}

/** The variables that an event binds; `undefined` if a slot with a variable is empty. */
export type EventBindings = readonly (readonly [variable: string, value: BoundValue])[] | undefined;

/** Reads the variables of a step from an event that it matches. */
export type Binder = (session: SessionEvents) => (event: EventLine) => EventBindings;

/** A compiled step of a sequence. */
export interface Step {
  readonly compiled: CompiledCondition;
  readonly bind: Binder;
}

/** A match of a sequence with its variables. */
export interface BoundMatch extends Match {
  readonly bindings: Bindings;
}

/** Limits backtracking per session: sequences with variables could otherwise try every combination of events. */
const maxTries = 2_000_000;

/**
 * Finds the matches of a sequence. Each first step yields at most one match, with the earliest steps that fit. A match during
 * which one of `without` happens to the same things is dropped.
 */
export function findSequences(
  session: SessionEvents,
  steps: readonly Step[],
  without: readonly Step[],
  limits: SequenceCondition,
): BoundMatch[] {
  const search = new SequenceSearch(session, steps, without, limits);
  const matches: BoundMatch[] = [];
  for (const first of search.firstMatches()) {
    const match = search.findFrom(first);
    if (match) matches.push(match);
    if (match && limits.first) break;
  }
  return matches;
}

interface Candidates {
  readonly matches: readonly Match[];
  readonly bind: ReturnType<Binder>;
}

interface Chain {
  readonly matches: readonly Match[];
  readonly bindings: Bindings;
}

class SequenceSearch {
  private tries = 0;
  private readonly steps: readonly Candidates[];
  private readonly unwanted: readonly Candidates[];
  private readonly limits: SequenceCondition;
  private readonly usedEvents = new Set<EventLine>();

  constructor(session: SessionEvents, steps: readonly Step[], without: readonly Step[], limits: SequenceCondition) {
    const toCandidates = ({ compiled, bind }: Step): Candidates => ({
      matches: compiled.find(session),
      bind: bind(session),
    });
    this.steps = steps.map(toCandidates);
    this.unwanted = without.map(toCandidates);
    this.limits = limits;
  }

  firstMatches(): readonly Match[] {
    return this.steps[0]?.matches ?? [];
  }

  findFrom(first: Match): BoundMatch | undefined {
    if (this.isUsed(first)) return undefined;
    const bindings = mergeBindings(new Map(), this.steps[0]!.bind(first.events[0]!));
    const chain = bindings && this.complete({ matches: [first], bindings });
    if (!chain) return undefined;
    const match = joinMatches(chain.matches);
    if (this.unwanted.some((each) => happensDuring(each, match, chain.bindings))) return undefined;
    if (this.limits.apart) for (const event of match.events) this.usedEvents.add(event);
    return { ...match, bindings: chain.bindings };
  }

  private isUsed(match: Match): boolean {
    return match.events.some((event) => this.usedEvents.has(event));
  }

  /** Extends a chain by the remaining steps, with backtracking. */
  private complete(chain: Chain): Chain | undefined {
    const step = this.steps[chain.matches.length];
    if (!step) return chain;
    const last = chain.matches.at(-1)!;
    const start = chain.matches[0]!;
    const { within = Number.POSITIVE_INFINITY, span = Number.POSITIVE_INFINITY } = this.limits;
    for (let i = findFirstAt(step.matches, last.t); i < step.matches.length; i++) {
      const next = step.matches[i]!;
      if (next.t - last.end > within || next.t - start.t > span || ++this.tries > maxTries) return undefined;
      if (next.first <= last.last || this.isUsed(next)) continue;
      const bindings = mergeBindings(chain.bindings, step.bind(next.events[0]!));
      const completed = bindings && this.complete({ matches: [...chain.matches, next], bindings });
      if (completed) return completed;
    }
    return undefined;
  }
}

/** Does an unwanted event with compatible variables happen between the first event of a match and its last? */
function happensDuring({ matches, bind }: Candidates, match: Match, bindings: Bindings): boolean {
  const { t } = match.events.at(-1)!;
  for (let i = findFirstAt(matches, match.t); i < matches.length && matches[i]!.t <= t; i++) {
    const event = matches[i]!.events[0]!;
    if (!match.events.includes(event) && mergeBindings(bindings, bind(event))) return true;
  }
  return false;
}

/** Adds the bindings of an event; `undefined` if they contradict. */
export function mergeBindings(bindings: Bindings, added: EventBindings): Bindings | undefined {
  if (added === undefined) return undefined;
  if (added.length === 0) return bindings;
  const merged = new Map(bindings);
  for (const [variable, value] of added) {
    const existing = merged.get(variable);
    if (existing !== undefined && existing.identity !== value.identity) return undefined;
    if (existing === undefined) merged.set(variable, value);
  }
  return merged;
}

/** Identifies what a slot mentions: word, name and owner, but not the count. */
export function identityOf(slot: Slot): string {
  if (typeof slot === 'string') return JSON.stringify([slot]);
  const owner = slot.of === undefined ? undefined : identityOf(slot.of);
  if (slot.name === undefined && owner === undefined) return JSON.stringify([slot.word]);
  return JSON.stringify([slot.word, slot.name ?? null, owner ?? null]);
}
