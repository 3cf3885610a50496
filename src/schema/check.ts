import type { Issue } from '../errors.ts';
import { Pattern } from '../pattern/pattern.ts';
import { suggestSpelling } from '../spelling.ts';
import type { Schema } from './from-schema.ts';

export interface CheckOptions {
  /** Where the value comes from: stands before `#` in the issues' paths. */
  readonly source?: string;
  /** JSON pointer of the value within its source. */
  readonly pointer?: string;
  /** Schemas that `$ref` may name by their `$id`. */
  readonly others?: readonly Schema[];
  /** Called for every text that passes a schema with a `format` (except `regex`, which is checked here). */
  readonly onFormat?: (format: string, text: string, pointer: string) => void;
}

const MOST_ISSUES = 200;
const DEEPEST = 100;

interface Run {
  readonly issues: Issue[];
  readonly source: string;
  readonly root: Schema;
  readonly others: ReadonlyMap<string, Schema>;
  readonly onFormat: ((format: string, text: string, pointer: string) => void) | undefined;
}

/**
 * What is wrong with `value` by `schema`, in sentences for people, all at once (at most 200), each with its JSON
 * pointer. Knows the keywords that the published schemas use: type, const, enum, minimum, maximum, exclusiveMinimum,
 * exclusiveMaximum, multipleOf, minLength, maxLength, pattern, format `regex`, items, prefixItems, minItems, maxItems,
 * uniqueItems, properties, patternProperties, required, dependentRequired, additionalProperties, propertyNames,
 * minProperties, maxProperties, allOf, anyOf, oneOf, not, if/then/else, $ref (to `#/…` and to an `$id`); another one is a
 * TypeError.
 * A schema's `$comment` that begins with “must” is the sentence for a value that it refuses.
 * Interpreted, not compiled: it costs a hundredth of a second less to start than a compiler.
 */
export function checkSchema(schema: Schema, value: unknown, options: CheckOptions = {}): readonly Issue[] {
  const others = new Map<string, Schema>();
  for (const other of options.others ?? []) {
    if (typeof other !== 'boolean' && typeof other['$id'] === 'string') others.set(other['$id'], other);
  }
  const run: Run = { issues: [], source: options.source ?? '', root: schema, others, onFormat: options.onFormat };
  check(run, schema, value, options.pointer ?? '', 0);
  return run.issues.slice(0, MOST_ISSUES);
}

type Keywords = Readonly<Record<string, unknown>>;

/** Keywords that say nothing about the value, or are read together with another one. */
const SILENT = new Set('$schema $id $comment $defs title description default examples deprecated then else'.split(' '));

function check(run: Run, schema: Schema, value: unknown, at: string, depth: number): void {
  if (schema === true || run.issues.length >= MOST_ISSUES) return;
  if (schema === false) return report(run, 'schema-unknown', at, 'is not allowed here');
  if (depth > DEEPEST) return report(run, 'schema-depth', at, 'is nested too deeply');
  const before = run.issues.length;
  if (schema['type'] !== undefined && !isOfType(value, schema['type'])) {
    report(run, 'schema-type', at, sentence(schema, `must be ${describeType(schema['type'])}, not ${describe(value)}`));
    return;
  }
  for (const [keyword, argument] of Object.entries(schema)) {
    if (keyword === 'type' || SILENT.has(keyword)) continue;
    const rule = RULES[keyword];
    if (rule === undefined) throw new TypeError(`unknown keyword ${keyword} in a schema`);
    rule(run, argument as never, value, at, depth, schema);
    if (run.issues.length > before && schema['$comment'] !== undefined && keyword === 'pattern') return;
  }
}

function report(run: Run, code: string, at: string, message: string, hint?: string): void {
  const path = `${run.source}#${at}`;
  const name = at === '' ? 'the whole' : `“${lastOf(at)}”`;
  const text = message.startsWith('!') ? message.slice(1) : `${name} ${message}`;
  run.issues.push({ code, path, message: text, ...(hint === undefined ? {} : { hint }) });
}

