import { isWord, parse, type Member, type Node } from './parse.ts';

/** Longest program: bounds the work per character. */
const MOST_STEPS = 20_000;

type Step =
  | { readonly op: 'set'; readonly member: Member }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'forget'; readonly from: number; readonly to: number }
  | { readonly op: 'assert'; readonly at: 'start' | 'end' | 'border' | 'no border' }
  | { readonly op: 'match' };

/** Where groups begin and end, in characters; −1: not taken part. Copied before it is written. */
type Slots = Int32Array;

interface Thread {
  readonly step: number;
  readonly slots: Slots;
}

/**
 * A regular expression from a stranger's file: matches what JavaScript's (with flag `u`) does, in time proportional to
 * the text, whatever the expression (Thompson's simulation with captures, after R. Cox, “Regular Expression Matching: the
 * Virtual Machine Approach”). Look-around and back-references are not available. It finds a match exactly where JavaScript
 * does, and the same one, except that of several at one place it may take another where a repetition holds a repetition of
 * something that can be empty, as in `((a*?)*)*`.
 */
export class Pattern {
  readonly source: string;
  /** Number of capturing groups. */
  readonly groups: number;
  readonly #program: readonly Step[];

  /** Throws SyntaxError with a sentence about what is wrong. */
  constructor(source: string) {
    const { node, groups } = parse(source);
    this.source = source;
    this.groups = groups;
    this.#program = compile(node);
  }

  test(text: string): boolean {
    return this.exec(text) !== undefined;
  }

  /** The first match: the text of the whole and of each group (undefined: took no part), or undefined. */
  exec(text: string): readonly (string | undefined)[] | undefined {
    const chars = [...text];
    const slots = this.#run(chars.map((char) => char.codePointAt(0)!));
    if (slots === undefined) return undefined;
    return Array.from({ length: this.groups + 1 }, (_, group) => {
      const [from, to] = [slots[2 * group]!, slots[2 * group + 1]!];
      return from < 0 || to < 0 ? undefined : chars.slice(from, to).join('');
    });
  }

  #run(codes: readonly number[]): Slots | undefined {
    const program = this.#program;
    const marks = new Int32Array(program.length).fill(-1);
    let threads: Thread[] = [];
    let best: Slots | undefined;
    const fresh = new Int32Array(2 * (this.groups + 1)).fill(-1);
    for (let at = 0; at <= codes.length; at++) {
      const current: Thread[] = [];
      // Marks of this position: a step is entered once, by the thread that comes first.
      for (const { step, slots } of threads) follow(program, step, slots, at, codes, marks, current);
      if (best === undefined) follow(program, 0, fresh, at, codes, marks, current);
      threads = [];
      for (const { step, slots } of current) {
        const here = program[step]!;
        if (here.op === 'match') {
          best = slots;
          break;
        }
        if (here.op === 'set' && at < codes.length && here.member(codes[at]!)) threads.push({ step: step + 1, slots });
      }
      if (threads.length === 0 && best !== undefined) break;
    }
    return best;
  }
}

/** Adds the steps that can be reached without reading a character, in order of preference. */
function follow(
  program: readonly Step[],
  start: number,
  initial: Slots,
  at: number,
  codes: readonly number[],
  marks: Int32Array,
  into: Thread[],
): void {
  const stack: Thread[] = [{ step: start, slots: initial }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    let { step, slots } = top;
    for (;;) {
      if (marks[step] === at) break;
      marks[step] = at;
      const here = program[step]!;
      if (here.op === 'set' || here.op === 'match') {
        into.push({ step, slots });
        break;
      }
      if (here.op === 'split') {
        stack.push({ step: here.second, slots });
        step = here.first;
      } else if (here.op === 'jump') step = here.to;
      else if (here.op === 'assert') {
        if (!holds(here.at, at, codes)) break;
        step += 1;
      } else {
        slots = slots.slice();
        if (here.op === 'save') slots[here.slot] = at;
        else slots.fill(-1, 2 * here.from, 2 * here.to);
        step += 1;
      }
    }
  }
}

function holds(what: 'start' | 'end' | 'border' | 'no border', at: number, codes: readonly number[]): boolean {
  if (what === 'start') return at === 0;
  if (what === 'end') return at === codes.length;
  const before = at > 0 && isWord(codes[at - 1]!);
  const after = at < codes.length && isWord(codes[at]!);
  return (before !== after) === (what === 'border');
}

function compile(node: Node): readonly Step[] {
  const program: Step[] = [{ op: 'save', slot: 0 }];
  emit(node, program);
  program.push({ op: 'save', slot: 1 }, { op: 'match' });
  return program;
}

function emit(node: Node, program: Step[]): void {
  if (program.length > MOST_STEPS) throw new SyntaxError('the expression is too large');
  switch (node.kind) {
    case 'empty':
      return;
    case 'set':
      program.push({ op: 'set', member: node.member });
      return;
    case 'assert':
      program.push({ op: 'assert', at: node.at });
      return;
    case 'sequence':
      for (const part of node.parts) emit(part, program);
      return;
    case 'group':
      if (node.index !== undefined) program.push({ op: 'save', slot: 2 * node.index });
      emit(node.body, program);
      if (node.index !== undefined) program.push({ op: 'save', slot: 2 * node.index + 1 });
      return;
    case 'choice':
      emitChoice(node.options, program);
      return;
    case 'repeat':
      emitRepeat(node, program);
  }
}

function emitChoice(options: readonly Node[], program: Step[]): void {
  const jumps: { op: 'jump'; to: number }[] = [];
  for (const [i, option] of options.entries()) {
    if (i === options.length - 1) {
      emit(option, program);
      break;
    }
    const split = { op: 'split' as const, first: program.length + 1, second: 0 };
    program.push(split);
    emit(option, program);
    const jump = { op: 'jump' as const, to: 0 };
    program.push(jump);
    jumps.push(jump);
    split.second = program.length;
  }
  for (const jump of jumps) jump.to = program.length;
}

function emitRepeat(node: Extract<Node, { kind: 'repeat' }>, program: Step[]): void {
  const { body, min, max, lazy, groups } = node;
  const once = (): void => {
    if (groups[0] < groups[1]) program.push({ op: 'forget', from: groups[0], to: groups[1] });
    emit(body, program);
  };
  /** A way into the body and a way past it, the preferred one first. */
  const gate = (): { enter: () => void; leave: (to: number) => void } => {
    const split = { op: 'split' as const, first: 0, second: 0 };
    program.push(split);
    const inside = program.length;
    return {
      enter: () => (lazy ? (split.second = inside) : (split.first = inside)),
      leave: (to) => (lazy ? (split.first = to) : (split.second = to)),
    };
  };
  for (let i = 0; i < min; i++) once();
  if (max === Number.POSITIVE_INFINITY) {
    const start = program.length;
    const way = gate();
    way.enter();
    once();
    program.push({ op: 'jump', to: start });
    way.leave(program.length);
    return;
  }
  const ways = [];
  for (let i = min; i < max; i++) {
    const way = gate();
    way.enter();
    once();
    ways.push(way);
  }
  for (const way of ways) way.leave(program.length);
}
