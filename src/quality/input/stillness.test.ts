import { describe, expect, it } from 'vitest';
import { findRepeatedRuns, PictureComparer } from './stillness.ts';

const size = { width: 240, height: 135 };

/** A pattern of squares, 12 pixels wide, that scrolls: `at` is its position in pixels. */
function scrolled(at: number): Uint8Array {
  return Uint8Array.from({ length: size.width * size.height }, (_, i) => {
    const [column, row] = [Math.floor(((i % size.width) + at) / 12), Math.floor(i / size.width / 12)];
    return 40 + (((column * 2_654_435_761 + row * 40_503) >>> 3) % 170);
  });
}

function runsOf(positions: readonly number[]): ReturnType<typeof findRepeatedRuns> {
  const comparer = new PictureComparer();
  const differences = positions.map((at) => comparer.next({ data: scrolled(at), stride: size.width, ...size }));
  return findRepeatedRuns(differences);
}

const steps = (frames: number, from: number, perFrame: number): number[] =>
  Array.from({ length: frames }, (_, i) => Math.round(from + i * perFrame));

const moving = (frames: number) => Array.from({ length: frames }, () => ({ mean: 3, most: 100 }));
const still = (frames: number) => Array.from({ length: frames }, () => ({ mean: 0, most: 0 }));

describe('findRepeatedRuns', () => {
  it('finds a freeze where a scene in motion has moved on by the time that passed', () => {
    const at = steps(80, 0, 2);
    for (let frame = 41; frame <= 50; frame++) at[frame] = at[40]!;
    expect(runsOf(at)).toEqual([{ first: 40, last: 50, verdict: 'freeze' }]);
  });

  it('finds no freeze where motion slows down, stands and starts slowly', () => {
    const easing = [80, 81.6, 82.9, 83.9, 84.5, 84.8, 85].map(Math.round);
    const at = [...steps(40, 0, 2), ...easing, ...steps(20, 85, 0), 86, 88, ...steps(30, 90, 2)];
    expect(runsOf(at).map(({ verdict }) => verdict)).not.toContain('freeze');
  });

  it('leaves open what a stop was after which the scene goes on where it stood', () => {
    const at = [...steps(40, 0, 2), ...steps(10, 78, 0), ...steps(40, 80, 2)];
    expect(runsOf(at)).toEqual([{ first: 39, last: 49, verdict: 'uncertain' }]);
  });

  it('finds no freeze in a picture that appears by a cut and stands, such as a score table', () => {
    const at = [...steps(40, 0, 1), ...steps(60, 5000, 0), ...steps(40, 200, 1)];
    expect(runsOf(at).map(({ verdict }) => verdict)).not.toContain('freeze');
  });

  it('finds no freeze in a game that renders every second frame', () => {
    const at = Array.from({ length: 120 }, (_, frame) => 4 * Math.floor(frame / 2));
    expect(runsOf(at).map(({ verdict }) => verdict)).not.toContain('freeze');
  });

  it('leaves open what stands until the end', () => {
    const at = [...steps(40, 0, 2), ...steps(20, 78, 0)];
    expect(runsOf(at)).toEqual([{ first: 39, last: 59, verdict: 'uncertain' }]);
  });

  describe('in encoded pictures', () => {
    it('finds a freeze in which a keyframe draws the picture anew', () => {
      const keyframe = { mean: 1.75, most: 49 };
      const differences = [...moving(40), ...still(2), keyframe, ...still(18), { mean: 6.5, most: 150 }, ...moving(20)];
      expect(findRepeatedRuns(differences, (frame) => frame === 42)).toEqual([
        { first: 39, last: 60, verdict: 'freeze' },
      ]);
    });

    it('finds one freeze where the encoder retouches its second picture', () => {
      const retouched = [
        { mean: 0.07, most: 6 },
        { mean: 0.13, most: 7 },
      ];
      const differences = [...moving(40), ...retouched, ...still(5), { mean: 7, most: 144 }, ...moving(20)];
      expect(findRepeatedRuns(differences)).toEqual([{ first: 39, last: 46, verdict: 'freeze' }]);
    });

    it('finds no freeze in a picture that rests until its colors change', () => {
      const differences = [...moving(40), ...still(5), { mean: 6, most: 20 }, ...moving(20)];
      expect(findRepeatedRuns(differences)).toEqual([{ first: 39, last: 44, verdict: 'uncertain' }]);
    });
  });
});
