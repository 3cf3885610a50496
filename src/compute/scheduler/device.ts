import { positionOn } from './curve.ts';
import type { Plan, PlannedCall } from './graph.ts';
import * as ledger from './ledger.ts';
import { EPOCH, HORIZON, type Layout, STOP, type Words } from './ledger.ts';

/** What a device does besides reading and writing shared words; whoever drives the loop carries it out and answers. */
export type Effect =
  /** Fetch what is missing, execute, then call `complete`, or `giveBack`, or `stop`. */
  | { readonly kind: 'run'; readonly portion: number }
  /** Copies of inputs that this portion will need may start now, beside the next run. */
  | { readonly kind: 'prefetch'; readonly portion: number }
  /** Sleep until the word no longer holds the value. */
  | { readonly kind: 'wait'; readonly at: number; readonly value: number };

export interface DeviceOptions {
  /** Portions claimed at once; default 1. */
  readonly batch?: number;
  /** Portions claimed ahead whose dependencies are still missing, so that what is there can be prefetched; default 0. */
  readonly hold?: number;
  /** Free portions looked at along the curve before any other portion that is ready is taken; default 24. */
  readonly lookahead?: number;
  /** Portions that are ready, claimed while one runs, so that their inputs are copied meanwhile; default 0. */
  readonly ahead?: number;
  /** Announce the next portions along the curve without claiming them; default 0. */
  readonly prefetch?: number;
  /** Stay when everything is done, until the work is stopped: a device lost with its memory may make more to do. */
  readonly stay?: boolean;
}

/**
 * A device's part of the work: claims portions along its curve, in the order of the calls, each when what it reads is
 * there; ends when everything is done, the work is stopped or the device retired. Never waits while anything it could
 * run is ready, and everything claimed is either run or given back, so the work cannot come to a standstill.
 */
export function* work(
  words: Words,
  plan: Plan,
  layout: Layout,
  device: number,
  options: DeviceOptions = {},
): Generator<Effect, void> {
  const { batch = 1, hold = 0, ahead = 0, prefetch = 0 } = options;
  const chooser = new Chooser(words, plan, layout, device, options.lookahead ?? 24);
  let held: number[] = [];
  for (;;) {
    const epoch = words.load(EPOCH);
    const state = words.load(layout.devices + device);
    if (words.load(STOP) !== 0 || state === ledger.RETIRED) break;
    const next = held.filter((portion) => ledger.ready(words, plan, layout, portion)).slice(0, batch);
    if (state === ledger.ALIVE) {
      while (next.length < batch) {
        const claimed = chooser.claim(next.length === 0);
        if (claimed < 0) break;
        next.push(claimed);
      }
    }
    if (next.length > 0) {
      held = held.filter((portion) => !next.includes(portion));
      if (words.load(layout.devices + device) === ledger.RETIRED) {
        held.push(...next);
        break;
      }
      while (held.length < ahead && chooser.plenty()) {
        const claimed = chooser.claim(false);
        if (claimed < 0) break;
        held.push(claimed);
      }
      const coming = prefetch > held.length ? [...held, ...chooser.peek(prefetch - held.length)] : held;
      for (const portion of [...next.slice(1), ...coming]) yield { kind: 'prefetch', portion };
      for (const portion of next) {
        if (words.load(STOP) !== 0) ledger.giveBack(words, layout, portion, device);
        else if (ledger.holds(words, layout, portion, device)) yield { kind: 'run', portion };
      }
      continue;
    }
    if (state === ledger.ALIVE && held.length < hold) {
      const claimed = chooser.claimUnready();
      if (claimed >= 0) {
        held.push(claimed);
        yield { kind: 'prefetch', portion: claimed };
        continue;
      }
    }
    if (!options.stay && held.length === 0 && chooser.allDone()) return;
    yield { kind: 'wait', at: EPOCH, value: epoch };
  }
  for (const portion of held) ledger.giveBack(words, layout, portion, device);
}

/** Finds the next portion for one device. */
class Chooser {
  private readonly words: Words;
  private readonly plan: Plan;
  private readonly layout: Layout;
  private readonly device: number;
  private readonly lookahead: number;

  constructor(words: Words, plan: Plan, layout: Layout, device: number, lookahead: number) {
    this.words = words;
    this.plan = plan;
    this.layout = layout;
    this.device = device;
    this.lookahead = lookahead;
  }

  /** Claims the next portion that is ready: along the curve first; with `anywhere`, then any. −1: there is none. */
  claim(anywhere: boolean): number {
    const ready = (portion: number) => ledger.ready(this.words, this.plan, this.layout, portion);
    for (const call of this.mine()) {
      for (const portion of this.choice(call, ready)) {
        if (this.take(portion)) return portion;
      }
    }
    // Progress along the curves is a hint that a takeover may have made stale; only a full look may lead to waiting.
    if (anywhere) for (const portion of this.open()) if (ready(portion) && this.take(portion)) return portion;
    return -1;
  }

