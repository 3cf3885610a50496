import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSchema } from './check.ts';
import { findSchemaError } from './compile.ts';
import type { Schema } from './from-schema.ts';

const leaf = fc.oneof(
  fc.integer({ min: -3, max: 12 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -4, max: 4 }),
  fc.constantFrom('a', 'ab', 'abc', 'left', 'é'),
  fc.boolean(),
  fc.constant(null),
);
const key = fc.constantFrom('a', 'b', 'c');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const scalarSchema = fc.constantFrom<Schema>(
  { type: 'number', minimum: 0, maximum: 3 },
  { type: 'integer', exclusiveMinimum: -2, exclusiveMaximum: 5 },
  { type: ['string', 'null'], minLength: 2 },
  { type: 'string', pattern: '^a', maxLength: 2 },
  { enum: ['left', 3, null] },
  { const: true },
  { not: { type: 'string' } },
  { multipleOf: 2 },
  true,
  false,
);
const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalarSchema,
    fc.record({
      type: fc.constant('array'),
      items: tie('schema'),
      minItems: fc.nat({ max: 2 }),
      uniqueItems: fc.boolean(),
    }),
    fc.record({
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      items: tie('schema'),
      maxItems: fc.nat({ max: 3 }),
    }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(key, tie('schema'), { minKeys: 1, noNullPrototype: true }),
      required: fc.uniqueArray(key, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      maxProperties: fc.integer({ min: 1, max: 3 }),
      dependentRequired: fc.dictionary(key, fc.uniqueArray(key, { maxLength: 1 }), {
        maxKeys: 1,
        noNullPrototype: true,
      }),
    }),
    fc.record({
      propertyNames: fc.constant<Schema>({ enum: ['a', 'b'] }),
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), tie('schema'), { noNullPrototype: true }),
    }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
    fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
  ),
}));

describe('checkSchema', () => {
  it('finds issues in the values that ajv refuses, and in no others', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 6 }), (form, values) => {
        const validate = ajv.compile(form as object);
        for (const one of values) expect(checkSchema(form, one).length === 0).toBe(validate(one));
      }),
      { numRuns: 300 },
    );
  });

  it('follows recursive references', () => {
    const form: Schema = {
      $defs: { list: { type: 'array', items: { type: 'object', properties: { more: { $ref: '#/$defs/list' } } } } },
      properties: { list: { $ref: '#/$defs/list' } },
    };
    expect(checkSchema(form, { list: [{ more: [{}] }] })).toEqual([]);
    const issues = checkSchema(form, { list: [{ more: [3] }] }, { source: 'f.json' });
    expect(issues.map(({ path }) => path)).toEqual(['f.json#/list/0/more/0']);
  });

  it('reports all issues at once, with place, reason and nearest spelling', () => {
    const form: Schema = {
      type: 'object',
      required: ['width', 'title'],
      additionalProperties: false,
      properties: {
        width: { type: 'number', maximum: 1 },
        title: { type: 'string' },
        anchor: { enum: ['left', 'right', 'centre'] },
        game: { type: 'string', pattern: '^[a-z]+$', $comment: 'must consist of lower-case letters' },
        padding: { oneOf: [{ type: 'number' }, { type: 'object', required: ['x'] }] },
        names: { type: 'array', items: { type: 'string' }, maxItems: 1 },
      },
    };
    const wrong = { widht: 0.1, title: 7, anchor: 'rigth', game: 'Doom', padding: {}, names: ['a/b', 3] };
    expect(checkSchema(form, wrong, { source: 'p.json', pointer: '/a' })).toEqual([
      { code: 'schema-missing', path: 'p.json#/a', message: '"width" is missing in "a"' },
      {
        code: 'schema-unknown',
        path: 'p.json#/a/widht',
        message: '"widht" is not a known property',
        hint: 'Did you mean "width"?',
      },
      { code: 'schema-type', path: 'p.json#/a/title', message: '"title" must be a string, not 7' },
      {
        code: 'schema-value',
        path: 'p.json#/a/anchor',
        message: '"anchor" must be one of left, right, centre, not "rigth"',
        hint: 'Did you mean "right"?',
      },
      { code: 'schema-form', path: 'p.json#/a/game', message: '"game" must consist of lower-case letters' },
      { code: 'schema-missing', path: 'p.json#/a/padding', message: '"x" is missing in "padding"' },
      { code: 'schema-length', path: 'p.json#/a/names', message: '"names" must have at most 1 item, not 2' },
      { code: 'schema-type', path: 'p.json#/a/names/1', message: '"names/1" must be a string, not 3' },
    ]);
  });

  it('checks regular expressions and reports the strings of other formats', () => {
    const seen: string[] = [];
    const form: Schema = {
      properties: { p: { type: 'string', format: 'regex' }, f: { type: 'string', format: 'asset' } },
    };
    const issues = checkSchema(form, { p: '(', f: 'x.png' }, { onFormat: (...found) => seen.push(found.join(' ')) });
    expect(issues.map(({ code, path }) => [code, path])).toEqual([['schema-form', '#/p']]);
    expect(seen).toEqual(['asset x.png /f']);
  });

  it('refuses values nested too deeply for a recursive schema', () => {
    const form: Schema = { $id: 'urn:tree', type: 'array', items: { $ref: '#' } };
    const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
    expect(checkSchema(form, deep).map(({ code }) => code)).toEqual(['schema-depth']);
  });
});

describe('findSchemaError', () => {
  it('names an unknown keyword and a keyword of the wrong type', () => {
    expect(findSchemaError({ type: 'object', properties: { a: { type: 'number', mininum: 2 } } })).toMatch(/"mininum"/);
    expect(findSchemaError({ type: 'number', minimum: 'x' })).toMatch(/minimum/);
    expect(findSchemaError({ type: 'string', format: 'asset', description: 'A file.' })).toBe(undefined);
  });
});
