import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { PlaybyplayError } from '../../errors.ts';
import type { GroupRun, Instruction, Place, Program } from './instructions.ts';
import type { Shape } from './operators.ts';
import { GroupSession } from './group-session.ts';
import { openSession, restModel, type RuntimeOptions } from './session.ts';
import type { Analysis, Axis } from './units.ts';
import { length } from './window.ts';

/** A picture that is asked for in parts, so that it need not lie in memory as floats as a whole. */
export interface Source {
  /**
   * Writes the positions `from` to `to` along the axis of all channels into `into`: the value of channel c, row y and
   * column x belongs at `offset + c · channelStride + (y − first row) · rowStride + (x − first column)`.
   */
  read(request: SourceRequest): void;
}

export interface SourceRequest {
  readonly axis: Axis;
  readonly from: number;
  readonly to: number;
  readonly into: Float32Array;
  readonly offset: number;
  readonly channelStride: number;
  readonly rowStride: number;
}

/** What a run did, counted as it was done. */
export interface Counts {
  /** Rows (or columns) fetched from the sources, and rows computed, over all maps. */
  readonly fetched: number;
  readonly computed: number;
  readonly macs: number;
  /** Floats copied inside the executor. */
  readonly copied: number;
  readonly runs: number;
}

/** A network that runs in parts inside buffers of a fixed size. One run at a time. Dispose it when done. */
export class TiledNetwork implements AsyncDisposable {
  private readonly analysis: Analysis;
  private readonly programs: readonly Program[];
  private readonly sessions: ReadonlyMap<Program, GroupSession>;
  private readonly pads = new Map<number, Float32Array>();
  private readonly rest: InferenceSession | undefined;
  private readonly main: Float32Array;
  private readonly aux: Float32Array;
  private axis: Axis = 'rows';
  private counts = { fetched: 0, computed: 0, macs: 0, copied: 0, runs: 0 };

  private constructor(
    analysis: Analysis,
    programs: readonly Program[],
    sessions: ReadonlyMap<Program, GroupSession>,
    rest: InferenceSession | undefined,
  ) {
    this.analysis = analysis;
    this.programs = programs;
    this.sessions = sessions;
    this.rest = rest;
    this.main = new Float32Array(Math.max(...programs.map(({ main }) => main)));
    this.aux = new Float32Array(Math.max(...programs.map(({ aux }) => aux)));
  }

  /** `programs`: those of the network's chains, one after the other. */
  static async open(
    analysis: Analysis,
    programs: readonly Program[],
    options: RuntimeOptions = {},
  ): Promise<TiledNetwork> {
    const sessions = new Map<Program, GroupSession>();
    for (const program of programs) {
      const { group, axis, analysis: part } = program;
      sessions.set(program, await GroupSession.open(group, part, axis, options));
    }
    const rest = restModel(analysis);
    return new TiledNetwork(analysis, programs, sessions, rest && (await openSession(rest, options)));
  }

  /** What the last run did. */
  get counted(): Counts {
    return this.counts;
  }

  /**
   * Runs the network on one picture a source, given whole (1 × channels × height × width floats) or in parts. Returns its
   * outputs. `more` are inputs that are no pictures. Throws the signal's reason between two passes.
   */
  async run(
    sources: Readonly<Record<string, Float32Array | Source>>,
    options: { readonly more?: Readonly<Record<string, Tensor>>; readonly signal?: AbortSignal } = {},
  ): Promise<Readonly<Record<string, Tensor>>> {
    const from = new Map(this.analysis.sources.map((name) => [name, this.sourceOf(name, sources[name])]));
    const dram = new Map<string, Float32Array>();
    this.counts = { fetched: 0, computed: 0, macs: 0, copied: 0, runs: 0 };
    for (const [chain, program] of this.programs.entries()) {
      this.axis = program.axis;
      for (const name of program.results) dram.set(name, new Float32Array(sizeOfShape(this.shapeOf(name))));
      for (const pass of program.passes) {
        options.signal?.throwIfAborted();
        for (const instruction of pass) await this.execute(instruction, program, from, dram);
      }
      this.handOn(chain, from, dram);
    }
    const results = Object.fromEntries(
      this.analysis.results.map((name) => [name, new Tensor('float32', dram.get(name)!, dimsOf(this.shapeOf(name)))]),
    );
    const wanted = this.analysis.model.outputs.map(({ name }) => name);
    if (!this.rest) return pick(results, wanted);
    const feeds = pick({ ...results, ...options.more }, this.rest.inputNames);
    return { ...pick(results, wanted), ...(await this.rest.run(feeds)) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.sessions.values()) await session[Symbol.asyncDispose]();
    await this.rest?.release();
  }

  /** Makes a chain's results the sources of those behind it, and lets go of what nobody reads any more. */
  private handOn(chain: number, sources: Map<string, Source>, dram: Map<string, Float32Array>): void {
    for (const name of this.programs[chain]!.results)
      sources.set(name, wholePicture(dram.get(name)!, this.shapeOf(name)));
    const later = new Set([
      ...this.analysis.results,
      ...this.programs.slice(chain + 1).flatMap((program) => program.sources),
    ]);
    for (const name of dram.keys()) {
      if (later.has(name)) continue;
      dram.delete(name);
      sources.delete(name);
    }
  }

