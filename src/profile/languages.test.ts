import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGame } from '../pipeline/game.ts';
import { loadKindCatalog } from '../pipeline/schemas.ts';
import { loadProfile } from './load.ts';

const PROFILE = {
  format: 'playbyplay/profile/1',
  game: 'talk',
  title: 'Talk',
  version: '1',
  language: 'en',
  languages: ['de', 'zh-Hant', 'pt-BR'],
  reference: { width: 640, height: 360 },
  regions: { line: { x: 0, y: 0, width: 1, height: 0.1 } },
  detectors: {
    line: { kind: 'text', region: 'line', lexicon: 'lines.txt', fallback: { reader: 'tesseract' } },
    clock: { kind: 'text', region: 'line', language: 'en', value: 'time', fallback: { reader: 'tesseract' } },
  },
};

/** Detectors whose data would lie outside the pack. */
function leaving(folder: string): object {
  const data = [`../${folder.split('/').at(-1)!}/eng.traineddata`];
  return { line: { ...PROFILE.detectors.line, fallback: { reader: 'tesseract', data } } };
}

describe('a profile in several languages', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'languages-'));
    await mkdir(join(folder, 'texts'));
    await writeFile(join(folder, 'profile.json'), JSON.stringify(PROFILE));
    for (const [name, text] of Object.entries({ '': 'hello', '.de': 'hallo', '.zh-Hant': '你好', '.pt': 'olá' }))
      await writeFile(join(folder, `lines${name}.txt`), text);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const open = (language?: string) => loadProfile(folder, { language, kinds: (used) => loadKindCatalog(used) });
  const text = async (language?: string): Promise<string> => {
    const { assets } = await open(language);
    return Buffer.from(await assets.read('lines.txt')).toString('utf8');
  };

  it('reads the files of the closest available language', async () => {
    expect(await text()).toBe('hello');
    expect(await text('de')).toBe('hallo');
    expect(await text('de-CH')).toBe('hallo');
    expect(await text('zh-TW')).toBe('你好');
    expect(await text('pt')).toBe('olá');
    expect(await text('en,de')).toBe('hello');
  });

  it('passes the languages to detectors without their own', async () => {
    const { profile, languages } = await open('de-CH,en');
    expect(languages).toEqual(['de-CH', 'en']);
    expect(profile.detectors['line']!.language).toEqual(['de-CH', 'en']);
    expect(profile.detectors['clock']!.language).toBe('en');
  });

  it('has a fingerprint for each', async () => {
    const hashes = await Promise.all(
      [undefined, 'en', 'de', 'de-CH'].map(async (tag) => (await open(tag)).fingerprint.hash),
    );
    expect(new Set(hashes).size).toBe(4);
  });

  it('lists its languages when another is requested', async () => {
    await expect(open('fr')).rejects.toMatchObject({
      code: 'unknown-language',
      message: 'the profile of talk does not read French (fr)',
      hint: expect.stringContaining('It reads en (English), de (German)') as never,
    });
    await expect(open('zh-CN')).rejects.toThrow('Chinese (China)');
    await expect(open('german')).rejects.toMatchObject({ code: 'unknown-language' });
    await expect(open('../de')).rejects.toMatchObject({ code: 'unknown-language' });
  });

  it('cannot be used without the data that its languages need', async () => {
    await writeFile(join(folder, 'texts/profile.json'), JSON.stringify({ ...PROFILE, language: 'yi' }));
    await writeFile(join(folder, 'texts/lines.txt'), 'x');
    await expect(openGame(join(folder, 'texts'))).rejects.toMatchObject({
      code: 'profile-broken',
      issues: [
        {
          code: 'no-language-data',
          path: expect.stringContaining('#/detectors/line') as never,
          hint: expect.stringContaining('npm install @tesseract.js-data/yid') as never,
        },
      ],
    });
    await writeFile(join(folder, 'texts/profile.json'), JSON.stringify({ ...PROFILE, detectors: leaving(folder) }));
    await expect(openGame(join(folder, 'texts'))).rejects.toMatchObject({ issues: [{ code: 'asset-outside-pack' }] });
  });

  it('is checked: its tags must be languages', async () => {
    await writeFile(
      join(folder, 'texts/profile.json'),
      JSON.stringify({ ...PROFILE, languages: ['de', 'klingonisch'] }),
    );
    await writeFile(join(folder, 'texts/lines.txt'), 'x');
    await expect(loadProfile(join(folder, 'texts'), { kinds: (used) => loadKindCatalog(used) })).rejects.toMatchObject({
      issues: [{ code: 'unknown-language', path: expect.stringContaining('#/languages/1') as never }],
    });
  });
});
