import { formatClock } from '../time.ts';

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

/** Styles of text with the parameters that begin and end them (ECMA-48, select graphic rendition). */
const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

/** A style of text on a terminal. */
export type Style = keyof typeof STYLES;

const STYLE_NAMES = Object.keys(STYLES) as Style[];

/**
 * Marks text with a style. {@link escapedStream} turns the marks into colors where the terminal wants them, and removes them elsewhere.
 * The marks contain noncharacters of Unicode, which are reserved for use within a program.
 */
export function style(name: Style, text: string): string {
  return text === '' ? '' : `\uFDD0${STYLE_NAMES.indexOf(name)}\uFDD1${text}\uFDD2`;
}

/** A sentence after its time. */
export function formatSentence(t: number, text: string): string {
  return `${style('dim', formatClock(t).padStart(9))}  ${text}`;
}

/** A styled text without styles in it. */
const STYLED = /\uFDD0([0-4])\uFDD1([^\uFDD0-\uFDD2]*)\uFDD2/gu;

function applyStyles(text: string, hasColors: boolean): string {
  return text.replaceAll(STYLED, (_, index: string, content: string) => {
    const [begin, end] = STYLES[STYLE_NAMES[Number(index)]!];
    return hasColors && content !== '' ? `\u001B[${begin}m${content}\u001B[${end}m` : content;
  });
}

/**
 * Whether text on a stream should be colored: on a terminal that can, unless `NO_COLOR` is set; elsewhere only if `FORCE_COLOR`
 * asks for it.
 */
export function wantsColors(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env['FORCE_COLOR'] !== undefined) return !['0', 'false'].includes(env['FORCE_COLOR']);
  // NO_COLOR counts if it is not empty: https://no-color.org
  if (env['NO_COLOR'] || env['TERM'] === 'dumb') return false;
  return stream.isTTY === true && stream.hasColors(env);
}

/**
 * Returns the stream with a `write` that escapes control characters, which may come from anybody's files, and shows styles as
 * colors or not at all.
 */
export function escapedStream<T extends NodeJS.WritableStream>(stream: T, hasColors = false): T {
  const write = (chunk: string | Uint8Array, ...rest: never[]): boolean =>
    stream.write(typeof chunk === 'string' ? applyStyles(escapeControls(chunk), hasColors) : chunk, ...rest);
  return new Proxy(stream, {
    get(target, key) {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
