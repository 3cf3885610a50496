import type { Group, MapUse, Window } from './group.ts';
import { initializer, INT64, integersOfNode, type Model, type Node, node, type Value } from './onnx.ts';
import type { Operator, Shape } from './operators.ts';
import { type Part, PARTS } from './seams.ts';
import type { Analysis, Axis, Unit } from './units.ts';
import { type AxisWindow, surplus } from './window.ts';

/**
 * Names of a map's tensors: what is made at the seam (the bulk has the map's own name), both as rows, and the rows at the
 * seam (`whole`) with what they are put together of; `keep` is what the next pass is given as `kept`.
 */
export const tensors = (map: string) => ({
  seam: `${map}@seam`,
  seamRows: `${map}@seam@rows`,
  rows: `${map}@rows`,
  head: `${map}@head`,
  kept: `${map}@kept`,
  first: `${map}@first`,
  tail: `${map}@tail`,
  whole: `${map}@whole`,
  keepWhole: `${map}@keep@whole`,
  keepBulk: `${map}@keep@bulk`,
  keep: `${map}@keep`,
});

/** … and those that a window is put together of; `shape` says how it is to be seen. */
export const pieces = (window: string) => ({
  head: `${window}@head`,
  whole: `${window}@whole`,
  bulk: `${window}@bulk`,
  tail: `${window}@tail`,
  joined: `${window}@joined`,
  shape: `${window}@shape`,
});

/** The two inputs that say from where to where a piece reaches. */
export const bounds = (piece: string) => ({ from: `${piece}@from`, to: `${piece}@to` });

const AXIS = 'axis@cut';

/** The name of a part of a map, or of what a unit hands on inside it. */
export function partName(name: string, part: Part): string {
  return part === 'bulk' ? name : tensors(name).seam;
}

/**
 * The model of a chain for any number of rows (or columns). Every unit stands in it twice, for the seam and for the bulk.
 * Only what lies about the seam is put together: padding, what was kept, what is new there, and the first of the bulk.
 */
export function groupModel(group: Group, analysis: Analysis, axis: Axis): Model {
  return new Builder(group, analysis, axis).build();
}

/** Whether the model's set of operators has those that a chain is put together with (or can be raised to it). */
export function canGroup({ opsets }: Model): boolean {
  return (opsets.get('') ?? opsets.get('ai.onnx') ?? 0) >= 7;
}

class Builder {
  private readonly group: Group;
  private readonly analysis: Analysis;
  private readonly axis: Axis;
  private readonly cut: number;
  private readonly nodes: Node[] = [];
  private readonly inputs: Value[] = [];
  private readonly outputs: Value[] = [];
  private readonly constants = new Map([[AXIS, initializer(AXIS, [1], BigInt64Array.of(0n))]]);

  constructor(group: Group, analysis: Analysis, axis: Axis) {
    this.group = group;
    this.analysis = analysis;
    this.axis = axis;
    this.cut = axis === 'rows' ? 2 : 3;
    this.constants.set(AXIS, initializer(AXIS, [1], BigInt64Array.of(BigInt(this.cut))));
  }

  build(): Model {
    const { group, analysis } = this;
    for (const name of analysis.sources) {
      const use = group.maps.get(name)!;
      if (use.seam) this.inputs.push(this.open(tensors(name).seamRows, name));
      if (use.bulk)
        this.inputs.push({ ...this.open(name, name), dims: ['batch', ...this.open(name, name).dims.slice(1)] });
      this.seam(use);
    }
    for (const unit of group.units) {
      for (const part of PARTS) this.unit(unit, part);
      for (const name of unit.outputs) this.made(group.maps.get(name)!);
    }
    for (const name of analysis.results) {
      for (const part of PARTS)
        if (group.maps.get(name)![part]) this.outputs.push(this.open(partName(name, part), name));
    }
    const { irVersion, initializers } = analysis.model;
    const used = new Set(this.nodes.flatMap(({ inputs }) => inputs));
    const constants = new Map([...initializers, ...this.constants].filter(([name]) => used.has(name)));
    const { inputs, outputs } = this;
    return { irVersion, opsets: opsetsOf(analysis.model), nodes: this.nodes, initializers: constants, inputs, outputs };
  }

  /** A unit's operators for one part, if that is ever made. */
  private unit(unit: Unit, part: Part): void {
    if (!this.group.maps.get(unit.outputs[0]!)![part]) return;
    const read = new Map<string, string>();
    for (const window of this.group.windows)
      if (window.unit === unit && window.part === part) read.set(window.map, this.window(window));
    const own = new Set(unit.operators.map(({ output }) => output));
    const named = (name: string) => read.get(name) ?? (own.has(name) ? partName(name, part) : name);
    for (const operator of unit.operators) {
      const one = renewed(operator.padded ? withoutPadding(operator, this.axis) : operator.node, this.analysis.model);
      const name = part === 'bulk' ? one.name : `${one.name}@seam`;
      this.nodes.push({ ...one, name, inputs: one.inputs.map(named), outputs: one.outputs.map(named) });
    }
  }

  /** Puts a window together where it cannot be had straight from the bulk. */
  private window(window: Window): string {
    if (window.direct) return window.map;
    const { name, map, whole, bulk, padded, unit } = window;
    const names = pieces(name);
    const { rows, whole: seam } = tensors(map);
    const list: string[] = [];
    if (padded) this.inputs.push(this.open(names.head, map), this.open(names.tail, map));
    if (padded) list.push(names.head);
    if (whole !== 'none') list.push(whole === 'all' ? seam : this.slice(seam, names.whole));
    if (bulk !== 'none') list.push(bulk === 'all' ? rows : this.slice(rows, names.bulk));
    if (padded) list.push(names.tail);
    if (list.length === 0) throw new Error(`nothing is read of "${map}" for "${unit.name}"`);
    const joined = list.length === 1 ? list[0]! : this.concat(list, names.joined);
    this.inputs.push({ name: names.shape, type: INT64, dims: [4] });
    this.nodes.push(node('Reshape', [joined, names.shape], [name]));
    return name;
  }

