import { expect, it } from 'vitest';
import {
  cutSightings,
  groupElements,
  groupMessages,
  mergeMessages,
  separateNeighbors,
  uncutElements,
  withoutMessages,
} from './elements.ts';
import type { Sighting, Survey } from './survey.ts';

const FRAME = { width: 1280, height: 720 };

function surveyOf(
  lines: readonly (readonly [frame: number, x: number, y: number, width: number, height: number])[],
): Pick<Survey, 'sightings' | 'appeared' | 'frames'> {
  const sightings = lines.map(
    ([frame, x, y, width, height]): Sighting => ({ recording: 0, t: 2 * frame, frame, x, y, width, height }),
  );
  return {
    sightings,
    appeared: [],
    frames: Array.from({ length: 20 }, (_, frame) => ({ recording: 0, t: 2 * frame })),
  };
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

it('takes no row of a score table for a message', () => {
  const message = [
    [3, 540, 200, 200, 40],
    [9, 590, 201, 100, 40],
  ] as const;
  // A table with two columns, which is looked at twice.
  const table = [6, 15].flatMap((frame) =>
    Array.from({ length: 16 }, (_, i) => [frame, 480 + 200 * (i % 2), 180 + 30 * Math.floor(i / 2), 90, 22] as const),
  );
  const messages = groupMessages(surveyOf([...message, ...table]), [], FRAME);
  expect(messages.map(({ rect }) => Math.round(rect.y + rect.height / 2))).toEqual([221]);
});

/** A place with its margin. */
const place = (x: number, width: number) => ({ x, y: 20, width, height: 26 });

it('cuts a score bar where what stays has gaps', () => {
  const [line] = surveyOf([[0, 100, 20, 300, 30]]).sightings;
  const cut = cutSightings([line!], [place(105, 80), place(200, 20), place(300, 90)]);
  expect(cut).toHaveLength(3);
  expect(cut[0]!.x + cut[0]!.width).toBeGreaterThan(182);
  expect(cut[1]!.x).toBeLessThan(204);
  expect(cut[2]!.x + cut[2]!.width).toBe(400);
  // Words of a caption are as near as a space.
  expect(cutSightings([line!], [place(105, 140), place(243, 140)])).toHaveLength(1);
});

it('keeps a cut line as it was, but no line that was not cut', () => {
  const survey = surveyOf([
    ...frames.map((frame) => [frame, 40, 20, 160, 30] as const),
    ...frames.map((frame) => [frame, 900, 20, 120, 30] as const),
  ]);
  const cut = cutSightings(survey.sightings, [place(44, 60), place(130, 66)]);
  const whole = uncutElements(groupElements(survey, FRAME), groupElements({ ...survey, sightings: cut }, FRAME));
  expect(whole.map(({ rect: { x, width }, isWhole }) => [x, width, isWhole])).toEqual([[40, 160, true]]);
});

it('keeps the place of a large single character that is seldom found', () => {
  const gear = [3, 11].map((frame) => [frame, 840, 420, 30, 45] as const);
  const word = [3, 11].map((frame) => [frame, 300, 420, 120, 45] as const);
  const elements = groupElements(surveyOf([...gear, ...word]), FRAME);
  expect(elements.map(({ rect, character }) => [rect.x, character])).toEqual([[840, 'seldom']]);
});

it('separates a score from the clock next to it where both usually end', () => {
  // The score was once found with the first digit of the clock.
  const lines = frames.flatMap((frame) => [
    [frame, 568, 20, frame % 12 === 0 ? 52 : 26, 30] as const,
    [frame, 606, 20, 68, 30] as const,
  ]);
  const found = groupElements(surveyOf(lines), FRAME);
  const [score, clock] = separateNeighbors(found).toSorted((a, b) => a.rect.x - b.rect.x);
  expect(Math.max(...found.map(({ rect }) => rect.x + rect.width))).toBe(674);
  expect(score!.rect.x + score!.rect.width).toBe(600);
  expect(clock!.rect).toMatchObject({ x: 606, width: 68 });
});

const message = (frame: number, width: number) => [frame, 640 - width / 2, 170, width, 44] as const;

it('takes lines of several widths that appear for messages, even if one is there in a third of the frames', () => {
  const survey = surveyOf([
    ...frames.map((frame) => [frame, 20, 20, 100, 30] as const),
    ...[2, 3, 4, 9].map((frame) => message(frame, 200)),
    ...[12, 13, 17, 18].map((frame) => message(frame, 420)),
  ]);
  const appeared = survey.sightings.filter(({ y, t }) => y === 170 && [4, 18, 24].includes(t));
  const seen = groupElements(survey, FRAME);
  expect(seen.map(({ comesAndGoes }) => comesAndGoes)).toEqual([false, false]);
  const lasting = withoutMessages(seen, { appeared });
  expect(lasting.map(({ rect }) => rect.x)).toEqual([20]);
  // Where no line was seen to appear it stays what it is.
  expect(withoutMessages(seen, { appeared: [] })).toEqual(seen);
  const [area] = groupMessages({ ...survey, appeared }, lasting, FRAME);
  expect(area).toMatchObject({ align: 'centre', comesAndGoes: true });
  expect(area!.rect.x).toBeLessThanOrEqual(430);
});

it('makes one area of messages whose words were found apart', () => {
  // The text finder sees the words of a wide font as two lines.
  const words = [4, 5, 13].flatMap((frame) => [
    [frame, 440, 180, 290, 32] as const,
    [frame, 745, 180, 95, 30] as const,
  ]);
  const survey = surveyOf([...frames.map((frame) => [frame, 20, 20, 100, 30] as const), ...words]);
  const areas = groupMessages(survey, withoutMessages(groupElements(survey, FRAME), survey), FRAME);
  expect(areas).toHaveLength(1);
  expect(areas[0]!.rect.x).toBeLessThanOrEqual(440);
  expect(areas[0]!.rect.x + areas[0]!.rect.width).toBeGreaterThanOrEqual(840);
});

it('counts centred messages of different widths in neighbouring frames as two', () => {
  const [other, same] = [120, 160].map((width) =>
    groupMessages(surveyOf([message(13, width), message(14, 170)]), [], FRAME),
  );
  expect(other).toHaveLength(1);
  expect(same).toHaveLength(0);
});

it('makes an area of messages no higher for a line that was once found too high', () => {
  const survey = surveyOf([
    [2, 540, 290, 200, 66],
    [9, 570, 292, 140, 64],
    // With something below it.
    [15, 550, 286, 180, 120],
  ]);
  const areas = mergeMessages(groupMessages({ ...survey, appeared: survey.sightings }, [], FRAME));
  expect(areas).toHaveLength(1);
  expect(areas[0]!.rect.height).toBeLessThan(75);
});
