import { mean } from '../../statistics.ts';
import type { FrameRecord } from '../frame.ts';
import { describeSettings, type Preset, presetSpeed, presetSpread, type StreamSettings } from './settings.ts';
import type { ConstantsInput } from '../constants.ts';
import { QualityMeter, type SessionQuality } from '../meter.ts';
import { type ControllerOptions, type Decision, QualityController } from './controller.ts';
import { StreamObserver } from './observer.ts';

/** Numbers from 0 to 1, the same for the same seed (splitmix32). */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.next();
  }

  /** Of a normal distribution of mean 0 and deviation 1 (Box and Muller). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  /** Around 1, with the logarithm spread by `sigma`. */
  around(sigma: number): number {
    return Math.exp(sigma * this.normal() - (sigma * sigma) / 2);
  }

  /** Of an exponential distribution. */
  waiting(expected: number): number {
    return -expected * Math.log(1 - this.next());
  }
}

/** Simulated kinds of networks. */
const networks = ['fibre', 'cable', 'wifi', 'mobile'] as const;
/** A simulated kind of network. */
export type Network = (typeof networks)[number];

/** External conditions of a session: network, machine and game. Depends only on the seed. Times in ms. */
interface Scenario {
  readonly seed: number;
  readonly network: Network;
  /** Seconds. */
  readonly duration: number;
  /** One-way delay of the network and its deviation from frame to frame. */
  readonly oneWay: number;
  readonly jitter: number;
  /** Share of packets lost. */
  readonly loss: number;
  /** Maximum time the bottleneck queues a packet before dropping it. */
  readonly queue: number;
  /** Capacity of the bottleneck at a time, bits per second. */
  capacity(t: number): number;
  /** Time to render a 1920 × 1080 frame at a time of the game. */
  render(t: number): number;
  /** Time to encode it with preset `medium`. */
  readonly encode: number;
  /** Time to decode it. */
  readonly decode: number;
  /** Whether the player acts at a time, and inputs per second while acting. */
  active(t: number): boolean;
  readonly inputRate: number;
}

interface Line {
  readonly levels: readonly number[];
  /** Seconds on a level. */
  readonly dwell: number;
  readonly oneWay: readonly [number, number];
  readonly jitter: readonly [number, number];
  readonly loss: readonly [number, number];
}

/** Networks whose capacity changes within a session: cross traffic, distance, handover. */
const lines: Readonly<Record<Network, Line>> = {
  fibre: { levels: [45, 60, 80, 100], dwell: 40, oneWay: [3, 9], jitter: [0.2, 0.8], loss: [0, 0.0001] },
  cable: { levels: [15, 22, 30, 40], dwell: 40, oneWay: [6, 14], jitter: [0.4, 1.5], loss: [0, 0.0003] },
  wifi: { levels: [7, 12, 18, 28], dwell: 30, oneWay: [5, 12], jitter: [0.8, 2.5], loss: [0.0001, 0.0008] },
  mobile: { levels: [3.5, 5, 8, 12], dwell: 30, oneWay: [12, 22], jitter: [1, 3], loss: [0.0001, 0.001] },
};

/** Makes the scenario of a seed; the network is random unless given. */
export function makeScenario(seed: number, duration = 180, network?: Network): Scenario {
  const random = new Random(seed * 7919 + 17);
  const kind = network ?? networks[Math.floor(random.next() * networks.length)]!;
  const line = lines[kind];
  const capacity = steps(random, duration, line.dwell, line.levels, 1e6);
  // Light to heavy scenes: strong machines keep up with all, weak ones miss the heavy ones.
  const strength = random.between(5, 13);
  const render = steps(random, duration, 30, [0.8, 1, 1.15, 1.6], strength);
  const action = steps(random, duration, 12, [0, 1], 1);
  return {
    seed,
    network: kind,
    duration,
    oneWay: random.between(...line.oneWay),
    jitter: random.between(...line.jitter),
    loss: random.between(...line.loss),
    queue: random.between(150, 350),
    capacity,
    render,
    encode: random.between(4, 10),
    decode: random.between(2, 5),
    // The player acts at the start.
    active: (t) => t < 5 || action(t) > 0,
    inputRate: random.between(3, 9),
  };
}

