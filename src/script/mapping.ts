import { isSequenceDetail } from '../cues/sequence.ts';
import { compileCondition, type MatchedGroups } from '../cues/condition.ts';
import type { Cue } from '../cues/cue.ts';
import type { Issue } from '../errors.ts';
import type { CueValue } from '../events/log.ts';
import { parseStatement } from '../events/statement.ts';
import type { CueSequence, EventMapping } from '../profile/profile.ts';
import { toLogged, type ScriptStatement } from './script.ts';

/** What the mappings of a profile make of a cue. */
export interface MappedCue {
  readonly statements: readonly ScriptStatement[];
  readonly problems: readonly Issue[];
}

/** What the mappings of a profile make of cues, in order of time. */
export interface Mappings {
  /** Takes the next cue; returns the statements that it makes. */
  take(cue: Cue): MappedCue;
  /** Nothing was read before `t` but what was taken; returns the statements that have lasted long enough. */
  advance(t: number): MappedCue;
  /** The recording is over at `t`. */
  end(t: number): MappedCue;
  /** The earliest time of a statement that may still be made of cues that were taken; infinite for none. */
  readonly pendingSince: number;
}

/**
 * Compiles the `events` of a profile and the statements of its sequences. In a statement `$value` and `$previous` stand for the cue's
 * values (a number stays a number if it is the whole slot), `$1`… for the groups of `match`, `$change` for the difference, `$count`
 * for the length of a streak and `$(detector)` for what another detector reads; an empty slot is left out. Statements of one cue have
 * the order of the profile.
 */
export function compileMappings(
  events: readonly EventMapping[] = [],
  sequences: Readonly<Record<string, CueSequence>> = {},
): Mappings {
  const mappings = events.map((mapping, index) => compileEvent(mapping, `#/events/${index}/statement`));
  for (const [name, { statement }] of Object.entries(sequences))
    if (statement)
      mappings.push({
        detector: name,
        path: `#/sequences/${name}/statement`,
        test: (cue) => (cue.trigger === 'found' ? stepsOf(cue) : undefined),
        statement,
      });
  return new RunningMappings(mappings);
}

function compileEvent({ on, statement, lasts, once, streak, support, alone }: EventMapping, path: string): Mapping {
  return {
    detector: on.detector,
    path,
    test: compileEventCondition(on),
    statement,
    ...(lasts === undefined ? {} : { lasts: lasts === 'end' ? Number.POSITIVE_INFINITY : lasts }),
    ...(once === undefined ? {} : { once }),
    ...(streak === undefined ? {} : { streak }),
    ...(support === true ? { support } : {}),
    ...(alone === true ? { alone } : {}),
  };
}

/** Whether a cue of an event's detector makes the event. Thresholds remember on which side the number was: ask for every cue, in order. */
function compileEventCondition({ by, final, initial, crosses, ...on }: EventMapping['on']): Mapping['test'] {
  const fulfils = compileCondition(on);
  const crossed = crosses && compileThreshold(crosses);
  return (cue) => {
    const hasCrossed = crossed?.(cue) ?? true;
    const groups = fulfils(cue);
    if (!groups || !hasCrossed || (initial === false && cue.first === true)) return undefined;
    if (final && !(groups[1] !== undefined && Number(groups[1]) === Number(groups[2]))) return undefined;
    return by === undefined || isWithin(changeOf(cue), by) ? groups : undefined;
  };
}

function changeOf({ value, previous }: Cue): number | undefined {
  const change = Math.abs(Number(value ?? Number.NaN) - Number(previous ?? Number.NaN));
  // 0.3 − 0.1 is not 0.2 in binary fractions.
  return Number.isFinite(change) ? Number(change.toPrecision(12)) : undefined;
}

function isWithin(change: number | undefined, by: NonNullable<EventMapping['on']['by']>): boolean {
  if (change === undefined) return false;
  if (typeof by === 'number') return change === by;
  const { min = 0, max = Number.POSITIVE_INFINITY } = by;
  return change >= min && change <= max;
}

