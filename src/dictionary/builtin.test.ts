import { describe, expect, it } from 'vitest';
import { loadBuiltin } from './files.ts';
import { render } from './sentences/render.ts';
import { validateStatement } from './statements.ts';

const { dictionary, issues } = await loadBuiltin();

describe('the dictionaries of the program', () => {
  it('have no findings, all loaded together', () => {
    expect(issues).toEqual([]);
  });

  it.each(['freedoom', 'hedgewars', 'nethack', 'openarena'])('have no findings: common and %s alone', async (name) => {
    expect((await loadBuiltin([name])).issues).toEqual([]);
  });

  it('hold the trees that the design gives as examples', () => {
    expect(dictionary.isA('stomp', 'kill') && dictionary.isA('kill', 'defeat')).toBe(true);
    expect(dictionary.isA('laser', 'gun') && dictionary.isA('gun', 'weapon')).toBe(true);
    expect(dictionary.isA('defeat', 'stomp')).toBe(false);
    expect(dictionary.isA('openarena:quad damage', 'power-up')).toBe(true);
  });
});

describe('render', () => {
  it('writes the lines of the design', () => {
    expect(
      render(
        { subject: { word: 'opponent', name: 'Gargoyle' }, action: 'kill', object: 'player', with: 'railgun' },
        dictionary,
      ),
    ).toBe('opponent Gargoyle kills player with railgun');
    expect(render({ subject: 'player', property: 'health', from: 87, to: 62 }, dictionary)).toBe(
      "player's health drops from 87 to 62",
    );
  });
});

describe('render with a style', () => {
  const killed = { subject: 'player', action: 'kill', object: 'opponent', with: 'railgun' } as const;
  it.each([
    [{ tense: 'past', articles: true, sentence: true }, 'The player killed an opponent with a railgun.'],
    [{ tense: 'perfect', person: 'first' }, 'I have killed opponent with railgun'],
    [{ tense: 'future', articles: true }, 'the player will kill an opponent with a railgun'],
    [{ person: 'second', articles: true, sentence: true }, 'You kill an opponent with a railgun.'],
  ] as const)('%j', (style, text) => {
    expect(render(killed, dictionary, style)).toBe(text);
  });

  it('agrees with its subject, also in the passive and with possessives', () => {
    expect(render({ object: { word: 'opponent', count: 2 }, action: 'kill' }, dictionary, { tense: 'past' })).toBe(
      '2 opponents were killed',
    );
    expect(render({ object: 'player', action: 'kill' }, dictionary, { person: 'first' })).toBe('I am killed');
    expect(
      render({ subject: 'player', property: 'health', from: 9, to: 5 }, dictionary, {
        person: 'second',
        tense: 'past',
      }),
    ).toBe('your health dropped from 9 to 5');
  });
});

describe('validateStatement', () => {
  it('rejects "player obtains" by the rule that says so and accepts "partner dies"', () => {
    expect(validateStatement({ subject: 'partner', action: 'die' }, dictionary)).toEqual([]);
    expect(validateStatement({ subject: 'player', action: 'obtain' }, dictionary)).toMatchObject([
      { code: 'slot-missing', path: '/object' },
    ]);
  });

  it('suggests the nearest right word', () => {
    const found = validateStatement(
      { subject: 'player', action: 'kil', object: 'oponent', with: 'quad damage' },
      dictionary,
    );
    expect(found.map((issue) => [issue.path, issue.hint])).toEqual([
      ['/object', 'Did you mean "opponent"?'],
      ['/with', 'Did you mean "openarena:quad damage"?'],
      ['/action', 'Did you mean "kill"?'],
    ]);
  });
});
