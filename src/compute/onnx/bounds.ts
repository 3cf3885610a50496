import { formatBytes } from '../tiling/plan.ts';
import { MEMORY_VARIABLE } from './limits.ts';
import { type Effect, findOperator, STANDARD_DOMAINS } from './operators.ts';
import {
  type AttributeProto,
  type FunctionProto,
  type GraphProto,
  type ModelProto,
  type NodeProto,
  toNumber,
} from './proto.ts';
import { exactly, isExact, join, type Range } from './range.ts';
import { Attributes, bytesOf, constantOf, describeNode, list, type Tensor, tensor, TYPE, Unbounded } from './tensor.ts';

/** Most operators of a model, those of graphs in attributes and of functions included. */
const MAX_NODES = 50_000;
/** Most operators that the check follows: those of functions count at each call, those of loops at each iteration. */
const MAX_STEPS = 200_000;
/** How deep graphs and functions may be nested. */
const MAX_NESTING = 16;
/** Most iterations of a loop. */
const MAX_ITERATIONS = 10_000;

/** What a run of a model needs at most. */
export interface ModelBounds {
  /** Bytes of constants, inputs and intermediate results that exist at the same time. */
  readonly memory: number;
  /** Multiply-adds, or what takes as long. */
  readonly work: number;
  /** The graph's outputs. */
  readonly results: readonly Tensor[];
}

/** Dimensions of the graph's inputs, by name, each exact or between two bounds. */
export type InputSizes = ReadonlyMap<string, readonly Range[]>;

/**
 * Checks every graph, subgraph and function of a model: only known operators that compute the same result each time, no data in
 * other files, and no loop without a bound.
 *
 * @throws Unbounded with the node and the reason.
 */
export function checkOperators({ graph, functions = [], trainingInfo = [] }: ModelProto): void {
  if (trainingInfo.length > 0) throw new Unbounded('it holds graphs for training', 'Export the model for inference.');
  const own = functionsOf(functions);
  let count = 0;
  const checkNodes = (nodes: readonly NodeProto[], depth: number): void => {
    count += nodes.length;
    if (count > MAX_NODES) throw new Unbounded(`it has more than ${MAX_NODES} operators`);
    if (depth > MAX_NESTING) throw new Unbounded(`its graphs are nested more than ${MAX_NESTING} deep`);
    for (const node of nodes)
      locate(node, () => {
        const control = CONTROL.has(node.opType) && STANDARD_DOMAINS.has(node.domain ?? '');
        if (!control && !own.has(keyOf(node))) findOperator(node.domain ?? '', node.opType);
        for (const attribute of new Attributes(node.attribute).all) checkAttribute(attribute, control, depth);
      });
  };
  const checkAttribute = (attribute: AttributeProto, control: boolean, depth: number): void => {
    const { name, t, tensors = [], g, graphs = [], sparseTensor, sparseTensors = [], tp, typeProtos = [] } = attribute;
    for (const proto of [...(t ? [t] : []), ...tensors]) within(`its attribute “${name}”`, () => constantOf(proto));
    if (sparseTensor || sparseTensors.length > 0) throw new Unbounded(`its attribute “${name}” is sparse`, DENSE);
    if (tp || typeProtos.length > 0) throw new Unbounded(`its attribute “${name}” is a type, which is not supported`);
    if ((g || graphs.length > 0) && !control) throw new Unbounded(`its attribute “${name}” is a graph`);
    for (const part of [...(g ? [g] : []), ...graphs]) checkGraph(part, depth + 1);
  };
  const checkGraph = (part: GraphProto, depth: number): void => {
    if ((part.sparseInitializer?.length ?? 0) > 0) throw new Unbounded('it has sparse constants', DENSE);
    for (const proto of part.initializer) within(`its constant “${proto.name ?? ''}”`, () => constantOf(proto));
    checkNodes(part.node, depth);
  };
  if (graph) checkGraph(graph, 1);
  for (const { name, domain = '', node, attributeProto } of functions) {
    if (STANDARD_DOMAINS.has(domain) || domain.startsWith('com.microsoft') || domain.startsWith('ai.onnx'))
      throw new Unbounded(`its function “${name}” is in a domain of standard operators`);
    for (const attribute of attributeProto) checkAttribute(attribute, false, 1);
    checkNodes(node, 1);
  }
}

