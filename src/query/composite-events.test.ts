import { describe, expect, it } from 'vitest';
import { loadBuiltin } from '../dictionary/files.ts';
import type { EventLine } from '../events/log.ts';
import type { Mention, Statement } from '../events/statement.ts';
import { deriveEvents } from './composite-events.ts';
import { compileQuery, matchEvents } from './run.ts';

const { dictionary } = await loadBuiltin();

const named = (name: string): Mention => ({ word: 'opponent', name });
const sarge = named('Sarge');
const major = named('Major');

function log(...story: (readonly [number, Statement])[]): EventLine[] {
  return story.map(([t, statement], index) => ({
    type: 'event',
    id: `${index}`,
    t,
    end: t,
    game: 'openarena',
    session: 'one',
    text: '',
    statement,
    confidence: 1 - index / 100,
    cues: [],
  }));
}

const kill = (subject: Mention | string, object: Mention | string): Statement => ({ subject, action: 'kill', object });

const found = (events: readonly EventLine[]): [string, number][] =>
  deriveEvents(events, dictionary).map(({ definition, t }) => [definition.name, t]);

describe('composite events', () => {
  it('two kills by one within 4 seconds are a double kill, whatever kind of kill; by two they are none', () => {
    const events = log([1, kill('player', sarge)], [4.9, { subject: 'player', action: 'stomp', object: major }]);
    expect(found(events)).toEqual([
      ['first blood', 1],
      ['double kill', 4.9],
    ]);
    expect(found(log([1, kill('player', sarge)], [2, kill(sarge, major)])).map(([name]) => name)).not.toContain(
      'double kill',
    );
    expect(found(log([1, kill('player', sarge)], [5.1, kill('player', major)])).map(([name]) => name)).not.toContain(
      'double kill',
    );
  });

  it('says who did it, with the lowest confidence of its steps', () => {
    const [, double] = deriveEvents(log([1, kill(sarge, 'player')], [2, kill(sarge, major)]), dictionary);
    expect(double).toMatchObject({
      statement: { subject: sarge, action: 'achieve', object: 'double kill' },
      confidence: 0.99,
      t: 2,
    });
  });

  it('three kills are one triple and one double kill, because each kill counts once', () => {
    const events = log([1, kill('player', sarge)], [2, kill('player', major)], [3, kill('player', sarge)]);
    expect(found(events).map(([name]) => name)).toEqual(['first blood', 'double kill', 'triple kill']);
  });

  it('a spree ends by the own death, not by that of others', () => {
    const five = (other: Statement): EventLine[] =>
      log(
        [10, kill('player', sarge)],
        [20, kill('player', major)],
        [30, kill('player', sarge)],
        [35, other],
        [40, kill('player', major)],
        [50, kill('player', sarge)],
      );
    expect(found(five(kill(sarge, major))).map(([name]) => name)).toContain('killing spree');
    expect(found(five({ subject: major, action: 'die' })).map(([name]) => name)).toContain('killing spree');
    expect(found(five(kill(sarge, 'player'))).map(([name]) => name)).not.toContain('killing spree');
  });

  it('revenge is taken on the one who killed', () => {
    expect(found(log([1, kill(sarge, 'player')], [30, kill('player', sarge)])).map(([name]) => name)).toContain(
      'revenge',
    );
    expect(found(log([1, kill(sarge, 'player')], [30, kill('player', major)])).map(([name]) => name)).not.toContain(
      'revenge',
    );
  });

  it('are found by their name in a query', () => {
    const events = log(
      [1, kill('player', sarge)],
      [2, kill('player', major)],
      [9, { subject: sarge, action: 'achieve', object: 'double kill' }],
    );
    const matches = matchEvents(compileQuery('double kills', dictionary), events);
    expect(matches.map(({ events: steps }) => steps.map(({ t }) => t))).toEqual([[1, 2], [9]]);
  });
});

describe('"the same"', () => {
  it('ties a step to the one before', () => {
    const events = log(
      [1, kill(sarge, 'player')],
      [2, kill('player', major)],
      [3, kill(major, 'player')],
      [4, kill('player', major)],
    );
    const sentence = 'opponent kills player followed by player kills the same opponent';
    expect(matchEvents(compileQuery(sentence, dictionary), events).map(({ t, end }) => [t, end])).toEqual([[3, 4]]);
  });
});
