import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import { validateStatement } from '../../src/dictionary/statements.ts';
import { loadDictionary } from '../../src/dictionary/load.ts';
import { PlaybyplayError } from '../../src/errors.ts';
import type { Statement } from '../../src/events/statement.ts';
import { compileQuery, matchEvents } from '../../src/query/run.ts';
import { broken } from '../fixtures/dictionary/broken.ts';
import { jumble } from '../fixtures/dictionary/jumble.ts';

const { dictionary } = await loadBuiltin();
const runs = { numRuns: 250 };

/** What came of a query; anything but a refusal with issues is thrown on. */
function outcomeOf(ask: () => number): string {
  try {
    return `${ask()} matches`;
  } catch (error) {
    if (error instanceof PlaybyplayError && error.issues.length > 0) return 'refused with issues';
    throw error;
  }
}

describe('random input', () => {
  it('a sentence is parsed to a valid statement or refused with a position', () => {
    fc.assert(
      fc.property(jumble(dictionary), (sentence) => {
        const { statement, issues } = parse(sentence, dictionary);
        expect(statement === undefined).toBe(issues.length > 0);
        for (const { start, end } of issues) expect(0 <= start && start <= end && end <= sentence.length).toBe(true);
        expect(statement === undefined ? [] : validateStatement(statement, dictionary)).toEqual([]);
      }),
      runs,
    );
  });

  it('a query runs or is refused with a position', () => {
    const statement: Statement = { subject: 'player', action: 'kill', object: 'opponent' };
    const event = {
      type: 'event',
      id: 'a',
      t: 1,
      end: 1,
      game: 'g',
      session: 's',
      text: '',
      statement,
      confidence: 1,
      cues: [],
    } as const;
    fc.assert(
      fc.property(jumble(dictionary), (sentence) => {
        const outcome = outcomeOf(() => matchEvents(compileQuery(sentence, dictionary), [event]).length);
        expect(['0 matches', '1 matches', 'refused with issues']).toContain(outcome);
      }),
      runs,
    );
  });

  it('repetitions take no exponential time: sentences that are too long are refused', () => {
    for (const piece of [
      'with ',
      'player ',
      "player's ",
      'kill or ',
      'railgun, ',
      '( ',
      'not ',
      'the ',
      'kill followed by ',
      '"',
      'is ',
    ]) {
      const sentence = piece.repeat(2000);
      expect(parse(sentence, dictionary).statement).toBe(undefined);
      const outcome = outcomeOf(() => compileQuery(sentence.slice(0, 600), dictionary) && 0);
      expect(['0 matches', 'refused with issues']).toContain(outcome);
    }
  });

  it('a dictionary file is loaded as far as it is valid, and the result is usable', () => {
    const files = ['common', 'arena'].map(
      (name) =>
        JSON.parse(readFileSync(new URL(`../cases/dictionaries/${name}.json`, import.meta.url), 'utf8')) as unknown,
    );
    fc.assert(
      fc.property(broken(files[0]), broken(files[1]), (common, arena) => {
        const { dictionary: loaded } = loadDictionary(
          [common, arena].map((data, index) => ({ file: `${index}`, data })),
        );
        for (const [index, word] of loaded.ordered.entries()) expect(word.order).toBe(index);
        const [action] = loaded.words('action');
        const statement = { action: action?.id ?? 'none' };
        if (validateStatement(statement, loaded).length === 0) render(statement, loaded);
      }),
      { numRuns: 200 },
    );
  });
});
