import type { Tracker } from '../../cues/tracker.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type {
  CharacterSize,
  Comparer,
  Deferred,
  Detector,
  DetectorKind,
  FrameComparerKind,
  FrameDetectorKind,
  Heard,
  Listener,
  Observation,
  Requirement,
  View,
} from '../kind.ts';
import { watch } from './watch.ts';

/**
 * Wraps a plug-in's kind so that its mistakes do not end the run: whatever throws, or returns something that is no observation,
 * counts as unreadable and names the plug-in. A PlaybyplayError, which a person can correct (a missing file), is rethrown.
 *
 * @param number The plug-in's position among those named, by which `watch` knows it.
 */
export function guarded(kind: DetectorKind, plugin: string, number = 0): DetectorKind {
  const guard: Guard = {
    origin: `the plug-in ${plugin} (detector kind ${kind.name})`,
    failed: (doing, error) => ({
      state: 'unreadable',
      confidence: 0,
      failure: `${guard.origin} failed to ${doing}: ${messageOf(error)}`,
    }),
    during: (call) => watch.during(number, call),
    silenced() {
      const reason = watch.silenced.get(number);
      return reason === undefined ? undefined : guard.failed('read', new Error(reason));
    },
  };
  const base = guardedBase(kind, guard);
  switch (kind.input) {
    case 'frame':
      return guardedFrameDetector(kind, base, guard);
    case 'frame-pair':
      return {
        ...base,
        input: 'frame-pair',
        ...guardedRegionAnswers(kind, guard),
        compare: (options) => guardedComparer(() => kind.compare(options), guard),
      };
    case 'audio':
      return {
        ...base,
        input: 'audio',
        listen: (options, assets) => guardedListener(() => kind.listen(options, assets), guard),
      };
    case 'records':
      return {
        ...base,
        input: 'records',
        follow(options, entries) {
          try {
            return heardFrom(guard.during(() => kind.follow(options, entries)));
          } catch (error) {
            return [{ t: 0, observation: guard.failed('follow', error) }];
          }
        },
      };
  }
}

/** How calls into one plug-in are made, and what stands for those that fail. */
interface Guard {
  /** The plug-in and its kind, for messages. */
  readonly origin: string;
  failed(doing: string, error: unknown): Observation;
  /** Makes a call into the plug-in, watched. */
  during<T>(call: () => T): T;
  /** What is read while the plug-in is no longer called. */
  silenced(): Observation | undefined;
}

type Base = Pick<DetectorKind, 'name' | 'description' | 'schema' | 'requires' | 'track'>;

function guardedBase(kind: DetectorKind, guard: Guard): Base {
  const { name, description, schema, requires, track } = kind;
  return {
    name,
    description,
    schema,
    ...(requires && {
      async requires(options, assets) {
        try {
          return requirementsOf(await guard.during(async () => requires.call(kind, options, assets)));
        } catch (error) {
          if (error instanceof PlaybyplayError) throw error;
          // Whatever it throws says that something is missing: its class may be that of another copy of this program.
          const hint = (error as { hint?: unknown } | undefined)?.hint;
          throw new PlaybyplayError('plugin-requires', `${guard.origin} lacks what it needs: ${messageOf(error)}`, {
            hint: typeof hint === 'string' ? hint : undefined,
          });
        }
      },
    }),
    ...(track && {
      async track(detector, spec, interval, assets) {
        return new GuardedTracker(
          await guard.during(() => track.call(kind, detector, spec, interval, assets)),
          guard.during,
          (error) => String((guard.failed('track', error) as { failure?: string }).failure),
        );
      },
    }),
  };
}

/** A question about a kind's options: an answer that fails counts as `otherwise`. */
function answer<T>(guard: Guard, ask: () => T, otherwise: T): T {
  try {
    return guard.during(ask);
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    return otherwise;
  }
}

async function asyncAnswer<T>(guard: Guard, ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await guard.during(ask);
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    return otherwise;
  }
}

function guardedRegionAnswers(
  kind: FrameDetectorKind | FrameComparerKind,
  guard: Guard,
): Pick<FrameComparerKind, 'regions' | 'vectors' | 'byColour'> {
  const { regions, vectors, byColour } = kind;
  return {
    ...(regions && { regions: (options) => answer(guard, () => [...regions.call(kind, options)].map(String), []) }),
    ...(vectors && { vectors: (options) => answer(guard, () => vectors.call(kind, options) === true, false) }),
    ...(byColour && {
      byColour: (options, assets) =>
        asyncAnswer(guard, async () => (await byColour.call(kind, options, assets)) === true, false),
    }),
  };
}

