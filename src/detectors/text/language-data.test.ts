import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { languageData, languageRequirements, tesseractCode } from './language-data.ts';

const of = (bytes: Uint8Array) => languageRequirements([{ code: 'eng', load: () => Promise.resolve(bytes) }]);

describe("Tesseract's language data", () => {
  it.each([
    ['de', 'deu'],
    ['pt-BR', 'por'],
    ['zh', 'chi_sim'],
    ['zh-TW', 'chi_tra'],
    ['zh-Hant-HK', 'chi_tra'],
    ['sr', 'srp'],
    ['sr-Latn', 'srp_latn'],
    ['nb', 'nor'],
    ['uz', 'uzb'],
    ['uz-Cyrl', 'uzb_cyrl'],
    ['el', 'ell'],
    ['fil', 'fil'],
    ['ja', 'jpn'],
    ['tlh', undefined],
  ])('of %s is called %s', (tag, code) => {
    expect(tesseractCode(tag)).toBe(code);
  });

  it('of English is installed, with a hash for the fingerprint', async () => {
    const [data, ...more] = languageData(['en-GB'], [], undefined);
    expect([data?.code, more.length]).toEqual(['eng', 0]);
    expect(await languageRequirements([data!])).toEqual([
      { name: 'eng.traineddata', hash: expect.stringMatching(/^[0-9a-f]{64}$/) as never },
    ]);
  });

  it('reports what to install when it is missing', () => {
    expect(() => languageData(['en', 'yi'], [], undefined)).toThrow(
      expect.objectContaining({
        code: 'no-language-data',
        message: expect.stringContaining('Yiddish (yi)') as never,
        hint: expect.stringContaining('npm install @tesseract.js-data/yid') as never,
      }) as never,
    );
    expect(() => languageData(['tlh'], [], undefined)).toThrow('Tesseract has no data for Klingon');
  });

  it('is looked into before it is used', async () => {
    const [own] = languageData(['en'], [], undefined);
    const packed = Buffer.from(await own!.load());
    const data = gunzipSync(packed);
    await expect(of(data)).resolves.toHaveLength(1);
    await expect(of(Buffer.from('no data at all'))).rejects.toMatchObject({ code: 'bad-language-data' });
    await expect(of(packed.subarray(0, 5000))).rejects.toThrow('eng.traineddata is packed, but damaged');
    await expect(of(data.subarray(0, 5000))).rejects.toThrow('cut off');
    const old = Buffer.from(data);
    old.writeBigInt64LE(-1n, 4 + 8 * 17);
    await expect(of(old)).rejects.toThrow('has no network');
  });

  it('may be a file next to the profile', async () => {
    const assets = { read: (path: string) => Promise.resolve(Buffer.from(path)) };
    const found = languageData(['yi', 'en'], ['ocr/yid.traineddata.gz'], assets);
    expect(found.map(({ code }) => code)).toEqual(['yid', 'eng']);
    expect(Buffer.from(await found[0]!.load()).toString()).toBe('ocr/yid.traineddata.gz');
    expect(() => languageData(['yi'], ['ocr/jiddisch.bin'], assets)).toThrow('is not named like language data');
  });
});
