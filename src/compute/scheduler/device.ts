import { curvePosition } from './curves.ts';
import type { Plan, PlannedCall } from './graph.ts';
import * as state from './shared-state.ts';
import { EPOCH, HORIZON, type Layout, STOP, type Words } from './shared-state.ts';

/** What a device asks its driver to do. */
export type Effect =
  /** Fetch missing inputs and execute the portion, then call `completePortion`, `release` or `stopWork`. */
  | { readonly kind: 'run'; readonly portion: number }
  /** Start copying the inputs of this portion while another runs. */
  | { readonly kind: 'prefetch'; readonly portion: number }
  /** Sleep until the word changes from the value. */
  | { readonly kind: 'wait'; readonly at: number; readonly value: number };

/** How a device claims portions. */
export interface DeviceOptions {
  /** Portions claimed at once; default 1. */
  readonly batch?: number;
  /** Portions claimed although dependencies are missing, so that available inputs can be prefetched; default 0. */
  readonly hold?: number;
  /** Free portions along the curve to examine before claiming any other ready portion; default 24. */
  readonly lookahead?: number;
  /** Ready portions claimed while another runs, so that their inputs are copied meanwhile; default 0. */
  readonly ahead?: number;
  /** Portions along the curve to prefetch without claiming them; default 0. */
  readonly prefetch?: number;
  /** Stay until the work is stopped: losing a device with its memory may make finished portions necessary again. */
  readonly stay?: boolean;
}

/**
 * The work of one device: claims ready portions along its curve, call by call, until everything is done, the work is stopped or the
 * device is retired. A device never waits while a portion that it could run is ready, and runs or releases everything that it claims,
 * so the work cannot deadlock.
 */
