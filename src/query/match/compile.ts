import { fillStatement, parseStepSlot } from '../../dictionary/composite-events.ts';
import type { Dictionary, EventDefinition } from '../../dictionary/dictionary.ts';
import { wordSlots, type StepEntry } from '../../dictionary/format.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Statement } from '../../events/statement.ts';
import {
  alternativesOf,
  type ActionPattern,
  type Condition,
  type MentionCondition,
  type PeriodCondition,
  type PropertyPattern,
  type ScopeCondition,
  type SequenceCondition,
  type SlotPattern,
  type WhileCondition,
} from '../query.ts';
import {
  allOf,
  anyOf,
  eventCondition,
  filterNear,
  finderCondition,
  inTime,
  not,
  simpleCondition,
  type CompiledCondition,
} from './combinators.ts';
import type { SessionEvents } from './event-index.ts';
import { findPeriods, isWithin, numberedPeriods, type Period } from './periods.ts';
import { isInRange, PatternCompiler } from './patterns.ts';
import {
  findSequences,
  identityOf,
  mergeBindings,
  type Binder,
  type BoundMatch,
  type BoundValue,
  type Step,
} from './sequences.ts';
import { PropertyTimeline } from './states.ts';

/** Compiles conditions for a dictionary. */
export class ConditionCompiler {
  private readonly dictionary: Dictionary;
  private readonly patterns: PatternCompiler;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
    this.patterns = new PatternCompiler(dictionary);
  }

  compile(condition: Condition): CompiledCondition {
    if ('all' in condition) return allOf(condition.all.map((each) => this.compile(each)));
    if ('not' in condition) return not(this.compile(condition.not));
    if ('sequence' in condition) return finderCondition(this.compileSequence(condition));
    if ('near' in condition) {
      const find = this.compile(condition.find);
      const other = this.compile(condition.near);
      const [bindFind, bindOther] = [this.binder(condition.find), this.binder(condition.near)];
      return finderCondition((session) => {
        const [ofFind, ofOther] = [bindFind(session), bindOther(session)];
        return filterNear(find.find(session), other.find(session), condition, (match, near) => {
          const bindings = mergeBindings(new Map(), ofFind(match.events[0]!));
          return bindings !== undefined && mergeBindings(bindings, ofOther(near.events[0]!)) !== undefined;
        });
      });
    }
    if ('action' in condition) return this.compileAction(condition as ActionPattern);
    if ('property' in condition) {
      const pattern = condition as PropertyPattern;
      return simpleCondition(this.patterns.property(pattern), this.patterns.propertyPrefilter(pattern));
    }
    if ('event' in condition) return anyOf(condition.event.map((id) => this.compileEvent(id, condition.subject)));
    if ('while' in condition) return this.compileWhile(condition);
    if ('period' in condition) return this.compilePeriod(condition);
    if ('nth' in condition) {
      const { find } = this.compile(condition.of);
      const index = condition.nth > 0 ? condition.nth - 1 : condition.nth;
      return finderCondition((session) => find(session).slice(index, index === -1 ? undefined : index + 1));
    }
    const alternatives = alternativesOf(condition);
    if (alternatives) return anyOf(alternatives.map((each) => this.compile(each)));
    if ('time' in condition) return inTime(condition.time);
    if ('mentions' in condition)
      return simpleCondition(this.patterns.mentions((condition as MentionCondition).mentions));
    if ('confidence' in condition)
      return simpleCondition(({ confidence }) => isInRange(confidence, condition.confidence));
    const { game, session } = condition as ScopeCondition;
    return simpleCondition(
      (event) => (!game || game.includes(event.game)) && (!session || session.includes(event.session)),
    );
  }

  /** Compiles a sequence to a finder that also yields the values of its variables. */
  compileSequence(condition: SequenceCondition): (session: SessionEvents) => BoundMatch[] {
    const toStep = (step: Condition): Step => ({ compiled: this.compile(step), bind: this.binder(step) });
    const steps = condition.sequence.map(toStep);
    const without = (condition.without ?? []).map(toStep);
    return (session) => findSequences(session, steps, without, condition);
  }

  private compileAction(pattern: ActionPattern): CompiledCondition {
    const direct = this.compileActionPattern(pattern);
    const causing = this.patterns.causing(pattern);
    return causing ? directOrCaused(direct, this.compileActionPattern(causing)) : direct;
  }

  private compileActionPattern(pattern: ActionPattern): CompiledCondition {
    return simpleCondition(this.patterns.action(pattern), this.patterns.actionPrefilter(pattern));
  }

  private compileWhile({ while: pattern }: WhileCondition): CompiledCondition {
    const isWanted = this.patterns.value(pattern.to);
    return eventCondition((session) => {
      const timeline = new PropertyTimeline(session, pattern, this.dictionary);
      return ({ t }) => {
        const value = timeline.valueAt(t);
        return value !== undefined && isWanted(value);
      };
    });
  }

  /** Compiles a period to what finds its spans in a session. */
  compilePeriods({
    word,
    nth,
    having,
    without,
  }: PeriodCondition['period']): (session: SessionEvents) => readonly Period[] {
    const [wanted, unwanted] = [having, without].map((each) => each && this.compile(each));
    return (session) => {
      const numbered = numberedPeriods(findPeriods(session, word, this.dictionary), nth);
      const happens = ({ find }: CompiledCondition): ((span: Period) => boolean) => {
        const matches = find(session);
        return (span) => matches.some(({ events }) => events.every(({ t }) => isWithin(t, span)));
      };
      const [isWanted, isUnwanted] = [wanted && happens(wanted), unwanted && happens(unwanted)];
      return numbered.filter((span) => isWanted?.(span) !== false && isUnwanted?.(span) !== true);
    };
  }

  private compilePeriod({ period }: PeriodCondition): CompiledCondition {
    const find = this.compilePeriods(period);
    return eventCondition((session) => {
      const spans = find(session);
      return ({ t }) => spans.some((span) => isWithin(t, span));
    });
  }

  /** A composite event: as the log states it, and derived for those of whom it states none. */
  private compileEvent(id: string, subject: SlotPattern | undefined): CompiledCondition {
    const definition = this.dictionary.events.find((event) => event.id === id);
    if (!definition) return simpleCondition(() => false);
    const sequence = this.compileSequence(toSequence(definition));
    const isSubject = this.patterns.slotTest(subject ?? {}, 'object');
    const stated = this.compile({ mentions: { any: [{ words: [id] }] } });
    return finderCondition((session) => {
      const matches = this.dictionary.find(id, 'object') ? stated.find(session) : [];
      const owners = new Set(matches.map(({ events }) => subjectIdentity(events[0]!.statement)));
      const derived = sequence(session).flatMap((match) => {
        const statement = fillStatement(definition.statement, (variable) => match.bindings.get(variable)?.slot);
        const isWanted =
          (subject === undefined || isSubject(statement.subject)) && !owners.has(subjectIdentity(statement));
        return isWanted ? [match] : [];
      });
      const kept = matches.filter(({ events }) => subject === undefined || isSubject(events[0]!.statement.subject));
      return [...kept, ...derived].toSorted((a, b) => a.t - b.t);
    });
  }

  /** Compiles the variables of a step. */
  private binder(condition: Condition): Binder {
    if ('all' in condition) {
      const parts = condition.all.map((each) => this.binder(each)).filter((each) => each !== bindNothing);
      if (parts.length === 0) return bindNothing;
      return (session) => {
        const binders = parts.map((part) => part(session));
        return (event) => {
          const bound = binders.map((bind) => bind(event));
          return bound.every((each) => each !== undefined) ? bound.flat() : undefined;
        };
      };
    }
    if ('action' in condition || 'property' in condition) return this.patternBinder(condition as ActionPattern);
    if ('nth' in condition) return this.binder(condition.of);
    return this.alternativeBinder(alternativesOf(condition) ?? []);
  }

  private patternBinder(pattern: ActionPattern): Binder {
    const direct = slotBinder(pattern);
    const causing = direct !== bindNothing && 'action' in pattern ? this.patterns.causing(pattern) : undefined;
    if (!causing) return direct;
    // "kills ?who" causes that "?who dies".
    const caused = slotBinder(causing);
    const { test } = this.compile(causing);
    return (session) => {
      const [bindDirect, bindCaused, isCaused] = [direct(session), caused(session), test?.(session)];
      return (event) => (isCaused?.(event) ? bindCaused(event) : bindDirect(event));
    };
  }

  private alternativeBinder(conditions: readonly Condition[]): Binder {
    const alternatives = conditions.map((each) => ({ binder: this.binder(each), test: this.compile(each).test }));
    if (alternatives.every(({ binder }) => binder === bindNothing)) return bindNothing;
    return (session) => {
      const ready = alternatives.map(({ binder, test }) => ({ bind: binder(session), test: test?.(session) }));
      return (event) => ready.find(({ test }) => test?.(event))?.bind(event);
    };
  }
}

