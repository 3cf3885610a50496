import { expect, test } from 'vitest';
import type { Statement } from '../../src/events/statement.ts';
import { line, standing } from '../fixtures/openarena/cues.ts';
import { type CueTuple, runScript } from '../fixtures/scripts.ts';

test('openarena: a new match resets the numbers', async () => {
  const restart: readonly CueTuple[] = [
    [5, 'feed', 'found', line('enter')],
    [5, 'health', 'changed', 125, 60],
    [5.2, 'first score', 'changed', 0, 3],
    [5.2, 'own score', 'changed', 0, 2],
    [9, 'health', 'changed', 124, 125],
    [20, 'feed', 'found', line('win', { player: 'Major' })],
  ];
  expect(await runScript('openarena', [...standing, ...restart])).toEqual([
    { t: 5, statement: { subject: 'match', action: 'begin' } },
    { t: 9, statement: { subject: 'player', property: 'health', from: 125, to: 124 } },
    { t: 20, statement: { subject: 'match', action: 'end' } },
    { t: 20, statement: { subject: { word: 'opponent', name: 'Major' }, action: 'win', object: 'match' } },
  ]);
});

test('openarena: the numbers of a newly followed player are not changes', async () => {
  const turn: readonly CueTuple[] = [
    ...standing,
    [0, 'followed', 'found', 'Ayumi'],
    [4, 'feed', 'found', line('kill', { killer: 'Ayumi', victim: 'Liz' })],
    [5.2, 'health', 'changed', 100, 60],
    [5.3, 'followed', 'changed', 'Liz', 'Ayumi'],
    [7, 'health', 'changed', 80, 100],
    [8, 'feed', 'found', line('kill', { killer: 'Liz', victim: 'Ayumi' })],
  ];
  expect(await runScript('openarena', turn)).toEqual([
    { t: 4, statement: { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Liz' } } },
    { t: 7, statement: { subject: 'player', property: 'health', from: 100, to: 80 } },
    { t: 8, statement: { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Ayumi' } } },
  ]);
});

test('openarena: a followed player whose name is read late is followed from the time at which most numbers changed', async () => {
  const turn: readonly CueTuple[] = [
    ...standing,
    [0, 'followed', 'found', 'Ayumi'],
    [1, 'armor', 'found', 50],
    [5, 'health', 'changed', 100, 60],
    [5, 'armor', 'changed', 20, 50],
    [5, 'weapon', 'found', 'railgun'],
    [5.6, 'health', 'changed', 80, 100],
    [6, 'followed', 'changed', 'Liz', 'Ayumi'],
  ];
  const health = (await runScript('openarena', turn)).filter(
    ({ statement }) => 'property' in statement && statement.property !== 'armor',
  );
  expect(health).toEqual([{ t: 5.6, statement: { subject: 'player', property: 'health', from: 100, to: 80 } }]);
});

test('openarena: where compression blurs the frame, the player’s score keeps its place', async () => {
  const washed: readonly CueTuple[] = [
    [0, 'first score', 'found', 3],
    [0, 'own score', 'found', 2],
    [0, 'first', 'found', 'own'],
    [5, 'first', 'lost', undefined, 'own'],
    [7, 'first score', 'changed', 4, 3],
    [8, 'first', 'found', 'own'],
  ];
  expect(
    (await runScript('openarena', washed)).map(({ t, statement }) => [t, 'to' in statement && statement.to]),
  ).toEqual([[7, 4]]);
});

test('openarena: scenery in the colour of the frame leaves the player’s score undetermined', async () => {
  const framed: readonly CueTuple[] = [
    [0, 'first score', 'found', 2],
    [0, 'own score', 'found', 1],
    [0, 'first', 'found', 'own'],
    [5, 'second', 'found', 'own'],
    [6, 'second', 'lost', undefined, 'own'],
    [8, 'first score', 'changed', 3, 2],
    [9, 'first', 'lost', undefined, 'own'],
    [9, 'second', 'found', 'own'],
    [9, 'first score', 'changed', 4, 3],
    [9, 'own score', 'changed', 3, 1],
    [12, 'own score', 'changed', 4, 3],
    // The lead is taken from the player, whose score stays, and then taken back.
    [14, 'first', 'found', 'own'],
    [15, 'first score', 'changed', 5, 4],
    [15.4, 'own score', 'changed', 5, 4],
    [16, 'second', 'lost', undefined, 'own'],
  ];
  const events = (await runScript('openarena', framed)).map(({ t, statement }) => [
    t,
    'to' in statement ? statement.to : 'action' in statement && statement.action,
  ]);
  expect(events).toEqual([
    [8, 3],
    [9, 'trail'],
    [12, 4],
    [15, 5],
    [15, 'openarena:tie for lead'],
  ]);
});

/** What the player does, behind what stands, and when. */
async function led(...more: readonly CueTuple[]): Promise<unknown[]> {
  return (await runScript('openarena', [...standing, ...more])).flatMap(({ t, statement }) =>
    'action' in statement && statement.subject === 'player' ? [[t, statement.action]] : [],
  );
}

test('openarena: the lead is taken, shared and lost, but not by a change of the followed player', async () => {
  const overtake: readonly CueTuple[] = [
    [10, 'own score', 'changed', 3, 2],
    [10, 'first', 'found', 'own'],
    [10, 'second', 'lost', undefined, 'own'],
  ];
  const behind: readonly CueTuple[] = [[1, 'second', 'found', 'own']];
  expect(await led(...behind, ...overtake, [20, 'first score', 'changed', 4, 3])).toEqual([
    [10, 'openarena:tie for lead'],
    [20, 'lead'],
  ]);
  // What the boxes show for a moment is no standing.
  expect(await led(...behind, [9.6, 'second', 'lost', undefined, 'own'], ...overtake.slice(0, 2))).toEqual([
    [10, 'openarena:tie for lead'],
  ]);
  expect(await led(...behind, [9.8, 'followed', 'changed', 'Sarge', 'Kyonshi'], ...overtake)).toEqual([]);
});

test('openarena: “Fragged by” reports a death missing from the feed, and identifies the victim in the feed', async () => {
  const by: CueTuple = [20, 'fragged by', 'found', line('fragged by', { killer: 'Sarge' })];
  const shot = line('kill', { killer: 'Sarge', victim: 'Watcher' });
  const sarge = { word: 'opponent', name: 'Sarge' };
  const playing = standing.slice(1);
  expect(await runScript('openarena', [...standing, by])).toEqual([]);
  const part: CueTuple = [20.2, 'fragged by', 'found', line('fragged by', { killer: 'ge' })];
  expect(await runScript('openarena', [...playing, [19.9, 'feed', 'found', shot], part])).toHaveLength(1);
  expect((await runScript('openarena', [...playing, by])).map(({ statement }) => statement)).toEqual([
    { subject: sarge, action: 'kill', object: 'player' },
  ]);
  expect(
    (await runScript('openarena', [...playing, [19.9, 'feed', 'found', shot], by])).map(({ statement }) => statement),
  ).toEqual([{ subject: sarge, action: 'kill', object: 'player' }]);
});

/** How many starts of a match are reported. */
const begins = async (...cues: readonly CueTuple[]) =>
  (await runScript('openarena', cues)).filter(({ statement }) => 'action' in statement && statement.action === 'begin')
    .length;

test('openarena: a match begins when several players enter together with equal scores', async () => {
  const crowd = ['Sarge', 'Dark', 'Grunt', 'Neko'].map(
    (player): CueTuple => [9, 'feed', 'found', line('join', { player })],
  );
  const even: readonly CueTuple[] = [
    [8, 'first score', 'found', 0],
    [8, 'own score', 'found', 0],
  ];
  expect(await begins(...even, ...crowd)).toBe(1);
  expect(await begins(...even, ...crowd.slice(2))).toBe(0);
  expect(await begins(...standing, ...crowd)).toBe(0);
});

const team = (name: string): Statement['subject'] => ({ word: 'team', name });

test('openarena: rounds, team scores and captures are reported', async () => {
  const cues: readonly CueTuple[] = [
    [5, 'feed', 'found', { says: { subject: 'round', action: 'begin' }, slots: {} }],
    [6, 'feed', 'found', { says: { subject: 'Blue', action: 'eliminate', object: 'Red' }, slots: {} }],
    [
      7,
      'feed',
      'found',
      { says: { subject: 'Red', action: 'capture', object: 'control point' }, slots: { point: 'A' } },
    ],
    [8, 'feed', 'found', line('capture point', { player: 'Kyonshi', point: 'B' })],
  ];
  expect((await runScript('openarena', [...standing, ...cues])).map(({ statement }) => statement)).toEqual([
    { subject: 'round', action: 'begin' },
    { subject: team('Blue'), action: 'eliminate', object: team('Red') },
    { subject: team('Red'), action: 'capture', object: { word: 'control point', name: 'A' } },
    { subject: 'player', action: 'capture', object: { word: 'control point', name: 'B' } },
  ]);
});

/** How many medals are reported after a shield and a pair of skulls. */
async function medals(...boxes: readonly CueTuple[]): Promise<number> {
  const seen: readonly CueTuple[] = [
    [1, 'medal', 'found', 'openarena:defend'],
    [9, 'medal', 'changed', 'openarena:excellent', 'openarena:defend'],
  ];
  return (await runScript('openarena', [...boxes, ...seen])).length;
}

test('openarena: a shield is a medal in a team game, and an effect otherwise', async () => {
  expect(await medals()).toBe(1);
  expect(await medals([0, 'first ground', 'found', 'red'], [0, 'second ground', 'found', 'blue'])).toBe(2);
});

test('openarena: kills of and by teammates are reported', async () => {
  const mates: readonly CueTuple[] = [
    [0, 'followed', 'found', 'Ayumi'],
    [4, 'feed', 'found', { event: 'kill', team: true, slots: { killer: 'Ayumi', victim: 'Liz' } }],
    [6, 'feed', 'found', { event: 'kill', team: true, slots: { killer: 'Liz', victim: 'Ayumi' } }],
  ];
  const mate = { word: 'teammate', name: 'Liz' };
  expect((await runScript('openarena', mates)).map(({ statement }) => statement)).toEqual([
    { subject: 'player', action: 'kill', object: mate },
    { subject: mate, action: 'kill', object: 'player' },
  ]);
});

test('openarena: a corrected name is not another player', async () => {
  const better: readonly CueTuple[] = [
    ...standing,
    [0, 'followed', 'found', 'G unt'],
    [2, 'feed', 'found', line('kill', { killer: 'Grunt', victim: 'Liz' })],
    [5.2, 'health', 'changed', 100, 60],
    [5.3, 'followed', 'changed', 'Grunt', 'G unt'],
  ];
  expect((await runScript('openarena', better)).map(({ t }) => t)).toEqual([2, 5.2]);
});

test('openarena: a free-floating spectator is not a player', async () => {
  const left: readonly CueTuple[] = [
    [0, 'first score', 'found', 3],
    [0, 'followed', 'found', 'Ayumi'],
    [4, 'followed', 'lost', undefined, 'Ayumi'],
    [8, 'feed', 'found', line('kill', { killer: 'Ayumi', victim: 'Liz' })],
  ];
  const [event] = await runScript('openarena', left);
  expect(event?.statement).toMatchObject({ subject: { word: 'opponent', name: 'Ayumi' } });
});

test('openarena: joining a running match does not begin it', async () => {
  const events = await runScript('openarena', [...standing, [5, 'feed', 'found', line('enter')]]);
  expect(events).toEqual([]);
});

test('openarena: in a team game the scores are those of the teams', async () => {
  const red: Statement = { subject: { word: 'team', name: 'Red' }, property: 'score', from: 3, to: 4 };
  const scored: CueTuple = [8, 'first score', 'changed', 4, 3];
  const grounds: readonly CueTuple[] = [
    [1, 'first ground', 'found', 'red'],
    [1, 'second ground', 'found', 'blue'],
  ];
  const framed: readonly CueTuple[] = [[0, 'first', 'found', 'own']];
  expect(await runScript('openarena', [...standing, ...grounds, scored])).toEqual([{ t: 8, statement: red }]);
  expect(await runScript('openarena', [...standing, ...framed, scored])).toEqual([
    { t: 8, statement: { ...red, subject: 'player' } },
  ]);
});

test('openarena: a long name truncated in the kill feed is the same player', async () => {
  const long = standing.map(
    (cue): CueTuple => (cue[1] === 'followed' ? [0, 'followed', 'found', 'TheVeryLongNamedPlayerOfAll'] : cue),
  );
  const kills = (victim: string): CueTuple[] => [
    ...long,
    [4, 'feed', 'found', line('kill', { killer: 'Liz', victim })],
  ];
  expect(await runScript('openarena', kills('TheVeryLongNamedPlayerOfA'))).toMatchObject([
    { statement: { object: 'player' } },
  ]);
  expect(await runScript('openarena', kills('TheVery'))).toMatchObject([
    { statement: { object: { name: 'TheVery' } } },
  ]);
});

const fragged = (t: number, victim: string): CueTuple => [t, 'fragged', 'found', line('frag', { victim })];

const killed = (t: number, killer: string, victim: string): CueTuple => [
  t,
  'feed',
  'found',
  line('kill', { killer, victim }),
];

test('openarena: “You fragged” reports a kill missing from the feed', async () => {
  const fed: CueTuple = [5, 'feed', 'found', line('kill', { killer: 'Kyonshi', victim: 'Sarge' })];
  const kill: Statement = { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Sarge' } };
  expect(await runScript('openarena', [...standing, fed, fragged(5.2, 'Sarge')])).toEqual([{ t: 5, statement: kill }]);
  expect(await runScript('openarena', [...standing, fragged(5.2, 'Sarge')])).toEqual([{ t: 5.2, statement: kill }]);
  // Who died with his victim sees the line only in his next life.
  expect(await runScript('openarena', [...standing, fed, fragged(7.1, 'Sarge')])).toEqual([{ t: 5, statement: kill }]);
});

test('openarena: an unnamed player is identified by a death or by “You fragged”', async () => {
  const unnamed = standing.filter(([, detector]) => detector !== 'followed');
  const actors = async (...cues: readonly CueTuple[]): Promise<unknown[]> =>
    (await runScript('openarena', [...unnamed, ...cues])).map(
      ({ statement }) => 'action' in statement && [statement.subject, statement.object],
    );
  const [dark, liz] = ['Dark', 'Liz'].map((name) => ({ word: 'opponent', name }));
  const died: readonly CueTuple[] = [killed(8, 'Dark', 'Rolf'), [8.1, 'health', 'lost', undefined, 60]];
  expect(await actors(killed(4, 'Dark', 'Liz'), ...died, killed(12, 'Rolf', 'Dark'))).toEqual([
    [dark, liz],
    [dark, 'player'],
    ['player', dark],
  ]);
  expect(await actors(killed(4, 'Rolf', 'Liz'), fragged(4.2, 'Liz'))).toEqual([['player', liz]]);
});
