import { type Group, partName } from './groups.ts';
import { initializer, INT64, integersOfNode, type Model, type Node, node, type Value } from './onnx.ts';
import type { Operator, Shape } from './operators.ts';
import type { Analysis, Axis, Unit } from './units.ts';

/** Names of the tensors by which a group puts a map together and cuts off what is to be kept. */
export const joints = (map: string) => ({
  head: `${map}@head`,
  kept: `${map}@kept`,
  tail: `${map}@tail`,
  whole: `${map}@whole`,
  keep: `${map}@keep`,
});

/** The two inputs that say from where to where a part of a map reaches. */
export const bounds = (part: string) => ({ from: `${part}@from`, to: `${part}@to` });

const AXIS = 'axis@cut';

/**
 * The model of a group for any number of rows (or columns). A map that reaches over the edge of a pass is put together of
 * padding, what was kept, and what is new; units that need less are given a part; what the next pass needs is an output.
 */
export function groupModel(group: Group, analysis: Analysis, axis: Axis): Model {
  const nodes: Node[] = [];
  const inputs: Value[] = group.inputs.map((name) => open(name, analysis.shapes.get(name)!));
  const outputs: Value[] = group.outputs.map((name) => open(name, analysis.shapes.get(name)!));
  const cut = axis === 'rows' ? 2 : 3;
  const part = (from: string, to: string) => {
    const { from: start, to: end } = bounds(to);
    inputs.push({ name: start, type: INT64, dims: [1] }, { name: end, type: INT64, dims: [1] });
    nodes.push(node('Slice', [from, start, end, AXIS], [to]));
  };
  const wholeOf = (name: string) => (group.joined.has(name) ? joints(name).whole : name);
  for (const unit of group.units) {
    const read = new Map(
      unit.inputs.map((name) => [name, group.fresh.has(partName(unit, name)) ? name : wholeOf(name)]),
    );
    for (const name of unit.inputs) {
      const own = partName(unit, name);
      if (!group.sliced.has(own)) continue;
      part(wholeOf(name), own);
      read.set(name, own);
    }
    nodes.push(...unitNodes(unit, axis, read));
    for (const name of unit.outputs) {
      if (!group.joined.has(name)) continue;
      const { head, kept, tail, whole, keep } = joints(name);
      const shape = analysis.shapes.get(name)!;
      for (const extra of [head, kept, tail]) inputs.push(open(extra, shape));
      nodes.push(node('Concat', [head, kept, name, tail], [whole], { axis: cut }));
      if (!group.kept.has(name)) continue;
      part(whole, keep);
      outputs.push(open(keep, shape));
    }
  }
  const { irVersion, opsets, initializers } = analysis.model;
  const used = new Set(nodes.flatMap(({ inputs: names }) => names));
  const constants = new Map([...initializers].filter(([name]) => used.has(name)));
  if (used.has(AXIS)) constants.set(AXIS, initializer(AXIS, [1], BigInt64Array.of(BigInt(cut))));
  return { irVersion, opsets, nodes, initializers: constants, inputs, outputs };
}

/** Whether the model's set of operators has those that a group is put together with. */
export function canGroup({ opsets }: Model): boolean {
  return (opsets.get('') ?? opsets.get('ai.onnx') ?? 0) >= 10;
}

/** A unit's operators without padding along the axis, which is given to them. */
function unitNodes(unit: Unit, axis: Axis, read: ReadonlyMap<string, string>): Node[] {
  return unit.operators.map((operator) => {
    const own = operator.padded ? withoutPadding(operator, axis) : operator.node;
    return { ...own, inputs: own.inputs.map((name) => read.get(name) ?? name) };
  });
}

function withoutPadding({ node: own, rows, columns }: Operator, axis: Axis): Node {
  const pads = integersOfNode(own, 'pads') ?? [0, 0, 0, 0];
  const all = [rows.before, columns.before, rows.after, columns.after];
  const kept = all.map((pad, i) => ((axis === 'rows') === (i % 2 === 0) ? 0 : pad));
  if (kept.every((pad, i) => pad === pads[i]) && !own.attributes.has('auto_pad')) return own;
  const attributes = new Map(own.attributes);
  attributes.delete('auto_pad');
  attributes.set('pads', { kind: 'ints', value: kept });
  return { ...own, attributes };
}

function open(name: string, { channels }: Shape): Value {
  return { name, type: 1, dims: [1, channels, `${name}_height`, `${name}_width`] };
}
