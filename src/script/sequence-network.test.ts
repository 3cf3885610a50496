import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOAT, createInitializer, createNode, writeModel } from '../compute/tiling/model.ts';
import type { Cue } from '../cues/cue.ts';
import type { SequenceSpec } from '../profile/profile.ts';
import type { ScriptStatement } from './script.ts';
import { CueTable, FEATURES } from './cue-features.ts';
import { SequenceNetwork } from './sequence-network.ts';

const changed = (detector: string, t: number, previous: number, value: number): Cue => ({
  detector,
  t,
  trigger: 'changed',
  previous,
  value,
  confidence: 0.9,
});

describe('the table of cues', () => {
  it('has eight numbers per detector and tick, and carries displayed values forward', () => {
    const table = new CueTable(['health', 'ammo'], 0.05);
    table.add({ detector: 'health', t: 0.1, trigger: 'found', value: 80, confidence: 0.5 });
    table.add(changed('health', 0.2, 80, 60));
    table.add({ detector: 'armor', t: 0.2, trigger: 'found', value: 1, confidence: 1 });
    table.add({ detector: 'health', t: 0.25, trigger: 'lost', previous: 60, confidence: 0.7 });
    const rows = table.take(1, 7);
    const row = (tick: number) => Array.from(rows.subarray((tick - 1) * 16, (tick - 1) * 16 + 8), (x) => +x.toFixed(4));
    expect(FEATURES.length * 2).toBe(table.width);
    expect(row(1)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(row(2)).toEqual([1, 0, 0, 0.5, 0, 0.8, 1, 0]);
    expect(row(3)).toEqual([0, 0, 0, 0, 0, 0.8, 1, 0]);
    // −log(21) / 5 = −0.6089.
    expect(row(4)).toEqual([0, 1, 0, 0.9, -0.6089, 0.6, 1, 0]);
    expect(row(5)).toEqual([0, 0, 1, 0.7, 0, 0, 0, 0]);
    expect(row(6)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(Array.from(rows).filter((_, i) => i % 16 > 7)).toEqual(Array(48).fill(0));
    table.add(changed('ammo', 0.4, 1, 0));
    expect(Array.from(table.take(8, 9).subarray(13))).toEqual([0, 1, 1]);
  });

  it('puts whole microseconds into the right row', () => {
    const table = new CueTable(['a'], 0.05);
    for (let tick = 0; tick < 10_000; tick += 7) expect(table.tickOf(Math.round(tick * 0.05 * 1e6) / 1e6)).toBe(tick);
  });
});

/**
 * A convolution over three ticks: “hit” is likely where health changed and ammo changed within a tick of it, “calm” where
 * nothing is seen of ammo in a tick after one in which it was.
 */
function model(width: number, window: number | string): Uint8Array {
  // sigmoid(40 · (health changed now) + 40 · (ammo changed in three ticks) − 60), sigmoid(40 · ammo lost now − 20)
  const weights = new Float32Array(2 * width * 3);
  const at = (kind: number, feature: number, tick: number): number => (kind * width + feature) * 3 + tick;
  weights[at(0, 1, 1)] = 40;
  for (const tick of [0, 1, 2]) weights[at(0, 9, tick)] = 40;
  weights[at(1, 10, 1)] = 40;
  return writeModel({
    irVersion: 8,
    opsets: new Map([['', 17]]),
    nodes: [
      createNode('Transpose', ['cues'], ['columns'], { perm: [0, 2, 1] }),
      createNode('Conv', ['columns', 'weights', 'bias'], ['sums'], { kernel_shape: [3], pads: [1, 1] }),
      createNode('Sigmoid', ['sums'], ['likely']),
      createNode('Transpose', ['likely'], ['events'], { perm: [0, 2, 1] }),
    ],
    initializers: new Map(
      [
        createInitializer('weights', [2, width, 3], weights),
        createInitializer('bias', [2], Float32Array.of(-60, -20)),
      ].map((one) => [one.name, one]),
    ),
    inputs: [{ name: 'cues', type: FLOAT, dims: ['N', window, width] }],
    outputs: [{ name: 'events', type: FLOAT, dims: ['N', window, 2] }],
  });
}

const spec: SequenceSpec = {
  kind: 'onnx-sequence',
  model: 'm.onnx',
  detectors: ['health', 'ammo'],
  kinds: ['hit', 'calm'],
  events: {
    hit: { on: 'health', statement: { subject: 'player', property: 'health', from: '$previous', to: '$value' } },
    calm: { statement: { subject: 'player', action: 'rest' } },
  },
};

const assets = { read: () => Promise.resolve(model(16, 'T')) };

/** Keeps the network open, as a process is started for each that is not open. */
let kept: SequenceNetwork;
beforeAll(async () => {
  kept = await SequenceNetwork.open(spec, assets);
});
afterAll(() => kept[Symbol.dispose]());

/** Gives cues in portions and collects what is said; `portions` are times up to which everything is known. */
async function interpret(cues: readonly Cue[], portions: readonly number[], end: number): Promise<ScriptStatement[]> {
  using reader = await SequenceNetwork.open(spec, assets);
  const said: ScriptStatement[] = [];
  let [before, settled] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const until of [...portions, Number.POSITIVE_INFINITY]) {
    reader.add(cues.filter(({ t }) => t > before && t <= until));
    before = until;
    const output = await reader.advance(until, Math.min(until, end));
    expect(output.problems).toEqual([]);
    // Nothing may come before what was settled.
    for (const { t } of output.statements) expect(t).toBeGreaterThanOrEqual(settled);
    settled = output.settled;
    said.push(...output.statements);
  }
  return said;
}

describe('a network in the place of a script', () => {
  it('produces statements from cues with their values and times', async () => {
    const cues = [
      changed('health', 1.033333, 80, 60),
      changed('ammo', 1.07, 50, 49),
      changed('health', 3, 60, 50),
      { detector: 'ammo', t: 5, trigger: 'lost', previous: 49, confidence: 0.8 },
    ] as const;
    const said = await interpret(cues, [], 6);
    expect(said).toMatchObject([
      {
        t: 1.033333,
        statement: { subject: 'player', property: 'health', from: 80, to: 60 },
        cues: [{ detector: 'health' }],
      },
      { t: 5, statement: { subject: 'player', action: 'rest' }, cues: [] },
    ]);
    expect(said[0]!.confidence).toBeCloseTo(1 / (1 + Math.exp(-20)), 6);
  });

  it('produces the same statements for any batching of cues', async () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 12_000_000 }), { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(
        times,
        fc.uniqueArray(fc.double({ min: 0, max: 12, noNaN: true }), { maxLength: 6 }),
        async (at, portions) => {
          const cues = at
            .toSorted((a, b) => a - b)
            .map(
              (t, i): Cue =>
                i % 5 === 4
                  ? { detector: 'ammo', t: t / 1e6, trigger: 'lost', previous: 1, confidence: 0.9 }
                  : changed(i % 2 ? 'ammo' : 'health', t / 1e6, i, i + 1),
            );
          const whole = await interpret(cues, [], 12);
          expect(
            await interpret(
              cues,
              portions.toSorted((a, b) => a - b),
              12,
            ),
          ).toEqual(whole);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is refused if model and profile do not match', async () => {
    await expect(SequenceNetwork.open({ ...spec, detectors: ['health'] }, assets)).rejects.toMatchObject({
      code: 'model-refused',
      message: expect.stringContaining('the profile’s detectors and window make 1 × 64 × 8'.replace('’', "'")),
    });
    using reader = await SequenceNetwork.open({ ...spec, kinds: ['hit'], events: {} }, assets);
    await expect(reader.advance(Number.POSITIVE_INFINITY, 1)).rejects.toMatchObject({
      message: expect.stringContaining('its output is 1 × 64 × 2; 64 ticks of 1 kinds of events make 1 × 64 × 1'),
    });
  });
});
