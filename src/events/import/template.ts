import { isObject } from '../../json.ts';
import { plainText } from '../../markup.ts';
import { jsonText } from '../../schema/json-text.ts';
import { MAX_CHARACTERS, type Mention, type PropertyValue, type Slot, type Statement } from '../statement.ts';
import type { CompiledMapping } from './mapping.ts';

/** The values that templates refer to. */
export interface TemplateContext {
  readonly compiled: CompiledMapping;
  /** The groups of the matched line, the whole match first. */
  readonly groups: readonly (string | undefined)[];
  /** The values that rules remembered. */
  readonly memory: ReadonlyMap<string, string>;
  /** The name of the recording player. */
  readonly player: string | undefined;
  /** The last value of a property of a subject. */
  readonly previous: (subject: unknown, property: string) => PropertyValue | undefined;
}

/** A template refers to something that the line, the memory or a table does not have. */
export class MissingValueError extends Error {}

/**
 * Replaces `$1` by a group of the line, then `{key}` by a remembered value.
 *
 * @throws MissingValueError for a key that no rule remembered.
 */
export function fillText(text: string, { groups, memory }: TemplateContext): string {
  const withGroups = text.replaceAll(/\$(\d{1,2})/g, (_, index: string) => groups[Number(index)] ?? '');
  return withGroups.replaceAll(/\{([^{}]*)\}/g, (_, key: string) => {
    const value = memory.get(key);
    if (value === undefined) throw new MissingValueError(`no rule remembered "${key}"`);
    return value;
  });
}

/**
 * Fills the template of a statement.
 *
 * @throws MissingValueError for a value that is not known.
 */
export function fillStatement(template: Readonly<Record<string, unknown>>, context: TemplateContext): Statement {
  const statement: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(template)) {
    const value =
      key === 'from' && part === 'previous'
        ? context.previous(statement['subject'], jsonText(template['property']))
        : fillPart(part, context);
    if (value !== undefined) statement[key] = value;
  }
  return statement as unknown as Statement;
}

function fillPart(part: unknown, context: TemplateContext): Slot | PropertyValue | undefined {
  if (typeof part === 'string') return fillText(part, context);
  if (!isObject(part)) return part as PropertyValue;
  const { who, text, number, lookup, key, word, name, count, of } = part;
  const fillName = (value: unknown): string =>
    plainText(stripMarkup(fillText(jsonText(value), context), context), MAX_CHARACTERS);
  if (typeof who === 'string') return toPerson(fillName(who), context);
  if (typeof text === 'string') return fillName(text);
  if (number !== undefined) return parseNumber(fillText(jsonText(number), context));
  if (typeof lookup === 'string') return lookUp(lookup, fillText(jsonText(key), context), context);
  return {
    word: fillText(jsonText(word), context),
    ...(name !== undefined && { name: fillName(name) }),
    ...(count !== undefined && { count: parseNumber(fillText(jsonText(count), context)) }),
    ...(of !== undefined && { of: fillPart(of, context) as Slot }),
  } satisfies Mention;
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new MissingValueError(`"${text}" is not a number`);
  return number;
}

function lookUp(table: string, key: string, { compiled }: TemplateContext): Slot {
  const entries = compiled.mapping.tables?.[table] ?? {};
  if (!Object.hasOwn(entries, key)) throw new MissingValueError(`the table "${table}" has no entry "${key}"`);
  return entries[key] as Slot;
}

/** The player, a teammate (of the same side as the player) or an opponent of this name. */
function toPerson(name: string, { compiled, memory, player }: TemplateContext): Slot {
  if (name === '') throw new MissingValueError('a person has no name');
  if (name === player) return 'player';
  const side = memory.get(`side ${name}`);
  const playerSide = player === undefined ? undefined : memory.get(`side ${player}`);
  const isTeammate = side !== undefined && side === playerSide && (compiled.mapping.sides ?? []).includes(side);
  return { word: isTeammate ? 'teammate' : 'opponent', name };
}

/** Removes the mapping's `strip` pattern, such as color codes. */
function stripMarkup(text: string, { compiled }: TemplateContext): string {
  const { strip } = compiled;
  if (!strip) return text;
  let rest = text;
  let stripped = '';
  for (let match = strip.exec(rest)?.[0]; match; match = strip.exec(rest)?.[0]) {
    const at = rest.indexOf(match);
    stripped += rest.slice(0, at);
    rest = rest.slice(at + match.length);
  }
  return stripped + rest;
}
