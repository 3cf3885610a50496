import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { hostileModels } from '../../../test/fixtures/hostile-models.ts';
import { floats, graph, integers, node, pictureBytes } from '../../../test/fixtures/onnx.ts';
import { parseModel } from '../inference.ts';
import { CheckedModel } from './checked-model.ts';
import { operatorNames } from './operators.ts';
import { exactly } from './range.ts';

const sizes = { x: [1, 3, 16, 16] };

describe('a hostile model', () => {
  it.each(hostileModels)('is refused: $name', ({ bytes, says }) => {
    const file = bytes();
    expect(() => {
      parseModel(file, 'm.onnx');
      new CheckedModel(file, 'm.onnx').boundsFor(sizes);
    }).toThrow(says);
  });

  it('is refused by node, operator, limit and what to do', () => {
    const bytes = pictureBytes(
      [{ ...node('Resize', ['x', '', 'scales'], ['y']), name: 'up' }],
      [floats('scales', [1, 1, 3000, 3000])],
    );
    expect(() => new CheckedModel(bytes, 'm.onnx').boundsFor(sizes)).toThrow(
      expect.objectContaining({
        code: 'model-refused',
        // 3 × (16 · 3000)² floats of 4 bytes are 26 367 MiB.
        message: expect.stringMatching(
          /^the model m\.onnx cannot be used: its node Resize “up”: its run can need 26367 MiB of memory with results of up to 1 × 3 × 48000 × 48000 values; 1024 MiB are allowed$/,
        ),
        hint: expect.stringContaining('PLAYBYPLAY_NETWORK_MEMORY'),
      }),
    );
  });
});

/** Dimensions of the output of a model, as bounded. */
function boundsOf(...model: Parameters<typeof pictureBytes>) {
  return new CheckedModel(pictureBytes(...model), 'm.onnx').boundsFor(sizes).results[0]!.dims;
}

/** A branch that repeats the picture. */
function tiledBy(times: string) {
  return { graph: graph([node('Tile', ['x', times], ['r'])], { outputs: ['r'] }) };
}

describe('the bounds of a run', () => {
  it('follow sizes that the model computes, as exporters write them', () => {
    const nodes = [
      node('Shape', ['x'], ['shape']),
      node('Gather', ['shape', 'two'], ['height']),
      node('Mul', ['height', 'three'], ['wide']),
      node('Unsqueeze', ['wide', 'zero'], ['last']),
      node('Concat', ['front', 'last'], ['target'], { axis: 0 }),
      node('Expand', ['one', 'target'], ['y']),
    ];
    const constants = [
      integers('two', [2], []),
      integers('three', [3], []),
      integers('zero', [0]),
      integers('front', [5, 1]),
      floats('one', [1]),
    ];
    expect(boundsOf(nodes, constants)).toEqual([5, 1, 48].map(exactly));
  });

  it('hold for results whose size depends on the picture', () => {
    // At most all of the 768 values are not zero; a place has four coordinates.
    expect(boundsOf([node('NonZero', ['x'], ['y'])])).toEqual([exactly(4), { lo: 0, hi: 768 }]);
  });

  it('take the larger of two branches', () => {
    const nodes = [
      node('ReduceMax', ['x'], ['max'], { keepdims: 0 }),
      node('Greater', ['max', 'half'], ['bright']),
      node('If', ['bright'], ['y'], { then_branch: tiledBy('twice'), else_branch: tiledBy('once') }),
    ];
    const constants = [floats('half', [0.5], []), integers('twice', [1, 1, 1, 2]), integers('once', [1, 1, 1, 1])];
    expect(boundsOf(nodes, constants)).toEqual([exactly(1), exactly(3), exactly(16), { lo: 16, hi: 32 }]);
  });

  it('follow loops with a constant number of iterations', () => {
    const body = graph([node('Identity', ['c'], ['d']), node('Concat', ['s', 'x'], ['t'], { axis: 3 })], {
      inputs: ['i', 'c', 's'],
      outputs: ['d', 't'],
    });
    const nodes = [node('Loop', ['trip', '', 'x'], ['y'], { body: { graph: body } })];
    expect(boundsOf(nodes, [integers('trip', [4], [])])?.[3]).toMatchObject({ hi: 5 * 16 });
  });

  it('free results after their last use', () => {
    // Each of ten results has 192 MiB; never more than two exist.
    const grow = node('Tile', ['x', 'times'], ['r0']);
    const chain = Array.from({ length: 9 }, (_, i) => node('Relu', [`r${i}`], [i === 8 ? 'y' : `r${i + 1}`]));
    const model = new CheckedModel(pictureBytes([grow, ...chain], [integers('times', [1, 1, 256, 256])]), 'm.onnx');
    const megabytes = model.boundsFor(sizes).memory / 2 ** 20;
    expect(megabytes).toBeGreaterThan(2 * 192);
    expect(megabytes).toBeLessThan(2 * 192 + 1);
  });
});

it('the profile format lists the operators', async () => {
  const page = await readFile(new URL('../../../docs/reference/profile.md', import.meta.url), 'utf8');
  const [, operators = ''] = page.split('## Operators of networks');
  const listed = new Set([...operators.matchAll(/`([\w.]+)`/g)].map(([, name]) => name));
  const missing = operatorNames().filter((name) => !listed.has(name));
  expect(missing).toEqual([]);
});
