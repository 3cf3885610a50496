import { checkedModel, type Network, openNetwork, refused } from '../compute/inference.ts';
import type { Cue } from '../cues/cue.ts';
import type { Issue } from '../errors.ts';
import { parseStatement } from '../events/statement.ts';
import type { SequenceSpec } from '../profile/profile.ts';
import { roundTime } from '../time.ts';
import { fillStatement } from './mapping.ts';
import { type ScriptOutput, type ScriptStatement, toLogged } from './script.ts';
import { CueTable } from './cue-features.ts';

const TICK = 0.05;
const WINDOW = 64;
const MARGIN = 16;
const THRESHOLD = 0.5;
/** Ticks on either side in which a kind of event without a detector of its own has its peak. */
const APART = 4;

/**
 * A trained network in the place of a game script: cues of a window of time in, how likely each kind of event is at each
 * tick out. Windows overlap by twice the margin, and each tick is taken from the one in whose middle it lies; so what is said
 * depends on the cues alone, never on how they arrive.
 */
export class SequenceNetwork implements Disposable {
  readonly #spec: SequenceSpec;
  readonly #network: Network;
  readonly #input: string;
  readonly #table: CueTable;
  readonly #kinds: readonly string[];
  readonly #window: number;
  readonly #margin: number;
  /** Cues of the detectors that events are about, not yet decided. */
  #cues: Cue[] = [];
  /** The first tick that is not decided, and the likelihoods of those before it that peaks still need: by tick, by kind. */
  #next = 0;
  readonly #likely = new Map<number, Float64Array>();
  /** Ticks whose peaks are decided. */
  #peaked = 0;
  readonly #problems = new Map<string, number>();

  private constructor(spec: SequenceSpec, network: Network) {
    this.#spec = spec;
    this.#network = network;
    this.#input = network.model.inputs[0]!.name;
    this.#table = new CueTable(spec.detectors, spec.tick ?? TICK);
    this.#kinds = spec.kinds;
    this.#window = spec.window ?? WINDOW;
    this.#margin = spec.margin ?? Math.min(MARGIN, (this.#window - 1) >> 1);
  }

  /** Throws PlaybyplayError `model-refused` where model and profile do not fit together. */
  static async open(spec: SequenceSpec, assets: { read(path: string): Promise<Uint8Array> }): Promise<SequenceNetwork> {
    const { model: file } = spec;
    const bytes = await assets.read(file);
    const { inputs } = checkedModel(bytes, file);
    const network = await openNetwork(bytes, { file });
    const reader = new SequenceNetwork(spec, network);
    const wanted = [1, reader.#window, reader.#table.width];
    const dims = inputs[0]!.dims;
    const fits = dims.length === 3 && dims.every((dim, i) => typeof dim !== 'number' || dim <= 0 || dim === wanted[i]);
    if (inputs.length === 1 && fits) return reader;
    network[Symbol.dispose]();
    throw refused(
      file,
      `its input is ${dims.map((dim) => dim ?? '?').join(' × ')}; the profile's detectors and window make ${wanted.join(' × ')}`,
      'Eight numbers a detector: see docs/networks.md.',
    );
  }

  get problemCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#problems);
  }