/** Whether a cue takes the number over a threshold. */
function compileThreshold({ below, above, until }: NonNullable<EventMapping['on']['crosses']>): (cue: Cue) => boolean {
  const sign = above === undefined ? -1 : 1;
  const threshold = sign * (above ?? below ?? Number.NaN);
  const back = until === undefined ? threshold : sign * until;
  let isOver = false;
  return ({ value }) => {
    if (typeof value !== 'number') return false;
    const before = isOver;
    if (sign * value > threshold) isOver = true;
    else if (sign * value <= back) isOver = false;
    return isOver && !before;
  };
}

/** A statement that is made if nothing else is read until `due`. */
interface HeldStatement {
  readonly detector: string;
  readonly due: number;
  readonly mapping: Mapping;
  readonly cue: Cue;
  readonly groups: MatchedGroups;
}

/** Statements whose time is remembered for `once`. */
const MAX_REMEMBERED = 1000;

class RunningMappings implements Mappings {
  readonly #byDetector: ReadonlyMap<string, readonly Mapping[]>;
  /** By detector: what it reads. */
  readonly #values = new Map<string, CueValue>();
  readonly #streaks = new Map<Mapping, { t: number; count: number }>();
  /** By statement: when it was made last. */
  readonly #made = new Map<string, number>();
  #held: HeldStatement[] = [];

  constructor(mappings: readonly Mapping[]) {
    this.#byDetector = Map.groupBy(mappings, ({ detector }) => detector);
  }

  get pendingSince(): number {
    return this.#held.reduce((earliest, { cue }) => Math.min(earliest, cue.t), Number.POSITIVE_INFINITY);
  }

  take(cue: Cue): MappedCue {
    const ripe = this.#held.filter((one) => one.due <= cue.t);
    this.#held = this.#held.filter((one) => one.due > cue.t && one.detector !== cue.detector);
    if (cue.value === undefined) this.#values.delete(cue.detector);
    else this.#values.set(cue.detector, cue.value);
    const now: HeldStatement[] = [];
    for (const mapping of this.#byDetector.get(cue.detector) ?? []) {
      const groups = mapping.test(cue);
      if (groups === undefined) continue;
      const one = { detector: cue.detector, due: cue.t + (mapping.lasts ?? 0), mapping, cue, groups };
      (mapping.lasts === undefined ? now : this.#held).push(one);
    }
    return this.#make([...ripe, ...now]);
  }

  advance(t: number): MappedCue {
    const ripe = this.#held.filter((one) => one.due <= t);
    if (ripe.length > 0) this.#held = this.#held.filter((one) => one.due > t);
    return this.#make(ripe);
  }

  end(t: number): MappedCue {
    const ripe = this.#held.filter(({ due }) => due <= t || due === Number.POSITIVE_INFINITY);
    this.#held = [];
    return this.#make(ripe);
  }

  #make(held: readonly HeldStatement[]): MappedCue {
    const statements: ScriptStatement[] = [];
    const problems: Issue[] = [];
    for (const { mapping, cue, groups } of held) {
      const count = this.#countStreak(mapping, cue.t);
      if (mapping.streak && count < mapping.streak.count) continue;
      const context = { cue, groups, count, values: this.#values };
      const shaped = parseStatement(fill(mapping.statement, context));
      if ('issues' in shaped) {
        for (const issue of shaped.issues) {
          const message = `${issue.message} (${cue.t} s, on ${cue.detector})`;
          problems.push({ code: 'mapping-statement', path: `${mapping.path}${issue.path}`, message });
        }
      } else if (!this.#isRepeated(mapping, cue.t, shaped.statement)) {
        const { confidence, t } = cue;
        statements.push({
          t,
          end: t,
          statement: shaped.statement,
          confidence,
          ...(cue.tentative ? { tentative: true } : {}),
          cues: evidenceFor(cue),
          ...(mapping.support && { support: true }),
          ...(mapping.alone && { alone: true }),
        });
      }
    }
    return { statements, problems };
  }

  /** How often in a row an event with a streak has happened; 0 for one without. */
  #countStreak(mapping: Mapping, t: number): number {
    if (!mapping.streak) return 0;
    const last = this.#streaks.get(mapping);
    const count = last && t - last.t <= mapping.streak.within ? last.count + 1 : 1;
    this.#streaks.set(mapping, { t, count });
    return count;
  }

