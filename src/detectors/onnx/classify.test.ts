import { afterAll, describe, expect, it } from 'vitest';
import type { Deferred, Detector, Observation, PreparedCrop } from '../kind.ts';
import type { RegionSpec } from '../../profile/profile.ts';
import { placeRegion } from '../../regions/place.ts';
import { greyPicture, draw, viewOf, viewOfImage } from '../../../test/fixtures/views.ts';
import { kind } from './index.ts';
import { assetsOf, constantOutput, Graph } from '../../../test/fixtures/onnx-graph.ts';

/** Three classes by colour: logits are ten times the means of red, green and blue. */
function colours(layout: 'NCHW' | 'NHWC' = 'NCHW', batch: number | string = 'N'): Uint8Array {
  const graph = new Graph(layout === 'NCHW' ? [batch, 3, 8, 8] : [batch, 8, 8, 3]);
  const mean = graph.add('ReduceMean', ['images'], { axes: layout === 'NCHW' ? [2, 3] : [1, 2], keepdims: 0 });
  return graph.file({ scores: { of: graph.add('Mul', [mean, graph.floats([10], [])]), dims: [batch, 3] } });
}

const flat = (r: number, g: number, b: number): PreparedCrop => draw(12, 10, () => [r, g, b]);
const labels = ['red', 'green', 'blue'];

/** Networks stay open until the tests end, as a process is started for each that is not open. */
const opened = new DisposableStack();
afterAll(() => opened.dispose());

async function see(crop: PreparedCrop, options: object, model = colours()): Promise<Observation> {
  const detector = opened.use(
    await kind.open(
      { model: 'm.onnx', task: 'classify', labels, ...options } as Parameters<typeof kind.open>[0],
      assetsOf({ 'm.onnx': model, 'labels.txt': 'red\ngreen\nblue\n' }),
    ),
  );
  return await detector.read(viewOfImage(crop));
}

