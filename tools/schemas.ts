// Writes the published JSON Schemas beside the documentation.
//   node tools/schemas.ts
import { writeFileSync } from 'node:fs';
import { dictionarySchema } from '../src/dictionary/schema.ts';
import { settingsSchema } from '../src/highlights/settings-schema.ts';
import { logMappingSchema } from '../src/events/import/mapping.ts';
import { querySchema } from '../src/query/schema.ts';

/** Path below docs/ and text of each schema. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const schemas = {
    dictionary: dictionarySchema,
    query: querySchema,
    'log-mapping': logMappingSchema,
    'highlight-settings': settingsSchema,
  };
  return new Map(
    Object.entries(schemas).map(([name, schema]) => [`${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`]),
  );
}

if (import.meta.main) {
  for (const [name, text] of schemaFiles()) writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
}
