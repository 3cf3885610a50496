import { expect, it } from 'vitest';
import { refusedModels } from '../../../test/fixtures/hostile-models.ts';
import { node, pictureBytes } from '../../../test/fixtures/onnx.ts';
import { parseModel } from '../inference.ts';

it.each(refusedModels)('a hostile model is refused: $name', ({ bytes, says }) => {
  expect(() => parseModel(bytes(), 'm.onnx')).toThrow(says);
});

it('a model is refused by node and reason', () => {
  const bytes = pictureBytes([{ ...node('RandomNormalLike', ['x'], ['y']), name: 'noise' }]);
  expect(() => parseModel(bytes, 'm.onnx')).toThrow(
    expect.objectContaining({
      code: 'model-refused',
      message: 'the model m.onnx cannot be used: its node RandomNormalLike “noise” is random',
    }),
  );
});

it('a model with dropout that is switched off is accepted', () => {
  const off = { name: 'off', dataType: 9, dims: [], int32Data: [0] };
  const ratio = { name: 'ratio', dataType: 1, dims: [], floatData: [0.5] };
  const bytes = pictureBytes([node('Dropout', ['x', 'ratio', 'off'], ['y'])], [ratio, off]);
  expect(parseModel(bytes, 'm.onnx').outputs).toHaveLength(1);
});
