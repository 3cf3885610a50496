import {
  type ActionStatement,
  isPropertyStatement,
  type Mention,
  type PropertyStatement,
  type PropertyValue,
  type Slot,
  type Statement,
} from '../events/statement.ts';
import { slotKind } from './format.ts';
import { type Dictionary, isOpen } from './dictionary.ts';
import type { SlotName, WordKind } from './format.ts';
import type { WordIssue } from './issues.ts';
import { hintFor } from './search.ts';
import { isRecord } from './shape.ts';

const actionKeys = ['subject', 'action', 'object', 'with', 'to', 'from', 'at', 'manner', 'amount', 'unit'];
const propertyKeys = ['subject', 'property', 'from', 'to'];
const wordSlots = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'] as const;
const maxOwners = 3;

/** Everything that keeps `statement` from being a statement of this dictionary; paths are JSON pointers into it. */
export function validateStatement(statement: unknown, dictionary: Dictionary): WordIssue[] {
  const issues: WordIssue[] = [];
  if (!isRecord(statement)) {
    issues.push({ code: 'not-a-statement', message: 'a statement is an object with an action or a property' });
    return issues;
  }
  if ('property' in statement) propertyIssues(statement as unknown as PropertyStatement, dictionary, issues);
  else actionIssues(statement as unknown as ActionStatement, dictionary, issues);
  return issues;
}

/** Is it a statement of this dictionary? */
export function isStatement(value: unknown, dictionary: Dictionary): value is Statement {
  return validateStatement(value, dictionary).length === 0;
}

function actionIssues(statement: ActionStatement, dictionary: Dictionary, issues: WordIssue[]): void {
  unknownKeys(statement, actionKeys, issues);
  for (const slot of wordSlots) slotIssues(statement[slot], `/${slot}`, slotKind(slot), dictionary, issues);
  const word = wordIssues(statement.action, '/action', 'action', dictionary, issues);
  const { amount, unit } = statement;
  if (amount !== undefined && (typeof amount !== 'number' || !Number.isFinite(amount))) {
    issues.push({ code: 'bad-number', path: '/amount', message: 'amount is a finite number' });
  }
  if (unit !== undefined) {
    wordIssues(unit, '/unit', 'object', dictionary, issues);
    if (amount === undefined)
      issues.push({ code: 'unit-without-amount', path: '/unit', message: 'a unit needs an amount' });
  }
  if (!word) return;
  for (const [slot, rule] of Object.entries(dictionary.find(statement.action, 'action')!.frame)) {
    const said = statement[slot as SlotName];
    if (rule.use === 'required' && said === undefined) {
      issues.push({
        code: 'slot-missing',
        path: `/${slot}`,
        message: `"${statement.action}" needs ${article(slot)}${inherited(rule.source, statement.action)}`,
        hint: rule.accepts.length > 0 ? `say ${rule.accepts.join(' or ')}, or something under it` : `say the ${slot}`,
      });
    } else if (!isOpen(rule) && said !== undefined) {
      issues.push({
        code: 'slot-excluded',
        path: `/${slot}`,
        message: `"${statement.action}" ${rule.use === 'within' ? `says its ${slot} itself` : `takes no ${slot}`}${inherited(rule.source, statement.action)}`,
      });
    } else if (said !== undefined && slot !== 'amount' && rule.accepts.length > 0) {
      const filler = wordOf(said as Slot);
      const kind = slotKind(slot as SlotName);
      if (dictionary.find(filler, kind) && !rule.accepts.some((id) => dictionary.isA(filler, id, kind))) {
        issues.push({
          code: 'slot-mismatch',
          path: `/${slot}`,
          message: `the ${slot} of "${statement.action}" is ${rule.accepts.join(' or ')}, and "${filler}" is none`,
        });
      }
    }
  }
}

function propertyIssues(statement: PropertyStatement, dictionary: Dictionary, issues: WordIssue[]): void {
  unknownKeys(statement, propertyKeys, issues);
  if (statement.subject === undefined) {
    issues.push({
      code: 'slot-missing',
      path: '/subject',
      message: 'a property statement says whose property it is',
      hint: 'say the subject',
    });
  } else slotIssues(statement.subject, '/subject', 'object', dictionary, issues);
  wordIssues(statement.property, '/property', 'property', dictionary, issues);
  if (statement.to === undefined) {
    issues.push({
      code: 'slot-missing',
      path: '/to',
      message: 'a property statement says the new value',
      hint: 'say what it changes to',
    });
  } else valueIssues(statement.to, '/to', dictionary, issues);
  if (statement.from !== undefined) valueIssues(statement.from, '/from', dictionary, issues);
}

function valueIssues(value: PropertyValue, path: string, dictionary: Dictionary, issues: WordIssue[]): void {
  if (typeof value === 'string') return;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) issues.push({ code: 'bad-number', path, message: 'a value is a finite number' });
  } else slotIssues(value, path, undefined, dictionary, issues);
}

