import { afterAll, describe, expect, it } from 'vitest';
import type { Observation, PreparedCrop } from '../kind.ts';
import { draw, viewOfImage } from '../../../test/fixtures/views.ts';
import type { BoxFormat } from './options.ts';
import { kind } from './index.ts';
import { fitCrop, roundHalfToEven } from './input.ts';
import { assetsOf, constantOutput, edgesOf, FLOAT, Graph, INT64 } from '../../../test/fixtures/onnx-graph.ts';

type Edges = ReturnType<typeof edgesOf>;

/** Puts numbers (constants) and tensors of 1 × 1 together as one of 1 × n. */
function row(graph: Graph, parts: readonly (string | number)[]): string {
  const tensors = parts.map((part) => (typeof part === 'string' ? part : graph.floats([part], [1, 1])));
  return graph.add('Concat', tensors, { axis: 1 });
}

function scaled(graph: Graph, tensor: string, by: number): string {
  return graph.add('Mul', [tensor, graph.floats([by], [])]);
}

/** Middle and size of the box, in units of `unit` pixels. */
function middle(graph: Graph, { x0, y0, x1, y1 }: Edges, unit = 1): string[] {
  const half = (a: string, b: string): string => scaled(graph, graph.add('Add', [a, b]), 0.5 / unit);
  const size = (a: string, b: string): string => scaled(graph, graph.add('Sub', [b, a]), 1 / unit);
  return [half(x0, x1), half(y0, y1), size(x0, x1), size(y0, y1)];
}

const shaped = (graph: Graph, tensor: string, dims: readonly number[]): string =>
  graph.add('Reshape', [tensor, graph.integers(dims)]);

/** Networks of 64 × 64 pixels that find the bright thing and say “second of two classes, 0.8”, in each format's own layout. */
const finders: Readonly<Record<BoxFormat, (graph: Graph, edges: Edges) => Uint8Array>> = {
  yolov5(graph, edges) {
    // objectness 0.9 · class 0.8 / 0.9
    const out = row(graph, [...middle(graph, edges), 0.9, 0.1, 0.8 / 0.9]);
    return graph.file({ output0: { of: shaped(graph, out, [1, 1, 7]), dims: [1, 1, 7] } });
  },
  yolov8(graph, edges) {
    const out = row(graph, [...middle(graph, edges), 0.1, 0.8]);
    return graph.file({ output0: { of: shaped(graph, out, [1, 6, 1]), dims: [1, 6, 1] } });
  },
  yolov10(graph, { x0, y0, x1, y1 }) {
    const out = row(graph, [x0, y0, x1, y1, 0.8, 1]);
    return graph.file({ output0: { of: shaped(graph, out, [1, 1, 6]), dims: [1, 1, 6] } });
  },
  'yolov7 end to end'(graph, { x0, y0, x1, y1 }) {
    return graph.file({ output: { of: row(graph, [0, x0, y0, x1, y1, 1, 0.8]), dims: ['boxes', 7] } });
  },
  'rt-detr'(graph, { x0, y0, x1, y1 }) {
    // Its postprocessor multiplies fractions by the size that it is given, width first.
    const size = graph.input('orig_target_sizes', INT64, ['N', 2]);
    const pixels = graph.add('Tile', [graph.add('Cast', [size], { to: 1 }), graph.integers([1, 2])]);
    const fractions = scaled(graph, row(graph, [x0, y0, x1, y1]), 1 / 64);
    const boxes = shaped(graph, graph.add('Mul', [fractions, pixels]), [1, 1, 4]);
    return graph.file({
      labels: { of: graph.integers([1], [1, 1]), dims: ['N', 1], type: INT64 },
      boxes: { of: boxes, dims: ['N', 1, 4] },
      scores: { of: graph.floats([0.8], [1, 1]), dims: ['N', 1] },
    });
  },
  'rt-detr queries'(graph, edges) {
    const out = row(graph, [...middle(graph, edges, 64), 0.1, 0.8]);
    return graph.file({ output0: { of: shaped(graph, out, [1, 1, 6]), dims: [1, 1, 6] } });
  },
  detr(graph, edges) {
    return graph.file({
      // The logarithm of 0.8 against 0.2 is the logit of 0.8.
      logits: { of: graph.floats([-3, Math.log(4)], [1, 1, 2]), dims: [1, 1, 2] },
      pred_boxes: { of: shaped(graph, row(graph, middle(graph, edges, 64)), [1, 1, 4]), dims: [1, 1, 4] },
    });
  },
  ssd(graph, { x0, y0, x1, y1 }) {
    const boxes = scaled(graph, row(graph, [y0, x0, y1, x1, 0, 0, 1, 1]), 1 / 64);
    return graph.file({
      num_detections: { of: graph.floats([1]), dims: [1] },
      'detection_boxes:0': { of: shaped(graph, boxes, [1, 2, 4]), dims: [1, 2, 4] },
      'detection_scores:0': { of: graph.floats([0.8, 0.9], [1, 2]), dims: [1, 2] },
      'detection_classes:0': { of: graph.floats([2, 1], [1, 2]), dims: [1, 2] },
    });
  },
  'ssd anchors'(graph, { x0, y0, x1, y1 }) {
    const boxes = scaled(graph, row(graph, [x0, y0, x1, y1]), 1 / 64);
    return graph.file({
      scores: { of: graph.floats([0.2, 0, 0.8], [1, 1, 3]), dims: [1, 1, 3] },
      boxes: { of: shaped(graph, boxes, [1, 1, 4]), dims: [1, 1, 4] },
    });
  },
  torchvision(graph, { x0, y0, x1, y1 }) {
    return graph.file({
      boxes: { of: row(graph, [x0, y0, x1, y1]), dims: ['boxes', 4] },
      scores: { of: graph.floats([0.8]), dims: ['boxes'] },
      labels: { of: graph.integers([2]), dims: ['boxes'], type: INT64 },
    });
  },
};

