import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PlaybyplayError } from '../../errors.ts';
import { languageName } from '../../language/tags.ts';
import type { Assets, Requirement } from '../kind.ts';

/** Tesseract's data of a language: `<code>.traineddata`, gzipped or not. */
export interface LanguageData {
  /** Tesseract's name of the language: `deu`, `chi_sim`. */
  readonly code: string;
  load(): Promise<Uint8Array>;
  /** The folder that holds `<code>.traineddata.gz`, where the data is a file there. */
  readonly folder?: string;
}

/** The languages with data, by Tesseract's names: ISO 639-2 codes, some with a script. */
const CODES = (
  'afr amh ara asm aze aze_cyrl bel ben bod bos bre bul cat ceb ces chi_sim chi_tra chr cos cym dan deu div dzo ell eng epo est eus ' +
  'fao fas fil fin fra fry gla gle glg guj hat heb hin hrv hun hye iku ind isl ita jav jpn kan kat kaz khm kir kmr kor lao lat ' +
  'lav lit ltz mal mar mkd mlt mon mri msa mya nep nld nor oci ori pan pol por pus que ron rus san sin slk slv snd spa sqi srp srp_latn ' +
  'sun swa swe syr tam tat tel tgk tha tir ton tur uig ukr urd uzb uzb_cyrl vie yid yor'
).split(' ');

const SCRIPTS: Readonly<Record<string, string>> = { sim: 'Hans', tra: 'Hant', latn: 'Latn', cyrl: 'Cyrl' };
/** Names that are not ISO 639 codes, and languages that another's data serves. */
const NAMES: Readonly<Record<string, string>> = {
  chi: 'zh',
  msa: 'ms',
  srp: 'sr',
  nor: 'no',
  swa: 'sw',
  uzb: 'uz',
  aze: 'az',
};
const ALSO: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', yue: 'zh', ku: 'kmr' };

/** Returns language and script of Tesseract's data. */
function languageKey(code: string): string {
  const [name = '', script] = code.split('_');
  const locale = new Intl.Locale(NAMES[name] ?? Intl.getCanonicalLocales(name)[0]!);
  // Without a script the name means the language's usual one.
  return `${locale.language} ${script === undefined ? locale.maximize().script : SCRIPTS[script]}`;
}

let byKey: ReadonlyMap<string, string> | undefined;

/** Returns Tesseract's name for the data of a language; undefined where there is none. */
export function tesseractCode(tag: string): string | undefined {
  byKey ??= new Map(CODES.map((code) => [languageKey(code), code]));
  const locale = new Intl.Locale(tag).maximize();
  const language = ALSO[locale.language] ?? locale.language;
  return byKey.get(`${language} ${locale.script}`);
}

/** Name of a language's file, gzipped or not. */
const FILE_NAME = /^([a-z]{3}(?:_[a-z]+)*)\.traineddata(?:\.gz)?$/;

/**
 * Finds Tesseract's data for languages, in their order: files that the profile ships, else installed npm packages, else the folder
 * that the environment variable TESSDATA_PREFIX names. Nothing is downloaded.
 *
 * @param tags BCP 47 tags.
 * @param files Paths of `assets`.
 * @throws PlaybyplayError `no-language-data`, `bad-language-data`.
 */
export function languageData(
  tags: readonly string[],
  files: readonly string[],
  assets: Assets | undefined,
): readonly LanguageData[] {
  const shipped = new Map(
    files.map((file): [string, LanguageData] => {
      const code = FILE_NAME.exec(basename(file))?.[1];
      if (code === undefined)
        throw new PlaybyplayError('bad-language-data', `${file} is not named like language data`, {
          hint: 'Name it deu.traineddata or deu.traineddata.gz, with the code of its language.',
        });
      return [code, shippedData(code, file, assets!)];
    }),
  );
  const found = tags.map((tag) => {
    const code = tesseractCode(tag) ?? [...shipped.keys()].find((name) => name === tag);
    const data = code === undefined ? undefined : (shipped.get(code) ?? installed(code));
    if (!data) throw missing(tag, code);
    return data;
  });
  const codes = new Set(found.map(({ code }) => code));
  const extra = [...shipped.values()].filter(({ code }) => !codes.has(code));
  return [...new Map([...found, ...extra].map((data) => [data.code, data])).values()];
}