  /** Whether a statement was made within the time of `once`. */
  #isRepeated({ once, path }: Mapping, t: number, statement: ScriptStatement['statement']): boolean {
    if (once === undefined) return false;
    const key = `${path} ${JSON.stringify(statement)}`;
    const last = this.#made.get(key);
    if (last !== undefined && t - last < once) return true;
    this.#made.delete(key);
    this.#made.set(key, t);
    if (this.#made.size > MAX_REMEMBERED) this.#made.delete(this.#made.keys().next().value!);
    return false;
  }
}

interface Mapping {
  readonly detector: string;
  readonly path: string;
  readonly test: (cue: Cue) => MatchedGroups | undefined;
  readonly statement: Readonly<Record<string, unknown>>;
  readonly lasts?: number;
  readonly once?: number;
  readonly streak?: NonNullable<EventMapping['streak']>;
  readonly support?: true;
  readonly alone?: true;
}

/** What the steps of a sequence read, counted from 1. */
function stepsOf({ detail }: Cue): MatchedGroups | undefined {
  return isSequenceDetail(detail) ? [undefined, ...detail.steps.map(({ read }) => read)] : undefined;
}

/** The evidence of a statement: the cue; for a sequence, those of its steps. */
function evidenceFor(cue: Cue): ScriptStatement['cues'] {
  return isSequenceDetail(cue.detail) ? cue.detail.steps.flatMap((step) => evidenceFor(step.cue)) : [toLogged(cue)];
}

/** What placeholders stand for. */
interface FillContext {
  readonly cue: Cue;
  readonly groups: MatchedGroups;
  readonly count: number;
  /** By detector: what it reads. */
  readonly values: ReadonlyMap<string, CueValue>;
}

/** Fills `$value` and `$previous` of a cue into the template of a statement. */
export function fillStatement(template: unknown, cue: Cue): unknown {
  return fill(template, { cue, groups: [], count: 0, values: new Map() });
}

function fill(template: unknown, context: FillContext): unknown {
  if (typeof template === 'string') return fillText(template, context);
  if (Array.isArray(template)) return template.map((part) => fill(part, context));
  if (typeof template !== 'object' || template === null) return template;
  const entries = Object.entries(template).map(([key, part]) => [key, fill(part, context)] as const);
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined && part !== ''));
}

/** A placeholder: the names of what was read, a group, or a detector in parentheses. */
const PLACEHOLDER = String.raw`\$(?:(value|previous|change|count|\d)|\(([^()]+)\))`;

function fillText(template: string, { cue, groups, count, values }: FillContext): CueValue | undefined {
  const valueOf = (name: string | undefined, detector: string | undefined): CueValue | undefined => {
    if (detector !== undefined) return values.get(detector);
    if (name === 'value') return cue.value;
    if (name === 'previous') return cue.previous;
    if (name === 'change') return changeOf(cue);
    return name === 'count' ? count : groups[Number(name)];
  };
  const whole = new RegExp(`^${PLACEHOLDER}$`).exec(template);
  if (whole) return valueOf(whole[1], whole[2]);
  return template.replaceAll(new RegExp(PLACEHOLDER, 'g'), (_, name?: string, detector?: string) =>
    String(valueOf(name, detector) ?? ''),
  );
}