/** Networks stay open until the tests end, as a process is started for each that is not open. */
const opened = new DisposableStack();
afterAll(() => opened.dispose());

async function see(model: Uint8Array, crop: PreparedCrop, options: object): Promise<Observation> {
  const detector = opened.use(
    await kind.open(
      { model: 'm.onnx', task: 'detect', labels: ['orc', 'troll'], ...options } as Parameters<typeof kind.open>[0],
      assetsOf({ 'm.onnx': model }),
    ),
  );
  return await detector.read(viewOfImage(crop));
}

/** 128 × 96 pixels, black, with a white thing from (32, 24) to (72, 56). */
const scene = draw(128, 96, (x, y) => (x >= 32 && x < 72 && y >= 24 && y < 56 ? [255, 255, 255] : [0, 0, 0]));

describe('a detector of things', () => {
  it.each(Object.keys(finders) as BoxFormat[])('reads %s, and says where in the frame it is', async (format) => {
    const graph = new Graph([1, 3, 64, 64]);
    const model = finders[format](graph, edgesOf(graph));
    const seen = await see(model, scene, { format });
    // Letterboxed the scene is halved (64 × 48, 8 pixels of grey above), stretched it is halved across and × 2/3 down.
    expect(seen).toMatchObject({
      state: 'seen',
      value: 'troll',
      confidence: expect.closeTo(0.8, 5),
      detail: [{ word: 'troll', confidence: 0.8 }],
    });
    const [{ x, y, width, height }] = (seen as { detail: { x: number; y: number; width: number; height: number }[] })
      .detail as [{ x: number; y: number; width: number; height: number }];
    // Edges in whole pixels of the network's picture: within half of one of them, which is at most 1.5 of the frame's.
    for (const [got, wanted] of [
      [x, 32],
      [y, 24],
      [x + width, 72],
      [y + height, 56],
    ] as const)
      expect(Math.abs(got - wanted)).toBeLessThanOrEqual(format.startsWith('yolo') ? 0 : 0.75);
  });

  it('reads the transposed layout of YOLOv8 too', async () => {
    const graph = new Graph([1, 3, 64, 64]);
    const out = constantOutput(graph, [32, 32, 10, 20, 0.1, 0.7, 32, 32, 4, 4, 0.6, 0.1, 0, 0, 1, 1, 0, 0], [1, 3, 6]);
    const model = graph.file({ output0: { of: out, dims: [1, 3, 6] } });
    expect(
      await see(
        model,
        draw(64, 64, () => [0, 0, 0]),
        { format: 'yolov8', value: 'words' },
      ),
    ).toMatchObject({
      value: 'orc, troll',
      confidence: expect.closeTo(0.6, 5),
      detail: [
        { word: 'troll', x: 27, y: 22, width: 10, height: 20 },
        { word: 'orc', x: 30, y: 30, width: 4, height: 4 },
      ],
    });
  });

  it('keeps the most probable of overlapping boxes, per class or over all classes', async () => {
    // Boxes by (middle, size): A and B share 8·10 of 120 (0.667), A and C 5·10 of 150 (0.333); D is A in the other class.
    const boxes = [
      [20, 20, 10, 10, 0.9, 0.1],
      [22, 20, 10, 10, 0.8, 0.1],
      [25, 20, 10, 10, 0.7, 0.1],
      [20, 20, 10, 10, 0.1, 0.6],
    ];
    const graph = new Graph([1, 3, 64, 64]);
    const columns = Array.from({ length: 6 }, (_, k) => boxes.map((box) => box[k]!)).flat();
    const model = graph.file({ output0: { of: constantOutput(graph, columns, [1, 6, 4]), dims: [1, 6, 4] } });
    const dark = draw(64, 64, () => [0, 0, 0]);
    const words = { format: 'yolov8', value: 'words' };
    expect(await see(model, dark, words)).toMatchObject({ value: '2 orc, troll' });
    expect(await see(model, dark, { ...words, across: true })).toMatchObject({ value: '2 orc' });
    expect(await see(model, dark, { ...words, overlap: 0.3 })).toMatchObject({ value: 'orc, troll' });
    expect(await see(model, dark, { ...words, overlap: 0.7 })).toMatchObject({ value: '3 orc, troll' });
    expect(await see(model, dark, { ...words, value: 'count', most: 2 })).toMatchObject({ value: 2 });
    expect(await see(model, dark, { ...words, background: 'orc' })).toMatchObject({ value: 'troll' });
    const none = await see(model, dark, { ...words, threshold: 0.95 });
    expect(none).toMatchObject({ state: 'absent', confidence: expect.closeTo(0.1, 5) });
  });

  it('treats the last class of DETR with softmax as background', async () => {
    const graph = new Graph([1, 3, 64, 64]);
    const logits = constantOutput(graph, [0, 4, 1, 0, 1, 4], [1, 2, 3]);
    const boxes = graph.floats([0.5, 0.5, 0.25, 0.5, 0.5, 0.5, 1, 1], [1, 2, 4]);
    const model = graph.file({ logits: { of: logits, dims: [1, 2, 3] }, pred_boxes: { of: boxes, dims: [1, 2, 4] } });
    expect(
      await see(
        model,
        draw(64, 64, () => [0, 0, 0]),
        { format: 'detr', activation: 'softmax' },
      ),
    ).toMatchObject({
      value: 'troll',
      detail: [{ word: 'troll', x: 24, y: 16, width: 16, height: 32 }],
    });
  });

  it('reports the expected output shape of a format', async () => {
    const graph = new Graph([1, 3, 64, 64]);
    const model = graph.file({ output0: { of: constantOutput(graph, Array(9).fill(0), [1, 9, 1]), dims: [1, 9, 1] } });
    await expect(see(model, scene, { format: 'yolov8' })).rejects.toMatchObject({
      code: 'model-refused',
      message:
        'the model m.onnx cannot be used: its output is 1 × 9 × 1; this format has 6 numbers a box: 4 and one for each label',
    });
    await expect(see(model, scene, { format: 'ssd' })).rejects.toMatchObject({
      message: expect.stringContaining('no output “detection_boxes”; its outputs are output0'),
    });
  });

  it('passes bytes unscaled to models that take bytes', async () => {
    const graph = new Graph([1, 'height', 'width', 3], 2);
    const floats = graph.add('Cast', ['images'], { to: FLOAT });
    const mean = graph.add('ReduceMean', [floats], { keepdims: 0 });
    const score = graph.add('Div', [mean, graph.floats([255], [])]);
    const model = graph.file({
      detection_boxes: { of: graph.floats([0, 0, 1, 1], [1, 1, 4]), dims: [1, 1, 4] },
      detection_scores: { of: shaped(graph, score, [1, 1]), dims: [1, 1] },
      detection_classes: { of: graph.floats([1], [1, 1]), dims: [1, 1] },
    });
    const seen = await see(
      model,
      draw(30, 20, () => [204, 204, 204]),
      {
        format: 'ssd',
        input: { scale: 1, width: 15, height: 10 },
      },
    );
    expect(seen).toMatchObject({
      value: 'orc',
      confidence: expect.closeTo(0.8, 5),
      detail: [{ width: 30, height: 20 }],
    });
  });
});

