import type { Mention, Slot, Statement } from '../../events/statement.ts';
import type { Dictionary } from '../dictionary.ts';
import type { EventEntry, StepEntry, WordKind } from '../format.ts';
import { slotKind } from '../frames.ts';
import { validateStatement } from '../sentences/validate.ts';
import { hintFor } from '../located.ts';
import { isRecord, type Report } from '../shape.ts';
import type { UsableFile } from './usable.ts';
import { stepSlot, stepSlots, variablesOf } from './steps.ts';

/** Composite events use known words, and their statement only what their steps have bound. */
export function checkEvents(dictionary: Dictionary, file: UsableFile, report: Report): void {
  const names = new Set<string>();
  file.events.forEach((event, index) => {
    if (!event) return;
    const path = `/events/${index}`;
    if (names.has(event.name.toLowerCase()))
      report.add('duplicate-event', `${path}/name`, `the event "${event.name}" is defined twice`);
    names.add(event.name.toLowerCase());
    event.steps.forEach((step, i) => checkStep(dictionary, step, `${path}/steps/${i}`, report));
    (event.without ?? []).forEach((step, i) => checkStep(dictionary, step, `${path}/without/${i}`, report));
    checkStatement(dictionary, event, path, report);
  });
}

function checkStep(dictionary: Dictionary, step: StepEntry, path: string, report: Report): void {
  if (step.any) {
    step.any.forEach((each, i) => checkStep(dictionary, each, `${path}/any/${i}`, report));
    if (Object.keys(step).length > 1) report.add('bad-step', path, 'alternatives stand alone in a step');
    return;
  }
  if ((step.action === undefined) === (step.property === undefined)) {
    report.add('bad-step', path, 'a step has either an action or a property');
  }
  if (step.action !== undefined) known(dictionary, step.action, 'action', `${path}/action`, report);
  if (step.property !== undefined) known(dictionary, step.property, 'property', `${path}/property`, report);
  for (const slot of stepSlots) {
    const { word } = step[slot] === undefined ? { word: undefined } : stepSlot(step[slot]);
    if (word !== undefined) known(dictionary, word, slotKind(slot), `${path}/${slot}`, report);
  }
}

function known(dictionary: Dictionary, id: string, kind: WordKind, path: string, report: Report): void {
  if (dictionary.find(id, kind)?.id === id) return;
  report.add(
    'unknown-word',
    path,
    `"${id}" is not a known ${kind}`,
    hintFor(
      id,
      dictionary.words(kind).map((word) => word.id),
    ),
  );
}

function checkStatement(dictionary: Dictionary, event: EventEntry, path: string, report: Report): void {
  const bound = new Set(event.steps.flatMap((step) => variablesOf(step)));
  const example = fill(event.statement, (variable) => {
    if (bound.has(variable)) return 'player';
    report.add(
      'unbound-variable',
      `${path}/statement`,
      `"?${variable}" stands in no step of "${event.name}"`,
      hintFor(variable, bound),
    );
    return undefined;
  });
  for (const issue of validateStatement(example, dictionary)) {
    // What a variable will stand for is not known here, so whether it suits its slot is not either.
    if (issue.code === 'slot-mismatch') continue;
    report.add(issue.code, `${path}/statement${issue.path ?? ''}`, issue.message, issue.hint);
  }
}

/** The statement of an event with its variables filled in; what a variable has nothing for is left out. */
export function fill(template: EventEntry['statement'], valueOf: (variable: string) => Slot | undefined): Statement {
  const entries = Object.entries(template).flatMap(([key, said]) => {
    const filled =
      typeof said === 'string' ? fillSlot(said, valueOf) : isRecord(said) ? fillMention(said, valueOf) : said;
    return filled === undefined ? [] : [[key, filled]];
  });
  return Object.fromEntries(entries) as unknown as Statement;
}

function fillSlot(said: string, valueOf: (variable: string) => Slot | undefined): Slot | undefined {
  const { variable } = stepSlot(said);
  return said.startsWith('?') && variable !== undefined ? valueOf(variable) : said;
}

function fillMention(
  said: Readonly<Record<string, unknown>>,
  valueOf: (variable: string) => Slot | undefined,
): Mention {
  const of = typeof said['of'] === 'string' ? fillSlot(said['of'], valueOf) : undefined;
  return { ...(said as unknown as Mention), ...(of !== undefined && { of }) };
}
