import type { Pass, UnitPass } from './passes.ts';
import { type Analysis, type Axis, type Unit, windowOn } from './units.ts';
import { length, type Range } from './window.ts';

/** Units that execute in one session: in every pass all of them, or none. */
export interface Group {
  readonly name: string;
  readonly units: readonly Unit[];
  /** Maps that it reads from outside, and those of its own that others read or the network returns. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Maps of its own that are put together with padding, and with what was kept of them. */
  readonly joined: ReadonlySet<string>;
  /** Those of them of which it cuts off itself what is to be kept; of the others the executor does. */
  readonly kept: ReadonlySet<string>;
  /** What units read only a part of, as `partName`. */
  readonly sliced: ReadonlySet<string>;
  /** What units read of joined maps that is always just what is new, as `partName`. */
  readonly fresh: ReadonlySet<string>;
}

/** What a group has of a map in a pass: what was kept and what is new, with padding before and after it. */
export interface Span {
  readonly whole: Range;
  readonly head: number;
  readonly tail: number;
}

/** The name of the part of a map that a unit reads. */
export function partName(unit: Unit, map: string): string {
  return `${map}@${unit.name}`;
}

/**
 * Puts units together that are at work in the same passes, so that what they hand to each other stays in the runtime.
 * With `alone` each unit is a group of its own.
 */
export function groupsOf(analysis: Analysis, axis: Axis, passes: readonly Pass[], alone = false): Group[] {
  const steps = passes.map((pass) => new Map(pass.units.map((step) => [step.unit, step])));
  const course = (unit: Unit) => steps.map((at) => (at.has(unit) ? '1' : '0')).join('');
  const lists: Unit[][] = [];
  let last = '';
  let pads = new Map<string, number>();
  for (const unit of analysis.units) {
    const own = paddedBy(unit, steps);
    const clash = own.some((name) => (pads.get(name) ?? unit.padValue) !== unit.padValue);
    const now = course(unit);
    if (alone || clash || now !== last || lists.length === 0) {
      lists.push([]);
      pads = new Map();
    }
    for (const name of own) pads.set(name, unit.padValue);
    last = now;
    lists.at(-1)!.push(unit);
  }
  return lists.map((units) => groupOf(units, analysis, axis, passes, steps));
}

type Steps = readonly ReadonlyMap<Unit, UnitPass>[];

/** Maps that a unit ever reads with padding. */
function paddedBy(unit: Unit, steps: Steps): string[] {
  const reads = steps.flatMap((at) => at.get(unit)?.reads ?? []);
  return [...new Set(reads.filter(({ before, after }) => before + after > 0).map(({ name }) => name))];
}

function groupOf(units: readonly Unit[], analysis: Analysis, axis: Axis, passes: readonly Pass[], steps: Steps): Group {
  const own = new Set(units.flatMap(({ outputs }) => outputs));
  const elsewhere = new Set(analysis.units.filter((unit) => !units.includes(unit)).flatMap(({ inputs }) => inputs));
  const outputs = [...own].filter((name) => elsewhere.has(name) || analysis.results.includes(name));
  const inputs = [...new Set(units.flatMap((unit) => unit.inputs))];
  const joined = new Set<string>();
  const sliced = new Set<string>();
  const stale = new Set<string>();
  for (const [i, pass] of passes.entries()) {
    const at = steps[i]!;
    if (!at.has(units[0]!)) continue;
    for (const name of inputs) {
      const span = spanOf(pass, units, name);
      if (own.has(name) && (length(pass.maps.get(name)!.kept) > 0 || span.head + span.tail > 0)) joined.add(name);
    }
    for (const unit of units) {
      const step = at.get(unit)!;
      for (const read of step.reads) {
        const single = !own.has(read.name) && readersIn(units, read.name).length === 1;
        if (!single && !exact(unit, axis, read, spanOf(pass, units, read.name), step.out))
          sliced.add(partName(unit, read.name));
        if (!own.has(read.name) || !newest(read, pass)) stale.add(partName(unit, read.name));
      }
    }
  }
  const parts = units.flatMap((unit) => unit.inputs.map((input) => partName(unit, input)));
  const fresh = new Set(parts.filter((part) => !stale.has(part)));
  for (const part of fresh) sliced.delete(part);
  const kept = new Set([...joined].filter((name) => !elsewhere.has(name)));
  const name = units.length === 1 ? units[0]!.name : `${units[0]!.name} … ${units.at(-1)!.name}`;
  return { name, units, inputs: inputs.filter((input) => !own.has(input)), outputs, joined, kept, sliced, fresh };
}

/** Whether a unit reads just what is new of a map. */
function newest({ name, need, before, after }: UnitPass['reads'][number], pass: Pass): boolean {
  const { fresh } = pass.maps.get(name)!;
  return before + after === 0 && need.from === fresh.from && need.to === fresh.to;
}

export function readersIn(units: readonly Unit[], map: string): Unit[] {
  return units.filter(({ inputs }) => inputs.includes(map));
}

/** What there is of a map for those units in a pass. */
export function spanOf(pass: Pass, units: readonly Unit[], name: string): Span {
  const map = pass.maps.get(name);
  const whole = map ? { from: map.kept.from, to: map.fresh.to } : { from: 0, to: 0 };
  let [head, tail] = [0, 0];
  for (const { unit, reads } of pass.units) {
    if (!units.includes(unit)) continue;
    for (const read of reads) {
      if (read.name !== name) continue;
      head = Math.max(head, read.before);
      tail = Math.max(tail, read.after);
    }
  }
  return { whole, head, tail };
}

/** Whether a unit that is given all there is makes just what it is to make. */
export function exact(unit: Unit, axis: Axis, read: UnitPass['reads'][number], span: Span, out: Range): boolean {
  if (read.need.from - read.before !== span.whole.from - span.head) return false;
  const have = span.head + length(span.whole) + span.tail;
  if (have === read.before + length(read.need) + read.after) return true;
  // Positions at the end that are too few for another output do no harm, unless a second input has none to match them.
  const { kernel, stride, up } = windowOn(unit, read.name, axis);
  return unit.inputs.length === 1 && up === 1 && Math.floor((have - kernel) / stride) + 1 === length(out);
}
