import { PlaybyplayError } from '../../errors.ts';
import { type Model, type Node, type Value } from './onnx.ts';
import { type Operator, operatorOf, type Shape } from './operators.ts';
import { type AxisWindow, POINT } from './window.ts';

/** Which way pictures are cut. */
export type Axis = 'rows' | 'columns';

/**
 * Operators that execute together: one with a window at most, and those behind it that work point by point or on blocks
 * of their own (pooling whose windows do not overlap). What is between them is never kept.
 */
export interface Unit {
  readonly name: string;
  readonly operators: readonly Operator[];
  /** Feature maps read from elsewhere; the first is what the window moves over, the others are read point by point. */
  readonly inputs: readonly string[];
  /** Feature maps that others read or that the network returns; all of one size. */
  readonly outputs: readonly string[];
  /** How the outputs move over each input. */
  readonly windows: ReadonlyMap<string, Windows>;
  /** Rows (columns) of each operator's output for one of the unit's. */
  readonly ratios: ReadonlyMap<Operator, Readonly<Record<Axis, number>>>;
  readonly padValue: number;
  /** Multiply-adds per row of output, and per column. */
  readonly work: Readonly<Record<Axis, number>>;
  readonly weightBytes: number;
}

/** How an operator or a unit moves over an input, along both axes. */
export type Windows = Readonly<Record<Axis, AxisWindow>>;

/** A network cut in two: units that can be executed in parts, and the rest, executed at once behind them. */
export interface Analysis {
  readonly model: Model;
  readonly shapes: ReadonlyMap<string, Shape>;
  /** Inputs of the network that units read. */
  readonly sources: readonly string[];
  readonly units: readonly Unit[];
  /** Maps that units make and the rest or the caller wants. */
  readonly results: readonly string[];
  readonly rest: readonly Node[];
}

/**
 * Finds what of a network can be executed in parts for pictures of `width` × `height`. Throws `model-unsupported` where
 * the first input is no picture (1 × channels × height × width floats) or nothing can be cut.
 */
export function analyse(
  model: Model,
  { width, height }: { readonly width: number; readonly height: number },
): Analysis {
  const shapes = new Map<string, Shape>();
  const sources = model.inputs.filter(isPicture).map(({ name }) => name);
  for (const input of model.inputs.filter(isPicture)) {
    const [, channels] = input.dims;
    if (typeof channels !== 'number') throw unsupported(`input "${input.name}" does not say how many channels it has`);
    checkSize(input, width, height);
    shapes.set(input.name, { channels, height, width });
  }
  const operators: Operator[] = [];
  const rest: Node[] = [];
  for (const node of model.nodes) {
    const operator = operatorOf(node, shapes, model);
    if (operator) {
      operators.push(operator);
      shapes.set(operator.output, operator.shape);
    } else rest.push(node);
  }
  if (operators.length === 0) throw unsupported(whyNot(model));
  const wanted = new Set([...model.outputs.map(({ name }) => name), ...rest.flatMap(({ inputs }) => inputs)]);
  const units = grouped(operators, wanted, model);
  const results = operators.map(({ output }) => output).filter((name) => wanted.has(name));
  const used = sources.filter((name) => units.some(({ inputs }) => inputs.includes(name)));
  return { model, shapes, sources: used, units, results, rest };
}

/** Operators that make nothing anybody wants are left out: the format allows them, and they would never be waited for. */
function grouped(operators: readonly Operator[], wanted: ReadonlySet<string>, model: Model): Unit[] {
  const live = new Set(wanted);
  const needed = operators.toReversed().filter((operator) => {
    if (!live.has(operator.output)) return false;
    for (const input of operator.inputs) live.add(input);
    return true;
  });
  const readers = new Map<string, Operator[]>();
  for (const operator of needed)
    for (const name of operator.inputs) readers.set(name, [...(readers.get(name) ?? []), operator]);
  const groups: Group[] = [];
  const groupOf = new Map<string, Group>();
  for (const operator of needed.toReversed()) {
    const makers = operator.inputs.flatMap((name) => groupOf.get(name) ?? []);
    const latest = makers.toSorted((a, b) => groups.indexOf(b) - groups.indexOf(a))[0];
    const group = latest?.accepts(operator, readers, wanted) ? latest : new Group();
    if (group !== latest) groups.push(group);
    group.add(operator);
    groupOf.set(operator.output, group);
  }
  return groups.map((group) => group.unit(readers, wanted, model));
}

/** A unit under construction. */
class Group {
  private readonly operators: Operator[] = [];
  private readonly made = new Set<string>();
  private readonly windows = new Map<string, Windows>();
  private readonly ratios = new Map<Operator, Record<Axis, number>>();

