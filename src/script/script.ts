import type { Cue } from '../cues/cue.ts';
import { type Issue } from '../errors.ts';
import type { LoggedCue } from '../events/log.ts';
import { parseStatement, type Statement } from '../events/statement.ts';
import { asObject } from '../json.ts';
import { suggestSpelling } from '../spelling.ts';
import { roundTime } from '../time.ts';
import { IssueCollector } from './issue-collector.ts';
import { type Fault, type Limits, Sandbox, type ScriptSource } from './sandbox.ts';

/** A statement with its time and evidence; it becomes an event once its words are checked. */
export interface ScriptStatement {
  /** Seconds. */
  readonly t: number;
  readonly end: number;
  readonly statement: Statement;
  /** 0 to 1: set by the script, else the lowest confidence of the cues, else 1. */
  readonly confidence: number;
  readonly cues: readonly LoggedCue[];
  /** The confidence was set by the script or a network, not derived from the cues. */
  readonly given?: true;
  /** The evidence is thin. */
  readonly tentative?: true;
  /** Only supports statements that say the same; makes no event on its own. */
  readonly support?: true;
  /** Never merged with other statements. */
  readonly alone?: true;
}

/** A message of a script to its author, with the time in the recording (seconds). */
export interface ScriptNote {
  readonly t: number;
  readonly text: string;
}

/** What a call of a game script returns. */
export interface ScriptOutput {
  /** In the order in which the script emitted them. */
  readonly statements: readonly ScriptStatement[];
  readonly problems: readonly Issue[];
  /** Messages to the author (`game.note`, `console.log`). */
  readonly notes: readonly ScriptNote[];
  /** Seconds: no later statement is earlier than this. */
  readonly settled: number;
}

/** What `openScript` is given. */
export interface ScriptOptions extends ScriptSource {
  /** Names of the profile's detectors, so that `game.reading` can reject unknown ones; default: any name. */
  readonly detectors?: readonly string[];
  readonly limits?: Limits;
  /** Seconds after which timers run at the latest; default: as the script sets them. */
  readonly maxDelaySeconds?: number | undefined;
}

/** A loaded game script. Calls are synchronous and deterministic. */
export interface GameScript extends Disposable {
  /**
   * Passes the cues of one time, `t` seconds, to the script; calls must be in order of time. Timers due before `t` run first,
   * each at its own time; those due at `t` run after the cues. Without cues only time advances.
   */
  onCues(t: number, cues: readonly Cue[]): ScriptOutput;
  /** Calls `run`, in which calls of `onCues` share the limit of time, for which each would otherwise start a thread. */
  together(run: () => void): void;
  /** What the script keeps in `game.state`, as JSON; undefined where it cannot be written as such, or is too long. */
  readState(): string | undefined;
  /** Ends the recording: runs the remaining timers in order, then `onEnd`. */
  end(t: number): ScriptOutput;
  /** Number of issues by code, including those that are not reported individually. */
  readonly problemCounts: Readonly<Record<string, number>>;
  dispose(): void;
}

/** How far back a statement may be dated, unless the script sets `lookback`. */
const DEFAULT_LOOKBACK_SECONDS = 10;
const MAX_LOOKBACK_SECONDS = 600;
const MAX_STATEMENTS_PER_CALL = 1000;
const MAX_TIMERS = 10_000;
const MAX_TIMER_RUNS = 1000;
const MAX_OUTPUT_CHARACTERS = 1 << 20;
const MAX_OVERRUNS = 10;
const MAX_STATE_CHARACTERS = 1 << 16;

/** Loads a game script. Throws PlaybyplayError `script-broken` where it cannot be loaded. */
export async function openScript(options: ScriptOptions): Promise<GameScript> {
  const sandbox = await Sandbox.open(options, options.detectors, options.limits);
  return new SandboxedScript(sandbox, options);
}

interface Timer {
  readonly id: number;
  readonly t: number;
}

class SandboxedScript implements GameScript {
  readonly #sandbox: Sandbox;
  readonly #issues: IssueCollector;
  readonly #detectors: readonly string[] | undefined;
  readonly #lookback: number;
  readonly #maxDelay: number;
  #timers: Timer[] = [];
  #now = Number.NEGATIVE_INFINITY;
  #overruns = 0;
  #stopped = false;
  #statements: ScriptStatement[] = [];
  #notes: { t: number; text: string }[] = [];

