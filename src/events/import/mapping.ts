import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { builtinFolder } from '../../dictionary/files.ts';
import { type Issue, messageOf, PlaybyplayError } from '../../errors.ts';
import { Pattern } from '../../pattern.ts';
import { checkSchema } from '../../schema/check.ts';
import type { Schema } from '../../schema/from-schema.ts';
import { suggestSpelling } from '../../spelling.ts';

/** Which group of `match` holds what; `rest` is what the rules are tried on (0: the whole line). */
export interface ClockEntry {
  readonly match: string;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly rest: number;
  /** Each line says how long something took, so times add up. */
  readonly sum?: true;
}

/**
 * What a line means. Texts of a template may hold `$1` (a group of `match`) and `{key}` (something remembered). A slot is
 * an id, or `{"who": "$2"}` (a person by name), `{"word": …, "name": "$1"}`, `{"lookup": table, "key": "$1"}`; a value is
 * also `{"number": "$1"}`, `{"text": "$1"}`, and `from` may be `"previous"`: the value said last.
 */
export interface RuleEntry {
  readonly match: string;
  /** Only if these texts are equal. */
  readonly if?: Readonly<Record<string, string>>;
  /** Only if these texts are not. */
  readonly unless?: Readonly<Record<string, string>>;
  /** Begins a session; the text is added to its name. */
  readonly session?: string;
  readonly remember?: Readonly<Record<string, string>>;
  readonly say?: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
  /** Adds the entry of a table to what is said; without one nothing is said. */
  readonly and?: { readonly table: string; readonly key: string };
}

/** `configs/<game>/<name>.log.json`: how a log that was never meant for it is read as statements. */
export interface LogMapping {
  readonly format: 'playbyplay/log-mapping/1';
  readonly name: string;
  readonly title: string;
  readonly game: string;
  readonly dictionaries: readonly string[];
  /** A line by which such a log is known. */
  readonly known: string;
  readonly clock?: ClockEntry;
  /** What is taken out of names (colour codes). */
  readonly strip?: string;
  /** People whose `{side NAME}` is one of these and that of the player are teammates. */
  readonly sides?: readonly string[];
  readonly tables?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Tried in order; the first that matches counts, all that match if `all` is set. */
  readonly rules: readonly RuleEntry[];
}

const text: Schema = { type: 'string', maxLength: 2000 };
const texts: Schema = { type: 'object', additionalProperties: text, maxProperties: 50 };
const group: Schema = { type: 'integer', minimum: 0, maximum: 50 };
const template: Schema = { type: 'object', maxProperties: 20 };
const regex: Schema = { type: 'string', minLength: 1, maxLength: 2000, format: 'regex' };

