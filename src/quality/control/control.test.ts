import { array, assert, constantFrom, double, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FrameRecord } from '../frame.ts';
import { scoreSession, type SessionQuality } from '../meter.ts';
import { advise } from './advise.ts';
import { type ControllerOptions, type Decision, describeDecision, QualityController } from './controller.ts';
import type { Observation } from './observer.ts';
import { compareWithFixedSettings, makeScenario, simulate, startSettings, StreamSimulator } from './simulation.ts';
import { defaultBounds, type StreamSettings } from './settings.ts';

const start: StreamSettings = { bitrate: 8e6, width: 1280, height: 720, fps: 60, preset: 'fast' };
const calm: Observation = {
  t: 0,
  frames: 30,
  captureInterval: 16.7,
  encodeTime: 4,
  roundTrip: 25,
  stackLatency: 60,
  lost: 0,
  capacity: 30e6,
  queue: 0,
  quality: 60,
  base: 40,
  picture: 70,
};

function run(controller: QualityController, observations: readonly Partial<Observation>[]): Decision[] {
  return observations.map((seen, i) => controller.decide({ ...calm, ...seen, t: (i + 1) * 0.5 }));
}

function repeat(seconds: number, seen: Partial<Observation>): Partial<Observation>[] {
  return Array.from({ length: seconds * 2 }, () => seen);
}

const anything = record({
  captureInterval: option(double({ min: 1, max: 200, noNaN: true }), { nil: undefined }),
  encodeTime: option(double({ min: 0.1, max: 60, noNaN: true }), { nil: undefined }),
  roundTrip: option(double({ min: 1, max: 900, noNaN: true }), { nil: undefined }),
  stackLatency: option(double({ min: 1, max: 900, noNaN: true }), { nil: undefined }),
  lost: constantFrom(0, 0, 0, 0.03, 0.3),
  capacity: option(double({ min: 1e5, max: 2e8, noNaN: true }), { nil: undefined }),
  queue: option(constantFrom(0, 0, 5, 80), { nil: undefined }),
});

