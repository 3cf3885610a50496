import { expect, it } from 'vitest';
import { findFeedAreas, readFeed } from './feeds.ts';
import type { FollowedSample } from './follow.ts';

const line = { blank: new Float64Array(0), candidates: [] };
const AREA = { x: 1000, y: 60, width: 260, height: 80 };

/** Samples half a second apart with these rows. */
function samplesOf(rows: readonly (readonly string[])[]): FollowedSample[] {
  return rows.map((texts, i) => ({
    recording: 0,
    t: i / 2,
    line,
    reading: undefined,
    rows: texts.map((text, n) => ({
      rect: { x: 0, y: 24 * n, width: 200, height: 20 },
      parts: text.split(' > ').map((part) => ({ text: part, confidence: 0.95 })),
    })),
  }));
}

const [one, two, three] = ['Arlo > Sable', 'Razor > Orla', 'Sable > Razor'];
const kills = [[], [one], [one], [two, one], [two, one], [two], [], [], [], [], [three], [three], [three], [], [], []];

it('reads rows with two names as a feed of kills', () => {
  const feed = readFeed(AREA, samplesOf(kills));
  expect(feed?.examples).toEqual([
    { recording: 0, t: 0.5, text: one },
    { recording: 0, t: 1.5, text: two },
    { recording: 0, t: 5, text: three },
  ]);
});

it('reads two rows with four names as a feed where nothing else is shown there', () => {
  const four = 'Umbra > Kestrel';
  const rows = kills.map((own) => own.filter((row) => row === one));
  const both = [...rows, [], [], [four], [four], [four], []];
  expect(readFeed(AREA, samplesOf(both))?.examples.map(({ text }) => text)).toEqual([one, four]);
  // A name in both rows may be that of one person in two lines.
  const again = both.map((own) => own.map((row) => row.replace('Kestrel', 'Arlo')));
  expect(readFeed(AREA, samplesOf(again))).toBeUndefined();
  expect(readFeed(AREA, samplesOf([...both, ['Press any key'], ['Press any key']]))).toBeUndefined();
});

it('leaves figures above a feed out of it', () => {
  const samples = samplesOf(kills.map((rows, i) => [`${3 + Math.floor(i / 6)} > 5 > 8`, ...rows]));
  const feed = readFeed(AREA, samples);
  expect(feed?.examples.map(({ text }) => text)).toEqual([one, two, three]);
  // The first row with a name begins 24 pixels below the figures.
  expect(feed!.rect.y).toBe(AREA.y + 24);
});

it('reads no feed in figures that stay, nor in messages', () => {
  expect(readFeed(AREA, samplesOf(kills.map(() => ['Gold > 120', 'Wood > 80'])))).toBeUndefined();
  expect(readFeed(AREA, samplesOf(kills.map((rows) => rows.map((row) => row.replace(' > ', ' ')))))).toBeUndefined();
});

it('reads no feed in a table with a column in which nothing stands', () => {
  const rows = ['N/A > Sable', 'N/A > Hellfire', 'N/A > Delirium'];
  const table = kills.map((_, i) => (i % 5 < 2 ? rows.slice(0, 1 + (i % 3)) : []));
  expect(readFeed(AREA, samplesOf(table))).toBeUndefined();
});

it('reads a chat whose first line stays until others push it out', () => {
  const lines = [
    'Welcome to the server',
    'Ada joined the game',
    'found iron at last',
    'Tibor left the game',
    'nice tower',
  ];
  // A line every two seconds; four are shown.
  const rows = Array.from({ length: 24 }, (_, i) =>
    lines.slice(Math.max(0, Math.floor(i / 4) - 3), Math.floor(i / 4) + 1),
  );
  const chat = readFeed(AREA, samplesOf(rows));
  expect(chat?.type).toBe('message');
  expect(chat?.examples.map(({ text }) => text)).toEqual(lines);
  // Figures that change in their places are no chat.
  const figures = rows.map((_, i) => [
    'Welcome to the server',
    `Health ${90 - i}`,
    `Armor ${20 + i}`,
    'Team Red',
    'Wave 2',
  ]);
  expect(readFeed(AREA, samplesOf(figures))).toBeUndefined();
});

