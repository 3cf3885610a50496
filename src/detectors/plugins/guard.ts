import type { Tracker } from '../../cues/tracker.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { CallTimeout, runWithTimeout } from '../../timeout.ts';
import type {
  Comparer,
  Deferred,
  Detector,
  DetectorKind,
  AudioObservation,
  Listener,
  Observation,
  Sketch,
} from '../kind.ts';

/** Seconds after which a call into a plug-in is ended. */
const PLUGIN_CALL_TIMEOUT_SECONDS = 60;

/** The methods of detector kinds that a plug-in may implement. */
export const KIND_METHODS = [
  'open',
  'compare',
  'listen',
  'follow',
  'requires',
  'track',
  'regions',
  'vectors',
  'byColour',
  'places',
  'landmarks',
  'characters',
];

/**
 * Wraps a plug-in's kind so that every error names the plug-in and its kind, and a call into it that never returns is ended.
 *
 * A failure that concerns one sample makes that sample unreadable. Any other failure throws, as the state of a listener or a
 * tracker is unknown after it.
 *
 * @param timeoutSeconds Limit of each call; default 60.
 */
export function guardKind(
  kind: DetectorKind,
  plugin: string,
  timeoutSeconds = PLUGIN_CALL_TIMEOUT_SECONDS,
): DetectorKind {
  const guard = new Guard(`the plug-in ${plugin} (detector kind ${kind.name})`, timeoutSeconds);
  const { name, description, schema, track } = kind;
  const base = {
    name,
    description,
    schema,
    ...guard.methods(kind, KIND_METHODS),
    ...(track && {
      track: async (...args: Parameters<typeof track>) =>
        guardTracker(await guard.call('track', () => track.apply(kind, args)), guard),
    }),
  };
  switch (kind.input) {
    case 'frame':
      return {
        ...base,
        input: 'frame',
        ...(kind.reads && { reads: kind.reads }),
        open: async (...args) => guardDetector(await guard.call('open', () => kind.open(...args)), guard),
      };
    case 'frame-pair': {
      const compare: typeof kind.compare = (options) => guard.call('compare', () => kind.compare(options));
      return { ...base, input: 'frame-pair', compare: (options) => guardComparer(compare(options), guard) };
    }
    case 'audio':
      return {
        ...base,
        input: 'audio',
        listen: async (...args) => guardListener(await guard.call('listen', () => kind.listen(...args)), guard),
      };
    case 'records':
      return {
        ...base,
        input: 'records',
        follow: (...args) => guard.call('follow', () => checkHeard(kind.follow(...args))),
      };
  }
}

/** Makes the calls into one kind of a plug-in. */
class Guard {
  readonly #origin: string;
  readonly #timeoutSeconds: number;

  constructor(origin: string, timeoutSeconds: number) {
    this.#origin = origin;
    this.#timeoutSeconds = timeoutSeconds;
  }

  /**
   * Calls the plug-in.
   *
   * @throws PlaybyplayError with the code `plugin-failed`, or that of the plug-in's own PlaybyplayError.
   */
  call<T>(method: string, run: () => T): T {
    return this.#run(run, (error) => {
      const message = this.#describe(method, error);
      const code = error instanceof PlaybyplayError ? error.code : 'plugin-failed';
      // Read from any error: with another copy of this program, PlaybyplayError is another class.
      const hint = (error as { hint?: unknown } | undefined)?.hint;
      throw new PlaybyplayError(code, message, { cause: error, hint: typeof hint === 'string' ? hint : undefined });
    });
  }

  /** Calls the plug-in for one sample; `recover` receives the observation of a sample at which that fails. */
  attempt<T>(method: string, run: () => T, recover: (failed: Observation) => T): T {
    return this.#run(run, (error) =>
      recover({ state: 'unreadable', confidence: 0, failure: this.#describe(method, error) }),
    );
  }

  /** The methods of these names that the target implements, each of them guarded. */
  methods(target: object, names: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(
      names.flatMap((name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return [];
        return [[name, (...args: unknown[]) => this.call(name, () => Reflect.apply(method, target, args) as unknown)]];
      }),
    );
  }

  #run<T>(run: () => T, onError: (error: unknown) => T): T {
    try {
      const result = runWithTimeout(run, this.#timeoutSeconds);
      return result instanceof Promise ? (settleWithTimeout(result, this.#timeoutSeconds).catch(onError) as T) : result;
    } catch (error) {
      return onError(error);
    }
  }

  #describe(method: string, error: unknown): string {
    return `${this.#origin} failed in ${method}: ${messageOf(error)}`;
  }
}

async function settleWithTimeout<T>(promise: Promise<T>, seconds: number): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new CallTimeout(`it did not answer within ${seconds} s`)), 1000 * seconds);
  return Promise.race([promise, expired]).finally(() => clearTimeout(timer));
}

