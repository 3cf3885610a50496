/**
 * What a field of the screen can say, as an automaton over characters: an alphabet, a regular expression, texts, or phrases with
 * slots. A decoder walks it character by character, so that only possible texts are ever considered.
 */
export interface Constraint {
  /** The state before the first character. */
  readonly start: number;
  /** The state after a character; `DEAD` where no possible text goes on like this. */
  step(state: number, char: string): number;
  /** Whether a text may end in the state. */
  accepts(state: number): boolean;
}

/** The state from which no possible text can be reached. */
export const DEAD = -1;

/** Tests a character. */
type CharTest = (char: string) => boolean;

/** A node of a parsed expression. */
type Node =
  | { readonly type: 'char'; readonly test: CharTest }
  | { readonly type: 'sequence'; readonly parts: readonly Node[] }
  | { readonly type: 'choice'; readonly options: readonly Node[] }
  | { readonly type: 'repeat'; readonly node: Node; readonly min: number; readonly max: number };

/** Largest number of states of an expression, with its repetitions written out. */
const MAX_STATES = 20_000;
/** Largest count of a repetition, as in RE2. */
const MAX_REPEAT = 1000;

/**
 * Any text of the given characters.
 *
 * @param allows Whether a character can occur; default all can.
 */
export function anyText(allows: CharTest = () => true): Constraint {
  return { start: 0, step: (_, char) => (allows(char) ? 0 : DEAD), accepts: () => true };
}

/**
 * The texts that match a regular expression as a whole. Known are literals, `.`, classes (`[0-9A-F]`, `[^ ]`, `\d`, `\w`, `\s`,
 * `\p{L}`), groups, `|`, `?`, `*`, `+` and `{m,n}`; anchors are implied.
 *
 * @throws SyntaxError that says what is wrong, or that the expression is too large.
 *
 * @example
 * const clock = patternConstraint('\\d\\d:\\d\\d\\.\\d{3}');
 * clock.step(clock.start, '7'); // a state
 * clock.step(clock.start, ':'); // DEAD
 */
export function patternConstraint(source: string): Constraint {
  return new Automaton(new PatternParser(source).parse());
}

/** The node of one character. */
function characterNode(char: string): Node {
  return { type: 'char', test: (other) => other === char };
}

/** Placeholder of a slot in the texts of `textsConstraint`. */
export const SLOT = '\uFFFF';
/** Longest text of a slot. */
const MAX_SLOT_LENGTH = 32;

/**
 * A list of texts, each as it is written. `SLOT` in a text stands for 1 to 32 characters of any name.
 *
 * @throws SyntaxError if the list is too large.
 */
export function textsConstraint(texts: Iterable<string>): Constraint {
  const slot: Node = { type: 'repeat', node: { type: 'char', test: () => true }, min: 1, max: MAX_SLOT_LENGTH };
  const options = Array.from(new Set(texts), (text): Node => {
    return { type: 'sequence', parts: Array.from(text, (char) => (char === SLOT ? slot : characterNode(char))) };
  });
  return new Automaton({ type: 'choice', options });
}

/** The spellings of a text in capital and small letters. */
export function spellingsConstraint(text: string): Constraint {
  const parts = Array.from(text, (char): Node => {
    const folded = char.toLowerCase();
    return { type: 'char', test: (other) => other.toLowerCase() === folded };
  });
  return new Automaton({ type: 'sequence', parts });
}

/** The texts that satisfy both constraints. */
export function bothConstraints(one: Constraint, other: Constraint): Constraint {
  const pairs: (readonly [number, number])[] = [];
  const known = new Map<string, number>();
  const stateOf = (a: number, b: number): number => {
    if (a === DEAD || b === DEAD) return DEAD;
    const key = `${a} ${b}`;
    let state = known.get(key);
    if (state === undefined) {
      state = pairs.push([a, b]) - 1;
      known.set(key, state);
    }
    return state;
  };
  return {
    start: stateOf(one.start, other.start),
    step(state, char) {
      const [a, b] = pairs[state]!;
      return stateOf(one.step(a, char), other.step(b, char));
    },
    accepts(state) {
      const [a, b] = pairs[state]!;
      return one.accepts(a) && other.accepts(b);
    },
  };
}

