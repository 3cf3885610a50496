import { InferenceSession, Tensor } from 'onnxruntime-node';
import { blockSize, inBlocks, optimized } from './blocked.ts';
import { type Group, IDLE } from './group.ts';
import { bounds, groupModel, partName, pieces, tensors } from './group-model.ts';
import type { GroupRun } from './instructions.ts';
import { type Model, writeModel } from './onnx.ts';
import { openSession, type RuntimeOptions, settingsOf } from './session.ts';
import { type Analysis, type Axis, unitSize } from './units.ts';
import { length, type Range } from './window.ts';

/** The runtime keeps a pass's memory for the next, which needs the same: less in all than what the system leaves in pieces. */
const KEPT = { enableCpuMemArena: true } as const;

/** Padding of one value, as long as any window needs it. */
export type Padding = (value: number, floats: number) => Float32Array;

/** A chain's units ready to be executed. */
export class GroupSession implements AsyncDisposable {
  /** Maps whose rows it is given and gives away in blocks of channels. */
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
    // Without the runtime's blocks: its own changes for them do not take a batch of none.
    const session = await openSession(model, options, { ...KEPT, graphOptimizationLevel: 'extended' });
    return new GroupSession(session, analysis, axis, new Set(), 1);
  }

  /** Executes it once; what it makes lies in the places that the instruction names. */
  async run(step: GroupRun, main: Float32Array, aux: Float32Array, padding: Padding): Promise<void> {
    const feeds: Record<string, Tensor> = {};
    const fetches: Record<string, Tensor> = {};
    const cut = (name: string, map: string, { from, to }: Range) => {
      const by = this.axis === 'columns' && this.blocked.has(map) ? this.block : 1;
      const names = bounds(name);
      feeds[names.from] = integers(from * by);
      feeds[names.to] = integers(to * by);
    };
    const pad = (name: string, map: string, value: number, positions: number) => {
      feeds[name] = this.tensor(map, padding(value, positions * this.sizeOf(map)), 0, positions, true);
    };
    for (const { map, part, place } of step.sources) {
      const positions = length(place.range);
      const name = part === 'seam' ? tensors(map).seamRows : map;
      feeds[name] =
        part === 'bulk' && positions === 0 ? this.none(map) : this.tensor(map, main, place.offset, positions);
    }
    for (const { map, part, place } of step.results) {
      const positions = length(place.range);
      if (positions > 0) fetches[partName(map, part)] = this.tensor(map, main, place.offset, positions);
    }
    for (const { use, head, kept, first, tail, keep, keepWhole, keepBulk } of step.seams) {
      const { name } = use;
      const names = tensors(name);
      if (use.head) pad(names.head, name, use.padValue, head);
      if (use.kept) feeds[names.kept] = this.tensor(name, aux, kept.offset, length(kept.range), true);
      if (use.first) cut(names.first, name, { from: 0, to: first });
      if (use.tail) pad(names.tail, name, use.padValue, tail);
      if (!use.kept) continue;
      cut(names.keepWhole, name, keepWhole);
      if (use.keepsBulk) cut(names.keepBulk, name, keepBulk);
      if (length(keep.range) > 0) fetches[names.keep] = this.tensor(name, aux, keep.offset, length(keep.range), true);
    }
    for (const { window, whole, bulk, head, tail, positions } of step.windows) {
      const { name, map, unit } = window;
      if (!this.session.inputNames.includes(pieces(name).shape)) continue;
      const names = pieces(name);
      if (window.padded) pad(names.head, map, unit.padValue, head);
      if (window.padded) pad(names.tail, map, unit.padValue, tail);
      if (window.whole === 'part') cut(names.whole, map, whole);
      if (window.bulk === 'part') cut(names.bulk, map, bulk);
      const { channels, height, width } = this.analysis.shapes.get(map)!;
      feeds[names.shape] = integers(-1, channels, ...(this.axis === 'rows' ? [positions, width] : [height, positions]));
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

  /** A batch of none. */
  private none(map: string): Tensor {
    const { channels, height, width } = this.analysis.shapes.get(map)!;
    const dims = this.axis === 'rows' ? [0, channels, IDLE, width] : [0, channels, height, IDLE];
    return new Tensor('float32', new Float32Array(), dims);
  }

  private sizeOf(map: string): number {
    return unitSize(this.analysis.shapes.get(map)!, this.axis);
  }
}

function integers(...values: readonly number[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(values.map(BigInt)), [values.length]);
}

async function inBlocksIfPossible(
  model: Model,
  group: Group,
  analysis: Analysis,
  axis: Axis,
  options: RuntimeOptions,
): Promise<{ session: InferenceSession; maps: ReadonlySet<string>; block: number } | undefined> {
  const others = options.providers?.some((name) => name !== 'cpu') ?? false;
  const joins = group.maps.values().some(({ whole }) => whole);
  const block = joins && !others ? await blockSize() : undefined;
  if (block === undefined) return undefined;
  const settings = settingsOf(options);
  try {
    const blocked = inBlocks(await optimized(model, settings), group, analysis, axis, block);
    const bytes = writeModel(blocked.model);
    const session = await InferenceSession.create(bytes, { ...settings, ...KEPT, graphOptimizationLevel: 'disabled' });
    return { session, maps: blocked.maps, block };
  } catch {
    // What cannot be had in blocks is had without; a model that is refused altogether is refused there.
    return undefined;
  }
}
