import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSSyncVariant } from 'quickjs-emscripten-core';
import { type Issue, messageOf, PlaybyplayError } from '../errors.ts';
import { isModule, type Script } from '../profile/script.ts';
import { CallTimeout, runWithTimeout } from '../timeout.ts';
import { ScriptModules } from './script-modules.ts';
import { PRELUDE } from './prelude.ts';

/** The script to run; `name` identifies it in errors (`scripts/freedoom.js`). */
export type ScriptSource = Pick<Script, 'name' | 'source'> & Partial<Pick<Script, 'modules' | 'unreadable'>>;

/** Resource limits. An interrupt is the interpreter's unit of work (about 10,000 branches and calls). */
export interface Limits {
  /** Interrupts per call of a script function; default 50. */
  readonly interrupts?: number;
  /** Bytes of the interpreter's memory, including itself, above which a call is stopped; default and minimum 16 MiB. */
  readonly memory?: number;
  /** Bytes of the interpreter's stack; default 32 KiB, some 150 nested calls. */
  readonly stack?: number;
  /** Seconds that the calls at one time of the recording may take; default 30. Beyond them, the run ends. */
  readonly seconds?: number;
}

/** An error in the sandbox. After a `fatal` one it cannot be used any more. */
export interface Fault {
  readonly code: 'script-error' | 'script-budget' | 'script-memory' | 'script-crash';
  readonly message: string;
  /** File and line (from 1) in the script or a module, if known: `scripts/freedoom.js:12`. */
  readonly place?: string;
  readonly fatal: boolean;
}

/** The result of a call into the sandbox, or the fault that ended it. */
export type Outcome =
  | { readonly value: string | number | undefined; readonly fault?: undefined }
  | { readonly fault: Fault };

/** The functions that a game script may define. */
const ENTRIES = ['onCue', 'onCues', 'onEnd'] as const;
/** The name of a function that a game script may define. */
export type Entry = (typeof ENTRIES)[number];

/**
 * Wall-clock limit of the calls at one time of the recording, as a last resort: the budget of interrupts ends a call after some
 * 0.1 s, but not one that works on long texts with the operators of the language.
 */
const MAX_SECONDS = 30;
/** Calls that take longer than this count towards the limit of slow calls. */
const SLOW_SECONDS = 1;
/** Seconds that all slow calls of a run may take. */
const MAX_SLOW_SECONDS = 300;
/** Size of a WebAssembly page; the interpreter starts with 16 MiB. */
const PAGE_BYTES = 65_536;
const MIN_PAGES = 256;
/** Factor by which memory can exceed the limit before the interpreter is checked. */
const MEMORY_HEADROOM = 8;
const MAX_JOBS_PER_CALL = 1000;

/**
 * Runs one game script in its own instance of an interpreter (QuickJS in WebAssembly), without I/O, clock or randomness.
 * Only strings and numbers cross the boundary.
 */
export class Sandbox implements Disposable {
  readonly entries: ReadonlySet<Entry>;
  readonly settings: Readonly<Record<string, number>>;
  /** Whether the script is a module, which exports its functions. */
  readonly isModule: boolean;
  readonly #name: string;
  readonly #modules: ScriptModules;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #host: QuickJSHandle;
  readonly #functions = new Map<string, QuickJSHandle>();
  readonly #interrupts: number;
  readonly #memory: WebAssembly.Memory;
  /** Bytes of memory at the start of the call. */
  #bytesBefore = 0;
  #interruptsLeft = 0;
  #dead = false;
  readonly #seconds: number;
  #slowSeconds = 0;
  #isGuarded = false;
  /** The function that is called. */
  #running = 'the top level';

