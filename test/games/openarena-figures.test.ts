import { expect, test } from 'vitest';
import { line, standing } from '../fixtures/openarena/cues.ts';
import { type CueTuple, runScript } from '../fixtures/scripts.ts';

/** The table of scores is heldUntil for two seconds. */
const heldUntil = (after: number): CueTuple[] => [
  ...standing,
  [3, 'health', 'lost', undefined, 60],
  [5, 'health', 'found', after],
];

/** The first figure of ammunition comes at t. */
const drawn = (t: number): CueTuple[] => [
  ...standing,
  [t, 'ammunition', 'found', 100],
  [t, 'weapon', 'found', 'machine gun'],
];

test('openarena: the initial weapon of a match is not a switch', async () => {
  const restart: readonly CueTuple[] = [
    [1, 'weapon', 'found', 'railgun'],
    [2, 'weapon', 'lost', undefined, 'railgun'],
    [5, 'feed', 'found', line('enter')],
    [5.2, 'first score', 'changed', 0, 3],
    [5.2, 'own score', 'changed', 0, 2],
    [5.7, 'weapon', 'found', 'machine gun'],
    [9, 'weapon', 'changed', 'shotgun', 'machine gun'],
  ];
  const events = await runScript('openarena', [...standing, ...restart]);
  expect(events.filter(({ statement }) => 'property' in statement).map(({ t }) => t)).toEqual([2, 9]);
});

test('openarena: numbers that reappear mean a new life after a death, not after a menu', async () => {
  const menu: readonly CueTuple[] = [
    ...standing,
    [3, 'health', 'lost', undefined, 60],
    [3, 'first score', 'lost', undefined, 3],
    [3, 'own score', 'lost', undefined, 2],
    [6, 'health', 'found', 60],
    [6, 'first score', 'found', 3],
    [6, 'own score', 'found', 2],
  ];
  expect(await runScript('openarena', menu)).toEqual([]);
  const death: readonly CueTuple[] = [
    ...standing,
    [3, 'feed', 'found', line('kill', { killer: 'Liz', victim: 'Kyonshi' })],
    [3, 'health', 'lost', undefined, 60],
    [5, 'health', 'found', 125],
  ];
  expect(
    (await runScript('openarena', death)).map(({ t, statement }) => [t, 'action' in statement && statement.action]),
  ).toEqual([
    [3, 'kill'],
    [5, 'respawn'],
  ]);
});

test('openarena: numbers hidden by the scoreboard without restored health are not a death', async () => {
  expect(await runScript('openarena', heldUntil(63))).toEqual([]);
  expect(await runScript('openarena', heldUntil(125))).toEqual([
    { t: 5, statement: { subject: 'player', action: 'respawn' } },
  ]);
});

test('openarena: a number that changes and returns immediately was misread', async () => {
  const blink: readonly CueTuple[] = [
    ...standing,
    [4, 'health', 'changed', 1, 60],
    [4.1, 'health', 'changed', 60, 1],
    [8, 'health', 'changed', 50, 60],
  ];
  expect(await runScript('openarena', blink)).toEqual([
    { t: 8, statement: { subject: 'player', property: 'health', from: 60, to: 50 } },
  ]);
});

const shotAndRound = (confidence: number): readonly CueTuple[] => [
  ...standing,
  [0, 'ammunition', 'found', 13],
  [0, 'weapon', 'found', 'rocket launcher'],
  [5, 'ammunition', 'changed', 12, 13, undefined, confidence],
  [5.2, 'ammunition', 'changed', 13, 12, undefined, 0.999],
];

test('openarena: a shot and a simultaneous pickup are reported if both numbers have high confidence', async () => {
  const ammunition = { subject: 'player', property: 'ammunition' };
  expect(await runScript('openarena', shotAndRound(0.999))).toEqual([
    { t: 5, statement: { ...ammunition, from: 13, to: 12 } },
    { t: 5.2, statement: { ...ammunition, from: 12, to: 13 } },
  ]);
  expect(await runScript('openarena', shotAndRound(0.96))).toEqual([]);
});

