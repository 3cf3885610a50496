import { PlaybyplayError } from '../../errors.ts';
import { VERSION } from '../../version.ts';

/**
 * The versions of the plug-ins' interface (docs/games/plugins.md) that this program has. The newest grows with every change that a plug-in
 * written before would not survive, the oldest where what it promised is given up.
 */
const INTERFACE = { oldest: 1, newest: 1 } as const;

/**
 * Refuses a plug-in that was written for another interface. `version`: what it says, by `interfaceVersion` of its module or
 * `playbyplay.interface` of its package.json; undefined: the first.
 * @throws PlaybyplayError `plugin-incompatible`, with what to do.
 */
export function checkInterface(
  plugin: string,
  version: unknown = 1,
  has: { readonly oldest: number; readonly newest: number } = INTERFACE,
): void {
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new PlaybyplayError(
      'plugin-broken',
      `the plug-in ${plugin} cannot be used: its interface version must be a whole number from 1, not ${JSON.stringify(version)}`,
    );
  if (version >= has.oldest && version <= has.newest) return;
  const own = has.oldest === has.newest ? `${has.newest}` : `${has.oldest} to ${has.newest}`;
  const newer = version > has.newest;
  throw new PlaybyplayError(
    'plugin-incompatible',
    `the plug-in ${plugin} is written for version ${version} of the plug-ins' interface; this program (playbyplay ${VERSION}) has ${own}`,
    {
      hint: newer
        ? 'Update playbyplay, or take an older version of the plug-in.'
        : 'Take a newer version of the plug-in, or ask its author for one; docs/games/plugins.md says what the interface is now.',
    },
  );
}
