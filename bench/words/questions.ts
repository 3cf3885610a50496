// Asks the questions of the portable cases, the held-out ones too, and prints by kind how many are right, refused and wrong.
//   node bench/words/questions.ts [file of cases] [--all]
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PlaybyplayError } from '../../src/errors.ts';
import { loadLogs, type LoadedLogs } from '../../src/query/logs.ts';
import type { Query } from '../../src/query/query.ts';
import { compileQuery, runQuery } from '../../src/query/run.ts';

interface Case {
  readonly kind: string;
  readonly log: string;
  readonly query: Query;
  readonly questions: readonly string[];
  readonly heldOut?: readonly string[];
  readonly unanswered?: readonly string[];
}

const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const all = process.argv.includes('--all');
const path = (name: string): string => fileURLToPath(new URL(`../../test/cases/${name}`, import.meta.url));
const { cases } = JSON.parse(readFileSync(paths[0] ?? path('questions.json'), 'utf8')) as { cases: readonly Case[] };

function answer(question: string | Query, log: LoadedLogs): string {
  const compiled = compileQuery(question, log.dictionary, { logs: log });
  const result = runQuery(compiled, log.events, { durations: log.durations });
  const { groups, values, matches } = result;
  if (groups && !compiled.query.distinct) return JSON.stringify(groups.map(({ labels, count }) => [labels, count]));
  if (values) return JSON.stringify(values.map(({ value }) => value));
  return JSON.stringify(result.answer?.value ?? matches.map(({ events }) => events.map(({ id }) => id)));
}

const logs = new Map<string, LoadedLogs>();
const tally = new Map<string, { right: number; refused: number; wrong: number }>();
const lines: string[] = [];
for (const { kind, log: name, query, questions, heldOut = [], unanswered = [] } of cases) {
  const files = name.split('+').map((each) => path(`logs/${each}.ndjson`));
  const log = logs.get(name) ?? (await loadLogs(files));
  logs.set(name, log);
  const expected = answer(query, log);
  const asked = paths.length > 0 || all ? [...questions, ...unanswered, ...heldOut] : heldOut;
  const counts = tally.get(kind) ?? { right: 0, refused: 0, wrong: 0 };
  tally.set(kind, counts);
  for (const question of asked) {
    try {
      const isRight = answer(question, log) === expected;
      counts[isRight ? 'right' : 'wrong']++;
      if (!isRight) lines.push(`wrong: ${question}`);
    } catch (error) {
      if (!(error instanceof PlaybyplayError)) throw error;
      counts.refused++;
      lines.push(`refused: ${question} — ${error.issues[0]?.message} ${error.issues[0]?.hint ?? ''}`);
    }
  }
}
console.log('| kind | right | refused | wrong |\n|---|---|---|---|');
const total = { right: 0, refused: 0, wrong: 0 };
for (const [kind, { right, refused, wrong }] of tally) {
  console.log(`| ${kind} | ${right} | ${refused} | ${wrong} |`);
  total.right += right;
  total.refused += refused;
  total.wrong += wrong;
}
console.log(`| all | ${total.right} | ${total.refused} | ${total.wrong} |\n\n${lines.join('\n')}`);
