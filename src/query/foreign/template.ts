import type { Mention, PropertyValue, Slot, Statement } from '../../events/statement.ts';
import { isRecord } from '../../dictionary/shape.ts';
import type { CompiledMapping } from './mapping.ts';

/** What a template is filled from. */
export interface Context {
  readonly compiled: CompiledMapping;
  /** The groups of the line, the whole first. */
  readonly groups: readonly (string | undefined)[];
  readonly memory: ReadonlyMap<string, string>;
  /** The name of the person whose session it is. */
  readonly player: string | undefined;
  /** The value that a property of someone had last. */
  readonly previous: (subject: unknown, property: string) => PropertyValue | undefined;
}

/** Told apart from all else: the template asks for something that the line or a table does not have. */
export class Missing extends Error {}

/** `$1` and `{key}` replaced in a text; a key is filled before it is looked up. */
export function fillText(text: string, context: Context): string {
  const grouped = text.replaceAll(/\$(\d{1,2})/g, (_, index: string) => context.groups[Number(index)] ?? '');
  return grouped.replaceAll(/\{([^{}]*)\}/g, (_, key: string) => {
    const known = context.memory.get(key);
    if (known === undefined) throw new Missing(`nothing is remembered about "${key}"`);
    return known;
  });
}

/** The statement of a template. Throws Missing. */
export function fillStatement(template: Readonly<Record<string, unknown>>, context: Context): Statement {
  const filled: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(template)) {
    const value =
      key === 'from' && part === 'previous'
        ? context.previous(filled['subject'], String(template['property']))
        : fillPart(part, context);
    if (value !== undefined) filled[key] = value;
  }
  return filled as unknown as Statement;
}

function fillPart(part: unknown, context: Context): Slot | PropertyValue | undefined {
  if (typeof part === 'string') return fillText(part, context);
  if (!isRecord(part)) return part as PropertyValue;
  if (typeof part['who'] === 'string') return whoIs(strip(fillText(part['who'], context), context), context);
  if (typeof part['text'] === 'string') return strip(fillText(part['text'], context), context);
  if (part['number'] !== undefined) return numberIn(fillText(String(part['number']), context));
  if (typeof part['lookup'] === 'string') return found(part['lookup'], fillText(String(part['key']), context), context);
  const { word, name, count, of } = part;
  return {
    word: fillText(String(word), context),
    ...(name !== undefined && { name: strip(fillText(String(name), context), context) }),
    ...(count !== undefined && { count: numberIn(fillText(String(count), context)) }),
    ...(of !== undefined && { of: fillPart(of, context) as Slot }),
  } satisfies Mention;
}

function numberIn(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new Missing(`"${text}" is not a number`);
  return number;
}

function found(table: string, key: string, context: Context): Slot {
  const entries = context.compiled.mapping.tables?.[table] ?? {};
  if (!Object.hasOwn(entries, key)) throw new Missing(`the table "${table}" has no "${key}"`);
  return entries[key] as Slot;
}

/** The person of a name: the player, a teammate of the same side, or an opponent. */
function whoIs(name: string, context: Context): Slot {
  if (name === '') throw new Missing('a person without a name');
  if (name === context.player) return 'player';
  const side = context.memory.get(`side ${name}`);
  const own = context.player === undefined ? undefined : context.memory.get(`side ${context.player}`);
  const together = side !== undefined && side === own && (context.compiled.mapping.sides ?? []).includes(side);
  return { word: together ? 'teammate' : 'opponent', name };
}

function strip(text: string, { compiled }: Context): string {
  const { strip: pattern } = compiled;
  if (!pattern) return text;
  let rest = text;
  let kept = '';
  for (let piece = pattern.exec(rest)?.[0]; piece; piece = pattern.exec(rest)?.[0]) {
    const at = rest.indexOf(piece);
    kept += rest.slice(0, at);
    rest = rest.slice(at + piece.length);
  }
  return kept + rest;
}
