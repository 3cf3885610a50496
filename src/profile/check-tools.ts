/** What the checks of a profile have in common. */
export type Json = Readonly<Record<string, unknown>>;

/** Takes note of a fault at a JSON pointer. */
export type Complain = (code: string, pointer: string, message: string, hint?: string) => void;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function keysOf(value: unknown, key: string): readonly string[] {
  const inner = isObject(value) ? value[key] : undefined;
  return isObject(inner) ? Object.keys(inner) : [];
}

/** The members of an object's member that are objects themselves. */
export function membersOf(value: unknown, key: string): readonly (readonly [string, Json])[] {
  const inner = isObject(value) ? value[key] : undefined;
  if (!isObject(inner)) return [];
  return Object.entries(inner).filter((entry): entry is [string, Json] => isObject(entry[1]));
}

/** A name as part of a JSON pointer. */
export function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A placeholder was made a 1: a word slot wants a text, a number is right anywhere else. */
export function tolerant(key: string, value: unknown): unknown {
  return value === 1 && key !== 'amount' && key !== 'count' && key !== 'to' && key !== 'from' ? 'something' : value;
}