  private constructor(
    script: ScriptSource,
    runtime: QuickJSRuntime,
    context: QuickJSContext,
    memory: WebAssembly.Memory,
    limits: Limits,
    detectors: readonly string[] | undefined,
  ) {
    const { name, source } = script;
    this.#name = name;
    this.#modules = new ScriptModules(script);
    this.isModule = isModule(source);
    this.#runtime = runtime;
    this.#context = context;
    this.#memory = memory;
    this.#interrupts = limits.interrupts ?? 50;
    this.#seconds = limits.seconds ?? MAX_SECONDS;
    runtime.setMaxStackSize(limits.stack ?? 32 << 10);
    runtime.setInterruptHandler(() => this.#interrupt());
    this.#resetBudget();
    this.#host = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
    using defined = this.isModule ? this.#importAll(source) : this.#evaluate(source);
    this.entries = new Set(ENTRIES.filter((entry) => this.#typeIn(defined, entry) === 'function'));
    this.settings =
      this.#typeIn(defined, 'lookback') === 'number' ? { lookback: this.#numberIn(defined, 'lookback') } : {};
    this.#connect(defined, detectors);
  }

  /**
   * Loads a script.
   *
   * @param detectors Names that `game.reading` accepts; any if left out.
   * @throws PlaybyplayError `script-broken` if it cannot be loaded.
   */
  static async open(
    script: ScriptSource,
    detectors: readonly string[] | undefined,
    limits: Limits = {},
  ): Promise<Sandbox> {
    for (const [name, source] of [[script.name, script.source] as const, ...(script.modules ?? [])])
      rejectBigInt(source, name, script.name);
    const { newQuickJSWASMModuleFromVariant, newVariant } = await import('quickjs-emscripten-core');
    const { default: releaseSync } = await import('@jitl/quickjs-wasmfile-release-sync');
    // The package declares the types of its CommonJS build, whose exports are one level deeper.
    const variant = releaseSync as unknown as QuickJSSyncVariant;
    // The interpreter's own limit counts allocations, not bytes, and without any memory left it may crash. So its memory can grow
    // beyond the limit, and growth is detected before memory runs out.
    const pages = Math.max(MIN_PAGES, Math.ceil((limits.memory ?? 0) / PAGE_BYTES));
    const wasmMemory = new WebAssembly.Memory({ initial: pages, maximum: MEMORY_HEADROOM * pages });
    const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory }));
    const runtime = quickjs.newRuntime();
    const context = runtime.newContext({
      intrinsics: {
        BaseObjects: true,
        Eval: true,
        RegExp: true,
        JSON: true,
        MapSet: true,
        StringNormalize: true,
        Promise: true,
      },
    });
    const { seconds = MAX_SECONDS } = limits;
    try {
      return runWithTimeout(() => new Sandbox(script, runtime, context, wasmMemory, limits, detectors), seconds);
    } catch (error) {
      throw error instanceof CallTimeout ? stuck(script.name, 'the top level', seconds) : error;
    }
  }

  get dead(): boolean {
    return this.#dead;
  }

