import {
  type ActionStatement,
  isPropertyStatement,
  type Mention,
  type PropertyStatement,
  type PropertyValue,
  type Slot,
  type Statement,
  wordOf,
} from '../events/statement.ts';
import { isObject } from '../json.ts';
import { type Dictionary, isOpen, type SlotRule } from './dictionary.ts';
import { type SlotName, slotKind, type WordKind, wordSlots } from './format.ts';
import type { DictionaryIssue } from './issues.ts';
import { suggestSynonym, suggestWord } from './search.ts';

const actionKeys = ['subject', 'action', 'object', 'with', 'to', 'from', 'at', 'manner', 'amount', 'unit'] as const;
const propertyKeys = ['subject', 'property', 'from', 'to'];
const mentionKeys = ['word', 'name', 'count', 'of'];
const maxOwners = 3;

/**
 * Validates a statement against a dictionary.
 *
 * @returns All issues, with JSON pointers into the statement; empty if it is valid.
 * @example
 * const { dictionary } = await loadBuiltin();
 * validateStatement({ subject: 'partner', action: 'die' }, dictionary); // []
 * validateStatement({ subject: 'player', action: 'obtain' }, dictionary)[0]?.code; // 'slot-missing'
 */
export function validateStatement(statement: unknown, dictionary: Dictionary): DictionaryIssue[] {
  const validator = new StatementValidator(dictionary);
  if (!isObject(statement))
    validator.issues.push({
      code: 'not-a-statement',
      message: 'a statement must be an object with an action or a property',
    });
  else if ('property' in statement) validator.validateProperty(statement as unknown as PropertyStatement);
  else validator.validateAction(statement as unknown as ActionStatement);
  return validator.issues;
}

/**
 * Is the value a valid statement of the dictionary?
 *
 * @example
 * const { dictionary } = await loadBuiltin();
 * isStatement({ subject: 'partner', action: 'die' }, dictionary); // true
 */
export function isStatement(value: unknown, dictionary: Dictionary): value is Statement {
  return validateStatement(value, dictionary).length === 0;
}

