import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlannedPacket } from './recording.ts';
import { planSegments } from './stream-copy.ts';

/** Packets from letters: I isIdr refresh, others by their showing order within the group, in decoding order. */
function packets(groups: readonly (readonly number[])[]): PlannedPacket[] {
  let base = 0;
  return groups.flatMap((shownOrder) => {
    const group = shownOrder.map(
      (shown, index): PlannedPacket => ({
        pts: BigInt(base + shown),
        duration: 1n,
        key: index === 0,
        isIdr: index === 0,
        hidden: false,
      }),
    );
    base += shownOrder.length;
    return group;
  });
}

/** Decoding order of mini groups: each one's last frame first, then the others in order. */
function order(sizes: readonly number[]): number[] {
  const result = [0];
  for (const n of sizes) {
    const base = result.length - 1;
    result.push(base + n);
    for (let i = 1; i < n; i++) result.push(base + i);
  }
  return result;
}

describe('planSegments', () => {
  // I P B B P B B: shown 0 3 1 2 6 4 5.
  const two = packets([
    [0, 3, 1, 2, 6, 4, 5],
    [0, 3, 1, 2, 6, 4, 5],
  ]);

  it('copies everything when the cut matches whole groups', () => {
    expect(planSegments(two, 0n, 14n)).toEqual([{ kind: 'copy', from: 0n, to: 14n, first: 0, end: 14 }]);
  });

  it('encodes from the cut to the next group', () => {
    expect(planSegments(two, 5n, 14n)).toEqual([
      { kind: 'encode', from: 5n, to: 7n },
      { kind: 'copy', from: 7n, to: 14n, first: 7, end: 14 },
    ]);
  });

  it('copies the longest complete beginning of the last group', () => {
    // Frames 7 … 11 are wanted: 7 and 8–10 (decoded 7, 10, 8, 9) are complete, 11 needs 13.
    expect(planSegments(two, 7n, 12n)).toEqual([
      { kind: 'copy', from: 7n, to: 11n, first: 7, end: 11 },
      { kind: 'encode', from: 11n, to: 12n },
    ]);
  });

  it('encodes all of a cut inside one group', () => {
    expect(planSegments(two, 2n, 6n)).toEqual([{ kind: 'encode', from: 2n, to: 6n }]);
  });

  it('encodes from where the size of the pictures changes to the next group of the first size', () => {
    const changing = [
      ...two.slice(0, 7),
      ...packets([
        [0, 1],
        [0, 1],
        [0, 1, 2],
      ]).map((packet) => ({ ...packet, pts: packet.pts + 7n })),
    ].map((packet, i) => (i === 7 ? { ...packet, isIdr: false, hasOtherParameters: true } : packet));
    expect(planSegments(changing, 0n, 14n)).toEqual([
      { kind: 'copy', from: 0n, to: 7n, first: 0, end: 7 },
      { kind: 'encode', from: 7n, to: 9n },
      { kind: 'copy', from: 9n, to: 14n, first: 9, end: 14 },
    ]);
  });

  it('covers every frame once and copies only what can be decoded alone', () => {
    const miniGroups = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(miniGroups, { minLength: 1, maxLength: 4 }), fc.nat(60), fc.nat(60), (groups, a, b) => {
        const list = packets(groups.map(order));
        const from = BigInt(Math.min(a, list.length - 1));
        const to = from + 1n + BigInt(Math.min(b, list.length - 1 - Number(from)));
        const runs = planSegments(list, from, to);
        let at = from;
        for (const run of runs) {
          expect(run.from).toBe(at);
          const copied = run.kind === 'copy' ? list.slice(run.first, run.end) : [];
          const shown = copied.map(({ pts }) => pts).toSorted((x, y) => Number(x - y));
          expect(copied[0]?.isIdr ?? true).toBe(true);
          const whole = Array.from({ length: Number(run.to - run.from) }, (_, i) => run.from + BigInt(i));
          expect(shown).toEqual(run.kind === 'copy' ? whole : []);
          at = run.to;
        }
        expect(at).toBe(to);
      }),
    );
  });
});
