import { describe, expect, it } from 'vitest';
import { loadBuiltin, loadSharedDictionary } from './files.ts';
import { parse } from './sentences/parse.ts';
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

  it('spell names and definitions as Americans do', () => {
    const british =
      /\w*(?:[fl]avour|colour|armour|honour|behaviour|neighbour|vapour|defence|offence|centre|met(?:re)s?\b|litre|theatre|jewell|travell|barrelled|practis|towards|analys(?:e|ing)|equalis|[nl]ise\b|judgement|plough|mould|grey|fibre|kerb|tyre|chequer|windscreen|skilful|burnt|storey)\w*/gi;
    const found = (['action', 'object', 'property'] as const)
      .flatMap((kind) => dictionary.words(kind))
      .flatMap(({ name, definition = '' }) => `${name}: ${definition}`.match(british) ?? []);
    expect(found).toEqual([]);
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

describe('English sentences', () => {
  it.each([
    [{ subject: 'partner', action: 'die', at: 'lava' }, 'partner dies in lava'],
    [{ subject: 'opponent', action: 'kill oneself', with: 'grenade' }, 'opponent kills themselves with grenade'],
    [{ subject: 'player', action: 'put to sleep', object: 'enemy' }, 'player puts enemy to sleep'],
    [
      { subject: 'player', action: 'burn to death', object: 'enemy', with: 'gun' },
      'player burns enemy to death with gun',
    ],
    [{ action: 'put to sleep', object: 'enemy' }, 'enemy is put to sleep'],
    [{ subject: 'player', action: 'play card', object: 'spell card' }, 'player plays spell card'],
    [{ subject: 'player', action: 'play card' }, 'player plays card'],
    [
      { subject: 'player', action: 'obtain', object: { word: 'ammunition', count: 10 } },
      'player obtains 10 rounds of ammunition',
    ],
    [{ subject: 'player', action: 'obtain', object: { word: 'boots', count: 1 } }, 'player obtains 1 pair of boots'],
    [{ subject: 'player', action: 'survive', amount: 84.7, unit: 'second' }, 'player survives for 1:24.7'],
    [{ subject: 'player', action: 'survive', amount: 3725, unit: 'second' }, 'player survives for 1:02:05'],
    [{ subject: 'player', action: 'survive', amount: 59.5, unit: 'second' }, 'player survives for 59.5 seconds'],
    [{ subject: 'player', property: 'rank', from: 3, to: 1 }, "player's rank improves from 3 to 1"],
    [{ subject: 'player', property: 'lap time', from: 60.2, to: 61 }, "player's lap time worsens from 60.2 to 61"],
  ])('%j is "%s", and is parsed from it', (statement, text) => {
    expect(render(statement, dictionary)).toBe(text);
    expect(parse(text, dictionary).statement).toEqual(statement);
  });

  it.each([
    [{ subject: 'player', action: 'drive golf ball' }, 'The player drove a golf ball.'],
    [{ subject: 'player', action: 'cross finish line' }, 'The player crossed the finish line.'],
    [{ subject: 'player', action: 'cross', object: 'finish line' }, 'The player crossed a finish line.'],
    [{ subject: 'player', action: 'take cover' }, 'The player took cover.'],
    [{ subject: 'player', action: 'play card', object: 'spell card' }, 'The player played a spell card.'],
  ])('%j is "%s" in prose, and is parsed from it', (statement, text) => {
    expect(render(statement, dictionary, { tense: 'past', articles: true, sentence: true })).toBe(text);
    expect(parse(text, dictionary).statement).toEqual(statement);
  });

  it('has reflexive pronouns of all persons', () => {
    const statement = { subject: 'player', action: 'kill oneself' };
    expect(render(statement, dictionary, { person: 'second' })).toBe('you kill yourself');
    expect(render(statement, dictionary, { person: 'first', tense: 'past' })).toBe('I killed myself');
    expect(parse('player killed himself', dictionary).statement).toEqual(statement);
  });

  it('reads the direction that earlier versions wrote of a rank', () => {
    const statement = { subject: 'player', property: 'rank', from: 3, to: 1 };
    expect(parse("player's rank drops from 3 to 1", dictionary).statement).toEqual(statement);
  });

  it('doubles the last consonant of "telefrag"', () => {
    const statement = { subject: 'opponent', action: 'openarena:telefrag', object: 'player' };
    expect(render(statement, dictionary, { tense: 'past' })).toBe('opponent telefragged player');
  });
});

describe('statements of the wrong shape', () => {
  it.each([
    [{ subject: ['player'], action: 'kill', object: ['opponent'] }, ['/subject', '/object']],
    [{ subject: 'player', action: 'kill', object: { word: ['opponent'] } }, ['/object/word']],
  ])('%j is reported, not thrown', (statement, paths) => {
    expect(validateStatement(statement, dictionary).map(({ path }) => path)).toEqual(paths);
    expect(() => render(statement as never, dictionary)).toThrow(RangeError);
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

describe('dictionaries that are loaded again', () => {
  const word = { name: 'herring', parent: 'fish', definition: 'A silvery swimmer.' };
  const textOf = (parent: string): string =>
    JSON.stringify({
      format: 'playbyplay/dictionary/1',
      name: 'common',
      version: '1.0.0',
      objects: [{ ...word, parent }],
    });

  it('are shared as long as their content and the checks are the same', () => {
    const first = loadSharedDictionary([{ file: 'a.json', data: textOf('fish') }], { meaning: false });
    expect(loadSharedDictionary([{ file: 'a.json', data: textOf('fish') }], { meaning: false })).toBe(first);
    expect(loadSharedDictionary([{ file: 'a.json', data: textOf('fish') }])).not.toBe(first);
    expect(loadSharedDictionary([{ file: 'a.json', data: textOf('bird') }], { meaning: false })).not.toBe(first);
  });

  it('name the file that has issues', () => {
    for (const file of ['a.json', 'b.json'])
      expect(loadSharedDictionary([{ file, data: '{' }]).issues.map((issue) => issue.path)).toEqual([
        expect.stringContaining(file),
      ]);
  });
});