const CONTROL = new Set(['Constant', 'If', 'Loop', 'Scan']);
const DENSE = 'Save the model with dense constants.';

/**
 * Bounds what a run of a model needs, by following the shapes of all results.
 *
 * @param inputs Sizes of the inputs in a run.
 * @param memory Bytes above which the model is refused.
 * @throws Unbounded with the node and the reason.
 */
export function boundModel(model: ModelProto, inputs: InputSizes, memory: number): ModelBounds {
  const { graph } = model;
  if (!graph) throw new Unbounded('it has no graph');
  const analysis = new Analysis(model, memory);
  const constants = new Set(graph.initializer.map(({ name }) => name));
  const given = graph.input
    .filter(({ name }) => !constants.has(name))
    .map(({ name, type }) => {
      const dims = inputs.get(name);
      if (dims === undefined) throw new Unbounded(`the size of its input “${name}” is not known`);
      return tensor(type?.tensorType?.elemType ?? TYPE.float, dims);
    });
  const names = graph.input.map(({ name }) => name).filter((name) => !constants.has(name));
  const results = analysis.run(graph, new Map(names.map((name, i) => [name, given[i]!])), undefined, 1);
  return { memory: analysis.peak, work: analysis.work, results };
}

/** The tensors that a graph can refer to: its own and those of the graphs around it. */
interface Scope {
  readonly own: Map<string, Tensor>;
  readonly outer: Scope | undefined;
}

/** The nodes of a graph or of a function. */
type Body = Pick<GraphProto, 'node'> &
  Partial<Pick<GraphProto, 'initializer'>> & { readonly output: readonly (string | { readonly name: string })[] };

function nameOf(output: Body['output'][number]): string {
  return typeof output === 'string' ? output : output.name;
}

class Analysis {
  /** Largest number of bytes at one time. */
  peak = 0;
  work = 0;
  readonly #functions: ReadonlyMap<string, FunctionProto>;
  readonly #memory: number;
  readonly #scan9: boolean;
  #live = 0;
  #steps = 0;
  readonly #lastUses = new WeakMap<object, ReadonlyMap<string, number>>();

  constructor({ functions = [], opsetImport }: ModelProto, memory: number) {
    this.#functions = functionsOf(functions);
    this.#memory = memory;
    const opset = opsetImport.find(({ domain = '' }) => STANDARD_DOMAINS.has(domain))?.version ?? 0;
    this.#scan9 = toNumber(opset) >= 9;
  }

