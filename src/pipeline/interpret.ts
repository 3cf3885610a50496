import type { Cue } from '../cues/cue.ts';
import { CueStream } from '../cues/cue-stream.ts';
import { createTracker, type Tracker } from '../cues/tracker.ts';
import type { Reading } from '../detectors/kind.ts';
import { render } from '../dictionary/sentences/render.ts';
import { validateStatement } from '../dictionary/statements.ts';
import type { Issue } from '../errors.ts';
import type { CueValue, EndLine, HeaderLine } from '../events/log.ts';
import type { Statement } from '../events/statement.ts';
import { LogLines } from '../events/log-lines.ts';
import { resolveGridSpacing } from '../profile/defaults.ts';
import type { CueSequence } from '../profile/profile.ts';
import { Fusion } from '../script/fusion.ts';
import { compileMappings, type MappedCue } from '../script/mapping.ts';
import { type GameScript, openScript, type ScriptOutput, type ScriptStatement, toLogged } from '../script/script.ts';
import type { SequenceNetwork } from '../script/sequence-network.ts';
import type { Game } from './game.ts';
import {
  type ChunkEndMessage,
  type CueBreakpoint,
  type CuesMessage,
  type DetectMessage,
  type EventsMessage,
  problemMessage,
  type SampleMessage,
  type SettledMessage,
  type SideMessage,
  type StatementsMessage,
  type SummaryMessage,
} from './messages.ts';
import { ProfileFitMonitor, UnusedSamples } from './warnings.ts';

/** Failures of a plug-in that are reported, each once; all are counted. */
const MAX_REPORTED_FAILURES = 50;
/** Milliseconds after which samples are no longer interpreted together: far below the limits of a script's time. */
const MAX_BATCH_MS = 100;

/**
 * readings → cues: trackers, activation rules and sequences of cues.
 *
 * @param isEarly Trackers report what is likely as soon as it is.
 */
export async function* trackCues(
  messages: AsyncIterable<SampleMessage | ChunkEndMessage | SideMessage | SummaryMessage>,
  game: Game,
  watchesFit: boolean,
  isEarly = false,
): AsyncGenerator<CuesMessage | ChunkEndMessage | SideMessage | SummaryMessage, void, undefined> {
  const { profile, detectors } = game;
  const fit = watchesFit ? new ProfileFitMonitor(game) : undefined;
  const failures = new FailureCounter();
  const unused = new UnusedSamples(game);
  const trackers = new Map<string, Tracker>();
  for (const one of detectors) trackers.set(one.name, await one.createTracker(isEarly));
  const plain = new Set(detectors.flatMap(({ kind, name }) => (kind.track ? [] : [name])));
  const stream = new CueStream(trackers, {
    activations: game.activations,
    sequences: profile.sequences ?? {},
    renew: (name) =>
      plain.has(name) ? createTracker(name, profile.detectors[name]!, resolveGridSpacing(profile, name)) : undefined,
    onReading(reading) {
      failures.add(reading);
      fit?.add(reading);
      unused.add(reading);
    },
  });
  const found = new Set<string>();
  let samples = 0;
  let last = 0;
  const cuesOf = ({ moments, until }: Omit<CuesMessage, 'type'>): CuesMessage => {
    for (const { cues } of moments) for (const { detector } of cues) found.add(detector);
    return { type: 'cues', moments, until };
  };
  for await (const message of messages) {
    if (message.type === 'sample') {
      if (message.isFrame) samples++;
      last = message.t;
      fit?.sample(message);
      yield cuesOf(stream.sample(message.t, message.readings));
      yield* failures.take();
    } else if (message.type === 'chunk-end' && message.end !== undefined) {
      const end = Math.max(message.end, last);
      yield cuesOf(stream.end(end));
      yield* failures.take();
      yield { type: 'chunk-end', end };
    } else yield message;
    if (message.type !== 'chunk-end') continue;
    const issue = fit?.judge(message.end !== undefined);
    if (issue) yield { type: 'warning', about: 'recording', issue };
  }
  const silent = detectors.filter(({ name }) => !found.has(name)).map(({ name }) => name);
  const explained = unused.judge(new Set(silent));
  for (const { detector, issue } of explained)
    yield { type: 'warning', about: 'detectors', detectors: [detector], issue };
  if (silent.length > 0) yield silentDetectors(silent);
  yield { type: 'summary', samples, problems: failures.counts };
}

function silentDetectors(detectors: readonly string[]): SideMessage {
  const message = `${detectors.join(', ')} never read anything`;
  const hint = 'playbyplay profile try shows what they see.';
  return { type: 'warning', about: 'detectors', detectors, issue: { code: 'silent-detectors', message, hint } };
}

/** Counts the mistakes of plug-ins; reports each only once, as it may come with every sample. */
class FailureCounter {
  readonly #reported = new Set<string>();
  #count = 0;
  #new: SideMessage[] = [];

