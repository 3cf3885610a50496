// Asks random variations of the questions of the cases on their logs: words added, removed, exchanged and misspelt. No crash, no
// hang; prints how many are understood, and the slowest.
// The search for a question that works, which follows a refusal, is made for every hundredth.
//   node bench/words/fuzz-questions.ts [runs] [seed]
import { PlaybyplayError } from '../../src/errors.ts';
import { compileQuery, runQuery } from '../../src/query/run.ts';
import { cases, createRandom, loadCaseLogs } from './question-cases.ts';

const runs = Number(process.argv[2] ?? 100_000);
const random = createRandom(Number(process.argv[3] ?? 1));

const questions = cases.flatMap(({ log, questions: each }) =>
  each.map((question) => ({ log, words: question.split(' ') })),
);
const allWords = [...new Set(questions.flatMap(({ words }) => words))];
const logs = await loadCaseLogs();

function vary(words: readonly string[]): string {
  let varied = words;
  for (let changes = 1 + random(3); changes > 0; changes--) {
    const at = random(varied.length);
    const word = varied[at] ?? '';
    const other = allWords[random(allWords.length)]!;
    const letter = random(Math.max(1, word.length));
    varied = [
      () => varied.toSpliced(at, 1),
      () => varied.toSpliced(at, 0, other),
      () => varied.with(at, other),
      () => varied.with(at, word.slice(0, letter) + word.slice(letter + 1)),
    ][random(4)]!();
    if (varied.length === 0) varied = [other];
  }
  return varied.join(' ');
}

let understood = 0;
let slowest = { ms: 0, question: '' };
const start = process.cpuUsage();
for (let run = 0; run < runs; run++) {
  const { log: name, words } = questions[random(questions.length)]!;
  const log = logs.get(name)!;
  const question = vary(words);
  const before = process.cpuUsage();
  try {
    const options = { logs: log, withoutReason: run % 100 !== 0 };
    runQuery(compileQuery(question, log.dictionary, options), log.events, { durations: log.durations });
    understood++;
  } catch (error) {
    if (!(error instanceof PlaybyplayError) || error.issues.length === 0) {
      process.exitCode = 1;
      console.log(`failed: ${question}\n  ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  if (ms > slowest.ms) slowest = { ms, question };
}
const { user, system } = process.cpuUsage(start);
console.log(
  `${runs} questions: ${understood} understood, ${runs - understood} refused; ${((user + system) / 1000 / runs).toFixed(1)} ms of ` +
    `processor time each; slowest ${slowest.ms.toFixed(0)} ms: ${slowest.question}`,
);
