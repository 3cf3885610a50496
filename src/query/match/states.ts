import { countLeading } from '../../binary-search.ts';
import { covers, type Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type PropertyStatement, type PropertyValue, type Slot } from '../../events/statement.ts';
import type { PropertyPattern, SlotPattern } from '../query.ts';
import type { SessionEvents } from './event-index.ts';
import { PatternCompiler } from './patterns.ts';

/** A stretch of a session; times in seconds. */
export interface Span {
  readonly t: number;
  readonly end: number;
}

/** When somebody comes to life and dies; in order of time. */
export interface Lives {
  readonly spawns: readonly number[];
  readonly deaths: readonly number[];
}

/** Collects when the subjects of a pattern spawn and die in a session. A kill is a death of its object. */
export function collectLives(session: SessionEvents, subject: SlotPattern, dictionary: Dictionary): Lives {
  const isSubject = new PatternCompiler(dictionary).slotTest(subject, 'object');
  const [spawn, die] = ['spawn', 'die'].map((id) => dictionary.find(id, 'action'));
  const spawns: number[] = [];
  const deaths: number[] = [];
  for (const { t, statement } of session.events) {
    if (isPropertyStatement(statement)) continue;
    const action = dictionary.find(statement.action, 'action');
    if (covers(spawn, action) && isSubject(statement.subject)) spawns.push(t);
    const victim: Slot | undefined = covers(die, action)
      ? statement.subject
      : covers(die, action?.causes)
        ? statement.object
        : undefined;
    // A log can state a death and its cause.
    if (victim !== undefined && isSubject(victim) && !(t - (deaths.at(-1) ?? Number.NEGATIVE_INFINITY) <= 1))
      deaths.push(t);
  }
  return { spawns, deaths };
}

interface Change {
  readonly t: number;
  readonly statement: PropertyStatement;
}

/** The value of a property over a session, from the changes that its log states. */
export class PropertyTimeline {
  private readonly changes: readonly Change[];
  private readonly lives: Lives;
  private readonly duration: number;
  private hasReset: boolean | undefined;

  constructor(session: SessionEvents, pattern: PropertyPattern, dictionary: Dictionary) {
    const test = new PatternCompiler(dictionary).property({
      property: pattern.property,
      ...(pattern.subject && { subject: pattern.subject }),
    });
    this.changes = session.events.flatMap((event: EventLine) =>
      isPropertyStatement(event.statement) && test(event) ? [{ t: event.t, statement: event.statement }] : [],
    );
    this.lives = collectLives(session, pattern.subject ?? {}, dictionary);
    this.duration = session.duration;
  }

  /** Does a change after a spawn start from another value than the change before it ended with, as health does? */
  private get isResetBySpawns(): boolean {
    const { spawns } = this.lives;
    return (this.hasReset ??= this.changes.some(({ t, statement }, index) => {
      const before = this.changes[index - 1];
      const isSpawned = before && (spawns[countLeading(spawns.length, (i) => spawns[i]! <= before.t)] ?? t + 1) <= t;
      return isSpawned && JSON.stringify(before.statement.to) !== JSON.stringify(statement.from);
    }));
  }

  /**
   * The value at a time, by default before the changes of that moment.
   *
   * Where a change starts from another value than the one before it ended with, the value was set anew by the spawn between
   * them. Before the first change the value is the one it changes from.
   */
  valueAt(t: number, isIncluded = false): PropertyValue | undefined {
    const index =
      countLeading(this.changes.length, (i) => (isIncluded ? this.changes[i]!.t <= t : this.changes[i]!.t < t)) - 1;
    const last = this.changes[index];
    const next = this.changes[index + 1];
    if (!last) return next?.statement.from;
    const { spawns } = this.lives;
    const spawn = spawns[countLeading(spawns.length, (i) => spawns[i]! <= last.t)];
    const isRespawned = spawn !== undefined && (isIncluded ? spawn <= t : spawn < t);
    if (!isRespawned) return last.statement.to;
    return next ? next.statement.from : this.isResetBySpawns ? undefined : last.statement.to;
  }

  /** The stretches of life in which the value fits. */
  spansWith(isWanted: (value: PropertyValue) => boolean): readonly Span[] {
    const { spawns, deaths } = this.lives;
    const times = [0, ...this.changes.map(({ t }) => t), ...spawns, ...deaths].filter((t) => t < this.duration);
    const starts = [...new Set(times)].toSorted((a, b) => a - b);
    const spans: { t: number; end: number }[] = [];
    for (const [index, t] of starts.entries()) {
      const end = starts[index + 1] ?? this.duration;
      const value = this.isAlive(t) ? this.valueAt(t, true) : undefined;
      if (value === undefined || !isWanted(value)) continue;
      const last = spans.at(-1);
      if (last?.end === t) last.end = end;
      else spans.push({ t, end });
    }
    return spans;
  }

  private isAlive(t: number): boolean {
    const { spawns, deaths } = this.lives;
    if (spawns.length === 0) return true;
    const death = deaths.findLast((each) => each <= t);
    return death === undefined || spawns.some((spawn) => spawn > death && spawn <= t);
  }
}
