import { describe, expect, it } from 'vitest';
import type { PlaybyplayError } from '../../errors.ts';
import { openLexicon } from './lexicon.ts';

const phrases = (list: readonly object[]): string => JSON.stringify({ format: 'playbyplay/lexicon/1', phrases: list });

/** The issues of a lexicon that is refused. */
function issuesOf(content: string): readonly string[] {
  try {
    openLexicon(content, 'x.json', [], {});
    return [];
  } catch (error) {
    return (error as PlaybyplayError).issues.map(({ path, message }) => `${path} ${message}`);
  }
}

describe('texts of a lexicon', () => {
  const lines = openLexicon('Picked up a medikit.\nPicked up a stimpack.\nEin großer Fluß\n', 'texts', ['de'], {
    case: true,
  });

  it('are found a slip away, and only where no other is as near', () => {
    expect(lines.find('Picked up a medlkit')?.text).toBe('Picked up a medikit.');
    expect(lines.find('EIN GROSSER FLUSS')).toEqual({ text: 'Ein großer Fluß', confidence: 0.995 });
    expect(lines.find('Picked up a xxxxx.')).toBeUndefined();
  });
});

describe('phrases of a lexicon', () => {
  const captions = openLexicon(
    phrases([
      { text: ['{name} geht auf Tauchstation!', '{name} ertrinkt'], tells: 'drown' },
      { text: '{killer} (erlegt|trifft) {victim} mit {weapon}', tells: 'kill' },
      { text: 'Mine', weapon: 'mine' },
      { text: 'Haftmine', weapon: 'sticky mine' },
      { text: 'Noch {n} Runden', tells: 'rounds' },
    ]),
    'captions.de.json',
    ['de'],
    {},
  );

  it('give their entry and what their slots held, as it was read', () => {
    expect(captions.find('| Jörg gеht auf Tauchstati0n! ~')).toMatchObject({
      text: 'Jörg geht auf Tauchstation!',
      detail: { tells: 'drown', text: '{name} geht auf Tauchstation!', slots: { name: 'Jörg' } },
    });
    expect(captions.find('Ñandú TRIFFT Øle Bål mit Haftmine')?.detail).toMatchObject({
      tells: 'kill',
      slots: { killer: 'Ñandú', victim: 'Øle Bål', weapon: 'Haftmine' },
    });
    expect(captions.find('Noch 12 Runden.')?.detail).toMatchObject({ slots: { n: '12' } });
  });

  it('are those that most speaks for, whole words first', () => {
    expect(captions.find('Haftmine, 3 s')?.detail).toMatchObject({ weapon: 'sticky mine' });
    expect(captions.find('= Mine')?.detail).toMatchObject({ weapon: 'mine' });
    expect(captions.find('Termine')).toBeUndefined();
    expect(captions.find('Etwas ganz anderes steht hier')).toBeUndefined();
    expect(captions.find('')).toBeUndefined();
  });

  it('need no spaces around them where the language has none', () => {
    const ja = openLexicon(
      phrases([
        { text: '{name}が潜水艦の真似をしています！', tells: 'drown' },
        { text: 'スイカ爆弾', weapon: 'melon' },
      ]),
      'x',
      ['ja'],
      {},
    );
    expect(ja.find('モミジが潜水艦の真似をしています!')?.detail).toMatchObject({ slots: { name: 'モミジ' } });
    expect(ja.find('スイカ爆弾,3秒')?.detail).toMatchObject({ weapon: 'melon' });
  });

  it('are refused with the mistakes of the file', () => {
    expect(issuesOf('{"format":"x","phrases":[]}')).toEqual([
      'x.json#/format "format" must be "playbyplay/lexicon/1", not "x"',
    ]);
    expect(issuesOf(phrases([{ text: [] }]))).toEqual([
      'x.json#/phrases/0/text "text" must have at least 1 item, not 0',
    ]);
    expect(() => openLexicon('{', 'x.json', [], {})).toThrow(/^x.json is not JSON: /);
  });
});
