import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PlaybyplayError } from '../src/errors.ts';
import { loadLogs } from '../src/query/logs.ts';
import { collectNames } from '../src/query/names.ts';
import { parseQuery } from '../src/query/parse/parse-query.ts';
import type { Query } from '../src/query/query.ts';
import { compileQuery, runQuery, type CompiledQuery, type QueryResult } from '../src/query/run.ts';
import { Vocabulary } from '../src/query/vocabulary.ts';

// Runs the portable questions; cases/README.md says what they mean.

interface Case {
  readonly kind: string;
  readonly log: string;
  readonly query: Query;
  readonly answer: Answer;
  readonly questions: readonly string[];
  readonly refused?: readonly string[];
}

type Answer = Readonly<Partial<Record<'matches' | 'groups' | 'values' | 'value' | 'compared', unknown>>>;

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

function compile(question: string | Query, name: string): CompiledQuery {
  const log = logs.get(name)!;
  return compileQuery(question, log.dictionary, { logs: log });
}

function run(compiled: CompiledQuery, name: string): Answer {
  const { events, durations } = logs.get(name)!;
  return answerOf(compiled, runQuery(compiled, events, { durations }));
}

/** Structured forms by log and question. */
const forms = new Map<string, string>();
const formOf = ({ query }: CompiledQuery): string => JSON.stringify(query);

function answerOf({ query }: CompiledQuery, { matches, groups, values, answer }: QueryResult): Answer {
  if (groups && !query.distinct) return { groups: byLabels(groups.map(({ labels, count }) => [labels, count])) };
  if (values) return { values: values.map(({ value }) => value) };
  if (answer) return { value: answer.value, ...(answer.compared && { compared: answer.compared }) };
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
    expect(rounded(run(compile(query, log), log))).toEqual(rounded(answer));
  });

  it.each(cases.flatMap(({ questions, ...rest }) => questions.map((question) => ({ question, ...rest }))))(
    '“$question”',
    ({ question, log, answer }) => {
      const compiled = compile(question, log);
      forms.set(`${log}: ${question}`, formOf(compiled));
      expect(rounded(run(compiled, log))).toEqual(rounded(answer));
    },
  );

  it.each(cases.flatMap(({ log, refused = [] }) => refused.map((question) => ({ question, log }))))(
    'refuses “$question”, about which the log states nothing',
    ({ question, log }) => {
      const { events, games, dictionary } = logs.get(log)!;
      const vocabulary = new Vocabulary(events, dictionary);
      const { issues } = parseQuery(question, dictionary, { game: games[0], vocabulary, names: collectNames(events) });
      expect(issues.map(({ code }) => code)).toEqual(['absent-word']);
    },
  );
});

/** Words of opposite meaning: exchanging one for the other must change what a question asks. */
const opposites: ReadonlyMap<string, string> = new Map(
  [
    'most fewest',
    'best worst',
    'first last',
    'highest lowest',
    'longest shortest',
    'biggest smallest',
    'fastest slowest',
    'before after',
    'below above',
    'with without',
    'more less',
    'second third',
    'rises drops',
    'gain lose',
    'start end',
    'minute second',
    'railgun shotgun',
    'health armor',
    'sarge major',
    'goals fouls',
  ].flatMap((pair): [string, string][] => {
    const [one, other] = pair.split(' ') as [string, string];
    return [
      [one, other],
      [other, one],
    ];
  }),
);

/** The structured form of a question; `undefined` if it is refused. */
function read(question: string, name: string): string | undefined {
  const key = `${name}: ${question}`;
  const log = logs.get(name)!;
  try {
    const form =
      forms.get(key) ??
      formOf(compileQuery(question, log.dictionary, { logs: log, withoutReason: true, asItStands: true }));
    forms.set(key, form);
    return form;
  } catch (error) {
    if (error instanceof PlaybyplayError) return undefined;
    throw error;
  }
}

describe('no word of a question is ignored', () => {
  const questions = cases.flatMap(({ log, questions: each }) => each.map((question) => ({ log, question })));

  it('refuses a question with an unknown word in any place', () => {
    // One word of every fifth question; all words of all questions: bench/words/accounted.ts.
    const understood = questions.flatMap(({ log, question }, index) => {
      const words = question.split(' ');
      const at = (index / 5) % words.length;
      // Any word can be the name of a session.
      if (index % 5 !== 0 || words[at - 1] === 'session') return [];
      const changed = words.with(at, 'qwzrtu').join(' ');
      return read(changed, log) === undefined ? [] : [changed];
    });
    expect(understood).toEqual([]);
  });

  it('refuses a question, or asks something else, when a word that changes its meaning is added', () => {
    // One word in one place of every thirtieth question; more of them: bench/words/mutations.ts.
    const added = 'only not except twice together other without both half last next again alone else'.split(' ');
    const same = questions.flatMap(({ log, question }, index) => {
      const word = added[(index / 30) % added.length];
      if (word === undefined || question.split(' ').includes(word)) return [];
      const words = question.split(' ');
      const changed = words.toSpliced(1 + (index % words.length), 0, word).join(' ');
      return read(changed, log) === read(question, log) ? [changed] : [];
    });
    expect(same).toEqual([]);
  });

  it('asks something else when a word is exchanged for its opposite', () => {
    const same = questions.flatMap(({ log, question }) => {
      const words = question.split(' ');
      return words.flatMap((word, at) => {
        const other = opposites.get(word.toLowerCase());
        if (other === undefined) return [];
        const changed = words.with(at, other).join(' ');
        return read(changed, log) === read(question, log) ? [`${question}: ${changed}`] : [];
      });
    });
    expect(same).toEqual([]);
  });
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
