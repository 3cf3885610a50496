import { describe, expect, it } from 'vitest';
import { loadBuiltin } from '../dictionary/files.ts';
import { render } from '../dictionary/sentences/render.ts';
import { PlaybyplayError } from '../errors.ts';
import type { EventLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import type { Query } from './query.ts';
import { compileQuery, matchEvents, runQuery } from './run.ts';

const { dictionary } = await loadBuiltin();

const sarge = { word: 'opponent', name: 'Sarge' } as const;
const story: readonly (readonly [number, Statement])[] = [
  [1, { subject: 'player', property: 'health', from: 100, to: 40 }],
  [2, { subject: 'player', property: 'health', from: 40, to: 15 }],
  [8, { subject: sarge, action: 'kill', object: 'player', with: 'railgun' }],
  [8, { subject: 'player', action: 'die' }],
  [20, { subject: 'player', action: 'kill', object: sarge, with: 'rocket launcher' }],
  [22, { subject: 'player', action: 'gib', object: { word: 'opponent', name: 'Major' }, with: 'railgun' }],
  [60, { subject: 'player', action: 'stomp', object: 'monster' }],
  [119, { subject: 'player', action: 'pick up', object: 'openarena:quad damage' }],
];
const events = story.map(
  ([t, statement], index): EventLine => ({
    type: 'event',
    id: String(index),
    t,
    end: t,
    game: 'openarena',
    session: 'one',
    text: render(statement, dictionary),
    statement,
    confidence: 1,
    cues: [],
  }),
);

const times = (sentence: string): number[] =>
  matchEvents(compileQuery(sentence, dictionary), events, { durations: new Map([['one', 120]]) }).map(({ t }) => t);

describe('a query', () => {
  it.each([
    ['player defeats enemy', [20, 22, 60]],
    ['player defeats enemy with gun', [22]],
    ['player defeats enemy with weapon', [20, 22]],
    ['kills', [8, 20, 22, 60]],
    ['stomps', [60]],
    ['enemy is killed by player', [20, 22, 60]],
    ['kills with rocket launcher, grenade launcher or lightning gun', [20]],
    ['kills with any weapon except railgun', [20]],
    ['kills not with railgun', [20, 60]],
    ['kills by Sarge', [8]],
    ['health drops below 20', [2]],
    ['health drops by more than 30', [1]],
    ['health below 50', [1, 2]],
    ['kill followed by kill within 4 s', [20]],
    ['player dies within 10 s after low health', [8]],
    ['player kills opponent or player dies', [8, 20, 22]],
    ['kills in the last minute', [60]],
    ['kills between 0:10 and 0:30', [20, 22]],
    ['(kills or player dies) and before 10 s', [8, 8]],
    ['railgun', [8, 22]],
    ['first 2 kills', [8, 20]],
    ['kills in freedoom', []],
    ['player obtains power-up', [119]],
  ])('"%s" finds what it says', (sentence, expected) => {
    expect(times(sentence)).toEqual(expected);
  });

  it('counts by a word at any level', () => {
    const result = runQuery(compileQuery('count kills by weapon', dictionary), events);
    expect(result.groups).toEqual([
      { labels: ['railgun'], count: 2 },
      { labels: ['-'], count: 1 },
      { labels: ['rocket launcher'], count: 1 },
    ]);
  });

  it('knows the names of the logs that it is about', () => {
    const logs = { events, games: ['openarena'], logs: new Map([['one', { path: 'one', name: 'week3' }]]) };
    const count = (sentence: string): unknown =>
      runQuery(compileQuery(sentence, dictionary, { logs }), events).answer?.value;
    expect(count('how often did sarge kill me')).toBe(1);
    expect(count('how many kills did I get in week3')).toBe(3);
  });

  it('finds rises of a rank where lower is better', () => {
    const ranks: readonly Statement[] = [
      { subject: 'player', property: 'rank', from: 3, to: 1 },
      { subject: 'player', property: 'rank', from: 1, to: 4 },
    ];
    const log = ranks.map((statement, t) => ({ ...events[0]!, id: String(t), t, end: t, statement }));
    const found = (sentence: string): number[] =>
      matchEvents(compileQuery(sentence, dictionary), log).map(({ t }) => t);
    expect(found('player gains rank')).toEqual([0]);
    expect(found("player's rank drops")).toEqual([1]);
    expect(found("player's rank worsens")).toEqual([1]);
  });

  it('names the command that answers a question about something else', () => {
    expect(() => compileQuery('make a highlight reel', dictionary)).toThrowError(
      expect.objectContaining({ hint: 'Run: playbyplay highlights <log>' }),
    );
  });

  it('reads a misspelt word as the one that it must be, and says so', () => {
    const { query, corrections } = compileQuery('kils with railgun', dictionary);
    expect(query).toEqual(compileQuery('kills with railgun', dictionary).query);
    expect(corrections).toEqual([{ start: 0, end: 4, written: 'kils', read: 'kills' }]);
  });

  it.each([
    ['kxlz with gun', 'unknown-word', 0, 4],
    ['player kills lava', 'slot-mismatch', 13, 17],
    ['player kills opponent with', 'incomplete-sentence', 26, 26],
    ['constructor health', 'unknown-word', 0, 11],
    ['count kills by constructor', 'unknown-word', 15, 26],
  ])('"%s" is refused and the word shown', (sentence, code, start, end) => {
    let thrown: unknown;
    try {
      compileQuery(sentence, dictionary);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(PlaybyplayError);
    expect((thrown as PlaybyplayError).issues).toMatchObject([{ code, start, end }]);
  });
});

it('refuses a structured query of more values than any question has, before it checks them', () => {
  const find = { all: Array.from({ length: 60_000 }, (_, i) => i) } as unknown as Query['find'];
  let thrown: unknown;
  try {
    compileQuery({ find }, dictionary);
  } catch (error) {
    thrown = error;
  }
  expect((thrown as PlaybyplayError).issues).toMatchObject([{ code: 'too-large', path: '#' }]);
});

describe('the name of a session', () => {
  const logs = { events, games: ['openarena'], logs: new Map([['arena-1', { path: 'arena.ndjson', name: 'arena' }]]) };

  // A dictionary has "arena", but no event mentions one, and "area" is near.
  it('is not taken for a word that the log lacks', () => {
    const { query, corrections } = compileQuery('kills in arena', dictionary, { logs });
    expect(query.find).toEqual({ all: [{ action: ['kill'] }, { session: ['arena-1'] }] });
    expect(corrections).toEqual([]);
  });
});

describe('"we"', () => {
  const subject = { word: 'teammate', name: 'Ivy' } as const;
  const whoWipes = (group: string, ...further: readonly Statement[]): number => {
    const statements: readonly Statement[] = [
      { subject, action: 'die' },
      { subject: group, action: 'mmo:wipe' },
      ...further,
    ];
    const log = statements.map(
      (statement, index): EventLine => ({ ...events[0]!, id: `w${index}`, t: index, statement }),
    );
    const logs = { events: log, games: ['mmo'], logs: new Map() };
    return matchEvents(compileQuery('when did we wipe', dictionary, { logs }), log).length;
  };

  it('are the group too where the log knows no other', () => {
    expect(whoWipes('group')).toBe(1);
    expect(whoWipes('group', { subject: 'squad', action: 'die' })).toBe(0);
  });
});

describe('the length of a period', () => {
  const fights = ([10, 70, 100] as const).map(
    (t, index): EventLine => ({
      ...events[0]!,
      id: String(index),
      t,
      end: t,
      statement: { subject: 'fight', action: t === 70 ? 'end' : 'begin' },
    }),
  );
  const measure = (take: 'each' | 'sum' | 'highest') =>
    runQuery(
      compileQuery({ find: { period: { word: ['fight'] } }, measure: { of: 'held', take } }, dictionary),
      fights,
      { durations: new Map([['one', 250]]) },
    );

  it('is marked where the log does not state its end', () => {
    expect(measure('each').values?.map(({ value, isOpen = false }) => [value, isOpen])).toEqual([
      [60, false],
      [150, true],
    ]);
  });

  it.each(['sum', 'highest'] as const)('counts for the %s only where the log states both ends', (take) => {
    expect(measure(take).answer?.value).toBe(60);
  });
});
describe('what is said around a question', () => {
  const logs = { events, games: ['openarena'], logs: new Map() };
  const compile = (sentence: string) => compileQuery(sentence, dictionary, { logs });

  it.each([
    ['as a coach: my kills', 'as a coach:'],
    ['analyst here. my kills', 'analyst here.'],
    ['my kills, I need them for the montage', 'I need them for the montage'],
  ])('is left out, and reported: %s', (sentence, written) => {
    const { query, corrections } = compile(sentence);
    expect(query).toEqual(compile('my kills').query);
    expect(corrections).toEqual([
      { start: sentence.indexOf(written), end: sentence.indexOf(written) + written.length, written, read: '' },
    ]);
  });

  it.each(['without Sarge: my kills', 'playing as medic, my kills', 'twice: my kills', 'both teams, my kills'])(
    'is refused where it may say of what is asked: %s',
    (sentence) => {
      expect(() => compile(sentence)).toThrow(PlaybyplayError);
    },
  );
});
