import { type MapPass, type Pass, sizeAlong, type UnitPass } from './pass.ts';
import { type Analysis, type Axis, type Unit, windowOn } from './units.ts';
import { length, needed, padding, type Range, startOf } from './window.ts';

/**
 * What is new of a map in a pass is made in two parts: the *seam*, whose windows reach into what was kept of the pass
 * before (or into the padding), and the *bulk* behind it, which is made straight from the bulk of the map before. So only
 * the few rows about the seam are ever put together.
 */
export type Part = 'seam' | 'bulk';

export const PARTS: readonly Part[] = ['seam', 'bulk'];

/** What a unit reads of a map for a part of its output, padding apart. */
export interface WindowIn {
  readonly unit: Unit;
  readonly map: string;
  readonly part: Part;
  readonly out: Range;
  readonly need: Range;
  readonly before: number;
  readonly after: number;
}

/** What there is of a map at the seam: kept rows, the seam's own, and as many of the bulk as windows there reach into. */
export interface Span {
  readonly kept: Range;
  readonly seam: Range;
  readonly first: Range;
  readonly bulk: Range;
  /** Padding before and after it. */
  readonly head: number;
  readonly tail: number;
}

/** A pass as its parts are laid out. */
export interface Layout {
  readonly windows: readonly WindowIn[];
  readonly spans: ReadonlyMap<string, Span>;
}

const NOTHING: Range = { from: 0, to: 0 };

/** The windows of a pass in the order of units, inputs and parts, and what there is of every map. */
export function layoutOf(analysis: Analysis, axis: Axis, pass: Pass): Layout {
  const steps = new Map(pass.units.map((step) => [step.unit, step]));
  const windows = analysis.units.flatMap((unit) =>
    unit.inputs.flatMap((map) => PARTS.map((part) => windowIn(analysis, axis, unit, map, part, steps.get(unit), pass))),
  );
  const spans = new Map<string, Span>();
  for (const name of [...analysis.sources, ...analysis.units.flatMap(({ outputs }) => outputs)]) {
    const own = windows.filter(({ map, out }) => map === name && length(out) > 0);
    spans.set(name, spanOf(pass.maps.get(name), own, padValueOf(analysis, axis, name)));
  }
  return { windows, spans };
}

function windowIn(
  analysis: Analysis,
  axis: Axis,
  unit: Unit,
  map: string,
  part: Part,
  step: UnitPass | undefined,
  pass: Pass,
): WindowIn {
  const out = step ? partOf({ fresh: step.out, split: pass.maps.get(unit.outputs[0]!)!.split }, part) : NOTHING;
  if (length(out) === 0) return { unit, map, part, out: NOTHING, need: NOTHING, before: 0, after: 0 };
  const window = windowOn(unit, map, axis);
  const size = sizeAlong(analysis, map, axis);
  return { unit, map, part, out, need: needed(window, out, size), ...padding(window, out, size) };
}

function spanOf(map: MapPass | undefined, windows: readonly WindowIn[], padValue: number): Span {
  if (!map) return { kept: NOTHING, seam: NOTHING, first: NOTHING, bulk: NOTHING, head: 0, tail: 0 };
  const bulk = partOf(map, 'bulk');
  let [to, head, tail] = [bulk.from, 0, 0];
  for (const { unit, part, need, before, after } of windows) {
    if (part === 'seam') to = Math.max(to, Math.min(need.to, bulk.to));
    if (unit.padValue !== padValue) continue;
    head = Math.max(head, before);
    tail = Math.max(tail, after);
  }
  return { kept: map.kept, seam: partOf(map, 'seam'), first: { from: bulk.from, to }, bulk, head, tail };
}

/** A part of what is new. */
export function partOf({ fresh, split }: Pick<MapPass, 'fresh' | 'split'>, part: Part): Range {
  return part === 'seam' ? { from: fresh.from, to: split } : { from: split, to: fresh.to };
}

/** What a map is padded with where it is put together: what its first reader with padding wants. */
export function padValueOf({ units }: Analysis, axis: Axis, map: string): number {
  const padded = units.find((unit) => {
    if (!unit.inputs.includes(map)) return false;
    const { before, after } = windowOn(unit, map, axis);
    return before + after > 0;
  });
  return padded?.padValue ?? 0;
}

/** Whether a unit that is given `have`, of which it needs the start to the end, makes just what it is to make. */
export function fits(
  { unit, map, out, need, before, after }: WindowIn,
  axis: Axis,
  start: number,
  have: number,
): boolean {
  if (need.from - before !== start) return false;
  if (have === before + length(need) + after) return true;
  // Positions at the end that are too few for another output do no harm, unless a second input has none to match them.
  const { kernel, stride, up } = windowOn(unit, map, axis);
  return unit.inputs.length === 1 && up === 1 && Math.floor((have - kernel) / stride) + 1 === length(out);
}

