import { setImmediate as turn } from 'node:timers/promises';
import type { Want } from '../cues/nodes.ts';
import type { Observation, Reading } from '../detectors/kind.ts';
import { loadKind } from '../detectors/registry.ts';
import { activationsOf } from '../cues/activation.ts';
import { type CueStream, type Links, orderCues, type Settled } from '../cues/order.ts';
import { createTracker, type Tracker } from '../cues/tracker.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { render } from '../dictionary/sentences/render.ts';
import { validateStatement } from '../dictionary/statements.ts';
import type { Issue } from '../errors.ts';
import type { NewEvent } from '../events/writer.ts';
import { gridOf } from '../profile/interval.ts';
import type { CueSequence, Profile } from '../profile/profile.ts';
import { Fusion } from '../script/fusion.ts';
import { compileMappings } from '../script/mapping.ts';
import {
  type GameScript,
  openScript,
  type ScriptNote,
  type ScriptOutput,
  type ScriptStatement,
} from '../script/script.ts';
import type { SequenceNetwork } from '../script/sequence-network.ts';
import { ASLEEP, asleepIn, type ChunkReadings, type Places, readingsOf } from './reading/chunk-readings.ts';
import type { Game } from './game.ts';
import { Holding } from './holding.ts';
import { Seams } from './seams.ts';

/** What a stretch of readings came to. */
export interface Interpreted {
  readonly events: readonly NewEvent[];
  /** Seconds: no event to come is earlier. */
  readonly settled: number;
}

/** What was wanted, and what was seen; undefined: there was nothing to read, or the frame could not be decoded. */
export type Woken = Want & { readonly observation: Observation | undefined };

/** Reads detectors in samples in which they turned out to be switched on after the recording had been read. */
export type Wake = (wants: readonly Want[], places: Places) => Promise<readonly Woken[]>;

/** Milliseconds after which the decoder, which is at the next chunk already, may have finished a packet. */
const BREATH = 2;

/** What an interpreter is put together from. */
interface Parts {
  readonly seams: Seams;
  readonly stream: CueStream;
  readonly trackers: readonly Tracker[];
  readonly script: GameScript | undefined;
  readonly sequence: SequenceNetwork | undefined;
  readonly report: (issue: Issue) => void;
  readonly wake: Wake;
  readonly remark: (note: ScriptNote) => void;
}

/** Readings in order of time in, events out: trackers, screens, mappings and game script, one after the other. */
export class Interpreter implements Disposable {
  readonly #detectors: readonly string[];
  readonly #seams: Seams;
  readonly #stream: CueStream;
  readonly #script: GameScript | undefined;
  readonly #sequence: SequenceNetwork | undefined;
  readonly #map: ReturnType<typeof compileMappings>;
  readonly #dictionary: Dictionary;
  readonly #cued = new Set<string>();
  readonly #report: (issue: Issue) => void;
  readonly #wake: Wake;
  readonly #fusion: Fusion;
  readonly #holding: Holding;
  readonly #problems = new Map<string, number>();
  readonly #remark: (note: ScriptNote) => void;
  /** Mistakes of plug-ins that were passed on already. */
  readonly #told = new Set<string>();
  readonly #trackers: readonly Tracker[];
  samples = 0;
  #last = 0;

  private constructor(game: Game, { seams, stream, trackers, script, sequence, report, wake, remark }: Parts) {
    this.#wake = wake;
    this.#holding = new Holding(game.profile);
    this.#remark = remark;
    const { sequences, fusion } = game.profile;
    this.#fusion = new Fusion(fusion, game.dictionary, (detector) => partsOf(detector, sequences ?? {}));
    this.#detectors = Object.keys(game.profile.detectors);
    this.#seams = seams;
    this.#stream = stream;
    this.#trackers = trackers;
    this.#script = script;
    this.#sequence = sequence;
    this.#map = compileMappings(game.profile.events, game.profile.sequences);
    this.#dictionary = game.dictionary;
    this.#report = report;
  }

