import { describe, expect, it } from 'vitest';
import { loadBuiltin } from '../../dictionary/files.ts';
import { loadDictionary } from '../../dictionary/load.ts';
import { addWord, completeSentence, composeStatement, listRules, toEvents } from './rules.ts';

const { dictionary } = await loadBuiltin([]);
const rank = { subject: 'player', property: 'rank', from: '$previous', to: '$value' };

function completions(sentence: string): readonly string[] {
  return completeSentence(sentence, sentence.length, dictionary).options.map(({ text }) => text);
}

describe('composeStatement', () => {
  it('makes placeholders of what the example shows', () => {
    const composed = composeStatement("player's rank rises from 4 to 3", { previous: 4, value: 3 }, dictionary);
    expect(composed).toMatchObject({ statement: rank, sentence: "player's rank improves from 4 to 3", issues: [] });
    expect(composeStatement('message "Final lap" appears', { value: 'Final lap' }, dictionary).statement).toEqual({
      subject: { word: 'message', name: '$value' },
      action: 'appear',
    });
  });

  it('accepts placeholders in the sentence', () => {
    const cue = { previous: 9, value: 7 };
    expect(composeStatement("player's rank changes from $previous to $value", cue, dictionary).statement).toEqual(rank);
  });

  it('says where a sentence is wrong', () => {
    const { statement, issues } = composeStatement('player wrestles rank', undefined, dictionary);
    expect(statement).toBeUndefined();
    expect(issues[0]).toMatchObject({ start: 7 });
  });
});

describe('completeSentence', () => {
  it('offers subjects, then verbs, then what the verb takes', () => {
    expect(completions('')).toContain('player');
    expect(completions('player ki')).toContain('kills');
    expect(completions("player's ra")).toContain('rank');
    expect(completions("player's rank ")).toContain('rises from $previous to $value');
    expect(completions('player kills ')).toContain('enemy');
    expect(completions('player kills enemy ')).toContain('with ');
    expect(completions('player obtains rocket l')).toContain('rocket launcher');
  });

  it('replaces the part that is typed, and explains', () => {
    const { start, options } = completeSentence('player ki and more', 9, dictionary);
    expect(start).toBe(7);
    expect(options[0]).toMatchObject({ text: 'kills', kind: 'action' });
    expect(options[0]!.definition.length).toBeGreaterThan(10);
  });
});

describe('rules', () => {
  it('are listed as they were written', () => {
    const rules = [
      { element: 'rank', trigger: 'rises', statement: rank },
      {
        element: 'banner',
        trigger: 'shows',
        statement: { subject: { word: 'message', name: '$value' }, action: 'appear' },
      },
      { element: 'health', trigger: 'changes', below: 20, statement: { subject: 'player', action: 'die' } },
    ] as const;
    const events = rules.flatMap((rule) => toEvents(rule));
    expect(events).toHaveLength(4);
    const listed = listRules(events, dictionary, (name) => (name === 'rank' ? { previous: 3, value: 2 } : undefined));
    expect(listed).toMatchObject([
      { ...rules[0], indices: [0], sentence: "player's rank improves from 3 to 2" },
      { ...rules[1], indices: [1, 2], sentence: 'message "3" appears' },
      { ...rules[2], indices: [3], sentence: 'player dies' },
    ]);
  });

  it('show what the groups of their expression match in an example', () => {
    const [killer, victim] = ['$1', '$2'].map((name) => ({ word: 'character', name }));
    const statement = { subject: killer, action: 'kill', object: victim };
    const events = toEvents({ element: 'kills', trigger: 'appears', match: '^(.+) > (.+)$', statement });
    const listed = listRules(events, dictionary, () => ({ value: 'Wilder > Gareth' }));
    expect(listed[0]!.sentence).toBe('character Wilder kills character Gareth');
  });

  it('report a statement that the dictionary does not allow', () => {
    const events = toEvents({ element: 'x', trigger: 'appears', statement: { subject: 'player', action: 'obtain' } });
    const [rule] = listRules(events, dictionary);
    expect(rule!.sentence).toBeUndefined();
    expect(rule!.issues[0]).toMatchObject({ code: 'slot-missing' });
  });
});

describe('addWord', () => {
  it('makes a dictionary that loads', async () => {
    const data = addWord(undefined, 'race', 'object', {
      name: 'boost pad',
      parent: 'item',
      definition: 'A part of the track that makes who drives over it faster.',
    });
    const more = addWord(data, 'race', 'property', {
      name: 'grip',
      parent: 'measure',
      definition: 'How well the tires hold the road.',
    });
    const { readSources, builtinFolder } = await import('../../dictionary/files.ts');
    const sources = await readSources([`${builtinFolder}/common.json`]);
    const { dictionary: own, issues } = loadDictionary([...sources, { file: 'race.json', data: more }]);
    expect(issues).toEqual([]);
    expect([own.find('race:boost pad')?.parent?.id, own.find('race:grip')?.kind]).toEqual(['item', 'property']);
  });
});