  /**
   * What is ready along the curve, as it comes, so that devices keep to their neighbourhoods; in the last call, where
   * nothing follows that could fill the time until the last device ends, the costliest first (if costs are estimated).
   */
  private *choice(call: PlannedCall, ready: (portion: number) => boolean): Iterable<number> {
    const { weights, first } = call;
    const near = this.along(call, this.lookahead);
    if (!weights || call !== this.mine().at(-1)) {
      for (const portion of near) if (ready(portion)) yield portion;
      return;
    }
    yield* [...near].filter(ready).toSorted((a, b) => weights[b - first]! - weights[a - first]!);
  }

  /** Claims the next portion along the curve whether it is ready or not. */
  claimUnready(): number {
    for (const call of this.mine()) {
      for (const portion of this.along(call, this.lookahead)) if (this.take(portion)) return portion;
    }
    return -1;
  }

  /** The next free portions along the curve. */
  peek(count: number): number[] {
    const found: number[] = [];
    for (const call of this.mine()) {
      for (const portion of this.along(call, count - found.length)) found.push(portion);
      if (found.length >= count) break;
    }
    return found;
  }

  /** Whether, as far as reported, so much is left that claiming ahead leaves no other device without work at the end. */
  plenty(): boolean {
    const last = this.mine().at(-1);
    if (!last) return false;
    let taken = 0;
    for (const [other, able] of last.allowed.entries())
      if (able) taken += this.words.load(this.progressOf(last, other));
    return last.count - taken > 2 * last.allowed.length;
  }

  allDone(): boolean {
    for (let portion = 0; portion < this.plan.portions; portion++) {
      if (ledger.statusOf(this.words.load(this.layout.portions + portion)) !== ledger.DONE) return false;
    }
    return true;
  }

  private mine(): PlannedCall[] {
    return this.plan.calls.filter(({ allowed }) => allowed[this.device]);
  }

  /** Up to `most` free portions along this device's path, jumping over stretches that others report as taken. */
  private *along(call: PlannedCall, most: number): Iterable<number> {
    const { words, device } = this;
    const path = call.paths[device]!;
    const horizon = words.load(HORIZON);
    const progress = this.progressOf(call, device);
    const from = words.load(progress);
    let taken = from;
    let left = most;
    let unbroken = true;
    for (let step = from; step < call.count && left > 0; ) {
      const position = positionOn(path, step, call.count);
      const local = call.curve[position]!;
      const portion = call.first + local;
      if (ledger.statusOf(words.load(this.layout.portions + portion)) !== ledger.FREE) {
        step += this.stretch(call, position, path.step);
        if (unbroken) taken = Math.min(step, call.count);
        continue;
      }
      unbroken = false;
      step++;
      if (portion >= horizon || !this.mayTake(call, local, portion)) continue;
      left--;
      yield portion;
    }
    if (taken > from) words.exchange(progress, from, taken);
  }

  /** How far along the path from a taken position the reported progress of any device says that all is taken, at least 1. */
  private stretch(call: PlannedCall, position: number, step: 1 | -1): number {
    let furthest = 1;
    for (const [other, path] of call.paths.entries()) {
      if (!call.allowed[other]) continue;
      const length = this.words.load(this.progressOf(call, other));
      const reached = ((((position - path.start) * path.step) % call.count) + call.count) % call.count;
      if (reached < length) furthest = Math.max(furthest, path.step === step ? length - reached : reached + 1);
    }
    return furthest;
  }

  private *open(): Iterable<number> {
    const horizon = this.words.load(HORIZON);
    for (const call of this.mine()) {
      for (let local = 0; local < call.count; local++) {
        const portion = call.first + local;
        if (portion >= horizon) break;
        if (ledger.statusOf(this.words.load(this.layout.portions + portion)) !== ledger.FREE) continue;
        if (this.mayTake(call, local, portion)) yield portion;
      }
    }
  }

  /** Not another device's static share, and not what this device has just failed at while others could try. */
  private mayTake(call: PlannedCall, local: number, portion: number): boolean {
    const owner = call.owner?.[local];
    const last = ledger.deviceOf(this.words.load(this.layout.portions + portion));
    const elsewhere = owner !== undefined && owner !== this.device && owner !== last;
    if (elsewhere && this.stateOf(owner) === ledger.ALIVE) return false;
    if (last !== this.device) return true;
    return !call.allowed.some((able, other) => able && other !== this.device && this.stateOf(other) === ledger.ALIVE);
  }

  private take(portion: number): boolean {
    return ledger.claim(this.words, this.layout, portion, this.device);
  }

  private stateOf(device: number): number {
    return this.words.load(this.layout.devices + device);
  }

  private progressOf(call: PlannedCall, device: number): number {
    return this.layout.progress + this.plan.calls.indexOf(call) * this.plan.devices + device;
  }
}
