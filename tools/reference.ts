// Writes docs/reference.md: every preprocessing step and detector kind with its options, from their own schemas.
//   node tools/reference.ts
import { writeFileSync } from 'node:fs';
import { allKinds } from '../src/detectors/registry.ts';
import { loadSteps } from '../src/regions/preprocess.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What an option takes, in words: `number, 0 to 255`; `one of fixed, otsu, adaptive`. */
function wording(schema: Schema): string {
  const { type, enum: choices, minimum, exclusiveMinimum, maximum, exclusiveMaximum, items, pattern, $ref } = schema;
  if (Array.isArray(choices)) return `one of ${choices.map((one) => `\`${String(one)}\``).join(', ')}`;
  if ($ref === 'urn:playbyplay:preprocess') return 'steps';
  const alternatives = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  if (alternatives) return alternatives.map(wording).join(', or ');
  if (pattern === '^#[0-9a-fA-F]{6}$') return 'colour `#rrggbb`';
  if (type === 'array') {
    const { minItems, maxItems } = schema;
    const count = minItems !== undefined && minItems === maxItems ? `${String(minItems)} × ` : 'list of ';
    return `${count}${items ? wording(items as Schema) : 'anything'}`;
  }
  if (type === 'object') {
    const inner = Object.keys((schema['properties'] as Schema | undefined) ?? {});
    const extra = schema['additionalProperties'];
    if (inner.length > 0) return `object with ${inner.map((name) => `\`${name}\``).join(', ')}`;
    return typeof extra === 'object' && extra !== null ? `names, each with ${wording(extra as Schema)}` : 'object';
  }
  const low = minimum ?? exclusiveMinimum;
  const high = maximum ?? exclusiveMaximum;
  const range =
    low === undefined && high === undefined
      ? ''
      : `, ${exclusiveMinimum === undefined ? '' : 'above '}${String(low ?? '')} to ${String(high ?? '')}`;
  return `${String(type ?? 'anything')}${high === undefined && low !== undefined ? `, ${exclusiveMinimum === undefined ? 'at least' : 'above'} ${String(low)}` : range}`;
}

function table(options: Readonly<Record<string, Schema>>, required: readonly string[]): string {
  const rows = Object.entries(options).map(([name, schema]) => {
    const preset =
      schema['default'] === undefined ? '' : `\`${JSON.stringify(schema['default']).replaceAll('"', '')}\``;
    return `| \`${name}\` | ${wording(schema)} | ${required.includes(name) ? 'required' : preset} |`;
  });
  return rows.length === 0 ? 'No options.' : `| option | takes | default |\n|---|---|---|\n${rows.join('\n')}`;
}

/** The text of docs/reference.md. */
export async function reference(): Promise<string> {
  const steps = [...(await loadSteps()).values()];
  const kinds = [...(await allKinds()).values()];
  const parts = [
    '# Reference: preprocessing steps and detector kinds',
    'Written from the schemas by `node tools/reference.ts`. How the parts of a profile work together is in [profiles.md](profiles.md).',
    '## Preprocessing steps',
    'Members of a region\'s `preprocess` list, in order: `{ "step": "threshold", "method": "otsu" }`. Lengths are pixels of the reference frame and grow with the video; colours are `#rrggbb` or `[red, green, blue]`.',
    ...steps.map(
      ({ name, description, options, required }) =>
        `### ${name}\n\n${description}\n\n${table(options, required ?? [])}`,
    ),
    '## Detector kinds',
    'Options beside those that every detector has (`kind`, `region`, `when`, `stability`, …).',
    ...kinds.map(({ name, description, schema }) => {
      const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
      return `### ${name}\n\n${description}\n\n${table(properties, required)}`;
    }),
  ];
  return `${parts.join('\n\n')}\n`;
}

if (import.meta.main) writeFileSync(`${import.meta.dirname}/../docs/reference.md`, await reference());
