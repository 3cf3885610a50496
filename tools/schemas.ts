// Generates what is derived from the JSON Schemas of the program.
//   node tools/schemas.ts                      writes the published schemas to docs/
//   node tools/schemas.ts --validators FOLDER  writes a precompiled validator for each schema; the build puts them into
//                                              dist/validators, so that the package starts without compiling schemas
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { configSchema } from '../src/cli/plugins.ts';
import { soundSchema } from '../src/detectors/sound/fingerprint.ts';
import { atlasSchema } from '../src/detectors/text/atlas.ts';
import { lexiconSchema } from '../src/detectors/text/lexicon.ts';
import { lightSchema } from '../src/detectors/text/line-image.ts';
import { dictionarySchema } from '../src/dictionary/format.ts';
import { logMappingSchema } from '../src/events/import/mapping.ts';
import { correctionSchema } from '../src/events/corrections.ts';
import { LINE_SCHEMAS } from '../src/events/reader.ts';
import { STATEMENT_SCHEMA } from '../src/events/statement.ts';
import { placementSchema } from '../src/geometry.ts';
import { brandSchema } from '../src/highlights/brand.ts';
import { preferencesSchema } from '../src/highlights/preferences.ts';
import { settingsSchema } from '../src/highlights/settings.ts';
import { viewerWeightSchema } from '../src/highlights/weights.ts';
import { triggersSchema } from '../src/live/triggers.ts';
import { loadKindCatalog } from '../src/pipeline/schemas.ts';
import { PROFILE_SCHEMA } from '../src/profile/profile.ts';
import { detectorSchema } from '../src/profile/schema.ts';
import { constantsSchema } from '../src/quality/constants.ts';
import { querySchema } from '../src/query/query.ts';
import { createAjv } from '../src/schema/compile.ts';
import type { SchemaObject } from '../src/schema/from-schema.ts';
import { validatorFile } from '../src/schema/precompiled.ts';

const published: Readonly<Record<string, unknown>> = {
  dictionary: dictionarySchema,
  query: querySchema,
  'log-mapping': logMappingSchema,
  'highlight-settings': settingsSchema,
  brand: brandSchema,
  preferences: preferencesSchema,
  triggers: triggersSchema,
};

async function writeValidators(folder: string): Promise<void> {
  const standalone = createRequire(import.meta.url)(
    'ajv/dist/standalone',
  ) as typeof import('ajv/dist/standalone/index.js');
  const { kinds, preprocess } = await loadKindCatalog();
  const detectors = [...kinds].map(([name, kind]) => detectorSchema(name, kind));
  mkdirSync(folder, { recursive: true });
  for (const schema of [
    ...Object.values(published),
    PROFILE_SCHEMA,
    STATEMENT_SCHEMA,
    ...Object.values(LINE_SCHEMAS),
    correctionSchema,
    atlasSchema,
    lexiconSchema,
    lightSchema,
    soundSchema,
    placementSchema,
    configSchema,
    viewerWeightSchema,
    constantsSchema,
    preprocess,
    ...detectors,
  ] as SchemaObject[]) {
    const ajv = createAjv({ allErrors: false, verbose: false, messages: false, code: { source: true } });
    writeFileSync(join(folder, validatorFile(schema['$id'] as string)), standalone.default(ajv, ajv.compile(schema)));
  }
}

const [option, folder] = process.argv.slice(2);
if (option === '--validators' && folder !== undefined) await writeValidators(folder);
else
  for (const [name, schema] of Object.entries(published))
    writeFileSync(
      new URL(`../docs/reference/${name}.schema.json`, import.meta.url),
      `${JSON.stringify(schema, null, 2)}\n`,
    );
