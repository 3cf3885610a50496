import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyStatement } from '../../../test/fixtures/statements.ts';
import { root } from '../../../test/paths.ts';
import type { Statement } from '../../events/statement.ts';
import { loadBuiltin } from '../files.ts';
import { render } from '../sentences/render.ts';
import { validateStatement } from '../statements.ts';
import { languageCodes, type LanguageCode, type LanguageFile } from './format.ts';
import { loadLanguage } from './language.ts';

const { dictionary } = await loadBuiltin();

type Case = { readonly topic: string; readonly statement: Statement } & Readonly<Record<LanguageCode, string>>;
const { cases } = JSON.parse(readFileSync(join(root, 'test/cases/languages.json'), 'utf8')) as {
  readonly cases: readonly Case[];
};

describe.each(languageCodes)('sentences in %s', (code) => {
  it.each(cases.map((each) => [each.topic, each] as const))('%s', async (_, { statement, [code]: expected }) => {
    expect(validateStatement(statement, dictionary)).toEqual([]);
    const language = await loadLanguage(code, dictionary);
    expect(render(statement, dictionary, { language })).toBe(expected);
    expect([...language.missing]).toEqual([]);
  });

  it('has the words of its file in the dictionary, in their notation', () => {
    const file = JSON.parse(readFileSync(join(root, 'dictionary/languages', `${code}.json`), 'utf8')) as LanguageFile;
    const notations: Record<LanguageCode, { objects: RegExp; actions: RegExp }> = {
      de: {
        objects: /^(?:m|f|n|pl) [^/;]+\/[^/;]+(?:\/[^/;]+)?(?:; .+)?$/,
        actions: /^[^/;]+\/[^/;]+\/[^/;]+(?:; .+)?$/,
      },
      es: { objects: /^(?:m|f|fa|mpl|fpl) [^/;]+\/[^/;]+(?:; .+)?$/, actions: /^[^/;]+\/[^/;]+\/[^/;]+(?:; .+)?$/ },
      zh: { objects: /^[^/;]+\/\p{Script=Han}(?:; .+)?$/u, actions: /^[^/;]+(?:; .+)?$/ },
    };
    const kinds = { objects: 'object', actions: 'action', properties: 'property' } as const;
    for (const [list, kind] of Object.entries(kinds) as [keyof typeof kinds, 'object'][])
      for (const [id, text] of Object.entries(file[list])) {
        expect([id, dictionary.find(id, kind)?.id]).toEqual([id, id]);
        expect(list === 'properties' || notations[code][list].test(text) ? '' : `${id}: ${text}`).toBe('');
      }
    const count =
      Object.keys(file.objects).length + Object.keys(file.actions).length + Object.keys(file.properties).length;
    expect(count).toBeGreaterThan(600);
  });

  it('has all words of the built-in games', async () => {
    const language = await loadLanguage(code, dictionary);
    const games = new Set(['openarena', 'freedoom', 'hedgewars', 'nethack', 'stream']);
    for (const { kind, id, namespace } of dictionary.ordered) {
      if (!games.has(namespace) || kind === 'action') continue;
      if (kind === 'object') language.write({ subject: id, action: 'begin' });
      else language.write({ subject: 'player', property: id, to: 1 });
    }
    expect([...language.missing]).toEqual([]);
  });

  it('writes a word that it lacks in English, and says so', async () => {
    const language = await loadLanguage(code, dictionary);
    const statement: Statement = { subject: 'player', action: 'obtain', object: 'tambourine' as string };
    expect(dictionary.find('tambourine')).toBeUndefined();
    expect(() => render(statement, dictionary, { language })).toThrow(RangeError);
    expect(render({ ...statement, object: 'snowmobile' }, dictionary, { language })).toContain('snowmobile');
    expect([...language.missing]).toContain('snowmobile');
  });

  it('writes any statement, with all its names, numbers and texts', async () => {
    const language = await loadLanguage(code, dictionary);
    fc.assert(
      fc.property(anyStatement(dictionary), (statement) => {
        const text = render(statement, dictionary, { language });
        expect(text).not.toMatch(/undefined|NaN|\[object|\{(?:object|to)\}| … |^ | $/);
        const name = typeof statement.subject === 'object' ? (statement.subject.name ?? '') : '';
        expect(text).toContain(name);
      }),
      { numRuns: 200 },
    );
  });
});
