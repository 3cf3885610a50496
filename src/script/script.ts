import type { Cue } from '../cues/cue.ts';
import { type Issue } from '../errors.ts';
import { suggestSpelling } from '../spelling.ts';
import type { LoggedCue } from '../events/log.ts';
import { type Statement, parseStatement } from '../events/statement.ts';
import { roundTime } from '../time.ts';
import { IssueCollector } from './issue-collector.ts';
import { Sandbox, type Fault, type Limits, type ScriptSource } from './sandbox.ts';

/** A statement, when it holds and on what grounds; becomes an event once its words are checked. */
export interface ScriptStatement {
  /** Seconds. */
  readonly t: number;
  readonly end: number;
  readonly statement: Statement;
  /** 0…1: the script's own figure, else the least confidence among the cues, else 1. */
  readonly confidence: number;
  readonly cues: readonly LoggedCue[];
  /** The confidence is not just the least among the cues: script or network gave it. */
  readonly given?: true;
  /** It only supports statements that say as much; by itself it makes no event. */
  readonly support?: true;
  /** It is an event of its own, whatever else is said. */
  readonly alone?: true;
}

/** What a script said to its author, and when in the recording (seconds). */
export interface ScriptNote {
  readonly t: number;
  readonly text: string;
}

export interface ScriptOutput {
  /** In the order in which the script made them. */
  readonly statements: readonly ScriptStatement[];
  readonly problems: readonly Issue[];
  /** What the script had to say to its author (`game.note`, `console.log`). */
  readonly notes: readonly ScriptNote[];
  /** Seconds: no statement to come is earlier than this. */
  readonly settled: number;
}

export interface ScriptOptions extends ScriptSource {
  /** Names of the profile's detectors, so that `game.reading` can refuse a slip of the pen; default: any name. */
  readonly detectors?: readonly string[];
  readonly limits?: Limits;
}

/** A game script at work. Every call is synchronous; equal calls give equal output. */
export interface GameScript extends Disposable {
  /**
   * Gives the script the cues of one moment, at `t` seconds; moments come in order of time. Timers that are due before
   * `t` run first, each at its own time; those due at `t` run after the cues. Without cues it only lets time pass.
   */
  onCues(t: number, cues: readonly Cue[]): ScriptOutput;
  /** The media is over: runs the timers still waiting, in order, then `onEnd`. */
  end(t: number): ScriptOutput;
  /** How often each kind of problem occurred, also those no longer reported one by one. */
  readonly problemCounts: Readonly<Record<string, number>>;
  dispose(): void;
}

/** Seconds that a statement may lie before the moment in which it is made, unless the script's `lookback` says otherwise. */
const LOOKBACK = 10;
const MOST_LOOKBACK = 600;
const MOST_STATEMENTS_PER_CALL = 1000;
const MOST_TIMERS = 10_000;
const MOST_TIMER_RUNS = 1000;
const LONGEST_OUTPUT = 1 << 20;
const MOST_OVERRUNS = 10;

/** Loads a game script. Throws PlaybyplayError `script-broken` where it cannot be loaded. */
export async function openScript(options: ScriptOptions): Promise<GameScript> {
  const sandbox = await Sandbox.open(options, options.detectors, options.limits);
  return new RunningScript(sandbox, options);
}

interface Timer {
  readonly id: number;
  readonly t: number;
}

class RunningScript implements GameScript {
  readonly #sandbox: Sandbox;
  readonly #problems: IssueCollector;
  readonly #detectors: readonly string[] | undefined;
  readonly #lookback: number;
  #timers: Timer[] = [];
  #now = Number.NEGATIVE_INFINITY;
  #overruns = 0;
  #stopped = false;
  #statements: ScriptStatement[] = [];
  #notes: { t: number; text: string }[] = [];

