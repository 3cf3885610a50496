// Fuzzes sentences, queries and dictionary files: no crash, no hang, no wrong interpretation; prints the time of the slowest sentences by
// length.
//   node bench/words/fuzz.ts [runs of each] [seed]
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import { validateStatement } from '../../src/dictionary/statements.ts';
import { loadDictionary } from '../../src/dictionary/load.ts';
import { PlaybyplayError } from '../../src/errors.ts';
import { compileQuery, matchEvents } from '../../src/query/run.ts';
import { broken } from '../../test/fixtures/dictionary/broken.ts';
import { jumble } from '../../test/fixtures/dictionary/jumble.ts';

const runs = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? 1);
const { dictionary } = await loadBuiltin();
const event = {
  type: 'event',
  id: 'a',
  t: 1,
  end: 1,
  game: 'g',
  session: 's',
  text: '',
  statement: { subject: 'player', action: 'kill', object: 'opponent' },
  confidence: 1,
  cues: [],
} as const;

function fail(what: string, input: unknown, why: unknown): void {
  process.exitCode = 1;
  console.log(`${what} failed on ${JSON.stringify(input)}\n  ${why instanceof Error ? why.stack : String(why)}`);
}

/** Runs `check` on `runs` values, and prints the count of each outcome and the slowest value. */
function fuzz<Value>(what: string, arbitrary: fc.Arbitrary<Value>, check: (value: Value) => string): void {
  const outcomes = new Map<string, number>();
  let slowest = { ms: 0, value: undefined as Value | undefined };
  const start = performance.now();
  // In portions, so that the values need not stand in memory together.
  for (let done = 0, portion = seed; done < runs; done += 1000, portion++) {
    for (const value of fc.sample(arbitrary, { numRuns: Math.min(1000, runs - done), seed: portion })) {
      const before = performance.now();
      let outcome = 'failed';
      try {
        outcome = check(value);
      } catch (error) {
        fail(what, value, error);
      }
      const ms = performance.now() - before;
      if (ms > slowest.ms) slowest = { ms, value };
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  const each = ((performance.now() - start) / runs) * 1000;
  const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  console.log(`${what}: ${runs} runs, ${counts}; ${each.toFixed(0)} µs each, the slowest ${slowest.ms.toFixed(0)} ms`);
  console.log(`  ${JSON.stringify(slowest.value).slice(0, 200)}`);
}

function asked(sentence: string): number {
  return matchEvents(compileQuery(sentence, dictionary), [event]).length;
}

fuzz('sentences', jumble(dictionary), (sentence) => {
  const { statement, issues } = parse(sentence, dictionary);
  if ((statement === undefined) !== issues.length > 0) throw new Error('neither a statement nor a reason, or both');
  for (const { start, end } of issues)
    if (!(0 <= start && start <= end && end <= sentence.length)) throw new Error(`a place outside: ${start}–${end}`);
  if (statement === undefined) return 'refused';
  const wrong = validateStatement(statement, dictionary);
  if (wrong.length > 0) throw new Error(`a wrong statement: ${JSON.stringify(wrong)}`);
  const again = parse(render(statement, dictionary), dictionary).statement;
  if (JSON.stringify(again) !== JSON.stringify(statement))
    throw new Error(`not the same again: ${JSON.stringify(again)}`);
  return 'understood';
});

fuzz('queries', jumble(dictionary), (sentence) => {
  try {
    asked(sentence);
    return 'understood';
  } catch (error) {
    if (!(error instanceof PlaybyplayError) || error.issues.length === 0) throw error;
    return 'refused';
  }
});

const files = ['common', 'arena'].map(
  (name) =>
    JSON.parse(readFileSync(new URL(`../../test/cases/dictionaries/${name}.json`, import.meta.url), 'utf8')) as unknown,
);
fuzz('dictionaries', fc.tuple(broken(files[0]), broken(files[1])), (both) => {
  const { dictionary: loaded, issues } = loadDictionary(both.map((data, index) => ({ file: `${index}`, data })));
  for (const [index, word] of loaded.ordered.entries())
    if (word.order !== index || word.last < index) throw new Error('the numbering is wrong');
  for (const action of loaded.words('action').slice(0, 20)) {
    const statement = { action: action.id };
    if (validateStatement(statement, loaded).length === 0) render(statement, loaded);
  }
  return issues.length > 0 ? 'with findings' : 'without';
});

// Time against length: pieces repeated, which have the most readings of their length.
const pieces = [
  'player ',
  "player's ",
  'kill or ',
  'railgun, ',
  '( ',
  'not ',
  'the ',
  'kill followed by ',
  'is ',
  'with gun ',
];
for (const [what, read] of [
  ['parse', (sentence: string) => parse(sentence, dictionary).issues.length],
  ['query', (sentence: string) => tried(() => asked(sentence))],
] as const) {
  console.log(`${what}: the slowest of ${pieces.length} repetitions by number of words`);
  for (const words of [10, 20, 40, 80, 160, 320]) {
    const times = pieces.map((piece) => {
      const sentence = piece.repeat(Math.ceil(words / piece.trim().split(' ').length));
      const before = performance.now();
      read(sentence);
      return { ms: performance.now() - before, piece };
    });
    const worst = times.reduce((a, b) => (b.ms > a.ms ? b : a));
    console.log(`  ${String(words).padStart(4)}  ${worst.ms.toFixed(1).padStart(8)} ms  "${worst.piece.trim()} …"`);
  }
}

function tried(act: () => number): number {
  try {
    return act();
  } catch {
    return -1;
  }
}
