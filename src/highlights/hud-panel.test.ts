import { describe, expect, it } from 'vitest';
import type { EventLine } from '../events/log.ts';
import { placePicture } from '../media/write/frame-filter.ts';
import { arrangePanel, isFigure } from './hud-panel.ts';

const frame = { width: 1280, height: 720 };
const reel = { width: 720, height: 1280 };
const center = { x: 0.5, y: 0.5 };
/** At the bottom left, below the middle of the picture that a crop shows, and at the top left. */
const hud = new Map([
  ['health', { x: 0.02, y: 0.9, width: 0.1, height: 0.06 }],
  ['armor', { x: 0.45, y: 0.9, width: 0.1, height: 0.06 }],
  ['message', { x: 0, y: 0, width: 0.5, height: 0.04 }],
]);
const regions = new Map([...hud.keys()].map((name) => [name, name]));
const screen = { hud, regions, textRegions: regions, attention: { x: 0.45, y: 0.4, width: 0.1, height: 0.2 } };

function change(detector: string, value: number | string): EventLine {
  return { cues: [{ detector, t: 1, trigger: 'changed', value, confidence: 1 }] } as unknown as EventLine;
}

function arrange(shown: readonly EventLine[], events = shown) {
  return arrangePanel({ screen, frame, reel, center, events, shown, frames: [] });
}

describe('arrangePanel', () => {
  it('shows figures that the crop cuts off, with those beside them, legible and whole', () => {
    const panel = arrange([change('health', 62)], [change('health', 62), change('armor', 5)])!;
    expect(panel.parts).toHaveLength(2);
    for (const { from, to } of panel.parts) {
      // The region's height in the reel; text fills at least 0.6 of it.
      const height = (0.06 * to.height) / from.height;
      expect(0.6 * height).toBeGreaterThanOrEqual(0.02);
      expect(to.x).toBeGreaterThanOrEqual(0);
      expect(to.x + to.width).toBeLessThanOrEqual(1);
      expect(to.y).toBeGreaterThanOrEqual(1 - panel.height);
      expect(to.y + to.height).toBeLessThanOrEqual(1);
      // Not stretched.
      const shapes = [from, to].map(({ width, height: lines }, i) => {
        const size = i === 0 ? frame : reel;
        return (width * size.width) / (lines * size.height);
      });
      expect(shapes[0]).toBeCloseTo(shapes[1]!, 6);
    }
    const [first, second] = panel.parts.map(({ to }) => to);
    expect(first!.x + first!.width).toBeLessThan(second!.x);
  });

  it('ends the picture above the figures, around the same point', () => {
    const panel = arrange([change('health', 62)])!;
    expect(panel.visible.y).toBe(0);
    expect(panel.visible.height).toBeLessThan(0.9);
    const { crop, lines } = placePicture(frame, reel, { layout: 'hud', panel }, center);
    expect(crop.y + crop.height).toBeLessThanOrEqual(0.9 * frame.height);
    expect(crop.x + crop.width / 2).toBeCloseTo(640, -1);
    expect(lines + Math.round(panel.height * reel.height)).toBeCloseTo(reel.height, -1);
  });

  it('is not needed where the crop shows the figures, or where only messages are cut off', () => {
    expect(arrange([change('armor', 5)])).toBeUndefined();
    expect(arrange([change('message', 'You got the shotgun!')])).toBeUndefined();
    expect(arrange([])).toBeUndefined();
  });

  it('tells figures from messages', () => {
    expect([87, '2:31', '3/12', '100%'].map(isFigure)).toEqual([true, true, true, true]);
    expect(['1 kill', 'Grunt', undefined].map(isFigure)).toEqual([false, false, false]);
  });
});
