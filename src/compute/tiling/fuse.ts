import { PlaybyplayError } from '../../errors.ts';
import { type Axis, describeLayer, type Layer, POINTWISE, type Shape, type Window, type Windows } from './layers.ts';
import { elementCount, FLOAT, type Model, type Node, type ValueInfo } from './model.ts';

/**
 * Layers that execute together: at most one with a window, followed by pointwise layers and by pooling whose windows do not
 * overlap. Nothing between them is kept from pass to pass.
 */
export interface FusedLayer {
  readonly name: string;
  readonly layers: readonly Layer[];
  /** Feature maps read. The window moves over the first; the others are read pointwise. */
  readonly inputs: readonly string[];
  /** Feature maps that other fused layers read or the network returns; all of one size. */
  readonly outputs: readonly string[];
  /** How the outputs move over each input. */
  readonly windows: ReadonlyMap<string, Windows>;
  /** Rows (columns) of each layer's output for one of the fused layer's. */
  readonly ratios: ReadonlyMap<Layer, Readonly<Record<Axis, number>>>;
  readonly padValue: number;
  /** Multiply-adds per row of output, and per column. */
  readonly work: Readonly<Record<Axis, number>>;
  readonly weightBytes: number;
}

/** A network split into fused layers that can be computed in parts, and the nodes that run once on their results. */
export interface FusedNetwork {
  readonly model: Model;
  readonly shapes: ReadonlyMap<string, Shape>;
  /** Inputs that the layers read. */
  readonly sources: readonly string[];
  readonly layers: readonly FusedLayer[];
  /** Maps that the layers make and the remaining nodes or the caller read. */
  readonly results: readonly string[];
  /** Nodes that cannot be computed in parts, and all that follow them. */
  readonly remainder: readonly Node[];
}

/**
 * Fuses the layers of a network for images of one size.
 *
 * @throws PlaybyplayError `model-unsupported` if the first input is not an image (1 × channels × height × width floats) or
 *   no layer can be computed in parts, `model-input-size` if the model is made for another size.
 */
export function fuseLayers(
  model: Model,
  { width, height }: { readonly width: number; readonly height: number },
): FusedNetwork {
  const shapes = new Map<string, Shape>();
  const images = model.inputs.filter(isImage);
  for (const input of images) {
    const [, channels] = input.dims;
    if (typeof channels !== 'number')
      throw unsupported(`input "${input.name}" leaves its number of channels open`, 'Export it with fixed channels.');
    checkSize(input, width, height);
    shapes.set(input.name, { channels, height, width });
  }
  const layers: Layer[] = [];
  const remainder: Node[] = [];
  for (const node of model.nodes) {
    const layer = describeLayer(node, shapes, model);
    if (layer) {
      layers.push(layer);
      shapes.set(layer.output, layer.shape);
    } else remainder.push(node);
  }
  if (layers.length === 0) throw unsupported(explainUnsupported(model));
  const wanted = new Set([...model.outputs.map(({ name }) => name), ...remainder.flatMap(({ inputs }) => inputs)]);
  const fused = groupLayers(layers, wanted, model);
  return {
    model,
    shapes,
    sources: images.map(({ name }) => name).filter((name) => fused.some(({ inputs }) => inputs.includes(name))),
    layers: fused,
    results: layers.map(({ output }) => output).filter((name) => wanted.has(name)),
    remainder,
  };
}

/** Returns the window with which a fused layer reads one of its inputs. */
export function windowOn(layer: FusedLayer, input: string, axis: Axis): Window {
  return layer.windows.get(input)![axis];
}

function groupLayers(layers: readonly Layer[], wanted: ReadonlySet<string>, model: Model): FusedLayer[] {
  // ONNX allows layers whose output nobody reads.
  const live = new Set(wanted);
  const used = layers.toReversed().filter(({ inputs, output }) => {
    if (!live.has(output)) return false;
    for (const input of inputs) live.add(input);
    return true;
  });
  const readers = new Map<string, Layer[]>();
  for (const layer of used) for (const name of layer.inputs) readers.set(name, [...(readers.get(name) ?? []), layer]);
  const groups: Group[] = [];
  const groupByOutput = new Map<string, Group>();
  for (const layer of used.toReversed()) {
    const producers = layer.inputs.flatMap((name) => groupByOutput.get(name) ?? []);
    const latest = producers.toSorted((a, b) => groups.indexOf(b) - groups.indexOf(a))[0];
    const group = latest?.accepts(layer, readers, wanted) ? latest : new Group();
    if (group !== latest) groups.push(group);
    group.add(layer);
    groupByOutput.set(layer.output, group);
  }
  return groups.map((group) => group.fuse(readers, wanted, model));
}

type Readers = ReadonlyMap<string, readonly Layer[]>;

/** A fused layer under construction. */
class Group {
  readonly #layers: Layer[] = [];
  readonly #made = new Set<string>();
  readonly #windows = new Map<string, Windows>();
  readonly #ratios = new Map<Layer, Record<Axis, number>>();

