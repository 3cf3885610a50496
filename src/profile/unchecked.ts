import { isObject, type JsonObject } from '../json.ts';

/** Records an issue at a JSON pointer of the profile. */
export type Report = (code: string, pointer: string, message: string, hint?: string) => void;

/** The keys of the object `value[key]`; none if it is no object. */
export function keysOf(value: unknown, key: string): readonly string[] {
  const inner = isObject(value) ? value[key] : undefined;
  return isObject(inner) ? Object.keys(inner) : [];
}

/** The entries of the object `value[key]` that are objects themselves. */
export function membersOf(value: unknown, key: string): readonly (readonly [string, JsonObject])[] {
  const inner = isObject(value) ? value[key] : undefined;
  if (!isObject(inner)) return [];
  return Object.entries(inner).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}

/** The region that a detector reads. */
export function regionOf(value: unknown, spec: JsonObject): JsonObject | undefined {
  return membersOf(value, 'regions').find(([name]) => name === spec['region'])?.[1];
}

/** Reports bounds that no number satisfies. */
export function checkBounds({ min, max }: JsonObject, pointer: string, report: Report): void {
  if (typeof min === 'number' && typeof max === 'number' && min > max)
    report('empty-range', pointer, `min ${min} is greater than max ${max}`);
}
