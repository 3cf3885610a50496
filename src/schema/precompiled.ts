import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A string in a value under a `format` keyword: the format, the string and its JSON pointer. */
export type FormatMatch = readonly [format: string, text: string, pointer: string];

/** A validator that the build has generated; `this` collects the strings under `format` keywords. */
export type PrecompiledValidator = (this: { readonly formats: FormatMatch[] }, value: unknown) => boolean;

const ID_PREFIX = 'urn:playbyplay:';

/** The file name of the precompiled validator of a schema of this program: `urn:playbyplay:profile:1` is `profile-1.cjs`. */
export function validatorFile(id: string): string {
  return `${id.slice(ID_PREFIX.length).replaceAll(':', '-')}.cjs`;
}

const require = createRequire(import.meta.url);
const loaded = new Map<string, PrecompiledValidator | undefined>();

/**
 * The precompiled validator of the schema with this `$id`, if this is a built package: `node tools/schemas.ts --validators`
 * writes them to `validators/` next to the bundle. In a checkout there are none, and schemas are compiled on first use.
 */
export function loadPrecompiled(id: string): PrecompiledValidator | undefined {
  if (!id.startsWith(ID_PREFIX)) return undefined;
  if (!loaded.has(id)) {
    const path = join(import.meta.dirname, 'validators', validatorFile(id));
    loaded.set(id, existsSync(path) ? (require(path) as PrecompiledValidator) : undefined);
  }
  return loaded.get(id);
}
