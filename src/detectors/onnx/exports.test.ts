// What exporters write besides the plain case: halves, one picture without a batch, outputs without names, notes in the model.
import { afterAll, describe, expect, it } from 'vitest';
import type { Observation } from '../kind.ts';
import { draw, viewOfImage } from '../../../test/fixtures/views.ts';
import { kind } from './index.ts';
import { readLabels } from './input.ts';
import { assetsOf, constantOutput, FLOAT, Graph, INT64 } from '../../../test/fixtures/onnx-graph.ts';

const FLOAT16 = 10;

/** Networks stay open until the tests end, as a process is started for each that is not open. */
const opened = new DisposableStack();
afterAll(() => opened.dispose());

async function see(model: Uint8Array, options: object, level = 255): Promise<Observation> {
  const detector = opened.use(
    await kind.open(
      { model: 'm.onnx', task: 'detect', ...options } as Parameters<typeof kind.open>[0],
      assetsOf({ 'm.onnx': model }),
    ),
  );
  return await detector.read(viewOfImage(draw(64, 64, () => [level, level, level])));
}

/** A box whose score is the mean of the picture's numbers. */
const box = [32, 32, 10, 20];
const labels = ['orc', 'troll'];

/** Finds one thing in pictures of any size. */
function finder(notes: Readonly<Record<string, string>>): Uint8Array {
  const graph = new Graph([1, 3, 'height', 'width']);
  const out = constantOutput(graph, [...box, 0.1, 0.8], [1, 6, 1]);
  return graph.file({ output0: { of: out, dims: [1, 6, 1] } }, notes);
}

/** Reads a line of two characters. */
function reader(notes: Readonly<Record<string, string>>): Uint8Array {
  const graph = new Graph([1, 3, 8, 8]);
  const steps = constantOutput(graph, [0, 1, 0, 0, 0, 1], [1, 2, 3]);
  return graph.file({ output: { of: steps, dims: [1, 2, 3] } }, notes);
}

function noted(names: string): Parameters<typeof readLabels>[0] {
  const nothing = { irVersion: 8, opsets: new Map(), nodes: [], initializers: new Map(), inputs: [], outputs: [] };
  return { ...nothing, metadata: new Map([['names', names]]) };
}

describe('exported models', () => {
  it('may take and give halves', async () => {
    const graph = new Graph([1, 3, 64, 64], FLOAT16);
    const mean = graph.add('ReduceMean', [graph.add('Cast', ['images'], { to: FLOAT })], { keepdims: 0 });
    const score = graph.add('Reshape', [mean, graph.integers([1, 1, 1])]);
    const out = graph.add('Concat', [graph.floats([...box, 0.1], [1, 5, 1]), score], { axis: 1 });
    const halves = graph.add('Cast', [out], { to: FLOAT16 });
    const model = graph.file({ output0: { of: halves, dims: [1, 6, 1], type: FLOAT16 } });
    expect(await see(model, { format: 'yolov8', labels }, 204)).toMatchObject({
      value: 'troll',
      confidence: expect.closeTo(0.8, 3),
      detail: [{ x: 27, y: 22, width: 10, height: 20 }],
    });
  });

  it('may take one picture, without a batch, and leave their outputs without names, as torchvision’s do', async () => {
    const graph = new Graph([3, 64, 64]);
    const score = graph.add('Reshape', [graph.add('ReduceMean', ['images'], { keepdims: 0 }), graph.integers([1])]);
    const model = graph.file({
      '571': { of: graph.floats([27, 22, 37, 42], [1, 4]), dims: ['boxes', 4] },
      '572': { of: graph.integers([2]), dims: ['boxes'], type: INT64 },
      '573': { of: score, dims: ['boxes'] },
    });
    expect(await see(model, { format: 'torchvision', labels }, 204)).toMatchObject({
      value: 'troll',
      confidence: expect.closeTo(0.8, 5),
      detail: [{ x: 27, y: 22, width: 10, height: 20 }],
    });
    const classes = new Graph([3, 8, 8]);
    const scores = classes.file({ scores: { of: constantOutput(classes, [0, 9], [2]), dims: [2] } });
    expect(await see(scores, { task: 'classify', labels })).toMatchObject({ value: 'troll' });
  });

  it('may have outlines besides boxes', async () => {
    const graph = new Graph([1, 3, 64, 64]);
    const out = constantOutput(graph, [...box, 0.1, 0.8, 5, 6, 7], [1, 9, 1]);
    const model = graph.file({
      output0: { of: out, dims: [1, 9, 1] },
      output1: { of: graph.floats(Array(12).fill(0), [1, 3, 2, 2]), dims: [1, 3, 2, 2] },
    });
    expect(await see(model, { format: 'yolov8', labels })).toMatchObject({ value: 'troll' });
  });

  it('can declare their class names and input size', async () => {
    const names = `{0: 'orc', 1: "the giant's \\"troll\\""}`;
    expect(await see(finder({ names, imgsz: '[32, 64]' }), { format: 'yolov8' })).toMatchObject({
      value: 'the giant\'s "troll"',
      // 32 lines high: the picture of 64 × 64 is halved and lies in the middle.
      detail: [{ x: 22, y: 44, width: 20, height: 20 }],
    });
    const refusal = { code: 'model-refused', issues: [{ path: 'm.onnx' }] };
    await expect(see(finder({ imgsz: '[32, 64]' }), { format: 'yolov8' })).rejects.toMatchObject(refusal);
    await expect(see(finder({ names }), { format: 'yolov8' })).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining('pictures of any height'),
    });
    expect(readLabels(noted("['a', 'b']"), 'm.onnx')).toEqual(['a', 'b']);
    expect(() => readLabels(noted("{0: 'a', 2: 'b'}"), 'm.onnx')).toThrow('leave some classes out');
  });

  it('can declare their characters', async () => {
    expect(await see(reader({ character: 'x\ny\n' }), { task: 'read' })).toMatchObject({ value: 'xy' });
    await expect(see(reader({}), { task: 'read' })).rejects.toMatchObject({
      code: 'model-refused',
      message: expect.stringContaining('does not say which characters'),
    });
  });
});
