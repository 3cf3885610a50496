import { sum } from '../statistics.ts';
/** A scene, or one of several versions of it. */
export interface Candidate {
  /** Versions of one scene share a number; at most one is chosen. Ascending in the order of the reel. */
  readonly scene: number;
  readonly session: string;
  /** Kind of scene, for variety. */
  readonly kind: string;
  /** Seconds. */
  readonly duration: number;
  /** Value of showing it, ≥ 0. */
  readonly value: number;
}

/** Options of `select`. */
export interface SelectOptions {
  /** Maximum total seconds of the chosen candidates. */
  readonly duration: number;
  /** Share of its value that a scene loses directly after a scene of the same kind; default 0.25. */
  readonly repetition?: number | undefined;
  /** Maximum number of scenes per session; default: unlimited. Sessions must be contiguous in the order of the reel. */
  readonly perSession?: number | undefined;
}

/** Result of `select`. */
export interface Selection {
  /** Indices into the candidates, in the order of the reel. */
  readonly chosen: readonly number[];
  readonly value: number;
  /** Seconds. */
  readonly duration: number;
}

const DEFAULT_REPETITION = 0.25;

/** Value of a selection: the sum of the values, less `repetition` of each that follows one of its own kind. */
export function selectionValue(
  candidates: readonly Candidate[],
  chosen: readonly number[],
  options: SelectOptions,
): number {
  const repetition = options.repetition ?? DEFAULT_REPETITION;
  let total = 0;
  for (const [at, index] of chosen.entries()) {
    const { kind, value } = candidates[index]!;
    const repeated = at > 0 && candidates[chosen[at - 1]!]!.kind === kind;
    total += repeated ? value * (1 - repetition) : value;
  }
  return total;
}

/** A partial selection: its last candidate and the selection before that. */
interface Label {
  readonly milliseconds: number;
  readonly value: number;
  readonly candidate: number;
  readonly before: Label | undefined;
}

/**
 * Finds the set of candidates of greatest value (see `selectionValue`) that fits the duration: exact dynamic
 * programming over (kind of the last scene, scenes taken from the current session). Each state keeps only its
 * Pareto-optimal selections in duration and value, and selections whose upper bound (fractional knapsack over the
 * remaining scenes) is below a greedy selection are dropped. Durations count in whole milliseconds; of equal values the
 * shorter, then the earlier wins.
 */
export function select(candidates: readonly Candidate[], options: SelectOptions): Selection {
  const limit = Math.floor(options.duration * 1000 + 1e-6);
  const bound = new UpperBound(candidates, limit);
  const floor = selectGreedily(candidates, options).value - 1e-9;
  const cap = options.perSession ?? Number.POSITIVE_INFINITY;
  let states = new Map<string, { kind: string; taken: number; labels: Label[] }>([
    ['/0', { kind: '', taken: 0, labels: [{ milliseconds: 0, value: 0, candidate: -1, before: undefined }] }],
  ]);
  let session: string | undefined;
  for (let at = 0; at < candidates.length; ) {
    const first = candidates[at]!;
    const end = endOfScene(candidates, at);
    if (first.session !== session) states = resetSessionCounts(states);
    session = first.session;
    const next = new Map(states);
    for (const state of states.values()) {
      if (state.taken >= cap) continue;
      for (let index = at; index < end; index++) {
        const candidate = candidates[index]!;
        const taken = Number.isFinite(cap) ? state.taken + 1 : 0;
        const key = `${candidate.kind}/${taken}`;
        const value = valueAfter(candidate, state.kind, options);
        const extended = extend(state.labels, index, milliseconds(candidate), value, limit);
        const old = next.get(key)?.labels ?? [];
        const labels = merge(old, extended);
        next.set(key, { kind: candidate.kind, taken, labels });
      }
    }
    for (const [key, state] of next) {
      const labels = state.labels.filter(
        (label) => label.value + bound.after(end, limit - label.milliseconds) >= floor,
      );
      if (labels.length === 0) next.delete(key);
      else if (labels.length < state.labels.length) next.set(key, { ...state, labels });
    }
    states = next;
    at = end;
  }
  return finish(states.values(), candidates);
}

function valueAfter(candidate: Candidate, before: string, options: SelectOptions): number {
  return candidate.kind === before
    ? candidate.value * (1 - (options.repetition ?? DEFAULT_REPETITION))
    : candidate.value;
}

function milliseconds(candidate: Candidate): number {
  return Math.max(1, Math.round(candidate.duration * 1000));
}

function endOfScene(candidates: readonly Candidate[], at: number): number {
  let end = at + 1;
  while (end < candidates.length && candidates[end]!.scene === candidates[at]!.scene) end++;
  return end;
}

