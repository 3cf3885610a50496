// Checks parse(render(s)) = s for many random statements over many seeds, and measures its cost.
//   node bench/words/roundtrip.ts [statements] [first seed]
import * as fc from 'fast-check';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { parse } from '../../src/dictionary/sentences/parse.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import { validateStatement } from '../../src/dictionary/statements.ts';
import { anyStatement } from '../../test/fixtures/statements.ts';

const total = Number(process.argv[2] ?? 200_000);
const firstSeed = Number(process.argv[3] ?? 1);
const perSeed = 1000;
// Prints its progress, so that it can be stopped at any time.
const every = 10_000;
const { dictionary } = await loadBuiltin();
const arbitrary = anyStatement(dictionary);

let done = 0;
let slowest = { ms: 0, text: '' };
const failures: string[] = [];
const start = performance.now();
for (let seed = firstSeed; done < total; seed++) {
  if (done > 0 && done % every === 0) console.error(`${done} done, ${failures.length} failed`);
  for (const statement of fc.sample(arbitrary, { numRuns: Math.min(perSeed, total - done), seed })) {
    done++;
    const valid = validateStatement(statement, dictionary);
    const text = valid.length > 0 ? '' : render(statement, dictionary);
    const before = performance.now();
    const parsed = parse(text, dictionary);
    const ms = performance.now() - before;
    if (ms > slowest.ms) slowest = { ms, text };
    if (JSON.stringify(parsed.statement) === JSON.stringify(statement)) continue;
    failures.push(`seed ${seed}: ${text}\n  said  ${JSON.stringify(statement)}\n  read  ${JSON.stringify(parsed)}`);
    if (failures.length <= 20) console.log(failures.at(-1));
  }
}
const seconds = (performance.now() - start) / 1000;
console.log(
  `${done} statements, ${failures.length} not read back as they were; ${((seconds / done) * 1e6).toFixed(0)} µs each`,
);
console.log(
  `slowest parse: ${slowest.ms.toFixed(1)} ms, ${slowest.text.length} characters: ${slowest.text.slice(0, 300)}`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