  constructor(sandbox: Sandbox, { name, detectors, maxDelaySeconds = Number.POSITIVE_INFINITY }: ScriptOptions) {
    this.#sandbox = sandbox;
    this.#maxDelay = maxDelaySeconds;
    this.#detectors = detectors;
    this.#issues = new IssueCollector(name);
    this.#lookback = Math.min(
      Math.max(sandbox.settings['lookback'] ?? DEFAULT_LOOKBACK_SECONDS, 0),
      MAX_LOOKBACK_SECONDS,
    );
    if (sandbox.entries.size === 0) {
      this.#issues.add({
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
    return this.#issues.counts;
  }

  onCues(t: number, cues: readonly Cue[]): ScriptOutput {
    if (!(t >= this.#now)) throw new RangeError(`moments out of order: ${this.#now}, ${t}`);
    if (cues.length > 0 || this.#timers.some((timer) => timer.t <= t))
      this.#sandbox.guard(() => {
        this.#runTimers((timer) => timer.t < t);
        if (cues.length > 0) this.#passCues(t, cues);
        this.#now = t;
        this.#runTimers((timer) => timer.t <= t);
      });
    this.#now = t;
    return this.#output(t - this.#lookback);
  }

  together(run: () => void): void {
    this.#sandbox.guard(run);
  }

  readState(): string | undefined {
    if (this.#stopped) return undefined;
    let state: string | undefined;
    this.#sandbox.guard(() => {
      const outcome = this.#sandbox.call('state');
      if (outcome.fault !== undefined || typeof outcome.value !== 'string') return;
      if (outcome.value.length <= MAX_STATE_CHARACTERS) state = outcome.value;
    });
    return state;
  }

