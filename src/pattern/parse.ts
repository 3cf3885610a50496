/** Whether a character (a code point) belongs to a set. */
export type Member = (code: number) => boolean;

/** A parsed regular expression. */
export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly member: Member }
  | { readonly kind: 'assert'; readonly at: 'start' | 'end' | 'border' | 'no border' }
  | { readonly kind: 'group'; readonly body: Node; readonly index: number | undefined }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | {
      readonly kind: 'repeat';
      readonly body: Node;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
      /** Groups inside, from and to (exclusive): each repetition forgets them. */
      readonly groups: readonly [number, number];
    };

export interface Parsed {
  readonly node: Node;
  /** Number of capturing groups. */
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
}

const MOST_REPEATS = 1000;

const isDigit: Member = (code) => code >= 48 && code <= 57;
export const isWord: Member = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace: Member = (code) => /\s/u.test(String.fromCodePoint(code));
const isLineEnd: Member = (code) => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
const not =
  (member: Member): Member =>
  (code) =>
    !member(code);

const CLASSES: Readonly<Record<string, Member>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };

/** Parses the syntax of JavaScript's `u` expressions without look-around and back-references. Throws SyntaxError. */
export function parse(source: string): Parsed {
  return new Parser(source).parse();
}

class Parser {
  readonly #chars: readonly string[];
  #at = 0;
  #groups = 0;
  readonly #names = new Map<string, number>();

  constructor(source: string) {
    this.#chars = [...source];
  }

  parse(): Parsed {
    const node = this.#choice();
    if (this.#at < this.#chars.length) throw this.#wrong('a “)” without its “(”');
    return { node, groups: this.#groups, names: this.#names };
  }

  get #next(): string | undefined {
    return this.#chars[this.#at];
  }

  #wrong(what: string): SyntaxError {
    return new SyntaxError(`${what} at character ${this.#at + 1}`);
  }

  #take(text: string): boolean {
    for (const [i, char] of [...text].entries()) if (this.#chars[this.#at + i] !== char) return false;
    this.#at += text.length;
    return true;
  }

