/** A JSON object whose members have not been checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a JSON value is an object (not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one if it is none. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The objects in a list; none if the value is no list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * Appends names to a JSON pointer (RFC 6901), escaping `~` and `/`.
 *
 * @example
 * appendPointer('/regions', 'kill/death', 'x'); // '/regions/kill~1death/x'
 */
export function appendPointer(pointer: string, ...names: readonly (string | number)[]): string {
  return [pointer, ...names.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}

/** Splits a JSON pointer (RFC 6901) into its unescaped names; the empty pointer has none. */
export function parsePointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
