import type { Issue } from '../errors.ts';
import { appendPointer, parsePointer } from '../json-pointer.ts';
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
  const report = (at: string, problem: Problem): Issue => {
    const { code, message, hint } = problem;
    return { code, path: `${source}#${at}`, message, ...(hint === undefined ? {} : { hint }) };
  };
  if (isDeeperThan(value, MAX_DEPTH))
    return [report(pointer, { code: 'schema-depth', message: 'is nested too deeply' })];
  const { problems, formats } = validate(schema, value, pointer);
  const issues = problems.map(([at, problem]) => report(at, problem));
  for (const [format, text, at] of new Map(formats.map((match) => [match.join('\0'), match])).values()) {
    if (format !== 'regex') onFormat?.(format, text, at);
    else issues.push(...patternProblems(text, at).map((problem) => report(at, problem)));
  }
  return issues.slice(0, MAX_ISSUES);
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A problem and the JSON pointer of where it is. */
type LocatedProblem = readonly [at: string, problem: Problem];

interface Validation {
  readonly problems: readonly LocatedProblem[];
  readonly formats: readonly FormatMatch[];
}

function validate(schema: Schema, value: unknown, pointer: string): Validation {
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
function problemsFrom(errors: readonly ErrorObject[], root: Schema, pointer: string): readonly LocatedProblem[] {
  let problems: LocatedProblem[] = [];
  for (const error of errors) {
    const at = pointer + error.instancePath;
    if (error.keyword === 'anyOf' || error.keyword === 'oneOf') {
      problems = problems.filter(([inner]) => inner !== at && !inner.startsWith(`${at}/`));
      problems.push(...choiceProblems(error, root, at));
    } else if (error.keyword !== 'if' && error.keyword !== 'propertyNames') problems.push(problemFrom(error, at));
  }
  return problems;
}

function problemFrom(error: ErrorObject, pointer: string): LocatedProblem {
  const { keyword, params, data } = error;
  const at = error.propertyName === undefined ? pointer : appendPointer(pointer, error.propertyName);
  const name = at === '' ? 'the value' : `"${nameAt(at)}"`;
  const comment = requirementOf(error.parentSchema);
  const problem = (code: string, wanted: string, hint?: string): LocatedProblem => [
    at,
    { code, message: `${name} ${comment ?? wanted}`, hint },
  ];
  const length = (unit: string, size: number): LocatedProblem => {
    const { limit } = params as { limit: number };
    const bound = keyword.startsWith('max') ? 'at most' : 'at least';
    return [at, { code: 'schema-length', message: `${name} must have ${bound} ${plural(limit, unit)}, not ${size}` }];
  };
  switch (keyword) {
    case 'type':
      return problem('schema-type', `must be ${describeTypes([params['type']].flat())}, not ${describeValue(data)}`);
    case 'required': {
      const message = `"${params['missingProperty']}" is missing${at === '' ? '' : ` in ${name}`}`;
      return [at, { code: 'schema-missing', message }];
    }
    case 'dependentRequired': {
      const message = `"${params['missingProperty']}" is missing; "${params['property']}" requires it`;
      return [at, { code: 'schema-missing', message }];
    }
    case 'additionalProperties':
      return unknownProperty(
        at,
        String(params['additionalProperty']),
        Object.keys(error.parentSchema?.['properties'] ?? {}),
      );
    case 'false schema':
      return [at, { code: 'schema-unknown', message: `${name} is not allowed here` }];
    case 'enum': {
      const allowed = (params['allowedValues'] as readonly unknown[]).map((one) =>
        typeof one === 'string' ? one : show(one),
      );
      const list = allowed.length > 12 ? `${allowed.slice(0, 12).join(', ')}, …` : allowed.join(', ');
      const hint = typeof data === 'string' ? suggestSpelling(data, allowed) : undefined;
      return problem('schema-value', `must be one of ${list}, not ${show(data)}`, hint);
    }
    case 'const':
      return problem('schema-value', `must be ${show(params['allowedValue'])}, not ${show(data)}`);
    case 'not':
      return problem('schema-value', 'must not have this form');
    case 'uniqueItems':
      return [at, { code: 'schema-value', message: `${name} holds ${show((data as unknown[])[params['j']])} twice` }];
    case 'pattern':
      return problem('schema-form', `must match /${params['pattern']}/; ${show(data)} does not`);
    case 'minLength':
    case 'maxLength':
      return length('character', [...String(data)].length);
    case 'minItems':
    case 'maxItems':
      return length('item', (data as unknown[]).length);
    case 'minProperties':
    case 'maxProperties':
      return length('property', Object.keys(data as object).length);
    case 'multipleOf':
      return problem('schema-range', `must be a multiple of ${params['multipleOf']}, not ${show(data)}`);
    default: {
      const bound = { '<': 'less than', '<=': 'at most', '>': 'more than', '>=': 'at least' }[
        String(params['comparison'])
      ];
      if (bound !== undefined) return problem('schema-range', `must be ${bound} ${params['limit']}, not ${show(data)}`);
      return problem('schema-value', error.message ?? `fails "${keyword}"`);
    }
  }
}

const MAX_LISTED_NAMES = 10;

function unknownProperty(at: string, name: string, known: readonly string[]): LocatedProblem {
  const list =
    known.length === 0 || known.length > MAX_LISTED_NAMES ? undefined : `Known properties: ${known.join(', ')}.`;
  const message = `"${name}" is not a known property`;
  return [appendPointer(at, name), { code: 'schema-unknown', message, hint: suggestSpelling(name, known) ?? list }];
}

/** The problems of the branch of `anyOf` or `oneOf` that was probably meant: of the value's type, with the fewest problems. */
function choiceProblems(error: ErrorObject, root: Schema, at: string): readonly LocatedProblem[] {
  const { data, parentSchema } = error;
  const name = at === '' ? 'the value' : `"${nameAt(at)}"`;
  const comment = requirementOf(parentSchema);
  if (comment !== undefined) return [[at, { code: 'schema-value', message: `${name} ${comment}` }]];
  if (Array.isArray(error.params['passingSchemas']))
    return [[at, { code: 'schema-value', message: `${name} matches more than one of the allowed forms` }]];
  const branches = (error.schema as readonly Schema[]).filter((branch) => typeof branch !== 'boolean');
  const types = branches.flatMap(typesOf);
  if (branches.length === 0) return [[at, { code: 'schema-unknown', message: `${name} is not allowed here` }]];
  const meant = branches.filter((branch) => {
    const own = typesOf(branch);
    return own.length === 0 || own.some((type) => isOfType(data, type));
  });
  if (meant.length === 0)
    return [
      [at, { code: 'schema-type', message: `${name} must be ${describeTypes(types)}, not ${describeValue(data)}` }],
    ];
  const tries = meant.map((branch) => validate(standaloneBranch(branch, root), data, at).problems);
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

/** A regular expression that the program's own engine refuses. */
function patternProblems(pattern: string, at: string): readonly Problem[] {
  try {
    void new Pattern(pattern);
    return [];
  } catch (error) {
    const message = `"${nameAt(at)}" is not a regular expression: ${(error as Error).message}`;
    return [{ code: 'schema-form', message }];
  }
}

function requirementOf(schema: object | undefined): string | undefined {
  const comment = (schema as SchemaObject | undefined)?.['$comment'];
  return typeof comment === 'string' && comment.startsWith('must') ? comment : undefined;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const key in value) if (isDeeperThan((value as SchemaObject)[key], depth - 1)) return true;
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

/** The name that a pointer leads to; of an item of an array, the array's name and the index. */
function nameAt(pointer: string): string {
  const [parent = '', name = ''] = ['', ...parsePointer(pointer)].slice(-2);
  return /^\d+$/.test(name) && parent !== '' ? `${parent}/${name}` : name;
}