  get counts(): Readonly<Record<string, number>> {
    return this.#count > 0 ? { 'plugin-failed': this.#count } : {};
  }

  add({ detector, t, observation }: Reading): void {
    if (observation.state !== 'unreadable' || observation.failure === undefined) return;
    this.#count++;
    const key = `${detector} ${observation.failure}`;
    if (this.#reported.has(key) || this.#reported.size >= MAX_REPORTED_FAILURES) return;
    this.#reported.add(key);
    const message = `${observation.failure} (first at ${t.toFixed(3)} s)`;
    this.#new.push(problemMessage({ code: 'plugin-failed', path: `detector “${detector}”`, message }));
  }

  take(): readonly SideMessage[] {
    return this.#new.length === 0 ? [] : this.#new.splice(0);
  }
}

/**
 * cues → statements: the profile's mappings, and the game script or the network in its place.
 *
 * @param options `maxDelaySeconds`: timers of the script run after so many seconds at the latest; `breakpoints`: cues at which
 * what is known is reported.
 */
export async function* interpretCues(
  messages: AsyncIterable<CuesMessage | ChunkEndMessage | SideMessage | SummaryMessage>,
  game: Game,
  {
    maxDelaySeconds,
    breakpoints = [],
  }: { readonly maxDelaySeconds?: number; readonly breakpoints?: readonly CueBreakpoint[] } = {},
): AsyncGenerator<StatementsMessage | SettledMessage | SideMessage | SummaryMessage, void, undefined> {
  const { profile, dictionary } = game;
  const names = [...game.detectors.map(({ name }) => name), ...Object.keys(profile.sequences ?? {})];
  using script = game.script && (await openScript({ ...game.script, detectors: names, maxDelaySeconds }));
  using sequence = await openSequence(game);
  const mappings = compileMappings(profile.events, profile.sequences);
  const problems = new Map<string, number>();
  const statements: ScriptStatement[] = [];
  const sides: SideMessage[] = [];
  let settled = Number.NEGATIVE_INFINITY;
  const report = (issue: Issue): void => {
    problems.set(issue.code, (problems.get(issue.code) ?? 0) + 1);
    sides.push(problemMessage(issue));
  };
  const add = (made: ScriptStatement): void => {
    const issues = validateStatement(made.statement, dictionary);
    if (issues.length === 0) statements.push(made);
    for (const issue of issues) report({ ...issue, path: `${made.t} s: statement${issue.path ?? ''}` });
  };
  const take = (output: ScriptOutput): number => {
    for (const made of output.statements) add(made);
    // Script and network count their own problems.
    for (const issue of output.problems) sides.push(problemMessage(issue));
    for (const note of output.notes) sides.push({ type: 'note', note });
    return output.settled;
  };
  const takeMapped = ({ statements: made, problems: found }: MappedCue): void => {
    for (const one of made) add(one);
    for (const issue of found) report(issue);
  };
  const stops = new BreakpointRecorder(breakpoints);
  const interpret = ({ moments, until }: CuesMessage): void => {
    settled = until;
    for (const { t, cues } of moments) {
      const stop = stops.begin(t, cues, script);
      const known = statements.length;
      for (const cue of cues) takeMapped(mappings.take(cue));
      sequence?.add(cues);
      if (script) settled = Math.min(settled, take(script.onCues(t, cues)));
      if (stop) sides.push(...stop(statements.slice(known).map(({ statement }) => statement)));
    }
    if (Number.isFinite(until)) takeMapped(mappings.advance(until));
    settled = Math.min(settled, mappings.pendingSince);
    if (script && Number.isFinite(until)) settled = Math.min(settled, take(script.onCues(until, [])));
  };
  const waiting: CuesMessage[] = [];
  const interpretWaiting = (): void => {
    let next = 0;
    const interpretSome = (): void => {
      const start = performance.now();
      while (next < waiting.length && performance.now() - start < MAX_BATCH_MS) interpret(waiting[next++]!);
    };
    while (next < waiting.length)
      if (script) script.together(interpretSome);
      else interpretSome();
    waiting.length = 0;
  };
  const settle = async ({ end }: ChunkEndMessage): Promise<void> => {
    if (end !== undefined) {
      takeMapped(mappings.end(end));
      if (script) take(script.end(end));
      if (sequence) take(await sequence.advance(Number.POSITIVE_INFINITY, end));
      settled = Number.POSITIVE_INFINITY;
    } else if (sequence && Number.isFinite(settled)) settled = Math.min(settled, take(await sequence.advance(settled)));
  };
  function* takeMade(): Generator<StatementsMessage | SideMessage> {
    yield* sides.splice(0);
    if (statements.length > 0) yield { type: 'statements', statements: statements.splice(0) };
  }
  for await (const message of messages) {
    if (message.type === 'cues') {
      waiting.push(message);
      continue;
    }
    interpretWaiting();
    yield* takeMade();
    if (message.type !== 'chunk-end') {
      yield message;
      continue;
    }
    await settle(message);
    yield* takeMade();
    yield { type: 'settled', until: settled };
  }
  const counts = { ...Object.fromEntries(problems), ...(script ?? sequence)?.problemCounts };
  yield { type: 'summary', problems: counts };
}

/** Breakpoints at which a run reports what is known. */
const MAX_STOPS = 300;

/** Reports what is known at the cues at which an author has set breakpoints. */
class BreakpointRecorder {
  readonly #breakpoints: readonly CueBreakpoint[];
  readonly #readings = new Map<string, CueValue>();
  #count = 0;

