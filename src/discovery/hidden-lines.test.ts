import { expect, it } from 'vitest';
import { groupElements } from './elements.ts';
import { hiddenLines, screenTitles } from './hidden-lines.ts';

const FRAME = { width: 1280, height: 720 };

/** A line in a surveyed frame. */
function line(frame: number, x: number, y: number, width: number) {
  return { recording: 0, t: 2 * frame, frame, x, y, width, height: 28 };
}

it('finds the line that is shown while the HUD is hidden, and no table', () => {
  const frames = Array.from({ length: 20 }, (_, frame) => ({ recording: 0, t: 2 * frame }));
  const hud = frames.flatMap((_, frame) =>
    frame === 7 || frame === 12 ? [] : [20, 600, 1100].map((x) => line(frame, x, 20, 90)),
  );
  // A message after a death, a table of scores, and a sign in the scene.
  const message = line(7, 520, 480, 240);
  const table = [200, 240, 280, 320].map((y) => line(12, 500, y, 120));
  const sightings = [...hud, message, ...table, line(3, 300, 300, 80)];
  const elements = groupElements({ sightings, frames }, FRAME);
  expect(elements).toHaveLength(3);
  expect(hiddenLines({ sightings, frames }, elements)).toEqual([[message]]);
});

/** Lines of a menu, and its title. */
function entries(frame: number) {
  return [200, 240, 280, 320, 360].map((y) => line(frame, 500, y, 120));
}

function title(frame: number) {
  return { ...line(frame, 480, 100, 160), height: 40 };
}

it('finds the title of a screen, and none among lines of one height', () => {
  const frames = Array.from({ length: 20 }, (_, frame) => ({ recording: 0, t: 2 * frame }));
  const sightings = [...entries(4), title(4), ...entries(5), title(5), ...entries(12)];
  expect(screenTitles({ sightings, frames }, [])).toEqual([[{ ...title(4), isTitle: true }]]);
});
