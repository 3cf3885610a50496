import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Activation, CueSequence, DetectorSpec, ModeSpec, Profile } from '../profile/profile.ts';
import { roundTime } from '../time.ts';
import { compileActivations } from './activation.ts';
import { compileCondition } from './condition.ts';
import type { Cue } from './cue.ts';
import { CueStream, type Settled } from './cue-stream.ts';
import { PossibleActivity } from './possible-activity.ts';
import type { Observation, Reading } from './reading.ts';
import { createTracker, type Tracker } from './tracker.ts';

/** A value, one of little confidence, nothing, or unreadable, per sample. */
type Series = readonly (number | { readonly faint: number } | undefined | 'blurred')[];

const STEP = 0.1;
const at = (i: number): number => roundTime(i * STEP);

function observe(value: Series[number]): Observation {
  if (value === 'blurred') return { state: 'unreadable', confidence: 0 };
  if (typeof value === 'object') return { state: 'seen', value: value.faint, confidence: 0.6 };
  return value === undefined ? { state: 'absent', confidence: 0.9 } : { state: 'seen', value, confidence: 0.9 };
}

function profileOf(
  detectors: Readonly<Record<string, Partial<DetectorSpec>>>,
  more: Partial<Pick<Profile, 'sequences' | 'modes' | 'regions'>> = {},
): Profile {
  return {
    format: 'playbyplay/profile/1',
    game: 'test',
    title: 'Test',
    version: '1',
    reference: { width: 64, height: 64 },
    regions: {},
    ...more,
    detectors: Object.fromEntries(
      Object.entries(detectors).map(([name, spec]) => [name, { kind: 'text', stability: { samples: 1 }, ...spec }]),
    ),
  };
}

/**
 * All cues of a recording. A reader that begins anew at the samples in `starts` reads of the detectors that others activate
 * only what may be active; without `starts` all is read.
 */
function play(profile: Profile, series: Readonly<Record<string, Series>>, starts?: readonly number[]): Cue[] {
  const names = Object.keys(profile.detectors);
  const make = (name: string): Tracker => createTracker(name, profile.detectors[name]!, STEP);
  const activations = compileActivations(profile);
  const active = new Map<string, Set<number>>(names.map((name) => [name, new Set()]));
  const stream = new CueStream(new Map(names.map((name) => [name, make(name)])), {
    activations,
    sequences: profile.sequences ?? {},
    renew: make,
    onReading: ({ detector, t }) => active.get(detector)!.add(t),
  });
  const possible = new PossibleActivity({
    profile,
    activations,
    tracking: () => 'default',
    interval: () => STEP,
  });
  const order = names.toSorted((a, b) => names.indexOf(a) - names.indexOf(b));
  const cues: Cue[] = [];
  let until = Number.NEGATIVE_INFINITY;
  const take = (settled: Settled): void => {
    for (const moment of settled.moments) {
      expect(moment.t).toBeGreaterThan(until);
      expect(moment.t).toBeLessThanOrEqual(settled.until);
      cues.push(...moment.cues);
    }
    until = settled.until;
  };
  const length = Math.max(...Object.values(series).map((one) => one.length));
  for (let i = 0; i < length; i++) {
    if (i === 0 || starts?.includes(i)) possible.begin(at(i), i === 0);
    const readings: Reading[] = [];
    for (const detector of order) {
      const number = names.indexOf(detector);
      const isRead = !starts || possible.isPossible(number, at(i));
      const observation = observe(series[detector]![i]);
      possible.observe(number, at(i), isRead ? observation : 'inactive');
      if (isRead) readings.push({ detector, t: at(i), observation });
    }
    take(stream.sample(at(i), readings));
  }
  take(stream.end(at(length - 1)));
  expect(until).toBe(Number.POSITIVE_INFINITY);
  return cues;
}

const describeCues = (cues: readonly Cue[]): string[] =>
  cues.map(({ t, detector, trigger, value, previous }) => `${t} ${detector} ${trigger} ${value ?? previous}`);

function withName(after: Activation): Profile {
  return profileOf({ icon: {}, name: { after } });
}

function withOther(match: string): Profile {
  const after = { detector: 'icon', match, until: { detector: 'other' } };
  return profileOf({ icon: {}, other: {}, name: { after } });
}

