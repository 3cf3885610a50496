import { parseStepSlot } from '../../dictionary/composite-events.ts';
import type { Dictionary, EventDefinition } from '../../dictionary/dictionary.ts';
import type { StepEntry } from '../../dictionary/format.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement } from '../../events/statement.ts';
import type {
  ActionPattern,
  Condition,
  MentionCondition,
  NearCondition,
  PropertyPattern,
  SequenceCondition,
  SlotPattern,
} from '../query.ts';
import { all, any, type Compiled, finder, near, not, single, tested, timed } from './combinators.ts';
import type { SessionEvents } from './event-index.ts';
import { inRange, PatternCompiler, patternSlots } from './patterns.ts';
import { binderOf, type BoundMatch, identityOf, sequences, type Step } from './sequences.ts';

export function compileCondition(condition: Condition, dictionary: Dictionary): Compiled {
  return new ConditionCompiler(dictionary).compile(condition);
}

export class ConditionCompiler {
  private readonly patterns: PatternCompiler;
  private readonly dictionary: Dictionary;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
    this.patterns = new PatternCompiler(dictionary);
  }

  compile(condition: Condition): Compiled {
    if ('all' in condition) return all(condition.all.map((each) => this.compile(each)));
    if ('not' in condition) return not(this.compile(condition.not));
    if ('sequence' in condition) return finder(this.sequence(condition));
    if ('near' in condition) return this.near(condition);
    if ('action' in condition) return this.action(condition as ActionPattern);
    if ('property' in condition)
      return single(
        this.patterns.property(condition as PropertyPattern),
        this.patterns.propertyScreen(condition as PropertyPattern),
      );
    if ('mentions' in condition) return single(this.patterns.mentions((condition as MentionCondition).mentions));
    if ('event' in condition) return any(condition.event.map((id) => this.event(id)));
    if ('any' in condition) return any((condition.any as readonly Condition[]).map((each) => this.compile(each)));
    if ('time' in condition) return timed(condition.time);
    if ('confidence' in condition) return single(({ confidence }) => inRange(confidence, condition.confidence));
    const { game, session } = condition;
    return single((event) => (!game || game.includes(event.game)) && (!session || session.includes(event.session)));
  }

  sequence(condition: SequenceCondition): (session: SessionEvents) => BoundMatch[] {
    const ready = (step: Condition): Step => ({
      compiled: this.compile(step),
      bind: binderOf(
        step,
        (each) => this.compile(each),
        (pattern) => this.patterns.caused(pattern),
      ),
    });
    return sequences(condition.sequence.map(ready), (condition.without ?? []).map(ready), condition);
  }

  private action(pattern: ActionPattern): Compiled {
    const direct = single(this.patterns.action(pattern), this.patterns.actionScreen(pattern));
    const caused = this.patterns.caused(pattern);
    if (!caused) return direct;
    return orCaused(direct, single(this.patterns.action(caused), this.patterns.actionScreen(caused)));
  }

  private near(condition: NearCondition): Compiled {
    const find = this.compile(condition.find);
    const other = this.compile(condition.near);
    return finder((session) => near(find.find(session), other.find(session), condition));
  }

  private event(id: string): Compiled {
    const definition = this.dictionary.events.find((event) => event.id === id);
    if (!definition) return single(() => false);
    return this.compile(definitionCondition(definition));
  }
}

/** The condition that finds a composite event of the dictionary; each event takes part in one of them. */
export function definitionCondition(definition: EventDefinition): SequenceCondition {
  const steps = definition.steps.flatMap((step) => Array.from({ length: step.times ?? 1 }, () => stepCondition(step)));
  return {
    sequence: steps,
    ...(definition.within !== undefined && { within: definition.within }),
    ...(definition.span !== undefined && { span: definition.span }),
    ...(definition.without && { without: definition.without.map((step) => stepCondition(step)) }),
    apart: true,
    ...(definition.first && { first: true as const }),
  };
}

function stepCondition(step: StepEntry): Condition {
  if (step.any) return { any: step.any.map((each) => stepCondition(each)) };
  const subject = step.subject === undefined ? {} : { subject: slotOf(step.subject) };
  if (step.property !== undefined) {
    const to = {
      ...(step.below !== undefined && { below: step.below }),
      ...(step.above !== undefined && { above: step.above }),
    };
    return {
      property: [step.property],
      ...subject,
      ...(step.change && { change: step.change }),
      ...(Object.keys(to).length > 0 && { to }),
    };
  }
  const slots = patternSlots.flatMap((slot) => (step[slot] === undefined ? [] : [[slot, slotOf(step[slot])] as const]));
  return { action: step.action === undefined ? [] : [step.action], ...Object.fromEntries(slots) };
}

function slotOf(text: string): SlotPattern {
  const { word, variable } = parseStepSlot(text);
  return { ...(word !== undefined && { any: [{ words: [word] }] }), ...(variable !== undefined && { same: variable }) };
}

/** Seconds within which "opponent kills player" and "player dies" are one happening. */
const sameMoment = 1;

/**
 * What a pattern asks for, said directly ("player dies") or by what caused it ("opponent kills player"). Where a log has
 * both, only the direct one counts.
 */
export function orCaused(direct: Compiled, caused: Compiled): Compiled {
  const screens = [direct.screen, caused.screen].map((screen) => screen?.tests.find(({ column }) => column === 'head'));
  const [said, causing] = screens;
  const tests =
    said && causing ? [{ column: 'head' as const, intervals: [...said.intervals, ...causing.intervals] }] : [];
  return tested(
    (session) => {
      const isDirect = direct.test!(session);
      const isCaused = caused.test!(session);
      let told: ReadonlyMap<string, readonly number[]> | undefined;
      return (event) => {
        if (isDirect(event)) return true;
        if (!isCaused(event)) return false;
        told ??= timesOf(direct, session);
        const times = told.get(victimOf(event)) ?? [];
        return !times.some((t) => Math.abs(t - event.t) <= sameMoment);
      };
    },
    { tests, exact: false },
  );
}

/** When each one did it, as said directly. */
function timesOf(direct: Compiled, session: SessionEvents): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { t, events } of direct.find(session)) {
    const { subject } = events[0]!.statement;
    if (subject === undefined) continue;
    const key = identityOf(subject);
    times.set(key, [...(times.get(key) ?? []), t]);
  }
  return times;
}

function victimOf({ statement }: EventLine): string {
  return isPropertyStatement(statement) || statement.object === undefined ? '' : identityOf(statement.object);
}
