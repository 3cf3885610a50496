import { InferenceSession, Tensor } from 'onnxruntime-node';
import { blockSize, inBlocks, optimized } from './blocked.ts';
import { bounds, groupModel, joints } from './group-model.ts';
import type { Group } from './groups.ts';
import type { GroupRun } from './instructions.ts';
import { type Model, writeModel } from './onnx.ts';
import { openSession, type RuntimeOptions, settingsOf } from './session.ts';
import { type Analysis, type Axis, unitSize } from './units.ts';
import { length } from './window.ts';

/** Padding of one value, as long as any group needs it. */
export type Padding = (value: number, floats: number) => Float32Array;

/** A group ready to be executed. */
export class GroupSession implements AsyncDisposable {
  /** Maps that it puts together, and is given and gives away, in blocks of channels. */
  readonly blocked: ReadonlySet<string>;
  private readonly session: InferenceSession;
  private readonly analysis: Analysis;
  private readonly axis: Axis;
  private readonly block: number;

  private constructor(
    session: InferenceSession,
    analysis: Analysis,
    axis: Axis,
    blocked: ReadonlySet<string>,
    block: number,
  ) {
    this.session = session;
    this.analysis = analysis;
    this.axis = axis;
    this.blocked = blocked;
    this.block = block;
  }

  static async open(group: Group, analysis: Analysis, axis: Axis, options: RuntimeOptions): Promise<GroupSession> {
    const model = groupModel(group, analysis, axis);
    const fast = await inBlocksIfPossible(model, group, analysis, axis, options);
    if (fast) return new GroupSession(fast.session, analysis, axis, fast.maps, fast.block);
    return new GroupSession(await openSession(model, options), analysis, axis, new Set(), 1);
  }

  /** Executes it once; what it makes lies in the places that the instruction names. */
  async run(step: GroupRun, main: Float32Array, aux: Float32Array, padding: Padding): Promise<void> {
    const feeds: Record<string, Tensor> = {};
    const fetches: Record<string, Tensor> = {};
    for (const { map, offset, span } of step.inputs) feeds[map] = this.tensor(map, main, offset, length(span));
    for (const { map, offset, span } of step.outputs) fetches[map] = this.tensor(map, main, offset, length(span));
    for (const { map, head, kept, tail, padValue } of step.joints) {
      const names = joints(map);
      const pad = padding(padValue, Math.max(head, tail) * this.sizeOf(map));
      feeds[names.head] = this.tensor(map, pad, 0, head, true);
      feeds[names.kept] = this.tensor(map, aux, kept.offset, length(kept.range), true);
      feeds[names.tail] = this.tensor(map, pad, 0, tail, true);
    }
    for (const { map, offset, range } of step.keeps)
      fetches[joints(map).keep] = this.tensor(map, aux, offset, length(range), true);
    for (const { name, map, range } of step.parts) {
      const by = this.axis === 'columns' && this.blocked.has(map) ? this.block : 1;
      const { from, to } = bounds(name);
      feeds[from] = new Tensor('int64', BigInt64Array.of(BigInt(range.from * by)), [1]);
      feeds[to] = new Tensor('int64', BigInt64Array.of(BigInt(range.to * by)), [1]);
    }
    // The runtime writes into the tensors that it is given.
    await this.session.run(feeds, fetches);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.release();
  }

  /** `joint`: what is put together, which may be in blocks. */
  private tensor(map: string, buffer: Float32Array, offset: number, positions: number, joint = false): Tensor {
    const { channels, height, width } = this.analysis.shapes.get(map)!;
    const block = joint && this.blocked.has(map) ? this.block : 1;
    const rows = this.axis === 'rows';
    const dims = [1, channels / block, rows ? positions : height, (rows ? width : positions) * block];
    return new Tensor('float32', buffer.subarray(offset, offset + positions * this.sizeOf(map)), dims);
  }

  private sizeOf(map: string): number {
    return unitSize(this.analysis.shapes.get(map)!, this.axis);
  }
}

async function inBlocksIfPossible(
  model: Model,
  group: Group,
  analysis: Analysis,
  axis: Axis,
  options: RuntimeOptions,
): Promise<{ session: InferenceSession; maps: ReadonlySet<string>; block: number } | undefined> {
  const others = options.providers?.some((name) => name !== 'cpu') ?? false;
  const block = group.kept.size > 0 && !others ? await blockSize() : undefined;
  if (block === undefined) return undefined;
  const settings = settingsOf(options);
  try {
    const blocked = inBlocks(await optimized(model, settings), group, analysis, axis, block);
    const bytes = writeModel(blocked.model);
    const session = await InferenceSession.create(bytes, { ...settings, graphOptimizationLevel: 'disabled' });
    return { session, maps: blocked.maps, block };
  } catch {
    // What cannot be had in blocks is had without; a model that is refused altogether is refused there.
    return undefined;
  }
}
