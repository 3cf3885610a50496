import type { Token } from '../../dictionary/sentences/tokenize.ts';

/** What the parts of a template stand for in a question. */
export interface Bindings {
  /** The tokens of a part; empty if it is absent. */
  readonly tokens: (name: string) => readonly Token[];
  /** The words of a part, in lower case. */
  readonly text: (name: string) => string;
  /** The number of literal words of the template that stand in the question. */
  readonly literals: number;
  /** The tokens of all runs. */
  readonly open: readonly Token[];
}

type Element =
  | {
      readonly kind: 'literal';
      readonly phrases: readonly (readonly string[])[];
      readonly isOptional: boolean;
      readonly name?: string;
    }
  | { readonly kind: 'run'; readonly name: string; readonly isOptional: boolean };

/** A compiled template. */
export interface Template {
  readonly elements: readonly Element[];
  /** The words that it contains literally. */
  readonly words: readonly string[];
  /** The first words of each literal that must stand in the question: one of each. */
  readonly required: readonly (readonly string[])[];
}

/**
 * Compiles a template of a question, elements separated by spaces: `a|b` is one of these words, `how_many` a phrase, `x?` may
 * be absent, `rank:most|least` names what stands there, `<x>` is a run of at least one token, `<x*>` may be empty.
 */
export function compileTemplate(source: string): Template {
  const elements = source.split(' ').map((part): Element => {
    const run = /^<(\w+)(\*?)>$/.exec(part);
    if (run) return { kind: 'run', name: run[1]!, isOptional: run[2] === '*' };
    const [, name, alternatives, optional] = /^(?:(\w+):)?(.+?)(\??)$/.exec(part)!;
    const phrases = alternatives!
      .split('|')
      .map((each) => each.split('_'))
      .toSorted((a, b) => b.length - a.length);
    return { kind: 'literal', phrases, isOptional: optional === '?', ...(name !== undefined && { name }) };
  });
  const words = elements.flatMap((each) => (each.kind === 'literal' ? each.phrases.flat() : []));
  const required = elements.flatMap((each) =>
    each.kind === 'literal' && !each.isOptional ? [each.phrases.map(([first]) => first!)] : [],
  );
  return { elements, words, required };
}

const maxMatches = 40;

/** The words of questions and parts of them, which many templates are matched with. */
const knownWords = new WeakMap<readonly Token[], ReadonlySet<string>>();

function wordsIn(tokens: readonly Token[]): ReadonlySet<string> {
  let words = knownWords.get(tokens);
  if (!words) knownWords.set(tokens, (words = new Set(tokens.map(({ lower }) => lower))));
  return words;
}

/** Finds the ways in which a template covers all tokens of a question. */
export function matchTemplate({ elements, required }: Template, tokens: readonly Token[]): readonly Bindings[] {
  const words = wordsIn(tokens);
  if (!required.every((firsts) => firsts.some((first) => words.has(first)))) return [];
  const found: Bindings[] = [];
  const bound = new Map<string, readonly Token[]>();
  const wordAt = (at: number): string =>
    tokens[at] === undefined || tokens[at].kind === 'quoted' ? '' : tokens[at].lower;
  const runs = elements.flatMap((element) => (element.kind === 'run' ? [element.name] : []));
  const visit = (index: number, at: number, literals: number): void => {
    if (found.length >= maxMatches) return;
    const element = elements[index];
    if (!element) {
      if (at !== tokens.length) return;
      const parts = new Map(bound);
      const tokensOf = (name: string): readonly Token[] => parts.get(name) ?? [];
      found.push({
        tokens: tokensOf,
        text: (name) =>
          tokensOf(name)
            .map(({ lower }) => lower)
            .join(' '),
        literals,
        open: runs.flatMap((name) => tokensOf(name)),
      });
      return;
    }
    if (element.kind === 'run') {
      const last = index === elements.length - 1;
      const shortest = last ? tokens.length : at + (element.isOptional ? 0 : 1);
      if (last && !element.isOptional && at >= tokens.length) return;
      for (let end = shortest; end <= tokens.length; end++) {
        bound.set(element.name, tokens.slice(at, end));
        visit(index + 1, end, literals);
      }
      bound.delete(element.name);
      return;
    }
    for (const phrase of element.phrases) {
      if (!phrase.every((word, i) => wordAt(at + i) === word)) continue;
      if (element.name !== undefined) bound.set(element.name, tokens.slice(at, at + phrase.length));
      visit(index + 1, at + phrase.length, literals + phrase.length);
      if (element.name !== undefined) bound.delete(element.name);
      // The longest phrase that stands there is meant.
      if (!element.isOptional) return;
      break;
    }
    if (element.isOptional) visit(index + 1, at, literals);
  };
  visit(0, 0, 0);
  return found;
}