/** A detector that reads the same everywhere. */
function constant(seen: Observation): Detector {
  return { read: () => seen, [Symbol.dispose]() {} };
}

function guardedFrameDetector(kind: FrameDetectorKind, base: Base, guard: Guard): FrameDetectorKind {
  const { reads, places, landmarks, characters, cost } = kind;
  return {
    ...base,
    input: 'frame',
    ...(reads === undefined ? {} : { reads }),
    ...guardedRegionAnswers(kind, guard),
    ...(places && { places: (options) => answer(guard, () => places.call(kind, options) === true, false) }),
    ...(landmarks && {
      landmarks: (options, assets) =>
        asyncAnswer(guard, async () => landmarks.call(kind, options, assets), []).catch(() => []),
    }),
    ...(characters && {
      characters: (options, assets) =>
        asyncAnswer(guard, async () => characterSizeOf(await characters.call(kind, options, assets)), undefined),
    }),
    ...(cost && {
      cost: (options, assets) => asyncAnswer(guard, async () => Number(await cost.call(kind, options, assets)) || 0, 0),
    }),
    async open(options, assets) {
      const silenced = guard.silenced();
      if (silenced) return constant(silenced);
      try {
        return guardedDetector(await guard.during(() => kind.open(options, assets)), guard.failed, guard.during);
      } catch (error) {
        if (error instanceof PlaybyplayError) throw error;
        return constant(guard.failed('open', error));
      }
    },
  };
}

type Fail = Guard['failed'];
type During = Guard['during'];

function requirementsOf(list: unknown): Requirement[] {
  if (!Array.isArray(list)) throw new TypeError(`“requires” returned ${String(list)}, no list`);
  return list.map((one: unknown) => {
    const { name, hash } = (one ?? {}) as Partial<Requirement>;
    if (typeof name !== 'string' || typeof hash !== 'string')
      throw new TypeError('what “requires” tells needs a “name” and a “hash”, both texts');
    return { name, hash };
  });
}

function characterSizeOf(size: unknown): CharacterSize | undefined {
  const { width, height, figures } = (size ?? {}) as Partial<CharacterSize>;
  return typeof width === 'number' && typeof height === 'number' && width > 0 && height > 0
    ? { width, height, figures: figures === true }
    : undefined;
}

function guardedDetector(detector: Detector, failed: Fail, during: During): Detector {
  return {
    read(view: View) {
      try {
        const seen: unknown = during(() => detector.read(view));
        if (!(seen instanceof Promise)) return observationOf(seen);
        return seen.then(observationOf).catch((error: unknown) => failed('read', error));
      } catch (error) {
        return failed('read', error);
      }
    },
    ...(typeof detector.defer === 'function' &&
      typeof detector.settle === 'function' &&
      guardedParts(detector, failed, during)),
    [Symbol.dispose]() {
      try {
        during(() => detector[Symbol.dispose]?.());
      } catch {
        // Its readings are in; nothing depends on it any more.
      }
    },
  };
}

/** The two halves of a reading that can be made in another thread, and together with others. */
function guardedParts(
  detector: Detector,
  failed: Fail,
  during: During,
): Pick<Detector, 'defer' | 'settle' | 'settleAll' | 'together'> {
  const count = Number(detector.together);
  return {
    ...(count > 1 &&
      typeof detector.settleAll === 'function' && {
        together: Math.floor(count),
        async settleAll(deferred) {
          try {
            const seen = await during(() => detector.settleAll!(deferred));
            return deferred.map((_, i) => observationOf(seen[i]));
          } catch (error) {
            return deferred.map(() => failed('read', error));
          }
        },
      }),
    async defer(view: View): Promise<Deferred | Observation> {
      try {
        const found = (await during(() => detector.defer!(view))) as Partial<Deferred> & Observation;
        return 'deferred' in found ? { deferred: found.deferred, memory: found.memory ?? [] } : observationOf(found);
      } catch (error) {
        return failed('read', error);
      }
    },
    async settle(deferred: Deferred): Promise<Observation> {
      try {
        return observationOf(await during(() => detector.settle!(deferred)));
      } catch (error) {
        return failed('read', error);
      }
    },
  };
}

