import type { Analysis, Axis, Unit } from './units.ts';
import type { Range } from './window.ts';

/** What a unit does in one pass: which positions it makes, and what it reads for that, padding apart. */
export interface UnitPass {
  readonly unit: Unit;
  readonly out: Range;
  readonly reads: readonly {
    readonly name: string;
    readonly need: Range;
    readonly before: number;
    readonly after: number;
  }[];
}

/** What becomes of a feature map in one pass. */
export interface MapPass {
  /** Positions kept from the pass before. */
  readonly kept: Range;
  /** Positions that are new: fetched or computed. */
  readonly fresh: Range;
  /** Positions kept for the next pass. */
  readonly keep: Range;
  /** New positions before it are the seam, those from it on the bulk (see seams.ts). */
  readonly split: number;
}

export interface Pass {
  readonly units: readonly UnitPass[];
  readonly maps: ReadonlyMap<string, MapPass>;
}

/** Length of a feature map along the axis. */
export function sizeAlong(analysis: Analysis, name: string, axis: Axis): number {
  const shape = analysis.shapes.get(name)!;
  return axis === 'rows' ? shape.height : shape.width;
}
