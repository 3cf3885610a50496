import { describe, expect, it } from 'vitest';
import { parseJsonFile } from './parse.ts';

const schema = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: { name: { type: 'string' }, size: { type: 'number' } },
} as const;
const options = { source: 'x.json', code: 'x-broken', hint: 'Write it again.' };

describe('parseJsonFile', () => {
  it('returns the value of a valid file, with or without a byte order mark', () => {
    for (const text of ['{"name":"a"}', '\uFEFF{"name":"a"}'])
      expect(parseJsonFile(schema, text, options)).toEqual({ name: 'a' });
  });

  it('throws all mistakes at once, with their places', () => {
    expect(() => parseJsonFile(schema, '{"size":"1"}', options)).toThrow(
      expect.objectContaining({
        code: 'x-broken',
        message: 'x.json has 2 mistakes',
        hint: 'Write it again.',
        issues: [
          { code: 'schema-missing', path: 'x.json#', message: '"name" is missing' },
          { code: 'schema-type', path: 'x.json#/size', message: '"size" must be a number, not "1"' },
        ],
      }),
    );
  });

  it('throws the parser’s message for a file that is not JSON', () => {
    expect(() => parseJsonFile(schema, '{', options)).toThrow(/^x\.json is not JSON: /);
  });
});
