import type { Issue } from '../errors.ts';
import type { Statement } from './statement.ts';

const SLOTS = ['subject', 'object', 'with', 'to', 'from', 'at', 'manner'] as const;
const ACTION_KEYS = new Set<string>(['action', ...SLOTS, 'amount', 'unit']);
const PROPERTY_KEYS = new Set(['subject', 'property', 'from', 'to']);
const MENTION_KEYS = new Set(['word', 'name', 'count', 'of']);
const MOST_OWNERS = 3;
const LONGEST = 200;

/**
 * The statement in `value` with its keys in the order of the log, or what is wrong with its form. Whether its words
 * exist and its slots suit the action is for the dictionary to say.
 */
export function shapeStatement(
  value: unknown,
): { readonly statement: Statement } | { readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const complain = (path: string, message: string): undefined => {
    issues.push({ code: 'statement-shape', path, message });
    return undefined;
  };
  if (!isRecord(value))
    return { issues: [{ code: 'statement-shape', path: '', message: 'a statement must be an object' }] };
  const property = 'property' in value;
  if (property === 'action' in value) {
    complain('', 'a statement must have either an action or a property');
    return { issues };
  }
  const allowed = property ? PROPERTY_KEYS : ACTION_KEYS;
  for (const key of Object.keys(value)) {
    if (!allowed.has(key)) complain(key, `${property ? 'a property' : 'an action'} statement has no “${key}”`);
  }
  const has = (key: string): boolean => value[key] !== undefined && value[key] !== null;
  const entries: [string, unknown][] = [];
  const keep = (key: string, shaped: unknown): void => void (shaped === undefined || entries.push([key, shaped]));
  if (property) {
    if (!has('subject')) complain('subject', 'a property statement needs a subject');
    if (!has('to')) complain('to', 'a property statement needs the value that the property changed to');
    if (has('subject')) keep('subject', slotOf(value['subject'], 'subject', complain));
    keep('property', wordOf(value['property'], 'property', complain));
    if (has('from')) keep('from', valueOf(value['from'], 'from', complain));
    if (has('to')) keep('to', valueOf(value['to'], 'to', complain));
  } else {
    if (has('subject')) keep('subject', slotOf(value['subject'], 'subject', complain));
    keep('action', wordOf(value['action'], 'action', complain));
    for (const slot of SLOTS.slice(1)) if (has(slot)) keep(slot, slotOf(value[slot], slot, complain));
    if (has('amount')) keep('amount', numberOf(value['amount'], 'amount', complain));
    if (has('unit')) keep('unit', wordOf(value['unit'], 'unit', complain));
  }
  return issues.length > 0 ? { issues } : { statement: Object.fromEntries(entries) as unknown as Statement };
}

type Complain = (path: string, message: string) => undefined;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wordOf(value: unknown, path: string, complain: Complain): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return complain(path, `${path} must be a word`);
  if (value.length > LONGEST) return complain(path, `${path} is longer than ${LONGEST} characters`);
  return value;
}

function numberOf(value: unknown, path: string, complain: Complain): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return complain(path, `${path} must be a number`);
  return value === 0 ? 0 : value;
}

function textOf(value: unknown, path: string, complain: Complain): string | undefined {
  if (typeof value !== 'string' || value === '') return complain(path, `${path} must be a text`);
  if (value.length > LONGEST) return complain(path, `${path} is longer than ${LONGEST} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(value)) return complain(path, `${path} holds a character that cannot be printed`);
  return value;
}

function mentionOf(value: Record<string, unknown>, path: string, complain: Complain, owners = 0): unknown {
  for (const key of Object.keys(value)) {
    if (!MENTION_KEYS.has(key)) complain(`${path}/${key}`, `a mention has no “${key}”`);
  }
  const word = wordOf(value['word'], `${path}/word`, complain);
  const name = value['name'] === undefined ? undefined : textOf(value['name'], `${path}/name`, complain);
  const count = value['count'] === undefined ? undefined : numberOf(value['count'], `${path}/count`, complain);
  const of = value['of'] === undefined ? undefined : ownerOf(value['of'], `${path}/of`, complain, owners + 1);
  if (name === undefined && count === undefined && of === undefined) return word;
  return {
    word,
    ...(name === undefined ? {} : { name }),
    ...(count === undefined ? {} : { count }),
    ...(of === undefined ? {} : { of }),
  };
}

function ownerOf(value: unknown, path: string, complain: Complain, owners: number): unknown {
  if (owners > MOST_OWNERS) return complain(path, `more than ${MOST_OWNERS} owners in a row`);
  return isRecord(value) ? mentionOf(value, path, complain, owners) : wordOf(value, path, complain);
}

function slotOf(value: unknown, path: string, complain: Complain): unknown {
  return isRecord(value) ? mentionOf(value, path, complain) : wordOf(value, path, complain);
}

function valueOf(value: unknown, path: string, complain: Complain): unknown {
  if (typeof value === 'number') return numberOf(value, path, complain);
  if (typeof value === 'string') return textOf(value, path, complain);
  if (!isRecord(value)) return complain(path, `${path} must be a number, a text or a word`);
  const shaped = mentionOf(value, path, complain);
  return typeof shaped === 'string' ? { word: shaped } : shaped;
}
