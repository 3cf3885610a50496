import { messageOf, PlaybyplayError } from '../errors.ts';
import { checkSchema } from './check.ts';
import type { FromSchema, SchemaObject } from './from-schema.ts';

/** Options of {@link parseJsonFile}. */
export interface ParseOptions {
  /** Name of the file, for messages. */
  readonly source: string;
  /** Code of the error. */
  readonly code: string;
  /** What to do about an invalid file. */
  readonly hint?: string;
}

/**
 * Parses the content of a JSON file and checks it against a JSON Schema.
 *
 * @throws PlaybyplayError if it is not JSON or does not match the schema, with all issues.
 * @example
 * const constants = parseJsonFile(constantsSchema, text, { source: 'constants.json', code: 'quality-constants' });
 */
export function parseJsonFile<const S extends SchemaObject>(
  schema: S,
  text: string,
  options: ParseOptions,
): FromSchema<S> {
  const { source, code, hint } = options;
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new PlaybyplayError(code, `${source} is not JSON: ${messageOf(error)}`, { hint, cause: error });
  }
  const issues = checkSchema(schema, value, { source });
  if (issues.length === 0) return value as FromSchema<S>;
  throw new PlaybyplayError(code, `${source} has ${issues.length === 1 ? 'a mistake' : `${issues.length} mistakes`}`, {
    hint,
    issues,
  });
}
