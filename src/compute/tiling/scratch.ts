import { type Group, partName, readersIn, type Span } from './groups.ts';
import type { UnitPass } from './passes.ts';
import { type Analysis, type Axis, type Unit, unitSize } from './units.ts';
import { length } from './window.ts';

/**
 * Floats that the runtime takes at most while it executes a group: maps from where they are made to where they are last
 * read, parts that are copied out of them, and what operators hand to each other inside a unit.
 */
export function scratchOf(
  group: Group,
  steps: readonly UnitPass[],
  spans: ReadonlyMap<string, Span>,
  { shapes }: Analysis,
  axis: Axis,
): number {
  const sizeOf = (map: string, positions: number) => positions * unitSize(shapes.get(map)!, axis);
  const held = new Map<string, number>();
  let [live, most] = [0, 0];
  const hold = (map: string, size: number) => {
    held.set(map, size);
    live += size;
  };
  for (const [i, { unit, out, reads }] of steps.entries()) {
    let own = insideOf(unit, length(out), { shapes }, axis);
    for (const { name, need, before, after } of reads) {
      const span = spans.get(name)!;
      // The runtime turns what comes from outside over into its own order, except pictures of few channels.
      if (group.inputs.includes(name) && !held.has(name) && shapes.get(name)!.channels >= TURNED)
        hold(name, sizeOf(name, span.head + length(span.whole) + span.tail));
      if (group.sliced.has(partName(unit, name))) own += sizeOf(name, before + length(need) + after);
    }
    for (const name of unit.outputs) own += sizeOf(name, length(out));
    most = Math.max(most, live + own);
    for (const name of unit.outputs) {
      const fresh = sizeOf(name, length(out));
      const { head, whole, tail } = spans.get(name)!;
      const both = readersIn(group.units, name).some((reader) => group.fresh.has(partName(reader, name)));
      const all = sizeOf(name, head + length(whole) + tail) + (both ? fresh : 0);
      hold(name, group.joined.has(name) ? all : fresh);
      if (group.joined.has(name)) most = Math.max(most, live + fresh);
    }
    const later = new Set(steps.slice(i + 1).map((step) => step.unit));
    for (const [name, size] of held) {
      if (readersIn(group.units, name).some((reader) => later.has(reader))) continue;
      held.delete(name);
      live -= size;
    }
  }
  return most;
}

/** Least channels of a map that the runtime keeps in blocks of channels. */
const TURNED = 8;

/** Room for what a unit's operators hand to each other; pointwise functions work in place. */
function insideOf(unit: Unit, positions: number, { shapes }: Pick<Analysis, 'shapes'>, axis: Axis): number {
  const made = new Map<string, number>();
  let most = 0;
  for (const operator of unit.operators) {
    const { output, inputs, shape, node } = operator;
    const leaves = unit.outputs.includes(output) && shapes.has(output);
    const own = leaves ? 0 : unitSize(shape, axis) * unit.ratios.get(operator)![axis];
    const read = inputs.reduce((sum, name) => sum + (made.get(name) ?? 0), 0);
    const inPlace = node.op !== 'Conv' && node.op !== 'Concat' && inputs.length === 1;
    most = Math.max(most, inPlace ? Math.max(own, read) : own + read);
    made.set(output, own);
  }
  return most * positions;
}
