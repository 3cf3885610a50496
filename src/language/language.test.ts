import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration, parseNumber } from './numbers.ts';
import {
  isRightToLeft,
  toLanguageTags,
  canonicalLanguageTag,
  localizedPath,
  lookupRange,
  matchLanguage,
  getScripts,
} from './tags.ts';
import { foldText, splitGraphemes, resolveLookalikes, normalizeText, convertReadingOrder } from './text.ts';

describe('language tags', () => {
  it('are canonical, and only of languages that there are', () => {
    expect(canonicalLanguageTag('pt-br')).toBe('pt-BR');
    expect(canonicalLanguageTag('deu')).toBe('de');
    expect(canonicalLanguageTag('zh_TW')).toBe('zh-TW');
    expect(['german', 'qqx', '', 'de..', '../de'].map(canonicalLanguageTag)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(toLanguageTags(['RU', 'en', 'rus'])).toEqual(['ru', 'en']);
    expect(toLanguageTags(undefined)).toEqual([]);
  });

  it('mean the nearest of those there are, never another script', () => {
    expect(lookupRange('zh-Hant-TW')).toEqual(['zh-Hant-TW', 'zh-Hant', 'zh']);
    expect(matchLanguage('pt-BR', ['de', 'pt'])).toBe('pt');
    expect(matchLanguage('pt', ['de', 'pt-BR'])).toBe('pt-BR');
    expect(matchLanguage('zh-TW', ['zh-Hans', 'zh-Hant'])).toBe('zh-Hant');
    expect(matchLanguage('zh-TW', ['zh'])).toBeUndefined();
    expect(matchLanguage('fr', ['de', 'en'])).toBeUndefined();
    expect(localizedPath('fonts/feed.json', 'pt-BR')).toBe('fonts/feed.pt-BR.json');
  });

  it('know their scripts and directions', () => {
    expect(getScripts(['ja', 'ru'])).toEqual(['Hira', 'Kana', 'Hani', 'Cyrl']);
    expect([isRightToLeft(['ar']), isRightToLeft(['he', 'en']), isRightToLeft(['en', 'he'])]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('numbers', () => {
  it.each([
    ['de', '1.234,5', 1234.5],
    ['de', '1.234', 1234],
    ['en', '1,234.5', 1234.5],
    ['en', '−12', -12],
    ['fr', '1\u202F234,5', 1234.5],
    ['fr', '1 234,5', 1234.5],
    ['ru', '12\u00A0345', 12345],
    ['de-CH', "1'234.50", 1234.5],
    ['hi', '12,34,567', 1234567],
    ['hi', '१२,३४,५६७', 1234567],
    ['ar', '٣٤٥', 345],
    ['ar-EG', '١٬٢٣٤٫٥', 1234.5],
    ['fa', '۴۵٪', 45],
    ['ja', '１２３', 123],
    ['ja', '三万五千', 35000],
    ['ja', '二百三十五', 235],
    ['zh', '3万', 30000],
    ['tr', '%45', 45],
    ['es', '1.234', 1234],
    ['sv', '−5 %', -5],
    ['en', '.5', 0.5],
    ['en', '+7', 7],
    ['he', '\u200E-7', -7],
  ])('in %s: %s', (language, text, value) => {
    expect(parseNumber(text, [language])).toBe(value);
  });

  it.each([
    ['en', '1,23'],
    ['en', '1.234,5'],
    ['de', '1,234.5'],
    ['en', '12,34,567'],
    ['en', '1 2'],
    ['en', 'O5'],
    ['en', ''],
    ['en', '-'],
    ['en', '1e5'],
    ['en', '0x10'],
    ['de', '1,2,3'],
    ['en', '--5'],
  ])('not in %s: %s', (language, text) => {
    expect(parseNumber(text, [language])).toBeUndefined();
  });

  it('of several languages are those of the first in which they are numbers', () => {
    expect(parseNumber('1.234', ['de', 'en'])).toBe(1234);
    expect(parseNumber('1.234', ['en', 'de'])).toBe(1.234);
    expect(parseNumber('1,234.5', ['de', 'en'])).toBe(1234.5);
  });

  it('are read back as any language writes them', () => {
    const languages = [
      'en',
      'de',
      'fr',
      'de-CH',
      'en-IN',
      'hi',
      'ar-EG',
      'fa',
      'pl',
      'ja',
      'pt-PT',
      'my',
      'bn',
      'ne',
      'he',
      'sv',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...languages),
        fc.integer({ min: -9_999_999, max: 9_999_999 }),
        fc.boolean(),
        (tag, n, grouped) => {
          const value = n / 100;
          const shown = new Intl.NumberFormat(tag, {
            useGrouping: grouped ? 'always' : false,
            minimumFractionDigits: 2,
          }).format(value);
          expect(parseNumber(shown, [tag])).toBe(value === 0 ? 0 : value);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('durations', () => {
  it.each([
    ['1:23', 83],
    ['1:23.4', 83.4],
    ['01:36 56', 96.56],
    ['01:02:03,25', 3723.25],
    ['1\'23"4', 83.4],
    ['1′23″45', 83.45],
    ['2h05', 7500],
    ['2 h 05 min', 7500],
    ['12.5 s', 12.5],
    ['45', 45],
    ['1分23秒4', 83.4],
    ['5 мин 10 с', 310],
    ['１：２３', 83],
    ['-0:05', -5],
  ])('%s', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['1:2', '1:75', '', '1:60:00', 'abc', 's', '1:23:', '1.2.3'])('not %s', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('texts', () => {
  it('are normalized to composed form without invisible characters', () => {
    expect(normalizeText('e\u0301\u200Fa\u00A0\u202Fb\u00AD ')).toBe('éa b');
    expect(normalizeText('体 力 が 回復 100 HP', ['ja'])).toBe('体力が回復 100 HP');
    expect(normalizeText('체력 회복', ['ko'])).toBe('체력 회복');
  });

  it('are compared by the rules of their language', () => {
    const same = { case: true };
    expect(foldText('IĞDIR', ['tr'], same)).toBe(foldText('ığdır', ['tr'], same));
    expect(foldText('IĞDIR', ['en'], same)).not.toBe(foldText('ığdır', ['en'], same));
    expect(foldText('İZMİR', ['en'], same)).toBe('izmir');
    expect(foldText('STRASSE', ['de'], same)).toBe(foldText('Straße', ['de'], same));
    expect(foldText('ΟΔΟΣ', ['el'], same)).toBe(foldText('οδος', ['el'], same));
    expect(foldText('Ｅｎｄｅ－１', ['de'], same)).toBe('ende-1');
    expect(foldText('„Los“', ['de'])).toBe("'Los'");
    const bare = { case: true, diacritics: true };
    expect(foldText('Überspringen', ['fr'], bare)).toBe('uberspringen');
    expect(foldText('Hälsa', ['sv'], bare)).toBe('hälsa');
    expect(foldText('Край ёлки', ['ru'], bare)).toBe('край елки');
    expect(foldText('Łódź', ['en'], bare)).toBe('lodz');
  });

  it('are split into graphemes', () => {
    expect(splitGraphemes('e\u0301क्षि𝔸👍🏽x')).toEqual(['e\u0301', 'क्षि', '𝔸', '👍🏽', 'x']);
  });

  it('are put in reading order if they run from right to left', () => {
    const seen = [...'21 םולש'];
    expect(convertReadingOrder(seen, ['he']).join('')).toBe('שלום 21');
    expect(convertReadingOrder([...'Bob :םש'], ['he']).join('')).toBe('שם: Bob');
    expect(convertReadingOrder([...'12/30 HP'], ['en']).join('')).toBe('12/30 HP');
    expect(convertReadingOrder([...'(12) םש'], ['he']).join('')).toBe('שם (12)');
    fc.assert(
      fc.property(fc.stringMatching(/^[אבגדabc0-9 ]{0,12}$/), (text) => {
        const graphemes = splitGraphemes(text.trim());
        expect(convertReadingOrder(graphemes, ['he']).toSorted()).toEqual(graphemes.toSorted());
      }),
    );
  });

  it('are in the script of their word, else in that of the language', () => {
    const pairs = ['AА', 'aа', 'eе', 'oо', 'pр', 'cс', 'BВ', 'HН', 'MМ', 'TТ', 'KК'].map((pair) => [...pair]);
    const classes = (char: string): readonly string[] => pairs.find((pair) => pair.includes(char)) ?? [char];
    expect(resolveLookalikes('Bop', classes, ['ru'])).toBe('Вор');
    expect(resolveLookalikes('МАТЧ HATA', classes, ['ru'])).toBe('МАТЧ НАТА');
    expect(resolveLookalikes('Вattle МАT', classes, ['en'])).toBe('Battle MAT');
    expect(resolveLookalikes('Pаul против', classes, ['ru'])).toBe('Paul против');
  });
});
