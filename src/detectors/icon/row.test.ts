import { describe, expect, it } from 'vitest';
import type { Observation } from '../kind.ts';
import { draw, viewOfImage } from '../../../test/fixtures/views.ts';
import { openIcons } from './index.ts';
import type { Template } from './template.ts';

type Color = readonly [number, number, number];
const disc = (x: number, y: number): boolean => Math.hypot(x - 9.5, y - 9.5) < 9;
const marks = {
  shell: (x: number): Color => (x % 6 < 3 ? [220, 40, 40] : [60, 20, 20]),
  bolt: (x: number, y: number): Color => ((x + y) % 8 < 4 ? [230, 230, 90] : [40, 40, 90]),
};
type Name = keyof typeof marks;

function template(name: Name): Template {
  return {
    width: 20,
    height: 20,
    rgb: draw(20, 20, marks[name]).data,
    mask: Uint8Array.from({ length: 400 }, (_, i) => (disc(i % 20, Math.floor(i / 20)) ? 255 : 0)),
  };
}

const templates = (Object.keys(marks) as Name[]).map((name) => ({ name, template: template(name) }));

/** A row of eight cells of 24 pixels (upright: from above), what each shows by its index, over scenery. */
function row(shown: readonly (Name | undefined)[], upright = false, zero = false): Observation {
  const [long, short] = [8 * 24, 24];
  const crop = draw(upright ? short : long, upright ? long : short, (x, y) => {
    const [along, across] = upright ? [y, x] : [x, y];
    const name = shown[Math.floor(along / 24)];
    const [px, py] = upright ? [across - 2, (along % 24) - 2] : [(along % 24) - 2, across - 2];
    if (name !== undefined && disc(px, py)) return marks[name](px, py);
    return [90 + 40 * Math.sin(x / 5), 80 + 40 * Math.cos(y / 7), 100 + ((x * 31 + y * 17) % 23)];
  });
  using detector = openIcons({ cells: 8, zero }, templates);
  return detector.read(viewOfImage(crop)) as Observation;
}

const times = (name: Name, count: number): readonly Name[] => Array.from({ length: count }, () => name);

describe('a row of icons', () => {
  it('counts how many there are, of which sort, either way it lies', () => {
    for (const upright of [false, true])
      for (const count of [1, 3, 7, 8])
        expect(row(times('shell', count), upright)).toMatchObject({
          state: 'seen',
          value: count,
          detail: { icon: 'shell' },
        });
    expect(row(times('bolt', 5))).toMatchObject({ state: 'seen', value: 5, detail: { icon: 'bolt' } });
  });

  it('reads an empty row as absent, or as 0 with the option zero', () => {
    expect(row([]).state).toBe('absent');
    expect(row([], false, true)).toMatchObject({ state: 'seen', value: 0 });
  });

  it('reads no row with a hole in it, nor one of two sorts', () => {
    expect(row(['shell', undefined, 'shell']).state).toBe('unreadable');
    expect(row(['shell', 'bolt']).state).toBe('unreadable');
  });
});