  /** Whether an operator can execute in this group without anything being kept or computed twice. */
  accepts(operator: Operator, readers: ReadonlyMap<string, readonly Operator[]>, wanted: ReadonlySet<string>): boolean {
    const outside = operator.inputs.filter((name) => !this.made.has(name));
    // A map that the group already reads through a window cannot also be read point by point.
    if (isPoint(operator)) return outside.every((name) => isPoint(this.windows.get(name) ?? operator));
    if (!isBlockwise(operator) || outside.length > 0) return false;
    if (this.windows.values().some(({ rows, columns }) => rows.up > 1 || columns.up > 1)) return false;
    const unshared = (name: string) =>
      !wanted.has(name) && (readers.get(name) ?? []).every((reader) => reader === operator || this.ratios.has(reader));
    return [...this.made].every(unshared);
  }

  add(operator: Operator): void {
    const first = this.operators.length === 0;
    if (!first && !isPoint(operator)) this.fold(operator);
    for (const name of operator.inputs) {
      if (!this.made.has(name) && !this.windows.has(name))
        this.windows.set(name, first ? operator : { rows: POINT, columns: POINT });
    }
    this.operators.push(operator);
    this.made.add(operator.output);
    this.ratios.set(operator, { rows: 1, columns: 1 });
  }

  unit(readers: ReadonlyMap<string, readonly Operator[]>, wanted: ReadonlySet<string>, model: Model): Unit {
    const [first] = this.operators as [Operator, ...Operator[]];
    const weights = new Set(this.operators.flatMap(({ constants }) => constants));
    const isRead = (name: string) =>
      wanted.has(name) || (readers.get(name) ?? []).some((reader) => !this.ratios.has(reader));
    const work = { rows: 0, columns: 0 };
    for (const operator of this.operators) {
      const { channels, height, width } = operator.shape;
      const ratio = this.ratios.get(operator)!;
      work.rows += operator.work * channels * width * ratio.rows;
      work.columns += operator.work * channels * height * ratio.columns;
    }
    return {
      name: first.node.name || first.output,
      operators: this.operators,
      inputs: [...this.windows.keys()],
      outputs: this.operators.map(({ output }) => output).filter(isRead),
      windows: new Map([...this.windows].map(([name, { rows, columns }]) => [name, { rows, columns }])),
      ratios: this.ratios,
      padValue: first.padValue,
      work,
      weightBytes: [...weights].reduce((sum, name) => sum + 4 * sizeOf(model.initializers.get(name)!.dims), 0),
    };
  }

  /** Takes blocks of what the group makes: seen from outside, its windows widen. */
  private fold({ rows, columns }: Operator): void {
    for (const [name, window] of this.windows) {
      this.windows.set(name, { rows: behind(window.rows, rows), columns: behind(window.columns, columns) });
    }
    for (const ratio of this.ratios.values()) {
      ratio.rows *= rows.stride;
      ratio.columns *= columns.stride;
    }
  }
}

/** The window of blocks over what `window` makes, as it appears on the input of `window`. */
function behind(window: AxisWindow, { kernel, stride }: AxisWindow): AxisWindow {
  return { ...window, kernel: (kernel - 1) * window.stride + window.kernel, stride: stride * window.stride };
}

/** The window with which a unit reads one of its inputs along an axis. */
export function windowOn(unit: Unit, input: string, axis: Axis): AxisWindow {
  return unit.windows.get(input)![axis];
}

/** Floats of one position of a map along the axis. */
export function unitSize({ channels, height, width }: Shape, axis: Axis): number {
  return channels * (axis === 'rows' ? width : height);
}

function isBlockwise({ rows, columns }: Operator): boolean {
  return [rows, columns].every(
    ({ kernel, stride, before, after, up }) => kernel === stride && before === 0 && after === 0 && up === 1,
  );
}

function isPoint({ rows, columns }: Windows): boolean {
  return plain(rows) && plain(columns);
}

function plain({ kernel, stride, before, after, up }: AxisWindow): boolean {
  return kernel === 1 && stride === 1 && before === 0 && after === 0 && up === 1;
}

function isPicture({ dims, type }: Value): boolean {
  return dims.length === 4 && type === 1 && (typeof dims[0] !== 'number' || dims[0] === 1);
}

function checkSize({ name, dims }: Value, width: number, height: number): void {
  const [, , high, wide] = dims;
  if ((typeof high === 'number' && high !== height) || (typeof wide === 'number' && wide !== width)) {
    throw new PlaybyplayError(
      'model-input-size',
      `input "${name}" is made for ${wide} × ${high}, not ${width} × ${height}`,
      {
        hint: `give it ${wide}x${high}, or export the model with open height and width`,
      },
    );
  }
}

export function sizeOf(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

/** Why nothing of a model can be executed in parts. */
function whyNot({ inputs, nodes }: Model): string {
  const several = inputs.find(({ dims, type }) => dims.length === 4 && type === 1);
  if (several && !isPicture(several))
    return `input "${several.name}" takes ${several.dims[0]} pictures at once, not one`;
  if (!several) return 'none of its inputs is a picture (1 × channels × height × width floats)';
  return `no layer of it can be executed in parts (the first is ${nodes[0]?.op ?? 'missing'})`;
}

function unsupported(message: string): PlaybyplayError {
  return new PlaybyplayError('model-unsupported', `this model cannot be tiled: ${message}`);
}