type Rule = (run: Run, argument: never, value: unknown, at: string, depth: number, schema: Keywords) => void;

const numeric =
  (fails: (value: number, limit: number) => boolean, words: string): Rule =>
  (run, limit: number, value, at, _depth, schema) => {
    if (typeof value !== 'number' || !fails(value, limit)) return;
    report(run, 'schema-range', at, sentence(schema, `must be ${words} ${limit}, not ${value}`));
  };

const counting =
  (count: (value: unknown) => number | undefined, most: boolean, unit: string): Rule =>
  (run, limit: number, value, at) => {
    const size = count(value);
    if (size === undefined || (most ? size <= limit : size >= limit)) return;
    report(
      run,
      'schema-length',
      at,
      `must have at ${most ? 'most' : 'least'} ${limit} ${limit === 1 ? unit.replace(/(?:ie)?s$/, (end) => (end === 'ies' ? 'y' : '')) : unit}, not ${size}`,
    );
  };

const characters = (value: unknown): number | undefined => (typeof value === 'string' ? [...value].length : undefined);
const entries = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);
const members = (value: unknown): number | undefined => (isObject(value) ? Object.keys(value).length : undefined);

const RULES: Readonly<Record<string, Rule>> = {
  minimum: numeric((value, limit) => value < limit, 'at least'),
  maximum: numeric((value, limit) => value > limit, 'at most'),
  exclusiveMinimum: numeric((value, limit) => value <= limit, 'more than'),
  exclusiveMaximum: numeric((value, limit) => value >= limit, 'less than'),
  multipleOf: numeric((value, unit) => !Number.isInteger(value / unit), 'a multiple of'),
  minLength: counting(characters, false, 'characters'),
  maxLength: counting(characters, true, 'characters'),
  minItems: counting(entries, false, 'entries'),
  maxItems: counting(entries, true, 'entries'),
  minProperties: counting(members, false, 'entries'),
  maxProperties: counting(members, true, 'entries'),
  const(run, expected: unknown, value, at) {
    if (!equal(value, expected)) report(run, 'schema-value', at, `must be ${show(expected)}, not ${show(value)}`);
  },
  enum(run, allowed: readonly unknown[], value, at) {
    if (allowed.some((one) => equal(one, value))) return;
    const words = allowed.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    const hint = typeof value === 'string' ? suggestSpelling(value, words) : undefined;
    const list = words.length > 12 ? `${words.slice(0, 12).join(', ')} …` : words.join(', ');
    report(run, 'schema-value', at, `must be one of ${list}; ${show(value)} is not`, hint);
  },
  pattern(run, source: string, value, at, _depth, schema) {
    if (typeof value !== 'string' || new RegExp(source, 'u').test(value)) return;
    report(run, 'schema-form', at, sentence(schema, `must have the form /${source}/; ${show(value)} has not`));
  },
  format(run, format: string, value, at) {
    if (typeof value !== 'string') return;
    if (format !== 'regex') return run.onFormat?.(format, value, at);
    try {
      void new Pattern(value);
    } catch (error) {
      report(run, 'schema-form', at, `is not a regular expression: ${(error as Error).message}`);
    }
  },
  items(run, schema: Schema, value, at, depth, { prefixItems }) {
    if (!Array.isArray(value)) return;
    const first = Array.isArray(prefixItems) ? prefixItems.length : 0;
    for (let i = first; i < value.length; i++) check(run, schema, value[i], `${at}/${i}`, depth + 1);
  },
  prefixItems(run, schemas: readonly Schema[], value, at, depth) {
    if (!Array.isArray(value)) return;
    for (const [i, schema] of schemas.entries())
      if (i < value.length) check(run, schema, value[i], `${at}/${i}`, depth + 1);
  },
  uniqueItems(run, unique: boolean, value, at) {
    if (!unique || !Array.isArray(value)) return;
    const repeated = value.find((one, i) => value.some((other, j) => j < i && equal(one, other)));
    if (repeated !== undefined) report(run, 'schema-value', at, `holds ${show(repeated)} twice`);
  },
  properties(run, schemas: Readonly<Record<string, Schema>>, value, at, depth) {
    if (!isObject(value)) return;
    for (const [name, schema] of Object.entries(schemas)) {
      if (Object.hasOwn(value, name)) check(run, schema, value[name], `${at}/${escape(name)}`, depth + 1);
    }
  },
  patternProperties(run, schemas: Readonly<Record<string, Schema>>, value, at, depth) {
    if (!isObject(value)) return;
    for (const [source, schema] of Object.entries(schemas)) {
      for (const name of Object.keys(value)) {
        if (new RegExp(source, 'u').test(name)) check(run, schema, value[name], `${at}/${escape(name)}`, depth + 1);
      }
    }
  },
  required(run, names: readonly string[], value, at) {
    if (!isObject(value)) return;
    for (const name of names) {
      if (!Object.hasOwn(value, name))
        report(run, 'schema-missing', at, `!“${name}” is missing${at === '' ? '' : ` in “${lastOf(at)}”`}`);
    }
  },
  dependentRequired(run, needs: Readonly<Record<string, readonly string[]>>, value, at) {
    if (!isObject(value)) return;
    for (const [name, others] of Object.entries(needs)) {
      for (const other of others) {
        if (!Object.hasOwn(value, name) || Object.hasOwn(value, other)) continue;
        report(run, 'schema-missing', at, `!“${other}” is missing; “${name}” needs it`);
      }
    }
  },
  additionalProperties(run, schema: Schema, value, at, depth, { properties, patternProperties }) {
    if (!isObject(value)) return;
    const known = Object.keys((properties ?? {}) as Keywords);
    const patterns = Object.keys((patternProperties ?? {}) as Keywords).map((source) => new RegExp(source, 'u'));
    for (const name of Object.keys(value)) {
      if (known.includes(name) || patterns.some((pattern) => pattern.test(name))) continue;
      if (schema === false)
        report(
          run,
          'schema-unknown',
          `${at}/${escape(name)}`,
          'is not known here',
          suggestSpelling(name, known) ?? all(known),
        );
      else check(run, schema, value[name], `${at}/${escape(name)}`, depth + 1);
    }
  },
  propertyNames(run, schema: Schema, value, at, depth) {
    if (!isObject(value)) return;
    for (const name of Object.keys(value)) check(run, schema, name, `${at}/${escape(name)}`, depth + 1);
  },
  allOf(run, schemas: readonly Schema[], value, at, depth) {
    for (const schema of schemas) check(run, schema, value, at, depth + 1);
  },
  anyOf(run, schemas: readonly Schema[], value, at, depth, schema) {
    const tries = schemas.map((one) => attempt(run, one, value, at, depth + 1));
    if (!tries.some((issues) => issues.length === 0)) explainChoice(run, schemas, tries, value, at, schema);
  },
  oneOf(run, schemas: readonly Schema[], value, at, depth, schema) {
    const tries = schemas.map((one) => attempt(run, one, value, at, depth + 1));
    const fitting = tries.filter((issues) => issues.length === 0).length;
    if (fitting === 0) explainChoice(run, schemas, tries, value, at, schema);
    if (fitting > 1) report(run, 'schema-value', at, sentence(schema, 'fits more than one of the forms it can have'));
  },
  not(run, schema: Schema, value, at, depth, outer) {
    if (attempt(run, schema, value, at, depth + 1).length === 0) {
      report(run, 'schema-value', at, sentence(outer, 'is not allowed to be like this'));
    }
  },
  if(run, condition: Schema, value, at, depth, schema) {
    const met = attempt(run, condition, value, at, depth + 1).length === 0;
    const branch = (met ? schema['then'] : schema['else']) as Schema | undefined;
    if (branch !== undefined) check(run, branch, value, at, depth + 1);
  },
  $ref(run, reference: string, value, at, depth) {
    const target = reference.startsWith('#') ? resolve(run.root, reference) : run.others.get(reference);
    if (target === undefined) throw new TypeError(`a schema refers to ${reference}, which is not there`);
    const inside: Run = reference.startsWith('#') ? run : { ...run, root: target };
    check(inside, target, value, at, depth + 1);
  },
};

