// Adds to each question of the cases a word that changes its meaning, and replaces a word by one, at random places: the answer
// must change, or the question be refused. Prints the questions that mean the same, and how many mean something else.
//   node bench/words/mutations.ts [mutations of each question] [seed] [--changed]
import { PlaybyplayError } from '../../src/errors.ts';
import type { LoadedLogs } from '../../src/query/logs.ts';
import { describeQuery } from '../../src/query/describe.ts';
import { compileQuery } from '../../src/query/run.ts';
import { cases, createRandom, loadCaseLogs } from './question-cases.ts';

const meaningful = (
  'only not except twice together average other without both half last next never again alone else neither least second ' +
  'consecutive exclusively instead'
).split(' ');

const mutations = Number(process.argv[2] ?? 10);
const random = createRandom(Number(process.argv[3] ?? 1));
const showsChanged = process.argv.includes('--changed');

function read(question: string, log: LoadedLogs): { readonly meaning: string; readonly text: string } | undefined {
  try {
    const { query, dictionary } = compileQuery(question, log.dictionary, { logs: log, withoutReason: true });
    return { meaning: JSON.stringify(query), text: describeQuery(query, dictionary) };
  } catch (error) {
    if (error instanceof PlaybyplayError) return undefined;
    throw error;
  }
}

const logs = await loadCaseLogs();
const tally = { asked: 0, refused: 0, changed: 0, same: 0 };
for (const { log: name, questions } of cases) {
  const log = logs.get(name)!;
  for (const question of questions) {
    const words = question.split(' ');
    let before: string | undefined;
    for (let run = 0; run < mutations; run++) {
      const word = meaningful[random(meaningful.length)]!;
      const at = random(words.length + 1);
      if (words.includes(word) || words[at] === word) continue;
      const changed = (
        random(2) === 0 ? words.toSpliced(at, 0, word) : words.with(Math.min(at, words.length - 1), word)
      ).join(' ');
      tally.asked++;
      const after = read(changed, log);
      if (!after) {
        tally.refused++;
        continue;
      }
      before ??= read(question, log)?.meaning;
      const isSame = before === after.meaning;
      tally[isSame ? 'same' : 'changed']++;
      if (isSame) console.log(`same: ${changed} (${question})`);
      else if (showsChanged) console.log(`changed: ${changed}\n  ${after.text}`);
    }
  }
}
const { asked, refused, changed, same } = tally;
console.log(`${asked} mutations: ${refused} refused, ${changed} mean something else, ${same} the same`);