/** At the start of a session, merges the states that differ only in how many scenes the previous session took. */
function resetSessionCounts<T extends { kind: string; taken: number; labels: Label[] }>(
  states: Map<string, T>,
): Map<string, T> {
  const merged = new Map<string, T>();
  for (const state of states.values()) {
    const key = `${state.kind}/0`;
    const labels = merge(merged.get(key)?.labels ?? [], state.labels);
    merged.set(key, { ...state, taken: 0, labels });
  }
  return merged;
}

function extend(labels: readonly Label[], candidate: number, length: number, value: number, limit: number): Label[] {
  const extended: Label[] = [];
  for (const label of labels) {
    const total = label.milliseconds + length;
    if (total > limit) break;
    extended.push({ milliseconds: total, value: label.value + value, candidate, before: label });
  }
  return extended;
}

/** Merges two lists that ascend in duration and value, dropping dominated labels. */
function merge(a: readonly Label[], b: readonly Label[]): Label[] {
  const merged: Label[] = [];
  let best = Number.NEGATIVE_INFINITY;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const x = a[i];
    const y = b[j];
    const takeA =
      x !== undefined &&
      (y === undefined || x.milliseconds < y.milliseconds || (x.milliseconds === y.milliseconds && x.value >= y.value));
    const label = takeA ? x : y!;
    if (takeA) i++;
    else j++;
    if (label.value > best) {
      merged.push(label);
      best = label.value;
    }
  }
  return merged;
}

function finish(states: Iterable<{ labels: readonly Label[] }>, candidates: readonly Candidate[]): Selection {
  let best: Label | undefined;
  for (const { labels } of states) {
    const last = labels.at(-1);
    if (
      last &&
      (!best || last.value > best.value || (last.value === best.value && last.milliseconds < best.milliseconds))
    ) {
      best = last;
    }
  }
  const chosen: number[] = [];
  for (let label = best; label && label.candidate >= 0; label = label.before) chosen.unshift(label.candidate);
  return { chosen, value: best?.value ?? 0, duration: sum(chosen.map((index) => candidates[index]!.duration)) };
}

/** Upper bound on the value of any selection of the remaining scenes in the remaining time. */
class UpperBound {
  readonly #table = new Map<number, readonly { length: number; value: number }[]>();

  constructor(candidates: readonly Candidate[], limit: number) {
    // Ignores the loss by repetition and takes each scene's best value with its shortest length: never too low.
    const scenes: { length: number; value: number }[] = [];
    const starts: number[] = [];
    for (let at = 0; at < candidates.length; at = endOfScene(candidates, at)) {
      const versions = candidates.slice(at, endOfScene(candidates, at)).filter((c) => milliseconds(c) <= limit);
      starts.push(at);
      scenes.push({
        length: Math.min(...versions.map(milliseconds)),
        value: Math.max(0, ...versions.map((version) => version.value)),
      });
    }
    const sorted: { length: number; value: number }[] = [];
    for (let index = scenes.length - 1; index >= 0; index--) {
      const scene = scenes[index]!;
      if (Number.isFinite(scene.length)) {
        const density = scene.value / scene.length;
        let place = sorted.findIndex((other) => other.value / other.length < density);
        if (place < 0) place = sorted.length;
        sorted.splice(place, 0, scene);
      }
      this.#table.set(starts[index]!, sorted.slice());
    }
  }

  after(candidate: number, time: number): number {
    let left = time;
    let value = 0;
    for (const scene of this.#table.get(candidate) ?? []) {
      if (scene.length >= left) return value + (scene.value * left) / scene.length;
      left -= scene.length;
      value += scene.value;
    }
    return value;
  }
}

/** Selects greedily by value per second: the lower bound for `select`, and its yardstick in benchmarks. */
export function selectGreedily(candidates: readonly Candidate[], options: SelectOptions): Selection {
  const limit = Math.floor(options.duration * 1000 + 1e-6);
  const order = candidates
    .map((candidate, index) => ({ index, density: candidate.value / milliseconds(candidate) }))
    .toSorted((a, b) => b.density - a.density || a.index - b.index);
  const scenes = new Set<number>();
  const perSession = new Map<string, number>();
  const chosen: number[] = [];
  let used = 0;
  for (const { index } of order) {
    const candidate = candidates[index]!;
    const taken = perSession.get(candidate.session) ?? 0;
    if (scenes.has(candidate.scene) || taken >= (options.perSession ?? Number.POSITIVE_INFINITY)) continue;
    if (used + milliseconds(candidate) > limit) continue;
    used += milliseconds(candidate);
    scenes.add(candidate.scene);
    perSession.set(candidate.session, taken + 1);
    chosen.push(index);
  }
  chosen.sort((a, b) => a - b);
  return {
    chosen,
    value: selectionValue(candidates, chosen, options),
    duration: sum(chosen.map((index) => candidates[index]!.duration)),
  };
}
