import { messageOf, PlaybyplayError } from '../../errors.ts';
import { type Model, modelFromProto } from '../tiling/model.ts';
import { boundModel, checkOperators, type InputSizes, type ModelBounds } from './bounds.ts';
import { networkLimits } from './limits.ts';
import { decodeModel, type ModelProto } from './proto.ts';
import { exactly, type Range } from './range.ts';
import { Unbounded } from './tensor.ts';

/** Limit of the size of a network file. */
export const MAX_MODEL_BYTES = 256 << 20;
/** Sizes of inputs for which the bounds are kept. */
const MAX_KNOWN_SIZES = 10_000;

/** A model from a stranger, all of which has been checked, and whose runs are bounded before they begin. */
export class CheckedModel {
  readonly model: Model;
  /** Path of the model, for errors. */
  readonly file: string;
  readonly #proto: ModelProto;
  readonly #known = new Map<string, ModelBounds>();

  /** @throws PlaybyplayError `model-refused` with an issue that names the file and the reason. */
  constructor(bytes: Uint8Array, file: string) {
    this.file = file;
    if (bytes.length > MAX_MODEL_BYTES)
      throw refuseModel(file, `it has ${bytes.length} bytes; at most ${MAX_MODEL_BYTES} are allowed`);
    try {
      this.#proto = decodeModel(bytes);
      checkOperators(this.#proto);
      this.model = modelFromProto(this.#proto);
    } catch (error) {
      throw refused(error, file);
    }
  }

  /**
   * Bounds a run on inputs of these sizes.
   *
   * @param sizes Dimensions by input; others as the model declares them, 1 where it leaves them open.
   * @throws PlaybyplayError `model-refused` if it may need more memory than allowed, or has no bound.
   */
  boundsFor(sizes: Readonly<Record<string, readonly number[]>>): ModelBounds {
    const key = JSON.stringify(sizes);
    const known = this.#known.get(key);
    if (known) return known;
    const inputs: InputSizes = new Map(
      this.model.inputs.map(({ name, dims }): [string, readonly Range[]] => [
        name,
        (sizes[name] ?? dims.map((dim) => (typeof dim === 'number' && dim > 0 ? dim : 1))).map(exactly),
      ]),
    );
    try {
      const bounds = boundModel(this.#proto, inputs, networkLimits().memory);
      if (this.#known.size >= MAX_KNOWN_SIZES) this.#known.clear();
      this.#known.set(key, bounds);
      return bounds;
    } catch (error) {
      throw refused(error, this.file);
    }
  }
}

function refused(error: unknown, file: string): PlaybyplayError {
  const hint = error instanceof Unbounded || error instanceof PlaybyplayError ? error.hint : undefined;
  return refuseModel(file, messageOf(error), hint, error);
}

/** Creates the error for a model that cannot be used. */
export function refuseModel(file: string, reason: string, hint?: string, cause?: unknown): PlaybyplayError {
  return modelError('model-refused', 'cannot be used', file, reason, hint, cause);
}

/** Creates an error about a model, with an issue that names the file and the reason. */
export function modelError(
  code: string,
  what: string,
  file: string,
  reason: string,
  hint?: string,
  cause?: unknown,
): PlaybyplayError {
  const issue = { code, path: file, message: reason, ...(hint === undefined ? {} : { hint }) };
  return new PlaybyplayError(code, `the model ${file} ${what}: ${reason}`, {
    hint,
    issues: [issue],
    ...(cause === undefined ? {} : { cause }),
  });
}
