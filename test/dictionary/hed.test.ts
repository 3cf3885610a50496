import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtinFolder, loadBuiltin, readSources } from '../../src/dictionary/files.ts';
import { hedDictionary, parseHedSchema } from '../../src/dictionary/hed.ts';
import { loadDictionary } from '../../src/dictionary/load.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import { launcher } from '../paths.ts';

const common = await loadBuiltin([]);
const commonSources = await readSources([join(builtinFolder, 'common.json')]);

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

describe('the HED vocabulary', () => {
  const { wiki, parents } = wikiOf(1131, 8);
  const schema = parseHedSchema(wiki);
  const { dictionary, issues } = loadDictionary(
    [...commonSources, { file: 'hed.json', data: hedDictionary(schema, common.dictionary) }],
    { definitions: false },
  );
  const own = dictionary.ordered.filter(({ namespace }) => namespace === 'hed');
  const ids = new Map(own.map(({ id, name }) => [name, id]));
  const idOf = (tag: string): string => ids.get(tag.replaceAll('-', ' ').toLowerCase())!;

  it('is read with every tag and its parents', () => {
    expect(schema.tags.map(({ name, parent }) => [name, parent])).toEqual([...parents]);
  });

  it('loads as an extension of 1131 words, eight levels below the common ones, without findings', () => {
    expect(issues).toEqual([]);
    expect(own).toHaveLength(1131);
    expect(Math.max(...own.map(({ depth }) => depth))).toBe(9);
    expect(dictionary.isA(idOf('Event'), 'part of play')).toBe(true);
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
      const found = names.filter((other) => dictionary.isA(idOf(name), idOf(other)));
      expect(new Set(found)).toEqual(chain);
    }
  });

  it('renders statements that are parsed back', () => {
    const object = own.findLast(({ kind }) => kind === 'object')!;
    for (const action of own.filter(({ kind }) => kind === 'action').slice(0, 50)) {
      const statement = { subject: object.id, action: action.id, object: object.id };
      expect(parse(render(statement, dictionary), dictionary).statement).toEqual(statement);
    }
  });
});

describe('playbyplay dictionary import-hed', () => {
  const tags = {
    Item: { description: 'A thing.', parent: null },
    Box: { description: 'A case.', parent: 'Item' },
    'Tea-cup': { description: 'A small bowl with a handle.', parent: 'Item' },
    Action: { description: 'What is done.', parent: null },
    'Blow-kiss': { description: 'Send a kiss with the hand.', parent: 'Action' },
    Property: { description: '', parent: null },
  };

  it('writes the JSON form of a schema as an extension, whose names that are taken have a sense', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hed-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const source = join(folder, 'schema.json');
    const out = join(folder, 'hed.json');
    writeFileSync(source, JSON.stringify({ version: '8.4.0', tags }));
    const { status, stderr } = spawnSync(process.execPath, [launcher, 'dictionary', 'import-hed', source, '-o', out], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, 'HED 8.4.0: 3 objects, 2 actions, 1 properties\n']);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
      name: 'hed',
      version: '8.4.0',
      extends: { common: '^1.0.0' },
      objects: [
        { name: 'item', sense: 'tag', parent: 'item' },
        // A synonym of the common "crate".
        { name: 'box', sense: 'tag', parent: 'hed:item#tag' },
        { name: 'tea cup', parent: 'hed:item#tag', definition: 'A small bowl with a handle.' },
      ],
      actions: [
        { name: 'action', parent: 'happen' },
        { name: 'blow kiss', parent: 'hed:action' },
      ],
      properties: [{ name: 'property', parent: 'attribute', definition: 'What HED calls Property.' }],
    });
    const sources = [...commonSources, { file: out, data: readFileSync(out, 'utf8') }];
    const { dictionary, issues } = loadDictionary(sources, { definitions: false });
    expect(issues).toEqual([]);
    expect(parse('player blows kiss with tea cup', dictionary).statement).toEqual({
      subject: 'player',
      action: 'hed:blow kiss',
      with: 'hed:tea cup',
    });
  });

  it('refuses what is no schema', () => {
    expect(() => parseHedSchema('{"tags": []}')).toThrow('"version" or "tags" is missing');
    expect(() => parseHedSchema('Once upon a time')).toThrow('its header or the mark of its start is missing');
  });
});
