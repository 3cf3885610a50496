import { expect, test } from 'vitest';
import type { Cue } from '../../src/cues/cue.ts';
import type { Statement } from '../../src/events/statement.ts';
import { type CueTuple, runScript } from '../fixtures/scripts.ts';

const wholeBar = (t: number, trigger: Cue['trigger']): CueTuple[] =>
  ['status bar', 'left of the bar'].map((name) => [t, name, trigger, 'status bar', undefined, t === 0 || undefined]);

const rowsOf = (t: number, ...values: readonly number[]): CueTuple[] =>
  ['bullets', 'shells', 'rockets', 'cells'].map((name, i) => [t, name, 'found', values[i]]);

/** Two labels of the status bar as they come. */
const labels = (left: number, right: number, first?: true | undefined): CueTuple[] =>
  (
    [
      [left, 'left of the bar', 'found', 'status bar', undefined, first],
      [right, 'status bar', 'found', 'status bar', undefined, first],
    ] satisfies CueTuple[]
  ).toSorted((a, b) => a[0] - b[0]);

test('freedoom: a level begins when the complete status bar appears, unless the first frame shows it', async () => {
  const begin: Statement = { subject: 'level', action: 'begin' };
  expect(await runScript('freedoom', labels(1.1, 1))).toEqual([{ t: 1.1, statement: begin }]);
  expect(await runScript('freedoom', labels(0, 0, true))).toEqual([]);
  // One of them is covered.
  expect(await runScript('freedoom', [...labels(1.1, 4), [9, 'health', 'found', 3]])).toEqual([
    { t: 1.1, statement: begin },
  ]);
});

