import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Dictionary } from '../src/dictionary/dictionary.ts';
import { pluralOf, verbForms } from '../src/dictionary/inflection.ts';
import { diffDictionaries } from '../src/dictionary/diff.ts';
import { parse } from '../src/dictionary/sentences/parse.ts';
import type { SentenceIssue } from '../src/dictionary/sentences/parse-errors.ts';
import { render } from '../src/dictionary/sentences/render.ts';
import { validateStatement } from '../src/dictionary/statements.ts';
import { loadDictionary } from '../src/dictionary/load.ts';
import { PlaybyplayError, type Issue } from '../src/errors.ts';
import type { EventLine } from '../src/events/log.ts';
import type { Statement } from '../src/events/statement.ts';
import type { Query } from '../src/query/query.ts';
import { compileQuery, matchEvents, runQuery } from '../src/query/run.ts';

// Runs the portable cases; cases/README.md says what each file means.

function read<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(new URL(`cases/${name}.json`, import.meta.url), 'utf8')) as Shape;
}

const loaded = new Map<string, Dictionary>();

function dictionaryOf(names: readonly string[]): Dictionary {
  const key = names.join(' ');
  let dictionary = loaded.get(key);
  if (!dictionary) {
    const result = loadDictionary(names.map((name) => ({ file: name, data: read(`dictionaries/${name}`) })));
    if (result.issues.length > 0) throw new Error(JSON.stringify(result.issues));
    dictionary = result.dictionary;
    loaded.set(key, dictionary);
  }
  return dictionary;
}

interface Sentences {
  readonly dictionaries: readonly string[];
  readonly canonical: readonly { readonly text: string; readonly statement: Statement }[];
  readonly tolerant: readonly { readonly sentence: string; readonly statement: Statement }[];
  readonly rejected: readonly {
    readonly sentence: string;
    readonly code?: string;
    readonly place?: readonly [number, number];
  }[];
  readonly ambiguous: readonly {
    readonly sentence: string;
    readonly dictionaries: readonly string[];
    readonly readings: readonly string[];
  }[];
}

describe('cases: sentences', () => {
  const { dictionaries, canonical, tolerant, rejected, ambiguous } = read<Sentences>('sentences');
  const dictionary = dictionaryOf(dictionaries);

  it.each(canonical)('“$text” is rendered and parsed', ({ text, statement }) => {
    expect(validateStatement(statement, dictionary)).toEqual([]);
    expect(render(statement, dictionary)).toBe(text);
    expect(parse(text, dictionary)).toEqual({ statement, readings: [statement], issues: [] });
  });

  it.each(tolerant)('“$sentence” is parsed', ({ sentence, statement }) => {
    const parsed = parse(sentence, dictionary);
    expect([parsed.issues, parsed.statement]).toEqual([[], statement]);
  });

  it.each(rejected)('“$sentence” is refused', ({ sentence, code, place }) => {
    const { statement, issues } = parse(sentence, dictionary);
    expect(statement).toBe(undefined);
    expect(issues.length).toBeGreaterThan(0);
    expect(issues[0]).toMatchObject(wanted(code, place));
  });

  it.each(ambiguous)('“$sentence” has several readings', ({ sentence, dictionaries: names, readings }) => {
    const several = dictionaryOf(names);
    const parsed = parse(sentence, several);
    expect(parsed.statement).toBe(undefined);
    expect(parsed.issues.map(({ code }) => code)).toEqual(['ambiguous-sentence']);
    expect(parsed.readings.map((reading) => render(reading, several)).toSorted()).toEqual(readings.toSorted());
  });
});

/** What an issue must at least hold. */
function wanted(code: string | undefined, place: readonly [number, number] | undefined): object {
  return { ...(code !== undefined && { code }), ...(place && { start: place[0], end: place[1] }) };
}

interface Expected {
  readonly code: string;
  readonly path?: string;
}

/** Code and path of each issue, in an order of their own. */
function brief(issues: readonly Issue[], expected: readonly Expected[]): Expected[] {
  const withPath = new Set(expected.filter(({ path }) => path !== undefined).map(({ code }) => code));
  return issues
    .map(({ code, path }) => (withPath.has(code) && path !== undefined ? { code, path } : { code }))
    .toSorted(byText);
}

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

describe('cases: statements', () => {
  interface Statements {
    readonly dictionaries: readonly string[];
    readonly cases: readonly { readonly statement: unknown; readonly issues: readonly Expected[] }[];
  }
  const { dictionaries, cases } = read<Statements>('statements');
  const dictionary = dictionaryOf(dictionaries);

  it.each(cases.map((each) => [JSON.stringify(each.statement), each] as const))('%s', (_, { statement, issues }) => {
    expect(brief(validateStatement(statement, dictionary), issues)).toEqual(issues.toSorted(byText));
  });
});

