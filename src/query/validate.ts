import type { Dictionary } from '../dictionary/dictionary.ts';
import { slotKind, wordSlots, type WordKind, type WordSlot } from '../dictionary/format.ts';
import { suggestWord } from '../dictionary/search.ts';
import type { Issue } from '../errors.ts';
import { checkSchema } from '../schema/check.ts';
import { querySchema } from './query.ts';

/** Values in a query at most, at any depth. */
const MAX_VALUES = 2000;

/** Validates a structured query: its shape, then its words. Paths of issues are JSON pointers into the query. */
export function validateQuery(query: unknown, dictionary: Dictionary): readonly Issue[] {
  if (countValues(query, 0) > MAX_VALUES)
    return [{ code: 'too-large', path: '#', message: `the query has more than ${MAX_VALUES} values` }];
  const shapeIssues = checkSchema(querySchema, query);
  if (shapeIssues.length > 0) return shapeIssues;
  const eventIds = dictionary.events.map((event) => event.id);
  return [...findReferences(query, '', undefined)].flatMap(({ id, kind, path }): Issue[] => {
    const isKnown = kind === 'event' ? eventIds.includes(id) : dictionary.find(id, kind) !== undefined;
    if (isKnown) return [];
    const known = kind === 'event' ? eventIds : dictionary.words(kind).map((word) => word.id);
    const hint = suggestWord(id, known);
    const what = kind === 'event' ? 'composite event' : (kind ?? 'word');
    return [
      {
        code: 'unknown-word',
        path: `#${path}`,
        message: `"${id}" is not a known ${what}`,
        ...(hint !== undefined && { hint }),
      },
    ];
  });
}

/** Counts the values in a value, to a little more than the limit. */
function countValues(value: unknown, count: number): number {
  let sum = count + 1;
  if (typeof value !== 'object' || value === null) return sum;
  for (const inner of Object.values(value)) {
    if (sum > MAX_VALUES) break;
    sum = countValues(inner, sum);
  }
  return sum;
}

interface Reference {
  readonly id: string;
  readonly kind: WordKind | 'event' | undefined;
  readonly path: string;
}

/** The keys whose value is a list of ids of one kind. */
const idKeys: ReadonlyMap<string, WordKind | 'event'> = new Map([
  ['action', 'action'],
  ['property', 'property'],
  ['unit', 'object'],
  ['word', 'object'],
  ['event', 'event'],
]);

/** Finds the ids in a query; `slotWordKind` is the kind of word of the enclosing slot, `undefined` for any. */
function* findReferences(value: unknown, path: string, slotWordKind: WordKind | undefined): Generator<Reference> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = `${path}/${key}`;
    if (key === 'words' || idKeys.has(key)) {
      const kind = key === 'words' ? slotWordKind : idKeys.get(key);
      for (const [index, id] of (inner as string[]).entries()) yield { id, kind, path: `${innerPath}/${index}` };
    } else yield* findReferences(inner, innerPath, kindWithin(key, 'property' in value, slotWordKind));
  }
}

function kindWithin(key: string, isProperty: boolean, enclosing: WordKind | undefined): WordKind | undefined {
  if (key === 'of') return 'object';
  if (!wordSlots.includes(key as WordSlot)) return enclosing;
  // The "from" and "to" of a property are values, which can be words of any kind.
  return isProperty && key !== 'subject' ? undefined : slotKind(key as WordSlot);
}