describe('a classifier', () => {
  it('names the most probable class at the temperature of the profile', async () => {
    // Logits 10·(1, 0.2, 0) and their softmax by hand.
    const e = Math.exp;
    const p = e(10) / (e(10) + e(2) + e(0));
    expect(await see(flat(255, 51, 0), {})).toMatchObject({
      state: 'seen',
      value: 'red',
      confidence: expect.closeTo(p, 5),
    });
    const warm = e(2.5) / (e(2.5) + e(0.5) + e(0));
    expect(await see(flat(255, 51, 0), { temperature: 4 })).toMatchObject({ confidence: expect.closeTo(warm, 5) });
  });

  it('reads labels from a file, maps them to words, and treats background as absent', async () => {
    const options = { labels: 'labels.txt', words: { red: 'lava', green: 'lava' }, background: 'blue' };
    const mixed = await see(flat(255, 255, 0), options);
    // Two labels of one word add up: 2·e¹⁰ / (2·e¹⁰ + 1).
    expect(mixed).toMatchObject({ state: 'seen', value: 'lava', confidence: expect.closeTo(1, 4) });
    expect(await see(flat(0, 0, 255), options)).toMatchObject({ state: 'absent' });
  });

  it('is unreadable below the threshold', async () => {
    expect(await see(flat(255, 255, 0), { threshold: 0.6 })).toMatchObject({
      state: 'unreadable',
      detail: { best: 'red', other: 'green' },
    });
    expect(await see(flat(9, 9, 9), { activation: 'sigmoid', threshold: 0.9 })).toMatchObject({ state: 'absent' });
  });

  it('uses the layout, channel order and normalization of the profile', async () => {
    const wanted = { state: 'seen', value: 'red' };
    expect(await see(flat(255, 0, 0), {}, colours('NHWC'))).toMatchObject(wanted);
    expect(await see(flat(255, 0, 0), { input: { channels: 'BGR' } })).toMatchObject({ value: 'blue' });
    // Red stands at (1 − 0.5) / 0.25 = 2, the others at −2: a softmax of 20 over −20.
    const sure = await see(flat(255, 0, 0), { input: { mean: [0.5, 0.5, 0.5], std: 0.25 } });
    expect(sure).toMatchObject({ ...wanted, confidence: expect.closeTo(1, 12) });
    // By the mean of red alone, red falls to green's level.
    const even = await see(flat(255, 0, 0), { input: { mean: [1, 0, 0] }, threshold: 0.3 });
    expect(even).toMatchObject({ state: 'seen', confidence: expect.closeTo(1 / 3, 5) });
  });

  it.each(['N', 1, 4] as const)('reads several samples in one run of %s like single ones', async (model) => {
    const open = (more: object): Promise<Detector> =>
      Promise.resolve(
        kind.open({ model: 'm.onnx', task: 'classify', labels, ...more } as Parameters<typeof kind.open>[0], {
          read: async () => colours('NCHW', model),
        }),
      );
    using alone = await open({});
    using together = await open({ batch: 4 });
    expect([alone.together, together.together]).toEqual([1, 4]);
    const views = [flat(255, 51, 0), flat(0, 200, 180), flat(9, 9, 90)].map((crop) => viewOfImage(crop));
    const apart = await Promise.all(views.map((view) => alone.read(view)));
    const deferred = await Promise.all(views.map(async (view) => (await together.defer!(view)) as Deferred));
    expect(await together.settleAll!(deferred)).toEqual(apart);
    expect(await together.settleAll!([deferred[1]!])).toEqual([apart[1]]);
  });

  it.each(['N', 1, 4] as const)('reads several regions in one run of %s', async (batch) => {
    using picture = greyPicture(40, 10, (x) => (x < 10 || x >= 30 ? 255 : 0));
    const graph = new Graph([batch, 3, 8, 8]);
    const mean = graph.add('ReduceMean', ['images'], { axes: [2, 3], keepdims: 0 });
    const model = graph.file({
      scores: { of: graph.add('Mul', [mean, graph.floats([20, 10, 0])]), dims: [batch, 3] },
    });
    const regions: Readonly<Record<string, RegionSpec>> = {
      second: { x: 0.25, y: 0, width: 0.25, height: 1 },
      third: { x: 0.75, y: 0, width: 0.25, height: 1 },
    };
    const view = viewOf(picture, { x: 0, y: 0, width: 0.25, height: 1 });
    using detector = await kind.open(
      { model: 'm.onnx', task: 'classify', labels, regions: Object.keys(regions), threshold: 0.3 },
      assetsOf({ 'm.onnx': model }),
    );
    const seen = await detector.read({ ...view, place: (name) => placeRegion(regions[name]!, picture, picture) });
    // Bright is red; dark leaves all three alike, the first of them counts.
    expect(seen).toMatchObject({ state: 'seen', value: 'red, red, red', confidence: expect.closeTo(1 / 3, 5) });
    expect(kind.regions!({ model: 'm.onnx', task: 'classify', regions: ['second'] })).toEqual(['second']);
  });

  it('reports issues of a model or its labels with file and reason', async () => {
    const refusal = { code: 'model-refused', issues: [{ path: 'm.onnx' }] };
    await expect(see(flat(1, 2, 3), { labels: ['a', 'b'] })).rejects.toMatchObject({
      ...refusal,
      message: 'the model m.onnx cannot be used: it has 3 classes, and the profile has 2 labels for them',
    });
    await expect(see(flat(1, 2, 3), { words: { rde: 'x' } })).rejects.toMatchObject(refusal);
    await expect(see(flat(1, 2, 3), {}, Buffer.from('no model at all'))).rejects.toMatchObject(refusal);
    await expect(see(flat(1, 2, 3), {}, colours().subarray(0, 150))).rejects.toMatchObject(refusal);
    await expect(see(flat(1, 2, 3), { input: { width: 9 } })).rejects.toMatchObject(refusal);
    const graph = new Graph([1, 3, 8, 8]);
    const strange = graph.file({ scores: { of: graph.add('NoSuchOperator', ['images']), dims: [1, 3] } });
    await expect(see(flat(1, 2, 3), {}, strange)).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('NoSuchOperator'),
    });
    // Fails only when it runs: 9 values cannot become 3 × 2.
    const late = new Graph([1, 3, 8, 8]);
    const nine = constantOutput(late, [1, 2, 3, 4, 5, 6, 7, 8, 9], [9]);
    const shape = late.add('Add', [
      late.integers([3, 2]),
      late.add('Cast', [late.add('ReduceMean', ['images'], { keepdims: 0 })], { to: 7 }),
    ]);
    const failing = late.file({ scores: { of: late.add('Reshape', [nine, shape]), dims: ['a', 'b'] } });
    await expect(see(flat(1, 2, 3), {}, failing)).rejects.toMatchObject({
      code: 'model-failed',
      issues: [{ path: 'm.onnx' }],
    });
  });

  it('reports a missing provider, unless another one is available', async () => {
    await expect(see(flat(255, 0, 0), { providers: ['cuda'] })).rejects.toMatchObject({
      code: 'provider-missing',
      message: 'the model m.onnx cannot run on cuda here',
    });
    expect(await see(flat(255, 0, 0), { providers: ['cuda', 'cpu'] })).toMatchObject({ value: 'red' });
  });

  it('gives the same result within a memory budget', async () => {
    const graph = new Graph([1, 3, 64, 64]);
    let at = 'images';
    for (let i = 0; i < 3; i++) {
      const weights = graph.floats(
        Array.from({ length: 81 }, (_, n) => (((n * 37 + i) % 11) - 4) / 20),
        [3, 3, 3, 3],
      );
      at = graph.add('Conv', [at, weights], { kernel_shape: [3, 3], pads: [1, 1, 1, 1] });
      at = graph.add('Relu', [at]);
    }
    const mean = graph.add('ReduceMean', [at], { axes: [2, 3], keepdims: 0 });
    const model = graph.file({ scores: { of: mean, dims: [1, 3] } });
    const crop = draw(64, 64, (x, y) => [(x * 7 + y) % 256, (y * 5) % 256, (x * y) % 256]);
    const whole = await see(crop, { threshold: 0 }, model);
    const tiled = await see(crop, { threshold: 0, memoryBudget: 100_000 }, model);
    expect(tiled).toMatchObject({ state: 'seen', confidence: expect.closeTo(whole.confidence, 5) });
    await expect(see(crop, { memoryBudget: 2048 }, model)).rejects.toMatchObject({ code: 'model-refused' });
  });
});
