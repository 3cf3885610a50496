/**
 * A JSON value as text: a string itself, anything else as JSON. Unlike `String`, which calls the members `toString` and `valueOf`
 * that an object of a stranger may have, it never throws.
 */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