async function resolveFailed(failed: Observation): Promise<Observation> {
  return failed;
}

function guardDetector(detector: Detector, guard: Guard): Detector {
  const { together } = detector;
  return {
    read: (view) => guard.attempt('read', async () => checkObservation(await detector.read(view)), resolveFailed),
    ...(together !== undefined &&
      detector.defer &&
      detector.settleAll && {
        together,
        defer: (view) => guard.attempt('defer', async () => checkDeferred(await detector.defer!(view)), resolveFailed),
        settleAll: (deferred) =>
          guard.attempt(
            'settleAll',
            async () => {
              const seen = await detector.settleAll!(deferred);
              return deferred.map((_, i) => checkObservation(seen[i]));
            },
            async (failed) => deferred.map(() => failed),
          ),
      }),
    [Symbol.dispose]: () => guard.call('Symbol.dispose', () => detector[Symbol.dispose]?.()),
  };
}

function guardComparer(comparer: Comparer, guard: Guard): Comparer {
  return {
    // An empty sketch carries the failure to the comparison.
    sketch: (view) =>
      guard.attempt<Sketch | undefined>(
        'sketch',
        () => comparer.sketch(view),
        (failed) => ({ t: view.picture.t, width: 0, height: 0, data: new Uint16Array(0), more: { failed } }),
      ),
    compare(before, now) {
      const { failed } = (now.more ?? {}) as { failed?: Observation };
      if (now.width === 0 && failed) return failed;
      const previous = before?.width === 0 ? undefined : before;
      return guard.attempt(
        'compare',
        () => checkObservation(comparer.compare(previous, now)),
        (observation) => observation,
      );
    },
  };
}

function guardTracker(tracker: Tracker, guard: Guard): Tracker {
  return {
    push: (reading) => guard.call('push', () => tracker.push(reading)),
    end: (t) => guard.call('end', () => tracker.end(t)),
    pendingSince: (now) => guard.call('pendingSince', () => tracker.pendingSince(now)),
  };
}

function guardListener(listener: Listener, guard: Guard): Listener {
  return {
    delay: listener.delay,
    hear: (frame) => guard.call('hear', () => checkHeard(listener.hear(frame))),
    pause: () => guard.call('pause', () => checkHeard(listener.pause())),
  };
}

function checkHeard(list: readonly AudioObservation[]): AudioObservation[] {
  return list.map(({ t, observation }) => {
    if (!Number.isFinite(t)) throw new TypeError('an observation needs its time “t” in seconds');
    return { t, observation: checkObservation(observation) };
  });
}

function checkDeferred(value: Deferred | Observation): Deferred | Observation {
  return 'deferred' in value ? value : checkObservation(value);
}

/** @throws TypeError if the value is no observation. */
function checkObservation(value: unknown): Observation {
  if (typeof value !== 'object' || value === null) throw new TypeError(`it returned ${String(value)}, no observation`);
  const { state, confidence, value: seen, detail } = value as Readonly<Record<string, unknown>>;
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1))
    throw new TypeError(`its confidence must be a number from 0 to 1, not ${String(confidence)}`);
  // The journal keeps plain JSON: what it cannot keep must be missing from the first run, too.
  const plain = detail === undefined ? {} : { detail: JSON.parse(JSON.stringify(detail)) as unknown };
  if (state === 'absent') return { state, confidence };
  if (state === 'unreadable') return { state, confidence, ...plain };
  if (state !== 'seen') throw new TypeError(`its state must be seen, absent or unreadable, not ${String(state)}`);
  if (typeof seen !== 'string' && typeof seen !== 'boolean' && !Number.isFinite(seen))
    throw new TypeError(`its value must be a string, a finite number or a boolean, not ${String(seen)}`);
  return { state, value: seen as string | number | boolean, confidence, ...plain };
}