describe('QualityController', () => {
  it('stays within bounds, respects hold times and explains each change for any observations', () => {
    assert(
      property(
        array(anything, { minLength: 20, maxLength: 300 }),
        constantFrom(start, { ...start, qp: 28 }),
        (seen, from) => {
          const controller = new QualityController(from);
          const last = new Map<string, number>();
          for (const { t, settings, changes } of run(controller, seen)) {
            const { bitrate, sizes, rates, presets, qp } = defaultBounds;
            expect(settings.bitrate).toBeGreaterThanOrEqual(bitrate.least);
            expect(settings.bitrate).toBeLessThanOrEqual(bitrate.most);
            expect(sizes).toContainEqual({ width: settings.width, height: settings.height });
            expect(rates).toContain(settings.fps);
            expect(presets).toContain(settings.preset);
            expect(Math.min(qp.most, Math.max(qp.least, settings.qp ?? qp.least))).toBe(settings.qp ?? qp.least);
            for (const { parameter, from: before, to, reason } of changes) {
              expect(before).not.toBe(to);
              expect(reason).toMatch(/\d/);
              // The shortest rests: one second for less on a full line, three where rendering is too slow.
              const rest = parameter === 'bitrate' || parameter === 'qp' ? 1 : 3;
              expect(t - (last.get(parameter) ?? -100)).toBeGreaterThanOrEqual(rest);
              last.set(parameter, t);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('converges under constant conditions', () => {
    const controller = new QualityController(start);
    const decisions = run(controller, repeat(600, {}));
    expect(decisions.slice(-600).flatMap(({ changes }) => changes)).toEqual([]);
    expect(decisions.flatMap(({ changes }) => changes).length).toBeLessThan(12);
  });

  it('is deterministic', () => {
    const seen = [...repeat(30, {}), ...repeat(5, { lost: 0.2, queue: 90 }), ...repeat(60, { capacity: 9e6 })];
    expect(run(new QualityController(start), seen)).toEqual(run(new QualityController(start), seen));
  });

  it('lowers the bitrate at once on congestion and does not raise it soon after', () => {
    const controller = new QualityController(start, { warmUp: 60 });
    const decisions = run(controller, [...repeat(5, {}), ...repeat(1, { lost: 0.3 }), ...repeat(10, {})]);
    const changes = decisions.flatMap(({ changes: all, t }) => all.map((change) => ({ ...change, t })));
    expect(changes[0]).toMatchObject({ parameter: 'bitrate', t: 5.5, reason: '30 % of the frames are lost' });
    expect(controller.settings.bitrate).toBeLessThan(start.bitrate);
    expect(changes.filter(({ t }) => t > 7)).toEqual([]);
    expect(describeDecision(decisions[10]!)).toMatch(
      /^5\.5 s: bitrate 8\.0 Mbit\/s → \d\.\d Mbit\/s \(30 % of the frames are lost\)$/,
    );
  });

  it('raises the quantization parameter in constant-QP mode', () => {
    const controller = new QualityController({ ...start, qp: 26 }, { warmUp: 60 });
    run(controller, [...repeat(5, {}), ...repeat(1, { lost: 0.3 })]);
    expect(controller.settings.qp).toBeGreaterThan(26);
    expect(controller.settings.bitrate).toBe(start.bitrate);
  });

  it('halves the frame rate if rendering is far too slow, and lowers the size if slightly too slow', () => {
    const controller = new QualityController(start);
    run(controller, repeat(10, { captureInterval: 27 }));
    expect(controller.settings.fps).toBe(30);
    const near = new QualityController(start);
    run(near, repeat(4, { captureInterval: 19 }));
    expect(near.settings).toMatchObject({ fps: 60, height: 540 });
  });

  it('uses more of a fast network after enough observations, within its bounds', () => {
    const bounds = { ...defaultBounds, bitrate: { least: 1e6, most: 12e6 } };
    const wide: ControllerOptions = { bounds };
    const controller = new QualityController({ ...start, bitrate: 3e6 }, wide);
    run(controller, repeat(300, { capacity: 90e6 }));
    expect(controller.settings.bitrate).toBeGreaterThan(4e6);
    expect(controller.settings.bitrate).toBeLessThanOrEqual(12e6);
  });
});

function play(seed: number): readonly FrameRecord[] {
  return simulate(makeScenario(seed, 20), start, { keep: true }).records;
}

describe('StreamSimulator', () => {
  const scenario = makeScenario(3, 60);

  it('depends only on seed and settings', () => {
    expect(play(1)).toEqual(play(1));
    expect(play(1)).not.toEqual(play(2));
  });

  it('orders the stages of a frame on each clock', () => {
    const { records } = simulate(scenario, start, { keep: true });
    expect(records.length).toBeGreaterThan(3000);
    for (const {
      rendered,
      captured,
      encoded,
      transmitted,
      returned,
      received,
      decoded,
      clientRendered,
      presented,
      inputs,
    } of records) {
      const server = [rendered, captured, encoded, transmitted, returned].filter((time) => time !== undefined);
      const client = [received, decoded, clientRendered, presented].filter((time) => time !== undefined);
      expect(server).toEqual(server.toSorted((a, b) => a - b));
      expect(client).toEqual(client.toSorted((a, b) => a - b));
      expect(Math.min(...(inputs ?? [0]))).toBeLessThan(presented ?? Number.POSITIVE_INFINITY);
    }
  });

  it('adds delay and loss above the network’s capacity', () => {
    const line = makeScenario(5, 60, 'mobile');
    const little = simulate(line, { ...start, bitrate: 2e6 }, { quitsWhen: false }).quality.components;
    const much = simulate(line, { ...start, bitrate: 30e6 }, { quitsWhen: false }).quality.components;
    expect(much['roundTripDelay']!.mean).toBeGreaterThan(2 * little['roundTripDelay']!.mean);
    expect(much['presentDelta']!.score).toBeLessThan(little['presentDelta']!.score);
  });

  it('renders fewer frames if a frame takes longer than its interval', () => {
    const slow = { ...scenario, render: () => 25 };
    const pipeline = new StreamSimulator(slow, { ...start, width: 1920, height: 1080 });
    const frames = [];
    for (let one = pipeline.next(); one; one = pipeline.next()) frames.push(one);
    // 25 ms and a little: about forty a second.
    expect(frames.length / scenario.duration).toBeCloseTo(40, -0.5);
  });

  it('ends early when the player quits and scores the rest as 0', () => {
    const line = makeScenario(5, 120, 'mobile');
    const { played, outcome, quality } = simulate(line, { ...start, bitrate: 30e6 });
    expect(played).toBeLessThan(0.6);
    expect(outcome).toBeCloseTo(quality.total! * played, 9);
    expect(simulate(line, { ...start, bitrate: 2e6 }).played).toBe(1);
  });
});

it('scores higher in a simulation than settings that suit only some networks', () => {
  const { controller, fixed } = compareWithFixedSettings({
    seeds: [1, 2, 3, 4, 5, 6],
    duration: 120,
    fixed: [
      { ...start, bitrate: 20e6, width: 1920, height: 1080 },
      { ...start, bitrate: 8e6 },
      { ...start, bitrate: 2e6, fps: 30 },
    ],
  });
  for (const row of fixed) expect(controller.mean).toBeGreaterThan(row.mean);
  expect(controller.played).toBe(1);
  expect(fixed.map(({ outcomes }) => outcomes.length)).toEqual([6, 6, 6]);
});

/** A session of ten seconds without unrest. */
function session(captureMs: number, roundTripDelay: number, targetBitrate: number): SessionQuality {
  const records = Array.from({ length: 600 }, (_, frame) => {
    const captured = captureMs * frame;
    return { frame, captured, presented: captured + 50, roundTripDelay };
  });
  return scoreSession(records, { fps: 60, width: 1920, height: 1080, targetBitrate }).quality;
}

describe('advise', () => {
  const settings = { bitrate: 8e6, width: 1920, height: 1080, fps: 60, preset: 'fast' } as const;

  it('lowers the bitrate if the round trip is long', () => {
    const advice = advise([session(16.7, 120, 8e6)], settings)!;
    expect(advice).toMatchObject({ direction: 'down' });
    expect(advice.steps[0]).toMatchObject({ parameter: 'bitrate', from: '8.0 Mbit/s', to: '5.6 Mbit/s' });
  });

  it('lowers the frame rate if rendering is too slow', () => {
    const advice = advise([session(30, 10, 8e6)], settings, { down: 60, up: 90 })!;
    expect(advice.direction).toBe('down');
    expect(advice.steps.map(({ parameter, to }) => `${parameter} ${to}`)).toEqual(['fps 30', 'size 1600x900']);
  });

  it('raises settings only if all sessions are good', () => {
    const good = session(16.7, 8, 8e6);
    expect(advise([good], settings)!).toMatchObject({
      direction: 'up',
      steps: [{ parameter: 'bitrate', to: '10.0 Mbit/s' }],
    });
    expect(advise([good, { ...good, total: 30 }, good], settings)!.direction).toBe('stay');
    const mixed = [good, good, { ...session(16.7, 120, 8e6), total: 20 }];
    expect(advise(mixed, settings)).toMatchObject({
      direction: 'stay',
      steps: [{ parameter: 'bitrate', to: '5.6 Mbit/s' }],
    });
    expect(advise([{ ...good, total: 55 }], settings)!.direction).toBe('stay');
    expect(advise([{ ...good, total: null }], settings)).toBeUndefined();
  });
});

it('starts within its bounds', () => {
  expect(defaultBounds.sizes).toContainEqual({ width: startSettings.width, height: startSettings.height });
});