it('finds where rows of different widths end at one edge', () => {
  const sightings = [
    [0, 1100, 70, 150],
    [1, 1040, 70, 210],
    [1, 1100, 96, 150],
    [2, 1040, 70, 210],
    // A line elsewhere.
    [0, 100, 600, 180],
    [1, 100, 600, 180],
    [2, 100, 600, 180],
  ].map(([frame, x, y, width]) => ({
    recording: 0,
    t: 2 * frame!,
    frame: frame!,
    x: x!,
    y: y!,
    width: width!,
    height: 20,
  }));
  const areas = findFeedAreas({ sightings }, { width: 1280, height: 720 });
  expect(areas).toHaveLength(1);
  expect(areas[0]!.rect.x).toBeLessThanOrEqual(1040);
  expect(areas[0]!.rect.y + areas[0]!.rect.height).toBeGreaterThanOrEqual(116);
  // A score bar with the same edge is no row of it.
  const score = [0, 1, 2].map((frame) => ({
    recording: 0,
    t: 2 * frame,
    frame,
    x: 1080,
    y: 44,
    width: 170,
    height: 20,
  }));
  const lasting = [{ rect: score[0]!, align: 'right', presence: 1, comesAndGoes: false, sightings: score }] as const;
  const [area] = findFeedAreas({ sightings: [...sightings, ...score] }, { width: 1280, height: 720 }, lasting);
  expect(area!.rect.y).toBeGreaterThanOrEqual(60);
});

it('takes the names of the top row of a feed, which is seldom empty, for no line that stays', () => {
  // The victims end at one edge; most of them have names of one length.
  const victims = Array.from({ length: 16 }, (_, frame) => ({
    ...rowAt(80, frame, frame % 4 === 0 ? 40 : 68),
    x: 1187,
  }));
  const killers = victims.map((victim, i) => ({
    ...victim,
    x: i % 2 === 0 ? 1056 : 1100,
    width: i % 2 === 0 ? 70 : 40,
  }));
  const lasting = [
    {
      rect: victims[1]!,
      align: 'right',
      presence: 0.8,
      comesAndGoes: false,
      sightings: victims,
    },
  ] as const;
  const [area] = findFeedAreas({ sightings: [...killers, ...victims] }, { width: 1280, height: 720 }, lasting);
  expect(area!.rect.x).toBeLessThanOrEqual(1056);
  expect(area!.rect.x + area!.rect.width).toBeGreaterThanOrEqual(1250);
});

it('reads a log of short rows that come and go, of which few push each other', () => {
  const rows = [['+1 Stone'], ['+2 Wood'], ['+6 Wood', '+2 Wood'], ['+3 Food'], ['+4 Stone'], ['+8 Food']].flatMap(
    (shown) => [[], shown.slice(1), shown, shown],
  );
  const log = readFeed(AREA, samplesOf(rows));
  expect(log?.type).toBe('message');
  expect(log?.examples).toHaveLength(6);
  // Rows of one height each, none of which moved, may be two figures.
  expect(readFeed(AREA, samplesOf(rows.map((shown) => shown.slice(0, 1).filter((row) => row !== '+2 Wood'))))).toBe(
    undefined,
  );
});

/** A row that ends at the right edge of a log. */
function rowAt(y: number, frame: number, width: number) {
  return {
    recording: 0,
    t: 2 * frame,
    frame,
    x: 1264 - width,
    y,
    width,
    height: 22,
  };
}

it('finds an area of short rows only where they stand at several heights', () => {
  const row = [rowAt(305, 0, 67), rowAt(305, 1, 79), rowAt(305, 2, 71), rowAt(305, 3, 76)];
  expect(findFeedAreas({ sightings: row }, { width: 1280, height: 720 })).toEqual([]);
  const [area] = findFeedAreas({ sightings: [...row, rowAt(332, 3, 67)] }, { width: 1280, height: 720 });
  expect(area!.rect.y + area!.rect.height).toBeGreaterThanOrEqual(354);
});