/** Whether a part can be made straight from the bulk of what it reads. */
export function isDirect(window: WindowIn, { bulk }: Span, axis: Axis): boolean {
  if (window.part !== 'bulk') return false;
  if (length(window.out) === 0) return length(bulk) === 0;
  return window.before + window.after === 0 && fits(window, axis, bulk.from, length(bulk));
}

/**
 * Decides for every pass where what is new is divided. Where a pass cannot be divided (padding at the end, layers at rest)
 * or would not read the same maps straight from their bulk as the others, all of it is seam.
 */
export function divided(analysis: Analysis, axis: Axis, passes: readonly Pass[]): Pass[] {
  const aligned = alignments(analysis, axis);
  const candidates = passes.map((pass) => splitsIn(analysis, axis, pass, aligned));
  const possible = candidates.filter((pass) => pass !== undefined);
  const typical = possible[possible.length >> 1];
  const wanted = typical && straight(analysis, axis, typical);
  return passes.map((pass, i) => {
    const candidate = candidates[i];
    if (!candidate || !wanted) return pass;
    const found = straight(analysis, axis, candidate);
    return [...wanted].every((name) => found.has(name)) ? candidate : pass;
  });
}

function straight(analysis: Analysis, axis: Axis, pass: Pass): Set<string> {
  const { windows, spans } = layoutOf(analysis, axis, pass);
  const direct = windows.filter((window) => isDirect(window, spans.get(window.map)!, axis));
  return new Set(direct.map(windowName));
}

export function windowName({ unit, map, part }: Pick<WindowIn, 'unit' | 'map' | 'part'>): string {
  return `${map}@${unit.outputs[0]!}@${part}`;
}

/** Positions that are `rest` more than a multiple of `by`. */
interface Alignment {
  readonly by: number;
  readonly rest: number;
}

/** Above this a division is not aligned: the seam would become too wide. */
const WIDEST = 32;

/** Where the bulk of each map must begin so that the windows behind it, strides included, begin where theirs do. */
function alignments({ units }: Analysis, axis: Axis): ReadonlyMap<string, Alignment> {
  const found = new Map<string, Alignment>();
  for (const unit of units.toReversed()) {
    const [main] = unit.inputs as [string];
    const { stride, before, up } = windowOn(unit, main, axis);
    if (up > 1) continue;
    const own = strictest(unit.outputs.map((name) => found.get(name)));
    const by = own.by * stride;
    if (by > WIDEST) continue;
    found.set(main, strictest([found.get(main), { by, rest: modulo(stride * own.rest - before, by) }]));
  }
  return found;
}

function strictest(list: readonly (Alignment | undefined)[]): Alignment {
  let best: Alignment = { by: 1, rest: 0 };
  for (const one of list) if (one && one.by > best.by) best = one;
  return best;
}

function splitsIn(
  analysis: Analysis,
  axis: Axis,
  pass: Pass,
  aligned: ReadonlyMap<string, Alignment>,
): Pass | undefined {
  const steps = new Map(pass.units.map((step) => [step.unit, step]));
  if (analysis.units.some((unit) => !steps.has(unit))) return undefined;
  const reads = pass.units.flatMap((step) => step.reads);
  if (reads.some(({ after }) => after > 0)) return undefined;
  // Nothing before it and nothing kept: there is no seam.
  const apart = reads.every(({ before }) => before === 0) && pass.maps.values().every(({ kept }) => length(kept) === 0);
  const maps = new Map<string, MapPass>();
  const divide = (name: string, from: number) => {
    const map = pass.maps.get(name)!;
    const { by, rest } = aligned.get(name) ?? { by: 1, rest: 0 };
    const split = apart ? map.fresh.from : from + modulo(rest - from, by);
    maps.set(name, { ...map, split });
    return split < map.fresh.to;
  };
  for (const name of analysis.sources) if (!divide(name, pass.maps.get(name)!.fresh.from)) return undefined;
  for (const unit of analysis.units) {
    const [main] = unit.inputs as [string];
    const { out } = steps.get(unit)!;
    const window = windowOn(unit, main, axis);
    const { split } = maps.get(main)!;
    // An enlargement would double the seam: it takes all that is new in one piece, which is put together for it.
    const least = window.up > 1 ? out.from : Math.max(out.from, Math.ceil((split + window.before) / window.stride));
    if (window.up === 1 && startOf(window, least) < split) return undefined;
    for (const name of unit.outputs) {
      if (window.up > 1) maps.set(name, { ...pass.maps.get(name)!, split: least });
      else if (!divide(name, least)) return undefined;
    }
    // All outputs of a unit are divided alike.
    const splits = unit.outputs.map((name) => maps.get(name)!.split);
    for (const name of unit.outputs) maps.set(name, { ...pass.maps.get(name)!, split: Math.max(...splits) });
    if (Math.max(...splits) >= out.to) return undefined;
  }
  return { units: pass.units, maps };
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
