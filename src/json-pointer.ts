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
