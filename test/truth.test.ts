import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type DoomRow, doomSeries, doomStatements } from './truth/doom.ts';
import { type PlayerRow, arenaSeries, arenaStatements, killStatement } from './truth/openarena.ts';
import { reduceSeries } from './truth/series.ts';
import { MEANS, PICK_UPS, deathStatement, doomMessage } from './truth/words.ts';
import { loadBuiltin } from '../src/dictionary/files.ts';
import { render } from '../src/dictionary/sentences/render.ts';
import { validateStatement } from '../src/dictionary/statements.ts';
import { gridTimes, loadTruth } from './truth/truth.ts';

const row = (t: number, change: Partial<DoomRow>): DoomRow => ({
  t,
  hud: true,
  health: 100,
  armor: 0,
  ammo: 50,
  ammo_table: [50, 0, 0, 0],
  message: '',
  palette: 0,
  ...change,
});

const shells = (n: number) => ({ ammo: n, ammo_table: [50, n, 0, 0] });

test('taking another weapon in hand is no change of ammunition, firing it is', () => {
  const rows = [row(0, {}), row(1, { ammo: 50, ammo_table: [50, 12, 0, 0] }), row(2, shells(12)), row(3, shells(11))];
  expect(doomStatements(doomSeries(rows))).toEqual([
    { t: 3, statement: { subject: 'player', property: 'ammunition', from: 12, to: 11 } },
  ]);
});

test('of two weapons with the same ammunition, the one that was fired was in hand', () => {
  const rows = [row(0, { ammo_table: [50, 50, 0, 0] }), row(2, { ammo: 49, ammo_table: [50, 49, 0, 0] })];
  expect(doomStatements(doomSeries(rows))).toEqual([
    { t: 2, statement: { subject: 'player', property: 'ammunition', from: 50, to: 49 } },
  ]);
});

test('a new life after death is a respawn and no change of health or armour', () => {
  const rows = [row(0, { health: 20, armor: 7 }), row(1, { health: 0, armor: 7 }), row(3, { health: 100, armor: 0 })];
  expect(doomStatements(doomSeries(rows)).map((line) => line.statement)).toEqual([
    { subject: 'player', property: 'health', from: 20, to: 0 },
    { subject: 'player', action: 'die' },
    { subject: 'player', action: 'respawn' },
  ]);
});

test('a number that rises again under an unchanged message is a repeated pickup', () => {
  const message = 'PICKED UP AN AMMO CLIP.';
  const clip = (n: number) => ({ ammo: n, ammo_table: [n, 0, 0, 0], message });
  const obtain = { subject: 'player', action: 'obtain', object: 'freedoom:clip' };
  const lines = doomStatements(doomSeries([row(0, {}), row(1, clip(60)), row(2, clip(70))]));
  expect(lines.filter((line) => 'action' in line.statement)).toEqual([
    { t: 1, statement: obtain },
    { t: 2, statement: obtain, repeat: true },
  ]);
});

test('reduction keeps values shown for the required number of samples, with the time of the first', () => {
  const series = [
    { t: 0, value: 5 },
    { t: 0.11, value: 6 },
    { t: 0.19, value: 7 },
    { t: 0.35, value: 8 },
  ];
  const times = [0, 0.1, 0.2, 0.3, 0.4, 0.5];
  expect(reduceSeries(series, times, { samples: 2 })).toEqual([
    { t: 0, value: 5 },
    { t: 0.2, value: 7 },
    { t: 0.4, value: 8 },
  ]);
});

test('samples are the frames nearest the ticks, eligible ones first, the earlier on a tie', () => {
  // 35 fps: ticks 0, 0.1 = frame 3.5 (tie: 3), 0.2 = frame 7, 0.3 = frame 10.5 (tie: 10)
  expect(gridTimes(35, 12, 0.1).map((t) => Math.round(t * 35))).toEqual([0, 3, 7, 10]);
  // Only even frames eligible: 0.1 takes 4 (distance 0.5), 0.2 takes 6 (tie with 8), 0.3 takes 10.
  expect(gridTimes(35, 12, 0.1, (frame) => frame % 2 === 0).map((t) => Math.round(t * 35))).toEqual([0, 4, 6, 10]);
});

