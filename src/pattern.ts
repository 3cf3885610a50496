import { RE2JS } from 're2js';

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
  readonly #expression: RE2JS;

  /** @throws SyntaxError that says what is wrong with the expression. */
  constructor(source: string) {
    this.source = source;
    try {
      this.#expression = RE2JS.compile(source.includes('\\u') ? RE2JS.translateRegExp(source) : source);
    } catch (error) {
      throw new SyntaxError((error as Error).message.replace(/^error parsing regexp: /, ''), { cause: error });
    }
  }

  /** Number of capturing groups. */
  get groups(): number {
    return this.#expression.groupCount();
  }

  /** Whether the text holds a match. */
  test(text: string): boolean {
    return this.#expression.test(text);
  }

  /** The first match and its groups (`undefined`: took no part), or `undefined` if there is no match. */
  exec(text: string): readonly (string | undefined)[] | undefined {
    const matcher = this.#expression.matcher(text);
    if (!matcher.find()) return undefined;
    return Array.from({ length: this.groups + 1 }, (_, group) => matcher.group(group) ?? undefined);
  }
}