test('openarena: a shot that restores the number of the previous weapon is a shot', async () => {
  const shot: readonly CueTuple[] = [
    ...standing,
    [0, 'ammunition', 'found', 9],
    [0, 'weapon', 'found', 'railgun'],
    [5, 'ammunition', 'changed', 10, 9],
    [5, 'weapon', 'changed', 'nailgun', 'railgun'],
    [5.2, 'ammunition', 'changed', 9, 10],
  ];
  expect(await runScript('openarena', shot)).toEqual([
    {
      t: 5,
      statement: { subject: 'player', property: 'weapon', from: { word: 'railgun' }, to: { word: 'nailgun' } },
    },
    { t: 5.2, statement: { subject: 'player', property: 'ammunition', from: 10, to: 9 } },
  ]);
});

test('openarena: numbers that appear together soon after the start of the recording mean a new life', async () => {
  const scores: readonly CueTuple[] = [
    [0, 'first score', 'found', 3],
    [0, 'own score', 'found', 2],
  ];
  const both: readonly CueTuple[] = [
    [0.4, 'health', 'found', 125],
    [0.4, 'ammunition', 'found', 100],
  ];
  expect(await runScript('openarena', [...scores, ...both])).toEqual([
    { t: 0.4, statement: { subject: 'player', action: 'respawn' } },
  ]);
  const apart: readonly CueTuple[] = [
    [0, 'ammunition', 'found', 100],
    [0.4, 'health', 'found', 60],
  ];
  expect(await runScript('openarena', [...scores, ...apart])).toEqual([]);
});

test('openarena: a weapon switched soon after a spawn is a switch, the initial one is not', async () => {
  const born: readonly CueTuple[] = [
    ...standing,
    [2, 'weapon', 'found', 'railgun'],
    [3, 'feed', 'found', line('kill', { killer: 'Liz', victim: 'Kyonshi' })],
    [3, 'health', 'lost', undefined, 60],
    [5, 'health', 'found', 125],
    [5, 'ammunition', 'found', 100],
  ];
  const began: CueTuple = [5, 'weapon', 'changed', 'machine gun', 'railgun'];
  const weapons = async (...more: readonly CueTuple[]): Promise<unknown[]> =>
    (await runScript('openarena', [...born, ...more])).filter(({ statement }) => 'property' in statement);
  expect(await weapons(began)).toEqual([]);
  expect(
    await weapons(
      began,
      [5.17, 'ammunition', 'lost', undefined, 100],
      [5.17, 'weapon', 'lost', undefined, 'machine gun'],
    ),
  ).toMatchObject([{ t: 5.17, statement: { from: { word: 'machine gun' }, to: { word: 'gauntlet' } } }]);
});

test('openarena: a recording that begins with the gauntlet in hand reports the first switch', async () => {
  expect(await runScript('openarena', drawn(5.2))).toMatchObject([
    { t: 5.2, statement: { from: { word: 'gauntlet' } } },
  ]);
  expect(await runScript('openarena', drawn(0.5))).toEqual([]);
});

test('openarena: the number of a new weapon is not a change of ammunition, even if the player dies immediately', async () => {
  const died: readonly CueTuple[] = [
    ...standing,
    [0, 'ammunition', 'found', 20],
    [0, 'weapon', 'found', 'nailgun'],
    [26.07, 'ammunition', 'changed', 100, 20],
    [26.13, 'weapon', 'changed', 'lightning gun', 'nailgun'],
    [26.25, 'feed', 'found', line('kill', { killer: 'Rai', victim: 'Kyonshi' })],
    [26.27, 'ammunition', 'lost', undefined, 100],
    [26.27, 'health', 'lost', undefined, 60],
  ];
  expect((await runScript('openarena', died)).map(({ t, statement }) => [t, 'property' in statement])).toEqual([
    [26.13, true],
    [26.25, false],
  ]);
});

test('openarena: a shot just before death is reported, a medal in the scoreboard is not', async () => {
  const died: readonly CueTuple[] = [
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
  expect((await runScript('openarena', died)).map(({ t }) => t)).toEqual([7.47, 7.6]);
});
