import { integer, list } from '../../schema/build.ts';
import { basename, join } from 'node:path';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type Issue, messageOf, PlaybyplayError } from '../../errors.ts';
import { readInputText } from '../../files/input.ts';
import { Pattern } from '../../pattern.ts';
import { checkSchema } from '../../schema/check.ts';
import type { FromSchema, Schema } from '../../schema/from-schema.ts';
import { suggestSpelling } from '../../spelling.ts';
import { ROOT } from '../../version.ts';

const shortText = { type: 'string', maxLength: 2000 } as const;
const texts = { type: 'object', additionalProperties: shortText, maxProperties: 50 } as const;
const group = integer([0, 50]);
const template = { type: 'object', maxProperties: 20 } as const;
const regex = { type: 'string', minLength: 1, maxLength: 2000, format: 'regex' } as const;

/** The JSON Schema of a log mapping. */
export const logMappingSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:playbyplay:log-mapping:1',
  title: 'How the log of another program is read as events',
  type: 'object',
  required: ['format', 'name', 'title', 'game', 'dictionaries', 'known', 'rules'],
  properties: {
    format: { const: 'playbyplay/log-mapping/1' },
    name: shortText,
    title: shortText,
    game: shortText,
    dictionaries: { type: 'array', maxItems: 20, items: shortText },
    known: { ...regex, description: 'Matches a line that identifies such a log.' },
    clock: {
      type: 'object',
      required: ['match', 'rest'],
      description: 'How the time of a line is read: a pattern, and which of its groups hold what.',
      properties: {
        match: regex,
        hours: group,
        minutes: group,
        seconds: group,
        rest: { ...group, description: 'The group that rules are matched against; 0 for the whole line.' },
        sum: { const: true, description: 'Lines state durations, which add up, instead of times.' },
      },
      additionalProperties: false,
    },
    strip: { ...regex, description: 'Matches what is removed from names, such as color codes.' },
    sides: list(shortText, [0, 20], 'Values of `side <name>` that make people of the same side teammates.'),
    tables: { type: 'object', additionalProperties: { type: 'object', maxProperties: 1000 }, maxProperties: 50 },
    rules: list(
      {
        type: 'object',
        required: ['match'],
        properties: {
          match: regex,
          if: { ...texts, description: 'Applies the rule only if these texts are equal.' },
          unless: { ...texts, description: 'Applies the rule only if these texts differ.' },
          session: { ...shortText, description: 'Starts a session; the text is appended to its name.' },
          remember: { ...texts, description: 'Values to remember for later lines, by key.' },
          say: {
            anyOf: [template, { type: 'array', minItems: 1, maxItems: 20, items: template }],
            description: 'Templates of the statements that the line makes.',
          },
          and: {
            type: 'object',
            description: 'Adds an entry of a table to the statements; without the entry there are none.',
            required: ['table', 'key'],
            properties: { table: shortText, key: shortText },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
      [0, 500],
      'Tried in order; the first rule whose pattern and conditions hold applies.',
    ),
  },
  additionalProperties: false,
} as const satisfies Schema;

/** `configs/<game>/<name>.log.json`: how the log of another program is read as events. */
export interface LogMapping extends FromSchema<typeof logMappingSchema> {}

/**
 * What a line means.
 *
 * Texts in templates can contain `$1` (a group of `match`) and `{key}` (a remembered value). A slot is an id, or
 * `{"who": "$2"}` (a person by name), `{"word": …, "name": "$1"}`, `{"lookup": table, "key": "$1"}`; a value can also be
 * `{"number": "$1"}` or `{"text": "$1"}`, and `from` can be `"previous"`, the last value of the property.
 */
export type RuleEntry = LogMapping['rules'][number];

/** A rule with its compiled pattern. */
export interface Rule extends Omit<RuleEntry, 'match' | 'say'> {
  readonly match: Pattern;
  readonly say: readonly Readonly<Record<string, unknown>>[];
}

/** A mapping with its compiled patterns. */
export interface CompiledMapping {
  readonly mapping: LogMapping;
  readonly known: Pattern;
  readonly clock: Pattern | undefined;
  readonly strip: Pattern | undefined;
  readonly rules: readonly Rule[];
}

/**
 * Validates and compiles a mapping.
 *
 * @param file Names the mapping in issues.
 * @throws PlaybyplayError `bad-mapping` with all issues.
 */
export function compileMapping(data: unknown, file: string): CompiledMapping {
  const issues: Issue[] = [...checkSchema(logMappingSchema, data, { source: file })];
  if (issues.length > 0) throw invalidMapping(file, issues);
  const mapping = data as LogMapping;
  const compilePattern = (source: string, pointer: string): Pattern | undefined => {
    try {
      return new Pattern(source);
    } catch (error) {
      issues.push({ code: 'bad-pattern', path: `${file}#${pointer}`, message: messageOf(error) });
      return undefined;
    }
  };
  const rules = mapping.rules.map(({ say = [], ...rule }, index) => {
    const table = rule.and?.table;
    if (table !== undefined && !Object.hasOwn(mapping.tables ?? {}, table))
      issues.push({
        code: 'unknown-table',
        path: `${file}#/rules/${index}/and/table`,
        message: `there is no table "${table}"`,
      });
    const match = compilePattern(rule.match, `/rules/${index}/match`);
    return { ...rule, match, say: Array.isArray(say) ? say : [say] };
  });
  const compiled = {
    mapping,
    known: compilePattern(mapping.known, '/known'),
    clock: mapping.clock && compilePattern(mapping.clock.match, '/clock/match'),
    strip: mapping.strip === undefined ? undefined : compilePattern(mapping.strip, '/strip'),
    rules,
  };
  if (issues.length > 0) throw invalidMapping(file, issues);
  return compiled as CompiledMapping;
}

function invalidMapping(file: string, issues: readonly Issue[]): PlaybyplayError {
  return new PlaybyplayError('bad-mapping', `${file} is not a valid log mapping`, { issues });
}

const mappingSuffix = '.log.json';

/** Lists the built-in mappings: paths by name. */
export async function listMappings(): Promise<ReadonlyMap<string, string>> {
  const folder = join(ROOT, 'configs');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(mappingSuffix)).toSorted();
  return new Map(files.map((file) => [basename(file, mappingSuffix), join(folder, file)]));
}

/**
 * Loads a built-in mapping by name, or a mapping file by path.
 *
 * @throws PlaybyplayError `unknown-mapping`, or `bad-mapping` with all issues.
 */
export async function loadMapping(nameOrPath: string): Promise<CompiledMapping> {
  const builtin = await listMappings();
  const path = builtin.get(nameOrPath) ?? nameOrPath;
  if (!existsSync(path))
    throw new PlaybyplayError('unknown-mapping', `there is no log mapping "${nameOrPath}"`, {
      hint:
        suggestSpelling(nameOrPath, builtin.keys()) ??
        `Use ${[...builtin.keys()].join(', ')}, or the path of a mapping file.`,
    });
  const json = readInputText(path, 'bad-mapping');
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch (error) {
    throw new PlaybyplayError('bad-mapping', `${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
  return compileMapping(data, path);
}

const maxIdentifyingLines = 40;
const maxIdentifyingLineLength = 2000;

/**
 * Finds the built-in mapping for a log by its first lines.
 *
 * @throws PlaybyplayError `unknown-log` if no mapping matches.
 */
export async function recognizeMapping(log: string): Promise<CompiledMapping> {
  const builtin = await listMappings();
  const lines = log.split(/\r?\n/, maxIdentifyingLines);
  for (const path of builtin.values()) {
    const compiled = await loadMapping(path);
    if (lines.some((line) => compiled.known.test(line.slice(0, maxIdentifyingLineLength)))) return compiled;
  }
  throw new PlaybyplayError('unknown-log', 'no log mapping recognizes this log', {
    hint: `Use --format with ${[...builtin.keys()].join(', ')} or the path of a mapping file.`,
  });
}