/** A nondeterministic automaton (Thompson's construction), made deterministic state by state as it is walked. */
class Automaton implements Constraint {
  readonly start: number;
  /** By state: what its character must be, and the state after it; or the states that it leads to without one. */
  readonly #tests: (CharTest | undefined)[] = [];
  readonly #next: number[][] = [];
  readonly #end: number;
  /** Deterministic states: sets of states, with their transitions. */
  readonly #sets: { readonly states: readonly number[]; readonly steps: Map<string, number> }[] = [];
  readonly #known = new Map<string, number>();

  constructor(root: Node) {
    this.#end = this.#add(undefined, []);
    this.start = this.#setOf([this.#build(root, this.#end)]);
  }

  step(state: number, char: string): number {
    const { states, steps } = this.#sets[state]!;
    let next = steps.get(char);
    if (next === undefined) {
      next = this.#setOf(states.flatMap((one) => (this.#tests[one]?.(char) ? this.#next[one]! : [])));
      steps.set(char, next);
    }
    return next;
  }

  accepts(state: number): boolean {
    return this.#sets[state]!.states.includes(this.#end);
  }

  #add(test: CharTest | undefined, next: number[]): number {
    if (this.#next.length >= MAX_STATES) throw new SyntaxError('it allows too many texts');
    this.#tests.push(test);
    return this.#next.push(next) - 1;
  }

  /** Adds the states of a node, after which `end` follows; returns the first. */
  #build(node: Node, end: number): number {
    switch (node.type) {
      case 'char':
        return this.#add(node.test, [end]);
      case 'sequence':
        return node.parts.reduceRight((next, part) => this.#build(part, next), end);
      case 'choice':
        return this.#add(
          undefined,
          node.options.map((option) => this.#build(option, end)),
        );
      case 'repeat': {
        let next = end;
        if (node.max === Number.POSITIVE_INFINITY) {
          next = this.#add(undefined, [end]);
          this.#next[next]!.push(this.#build(node.node, next));
        } else
          for (let i = node.min; i < node.max; i++) next = this.#add(undefined, [end, this.#build(node.node, next)]);
        for (let i = 0; i < node.min; i++) next = this.#build(node.node, next);
        return next;
      }
    }
  }

  #setOf(states: readonly number[]): number {
    const all = new Set<number>();
    const open = [...states];
    while (open.length > 0) {
      const state = open.pop()!;
      if (all.has(state)) continue;
      all.add(state);
      if (!this.#tests[state]) open.push(...this.#next[state]!);
    }
    const kept = [...all].filter((state) => this.#tests[state] !== undefined || state === this.#end);
    if (kept.length === 0) return DEAD;
    const key = kept.toSorted((a, b) => a - b).join(' ');
    let set = this.#known.get(key);
    if (set === undefined) {
      set = this.#sets.push({ states: kept, steps: new Map() }) - 1;
      this.#known.set(key, set);
    }
    return set;
  }
}

const CLASS_ESCAPES: Readonly<Record<string, RegExp>> = {
  d: /[0-9]/,
  D: /[^0-9]/,
  w: /[0-9A-Za-z_]/,
  W: /[^0-9A-Za-z_]/,
  s: /\s/,
  S: /\S/,
};
const LITERAL_ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };

