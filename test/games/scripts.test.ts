import { expect, test } from 'vitest';
import type { Cue } from '../../src/cues/cue.ts';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import { validateStatement } from '../../src/dictionary/sentences/validate.ts';
import type { Statement } from '../../src/events/statement.ts';
import { builtInPack } from '../../src/profile/load.ts';
import { readScript } from '../../src/profile/script.ts';
import { openScript, type ScriptStatement } from '../../src/script/script.ts';

type Short = readonly [
  t: number,
  detector: string,
  trigger: Cue['trigger'],
  value?: unknown,
  previous?: unknown,
  first?: true | undefined,
  confidence?: number,
];

/** What a built-in game's script says of some cues, in order of time. */
async function said(game: string, cues: readonly Short[], end = 60): Promise<{ t: number; statement: Statement }[]> {
  using script = await openScript((await readScript(builtInPack(), game))!);
  const events: ScriptStatement[] = [];
  for (const t of new Set(cues.map(([at]) => at))) {
    const now = cues.filter(([at]) => at === t).map((cue) => cueOf(cue));
    events.push(...script.onCues(t, now).statements);
  }
  events.push(...script.end(end).statements);
  // What only supports other statements is no event of its own.
  return events
    .filter(({ support }) => support !== true)
    .map(({ t, statement }) => ({ t, statement }))
    .toSorted((a, b) => a.t - b.t);
}

function cueOf([t, detector, trigger, value, previous, first, confidence = 1]: Short): Cue {
  const isLine = ['feed', 'fragged', 'fragged by'].includes(detector);
  const given = isLine ? { value: '', detail: value } : { value };
  return { t, detector, trigger, confidence, previous, first, ...given } as Cue;
}

const line = (event: string, slots: Record<string, string> = {}): unknown => ({ event, slots });

const statusOf = (t: number, figures: string, previous?: string): Short => [
  t,
  'status',
  previous === undefined ? 'found' : 'changed',
  figures,
  previous,
];

const wholeBar = (t: number, trigger: Cue['trigger']): Short[] =>
  ['status bar', 'left of the bar'].map((name) => [t, name, trigger, 'status bar', undefined, t === 0 || undefined]);

const rowsOf = (t: number, ...values: readonly number[]): Short[] =>
  ['bullets', 'shells', 'rockets', 'cells'].map((name, i) => [t, name, 'found', values[i]]);

const standing: readonly Short[] = [
  [0, 'followed', 'found', 'Kyonshi'],
  [0, 'health', 'found', 60],
  [0, 'first score', 'found', 3],
  [0, 'own score', 'found', 2],
];

/** The table of scores is heldUntil for two seconds. */
const heldUntil = (after: number): Short[] => [
  ...standing,
  [3, 'health', 'lost', undefined, 60],
  [5, 'health', 'found', after],
];

/** The first figure of ammunition comes at t. */
const drawn = (t: number): Short[] => [
  ...standing,
  [t, 'ammunition', 'found', 100],
  [t, 'weapon', 'found', 'machine gun'],
];

test('openarena: with a new match the figures begin anew', async () => {
  const restart: readonly Short[] = [
    [5, 'feed', 'found', line('enter')],
    [5, 'health', 'changed', 125, 60],
    [5.2, 'first score', 'changed', 0, 3],
    [5.2, 'own score', 'changed', 0, 2],
    [9, 'health', 'changed', 124, 125],
    [20, 'feed', 'found', line('win', { player: 'Major' })],
  ];
  expect(await said('openarena', [...standing, ...restart])).toEqual([
    { t: 5, statement: { subject: 'match', action: 'begin' } },
    { t: 9, statement: { subject: 'player', property: 'health', from: 125, to: 124 } },
    { t: 20, statement: { subject: 'match', action: 'end' } },
    { t: 20, statement: { subject: { word: 'opponent', name: 'Major' }, action: 'win', object: 'match' } },
  ]);
});

test('openarena: the weapon that a match begins with is no switch', async () => {
  const restart: readonly Short[] = [
    [1, 'weapon', 'found', 'railgun'],
    [2, 'weapon', 'lost', undefined, 'railgun'],
    [5, 'feed', 'found', line('enter')],
    [5.2, 'first score', 'changed', 0, 3],
    [5.2, 'own score', 'changed', 0, 2],
    [5.7, 'weapon', 'found', 'machine gun'],
    [9, 'weapon', 'changed', 'shotgun', 'machine gun'],
  ];
  const events = await said('openarena', [...standing, ...restart]);
  expect(events.filter(({ statement }) => 'property' in statement).map(({ t }) => t)).toEqual([2, 9]);
});

