// Replaces each word of each question of the cases by an unknown one, and leaves each word out: prints which questions with an
// unknown word are still understood (none should be), and the words without which a question means the same.
//   node bench/words/accounted.ts [every n-th question, default 1]
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PlaybyplayError } from '../../src/errors.ts';
import { loadLogs, type LoadedLogs } from '../../src/query/logs.ts';
import { compileQuery } from '../../src/query/run.ts';

interface Case {
  readonly log: string;
  readonly questions: readonly string[];
  readonly heldOut?: readonly string[];
}

const path = (name: string): string => fileURLToPath(new URL(`../../test/cases/${name}`, import.meta.url));
const { cases } = JSON.parse(readFileSync(path('questions.json'), 'utf8')) as { cases: readonly Case[] };

function read(question: string, log: LoadedLogs): string | undefined {
  try {
    return JSON.stringify(compileQuery(question, log.dictionary, { logs: log, withoutReason: true }).query);
  } catch (error) {
    if (error instanceof PlaybyplayError) return undefined;
    throw error;
  }
}

const step = Number(process.argv[2] ?? 1);
let index = 0;
const logs = new Map<string, LoadedLogs>();
const without = new Map<string, number>();
const understood: string[] = [];
let replaced = 0;
for (const { log: name, questions, heldOut = [] } of cases) {
  const log = logs.get(name) ?? (await loadLogs(name.split('+').map((each) => path(`logs/${each}.ndjson`))));
  logs.set(name, log);
  for (const question of [...questions, ...heldOut]) {
    if (index++ % step !== 0) continue;
    const meaning = read(question, log);
    if (meaning === undefined) continue;
    const words = question.split(' ');
    for (const [at, word] of words.entries()) {
      if (words[at - 1] !== 'session') {
        replaced++;
        const changed = words.with(at, 'qwzrtu').join(' ');
        if (read(changed, log) !== undefined) understood.push(changed);
      }
      if (read(words.toSpliced(at, 1).join(' '), log) !== meaning) continue;
      const key = word.toLowerCase().replace(/[?!.,]+$/, '');
      without.set(key, (without.get(key) ?? 0) + 1);
    }
  }
}
console.log(`${replaced} questions with an unknown word, ${understood.length} understood\n${understood.join('\n')}`);
const sorted = [...without].toSorted((a, b) => b[1] - a[1]).map(([word, count]) => `${word} ${count}`);
console.log(`words without which a question means the same: ${sorted.join(', ')}`);
