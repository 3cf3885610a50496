import { type Issue, messageOf } from '../errors.ts';
import { appendPointer, parsePointer } from '../json.ts';
import { Pattern } from '../pattern.ts';
import { suggestSpelling } from '../spelling.ts';
import { compileSchema, type ErrorObject } from './compile.ts';
import type { Schema, SchemaObject } from './from-schema.ts';
import { type FormatMatch, loadPrecompiled } from './precompiled.ts';

/** Options of `checkSchema`. */
export interface CheckOptions {
  /** The file the value comes from; precedes `#` in the paths of issues. */
  readonly source?: string;
  /** JSON pointer of the value within its file; default the whole file. */
  readonly pointer?: string;
  /** Called for every string that a `format` keyword applies to, except `regex`, which is checked here. */
  readonly onFormat?: (format: string, text: string, pointer: string) => void;
}

const MAX_ISSUES = 200;
const MAX_DEPTH = 100;

/**
 * Checks a value against a JSON Schema (draft 2020-12) with ajv.
 *
 * A `$comment` of the schema that begins with "must" is the message for a value that the schema refuses.
 *
 * @returns All issues (at most 200), each with its JSON pointer; none if the value is valid.
 * @example
 * const issues = checkSchema(settingsSchema, JSON.parse(text), { source: 'highlights.json' });
 */
export function checkSchema(schema: Schema, value: unknown, options: CheckOptions = {}): readonly Issue[] {
  const { source = '', pointer = '', onFormat } = options;
  const { problems, formats } = validate(schema, value, pointer);
  const all = [...problems];
  for (const [format, text, at] of new Map(formats.map((match) => [match.join('\0'), match])).values()) {
    if (format !== 'regex') onFormat?.(format, text, at);
    else all.push(...patternProblems(text, at));
  }
  return all.slice(0, MAX_ISSUES).map(({ pointer: at, code, message, hint }) => {
    return { code, path: `${source}#${at}`, message, ...(hint === undefined ? {} : { hint }) };
  });
}

/** What is wrong at one place of a value. */
export interface SchemaProblem {
  /** JSON pointer of the place. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The error of ajv that it comes from. */
  readonly error?: ErrorObject;
}

/**
 * Checks a value against a JSON Schema, for callers that report problems in a form of their own.
 *
 * @returns All problems, without limit. `format` keywords are not checked.
 */
export function findProblems(schema: Schema, value: unknown): readonly SchemaProblem[] {
  return validate(schema, value, '').problems;
}

interface Validation {
  readonly problems: readonly SchemaProblem[];
  readonly formats: readonly FormatMatch[];
}

function validate(schema: Schema, value: unknown, pointer: string): Validation {
  if (isDeeperThan(value, MAX_DEPTH))
    return { problems: [{ pointer, code: 'schema-depth', message: 'is nested too deeply' }], formats: [] };
  const id = typeof schema === 'boolean' ? undefined : schema['$id'];
  const quick = typeof id === 'string' ? loadPrecompiled(id) : undefined;
  const formats: FormatMatch[] = [];
  const located = (): FormatMatch[] => formats.map(([format, text, at]) => [format, text, pointer + at]);
  if (quick?.call({ formats }, value)) return { problems: [], formats: located() };
  formats.length = 0;
  const full = compileSchema(schema);
  full.call({ formats }, value);
  return { problems: problemsFrom(full.errors ?? [], schema, pointer), formats: located() };
}

/** Rephrases ajv's errors. The errors of the branches of `anyOf` and `oneOf` are replaced by those of the likeliest branch. */
function problemsFrom(errors: readonly ErrorObject[], root: Schema, pointer: string): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const error of errors) {
    const at = pointer + error.instancePath;
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      // The errors of the branches come directly before.
      while (problems.length > 0 && `${problems.at(-1)!.pointer}/`.startsWith(`${at}/`)) problems.pop();
      problems.push(...choiceProblems(error, root, at));
    } else if (error.keyword !== 'if' && error.keyword !== 'propertyNames') problems.push(problemFrom(error, at));
  }
  return problems;
}

function problemFrom(error: ErrorObject, at: string): SchemaProblem {
  const pointer = error.propertyName === undefined ? at : appendPointer(at, error.propertyName);
  const { data, params, parentSchema } = error;
  const name = nameAt(pointer);
  const problem = (code: string, message: string, hint?: string): SchemaProblem => ({
    pointer,
    code,
    message,
    hint,
    error,
  });
  switch (error.keyword) {
    case 'required':
      return problem(
        'schema-missing',
        `"${params['missingProperty']}" is missing${pointer === '' ? '' : ` in ${name}`}`,
      );
    case 'dependentRequired':
      return problem(
        'schema-missing',
        `"${params['missingProperty']}" is missing; "${params['property']}" requires it`,
      );
    case 'additionalProperties': {
      const known = Object.keys((parentSchema?.['properties'] as object | undefined) ?? {});
      const property = String(params['additionalProperty']);
      const list = known.length > MAX_LISTED_NAMES ? undefined : `Known properties: ${known.join(', ')}.`;
      const hint = suggestSpelling(property, known) ?? (known.length === 0 ? undefined : list);
      const message = `"${property}" is not a known property`;
      return { ...problem('schema-unknown', message, hint), pointer: appendPointer(pointer, property) };
    }
    case 'false schema':
      return problem('schema-unknown', `${name} is not allowed here`);
    case 'uniqueItems':
      return problem('schema-value', `${name} holds ${show((data as unknown[])[params['j']])} twice`);
    default: {
      const { code, requirement, hint } = requirementFrom(error);
      return problem(code, `${name} ${customRequirement(parentSchema) ?? requirement}`, hint);
    }
  }
}

