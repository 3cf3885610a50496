import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation, Reading } from './reading.ts';
import type { CueValue } from '../events/log.ts';
import type { DetectorSpec } from '../profile/profile.ts';
import { roundTime } from '../time.ts';
import type { Cue } from './cue.ts';
import { plausibilityOf } from './plausible.ts';
import { createTracker } from './tracker.ts';

const INTERVAL = 0.1;

/** A sample in short: a value, `-` absent, `?` unreadable, a value in a list with its confidence; undefined: no sample. */
type Short = CueValue | readonly [CueValue, number] | undefined;

function observe(sample: Exclude<Short, undefined>): Observation {
  if (sample === '?') return { state: 'unreadable', confidence: 0.2 };
  if (sample === '-') return { state: 'absent', confidence: 0.95 };
  const [value, confidence] = typeof sample === 'object' ? sample : [sample, 0.9];
  return value === '-' ? { state: 'absent', confidence } : { state: 'seen', value, confidence };
}

function readings(samples: readonly Short[]): Reading[] {
  return samples.flatMap((sample, tick) =>
    sample === undefined ? [] : [{ detector: 'd', t: roundTime(tick * INTERVAL), observation: observe(sample) }],
  );
}

function track(samples: readonly Short[], spec: Partial<DetectorSpec> = {}): Cue[] {
  const tracker = createTracker('d', { kind: 'text', ...spec }, INTERVAL);
  return [...readings(samples).flatMap((reading) => tracker.push(reading)), ...tracker.end(99)];
}

/** Which cues were found in the first reading that counts. */
const isFirst = (samples: readonly Short[]): boolean[] => track(samples).map((cue) => cue.first === true);

/** Cues in short: `found 5 @0.1`. */
function short(cues: readonly Cue[]): string[] {
  return cues.map(({ trigger, previous, value, t }) => {
    const parts = [previous, value].filter((one) => one !== undefined);
    return `${trigger} ${parts.join('>')} @${t}`;
  });
}

/** The rule once more, with hindsight: every sample looks back over all that came before it. */
function naive(all: readonly Reading[], spec: Partial<DetectorSpec>): string[] {
  const { samples = 2, confidence = 0.8, gaps = 2, lost = samples } = spec.stability ?? {};
  const { min = -Infinity, max = Infinity, rise = Infinity, fall = Infinity, unless = 10 } = spec.plausible ?? {};
  let accepted: CueValue | undefined;
  let since = 0;
  const found: string[] = [];
  /** What sample i says, given what is accepted: nothing usable, something sure, or something doubtful. */
  const says = (i: number): { sort: 'nothing' | 'sure' | 'doubtful'; value: CueValue | undefined } => {
    const { observation } = all[i]!;
    const value = observation.state === 'seen' ? observation.value : undefined;
    if (observation.state === 'unreadable' || observation.confidence < confidence) return { sort: 'nothing', value };
    if (typeof value === 'number' && (value < min || value > max)) return { sort: 'nothing', value };
    const step = typeof value === 'number' && typeof accepted === 'number' ? value - accepted : 0;
    return { sort: step > rise || -step > fall ? 'doubtful' : 'sure', value };
  };
  for (let i = 0; i < all.length; i++) {
    const now = says(i);
    if (now.sort === 'nothing' || now.value === accepted) continue;
    const needed = now.sort === 'doubtful' ? Math.max(unless, samples) : now.value === undefined ? lost : samples;
    let [count, gap, first] = [1, 0, i];
    for (let j = i - 1; j >= since; j--) {
      const distance = all[j + 1]!.t - all[j]!.t;
      gap += Math.max(0, Math.ceil(distance / INTERVAL - 2 - 1e-6));
      if (gap > gaps) break;
      const then = says(j);
      if (then.sort === 'nothing' || (now.sort === 'sure' && then.sort === 'doubtful')) {
        gap += 1;
      } else if (then.sort === now.sort && then.value === now.value) {
        [count, gap, first] = [count + 1, 0, j];
      } else break;
    }
    if (count < needed) continue;
    const trigger = now.value === undefined ? 'lost' : accepted === undefined ? 'found' : 'changed';
    const parts = [accepted, now.value].filter((one) => one !== undefined);
    found.push(`${trigger} ${parts.join('>')} @${all[first]!.t}`);
    accepted = now.value;
    since = i + 1;
  }
  return found;
}