  /** `wake` reads detectors in samples in which they turn out to be switched on; `remark` is told what the script notes. */
  static async open(
    game: Game,
    report: (issue: Issue) => void,
    wake: Wake = asleep,
    remark: (note: ScriptNote) => void = () => undefined,
  ): Promise<Interpreter> {
    const { profile } = game;
    const trackers = new Map<string, Tracker>();
    const plain = new Set<string>();
    for (const [name, { kind }] of Object.entries(profile.detectors)) {
      trackers.set(name, await trackerFor(game, name));
      if (!(await loadKind(kind, game.plugins)).track) plain.add(name);
    }
    const sequences = profile.sequences ?? {};
    const links: Links = {
      activations: activationsOf(profile),
      sequences,
      renew: (name) => (plain.has(name) ? plainTracker(profile, name) : undefined),
    };
    const detectors = [...Object.keys(profile.detectors), ...Object.keys(sequences)];
    const script = game.script && (await openScript({ ...game.script, detectors }));
    return new Interpreter(game, {
      seams: await Seams.open(game.profile, game.plugins),
      stream: orderCues(trackers, links),
      trackers: [...trackers.values()],
      script,
      sequence: await openSequence(game),
      report,
      wake,
      remark,
    });
  }

  /** How often each kind of problem came up in script, mappings and statements. */
  get problems(): Readonly<Record<string, number>> {
    const counts = new Map(this.#problems);
    for (const [code, count] of Object.entries((this.#script ?? this.#sequence)?.problemCounts ?? {}))
      counts.set(code, count);
    return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Takes the readings of the next chunk, and what was heard until its end, both in order of time. */
  async push(portion: ChunkReadings, heard: readonly Reading[] = []): Promise<Interpreted> {
    const chunk = this.#seams.mend(portion);
    let settled = Number.NEGATIVE_INFINITY;
    let next = 0;
    const listen = (until: number): void => {
      while (next < heard.length && heard[next]!.t < until) {
        const { t } = heard[next]!;
        const first = next;
        while (next < heard.length && heard[next]!.t === t) next++;
        settled = this.#beside(t, heard.slice(first, next));
        this.#last = t;
      }
    };
    let breath = performance.now();
    for (const [i, t] of chunk.t.entries()) {
      if (performance.now() - breath >= BREATH) {
        await turn();
        breath = performance.now();
      }
      listen(t);
      this.samples++;
      this.#last = t;
      const together: Reading[] = [...readingsOf(chunk, i, this.#detectors)];
      while (next < heard.length && heard[next]!.t === t) together.push(heard[next++]!);
      settled = this.#beside(t, together, asleepIn(chunk, i, this.#detectors));
    }
    listen(Number.POSITIVE_INFINITY);
    settled = Math.max(settled, await this.#rouse());
    this.#holding.forget(settled);
    if (this.#sequence && Number.isFinite(settled))
      settled = Math.min(settled, this.#take(await this.#sequence.advance(settled)));
    return this.#fused(settled);
  }

  /** The media is over at `t` seconds. */
  async end(t: number): Promise<Interpreted> {
    const last = Math.max(t, this.#last);
    this.#interpret(this.#stream.end(last));
    await this.#rouse();
    if (this.#script) this.#take(this.#script.end(last));
    if (this.#sequence) this.#take(await this.#sequence.advance(Number.POSITIVE_INFINITY, last));
    for (const [d, { failure }] of this.#trackers.entries())
      if (failure !== undefined) this.#failure(this.#detectors[d]!, failure);
    return this.#fused(Number.POSITIVE_INFINITY);
  }

  /** A sample of one recording, or of several at the same time; what was left out stands among the readings as `ASLEEP`, too. */
  #beside(t: number, together: readonly Reading[], left: readonly string[] = []): number {
    const out = together.filter(({ observation }) => observation === ASLEEP).map(({ detector }) => detector);
    const there = out.length === 0 ? together : together.filter(({ observation }) => observation !== ASLEEP);
    const { readings, asleep } = this.#holding.take(t, there, [...left, ...out]);
    return this.#sample(t, readings, asleep);
  }

  #sample(t: number, readings: readonly Reading[], asleep: readonly string[] = []): number {
    for (const { detector, observation } of readings)
      if (observation.state === 'unreadable' && observation.failure !== undefined)
        this.#failure(detector, observation.failure);
    return this.#interpret(this.#stream.sample(t, readings, asleep));
  }

  /** Counts a plug-in's mistake; passes it on only once, as it may come with every sample. */
  #failure(detector: string, message: string): void {
    this.#problems.set('plugin-failed', (this.#problems.get('plugin-failed') ?? 0) + 1);
    const key = `${detector} ${message}`;
    if (this.#told.has(key) || this.#told.size >= 50) return;
    this.#told.add(key);
    this.#report({ code: 'plugin-failed', path: `detector “${detector}”`, message });
  }

  /** Has read what turned out to be needed; whoever is switched on by that may need more. */
  async #rouse(): Promise<number> {
    let settled = Number.NEGATIVE_INFINITY;
    for (let wants = this.#stream.wants(); wants.length > 0; wants = this.#stream.wants())
      settled = this.#interpret(this.#stream.fill(await this.#wake(wants, this.#holding.places)));
    return settled;
  }

  /** Detectors of which nothing was ever accepted, in the profile's order. */
  get silent(): readonly string[] {
    return this.#detectors.filter((name) => !this.#cued.has(name));
  }

  #interpret({ moments, until }: Settled): number {
    let settled = until;
    for (const { t, cues } of moments) {
      for (const cue of cues) {
        this.#cued.add(cue.detector);
        const { statements, problems } = this.#map(cue);
        for (const statement of statements) this.#add(statement);
        for (const problem of problems) this.#problem(problem);
      }
      this.#sequence?.add(cues);
      if (this.#script) settled = Math.min(settled, this.#take(this.#script.onCues(t, cues)));
    }
    if (this.#script && Number.isFinite(until)) settled = Math.min(settled, this.#take(this.#script.onCues(until, [])));
    return settled;
  }

  #take(output: ScriptOutput): number {
    for (const statement of output.statements) this.#add(statement);
    // Script and network count their own problems; here they are only passed on.
    for (const problem of output.problems) this.#report(problem);
    for (const note of output.notes) this.#remark(note);
    return output.settled;
  }

  #add(made: ScriptStatement): void {
    const issues = validateStatement(made.statement, this.#dictionary);
    if (issues.length > 0) {
      for (const issue of issues) this.#problem({ ...issue, path: `${made.t} s: statement${issue.path ?? ''}` });
      return;
    }
    this.#fusion.add(made);
  }

  /** What is final where no statement to come is earlier than `until` seconds. */
  #fused(until: number): Interpreted {
    const { statements, settled } = this.#fusion.settle(until);
    const events = statements.map((made) => ({ ...made, text: render(made.statement, this.#dictionary) }));
    return { events, settled };
  }

  /** Counts and passes on a problem with the recording. */
  note(issue: Issue): void {
    this.#problem(issue);
  }

  #problem(issue: Issue): void {
    this.#problems.set(issue.code, (this.#problems.get(issue.code) ?? 0) + 1);
    this.#report(issue);
  }

  [Symbol.dispose](): void {
    this.#script?.dispose();
    this.#sequence?.[Symbol.dispose]();
  }
}

/** The detectors that a sequence rests on; a detector rests on itself. */
function partsOf(name: string, sequences: Readonly<Record<string, CueSequence>>): readonly string[] {
  return sequences[name]?.steps.flatMap(({ detector }) => partsOf(detector, sequences)) ?? [name];
}

/** The network that takes the script's place, if the profile has one. */
async function openSequence({ profile, assets }: Game): Promise<SequenceNetwork | undefined> {
  if (!profile.interpreter) return undefined;
  const { SequenceNetwork } = await import('../script/sequence-network.ts');
  return await SequenceNetwork.open(profile.interpreter, assets);
}

async function trackerFor({ profile, assets, plugins }: Game, name: string): Promise<Tracker> {
  const spec = profile.detectors[name]!;
  const { track } = await loadKind(spec.kind, plugins);
  return track ? track(name, spec, gridOf(profile, name), assets) : plainTracker(profile, name);
}

function plainTracker(profile: Profile, name: string): Tracker {
  return createTracker(name, profile.detectors[name]!, gridOf(profile, name));
}

/** Without a recording nothing more can be read. */
const asleep: Wake = (wants) => Promise.resolve(wants.map((want) => ({ ...want, observation: undefined })));