  private async execute(
    instruction: Instruction,
    program: Program,
    sources: ReadonlyMap<string, Source>,
    dram: ReadonlyMap<string, Float32Array>,
  ): Promise<void> {
    switch (instruction.op) {
      case 'fetch':
        return this.fetch(instruction.to, sources.get(instruction.to.map)!);
      case 'run':
        return await this.runGroup(instruction, program);
      default:
        return this.copy(instruction.from, instruction.to, dram);
    }
  }

  private fetch(to: Place, source: Source): void {
    const { axis } = this;
    const shape = this.shapeOf(to.map);
    const span = length(to.span);
    const skip = to.range.from - to.span.from;
    const rowStride = axis === 'rows' ? shape.width : span;
    source.read({
      axis,
      from: to.range.from,
      to: to.range.to,
      into: this.main,
      offset: to.offset + (axis === 'rows' ? skip * shape.width : skip),
      channelStride: axis === 'rows' ? span * shape.width : span * shape.height,
      rowStride,
    });
    this.counts.fetched += length(to.range);
  }

  private copy(from: Place, to: Place, dram: ReadonlyMap<string, Float32Array>): void {
    const { blocks, unit } = this.blocksOf(to.map);
    const source = this.bufferOf(from, dram);
    const target = this.bufferOf(to, dram);
    copyBlocks(
      { data: source, start: from.offset + (to.range.from - from.span.from) * unit, stride: length(from.span) * unit },
      { data: target, start: to.offset + (to.range.from - to.span.from) * unit, stride: length(to.span) * unit },
      blocks,
      length(to.range) * unit,
    );
    this.counts.copied += blocks * length(to.range) * unit;
  }

  private async runGroup(step: GroupRun, program: Program): Promise<void> {
    await this.sessions.get(program)!.run(step, this.main, this.aux, (value, floats) => this.padding(value, floats));
    for (const { unit, positions } of step.made) {
      this.counts.computed += positions;
      this.counts.macs += unit.work[this.axis] * positions;
    }
    this.counts.runs++;
  }

  private padding(value: number, floats: number): Float32Array {
    const known = this.pads.get(value);
    if (known && known.length >= floats) return known;
    const made = new Float32Array(floats).fill(value);
    this.pads.set(value, made);
    return made;
  }

  private bufferOf({ buffer, map }: Place, dram: ReadonlyMap<string, Float32Array>): Float32Array {
    return buffer === 'main' ? this.main : buffer === 'aux' ? this.aux : dram.get(map)!;
  }

  /** A piece of memory as blocks that are contiguous: how many, and floats per position along the axis in each. */
  private blocksOf(map: string): { readonly blocks: number; readonly unit: number } {
    const { channels, height, width } = this.shapeOf(map);
    return this.axis === 'rows' ? { blocks: channels, unit: width } : { blocks: channels * height, unit: 1 };
  }

  private shapeOf(map: string): Shape {
    return this.analysis.shapes.get(map)!;
  }

  private sourceOf(name: string, given: Float32Array | Source | undefined): Source {
    const shape = this.shapeOf(name);
    if (!given) throw new TypeError(`input "${name}" is missing`);
    if (!(given instanceof Float32Array)) return given;
    if (given.length !== sizeOfShape(shape)) {
      const { channels, height, width } = shape;
      throw new PlaybyplayError(
        'model-input-size',
        `input "${name}" has ${given.length} values, not ${channels} × ${height} × ${width}`,
      );
    }
    return wholePicture(given, shape);
  }
}

/** A picture that lies in memory as a whole. */
function wholePicture(data: Float32Array, { channels, height, width }: Shape): Source {
  return {
    read({ axis, from, to, into, offset, channelStride, rowStride }) {
      const rows = axis === 'rows' ? to - from : height;
      const columns = axis === 'rows' ? width : to - from;
      for (let channel = 0; channel < channels; channel++) {
        const start = channel * height * width + (axis === 'rows' ? from * width : from);
        const target = { data: into, start: offset + channel * channelStride, stride: rowStride };
        copyBlocks({ data, start, stride: width }, target, rows, columns);
      }
    },
  };
}

interface Strided {
  readonly data: Float32Array;
  readonly start: number;
  readonly stride: number;
}

/** Below this many floats a loop is faster than a call of `set`. */
const SHORT = 32;

function copyBlocks(from: Strided, to: Strided, blocks: number, size: number): void {
  if (from.stride === size && to.stride === size) {
    to.data.set(from.data.subarray(from.start, from.start + blocks * size), to.start);
    return;
  }
  for (let block = 0; block < blocks; block++) {
    const read = from.start + block * from.stride;
    const write = to.start + block * to.stride;
    if (size > SHORT) to.data.set(from.data.subarray(read, read + size), write);
    else for (let i = 0; i < size; i++) to.data[write + i] = from.data[read + i]!;
  }
}

function pick<T>(from: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function dimsOf({ channels, height, width }: Shape): number[] {
  return [1, channels, height, width];
}

function sizeOfShape({ channels, height, width }: Shape): number {
  return channels * height * width;
}