  constructor(sandbox: Sandbox, { name, detectors }: ScriptOptions) {
    this.#sandbox = sandbox;
    this.#detectors = detectors;
    this.#problems = new IssueCollector(name);
    this.#lookback = Math.min(Math.max(sandbox.settings['lookback'] ?? LOOKBACK, 0), MOST_LOOKBACK);
    if (sandbox.entries.size === 0) {
      this.#problems.add({
        code: 'script-empty',
        path: name,
        message: 'the script defines none of onCue, onCues and onEnd',
        hint: sandbox.isModule
          ? 'Write export function onCue(cue, game) { … }.'
          : 'Write function onCue(cue, game) { … }.',
      });
    }
  }

  get problemCounts(): Readonly<Record<string, number>> {
    return this.#problems.counts;
  }

  onCues(t: number, cues: readonly Cue[]): ScriptOutput {
    if (!(t >= this.#now)) throw new RangeError(`moments out of order: ${this.#now}, ${t}`);
    this.#runTimers((timer) => timer.t < t);
    if (cues.length > 0) this.#giveCues(t, cues);
    this.#now = t;
    this.#runTimers((timer) => timer.t <= t);
    return this.#output(t - this.#lookback);
  }

  end(t: number): ScriptOutput {
    this.#runTimers((timer) => timer.t <= t);
    this.#runTimers(() => true, this.#timers.length, t);
    this.#timers = [];
    this.#now = Math.max(this.#now, t);
    if (this.#sandbox.entries.has('onEnd')) this.#call('onEnd', [this.#now], this.#now, 'at the end');
    return this.#output(Number.POSITIVE_INFINITY);
  }

  dispose(): void {
    this.#sandbox[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #giveCues(t: number, cues: readonly Cue[]): void {
    const texts = cues.map((cue) => JSON.stringify(cue));
    if (!this.#call('begin', [t, JSON.stringify(texts)], t, 'while taking cues')) return;
    if (this.#sandbox.entries.has('onCue')) {
      for (const [index, cue] of cues.entries()) this.#call('onCue', [index], t, `on cue ${describeCue(cue)}`);
    }
    if (this.#sandbox.entries.has('onCues')) {
      this.#call('onCues', [], t, `on cues ${cues.slice(0, 3).map(describeCue).join('; ')}`);
    }
  }

  #runTimers(isDue: (timer: Timer) => boolean, most = MOST_TIMER_RUNS, latest = Number.POSITIVE_INFINITY): void {
    for (let runs = 0; ; runs++) {
      let next: Timer | undefined;
      for (const timer of this.#timers) {
        if (isDue(timer) && (next === undefined || timer.t < next.t || (timer.t === next.t && timer.id < next.id)))
          next = timer;
      }
      if (next === undefined) return;
      if (runs >= most) {
        if (most === MOST_TIMER_RUNS) this.#complain('script-budget', 'timers without end', next.t, 'in a timer');
        this.#timers = this.#timers.filter((timer) => !isDue(timer));
        return;
      }
      const { id, t } = next;
      this.#timers = this.#timers.filter((timer) => timer.id !== id);
      const at = Math.max(this.#now, Math.min(t, latest));
      this.#now = at;
      this.#call('timer', [id, at], at, `in a timer set for ${t} s`);
    }
  }

  /** Calls into the sandbox, then takes out what the script made, also when it failed half-way. */
  #call(entry: string, args: readonly (string | number)[], t: number, when: string): boolean {
    if (this.#stopped) return false;
    const outcome = this.#sandbox.call(entry, ...args);
    if (outcome.fault === undefined && typeof outcome.value !== 'number') {
      this.#take(outcome.value, t, when);
      return true;
    }
    if (outcome.fault !== undefined) this.#fail(outcome.fault, t, when);
    else this.#complain('script-error', 'functions of a game script must not be async', t, when);
    if (!this.#stopped) this.#drain(t, when);
    return false;
  }

  #fail(fault: Fault, t: number, when: string): void {
    this.#complain(fault.code, fault.message, t, when, fault.place);
    if (fault.code !== 'script-error') this.#overruns += 1;
    if (!fault.fatal && this.#overruns < MOST_OVERRUNS) return;
    this.#stopped = true;
    this.#timers = [];
    const why = fault.fatal ? 'it crashed' : `it went over its budget ${MOST_OVERRUNS} times`;
    this.#complain('script-stopped', `the script takes no further part: ${why}`, t, when);
  }

  #complain(code: string, message: string, t: number, when: string, place?: string): void {
    const hint = hintFor(message, this.#detectors);
    const issue = { code, message: `${message} (${t} s, ${when})`, ...(hint === undefined ? {} : { hint }) };
    this.#problems.add(issue, place, message);
  }

  #drain(t: number, when: string): void {
    const outcome = this.#sandbox.call('drain');
    if (outcome.fault !== undefined) return this.#fail(outcome.fault, t, when);
    this.#take(outcome.value, t, when);
  }

  #take(text: string | number | undefined, t: number, when: string): void {
    if (text === '' || text === undefined) return;
    if (typeof text !== 'string' || text.length > LONGEST_OUTPUT) {
      return this.#complain('script-output', 'the script said too much in one call', t, when);
    }
    const out = parseOutput(text);
    if (out.statements.length > MOST_STATEMENTS_PER_CALL) {
      this.#complain('script-output', `more than ${MOST_STATEMENTS_PER_CALL} statements in one call`, t, when);
    }
    for (const emitted of out.statements.slice(0, MOST_STATEMENTS_PER_CALL)) this.#accept(emitted, t, when);
    for (const note of out.notes.slice(0, 100))
      if (typeof note === 'string') this.#notes.push({ t, text: note.slice(0, 500) });
    this.#keepTimers(out.timers, out.cancelled, t, when);
  }

  #keepTimers(added: readonly unknown[], cancelled: readonly unknown[], t: number, when: string): void {
    for (const timer of added) {
      const { id, t: due } = record(timer);
      if (typeof id === 'number' && typeof due === 'number') this.#timers.push({ id, t: roundTime(due) });
    }
    if (cancelled.length > 0) this.#timers = this.#timers.filter((timer) => !cancelled.includes(timer.id));
    if (this.#timers.length <= MOST_TIMERS) return;
    this.#timers.length = MOST_TIMERS;
    this.#complain('script-budget', `more than ${MOST_TIMERS} timers at once`, t, when);
  }

  #accept(emitted: unknown, now: number, when: string): void {
    const { t, end, statement: text, confidence, cues, support, alone } = record(emitted);
    const shaped = parseStatement(parse(text));
    if ('issues' in shaped) {
      for (const issue of shaped.issues) {
        this.#complain('script-statement', `${issue.message}, in ${String(text).slice(0, 200)}`, now, when);
      }
      return;
    }
    const evidence = evidenceOf(cues);
    const at = typeof t === 'number' ? roundTime(t) : Number.NaN;
    if (!(at <= now + 1e-6) || !(at >= roundTime(now - this.#lookback))) {
      const hint = `it must lie within the last ${this.#lookback} s; see lookback`;
      return this.#complain('script-statement', `a statement cannot be made for t = ${at}: ${hint}`, now, when);
    }
    const over = typeof end === 'number' ? roundTime(end) : at;
    if (!(over >= at))
      return this.#complain('script-statement', `a statement ends at ${over}, before it begins`, now, when);
    const given = typeof confidence === 'number' ? confidence : undefined;
    if (given !== undefined && !(given >= 0 && given <= 1)) {
      return this.#complain('script-statement', `confidence must lie between 0 and 1, not ${given}`, now, when);
    }
    const least = evidence.reduce((low, cue) => Math.min(low, cue.confidence), 1);
    this.#statements.push({
      t: at,
      end: over,
      statement: shaped.statement,
      confidence: given ?? least,
      cues: evidence,
      ...(given === undefined ? {} : { given: true }),
      ...(support === true ? { support } : {}),
      ...(alone === true ? { alone } : {}),
    });
  }

  #output(settled: number): ScriptOutput {
    const output = { statements: this.#statements, problems: this.#problems.take(), notes: this.#notes, settled };
    this.#statements = [];
    this.#notes = [];
    return output;
  }
}

/** The nearest detector's name, where an error speaks of an unknown one. */
function hintFor(message: string, detectors: readonly string[] | undefined): string | undefined {
  const wrong = /no detector is called "((?:[^"\\]|\\.)*)"/.exec(message)?.[1];
  return wrong === undefined ? undefined : suggestSpelling(wrong, detectors ?? []);
}