  /** Takes the cues of a moment; moments come in order of time. */
  add(cues: readonly Cue[]): void {
    for (const cue of cues) {
      this.#table.add(cue);
      if (this.#kinds.some((kind) => this.#spec.events[kind]?.on === cue.detector)) this.#cues.push(cue);
    }
  }

  /** Says what is certain once every cue up to `until` seconds is known; the end is `Infinity` after `end` seconds. */
  async advance(until: number, end = until): Promise<ScriptOutput> {
    const statements: ScriptStatement[] = [];
    const problems: Issue[] = [];
    const { tick = TICK } = this.#spec;
    const [window, margin] = [this.#window, this.#margin];
    const hop = window - 2 * margin;
    const over = until === Number.POSITIVE_INFINITY;
    const last = this.#table.tickOf(end);
    // A row is complete once the next one has begun.
    const complete = over ? last + window : this.#table.tickOf(until);
    const beyond = over ? last : Number.POSITIVE_INFINITY;
    while (this.#next + hop + margin <= complete && this.#next <= beyond) {
      const from = this.#next - margin;
      await this.#look(from, window, margin, hop);
      this.#next += hop;
      this.#table.drop(this.#next - margin);
    }
    this.#decideCues(over, statements, problems);
    this.#decidePeaks(over ? last : this.#next - APART - 1, tick, statements, problems);
    statements.sort((a, b) => a.t - b.t);
    const settled = over ? Number.POSITIVE_INFINITY : roundTime((this.#next - APART - 2) * tick);
    return { statements, problems, notes: [], settled };
  }

  async #look(from: number, window: number, margin: number, hop: number): Promise<void> {
    const { width } = this.#table;
    const outputs = await this.#network.run({
      [this.#input]: { dims: [1, window, width], data: this.#table.take(from, from + window) },
    });
    const { dims, data } = outputs.values().next().value!;
    const count = this.#kinds.length;
    if (dims.length !== 3 || dims[1] !== window || dims[2] !== count)
      throw refused(
        this.#spec.model,
        `its output is ${dims.join(' × ')}; ${window} ticks of ${count} kinds of events make 1 × ${window} × ${count}`,
      );
    for (let i = margin; i < margin + hop; i++) {
      const likely = Float64Array.from({ length: count }, (_, k) => Math.min(1, Math.max(0, data[i * count + k]!)));
      this.#likely.set(from + i, likely);
    }
  }

  /** Kinds with a detector: each of its cues is such an event, or not. A tick early or late is still the same. */
  #decideCues(over: boolean, statements: ScriptStatement[], problems: Issue[]): void {
    const rest: Cue[] = [];
    for (const cue of this.#cues) {
      const tick = this.#table.tickOf(cue.t);
      if (!over && tick + 1 >= this.#next) {
        rest.push(cue);
        continue;
      }
      for (const [k, kind] of this.#kinds.entries()) {
        const event = this.#spec.events[kind];
        if (event?.on !== cue.detector) continue;
        const likely = Math.max(...[-1, 0, 1].map((by) => this.#likely.get(tick + by)?.[k] ?? 0));
        if (likely >= (this.#spec.threshold ?? THRESHOLD))
          this.#say(event.statement, cue.t, likely, cue, statements, problems);
      }
    }
    this.#cues = rest;
  }

  /** Kinds without one: where they are likeliest. */
  #decidePeaks(last: number, tick: number, statements: ScriptStatement[], problems: Issue[]): void {
    for (; this.#peaked <= last; this.#peaked++) {
      for (const [k, kind] of this.#kinds.entries()) {
        const event = this.#spec.events[kind];
        if (!event || event.on !== undefined) continue;
        const at = (by: number): number => this.#likely.get(this.#peaked + by)?.[k] ?? 0;
        const here = at(0);
        if (here < (this.#spec.threshold ?? THRESHOLD)) continue;
        const offsets = Array.from({ length: 2 * APART + 1 }, (_, i) => i - APART);
        // Of equals the first.
        if (offsets.some((by) => at(by) > here || (by < 0 && at(by) === here))) continue;
        this.#say(event.statement, roundTime(this.#peaked * tick), here, undefined, statements, problems);
      }
      this.#likely.delete(this.#peaked - 2 * APART - 2);
    }
  }

  #say(
    template: Readonly<Record<string, unknown>>,
    t: number,
    likely: number,
    cue: Cue | undefined,
    statements: ScriptStatement[],
    problems: Issue[],
  ): void {
    const shaped = parseStatement(cue ? fillStatement(template, cue) : template);
    if ('issues' in shaped) {
      for (const { path, message } of shaped.issues) {
        this.#problems.set('sequence-statement', (this.#problems.get('sequence-statement') ?? 0) + 1);
        problems.push({
          code: 'sequence-statement',
          ...(path === undefined ? {} : { path }),
          message: `${message} (${t} s)`,
        });
      }
      return;
    }
    const cues = cue ? [toLogged(cue)] : [];
    // The network's own figure.
    statements.push({ t, end: t, statement: shaped.statement, confidence: likely, cues, given: true });
  }

  [Symbol.dispose](): void {
    this.#network[Symbol.dispose]();
  }
}
