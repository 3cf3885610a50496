import { NO_PLUGINS, type Plugins } from '../detectors/plugins/load.ts';
import { kindNames, loadKind } from '../detectors/registry.ts';
import type { KindSchemas } from '../profile/schema.ts';
import type { Schema } from '../schema/from-schema.ts';
import { preprocessSchema } from '../regions/preprocess/compile.ts';

/** Inputs that are not read from one frame. */
const LATE_INPUTS = new Map<string, 'compare' | 'hear' | 'follow'>([
  ['records', 'follow'],
  ['audio', 'hear'],
  ['frame-pair', 'compare'],
]);

/**
 * The schemas that complete the profile's: of the detector kinds `used` (default: all; those of `plugins` among them) and of
 * the preprocessing steps, if there are any `steps`.
 */
export async function kindSchemas(
  used?: ReadonlySet<string>,
  steps = true,
  plugins: Plugins = NO_PLUGINS,
): Promise<KindSchemas> {
  const late = new Map<string, 'compare' | 'hear' | 'follow'>();
  const places = new Map<string, (options: Readonly<Record<string, unknown>>) => boolean>();
  const detectors = await Promise.all(
    [...kindNames(), ...plugins.kinds.keys()].map(async (name): Promise<readonly [string, Schema]> => {
      if (used !== undefined && !used.has(name)) return [name, true];
      const kind = await loadKind(name, plugins);
      if (kind.input === 'frame' && kind.places) places.set(name, (options) => kind.places!(options));
      const stage = LATE_INPUTS.get(kind.input);
      if (stage) late.set(name, stage);
      return [name, kind.schema];
    }),
  );
  return { detectors: new Map(detectors), ...(steps ? { preprocess: preprocessSchema() } : {}), late, places };
}
