import type { CueValue } from '../events/log.ts';
import { Pattern } from '../pattern.ts';
import type { CueCondition, SingleValueCondition, ValueCondition } from '../profile/profile.ts';
import type { Cue } from './cue.ts';

/** Characters of a value that an expression is matched against. */
const MAX_MATCHED_LENGTH = 500;

/** What a cue read that fulfils a condition: the groups of its `match`, the whole match first; no groups without one. */
export type MatchedGroups = readonly (string | undefined)[];

/** Decides whether a cue is one of those meant; undefined: it is not. */
export function compileCondition(condition: CueCondition): (cue: Cue) => MatchedGroups | undefined {
  const { detector, trigger, change } = condition;
  const match = condition.match === undefined ? undefined : new Pattern(condition.match);
  return (cue) => {
    if (cue.detector !== detector) return undefined;
    if (trigger === undefined ? cue.trigger === 'lost' : cue.trigger !== trigger) return undefined;
    if (!changesAs(cue, change)) return undefined;
    return match === undefined ? [] : match.exec(String(contentOf(cue) ?? '').slice(0, MAX_MATCHED_LENGTH));
  };
}

/** What a cue is about: the value, or what was lost. */
export function contentOf(cue: Cue): CueValue | undefined {
  return cue.trigger === 'lost' ? cue.previous : cue.value;
}

function changesAs({ value, previous }: Cue, change: 'rise' | 'fall' | undefined): boolean {
  if (change === undefined) return true;
  const [now, before] = [Number(value ?? Number.NaN), Number(previous ?? Number.NaN)];
  return change === 'rise' ? now > before : now < before;
}

/** Whether a value is one of those wanted: any if undefined. */
export function compileValue(wanted: ValueCondition | undefined): (value: CueValue) => boolean {
  if (wanted === undefined) return () => true;
  if (!Array.isArray(wanted)) return compileOne(wanted as SingleValueCondition);
  const tests = (wanted as readonly SingleValueCondition[]).map(compileOne);
  return (value) => tests.some((test) => test(value));
}

function compileOne(wanted: SingleValueCondition): (value: CueValue) => boolean {
  if (typeof wanted === 'object') {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = wanted;
    return (value) => typeof value === 'number' && value >= min && value <= max;
  }
  const source = typeof wanted === 'string' ? /^\/(.+)\/$/su.exec(wanted)?.[1] : undefined;
  if (source === undefined) return (value) => value === wanted;
  const pattern = new Pattern(source);
  return (value) => pattern.test(String(value).slice(0, MAX_MATCHED_LENGTH));
}
