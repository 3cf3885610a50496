import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { kindNames } from '../src/detectors/registry.ts';
import { dictionarySchema } from '../src/dictionary/format.ts';
import { PROFILE_SCHEMA } from '../src/profile/profile.ts';
import { checkSchema } from '../src/schema/check.ts';
import { type FormatMatch, type PrecompiledValidator, validatorFile } from '../src/schema/precompiled.ts';
import { broken } from './fixtures/dictionary/broken.ts';

const root = join(import.meta.dirname, '..');
// Below node_modules, because the validators require parts of ajv.
const folder = mkdtempSync(join(root, 'node_modules', '.validators-'));
afterAll(() => rmSync(folder, { recursive: true }));
const { status, stderr } = spawnSync(process.execPath, ['tools/schemas.ts', '--validators', folder], {
  cwd: root,
  encoding: 'utf8',
});
if (status !== 0) throw new Error(stderr);
const require = createRequire(import.meta.url);

describe('precompiled validators', () => {
  it('exist for the profile, each detector kind, the preprocessing steps and each file format', () => {
    const formats = [
      'atlas-1',
      'brand-1',
      'config-1',
      'correction-1',
      'dictionary-1',
      'highlight-settings-1',
      'preferences-1',
      'lexicon-1',
      'light-1',
      'log-end-1',
      'log-event-1',
      'log-gap-1',
      'log-header-1',
      'log-mapping-1',
      'placement-1',
      'preprocess',
      'profile-1',
      'quality-constants-1',
      'query-1',
      'sound-1',
      'statement-1',
      'triggers-1',
      'viewer-weight-1',
    ];
    expect(readdirSync(folder).toSorted()).toEqual(
      [...kindNames().map((kind) => `detector-${kind}.cjs`), ...formats.map((format) => `${format}.cjs`)].toSorted(),
    );
  });

  it.each([
    ['configs/freedoom/profile.json', PROFILE_SCHEMA],
    ['test/cases/dictionaries/paint.json', dictionarySchema],
  ])('accept %s, and refuse variants of it that the compiled schema refuses', (file, schema) => {
    const { $id } = schema as { readonly $id: string };
    const validator = require(join(folder, validatorFile($id))) as PrecompiledValidator;
    const valid: unknown = JSON.parse(readFileSync(join(root, file), 'utf8'));
    const formats: FormatMatch[] = [];
    expect(validator.call({ formats }, valid)).toBe(true);
    const seen: FormatMatch[] = [];
    checkSchema(schema, valid, { onFormat: (...match) => seen.push(match) });
    const known = new Set(formats.filter(([format]) => format !== 'regex').map((match) => match.join(' ')));
    expect(new Set(seen.map((match) => match.join(' ')))).toEqual(known);
    fc.assert(
      fc.property(broken(valid), (value) => {
        const codes = checkSchema(schema, value).map(({ code, message }) => `${code} ${message}`);
        const isValid = codes.every((code) => code.includes('regular expression'));
        expect([validator.call({ formats: [] }, value), codes]).toEqual([isValid, codes]);
      }),
      { numRuns: 300 },
    );
  });
});