  /**
   * Runs calls within the wall-clock limit. Calls of `guard` among them are within the same limit.
   *
   * @throws PlaybyplayError `script-stuck`: the result of a call that is cut off at some time would differ from run to run.
   */
  guard<T>(calls: () => T): T {
    if (this.#isGuarded) return calls();
    const start = performance.now();
    this.#isGuarded = true;
    try {
      return runWithTimeout(calls, this.#seconds);
    } catch (error) {
      if (!(error instanceof CallTimeout)) throw error;
      this.#dead = true;
      throw stuck(this.#name, this.#running, this.#seconds);
    } finally {
      this.#isGuarded = false;
      const took = (performance.now() - start) / 1000;
      if (took > SLOW_SECONDS) this.#slowSeconds += took;
      if (this.#slowSeconds > MAX_SLOW_SECONDS && !this.#dead) {
        this.#dead = true;
        // oxlint-disable-next-line no-unsafe-finally -- a result that came too late does not count
        throw stuck(this.#name, this.#running, MAX_SLOW_SECONDS, 'in all');
      }
    }
  }

  /** Calls a function of the prelude. Script errors are returned. */
  call(name: string, ...args: readonly (string | number)[]): Outcome {
    this.#running = name;
    const { value, fault } = this.#run(() => {
      const fn = this.#function(name);
      const handles = args.map((arg) =>
        typeof arg === 'number' ? this.#context.newNumber(arg) : this.#context.newString(arg),
      );
      try {
        return this.#context.callFunction(fn, this.#context.undefined, ...handles);
      } finally {
        for (const handle of handles) handle.dispose();
      }
    });
    if (fault !== undefined) return { fault };
    const jobs = this.#runJobs();
    if (jobs !== undefined) return { fault: jobs };
    return { value };
  }

  [Symbol.dispose](): void {
    if (this.#dead) return;
    this.#dead = true;
    try {
      for (const handle of this.#functions.values()) handle.dispose();
      this.#host.dispose();
      this.#context.dispose();
      this.#runtime.dispose();
    } catch {
      // The interpreter instance belongs to this sandbox and is released with it.
    }
  }

  /** Runs an action in the interpreter with a new budget and converts its result or error. */
  #run(action: () => ReturnType<QuickJSContext['evalCode']>): {
    value: string | number | undefined;
    fault?: Fault;
  } {
    if (this.#dead)
      return { value: undefined, fault: { code: 'script-crash', message: 'the script has crashed', fatal: true } };
    this.#resetBudget();
    try {
      const result = action();
      if (result.error !== undefined) return { value: undefined, fault: this.#faultFrom(result.error) };
      const type = this.#context.typeof(result.value);
      const value =
        type === 'string'
          ? this.#context.getString(result.value)
          : type === 'number'
            ? this.#context.getNumber(result.value)
            : undefined;
      result.value.dispose();
      return { value };
    } catch (thrown) {
      // The interpreter itself failed (for example by exhausting the host's stack), so its state is undefined.
      this.#dead = true;
      return { value: undefined, fault: { code: 'script-crash', message: messageOf(thrown), fatal: true } };
    }
  }

  #runJobs(): Fault | undefined {
    if (this.#dead || !this.#runtime.hasPendingJob()) return undefined;
    try {
      const result = this.#runtime.executePendingJobs(MAX_JOBS_PER_CALL);
      if (result.error !== undefined) return this.#faultFrom(result.error);
      result.dispose();
      if (!this.#runtime.hasPendingJob()) return undefined;
      this.#dead = true;
      return { code: 'script-budget', message: `more than ${MAX_JOBS_PER_CALL} promise jobs in one call`, fatal: true };
    } catch (thrown) {
      this.#dead = true;
      return { code: 'script-crash', message: messageOf(thrown), fatal: true };
    }
  }

  #faultFrom(error: QuickJSHandle): Fault {
    const [grown, spent] = [this.#grown, this.#interruptsLeft < 0];
    this.#resetBudget();
    const name = this.#stringProperty(error, 'name');
    const message = this.#stringProperty(error, 'message');
    const stack = this.#stringProperty(error, 'stack');
    const type = this.#context.typeof(error);
    // Without memory for an error object the interpreter throws null.
    const isNull = this.#context.eq(error, this.#context.null);
    const own = type === 'string' ? this.#context.getString(error).slice(0, 500) : undefined;
    error.dispose();
    const place =
      placeIn(stack, (file) => file === this.#name || this.#modules.has(file)) ?? this.#modules.locate(message ?? '');
    const at = place === undefined ? {} : { place };
    if (grown) return { code: 'script-memory', message: 'the script exceeded its memory limit', ...at, fatal: false };
    if (spent) return { code: 'script-budget', message: 'the script exceeded its time budget', ...at, fatal: false };
    if (message === 'out of memory' || isNull)
      return { code: 'script-memory', message: 'the script exceeded its memory limit', ...at, fatal: false };
    const said =
      message === undefined
        ? own === undefined
          ? 'threw a value that is not an Error'
          : `threw "${own}"`
        : `${name ?? 'Error'}: ${message}`;
    return { code: 'script-error', message: said, ...at, fatal: false };
  }

  /** A string property of a thrown value; errors while reading it are ignored. */
  #stringProperty(error: QuickJSHandle, key: string): string | undefined {
    if (this.#context.typeof(error) !== 'object') return undefined;
    try {
      using value = this.#context.getProp(error, key);
      return this.#context.typeof(value) === 'string' ? this.#context.getString(value).slice(0, 2000) : undefined;
    } catch {
      return undefined;
    }
  }

  /** A function of the prelude; looked up once. */
  #function(name: string): QuickJSHandle {
    const known = this.#functions.get(name);
    if (known !== undefined) return known;
    const found = this.#context.getProp(this.#host, name);
    this.#functions.set(name, found);
    return found;
  }

  /** Runs a script that is no module. Returns an object with the functions it defines. */
  #evaluate(source: string): QuickJSHandle {
    this.#check(this.#run(() => this.#context.evalCode(source, this.#name, { strict: true })));
    const known = [...ENTRIES, 'lookback'].map((one) => `${one}: typeof ${one} === 'undefined' ? undefined : ${one}`);
    const { handle, ...outcome } = this.#runForHandle(() =>
      this.#context.evalCode(`({ ${known.join(', ')} })`, 'prelude.js'),
    );
    if (handle !== undefined) return handle;
    this.#check(outcome);
    return this.#context.newObject();
  }

  /** Runs a module and its imports. Returns its exports; nothing can be imported afterwards. */
  #importAll(source: string): QuickJSHandle {
    this.#runtime.setModuleLoader(this.#modules.load, this.#modules.name);
    const { handle, ...outcome } = this.#runForHandle(() =>
      this.#context.evalCode(source, this.#name, { type: 'module' }),
    );
    this.#runtime.removeModuleLoader();
    // Missing imports come first: other errors may result from them.
    if (this.#modules.issues.length > 0) throw broken(this.#name, this.#modules.issues);
    this.#check(outcome);
    const state = handle && this.#context.getPromiseState(handle);
    if (handle !== undefined && state?.type === 'fulfilled' && state.notAPromise === true) return handle;
    const message = 'a game script must not use top-level await';
    throw broken(this.#name, [{ code: 'script-error', path: this.#name, message }]);
  }

  /** Like `#run`, but returns the value as a handle. */
  #runForHandle(action: () => ReturnType<QuickJSContext['evalCode']>): {
    handle: QuickJSHandle | undefined;
    fault?: Fault;
  } {
    let handle: QuickJSHandle | undefined;
    const { fault } = this.#run(() => {
      const result = action();
      if (result.error === undefined) handle = result.value.dup();
      return result;
    });
    return fault === undefined ? { handle } : { handle, fault };
  }

  #typeIn(defined: QuickJSHandle, name: string): string {
    using value = this.#context.getProp(defined, name);
    return this.#context.typeof(value);
  }

