import { describe, expect, it } from 'vitest';
import { loadBuiltin } from '../../dictionary/files.ts';
import type { Statement } from '../../events/statement.ts';
import { groupBySession } from './event-index.ts';
import { findPeriods } from './periods.ts';

const { dictionary } = await loadBuiltin();

const begins = (subject: string): Statement => ({ subject, action: 'begin' });

/** The periods of a word in a log of these statements, as start and end. */
function periodsOf(word: string, statements: readonly (readonly [number, Statement])[], duration: number) {
  const events = statements.map(([t, statement], index) => ({
    type: 'event' as const,
    id: `e${index}`,
    t,
    end: t,
    game: 'game',
    session: 'session',
    text: '',
    statement,
    confidence: 1,
    cues: [],
  }));
  const [session] = groupBySession(events, dictionary, { durations: new Map([['session', duration]]) });
  return findPeriods(session!, [word], dictionary).map(({ t, end }) => [t, end]);
}

const lap = (t: number, subject: NonNullable<Statement['subject']>): [number, Statement] => [
  t,
  { subject, action: 'complete lap' },
];

describe('findPeriods', () => {
  it('begins the first half with the session where the log only says that the second begins', () => {
    expect(
      periodsOf(
        'half',
        [
          [0, begins('match')],
          [270, begins('half')],
        ],
        540,
      ),
    ).toEqual([
      [0, 270],
      [270, 540],
    ]);
  });

  it('ends a round where somebody wins it, whoever it is', () => {
    const statements: [number, Statement][] = [
      [0, begins('round')],
      [53, { subject: 'player', action: 'win', object: 'round' }],
      [60, begins('round')],
      [103, { subject: { word: 'opponent', name: 'Kenta' }, action: 'win', object: 'round' }],
    ];
    expect(periodsOf('round', statements, 120)).toEqual([
      [0, 53],
      [60, 103],
    ]);
  });

  it('counts the laps of the player, not those of others', () => {
    const other = { word: 'opponent', name: 'Vega' };
    expect(periodsOf('lap', [lap(60, 'player'), lap(61, other), lap(118, 'player'), lap(125, other)], 200)).toEqual([
      [0, 60],
      [60, 118],
    ]);
  });

  it('ends a night where the day begins', () => {
    const statements: [number, Statement][] = [
      [0, begins('day')],
      [200, begins('night')],
      [400, begins('day')],
      [700, begins('night')],
      [800, begins('day')],
    ];
    expect(periodsOf('night', statements, 900)).toEqual([
      [200, 400],
      [700, 800],
    ]);
  });

  it('begins a power play where it is said to begin, not with the session', () => {
    const statements: [number, Statement][] = [
      [0, begins('match')],
      [141, begins('ice-hockey:power play')],
      [201, { subject: 'ice-hockey:power play', action: 'end' }],
    ];
    expect(periodsOf('ice-hockey:power play', statements, 400)).toEqual([[141, 201]]);
  });

  it('begins no meeting or boss fight with the session, which others than them make up', () => {
    const statements: [number, Statement][] = [
      [0, begins('level')],
      [200, begins('boss fight')],
    ];
    expect(periodsOf('boss fight', statements, 300)).toEqual([[200, 300]]);
  });

  it('finds none where the log says nothing of them', () => {
    expect(periodsOf('round', [[0, begins('match')]], 60)).toEqual([]);
  });
});
