import type { Tracker } from '../../cues/tracker.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type {
  CharacterSize,
  Comparer,
  Deferred,
  Detector,
  DetectorKind,
  Heard,
  Listener,
  Observation,
  Requirement,
  View,
} from '../kind.ts';
import { watch } from './watch.ts';

/**
 * A plug-in's kind whose mistakes do not end the run: whatever throws, or gives something that is no observation, counts
 * as unreadable and names the plug-in. What a person can correct (a PlaybyplayError, such as a missing file) is thrown on.
 * `number` is the plug-in's place among those named, by which `watch` knows it.
 */
export function guarded(kind: DetectorKind, plugin: string, number = 0): DetectorKind {
  const failed = (doing: string, error: unknown): Observation => ({
    state: 'unreadable',
    confidence: 0,
    failure: `the plug-in ${plugin} (detector kind ${kind.name}) failed to ${doing}: ${messageOf(error)}`,
  });
  const during: During = (call) => watch.during(number, call);
  const silenced = (): Observation | undefined => {
    const reason = watch.silenced.get(number);
    return reason === undefined ? undefined : failed('read', new Error(reason));
  };
  const { compare, listen, follow, track } = kind;
  return {
    name: kind.name,
    description: kind.description,
    schema: kind.schema,
    ...(kind.reads === undefined ? {} : { reads: kind.reads }),
    ...guardedAnswers(kind, plugin, during),
    async open(options, assets) {
      const silent = silenced();
      if (silent) return { read: () => silent, [Symbol.dispose]() {} };
      try {
        return guardedDetector(await during(() => kind.open(options, assets)), failed, during);
      } catch (error) {
        if (error instanceof PlaybyplayError) throw error;
        const seen = failed('open', error);
        return { read: () => seen, [Symbol.dispose]() {} };
      }
    },
    ...(compare && {
      compare: (options) => guardedComparer(() => compare.call(kind, options), failed, during, silenced),
    }),
    ...(listen && {
      listen: (options, assets) => guardedListener(() => listen.call(kind, options, assets), failed, during),
    }),
    ...(follow && {
      follow(options, entries) {
        try {
          return heardFrom(during(() => follow.call(kind, options, entries)));
        } catch (error) {
          return [{ t: 0, observation: failed('follow', error) }];
        }
      },
    }),
    ...(track && {
      async track(name, spec, interval, assets) {
        return new GuardedTracker(await during(() => track.call(kind, name, spec, interval, assets)), during, (error) =>
          String((failed('track', error) as { failure?: string }).failure),
        );
      },
    }),
  };
}

type Fail = (doing: string, error: unknown) => Observation;
/** Makes a call into the plug-in, watched. */
type During = <T>(call: () => T) => T;

/** What a kind answers about its options: an answer that fails, or is none, counts as if the kind did not say. */
function guardedAnswers(kind: DetectorKind, plugin: string, during: During): Partial<DetectorKind> {
  const { regions, places, vectors, landmarks, characters, cost, requires } = kind;
  const ask = <T>(call: () => T, otherwise: T): T => {
    try {
      return during(call);
    } catch (error) {
      if (error instanceof PlaybyplayError) throw error;
      return otherwise;
    }
  };
  const askLater = async <T>(call: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await during(async () => call());
    } catch (error) {
      if (error instanceof PlaybyplayError) throw error;
      return otherwise;
    }
  };
  return {
    ...(regions && { regions: (options) => ask(() => [...regions.call(kind, options)].map(String), []) }),
    ...(places && { places: (options) => ask(() => places.call(kind, options) === true, false) }),
    ...(vectors && { vectors: (options) => ask(() => vectors.call(kind, options) === true, false) }),
    ...(landmarks && {
      landmarks: (options, assets) => askLater(async () => landmarks.call(kind, options, assets), []).catch(() => []),
    }),
    ...(characters && {
      characters: (options, assets) =>
        askLater(async () => characterSizeOf(await characters.call(kind, options, assets)), undefined),
    }),
    ...(cost && {
      cost: (options, assets) => askLater(async () => Number(await cost.call(kind, options, assets)) || 0, 0),
    }),
    ...(requires && {
      async requires(options, assets) {
        try {
          return requirementsOf(await during(async () => requires.call(kind, options, assets)));
        } catch (error) {
          if (error instanceof PlaybyplayError) throw error;
          // Whatever it throws says that something is missing: its class may be that of another copy of this program.
          const named = `the plug-in ${plugin} (detector kind ${kind.name})`;
          const hint = (error as { hint?: unknown } | undefined)?.hint;
          throw new PlaybyplayError('plugin-requires', `${named} lacks what it needs: ${messageOf(error)}`, {
            hint: typeof hint === 'string' ? hint : undefined,
          });
        }
      },
    }),
  };
}

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
function guardedComparer(
  make: () => Comparer,
  failed: Fail,
  during: During,
  silenced: () => Observation | undefined,
): Comparer {
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

async function guardedListener(open: () => Promise<Listener>, failed: Fail, during: During): Promise<Listener> {
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
