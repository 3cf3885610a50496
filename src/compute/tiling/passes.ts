import { type MapPass, type Pass, sizeAlong, type UnitPass } from './pass.ts';
import { divided } from './seams.ts';
import type { Analysis, Axis, Unit } from './units.ts';
import { windowOn } from './units.ts';
import { computable, inside, length, needed, outputSize, padding, type Range, startOf } from './window.ts';

export interface PassOptions {
  readonly axis: Axis;
  /** Positions of the input per pass; or give `tiles`. */
  readonly step?: number;
  /** The results in that many even parts, one a pass. */
  readonly tiles?: number;
  /** Keep the overlap of the network's input too, so that nothing is fetched twice; default true. */
  readonly keepInput?: boolean;
  /** Nothing is kept: every pass fetches and computes again what its neighbour had (for comparison); needs `tiles`. */
  readonly recompute?: boolean;
}

/**
 * Works out the passes. Each unit computes in a pass whatever its inputs allow, and no position twice; of each feature
 * map is kept what a unit will still read. (With `recompute`: each tile of the results on its own.)
 */
export function passesOf(analysis: Analysis, options: PassOptions): Pass[] {
  const passes = undivided(analysis, options);
  // A few rows a pass are all seam.
  return options.step !== undefined && options.step < 4 ? passes : divided(analysis, options.axis, passes);
}

function undivided(analysis: Analysis, options: PassOptions): Pass[] {
  const { axis, step, tiles } = options;
  if (options.recompute) {
    if (!tiles) throw new RangeError('recomputing needs a number of tiles');
    return Array.from({ length: tiles }, (_, tile) => alone(analysis, axis, tile, tiles));
  }
  const keepInput = options.keepInput ?? true;
  if (tiles)
    return streamed(analysis, axis, {
      cuts: outputCuts(analysis, axis, tiles),
      most: () => Number.POSITIVE_INFINITY,
      keepInput,
    });
  const cuts = inputCuts(analysis, axis, step ?? 1);
  // What padding at the end sets free is all seam, which takes more memory: it comes last, in passes of its own.
  const last = Math.max(1, Math.ceil((step ?? 1) / 3));
  const most = (unit: Unit, end: boolean) => portion(analysis, axis, unit, end ? last : (step ?? 1));
  return streamed(analysis, axis, { cuts, most, keepInput, endApart: cuts.length > 1 });
}

/**
 * The most that a unit may make in a pass: what corresponds to a step of the input. The end of the picture, which sets
 * free what all layers have been waiting for, is so worked off in passes of the usual size.
 */
function portion(analysis: Analysis, axis: Axis, unit: Unit, step: number): number {
  const size = Math.max(...analysis.sources.map((name) => sizeAlong(analysis, name, axis)));
  const up = enlarged(unit, axis);
  return up * Math.max(1, Math.ceil((step * sizeAlong(analysis, unit.outputs[0]!, axis)) / (size * up)));
}

/** After each pass, how much of every source has been fetched: even steps of the longest, the others in proportion. */
function inputCuts(analysis: Analysis, axis: Axis, step: number): Map<string, number>[] {
  if (!Number.isInteger(step) || step < 1) throw new RangeError(`a pass takes a whole number of rows, not ${step}`);
  const sizes = analysis.sources.map((name) => ({ name, size: sizeAlong(analysis, name, axis) }));
  const longest = Math.max(...sizes.map(({ size }) => size));
  return Array.from({ length: Math.ceil(longest / step) }, (_, pass) => {
    const share = Math.min(1, ((pass + 1) * step) / longest);
    return new Map(sizes.map(({ name, size }) => [name, Math.ceil(size * share - 1e-9)]));
  });
}

/** … just so much that the results come in even parts. */
function outputCuts(analysis: Analysis, axis: Axis, tiles: number): Map<string, number>[] {
  return Array.from({ length: tiles }, (_, tile) => {
    const ranges = backwards(analysis, axis, (size) => ({ from: 0, to: Math.round(((tile + 1) * size) / tiles) }));
    return new Map(analysis.sources.map((name) => [name, ranges.get(name)?.to ?? 0]));
  });
}

/** How many positions of each source the first position of all results depends on. */
export function reachOfFirst(analysis: Analysis, axis: Axis): number {
  const ranges = backwards(analysis, axis, () => ({ from: 0, to: 1 }));
  return Math.max(...analysis.sources.map((name) => ranges.get(name)?.to ?? 0));
}

