import { aligned, type Need, place } from './buffers.ts';
import { type Group, type MapUse, reachOf, type Window, wholeOf } from './group.ts';
import { type Pass, sizeAlong } from './pass.ts';
import { scratchOf } from './scratch.ts';
import { layoutOf, type Part, partOf, PARTS, type Span } from './seams.ts';
import { type Analysis, type Axis, type Unit, unitSize } from './units.ts';
import { length, type Range } from './window.ts';

/**
 * Positions of a feature map in a buffer: all channels, `range` of the `span` positions that the piece of memory at
 * `offset` (in floats) has room for. `dram` is the caller's memory, whole maps; the others are the executor's own.
 */
export interface Place {
  readonly buffer: 'dram' | 'main' | 'aux';
  readonly map: string;
  readonly offset: number;
  readonly span: Range;
  readonly range: Range;
}

export type Instruction =
  /** Reads new positions of a source from the caller. */
  | { readonly op: 'fetch'; readonly to: Place }
  /** Writes results to the caller's memory. */
  | { readonly op: 'store'; readonly from: Place; readonly to: Place }
  | GroupRun;

/** Executes the chain's units once. */
export interface GroupRun {
  readonly op: 'run';
  /** What is new of the sources, and where what is made of the results goes to, part by part. */
  readonly sources: readonly PartPlace[];
  readonly results: readonly PartPlace[];
  readonly seams: readonly SeamRun[];
  readonly windows: readonly WindowRun[];
  readonly made: readonly { readonly unit: Unit; readonly positions: number }[];
}

export interface PartPlace {
  readonly map: string;
  readonly part: Part;
  readonly place: Place;
}

/** How the rows at the seam of a map are put together, and what of them and of the bulk is kept. */
export interface SeamRun {
  readonly use: MapUse;
  readonly head: number;
  readonly kept: Place;
  /** How many positions of the bulk belong to the seam, too. */
  readonly first: number;
  readonly tail: number;
  readonly keep: Place;
  readonly keepWhole: Range;
  readonly keepBulk: Range;
}

/** Where a window lies in the rows at the seam, and in the bulk. */
export interface WindowRun {
  readonly window: Window;
  readonly whole: Range;
  readonly bulk: Range;
  readonly head: number;
  readonly tail: number;
  /** Positions that it has, padding included. */
  readonly positions: number;
}

/** Everything that is to be done for one picture, pass by pass, and the memory that it takes, in floats. */
export interface Program {
  readonly axis: Axis;
  readonly analysis: Analysis;
  readonly passes: readonly (readonly Instruction[])[];
  /** Room for what goes into and comes out of the session in a pass. */
  readonly main: number;
  /** Room for what is kept from pass to pass. */
  readonly aux: number;
  /** What the runtime takes at most for what stays inside the session. */
  readonly scratch: number;
  readonly group: Group;
  /** Feature maps that it reads from, and writes to, memory outside. */
  readonly sources: readonly string[];
  readonly results: readonly string[];
}

/** Works out the instructions of all passes, and places their buffers. */
export function compile(analysis: Analysis, axis: Axis, passes: readonly Pass[], group: Group): Program {
  const kept = keptPlaces(analysis, axis, passes);
  let [main, scratch] = [0, 0];
  const programs = passes.map((pass) => {
    const made = programOf(analysis, axis, pass, group, kept.offsets);
    main = Math.max(main, made.main);
    scratch = Math.max(scratch, made.scratch);
    return made.instructions;
  });
  const { sources, results } = analysis;
  return { axis, analysis, passes: programs, main, aux: kept.size, scratch, group, sources, results };
}

/** The memory that a program would take, in floats. */
export function memoryOf(
  analysis: Analysis,
  axis: Axis,
  passes: readonly Pass[],
  group: Group,
): { readonly main: number; readonly aux: number } {
  const { main, scratch, aux } = compile(analysis, axis, passes, group);
  return { main: main + scratch, aux };
}

function keptPlaces(analysis: Analysis, axis: Axis, passes: readonly Pass[]) {
  const most = new Map<string, number>();
  for (const { maps } of passes) {
    for (const [name, { keep }] of maps) most.set(name, Math.max(most.get(name) ?? 0, length(keep)));
  }
  const offsets = new Map<string, number>();
  let size = 0;
  for (const [name, kept] of most) {
    offsets.set(name, size);
    size = aligned(size + kept * unitSize(analysis.shapes.get(name)!, axis));
  }
  return { offsets, size };
}