export function* deviceLoop(
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
    const status = words.load(layout.devices + device);
    if (words.load(STOP) !== 0 || status === state.RETIRED) break;
    const next = held.filter((portion) => state.isReady(words, plan, layout, portion)).slice(0, batch);
    if (status === state.ALIVE) {
      while (next.length < batch) {
        const claimed = chooser.claim(next.length === 0);
        if (claimed < 0) break;
        next.push(claimed);
      }
    }
    if (next.length > 0) {
      held = held.filter((portion) => !next.includes(portion));
      if (words.load(layout.devices + device) === state.RETIRED) {
        held.push(...next);
        break;
      }
      while (held.length < ahead && chooser.hasSurplus()) {
        const claimed = chooser.claim(false);
        if (claimed < 0) break;
        held.push(claimed);
      }
      const coming = prefetch > held.length ? [...held, ...chooser.peek(prefetch - held.length)] : held;
      for (const portion of [...next.slice(1), ...coming]) yield { kind: 'prefetch', portion };
      for (const portion of next) {
        if (words.load(STOP) !== 0) state.release(words, layout, portion, device);
        else if (state.isClaimedBy(words, layout, portion, device)) yield { kind: 'run', portion };
      }
      continue;
    }
    if (status === state.ALIVE && held.length < hold) {
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
  for (const portion of held) state.release(words, layout, portion, device);
}

/** Chooses the next portion of one device. */
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

  /** Claims the next ready portion along the curve or, with `anywhere`, any other. Returns −1 if there is none. */
  claim(anywhere: boolean): number {
    const ready = (portion: number) => state.isReady(this.words, this.plan, this.layout, portion);
    for (const call of this.allowedCalls()) {
      for (const portion of this.readyAlong(call, ready)) {
        if (this.take(portion)) return portion;
      }
    }
    // Progress along the curves may be stale after a device was retired, so check every portion before waiting.
    if (anywhere) for (const portion of this.claimable()) if (ready(portion) && this.take(portion)) return portion;
    return -1;
  }

  /**
   * Yields ready portions along the curve, so that devices stay in their neighborhoods. In the last call costly portions come first (if
   * costs are known), because no later work fills the time until the last device ends.
   */
  private *readyAlong(call: PlannedCall, ready: (portion: number) => boolean): Iterable<number> {
    const { weights, first } = call;
    const near = this.along(call, this.lookahead);
    if (!weights || call !== this.allowedCalls().at(-1)) {
      for (const portion of near) if (ready(portion)) yield portion;
      return;
    }
    yield* [...near].filter(ready).toSorted((a, b) => weights[b - first]! - weights[a - first]!);
  }

  /** Claims the next portion along the curve, ready or not. */
  claimUnready(): number {
    for (const call of this.allowedCalls()) {
      for (const portion of this.along(call, this.lookahead)) if (this.take(portion)) return portion;
    }
    return -1;
  }

  /** Returns the next free portions along the curve. */
  peek(count: number): number[] {
    const found: number[] = [];
    for (const call of this.allowedCalls()) {
      for (const portion of this.along(call, count - found.length)) found.push(portion);
      if (found.length >= count) break;
    }
    return found;
  }

  /** Whether enough portions are left that claiming ahead does not leave another device idle at the end. */
  hasSurplus(): boolean {
    const last = this.allowedCalls().at(-1);
    if (!last) return false;
    let taken = 0;
    for (const [other, able] of last.allowed.entries())
      if (able) taken += this.words.load(this.progressOf(last, other));
    return last.count - taken > 2 * last.allowed.length;
  }

  allDone(): boolean {
    for (let portion = 0; portion < this.plan.portions; portion++) {
      if (state.statusOf(this.words.load(this.layout.portions + portion)) !== state.DONE) return false;
    }
    return true;
  }

  private allowedCalls(): PlannedCall[] {
    return this.plan.calls.filter(({ allowed }) => allowed[this.device]);
  }

  /** Yields up to `limit` free portions along this device's path, skipping stretches that others report as taken. */
  private *along(call: PlannedCall, limit: number): Iterable<number> {
    const { words, device } = this;
    const path = call.paths[device]!;
    const horizon = words.load(HORIZON);
    const progress = this.progressOf(call, device);
    const from = words.load(progress);
    let taken = from;
    let left = limit;
    let unbroken = true;
    for (let step = from; step < call.count && left > 0; ) {
      const position = curvePosition(path, step, call.count);
      const local = call.curve[position]!;
      const portion = call.first + local;
      if (state.statusOf(words.load(this.layout.portions + portion)) !== state.FREE) {
        step += this.takenStretch(call, position, path.step);
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

  /** Returns the steps from a taken position over portions that a device's progress reports as taken, at least 1. */
  private takenStretch(call: PlannedCall, position: number, step: 1 | -1): number {
    let furthest = 1;
    for (const [other, path] of call.paths.entries()) {
      if (!call.allowed[other]) continue;
      const length = this.words.load(this.progressOf(call, other));
      const reached = ((((position - path.start) * path.step) % call.count) + call.count) % call.count;
      if (reached < length) furthest = Math.max(furthest, path.step === step ? length - reached : reached + 1);
    }
    return furthest;
  }

  private *claimable(): Iterable<number> {
    const horizon = this.words.load(HORIZON);
    for (const call of this.allowedCalls()) {
      for (let local = 0; local < call.count; local++) {
        const portion = call.first + local;
        if (portion >= horizon) break;
        if (state.statusOf(this.words.load(this.layout.portions + portion)) !== state.FREE) continue;
        if (this.mayTake(call, local, portion)) yield portion;
      }
    }
  }

  /** False for another device's static share, and for a portion that this device has failed at while others can try it. */
  private mayTake(call: PlannedCall, local: number, portion: number): boolean {
    const owner = call.owner?.[local];
    const last = state.deviceOf(this.words.load(this.layout.portions + portion));
    const elsewhere = owner !== undefined && owner !== this.device && owner !== last;
    if (elsewhere && this.stateOf(owner) === state.ALIVE) return false;
    if (last !== this.device) return true;
    return !call.allowed.some((able, other) => able && other !== this.device && this.stateOf(other) === state.ALIVE);
  }

  private take(portion: number): boolean {
    return state.claimPortion(this.words, this.layout, portion, this.device);
  }

  private stateOf(device: number): number {
    return this.words.load(this.layout.devices + device);
  }

  private progressOf(call: PlannedCall, device: number): number {
    return this.layout.progress + this.plan.calls.indexOf(call) * this.plan.devices + device;
  }
}