  /** Whether a layer can join without anything being kept or computed twice. */
  accepts(layer: Layer, readers: Readers, wanted: ReadonlySet<string>): boolean {
    const outside = layer.inputs.filter((name) => !this.#made.has(name));
    // A map that the group reads through a window cannot be read pointwise too.
    if (isPointwise(layer.windows))
      return outside.every((name) => isPointwise(this.#windows.get(name) ?? layer.windows));
    if (!isBlockwise(layer.windows) || outside.length > 0) return false;
    if (this.#windows.values().some(({ rows, columns }) => rows.upsample > 1 || columns.upsample > 1)) return false;
    const isPrivate = (name: string) =>
      !wanted.has(name) && (readers.get(name) ?? []).every((reader) => reader === layer || this.#ratios.has(reader));
    return [...this.#made].every(isPrivate);
  }

  add(layer: Layer): void {
    const isFirst = this.#layers.length === 0;
    if (!isFirst && !isPointwise(layer.windows)) this.#widen(layer.windows);
    for (const name of layer.inputs) {
      if (!this.#made.has(name) && !this.#windows.has(name))
        this.#windows.set(name, isFirst ? layer.windows : { rows: POINTWISE, columns: POINTWISE });
    }
    this.#layers.push(layer);
    this.#made.add(layer.output);
    this.#ratios.set(layer, { rows: 1, columns: 1 });
  }

  fuse(readers: Readers, wanted: ReadonlySet<string>, model: Model): FusedLayer {
    const [first] = this.#layers as [Layer, ...Layer[]];
    const weights = new Set(this.#layers.flatMap(({ constants }) => constants));
    const isRead = (name: string) =>
      wanted.has(name) || (readers.get(name) ?? []).some((reader) => !this.#ratios.has(reader));
    const work = { rows: 0, columns: 0 };
    for (const layer of this.#layers) {
      const { channels, height, width } = layer.shape;
      const ratio = this.#ratios.get(layer)!;
      work.rows += layer.work * channels * width * ratio.rows;
      work.columns += layer.work * channels * height * ratio.columns;
    }
    return {
      name: first.node.name || first.output,
      layers: this.#layers,
      inputs: [...this.#windows.keys()],
      outputs: this.#layers.map(({ output }) => output).filter(isRead),
      windows: this.#windows,
      ratios: this.#ratios,
      padValue: first.padValue,
      work,
      weightBytes: [...weights].reduce((sum, name) => sum + 4 * elementCount(model.initializers.get(name)!.dims), 0),
    };
  }

  /** Widens the group's windows for a layer that reads blocks of what the group makes. */
  #widen(blocks: Windows): void {
    for (const [name, { rows, columns }] of this.#windows)
      this.#windows.set(name, { rows: widen(rows, blocks.rows), columns: widen(columns, blocks.columns) });
    for (const ratio of this.#ratios.values()) {
      ratio.rows *= blocks.rows.stride;
      ratio.columns *= blocks.columns.stride;
    }
  }
}

/** Returns the window of blocks over what `window` makes, seen from the input of `window`. */
function widen(window: Window, { kernel, stride }: Window): Window {
  return { ...window, kernel: (kernel - 1) * window.stride + window.kernel, stride: stride * window.stride };
}

function isBlockwise({ rows, columns }: Windows): boolean {
  return [rows, columns].every(
    ({ kernel, stride, padBefore, padAfter, upsample }) =>
      kernel === stride && padBefore + padAfter === 0 && upsample === 1,
  );
}

function isPointwise(windows: Windows): boolean {
  return isBlockwise(windows) && windows.rows.kernel === 1 && windows.columns.kernel === 1;
}

function isImage({ dims, type }: ValueInfo): boolean {
  return dims.length === 4 && type === FLOAT && (typeof dims[0] !== 'number' || dims[0] === 1);
}

function checkSize({ name, dims }: ValueInfo, width: number, height: number): void {
  const [, , high, wide] = dims;
  if ((typeof high !== 'number' || high === height) && (typeof wide !== 'number' || wide === width)) return;
  throw new PlaybyplayError(
    'model-input-size',
    `input "${name}" is made for ${wide} × ${high}, not ${width} × ${height}`,
    {
      hint: `Use ${wide}x${high}, or export the model with open height and width.`,
    },
  );
}

function explainUnsupported({ inputs, nodes }: Model): string {
  const image = inputs.find(({ dims, type }) => dims.length === 4 && type === FLOAT);
  if (!image) return 'none of its inputs is an image (1 × channels × height × width floats)';
  if (!isImage(image)) return `input "${image.name}" takes ${image.dims[0]} images at once, not one`;
  return `no layer can be computed in parts (the first is ${nodes[0]?.op ?? 'missing'})`;
}

function unsupported(reason: string, hint = 'Run it without a memory budget.'): PlaybyplayError {
  return new PlaybyplayError('model-unsupported', `this model cannot be tiled: ${reason}`, { hint });
}
