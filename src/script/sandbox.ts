import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten';
import { type Issue, messageOf, PlaybyplayError } from '../errors.ts';
import { isModule, type Script } from '../profile/script.ts';
import { Modules } from './script-modules.ts';
import { PRELUDE } from './prelude.ts';

/** What a sandbox runs; `name` is how errors call it: `scripts/freedoom.js`. */
export type ScriptSource = Pick<Script, 'name' | 'source'> & Partial<Pick<Script, 'modules' | 'unread'>>;

/** What a script may use. Interrupts are the interpreter's own count of work (about 10 000 branches and calls each). */
export interface Limits {
  /** Interrupts per call of one function of the script; default 50. */
  readonly interrupts?: number;
  /** Bytes of the interpreter's whole memory, itself included, beyond which a call is stopped; default and least 16 MiB. */
  readonly memory?: number;
  /** Bytes of the interpreter's stack; default 32 KiB, some 150 nested calls. */
  readonly stack?: number;
}

/** What went wrong in the sandbox. `fatal`: it cannot be used any more. */
export interface Fault {
  readonly code: 'script-error' | 'script-budget' | 'script-memory' | 'script-crash';
  readonly message: string;
  /** File and line (from 1) of the script or of a module, where it is known: `scripts/freedoom.js:12`. */
  readonly place?: string;
  readonly fatal: boolean;
}

export type Outcome =
  | { readonly value: string | number | undefined; readonly fault?: undefined }
  | { readonly fault: Fault };

/** The functions that a game script may define. */
const ENTRIES = ['onCue', 'onCues', 'onEnd'] as const;
export type Entry = (typeof ENTRIES)[number];

/** A call that keeps the machine busy for this long (ms) ends the run: no honest script comes near it. */
const STUCK_AFTER_MS = 300_000;
/** WebAssembly's unit of memory, and what the interpreter begins with (16 MiB). */
const PAGE = 65_536;
const LEAST_PAGES = 256;
/** How many times as large as it may be a script's memory can become before it is noticed. */
const RESERVE = 8;
const JOBS_PER_CALL = 1000;

/**
 * One game script in an interpreter of its own (QuickJS in WebAssembly, in an instance of its own): no I/O, no clock,
 * no chance. Nothing but text and numbers crosses the border.
 */
