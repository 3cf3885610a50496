import { RE2JS } from 're2js';

/** Instructions of a compiled expression. Matching takes at most so many steps per character: some 0.3 s for 500 of them. */
const MAX_PROGRAM_SIZE = 3000;

/**
 * A regular expression from an untrusted file, with the syntax and semantics of RE2: it matches in time linear in the text,
 * whatever the expression. Lookaround and backreferences do not exist; `\u` escapes are accepted as in JavaScript.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 * @example
 * new Pattern('^(.+) was railed by (.+)$').exec('Grunt was railed by Sarge'); // ['Grunt was …', 'Grunt', 'Sarge']
 */
export class Pattern {
  readonly source: string;
  /** What every text with a match begins with: far cheaper to check than the expression. */
  readonly #prefix: string;
  readonly #expression: RE2JS;

  /** @throws SyntaxError that says what is wrong with the expression. */
  constructor(source: string) {
    this.source = source;
    this.#prefix = literalPrefix(source);
    try {
      this.#expression = RE2JS.compile(source.includes('\\u') ? RE2JS.translateRegExp(source) : source);
    } catch (error) {
      throw new SyntaxError((error as Error).message.replace(/^error parsing regexp: /, ''), { cause: error });
    }
    if (this.#expression.programSize() > MAX_PROGRAM_SIZE)
      throw new SyntaxError('the expression is too large: its repetitions come to more than 3000 steps');
  }

  /** Number of capturing groups. */
  get groups(): number {
    return this.#expression.groupCount();
  }

  /** Whether the text holds a match. */
  test(text: string): boolean {
    return text.startsWith(this.#prefix) && this.#expression.test(text);
  }

  /** The first match and its groups (`undefined`: took no part), or `undefined` if there is no match. */
  exec(text: string): readonly (string | undefined)[] | undefined {
    if (!text.startsWith(this.#prefix)) return undefined;
    const matcher = this.#expression.matcher(text);
    if (!matcher.find()) return undefined;
    return Array.from({ length: this.groups + 1 }, (_, group) => matcher.group(group) ?? undefined);
  }
}

/** The plain characters after the `^` of an expression; none if it has alternatives outside groups. */
function literalPrefix(source: string): string {
  const [, literal = '', next = ''] = /^\^([A-Za-z0-9 :;,_"'<>=%!@&~/-]*)(.?)/s.exec(source) ?? [];
  if (literal === '' || hasAlternatives(source)) return '';
  // A quantifier belongs to the last character.
  return next !== '' && '*?+{'.includes(next) ? literal.slice(0, -1) : literal;
}

function hasAlternatives(source: string): boolean {
  // Escaped characters and character classes first, then groups from the innermost outwards.
  let rest = source.replaceAll(/\\./gs, '').replaceAll(/\[\^?\]?[^\]]*\]/g, '');
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replaceAll(/\([^()]*\)/g, '');
  }
  return rest.includes('|');
}
