/**
 * A JSON value as text: a string itself, anything else as JSON. Unlike `String`, which calls the members `toString` and `valueOf`
 * that an object of a stranger may have, it never throws.
 */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Formats a value as indented JSON in which an array of numbers is one line, so that a matrix has one row a line. */
export function rowsJson(value: unknown, indent = ''): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const isArray = Array.isArray(value);
  if (isArray && value.every((item) => typeof item !== 'object' || item === null))
    return `[${value.map((item) => JSON.stringify(item) ?? 'null').join(', ')}]`;
  const deeper = `${indent}  `;
  const items = isArray
    ? value.map((item) => rowsJson(item, deeper))
    : Object.entries(value).flatMap(([key, item]) =>
        item === undefined ? [] : [`${JSON.stringify(key)}: ${rowsJson(item, deeper)}`],
      );
  if (items.length === 0) return isArray ? '[]' : '{}';
  const [open, close] = isArray ? '[]' : '{}';
  return `${open}\n${items.map((item) => `${deeper}${item}`).join(',\n')}\n${indent}${close}`;
}
