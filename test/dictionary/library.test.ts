import { describe, expect, it } from 'vitest';
import {
  diffDictionaries,
  loadBuiltin,
  loadDictionary,
  parse,
  readSources,
  render,
  searchWords,
  validateStatement,
  type DictionaryFile,
} from '../../src/dictionary/index.ts';
import { PlaybyplayError } from '../../src/index.ts';
import {
  compileQuery,
  deriveEvents,
  explainQuery,
  matchEvents,
  runQuery,
  type EventLine,
  type Query,
} from '../../src/query/index.ts';

// The words and queries as a program uses them that knows the library's exports alone.

const common = await readSources(['dictionary/common.json']);

const mine: DictionaryFile = {
  format: 'playbyplay/dictionary/1',
  name: 'paintball',
  version: '1.0.0',
  extends: { common: '^1.0.0' },
  objects: [{ name: 'color sprayer', parent: 'paint gun', definition: 'A paint gun with a wide nozzle.' }],
  actions: [{ name: 'splat', parent: 'defeat', definition: 'Defeat by covering in color.', past: 'splatted' }],
};

const { dictionary, issues } = loadDictionary([...common, { file: 'mine', data: mine }]);

const sentences = [
  'player splats opponent Ann with color sprayer',
  'player kills opponent Bob with rocket launcher',
  'player kills opponent Cleo with rocket launcher',
  "player's health drops from 60 to 15",
  'opponent Bob kills player',
];

/** A log of one sentence a second. */
const events = sentences.map((text, index): EventLine => {
  const { statement } = parse(text, dictionary);
  return {
    type: 'event',
    id: String(index),
    t: index,
    end: index,
    game: 'paintball',
    session: 'final',
    text,
    statement: statement!,
    confidence: 1,
    cues: [],
  };
});

const texts = (query: string | Query): string[] =>
  matchEvents(compileQuery(query, dictionary), events).map((match) => match.events.map(({ text }) => text).join(' / '));

describe('the library', () => {
  it('loads the common dictionary with a user’s extension', () => {
    expect(issues).toEqual([]);
    expect(dictionary.sources.map(({ name }) => name)).toEqual(['common', 'paintball']);
  });

  it('finds a word by its id, or by a synonym in place of the name, as logs have it that are older than the name', async () => {
    expect(dictionary.find('paintball:color sprayer')?.name).toBe('color sprayer');
    const racing = (await loadBuiltin(['racing'])).dictionary;
    expect(racing.find('racing:tyre wear', 'property')?.id).toBe('racing:tire wear');
    expect(racing.find('tyre wear')).toBeUndefined();
    expect(racing.isA('racing:wet tyre', 'racing:tyre')).toBe(true);
  });

  it('answers is-a questions', () => {
    expect(dictionary.isA('paintball:color sprayer', 'weapon')).toBe(true);
    expect(dictionary.isA('weapon', 'paintball:color sprayer')).toBe(false);
    expect(dictionary.ancestors('paintball:splat').map(({ id }) => id)).toEqual(['defeat', 'harm', 'affect', 'happen']);
    expect(dictionary.descendants('paint gun').map(({ id }) => id)).toEqual(['paintball:color sprayer']);
    expect(searchWords(dictionary, 'color sprayer')[0]?.definition).toBe('A paint gun with a wide nozzle.');
  });

  it('parses, checks and renders sentences', () => {
    const statement = { subject: 'player', action: 'paintball:splat', object: { word: 'opponent', name: 'Ann' } };
    expect(render(statement, dictionary, { tense: 'past', articles: true, sentence: true })).toBe(
      'The player splatted opponent Ann.',
    );
    expect(parse('Ann is splatted', dictionary).statement).toBe(undefined);
    expect(parse('the opponent Ann was splatted by the player', dictionary).statement).toEqual(statement);
    expect(validateStatement({ subject: 'player', action: 'obtain' }, dictionary)).toMatchObject([
      { code: 'slot-missing', path: '/object' },
    ]);
  });

  it('finds events at every level, including words added later', () => {
    expect(texts('player defeats enemy with weapon')).toEqual(sentences.slice(0, 3));
    expect(texts('player kills enemy with weapon')).toEqual(sentences.slice(1, 3));
    expect(texts('player dies within 10 s after low health')).toEqual([sentences[4]]);
    expect(texts({ find: { action: ['defeat'], with: { any: [{ words: ['gun'] }] } } })).toEqual([sentences[0]]);
  });

  it('counts, groups and finds composite events', () => {
    const { count, groups } = runQuery(compileQuery('count defeats by weapon', dictionary), events);
    expect([count, groups]).toEqual([
      4,
      [
        { labels: ['rocket launcher'], count: 2 },
        { labels: ['-'], count: 1 },
        { labels: ['paintball:color sprayer'], count: 1 },
      ],
    ]);
    expect(deriveEvents(events, dictionary, ['double kill']).map(({ t, statement }) => [t, statement])).toEqual([
      [2, { subject: 'player', action: 'achieve', object: 'double kill' }],
    ]);
  });

  it('explains a query word by word', () => {
    const { query } = compileQuery('kills with any gun', dictionary);
    const explained = explainQuery(query, dictionary).words.map(({ id, start, end, text, covers }) => [
      id,
      [start, end, text],
      covers.includes('stomp') || covers.includes('paintball:color sprayer'),
    ]);
    expect(explained).toEqual([
      ['kill', [0, 5, 'kills'], true],
      ['gun', [15, 18, 'gun'], true],
    ]);
  });

  it('reports unknown words with their position', () => {
    let refusal: unknown;
    try {
      compileQuery('kills with gnu', dictionary);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(PlaybyplayError);
    expect((refusal as PlaybyplayError).issues).toMatchObject([
      { code: 'unknown-word', hint: 'Did you mean "gun"?', start: 11, end: 14 },
    ]);
  });

  it('compares versions', async () => {
    const builtin = (await loadBuiltin([])).dictionary;
    const { changes, needs } = diffDictionaries(builtin, dictionary);
    expect([changes.map(({ id, what }) => `${id} ${what}`), needs]).toEqual([
      ['paintball:color sprayer added', 'paintball:splat added'],
      'minor',
    ]);
  });
});
