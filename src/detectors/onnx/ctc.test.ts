import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Observation } from '../kind.ts';
import { draw, viewOfImage } from '../../../test/fixtures/views.ts';
import { beamSearch, parseDictionary, greedy, lineProbability, readLine, toSteps } from './ctc.ts';
import { kind } from './index.ts';
import { assetsOf, constantOutput, Graph } from '../../../test/fixtures/onnx-graph.ts';

/** Every way of writing a line of `times` steps, with its probability, by text: the definition of CTC itself. */
function enumerate(p: readonly (readonly number[])[]): Map<string, number> {
  let ways: { text: number[]; last: number; p: number }[] = [{ text: [], last: 0, p: 1 }];
  for (const step of p) {
    ways = ways.flatMap((way) =>
      step.map((each, i) => ({
        text: i === 0 || i === way.last ? way.text : [...way.text, i],
        last: i,
        p: way.p * each,
      })),
    );
  }
  const sums = new Map<string, number>();
  for (const { text, p: each } of ways) sums.set(text.join(' '), (sums.get(text.join(' ')) ?? 0) + each);
  return sums;
}

const lineOf = (p: readonly (readonly number[])[]) => ({
  steps: p.map((step) => Float64Array.from(step)),
  characters: ['', 'a', 'b'],
});

/** Steps at which one class each is all but certain. */
const sure = (...classes: number[]) => lineOf(classes.map((k) => [0, 1, 2].map((i) => (i === k ? 0.98 : 0.01))));

const steps = fc.array(fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }), {
  minLength: 1,
  maxLength: 5,
});

describe('CTC', () => {
  it('gives every text the probability of all its alignments and finds the most probable', () => {
    fc.assert(
      fc.property(steps, (raw) => {
        const p = raw.map((step) => {
          const sum = step.reduce((total, each) => total + each, 0);
          return step.map((each) => each / sum);
        });
        const texts = enumerate(p);
        const line = lineOf(p);
        for (const [text, probability] of texts)
          expect(lineProbability(text === '' ? [] : text.split(' ').map(Number), line)).toBeCloseTo(probability, 9);
        const best = beamSearch(line, 1000);
        expect(texts.get(best.join(' '))).toBeCloseTo(Math.max(...texts.values()), 9);
      }),
      { numRuns: 40 },
    );
  });

  it('merges repeated characters unless a blank separates them', () => {
    expect(greedy(sure(1, 1, 0, 1, 2, 2, 0, 0))).toEqual([1, 1, 2]);
    expect(greedy(sure(0, 0))).toEqual([]);
    expect(readLine(sure(1, 0, 1, 2), {})).toMatchObject({ state: 'seen', value: 'aab' });
    expect(readLine(sure(0, 0), {})).toMatchObject({ state: 'absent' });
  });

  it('sums alignments that the best path alone misses', () => {
    // Best path: blank, blank (0.36); but “a” has 0.4·0.4 + 0.4·0.6 + 0.6·0.4 = 0.64.
    const line = lineOf([
      [0.6, 0.4, 0],
      [0.6, 0.4, 0],
    ]);
    expect(greedy(line)).toEqual([]);
    expect(beamSearch(line, 4)).toEqual([1]);
    expect(readLine(line, { beams: 4 })).toMatchObject({ value: 'a', confidence: expect.closeTo(0.64, 9) });
  });

  it('reads the layouts of PP-OCR and CRNN alike and omits characters outside the charset', () => {
    const [a, b, c] = [
      [0.1, 0.7, 0.2],
      [0.8, 0.1, 0.1],
      [0.2, 0.3, 0.5],
    ];
    const data = [...a!, ...b!, ...c!];
    const paddle = toSteps({ dims: [1, 3, 3], data }, 0, ['x', 'y'], {}, 'm');
    const crnn = toSteps({ dims: [3, 1, 3], data: data.map(Math.log) }, 0, ['x', 'y'], { activation: 'log' }, 'm');
    expect(paddle.steps.flatMap((step) => [...step])).toEqual(data);
    for (const [i, step] of crnn.steps.entries())
      for (const [k, each] of step.entries()) expect(each).toBeCloseTo(data[3 * i + k]!, 9);
    expect(readLine(paddle, { threshold: 0 })).toMatchObject({ value: 'xy' });
    const only = toSteps({ dims: [1, 3, 3], data }, 0, ['x', 'y'], { charset: 'x' }, 'm');
    expect(readLine(only, { threshold: 0 })).toMatchObject({ value: 'xx' });
    expect(toSteps({ dims: [1, 3, 3], data }, 0, ['x', 'y'], { blank: 'last' }, 'm').characters).toEqual([
      'x',
      'y',
      '',
    ]);
    expect(toSteps({ dims: [1, 3, 3], data }, 0, ['x'], {}, 'm').characters).toEqual(['', 'x', ' ']);
    expect(() => toSteps({ dims: [1, 3, 3], data }, 0, ['x', 'y', 'z'], {}, 'm')).toThrow('the dictionary has 3');
  });

  it('reads a dictionary as one character a line', () => {
    expect(parseDictionary("'\n疗\r\n\n0\n")).toEqual(["'", '疗', ' ', '0']);
  });
});