/** Step function of time that moves between neighbouring `levels` at random times. */
function steps(
  random: Random,
  duration: number,
  dwell: number,
  levels: readonly number[],
  unit: number,
): (t: number) => number {
  const times: number[] = [];
  const values: number[] = [];
  let level = Math.floor(random.next() * levels.length);
  for (let t = 0; t < duration; t += random.waiting(dwell)) {
    times.push(t);
    values.push(levels[level]! * unit * random.between(0.9, 1.1));
    const up = level === 0 || (level < levels.length - 1 && random.next() < 0.5);
    level += up ? 1 : -1;
  }
  let at = 0;
  return (t) => {
    if (t < times[at]!) at = 0;
    while (at + 1 < times.length && times[at + 1]! <= t) at++;
    return values[at]!;
  };
}

/** Offset of the client's clock from the server's, ms. */
const CLIENT_CLOCK_OFFSET_MS = 4_000_000;
const reference = 1920 * 1080;
const PACKET_BITS = 1200 * 8;

type Writable = { -readonly [K in keyof FrameRecord]: FrameRecord[K] };

/**
 * Simulates a streamed game frame by frame: render, capture, encode, network, decode, present. The network is a queue
 * before a bottleneck with loss and jitter; a lost frame is retransmitted once, otherwise nothing can be shown until
 * the refresh a round trip later. Deterministic: depends only on scenario and settings.
 */
export class StreamSimulator {
  readonly scenario: Scenario;
  readonly #random: Random;
  #settings: StreamSettings;
  #changed = true;
  #frame = 0;
  /** ms on the server's clock. */
  #renderStart = 0;
  #renderEnd = 0;
  #encoderFree = 0;
  #queueFree = 0;
  #arrived = 0;
  #decoderFree = 0;
  #brokenUntil = Number.NEGATIVE_INFINITY;
  /** Last screen refresh that showed a frame. */
  #refresh = Number.NEGATIVE_INFINITY;
  /** Consecutive frames that waited for a refresh behind the previous one. */
  #waiting = 0;
  #nextInput = 0;
  #inputs: number[] = [];
  /** Bits sent and bits received. */
  sentBits = 0;
  arrivedBits = 0;
  lost = 0;

  constructor(scenario: Scenario, settings: StreamSettings) {
    this.scenario = scenario;
    this.#random = new Random(scenario.seed * 104_729 + 3);
    this.#settings = settings;
  }

  get settings(): StreamSettings {
    return this.#settings;
  }

  /** Applies settings from the next frame on. */
  apply(settings: StreamSettings): void {
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#changed = true;
  }

  /** Seconds of the session so far. */
  get t(): number {
    return this.#renderEnd / 1000;
  }