/** Data by file and by path, which detectors of one language share. */
const known = new WeakMap<Assets, Map<string, LanguageData>>();
const byPath = new Map<string, LanguageData>();

function shippedData(code: string, file: string, assets: Assets): LanguageData {
  const files = known.get(assets) ?? new Map<string, LanguageData>();
  known.set(assets, files);
  const data = files.get(file) ?? { code, load: () => assets.read(file) };
  files.set(file, data);
  return data;
}

/** Returns the data at a path of this machine. */
function dataAt(path: string, code: string, folder?: string): LanguageData {
  const data = byPath.get(path) ?? { code, load: () => readFile(path), ...(folder === undefined ? {} : { folder }) };
  byPath.set(path, data);
  return data;
}

/** Folder of the package with the fast, integer networks. */
const PACKAGE_FOLDER = '4.0.0_best_int';

function installed(code: string): LanguageData | undefined {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      const folder = join(
        dirname(createRequire(from).resolve(`@tesseract.js-data/${code}/package.json`)),
        PACKAGE_FOLDER,
      );
      const path = join(folder, `${code}.traineddata.gz`);
      if (existsSync(path)) return dataAt(path, code, folder);
    } catch {
      // Not installed there.
    }
  }
  const prefix = process.env['TESSDATA_PREFIX'];
  if (!prefix) return undefined;
  const path = [`${code}.traineddata`, `${code}.traineddata.gz`]
    .flatMap((name) => [join(prefix, name), join(prefix, 'tessdata', name)])
    .find((one) => existsSync(one));
  return path === undefined ? undefined : dataAt(path, code);
}

function missing(tag: string, code: string | undefined): PlaybyplayError {
  const name = `${languageName(tag)} (${tag})`;
  if (code === undefined)
    return new PlaybyplayError('no-language-data', `Tesseract has no data for ${name}`, {
      hint: 'Read it with a font of its own (an atlas), or ship data for it next to the profile: "fallback": { …, "data": […] }.',
    });
  return new PlaybyplayError('no-language-data', `the language data of ${name} for Tesseract is not installed`, {
    hint: `npm install @tesseract.js-data/${code} (in the folder where you work), or set TESSDATA_PREFIX to a folder with ${code}.traineddata, or ship that next to the profile: "fallback": { …, "data": ["${code}.traineddata.gz"] }.`,
  });
}

const requirements = new WeakMap<LanguageData, Promise<Requirement>>();

/**
 * Returns the data as requirements of readings.
 *
 * @throws PlaybyplayError `bad-language-data`.
 */
export async function languageRequirements(data: readonly LanguageData[]): Promise<readonly Requirement[]> {
  return Promise.all(
    data.map((one) => {
      const requirement = requirements.get(one) ?? inspectData(one);
      requirements.set(one, requirement);
      return requirement;
    }),
  );
}

async function inspectData({ code, load }: LanguageData): Promise<Requirement> {
  const bytes = await load();
  const fault = faultOf(bytes);
  if (fault !== undefined)
    throw new PlaybyplayError('bad-language-data', `${code}.traineddata ${fault}`, {
      hint: 'It is a file of Tesseract 4 or 5 with an LSTM network, as it is or packed with gzip.',
    });
  return { name: `${code}.traineddata`, hash: createHash('sha256').update(bytes).digest('hex') };
}

/** Index of the LSTM network among a file's parts. */
const NETWORK_PART = 17;
const MAX_PARTS = 64;
const MAX_UNPACKED_BYTES = 256 << 20;

/**
 * Returns what is wrong with language data, by its table of parts: a count and each part's offset, −1 for a missing one. Tesseract
 * itself would hang.
 */
function faultOf(bytes: Uint8Array): string | undefined {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let data: Buffer;
  try {
    data = isPacked
      ? gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  } catch {
    return 'is packed, but damaged';
  }
  const count = data.length < 4 ? 0 : data.readInt32LE(0);
  if (count < 1 || count > MAX_PARTS || data.length < 4 + 8 * count) return 'is not language data of Tesseract';
  const places = Array.from({ length: count }, (_, i) => Number(data.readBigInt64LE(4 + 8 * i)));
  if (!places.every((place) => place === -1 || (place >= 4 + 8 * count && place < data.length)))
    return 'is not language data of Tesseract, or cut off';
  return (places[NETWORK_PART] ?? -1) < 0 ? 'has no network (LSTM), only the old recogniser' : undefined;
}