export class Sandbox implements Disposable {
  readonly entries: ReadonlySet<Entry>;
  readonly settings: Readonly<Record<string, number>>;
  /** The script exports what it defines. */
  readonly isModule: boolean;
  readonly #name: string;
  readonly #modules: Modules;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #host: QuickJSHandle;
  readonly #functions = new Map<string, QuickJSHandle>();
  readonly #interrupts: number;
  readonly #memory: WebAssembly.Memory;
  /** Bytes that it had when the call began. */
  #had = 0;
  #left = 0;
  #started = 0;
  #stuck = false;
  #dead = false;

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
    this.#modules = new Modules(script);
    this.isModule = isModule(source);
    this.#runtime = runtime;
    this.#context = context;
    this.#memory = memory;
    this.#interrupts = limits.interrupts ?? 50;
    runtime.setMaxStackSize(limits.stack ?? 32 << 10);
    runtime.setInterruptHandler(() => this.#interrupt());
    this.#refuel();
    this.#host = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
    using defined = this.isModule ? this.#importAll(source) : this.#evaluate(source);
    this.entries = new Set(ENTRIES.filter((entry) => this.#typeIn(defined, entry) === 'function'));
    this.settings =
      this.#typeIn(defined, 'lookback') === 'number' ? { lookback: this.#numberIn(defined, 'lookback') } : {};
    this.#connect(defined, detectors);
  }

  /**
   * Loads a script. `detectors`: the names that it may ask for. Throws PlaybyplayError `script-broken` where it cannot be loaded.
   */
  static async open(
    script: ScriptSource,
    detectors: readonly string[] | undefined,
    limits: Limits = {},
  ): Promise<Sandbox> {
    for (const [name, source] of [[script.name, script.source] as const, ...(script.modules ?? [])])
      refuseBigInt(source, name, script.name);
    const { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } = await import('quickjs-emscripten');
    // The interpreter's own limit counts allocations, not their sizes, and where it finds no memory at all it is as likely to
    // crash as to say so: what it is given grows, and that it grew is noticed before that happens.
    const pages = Math.max(LEAST_PAGES, Math.ceil((limits.memory ?? 0) / PAGE));
    const wasmMemory = new WebAssembly.Memory({ initial: pages, maximum: RESERVE * pages });
    const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory }));
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
    return new Sandbox(script, runtime, context, wasmMemory, limits, detectors);
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Calls one of the prelude's functions. Script errors are returned; only a call without end throws. */
  call(name: string, ...args: readonly (string | number)[]): Outcome {
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
      // The instance is this sandbox's own and goes with it.
    }
  }

  /** Runs something in the interpreter with a fresh budget and takes what it returns, or threw, apart. */
  #run(action: () => ReturnType<QuickJSContext['evalCode']>): {
    value: string | number | undefined;
    fault?: Fault;
  } {
    if (this.#dead)
      return { value: undefined, fault: { code: 'script-crash', message: 'the script has crashed', fatal: true } };
    this.#refuel();
    try {
      const result = action();
      if (result.error !== undefined) return { value: undefined, fault: this.#faultOf(result.error) };
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
      // The interpreter itself gave up (its stack ran into the host's): its state can no longer be trusted.
      this.#dead = true;
      return { value: undefined, fault: { code: 'script-crash', message: messageOf(thrown), fatal: true } };
    } finally {
      this.#refuseToHang();
    }
  }

  #runJobs(): Fault | undefined {
    if (this.#dead || !this.#runtime.hasPendingJob()) return undefined;
    try {
      const result = this.#runtime.executePendingJobs(JOBS_PER_CALL);
      if (result.error !== undefined) return this.#faultOf(result.error);
      result.dispose();
      if (!this.#runtime.hasPendingJob()) return undefined;
      this.#dead = true;
      return { code: 'script-budget', message: 'promises without end', fatal: true };
    } catch (thrown) {
      this.#dead = true;
      return { code: 'script-crash', message: messageOf(thrown), fatal: true };
    } finally {
      this.#refuseToHang();
    }
  }

  #faultOf(error: QuickJSHandle): Fault {
    const [grown, spent] = [this.#grown, this.#left < 0];
    this.#refuel();
    const name = this.#textOf(error, 'name');
    const message = this.#textOf(error, 'message');
    const stack = this.#textOf(error, 'stack');
    const type = this.#context.typeof(error);
    // Where there is no memory left for an error to be made, the interpreter throws null.
    const isNull = this.#context.eq(error, this.#context.null);
    const own = type === 'string' ? this.#context.getString(error).slice(0, 500) : undefined;
    error.dispose();
    const place =
      placeIn(stack, (file) => file === this.#name || this.#modules.has(file)) ?? this.#modules.placeOf(message ?? '');
    const at = place === undefined ? {} : { place };
    if (grown) return { code: 'script-memory', message: 'the script used up its memory', ...at, fatal: false };
    if (spent) return { code: 'script-budget', message: 'the script did not come to an end', ...at, fatal: false };
    if (message === 'out of memory' || isNull)
      return { code: 'script-memory', message: 'the script used up its memory', ...at, fatal: false };
    const said =
      message === undefined
        ? own === undefined
          ? 'threw something that is no Error'
          : `threw “${own}”`
        : `${name ?? 'Error'}: ${message}`;
    return { code: 'script-error', message: said, ...at, fatal: false };
  }

  /** A property of something thrown, if it is a text; whatever it does while it is read is ignored. */
  #textOf(error: QuickJSHandle, key: string): string | undefined {
    if (this.#context.typeof(error) !== 'object') return undefined;
    try {
      using value = this.#context.getProp(error, key);
      return this.#context.typeof(value) === 'string' ? this.#context.getString(value).slice(0, 2000) : undefined;
    } catch {
      return undefined;
    }
  }

  /** One of the prelude's functions; looked up once. */
  #function(name: string): QuickJSHandle {
    const known = this.#functions.get(name);
    if (known !== undefined) return known;
    const found = this.#context.getProp(this.#host, name);
    this.#functions.set(name, found);
    return found;
  }

  /** Runs a plain script; gives an object with what it defines. */
  #evaluate(source: string): QuickJSHandle {
    this.#check(this.#run(() => this.#context.evalCode(source, this.#name, { strict: true })));
    const known = [...ENTRIES, 'lookback'].map((one) => `${one}: typeof ${one} === 'undefined' ? undefined : ${one}`);
    const { handle, ...outcome } = this.#obtain(() =>
      this.#context.evalCode(`({ ${known.join(', ')} })`, 'prelude.js'),
    );
    if (handle !== undefined) return handle;
    this.#check(outcome);
    return this.#context.newObject();
  }

  /** Runs a script that is a module, and what it imports; gives what it exports. Nothing can be imported after that. */
  #importAll(source: string): QuickJSHandle {
    this.#runtime.setModuleLoader(this.#modules.load, this.#modules.name);
    const { handle, ...outcome } = this.#obtain(() => this.#context.evalCode(source, this.#name, { type: 'module' }));
    this.#runtime.removeModuleLoader();
    // What is missing is told first: all else may follow from it.
    if (this.#modules.issues.length > 0) throw broken(this.#name, this.#modules.issues);
    this.#check(outcome);
    const state = handle && this.#context.getPromiseState(handle);
    if (handle !== undefined && state?.type === 'fulfilled' && state.notAPromise === true) return handle;
    const message = 'a game script must not await while it is loaded';
    throw broken(this.#name, [{ code: 'script-error', path: this.#name, message }]);
  }

  /** As `#run`, for what is wanted as it is. */
  #obtain(action: () => ReturnType<QuickJSContext['evalCode']>): { handle: QuickJSHandle | undefined; fault?: Fault } {
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
    this.#left -= 1;
    if (performance.now() - this.#started > STUCK_AFTER_MS) this.#stuck = true;
    return this.#left < 0 || this.#grown || this.#stuck;
  }

  get #grown(): boolean {
    return this.#memory.buffer.byteLength > this.#had;
  }

  #refuel(): void {
    this.#left = this.#interrupts;
    this.#had = this.#memory.buffer.byteLength;
    this.#started = performance.now();
  }

  #refuseToHang(): void {
    if (!this.#stuck) return;
    this.#dead = true;
    throw new PlaybyplayError(
      'script-stuck',
      `the game script ${this.#name} kept the machine busy for five minutes in one call`,
      {
        hint: 'Look for loops over very long texts or lists in the script.',
      },
    );
  }
}

/** The first place of a stack trace that lies in one of the script's own files. */
function placeIn(stack: string | undefined, isOwn: (file: string) => boolean): string | undefined {
  if (stack === undefined) return undefined;
  for (const [, file, line] of stack.matchAll(/\(?([^()\s]+?):(\d+)(?::\d+)?\)?$/gm)) {
    if (isOwn(file!)) return `${file}:${line}`;
  }
  return undefined;
}

/** BigInt arithmetic can work for seconds on one operator; its literals cannot be taken out of the language. */
function refuseBigInt(source: string, file: string, script: string): void {
  const found = /(?<![\w$.])(?:\d[\d_]*|0[xob][\da-f_]+)n(?![\w$])/iu.exec(source);
  if (found === null) return;
  const line = source.slice(0, found.index).split('\n').length;
  const message = `BigInt (${found[0]}) is not available in a game script`;
  throw broken(script, [{ code: 'script-error', path: `${file}:${line}`, message }]);
}

function broken(name: string, issues: readonly Issue[]): PlaybyplayError {
  return new PlaybyplayError('script-broken', `the game script ${name} cannot be loaded`, { issues });
}
