import type { Model } from '../tiling/onnx.ts';
import { analyse } from '../tiling/units.ts';

/** Multiply-adds that a processor of today does in a second on one thread, measured with convolutions of onnxruntime. */
const PER_SECOND = 25e9;

/** How often a weight is used on a picture, where the model does not tell. */
const USES = 200;

/** About how long a network takes for one picture on one thread, in seconds; good enough to tell light ones from heavy ones. */
export function secondsOf(model: Model, width: number, height: number): number {
  return multiplyAdds(model, width, height) / PER_SECOND;
}

function multiplyAdds(model: Model, width: number, height: number): number {
  try {
    const { units, shapes } = analyse(model, { width, height });
    return units.reduce((sum, { work, outputs }) => sum + work.rows * shapes.get(outputs[0]!)!.height, 0);
  } catch {
    // A network that is not made of convolutions, or not on such pictures.
    const weights = [...model.initializers.values()].map(({ dims }) => dims.reduce((size, dim) => size * dim, 1));
    return USES * weights.reduce((sum, size) => sum + size, 0);
  }
}
