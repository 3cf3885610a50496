import type { Dictionary } from '../../dictionary/dictionary.ts';
import { binderOf } from './bind.ts';
import { all, any, finder, near, not, single, timed, type Compiled, type SessionEvents } from './combine.ts';
import { definitionCondition } from './composite.ts';
import { inRange, PatternCompiler } from './predicate.ts';
import type {
  ActionPattern,
  Condition,
  MentionCondition,
  NearCondition,
  PropertyPattern,
  SequenceCondition,
} from '../query.ts';
import { orCaused } from './caused.ts';
import { sequences, type BoundMatch, type Step } from './sequence.ts';

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
