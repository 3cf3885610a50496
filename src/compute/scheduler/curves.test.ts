import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedCurve, devicePaths, curvePosition } from './curves.ts';
import { deviceLoop } from './device.ts';
import { planGraph } from './graph.ts';
import { atomicWords, completePortion, stateLayout, createState } from './shared-state.ts';
import { toIndex } from './index-space.ts';

/** Portions along each device's curve, written as the design's example writes them. */
function curves(devices: number, extents: [number, number]): string[][] {
  const curve = closedCurve(extents);
  return devicePaths(devices, curve.length).map((path) =>
    Array.from(curve, (_, steps) => `(${toIndex(curve[curvePosition(path, steps, curve.length)]!, extents)})`),
  );
}

describe('the example of 6 × 4 portions and four devices', () => {
  it('gives the devices the curves of the example', () => {
    const [a, b, c, d] = curves(4, [6, 4]);
    expect(a!.slice(0, 5).join(' ')).toBe('(0,1) (0,0) (1,0) (1,1) (2,1)');
    expect(a!.at(-1)).toBe('(0,2)');
    expect(b!.slice(0, 8).join(' ')).toBe('(5,1) (5,0) (4,0) (4,1) (3,1) (3,0) (2,0) (2,1)');
    expect(b!.at(-1)).toBe('(5,2)');
    expect(c!.slice(0, 5).join(' ')).toBe('(0,2) (0,3) (1,3) (1,2) (2,2)');
    expect(c!.at(-1)).toBe('(0,1)');
    expect(d!.slice(0, 5).join(' ')).toBe('(5,2) (5,3) (4,3) (4,2) (3,2)');
    expect(d!.at(-1)).toBe('(5,1)');
  });

  it('takes portions step by step as in the example, going on past those that are taken', () => {
    const planned = planGraph([{ name: 'kernel', space: [6, 4] }], [], 4);
    const layout = stateLayout(planned);
    const words = atomicWords(createState(planned));
    const loops = [0, 1, 2, 3].map((device) => deviceLoop(words, planned, layout, device));
    const running = new Map<number, number>();
    const take = (name: string): string => {
      const device = 'ABCD'.indexOf(name);
      const before = running.get(device);
      if (before !== undefined) completePortion(words, planned, layout, before, device);
      const effect = loops[device]!.next().value;
      if (effect?.kind !== 'run') throw new Error(`${name} has nothing to run`);
      running.set(device, effect.portion);
      return `(${toIndex(effect.portion, [6, 4])})`;
    };
    const step = (names: string) => names.split(' ').map((name) => `${name} ${take(name)}`);
    expect(step('A B C D')).toEqual(['A (0,1)', 'B (5,1)', 'C (0,2)', 'D (5,2)']);
    expect(step('A B D')).toEqual(['A (0,0)', 'B (5,0)', 'D (5,3)']);
    expect(step('A B D')).toEqual(['A (1,0)', 'B (4,0)', 'D (4,3)']);
    expect(step('A A A B B C D')).toEqual([
      'A (1,1)',
      'A (2,1)',
      'A (2,0)',
      'B (4,1)',
      'B (3,1)',
      'C (0,3)',
      'D (4,2)',
    ]);
    expect(step('A C D B')).toEqual(['A (3,0)', 'C (1,3)', 'D (3,2)', 'B (1,2)']);
  });
});

describe('closed curves', () => {
  it('visit every portion of any space once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }), (extents) => {
        const curve = closedCurve(extents);
        expect(curve.toSorted()).toEqual(Uint32Array.from(curve, (_, i) => i));
      }),
    );
  });

  it('step between neighbours, with at most two diagonal steps in two dimensions', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (width, height) => {
        const points = Array.from(closedCurve([width, height]), (number) => toIndex(number, [width, height]));
        const steps = points
          .slice(1)
          .map(([x, y], i) => [Math.abs(x! - points[i]![0]!), Math.abs(y! - points[i]![1]!)]);
        expect(Math.max(0, ...steps.flat())).toBeLessThanOrEqual(1);
        expect(steps.filter(([x, y]) => x === 1 && y === 1).length).toBeLessThanOrEqual(2);
      }),
    );
  });

  it('start the devices apart: no two at one place while there are places enough', () => {
    for (let devices = 1; devices <= 64; devices++) {
      const starts = new Set(devicePaths(devices, 128).map(({ start }) => start));
      expect(starts.size, `${devices} devices`).toBe(devices);
    }
  });
});