  private made(use: MapUse): void {
    const { seam, seamRows } = tensors(use.name);
    if (use.seam && use.whole) this.rows(seam, seamRows, use.name);
    this.seam(use);
  }

  /** Puts together what there is about the seam, and cuts off what is to be kept. */
  private seam(use: MapUse): void {
    const { name, seam, bulk, head, kept, first, tail } = use;
    const names = tensors(name);
    const reads = this.group.windows.some((one) => one.map === name && !one.direct && one.bulk !== 'none');
    if (bulk && (first || use.keepsBulk || reads)) this.rows(name, names.rows, name);
    if (!use.whole) return;
    const feed = (piece: string) => {
      this.inputs.push(this.open(piece, name));
      return piece;
    };
    const list = [
      ...(head ? [feed(names.head)] : []),
      ...(kept ? [feed(names.kept)] : []),
      ...(seam ? [names.seamRows] : []),
      ...(first ? [this.slice(names.rows, names.first)] : []),
      ...(tail ? [feed(names.tail)] : []),
    ];
    this.concat(list, names.whole);
    if (!kept) return;
    // Always read from what is put together, even if only a batch of none: what was kept is overwritten, and has been read then.
    const { keepsBulk } = use;
    this.slice(names.whole, keepsBulk ? names.keepWhole : names.keep, names.keepWhole);
    if (keepsBulk) this.concat([names.keepWhole, this.slice(names.rows, names.keepBulk)], names.keep);
    this.outputs.push(this.open(names.keep, name));
  }

  private slice(from: string, to: string, bound = to): string {
    const { from: start, to: end } = bounds(bound);
    this.inputs.push({ name: start, type: INT64, dims: [1] }, { name: end, type: INT64, dims: [1] });
    this.nodes.push(node('Slice', [from, start, end, AXIS], [to]));
    return to;
  }

  private concat(list: readonly string[], to: string): string {
    this.nodes.push(node('Concat', list, [to], { axis: this.cut }));
    return to;
  }

  /** A part of a map as rows that can be put together, of which there may be none. */
  private rows(from: string, to: string, map: string): void {
    const { channels, height, width } = this.shapeOf(map);
    const dims = this.axis === 'rows' ? [1, channels, -1, width] : [1, channels, height, -1];
    const name = `shape@${dims.join(',')}`;
    this.constants.set(name, initializer(name, [4], BigInt64Array.from(dims.map(BigInt))));
    this.nodes.push(node('Reshape', [from, name], [to]));
  }

  private open(name: string, map: string): Value {
    return { name, type: 1, dims: [1, this.shapeOf(map).channels, `${name}_height`, `${name}_width`] };
  }

  private shapeOf(map: string): Shape {
    return this.analysis.shapes.get(map)!;
  }
}

/** Sets of operators before 10 cannot cut where they are told to; what can be tiled means the same in 10. */
const OLDEST = 10;

function opsetsOf({ opsets }: Model): ReadonlyMap<string, number> {
  return new Map(
    [...opsets].map(([domain, version]) => [domain, isOnnx(domain) ? Math.max(version, OLDEST) : version]),
  );
}

function isOnnx(domain: string): boolean {
  return domain === '' || domain === 'ai.onnx';
}

/** An operator as set 10 writes it, if its model's is older. */
function renewed(one: Node, { opsets }: Model): Node {
  if ((opsets.get('') ?? opsets.get('ai.onnx') ?? 0) >= OLDEST) return one;
  const attributes = new Map(one.attributes);
  if (one.op === 'BatchNormalization') attributes.delete('spatial');
  return { ...one, attributes, op: one.op === 'Upsample' ? 'Resize' : one.op };
}

function withoutPadding({ node: own, rows, columns }: Operator, axis: Axis): Node {
  if (own.op === 'ConvTranspose') return withSurplusCut(own, axis === 'rows' ? rows : columns, axis);
  const pads = integersOfNode(own, 'pads') ?? [0, 0, 0, 0];
  const all = [rows.before, columns.before, rows.after, columns.after];
  const kept = all.map((pad, i) => ((axis === 'rows') === (i % 2 === 0) ? 0 : pad));
  if (kept.every((pad, i) => pad === pads[i]) && !own.attributes.has('auto_pad')) return own;
  const attributes = new Map(own.attributes);
  attributes.delete('auto_pad');
  attributes.set('pads', { kind: 'ints', value: kept });
  return { ...own, attributes };
}

/** An enlargement of which only what is complete comes out: along the axis its padding cuts off the rest. */
function withSurplusCut(own: Node, window: AxisWindow, axis: Axis): Node {
  const at = axis === 'rows' ? 0 : 1;
  const { before, after } = surplus(window);
  const pads = [...(integersOfNode(own, 'pads') ?? [0, 0, 0, 0])];
  pads[at] = before;
  pads[at + 2] = after;
  const extra = [...(integersOfNode(own, 'output_padding') ?? [0, 0])];
  extra[at] = 0;
  const attributes = new Map(own.attributes);
  attributes.set('pads', { kind: 'ints', value: pads });
  attributes.set('output_padding', { kind: 'ints', value: extra });
  return { ...own, attributes };
}
