import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSchema } from './check.ts';
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
  it('refuses what ajv refuses, and nothing else', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    fc.assert(
      fc.property(schema, fc.array(value, { minLength: 1, maxLength: 6 }), (form, values) => {
        const validate = ajv.compile(form as object);
        for (const one of values) expect(checkSchema(form, one).length === 0).toBe(validate(one));
      }),
      { numRuns: 500 },
    );
  });

  it('follows references within the schema and to others', () => {
    const list: Schema = {
      $id: 'urn:list',
      type: 'array',
      items: { type: 'object', properties: { more: { $ref: 'urn:list' } } },
    };
    const form: Schema = {
      $defs: { n: { type: 'number' } },
      properties: { n: { $ref: '#/$defs/n' }, list: { $ref: 'urn:list' } },
    };
    const good = { n: 1, list: [{ more: [{}] }] };
    expect(checkSchema(form, good, { others: [list] })).toEqual([]);
    const issues = checkSchema(form, { n: 'x', list: [{ more: [3] }] }, { others: [list], source: 'f.json' });
    expect(issues.map(({ path }) => path)).toEqual(['f.json#/n', 'f.json#/list/0/more/0']);
  });

  it('says all at once what is wrong, where, and the nearest right spelling', () => {
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
    expect(checkSchema(form, wrong, { source: 'p.json' })).toEqual([
      { code: 'schema-missing', path: 'p.json#', message: '“width” is missing' },
      {
        code: 'schema-unknown',
        path: 'p.json#/widht',
        message: '“widht” is not known here',
        hint: 'Did you mean "width"?',
      },
      { code: 'schema-type', path: 'p.json#/title', message: '“title” must be a text, not 7' },
      {
        code: 'schema-value',
        path: 'p.json#/anchor',
        message: '“anchor” must be one of left, right, centre; "rigth" is not',
        hint: 'Did you mean "right"?',
      },
      { code: 'schema-form', path: 'p.json#/game', message: '“game” must consist of lower-case letters' },
      { code: 'schema-missing', path: 'p.json#/padding', message: '“x” is missing in “padding”' },
      { code: 'schema-type', path: 'p.json#/names/1', message: '“names/1” must be a text, not 3' },
      { code: 'schema-length', path: 'p.json#/names', message: '“names” must have at most 1 entry, not 2' },
    ]);
  });

  it('reads numbers, patterns and formats as they are meant', () => {
    const seen: string[] = [];
    const form: Schema = {
      properties: { p: { type: 'string', format: 'regex' }, f: { type: 'string', format: 'asset' } },
    };
    const issues = checkSchema(form, { p: '(', f: 'x.png' }, { onFormat: (...found) => seen.push(found.join(' ')) });
    expect(issues.map(({ code }) => code)).toEqual(['schema-form']);
    expect(seen).toEqual(['asset x.png /f']);
  });

  it('is a programmer’s mistake with a keyword it does not know', () => {
    expect(() => checkSchema({ minContains: 2 }, [])).toThrow(TypeError);
    expect(() => checkSchema({ $ref: 'urn:gone' }, [])).toThrow(TypeError);
  });
});
