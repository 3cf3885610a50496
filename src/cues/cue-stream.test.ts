import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reading } from './reading.ts';
import { roundTime } from '../time.ts';
import type { Cue } from './cue.ts';
import { CueStream, type Settled } from './cue-stream.ts';
import { createTracker, type Tracker } from './tracker.ts';

const NAMES = ['health', 'ammo', 'feed'];

function trackers(samples: readonly number[]): Map<string, Tracker> {
  return new Map(
    NAMES.map((name, i) => [name, createTracker(name, { kind: 'text', stability: { samples: samples[i]! } }, 0.1)]),
  );
}

function reading(detector: string, t: number, value: number): Reading {
  return { detector, t, observation: { state: 'seen', value, confidence: 0.9 } };
}

describe('CueStream', () => {
  it('holds a cue until no detector can produce an earlier one', () => {
    const stream = new CueStream(trackers([1, 3, 1]));
    const step = (t: number, health: number, ammo: number): Settled =>
      stream.sample(t, [reading('health', t, health), reading('ammo', t, ammo)]);
    expect(step(0.1, 100, 50).moments).toEqual([]);
    expect(step(0.2, 90, 50).moments).toEqual([]);
    const { moments } = step(0.3, 90, 50);
    expect(moments.map(({ t, cues }) => [t, ...cues.map(({ detector }) => detector)])).toEqual([
      [0.1, 'health', 'ammo'],
      [0.2, 'health'],
    ]);
  });

  it('emits every cue once, in order of time and then of the profile', () => {
    const frame = fc.array(fc.option(fc.constantFrom(1, 2), { freq: 4 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 60 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 3, maxLength: 3 }),
        (frames, needs) => {
          const stream = new CueStream(trackers(needs));
          const alone = trackers(needs);
          const expected: Cue[] = [];
          const got: Settled[] = [];
          for (const [tick, values] of frames.entries()) {
            const t = roundTime(tick * 0.1);
            const given = NAMES.flatMap((name, i) => (values[i] === null ? [] : [reading(name, t, values[i]!)]));
            for (const one of given) expected.push(...alone.get(one.detector)!.push(one));
            got.push(stream.sample(t, given));
          }
          got.push(stream.end(99));
          expected.sort((a, b) => a.t - b.t || NAMES.indexOf(a.detector) - NAMES.indexOf(b.detector));
          expect(got.flatMap(({ moments }) => moments.flatMap(({ cues }) => cues))).toEqual(expected);

          let settled = Number.NEGATIVE_INFINITY;
          for (const { moments, until } of got) {
            for (const { t } of moments) {
              expect(t).toBeGreaterThan(settled);
              expect(t).toBeLessThanOrEqual(until);
            }
            settled = until;
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses a detector that it does not know', () => {
    expect(() => new CueStream(trackers([1, 1, 1])).sample(0, [reading('armor', 0, 1)])).toThrow(RangeError);
  });
});
