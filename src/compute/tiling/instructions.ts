import { aligned, type Need, place } from './buffers.ts';
import type { Shape } from './operators.ts';
import { type MapPass, type Pass, sizeAlong, type UnitPass } from './passes.ts';
import type { Analysis, Axis, Unit } from './units.ts';
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

export type Instruction =
  /** Reads new positions of a source from the caller. */
  | { readonly op: 'fetch'; readonly to: Place }
  /** Copies positions between buffers: kept ones back, new ones beside them, windows together, kept ones away (`crop`). */
  | { readonly op: 'restore' | 'move' | 'window' | 'crop' | 'store'; readonly from: Place; readonly to: Place }
  /** Fills padding. */
  | { readonly op: 'pad'; readonly to: Place; readonly value: number }
  /** Executes a unit. */
  | { readonly op: 'run'; readonly unit: Unit; readonly inputs: readonly Place[]; readonly outputs: readonly Place[] };

/** Everything that is to be done for one picture, pass by pass, and the memory that it takes, in floats. */
export interface Program {
  readonly axis: Axis;
  readonly passes: readonly (readonly Instruction[])[];
  /** Room for features in a pass; the units' own intermediate results share it. */
  readonly main: number;
  /** Room for what is kept from pass to pass. */
  readonly aux: number;
  readonly units: readonly Unit[];
  /** Feature maps that it reads from, and writes to, memory outside. */
  readonly sources: readonly string[];
  readonly results: readonly string[];
}

/** Works out the instructions of all passes, and places their buffers. */
export function compile(analysis: Analysis, axis: Axis, passes: readonly Pass[]): Program {
  const auxiliary = auxiliaryPlaces(analysis, axis, passes);
  let main = 0;
  const programs = passes.map((pass) => {
    const builder = new PassBuilder(analysis, axis, pass, auxiliary.offsets);
    builder.build();
    const { instructions, size } = builder.placed();
    main = Math.max(main, size);
    return instructions;
  });
  const { units, sources, results } = analysis;
  return { axis, passes: programs, main, aux: auxiliary.size, units, sources, results };
}

/** The memory that a program would take, in floats; passes that differ only in their place are looked at once. */
export function memoryOf(
  analysis: Analysis,
  axis: Axis,
  passes: readonly Pass[],
): { readonly main: number; readonly aux: number } {
  const auxiliary = auxiliaryPlaces(analysis, axis, passes);
  const seen = new Set<string>();
  let main = 0;
  for (const pass of passes) {
    const maps = Array.from(pass.maps.values(), ({ kept, fresh, keep }) => [length(kept), length(fresh), length(keep)]);
    const units = pass.units.map(({ unit, reads }) => [
      unit.name,
      reads.map((read) => [length(read.need), read.before, read.after]),
    ]);
    const signature = JSON.stringify([maps, units]);
    if (seen.has(signature)) continue;
    seen.add(signature);
    const builder = new PassBuilder(analysis, axis, pass, auxiliary.offsets);
    builder.build();
    main = Math.max(main, builder.placed().size);
  }
  return { main, aux: auxiliary.size };
}