export const logMappingSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:log-mapping:1',
  title: 'How a foreign log is read by playbyplay',
  type: 'object',
  required: ['format', 'name', 'title', 'game', 'dictionaries', 'known', 'rules'],
  properties: {
    format: { const: 'playbyplay/log-mapping/1' },
    name: text,
    title: text,
    game: text,
    dictionaries: { type: 'array', maxItems: 20, items: text },
    known: regex,
    clock: {
      type: 'object',
      required: ['match', 'rest'],
      properties: { match: regex, hours: group, minutes: group, seconds: group, rest: group, sum: { const: true } },
      additionalProperties: false,
    },
    strip: regex,
    sides: { type: 'array', maxItems: 20, items: text },
    tables: { type: 'object', additionalProperties: { type: 'object', maxProperties: 1000 }, maxProperties: 50 },
    rules: {
      type: 'array',
      maxItems: 500,
      items: {
        type: 'object',
        required: ['match'],
        properties: {
          match: regex,
          if: texts,
          unless: texts,
          session: text,
          remember: texts,
          say: { anyOf: [template, { type: 'array', minItems: 1, maxItems: 20, items: template }] },
          and: {
            type: 'object',
            required: ['table', 'key'],
            properties: { table: text, key: text },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

/** A rule with its pattern made ready. */
export interface Rule extends Omit<RuleEntry, 'match' | 'say'> {
  readonly match: Pattern;
  readonly say: readonly Readonly<Record<string, unknown>>[];
}

/** A mapping made ready. */
export interface CompiledMapping {
  readonly mapping: LogMapping;
  readonly known: Pattern;
  readonly clock: Pattern | undefined;
  readonly strip: Pattern | undefined;
  readonly rules: readonly Rule[];
}

/** Checks a mapping and makes its patterns ready. Throws PlaybyplayError `bad-mapping` with all that is wrong. */
export function compileMapping(data: unknown, file: string): CompiledMapping {
  const issues: Issue[] = [...checkSchema(logMappingSchema, data, { source: file })];
  if (issues.length > 0) throw broken(file, issues);
  const mapping = data as LogMapping;
  const pattern = (source: string, path: string): Pattern | undefined => {
    try {
      return new Pattern(source);
    } catch (error) {
      issues.push({ code: 'bad-pattern', path: `${file}#${path}`, message: messageOf(error) });
      return undefined;
    }
  };
  const compiled = {
    mapping,
    known: pattern(mapping.known, '/known'),
    clock: mapping.clock && pattern(mapping.clock.match, '/clock/match'),
    strip: mapping.strip === undefined ? undefined : pattern(mapping.strip, '/strip'),
    rules: mapping.rules.map((rule, index) => {
      const table = rule.and?.table;
      if (table !== undefined && !Object.hasOwn(mapping.tables ?? {}, table)) {
        issues.push({
          code: 'unknown-table',
          path: `${file}#/rules/${index}/and/table`,
          message: `there is no table "${table}"`,
        });
      }
      const { say } = rule;
      return {
        ...rule,
        match: pattern(rule.match, `/rules/${index}/match`),
        say: say === undefined ? [] : Array.isArray(say) ? say : [say],
      };
    }),
  };
  if (issues.length > 0) throw broken(file, issues);
  return compiled as CompiledMapping;
}

function broken(file: string, issues: readonly Issue[]): PlaybyplayError {
  return new PlaybyplayError('bad-mapping', `${file} is not a right log mapping`, { issues });
}

const suffix = '.log.json';
const folder = join(builtinFolder, '..', 'configs');

/** The mappings that come with the program, by name: `configs/<game>/<name>.log.json`. */
export async function mappingFiles(): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(suffix)).toSorted();
  return new Map(files.map((file) => [file.slice(file.lastIndexOf(sep) + 1, -suffix.length), join(folder, file)]));
}

/** A mapping by its name or the path of its file. Throws PlaybyplayError `unknown-mapping`, `bad-mapping`. */
export async function loadMapping(nameOrPath: string): Promise<CompiledMapping> {
  const known = await mappingFiles();
  const path = known.get(nameOrPath) ?? nameOrPath;
  let json: string;
  try {
    json = await readFile(path, 'utf8');
  } catch (error) {
    throw new PlaybyplayError('unknown-mapping', `there is no log mapping "${nameOrPath}"`, {
      hint:
        suggestSpelling(nameOrPath, known.keys()) ??
        `Known are ${[...known.keys()].join(', ')}; or give the path of a file.`,
      cause: error,
    });
  }
  try {
    return compileMapping(JSON.parse(json), path);
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    throw new PlaybyplayError('bad-mapping', `${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** The mapping of the program whose `known` line is among the first lines of a log. Throws PlaybyplayError `unknown-log`. */
export async function recognizeMapping(log: string): Promise<CompiledMapping> {
  const known = await mappingFiles();
  const lines = log.split(/\r?\n/, 40);
  for (const path of known.values()) {
    const compiled = await loadMapping(path);
    if (lines.some((line) => compiled.known.test(line.slice(0, 2000)))) return compiled;
  }
  throw new PlaybyplayError('unknown-log', 'no mapping knows this log', {
    hint: `Say which it is: --format ${[...known.keys()].join(', ')}, or the path of a mapping.`,
  });
}