describe('cases: inflections', () => {
  const { verbs, nouns } = read<{ readonly verbs: readonly string[][]; readonly nouns: readonly string[][] }>(
    'inflections',
  );

  it.each(verbs)('%s', (base, ...forms) => {
    const { third, past, participle, gerund } = verbForms(base!);
    expect([third, past, participle, gerund]).toEqual(forms);
  });

  it.each(nouns)('%s', (noun, plural) => {
    expect(pluralOf(noun!)).toBe(plural);
  });
});

interface CaseEvent {
  readonly id: string;
  readonly session: string;
  readonly game: string;
  readonly t: number;
  readonly end: number;
  readonly confidence: number;
  readonly statement: Statement;
}

const eventsOf = (events: readonly CaseEvent[]): EventLine[] =>
  events.map((event) => ({ type: 'event', text: '', cues: [], ...event }));

describe('cases: queries', () => {
  interface Queries {
    readonly dictionaries: readonly string[];
    readonly durations: Readonly<Record<string, number>>;
    readonly events: readonly CaseEvent[];
    readonly matches: readonly { readonly query: string; readonly matches: readonly (readonly string[])[] }[];
    readonly counts: readonly {
      readonly query: string;
      readonly count: number;
      readonly groups?: readonly (readonly [readonly string[], number])[];
    }[];
    readonly rejected: readonly {
      readonly query: string;
      readonly code: string;
      readonly place?: readonly [number, number];
    }[];
    readonly structured: readonly { readonly query: string; readonly json: Query }[];
  }
  const cases = read<Queries>('queries');
  const dictionary = dictionaryOf(cases.dictionaries);
  const events = eventsOf(cases.events);
  const durations = new Map(Object.entries(cases.durations));

  it.each(cases.matches)('“$query”', ({ query, matches }) => {
    const found = matchEvents(compileQuery(query, dictionary), events, { durations });
    expect(found.map((match) => match.events.map(({ id }) => id))).toEqual(matches);
  });

  it.each(cases.counts)('“$query” counts', ({ query, count, groups }) => {
    const result = runQuery(compileQuery(query, dictionary), events, { durations });
    expect(result.count).toBe(count);
    expect(result.groups?.map((group) => [group.labels, group.count])).toEqual(groups);
  });

  it.each(cases.rejected)('“$query” is refused', ({ query, code, place }) => {
    const [issue] = issuesOf(() => compileQuery(query, dictionary));
    expect(issue).toMatchObject(wanted(code, place));
  });

  it.each(cases.structured)('“$query” has its structured form', ({ query, json }) => {
    expect(compileQuery(query, dictionary).query).toEqual(json);
    const asSentence = matchEvents(compileQuery(query, dictionary), events, { durations });
    expect(matchEvents(compileQuery(json, dictionary), events, { durations })).toEqual(asSentence);
  });
});

function issuesOf(act: () => unknown): readonly SentenceIssue[] {
  try {
    act();
  } catch (error) {
    if (error instanceof PlaybyplayError) return error.issues as readonly SentenceIssue[];
    throw error;
  }
  return [];
}

describe('cases: dictionaries', () => {
  interface Dictionaries {
    readonly cases: readonly {
      readonly title: string;
      readonly files: readonly unknown[];
      readonly issues: readonly Expected[];
    }[];
  }

  it.each(read<Dictionaries>('dictionaries').cases)('$title', ({ files, issues }) => {
    const result = loadDictionary(files.map((data, index) => ({ file: `${index}`, data })));
    const found = result.issues.map(({ code, path, message }) => ({
      code,
      path: path!.slice(path!.indexOf('#') + 1),
      message,
    }));
    expect(brief(found, issues)).toEqual(issues.toSorted(byText));
  });
});

describe('cases: versions', () => {
  interface Versions {
    readonly old: unknown;
    readonly new: unknown;
    readonly events: readonly CaseEvent[];
    readonly cases: readonly {
      readonly query: string;
      readonly old: readonly string[] | null;
      readonly new: readonly string[];
    }[];
  }
  const { old, new: now, events, cases } = read<Versions>('versions');
  const [before, after] = [old, now].map((data) => loadDictionary([{ file: 'common', data }]).dictionary);
  /** The ids that it finds, or the code by which it is refused. */
  const ask = (query: string, dictionary: Dictionary): string[] => {
    const [refusal] = issuesOf(() => compileQuery(query, dictionary));
    if (refusal) return [refusal.code];
    return matchEvents(compileQuery(query, dictionary), eventsOf(events)).flatMap((match) =>
      match.events.map(({ id }) => id),
    );
  };

  it.each(cases)(
    '“$query” is answered by an old log under a new version',
    ({ query, old: expected, new: expectedNow }) => {
      expect(ask(query, before!)).toEqual(expected ?? ['unknown-word']);
      expect(ask(query, after!)).toEqual(expectedNow);
    },
  );

  it('inserting parents is not a breaking change', () => {
    expect(diffDictionaries(before!, after!)).toMatchObject({ needs: 'minor' });
  });
});