/** The range of every feature map that the given ranges of the results depend on. */
function backwards(analysis: Analysis, axis: Axis, ofResult: (size: number) => Range): Map<string, Range> {
  const ranges = new Map<string, Range>();
  const extend = (name: string, range: Range) => {
    const known = ranges.get(name);
    if (length(range) === 0) return;
    ranges.set(name, known ? { from: Math.min(known.from, range.from), to: Math.max(known.to, range.to) } : range);
  };
  for (const name of analysis.results) extend(name, ofResult(sizeAlong(analysis, name, axis)));
  for (const unit of analysis.units.toReversed()) {
    const out = outOf(unit, axis, ranges);
    if (!out) continue;
    for (const name of unit.inputs)
      extend(name, needed(windowOn(unit, name, axis), out, sizeAlong(analysis, name, axis)));
  }
  return ranges;
}

function outOf(unit: Unit, axis: Axis, ranges: ReadonlyMap<string, Range>): Range | undefined {
  const wanted = unit.outputs.flatMap((name) => ranges.get(name) ?? []);
  if (wanted.length === 0) return undefined;
  const up = enlarged(unit, axis);
  const from = Math.min(...wanted.map((range) => range.from));
  const to = Math.max(...wanted.map((range) => range.to));
  return { from: from - (from % up), to: Math.ceil(to / up) * up };
}

/** By how much a unit enlarges: it can only make whole multiples of this. */
function enlarged(unit: Unit, axis: Axis): number {
  return Math.max(...unit.inputs.map((name) => windowOn(unit, name, axis).up));
}

/** One tile of the results without any help from its neighbours. */
function alone(analysis: Analysis, axis: Axis, tile: number, tiles: number): Pass {
  const part = (size: number) => ({
    from: Math.round((tile * size) / tiles),
    to: Math.round(((tile + 1) * size) / tiles),
  });
  const ranges = backwards(analysis, axis, part);
  const maps = new Map<string, MapPass>();
  const units: UnitPass[] = [];
  const fresh = (name: string, range: Range) => {
    maps.set(name, {
      kept: { from: range.from, to: range.from },
      fresh: range,
      keep: { from: range.to, to: range.to },
      split: range.to,
    });
  };
  for (const name of analysis.sources) if (ranges.has(name)) fresh(name, ranges.get(name)!);
  for (const unit of analysis.units) {
    const out = outOf(unit, axis, ranges);
    if (!out) continue;
    units.push(unitPass(analysis, axis, unit, out));
    for (const name of unit.outputs) fresh(name, out);
  }
  return { units, maps };
}

interface Course {
  readonly cuts: readonly ReadonlyMap<string, number>[];
  /** The most that a unit makes in one pass, `end` when all of the sources has been fetched before. */
  readonly most: (unit: Unit, end: boolean) => number;
  readonly keepInput: boolean;
  /** Whether what needs padding at the end is left to passes behind the last that fetches anything. */
  readonly endApart?: boolean;
}

function streamed(analysis: Analysis, axis: Axis, course: Course): Pass[] {
  const state: State = { frontier: new Map(), keptFrom: new Map() };
  const passes: Pass[] = [];
  const done = () => analysis.results.every((name) => at(state.frontier, name) === sizeAlong(analysis, name, axis));
  for (let pass = 0; pass < course.cuts.length || !done(); pass++) {
    const cut = course.cuts[Math.min(pass, course.cuts.length - 1)]!;
    const next = streamPass(analysis, axis, course, { cut, end: pass >= course.cuts.length }, state);
    if (pass >= course.cuts.length && next.units.length === 0) throw new Error('the passes have come to a standstill');
    passes.push(next);
  }
  if (course.keepInput) return passes;
  // What the next pass fetches again need not be kept.
  return passes.map((pass, i) => {
    const maps = new Map(pass.maps);
    for (const name of analysis.sources) {
      const map = maps.get(name)!;
      const again = passes[i + 1]?.maps.get(name)?.fresh;
      if (again && length(again) > 0 && again.from <= map.keep.from)
        maps.set(name, { ...map, keep: { from: map.keep.to, to: map.keep.to } });
    }
    return { ...pass, maps };
  });
}

/** Of every feature map: how much of it has been made, and from where on it is kept. */
interface State {
  readonly frontier: Map<string, number>;
  readonly keptFrom: Map<string, number>;
}

const at = (of: ReadonlyMap<string, number>, name: string) => of.get(name) ?? 0;

