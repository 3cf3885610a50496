import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBuiltin } from '../files.ts';
import type { Statement } from '../../events/statement.ts';
import { actionStatement, anyStatement, propertyStatement } from '../../../test/fixtures/statements.ts';
import { parse } from './parse.ts';
import { render } from './render.ts';
import { validateStatement } from '../statements.ts';

const { dictionary } = await loadBuiltin();

describe('parse(render(s)) = s', () => {
  it.each(['action', 'property'] as const)('holds for every %s', (kind) => {
    const words = dictionary.words(kind).filter((word) => !dictionary.isA(word.id, 'manner', 'property'));
    for (const word of words) {
      const arbitrary = kind === 'action' ? actionStatement(dictionary, word) : propertyStatement(dictionary, word);
      for (const statement of fc.sample(arbitrary, { numRuns: 2 })) {
        const text = render(statement, dictionary);
        expect([text, parse(text, dictionary).statement]).toEqual([text, statement]);
      }
    }
  });

  it('says of a display itself what it shows', () => {
    const statements: (readonly [string, Statement])[] = [
      [
        'counter "Laps" rises from 1 to 2',
        { subject: { word: 'counter', name: 'Laps' }, property: 'reading', from: 1, to: 2 },
      ],
      ['minimap becomes "small"', { subject: 'minimap', property: 'reading', to: 'small' }],
      [
        'clock "Time" halts at 1:24.7',
        { subject: { word: 'clock', name: 'Time' }, action: 'halt', amount: 84.7, unit: 'second' },
      ],
    ];
    for (const [text, statement] of statements) {
      expect(render(statement, dictionary)).toBe(text);
      expect(parse(text, dictionary).statement).toEqual(statement);
    }
  });

  it('holds for every object, alone and counted, in every place of a sentence', () => {
    for (const word of dictionary.words('object')) {
      const two = { word: word.id, count: 2 };
      const statements: Statement[] = [
        { subject: word.id, action: 'happen' },
        { subject: two, action: 'happen', with: word.id },
        { subject: 'player', action: 'obtain', object: word.id, from: two },
        { subject: 'player', property: 'weapon', from: { word: word.id }, to: two },
        { subject: { word: 'key', of: two }, property: 'size', to: 1 },
      ];
      for (const statement of statements) {
        const text = render(statement, dictionary);
        expect([text, parse(text, dictionary).statement]).toEqual([text, statement]);
      }
    }
  });

  it('holds for words with the name of another word and a label of known words', () => {
    const action = { subject: 'player', property: 'screen', to: { word: 'hero-shooter:escort' } };
    expect(render(action, dictionary)).toBe("player's screen becomes escort (hero-shooter)");
    expect(parse("player's screen becomes escort (hero-shooter)", dictionary).statement).toEqual(action);
  });

  it('holds where verb and object, or subject and verb, together are another action', () => {
    for (const statement of [
      { subject: 'player', action: 'place', object: 'block' },
      { subject: 'player', action: 'steal', object: { word: 'flag' as const, name: 'Red' } },
      { subject: 'player', action: 'complete', object: 'lap' },
      { subject: 'character', action: 'rotate', object: 'piece set' },
      { subject: 'player', action: 'place', object: { word: 'coal', name: '(', of: { word: 'unit', name: ')' } } },
      { subject: 'character', action: 'rotate piece', object: 'set' },
      { subject: 'rocket', action: 'jump', from: 'bridge' },
    ] satisfies Statement[]) {
      const text = render(statement, dictionary);
      expect([text, parse(text, dictionary).statement]).toEqual([text, statement]);
    }
  });

  it('holds in every tense and person, with articles or without', () => {
    const style = fc.record({
      tense: fc.constantFrom('present', 'past', 'perfect', 'future'),
      articles: fc.boolean(),
      person: fc.constantFrom('first', 'second', 'third'),
      sentence: fc.boolean(),
    });
    fc.assert(
      fc.property(anyStatement(dictionary), style, (statement, put) => {
        const text = render(statement, dictionary, put);
        const { readings } = parse(text, dictionary);
        expect([text, ...readings.map((each) => JSON.stringify(each))]).toContain(JSON.stringify(statement));
      }),
      { numRuns: 500 },
    );
  });

  it('holds for any statement of the whole dictionary', () => {
    fc.assert(
      fc.property(anyStatement(dictionary), (statement) => {
        expect(validateStatement(statement, dictionary)).toEqual([]);
        const text = render(statement, dictionary);
        expect([text, parse(text, dictionary).statement]).toEqual([text, statement]);
      }),
      { numRuns: 1000 },
    );
  });
});
