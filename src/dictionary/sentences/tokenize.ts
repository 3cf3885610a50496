/** A piece of a sentence; `start` and `end` are offsets into it. */
export interface Token {
  readonly kind: 'word' | 'number' | 'quoted' | 'possessive' | 'mark';
  /** As written; of a quoted text what stands between the quotes. */
  readonly text: string;
  /** Lower case, with straight apostrophes: what words are compared by. */
  readonly lower: string;
  readonly start: number;
  readonly end: number;
}

const numberPattern = /^[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?$/i;
const space = /\s/;
const marks = '(),;=<>≤≥?';
const openers: Readonly<Record<string, string>> = { '"': '"', '“': '”', '„': '“', '«': '»' };

/**
 * Cuts a sentence into words, numbers, quoted texts, possessive endings and marks. A quoted text between straight quotes
 * is a JSON string, as `render` writes it; where it is none, or the closing quote is missing, it is taken as it stands.
 */
export function tokenize(sentence: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < sentence.length) {
    const character = sentence[at]!;
    if (space.test(character)) at++;
    else if (openers[character] !== undefined) at = quoted(sentence, at, openers[character], tokens);
    else if (singleQuoted(sentence, at) > 0) {
      const end = singleQuoted(sentence, at);
      const text = sentence.slice(at + 1, end - 1);
      tokens.push({ kind: 'quoted', text, lower: text.toLowerCase(), start: at, end });
      at = possessiveAt(sentence, end, tokens);
    } else if (marks.includes(character)) {
      const two = sentence.slice(at, at + 2);
      const text = two === '<=' ? '≤' : two === '>=' ? '≥' : character;
      const end = at + (text === character ? 1 : 2);
      tokens.push({ kind: 'mark', text, lower: text, start: at, end });
      at = text === ')' ? possessiveAt(sentence, end, tokens) : end;
    } else at = plain(sentence, at, tokens);
  }
  return tokens;
}

function quoted(sentence: string, start: number, closer: string, tokens: Token[]): number {
  let end = start + 1;
  while (end < sentence.length && sentence[end] !== closer) end += sentence[end] === '\\' && closer === '"' ? 2 : 1;
  const inside = sentence.slice(start + 1, end);
  let text = inside;
  if (closer === '"') {
    try {
      text = JSON.parse(`"${inside}"`) as string;
    } catch {
      // Not JSON: as it stands.
    }
  }
  const stop = Math.min(sentence.length, end + 1);
  tokens.push({ kind: 'quoted', text, lower: text.toLowerCase(), start, end: stop });
  return possessiveAt(sentence, stop, tokens);
}

/** Index behind a text in single quotes that begins at `at`; 0 if none does. */
function singleQuoted(sentence: string, at: number): number {
  const closer = { "'": "'", '‘': '’' }[sentence[at]!];
  if (closer === undefined) return 0;
  for (let end = at + 2; end < sentence.length; end++) {
    const next = sentence[end + 1];
    if (sentence[end] === closer && (next === undefined || space.test(next) || marks.includes(next) || next === closer))
      return end + 1;
  }
  return 0;
}

function plain(sentence: string, start: number, tokens: Token[]): number {
  let end = start;
  while (
    end < sentence.length &&
    !space.test(sentence[end]!) &&
    !marks.includes(sentence[end]!) &&
    openers[sentence[end]!] === undefined
  ) {
    // A possessive ending closes the word: "player's", "opponents' ".
    if (end > start && possessiveLength(sentence, end) > 0) break;
    end++;
  }
  let text = sentence.slice(start, end);
  if (!numberPattern.test(text)) text = text.replace(/[.!:]+$/, '') || text;
  if (/^[.!:]+$/.test(text)) return end;
  const kind = numberPattern.test(text) ? 'number' : 'word';
  tokens.push({ kind, text, lower: text.toLowerCase().replaceAll('’', "'"), start, end: start + text.length });
  return possessiveAt(sentence, end, tokens);
}

function possessiveAt(sentence: string, at: number, tokens: Token[]): number {
  const length = possessiveLength(sentence, at);
  if (length > 0)
    tokens.push({
      kind: 'possessive',
      text: sentence.slice(at, at + length),
      lower: "'s",
      start: at,
      end: at + length,
    });
  return at + length;
}

/** Length of a possessive ending at `at`: `'s` or, behind an s, `'`, before a space or the end. */
function possessiveLength(sentence: string, at: number): number {
  if (sentence[at] !== "'" && sentence[at] !== '’') return 0;
  const ends = (index: number): boolean =>
    index >= sentence.length || space.test(sentence[index]!) || marks.includes(sentence[index]!);
  if (/^s$/i.test(sentence[at + 1] ?? '') && ends(at + 2)) return 2;
  return /^s$/i.test(sentence[at - 1] ?? '') && ends(at + 1) ? 1 : 0;
}

const numberWords = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

const teens = ['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'];
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety', 'hundred'];

/** "seven", "fifteen", "twenty", "twenty-five", "hundred". */
function spelled(lower: string): number | undefined {
  const small = [...numberWords, ...teens].indexOf(lower);
  if (small >= 0) return small;
  const [ten, one] = lower.split('-', 2);
  const base = tens.indexOf(ten!);
  if (base < 0) return undefined;
  const rest = one === undefined ? 0 : numberWords.indexOf(one);
  return rest < 0 || rest > 9 || (one !== undefined && rest === 0) ? undefined : (base + 2) * 10 + rest;
}

/** The number that a token says: digits (a percent sign may follow) or a word up to a hundred. */
export function numberOf(token: Token | undefined): number | undefined {
  if (token === undefined) return undefined;
  if (token.kind === 'number') return Number(token.text);
  if (token.kind !== 'word') return undefined;
  const word = spelled(token.lower);
  if (word !== undefined) return word;
  const percent = /^([-+]?\d+(?:\.\d+)?)%$/.exec(token.text);
  return percent ? Number(percent[1]) : undefined;
}