  #numberIn(defined: QuickJSHandle, name: string): number {
    using value = this.#context.getProp(defined, name);
    return this.#context.getNumber(value);
  }

  #connect(defined: QuickJSHandle, detectors: readonly string[] | undefined): void {
    using names = this.#context.newString(JSON.stringify(detectors ?? null));
    using ready = this.#context.getProp(this.#host, 'ready');
    this.#context.unwrapResult(this.#context.callFunction(ready, this.#context.undefined, defined, names)).dispose();
  }

  #check({ fault }: { fault?: Fault }): void {
    const late = fault ?? this.#runJobs();
    if (late === undefined) return;
    throw broken(this.#name, [{ code: late.code, path: late.place ?? this.#name, message: late.message }]);
  }

  #interrupt(): boolean {
    this.#interruptsLeft -= 1;
    return this.#interruptsLeft < 0 || this.#grown;
  }

  get #grown(): boolean {
    return this.#memory.buffer.byteLength > this.#bytesBefore;
  }

  #resetBudget(): void {
    this.#interruptsLeft = this.#interrupts;
    this.#bytesBefore = this.#memory.buffer.byteLength;
  }
}

function stuck(script: string, entry: string, seconds: number, extent = 'at one time'): PlaybyplayError {
  const name = entry === 'timer' ? 'a function given to game.after' : entry;
  const message = `the game script ${script} is too slow: ${name} took more than ${seconds} s ${extent}`;
  const hint = 'Look for operations on very long texts, lists or objects, and shorten what the script keeps.';
  return new PlaybyplayError('script-stuck', message, {
    hint,
    issues: [{ code: 'script-stuck', path: script, message, hint }],
  });
}

/** The first location of a stack trace in the script's own files. */
function placeIn(stack: string | undefined, isOwn: (file: string) => boolean): string | undefined {
  if (stack === undefined) return undefined;
  for (const [, file, line] of stack.matchAll(/\(?([^()\s]+?):(\d+)(?::\d+)?\)?$/gm)) {
    if (isOwn(file!)) return `${file}:${line}`;
  }
  return undefined;
}

/** Rejects BigInt literals: one BigInt operation can take seconds, and the interpreter cannot disable them. */
function rejectBigInt(source: string, file: string, script: string): void {
  const found = /(?<![\w$.])(?:\d[\d_]*|0[xob][\da-f_]+)n(?![\w$])/iu.exec(source);
  if (found === null) return;
  const line = source.slice(0, found.index).split('\n').length;
  const message = `BigInt (${found[0]}) is not available in a game script`;
  throw broken(script, [{ code: 'script-error', path: `${file}:${line}`, message }]);
}

function broken(name: string, issues: readonly Issue[]): PlaybyplayError {
  return new PlaybyplayError('script-broken', `the game script ${name} cannot be loaded`, { issues });
}
