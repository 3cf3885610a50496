import { parseModel, type Network, openNetwork, refuseModel } from '../compute/inference.ts';
import type { Cue } from '../cues/cue.ts';
import type { Issue } from '../errors.ts';
import { parseStatement } from '../events/statement.ts';
import type { SequenceSpec } from '../profile/profile.ts';
import { roundTime } from '../time.ts';
import { fillStatement } from './mapping.ts';
import { type ScriptOutput, type ScriptStatement, toLogged } from './script.ts';
import { CueTable } from './cue-features.ts';

const DEFAULT_TICK_SECONDS = 0.05;
const DEFAULT_WINDOW_TICKS = 64;
const DEFAULT_MARGIN_TICKS = 16;
const DEFAULT_THRESHOLD = 0.5;
/** Ticks on either side within which an event without a detector must have the highest probability. */
const PEAK_RADIUS_TICKS = 4;

interface Output {
  readonly statements: ScriptStatement[];
  readonly problems: Issue[];
}

/** An event that the network has found. */
interface DetectedEvent {
  readonly template: Readonly<Record<string, unknown>>;
  /** Seconds. */
  readonly t: number;
  readonly probability: number;
  /** The cue that is the event; none for events that are not tied to a detector. */
  readonly cue?: Cue;
}

/**
 * Interprets cues by a trained network instead of a game script. Its input is the cues of a window of time, its output the
 * probability of each kind of event at each tick. Windows overlap by twice the margin, and each tick is taken from the window
 * in whose middle it lies, so the result depends only on the cues, not on how they are batched.
 */
export class SequenceNetwork implements Disposable {
  readonly #spec: SequenceSpec;
  readonly #network: Network;
  readonly #input: string;
  readonly #table: CueTable;
  readonly #kinds: readonly string[];
  readonly #window: number;
  readonly #margin: number;
  /** Cues of the detectors that events refer to, not yet decided. */
  #cues: Cue[] = [];
  /** The first tick without probabilities; probabilities of earlier ticks that peaks still need, by tick and kind. */
  #next = 0;
  readonly #probabilities = new Map<number, Float64Array>();
  /** The first tick whose peak is not decided. */
  #nextPeak = 0;
  readonly #issueCounts = new Map<string, number>();

  private constructor(spec: SequenceSpec, network: Network) {
    this.#spec = spec;
    this.#network = network;
    this.#input = network.model.inputs[0]!.name;
    this.#table = new CueTable(spec.detectors, spec.tick ?? DEFAULT_TICK_SECONDS);
    this.#kinds = spec.kinds;
    this.#window = spec.window ?? DEFAULT_WINDOW_TICKS;
    this.#margin = spec.margin ?? Math.min(DEFAULT_MARGIN_TICKS, (this.#window - 1) >> 1);
  }

  /** @throws PlaybyplayError `model-refused` if the model does not fit the profile. */
  static async open(spec: SequenceSpec, assets: { read(path: string): Promise<Uint8Array> }): Promise<SequenceNetwork> {
    const { model: file } = spec;
    const bytes = await assets.read(file);
    const { inputs } = parseModel(bytes, file);
    const network = await openNetwork(bytes, { file });
    const reader = new SequenceNetwork(spec, network);
    const wanted = [1, reader.#window, reader.#table.width];
    const dims = inputs[0]!.dims;
    const fits = dims.length === 3 && dims.every((dim, i) => typeof dim !== 'number' || dim <= 0 || dim === wanted[i]);
    if (inputs.length === 1 && fits) return reader;
    network[Symbol.dispose]();
    throw refuseModel(
      file,
      `its input is ${dims.map((dim) => dim ?? '?').join(' × ')}; the profile's detectors and window make ${wanted.join(' × ')}`,
      'Eight numbers a detector: see docs/games/networks.md.',
    );
  }

  get problemCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#issueCounts);
  }