  #choice(): Node {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')') {
      const before = this.#groups;
      const atom = this.#atom();
      parts.push(this.#repeated(atom, [before + 1, this.#groups + 1]));
    }
    return parts.length === 0 ? { kind: 'empty' } : parts.length === 1 ? parts[0]! : { kind: 'sequence', parts };
  }

  #repeated(body: Node, groups: readonly [number, number]): Node {
    const bounds = this.#quantifier();
    if (bounds === undefined) return body;
    if (body.kind === 'assert') throw this.#wrong('nothing to repeat');
    const [min, max] = bounds;
    if (min > max) throw this.#wrong('the numbers of a repetition are out of order');
    if (min > MOST_REPEATS || (Number.isFinite(max) && max > MOST_REPEATS)) {
      throw this.#wrong(`more than ${MOST_REPEATS} repetitions`);
    }
    return { kind: 'repeat', body, min, max, lazy: this.#take('?'), groups };
  }

  #quantifier(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    if (this.#next !== '{') return undefined;
    const end = this.#chars.indexOf('}', this.#at);
    const inside = end < 0 ? '' : this.#chars.slice(this.#at + 1, end).join('');
    const found = /^(\d+)(,(\d*))?$/.exec(inside);
    if (found === null) throw this.#wrong('a “{” that is no repetition (write \\{)');
    this.#at = end + 1;
    const min = Number(found[1]);
    return [min, found[2] === undefined ? min : found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3])];
  }

  #atom(): Node {
    const char = this.#next!;
    if ('*+?{'.includes(char)) throw this.#wrong('nothing to repeat');
    if (char === ']' || char === '}') throw this.#wrong(`a “${char}” alone (write \\${char})`);
    this.#at += 1;
    switch (char) {
      case '(':
        return this.#group();
      case '[':
        return { kind: 'set', member: this.#set() };
      case '.':
        return { kind: 'set', member: not(isLineEnd) };
      case '^':
        return { kind: 'assert', at: 'start' };
      case '$':
        return { kind: 'assert', at: 'end' };
      case '\\':
        if (this.#take('b')) return { kind: 'assert', at: 'border' };
        if (this.#take('B')) return { kind: 'assert', at: 'no border' };
        return { kind: 'set', member: memberOf(this.#escape(false)) };
      default:
        return { kind: 'set', member: memberOf(char.codePointAt(0)!) };
    }
  }

  #group(): Node {
    let index: number | undefined;
    if (this.#take('?')) {
      if (!this.#take(':')) index = this.#named();
    } else index = ++this.#groups;
    const body = this.#choice();
    if (!this.#take(')')) throw this.#wrong('a “(” without its “)”');
    return { kind: 'group', body, index };
  }

  #named(): number {
    const lookAround = ['=', '!', '<=', '<!'].some((text) => this.#take(text));
    if (lookAround) throw this.#wrong('looking ahead or behind is not available');
    const rest = this.#chars.slice(this.#at).join('');
    const name = /^<([\p{L}_$][\p{L}\p{N}_$]*)>/u.exec(rest)?.[1];
    if (name === undefined) throw this.#wrong('an unknown sort of group');
    if (this.#names.has(name)) throw this.#wrong(`a second group called ${name}`);
    this.#at += [...name].length + 2;
    this.#names.set(name, ++this.#groups);
    return this.#groups;
  }

  /** What stands behind a backslash: a character or a set of them. */
  #escape(inSet: boolean): number | Member {
    const char = this.#next;
    if (char === undefined) throw this.#wrong('a “\\” at the end');
    this.#at += 1;
    if (Object.hasOwn(CLASSES, char)) return CLASSES[char]!;
    if (char === '0' && this.#next !== undefined && isDigit(this.#next.codePointAt(0)!))
      throw this.#wrong('an octal number');
    if (Object.hasOwn(CONTROLS, char)) return CONTROLS[char]!;
    if (char === 'x') return this.#hexadecimal(/^[0-9a-f]{2}/i);
    if (char === 'u') return this.#hexadecimal(/^(?:[0-9a-f]{4}|\{[0-9a-f]{1,6}\})/i);
    if (char === 'p' || char === 'P') return this.#property(char === 'P');
    if (/[1-9k]/.test(char)) throw this.#wrong('referring back to a group is not available');
    if (inSet && char === 'b') return 8;
    if (char === '-' && inSet) return 45;
    if ('^$\\.*+?()[]{}|/'.includes(char)) return char.codePointAt(0)!;
    throw this.#wrong(`\\${char} means nothing`);
  }

  #hexadecimal(form: RegExp): number {
    const digits = form.exec(this.#chars.slice(this.#at, this.#at + 8).join(''))?.[0];
    if (digits === undefined) throw this.#wrong('a character number is expected');
    this.#at += digits.length;
    const code = Number.parseInt(digits.replaceAll(/[{}]/g, ''), 16);
    if (code > 0x10ffff) throw this.#wrong('there is no such character');
    return code;
  }

  #property(negated: boolean): Member {
    const rest = this.#chars.slice(this.#at, this.#at + 60).join('');
    const name = /^\{[\w=]+\}/.exec(rest)?.[0];
    if (name === undefined) throw this.#wrong('a property is expected: \\p{L}');
    this.#at += name.length;
    const one = new RegExp(`^\\p${name}$`, 'u');
    const member: Member = (code) => one.test(String.fromCodePoint(code));
    return negated ? not(member) : member;
  }

  #set(): Member {
    const negated = this.#take('^');
    const ranges: [number, number][] = [];
    const members: Member[] = [];
    for (;;) {
      if (this.#next === undefined) throw this.#wrong('a “[” without its “]”');
      if (this.#take(']')) break;
      const low = this.#setAtom();
      if (this.#next === '-' && this.#chars[this.#at + 1] !== ']' && this.#chars[this.#at + 1] !== undefined) {
        this.#at += 1;
        const high = this.#setAtom();
        if (typeof low !== 'number' || typeof high !== 'number') throw this.#wrong('a range between sets');
        if (low > high) throw this.#wrong('a range out of order');
        ranges.push([low, high]);
      } else if (typeof low === 'number') ranges.push([low, low]);
      else members.push(low);
    }
    const inside: Member = (code) =>
      ranges.some(([low, high]) => code >= low && code <= high) || members.some((member) => member(code));
    return negated ? not(inside) : inside;
  }

  #setAtom(): number | Member {
    if (this.#take('\\')) return this.#escape(true);
    const char = this.#next!;
    this.#at += 1;
    return char.codePointAt(0)!;
  }
}

function memberOf(what: number | Member): Member {
  return typeof what === 'number' ? (code) => code === what : what;
}
