import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadLogs, type LoadedLogs } from '../src/query/logs.ts';
import type { Query } from '../src/query/query.ts';
import { compileQuery, runQuery, type CompiledQuery, type QueryResult } from '../src/query/run.ts';

// Runs the portable questions; cases/README.md says what they mean.

interface Case {
  readonly kind: string;
  readonly log: string;
  readonly query: Query;
  readonly answer: Answer;
  readonly questions: readonly string[];
}

type Answer = Readonly<Partial<Record<'matches' | 'groups' | 'values' | 'value', unknown>>>;

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const { cases } = JSON.parse(readFileSync(path('cases/questions.json'), 'utf8')) as { cases: readonly Case[] };

const names = [...new Set(cases.map(({ log }) => log))];
const logs = new Map(
  await Promise.all(
    names.map(async (name) => {
      const files = name.split('+').map((each) => path(`cases/logs/${each}.ndjson`));
      return [name, await loadLogs(files)] as const;
    }),
  ),
);

function ask(question: string | Query, log: LoadedLogs): Answer {
  const compiled = compileQuery(question, log.dictionary, { logs: log });
  return answerOf(compiled, runQuery(compiled, log.events, { durations: log.durations }));
}

function answerOf({ query }: CompiledQuery, { matches, groups, values, answer }: QueryResult): Answer {
  if (groups && !query.distinct) return { groups: byLabels(groups.map(({ labels, count }) => [labels, count])) };
  if (values) return { values: values.map(({ value }) => value) };
  if (answer) return { value: answer.value };
  return { matches: matches.map(({ events }) => events.map(({ id }) => id)) };
}

function byLabels(groups: readonly (readonly [readonly string[], number])[]): unknown {
  return groups.toSorted(([a], [b]) => (a.join() < b.join() ? -1 : 1));
}

/** Rounds numbers to six digits, as two programs add them in different orders. */
function rounded(answer: Answer): unknown {
  return JSON.parse(JSON.stringify(answer), (_key, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(6)) : value,
  );
}

describe('the cases of questions', () => {
  it.each(cases)('$kind: the structured form of “$questions.0” has its answer', ({ log, query, answer }) => {
    expect(rounded(ask(query, logs.get(log)!))).toEqual(rounded(answer));
  });

  it.each(cases.flatMap(({ questions, ...rest }) => questions.map((question) => ({ question, ...rest }))))(
    '“$question”',
    ({ question, log, answer }) => {
      expect(rounded(ask(question, logs.get(log)!))).toEqual(rounded(answer));
    },
  );
});

const python = spawnSync('python3', ['--version'], { encoding: 'utf8' });

describe('the second evaluator', () => {
  if (python.status !== 0) console.warn('the second evaluator is not run: there is no python3');

  it.runIf(python.status === 0)('computes the same answers', () => {
    const requests = cases.map(({ log, query }) => JSON.stringify({ log, query })).join('\n');
    const { stdout, stderr } = spawnSync(
      'python3',
      [path('evaluator/evaluate.py'), path('../dictionary'), path('cases/logs')],
      { input: requests, encoding: 'utf8', maxBuffer: 1 << 26 },
    );
    expect(stderr).toBe('');
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => rounded(JSON.parse(line) as Answer));
    expect(answers).toEqual(cases.map(({ answer }) => rounded(answer)));
  });
});
