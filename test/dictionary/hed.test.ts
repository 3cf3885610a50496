import { describe, expect, it } from 'vitest';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import { hedTags, loadHed } from '../fixtures/dictionary/hed-vocabulary.ts';

/**
 * A vocabulary of the shape of the HED standard schema 8.4: 1131 tags in trees of at most eight levels, hyphenated names,
 * attributes in braces, descriptions in brackets. The names are made up; the real one is not ours to ship.
 */
function wikiOf(count: number, depth: number): { wiki: string; parents: ReadonlyMap<string, string | undefined> } {
  const parents = new Map<string, string | undefined>();
  const lines = ['HED version="0.0.0"', "'''Prologue'''", 'Text [with] brackets.', '', '!# start schema', ''];
  const syllables = ['ka', 'lo', 'mi', 'ne', 'ru', 'sa', 'to', 'vi'];
  const nameOf = (index: number): string => {
    const parts = index
      .toString(8)
      .padStart(4, '0')
      .split('')
      .map((digit) => syllables[Number(digit)]!);
    const text = `${parts.slice(0, 2).join('')}${index % 3 === 0 ? '-' : ''}${parts.slice(2).join('')}nt`;
    return text[0]!.toUpperCase() + text.slice(1);
  };
  const roots = ['Event', 'Action', 'Item', 'Property', 'Relation'];
  const path: string[] = [];
  for (let index = 0; index < count; index++) {
    // Goes down to the full depth and comes back to other levels, in a fixed pattern.
    const level = index < 1 ? 0 : Math.min(path.length, index % 229 === 0 ? 0 : 1 + (index % (depth - 1)));
    const name =
      level === 0
        ? (roots[path.length === 0 ? 0 : [...parents.values()].filter((parent) => parent === undefined).length] ??
          nameOf(index))
        : nameOf(index);
    path.length = level;
    parents.set(name, path[level - 1]);
    path.push(name);
    lines.push(
      level === 0
        ? `'''${name}''' <nowiki>{extensionAllowed, hedId=HED_${index}} [Root ${index}.]</nowiki>`
        : `${'*'.repeat(level)} ${name} <nowiki>{relatedTag=Other, hedId=HED_${index}} [Number ${index}.]</nowiki>`,
    );
    if (index % 97 === 0 && level > 0)
      lines.push(`${'*'.repeat(level + 1)} <nowiki># {takesValue, valueClass=numericClass} [A value.]</nowiki>`);
  }
  return { wiki: [...lines, '', '!# end schema', '* Not-a-tag [after the end]'].join('\n'), parents };
}

/** The word of a tag. */
function word(name: string): string {
  return name.replaceAll('-', ' ').toLowerCase();
}

describe('the HED vocabulary', () => {
  const { wiki, parents } = wikiOf(1131, 8);
  const { dictionary, issues } = loadHed(wiki);

  it('is read with every tag and its parents', () => {
    expect(hedTags(wiki).map(({ name, parent }) => [name, parent?.name])).toEqual([...parents]);
  });

  it('loads as a dictionary of 1131 words and eight levels without findings', () => {
    expect(issues).toEqual([]);
    expect(dictionary.ordered.length).toBe(1131);
    expect(Math.max(...dictionary.ordered.map(({ depth }) => depth))).toBe(8);
  });

  it('answers is-a like a walk up the parents', () => {
    const names = [...parents.keys()];
    const above = (name: string): string[] => {
      const chain = [name];
      for (let each = parents.get(name); each !== undefined; each = parents.get(each)) chain.push(each);
      return chain;
    };
    for (const name of names.filter((_, index) => index % 7 === 0)) {
      const chain = new Set(above(name));
      const found = names.filter((other) => dictionary.isA(word(name), word(other)));
      expect(new Set(found)).toEqual(chain);
    }
  });

  it('renders statements that are parsed back', () => {
    const [object] = dictionary.words('object').slice(-1);
    for (const action of dictionary.words('action').slice(0, 50)) {
      const statement = { subject: object!.id, action: action.id, object: object!.id };
      expect(parse(render(statement, dictionary), dictionary).statement).toEqual(statement);
    }
  });
});