function describeCue({ detector, trigger, previous, value }: Cue): string {
  const change = [previous, value].filter((one) => one !== undefined).map((one) => String(one).slice(0, 60));
  return `${detector} ${trigger}${change.length > 0 ? ` ${change.join(' → ')}` : ''}`;
}

interface RawOutput {
  readonly statements: readonly unknown[];
  readonly notes: readonly unknown[];
  readonly timers: readonly unknown[];
  readonly cancelled: readonly unknown[];
}

function parseOutput(text: string): RawOutput {
  const { statements, notes, timers, cancelled } = record(parse(text));
  return { statements: list(statements), notes: list(notes), timers: list(timers), cancelled: list(cancelled) };
}

function parse(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The cues behind a statement, as they stand in the log; each once. */
function evidenceOf(value: unknown): readonly LoggedCue[] {
  const texts = new Set(list(value).filter((one) => typeof one === 'string'));
  return [...texts].slice(0, 100).flatMap((text) => {
    const cue = parse(text);
    return isCue(cue) ? [toLogged(cue)] : [];
  });
}

/** Whether what came out of the sandbox still is the cue that went in, or has at least its form. */
function isCue(value: unknown): value is Cue {
  const { detector, t, trigger, confidence, value: now, previous } = record(value);
  return (
    typeof detector === 'string' &&
    typeof t === 'number' &&
    (trigger === 'found' || trigger === 'changed' || trigger === 'lost') &&
    typeof confidence === 'number' &&
    isPlain(now) &&
    isPlain(previous)
  );
}

function isPlain(value: unknown): boolean {
  return value === undefined || ['string', 'number', 'boolean'].includes(typeof value);
}

/** A cue in the form of the log: fixed order of keys, no detail. */
export function toLogged({ detector, t, trigger, value, previous, confidence }: Cue): LoggedCue {
  return {
    detector,
    t,
    trigger,
    ...(value === undefined ? {} : { value }),
    ...(previous === undefined ? {} : { previous }),
    confidence,
  };
}
