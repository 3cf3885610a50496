// Writes docs/reference.md: every preprocessing step and detector kind with its options, from their own schemas.
//   node tools/reference.ts
import { writeFileSync } from 'node:fs';
import { optionRows } from '../src/cli/kinds.ts';
import { allKinds } from '../src/detectors/registry.ts';
import { STEPS } from '../src/regions/preprocess/steps/index.ts';

type Schema = Readonly<Record<string, unknown>>;

function table(options: Readonly<Record<string, Schema>>, required: readonly string[]): string {
  const rows = optionRows(options, required).map(({ name, takes, required: needed, default: preset }) => {
    const value = preset === undefined ? '' : `\`${JSON.stringify(preset).replaceAll('"', '')}\``;
    return `| \`${name}\` | ${takes} | ${needed ? 'required' : value} |`;
  });
  if (rows.length === 0) return 'No options.';
  const more = optionRows(options, required).flatMap(({ name, description }) =>
    description === undefined ? [] : [`- \`${name}\`: ${description}`],
  );
  const list = more.length === 0 ? '' : `\n\n${more.join('\n')}`;
  return `| option | takes | default |\n|---|---|---|\n${rows.join('\n')}${list}`;
}

/** The text of docs/reference.md. */
export async function reference(): Promise<string> {
  const steps = [...STEPS.values()];
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
