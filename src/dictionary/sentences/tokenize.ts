/** A token of a sentence; `start` and `end` are offsets into it, `end` exclusive. */
export interface Token {
  readonly kind: 'word' | 'number' | 'quoted' | 'possessive' | 'mark';
  /** As written; for quoted text without the quotes. */
  readonly text: string;
  /** Lower case with straight apostrophes, for comparison. */
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

const numberPattern = /^[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?$/i;
const space = /\s/;
const marks = '(),;=<>≤≥?';
const closingQuotes: Readonly<Record<string, string>> = { '"': '"', '“': '”', '„': '“', '«': '»' };

/**
 * Splits a sentence into words, numbers, quoted texts, possessive endings and punctuation marks.
 *
 * Text between straight double quotes is read as a JSON string, as `render` writes it. Text that is not valid JSON, or that
 * lacks its closing quote, is taken literally.
 */
export function tokenize(sentence: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < sentence.length) {
    const character = sentence[at]!;
    const singleQuotedEnd = findSingleQuotedEnd(sentence, at);
    if (space.test(character)) at++;
    else if (closingQuotes[character] !== undefined) at = readQuoted(sentence, at, closingQuotes[character], tokens);
    else if (singleQuotedEnd > 0) {
      pushToken(tokens, 'quoted', sentence.slice(at + 1, singleQuotedEnd - 1), at, singleQuotedEnd);
      at = readPossessive(sentence, singleQuotedEnd, tokens);
    } else if (marks.includes(character)) {
      const pair = sentence.slice(at, at + 2);
      const text = pair === '<=' ? '≤' : pair === '>=' ? '≥' : character;
      const end = at + (text === character ? 1 : 2);
      pushToken(tokens, 'mark', text, at, end);
      at = text === ')' ? readPossessive(sentence, end, tokens) : end;
    } else at = readPlain(sentence, at, tokens);
  }
  return tokens;
}

function pushToken(tokens: Token[], kind: Token['kind'], text: string, start: number, end: number): void {
  tokens.push({ kind, text, lower: text.toLowerCase().replaceAll('’', "'"), start, end });
}

function readQuoted(sentence: string, start: number, closer: string, tokens: Token[]): number {
  let close = start + 1;
  while (close < sentence.length && sentence[close] !== closer)
    close += sentence[close] === '\\' && closer === '"' ? 2 : 1;
  const content = sentence.slice(start + 1, close);
  let text = content;
  if (closer === '"') {
    try {
      text = JSON.parse(`"${content}"`) as string;
    } catch {
      // Not valid JSON: taken literally.
    }
  }
  const end = Math.min(sentence.length, close + 1);
  pushToken(tokens, 'quoted', text, start, end);
  return readPossessive(sentence, end, tokens);
}

/** End of a single-quoted text that starts at `at`; 0 if there is none. */
function findSingleQuotedEnd(sentence: string, at: number): number {
  const closer = { "'": "'", '‘': '’' }[sentence[at]!];
  if (closer === undefined) return 0;
  for (let end = at + 2; end < sentence.length; end++) {
    const next = sentence[end + 1];
    if (sentence[end] === closer && (next === undefined || space.test(next) || marks.includes(next) || next === closer))
      return end + 1;
  }
  return 0;
}

function readPlain(sentence: string, start: number, tokens: Token[]): number {
  let end = start;
  while (
    end < sentence.length &&
    !space.test(sentence[end]!) &&
    !marks.includes(sentence[end]!) &&
    closingQuotes[sentence[end]!] === undefined
  ) {
    if (end > start && possessiveLength(sentence, end) > 0) break;
    end++;
  }
  let text = sentence.slice(start, end);
  if (!numberPattern.test(text)) text = text.replace(/[.!:]+$/, '') || text;
  if (/^[.!:]+$/.test(text)) return end;
  pushToken(tokens, numberPattern.test(text) ? 'number' : 'word', text, start, start + text.length);
  return readPossessive(sentence, end, tokens);
}

function readPossessive(sentence: string, at: number, tokens: Token[]): number {
  const end = at + possessiveLength(sentence, at);
  if (end > at) tokens.push({ kind: 'possessive', text: sentence.slice(at, end), lower: "'s", start: at, end });
  return end;
}

/** Length of a possessive ending: `'s`, or `'` after an s, before a space, a mark or the end of the sentence. */
function possessiveLength(sentence: string, at: number): number {
  if (sentence[at] !== "'" && sentence[at] !== '’') return 0;
  const isWordEnd = (index: number): boolean =>
    index >= sentence.length || space.test(sentence[index]!) || marks.includes(sentence[index]!);
  if (/^s$/i.test(sentence[at + 1] ?? '') && isWordEnd(at + 2)) return 2;
  return /^s$/i.test(sentence[at - 1] ?? '') && isWordEnd(at + 1) ? 1 : 0;
}

const units = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen'
).split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety hundred'.split(' ');

/** The number that a token stands for: digits (optionally with a percent sign) or a number word up to a hundred. */
export function numberValue(token: Token | undefined): number | undefined {
  if (token?.kind === 'number') return Number(token.text);
  if (token?.kind !== 'word') return undefined;
  const percent = /^([-+]?\d+(?:\.\d+)?)%$/.exec(token.text);
  return percent ? Number(percent[1]) : numberWordValue(token.lower);
}

function numberWordValue(lower: string): number | undefined {
  const unit = units.indexOf(lower);
  if (unit >= 0) return unit;
  const [tensWord, unitWord] = lower.split('-', 2);
  const base = (tens.indexOf(tensWord!) + 2) * 10;
  if (base < 20) return undefined;
  if (unitWord === undefined) return base;
  const digit = units.indexOf(unitWord);
  return digit >= 1 && digit <= 9 ? base + digit : undefined;
}

/** The word for a whole number up to twelve; `undefined` for others. */
export function numberWord(value: number): string | undefined {
  return value <= 12 ? units[value] : undefined;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

const clockPattern = /^(?:(\d+):([0-5]?\d)|(\d+)):([0-5]\d(?:\.\d+)?)$/;

/** Writes seconds as on a clock: "1:24.7", "2:03:00". Less than a minute, or what would lose digits, is `undefined`. */
export function writeClock(seconds: number): string | undefined {
  const [, whole, fraction = ''] = /^(\d+)(\.\d+)?$/.exec(String(seconds)) ?? [];
  if (whole === undefined || seconds < 60 || !Number.isSafeInteger(Number(whole))) return undefined;
  const minutes = Math.floor(Number(whole) / 60);
  const rest = `${pad(Number(whole) % 60)}${fraction}`;
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${rest}`;
}

/** The seconds that a token says as on a clock; `undefined` if it says none. */
export function clockValue(token: Token | undefined): number | undefined {
  const match = token?.kind === 'word' ? clockPattern.exec(token.text) : null;
  if (!match) return undefined;
  const [, hours = '0', ofHour, minutes, rest] = match;
  const [whole, fraction = ''] = rest!.split('.');
  const sum = Number(hours) * 3600 + Number(ofHour ?? minutes) * 60 + Number(whole);
  return Number(fraction === '' ? sum : `${sum}.${fraction}`);
}
