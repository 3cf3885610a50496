import { describe, expect, it } from 'vitest';
import {
  disagreements,
  g1072,
  rankCorrelations,
  rtcScore,
  scoreWithModels,
  type Sensitivity,
  stutterShare,
} from './compare.ts';
import { makeScenario, simulate } from './control/simulation.ts';

describe('G.1072', () => {
  it('reproduces the values published with the model', () => {
    const score = g1072({ bitrate: 50, fps: 60, width: 1920, height: 1080, delay: 0, loss: 0.2 });
    expect(score.mos).toBeCloseTo(4.580889112437288, 8);
  });

  // Worked out with the authors' Python implementation (github.com/stootaghaj/ITU-G1072).
  const cases: readonly [number, number, number, number, number, number, number, Sensitivity, number][] = [
    [10, 1920, 1080, 0, 0, 60, 20, 'low', 4.555437891135351],
    [10, 1920, 1080, 0, 0, 60, 20, 'medium', 4.174574620801497],
    [10, 1920, 1080, 0, 0, 60, 20, 'high', 4.108674583377659],
    [2, 1280, 720, 0, 0, 30, 60, 'low', 4.435271940739906],
    [2, 1280, 720, 0, 0, 30, 60, 'medium', 3.693518022187454],
    [2, 1280, 720, 0, 0, 30, 60, 'high', 3.5974095805253437],
    [50, 1920, 1080, 0, 0, 60, 400, 'low', 3.467770506481596],
    [50, 1920, 1080, 0, 0, 60, 400, 'high', 2.329984811093519],
    [5, 1280, 720, 0.5, 0, 60, 100, 'low', 3.706460121474373],
    [5, 1280, 720, 0.5, 0, 60, 100, 'high', 2.0294421780007106],
    [1, 640, 480, 0, 0.3, 20, 150, 'low', 1.6488536764978121],
    [1, 640, 480, 0, 0.3, 20, 150, 'high', 1.3],
  ];

  it.each(cases)(
    '%s Mbit/s %sx%s, losses %s and %s, %s Hz, %s ms, %s',
    (bitrate, width, height, loss, slicingLoss, fps, delay, all, mos) => {
      expect(
        g1072({ bitrate, width, height, loss, slicingLoss, fps, delay, interaction: all, complexity: all }).mos,
      ).toBeCloseTo(mos, 6);
    },
  );

  it('prefers measured frame loss to the loss derived from packets', () => {
    const stream = { bitrate: 10, fps: 60, width: 1920, height: 1080, delay: 100 };
    expect(g1072({ ...stream, frameLoss: 0 })).toEqual(g1072({ ...stream, loss: 0 }));
    expect(g1072({ ...stream, frameLoss: 10 }).mos).toBeLessThan(g1072({ ...stream, frameLoss: 1 }).mos);
  });
});

describe('rtcScore', () => {
  const stream = { bitrate: 2e6, width: 1280, height: 720, fps: 30, expectedFps: 30, roundTrip: 50 };

  it('follows the published formula', () => {
    // ln(2e6 / (1280 · 720 · 30)) = ln 0.0723380 = −2.6264; 0.56 · −2.6264 + 5.36 = 3.88922; less 0.002 · 25.
    expect(rtcScore(stream)).toBeCloseTo(3.88922 - 0.05, 4);
    // At 15 of 30 frames each has twice the bits (+0.56 · ln 2) and 1.9 · ln 2 go off.
    expect(rtcScore({ ...stream, fps: 15 })).toBeCloseTo(3.83922 - 1.34 * Math.LN2, 4);
  });

  it('stays between 1 and 5 and is 1 if nothing is presented', () => {
    expect(rtcScore({ ...stream, bitrate: 1e9, roundTrip: 0 })).toBe(5);
    expect(rtcScore({ ...stream, fps: 0 })).toBe(1);
    expect(rtcScore({ ...stream, roundTrip: 1e5 })).toBe(1);
  });
});

it('counts the time in frames longer than 2.5 times the moving average as stutter', () => {
  // 999 deltas of 10 ms and one of 100 ms: its average is about 10.2, so 100 of 10 090 ms are stutter.
  const records = Array.from({ length: 1001 }, (_, frame) => ({
    frame,
    captured: 10 * frame + (frame > 500 ? 90 : 0),
  }));
  expect(stutterShare(records)).toBeCloseTo(100 / 10_090, 9);
  expect(stutterShare([])).toBe(0);
});

describe('comparison of models', () => {
  const settings = { preset: 'fast', fps: 60 } as const;
  const judged = [1, 2, 5, 8].flatMap((seed) =>
    [
      { ...settings, width: 1280, height: 720, bitrate: 3e6 },
      { ...settings, width: 1920, height: 1080, bitrate: 30e6 },
    ].map((one) => {
      const { records } = simulate(makeScenario(seed, 40), one, { keep: true, quitsWhen: false });
      return {
        name: `${seed} ${one.height}`,
        judgement: scoreWithModels(records, { fps: 60, width: one.width, height: one.height })!,
      };
    }),
  );

  it('computes the session means that the models use', () => {
    for (const { judgement } of judged) {
      const { means, quality } = judgement;
      expect(means.bitrate).toBe(means.height > 1000 ? 30e6 : 3e6);
      expect(means.roundTrip).toBeCloseTo(quality.components['roundTripDelay']!.mean, 6);
      expect(means.renderedFps).toBeGreaterThan(30);
    }
  });

  it('correlates rankings and explains the largest differences', () => {
    const pairs = rankCorrelations(judged);
    expect(pairs).toHaveLength(6);
    const named = (name: string) => pairs.find(({ a, b }) => `${a}, ${b}` === name)!;
    // Two models by the same few means order sessions much alike; the metric sees what means do not show.
    expect(named('G.1072, rtcscore').spearman).toBeGreaterThan(0.5);
    expect(named('metric (raw), rtcscore').spearman).toBeLessThan(named('G.1072, rtcscore').spearman!);
    // None of these sessions stutters by the application's frames: there is no order to compare with.
    expect(named('rtcscore, no stutter (CapFrameX)').spearman).toBeNull();
    const apart = disagreements(judged);
    expect(apart.length).toBeGreaterThan(0);
    for (const { here, there, because } of apart) {
      expect(Math.abs(here - there)).toBeGreaterThanOrEqual(0.25);
      expect(because).toMatch(/\d/);
    }
  });

  it('returns undefined without bitrate, size or round trip', () => {
    const records = [1, 2, 3].map((frame) => ({ frame, captured: 16 * frame }));
    expect(scoreWithModels(records, { fps: 60 })).toBeUndefined();
  });
});
