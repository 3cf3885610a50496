import { describe, expect, it } from 'vitest';
import type { Observation } from '../../detectors/kind.ts';
import { Lively } from './lively.ts';

const rules = Array.from({ length: 3 }, () => ({ persists: 2.1, confidence: 0.5 }));

/** The third detector needs the first. */
const reader = {
  withDependencies(due: ArrayLike<number>): Uint8Array {
    const all = Uint8Array.from(due);
    if (all[2]) all[0] = 1;
    return all;
  },
};

function observed(value: number | undefined): Observation {
  return value === undefined ? { state: 'unreadable', confidence: 0 } : { state: 'seen', value, confidence: 0.9 };
}

/** The detectors known in each group between keyframes two seconds apart; a detector's values are one a keyframe, a keyframe without any is missing. */
function knownIn(keyframes: readonly (readonly (number | undefined)[] | undefined)[], apart = 2): string[] {
  const probes = keyframes.map((values, i) => values && { t: apart * i, seen: values.map(observed) });
  const lively = new Lively(reader, rules, probes);
  return probes.slice(1).map((_, g) => lively.knownIn(g)?.read.join('') ?? 'no');
}

describe('what is known of a group without reading it', () => {
  it('is what all keyframes of the chunk agree on', () => {
    expect(knownIn([1, 1, 1, 2, 2].map((second) => [7, second, 7]))).toEqual(['101', '101', '101', '101']);
  });

  it('is nothing that rests on what changes, or on which that rests', () => {
    expect(knownIn([1, 2, 2].map((first) => [first, 7, 7]))).toEqual(['010', '010']);
    expect(knownIn([1, 2, 2].map((third) => [7, 7, third]))).toEqual(['010', '010']);
  });

  it('is nothing that cannot be read on a keyframe', () => {
    expect(knownIn([undefined, 7, 7].map((second) => [7, second, 7]))).toEqual(['101', '101']);
  });

  it('is nothing beside a keyframe that is missing, or where keyframes are further apart than readings persist', () => {
    const still = [7, 7, 7];
    expect(knownIn([still, still, undefined, still, still])).toEqual(['111', 'no', 'no', '111']);
    expect(knownIn([still, still], 2.2)).toEqual(['000']);
  });
});
