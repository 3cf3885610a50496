// Tries every interleaving of a few actors that share words, on the very code that runs in production.
// An actor is a generator over a `Words`; every word operation and every yield is one atomic step. Actors are
// deterministic, so the state of one is the list of the answers it has received: states that agree in memory and in
// these lists are visited once. Waiting is modelled as Atomics.wait is specified: a sleeper wakes by notify only.
import type { Words } from '../../src/compute/scheduler/shared-state.ts';

/** What an actor yields besides word operations. */
export type Step =
  | { readonly kind: 'wait'; readonly at: number; readonly value: number }
  /** A check or a note, decided on the memory as it stands: answers a number, throws Violation. */
  /** The actor goes on as if it had just begun: nothing that it has read so far matters any more. */
  | { readonly kind: 'forget' }
  | { readonly kind: 'look'; readonly see: (memory: Int32Array, notes: Int32Array) => number };

export interface Actor {
  readonly name: string;
  /** May stop for good between any two steps. */
  readonly mortal?: boolean;
  /** Starts only after the named actor has died. */
  readonly after?: string;
  /** Word operations may also be performed in the call itself. */
  readonly run: (words: Words) => Generator<Step, void, number> | undefined;
}

export class Violation extends Error {
  override readonly name = 'Violation';
}

export interface Exploration {
  readonly states: number;
  readonly ends: number;
  /** The steps to a violation, if one was found. */
  readonly counterexample?: { readonly message: string; readonly steps: readonly string[] };
  /** False where `mostStates` was reached first. */
  readonly complete: boolean;
}

type Operation =
  | { readonly kind: 'load'; readonly at: number }
  | { readonly kind: 'store' | 'add'; readonly at: number; readonly value: number }
  | { readonly kind: 'exchange'; readonly at: number; readonly expected: number; readonly value: number }
  | { readonly kind: 'notify'; readonly at: number }
  | { readonly kind: 'end' }
  | Step;

const RUNNING = 0;
const ASLEEP = 1;
const DEAD = 2;

interface State {
  readonly memory: Int32Array;
  readonly notes: Int32Array;
  /** Identity of the answers each actor has received so far. */
  readonly histories: Int32Array;
  readonly moods: Uint8Array;
}

interface Visit {
  readonly state: State;
  readonly from: Visit | undefined;
  readonly step: string;
}

/**
 * Explores from `memory`. `atEnd` checks a state in which no actor can move (who has not ended there is stuck for ever;
 * `ended` says who has); `notes` is room for counters that `look` steps may keep.
 */