describe('detectors that others switch on', () => {
  const icon: Series = [undefined, undefined, 7, 7, 7, undefined, undefined, undefined, 7, 7, undefined, undefined];
  const name: Series = [1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2];
  const ofName = (profile: Profile): string[] =>
    describeCues(play(profile, { icon, name })).filter((cue) => cue.includes('name'));

  it("are read from the cue's sample on until its cause is lost", () => {
    expect(ofName(withName({ detector: 'icon' }))).toEqual([
      '0.2 name found 1',
      '0.4 name changed 2',
      '0.5 name lost 2',
      '0.8 name found 2',
      '1 name lost 2',
    ]);
  });

  it('are read for a time, and forget between', () => {
    expect(ofName(withName({ detector: 'icon', trigger: 'lost', for: 0.25 }))).toEqual([
      '0.5 name found 2',
      '0.75 name lost 2',
      '1 name found 2',
    ]);
  });

  it('are read until another cue, and not for a cue that is not meant', () => {
    const other: Series = [undefined, undefined, undefined, undefined, undefined, undefined, 3, 3, 3, 3, 3, 3];
    const cues = (match: string): string[] =>
      describeCues(play(withOther(match), { icon, name, other })).filter((cue) => cue.includes('name'));
    expect(cues('7')).toEqual(['0.2 name found 1', '0.4 name changed 2', '0.6 name lost 2', '0.8 name found 2']);
    expect(cues('8')).toEqual([]);
  });

  it('are read in their modes and in those of their region alone', () => {
    const profile = profileOf(
      { icon: {}, name: { region: 'plate', modes: ['driving'] }, rest: { modes: ['walking'] } },
      {
        modes: { driving: { detector: 'icon', value: '/^7$/' }, walking: { detector: 'icon', seen: false } },
        regions: { plate: { x: 0, y: 0, width: 1, height: 1, modes: ['driving'] } },
      },
    );
    expect(describeCues(play(profile, { icon, name, rest: name })).filter((cue) => !cue.includes('icon'))).toEqual([
      '0 rest found 1',
      '0.2 name found 1',
      '0.2 rest lost 1',
      '0.4 name changed 2',
      '0.5 name lost 2',
      '0.5 rest found 2',
      '0.8 name found 2',
      '0.8 rest lost 2',
      '1 name lost 2',
      '1 rest found 2',
    ]);
  });

  it('are read in a mode that keeps until something else is read', () => {
    const modes = { seventh: { detector: 'icon', value: 7, keeps: true as const } };
    const profile = profileOf({ icon: {}, name: { modes: ['seventh'] } }, { modes });
    const shown: Series = [undefined, 7, undefined, undefined, 8, undefined, undefined, 7, undefined];
    expect(describeCues(play(profile, { icon: shown, name })).filter((cue) => cue.includes('name'))).toEqual([
      '0.1 name found 1',
      '0.4 name lost 1',
      '0.7 name found 2',
    ]);
  });

  it('activate the detectors that depend on them', () => {
    const profile = profileOf({
      icon: {},
      name: { after: { detector: 'icon' } },
      more: { when: { detector: 'name' } },
    });
    expect([...compileActivations(profile).keys()]).toEqual(['name', 'more']);
  });
});

describe('sequences of cues', () => {
  const kill: Series = [undefined, 5, 5, undefined, 5, 5, undefined, undefined, undefined, undefined];
  const medal: Series = [9, undefined, undefined, undefined, undefined, undefined, 9, 9, undefined, 9];
  const made = (sequence: CueSequence, more: Series = []): string[] =>
    describeCues(
      play(profileOf({ kill: {}, medal: {}, more: {} }, { sequences: { feat: sequence } }), { kill, medal, more }),
    ).filter((cue) => cue.includes('feat'));

  it('need their steps in order and in time, and use each cue once', () => {
    const steps = [{ detector: 'kill' }, { detector: 'medal', within: 0.3 }];
    expect(made({ steps })).toEqual(['0.6 feat found 9']);
    expect(made({ steps: [{ detector: 'kill' }, { detector: 'medal' }] })).toEqual([
      '0.6 feat found 9',
      '0.9 feat found 9',
    ]);
    expect(made({ steps: [{ detector: 'kill' }, { detector: 'kill', within: 0.3 }] })).toEqual(['0.4 feat found 5']);
    expect(made({ steps, within: 0.1 })).toEqual([]);
  });

  it('are cancelled by an excluded cue', () => {
    const more: Series = [undefined, undefined, undefined, undefined, undefined, 1];
    const steps = [{ detector: 'kill' }, { detector: 'medal', within: 0.3 }];
    expect(made({ steps, unless: { detector: 'more' } }, more)).toEqual([]);
    expect(made({ steps, unless: { detector: 'more', trigger: 'changed' } }, more)).toEqual(['0.6 feat found 9']);
  });

  it('take cues of one sample in either order', () => {
    expect(made({ steps: [{ detector: 'medal', trigger: 'lost' }, { detector: 'kill' }] })).toContain(
      '0.1 feat found 5',
    );
  });
});

