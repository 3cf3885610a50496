import { expect, it } from 'vitest';
import { groupElements, groupMessages } from './elements.ts';
import type { Sighting, Survey } from './survey.ts';

const FRAME = { width: 1280, height: 720 };

function surveyOf(
  lines: readonly (readonly [frame: number, x: number, y: number, width: number, height: number])[],
): Omit<Survey, 'steady'> {
  const sightings = lines.map(
    ([frame, x, y, width, height]): Sighting => ({ recording: 0, t: 2 * frame, frame, x, y, width, height }),
  );
  return { sightings, frames: Array.from({ length: 20 }, (_, frame) => ({ recording: 0, t: 2 * frame })) };
}

const frames = Array.from({ length: 20 }, (_, frame) => frame);

it('finds lines that stay, with the edge that they keep', () => {
  const elements = groupElements(
    surveyOf([
      // Grows to the left, as a score does that ends at the right edge.
      ...frames.map(
        (frame) => [frame, 1200 - 10 * Math.floor(frame / 5), 20, 60 + 10 * Math.floor(frame / 5), 30] as const,
      ),
      // A sign in the scene that moves with the camera.
      ...frames.map((frame) => [frame, 300 + 30 * frame, 400 - 9 * frame, 120, 30] as const),
    ]),
    FRAME,
  );
  expect(elements).toHaveLength(1);
  expect(elements[0]).toMatchObject({ align: 'right', presence: 1, rect: { x: 1170, y: 20, width: 90, height: 30 } });
});

it('finds where messages appear', () => {
  const survey = surveyOf([
    ...frames.map((frame) => [frame, 20, 20, 100, 30] as const),
    [3, 540, 200, 200, 40],
    [4, 540, 200, 200, 40],
    [9, 590, 201, 100, 40],
    [15, 440, 200, 400, 40],
    // Text in the scene, each at another place.
    [6, 100, 500, 90, 25],
    [12, 700, 610, 60, 30],
  ]);
  const lasting = groupElements(survey, FRAME);
  const messages = [...lasting, ...groupMessages(survey, lasting, FRAME)].filter((one) => one.comesAndGoes);
  expect(messages).toHaveLength(1);
  const { align, rect } = messages[0]!;
  expect(align).toBe('centre');
  expect(rect.x).toBeLessThanOrEqual(440);
  expect(rect.x + rect.width).toBeGreaterThanOrEqual(840);
});