export function explore(
  actors: readonly Actor[],
  memory: Int32Array,
  atEnd: (memory: Int32Array, notes: Int32Array, ended: readonly boolean[]) => void,
  options: {
    readonly notes?: number;
    readonly mostStates?: number;
    /** Says that nobody but this actor will ever change the word again: then loading it is no choice point. */
    readonly settled?: (at: number, memory: Int32Array, actor: number) => boolean;
  } = {},
): Exploration {
  const replays = actors.map((actor) => new Replay(actor));
  const start: State = {
    memory: memory.slice(),
    notes: new Int32Array(options.notes ?? 0),
    histories: new Int32Array(actors.length),
    moods: new Uint8Array(actors.length),
  };
  const seen = new Set([keyOf(start)]);
  const open: Visit[] = [{ state: start, from: undefined, step: 'start' }];
  let ends = 0;
  for (let visit = open.pop(); visit; visit = open.pop()) {
    try {
      const next = successors(actors, replays, visit, options.settled ?? (() => false));
      if (next.length === 0) {
        ends++;
        const ended = replays.map((replay, i) => replay.next(visit!.state.histories[i]!).kind === 'end');
        atEnd(visit.state.memory, visit.state.notes, ended);
      }
      for (const successor of next) {
        const key = keyOf(successor.state);
        if (seen.has(key)) continue;
        seen.add(key);
        open.push(successor);
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      return {
        states: seen.size,
        ends,
        counterexample: { message: error.message, steps: stepsTo(visit) },
        complete: false,
      };
    }
    if (seen.size > (options.mostStates ?? Number.POSITIVE_INFINITY))
      return { states: seen.size, ends, complete: false };
  }
  return { states: seen.size, ends, complete: true };
}

function successors(
  actors: readonly Actor[],
  replays: readonly Replay[],
  visit: Visit,
  settled: (at: number, memory: Int32Array, actor: number) => boolean,
): Visit[] {
  const next: Visit[] = [];
  for (const [i, actor] of actors.entries()) {
    const { state } = visit;
    if (state.moods[i] !== RUNNING) continue;
    if (actor.after !== undefined && state.moods[actors.findIndex(({ name }) => name === actor.after)] !== DEAD)
      continue;
    const operation = replays[i]!.next(state.histories[i]!);
    if (operation.kind === 'end') continue;
    const after = { ...state, memory: state.memory.slice(), notes: state.notes.slice() };
    const copy: State = { ...after, histories: state.histories.slice(), moods: state.moods.slice() };
    const answer = perform(operation, copy, i, actors, replays);
    copy.histories[i] = operation.kind === 'forget' ? 0 : replays[i]!.extend(state.histories[i]!, answer);
    const successor = { state: copy, from: visit, step: `${actor.name}: ${describe(operation)} → ${answer}` };
    const free = operation.kind === 'forget' || (operation.kind === 'load' && settled(operation.at, state.memory, i));
    if (free) return [successor];
    next.push(successor);
    if (actor.mortal) {
      const moods = state.moods.slice();
      moods[i] = DEAD;
      next.push({ state: { ...state, moods }, from: visit, step: `${actor.name} dies` });
    }
  }
  return next;
}

function perform(
  operation: Operation,
  state: State,
  self: number,
  actors: readonly Actor[],
  replays: readonly Replay[],
): number {
  const { memory, moods } = state;
  if (operation.kind === 'look') return operation.see(memory, state.notes);
  if (operation.kind === 'end' || operation.kind === 'forget') return 0;
  const held = memory[operation.at]!;
  switch (operation.kind) {
    case 'load':
      return held;
    case 'store':
      memory[operation.at] = operation.value;
      return 0;
    case 'add':
      memory[operation.at] = held + operation.value;
      return held;
    case 'exchange':
      if (held === operation.expected) memory[operation.at] = operation.value;
      return held;
    case 'wait':
      // The step that puts an actor to sleep is taken; its next step becomes possible by a notify.
      if (held === operation.value) moods[self] = ASLEEP;
      return 0;
    case 'notify':
      for (const [i] of actors.entries()) {
        if (moods[i] === ASLEEP && replays[i]!.asleepAt(state.histories[i]!) === operation.at) moods[i] = RUNNING;
      }
      return 0;
  }
}

/** What an actor does next, by the answers it has received; each list of answers is replayed once. */
class Replay {
  private readonly actor: Actor;
  private readonly parents: number[] = [-1];
  private readonly answers: number[] = [0];
  private readonly children = new Map<string, number>();
  private readonly known = new Map<number, Operation>();

  constructor(actor: Actor) {
    this.actor = actor;
  }

  extend(history: number, answer: number): number {
    const key = `${history} ${answer}`;
    let child = this.children.get(key);
    if (child === undefined) {
      child = this.parents.length;
      this.parents.push(history);
      this.answers.push(answer);
      this.children.set(key, child);
    }
    return child;
  }

  /** The word at which an actor with this history went to sleep with its last step. */
  asleepAt(history: number): number {
    const last = this.next(this.parents[history]!);
    return last.kind === 'wait' ? last.at : -1;
  }

  next(history: number): Operation {
    let operation = this.known.get(history);
    if (!operation) {
      operation = this.replay(history);
      this.known.set(history, operation);
    }
    return operation;
  }

  private replay(history: number): Operation {
    const answers: number[] = [];
    for (let at = history; at > 0; at = this.parents[at]!) answers.push(this.answers[at]!);
    const beyond = new Error('beyond what has happened');
    let reached: Operation = { kind: 'end' };
    const ask = (operation: Operation): number => {
      if (answers.length > 0) return answers.pop()!;
      reached = operation;
      throw beyond;
    };
    const words: Words = {
      load: (at) => ask({ kind: 'load', at }),
      store: (at, value) => void ask({ kind: 'store', at, value }),
      exchange: (at, expected, value) => ask({ kind: 'exchange', at, expected, value }),
      add: (at, value) => ask({ kind: 'add', at, value }),
      notify: (at) => void ask({ kind: 'notify', at }),
    };
    try {
      const generator = this.actor.run(words);
      if (!generator) return reached;
      let turn = generator.next(0);
      while (!turn.done) turn = generator.next(ask(turn.value));
    } catch (error) {
      if (error !== beyond) throw error;
    }
    return reached;
  }
}

function keyOf({ memory, notes, histories, moods }: State): string {
  return `${histories.join()};${moods.join('')};${memory.join()};${notes.join()}`;
}

function stepsTo(visit: Visit): string[] {
  const steps: string[] = [];
  for (let at: Visit | undefined = visit; at; at = at.from) steps.push(at.step);
  return steps.toReversed();
}

function describe(operation: Operation): string {
  const { kind, ...rest } = operation;
  return `${kind} ${Object.values(rest)
    .filter((value) => typeof value === 'number')
    .join(' ')}`;
}
