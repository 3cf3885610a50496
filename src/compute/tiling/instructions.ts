import { aligned, type Need, place } from './buffers.ts';
import { exact, type Group, partName, readersIn, type Span, spanOf } from './groups.ts';
import { type MapPass, type Pass, sizeAlong, type UnitPass } from './passes.ts';
import { scratchOf } from './scratch.ts';
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
  /** The map's positions that the piece of memory holds room for, padding before them counted from `span.from`. */
  readonly span: Range;
  readonly range: Range;
}

/** How a group puts one of its maps together: so much padding, what was kept, what it makes, so much padding. */
export interface Joint {
  readonly map: string;
  readonly head: number;
  readonly kept: Place;
  readonly tail: number;
  readonly padValue: number;
}

export type Instruction =
  /** Reads new positions of a source from the caller. */
  | { readonly op: 'fetch'; readonly to: Place }
  /** Copies positions between buffers: kept ones back, new ones beside them, windows together, kept ones away (`crop`). */
  | { readonly op: 'restore' | 'move' | 'window' | 'crop' | 'store'; readonly from: Place; readonly to: Place }
  /** Fills padding. */
  | { readonly op: 'pad'; readonly to: Place; readonly value: number }
  | GroupRun;

/** Executes a group. */
export interface GroupRun {
  readonly op: 'run';
  readonly group: Group;
  readonly inputs: readonly Place[];
  readonly outputs: readonly Place[];
  readonly joints: readonly Joint[];
  /** What the group itself cuts off for the next pass. */
  readonly keeps: readonly Place[];
  /** Which part of what there is of a map is meant, by the part's name; `map` says how long a position is. */
  readonly parts: readonly { readonly name: string; readonly map: string; readonly range: Range }[];
  readonly made: readonly { readonly unit: Unit; readonly positions: number }[];
}

/** Everything that is to be done for one picture, pass by pass, and the memory that it takes, in floats. */
export interface Program {
  readonly axis: Axis;
  readonly passes: readonly (readonly Instruction[])[];
  /** Room for what goes into and comes out of the groups in a pass. */
  readonly main: number;
  /** Room for what is kept from pass to pass. */
  readonly aux: number;
  /** What the runtime takes at most for what stays inside a group. */
  readonly scratch: number;
  readonly groups: readonly Group[];
  /** Feature maps that it reads from, and writes to, memory outside. */
  readonly sources: readonly string[];
  readonly results: readonly string[];
}

/** Works out the instructions of all passes, and places their buffers. */
export function compile(analysis: Analysis, axis: Axis, passes: readonly Pass[], groups: readonly Group[]): Program {
  const auxiliary = auxiliaryPlaces(analysis, axis, passes);
  let [main, scratch] = [0, 0];
  const programs = passes.map((pass) => {
    const builder = new PassBuilder(analysis, axis, pass, groups, auxiliary.offsets);
    builder.build();
    const { instructions, size } = builder.placed();
    main = Math.max(main, size);
    scratch = Math.max(scratch, builder.scratch);
    return instructions;
  });
  const { sources, results } = analysis;
  return { axis, passes: programs, main, aux: auxiliary.size, scratch, groups, sources, results };
}

/** The memory that a program would take, in floats. */
export function memoryOf(
  analysis: Analysis,
  axis: Axis,
  passes: readonly Pass[],
  groups: readonly Group[],
): { readonly main: number; readonly aux: number } {
  const auxiliary = auxiliaryPlaces(analysis, axis, passes);
  let [main, scratch] = [0, 0];
  for (const pass of passes) {
    const builder = new PassBuilder(analysis, axis, pass, groups, auxiliary.offsets);
    builder.build();
    main = Math.max(main, builder.placed().size);
    scratch = Math.max(scratch, builder.scratch);
  }
  return { main: main + scratch, aux: auxiliary.size };
}

