import { appendFile, cp, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKindCatalog } from '../../src/pipeline/schemas.ts';
import { loadProfile } from '../../src/profile/load.ts';
import { builtInPack, listGames } from '../../src/profile/find.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { ROOT } from '../../src/version.ts';

/**
 * Next to a profile, but nothing that is read from the screen depends on them: texts for people, mappings of other logs,
 * what to do with highlights; and trained networks that users may take instead, unless the profile names them.
 */
const APART = /\.md$|\.log\.json$|^highlights\.json$/;

const games = await listGames(builtInPack());

describe('the fingerprint of a profile', () => {
  it.each(games)('for %s changes with every file that affects readings', async (game) => {
    const root = await mkdtemp(join(tmpdir(), 'playbyplay-print-'));
    await cp(join(ROOT, 'configs', game), join(root, 'configs', game), { recursive: true });
    const folder = join(root, 'configs', game);
    const { languages = [] } = JSON.parse(await readFile(join(folder, 'profile.json'), 'utf8')) as Profile;
    // What is read in any of its languages.
    const hash = async (): Promise<string> => {
      const each = [undefined, ...languages].map((language) =>
        loadProfile(folder, { kinds: loadKindCatalog, language }),
      );
      return (await Promise.all(each)).map(({ fingerprint }) => fingerprint.hash).join(' ');
    };
    const seen = [await hash()];
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const profile = await readFile(join(folder, 'profile.json'), 'utf8');
    const read = entries.filter(
      (one) =>
        one.isFile() &&
        !APART.test(one.name) &&
        (basename(one.parentPath) !== 'models' || profile.includes(`models/${one.name}`)),
    );
    for (const entry of read) {
      await appendFile(join(entry.parentPath, entry.name), ' ');
      const now = await hash();
      expect([entry.name, seen.includes(now)]).toEqual([entry.name, false]);
      seen.push(now);
    }
    expect(seen.length).toBeGreaterThan(2);
  });
});