  /**
   * The next frame; undefined at the end of the scenario.
   *
   * @param encode Encodes the frame, captured at a time in ms, with the settings and returns its size in bits; default: a size
   *   that such frames have.
   */
  next(encode?: (settings: StreamSettings, captured: number) => number): FrameRecord | undefined {
    const { scenario } = this;
    const { width, height, fps, bitrate, qp, preset } = this.#settings;
    const share = (width * height) / reference;
    const period = 1000 / fps;
    const start = Math.max(this.#renderStart + period, this.#renderEnd);
    const t = start / 1000;
    if (t >= scenario.duration) return undefined;
    // Half of a frame's work does not depend on its size.
    const spike = this.#random.next() < 0.001 ? this.#random.between(1.5, 4) : 1;
    const rendered = start + scenario.render(t) * (0.5 + 0.5 * share) * this.#random.around(0.08) * spike;
    this.#renderStart = start;
    this.#renderEnd = rendered;
    const record: Writable = { frame: this.#frame++, rendered, captured: rendered + 0.5 };
    if (this.#changed) {
      Object.assign(record, { fps, width, height, targetBitrate: qp === undefined ? bitrate : undefined, qp });
      this.#changed = false;
    }
    this.#takeInputs(start, record);
    const encoded = this.#encode(record.captured!, share, preset, period);
    if (encoded === undefined) return record;
    record.encoded = encoded;
    record.transmitted = encoded + 0.3;
    this.#send(record, encode?.(this.#settings, record.captured!) ?? this.#frameBits(share, preset));
    return record;
  }

  /** Inputs reach the server one way later and are in the first frame started after that. */
  #takeInputs(start: number, record: Writable): void {
    const { scenario } = this;
    while (this.#nextInput + scenario.oneWay <= start) {
      if (scenario.active(this.#nextInput / 1000)) this.#inputs.push(this.#nextInput);
      this.#nextInput += this.#random.waiting(1000 / scenario.inputRate);
    }
    if (this.#inputs.length > 0) record.inputs = this.#inputs.map((input) => input + CLIENT_CLOCK_OFFSET_MS);
    this.#inputs = [];
  }

  /** Time at which a frame is encoded; undefined if the encoder is so far behind that it skips the frame. */
  #encode(captured: number, share: number, preset: Preset, period: number): number | undefined {
    if (this.#encoderFree - captured > period) return undefined;
    const time = this.scenario.encode * share ** 0.9 * presetSpeed[preset] * this.#random.around(0.06);
    this.#encoderFree = Math.max(captured, this.#encoderFree) + time;
    return this.#encoderFree;
  }

  #frameBits(share: number, preset: Preset): number {
    const { bitrate, fps, qp } = this.#settings;
    // At a constant QP the size follows the scene; see `estimateBitsPerPixel`.
    const meanBits = qp === undefined ? bitrate / fps : 0.1 * 2 ** ((28 - qp) / 6) * share ** 0.75 * reference;
    const cut = this.#random.next() < 0.002 ? 2.5 : 1;
    const spread = presetSpread[preset] * (qp === undefined ? 1 : 1.6);
    return meanBits * cut * this.#random.around(spread);
  }

  #send(record: Writable, bits: number): void {
    const { scenario } = this;
    const sent = record.transmitted!;
    record.bytes = Math.round(bits / 8);
    const capacity = scenario.capacity(sent / 1000);
    this.sentBits += bits;
    const begin = Math.max(sent, this.#queueFree);
    if (begin - sent > scenario.queue) {
      this.#fail(sent);
      return;
    }
    this.#queueFree = begin + (1000 * bits) / capacity;
    const jitter = Math.abs(this.#random.normal()) * scenario.jitter;
    let arrival = this.#queueFree + scenario.oneWay + jitter;
    const hit = 1 - (1 - scenario.loss) ** (bits / PACKET_BITS);
    if (this.#random.next() < hit) {
      arrival += 2 * scenario.oneWay + jitter + 2;
      if (this.#random.next() < hit * 0.2) {
        this.#fail(arrival);
        return;
      }
    }
    this.arrivedBits += bits;
    this.#arrived = Math.max(this.#arrived, arrival);
    this.#show(record, this.#arrived);
  }

  /** A frame is gone for good: until a refresh that is asked for now arrives, nothing can be decoded. */
  #fail(noticed: number): void {
    this.lost++;
    this.#brokenUntil = Math.max(this.#brokenUntil, noticed + 2 * this.scenario.oneWay);
  }

  #show(record: Writable, arrival: number): void {
    const { scenario } = this;
    const share = (this.#settings.width * this.#settings.height) / reference;
    record.received = arrival + CLIENT_CLOCK_OFFSET_MS;
    if (record.transmitted! < this.#brokenUntil) return;
    const decoded = Math.max(arrival, this.#decoderFree) + scenario.decode * share * this.#random.around(0.05);
    this.#decoderFree = decoded;
    record.decoded = decoded + CLIENT_CLOCK_OFFSET_MS;
    const ready = decoded + 1;
    record.clientRendered = ready + CLIENT_CLOCK_OFFSET_MS;
    // The screen refreshes 60 times a second and shows one frame at a time. Two may wait, more are thrown away; and
    // where frames have kept waiting for a third of a second, one is left out so that the others come sooner.
    const period = 1000 / 60;
    const due = Math.ceil(ready / period);
    const refresh = Math.max(due, this.#refresh + 1);
    this.#waiting = refresh > due ? this.#waiting + 1 : 0;
    if (refresh - due > 2 || this.#waiting > 20) {
      this.#waiting = 0;
      return;
    }
    this.#refresh = refresh;
    const presented = refresh * period;
    record.presented = presented + CLIENT_CLOCK_OFFSET_MS;
    record.returned = presented + scenario.oneWay + Math.abs(this.#random.normal()) * scenario.jitter;
  }
}

/** Result of a simulated session. */
interface Simulation {
  readonly scenario: Scenario;
  /** Figures of the part that was played. */
  readonly quality: SessionQuality;
  /** Share of the planned time that was played. */
  readonly played: number;
  /** Total over the planned time; time not played counts as 0. */
  readonly outcome: number;
  readonly decisions: readonly Decision[];
  /** Mean bits per second sent. */
  readonly bitrate: number;
  readonly records: readonly FrameRecord[];
}

/** Options of `simulate`. */
interface SimulateOptions {
  /** Controller that adjusts the stream; default: constant settings. */
  readonly controller?: ControllerOptions | true;
  /** Seconds between decisions; default 0.5. */
  readonly interval?: number;
  readonly constants?: ConstantsInput;
  /**
   * The player quits when the mean combined weighted score stays below `below` for `seconds`; default 30 s below 10.
   * False never quits.
   */
  readonly quitsWhen?: { readonly seconds: number; readonly below: number } | false;
  /** Return the records of the frames. */
  readonly keep?: boolean;
}

/** Reference: 1080 lines at 60 Hz; half the pixels are worth 0.84 of it, half the frames 0.81. */
const SIMULATION_CONSTANTS: ConstantsInput = {
  picture: { reference: { width: 1920, height: 1080, fps: 60, size: 0.25, rate: 0.3 } },
};

/** Simulates a session with a controller or with constant settings. */
export function simulate(scenario: Scenario, settings: StreamSettings, options: SimulateOptions = {}): Simulation {
  const controller = options.controller
    ? new QualityController(settings, {
        constants: options.constants ?? SIMULATION_CONSTANTS,
        ...(options.controller === true ? {} : options.controller),
      })
    : undefined;
  const pipeline = new StreamSimulator(scenario, controller?.settings ?? settings);
  const meter = new QualityMeter({ fps: 60 }, options.constants ?? SIMULATION_CONSTANTS);
  const observer = new StreamObserver(meter);
  const decisions: Decision[] = [];
  const records: FrameRecord[] = [];
  const interval = options.interval ?? 0.5;
  // The controller learns what the client saw a round trip later.
  const delay = 0.1;
  const underway: { record: FrameRecord; known: number }[] = [];
  let next = interval;
  const abandonment = options.quitsWhen === undefined ? { seconds: 30, below: 10 } : options.quitsWhen;
  const recent = new RecentMean(abandonment ? abandonment.seconds : 1);
  let gaveUp = false;
  for (let record = pipeline.next(); record; record = pipeline.next()) {
    if (options.keep) records.push(record);
    underway.push({ record, known: pipeline.t + delay });
    while (underway.length > 0 && underway[0]!.known <= pipeline.t) observer.add(underway.shift()!.record);
    if (abandonment && recent.add(pipeline.t, meter.latest.cws) < abandonment.below) {
      gaveUp = true;
      break;
    }
    if (!controller || pipeline.t < next) continue;
    next += interval;
    const decision = controller.decide(observer.take());
    if (decision.changes.length > 0) {
      decisions.push(decision);
      pipeline.apply(decision.settings);
    }
  }
  for (const { record } of underway) observer.add(record);
  const quality = meter.result();
  const played = gaveUp ? Math.min(1, pipeline.t / scenario.duration) : 1;
  const outcome = (quality.total ?? 0) * played;
  const bitrate = pipeline.sentBits / (scenario.duration * played);
  return { scenario, quality, played, outcome, decisions, bitrate, records };
}

/** Mean of the last `seconds` whole seconds; infinite until there are as many. */
class RecentMean {
  readonly #seconds: number;
  readonly #means: number[] = [];
  #second = 0;
  #sum = 0;
  #count = 0;
  #mean = Number.POSITIVE_INFINITY;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  add(t: number, value: number | undefined): number {
    if (Math.floor(t) > this.#second && this.#count > 0) {
      this.#means.push(this.#sum / this.#count);
      if (this.#means.length > this.#seconds) this.#means.shift();
      if (this.#means.length === this.#seconds) this.#mean = this.#means.reduce((a, b) => a + b, 0) / this.#seconds;
      this.#second = Math.floor(t);
      this.#sum = 0;
      this.#count = 0;
    }
    if (value !== undefined) {
      this.#sum += value;
      this.#count++;
    }
    return this.#mean;
  }
}

/** Results of one configuration over many scenarios. */
export interface TrialRow {
  readonly name: string;
  /** Mean outcome over the scenarios. */
  readonly mean: number;
  /** Mean advantage of the controller in the same scenarios, and its standard error. */
  readonly behind: number;
  readonly error: number;
  /** Scenarios in which the controller was better. */
  readonly won: number;
  /** Share of the planned time that was played. */
  readonly played: number;
  readonly outcomes: readonly number[];
}

/** Options of `compareWithFixedSettings`. */
interface TrialOptions {
  readonly seeds: readonly number[];
  /** Seconds of a scenario. */
  readonly duration: number;
  readonly network?: Network | undefined;
  readonly controller?: ControllerOptions;
  /** Initial settings of the controller. */
  readonly start?: StreamSettings;
  readonly fixed?: readonly StreamSettings[];
  readonly constants?: ConstantsInput;
  readonly signal?: AbortSignal | undefined;
  readonly onSeed?: ((seed: number) => void) | undefined;
}

/** Conservative settings that every network and machine of the scenarios supports. */
export const startSettings: StreamSettings = { bitrate: 2e6, width: 960, height: 540, fps: 60, preset: 'fast' };

/** A grid of settings that a service might use without a controller. */
function fixedSettings(): StreamSettings[] {
  const sizes = [
    { width: 1920, height: 1080 },
    { width: 1280, height: 720 },
    { width: 960, height: 540 },
  ];
  return sizes.flatMap((size) =>
    [60, 30].flatMap((fps) =>
      [2, 3, 4, 6, 8, 12, 20, 30].map((megabits) => ({
        ...size,
        fps,
        bitrate: megabits * 1e6,
        preset: 'fast' as const,
      })),
    ),
  );
}

/** Simulates each scenario with the controller and with each fixed setting; best row first. */
export function compareWithFixedSettings(options: TrialOptions): {
  readonly controller: TrialRow;
  readonly fixed: readonly TrialRow[];
} {
  const fixed = options.fixed ?? fixedSettings();
  const start = options.start ?? startSettings;
  const outcomes: number[][] = fixed.map(() => []);
  const played: number[] = fixed.map(() => 0);
  const adjusted: number[] = [];
  let adjustedPlayed = 0;
  const common = options.constants ? { constants: options.constants } : {};
  for (const seed of options.seeds) {
    options.signal?.throwIfAborted();
    const scenario = makeScenario(seed, options.duration, options.network);
    const run = simulate(scenario, start, { ...common, controller: options.controller ?? true });
    adjusted.push(run.outcome);
    adjustedPlayed += run.played;
    for (const [i, settings] of fixed.entries()) {
      const one = simulate(scenario, settings, common);
      outcomes[i]!.push(one.outcome);
      played[i]! += one.played;
    }
    options.onSeed?.(seed);
  }
  const count = options.seeds.length;
  const rows = fixed.map((settings, i) =>
    summarizeTrial(describeSettings(settings), outcomes[i]!, adjusted, played[i]! / count),
  );
  return {
    controller: summarizeTrial('controller', adjusted, adjusted, adjustedPlayed / count),
    fixed: rows.toSorted((a, b) => b.mean - a.mean),
  };
}

function summarizeTrial(
  name: string,
  outcomes: readonly number[],
  adjusted: readonly number[],
  played: number,
): TrialRow {
  const ahead = outcomes.map((outcome, i) => adjusted[i]! - outcome);
  const behind = mean(ahead);
  const variance = ahead.reduce((sum, one) => sum + (one - behind) ** 2, 0) / Math.max(1, ahead.length - 1);
  return {
    name,
    mean: mean(outcomes),
    behind,
    error: Math.sqrt(variance / ahead.length),
    won: ahead.filter((one) => one > 0).length,
    played,
    outcomes,
  };
}
