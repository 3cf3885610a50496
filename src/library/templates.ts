import type { PropertyValue, Slot, Statement } from '../events/statement.ts';
import { wordSlots } from '../dictionary/format.ts';
import { isPropertyStatement } from '../events/statement.ts';

/** What varies between events of one template: a proper name or a text, or a number. */
export type TemplateValue = string | number;

/**
 * Where a value of a template stands: a proper name, a text (the value of a property, or a whole sentence), or a number.
 */
export type ValueKind = 'name' | 'text' | 'number';

/** A statement and its sentence, with placeholders for names, texts and numbers. */
export interface Template {
  /** The statement with the placeholder {@link NAME_PLACEHOLDER} for names and texts, and 0 for numbers. */
  readonly statement: Statement;
  /** The sentence; `\uE000`, the index of a value and `\uE001` stand for that value. */
  readonly text: string;
}

/** Stands for every name and text in the statement of a template. */
export const NAME_PLACEHOLDER = '*';
/** The sentence of a template whose sentences do not follow from their values: the last value is the sentence. */
const ANY_SENTENCE = '\uE000*\uE001';
/** What marks values in sentences. A sentence that contains them itself is stored whole. */
const MARKS = /[\uE000\uE001]/;

type Visit = (value: TemplateValue, kind: ValueKind) => TemplateValue;

function mapSlot(slot: Slot, visit: Visit): Slot {
  if (typeof slot === 'string') return slot;
  const { word, name, count, of } = slot;
  return {
    word,
    ...(name !== undefined && { name: visit(name, 'name') as string }),
    ...(count !== undefined && { count: visit(count, 'number') as number }),
    ...(of !== undefined && { of: mapSlot(of, visit) }),
  };
}

function mapValue(value: PropertyValue, visit: Visit): PropertyValue {
  if (typeof value === 'number') return visit(value, 'number');
  return typeof value === 'string' ? visit(value, 'text') : (mapSlot(value, visit) as PropertyValue);
}

/** Rebuilds a statement with other values; the values are visited in a fixed order. */
function mapValues(statement: Statement, visit: Visit): Statement {
  if (isPropertyStatement(statement)) {
    const { subject, property, from, to } = statement;
    return {
      subject: mapSlot(subject, visit),
      property,
      ...(from !== undefined && { from: mapValue(from, visit) }),
      to: mapValue(to, visit),
    };
  }
  const mapped: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(statement)) {
    if (key === 'amount') mapped[key] = visit(value as number, 'number');
    else mapped[key] = (wordSlots as readonly string[]).includes(key) ? mapSlot(value as Slot, visit) : value;
  }
  return mapped as unknown as Statement;
}

/** The kinds of the values of a template, in order. */
export function kindsOf({ statement, text }: Template): readonly ValueKind[] {
  const kinds: ValueKind[] = [];
  mapValues(statement, (value, kind) => {
    kinds.push(kind);
    return value;
  });
  if (text === ANY_SENTENCE) kinds.push('text');
  return kinds;
}

/** How many of the values of a template its statement has: all but a sentence that does not follow from them. */
export function countStatementValues({ text }: Template, kinds: readonly ValueKind[]): number {
  return text === ANY_SENTENCE ? kinds.length - 1 : kinds.length;
}

/**
 * Splits an event into what many events share and what is its own. Statements with the same words have the same template,
 * unless their sentences differ in more than their values.
 *
 * @returns The template and the values, in the order of {@link kindsOf}.
 */
export function toTemplate(
  statement: Statement,
  text: string,
): { readonly template: Template; readonly values: readonly TemplateValue[] } {
  const values: TemplateValue[] = [];
  const abstract = mapValues(statement, (value, kind) => {
    values.push(value);
    return kind === 'number' ? 0 : NAME_PLACEHOLDER;
  });
  const marked = markValues(text, values);
  if (marked !== undefined) return { template: { statement: abstract, text: marked }, values };
  return { template: { statement: abstract, text: ANY_SENTENCE }, values: [...values, text] };
}

