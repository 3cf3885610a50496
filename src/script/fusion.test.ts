import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinFolder, readSources } from '../dictionary/files.ts';
import { loadDictionary } from '../dictionary/load.ts';
import type { Statement } from '../events/statement.ts';
import type { FusionSpec } from '../profile/profile.ts';
import { calibrateConfidence, combineConfidence } from './confidence.ts';
import { entails } from './entailment.ts';
import { Fusion } from './fusion.ts';
import type { ScriptStatement } from './script.ts';

const sources = await readSources(['common', 'openarena'].map((name) => join(builtinFolder, `${name}.json`)));
const { dictionary } = loadDictionary(sources);

const grunt = { word: 'opponent', name: 'Grunt' };
const kill: Statement = { subject: 'player', action: 'kill', object: grunt, with: 'railgun' };
const someKill: Statement = { subject: 'player', action: 'kill', object: 'opponent' };
const defeat: Statement = { subject: 'player', action: 'defeat', object: 'opponent' };
const death: Statement = { subject: 'opponent', action: 'die' };
const otherDeath: Statement = { subject: { word: 'opponent', name: 'Sarge' }, action: 'die' };

function made(t: number, detector: string, statement: Statement, confidence = 0.8, more = {}): ScriptStatement {
  const cues = [{ detector, t, trigger: 'found' as const, confidence }];
  return { t, end: t, statement, confidence, cues, ...more };
}

function fused(statements: readonly ScriptStatement[], spec?: FusionSpec | false): readonly ScriptStatement[] {
  const fusion = new Fusion(spec, dictionary);
  for (const statement of statements) fusion.add(statement);
  return fusion.settle(Number.POSITIVE_INFINITY).statements;
}

describe('entails', () => {
  it('holds for equal and more specific statements, more specific words, and caused actions', () => {
    for (const general of [kill, someKill, defeat, death, { subject: grunt, action: 'die' }])
      expect(entails(kill, general, dictionary)).toBe(true);
    for (const other of [otherDeath, { ...kill, with: 'shotgun' }, { ...kill, subject: grunt }])
      expect(entails(kill, other, dictionary)).toBe(false);
    expect(entails(someKill, kill, dictionary)).toBe(false);
    expect(entails(death, kill, dictionary)).toBe(false);
  });

  it('requires equal values of properties', () => {
    const fall: Statement = { subject: 'player', property: 'health', from: 87, to: 62 };
    expect(entails(fall, { subject: 'player', property: 'health', to: 62 }, dictionary)).toBe(true);
    expect(entails(fall, { subject: 'player', property: 'health', to: 61 }, dictionary)).toBe(false);
    expect(entails({ subject: 'player', property: 'health', to: 62 }, fall, dictionary)).toBe(false);
  });
});