/** What the rules say, from all cues at once: the reference for the stream, which knows only what came before. */
function rule(profile: Profile, series: Readonly<Record<string, Series>>, length: number): Map<string, Cue[]> {
  const known = new Map<string, Cue[]>();
  for (const [name, spec] of Object.entries(profile.detectors)) {
    const clauses = [spec.after].flat().filter((one) => one !== undefined);
    const all = clauses.flatMap(({ detector, until }) => [detector, ...(until ? [until.detector] : [])]);
    const heard = [...new Set(all)].flatMap((source) => known.get(source)!);
    const isOn = (t: number): boolean => clauses.length === 0 || clauses.some((one) => holds(one, heard, t));
    const borders = heard.flatMap(({ t }) => [t, ...clauses.map((one) => roundTime(t + (one.for ?? 0)))]);
    const times = [...new Set([0, ...borders])].filter((t) => t <= at(length - 1)).toSorted((a, b) => a - b);
    const cues: Cue[] = [];
    for (let i = 0; i < times.length; i++) {
      if (!isOn(times[i]!)) continue;
      const from = times[i]!;
      while (i < times.length && isOn(times[i]!)) i++;
      cues.push(...stretch(name, spec, series[name]!, from, times[i]));
    }
    known.set(name, cues);
  }
  return known;
}

function holds(switching: Activation, heard: readonly Cue[], t: number): boolean {
  const on = compileCondition(switching);
  const end = switching.until && compileCondition(switching.until);
  const lapses = !end && switching.for === undefined;
  return heard.some((cue) => {
    if (!on(cue) || cue.t > t || t >= roundTime(cue.t + (switching.for ?? Number.POSITIVE_INFINITY))) return false;
    return !heard.some(
      (other) =>
        other.t > cue.t &&
        other.t <= t &&
        (end?.(other) !== undefined || (lapses && other.detector === switching.detector && !on(other))),
    );
  });
}

function stretch(name: string, spec: DetectorSpec, values: Series, from: number, to: number | undefined): Cue[] {
  const tracker = createTracker(name, spec, STEP);
  const cues = values.flatMap((value, i) =>
    at(i) < from || at(i) >= (to ?? Number.POSITIVE_INFINITY)
      ? []
      : tracker.push({ detector: name, t: at(i), observation: observe(value) }),
  );
  const last = cues.at(-1);
  if (to === undefined || last === undefined || last.trigger === 'lost') return cues;
  return [...cues, { t: to, detector: name, trigger: 'lost', previous: last.value!, confidence: last.confidence }];
}

function condition(earlier: readonly string[]): fc.Arbitrary<Activation> {
  return fc.record(
    {
      detector: fc.constantFrom(...earlier),
      trigger: fc.constantFrom('found', 'changed', 'lost'),
      match: fc.constantFrom('1', '[12]'),
    },
    { requiredKeys: ['detector'] },
  );
}

function activation(earlier: readonly string[]): fc.Arbitrary<Activation> {
  return fc
    .record(
      { on: condition(earlier), for: fc.constantFrom(0.1, 0.25, 0.4, 1), until: condition(earlier) },
      { requiredKeys: ['on'] },
    )
    .map(({ on, ...rest }) => ({ ...on, ...rest }));
}

function modeOf(sources: readonly string[]): fc.Arbitrary<ModeSpec> {
  return fc.record(
    {
      detector: fc.constantFrom(...sources),
      value: fc.constantFrom<ModeSpec['value']>(1, 2, [1, 2]),
      seen: fc.boolean(),
      keeps: fc.constant(true as const),
    },
    { requiredKeys: ['detector'] },
  ) as fc.Arbitrary<ModeSpec>;
}

