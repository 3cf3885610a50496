import type { EventLine } from '../../events/log.ts';
import { extendBindings, type Binder, type Bindings } from './bind.ts';
import { firstAt, matchOf, type Compiled, type Match, type SessionEvents } from './combine.ts';
import type { SequenceCondition } from '../query.ts';

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