describe('Fusion', () => {
  it('makes one event of the most specific statement, with all cues, the earliest time and a higher confidence', () => {
    const [event, ...rest] = fused([
      made(10.1, 'feed', kill),
      made(10, 'sound', death, 0.7),
      made(10.3, 'centre', someKill),
    ]);
    expect(rest).toEqual([]);
    expect(event).toMatchObject({ t: 10, end: 10.3, statement: kill });
    expect(event!.cues.map(({ detector }) => detector)).toEqual(['sound', 'feed', 'centre']);
    expect(event!.confidence).toBeGreaterThan(0.8);
  });

  it('does not merge statements of one detector, statements that differ, or beyond the window', () => {
    expect(fused([made(1, 'feed', kill), made(1.1, 'feed', kill)])).toHaveLength(2);
    expect(fused([made(1, 'feed', kill), made(1.1, 'sound', otherDeath)])).toHaveLength(2);
    expect(fused([made(1, 'feed', kill), made(1.6, 'sound', death)])).toHaveLength(2);
    expect(
      fused([made(1, 'feed', kill), made(1.6, 'sound', death)], { rules: [{ action: 'defeat', window: 1 }] }),
    ).toHaveLength(1);
  });

  it('pairs statements one to one: two lines and two sounds are two kills', () => {
    const events = fused([
      made(1, 'feed', kill),
      made(1.05, 'sound', death),
      made(1.2, 'feed', kill),
      made(1.3, 'sound', death),
    ]);
    expect(events.map(({ t, cues }) => [t, cues.length])).toEqual([
      [1, 2],
      [1.2, 2],
    ]);
  });

  it('makes no event of supporting statements, and does not move events to their time', () => {
    const score = made(0.9, 'score', someKill, 0.9, { support: true });
    expect(fused([score])).toEqual([]);
    expect(fused([score, made(1, 'feed', kill)])).toMatchObject([{ t: 1, statement: kill, cues: [{}, {}] }]);
  });

  it('keeps an event tentative unless certain evidence says all that it says', () => {
    const thin = { tentative: true as const };
    const thinLine = made(1, 'feed', kill, 0.8, thin);
    expect(fused([thinLine])).toMatchObject([thin]);
    expect(fused([thinLine, made(1.2, 'score', someKill)])).toMatchObject([thin]);
    expect(fused([thinLine, made(1.2, 'centre', kill)])[0]).not.toHaveProperty('tentative');
    expect(fused([made(1, 'feed', kill), made(1.2, 'centre', someKill, 0.8, thin)])[0]).not.toHaveProperty('tentative');
  });

  it('does not merge where profile or script forbid it, or without cues', () => {
    const two = [made(1, 'feed', kill), made(1.1, 'sound', death)];
    expect(fused(two, false)).toHaveLength(2);
    expect(fused(two, { rules: [{ action: 'kill', off: true }] })).toHaveLength(2);
    expect(fused([two[0]!, { ...two[1]!, alone: true }])).toHaveLength(2);
    expect(fused(two.map((one) => ({ ...one, cues: [] })))).toHaveLength(2);
  });

  it('gives the same result for any batching, and nothing earlier than promised', () => {
    const statements = fc.array(
      fc.record({
        step: fc.integer({ min: 0, max: 4 }),
        delay: fc.integer({ min: 0, max: 5 }),
        detector: fc.constantFrom('feed', 'sound', 'score', 'centre'),
        statement: fc.constantFrom(kill, someKill, defeat, death, otherDeath),
        support: fc.boolean(),
        settle: fc.boolean(),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(statements, (list) => {
        const whole = new Fusion(undefined, dictionary);
        const pieces = new Fusion(undefined, dictionary);
        const parts: ScriptStatement[] = [];
        let now = 0;
        let settled = 0;
        for (const { step, delay, detector, statement, support, settle } of list) {
          now += step;
          const one = made(Math.max(0, now - delay) / 10, detector, statement, 0.8, support ? { support } : {});
          whole.add(one);
          pieces.add(one);
          if (!settle) continue;
          // A script may look back half a second.
          const out = pieces.settle((now - 5) / 10);
          for (const { t } of out.statements) expect(t).toBeGreaterThanOrEqual(settled);
          settled = Math.max(settled, out.settled);
          parts.push(...out.statements);
        }
        const rest = pieces.settle(Number.POSITIVE_INFINITY).statements;
        for (const { t } of rest) expect(t).toBeGreaterThanOrEqual(settled);
        expect([...parts, ...rest]).toEqual(whole.settle(Number.POSITIVE_INFINITY).statements);
      }),
      { numRuns: 500 },
    );
  });
});

describe('combineConfidence and calibrateConfidence', () => {
  it('add log-odds, weighted by share and independence', () => {
    // Odds of 4 and 9: together 36 if they were independent, 4 · 3 at half of it.
    expect(combineConfidence(0.8, [{ confidence: 0.9, share: 1 }], 1)).toBeCloseTo(36 / 37, 9);
    expect(combineConfidence(0.8, [{ confidence: 0.9, share: 1 }], 0.5)).toBeCloseTo(12 / 13, 9);
    expect(combineConfidence(0.8, [{ confidence: 0.9, share: 0.5 }], 1)).toBeCloseTo(12 / 13, 9);
    expect(combineConfidence(0.8, [{ confidence: 0.3, share: 1 }], 1)).toBe(0.8);
    expect(combineConfidence(1, [{ confidence: 0.9, share: 1 }])).toBe(1);
  });

  it('apply the measured calibration line', () => {
    expect(calibrateConfidence(0.4, undefined)).toBe(0.4);
    expect(calibrateConfidence(0.5, [2, 1])).toBeCloseTo(1 / (1 + Math.exp(-2)), 9);
    const event = fused([made(1, 'feed', kill, 0.5)], { calibration: { feed: [2, 1] } })[0]!;
    expect(event.confidence).toBeCloseTo(1 / (1 + Math.exp(-2)), 9);
    expect(event.cues[0]!.confidence).toBe(0.5);
    const given = fused([made(1, 'feed', kill, 0.5, { given: true })], { calibration: { feed: [2, 1] } })[0]!;
    expect(given.confidence).toBe(0.5);
  });
});
