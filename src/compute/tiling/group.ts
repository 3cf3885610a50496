import { type Pass } from './pass.ts';
import {
  isDirect,
  layoutOf,
  type Layout,
  padValueOf,
  type Part,
  PARTS,
  type Span,
  type WindowIn,
  windowName,
} from './seams.ts';
import { type Analysis, type Axis, type Unit, windowOn } from './units.ts';
import { length, outputSize, type Range, surplus } from './window.ts';

/** How much of a piece is ever taken: nothing, always all of it, or a part that each pass names. */
export type Share = 'none' | 'all' | 'part';

/** How a window over a map is had, the same in all passes. */
export interface Window {
  readonly name: string;
  readonly unit: Unit;
  readonly map: string;
  readonly part: Part;
  /** Straight from the map's bulk; else put together from the rows at the seam and from the bulk. */
  readonly direct: boolean;
  readonly whole: Share;
  readonly bulk: Share;
  /** Padding of its own, where the map is padded with another value for others. */
  readonly padded: boolean;
  /** Rows that it is given where there is nothing to be made (its tensor has a batch of none). */
  readonly idle: number;
}

/** Of which pieces there is ever anything for a map. */
export interface MapUse {
  readonly name: string;
  readonly source: boolean;
  readonly seam: boolean;
  readonly bulk: boolean;
  /** What is put together at the seam, and of what. */
  readonly whole: boolean;
  readonly head: boolean;
  readonly kept: boolean;
  readonly first: boolean;
  readonly tail: boolean;
  /** Whether what is kept for the next pass may lie in the bulk, behind the rows at the seam. */
  readonly keepsBulk: boolean;
  readonly padValue: number;
}

/** All units of a chain, which execute as one session, and how they hand their maps to each other. */
export interface Group {
  readonly units: readonly Unit[];
  readonly windows: readonly Window[];
  readonly maps: ReadonlyMap<string, MapUse>;
}

/** Where a window lies in the rows at the seam, and in the bulk. */
export interface Reach {
  readonly whole: Range;
  readonly bulk: Range;
  readonly head: number;
  readonly tail: number;
}

/** Works out what is the same in all passes. */
export function groupOf(analysis: Analysis, axis: Axis, passes: readonly Pass[]): Group {
  const layouts = passes.map((pass) => layoutOf(analysis, axis, pass));
  const names = [...analysis.sources, ...analysis.units.flatMap(({ outputs }) => outputs)];
  const idle = new Map(analysis.sources.map((name) => [name, IDLE]));
  const windows: Window[] = [];
  let count = 0;
  for (const unit of analysis.units) {
    const own = unit.inputs.flatMap((map) =>
      PARTS.map((part): Draft => {
        const at = count++;
        const all = layouts.map((layout) => ({ window: layout.windows[at]!, span: layout.spans.get(map)! }));
        return { map, part, all, direct: all.every(({ window, span }) => isDirect(window, span, axis)) };
      }),
    );
    windows.push(...windowsOf(unit, axis, own, idle, (name) => padValueOf(analysis, axis, name)));
  }
  const maps = names.map((name) => useOf(name, analysis, axis, passes, layouts, windows));
  return { units: analysis.units, windows, maps: new Map(maps.map((use) => [use.name, use])) };
}

interface Draft {
  readonly map: string;
  readonly part: Part;
  readonly all: readonly { readonly window: WindowIn; readonly span: Span }[];
  readonly direct: boolean;
}

/** Rows of a tensor with nothing in it, enough for any windows behind each other. */
export const IDLE = 1 << 14;

function windowsOf(
  unit: Unit,
  axis: Axis,
  drafts: readonly Draft[],
  idle: Map<string, number>,
  padValue: (map: string) => number,
): Window[] {
  const [main] = unit.inputs as [string];
  const straight = drafts.find(({ map, part }) => map === main && part === 'bulk')!.direct;
  const sizes = { seam: sizesIn(unit, axis, IDLE), bulk: sizesIn(unit, axis, straight ? idle.get(main)! : IDLE) };
  for (const name of unit.outputs) idle.set(name, sizes.bulk.get(unit.outputs[0]!)!);
  return drafts.map(({ map, part, all, direct }) => {
    const rows = sizes[part].get(map)!;
    const padded = unit.padValue !== padValue(map) && all.some(({ window }) => window.before + window.after > 0);
    const reaches = all.map(({ window, span }) => ({ window, span, reach: reachOf(window, span, padded) }));
    const share = (piece: 'whole' | 'bulk') =>
      shareOf(
        reaches.map(({ reach }) => reach[piece]),
        reaches.map(({ span }) => (piece === 'whole' ? wholeOf(span) : span.bulk)),
        unit.inputs.length === 1 && !padded && axis,
        reaches.map(({ window }) => window),
      );
    return {
      name: windowName({ unit, map, part }),
      unit,
      map,
      part,
      direct: direct && (map === main || rows === idle.get(map)),
      whole: share('whole'),
      bulk: share('bulk'),
      padded,
      idle: rows,
    };
  });
}

