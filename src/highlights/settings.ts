import { readFileSync } from 'node:fs';
import type { Dictionary } from '../dictionary/dictionary.ts';
import type { EventLine } from '../events/log.ts';
import { messageOf, PlaybyplayError, type Issue } from '../errors.ts';
import { isPropertyStatement } from '../events/statement.ts';
import { lineage, wordOf, type Weights } from './weights.ts';
import type { Margin } from './windows.ts';

/** Seconds before and after, by kind and word; a word without an entry has its nearest ancestor's. */
export type Margins = Readonly<Partial<Record<'action' | 'property' | 'object', Readonly<Record<string, Margin>>>>>;

/** What a game (`configs/<game>/highlights.json`) or a person says about highlights. */
export interface Settings {
  readonly format: 'playbyplay/highlight-settings/1';
  readonly weights?: Weights;
  readonly margins?: Margins;
  /** Least weight of an event that asks for a scene by itself. */
  readonly notable?: number;
}

export const defaultMargins: Margins = {
  action: {
    happen: { before: 3, after: 2 },
    defeat: { before: 4, after: 2 },
    die: { before: 5, after: 2 },
    obtain: { before: 2, after: 1.5 },
    win: { before: 6, after: 4 },
    lose: { before: 6, after: 3 },
    complete: { before: 5, after: 3 },
    score: { before: 5, after: 3 },
  },
  property: { attribute: { before: 3, after: 2 } },
};

const usual: Margin = { before: 3, after: 2 };

/** The margins of an event: what the settings, then the defaults say of its word or the nearest ancestor. */
export function marginOf(event: EventLine, dictionary: Dictionary, margins?: Margins): Margin {
  const { statement } = event;
  const property = isPropertyStatement(statement);
  const kind = property ? 'property' : 'action';
  const object = property ? undefined : wordOf(statement.object);
  if (object !== undefined) {
    const special = lineage(dictionary, object, 'object')
      .map((id) => margins?.object?.[id])
      .find(Boolean);
    if (special) return special;
  }
  for (const id of lineage(dictionary, property ? statement.property : statement.action, kind)) {
    const margin = margins?.[kind]?.[id] ?? defaultMargins[kind]?.[id];
    if (margin) return margin;
  }
  return usual;
}

/** Reads settings from a JSON file. Throws PlaybyplayError `settings-missing`, or `settings-invalid` with every issue. */
export function readSettings(path: string): Settings {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new PlaybyplayError('settings-missing', `${path} cannot be read as JSON: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  const issues = checkSettings(data, path);
  if (issues.length > 0) throw new PlaybyplayError('settings-invalid', `${path} has mistakes:`, { issues });
  return data as Settings;
}

function checkSettings(data: unknown, path: string): Issue[] {
  const issues: Issue[] = [];
  const add = (at: string, message: string) =>
    issues.push({ code: 'settings-invalid', path: `${path}#${at}`, message });
  if (!isRecord(data)) return [{ code: 'settings-invalid', path, message: 'must be an object' }];
  if (data['format'] !== 'playbyplay/highlight-settings/1') add('/format', 'must be "playbyplay/highlight-settings/1"');
  for (const key of Object.keys(data)) {
    if (!['format', 'weights', 'margins', 'notable'].includes(key)) add(`/${key}`, 'is not a setting');
  }
  const { notable } = data;
  if (notable !== undefined && (typeof notable !== 'number' || notable < 0))
    add('/notable', 'must be a number, 0 or more');
  eachEntry(data['weights'], '/weights', add, (value) =>
    typeof value === 'number' && value >= 0 ? undefined : 'must be a number, 0 or more',
  );
  eachEntry(data['margins'], '/margins', add, (value) =>
    isRecord(value) && ['before', 'after'].every((key) => typeof value[key] === 'number' && value[key] >= 0)
      ? undefined
      : 'must have before and after, seconds, 0 or more',
  );
  return issues;
}

function eachEntry(
  data: unknown,
  at: string,
  add: (at: string, message: string) => void,
  check: (value: unknown) => string | undefined,
): void {
  if (data === undefined) return;
  if (!isRecord(data)) return add(at, 'must be an object');
  for (const [kind, entries] of Object.entries(data)) {
    if (!['action', 'object', 'property'].includes(kind)) add(`${at}/${kind}`, 'must be action, object or property');
    else if (!isRecord(entries)) add(`${at}/${kind}`, 'must be an object');
    else {
      for (const [word, value] of Object.entries(entries)) {
        const problem = check(value);
        if (problem !== undefined) add(`${at}/${kind}/${word}`, problem);
      }
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