/** The keywords in a schema that `checkSchema` does not know, for tests of schemas. */
export function unknownKeywords(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return [];
  return Object.entries(schema).flatMap(([keyword, argument]) => {
    if (SCHEMA_MAPS.has(keyword)) return Object.values(argument as Record<string, Schema>).flatMap(unknownKeywords);
    const inner = SCHEMAS.has(keyword) ? (Array.isArray(argument) ? argument : [argument]) : [];
    const known = keyword === 'type' || SILENT.has(keyword) || Object.hasOwn(RULES, keyword);
    return [...(known ? [] : [keyword]), ...inner.flatMap((one) => unknownKeywords(one as Schema))];
  });
}

const SCHEMA_MAPS = new Set(['properties', 'patternProperties', '$defs']);
const SCHEMAS = new Set(
  'items prefixItems additionalProperties propertyNames allOf anyOf oneOf not if then else'.split(' '),
);

function attempt(run: Run, schema: Schema, value: unknown, at: string, depth: number): readonly Issue[] {
  const issues: Issue[] = [];
  check({ ...run, issues }, schema, value, at, depth);
  return issues;
}

/** Of several forms that a value may have, speaks of the one that was meant, if that can be told from the value's type. */
function explainChoice(
  run: Run,
  schemas: readonly Schema[],
  tries: readonly (readonly Issue[])[],
  value: unknown,
  at: string,
  schema: Keywords,
): void {
  const comment = schema['$comment'];
  if (typeof comment === 'string' && comment.startsWith('must')) return report(run, 'schema-value', at, comment);
  const meant = tries.filter((_, i) => {
    const form = schemas[i]!;
    return typeof form !== 'boolean' && (form['type'] === undefined || isOfType(value, form['type']));
  });
  if (meant.length === 1) return void run.issues.push(...meant[0]!);
  const types = schemas.flatMap((form) =>
    typeof form === 'boolean' || form['type'] === undefined ? [] : [describeType(form['type'])],
  );
  if (meant.length === 0)
    return report(run, 'schema-type', at, `must be ${[...new Set(types)].join(' or ')}, not ${describe(value)}`);
  const shortest = meant.toSorted((a, b) => a.length - b.length)[0]!;
  run.issues.push(...shortest);
}

function resolve(root: Schema, reference: string): Schema | undefined {
  let here: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    here = isObject(here) ? here[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  return here as Schema | undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOfType(value: unknown, type: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => isOfType(value, one));
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function describeType(type: unknown): string {
  const types = Array.isArray(type) ? type : [type];
  return types.map((one) => TYPE_NAMES[String(one)] ?? String(one)).join(' or ');
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return show(value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function sentence(schema: Keywords, otherwise: string): string {
  const comment = schema['$comment'];
  return typeof comment === 'string' && comment.startsWith('must') ? comment : otherwise;
}

/** As many names as a reader takes in at a glance. */
const FEW = 10;

function all(known: readonly string[]): string | undefined {
  return known.length === 0 || known.length > FEW ? undefined : `Known are ${known.join(', ')}.`;
}

function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, i) => equal(one, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]))
  );
}

function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The name of what a pointer leads to; a member of a list has its number and the list's name. */
function lastOf(pointer: string): string {
  const [list = '', name = ''] = pointer
    .split('/')
    .slice(-2)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return /^\d+$/.test(name) && list !== '' ? `${list}/${name}` : name;
}