class StatementValidator {
  readonly issues: DictionaryIssue[] = [];
  private readonly dictionary: Dictionary;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
  }

  validateAction(statement: ActionStatement): void {
    this.validateKeys(statement, actionKeys);
    for (const slot of wordSlots) this.validateSlot(statement[slot], `/${slot}`, slotKind(slot));
    const isKnownAction = this.validateWord(statement.action, '/action', 'action');
    const { amount, unit } = statement;
    if (amount !== undefined && !Number.isFinite(amount))
      this.report('bad-number', '/amount', 'amount must be a finite number');
    if (unit !== undefined) {
      this.validateWord(unit, '/unit', 'object');
      if (amount === undefined) this.report('unit-without-amount', '/unit', 'a unit requires an amount');
    }
    if (!isKnownAction) return;
    const rules = this.dictionary.find(statement.action, 'action')!.slots;
    for (const [slot, rule] of Object.entries(rules) as [SlotName, SlotRule][])
      this.validateRule(statement, slot, rule);
  }

  validateProperty(statement: PropertyStatement): void {
    this.validateKeys(statement, propertyKeys);
    if (statement.subject === undefined)
      this.report('slot-missing', '/subject', 'a property statement requires a subject', 'Add the subject.');
    else this.validateSlot(statement.subject, '/subject', 'object');
    this.validateWord(statement.property, '/property', 'property');
    if (statement.to === undefined)
      this.report('slot-missing', '/to', 'a property statement requires the new value', 'Add the value as "to".');
    else this.validateValue(statement.to, '/to');
    if (statement.from !== undefined) this.validateValue(statement.from, '/from');
  }

  private validateRule(statement: ActionStatement, slot: SlotName, rule: SlotRule): void {
    const { action } = statement;
    const filler = statement[slot];
    const inherited = rule.source === action || rule.source === '' ? '' : `, as for every "${rule.source}"`;
    if (filler === undefined) {
      if (rule.use !== 'required') return;
      const hint =
        rule.accepts.length > 0 ? `Use ${rule.accepts.join(' or ')}, or one of their descendants.` : `Add the ${slot}.`;
      this.report('slot-missing', `/${slot}`, `"${action}" requires ${withArticle(slot)}${inherited}`, hint);
    } else if (!isOpen(rule)) {
      const reason = rule.use === 'within' ? `already contains its ${slot}` : `takes no ${slot}`;
      this.report('slot-excluded', `/${slot}`, `"${action}" ${reason}${inherited}`);
    } else if (slot !== 'amount' && rule.accepts.length > 0) {
      const id: unknown = wordOf(filler as Slot);
      // What is no word is reported with its slot.
      if (typeof id !== 'string') return;
      const kind = slotKind(slot);
      if (this.dictionary.find(id, kind) && !rule.accepts.some((each) => this.dictionary.isA(id, each, kind)))
        this.report(
          'slot-mismatch',
          `/${slot}`,
          `the ${slot} of "${action}" must be ${rule.accepts.join(' or ')}, not "${id}"`,
        );
    }
  }

  private validateValue(value: PropertyValue, path: string): void {
    if (typeof value === 'string') return;
    if (typeof value !== 'number') this.validateSlot(value, path, undefined);
    else if (!Number.isFinite(value)) this.report('bad-number', path, 'a value must be a finite number');
  }

  private validateSlot(slot: Slot | undefined, path: string, kind: WordKind | undefined, owners = 0): void {
    if (slot === undefined) return;
    if (typeof slot === 'string') {
      this.validateWord(slot, path, kind);
      return;
    }
    if (!isObject(slot)) {
      this.report('wrong-type', path, 'a slot must be a word or an object with a word');
      return;
    }
    const { word, name, count, of } = slot as unknown as Mention;
    this.validateKeys(slot, mentionKeys, path);
    this.validateWord(word, `${path}/word`, kind);
    if (name !== undefined && (typeof name !== 'string' || name === ''))
      this.report('bad-name', `${path}/name`, 'a proper name must be a non-empty string');
    if (count !== undefined && !(Number.isFinite(count) && count >= 0))
      this.report('bad-number', `${path}/count`, 'count must be a number of at least 0');
    if (of === undefined) return;
    if (owners >= maxOwners) this.report('too-deep', `${path}/of`, `more than ${maxOwners} nested owners`);
    else this.validateSlot(of, `${path}/of`, 'object', owners + 1);
  }

  private validateWord(id: unknown, path: string, kind: WordKind | undefined): boolean {
    if (typeof id !== 'string') {
      this.report('wrong-type', path, 'a word must be a string, its id');
      return false;
    }
    // Ids in logs are compared literally, so the case must match too.
    if (this.dictionary.find(id, kind)?.id === id) return true;
    this.report(
      'unknown-word',
      path,
      `"${id}" is not a known ${kind ?? 'word'}`,
      suggestSynonym(id, this.dictionary.words(kind)),
    );
    return false;
  }

  private validateKeys(value: object, known: readonly string[], path = ''): void {
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue;
      const hint = suggestWord(key, known) ?? `Known keys: ${known.join(', ')}.`;
      this.report('unknown-key', `${path}/${key}`, `unknown key "${key}"`, hint);
    }
  }

  private report(code: DictionaryIssue['code'], path: string, message: string, hint?: string): void {
    this.issues.push({ code, path, message, ...(hint !== undefined && { hint }) });
  }
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/**
 * Normalizes a statement: a mention with only a word becomes the word, and keys have a fixed order. Two statements mean the
 * same exactly if their normal forms are equal.
 */
export function normalizeStatement(statement: Statement): Statement {
  if (isPropertyStatement(statement))
    return {
      subject: normalizeSlot(statement.subject),
      property: statement.property,
      ...(statement.from !== undefined && { from: normalizeValue(statement.from) }),
      to: normalizeValue(statement.to),
    };
  const entries = actionKeys.flatMap((key) => {
    const value = statement[key];
    return value === undefined ? [] : [[key, typeof value === 'object' ? normalizeSlot(value) : value] as const];
  });
  return Object.fromEntries(entries) as unknown as Statement;
}

function normalizeSlot(slot: Slot): Slot {
  if (typeof slot !== 'object' || slot === null) return slot;
  const mention = normalizeMention(slot);
  return mention.name === undefined && mention.count === undefined && mention.of === undefined ? mention.word : mention;
}

/** A word as a value stays an object, because a string is text from the screen. */
function normalizeValue(value: PropertyValue): PropertyValue {
  return typeof value === 'object' && value !== null ? normalizeMention(value) : value;
}

function normalizeMention({ word, name, count, of }: Mention): Mention {
  return {
    word,
    ...(name !== undefined && { name }),
    ...(count !== undefined && { count }),
    ...(of !== undefined && { of: normalizeSlot(of) }),
  };
}
