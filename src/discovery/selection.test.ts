import { expect, it } from 'vitest';
import type { Rect } from '../geometry.ts';
import { anyText } from '../recognition/constraint.ts';
import { readLine } from '../recognition/text-recognizer.ts';
import type { TextElement } from './elements.ts';
import type { FollowedSample } from './follow.ts';
import type { Gauge } from './gauges.ts';
import type { FollowedHud, HudPlaces } from './places.ts';
import { identifyHud } from './selection.ts';

const FRAME = { width: 1280, height: 720 };
const halves = Array.from({ length: 40 }, (_, i) => i);

/** Samples half a second apart in which these texts are read. */
function samplesOf(texts: readonly string[], probability = 1): FollowedSample[] {
  return texts.map((text, i) => {
    const steps = Array.from(text, (char) => [[{ char, probability }], []]).flat();
    const line = { candidates: steps, blank: Float64Array.from(steps, ({ length }) => 1 - length) };
    return { recording: 0, t: i / 2, line, reading: readLine(line, anyText()) };
  });
}

interface Shown extends Partial<TextElement> {
  readonly rect: Rect;
  /** What is read there. */
  readonly texts: readonly string[];
}

/** Type, left edge and last value of what is found where these texts are shown. */
async function identify(shown: readonly Shown[], gauges: readonly Gauge[] = []) {
  const elements = shown.map(
    (one): TextElement => ({ align: 'left', presence: 1, comesAndGoes: false, sightings: [], ...one }),
  );
  const places: HudPlaces = {
    elements,
    texts: elements,
    acrossFrames: new Set(),
    gauges,
    outlineRows: [],
    symbolRows: [],
    nextIcons: [],
    feedAreas: [],
    textRows: [],
  };
  const followed: FollowedHud = {
    elements: shown.map(({ texts }) => samplesOf(texts)),
    outlines: new Map(),
    symbols: new Map(),
    nextIcons: [],
    feeds: [],
    textRows: [],
  };
  const found = await identifyHud(places, followed, FRAME);
  return {
    gauges: found.gauges.length,
    texts: found.texts.map(({ element, reading }) => [reading.type, element.rect.x, reading.values.at(-1)?.text]),
  };
}

const ring = (x: number): Gauge => ({
  rect: { x, y: 600, width: 40, height: 40 },
  direction: 'clockwise',
  fill: '#40c0ff',
  radii: [0.7, 1],
  levels: halves.map((i) => ({ recording: 0, t: i / 2, level: 1 - i / 80 })),
  presence: 1,
});

it('takes rings in a row for no zeros', async () => {
  const row = { rect: { x: 98, y: 598, width: 104, height: 44 }, texts: halves.map(() => '00') };
  expect(await identify([row], [ring(100), ring(160)])).toEqual({ gauges: 2, texts: [] });
});

it('keeps a number in one ring, and one that changes next to rings', async () => {
  const inside = { rect: { x: 110, y: 610, width: 20, height: 20 }, texts: halves.map((i) => String(9 - (i >> 3))) };
  expect((await identify([inside], [ring(100)])).texts).toEqual([['counter', 110, '5']]);
  const across = { rect: { x: 98, y: 598, width: 104, height: 44 }, texts: halves.map((i) => String(70 - (i >> 2))) };
  expect((await identify([across], [ring(100), ring(160)])).texts).toEqual([['counter', 98, '61']]);
});

it('prefers a fraction to one of its numbers', async () => {
  const shots = halves.map((i) => 12 - Math.floor(i / 5));
  const fraction = { rect: { x: 1100, y: 640, width: 130, height: 50 }, texts: shots.map((n) => `${n} / 36`) };
  const number = { rect: { x: 1100, y: 640, width: 50, height: 50 }, texts: shots.map(String), isSteady: true };
  for (const shown of [
    [fraction, number],
    [number, fraction],
  ])
    expect((await identify(shown)).texts).toEqual([['fraction', 1100, '5']]);
});

it('prefers the numbers of a series to a fraction that is a part of it', async () => {
  const rect = { x: 1150, y: 24, width: 120, height: 30 };
  const kills = halves.map((i) => Math.floor(i / 12));
  const series = { rect, texts: kills.map((n) => `${n} / 2 / 6`) };
  const part = { rect: { ...rect, width: 76 }, texts: kills.map((n) => `${n} / 2`) };
  const { texts } = await identify([series, part]);
  expect(texts.map(([type, , text]) => [type, text])).toEqual([
    ['counter', '3'],
    ['counter', '2'],
    ['counter', '6'],
  ]);
});

it('prefers what is always there to what was seen now and then at its place', async () => {
  const rect = { x: 600, y: 30, width: 60, height: 30 };
  const lasting = { rect, texts: halves.map((i) => String(10 + (i >> 3))) };
  const passing = { rect: { ...rect, width: 80 }, texts: halves.map((i) => String(10 + (i >> 3))), comesAndGoes: true };
  expect((await identify([passing, lasting])).texts).toEqual([['counter', 600, '14']]);
  expect((await identify([lasting, passing])).texts).toHaveLength(1);
});