/** Floats of one position of a map along the axis. */
export function unitSize({ channels, height, width }: Shape, axis: Axis): number {
  return channels * (axis === 'rows' ? width : height);
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
  private readonly analysis: Analysis;
  private readonly axis: Axis;
  private readonly pass: Pass;
  private readonly auxiliary: ReadonlyMap<string, number>;
  private readonly drafts: Draft[] = [];
  private readonly pieces: Piece[] = [];
  /** Where the positions of each map are that this pass has so far. */
  private readonly holding = new Map<string, Piece>();

  constructor(analysis: Analysis, axis: Axis, pass: Pass, auxiliary: ReadonlyMap<string, number>) {
    this.analysis = analysis;
    this.axis = axis;
    this.pass = pass;
    this.auxiliary = auxiliary;
  }

  build(): void {
    for (const step of this.pass.units) {
      for (const name of step.unit.inputs) if (this.isSource(name)) this.assembleSource(name);
      this.run(step);
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
    const map = this.pass.maps.get(name)!;
    if (this.holding.has(name) || length(map.fresh) === 0) return;
    const piece = this.assemble(name, map);
    this.emit([piece], (find) => ({ op: 'fetch', to: find(piece, map.fresh) }));
    this.keep(name, map, piece);
  }

  /** Room for all that a map has in this pass, with what was kept already in it. */
  private assemble(name: string, map: MapPass): Piece {
    const piece = this.piece(name, { from: map.kept.from, to: map.fresh.to });
    this.holding.set(name, piece);
    if (length(map.kept) > 0) {
      const from = this.aux(name, map.kept, map.kept);
      this.emit([piece], (find) => ({ op: 'restore', from, to: find(piece, map.kept) }));
    }
    return piece;
  }

  private keep(name: string, map: MapPass, piece: Piece): void {
    const unchanged = length(map.fresh) === 0 && map.keep.from === map.kept.from;
    if (length(map.keep) === 0 || unchanged) return;
    this.emit([piece], (find) => ({ op: 'crop', from: find(piece, map.keep), to: this.aux(name, map.keep, map.keep) }));
  }

  private run(step: UnitPass): void {
    const { unit, out } = step;
    const inputs = step.reads.map((read) => this.window(unit, read));
    const outputs = unit.outputs.map((name) => this.piece(name, out));
    const scratch = this.scratch(unit, out);
    this.emit([...inputs.map(({ piece }) => piece), ...outputs, ...(scratch ? [scratch] : [])], (find) => ({
      op: 'run',
      unit,
      inputs: inputs.map(({ piece, range }) => find(piece, range)),
      outputs: outputs.map((piece) => find(piece, out)),
    }));
    for (const [i, name] of unit.outputs.entries()) this.settle(name, outputs[i]!, out);
  }

  /** Stores new positions that the caller wants, and puts them beside the kept ones that are still read with them. */
  private settle(name: string, piece: Piece, out: Range): void {
    if (this.analysis.results.includes(name)) {
      const span = { from: 0, to: sizeAlong(this.analysis, name, this.axis) };
      const to: Place = { buffer: 'dram', map: name, offset: 0, span, range: out };
      this.emit([piece], (find) => ({ op: 'store', from: find(piece, out), to }));
    }
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

  /** What a unit reads of a map: the piece that holds it where that is just this, else a copy with its padding. */
  private window(unit: Unit, { name, need, before, after }: UnitPass['reads'][number]): { piece: Piece; range: Range } {
    const held = this.holding.get(name) ?? this.recall(name);
    if (before === 0 && after === 0 && held.span.from === need.from && held.span.to === need.to) {
      return { piece: held, range: need };
    }
    const span = { from: need.from - before, to: need.to + after };
    const piece = this.piece(name, span);
    const pad = (range: Range) =>
      this.emit([piece], (find) => ({ op: 'pad', to: find(piece, range), value: unit.padValue }));
    if (before > 0) pad({ from: span.from, to: need.from });
    this.emit([held, piece], (find) => ({ op: 'window', from: find(held, need), to: find(piece, need) }));
    if (after > 0) pad({ from: need.to, to: span.to });
    return { piece, range: span };
  }

  /** A map that has nothing new in this pass: only what was kept of it. */
  private recall(name: string): Piece {
    const map = this.pass.maps.get(name)!;
    const piece = this.assemble(name, map);
    this.keep(name, map, piece);
    return piece;
  }

  /** Room for what a unit's operators hand to each other; pointwise functions work in place. */
  private scratch(unit: Unit, out: Range): Piece | undefined {
    const made = new Map<string, number>();
    let most = 0;
    for (const operator of unit.operators) {
      const { output, inputs, shape, node } = operator;
      const own = unit.outputs.includes(output)
        ? 0
        : unitSize(shape, this.axis) * unit.ratios.get(operator)![this.axis];
      const read = inputs.reduce((sum, name) => sum + (made.get(name) ?? 0), 0);
      const inPlace = node.op !== 'Conv' && node.op !== 'Concat' && inputs.length === 1;
      most = Math.max(most, inPlace ? Math.max(own, read) : own + read);
      made.set(output, own);
    }
    return most === 0 ? undefined : this.piece('', { from: 0, to: length(out) }, most);
  }

  private piece(map: string, span: Range, each = unitSize(this.analysis.shapes.get(map)!, this.axis)): Piece {
    const piece: Piece = { map, span, size: length(span) * each, first: this.drafts.length, last: this.drafts.length };
    this.pieces.push(piece);
    return piece;
  }

  private aux(map: string, span: Range, range: Range): Place {
    return { buffer: 'aux', map, offset: this.auxiliary.get(map)!, span, range };
  }

  private emit(used: readonly Piece[], draft: Draft): void {
    for (const piece of used) {
      piece.first = Math.min(piece.first, this.drafts.length);
      piece.last = this.drafts.length;
    }
    this.drafts.push(draft);
  }
}