function streamPass(
  analysis: Analysis,
  axis: Axis,
  course: Course,
  { cut, end }: { readonly cut: ReadonlyMap<string, number>; readonly end: boolean },
  state: State,
): Pass {
  const { frontier, keptFrom } = state;
  const maps = new Map<string, { kept: Range; fresh: Range; keep: Range; split: number }>();
  const units: UnitPass[] = [];
  const advance = (name: string, to: number, from = at(frontier, name)) => {
    maps.set(name, {
      kept: { from: Math.min(at(keptFrom, name), from), to: from },
      fresh: { from, to },
      keep: { from: to, to },
      split: to,
    });
    frontier.set(name, to);
  };
  for (const name of analysis.sources) {
    const before = at(frontier, name);
    const to = Math.max(at(cut, name), before);
    // Without keeping the input, its overlap is fetched again together with what is new.
    advance(name, to, !course.keepInput && to > before ? Math.min(at(keptFrom, name), before) : before);
  }
  for (const unit of analysis.units) {
    const from = at(frontier, unit.outputs[0]!);
    const sizes = unit.inputs.map((name) => {
      const [window, size] = [windowOn(unit, name, axis), sizeAlong(analysis, name, axis)];
      const inner = course.endApart && !end;
      return inner ? inside(window, at(frontier, name), size) : computable(window, at(frontier, name), size);
    });
    const most = Math.min(from + course.most(unit, end), ...sizes);
    // An enlargement makes all rows of an input row or none, however far the other inputs have come.
    const out = { from, to: Math.max(from, most - (most % enlarged(unit, axis))) };
    if (length(out) > 0) units.push(unitPass(analysis, axis, unit, out));
    for (const name of unit.outputs) advance(name, out.to);
  }
  for (const [name, map] of maps) {
    const needs = readersOf(analysis, name).map((unit) => stillRead(analysis, unit, name, axis, frontier));
    map.keep = { from: Math.max(0, Math.min(map.fresh.to, ...needs)), to: map.fresh.to };
    keptFrom.set(name, map.keep.from);
  }
  return { units, maps };
}

/** The first position of a map that a unit will still read. */
function stillRead(
  analysis: Analysis,
  unit: Unit,
  name: string,
  axis: Axis,
  frontier: ReadonlyMap<string, number>,
): number {
  const done = frontier.get(unit.outputs[0]!) ?? 0;
  const window = windowOn(unit, name, axis);
  if (done >= outputSize(window, sizeAlong(analysis, name, axis))) return Number.POSITIVE_INFINITY;
  return Math.max(0, startOf(window, done));
}

function readersOf({ units }: Analysis, name: string): Unit[] {
  return units.filter(({ inputs }) => inputs.includes(name));
}

function unitPass(analysis: Analysis, axis: Axis, unit: Unit, out: Range): UnitPass {
  const reads = unit.inputs.map((name) => {
    const window = windowOn(unit, name, axis);
    const size = sizeAlong(analysis, name, axis);
    return { name, need: needed(window, out, size), ...padding(window, out, size) };
  });
  return { unit, out, reads };
}

/** One of each sort of passes: most differ only in their place. */
export function distinct(passes: readonly Pass[]): Pass[] {
  const sorts = new Map<string, Pass>();
  for (const pass of passes) {
    const maps = Array.from(pass.maps.values(), ({ kept, fresh, keep, split }) => [
      length(kept),
      length(fresh),
      length(keep),
      split - fresh.from,
    ]);
    const units = pass.units.map(({ unit, out, reads }) => [
      unit.name,
      length(out),
      reads.map(({ name, need, before, after }) => {
        const start = need.from - (pass.maps.get(name)?.kept.from ?? 0);
        return [start, length(need), before, after];
      }),
    ]);
    sorts.set(JSON.stringify([maps, units]), pass);
  }
  return [...sorts.values()];
}

/** Positions fetched from the sources, and multiply-adds, of all passes. */
export function traffic(
  analysis: Analysis,
  axis: Axis,
  passes: readonly Pass[],
): { readonly fetched: number; readonly macs: number; readonly computed: number } {
  let fetched = 0;
  let macs = 0;
  let computed = 0;
  for (const pass of passes) {
    for (const name of analysis.sources) fetched += length(pass.maps.get(name)?.fresh ?? { from: 0, to: 0 });
    for (const { unit, out } of pass.units) {
      macs += unit.work[axis] * length(out);
      computed += length(out);
    }
  }
  return { fetched, macs, computed };
}
