import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PlaybyplayError } from '../errors.ts';
import { loadLogs } from './logs.ts';
import { compileQuery, runQuery } from './run.ts';

const logs = await loadLogs([fileURLToPath(new URL('../../test/cases/logs/moba.ndjson', import.meta.url))]);

/** The first issue of a refused question. */
function refusal(question: string): { readonly message: string; readonly hint?: string; readonly code: string } {
  try {
    compileQuery(question, logs.dictionary, { logs });
  } catch (error) {
    if (error instanceof PlaybyplayError) return error.issues[0]!;
    throw error;
  }
  throw new Error(`“${question}” is not refused`);
}

describe('a refused question', () => {
  // Written by hand: the words that no reading can cover, and the rest of the question.
  it.each([
    ['who killed the dragon and why', '“and why”', '“who killed the dragon”'],
    ['how many towers did I destroy gladly', '“gladly”', '“how many towers did I destroy”'],
    ['my second death hooray', '“hooray”', '“my second death”'],
  ])('“%s” names what is not understood and what works', (question, words, instead) => {
    const { message, hint } = refusal(question);
    expect(message.replaceAll('"', '“').replace(/“(\w+)“/, '“$1”')).toContain(words);
    expect(hint).toContain(instead);
  });

  it('is followed by questions that have an answer on the log', () => {
    for (const question of ['glorp', 'blorp my frob', 'who killed the dragon and why']) {
      const suggested = [...refusal(question).hint!.matchAll(/“([^”]+)”/g)].map(([, text]) => text!);
      expect(suggested.length).toBeGreaterThan(0);
      for (const each of suggested)
        expect(runQuery(compileQuery(each, logs.dictionary, { logs }), logs.events).count).toBeGreaterThan(0);
    }
  });
});
