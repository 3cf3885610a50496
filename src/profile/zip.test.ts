import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PlaybyplayError } from '../errors.ts';
import { loadProfile } from './load.ts';
import { findProfile } from './find.ts';
import { zipPack } from './zip.ts';

/** Written by Python's zipfile: deflated entries and a stored one, all in a folder `tiny-pack-1.0/`. */
const FIXTURE = new URL('../../test/fixtures/pack.zip', import.meta.url).pathname;
const bytes = await readFile(FIXTURE);

async function archiveOf(content: Buffer): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'playbyplay-zip-')), 'pack.zip');
  await writeFile(path, content);
  return path;
}

/** Reads everything in an archive; the code of the error where that fails. */
async function readAll(path: string): Promise<string> {
  try {
    const pack = await zipPack(path);
    for (const game of await pack.list('configs')) {
      for (const name of await pack.list(`configs/${game}`)) await pack.read(`configs/${game}/${name}`);
    }
    return 'fine';
  } catch (error) {
    if (error instanceof PlaybyplayError) return error.code;
    throw error;
  }
}

describe('zipPack', () => {
  it('reads stored and deflated files, through the folder around them', async () => {
    const pack = await zipPack(FIXTURE);
    expect(await pack.list('configs/tiny')).toEqual(['note.txt', 'profile.json']);
    expect(Buffer.from(await pack.read('configs/tiny/note.txt')).toString()).toBe('stored');
    expect(Buffer.from(await pack.read('scripts/tiny.js')).toString()).toContain('game.note(cue.value);');
    expect([await pack.has('scripts/tiny.js'), await pack.has('scripts'), await pack.has('../x')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('finds a profile by the archive and by its path in it', async () => {
    const loaded = await loadProfile(FIXTURE);
    expect([loaded.profile.game, loaded.script?.name]).toEqual(['tiny', 'scripts/tiny.js']);
    const again = await loadProfile(loaded.pack.locate(loaded.path));
    expect(again.fingerprint).toEqual(loaded.fingerprint);
    expect(Buffer.from(await again.assets.read('note.txt')).toString()).toBe('stored');
    await expect(findProfile('/nowhere/pack.zip')).rejects.toMatchObject({ code: 'profile-missing' });
  });

  it('suggests the nearest file, and reads none outside or above a size limit', async () => {
    const pack = await zipPack(FIXTURE);
    await expect(pack.read('scripts/tini.js')).rejects.toMatchObject({
      code: 'asset-missing',
      hint: 'Did you mean "scripts/tiny.js"?',
    });
    await expect(pack.read('configs/tiny/profile.json', 10)).rejects.toMatchObject({ code: 'asset-too-large' });
    await expect(pack.read('../secret')).rejects.toMatchObject({ code: 'asset-outside-pack' });
  });

  it('refuses an archive with a path that leads out of it', async () => {
    const name = 'tiny-pack-1.0/scripts/tiny.js';
    const evil = Buffer.from(bytes.toString('latin1').replaceAll(name, '../'.repeat(9).concat('xx')), 'latin1');
    expect(evil.length).toBe(bytes.length);
    expect(await readAll(await archiveOf(evil))).toBe('asset-outside-pack');
  });

  it('refuses files that are encrypted, compressed otherwise, or larger than declared', async () => {
    const directory = bytes.indexOf('PK\x01\x02', 0, 'latin1');
    const change = async (offset: number, value: number): Promise<string> => {
      const copy = Buffer.from(bytes);
      copy[directory + offset] = value;
      return readAll(await archiveOf(copy));
    };
    expect(await change(8, 1)).toBe('pack-broken');
    expect(await change(10, 9)).toBe('pack-broken');
    expect(await change(24, 3)).toBe('pack-broken');
  });

  it('fails cleanly for truncated and corrupted archives', async () => {
    const outcomes = new Set<string>();
    const path = await archiveOf(bytes);
    for (let length = 0; length < bytes.length; length += 3) {
      await writeFile(path, bytes.subarray(0, length));
      outcomes.add(await readAll(path));
    }
    for (let at = 0; at < bytes.length; at++) {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1 << (at % 8);
      await writeFile(path, copy);
      outcomes.add(await readAll(path));
    }
    expect(
      [...outcomes].filter(
        (code) => !['fine', 'pack-broken', 'asset-outside-pack', 'asset-missing', 'asset-too-large'].includes(code),
      ),
    ).toEqual([]);
    expect(outcomes).toContain('pack-broken');
  });
});