  /** Follows a graph. Afterwards only its results count as memory. */
  run(graph: Body, given: ReadonlyMap<string, Tensor>, outer: Scope | undefined, depth: number): Tensor[] {
    if (depth > MAX_NESTING) throw new Unbounded(`its graphs are nested more than ${MAX_NESTING} deep`);
    const before = this.#live;
    const scope: Scope = { own: new Map(given), outer };
    if (outer === undefined) for (const one of given.values()) this.#allocate(bytesOf(one));
    for (const proto of graph.initializer ?? []) {
      const constant = constantOf(proto);
      define(scope, proto.name ?? '', constant);
      this.#allocate(bytesOf(constant));
    }
    const lastUse = this.#lastUsesOf(graph);
    const dying = Map.groupBy(lastUse, ([, index]) => index);
    for (const [index, node] of graph.node.entries()) {
      locate(node, () => this.#step(node, scope, depth));
      for (const [name] of dying.get(index) ?? []) {
        const dead = scope.own.get(name);
        if (dead && !dead.constant && (outer === undefined || !given.has(name))) this.#live -= bytesOf(dead);
      }
    }
    const results = graph.output.map((output) => find(scope, nameOf(output)));
    this.#live = before;
    return results;
  }

  #step(node: NodeProto, scope: Scope, depth: number): void {
    if (++this.#steps > MAX_STEPS)
      throw new Unbounded(
        `its functions and loops come to more than ${MAX_STEPS} operators`,
        'Export it without loops.',
      );
    const inputs = node.input.map((name) => (name === '' ? undefined : find(scope, name)));
    const { outputs, work, scratch = 0 } = this.#effectOf(node, inputs, scope, depth);
    this.work += work;
    const isConstant = !node.attribute.some(({ g }) => g) && inputs.every((one) => one === undefined || one.constant);
    const bytes = outputs.reduce((sum, one) => sum + bytesOf(one), 0);
    this.#allocate(bytes + scratch, outputs);
    this.#live -= scratch;
    for (const [i, name] of node.output.entries()) {
      const made = outputs[i];
      if (name === '') continue;
      if (made === undefined) throw new Unbounded(`it has ${node.output.length} outputs, not ${outputs.length}`);
      define(scope, name, { ...made, constant: isConstant });
    }
  }

  #allocate(bytes: number, made: readonly Tensor[] = []): void {
    this.#live += bytes;
    this.peak = Math.max(this.peak, this.#live);
    if (this.#live <= this.#memory) return;
    const size = made.map(({ dims }) => dims?.map(({ hi }) => hi).join(' × ')).filter(Boolean);
    const what = size.length > 0 ? ` with results of up to ${size.join(' and ')} values` : '';
    throw new Unbounded(
      `its run can need ${formatBytes(this.#live)} of memory${what}; ${formatBytes(this.#memory)} are allowed`,
      `Make its input smaller, or the batch. ${MEMORY_VARIABLE} raises the limit for models that you trust: ${MEMORY_VARIABLE}=8000 allows 8000 MB.`,
    );
  }

  #effectOf(node: NodeProto, inputs: readonly (Tensor | undefined)[], scope: Scope, depth: number): Effect {
    const own = this.#functions.get(keyOf(node));
    if (own) return { outputs: this.#call(own, node, inputs, depth), work: 0 };
    const attributes = new Attributes(node.attribute);
    const graph = (name: string): GraphProto => {
      const found = attributes.get(name)?.g;
      if (!found) throw new Unbounded(`its graph “${name}” is missing`);
      return found;
    };
    const call = { attributes, inputs, outputs: node.output.length };
    if (!STANDARD_DOMAINS.has(node.domain ?? '')) return findOperator(node.domain ?? '', node.opType)(call);
    switch (node.opType) {
      case 'Constant':
        return { outputs: [constantNode(attributes)], work: 0 };
      case 'If': {
        const then = this.run(graph('then_branch'), new Map(), scope, depth + 1);
        const other = this.run(graph('else_branch'), new Map(), scope, depth + 1);
        const [test] = inputs[0]?.values ?? [];
        if (test && isExact(test)) return { outputs: test.lo === 0 ? other : then, work: 0 };
        return { outputs: then.map((one, i) => (other[i] ? either(one, other[i]) : one)), work: 0 };
      }
      case 'Loop':
        return this.#loop(graph('body'), inputs, scope, depth);
      case 'Scan':
        return this.#scan(graph('body'), attributes, inputs, scope, depth);
      default:
        return findOperator('', node.opType)(call);
    }
  }

  /** Follows the body of a function, with its attributes filled in. */
  #call(own: FunctionProto, node: NodeProto, inputs: readonly (Tensor | undefined)[], depth: number): Tensor[] {
    const values = new Map([...own.attributeProto, ...node.attribute].map((one) => [one.name, one]));
    const given = own.input.flatMap((name, i): [string, Tensor][] => (inputs[i] ? [[name, inputs[i]]] : []));
    const body = { node: own.node.map((one) => bound(one, values)), output: own.output };
    return this.run(body, new Map(given), { own: new Map(), outer: undefined }, depth + 1);
  }

  #loop(body: GraphProto, inputs: readonly (Tensor | undefined)[], scope: Scope, depth: number): Effect {
    const [limit, , ...initial] = inputs;
    const trip = limit?.values?.[0]?.hi ?? Number.POSITIVE_INFINITY;
    const states = initial.map((one) => one!);
    const condition = tensor(TYPE.bool, []);
    return this.#iterate(
      body,
      trip,
      states,
      scope,
      depth,
      (state) => [tensor(TYPE.int64, [], [{ lo: 0, hi: Math.max(0, trip - 1) }]), condition, ...state],
      1,
    );
  }

  #scan(
    body: GraphProto,
    attributes: Attributes,
    inputs: readonly (Tensor | undefined)[],
    scope: Scope,
    depth: number,
  ): Effect {
    if (!this.#scan9) throw new Unbounded('it is of an operator set before 9', 'Export the model with a later one.');
    const count = attributes.int('num_scan_inputs', 0);
    const scanned = inputs.slice(inputs.length - count).map((one) => one!);
    const axes = attributes.ints('scan_input_axes') ?? [];
    let trip = 0;
    const slices = scanned.map(({ type, dims }, i) => {
      if (dims === undefined) throw new Unbounded('the size of its sequence is not known');
      const axis = axes[i] ?? 0;
      const at = axis < 0 ? axis + dims.length : axis;
      trip = Math.max(trip, dims[at]?.hi ?? Number.POSITIVE_INFINITY);
      return tensor(type, dims.toSpliced(at, 1));
    });
    const states = inputs.slice(0, inputs.length - count).map((one) => one!);
    return this.#iterate(body, trip, states, scope, depth, (state) => [...state, ...slices], 0);
  }

  /**
   * Follows the iterations of a loop until the sizes of its states stay the same.
   *
   * @param skipped Outputs of the body that are neither states nor collected.
   */
  #iterate(
    body: GraphProto,
    trip: number,
    initial: readonly Tensor[],
    scope: Scope,
    depth: number,
    given: (states: readonly Tensor[]) => readonly Tensor[],
    skipped: number,
  ): Effect {
    if (!(trip <= MAX_ITERATIONS)) {
      const most = Number.isFinite(trip)
        ? `has up to ${trip} iterations; at most ${MAX_ITERATIONS} are allowed`
        : 'has no bound on its iterations';
      throw new Unbounded(`it ${most}`, 'Export the model without loops, by tracing rather than scripting.');
    }
    let states = initial.map((one) => ({ ...one, constant: false }));
    let collected: Tensor[] = [];
    const before = this.work;
    for (let i = 0; i < trip; i++) {
      const start = this.work;
      const names = body.input.map(({ name }) => name);
      const made = this.run(body, new Map(given(states).map((one, n) => [names[n] ?? '', one])), scope, depth + 1);
      const next = made.slice(skipped, skipped + states.length);
      const collects = made.slice(skipped + states.length);
      collected = collects.map((one, n) => (collected[n] ? either(one, collected[n]) : one));
      const joined = states.map((one, n) => (next[n] ? { ...either(one, next[n]), constant: false } : one));
      const isStable = JSON.stringify(joined) === JSON.stringify(states);
      states = joined;
      if (isStable) {
        this.work += (this.work - start) * (trip - i - 1);
        break;
      }
    }
    const times = { lo: 0, hi: trip };
    const lists = collected.map(({ type, dims, count }) => ({
      ...(dims ? tensor(type, [times, ...dims]) : { type, dims: undefined, count: count * trip }),
    }));
    const work = this.work - before;
    this.work = before;
    // Until the loop ends, the runtime keeps what it collects in parts.
    return { outputs: [...states, ...lists], work, scratch: lists.reduce((sum, one) => sum + bytesOf(one), 0) };
  }

  /** Index of the node after which each name is unused. */
  #lastUsesOf(graph: Body): ReadonlyMap<string, number> {
    const known = this.#lastUses.get(graph.node);
    if (known) return known;
    const uses = new Map<string, number>();
    const use = (node: NodeProto, index: number): void => {
      for (const name of node.input) uses.set(name, index);
      for (const { g } of node.attribute) if (g) useGraph(g, index);
    };
    const useGraph = (part: GraphProto, index: number): void => {
      for (const node of part.node) use(node, index);
      for (const { name } of part.output) uses.set(name, index);
    };
    for (const [index, node] of graph.node.entries()) use(node, index);
    for (const output of graph.output) uses.set(nameOf(output), Number.POSITIVE_INFINITY);
    this.#lastUses.set(graph.node, uses);
    return uses;
  }
}