describe('letterboxing', () => {
  it('is the published arithmetic', () => {
    // 1280 × 720 into 640 × 640: r = 0.5, 640 × 360, (640 − 360) / 2 = 140 above.
    expect(fitCrop({ width: 1280, height: 720 }, 640, 640, 'letterbox')).toEqual({
      left: 0,
      top: 140,
      scaleX: 0.5,
      scaleY: 0.5,
      width: 640,
      height: 360,
    });
    // 101 × 50 into 64 × 64: r = 64/101; 50 r = 31.68 → 32, 16 above.
    expect(fitCrop({ width: 101, height: 50 }, 64, 64, 'letterbox')).toMatchObject({ left: 0, top: 16, height: 32 });
    // 100 × 53 into 64 × 64: 53 · 0.64 = 33.92 → 34; (64 − 34) / 2 = 15. 100 × 55: 35.2 → 35; 14.5 − 0.1 → 14.
    expect(fitCrop({ width: 100, height: 53 }, 64, 64, 'letterbox')).toMatchObject({ top: 15, height: 34 });
    expect(fitCrop({ width: 100, height: 55 }, 64, 64, 'letterbox')).toMatchObject({ top: 14, height: 35 });
    expect(fitCrop({ width: 100, height: 55 }, 64, 64, 'corner')).toMatchObject({ left: 0, top: 0, height: 35 });
    // A line of 100 × 30 at height 48 is 160 wide, never wider than the picture.
    expect(fitCrop({ width: 100, height: 30 }, 320, 48, 'height')).toMatchObject({
      width: 160,
      height: 48,
      scaleX: 1.6,
    });
    expect(fitCrop({ width: 900, height: 30 }, 320, 48, 'height')).toMatchObject({ width: 320 });
    expect([0.5, 1.5, 2.5, -0.5, 2.4, 2.6].map(roundHalfToEven)).toEqual([0, 2, 2, 0, 2, 3]);
  });
});