const MAX_LISTED_NAMES = 10;
const MAX_LISTED_VALUES = 12;
const COMPARISONS: Readonly<Record<string, string>> = {
  '<': 'less than',
  '<=': 'at most',
  '>': 'more than',
  '>=': 'at least',
};

interface Requirement {
  readonly code: string;
  readonly requirement: string;
  readonly hint?: string | undefined;
}

/** What a keyword requires of a value, as a sentence without its subject. */
function requirementFrom({ keyword, params, data, message }: ErrorObject): Requirement {
  const length = (unit: string, size: number): Requirement => {
    const bound = keyword.startsWith('max') ? 'at most' : 'at least';
    const requirement = `must have ${bound} ${plural(params['limit'] as number, unit)}, not ${size}`;
    return { code: 'schema-length', requirement };
  };
  switch (keyword) {
    case 'type': {
      const types = describeTypes([params['type']].flat() as string[]);
      return { code: 'schema-type', requirement: `must be ${types}, not ${describeValue(data)}` };
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).map((one) => (typeof one === 'string' ? one : show(one)));
      const list = allowed.slice(0, MAX_LISTED_VALUES).join(', ') + (allowed.length > MAX_LISTED_VALUES ? ', …' : '');
      const hint = typeof data === 'string' ? suggestSpelling(data, allowed) : undefined;
      return { code: 'schema-value', requirement: `must be one of ${list}, not ${show(data)}`, hint };
    }
    case 'const':
      return { code: 'schema-value', requirement: `must be ${show(params['allowedValue'])}, not ${show(data)}` };
    case 'not':
      return { code: 'schema-value', requirement: 'must not have this form' };
    case 'pattern':
      return { code: 'schema-form', requirement: `must match /${params['pattern']}/; ${show(data)} does not` };
    case 'multipleOf':
      return { code: 'schema-range', requirement: `must be a multiple of ${params['multipleOf']}, not ${show(data)}` };
    case 'minLength':
    case 'maxLength':
      return length('character', [...String(data)].length);
    case 'minItems':
    case 'maxItems':
      return length('item', (data as unknown[]).length);
    case 'minProperties':
    case 'maxProperties':
      return length('property', Object.keys(data as object).length);
    default: {
      const comparison = COMPARISONS[String(params['comparison'])];
      if (comparison === undefined) return { code: 'schema-value', requirement: message ?? `fails "${keyword}"` };
      return { code: 'schema-range', requirement: `must be ${comparison} ${params['limit']}, not ${show(data)}` };
    }
  }
}

/** The problems of the branch of `anyOf` or `oneOf` that was probably meant: of the value's type, with the fewest problems. */
function choiceProblems(error: ErrorObject, root: Schema, pointer: string): readonly SchemaProblem[] {
  const { data, parentSchema } = error;
  const problem = (code: string, message: string): readonly SchemaProblem[] => [
    { pointer, code, message: `${nameAt(pointer)} ${message}`, error },
  ];
  const custom = customRequirement(parentSchema);
  if (custom !== undefined) return problem('schema-value', custom);
  if (Array.isArray(error.params['passingSchemas']))
    return problem('schema-value', 'matches more than one of the allowed forms');
  const branches = (error.schema as readonly Schema[]).filter((branch) => typeof branch !== 'boolean');
  if (branches.length === 0) return problem('schema-unknown', 'is not allowed here');
  const meant = branches.filter((branch) => {
    const types = typesOf(branch);
    return types.length === 0 || types.some((type) => isOfType(data, type));
  });
  if (meant.length === 0)
    return problem('schema-type', `must be ${describeTypes(branches.flatMap(typesOf))}, not ${describeValue(data)}`);
  const tries = meant.map((branch) => validate(standaloneBranch(branch, root), data, pointer).problems);
  return tries.reduce((best, one) => (one.length < best.length ? one : best));
}

function typesOf(schema: SchemaObject): string[] {
  return [schema['type'] ?? []].flat() as string[];
}

const branchSchemas = new WeakMap<SchemaObject, SchemaObject>();

/** A branch as a schema of its own, with the definitions that its references need. */
function standaloneBranch(branch: SchemaObject, root: Schema): SchemaObject {
  let schema = branchSchemas.get(branch);
  if (schema === undefined) {
    schema = { ...branch, ...(typeof root === 'object' && '$defs' in root ? { $defs: root['$defs'] } : {}) };
    branchSchemas.set(branch, schema);
  }
  return schema;
}

function patternProblems(pattern: string, pointer: string): readonly SchemaProblem[] {
  try {
    void new Pattern(pattern);
    return [];
  } catch (error) {
    const message = `${nameAt(pointer)} is not a regular expression: ${messageOf(error)}`;
    return [{ pointer, code: 'schema-form', message }];
  }
}

/** The message that a schema brings for the values it refuses. */
function customRequirement(schema: object | undefined): string | undefined {
  const comment = (schema as SchemaObject | undefined)?.['$comment'];
  return typeof comment === 'string' && comment.startsWith('must') ? comment : undefined;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const member of Object.values(value)) if (isDeeperThan(member, depth - 1)) return true;
  return false;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

function describeTypes(types: readonly string[]): string {
  return [...new Set(types)].map((type) => TYPE_NAMES[type] ?? type).join(' or ');
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : show(value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function plural(count: number, unit: string): string {
  if (count === 1) return `1 ${unit}`;
  return `${count} ${unit === 'property' ? 'properties' : `${unit}s`}`;
}

/** The quoted name that a pointer leads to; of an item of an array, the array's name and the index. */
function nameAt(pointer: string): string {
  if (pointer === '') return 'the value';
  const [parent = '', name = ''] = ['', ...parsePointer(pointer)].slice(-2);
  return `"${/^\d+$/.test(name) && parent !== '' ? `${parent}/${name}` : name}"`;
}
