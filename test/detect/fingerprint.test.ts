import { appendFile, cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
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
    const hashOf = async (language: string | undefined): Promise<string> =>
      (await loadProfile(folder, { kinds: loadKindCatalog, language })).fingerprint.hash;
    const before = new Map<string | undefined, string>();
    for (const language of [undefined, ...languages]) before.set(language, await hashOf(language));
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const profile = await readFile(join(folder, 'profile.json'), 'utf8');
    const read = entries.filter(
      (one) =>
        one.isFile() &&
        !APART.test(one.name) &&
        (basename(one.parentPath) !== 'models' || profile.includes(`models/${one.name}`)),
    );
    expect(read.length).toBeGreaterThan(1);
    for (const entry of read) {
      const path = join(entry.parentPath, entry.name);
      const content = await readFile(path);
      await appendFile(path, ' ');
      let isChanged = false;
      // What is read in any of its languages.
      for (const [language, hash] of before) isChanged ||= (await hashOf(language)) !== hash;
      expect([entry.name, isChanged]).toEqual([entry.name, true]);
      await writeFile(path, content);
    }
  });
});
