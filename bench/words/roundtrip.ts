// Checks that sentences of every style that promises it are read back as the statement, for many random statements over
// many seeds, and measures the cost. Without arguments: 100,000 statements from seed 1, each in every style.
//   node bench/words/roundtrip.ts [statements] [first seed]
import * as fc from 'fast-check';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { collectCast } from '../../src/dictionary/sentences/caster.ts';
import { parse, type Parsed } from '../../src/dictionary/sentences/parse.ts';
import { render, type Style } from '../../src/dictionary/sentences/render.ts';
import { validateStatement } from '../../src/dictionary/statements.ts';
import type { Statement } from '../../src/events/statement.ts';
import { anyStatement } from '../../test/fixtures/statements.ts';

const total = Number(process.argv[2] ?? 100_000);
const firstSeed = Number(process.argv[3] ?? 1);
const perSeed = 1000;
// Prints its progress, so that it can be stopped at any time.
const every = 10_000;
const { dictionary } = await loadBuiltin();
const arbitrary = anyStatement(dictionary);

/**
 * The styles and what each promises: `exact`, the statement is the reading; `among`, it is one of the readings, because a
 * past tense can be a passive without its auxiliary, and a pronoun can stand for a player with articles.
 */
const styles: readonly { name: string; style: Style; promise: 'exact' | 'among' }[] = [
  { name: 'log', style: {}, promise: 'exact' },
  { name: 'caster', style: { style: 'caster' }, promise: 'exact' },
  { name: 'past, articles', style: { tense: 'past', articles: true, sentence: true }, promise: 'among' },
  { name: 'perfect, second person', style: { tense: 'perfect', person: 'second' }, promise: 'among' },
  { name: 'future, first person', style: { tense: 'future', person: 'first', articles: true }, promise: 'among' },
];

interface Tally {
  done: number;
  failed: number;
  exact: number;
  ms: number;
  slowest: { ms: number; text: string };
}

const tallies = new Map(
  styles.map(({ name }) => [name, { done: 0, failed: 0, exact: 0, ms: 0, slowest: { ms: 0, text: '' } } as Tally]),
);
let shown = 0;

function check(statement: Statement, seed: string, { name, style, promise }: (typeof styles)[number]): void {
  const tally = tallies.get(name)!;
  const text = render(statement, dictionary, { ...style, seed });
  const cast = style.style === 'caster' ? collectCast(statement, dictionary) : [];
  const before = performance.now();
  const parsed = parse(text, dictionary, { cast });
  const ms = performance.now() - before;
  tally.done++;
  tally.ms += ms;
  if (ms > tally.slowest.ms) tally.slowest = { ms, text };
  const meant = JSON.stringify(statement);
  const isExact = JSON.stringify(parsed.statement) === meant;
  if (isExact) tally.exact++;
  if (isExact || (promise === 'among' && isAmong(parsed, meant))) return;
  tally.failed++;
  if (shown++ < 20) console.log(`${name}, seed ${seed}: ${text}\n  said  ${meant}\n  read  ${JSON.stringify(parsed)}`);
}

function isAmong({ readings }: Parsed, meant: string): boolean {
  return readings.some((each) => JSON.stringify(each) === meant);
}

let done = 0;
let invalid = 0;
for (let seed = firstSeed; done < total; seed++) {
  if (done > 0 && done % every === 0) console.error(`${done} statements`);
  for (const statement of fc.sample(arbitrary, { numRuns: Math.min(perSeed, total - done), seed })) {
    done++;
    if (validateStatement(statement, dictionary).length > 0) invalid++;
    else for (const style of styles) check(statement, `${seed}.${done}`, style);
  }
}
console.log(`${done} statements from seed ${firstSeed}, ${invalid} invalid`);
for (const [name, { done: count, failed, exact, ms, slowest }] of tallies)
  console.log(
    `${name}: ${count} sentences, ${failed} not read back, ${exact} as the only reading; ` +
      `${((ms / count) * 1000).toFixed(0)} µs each, slowest ${slowest.ms.toFixed(1)} ms (${slowest.text.length} characters)`,
  );
process.exitCode = invalid === 0 && [...tallies.values()].every(({ failed }) => failed === 0) ? 0 : 1;