function auxiliaryPlaces(analysis: Analysis, axis: Axis, passes: readonly Pass[]) {
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

/** A piece of main memory under construction: its instructions' numbers say how long it lives. */
interface Piece {
  readonly map: string;
  readonly span: Range;
  readonly size: number;
  first: number;
  last: number;
}

/** An instruction whose places in main memory are still pieces without an offset. */
type Draft = (place: (piece: Piece, range: Range) => Place) => Instruction;

class PassBuilder {
  /** Floats that the runtime takes at most inside one of the groups. */
  scratch = 0;
  private readonly analysis: Analysis;
  private readonly axis: Axis;
  private readonly pass: Pass;
  private readonly groups: readonly Group[];
  private readonly auxiliary: ReadonlyMap<string, number>;
  private readonly drafts: Draft[] = [];
  private readonly pieces: Piece[] = [];
  /** Where the positions of each map are that this pass has so far. */
  private readonly holding = new Map<string, Piece>();

  constructor(
    analysis: Analysis,
    axis: Axis,
    pass: Pass,
    groups: readonly Group[],
    auxiliary: ReadonlyMap<string, number>,
  ) {
    this.analysis = analysis;
    this.axis = axis;
    this.pass = pass;
    this.groups = groups;
    this.auxiliary = auxiliary;
  }

  build(): void {
    const steps = new Map(this.pass.units.map((step) => [step.unit, step]));
    for (const group of this.groups) {
      const own = group.units.flatMap((unit) => steps.get(unit) ?? []);
      if (own.length === 0) continue;
      for (const name of group.inputs) if (this.isSource(name)) this.assembleSource(name);
      this.run(group, own);
    }
    // Maps that nobody reads in this pass may still have new positions to keep.
    for (const name of this.analysis.sources) this.assembleSource(name);
  }

  placed(): { readonly instructions: Instruction[]; readonly size: number } {
    const needs: Need[] = this.pieces;
    const { offsets, size } = place(needs);
    const at = new Map(this.pieces.map((piece, i) => [piece, offsets[i]!]));
    const find = (piece: Piece, range: Range): Place => ({
      buffer: 'main',
      map: piece.map,
      offset: at.get(piece)!,
      span: piece.span,
      range,
    });
    return { instructions: this.drafts.map((draft) => draft(find)), size };
  }

  private isSource(name: string): boolean {
    return this.analysis.sources.includes(name);
  }

  /** Brings the kept and the new positions of a source together. */
  private assembleSource(name: string): void {
    const map = this.pass.maps.get(name);
    if (!map || this.holding.has(name) || length(map.fresh) === 0) return;
    const piece = this.assemble(name, map);
    this.emit([piece], (find) => ({ op: 'fetch', to: find(piece, map.fresh) }));
    this.keep(name, map, piece);
  }

  /** Room for all that a map has in this pass, with what was kept already in it. */
  private assemble(name: string, map: MapPass): Piece {
    const piece = this.piece(name, { from: map.kept.from, to: map.fresh.to });
    this.holding.set(name, piece);
    if (length(map.kept) > 0) {
      const from = this.aux(name, map.kept);
      this.emit([piece], (find) => ({ op: 'restore', from, to: find(piece, map.kept) }));
    }
    return piece;
  }

  private keep(name: string, map: MapPass, piece: Piece): void {
    const unchanged = length(map.fresh) === 0 && map.keep.from === map.kept.from;
    if (length(map.keep) === 0 || unchanged) return;
    this.emit([piece], (find) => ({ op: 'crop', from: find(piece, map.keep), to: this.aux(name, map.keep) }));
  }

  private run(group: Group, steps: readonly UnitPass[]): void {
    const { pass } = this;
    const inputs = group.inputs.map((name) => this.given(group, steps, name));
    const made = new Map(steps.flatMap(({ unit, out }) => unit.outputs.map((name) => [name, out] as const)));
    const outputs = group.outputs.map((name) => this.piece(name, made.get(name)!));
    const spans = new Map<string, Span>();
    for (const name of made.keys()) spans.set(name, spanOf(pass, group.units, name));
    for (const { name, span } of inputs) spans.set(name, span);
    this.scratch = Math.max(this.scratch, scratchOf(group, steps, spans, this.analysis, this.axis));
    const joints = [...group.joined].map((map): Joint => {
      const { head, tail } = spans.get(map)!;
      const padValue = readersIn(group.units, map).find((unit) => pads(steps, unit, map))?.padValue ?? 0;
      return { map, head, kept: this.aux(map, pass.maps.get(map)!.kept), tail, padValue };
    });
    const keeps = [...group.kept].flatMap((map) => {
      const { keep } = pass.maps.get(map)!;
      return length(keep) > 0 ? [this.aux(map, keep)] : [];
    });
    const parts = [...this.partsOf(group, steps, spans)];
    const counted = steps.map(({ unit, out }) => ({ unit, positions: length(out) }));
    this.emit([...inputs.map(({ piece }) => piece), ...outputs], (find) => ({
      op: 'run',
      group,
      inputs: inputs.map(({ piece }) => find(piece, piece.span)),
      outputs: outputs.map((piece) => find(piece, piece.span)),
      joints,
      keeps,
      parts,
      made: counted,
    }));
    for (const [i, name] of group.outputs.entries()) this.settle(group, name, outputs[i]!, made.get(name)!);
  }

  private *partsOf(
    group: Group,
    steps: readonly UnitPass[],
    spans: ReadonlyMap<string, Span>,
  ): Generator<GroupRun['parts'][number]> {
    for (const { unit, reads } of steps) {
      for (const { name: map, need, before, after } of reads) {
        const name = partName(unit, map);
        if (group.sliced.has(name))
          yield { name, map, range: within(spans.get(map)!, need.from - before, need.to + after) };
      }
    }
    for (const map of group.kept) {
      const { keep } = this.pass.maps.get(map)!;
      yield { name: `${map}@keep`, map, range: within(spans.get(map)!, keep.from, keep.to) };
    }
  }

  /** Stores new positions that the caller wants, and puts them beside the kept ones for other groups. */
  private settle(group: Group, name: string, piece: Piece, out: Range): void {
    if (this.analysis.results.includes(name)) {
      const span = { from: 0, to: sizeAlong(this.analysis, name, this.axis) };
      const to: Place = { buffer: 'dram', map: name, offset: 0, span, range: out };
      this.emit([piece], (find) => ({ op: 'store', from: find(piece, out), to }));
    }
    if (group.kept.has(name)) return;
    const map = this.pass.maps.get(name)!;
    if (length(map.kept) === 0) {
      this.holding.set(name, piece);
      this.keep(name, map, piece);
      return;
    }
    const whole = this.assemble(name, map);
    this.emit([piece, whole], (find) => ({ op: 'move', from: find(piece, out), to: find(whole, out) }));
    this.keep(name, map, whole);
  }

  /** What a group is given of a map: the piece that holds it where that will do, else a copy with its padding. */
  private given(
    group: Group,
    steps: readonly UnitPass[],
    name: string,
  ): { readonly piece: Piece; readonly span: Span; readonly name: string } {
    const held = this.holding.get(name) ?? this.recall(name);
    const readers = steps.filter(({ unit }) => unit.inputs.includes(name));
    const span = spanOf(this.pass, group.units, name);
    const [{ unit, reads, out }] = readers as [UnitPass, ...UnitPass[]];
    const read = reads.find((one) => one.name === name)!;
    const enough = readers.length > 1 || exact(unit, this.axis, read, span, out);
    if (enough && span.head === 0 && span.tail === 0) return { name, piece: held, span };
    const whole = enough ? span.whole : read.need;
    const taken = enough ? span : { whole, head: read.before, tail: read.after };
    const room = { from: whole.from - taken.head, to: whole.to + taken.tail };
    const piece = this.piece(name, room);
    const value = readers.find((one) => pads([one], one.unit, name))?.unit.padValue ?? 0;
    const pad = (range: Range) => this.emit([piece], (find) => ({ op: 'pad', to: find(piece, range), value }));
    if (taken.head > 0) pad({ from: room.from, to: whole.from });
    this.emit([held, piece], (find) => ({ op: 'window', from: find(held, whole), to: find(piece, whole) }));
    if (taken.tail > 0) pad({ from: whole.to, to: room.to });
    return { name, piece, span: taken };
  }

  /** A map that has nothing new in this pass: only what was kept of it. */
  private recall(name: string): Piece {
    const map = this.pass.maps.get(name)!;
    const piece = this.assemble(name, map);
    this.keep(name, map, piece);
    return piece;
  }

  private piece(map: string, span: Range): Piece {
    const size = length(span) * unitSize(this.analysis.shapes.get(map)!, this.axis);
    const piece: Piece = { map, span, size, first: this.drafts.length, last: this.drafts.length };
    this.pieces.push(piece);
    return piece;
  }

  private aux(map: string, range: Range): Place {
    return { buffer: 'aux', map, offset: this.auxiliary.get(map) ?? 0, span: range, range };
  }

  private emit(used: readonly Piece[], draft: Draft): void {
    for (const piece of used) {
      piece.first = Math.min(piece.first, this.drafts.length);
      piece.last = this.drafts.length;
    }
    this.drafts.push(draft);
  }
}

/** Whether a unit reads a map with padding in this pass. */
function pads(steps: readonly UnitPass[], unit: Unit, map: string): boolean {
  const reads = steps.find((step) => step.unit === unit)?.reads ?? [];
  return reads.some(({ name, before, after }) => name === map && before + after > 0);
}

/** Positions of a map, counted from where what a group has of it begins. */
function within({ whole, head }: Span, from: number, to: number): Range {
  const start = whole.from - head;
  return { from: from - start, to: to - start };
}
