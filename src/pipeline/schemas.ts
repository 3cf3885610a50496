import { kindNames, loadKind } from '../detectors/registry.ts';
import type { KindSchemas } from '../profile/schema.ts';
import { preprocessSchema } from '../regions/preprocess.ts';

/** The schemas that complete the profile's: of the detector kinds `used` (default: all) and of the preprocessing steps. */
export async function kindSchemas(used?: ReadonlySet<string>): Promise<KindSchemas> {
  const detectors = await Promise.all(
    kindNames().map(async (name) => {
      const schema = used === undefined || used.has(name) ? (await loadKind(name)).schema : true;
      return [name, schema] as const;
    }),
  );
  return { detectors: new Map(detectors), preprocess: await preprocessSchema() };
}