function subjectIdentity({ subject }: Statement): string {
  return subject === undefined ? '' : identityOf(subject);
}

const bindNothing: Binder = () => () => [];

function slotBinder(pattern: ActionPattern): Binder {
  const variables = wordSlots.flatMap((slot) => {
    const variable = pattern[slot]?.same;
    return variable === undefined ? [] : [{ variable, slot }];
  });
  if (variables.length === 0) return bindNothing;
  return () =>
    ({ statement }) => {
      const bound: (readonly [string, BoundValue])[] = [];
      for (const { variable, slot } of variables) {
        const filler = !isPropertyStatement(statement)
          ? statement[slot]
          : slot === 'subject'
            ? statement.subject
            : undefined;
        if (filler === undefined) return undefined;
        bound.push([variable, { slot: filler, identity: identityOf(filler) }]);
      }
      return bound;
    };
}

/** Maximum seconds between an action and a report of its effect that are the same event. */
const sameEventSeconds = 1;

/**
 * Matches an effect stated directly ("player dies") or by its cause ("opponent kills player"). Where a log states both, only
 * the direct statement matches.
 */
function directOrCaused(direct: CompiledCondition, causing: CompiledCondition): CompiledCondition {
  const [directHead, causingHead] = [direct, causing].map(({ prefilter }) =>
    prefilter?.tests.find(({ column }) => column === 'head'),
  );
  const tests =
    directHead && causingHead
      ? [{ column: 'head' as const, intervals: [...directHead.intervals, ...causingHead.intervals] }]
      : [];
  return eventCondition(
    (session) => {
      const isDirect = direct.test!(session);
      const isCausing = causing.test!(session);
      let directTimes: ReadonlyMap<string, readonly number[]> | undefined;
      return (event) => {
        if (isDirect(event)) return true;
        if (!isCausing(event)) return false;
        directTimes ??= timesBySubject(direct, session);
        const times = directTimes.get(objectIdentity(event)) ?? [];
        return !times.some((t) => Math.abs(t - event.t) <= sameEventSeconds);
      };
    },
    { tests, isExact: false },
  );
}

