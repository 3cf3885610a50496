import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyStatement } from '../../../test/fixtures/statements.ts';
import type { Statement } from '../../events/statement.ts';
import { loadBuiltin } from '../files.ts';
import { loadLanguage } from '../languages/language.ts';
import { collectCast, renderCaption } from './caster.ts';
import { parse } from './parse.ts';
import { render } from './render.ts';

const { dictionary } = await loadBuiltin();
const opponent = (name: string): { word: string; name: string } => ({ word: 'opponent', name });
const kill: Statement = { subject: opponent('Gargoyle'), action: 'kill', object: opponent('Sarge'), with: 'railgun' };

describe('the style of a caster', () => {
  it('uses only wordings that a person would write, and several of them', () => {
    const seeds = Array.from({ length: 100 }, (_, index) => `event ${index}`);
    const sentences = new Set(seeds.map((seed) => render(kill, dictionary, { style: 'caster', seed })));
    expect([...sentences].toSorted()).toEqual([
      'Gargoyle fragged Sarge with the railgun',
      'Gargoyle killed Sarge with the railgun',
      'Sarge was fragged by Gargoyle with the railgun',
      'Sarge was killed by Gargoyle with the railgun',
    ]);
  });

  it('is the same for the same event', () => {
    const once = render(kill, dictionary, { style: 'caster', seed: 'a1b2' });
    expect(render(kill, dictionary, { style: 'caster', seed: 'a1b2' })).toBe(once);
  });

  it.each([
    [
      { subject: 'player', property: 'weapon', from: { word: 'shotgun' }, to: { word: 'railgun' } },
      'The player switched from the shotgun to the railgun',
    ],
    [{ subject: 'player', property: 'health', from: 87, to: 62 }, 'The player fell from 87 to 62 health'],
    [
      { subject: 'player', action: 'kill', object: { word: 'opponent', count: 3 } },
      'The player killed three opponents',
    ],
    [{ subject: 'player', action: 'pick up', object: 'shotgun' }, 'The player grabbed a shotgun'],
    [{ subject: opponent('Sarge'), action: 'kill oneself' }, 'Sarge killed themselves'],
    [{ subject: opponent('Anna-Lena 42'), action: 'die', at: 'lava' }, 'Anna-Lena 42 died in lava'],
    [{ subject: opponent('xX_Sniper_Xx'), action: 'kill', object: 'player' }, 'xX_Sniper_Xx killed the player'],
    [{ subject: 'player', action: 'put to sleep', object: opponent('Sarge') }, 'The player put Sarge to sleep'],
    [
      { subject: 'player', action: 'drive golf ball', amount: 250, unit: 'meter' },
      'The player drove a golf ball for 250 meters',
    ],
    [{ subject: opponent('Nova'), action: 'cross finish line' }, 'Nova crossed the finish line'],
  ] satisfies [Statement, string][])('can put %j as "%s"', (statement, sentence) => {
    const seeds = Array.from({ length: 60 }, (_, index) => String(index));
    const sentences = seeds.map((seed) => render(statement, dictionary, { style: 'caster', seed }));
    expect(sentences).toContain(sentence);
  });

  it('keeps the word for a character where the name alone would be read otherwise', () => {
    const statement: Statement = { subject: opponent('Player'), action: 'kill', object: 'player' };
    for (const seed of ['1', '2', '3', '4'])
      expect(parse(render(statement, dictionary, { style: 'caster', seed }), dictionary).statement).toEqual(statement);
  });

  it('keeps the meaning of any statement', () => {
    fc.assert(
      fc.property(anyStatement(dictionary), fc.string(), (statement, seed) => {
        const text = render(statement, dictionary, { style: 'caster', seed });
        const cast = collectCast(statement, dictionary);
        expect([text, parse(text, dictionary, { cast }).statement]).toEqual([text, statement]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('captions', () => {
  it('have at most two lines of 32 characters', () => {
    fc.assert(
      fc.property(anyStatement(dictionary), (statement) => {
        const lines = renderCaption(statement, dictionary);
        expect(lines.length).toBeLessThanOrEqual(2);
        for (const line of lines) expect([...line].length).toBeLessThanOrEqual(32);
      }),
      { numRuns: 300 },
    );
  });

  it('break a sentence into lines of similar length', () => {
    const respawn: Statement = { subject: 'player', action: 'respawn', at: 'base' };
    expect(renderCaption(respawn, dictionary, { seed: '2', width: 20 })).toEqual([
      'The player respawned',
      'at the base',
    ]);
  });

  it('leave out the place before the weapon, and never who did what', () => {
    const long: Statement = { ...kill, with: 'rocket launcher', at: { word: 'bridge', name: 'Southern Crossing' } };
    const caption = renderCaption(long, dictionary, { seed: '3' }).join(' ');
    expect(caption).not.toContain('bridge');
    for (const part of ['Gargoyle', 'Sarge', 'rocket launcher']) expect(caption).toContain(part);
  });

  it('leave out an icon that is known by a number alone, and keep one that has a name', () => {
    const [numbered, named] = ['3', 'Scorcher'].map((name) =>
      renderCaption({ ...kill, with: { word: 'icon', name } }, dictionary, { seed: '3' }).join(' '),
    );
    expect(numbered).not.toMatch(/icon|3/);
    expect(named).toContain('Scorcher');
  });

  it('leave out articles rather than shorten a word', () => {
    const statement: Statement = {
      subject: 'player',
      property: 'weapon',
      from: { word: 'rocket launcher' },
      to: { word: 'grenade launcher' },
    };
    for (const seed of ['1', '2', '3', '4', '5'])
      expect(renderCaption(statement, dictionary, { seed })).toEqual([
        expect.stringMatching(/^Player (?:switched|changed weapon) from (?:rocket)?$/),
        expect.stringMatching(/^(?:rocket )?launcher to grenade launcher$/),
      ]);
  });

  it('say of a number what changed, not that its owner did', () => {
    const hurt: Statement = { subject: 'player', property: 'health', from: 37, to: 13 };
    for (let seed = 0; seed < 20; seed++)
      expect(renderCaption(hurt, dictionary, { seed: `event ${seed}` }).join(' ')).toMatch(
        /^The player['’]s health (?:dropped|fell|sank) from 37 to 13$/,
      );
  });

  it('are in the active voice', () => {
    for (let seed = 0; seed < 20; seed++)
      expect(renderCaption(kill, dictionary, { seed: `event ${seed}` }).join(' ')).toMatch(
        /^Gargoyle (?:fragged|killed) Sarge with the railgun$/,
      );
  });

  it('give what a counter or message shows', () => {
    const counter = { word: 'counter', name: 'RED' };
    expect(renderCaption({ subject: counter, property: 'reading', from: 1, to: 2 }, dictionary)).toEqual(['RED 2']);
    const message = { word: 'message', name: 'HALF TIME' };
    expect(renderCaption({ subject: message, action: 'appear' }, dictionary)).toEqual(['HALF TIME']);
  });

  it('are wrapped in other languages, in Chinese between characters', async () => {
    const [german, chinese] = await Promise.all([loadLanguage('de', dictionary), loadLanguage('zh', dictionary)]);
    expect(renderCaption(kill, dictionary, { language: german })).toEqual([
      'Gegner Gargoyle tötet',
      'Gegner Sarge mit der Railgun',
    ]);
    expect(renderCaption(kill, dictionary, { language: chinese, width: 24 })).toEqual([
      '对手Gargoyle用轨道',
      '炮击杀了对手Sarge',
    ]);
  });

  it('shorten what cannot be said shorter', () => {
    const name = 'A'.repeat(80);
    const caption = renderCaption({ subject: opponent(name), action: 'die' }, dictionary);
    expect(caption[0]).toBe(`${'A'.repeat(31)}…`);
  });
});
