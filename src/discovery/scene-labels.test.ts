import { expect, it } from 'vitest';
import type { Rect } from '../geometry.ts';
import { findNameTags, findSceneLabels, type MessagePlace } from './scene-labels.ts';

/** A place at which texts are seen for two seconds each. */
function place(rect: Rect, shown: readonly (readonly [t: number, text: string])[]): MessagePlace {
  const values = shown.flatMap(([from, text]) =>
    [0, 0.5, 1, 1.5].map((t) => ({ recording: 0, t: from + t, text, value: text, confidence: 0.9, shown: text })),
  );
  const behaviour = { resets: false, changes: shown.length, presence: 0.2 };
  return { rect, reading: { type: 'message', values, behaviour, certainty: 0.9 } };
}

/** A constant text. */
function label(rect: Rect, text: string): MessagePlace {
  const { reading } = place(rect, [[0, text]]);
  return { rect, reading: { ...reading, type: 'label', caption: text } };
}

const line = (x: number, y: number, width = 80): Rect => ({ x, y, width, height: 20 });

it('finds the name of a player that floats in the scene, and no message with the name in it', () => {
  const heads = [label(line(8, 600), 'Player 1'), label(line(8, 630), 'Player 2')];
  const tag = place(line(160, 280), [
    [2, 'Player 1'],
    [9, 'Player 2'],
  ]);
  const turn = place(line(2, 700), [[2, 'Player 1’s turn']]);
  const cut = place(line(430, 300, 40), [[6, 'yer 1']]);
  expect([...findNameTags([tag, cut, turn], heads)]).toEqual([tag, cut]);
});

it('finds a name that moves with its player, and no message', () => {
  const names = [place(line(300, 60), [[2, 'Photoshop']]), place(line(326, 95), [[9, 'hotoshop']])];
  const banner = place(line(250, 200, 300), [
    [5, 'Final lap!'],
    [20, 'Finished'],
  ]);
  expect([...findSceneLabels([...names, banner])]).toEqual(names);
});

it('finds labels that appear at once with each new view', () => {
  const views = [10, 24, 37] as const;
  const labels = ['Emacs', 'Gimp', 'TeX', 'Vim'].map((name, i) =>
    place(
      line(50 + 170 * i, 90 + 60 * i),
      views.map((t) => [t, name] as const),
    ),
  );
  const banner = place(line(250, 400, 300), [
    [10, 'Round 1'],
    [17, 'Winner: red'],
    [31, 'Winner: blue'],
  ]);
  expect([...findSceneLabels([...labels, banner])]).toEqual(labels);
});

it('keeps lines of a list, in which a text moves up', () => {
  const rows = [60, 84, 108].map((y, i) => place(line(20, y), [[4 + 3 * i, 'Ada joined']]));
  expect(findSceneLabels(rows).size).toBe(0);
});

it('finds letters of a car that sway in front of the camera, and keeps a message near a caption', () => {
  const labels = [label(line(450, 405), 'Cordo'), label(line(452, 425), 'Martorell'), label(line(450, 480), 'Speed')];
  const swaying = place(line(451, 432), [
    [3, 'Martorell'],
    [9, 'Cordo'],
    [14, 'rtorell'],
  ]);
  const warning = place(line(440, 455, 120), [[6, 'Wrong way']]);
  expect([...findSceneLabels([swaying, warning], labels)]).toEqual([swaying, labels[0], labels[1]]);
});

it('finds a line that moves through a place in which it is cut, and keeps messages with a common beginning', () => {
  const cut = place(line(261, 579, 54), [
    [0, 'stest:'],
    [6, 'astest:'],
    [14, 'Fastest'],
    [22, 'astest'],
  ]);
  const messages = place(line(300, 200, 160), [
    [2, 'Lap 1'],
    [9, 'Lap 12'],
    [15, 'Final lap'],
    [21, 'Final lap record'],
  ]);
  expect([...findSceneLabels([cut, messages])]).toEqual([cut]);
});
