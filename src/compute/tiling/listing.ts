import { type Pass, type UnitPass } from './pass.ts';
import type { Analysis } from './units.ts';
import { length, type Range } from './window.ts';

/** One line of a program for people: what is executed, from where to where. */
export interface ListedInstruction {
  readonly pass: number;
  /** `conv`, `fetch+conv`, `conv+crop`, `crop` …: conv stands for a unit's convolution or pooling with all behind it. */
  readonly op: string;
  /** Name of the unit, if one is executed. */
  readonly unit?: string;
  /** `dram image 0–12`: buffer, map, and positions, both included. */
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/**
 * A chain's passes in the form in which the design lists them: what a unit reads anew is part of its instruction
 * (`fetch+conv`), and what is cut off its output for the next pass too (`conv+crop`, two outputs).
 */
export function listing(analysis: Analysis, passes: readonly Pass[]): ListedInstruction[] {
  return passes.flatMap((pass, number) => new PassLister(analysis, pass, number).lines());
}

class PassLister {
  private readonly analysis: Analysis;
  private readonly pass: Pass;
  private readonly number: number;
  /** Maps whose kept positions have been listed as read. */
  private readonly restored = new Set<string>();

  constructor(analysis: Analysis, pass: Pass, number: number) {
    this.analysis = analysis;
    this.pass = pass;
    this.number = number;
  }

  lines(): ListedInstruction[] {
    const lines: ListedInstruction[] = [];
    for (const step of this.pass.units) lines.push(...this.linesOf(step));
    for (const name of this.analysis.sources) {
      const from = this.fetched(name);
      if (from.length > 0) lines.push({ pass: this.number, op: 'fetch+crop', from, to: this.kept(name) });
    }
    return lines;
  }

  private linesOf({ unit, out, reads }: UnitPass): ListedInstruction[] {
    const { number: pass, analysis } = this;
    const before: ListedInstruction[] = [];
    const op = ['conv'];
    const from: string[] = [];
    for (const { name, need, before: head, after } of reads) {
      const fetched = this.fetched(name);
      if (fetched.length > 0) {
        op.unshift('fetch');
        from.push(...fetched);
        const to = this.kept(name);
        if (to.length > 0) before.push({ pass, op: 'crop', from: [placed('main', name, this.keepOf(name))], to });
        continue;
      }
      from.push(...this.restore(name), placed('main', name, { from: need.from - head, to: need.to + after }));
    }
    const to = unit.outputs.map((name) => placed(analysis.results.includes(name) ? 'dram' : 'main', name, out));
    const crops = unit.outputs.flatMap((name) => this.kept(name));
    if (crops.length > 0) op.push('crop');
    return [...before, { pass, op: [...new Set(op)].join('+'), unit: unit.name, from, to: [...to, ...crops] }];
  }

  /** What is new of a source, with what was kept of it; nothing where it is none, or has been fetched already. */
  private fetched(name: string): string[] {
    const map = this.pass.maps.get(name);
    if (!map || !this.analysis.sources.includes(name) || length(map.fresh) === 0 || this.restored.has(name)) return [];
    const kept = this.restore(name);
    this.restored.add(name);
    return [...kept, placed('dram', name, map.fresh)];
  }

  private restore(name: string): string[] {
    const kept = this.pass.maps.get(name)?.kept;
    if (!kept || length(kept) === 0 || this.restored.has(name)) return [];
    this.restored.add(name);
    return [placed('aux', name, kept)];
  }

  private kept(name: string): string[] {
    const map = this.pass.maps.get(name);
    return map && length(map.keep) > 0 ? [placed('aux', name, map.keep)] : [];
  }

  private keepOf(name: string): Range {
    return this.pass.maps.get(name)!.keep;
  }
}

function placed(buffer: string, map: string, range: Range): string {
  return length(range) === 0 ? `${buffer} ${map}` : `${buffer} ${map} ${range.from}–${range.to - 1}`;
}