/** Parses a regular expression. */
class PatternParser {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#chars = Array.from(source.replace(/^\^/, '').replace(/(?<!\\)\$$/, ''));
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#chars.length) throw new SyntaxError(`unexpected “${this.#chars[this.#at]}”`);
    return node;
  }

  #take(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #choice(): Node {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 ? options[0]! : { type: 'choice', options };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (
      let char = this.#chars[this.#at];
      char !== undefined && char !== '|' && char !== ')';
      char = this.#chars[this.#at]
    )
      parts.push(this.#repeated());
    return { type: 'sequence', parts };
  }

  #repeated(): Node {
    let node = this.#single();
    for (;;) {
      if (this.#take('?')) node = { type: 'repeat', node, min: 0, max: 1 };
      else if (this.#take('*')) node = { type: 'repeat', node, min: 0, max: Number.POSITIVE_INFINITY };
      else if (this.#take('+')) node = { type: 'repeat', node, min: 1, max: Number.POSITIVE_INFINITY };
      else if (this.#chars[this.#at] === '{') node = { type: 'repeat', node, ...this.#bounds() };
      else return node;
    }
  }

  #bounds(): { readonly min: number; readonly max: number } {
    const end = this.#chars.indexOf('}', this.#at);
    const found = /^(\d+)(,(\d*))?$/.exec(this.#chars.slice(this.#at + 1, end).join(''));
    if (end < 0 || !found) throw new SyntaxError('a “{” that is no repetition; write \\{ for the character');
    this.#at = end + 1;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY;
    if (min > MAX_REPEAT || (max > MAX_REPEAT && max !== Number.POSITIVE_INFINITY) || min > max)
      throw new SyntaxError(`a repetition {${found[0]}} out of range`);
    return { min, max };
  }

  #single(): Node {
    const char = this.#chars[this.#at++]!;
    switch (char) {
      case '(': {
        if (this.#take('?') && !this.#take(':'))
          throw new SyntaxError('a group that starts with “(?”; only (?:…) is known');
        const node = this.#choice();
        if (!this.#take(')')) throw new SyntaxError('a “(” without “)”');
        return node;
      }
      case '[':
        return { type: 'char', test: this.#class() };
      case '.':
        return { type: 'char', test: () => true };
      case '\\':
        return { type: 'char', test: this.#escape() };
      case '?':
      case '*':
      case '+':
        throw new SyntaxError(`a “${char}” with nothing to repeat`);
      case '^':
      case '$':
        throw new SyntaxError(`a “${char}” inside the expression, which must match the whole text`);
      default:
        return characterNode(char);
    }
  }

  #escape(): CharTest {
    const char = this.#chars[this.#at++];
    if (char === undefined) throw new SyntaxError('a “\\” at its end');
    if (char === 'p' || char === 'P') return this.#property(char);
    const set = CLASS_ESCAPES[char];
    if (set) return (other) => set.test(other);
    if (/[\p{L}\p{N}]/u.test(char) && !Object.hasOwn(LITERAL_ESCAPES, char))
      throw new SyntaxError(`an unknown “\\${char}”`);
    const literal = LITERAL_ESCAPES[char] ?? char;
    return (other) => other === literal;
  }

  #property(kind: string): CharTest {
    const end = this.#chars.indexOf('}', this.#at);
    const name = this.#chars.slice(this.#at, end + 1).join('');
    if (!/^\{[\w=]+\}$/.test(name)) throw new SyntaxError(`a “\\${kind}” without a property such as \\p{L}`);
    this.#at = end + 1;
    const property = new RegExp(`\\${kind}${name}`, 'u');
    return (other) => property.test(other);
  }

  #class(): CharTest {
    const isNegated = this.#take('^');
    const tests: CharTest[] = [];
    for (let first = true; first || this.#chars[this.#at] !== ']'; first = false) {
      const char = this.#chars[this.#at++];
      if (char === undefined) throw new SyntaxError('a “[” without “]”');
      if (char === '\\') {
        tests.push(this.#escape());
        continue;
      }
      if (this.#chars[this.#at] === '-' && this.#chars[this.#at + 1] !== ']' && this.#at + 1 < this.#chars.length) {
        const last = this.#chars[this.#at + 1]!;
        this.#at += 2;
        const [low, high] = [char.codePointAt(0)!, last.codePointAt(0)!];
        if (low > high) throw new SyntaxError(`a range ${char}-${last} in the wrong order`);
        tests.push((other) => other.codePointAt(0)! >= low && other.codePointAt(0)! <= high);
      } else tests.push((other) => other === char);
    }
    this.#at++;
    return (other) => tests.some((test) => test(other)) !== isNegated;
  }
}