/** A sketch of no size stands for one that could not be made. */
function guardedComparer(make: () => Comparer, { failed, during, silenced }: Guard): Comparer {
  let reason: unknown = new Error('no sketch');
  let comparer: Comparer | undefined;
  try {
    comparer = during(make);
  } catch (error) {
    reason = error;
  }
  const empty = { width: 0, height: 0, data: new Uint16Array(0) };
  return {
    sketch(view) {
      try {
        if (comparer && !silenced()) return during(() => comparer!.sketch(view));
      } catch (error) {
        reason = error;
      }
      return { t: view.picture.t, ...empty };
    },
    compare(before, now) {
      if (!comparer || now.width === 0) return silenced() ?? failed('sketch', reason);
      try {
        return observationOf(during(() => comparer!.compare(before?.width === 0 ? undefined : before, now)));
      } catch (error) {
        return failed('compare', error);
      }
    },
  };
}

async function guardedListener(open: () => Promise<Listener>, { failed, during }: Guard): Promise<Listener> {
  let t = 0;
  let listener: Listener | undefined;
  let fault: Heard | undefined;
  try {
    listener = await during(open);
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    fault = { t, observation: failed('open', error) };
  }
  const attempt = (hear: (listener: Listener) => Heard[]): Heard[] => {
    if (!listener) {
      const told = fault ? [fault] : [];
      fault = undefined;
      return told;
    }
    try {
      return heardFrom(during(() => hear(listener!)));
    } catch (error) {
      listener = undefined;
      return [{ t, observation: failed('hear', error) }];
    }
  };
  return {
    delay: listener?.delay ?? 0,
    hear(frame) {
      t = frame.t;
      return attempt((one) => one.hear(frame));
    },
    pause: () => attempt((one) => one.pause()),
  };
}

/** Falls silent with the first mistake. */
class GuardedTracker implements Tracker {
  readonly #tracker: Tracker;
  readonly #during: During;
  readonly #wording: (error: unknown) => string;
  failure: string | undefined;

  constructor(tracker: Tracker, during: During, wording: (error: unknown) => string) {
    this.#tracker = tracker;
    this.#during = during;
    this.#wording = wording;
  }

  push(reading: Parameters<Tracker['push']>[0]): ReturnType<Tracker['push']> {
    return this.#attempt(() => this.#tracker.push(reading), []);
  }

  end(t: number): ReturnType<Tracker['end']> {
    return this.#attempt(() => this.#tracker.end(t), []);
  }

  pendingSince(now?: number): number | undefined {
    return this.#attempt(() => this.#tracker.pendingSince(now), undefined);
  }

  #attempt<T>(run: () => T, otherwise: T): T {
    if (this.failure !== undefined) return otherwise;
    try {
      return this.#during(run);
    } catch (error) {
      this.failure = this.#wording(error);
      return otherwise;
    }
  }
}

function heardFrom(list: readonly Heard[]): Heard[] {
  return list.map(({ t, observation }) => {
    if (!Number.isFinite(t)) throw new TypeError('what is heard or followed needs a time “t” in seconds');
    return { t, observation: observationOf(observation) };
  });
}

/** Whatever a reader returned, as an observation; throws a TypeError that says what is wrong with it. */
function observationOf(value: unknown): Observation {
  if (typeof value !== 'object' || value === null) throw new TypeError(`it returned ${String(value)}, no observation`);
  const { state, confidence, value: seen, detail } = value as Readonly<Record<string, unknown>>;
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1))
    throw new TypeError(`its confidence must be a number from 0 to 1, not ${String(confidence)}`);
  // What a journal cannot keep must not be there in the first run either.
  const more = detail === undefined ? {} : { detail: JSON.parse(JSON.stringify(detail)) as unknown };
  if (state === 'absent') return { state, confidence };
  if (state === 'unreadable') return { state, confidence, ...more };
  if (state !== 'seen') throw new TypeError(`its state must be seen, absent or unreadable, not ${String(state)}`);
  if (typeof seen !== 'string' && typeof seen !== 'number' && typeof seen !== 'boolean')
    throw new TypeError(`what it sees must be a text, a number or true/false, not ${typeof seen}`);
  if (typeof seen === 'number' && !Number.isFinite(seen)) throw new TypeError(`it saw the number ${seen}`);
  return { state, value: seen, confidence, ...more };
}
