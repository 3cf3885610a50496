import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownProfiles } from './find.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'known-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The games that are known by a profile with this text outside a pack. */
async function gamesOf(name: string, text: string): Promise<readonly string[]> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'profile.json'), text);
  const own = (await knownProfiles([join(folder, name)])).filter(({ path }) => path.startsWith(folder));
  return own.map(({ game }) => game);
}

describe('a profile outside a pack', () => {
  it('is found by its game, not by names in its text', async () => {
    const texts = { description: 'Not "game": "chess".', events: [{ game: 'draughts' }], game: 'go "19"' };
    expect(await gamesOf('go', JSON.stringify(texts))).toEqual(['go "19"']);
  });

  it.each([
    ['says no game', '{ "events": [{ "game": "draughts" }] }'],
    ['is broken', '{ "game": "go", '],
    ['is none', '[]'],
  ])('is reported when it %s', async (name, text) => {
    await expect(gamesOf(name, text)).rejects.toMatchObject({ code: 'profile-missing' });
  });
});
