import { expect, it } from 'vitest';
import type { Deferred, Observation } from '../../detectors/kind.ts';
import { ReadingsBuilder } from './chunk-readings.ts';
import { greyPicture } from '../../detectors/testing.ts';
import type { DetectorKind } from '../../detectors/kind.ts';
import type { Profile } from '../../profile/profile.ts';
import { SampleReader } from './sample-reader.ts';
import { Together } from './together.ts';

const deferred = (value: number): Deferred => ({ deferred: value, memory: [] });
const seen = (value: unknown): Observation => ({ state: 'seen', value: Number(value), confidence: 1 });

/** Stands for a reading that another thread makes. */
const elsewhere: Observation = Object.assign(seen(0), { pending: 0 });

it('readings are made together, and stand in their places whenever they were made', async () => {
  const runs: unknown[][] = [];
  const reader = {
    together: new Map([[1, 3]]),
    settleAll: async (detector: number, some: readonly Deferred[]) => {
      runs.push([detector, ...some.map((one) => one.deferred)]);
      return some.map((one) => seen(one.deferred));
    },
  };
  const together = new Together(reader);
  expect(together.take(0, deferred(9))).toBeUndefined();
  const builder = new ReadingsBuilder();
  let last: Observation | undefined;
  for (let t = 0; t < 7; t++) {
    // The fourth sample shows what the third did, and another thread makes a reading of the other detector.
    if (t !== 3) last = together.take(1, deferred(t));
    builder.add(t, [t === 5 ? elsewhere : undefined, last]);
    await together.settle();
  }
  await together.settle(true);
  const { observations, seen: indices } = together.complete(builder.finish());
  expect(runs).toEqual([
    [1, 0, 1, 2],
    [1, 4, 5, 6],
  ]);
  expect(indices.map(([, index]) => observations[index!])).toEqual([0, 1, 2, 2, 4, 5, 6].map(seen));
  expect(observations[indices[5]![0]!]).toBe(elsewhere);
});

it('what a stretch has left to others is not taken for a reading in the next', async () => {
  const glow: DetectorKind = {
    input: 'frame',
    name: 'glow',
    description: 'How light it is.',
    schema: { type: 'object' },
    open: async () => ({
      read: () => seen(1),
      defer: async () => deferred(1),
      settle: async () => seen(1),
      [Symbol.dispose]() {},
    }),
  };
  const plugins = {
    modules: [],
    kinds: new Map([['glow', { kind: glow, plugin: { name: 'p', version: '1', hash: '' } }]]),
  };
  const all = { x: 0, y: 0, width: 1, height: 1 };
  const profile = {
    reference: { width: 40, height: 10 },
    regions: { all },
    detectors: { glow: { kind: 'glow', region: 'all' } },
  } as unknown as Profile;
  using picture = greyPicture(40, 10, (x) => 6 * x);
  const assets = { read: () => Promise.reject(new Error('no assets')) };
  using reader = await SampleReader.open(profile, assets, picture, { plugins });
  const read = async (): Promise<unknown> => (await reader.read(picture, [1], () => elsewhere))[0];
  reader.begin();
  expect(await read()).toBe(elsewhere);
  reader.begin();
  // The picture has not changed; nobody is to make that reading here.
  expect((await reader.read(picture, [1]))[0]).toEqual(seen(1));
});
