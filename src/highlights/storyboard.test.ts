import { beforeAll, describe, expect, it } from 'vitest';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { loadBuiltin } from '../dictionary/files.ts';
import type { EventLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import { makeHighlightList, type Scene, type Source, timeInReel } from './list.ts';
import { planOverlays, planScenes, transitionAt, zoomAt } from './storyboard.ts';
import { reelStyle } from './style.ts';

let dictionary: Dictionary;
beforeAll(async () => {
  ({ dictionary } = await loadBuiltin());
});

function scored(t: number, statement: Statement, score = 10) {
  const event: EventLine = {
    type: 'event',
    id: `e${t}`,
    t,
    end: t,
    game: 'openarena',
    session: 's',
    text: 'player kills opponent',
    statement,
    confidence: 1,
    cues: [],
  };
  return { event, score, reasons: [] };
}

function kill(t: number, score = 10) {
  const object = { word: 'opponent', name: 'Sarge' };
  return scored(t, { subject: 'player', action: 'kill', object, with: 'railgun' }, score);
}

function find(t: number) {
  return scored(t, { subject: 'player', action: 'obtain', object: 'shotgun' });
}

function scene(start: number, end: number, events: Scene['events']): Scene {
  return { session: 's', game: 'openarena', source: 0, start, end, events, score: 10, kind: 'kill', because: '' };
}

const sources = [{ header: { media: { name: 's.mp4' } }, events: [] }] as unknown as Source[];

function listOf(scenes: readonly Scene[]) {
  return makeHighlightList({ scenes, available: { scenes: 1, seconds: 1 } }, sources);
}

describe('planScenes', () => {
  it('shows the best victory, the last of the longest streak, at half speed', () => {
    const scenes = [scene(0, 8, [kill(4, 30)]), scene(20, 30, [kill(22), kill(25, 99)])];
    const style = reelStyle('plain', { add: ['slow-motion'] });
    const [first, second] = planScenes(scenes, { dictionary, style });
    expect(first!.shots).toEqual([{ start: 0, end: 8, speed: 1 }]);
    expect(second!.shots).toEqual([
      { start: 20, end: 24.75, speed: 1 },
      { start: 24.75, end: 25.65, speed: 0.5 },
      { start: 25.65, end: 30, speed: 1 },
    ]);
  });

  it('leaves slow motion out where it does not fit', () => {
    const scenes = [scene(0, 8, [kill(4)])];
    const style = reelStyle('cinematic');
    expect(planScenes(scenes, { dictionary, style, duration: 8.5 })[0]!.shots).toHaveLength(1);
    expect(planScenes(scenes, { dictionary, style, duration: 9 })[0]!.shots).toHaveLength(3);
  });

  it('ends scenes on beats without cutting into what leads to an event or follows it', () => {
    const beats = Array.from({ length: 60 }, (_, i) => i * 0.5);
    const scenes = [scene(0, 6.3, [kill(4)]), scene(20, 26.1, [kill(21.3)]), scene(40, 46, [kill(44)])];
    const planned = planScenes(scenes, { dictionary, style: reelStyle('plain'), beats });
    const lengths = planned.map(({ shots: [shot] }) => shot!.end - shot!.start);
    expect(lengths[0]).toBeCloseTo(6, 9);
    // From 6 to 12: the beginning may lose 0.1 s only, which is enough.
    expect(lengths[1]).toBeCloseTo(6, 9);
    expect(planned[1]!.shots[0]!.start).toBeCloseTo(20.1, 9);
    // Nothing follows the last scene.
    expect(lengths[2]).toBeCloseTo(6, 9);
  });
});

describe('timeInReel', () => {
  it('follows the speed of the shots', () => {
    const shots = [
      { start: 10, end: 12, speed: 1, at: 5 },
      { start: 12, end: 13, speed: 0.5, at: 7 },
      { start: 13, end: 14, speed: 1, at: 9 },
    ];
    expect([10, 11, 12, 12.5, 13, 13.5].map((t) => timeInReel(shots, t))).toEqual([5, 6, 7, 8, 9, 9.5]);
  });
});

describe('planOverlays', () => {
  const style = reelStyle('short', { omit: ['progress'] });

  it('counts victories and announces those in quick succession', () => {
    const scenes = [scene(0, 16, [kill(4), kill(7), kill(10.5), kill(15)])];
    const items = planOverlays(listOf(scenes), scenes, { dictionary, style, captionWidth: 30 });
    const counter = items.filter((item) => item.kind === 'counter');
    expect(counter.map(({ start, value }) => [start, value])).toEqual([
      [0, 0],
      [4, 1],
      [7, 2],
      [10.5, 3],
      [15, 4],
    ]);
    expect(new Set(counter.map(({ label }) => label))).toEqual(new Set(['KILLS']));
    // The fourth comes 4.5 s after the third.
    expect(items.flatMap((item) => (item.kind === 'banner' ? [[item.start, item.text]] : []))).toEqual([
      [7, 'DOUBLE KILL'],
      [10.5, 'TRIPLE KILL'],
    ]);
    expect(items.filter(({ kind }) => kind === 'sticker')).toHaveLength(4);
  });

  it('shows one caption of at most two lines at a time, with names emphasized', () => {
    const scenes = [
      scene(0, 10, [kill(4), scored(4.2, { subject: 'player', action: 'jump' }, 1), kill(5.5), kill(9.9)]),
    ];
    const items = planOverlays(listOf(scenes), scenes, { dictionary, style, captionWidth: 24 });
    const captions = items.filter((item) => item.kind === 'caption');
    // The jump is within 0.6 s of a kill, the last kill too near the end to be read.
    expect(captions.map(({ start }) => start)).toEqual([4, 5.5]);
    expect(captions[0]!.end).toBeLessThanOrEqual(5.5);
    for (const { lines, emphasis } of captions) {
      expect(lines.length).toBeLessThanOrEqual(2);
      expect(lines.join(' ')).toContain('Sarge');
      expect(emphasis).toEqual(['Sarge', 'railgun']);
    }
  });

  it('says once that a thing of the same kind was obtained', () => {
    const scenes = [scene(0, 14, [find(1), find(4), find(8)]), scene(20, 28, [find(22)])];
    const items = planOverlays(listOf(scenes), scenes, { dictionary, style, captionWidth: 24 });
    expect(items.flatMap(({ kind, start }) => (kind === 'caption' ? [start] : []))).toEqual([1, 16]);
  });

  it('draws nothing in the plain style', () => {
    const scenes = [scene(0, 10, [kill(4)])];
    expect(planOverlays(listOf(scenes), scenes, { dictionary, style: reelStyle('plain'), captionWidth: 24 })).toEqual(
      [],
    );
  });
});

it('enlarges the picture for a moment around a victory', () => {
  expect(zoomAt([5], 4)).toBe(1);
  expect(zoomAt([5], 5.3)).toBeCloseTo(1.16, 9);
  expect(zoomAt([5], 7)).toBe(1);
  for (let t = 4; t < 7; t += 1 / 60) expect(Math.abs(zoomAt([5], t) - zoomAt([5], t - 1 / 60))).toBeLessThan(0.03);
});

it('goes through black, or whips, at cuts only', () => {
  expect(transitionAt('dip', [4, 9], 9)).toEqual({ brightness: 0 });
  expect(transitionAt('dip', [4, 9], 6)).toEqual({});
  expect(transitionAt('whip', [4, 9], 4).smear).toBeCloseTo(0.07, 3);
  expect(transitionAt('whip', [4, 9], 4.2)).toEqual({});
  expect(transitionAt('cut', [4, 9], 4)).toEqual({});
});