  /** Adds the cues of one time; calls must be in order of time. */
  add(cues: readonly Cue[]): void {
    for (const cue of cues) {
      this.#table.add(cue);
      if (this.#kinds.some((kind) => this.#spec.events[kind]?.on === cue.detector)) this.#cues.push(cue);
    }
  }

  /** Returns the statements that are final once all cues before `until` seconds are known; `Infinity` at the end of the recording, at `end`. */
  async advance(until: number, end = until): Promise<ScriptOutput> {
    const output: Output = { statements: [], problems: [] };
    const { tick = DEFAULT_TICK_SECONDS } = this.#spec;
    const [window, margin] = [this.#window, this.#margin];
    const hop = window - 2 * margin;
    const over = until === Number.POSITIVE_INFINITY;
    const last = this.#table.tickOf(end);
    // A row is complete once the next one has started.
    const complete = over ? last + window : this.#table.tickOf(until);
    const beyond = over ? last : Number.POSITIVE_INFINITY;
    while (this.#next + hop + margin <= complete && this.#next <= beyond) {
      await this.#infer(this.#next - margin);
      this.#next += hop;
      this.#table.drop(this.#next - margin);
    }
    this.#decideCues(over, output);
    this.#decidePeaks(over ? last : this.#next - PEAK_RADIUS_TICKS - 1, tick, output);
    output.statements.sort((a, b) => a.t - b.t);
    const settled = over ? Number.POSITIVE_INFINITY : roundTime((this.#next - PEAK_RADIUS_TICKS - 2) * tick);
    return { ...output, notes: [], settled };
  }

  /** Runs the network on the window that starts at a tick and stores the probabilities of the ticks between its margins. */
  async #infer(from: number): Promise<void> {
    const [window, margin] = [this.#window, this.#margin];
    const { width } = this.#table;
    const outputs = await this.#network.run({
      [this.#input]: { dims: [1, window, width], data: this.#table.take(from, from + window) },
    });
    const { dims, data } = outputs.values().next().value!;
    const count = this.#kinds.length;
    if (dims.length !== 3 || dims[1] !== window || dims[2] !== count)
      throw refuseModel(
        this.#spec.model,
        `its output is ${dims.join(' × ')}; ${window} ticks of ${count} kinds of events make 1 × ${window} × ${count}`,
      );
    for (let i = margin; i < window - margin; i++) {
      const likely = Float64Array.from({ length: count }, (_, k) => Math.min(1, Math.max(0, data[i * count + k]!)));
      this.#probabilities.set(from + i, likely);
    }
  }

  /** For kinds with a detector, decides for each of its cues whether it is such an event, with a tolerance of one tick. */
  #decideCues(over: boolean, output: Output): void {
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
        const likely = Math.max(...[-1, 0, 1].map((by) => this.#probabilities.get(tick + by)?.[k] ?? 0));
        if (likely >= (this.#spec.threshold ?? DEFAULT_THRESHOLD))
          this.#emit({ template: event.statement, t: cue.t, probability: likely, cue }, output);
      }
    }
    this.#cues = rest;
  }

  /** For kinds without a detector, finds local maxima of the probability. */
  #decidePeaks(last: number, tick: number, output: Output): void {
    for (; this.#nextPeak <= last; this.#nextPeak++) {
      for (const [k, kind] of this.#kinds.entries()) {
        const event = this.#spec.events[kind];
        if (!event || event.on !== undefined) continue;
        const at = (by: number): number => this.#probabilities.get(this.#nextPeak + by)?.[k] ?? 0;
        const here = at(0);
        if (here < (this.#spec.threshold ?? DEFAULT_THRESHOLD)) continue;
        const offsets = Array.from({ length: 2 * PEAK_RADIUS_TICKS + 1 }, (_, i) => i - PEAK_RADIUS_TICKS);
        // The first of equal maxima counts.
        if (offsets.some((by) => at(by) > here || (by < 0 && at(by) === here))) continue;
        this.#emit({ template: event.statement, t: roundTime(this.#nextPeak * tick), probability: here }, output);
      }
      this.#probabilities.delete(this.#nextPeak - 2 * PEAK_RADIUS_TICKS - 2);
    }
  }

  /** Fills in the statement of an event; if that makes no valid statement, reports why. */
  #emit({ template, t, probability, cue }: DetectedEvent, { statements, problems }: Output): void {
    const parsed = parseStatement(cue ? fillStatement(template, cue) : template);
    if ('issues' in parsed) {
      for (const { path, message } of parsed.issues) {
        this.#issueCounts.set('sequence-statement', (this.#issueCounts.get('sequence-statement') ?? 0) + 1);
        const place = path === undefined ? {} : { path };
        problems.push({ code: 'sequence-statement', ...place, message: `${message} (${t} s)` });
      }
      return;
    }
    const cues = cue ? [toLogged(cue)] : [];
    statements.push({ t, end: t, statement: parsed.statement, confidence: probability, cues, given: true });
  }

  [Symbol.dispose](): void {
    this.#network[Symbol.dispose]();
  }
}