function timesBySubject(direct: CompiledCondition, session: SessionEvents): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { t, events } of direct.find(session)) {
    const { subject } = events[0]!.statement;
    if (subject === undefined) continue;
    const identity = identityOf(subject);
    const list = times.get(identity);
    if (list) list.push(t);
    else times.set(identity, [t]);
  }
  return times;
}

function objectIdentity({ statement }: EventLine): string {
  return isPropertyStatement(statement) || statement.object === undefined ? '' : identityOf(statement.object);
}

/** The sequence that finds a composite event of the dictionary. */
export function toSequence(definition: EventDefinition): SequenceCondition {
  const { steps, within, span, without, first } = definition;
  return {
    sequence: steps.flatMap((step) => Array.from({ length: step.times ?? 1 }, () => stepToCondition(step))),
    ...(within !== undefined && { within }),
    ...(span !== undefined && { span }),
    ...(without && { without: without.map((step) => stepToCondition(step)) }),
    apart: true,
    ...(first && { first }),
  };
}

function stepToCondition(step: StepEntry): Condition {
  if (step.any) return { any: step.any.map((each) => stepToCondition(each)) };
  const slots = Object.fromEntries(
    wordSlots.flatMap((slot) => (step[slot] === undefined ? [] : [[slot, toSlotPattern(step[slot])]])),
  ) as Pick<ActionPattern, (typeof wordSlots)[number]>;
  if (step.property === undefined) return { action: step.action === undefined ? [] : [step.action], ...slots };
  const { property, change, below, above } = step;
  const to = { ...(below !== undefined && { below }), ...(above !== undefined && { above }) };
  return {
    property: [property],
    ...(slots.subject && { subject: slots.subject }),
    ...(change && { change }),
    ...(Object.keys(to).length > 0 && { to }),
  };
}

function toSlotPattern(text: string): SlotPattern {
  const { word, variable } = parseStepSlot(text);
  return { ...(word !== undefined && { any: [{ words: [word] }] }), ...(variable !== undefined && { same: variable }) };
}