const bar: readonly CueTuple[] = [
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

test('freedoom: a weapon is obtained once, and in hand when its ammunition is shown', async () => {
  const shotgun: readonly CueTuple[] = [
    ...bar,
    [3, 'message', 'found', 'YOU GOT THE PUMP-ACTION SHOTGUN!'],
    [3, 'shells', 'changed', 8, 0],
    [3.5, 'arms 3', 'changed', 'shotgun', 'none'],
    [3.6, 'ammunition', 'changed', 8, 50],
    [7, 'arms 3', 'changed', 'none', 'shotgun'],
    [8, 'arms 3', 'changed', 'shotgun', 'none'],
  ];
  expect(await runScript('freedoom', shotgun)).toEqual([
    { t: 3, statement: { subject: 'player', action: 'obtain', object: 'shotgun' } },
    { t: 3.6, statement: weapon('pistol', 'shotgun') },
  ]);
});

test('freedoom: a weapon without a message is detected by its number; one with the same ammunition is selected', async () => {
  const events = await runScript('freedoom', [...bar, [4, 'arms 4', 'changed', 'chaingun', 'none']]);
  expect(events).toEqual([
    { t: 4, statement: { subject: 'player', action: 'obtain', object: 'chaingun' } },
    { t: 4, statement: weapon('pistol', 'chaingun') },
  ]);
});

test('freedoom: a key is obtained once even if a help screen hides it, and again in the next level', async () => {
  const blue = 'freedoom:blue keycard';
  const key = { subject: 'player', action: 'obtain', object: blue };
  const events = await runScript('freedoom', [
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

test('freedoom: shots missing from the large number are detected in the ammunition table', async () => {
  const shots: readonly CueTuple[] = [
    ...bar,
    [5.1, 'bullets', 'changed', 49, 50],
    [5.2, 'bullets', 'changed', 48, 49],
    [5.3, 'bullets', 'changed', 47, 48],
    [5.3, 'ammunition', 'changed', 47, 50],
    [6, 'bullets', 'changed', 46, 47],
    [6, 'ammunition', 'changed', 46, 47],
  ];
  expect(await runScript('freedoom', shots)).toEqual([shot(5.1, 50), shot(5.2, 49), shot(5.3, 48), shot(6, 47)]);
});

test('freedoom: frags are a score, except misreadings across the numbers under ARMS', async () => {
  const deathmatch: readonly CueTuple[] = [
    [0, 'health', 'found', 100],
    [0, 'frags', 'found', 0],
    [5, 'frags', 'changed', -1, 0],
    [9, 'frags', 'changed', 1, -1],
  ];
  expect(await runScript('freedoom', deathmatch)).toEqual([
    { t: 5, statement: { subject: 'player', property: 'score', from: 0, to: -1 } },
    { t: 9, statement: { subject: 'player', property: 'score', from: -1, to: 1 } },
  ]);
  expect(await runScript('freedoom', [...bar, [1, 'frags', 'found', 3], [5, 'frags', 'changed', 4, 3]])).toEqual([]);
});

test('freedoom: a number under ARMS that is read late identifies the selected weapon', async () => {
  const late: readonly CueTuple[] = [
    ...bar.filter(([, detector]) => detector !== 'ammunition'),
    [0, 'ammunition', 'found', 0],
    [4, 'ammunition', 'changed', 50, 0],
    [4.4, 'arms 4', 'changed', 'chaingun', 'none'],
  ];
  expect(await runScript('freedoom', late)).toEqual([
    { t: 4, statement: weapon('shotgun', 'chaingun') },
    { t: 4.4, statement: { subject: 'player', action: 'obtain', object: 'chaingun' } },
  ]);
});

test('freedoom: the initial values of a new life are not changes, even if seen before the complete bar', async () => {
  const dies: readonly CueTuple[] = [
    ...wholeBar(0, 'found'),
    ...bar.map(([, detector, trigger, value]): CueTuple => [0, detector, trigger, detector === 'bullets' ? 33 : value]),
    [0, 'ammunition', 'found', 33],
    [22.1, 'health', 'changed', 0, 40],
    ...wholeBar(22.6, 'lost'),
    [22.9, 'ammunition', 'changed', 50, 33],
    [22.9, 'bullets', 'changed', 50, 33],
    [22.9, 'health', 'changed', 100, 0],
    ...wholeBar(23, 'found'),
  ];
  expect(await runScript('freedoom', dies)).toEqual([
    { t: 22.1, statement: { subject: 'player', action: 'die' } },
    { t: 22.1, statement: { subject: 'player', property: 'health', from: 40, to: 0 } },
    { t: 22.9, statement: { subject: 'player', action: 'respawn' } },
    { t: 23, statement: { subject: 'level', action: 'begin' } },
  ]);
});

test('freedoom: a rise that the displayed message cannot explain is not its item', async () => {
  const rises: readonly CueTuple[] = [
    ...bar,
    [2, 'message', 'found', 'PICKED UP AN AMMO CLIP.'],
    [2, 'bullets', 'changed', 60, 50],
    [4, 'bullets', 'changed', 70, 60],
    [6, 'bullets', 'changed', 120, 70],
  ];
  const clip = { subject: 'player', action: 'obtain', object: 'freedoom:clip' };
  expect((await runScript('freedoom', rises)).filter(({ statement }) => 'action' in statement)).toEqual([
    { t: 2, statement: clip },
    { t: 4, statement: clip },
  ]);
});

/** A shot: the big figure and its row fall together. */
const fired = (t: number, from: number): CueTuple[] => [
  [t, 'ammunition', 'changed', from - 1, from],
  [t, 'bullets', 'changed', from - 1, from],
];

test('freedoom: a weapon that is fired immediately is in hand from its first number on', async () => {
  const shots = Array.from({ length: 12 }, (_, k) => fired(5.1 + k / 10, 145 - k)).flat();
  const chaingun: readonly CueTuple[] = [
    ...bar.filter(([, detector]) => !['ammunition', 'bullets', 'shells'].includes(detector)),
    [0, 'ammunition', 'found', 36],
    [0, 'bullets', 'found', 125],
    [0, 'shells', 'found', 36],
    [4.5, 'message', 'found', 'YOU GOT THE MINIGUN!'],
    [4.5, 'bullets', 'changed', 145, 125],
    [5, 'ammunition', 'changed', 145, 36],
    ...shots,
  ];
  const events = await runScript('freedoom', chaingun);
  expect(events.filter(({ statement }) => !('property' in statement) || statement.property === 'weapon')).toEqual([
    { t: 4.5, statement: { subject: 'player', action: 'obtain', object: 'chaingun' } },
    { t: 5, statement: weapon('shotgun', 'chaingun') },
  ]);
  expect(events.filter(({ statement }) => 'property' in statement && statement.property === 'ammunition')).toHaveLength(
    12,
  );
});

test('freedoom: in a deathmatch weapons are reported in the next life too, except the initial ones', async () => {
  const cues: readonly CueTuple[] = [
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
  const weapons = (await runScript('freedoom', cues)).filter(
    ({ statement }) => 'property' in statement && statement.property === 'weapon',
  );
  expect(weapons).toMatchObject([{ t: 9, statement: { from: { word: 'gun' }, to: { word: 'shotgun' } } }]);
});

test('freedoom: after the bar was hidden, other numbers mean another level, except after a help screen', async () => {
  const away = async (...cues: readonly CueTuple[]): Promise<unknown[]> =>
    runScript('freedoom', [...wholeBar(0, 'found'), [0, 'health', 'found', 85, undefined, true], ...cues]);
  const warp: readonly CueTuple[] = [
    ...wholeBar(5, 'lost'),
    [5.2, 'health', 'changed', 5, 85],
    [6.2, 'health', 'changed', 100, 5],
  ];
  expect(await away(...warp, ...wholeBar(6.2, 'found'), [9, 'health', 'changed', 90, 100])).toEqual([
    { t: 6.2, statement: { subject: 'level', action: 'begin' } },
    { t: 9, statement: { subject: 'player', property: 'health', from: 100, to: 90 } },
  ]);
  expect(await away(...wholeBar(5, 'lost'), ...wholeBar(7, 'found'))).toEqual([]);
  // Another screen was shown in between: changes behind it are not reported, and it is not another level.
  const covered: readonly CueTuple[] = [
    ...wholeBar(5, 'lost'),
    [9, 'health', 'changed', 76, 85],
    ...wholeBar(9, 'found'),
  ];
  expect(await away(...covered, [12, 'health', 'changed', 70, 76])).toEqual([
    { t: 12, statement: { subject: 'player', property: 'health', from: 76, to: 70 } },
  ]);
});

test('freedoom: without a status bar numbers over the scene and lines of text give the same events', async () => {
  for (const layout of ['bare', 'text']) {
    const [mark, value] = layout === 'bare' ? ['bare percent', '%'] : ['text label', 'HEL'];
    const name = (element: string): string => `${layout} ${element}`;
    const rows = ['bullets', 'shells', 'rockets', 'cells'].map(
      (row, i): CueTuple => [1, name(row), 'found', [50, 0, 0, 0][i]],
    );
    const events = await runScript('freedoom', [
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

test('freedoom: a message over the scene counts without a bar, but not just after the bar disappeared', async () => {
  const clip = 'PICKED UP AN AMMO CLIP.';
  const expected = { t: 9, statement: { subject: 'player', action: 'obtain', object: 'freedoom:clip' } };
  expect(await runScript('freedoom', [[9, 'bare message', 'found', clip]])).toEqual([expected]);
  const gone = [...wholeBar(0, 'found'), ...wholeBar(8.5, 'lost')];
  expect(await runScript('freedoom', [...gone, [9, 'bare message', 'found', clip]])).toEqual([]);
});

const healthAt = (t: number, value: number, previous: number): CueTuple => [t, 'health', 'changed', value, previous];

test('freedoom: health that returns to its value within a quarter of a second was misread, except after a bonus', async () => {
  const start: CueTuple[] = [...wholeBar(0, 'found'), [0, 'health', 'found', 36]];
  expect(await runScript('freedoom', [...start, healthAt(5, 86, 36), healthAt(5.1, 36, 86)])).toEqual([]);
  expect(await runScript('freedoom', [...start, healthAt(5, 37, 36), healthAt(5.1, 36, 37)])).toHaveLength(2);
  expect(await runScript('freedoom', [...start, healthAt(5, 86, 36), healthAt(5.4, 36, 86)])).toHaveLength(2);
});

test('freedoom: a zero read in one sample is not a death', async () => {
  const start: CueTuple[] = [...wholeBar(0, 'found'), [0, 'health', 'found', 100]];
  expect(await runScript('freedoom', [...start, healthAt(5, 0, 100), healthAt(5.1, 100, 0)])).toEqual([]);
  const actions = (await runScript('freedoom', [...start, healthAt(5, 0, 100), healthAt(5.6, 100, 0)])).map(
    (one) => one.statement,
  );
  expect(actions).toMatchObject([{ action: 'die' }, { property: 'health', to: 0 }, { action: 'respawn' }]);
});

const share = (property: string, value: number) => ({ subject: 'player', property: `freedoom:${property}`, to: value });

test('freedoom: the tally reports the shares of kills, items and secrets', async () => {
  const events = await runScript('freedoom', [
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

test('freedoom: the screens between levels name the completed level and the next', async () => {
  const actions = await runScript('freedoom', [
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

test('freedoom: where the ammunition table is hidden, a weapon switch is distinguished from shots and pickups by the step size', async () => {
  const events = await runScript('freedoom', [
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
    events.flatMap(({ t, statement }) => ('property' in statement ? [[t, statement.from, statement.to]] : [])),
  ).toEqual([
    [2, 50, 49],
    [10, 12, 16],
  ]);
});

test('freedoom: an item obtained again under its own message is detected by the next rise, however soon', async () => {
  const bonus = 'GOT A 1% HEALTH BONUS.';
  const events = await runScript('freedoom', [
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
  expect(actionsOf(events, ['obtain'])).toEqual([
    [5, 'player', 'obtain', 'health bonus'],
    [5.2, 'player', 'obtain', 'health bonus'],
    [6.1, 'player', 'obtain', 'stimpack'],
  ]);
});

test('freedoom: a rise before the message was another item if something rises with the message', async () => {
  // The message of a clip is immediately replaced by that of the weapon next to it.
  const events = await runScript('freedoom', [
    ...bar,
    [5, 'bullets', 'changed', 60, 50],
    [5.1, 'message', 'found', 'YOU GOT THE MINIGUN!'],
    [5.1, 'bullets', 'changed', 80, 60],
  ]);
  expect(actionsOf(events, ['obtain'])).toEqual([[5.1, 'player', 'obtain', 'chaingun']]);
});

test('freedoom: a secret is found once while its message is displayed', async () => {
  const words: readonly CueTuple[] = [
    [5, 'secret', 'found', 'SECRET'],
    [7, 'secret', 'lost', undefined, 'SECRET'],
  ];
  expect(actionsOf(await runScript('freedoom', words), ['find'])).toEqual([[5, 'player', 'find', 'secret']]);
});