/** The sentence of a template with its values. */
export function sentenceOf({ text }: Template, values: readonly TemplateValue[]): string {
  return text === ANY_SENTENCE ? String(values.at(-1)) : fillText(text, values);
}

/** Returns a function that builds statements of a template from values. */
export function compileTemplate({ statement }: Template): (values: readonly TemplateValue[]) => Statement {
  const places: object[] = [];
  const marked = mapValues(statement, () => {
    places.push({});
    return places.at(-1) as never;
  });
  const compile = (part: object): ((values: readonly TemplateValue[]) => unknown) | undefined => {
    const index = places.indexOf(part);
    if (index >= 0) return (values) => values[index];
    const varying = Object.entries(part).flatMap(([key, value]) => {
      const build = typeof value === 'object' ? compile(value as object) : undefined;
      return build ? [{ key, build }] : [];
    });
    if (varying.length === 0) return undefined;
    return (values) => {
      const filled: Record<string, unknown> = { ...part };
      for (const { key, build } of varying) filled[key] = build(values);
      return filled;
    };
  };
  const build = compile(marked);
  return build ? (values) => build(values) as Statement : () => statement;
}

/** Puts values in the place of their marks in a text. */
export function fillText(text: string, values: readonly TemplateValue[]): string {
  let filled = '';
  let at = 0;
  for (let mark = text.indexOf('\uE000'); mark >= 0; mark = text.indexOf('\uE000', at)) {
    const end = text.indexOf('\uE001', mark);
    filled += text.slice(at, mark) + String(values[Number(text.slice(mark + 1, end))]);
    at = end + 1;
  }
  return filled + text.slice(at);
}

/** The mark of a value in a text, see {@link fillText}. */
export function markOf(index: number): string {
  return `\uE000${index}\uE001`;
}

/** The text with marks for the values; `undefined` if it says something that follows from none of them. */
function markValues(text: string, values: readonly TemplateValue[]): string | undefined {
  if (MARKS.test(text)) return undefined;
  const parts: (string | number)[] = [text];
  // Long ones first: a name may be part of another.
  const order = values.map((value, index) => ({ value, index, shown: String(value) }));
  order.sort((a, b) => b.shown.length - a.shown.length || a.index - b.index);
  let isAnyNumberMissing = false;
  for (const { value, index, shown } of order) {
    const find = (part: string | number): number => {
      if (typeof part === 'number') return -1;
      const whole = findWhole(part, shown);
      // Words are inflected, and some languages write no spaces.
      return whole < 0 && typeof value === 'string' ? part.indexOf(shown) : whole;
    };
    const at = parts.findIndex((part) => find(part) >= 0);
    if (at < 0) {
      if (typeof value === 'string') return undefined;
      isAnyNumberMissing = true;
      continue;
    }
    const part = parts[at] as string;
    const start = find(part);
    parts.splice(at, 1, part.slice(0, start), index, part.slice(start + shown.length));
  }
  // A number may be written in another way, such as 1,234 or 0:45.
  if (isAnyNumberMissing && parts.some((part) => typeof part === 'string' && /\p{N}/u.test(part))) return undefined;
  return parts.map((part) => (typeof part === 'number' ? markOf(part) : part)).join('');
}

/** Where a text stands that is not part of a longer word or number; -1 if nowhere. */
function findWhole(text: string, shown: string): number {
  const part = /^[\d-]/.test(shown) ? /[\p{N}.,:-]/u : /[\p{L}\p{N}]/u;
  for (let from = 0; ; ) {
    const start = text.indexOf(shown, from);
    if (start < 0) return -1;
    const [before, behind] = [text[start - 1] ?? ' ', text.slice(start + shown.length)];
    // A full stop or comma ends a number, unless digits follow.
    const isOpenBehind = !part.test(behind[0] ?? ' ') || (/^[.,:-]/.test(behind) && !/^.\p{N}/u.test(behind));
    if (!part.test(before) && isOpenBehind) return start;
    from = start + 1;
  }
}
