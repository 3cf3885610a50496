import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement, type Slot } from '../../events/statement.ts';
import type { Compiled, SessionEvents } from './combine.ts';
import { patternSlots } from './predicate.ts';
import type { ActionPattern, Condition, SlotPattern } from '../query.ts';

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
