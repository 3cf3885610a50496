import { NO_PLUGINS, type Plugins } from '../detectors/plugins/load.ts';
import { kindNames, loadKind } from '../detectors/registry.ts';
import type { KindCatalog } from '../profile/schema.ts';
import { preprocessSchema } from '../regions/preprocess/compile.ts';

/**
 * Loads what checking a profile needs of detector kinds and preprocessing steps.
 *
 * @param used Names of the kinds to load; default all. Names that no kind has are ignored.
 * @param steps Whether a region of the profile has preprocessing steps.
 */
export async function loadKindCatalog(
  used?: ReadonlySet<string>,
  steps = true,
  plugins: Plugins = NO_PLUGINS,
): Promise<KindCatalog> {
  const names = [...kindNames(), ...plugins.kinds.keys()];
  const wanted = used === undefined ? names : names.filter((name) => used.has(name));
  const kinds = await Promise.all(wanted.map(async (name) => [name, await loadKind(name, plugins)] as const));
  return { names, kinds: new Map(kinds), ...(steps ? { preprocess: preprocessSchema() } : {}) };
}
