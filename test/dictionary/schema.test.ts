import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadDictionary } from '../../src/dictionary/load.ts';
import { dictionarySchema } from '../../src/dictionary/format.ts';
import { logMappingSchema } from '../../src/events/import/mapping.ts';
import { settingsSchema } from '../../src/highlights/settings.ts';
import { checkShape, Report } from '../../src/dictionary/shape.ts';
import { compileQuery } from '../../src/query/run.ts';
import { querySchema } from '../../src/query/query.ts';
import { checkSchema } from '../../src/schema/check.ts';
import { findSchemaError } from '../../src/schema/compile.ts';
import { broken } from '../fixtures/dictionary/broken.ts';

const ajv = new Ajv2020({ allErrors: false, strict: false, unicodeRegExp: true });
const isDictionary = ajv.compile(dictionarySchema as object);
const isQuery = ajv.compile(querySchema as object);

function read<Shape>(path: string): Shape {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')) as Shape;
}

function hasShape(data: unknown): boolean {
  const report = new Report('file');
  checkShape(data, report);
  return report.issues.length === 0;
}

describe('the published schemas', () => {
  it.each([
    ['dictionary', dictionarySchema],
    ['query', querySchema],
    ['log-mapping', logMappingSchema],
    ['highlight-settings', settingsSchema],
  ])('docs/reference/%s.schema.json is up to date (node tools/schemas.ts)', (name, schema) => {
    expect(read(`docs/reference/${name}.schema.json`)).toEqual(schema);
  });

  it('are valid JSON Schemas', () => {
    expect([findSchemaError(dictionarySchema), findSchemaError(querySchema)]).toEqual([undefined, undefined]);
  });

  it.each(['common', 'freedoom', 'hedgewars', 'nethack', 'openarena', 'stream'])(
    'accept dictionary/%s.json',
    (name) => {
      expect(isDictionary(read(`dictionary/${name}.json`))).toBe(true);
    },
  );

  it('accept and refuse the same files as loadDictionary', () => {
    const files = ['common', 'arena', 'paint'].map((name) => read(`test/cases/dictionaries/${name}.json`));
    fc.assert(
      fc.property(fc.constantFrom(...files).chain(broken), (data) => {
        expect([hasShape(data), JSON.stringify(data)]).toEqual([isDictionary(data), JSON.stringify(data)]);
      }),
      { numRuns: 1500 },
    );
  });

  it('accept the structured form of every query of the cases, and refuse invalid variants as the program does', () => {
    const { matches, counts, dictionaries } = read<{
      matches: { query: string }[];
      counts: { query: string }[];
      dictionaries: string[];
    }>('test/cases/queries.json');
    const sources = dictionaries.map((name) => ({ file: name, data: read(`test/cases/dictionaries/${name}.json`) }));
    const { dictionary } = loadDictionary(sources);
    const queries = [...matches, ...counts].map(({ query }) => compileQuery(query, dictionary).query);
    for (const query of queries) expect([isQuery(query), isQuery.errors, query]).toEqual([true, null, query]);
    fc.assert(
      fc.property(fc.constantFrom<unknown>(...queries).chain(broken), (query) => {
        expect([checkSchema(querySchema, query).length === 0, JSON.stringify(query)]).toEqual([
          isQuery(query),
          JSON.stringify(query),
        ]);
      }),
      { numRuns: 500 },
    );
  });
});
