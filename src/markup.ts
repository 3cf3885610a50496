import { createHash } from 'node:crypto';

/** Control characters, halves of surrogate pairs, and what reverses the direction of the text around it. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
/** Length of a text from somebody's file that is shown on one line. */
const MAX_LINE_LENGTH = 500;

/**
 * Makes a text from somebody's file one line of printable characters: control characters and characters that change the direction
 * of text are removed, spaces and line breaks become one space, and what is too long is cut.
 *
 * @param maxLength In characters.
 *
 * @example
 * plainText('Gru\u0007nt\u001B[2J kills\nBob'); // 'Grunt[2J kills Bob'
 */
export function plainText(text: string, maxLength = MAX_LINE_LENGTH): string {
  const line = text
    .slice(0, 4 * maxLength)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(UNPRINTABLE, '')
    .trim();
  if (line.length <= maxLength) return line;
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/**
 * Escapes text for the content of an element in HTML, XML, SVG and WebVTT. Removes characters that XML 1.0 has not (§2.2).
 */
export function escapeText(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Escapes text for an attribute value in double quotes, in HTML, XML and SVG; also valid as content. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}

/** Escapes text for a line or table cell of Markdown: no markup, HTML, link or picture comes of it (CommonMark §2.4). */
export function escapeMarkdown(text: string): string {
  return plainText(text).replaceAll(
    /[\\`*_[\]<>&|~]|^[#+-](?=\s|$)|(?<=^\d+)[.)]|:(?=\/\/)|(?<=\bwww)\./g,
    (match) => `\\${match}`,
  );
}

/**
 * Writes a field of CSV (RFC 4180). What a spreadsheet would run as a formula begins with an apostrophe, which shows it as text.
 */
export function csvField(value: string | number): string {
  const text = typeof value === 'number' ? String(value) : plainText(value).replace(/^[=+\-@]/, "'$&");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The element that lets a page run its own script only and load nothing (Content Security Policy Level 3). It stands before what
 * it allows.
 *
 * @param scripts The contents of the page's inline scripts.
 */
export function contentSecurityPolicy(...scripts: readonly string[]): string {
  const hashes = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  const allowed = hashes.length === 0 ? "'none'" : hashes.join(' ');
  return `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src ${allowed}; base-uri 'none'; form-action 'none'">`;
}
