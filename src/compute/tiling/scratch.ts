import { type Group, type MapUse, type Reach, reachOf, wholeOf, type Window } from './group.ts';
import { partName, pieces, tensors } from './group-model.ts';
import { type UnitPass } from './pass.ts';
import { type Layout, type Part, PARTS } from './seams.ts';
import { type Analysis, type Axis, type Unit, unitSize } from './units.ts';
import { length } from './window.ts';

/**
 * Floats that the runtime takes at most while it executes a chain in the order of its model: every tensor from where it is
 * made to where it is last read, rows at the seam and what windows are put together of included.
 */
export function scratchOf(
  group: Group,
  steps: ReadonlyMap<Unit, UnitPass>,
  layout: Layout,
  analysis: Pick<Analysis, 'shapes' | 'sources'>,
  axis: Axis,
): number {
  return mostHeld(new Course(group, steps, layout, analysis, axis).made);
}

/** A tensor that is made: its size in floats, and what it is made of. */
interface Made {
  readonly name: string;
  readonly size: number;
  readonly reads: readonly string[];
  /** Whether it takes the place of what it is made of, if nobody else reads that. */
  readonly inPlace?: boolean;
}

function mostHeld(made: readonly Made[]): number {
  const readers = new Map<string, number>();
  for (const { reads } of made) for (const name of reads) readers.set(name, (readers.get(name) ?? 0) + 1);
  const held = new Map<string, number>();
  let [live, most] = [0, 0];
  const free = (name: string) => {
    live -= held.get(name) ?? 0;
    held.delete(name);
  };
  for (const { name, size, reads, inPlace } of made) {
    for (const read of reads) readers.set(read, readers.get(read)! - 1);
    const done = reads.filter((read) => readers.get(read) === 0);
    const taken = inPlace && done.some((read) => (held.get(read) ?? 0) === size);
    most = Math.max(most, live + (taken ? 0 : size));
    for (const read of done) free(read);
    live += size;
    held.set(name, size);
    if ((readers.get(name) ?? 0) === 0) free(name);
  }
  return most;
}

/** Least channels of a map that the runtime keeps in blocks of channels. */
const TURNED = 8;

/** What a session makes in a pass, in order. */
class Course {
  readonly made: Made[] = [];
  private readonly layout: Layout;
  private readonly shapes: Analysis['shapes'];
  private readonly axis: Axis;
  private readonly windows = new Map<string, { readonly window: Window; readonly reach: Reach }[]>();

  constructor(
    group: Group,
    steps: ReadonlyMap<Unit, UnitPass>,
    layout: Layout,
    { shapes, sources }: Pick<Analysis, 'shapes' | 'sources'>,
    axis: Axis,
  ) {
    this.layout = layout;
    this.shapes = shapes;
    this.axis = axis;
    for (const [i, window] of group.windows.entries()) {
      const key = keyOf(window.unit, window.part);
      const reach = reachOf(layout.windows[i]!, layout.spans.get(window.map)!, window.padded);
      this.windows.set(key, [...(this.windows.get(key) ?? []), { window, reach }]);
    }
    for (const name of sources) {
      // The runtime turns what comes from outside over into its own order, except pictures of few channels.
      if (shapes.get(name)!.channels >= TURNED)
        this.add(name, this.sizeOf(name, length(layout.spans.get(name)!.bulk)), []);
      this.seam(group.maps.get(name)!);
    }
    for (const unit of group.units) {
      if (steps.has(unit)) for (const part of PARTS) this.unit(unit, part);
      for (const name of unit.outputs) this.seam(group.maps.get(name)!);
    }
  }

  private unit(unit: Unit, part: Part): void {
    const span = this.layout.spans.get(unit.outputs[0]!)!;
    const positions = length(span[part]);
    const read = new Map<string, string>();
    for (const { window, reach } of this.windows.get(keyOf(unit, part))!)
      read.set(window.map, this.window(window, reach));
    const own = new Set(unit.operators.map(({ output }) => output));
    for (const operator of unit.operators) {
      const { output, inputs, shape, node } = operator;
      const size = unitSize(shape, this.axis) * positions * unit.ratios.get(operator)![this.axis];
      const named = inputs.map((name) => read.get(name) ?? (own.has(name) ? partName(name, part) : name));
      const point = node.op !== 'Conv' && node.op !== 'Concat' && node.op !== 'ConvTranspose';
      this.add(partName(output, part), size, named, point);
    }
  }

  private window({ name, map, direct, whole, bulk, padded }: Window, reach: Reach): string {
    if (direct) return map;
    const names = pieces(name);
    const list: string[] = [];
    const cut = (share: Window['whole'], from: string, to: string, positions: number) => {
      if (share === 'part') this.add(to, this.sizeOf(map, positions), [from]);
      if (share !== 'none') list.push(share === 'part' ? to : from);
    };
    cut(whole, tensors(map).whole, names.whole, length(reach.whole));
    cut(bulk, map, names.bulk, length(reach.bulk));
    if (list.length === 1 && !padded) return list[0]!;
    const { whole: one, bulk: other, head, tail } = reach;
    this.add(name, this.sizeOf(map, length(one) + length(other) + head + tail), list);
    return name;
  }

  /** What is put together at the seam, and cut off for the next pass. */
  private seam({ name, whole, seam, first, kept, keepsBulk, source }: MapUse): void {
    if (!whole) return;
    const span = this.layout.spans.get(name)!;
    const names = tensors(name);
    if (first) this.add(names.first, this.sizeOf(name, length(span.first)), source ? [] : [name]);
    const joined = [...(seam && !source ? [names.seam] : []), ...(first ? [names.first] : [])];
    this.add(names.whole, this.sizeOf(name, length(wholeOf(span))), joined);
    // What is kept goes to a place of its own; it is read where it is cut off.
    if (kept) this.add(names.keep, 0, [names.whole, ...(keepsBulk && !source ? [name] : [])]);
  }

  private add(name: string, size: number, reads: readonly string[], inPlace = false): void {
    this.made.push({ name, size, reads, inPlace });
  }

  private sizeOf(map: string, positions: number): number {
    return positions * unitSize(this.shapes.get(map)!, this.axis);
  }
}

function keyOf(unit: Unit, part: Part): string {
  return `${unit.outputs[0]!} ${part}`;
}
