/** Small real ONNX models for the tests of this kind, put together operator by operator. */
import {
  type Attribute,
  FLOAT,
  type Initializer,
  INT64,
  createInitializer,
  type Model,
  type Node,
  createNode,
  writeModel,
} from '../../compute/tiling/model.ts';
import type { Assets } from '../kind.ts';

type Attributes = Readonly<Record<string, number | string | readonly number[] | Attribute>>;

/** A graph with one picture input. */
export class Graph {
  readonly #nodes: Node[] = [];
  readonly #constants = new Map<string, Initializer>();
  readonly #inputs: Model['inputs'][number][];
  #count = 0;

  constructor(dims: readonly (number | string)[], type = FLOAT) {
    this.#inputs = [{ name: 'images', type, dims }];
  }

  /** A further input. */
  input(name: string, type: number, dims: readonly (number | string)[]): string {
    this.#inputs.push({ name, type, dims });
    return name;
  }

  floats(values: readonly number[], dims: readonly number[] = [values.length]): string {
    const name = `constant${++this.#count}`;
    this.#constants.set(name, createInitializer(name, dims, Float32Array.from(values)));
    return name;
  }

  integers(values: readonly number[], dims: readonly number[] = [values.length]): string {
    const name = `constant${++this.#count}`;
    this.#constants.set(name, createInitializer(name, dims, BigInt64Array.from(values.map(BigInt))));
    return name;
  }

  add(op: string, inputs: readonly string[], attributes: Attributes = {}, name = `${op}${++this.#count}`): string {
    this.#nodes.push(createNode(op, inputs, [name], attributes));
    return name;
  }

  /** The file; `outputs` maps names to tensors and their dimensions. */
  file(
    outputs: Readonly<Record<string, { of: string; dims: readonly (number | string)[]; type?: number }>>,
    metadata: Readonly<Record<string, string>> = {},
  ): Uint8Array {
    for (const [name, { of }] of Object.entries(outputs)) this.add('Identity', [of], {}, name);
    return writeModel({
      irVersion: 8,
      opsets: new Map([['', 17]]),
      nodes: this.#nodes,
      initializers: this.#constants,
      inputs: this.#inputs,
      outputs: Object.entries(outputs).map(([name, { dims, type = FLOAT }]) => ({ name, type, dims })),
      metadata: new Map(Object.entries(metadata)),
    });
  }
}

/** A constant that still depends on the picture (by nothing), so that the graph is a real one. */
export function constantOutput(graph: Graph, values: readonly number[], dims: readonly number[]): string {
  const mean = graph.add('ReduceMean', ['images'], { keepdims: 0 });
  const nothing = graph.add('Mul', [mean, graph.floats([0], [])]);
  return graph.add('Add', [graph.floats(values, dims), nothing]);
}

/** Files in memory. */
export function assetsOf(files: Readonly<Record<string, Uint8Array | string>>): Assets {
  return {
    read(path) {
      const file = files[path];
      if (file === undefined) return Promise.reject(new Error(`no ${path}`));
      return Promise.resolve(typeof file === 'string' ? Buffer.from(file) : file);
    },
  };
}

/**
 * Finds what is brighter than 0.9: its four edges in pixels of the network's picture, each a tensor of 1 × 1 floats.
 * So where a network sees a thing depends on how the picture was fitted into its own.
 */
export function edgesOf(graph: Graph): Readonly<Record<'x0' | 'y0' | 'x1' | 'y1', string>> {
  const bright = graph.add('ReduceMax', ['images'], { axes: [1], keepdims: 0 });
  const mask = graph.add('Cast', [graph.add('Greater', [bright, graph.floats([0.9], [])])], { to: 1 });
  const edge = (axis: number, last: boolean): string => {
    const line = graph.add('ReduceMax', [mask], { axes: [axis], keepdims: 0 });
    const at = graph.add('ArgMax', [line], { axis: 1, keepdims: 1, select_last_index: last ? 1 : 0 });
    const pixels = graph.add('Cast', [at], { to: 1 });
    return last ? graph.add('Add', [pixels, graph.floats([1], [])]) : pixels;
  };
  return { x0: edge(1, false), x1: edge(1, true), y0: edge(2, false), y1: edge(2, true) };
}

export { FLOAT, INT64 };