  end(t: number): ScriptOutput {
    this.#sandbox.guard(() => {
      this.#runTimers((timer) => timer.t <= t);
      this.#runTimers(() => true, this.#timers.length, t);
      this.#timers = [];
      this.#now = Math.max(this.#now, t);
      if (this.#sandbox.entries.has('onEnd')) this.#call('onEnd', [this.#now], this.#now, 'at the end');
    });
    return this.#output(Number.POSITIVE_INFINITY);
  }

  dispose(): void {
    this.#sandbox[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #passCues(t: number, cues: readonly Cue[]): void {
    const texts = cues.map((cue) => JSON.stringify(cue));
    if (!this.#call('begin', [t, JSON.stringify(texts)], t, 'while taking cues')) return;
    if (this.#sandbox.entries.has('onCue')) {
      for (const [index, cue] of cues.entries()) this.#call('onCue', [index], t, `on cue ${describeCue(cue)}`);
    }
    if (this.#sandbox.entries.has('onCues')) {
      this.#call('onCues', [], t, `on cues ${cues.slice(0, 3).map(describeCue).join('; ')}`);
    }
  }

  #runTimers(isDue: (timer: Timer) => boolean, most = MAX_TIMER_RUNS, latest = Number.POSITIVE_INFINITY): void {
    for (let runs = 0; ; runs++) {
      let next: Timer | undefined;
      for (const timer of this.#timers) {
        if (isDue(timer) && (next === undefined || timer.t < next.t || (timer.t === next.t && timer.id < next.id)))
          next = timer;
      }
      if (next === undefined) return;
      if (runs >= most) {
        if (most === MAX_TIMER_RUNS)
          this.#report('script-budget', `more than ${MAX_TIMER_RUNS} timers ran at one time`, next.t, 'in a timer');
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

  /** Calls into the sandbox and processes the script's output, also of a call that failed midway. */
  #call(entry: string, args: readonly (string | number)[], t: number, when: string): boolean {
    if (this.#stopped) return false;
    const outcome = this.#sandbox.call(entry, ...args);
    if (outcome.fault === undefined && typeof outcome.value !== 'number') {
      this.#process(outcome.value, t, when);
      return true;
    }
    if (outcome.fault !== undefined) this.#fail(outcome.fault, t, when);
    else this.#report('script-error', 'functions of a game script must not be async', t, when);
    if (!this.#stopped) this.#drain(t, when);
    return false;
  }

  #fail(fault: Fault, t: number, when: string): void {
    this.#report(fault.code, fault.message, t, when, fault.place);
    if (fault.code !== 'script-error') this.#overruns += 1;
    if (!fault.fatal && this.#overruns < MAX_OVERRUNS) return;
    this.#stopped = true;
    this.#timers = [];
    const why = fault.fatal ? 'it crashed' : `it exceeded its budget ${MAX_OVERRUNS} times`;
    this.#report('script-stopped', `the script was stopped: ${why}`, t, when);
  }

  #report(code: string, message: string, t: number, when: string, place?: string): void {
    const hint = hintFor(message, this.#detectors);
    const issue = { code, message: `${message} (${t} s, ${when})`, ...(hint === undefined ? {} : { hint }) };
    this.#issues.add(issue, place, message);
  }

  #drain(t: number, when: string): void {
    const outcome = this.#sandbox.call('drain');
    if (outcome.fault !== undefined) return this.#fail(outcome.fault, t, when);
    this.#process(outcome.value, t, when);
  }

  #process(text: string | number | undefined, t: number, when: string): void {
    if (text === '' || text === undefined) return;
    if (typeof text !== 'string' || text.length > MAX_OUTPUT_CHARACTERS) {
      return this.#report(
        'script-output',
        `one call produced more than ${MAX_OUTPUT_CHARACTERS} characters of output`,
        t,
        when,
      );
    }
    const out = parseOutput(text);
    if (out.statements.length > MAX_STATEMENTS_PER_CALL) {
      this.#report('script-output', `more than ${MAX_STATEMENTS_PER_CALL} statements in one call`, t, when);
    }
    for (const emitted of out.statements.slice(0, MAX_STATEMENTS_PER_CALL)) this.#accept(emitted, t, when);
    for (const note of out.notes.slice(0, 100))
      if (typeof note === 'string') this.#notes.push({ t, text: note.slice(0, 500) });
    this.#updateTimers(out.timers, out.cancelled, t, when);
  }

  #updateTimers(added: readonly unknown[], cancelled: readonly unknown[], t: number, when: string): void {
    for (const timer of added) {
      const { id, t: due } = asObject(timer);
      if (typeof id === 'number' && typeof due === 'number')
        this.#timers.push({ id, t: roundTime(Math.min(due, t + this.#maxDelay)) });
    }
    if (cancelled.length > 0) this.#timers = this.#timers.filter((timer) => !cancelled.includes(timer.id));
    if (this.#timers.length <= MAX_TIMERS) return;
    this.#timers.length = MAX_TIMERS;
    this.#report('script-budget', `more than ${MAX_TIMERS} timers at once`, t, when);
  }

  #accept(emitted: unknown, now: number, when: string): void {
    const { t, end, statement: text, confidence, cues, support, alone, tentative } = asObject(emitted);
    const shaped = parseStatement(parse(text));
    if ('issues' in shaped) {
      for (const issue of shaped.issues) {
        this.#report('script-statement', `${issue.message}, in ${String(text).slice(0, 200)}`, now, when);
      }
      return;
    }
    const evidence = evidenceOf(cues);
    const at = typeof t === 'number' ? roundTime(t) : Number.NaN;
    if (!(at <= now + 1e-6) || !(at >= roundTime(now - this.#lookback))) {
      const hint = `it must be within the last ${this.#lookback} s (see lookback)`;
      return this.#report('script-statement', `invalid time t = ${at} of a statement: ${hint}`, now, when);
    }
    const over = typeof end === 'number' ? roundTime(end) : at;
    if (!(over >= at))
      return this.#report('script-statement', `a statement ends at ${over}, before its start at ${at}`, now, when);
    const given = typeof confidence === 'number' ? confidence : undefined;
    if (given !== undefined && !(given >= 0 && given <= 1)) {
      return this.#report('script-statement', `confidence must be between 0 and 1, not ${given}`, now, when);
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
      ...(tentative === true || evidence.some((cue) => cue.tentative) ? { tentative: true } : {}),
    });
  }

  #output(settled: number): ScriptOutput {
    const output = { statements: this.#statements, problems: this.#issues.take(), notes: this.#notes, settled };
    this.#statements = [];
    this.#notes = [];
    return output;
  }
}

/** Suggests the nearest detector for an error about an unknown one. */
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
  const { statements, notes, timers, cancelled } = asObject(parse(text));
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

/** The cues of a statement in the form of the log, without duplicates. */
function evidenceOf(value: unknown): readonly LoggedCue[] {
  const texts = new Set(list(value).filter((one) => typeof one === 'string'));
  return [...texts].slice(0, 100).flatMap((text) => {
    const cue = parse(text);
    return isCue(cue) ? [toLogged(cue)] : [];
  });
}

/** Whether a value from the sandbox has the form of a cue. */
function isCue(value: unknown): value is Cue {
  const { detector, t, trigger, confidence, value: now, previous } = asObject(value);
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

/** Converts a cue to the form of the log: fixed order of keys, no detail. */
export function toLogged({ detector, t, trigger, value, previous, confidence, tentative }: Cue): LoggedCue {
  return {
    detector,
    t,
    trigger,
    ...(value === undefined ? {} : { value }),
    ...(previous === undefined ? {} : { previous }),
    confidence,
    ...(tentative === true ? { tentative } : {}),
  };
}