test('openarena: another player’s figures, who is followed from now on, have not changed', async () => {
  const turn: readonly Short[] = [
    ...standing,
    [0, 'followed', 'found', 'Ayumi'],
    [4, 'feed', 'found', line('kill', { killer: 'Ayumi', victim: 'Liz' })],
    [5.2, 'health', 'changed', 100, 60],
    [5.3, 'followed', 'changed', 'Liz', 'Ayumi'],
    [7, 'health', 'changed', 80, 100],
    [8, 'feed', 'found', line('kill', { killer: 'Liz', victim: 'Ayumi' })],
  ];
  expect(await said('openarena', turn)).toEqual([
    { t: 4, statement: { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Liz' } } },
    { t: 7, statement: { subject: 'player', property: 'health', from: 100, to: 80 } },
    { t: 8, statement: { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Ayumi' } } },
  ]);
});

test('openarena: whose name cannot be read at once is followed from where most figures changed', async () => {
  const turn: readonly Short[] = [
    ...standing,
    [0, 'followed', 'found', 'Ayumi'],
    [1, 'armor', 'found', 50],
    [5, 'health', 'changed', 100, 60],
    [5, 'armor', 'changed', 20, 50],
    [5, 'weapon', 'found', 'railgun'],
    [5.6, 'health', 'changed', 80, 100],
    [6, 'followed', 'changed', 'Liz', 'Ayumi'],
  ];
  const health = (await said('openarena', turn)).filter(
    ({ statement }) => 'property' in statement && statement.property !== 'armor',
  );
  expect(health).toEqual([{ t: 5.6, statement: { subject: 'player', property: 'health', from: 100, to: 80 } }]);
});

test('openarena: where compression washes the frame out the player’s score is where it was', async () => {
  const washed: readonly Short[] = [
    [0, 'first score', 'found', 3],
    [0, 'own score', 'found', 2],
    [0, 'first', 'found', 'own'],
    [5, 'first', 'lost', undefined, 'own'],
    [7, 'first score', 'changed', 4, 3],
    [8, 'first', 'found', 'own'],
  ];
  expect((await said('openarena', washed)).map(({ t, statement }) => [t, 'to' in statement && statement.to])).toEqual([
    [7, 4],
  ]);
});

test('openarena: scenery in the colour of the frame leaves open whose score is the player’s', async () => {
  const framed: readonly Short[] = [
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
  const told = (await said('openarena', framed)).map(({ t, statement }) => [
    t,
    'to' in statement ? statement.to : 'action' in statement && statement.action,
  ]);
  expect(told).toEqual([
    [8, 3],
    [9, 'trail'],
    [12, 4],
    [15, 5],
    [15, 'openarena:tie for lead'],
  ]);
});

test('openarena: the lead is taken, shared and lost, but not with another player who is followed', async () => {
  const led = async (...more: readonly Short[]) =>
    (await said('openarena', [...standing, ...more])).flatMap(({ t, statement }) =>
      'action' in statement && statement.subject === 'player' ? [[t, statement.action]] : [],
    );
  const overtake: readonly Short[] = [
    [10, 'own score', 'changed', 3, 2],
    [10, 'first', 'found', 'own'],
    [10, 'second', 'lost', undefined, 'own'],
  ];
  const behind: readonly Short[] = [[1, 'second', 'found', 'own']];
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

test('openarena: “Fragged by” tells of a death that the feed did not, and whose the feed’s line is', async () => {
  const by: Short = [20, 'fragged by', 'found', line('fragged by', { killer: 'Sarge' })];
  const shot = line('kill', { killer: 'Sarge', victim: 'Watcher' });
  const sarge = { word: 'opponent', name: 'Sarge' };
  const playing = standing.slice(1);
  expect((await said('openarena', [...playing, by])).map(({ statement }) => statement)).toEqual([
    { subject: sarge, action: 'kill', object: 'player' },
  ]);
  expect(
    (await said('openarena', [...playing, [19.9, 'feed', 'found', shot], by])).map(({ statement }) => statement),
  ).toEqual([{ subject: sarge, action: 'kill', object: 'player' }]);
});

const team = (name: string): Statement['subject'] => ({ word: 'team', name });

test('openarena: rounds, teams’ points and what is taken', async () => {
  const cues: readonly Short[] = [
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
  expect((await said('openarena', [...standing, ...cues])).map(({ statement }) => statement)).toEqual([
    { subject: 'round', action: 'begin' },
    { subject: team('Blue'), action: 'eliminate', object: team('Red') },
    { subject: team('Red'), action: 'capture', object: { word: 'control point', name: 'A' } },
    { subject: 'player', action: 'capture', object: { word: 'control point', name: 'B' } },
  ]);
});

/** How many medals are told of after a shield and a pair of skulls were seen. */
async function medals(...boxes: readonly Short[]): Promise<number> {
  const seen: readonly Short[] = [
    [1, 'medal', 'found', 'openarena:defend'],
    [9, 'medal', 'changed', 'openarena:excellent', 'openarena:defend'],
  ];
  return (await said('openarena', [...boxes, ...seen])).length;
}

test('openarena: a shield is a medal in a game of teams, sparks else', async () => {
  expect(await medals()).toBe(1);
  expect(await medals([0, 'first ground', 'found', 'red'], [0, 'second ground', 'found', 'blue'])).toBe(2);
});

test('openarena: who kills one of the own team, or is killed by one', async () => {
  const mates: readonly Short[] = [
    [0, 'followed', 'found', 'Ayumi'],
    [4, 'feed', 'found', { event: 'kill', team: true, slots: { killer: 'Ayumi', victim: 'Liz' } }],
    [6, 'feed', 'found', { event: 'kill', team: true, slots: { killer: 'Liz', victim: 'Ayumi' } }],
  ];
  const mate = { word: 'teammate', name: 'Liz' };
  expect((await said('openarena', mates)).map(({ statement }) => statement)).toEqual([
    { subject: 'player', action: 'kill', object: mate },
    { subject: mate, action: 'kill', object: 'player' },
  ]);
});

test('openarena: a name read better is no other player’s', async () => {
  const better: readonly Short[] = [
    ...standing,
    [0, 'followed', 'found', 'G unt'],
    [2, 'feed', 'found', line('kill', { killer: 'Grunt', victim: 'Liz' })],
    [5.2, 'health', 'changed', 100, 60],
    [5.3, 'followed', 'changed', 'Grunt', 'G unt'],
  ];
  expect((await said('openarena', better)).map(({ t }) => t)).toEqual([2, 5.2]);
});

test('openarena: who floats about on his own is nobody who plays', async () => {
  const left: readonly Short[] = [
    [0, 'first score', 'found', 3],
    [0, 'followed', 'found', 'Ayumi'],
    [4, 'followed', 'lost', undefined, 'Ayumi'],
    [8, 'feed', 'found', line('kill', { killer: 'Ayumi', victim: 'Liz' })],
  ];
  const [event] = await said('openarena', left);
  expect(event?.statement).toMatchObject({ subject: { word: 'opponent', name: 'Ayumi' } });
});

test('openarena: who comes into a match that goes on does not begin it', async () => {
  const events = await said('openarena', [...standing, [5, 'feed', 'found', line('enter')]]);
  expect(events).toEqual([]);
});

test('openarena: figures that come back are a new life after a death, not after a menu', async () => {
  const menu: readonly Short[] = [
    ...standing,
    [3, 'health', 'lost', undefined, 60],
    [3, 'first score', 'lost', undefined, 3],
    [3, 'own score', 'lost', undefined, 2],
    [6, 'health', 'found', 60],
    [6, 'first score', 'found', 3],
    [6, 'own score', 'found', 2],
  ];
  expect(await said('openarena', menu)).toEqual([]);
  const death: readonly Short[] = [
    ...standing,
    [3, 'feed', 'found', line('kill', { killer: 'Liz', victim: 'Kyonshi' })],
    [3, 'health', 'lost', undefined, 60],
    [5, 'health', 'found', 125],
  ];
  expect(
    (await said('openarena', death)).map(({ t, statement }) => [t, 'action' in statement && statement.action]),
  ).toEqual([
    [3, 'kill'],
    [5, 'respawn'],
  ]);
});

test('openarena: behind the table of scores the figures are away, but whose health was not made whole did not die', async () => {
  expect(await said('openarena', heldUntil(63))).toEqual([]);
  expect(await said('openarena', heldUntil(125))).toEqual([
    { t: 5, statement: { subject: 'player', action: 'respawn' } },
  ]);
});

test('openarena: a figure that becomes another and comes back at once was misread', async () => {
  const blink: readonly Short[] = [
    ...standing,
    [4, 'health', 'changed', 1, 60],
    [4.1, 'health', 'changed', 60, 1],
    [8, 'health', 'changed', 50, 60],
  ];
  expect(await said('openarena', blink)).toEqual([
    { t: 8, statement: { subject: 'player', property: 'health', from: 60, to: 50 } },
  ]);
});

const shotAndRound = (confidence: number): readonly Short[] => [
  ...standing,
  [0, 'ammunition', 'found', 13],
  [0, 'weapon', 'found', 'rocket launcher'],
  [5, 'ammunition', 'changed', 12, 13, undefined, confidence],
  [5.2, 'ammunition', 'changed', 13, 12, undefined, 0.999],
];

test('openarena: a shot and a round picked up at once are told where both figures are read surely', async () => {
  const ammunition = { subject: 'player', property: 'ammunition' };
  expect(await said('openarena', shotAndRound(0.999))).toEqual([
    { t: 5, statement: { ...ammunition, from: 13, to: 12 } },
    { t: 5.2, statement: { ...ammunition, from: 12, to: 13 } },
  ]);
  expect(await said('openarena', shotAndRound(0.96))).toEqual([]);
});

test('openarena: in a game of teams the scores are the teams’', async () => {
  const red: Statement = { subject: { word: 'team', name: 'Red' }, property: 'score', from: 3, to: 4 };
  const scored: Short = [8, 'first score', 'changed', 4, 3];
  const grounds: readonly Short[] = [
    [1, 'first ground', 'found', 'red'],
    [1, 'second ground', 'found', 'blue'],
  ];
  const framed: readonly Short[] = [[0, 'first', 'found', 'own']];
  expect(await said('openarena', [...standing, ...grounds, scored])).toEqual([{ t: 8, statement: red }]);
  expect(await said('openarena', [...standing, ...framed, scored])).toEqual([
    { t: 8, statement: { ...red, subject: 'player' } },
  ]);
});

test('openarena: a shot that brings a figure back to that of the weapon before is one', async () => {
  const shot: readonly Short[] = [
    ...standing,
    [0, 'ammunition', 'found', 9],
    [0, 'weapon', 'found', 'railgun'],
    [5, 'ammunition', 'changed', 10, 9],
    [5, 'weapon', 'changed', 'nailgun', 'railgun'],
    [5.2, 'ammunition', 'changed', 9, 10],
  ];
  expect(await said('openarena', shot)).toEqual([
    {
      t: 5,
      statement: { subject: 'player', property: 'weapon', from: { word: 'railgun' }, to: { word: 'nailgun' } },
    },
    { t: 5.2, statement: { subject: 'player', property: 'ammunition', from: 10, to: 9 } },
  ]);
});

/** Two labels of the status bar as they come. */
const labels = (left: number, right: number, first?: true | undefined): Short[] =>
  (
    [
      [left, 'left of the bar', 'found', 'status bar', undefined, first],
      [right, 'status bar', 'found', 'status bar', undefined, first],
    ] satisfies Short[]
  ).toSorted((a, b) => a[0] - b[0]);

test('freedoom: a level begins when the whole status bar stands, unless it stands in the first picture', async () => {
  const begin: Statement = { subject: 'level', action: 'begin' };
  expect(await said('freedoom', labels(1.1, 1))).toEqual([{ t: 1.1, statement: begin }]);
  expect(await said('freedoom', labels(0, 0, true))).toEqual([]);
  // One of them is covered.
  expect(await said('freedoom', [...labels(1.1, 4), [9, 'health', 'found', 3]])).toEqual([
    { t: 1.1, statement: begin },
  ]);
});

const bar: readonly Short[] = [
  [0, 'ammunition', 'found', 50],
  [0, 'bullets', 'found', 50],
  [0, 'shells', 'found', 0],
  [0, 'rockets', 'found', 1],
  [0, 'cells', 'found', 2],
  [0, 'health', 'found', 100],
  [0, 'arms 3', 'found', 'none'],
  [0, 'arms 4', 'found', 'none'],
];
const weapon = (from: string, to: string): Statement => ({
  subject: 'player',
  property: 'weapon',
  from: { word: from },
  to: { word: to },
});

test('freedoom: a weapon is obtained once, and in hand when its ammunition is', async () => {
  const shotgun: readonly Short[] = [
    ...bar,
    [3, 'message', 'found', 'YOU GOT THE PUMP-ACTION SHOTGUN!'],
    [3, 'shells', 'changed', 8, 0],
    [3.5, 'arms 3', 'changed', 'shotgun', 'none'],
    [3.6, 'ammunition', 'changed', 8, 50],
    [7, 'arms 3', 'changed', 'none', 'shotgun'],
    [8, 'arms 3', 'changed', 'shotgun', 'none'],
  ];
  expect(await said('freedoom', shotgun)).toEqual([
    { t: 3, statement: { subject: 'player', action: 'obtain', object: 'shotgun' } },
    { t: 3.6, statement: weapon('pistol', 'shotgun') },
  ]);
});

test('freedoom: a weapon without a message is told by its number; one that fires the same is raised', async () => {
  const events = await said('freedoom', [...bar, [4, 'arms 4', 'changed', 'chaingun', 'none']]);
  expect(events).toEqual([
    { t: 4, statement: { subject: 'player', action: 'obtain', object: 'chaingun' } },
    { t: 4, statement: weapon('pistol', 'chaingun') },
  ]);
});

test('freedoom: a key is obtained once, though a help screen hides it, and anew in the next level', async () => {
  const blue = 'freedoom:blue keycard';
  const key = { subject: 'player', action: 'obtain', object: blue };
  const events = await said('freedoom', [
    ...bar,
    [4, 'blue key', 'found', blue],
    [9, 'blue key', 'lost', blue],
    [11, 'blue key', 'found', blue],
    [20, 'blue key', 'lost', blue],
    [20, 'status bar', 'lost', 'status bar'],
    [20, 'left of the bar', 'lost', 'status bar'],
    [21, 'tally', 'found', 'tally'],
    [25, 'status bar', 'found', 'status bar'],
    [25, 'left of the bar', 'found', 'status bar'],
    [30, 'blue key', 'found', blue],
  ]);
  expect(events.filter(({ statement }) => 'action' in statement && statement.action === 'obtain')).toEqual([
    { t: 4, statement: key },
    { t: 30, statement: key },
  ]);
});

const shot = (t: number, from: number): { t: number; statement: Statement } => ({
  t,
  statement: { subject: 'player', property: 'ammunition', from, to: from - 1 },
});

test('freedoom: shots that the big figure did not show are told by its row', async () => {
  const shots: readonly Short[] = [
    ...bar,
    [5.1, 'bullets', 'changed', 49, 50],
    [5.2, 'bullets', 'changed', 48, 49],
    [5.3, 'bullets', 'changed', 47, 48],
    [5.3, 'ammunition', 'changed', 47, 50],
    [6, 'bullets', 'changed', 46, 47],
    [6, 'ammunition', 'changed', 46, 47],
  ];
  expect(await said('freedoom', shots)).toEqual([shot(5.1, 50), shot(5.2, 49), shot(5.3, 48), shot(6, 47)]);
});

test('freedoom: frags are a score, but for what is read across the numbers under ARMS', async () => {
  const deathmatch: readonly Short[] = [
    [0, 'health', 'found', 100],
    [0, 'frags', 'found', 0],
    [5, 'frags', 'changed', -1, 0],
    [9, 'frags', 'changed', 1, -1],
  ];
  expect(await said('freedoom', deathmatch)).toEqual([
    { t: 5, statement: { subject: 'player', property: 'score', from: 0, to: -1 } },
    { t: 9, statement: { subject: 'player', property: 'score', from: -1, to: 1 } },
  ]);
  expect(await said('freedoom', [...bar, [1, 'frags', 'found', 3], [5, 'frags', 'changed', 4, 3]])).toEqual([]);
});

test('freedoom: a number under ARMS that is read late tells which weapon was raised', async () => {
  const late: readonly Short[] = [
    ...bar.filter(([, detector]) => detector !== 'ammunition'),
    [0, 'ammunition', 'found', 0],
    [4, 'ammunition', 'changed', 50, 0],
    [4.4, 'arms 4', 'changed', 'chaingun', 'none'],
  ];
  expect(await said('freedoom', late)).toEqual([
    { t: 4, statement: weapon('shotgun', 'chaingun') },
    { t: 4.4, statement: { subject: 'player', action: 'obtain', object: 'chaingun' } },
  ]);
});

test('freedoom: what a new life begins with is no change, though it is seen before the whole bar', async () => {
  const dies: readonly Short[] = [
    ...wholeBar(0, 'found'),
    ...bar.map(([, detector, trigger, value]): Short => [0, detector, trigger, detector === 'bullets' ? 33 : value]),
    [0, 'ammunition', 'found', 33],
    [22.1, 'health', 'changed', 0, 40],
    ...wholeBar(22.6, 'lost'),
    [22.9, 'ammunition', 'changed', 50, 33],
    [22.9, 'bullets', 'changed', 50, 33],
    [22.9, 'health', 'changed', 100, 0],
    ...wholeBar(23, 'found'),
  ];
  expect(await said('freedoom', dies)).toEqual([
    { t: 22.1, statement: { subject: 'player', action: 'die' } },
    { t: 22.1, statement: { subject: 'player', property: 'health', from: 40, to: 0 } },
    { t: 22.9, statement: { subject: 'player', action: 'respawn' } },
    { t: 23, statement: { subject: 'level', action: 'begin' } },
  ]);
});

test('freedoom: a rise that the standing message cannot have brought is not its item', async () => {
  const rises: readonly Short[] = [
    ...bar,
    [2, 'message', 'found', 'PICKED UP AN AMMO CLIP.'],
    [2, 'bullets', 'changed', 60, 50],
    [4, 'bullets', 'changed', 70, 60],
    [6, 'bullets', 'changed', 120, 70],
  ];
  const clip = { subject: 'player', action: 'obtain', object: 'freedoom:clip' };
  expect((await said('freedoom', rises)).filter(({ statement }) => 'action' in statement)).toEqual([
    { t: 2, statement: clip },
    { t: 4, statement: clip },
  ]);
});

/** A shot: the big figure and its row fall together. */
const fired = (t: number, from: number): Short[] => [
  [t, 'ammunition', 'changed', from - 1, from],
  [t, 'bullets', 'changed', from - 1, from],
];

test('freedoom: a weapon that fires at once is in hand from its first figure on', async () => {
  const shots = Array.from({ length: 12 }, (_, k) => fired(5.1 + k / 10, 145 - k)).flat();
  const chaingun: readonly Short[] = [
    ...bar.filter(([, detector]) => !['ammunition', 'bullets', 'shells'].includes(detector)),
    [0, 'ammunition', 'found', 36],
    [0, 'bullets', 'found', 125],
    [0, 'shells', 'found', 36],
    [4.5, 'message', 'found', 'YOU GOT THE MINIGUN!'],
    [4.5, 'bullets', 'changed', 145, 125],
    [5, 'ammunition', 'changed', 145, 36],
    ...shots,
  ];
  const events = await said('freedoom', chaingun);
  expect(events.filter(({ statement }) => !('property' in statement) || statement.property === 'weapon')).toEqual([
    { t: 4.5, statement: { subject: 'player', action: 'obtain', object: 'chaingun' } },
    { t: 5, statement: weapon('shotgun', 'chaingun') },
  ]);
  expect(events.filter(({ statement }) => 'property' in statement && statement.property === 'ammunition')).toHaveLength(
    12,
  );
});

test('openarena: figures that come all at once soon after the recording began are a new life', async () => {
  const scores: readonly Short[] = [
    [0, 'first score', 'found', 3],
    [0, 'own score', 'found', 2],
  ];
  const both: readonly Short[] = [
    [0.4, 'health', 'found', 125],
    [0.4, 'ammunition', 'found', 100],
  ];
  expect(await said('openarena', [...scores, ...both])).toEqual([
    { t: 0.4, statement: { subject: 'player', action: 'respawn' } },
  ]);
  const apart: readonly Short[] = [
    [0, 'ammunition', 'found', 100],
    [0.4, 'health', 'found', 60],
  ];
  expect(await said('openarena', [...scores, ...apart])).toEqual([]);
});

test('openarena: a weapon put away soon after a life began is a switch, the one it began with is none', async () => {
  const born: readonly Short[] = [
    ...standing,
    [2, 'weapon', 'found', 'railgun'],
    [3, 'feed', 'found', line('kill', { killer: 'Liz', victim: 'Kyonshi' })],
    [3, 'health', 'lost', undefined, 60],
    [5, 'health', 'found', 125],
    [5, 'ammunition', 'found', 100],
  ];
  const began: Short = [5, 'weapon', 'changed', 'machine gun', 'railgun'];
  const weapons = async (...more: readonly Short[]): Promise<unknown[]> =>
    (await said('openarena', [...born, ...more])).filter(({ statement }) => 'property' in statement);
  expect(await weapons(began)).toEqual([]);
  expect(
    await weapons(
      began,
      [5.17, 'ammunition', 'lost', undefined, 100],
      [5.17, 'weapon', 'lost', undefined, 'machine gun'],
    ),
  ).toMatchObject([{ t: 5.17, statement: { from: { word: 'machine gun' }, to: { word: 'gauntlet' } } }]);
});

test('openarena: a long name that the kill line cuts off is the same player’s', async () => {
  const long = standing.map(
    (cue): Short => (cue[1] === 'followed' ? [0, 'followed', 'found', 'TheVeryLongNamedPlayerOfAll'] : cue),
  );
  const kills = (victim: string): Short[] => [...long, [4, 'feed', 'found', line('kill', { killer: 'Liz', victim })]];
  expect(await said('openarena', kills('TheVeryLongNamedPlayerOfA'))).toMatchObject([
    { statement: { object: 'player' } },
  ]);
  expect(await said('openarena', kills('TheVery'))).toMatchObject([{ statement: { object: { name: 'TheVery' } } }]);
});

test('openarena: a recording that begins with the gauntlet in hand tells of the first switch', async () => {
  expect(await said('openarena', drawn(5.2))).toMatchObject([{ t: 5.2, statement: { from: { word: 'gauntlet' } } }]);
  expect(await said('openarena', drawn(0.5))).toEqual([]);
});

test('openarena: the figure of a new weapon is no change of ammunition, though its holder dies at once', async () => {
  const died: readonly Short[] = [
    ...standing,
    [0, 'ammunition', 'found', 20],
    [0, 'weapon', 'found', 'nailgun'],
    [26.07, 'ammunition', 'changed', 100, 20],
    [26.13, 'weapon', 'changed', 'lightning gun', 'nailgun'],
    [26.25, 'feed', 'found', line('kill', { killer: 'Rai', victim: 'Kyonshi' })],
    [26.27, 'ammunition', 'lost', undefined, 100],
    [26.27, 'health', 'lost', undefined, 60],
  ];
  expect((await said('openarena', died)).map(({ t, statement }) => [t, 'property' in statement])).toEqual([
    [26.13, true],
    [26.25, false],
  ]);
});

test('openarena: a shot just before death is told, a medal in the table of scores is not', async () => {
  const died: readonly Short[] = [
    ...standing,
    [0, 'ammunition', 'found', 20],
    [0, 'weapon', 'found', 'nailgun'],
    [7.47, 'ammunition', 'changed', 19, 20],
    [7.6, 'feed', 'found', line('kill', { killer: 'Rai', victim: 'Kyonshi' })],
    [7.6, 'ammunition', 'lost', undefined, 19],
    [7.6, 'weapon', 'lost', undefined, 'nailgun'],
    [7.6, 'health', 'lost', undefined, 60],
    [8.4, 'medal', 'found', 'openarena:defend'],
  ];
  expect((await said('openarena', died)).map(({ t }) => t)).toEqual([7.47, 7.6]);
});

test('openarena: “You fragged” tells of a kill that the feed did not', async () => {
  const fragged = (t: number): Short => [t, 'fragged', 'found', line('frag', { victim: 'Sarge' })];
  const fed: Short = [5, 'feed', 'found', line('kill', { killer: 'Kyonshi', victim: 'Sarge' })];
  const kill: Statement = { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Sarge' } };
  expect(await said('openarena', [...standing, fed, fragged(5.2)])).toEqual([{ t: 5, statement: kill }]);
  expect(await said('openarena', [...standing, fragged(5.2)])).toEqual([{ t: 5.2, statement: kill }]);
  // Who died with his victim sees the line only in his next life.
  expect(await said('openarena', [...standing, fed, fragged(7.1)])).toEqual([{ t: 5, statement: kill }]);
});

test('openarena: who plays and is named nowhere is known by a death, or by “You fragged”', async () => {
  const unnamed = standing.filter(([, detector]) => detector !== 'followed');
  const kill = (t: number, killer: string, victim: string): Short => [
    t,
    'feed',
    'found',
    line('kill', { killer, victim }),
  ];
  const actors = async (...cues: readonly Short[]): Promise<unknown[]> =>
    (await said('openarena', [...unnamed, ...cues])).map(
      ({ statement }) => 'action' in statement && [statement.subject, statement.object],
    );
  const [dark, liz] = ['Dark', 'Liz'].map((name) => ({ word: 'opponent', name }));
  const died: readonly Short[] = [kill(8, 'Dark', 'Rolf'), [8.1, 'health', 'lost', undefined, 60]];
  expect(await actors(kill(4, 'Dark', 'Liz'), ...died, kill(12, 'Rolf', 'Dark'))).toEqual([
    [dark, liz],
    [dark, 'player'],
    ['player', dark],
  ]);
  const fragged: Short = [4.2, 'fragged', 'found', line('frag', { victim: 'Liz' })];
  expect(await actors(kill(4, 'Rolf', 'Liz'), fragged)).toEqual([['player', liz]]);
});

test('freedoom: in a deathmatch weapons are told in the next life too, what it begins with is not', async () => {
  const cues: readonly Short[] = [
    [0, 'health', 'found', 100, undefined, true],
    ...rowsOf(0, 50, 0, 6, 0),
    [0, 'ammunition', 'found', 6],
    [4, 'health', 'changed', 0, 100],
    [6, 'health', 'changed', 100, 0],
    [6, 'rockets', 'changed', 0, 6],
    [6, 'shells', 'changed', 20, 0],
    [6, 'ammunition', 'changed', 50, 6],
    [9, 'ammunition', 'changed', 20, 50],
  ];
  const weapons = (await said('freedoom', cues)).filter(
    ({ statement }) => 'property' in statement && statement.property === 'weapon',
  );
  expect(weapons).toMatchObject([{ t: 9, statement: { from: { word: 'gun' }, to: { word: 'shotgun' } } }]);
});

test('nethack: figures that changed, and each sentence of the top line once a turn', async () => {
  const [a, b, c] = [4, 5, 6].map((turn) => `Dlvl:1 $:0 HP:${20 - turn}(16) Pw:2(2) AC:6 Xp:1/0 T:${turn}`);
  const { dictionary } = await loadBuiltin(['nethack']);
  const events = await said('nethack', [
    statusOf(0, a!),
    [1, 'message', 'found', 'You miss the giant rat.  The giant rat bites!'],
    statusOf(1.1, b!, a),
    statusOf(2, c!, b),
    [3, 'message', 'changed', 'You kill the giant rat!--More--', 'You miss the giant rat.  The giant rat bites!'],
    [4, 'message', 'changed', 'You die...', 'You kill the giant rat!--More--'],
  ]);
  expect(events.flatMap(({ statement }) => validateStatement(statement, dictionary))).toEqual([]);
  expect(events.map(({ t, statement }) => `${t} ${render(statement, dictionary)}`)).toEqual([
    '1 player misses opponent "giant rat"',
    '1 opponent "giant rat" hits player',
    "1.1 player's health drops from 16 to 15",
    "2 player's health drops from 15 to 14",
    '2 player misses opponent "giant rat"',
    '2 opponent "giant rat" hits player',
    '3 player kills opponent "giant rat"',
    '4 player dies',
  ]);
});

test('freedoom: what comes after the bar was away is another level where the figures are others, not after a help screen', async () => {
  const away = async (...cues: readonly Short[]): Promise<unknown[]> =>
    said('freedoom', [...wholeBar(0, 'found'), [0, 'health', 'found', 85, undefined, true], ...cues]);
  const warp: readonly Short[] = [
    ...wholeBar(5, 'lost'),
    [5.2, 'health', 'changed', 5, 85],
    [6.2, 'health', 'changed', 100, 5],
  ];
  expect(await away(...warp, ...wholeBar(6.2, 'found'), [9, 'health', 'changed', 90, 100])).toEqual([
    { t: 6.2, statement: { subject: 'level', action: 'begin' } },
    { t: 9, statement: { subject: 'player', property: 'health', from: 100, to: 90 } },
  ]);
  expect(await away(...wholeBar(5, 'lost'), ...wholeBar(7, 'found'))).toEqual([]);
  // Another picture was shown meanwhile: what changed under it is not told, nor is it another level.
  const covered: readonly Short[] = [...wholeBar(5, 'lost'), [9, 'health', 'changed', 76, 85], ...wholeBar(9, 'found')];
  expect(await away(...covered, [12, 'health', 'changed', 70, 76])).toEqual([
    { t: 12, statement: { subject: 'player', property: 'health', from: 76, to: 70 } },
  ]);
});

test('freedoom: without a status bar the same is told of figures that stand bare, and of lines of text', async () => {
  for (const layout of ['bare', 'text']) {
    const [mark, value] = layout === 'bare' ? ['bare percent', '%'] : ['text label', 'HEL'];
    const name = (element: string): string => `${layout} ${element}`;
    const rows = ['bullets', 'shells', 'rockets', 'cells'].map(
      (row, i): Short => [1, name(row), 'found', [50, 0, 0, 0][i]],
    );
    const events = await said('freedoom', [
      [1, mark, 'found', value],
      [1, name('health'), 'found', 100],
      [1, name('ammunition'), 'found', 50],
      ...rows,
      ...(layout === 'text' ? [[1, 'text weapons', 'found', '1 2'] as const] : []),
      [3, 'bare message', 'found', 'YOU GOT THE PUMP-ACTION SHOTGUN!'],
      [3, name('shells'), 'changed', 8, 0],
      ...(layout === 'text' ? [[3, 'text weapons', 'changed', '1 2 3', '1 2'] as const] : []),
      [3.5, name('ammunition'), 'changed', 8, 50],
      [4, name('ammunition'), 'changed', 7, 8],
      [4, name('shells'), 'changed', 7, 8],
      [5, name('health'), 'changed', 91, 100],
    ]);
    expect(events).toEqual([
      { t: 1, statement: { subject: 'level', action: 'begin' } },
      { t: 3, statement: { subject: 'player', action: 'obtain', object: 'shotgun' } },
      {
        t: 3.5,
        statement: { subject: 'player', property: 'weapon', from: { word: 'pistol' }, to: { word: 'shotgun' } },
      },
      { t: 4, statement: { subject: 'player', property: 'ammunition', from: 8, to: 7 } },
      { t: 5, statement: { subject: 'player', property: 'health', from: 100, to: 91 } },
    ]);
  }
});

test('freedoom: a message upon the scene counts where there is no bar, not where one has just gone', async () => {
  const clip = 'PICKED UP AN AMMO CLIP.';
  const told = { t: 9, statement: { subject: 'player', action: 'obtain', object: 'freedoom:clip' } };
  expect(await said('freedoom', [[9, 'bare message', 'found', clip]])).toEqual([told]);
  const gone = [...wholeBar(0, 'found'), ...wholeBar(8.5, 'lost')];
  expect(await said('freedoom', [...gone, [9, 'bare message', 'found', clip]])).toEqual([]);
});

const healthAt = (t: number, value: number, previous: number): Short => [t, 'health', 'changed', value, previous];

test('freedoom: health that is what it was before within a quarter of a second was misread, but for a bonus', async () => {
  const start: Short[] = [...wholeBar(0, 'found'), [0, 'health', 'found', 36]];
  expect(await said('freedoom', [...start, healthAt(5, 86, 36), healthAt(5.1, 36, 86)])).toEqual([]);
  expect(await said('freedoom', [...start, healthAt(5, 37, 36), healthAt(5.1, 36, 37)])).toHaveLength(2);
  expect(await said('freedoom', [...start, healthAt(5, 86, 36), healthAt(5.4, 36, 86)])).toHaveLength(2);
});

test('freedoom: a nought read for a sample is no death', async () => {
  const start: Short[] = [...wholeBar(0, 'found'), [0, 'health', 'found', 100]];
  expect(await said('freedoom', [...start, healthAt(5, 0, 100), healthAt(5.1, 100, 0)])).toEqual([]);
  const actions = (await said('freedoom', [...start, healthAt(5, 0, 100), healthAt(5.6, 100, 0)])).map(
    (one) => one.statement,
  );
  expect(actions).toMatchObject([{ action: 'die' }, { property: 'health', to: 0 }, { action: 'respawn' }]);
});

const share = (property: string, value: number) => ({ subject: 'player', property: `freedoom:${property}`, to: value });

test('freedoom: the tally tells of what share was killed and found', async () => {
  const events = await said('freedoom', [
    [5, 'tally', 'found', 'tally'],
    [6, 'tally kills', 'found', 80],
    [7, 'tally items', 'found', 0],
    [8, 'tally secrets', 'found', 50],
    [9, 'tally secrets', 'lost', undefined, 50],
  ]);
  expect(events.map((one) => one.statement)).toEqual([
    { subject: 'player', action: 'complete', object: 'level' },
    share('kill percentage', 80),
    share('item percentage', 0),
    share('secret percentage', 50),
  ]);
});

test('freedoom: the screens between levels name the one that is completed and the one that begins', async () => {
  const actions = await said('freedoom', [
    ...bar,
    ...wholeBar(20, 'lost'),
    [20.4, 'tally', 'found', 'tally'],
    [20.4, 'level name', 'found', 'freedoom:E1M3'],
    [24, 'tally', 'lost', undefined, 'tally'],
    [24, 'entering', 'found', 'entering'],
    [24, 'level name', 'changed', 'freedoom:E1M4', 'freedoom:E1M3'],
    [27, 'entering', 'lost', undefined, 'entering'],
    [27, 'level name', 'lost', undefined, 'freedoom:E1M4'],
    ...wholeBar(28, 'found'),
    // It begins anew after a death, and another that nothing names after a game was loaded.
    [40, 'health', 'changed', 0, 100],
    ...wholeBar(42, 'lost'),
    ...wholeBar(43, 'found'),
    [43, 'health', 'changed', 100, 0],
    ...wholeBar(50, 'lost'),
    ...wholeBar(51, 'found'),
    [51, 'health', 'changed', 63, 100],
  ]);
  expect(actionsOf(actions, ['complete', 'begin'])).toEqual([
    [20.4, 'player', 'complete', 'freedoom:E1M3'],
    [28, 'freedoom:E1M4', 'begin', undefined],
    [43, 'freedoom:E1M4', 'begin', undefined],
    [51, 'level', 'begin', undefined],
  ]);
});

/** The actions of some kinds: when, who, what and upon what. */
function actionsOf(all: readonly { t: number; statement: Statement }[], wanted: readonly string[]): unknown[] {
  return all.flatMap(({ t, statement }) => {
    if (!('action' in statement) || !wanted.includes(String(statement.action))) return [];
    return [[t, statement.subject, statement.action, statement.object]];
  });
}

test('freedoom: where the small table is covered, another weapon is told from shots and pick-ups by the step', async () => {
  const told = await said('freedoom', [
    ...wholeBar(0, 'found'),
    [0, 'ammunition', 'found', 50, undefined, true],
    [2, 'ammunition', 'changed', 49, 50],
    [4, 'message', 'found', 'YOU GOT THE PUMP-ACTION SHOTGUN!'],
    [4.4, 'ammunition', 'changed', 12, 49],
    [9, 'message', 'lost', undefined, 'YOU GOT THE PUMP-ACTION SHOTGUN!'],
    [10, 'message', 'found', 'PICKED UP SOME SHOTGUN SHELLS.'],
    [10, 'ammunition', 'changed', 16, 12],
    [15, 'message', 'lost', undefined, 'PICKED UP SOME SHOTGUN SHELLS.'],
    [20, 'ammunition', 'changed', 49, 16],
  ]);
  expect(
    told.flatMap(({ t, statement }) => ('property' in statement ? [[t, statement.from, statement.to]] : [])),
  ).toEqual([
    [2, 50, 49],
    [10, 12, 16],
  ]);
});

test('freedoom: an item obtained once more under its own message is told by the next rise, however soon', async () => {
  const bonus = 'GOT A 1% HEALTH BONUS.';
  const told = await said('freedoom', [
    ...bar,
    [5, 'message', 'found', bonus],
    [5, 'health', 'changed', 101, 100],
    [5.2, 'health', 'changed', 102, 101],
    // Read before its message.
    [6, 'health', 'changed', 112, 102],
    [6.1, 'message', 'changed', 'PICKED UP A SMALL HEALTH PACK.', bonus],
    // By what is no longer said.
    [12, 'message', 'lost', undefined, 'PICKED UP A SMALL HEALTH PACK.'],
    [12.1, 'health', 'changed', 113, 112],
  ]);
  expect(actionsOf(told, ['obtain'])).toEqual([
    [5, 'player', 'obtain', 'health bonus'],
    [5.2, 'player', 'obtain', 'health bonus'],
    [6.1, 'player', 'obtain', 'stimpack'],
  ]);
});

test('freedoom: a secret is found once for as long as the screen says so', async () => {
  const words: readonly Short[] = [
    [5, 'secret', 'found', 'SECRET'],
    [7, 'secret', 'lost', undefined, 'SECRET'],
  ];
  expect(actionsOf(await said('freedoom', words), ['find'])).toEqual([[5, 'player', 'find', 'secret']]);
});
