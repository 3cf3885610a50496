import { expect, it } from 'vitest';
import { findCaptions, findConstantValues, findSides, findTable } from './names.ts';

const box = (x: number, y: number, width: number) => ({ x, y, width, height: 20 });

it('gives a label to the figure that is nearest to it', () => {
  // LIONS 13 | 9 RAVENS, and a clock after it.
  const [home, away, clock] = [box(100, 10, 24), box(140, 10, 14), box(250, 10, 60)];
  const labels = [
    { rect: box(30, 10, 62), text: 'LIONS' },
    { rect: box(158, 10, 80), text: 'RAVENS' },
  ];
  const captions = findCaptions([home, away, clock], labels);
  expect([home, away, clock].map((one) => captions.get(one)?.text)).toEqual(['LIONS', 'RAVENS', undefined]);
});

it('takes a label above or below, but none from elsewhere', () => {
  const [figure, other] = [box(100, 40, 30), box(400, 300, 30)];
  const captions = findCaptions([figure, other], [{ rect: box(95, 18, 50), text: 'Gold' }]);
  expect(captions.get(figure)?.text).toBe('Gold');
  expect(captions.has(other)).toBe(false);
});

it('takes a label with a colon for what comes after it', () => {
  // Enemies: 0 Friends: 4
  const [enemies, friends] = [box(100, 10, 12), box(200, 10, 12)];
  const labels = [
    { rect: box(20, 10, 74), text: 'Enemies:' },
    { rect: box(118, 10, 76), text: 'Friends:' },
  ];
  const captions = findCaptions([enemies, friends], labels);
  expect([enemies, friends].map((one) => captions.get(one)?.text)).toEqual(['Enemies:', 'Friends:']);
  expect(findCaptions([enemies], labels.slice(1)).size).toBe(0);
});

it('knows a constant value from its caption', () => {
  // World 1-3, and a version in a corner.
  const [world, level, version] = [
    { rect: box(400, 10, 60), text: 'World' },
    { rect: box(405, 34, 40), text: '1-3' },
    { rect: box(10, 400, 40), text: '0.9.2' },
  ];
  expect([...findConstantValues([world, level, version])]).toEqual([level]);
});

it('takes no banner below a score for its caption', () => {
  const score = { x: 600, y: 10, width: 24, height: 28 };
  const banner = { x: 110, y: 45, width: 576, height: 100 };
  expect(findCaptions([score], [{ rect: banner, text: 'HALF TIME' }]).size).toBe(0);
});

it('divides a row of captions that was found as one line among the figures below it', () => {
  const figures = [box(1139, 45, 31), box(1186, 45, 35), box(1232, 45, 31)];
  const captions = findCaptions(figures, [{ rect: box(1130, 21, 135), text: 'Wood Stone Food' }]);
  expect(figures.map((one) => captions.get(one)?.text)).toEqual(['Wood', 'Stone', 'Food']);
  // Two words over one figure are its caption.
  const [laps] = [box(40, 60, 60)];
  expect(findCaptions([laps], [{ rect: box(30, 38, 80), text: 'Best lap' }]).get(laps)?.text).toBe('Best lap');
});

it('names the cells of a table by the captions of its rows and columns', () => {
  const [ada, bo] = [
    { rect: box(10, 60, 62), text: 'Player 1' },
    { rect: box(10, 90, 60), text: 'Player 2' },
  ];
  const total = { rect: box(130, 34, 40), text: 'Total' };
  const cells = [box(78, 62, 9), box(131, 62, 9), box(78, 92, 9), box(131, 92, 9)];
  const clock = box(600, 61, 60);
  const { names, rowHeads } = findTable([...cells, clock], [ada, bo, total]);
  expect(cells.map((cell) => names.get(cell))).toEqual(['Player 1', 'Player 1 Total', 'Player 2', 'Player 2 Total']);
  expect(names.has(clock)).toBe(false);
  expect([...rowHeads]).toEqual([ada, bo]);
});

it('takes one caption next to two figures for no table', () => {
  expect(findTable([box(78, 62, 9), box(110, 62, 60)], [{ rect: box(10, 60, 62), text: 'Lap 1' }]).rowHeads.size).toBe(
    0,
  );
});

/** Texts below the bars of a fighting game, and one elsewhere. */
function texts(left: string, right: string) {
  return [
    { rect: box(124, 64, 74), text: left },
    { rect: box(975, 64, 84), text: right },
    { rect: box(124, 400, 74), text: 'STAGE' },
  ];
}

it('takes different texts at mirrored gauges for the names of two sides', () => {
  const bars = [
    { x: 124, y: 22, width: 470, height: 29 },
    { x: 686, y: 22, width: 470, height: 29 },
  ];
  const frame = { width: 1280, height: 720 };
  expect([...findSides(texts('MEI LIN', 'AURORA'), bars, frame)].map(({ text }) => text)).toEqual([
    'MEI LIN',
    'AURORA',
  ]);
  expect(findSides(texts('HP', 'HP'), bars, frame).size).toBe(0);
  expect(findSides(texts('HEALTH', 'MANA'), [bars[0]!, { ...bars[1]!, x: 560 }], frame).size).toBe(0);
});
