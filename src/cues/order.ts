import type { CueSequence } from '../profile/profile.ts';
import { ActivationState, type Clauses } from './activation.ts';
import type { Cue } from './cue.ts';
import { ChainNode, type CueNode, DetectorNode, SwitchedNode, type Want } from './nodes.ts';
import type { Reading } from './reading.ts';
import type { Tracker } from './tracker.ts';

/** The cues of one moment, in the order of their detectors in the profile, those of sequences last. */
export interface Moment {
  readonly t: number;
  readonly cues: readonly Cue[];
}

/** What one step of the stream settled. */
export interface Settled {
  readonly moments: readonly Moment[];
  /** Seconds: every cue up to and including this time has been given out; those to come are later. */
  readonly until: number;
}

/**
 * Merges the cues of all detectors into one sequence ordered by time, then by the detectors' order. A cue becomes known
 * only some samples after its own time, so cues are held until no tracker can produce an earlier one. Detectors that
 * others switch on wait until it is known whether they are on; what they read while off does not count.
 */
export interface CueStream {
  /**
   * Gives the readings of the sample at `t` seconds (later than the one before) to their trackers. `asleep`: detectors that
   * should have been read if they are switched on, but were not.
   */
  sample(t: number, readings: Iterable<Reading>, asleep?: Iterable<string>): Settled;
  /** The media is over at `t` seconds: gives out what is left, unless readings are wanted first. */
  end(t: number): Settled;
  /** The readings without which the detectors concerned go no further. */
  wants(): readonly Want[];
  /** What the detectors wanted, of each in order of time (undefined: there is nothing to read, as on another screen). */
  fill(found: Iterable<Want & { readonly observation: Reading['observation'] | undefined }>): Settled;
}

/** How detectors depend on one another's cues. */
export interface Links {
  /** What switches a detector on; the others are always on. */
  readonly activations: ReadonlyMap<string, Clauses>;
  /** By name. */
  readonly sequences: Readonly<Record<string, CueSequence>>;
  /** A new tracker for a detector that is switched on again; undefined: it keeps the one it has. */
  renew(detector: string): Tracker | undefined;
}

const UNLINKED: Links = { activations: new Map(), sequences: {}, renew: () => undefined };

/** `trackers` by detector name, in the order of the profile. Readings of other detectors are a RangeError. */
export function orderCues(trackers: ReadonlyMap<string, Tracker>, links: Links = UNLINKED): CueStream {
  const nodes = new Map<string, CueNode>();
  for (const [name, tracker] of trackers) {
    const clauses = links.activations.get(name);
    nodes.set(
      name,
      clauses
        ? new SwitchedNode(name, tracker, ActivationState.of(clauses), sourcesOf(clauses), () => links.renew(name))
        : new DetectorNode(tracker),
    );
  }
  for (const [name, sequence] of Object.entries(links.sequences)) nodes.set(name, new ChainNode(name, sequence));
  const order = inOrder(nodes);
  // Nodes that nothing holds up are asked for nothing but the run that is open.
  const followers = order.filter((node) => !(node instanceof DetectorNode));
  const listeners = new Map<string, CueNode[]>();
  for (const node of followers)
    for (const source of node.sources) listeners.set(source, [...(listeners.get(source) ?? []), node]);
  const rank = new Map([...nodes.keys()].map((name, index) => [name, index]));
  let held: Cue[] = [];
  let released = Number.NEGATIVE_INFINITY;

  function release(until: number): Settled {
    const ready = held.filter((cue) => cue.t <= until);
    held = held.filter((cue) => cue.t > until);
    released = Math.max(released, until);
    ready.sort((a, b) => a.t - b.t || (rank.get(a.detector) ?? 0) - (rank.get(b.detector) ?? 0));
    const moments: { t: number; cues: Cue[] }[] = [];
    for (const cue of ready) {
      const open = moments.at(-1);
      if (open !== undefined && open.t === cue.t) open.cues.push(cue);
      else moments.push({ t: cue.t, cues: [cue] });
    }
    return { moments, until: released };
  }

  function hold(cues: readonly Cue[]): void {
    for (const cue of cues) {
      if (!(cue.t > released))
        throw new RangeError(`${cue.detector} made a cue at ${cue.t} after ${released} was settled`);
      held.push(cue);
      for (const node of listeners.get(cue.detector) ?? []) node.hear(cue);
    }
  }

  /** Lets those that depend on others catch up, up to `now`; what is settled then. */
  function advance(now: number, over: boolean): Settled {
    for (const node of followers) {
      let known = now;
      for (const source of node.sources) known = Math.min(known, nodes.get(source)!.known(now, over));
      hold(node.advance(known, over && known >= now));
    }
    let until = over ? Number.POSITIVE_INFINITY : now;
    for (const node of nodes.values()) until = Math.min(until, node.known(now, over));
    return release(Math.max(until, released));
  }

  let last = Number.NEGATIVE_INFINITY;
  let isOver = false;
  return {
    sample(t, readings, asleep = []) {
      last = t;
      for (const name of asleep) nodes.get(name)!.take(t, undefined);
      for (const reading of readings) {
        const node = trackers.has(reading.detector) ? nodes.get(reading.detector) : undefined;
        if (node === undefined) throw new RangeError(`no tracker for detector ${reading.detector}`);
        hold(node.take(t, reading));
      }
      return advance(t, false);
    },
    end(t) {
      last = Math.max(t, last);
      isOver = true;
      for (const node of nodes.values()) hold(node.end(t));
      return advance(last, true);
    },
    wants: () => followers.flatMap((node) => node.wants()),
    fill(found) {
      for (const [name, all] of Map.groupBy(found, ({ detector }) => detector)) nodes.get(name)!.fill(all);
      return advance(last, isOver);
    },
  };
}

function sourcesOf(clauses: Clauses): readonly string[] {
  return [...new Set(clauses.flat().flatMap(({ sources }) => sources))];
}

/** The nodes such that each comes after those that it listens to. */
function inOrder(nodes: ReadonlyMap<string, CueNode>): readonly CueNode[] {
  const order = new Set<CueNode>();
  const visit = (name: string, path: readonly string[]): void => {
    const node = nodes.get(name);
    if (node === undefined) throw new RangeError(`no detector or sequence ${name}`);
    if (path.includes(name)) throw new RangeError(`${name} depends on itself`);
    if (order.has(node)) return;
    for (const source of node.sources) visit(source, [...path, name]);
    order.add(node);
  };
  for (const name of nodes.keys()) visit(name, []);
  return [...order];
}