/** The rows at the seam, padding included, counted from their start. */
export function wholeOf({ head, kept, seam, first, tail }: Span): Range {
  return { from: 0, to: head + length(kept) + length(seam) + length(first) + tail };
}

/** Where a window lies. Positions in the rows at the seam count from their start, those in the bulk from its own. */
export function reachOf({ out, need, before, after }: WindowIn, span: Span, padded: boolean): Reach {
  const nothing = { from: 0, to: 0 };
  if (length(out) === 0) return { whole: nothing, bulk: nothing, head: 0, tail: 0 };
  const [head, tail] = padded ? [before, after] : [0, 0];
  const start = span.kept.from - span.head;
  const end = Math.min(need.to, span.first.to);
  const whole =
    need.from < end || (before > 0 && !padded)
      ? { from: need.from - start - (padded ? 0 : before), to: end - start + (padded ? 0 : after) }
      : nothing;
  const from = Math.max(need.from, span.first.to);
  const bulk = from < need.to ? { from: from - span.bulk.from, to: need.to - span.bulk.from } : nothing;
  return { whole, bulk, head, tail };
}

function shareOf(
  taken: readonly Range[],
  there: readonly Range[],
  slack: Axis | false,
  windows: readonly WindowIn[],
): Share {
  if (taken.every((range) => length(range) === 0)) return 'none';
  const all = taken.every((range, i) => {
    const { from, to } = there[i]!;
    if (length(range) === 0) return to === from;
    if (range.from !== 0) return false;
    if (range.to === to - from) return true;
    const { unit, map, out, before, after, need } = windows[i]!;
    if (!slack || length(range) !== before + length(need) + after) return false;
    const { kernel, stride, up } = windowOn(unit, map, slack);
    return up === 1 && Math.floor((to - from - kernel) / stride) + 1 === length(out);
  });
  return all ? 'all' : 'part';
}

/** What rows a unit's operators make and want if its first input has so many, without padding. */
function sizesIn(unit: Unit, axis: Axis, rows: number): Map<string, number> {
  const sizes = new Map([[unit.inputs[0]!, rows]]);
  for (const operator of unit.operators) {
    const size = operator.inputs.map((name) => sizes.get(name)).find((known) => known !== undefined)!;
    for (const name of operator.inputs) if (!sizes.has(name)) sizes.set(name, size);
    sizes.set(operator.output, outputSize({ ...operator[axis], ...surplus(operator[axis]) }, size));
  }
  return sizes;
}

function useOf(
  name: string,
  analysis: Analysis,
  axis: Axis,
  passes: readonly Pass[],
  layouts: readonly Layout[],
  windows: readonly Window[],
): MapUse {
  const spans = layouts.map((layout) => layout.spans.get(name)!);
  const ever = (piece: (span: Span) => number) => spans.some((span) => piece(span) > 0);
  const read = windows.filter((window) => window.map === name && !window.direct);
  const keeps = passes.map((pass) => pass.maps.get(name)?.keep ?? { from: 0, to: 0 });
  const kept = keeps.some((keep) => length(keep) > 0);
  return {
    name,
    source: analysis.sources.includes(name),
    seam: ever(({ seam }) => length(seam)),
    bulk: ever(({ bulk }) => length(bulk)),
    whole: kept || read.some(({ whole }) => whole !== 'none'),
    head: ever(({ head }) => head),
    kept,
    first: ever(({ first }) => length(first)),
    tail: ever(({ tail }) => tail),
    keepsBulk: keeps.some((keep, i) => length(keep) > 0 && keep.to > Math.max(spans[i]!.first.to, spans[i]!.kept.to)),
    padValue: padValueOf(analysis, axis, name),
  };
}