  constructor(breakpoints: readonly CueBreakpoint[]) {
    this.#breakpoints = breakpoints;
  }

  /** Takes the cues of a moment before they are interpreted. Returns what reports it afterwards, if that is wanted. */
  begin(
    t: number,
    cues: readonly Cue[],
    script: GameScript | undefined,
  ): ((statements: readonly Statement[]) => readonly SideMessage[]) | undefined {
    if (this.#breakpoints.length === 0) return undefined;
    for (const { detector, trigger, value } of cues)
      if (trigger === 'lost' || value === undefined) this.#readings.delete(detector);
      else this.#readings.set(detector, value);
    const wanted = cues.filter((cue) => this.#breakpoints.some((one) => fits(cue, one)));
    if (wanted.length === 0 || this.#count >= MAX_STOPS) return undefined;
    this.#count += wanted.length;
    const before = script?.readState();
    const readings = Object.fromEntries(this.#readings);
    return (statements) => {
      const after = script?.readState();
      return wanted.map((cue) => ({
        type: 'stop',
        t,
        cue: toLogged(cue),
        readings,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
        statements,
      }));
    };
  }
}

function fits(cue: Cue, { detector, trigger, value }: CueBreakpoint): boolean {
  return (
    cue.detector === detector &&
    (trigger === undefined || cue.trigger === trigger) &&
    (value === undefined || String(cue.value) === value)
  );
}

/** The network that takes the script's place, if the profile has one. */
async function openSequence({ profile, assets }: Game): Promise<SequenceNetwork | undefined> {
  if (!profile.interpreter) return undefined;
  const { SequenceNetwork } = await import('../script/sequence-network.ts');
  return await SequenceNetwork.open(profile.interpreter, assets);
}

/** statements → events: merges the statements about one event, and puts them into sentences. */
export async function* fuseStatements(
  messages: AsyncIterable<StatementsMessage | SettledMessage | SideMessage | SummaryMessage>,
  { profile, dictionary }: Game,
): AsyncGenerator<EventsMessage | SettledMessage | SideMessage | SummaryMessage, void, undefined> {
  const sequences = profile.sequences ?? {};
  const fusion = new Fusion(profile.fusion, dictionary, (detector) => detectorsOf(detector, sequences));
  for await (const message of messages) {
    if (message.type === 'statements') for (const made of message.statements) fusion.add(made);
    else if (message.type === 'settled') {
      const { statements, settled } = fusion.settle(message.until);
      const events = statements.map((made) => ({ ...made, text: render(made.statement, dictionary) }));
      if (events.length > 0) yield { type: 'events', events };
      yield { type: 'settled', until: settled };
    } else yield message;
  }
}

/** The detectors on which a sequence rests; a detector rests on itself. */
function detectorsOf(name: string, sequences: Readonly<Record<string, CueSequence>>): readonly string[] {
  const sequence = Object.hasOwn(sequences, name) ? sequences[name] : undefined;
  return sequence?.steps.flatMap(({ detector }) => detectorsOf(detector, sequences)) ?? [name];
}

/** events → log: lines in order of time, the last one with the counts of the run. */
export async function* writeLines(
  messages: AsyncIterable<EventsMessage | SettledMessage | SideMessage | SummaryMessage>,
  header: HeaderLine,
  warnings: readonly Issue[] = [],
): AsyncGenerator<DetectMessage, void, undefined> {
  const lines = new LogLines(header);
  const all: NonNullable<EndLine['warnings']>[number][] = [...warnings];
  const problems = new Map<string, number>();
  let samples = 0;
  for await (const message of messages) {
    if (message.type === 'events') for (const event of message.events) lines.add(event);
    else if (message.type === 'gap') lines.gap(message.gap.t, message.gap.end, message.gap.reason);
    else if (message.type === 'settled') yield* lines.settle(message.until);
    else if (message.type === 'summary') {
      samples += message.samples ?? 0;
      for (const [code, count] of Object.entries(message.problems ?? {}))
        problems.set(code, (problems.get(code) ?? 0) + count);
    } else {
      if (message.type === 'warning' && message.about === 'recording') all.push(message.issue);
      yield message;
    }
  }
  yield* lines.settle(Number.POSITIVE_INFINITY);
  yield lines.end(samples, Object.fromEntries(problems), all);
}
