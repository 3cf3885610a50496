import type { Plan } from './graph.ts';

/** Where the regions lie in a device's memory: all resources in a row, `bytes` of each one's regions. */
export class MemoryMap {
  private readonly plan: Plan;
  private readonly bytes: readonly number[];
  private readonly starts: readonly number[];
  /** Bytes of the whole. */
  readonly size: number;

  constructor(plan: Plan, bytes: readonly number[]) {
    this.plan = plan;
    this.bytes = bytes;
    const starts: number[] = [];
    let at = 0;
    for (const [i, { count }] of plan.resources.entries()) {
      starts.push(at);
      at += bytes[i]! * count;
    }
    this.starts = starts;
    this.size = at;
  }

  /** The resource that a region belongs to, by number, and the region's number in it. */
  resourceOf(region: number): { readonly which: number; readonly number: number } {
    const which = this.plan.resources.findLastIndex(({ first }) => first <= region);
    if (region < 0 || which < 0 || region >= this.plan.regions) throw new RangeError(`there is no region ${region}`);
    return { which, number: region - this.plan.resources[which]!.first };
  }

  /** A region's bytes in a memory. */
  view(memory: SharedArrayBuffer, region: number): Uint8Array {
    const { which, number } = this.resourceOf(region);
    const bytes = this.bytes[which]!;
    return new Uint8Array(memory, this.starts[which]! + number * bytes, bytes);
  }
}