function slotIssues(
  slot: Slot | undefined,
  path: string,
  kind: WordKind | undefined,
  dictionary: Dictionary,
  issues: WordIssue[],
  owners = 0,
): void {
  if (slot === undefined) return;
  if (typeof slot === 'string') {
    wordIssues(slot, path, kind, dictionary, issues);
    return;
  }
  if (!isRecord(slot)) {
    issues.push({ code: 'wrong-type', path, message: 'a slot holds a word, or an object with a word' });
    return;
  }
  const mention = slot as unknown as Mention;
  unknownKeys(mention, ['word', 'name', 'count', 'of'], issues, path);
  wordIssues(mention.word, `${path}/word`, kind, dictionary, issues);
  if (mention.name !== undefined && (typeof mention.name !== 'string' || mention.name === '')) {
    issues.push({ code: 'bad-name', path: `${path}/name`, message: 'a proper name is a text that is not empty' });
  }
  const { count } = mention;
  if (count !== undefined && !(typeof count === 'number' && Number.isFinite(count) && count >= 0)) {
    issues.push({ code: 'bad-number', path: `${path}/count`, message: 'count is a number of at least 0' });
  }
  if (mention.of === undefined) return;
  if (owners >= maxOwners)
    issues.push({ code: 'too-deep', path: `${path}/of`, message: `at most ${maxOwners} owners stand in a row` });
  else slotIssues(mention.of, `${path}/of`, 'object', dictionary, issues, owners + 1);
}

function wordIssues(
  id: unknown,
  path: string,
  kind: WordKind | undefined,
  dictionary: Dictionary,
  issues: WordIssue[],
): boolean {
  if (typeof id !== 'string') {
    issues.push({ code: 'wrong-type', path, message: 'a word is given by its id, a text' });
    return false;
  }
  // Ids in a log are compared as they stand, so only the exact spelling is right.
  if (dictionary.find(id, kind)?.id === id) return true;
  const known = (kind === undefined ? dictionary.ordered : dictionary.words(kind)).map((word) => word.id);
  const hint = hintFor(id, known);
  issues.push({
    code: 'unknown-word',
    path,
    message: `"${id}" is not a known ${kind ?? 'word'}`,
    ...(hint ? { hint } : {}),
  });
  return false;
}

function unknownKeys(value: object, known: readonly string[], issues: WordIssue[], path = ''): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const hint = hintFor(key, known);
    issues.push({
      code: 'unknown-key',
      path: `${path}/${key}`,
      message: `"${key}" means nothing here`,
      hint: hint ?? `known are ${known.join(', ')}`,
    });
  }
}

/** The word of a slot, with whatever else is said about it left out. */
export function wordOf(slot: Slot): string {
  return typeof slot === 'string' ? slot : slot.word;
}

function article(slot: string): string {
  return `${/^[aeiou]/.test(slot) ? 'an' : 'a'} ${slot}`;
}

function inherited(source: string, action: string): string {
  return source === action || source === '' ? '' : `, as every "${source}" does`;
}

const actionOrder = ['subject', 'action', 'object', 'with', 'to', 'from', 'at', 'manner', 'amount', 'unit'] as const;

/**
 * The one form of what can be written in several: a word with nothing more said about it is the word alone, keys stand in
 * their order. Two statements say the same exactly if their normal forms are equal.
 */
export function normalizeStatement(statement: Statement): Statement {
  if (isPropertyStatement(statement)) {
    return {
      subject: normalizeSlot(statement.subject),
      property: statement.property,
      ...(statement.from !== undefined && { from: normalizeValue(statement.from) }),
      to: normalizeValue(statement.to),
    };
  }
  const entries = actionOrder.flatMap((key) => {
    const said = statement[key];
    if (said === undefined) return [];
    return [[key, typeof said === 'object' ? normalizeSlot(said) : said] as const];
  });
  return Object.fromEntries(entries) as unknown as Statement;
}

/** A bare word where nothing more is said about it. */
function normalizeSlot(slot: Slot): Slot {
  if (typeof slot !== 'object' || slot === null) return slot;
  const mention = normalizeMention(slot);
  return mention.name === undefined && mention.count === undefined && mention.of === undefined ? mention.word : mention;
}

/** Values keep the object, because a text alone is read text. */
function normalizeValue(value: PropertyValue): PropertyValue {
  return typeof value === 'object' && value !== null ? normalizeMention(value) : value;
}

function normalizeMention(mention: Mention): Mention {
  return {
    word: mention.word,
    ...(mention.name !== undefined && { name: mention.name }),
    ...(mention.count !== undefined && { count: mention.count }),
    ...(mention.of !== undefined && { of: normalizeSlot(mention.of) }),
  };
}
