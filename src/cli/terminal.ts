/**
 * What a terminal would obey instead of showing: control characters except tab and line ends, and what reverses the direction of
 * text. A carriage return without a line feed moves the cursor.
 */
const CONTROLS = /(?![\t\n\r])[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]|\r(?!\n)/gu;

/**
 * Escapes control characters as in JSON: `\\u001b`. JSON stays the same value, text stays readable.
 *
 * @example
 * escapeControls('Grunt\u001B[2J'); // 'Grunt\\u001b[2J'
 */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the stream with a `write` that escapes control characters, which may come from anybody's files. */
export function escapedStream<T extends NodeJS.WritableStream>(stream: T): T {
  const write = (chunk: string | Uint8Array, ...rest: never[]): boolean =>
    stream.write(typeof chunk === 'string' ? escapeControls(chunk) : chunk, ...rest);
  return new Proxy(stream, {
    get(target, key) {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