/** Runs a check whose error is about one node. */
function locate<T>(node: NodeProto, check: () => T): T {
  return within(`its node ${describeNode(node)}`, check);
}

function within<T>(place: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Unbounded) || error.isLocated) throw error;
    throw new Unbounded(`${place}: ${error.message}`, error.hint, true);
  }
}

function find(scope: Scope | undefined, name: string): Tensor {
  for (let at = scope; at !== undefined; at = at.outer) {
    const found = at.own.get(name);
    if (found) return found;
  }
  throw new Unbounded(`“${name}” is used before it is computed`);
}

function define({ own }: Scope, name: string, value: Tensor): void {
  if (own.has(name)) throw new Unbounded(`“${name}” is computed twice`);
  own.set(name, value);
}

/** What holds of one of two tensors. */
function either(a: Tensor, b: Tensor): Tensor {
  const type = bytesOf({ ...a, count: 1 }) >= bytesOf({ ...b, count: 1 }) ? a.type : b.type;
  const count = Math.max(a.count, b.count);
  if (!a.dims || !b.dims || a.dims.length !== b.dims.length) return { type, dims: undefined, count };
  const dims = a.dims.map((dim, i) => join(dim, b.dims![i]!));
  const values =
    a.values?.length === b.values?.length ? a.values?.map((one, i) => join(one, b.values![i]!)) : undefined;
  return { ...tensor(type, dims, values), count };
}

