import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { draw, viewOfImage } from '../../../test/fixtures/views.ts';
import { kind } from './index.ts';
import { assetsOf, Graph } from '../../../test/fixtures/onnx-graph.ts';

/** A vector of the mean colour, halved. */
function means(batch: number | string): Uint8Array {
  const graph = new Graph([batch, 3, 4, 4]);
  const mean = graph.add('ReduceMean', ['images'], { axes: [2, 3], keepdims: 0 });
  return graph.file({ vector: { of: graph.add('Mul', [mean, graph.floats([0.5], [])]), dims: [batch, 3] } });
}

const png = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 6, height: 6, channels: 3, background } })
    .png()
    .toBuffer();

describe('embeddings', () => {
  it.each(['N', 1])('name the nearest prototype (batch %s)', async (batch) => {
    const assets = assetsOf({
      'm.onnx': means(batch),
      'fire.png': await png('#ff0000'),
      'lava.png': await png('#ff6000'),
      'ice.png': await png('#0000ff'),
    });
    const prototypes = { fire: ['fire.png', 'lava.png'], ice: 'ice.png' };
    using detector = await kind.open({ model: 'm.onnx', task: 'embed', prototypes }, assets);
    const look = (r: number, g: number, b: number) => detector.read(viewOfImage(draw(9, 9, () => [r, g, b])));
    // The cosine of (1, 0.2, 0) to (1, 0.376, 0) is 0.98680, to (1, 0, 0) 0.98058.
    expect(await look(200, 40, 0)).toMatchObject({
      state: 'seen',
      value: 'fire',
      detail: { likeness: 0.987, other: 'ice', margin: 0.987 },
    });
    expect(await look(10, 0, 200)).toMatchObject({ value: 'ice' });
    // Halfway between: cosine 0.707 to both.
    expect(await look(200, 0, 200)).toMatchObject({ state: 'unreadable', confidence: expect.closeTo(0.5, 1) });
    expect(await look(0, 255, 0)).toMatchObject({ state: 'absent' });
  });
});