const player = (t: number, change: Partial<PlayerRow>): PlayerRow => ({
  t,
  health: 125,
  dead: false,
  armor: 0,
  weapon: 'machinegun',
  ammo: 100,
  score: 3,
  ...change,
});

test('OpenArena: no figures while dead, a new life is a respawn, another weapon no change of ammunition', () => {
  const rows = [
    player(0, {}),
    player(1, { weapon: 'rocket launcher', ammo: 10 }),
    player(2, { weapon: 'rocket launcher', ammo: 9 }),
    player(3, { dead: true, health: 0, weapon: 'none', ammo: 0, score: 2 }),
    player(5, { score: 2 }),
  ];
  expect(arenaStatements(arenaSeries(rows))).toEqual([
    {
      t: 1,
      statement: {
        subject: 'player',
        property: 'weapon',
        from: { word: 'machine gun' },
        to: { word: 'rocket launcher' },
      },
    },
    { t: 2, statement: { subject: 'player', property: 'ammunition', from: 10, to: 9 } },
    { t: 3, statement: { subject: 'player', property: 'score', from: 3, to: 2 } },
    { t: 5, statement: { subject: 'player', action: 'respawn' } },
  ]);
});

test('OpenArena: kills name the followed player as player and others as opponents; suicides are deaths', () => {
  const kill = {
    t: 1,
    killer: 'Gargoyle',
    victim: 'Grunt',
    means: 'MOD_RAILGUN',
    feed_text: 'Grunt was railed by Gargoyle',
  };
  expect(killStatement(kill, 'Grunt')).toEqual({
    subject: { word: 'opponent', name: 'Gargoyle' },
    action: 'kill',
    object: 'player',
    with: 'railgun',
  });
  const alone = { ...kill, killer: 'Sarge', victim: 'Sarge', means: 'MOD_SUICIDE', feed_text: 'Sarge suicides' };
  expect(killStatement(alone, 'Grunt')).toEqual({
    subject: { word: 'opponent', name: 'Sarge' },
    action: 'kill oneself',
  });
  const lava = { ...kill, killer: '<world>', means: 'MOD_LAVA', feed_text: 'Grunt does a back flip into the lava' };
  expect(killStatement(lava, 'Grunt')).toEqual({ subject: 'player', action: 'die', at: 'lava' });
});

test('the clip in test/footage: 15 changes of health and 14 messages until the death at 39.8 s', async () => {
  const folder = new URL('footage/', import.meta.url).pathname;
  const truth = await loadTruth(`${folder}freedoom-demo1.truth.json`);
  const count = (word: string) =>
    truth.raw.filter(({ statement, repeat }) => !repeat && Object.values(statement).includes(word)).length;
  // The counts that the recording's notes give; the death is one frame earlier than theirs (the melt took one frame less).
  expect([count('health'), count('obtain'), count('die')]).toEqual([15, 14, 1]);
  expect(truth.raw.find(({ statement }) => 'action' in statement && statement.action === 'die')?.t).toBeCloseTo(
    1393 / 35,
    4,
  );
  const lines = (await readFile(`${folder}freedoom-demo1.truth.ndjson`, 'utf8')).trim().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual(truth.raw);
});

test('every statement of the ground truth uses words of the dictionaries', async () => {
  const { dictionary } = await loadBuiltin(['freedoom', 'openarena']);
  const said = [
    ...Object.keys(PICK_UPS).map((message) => doomMessage(message)),
    doomMessage('THIS DOOR REQUIRES THE BLUE PASSCARD.'),
    doomMessage('THIS OBJECT REQUIRES A RED KEY.'),
    { subject: 'player', action: 'find', object: 'secret' },
    ...Object.keys(MEANS).flatMap((means) => [
      deathStatement(means, 'player', { word: 'opponent', name: 'Sarge' }),
      deathStatement(means, 'player', undefined),
    ]),
  ];
  expect(said.flatMap((statement) => validateStatement(statement, dictionary))).toEqual([]);
  expect(render(deathStatement('MOD_LAVA', 'player', undefined), dictionary)).toMatch(/^player dies .*lava$/);
});