/** Reads stripes: a step is a pixel column of 8, bright red is “1”, bright green “2”, dark the blank. */
function stripes(width: number | string): Uint8Array {
  const graph = new Graph(['N', 3, 8, width]);
  const pool = { kernel_shape: [8, 8], strides: [8, 8] };
  const means = graph.add('Squeeze', [graph.add('AveragePool', ['images'], pool), graph.integers([2])]);
  const rows = graph.add('Transpose', [means], { perm: [0, 2, 1] });
  const weights = graph.floats([0, 20, 0, 0, 0, 20, 0, 0, 0], [3, 3]);
  const logits = graph.add('Add', [graph.add('MatMul', [rows, weights]), graph.floats([8, 0, 0])]);
  const p = graph.add('Softmax', [logits], { axis: 2 });
  return graph.file({ output: { of: p, dims: ['N', 'steps', 3] } });
}

/** Networks stay open until the tests end, as a process is started for each that is not open. */
const opened = new DisposableStack();
afterAll(() => opened.dispose());

async function read(model: Uint8Array, crop: ReturnType<typeof draw>, options: object): Promise<Observation> {
  const detector = opened.use(
    await kind.open(
      { model: 'm.onnx', task: 'read', dictionary: 'd.txt', input: { scale: 1 / 255 }, ...options } as Parameters<
        typeof kind.open
      >[0],
      assetsOf({ 'm.onnx': model, 'd.txt': '1\n2\n' }),
    ),
  );
  return await detector.read(viewOfImage(crop));
}

/** Cells of 16 × 16: red, red, dark, red, green. */
const shown = draw(80, 16, (x) => {
  const cell = Math.floor(x / 16);
  return cell === 2 ? [0, 0, 0] : cell === 4 ? [0, 255, 0] : [255, 0, 0];
});

describe('a recogniser of lines', () => {
  it('reads a line at the height of the model, as wide as it needs or with the rest of it grey', async () => {
    // 80 × 16 at height 8 is 40 wide: five steps, red red dark red green.
    expect(await read(stripes('width'), shown, {})).toMatchObject({ state: 'seen', value: '112' });
    // Dark beyond the line: three more steps of blanks.
    expect(await read(stripes(64), shown, { input: { pad: 0 } })).toMatchObject({ value: '112' });
    expect(await read(stripes(64), shown, { input: { pad: 0 }, value: 'number' })).toMatchObject({ value: 112 });
    expect(await read(stripes('width'), shown, { input: { channels: 'BGR' } })).toMatchObject({ value: '2' });
    const line = await read(stripes('width'), shown, {});
    expect(await read(stripes('width'), shown, { confidence: 'character' })).toMatchObject({
      value: '112',
      confidence: expect.closeTo(Math.cbrt(line.confidence), 9),
    });
  });

  it('sees no text in an empty line', async () => {
    expect(
      await read(
        stripes('width'),
        draw(80, 16, () => [0, 0, 0]),
        {},
      ),
    ).toMatchObject({ state: 'absent' });
    expect(
      await read(
        stripes('width'),
        draw(80, 16, () => [102, 0, 0]),
        { threshold: 0.9 },
      ),
    ).toMatchObject({
      state: 'unreadable',
    });
  });

  it('refuses a dictionary of another model', async () => {
    const graph = new Graph(['N', 3, 8, 40]);
    const model = graph.file({
      output: { of: constantOutput(graph, Array(10).fill(0.2), [1, 2, 5]), dims: [1, 2, 5] },
    });
    await expect(read(model, shown, {})).rejects.toMatchObject({
      code: 'model-refused',
      message: 'the model m.onnx cannot be used: it has 5 characters including the blank, and the dictionary has 2',
    });
  });
});
