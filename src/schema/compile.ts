import { createRequire } from 'node:module';
import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Schema, SchemaObject } from './from-schema.ts';

const require = createRequire(import.meta.url);

/**
 * Makes an ajv instance for draft 2020-12 whose `format` keyword records every string it applies to in `this.formats`, as
 * `[format, string, JSON pointer]`, and accepts all of them: formats name things (regions, files) that a schema cannot know.
 *
 * ajv is loaded on the first call: it takes longer to load than most commands run.
 */
export function createAjv(options: Options = {}): Ajv2020 {
  const ajv = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { default: names } = require('ajv/dist/compile/names.js') as typeof import('ajv/dist/compile/names.js');
  const instance = new ajv.Ajv2020({
    strict: false,
    allErrors: true,
    verbose: true,
    unicodeRegExp: true,
    validateSchema: false,
    meta: options.validateSchema === true,
    inlineRefs: false,
    logger: false,
    passContext: true,
    code: { optimize: false },
    ...options,
  });
  instance.removeKeyword('format');
  instance.addKeyword({
    keyword: 'format',
    type: 'string',
    schemaType: 'string',
    code({ gen, data, schema, it }) {
      const pointer = ajv.str`${names.instancePath}${it.errorPath}`;
      gen.code(ajv._`this?.formats?.push([${String(schema)}, ${data}, ${pointer}])`);
    },
  });
  return instance;
}

const compiled = new WeakMap<SchemaObject, ValidateFunction>();

/** Compiles a schema to a validator that reports all errors. Each schema object is compiled once. */
export function compileSchema(schema: Schema): ValidateFunction {
  if (typeof schema === 'boolean') return createAjv().compile(schema);
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = createAjv().compile(schema);
    compiled.set(schema, validate);
  }
  return validate;
}

/**
 * Says what is wrong with a schema itself (an unknown keyword, a bound that is no number), or `undefined`.
 *
 * @example
 * findSchemaError({ type: 'number', mininum: 0 }); // 'strict mode: unknown keyword: "mininum"'
 */
export function findSchemaError(schema: Schema): string | undefined {
  try {
    createAjv({ strictSchema: true, validateSchema: true }).compile(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export type { ErrorObject };
