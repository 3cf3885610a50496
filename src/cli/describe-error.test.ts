import { expect, it } from 'vitest';
import { PlaybyplayError } from '../errors.ts';
import { describeError } from './describe-error.ts';

it('says once what to do, where an issue says it', () => {
  const hint = 'Use a smaller network.';
  const issue = { code: 'model-timeout', path: 'net.onnx', message: 'a run took longer than 60 s', hint };
  const error = new PlaybyplayError('model-timeout', 'the model net.onnx is too slow', { hint, issues: [issue] });
  expect(describeError(error)).toBe(
    'playbyplay: the model net.onnx is too slow\n  net.onnx: a run took longer than 60 s — Use a smaller network.',
  );
  const other = new PlaybyplayError('bad', 'it is bad', { hint: 'Choose another file.', issues: [issue] });
  expect(describeError(other).endsWith('\nChoose another file.')).toBe(true);
});