const anySample: fc.Arbitrary<Short> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<Short>(10, 20) },
  { weight: 2, arbitrary: fc.constantFrom<Short>('-', '?', 90, 300, undefined) },
  { weight: 1, arbitrary: fc.constantFrom<Short>([20, 0.5], ['-', 0.3], [10, 0.8]) },
);
/** Runs of equal samples, so that something gets stable. */
const sequence = fc
  .array(fc.tuple(anySample, fc.integer({ min: 1, max: 5 })), { maxLength: 25 })
  .map((runs) => runs.flatMap(([value, times]) => Array<Short>(times).fill(value)));
const spec: fc.Arbitrary<Partial<DetectorSpec>> = fc.record({
  stability: fc.record({
    samples: fc.integer({ min: 1, max: 4 }),
    gaps: fc.nat({ max: 3 }),
    lost: fc.integer({ min: 1, max: 5 }),
  }),
  plausible: fc.record({
    max: fc.constant(200),
    rise: fc.constantFrom(15, 500),
    unless: fc.integer({ min: 1, max: 6 }),
  }),
});

describe('createTracker', () => {
  it('takes texts for the same where only spaces, signs and case differ, if nothing is known of what they can say', () => {
    const samples = [['+6Food', 0.8], ['+6 Food', 0.9], '+6Food', '+7 Wood', '+7 wood.', '-', '-'] as const;
    const general = { reader: 'general' } as Partial<DetectorSpec>;
    expect(track(samples, general).map(({ trigger, value }) => `${trigger} ${value ?? ''}`)).toEqual([
      'found +6 Food',
      'changed +7 Wood',
      'lost ',
    ]);
    // A pattern says how they are written.
    expect(track(samples, { ...general, pattern: '.*' } as Partial<DetectorSpec>)).toEqual([]);
  });

  it('places a cue at the first sample of the stable run', () => {
    expect(short(track([5, 5, 5, 7, 7, 7, '-', '-', 8, 8]))).toEqual([
      'found 5 @0',
      'changed 5>7 @0.3',
      'lost 7 @0.6',
      'found 8 @0.8',
    ]);
  });

  it('accepts nothing that fewer samples than asked agree on', () => {
    expect(short(track([5, 5, 7, 5, 7, 5, '-', 5]))).toEqual(['found 5 @0']);
    expect(short(track([5, 5, 5, 7, 7, 5], { stability: { samples: 3 } }))).toEqual(['found 5 @0']);
    expect(short(track([5, 7, 5], { stability: { samples: 1 } }))).toEqual([
      'found 5 @0',
      'changed 5>7 @0.1',
      'changed 7>5 @0.2',
    ]);
  });

  it('lets unreadable samples neither confirm nor break a run, up to a number', () => {
    expect(short(track([5, '?', '?', 5]))).toEqual(['found 5 @0']);
    expect(short(track([5, '?', '?', '?', 5]))).toEqual([]);
    expect(short(track([5, '?', 5], { stability: { gaps: 0 } }))).toEqual([]);
    expect(short(track([5, [6, 0.4], 5]))).toEqual(['found 5 @0']);
    expect(short(track([5, 5, '?', '?', '?', '?', '?', 5, 6, 6]))).toEqual(['found 5 @0', 'changed 5>6 @0.8']);
  });

  it('counts samples that are missing from the grid like unreadable ones', () => {
    expect(short(track([5, undefined, 5]))).toEqual(['found 5 @0']);
    expect(short(track([5, undefined, undefined, undefined, undefined, 5]))).toEqual([]);
  });

  it('asks for its own number of samples before something is lost', () => {
    const stability = { samples: 2, lost: 4 };
    expect(short(track([5, 5, '-', '-', '-', 5], { stability }))).toEqual(['found 5 @0']);
    expect(short(track([5, 5, '-', '-', '-', '-'], { stability }))).toEqual(['found 5 @0', 'lost 5 @0.2']);
  });

  it('leaves the pattern of numbers to the text detector that reads them', () => {
    const plausible = { pattern: String.raw`\d:\d\d` };
    const timer = { kind: 'text', value: 'time', plausible } as const;
    expect(plausibilityOf(timer)(83, undefined)).toBe('plausible');
    expect(plausibilityOf({ kind: 'text', plausible })('83', undefined)).toBe('impossible');
  });

  it('believes an impossible value never, an implausible change only after a while', () => {
    expect(short(track([50, 50, 300, 300, 300, 300], { plausible: { max: 200, unless: 3 } }))).toEqual(['found 50 @0']);
    const fall = { plausible: { fall: 20, unless: 4 } };
    expect(short(track([50, 50, 5, 5, 5, 50], fall))).toEqual(['found 50 @0']);
    expect(short(track([50, 50, 5, 5, 5, 5], fall))).toEqual(['found 50 @0', 'changed 50>5 @0.2']);
    expect(short(track([50, 50, 5, 45, 5, 45, 45], fall))).toEqual(['found 50 @0', 'changed 50>45 @0.3']);
    expect(short(track([50, 50, '-', '-', 5, 5], fall))).toEqual(['found 50 @0', 'lost 50 @0.2', 'found 5 @0.4']);
  });

  it('requires less evidence for an expected change, but not for a first value', () => {
    const plausible = { expected: { within: [-50, 5], confidence: 0.1 } } as const;
    const one = { stability: { samples: 1, confidence: 0.5, lost: 1 }, plausible };
    expect(short(track([[80, 0.2], 80, [60, 0.2], [90, 0.2], '-', [60, 0.2]], one))).toEqual([
      'found 80 @0.1',
      'changed 80>60 @0.2',
      'lost 60 @0.4',
    ]);
  });

  it('holds texts against their pattern', () => {
    const plausible = { pattern: '\\d+/\\d+' };
    expect(short(track(['1/2', '1/2', '12', '12', '3/4x', '3/4x', '3/4', '3/4'], { plausible }))).toEqual([
      'found 1/2 @0',
      'changed 1/2>3/4 @0.6',
    ]);
  });

  it('gives a cue the mean confidence of its run, and the detail of its best sample', () => {
    const tracker = createTracker('kills', { kind: 'feed', region: 'feed' }, INTERVAL);
    const seen = (t: number, confidence: number, detail: string): Cue[] =>
      tracker.push({ detector: 'kills', t, observation: { state: 'seen', value: 'x', confidence, detail } });
    seen(0, 0.8, 'a');
    expect(seen(0.1, 0.9, 'b')).toEqual([
      {
        t: 0,
        detector: 'kills',
        region: 'feed',
        trigger: 'found',
        value: 'x',
        confidence: expect.closeTo(0.85, 9),
        detail: 'b',
        first: true,
      },
    ]);
  });

  it('marks a value found in the first accepted reading as of unknown start', () => {
    expect(isFirst([5, 5, 6, 6])).toEqual([true, false]);
    expect(isFirst(['?', 5, 5])).toEqual([true]);
    expect(isFirst(['-', 5, 5])).toEqual([false]);
    expect(isFirst([4, 5, 5])).toEqual([false]);
    expect(isFirst([5, 5, '-', '-', 5, 5])).toEqual([true, false, false]);
  });

  it('agrees with a rule that looks back over the whole sequence', () => {
    fc.assert(
      fc.property(sequence, spec, (samples, rules) => {
        expect(short(track(samples, rules))).toEqual(naive(readings(samples), rules));
      }),
      { numRuns: 3000 },
    );
  });

  it('reports from which time on a cue can still appear', () => {
    fc.assert(
      fc.property(sequence, spec, (samples, rules) => {
        const tracker = createTracker('d', { kind: 'text', ...rules }, INTERVAL);
        let safe = Number.NEGATIVE_INFINITY;
        for (const reading of readings(samples)) {
          for (const { t } of tracker.push(reading)) expect(t).toBeGreaterThan(safe);
          safe = Math.max(safe, Math.min(reading.t, (tracker.pendingSince(reading.t) ?? Infinity) - 1e-6));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('finds a constant once, and never sees what stays below its confidence', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Short>(10, '?', [10, 0.5], [30, 0.79])), (samples) => {
        const cues = short(track(samples));
        expect(cues.length).toBeLessThanOrEqual(1);
        for (const cue of cues) expect(cue).toMatch(/^found 10 /);
      }),
    );
  });

  it('lets go of a run that a menu interrupted for long', () => {
    const tracker = createTracker('d', { kind: 'text' }, INTERVAL);
    tracker.push({ detector: 'd', t: 1, observation: observe(5) });
    expect(tracker.pendingSince(1)).toBe(1);
    expect(tracker.pendingSince(1.3)).toBe(1);
    expect(tracker.pendingSince(9)).toBeUndefined();
  });

  it('refuses readings out of order, and ignores a repeated one', () => {
    const tracker = createTracker('d', { kind: 'text' }, INTERVAL);
    tracker.push({ detector: 'd', t: 1, observation: observe(5) });
    expect(tracker.push({ detector: 'd', t: 1, observation: observe(5) })).toEqual([]);
    expect(() => tracker.push({ detector: 'd', t: 0.9, observation: observe(5) })).toThrow(RangeError);
  });
});