function constantNode(attributes: Attributes): Tensor {
  const proto = attributes.get('value')?.t;
  if (proto) return constantOf(proto);
  const [float, int] = [attributes.get('value_float')?.f, attributes.int('value_int')];
  if (float !== undefined) return tensor(TYPE.float, [], [exactly(float)]);
  if (int !== undefined) return tensor(TYPE.int64, [], [exactly(int)]);
  const floats = attributes.get('value_floats')?.floats;
  if (floats) return list(TYPE.float, floats.map(exactly));
  const ints = attributes.ints('value_ints');
  if (ints) return list(TYPE.int64, ints.map(exactly));
  throw new Unbounded('its value is no tensor of numbers');
}

/** A node of a function's body with the attributes of a call. */
function bound(node: NodeProto, values: ReadonlyMap<string, AttributeProto>): NodeProto {
  const attribute = node.attribute.flatMap((one): AttributeProto[] => {
    if (one.refAttrName) {
      const value = values.get(one.refAttrName);
      return value ? [{ ...value, name: one.name }] : [];
    }
    return [one.g ? { ...one, g: { ...one.g, node: one.g.node.map((inner) => bound(inner, values)) } } : one];
  });
  return { ...node, attribute };
}

function functionsOf(functions: readonly FunctionProto[]): ReadonlyMap<string, FunctionProto> {
  return new Map(functions.map((one) => [keyOf({ ...one, opType: one.name }), one]));
}

function keyOf({ domain = '', opType, overload = '' }: Pick<NodeProto, 'domain' | 'opType' | 'overload'>): string {
  return JSON.stringify([domain, opType, overload]);
}