describe('a graph of dependent detectors', () => {
  const NAMES = ['a', 'b', 'c', 'd'];
  const detector = (i: number): fc.Arbitrary<Partial<DetectorSpec>> =>
    fc.record(
      {
        stability: fc.record({ samples: fc.integer({ min: 1, max: 3 }), gaps: fc.integer({ min: 0, max: 2 }) }),
        ...(i === 0 ? {} : { after: fc.array(activation(NAMES.slice(0, i)), { minLength: 1, maxLength: 2 }) }),
      },
      { requiredKeys: i > 1 ? ['stability', 'after'] : ['stability'] },
    ) as fc.Arbitrary<Partial<DetectorSpec>>;
  const graph = fc.tuple(...NAMES.map((_, i) => detector(i)));
  const value = fc.constantFrom<Series[number]>(1, 1, 2, undefined, undefined, 'blurred');
  const recording = fc.array(fc.tuple(value, value, value, value), { minLength: 1, maxLength: 40 });
  /** Samples at which a reader begins that knows nothing of those before. */
  const beginnings = fc.array(fc.integer({ min: 1, max: 39 }), { maxLength: 6 });

  it('produces the cues of the rules wherever readers start', () => {
    fc.assert(
      fc.property(graph, recording, beginnings, (specs, frames, starts) => {
        const profile = profileOf(Object.fromEntries(NAMES.map((name, i) => [name, specs[i]!])));
        const series = Object.fromEntries(NAMES.map((name, d) => [name, frames.map((frame) => frame[d]!)]));
        const cues = play(profile, series, starts);
        const wanted = rule(profile, series, frames.length);
        for (const name of NAMES)
          expect(describeCues(cues.filter((cue) => cue.detector === name))).toEqual(describeCues(wanted.get(name)!));
      }),
      { numRuns: 400 },
    );
  });

  it('produces the same cues with sequences, wherever readers start', () => {
    const step = fc.record(
      {
        detector: fc.constantFrom('a', 'b'),
        trigger: fc.constantFrom('found', 'changed', 'lost'),
        within: fc.constantFrom(0.2, 0.5),
      },
      { requiredKeys: ['detector'] },
    ) as fc.Arbitrary<CueSequence['steps'][number]>;
    const sequence = fc.record(
      {
        steps: fc.array(step, { minLength: 2, maxLength: 3 }),
        unless: condition(['a', 'b']),
        within: fc.constantFrom(0.5, 2),
      },
      { requiredKeys: ['steps'] },
    ) as fc.Arbitrary<CueSequence>;
    const made = new Set<string>();
    fc.assert(
      fc.property(
        fc.tuple(sequence, activation(['first']), activation(['first', 'c', 'second'])),
        recording,
        beginnings,
        ([first, c, d], frames, starts) => {
          const second: CueSequence = { steps: [{ detector: 'first' }, { detector: 'c' }] };
          const profile = profileOf(
            { a: {}, b: {}, c: { after: c }, d: { after: d } },
            { sequences: { first, second } },
          );
          const series = Object.fromEntries(NAMES.map((name, n) => [name, frames.map((frame) => frame[n]!)]));
          const cues = describeCues(play(profile, series));
          expect(describeCues(play(profile, series, starts))).toEqual(cues);
          for (const cue of cues) made.add(cue.split(' ')[1]!);
        },
      ),
      { numRuns: 400 },
    );
    // All of them took part.
    expect([...made].toSorted()).toEqual(['a', 'b', 'c', 'd', 'first', 'second']);
  });

  it('reads every active detector, wherever readers begin, with modes and rules of plausibility', () => {
    const plausible = fc.record(
      {
        rise: fc.constant(0),
        fall: fc.constantFrom(0, 1),
        unless: fc.integer({ min: 1, max: 4 }),
        expected: fc.constant({ steps: [-1, 1], confidence: 0.5 }),
      },
      { requiredKeys: [] },
    );
    const stability = fc.record(
      {
        samples: fc.integer({ min: 1, max: 3 }),
        lost: fc.integer({ min: 1, max: 3 }),
        gaps: fc.integer({ max: 2, min: 0 }),
      },
      { requiredKeys: ['samples', 'gaps'] },
    );
    const specs = fc.tuple(
      fc.record({ stability, plausible }, { requiredKeys: ['stability'] }),
      fc.record({ stability, plausible }, { requiredKeys: ['stability'] }),
      fc.record({ stability, modes: fc.constant(['m']) }),
      fc.record(
        { stability, modes: fc.constant(['n']), after: activation(['a', 'b', 'c']) },
        { requiredKeys: ['modes'] },
      ),
    );
    const reading = fc.oneof(value, fc.constantFrom({ faint: 1 }, { faint: 2 }));
    const frames = fc.array(fc.tuple(reading, reading, reading, reading), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(specs, modeOf(['a', 'b']), modeOf(['a', 'c']), frames, beginnings, (own, m, n, samples, starts) => {
        const detectors = Object.fromEntries(NAMES.map((name, i) => [name, own[i] as Partial<DetectorSpec>]));
        const profile = profileOf(detectors, { modes: { m, n } });
        const series = Object.fromEntries(NAMES.map((name, i) => [name, samples.map((frame) => frame[i]!)]));
        expect(describeCues(play(profile, series, starts))).toEqual(describeCues(play(profile, series)));
      }),
      { numRuns: 400 },
    );
  });
});