function programOf(
  analysis: Analysis,
  axis: Axis,
  pass: Pass,
  group: Group,
  kept: ReadonlyMap<string, number>,
): { readonly instructions: Instruction[]; readonly main: number; readonly scratch: number } {
  const layout = layoutOf(analysis, axis, pass);
  const steps = new Map(pass.units.map((step) => [step.unit, step]));
  const sources = partsOf(analysis.sources, pass, group);
  const results = partsOf(analysis.results, pass, group);
  // What comes from the sources is needed while the session runs, and so is what it makes; then that is written away.
  const needs = [...sources, ...results].map(({ map, range }): Need => {
    return { size: length(range) * unitSize(analysis.shapes.get(map)!, axis), first: 0, last: 0 };
  });
  const { offsets, size } = place(needs);
  const placed = (list: readonly NamedPart[], first: number): PartPlace[] =>
    list.map(({ map, part, range }, i) => ({
      map,
      part,
      place: { buffer: 'main', map, offset: offsets[first + i]!, span: range, range },
    }));
  const [from, to] = [placed(sources, 0), placed(results, sources.length)];
  const run: GroupRun = {
    op: 'run',
    sources: from,
    results: to,
    seams: [...group.maps.values()]
      .filter((use) => use.whole)
      .map((use) => seamRun(use, pass, layout.spans.get(use.name)!, kept.get(use.name) ?? 0)),
    windows: group.windows.flatMap((window, i): WindowRun[] => {
      const at = layout.windows[i]!;
      const span = layout.spans.get(window.map)!;
      return window.direct ? [] : [windowRun(window, reachOf(at, span, window.padded), span, length(at.out) === 0)];
    }),
    made: pass.units.map(({ unit, out }) => ({ unit, positions: length(out) })),
  };
  const fetches = from
    .filter((one) => length(one.place.range) > 0)
    .map(({ place: at }) => ({ op: 'fetch', to: at }) as const);
  const stores = to
    .filter((one) => length(one.place.range) > 0)
    .map(({ map, place: at }) => {
      const span = { from: 0, to: sizeAlong(analysis, map, axis) };
      return { op: 'store', from: at, to: { buffer: 'dram', map, offset: 0, span, range: at.range } } as const;
    });
  const scratch = scratchOf(group, steps, layout, analysis, axis);
  return { instructions: [...fetches, run, ...stores], main: size, scratch };
}

interface NamedPart {
  readonly map: string;
  readonly part: Part;
  readonly range: Range;
}

/** What is new of maps, in their parts, as far as the session knows them. */
function partsOf(maps: readonly string[], pass: Pass, group: Group): NamedPart[] {
  return maps.flatMap((map) =>
    PARTS.filter((part) => group.maps.get(map)![part]).map((part) => {
      const found = pass.maps.get(map);
      return { map, part, range: found ? partOf(found, part) : { from: 0, to: 0 } };
    }),
  );
}

function seamRun(use: MapUse, pass: Pass, span: Span, offset: number): SeamRun {
  const { head, tail, kept, first, bulk } = span;
  const map = pass.maps.get(use.name);
  const keep = map?.keep ?? { from: 0, to: 0 };
  const start = kept.from - head;
  const aux = (range: Range): Place => ({ buffer: 'aux', map: use.name, offset, span: range, range });
  const inWhole = { from: Math.min(keep.from, first.to), to: Math.min(keep.to, first.to) };
  const inBulk = { from: Math.max(keep.from, first.to), to: keep.to };
  return {
    use,
    head,
    kept: aux(kept),
    first: length(first),
    tail,
    keep: aux(keep),
    keepWhole: moved(inWhole, start),
    keepBulk: moved(inBulk, bulk.from),
  };
}

function windowRun(window: Window, reach: ReturnType<typeof reachOf>, span: Span, idle: boolean): WindowRun {
  const whole = taken(window.whole, reach.whole, length(wholeOf(span)));
  const bulk = taken(window.bulk, reach.bulk, length(span.bulk));
  return { window, ...reach, positions: idle ? window.idle : reach.head + whole + bulk + reach.tail };
}

function taken(share: Window['whole'], own: Range, all: number): number {
  return share === 'none' ? 0 : share === 'all' ? all : length(own);
}

function moved(range: Range, by: number): Range {
  return length(range) > 0 ? { from: range.from - by, to: range.to - by } : { from: 0, to: 0 };
}
