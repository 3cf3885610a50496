import type { ConstantsInput } from '../constants.ts';
import type { FrameRecord } from '../frame.ts';
import { QualityMeter, type SessionQuality } from '../meter.ts';
import { type ControllerOptions, type Decision, QualityController } from './controller.ts';
import { StreamObserver } from './observer.ts';
import { Pipeline } from './pipeline.ts';
import type { Scenario } from './scenario.ts';
import type { StreamSettings } from './settings.ts';

export interface Simulation {
  readonly scenario: Scenario;
  /** Of the session as long as it was played. */
  readonly quality: SessionQuality;
  /** Share of the planned time after which the person gave up; 1 where nobody did. */
  readonly played: number;
  /** Total over the planned time: what is not played counts as 0. */
  readonly outcome: number;
  readonly decisions: readonly Decision[];
  /** Mean bits per second sent. */
  readonly bitrate: number;
  readonly records: readonly FrameRecord[];
}

export interface SimulateOptions {
  /** Adjusts the stream; left out, the settings stay. */
  readonly controller?: ControllerOptions | true;
  /** Seconds between two decisions; 0.5 unless given. */
  readonly interval?: number;
  readonly constants?: ConstantsInput;
  /**
   * A bad session ends early: the person gives up after so many seconds whose mean combined weighted score stays below
   * `below`. 30 s below 10 unless given; false plays on.
   */
  readonly givesUp?: { readonly seconds: number; readonly below: number } | false;
  /** Keep the records of the frames. */
  readonly keep?: boolean;
}

/** A picture of 1080 lines at 60 Hz is the measure; half the pixels are worth 0.84 of it, half the frames 0.81. */
const simulationConstants: ConstantsInput = {
  picture: { reference: { width: 1920, height: 1080, fps: 60, size: 0.25, rate: 0.3 } },
};

/** Plays a scenario through the streaming pipeline, with a controller in the loop or with settings that stay. */
export function simulate(scenario: Scenario, settings: StreamSettings, options: SimulateOptions = {}): Simulation {
  const controller = options.controller
    ? new QualityController(settings, {
        constants: options.constants ?? simulationConstants,
        ...(options.controller === true ? {} : options.controller),
      })
    : undefined;
  const pipeline = new Pipeline(scenario, controller?.settings ?? settings);
  const meter = new QualityMeter({ fps: 60 }, options.constants ?? simulationConstants);
  const observer = new StreamObserver(meter);
  const decisions: Decision[] = [];
  const records: FrameRecord[] = [];
  const interval = options.interval ?? 0.5;
  // What the client saw is known to the controller a round trip later.
  const delay = 0.1;
  const underway: { record: FrameRecord; known: number }[] = [];
  let next = interval;
  const patience = options.givesUp === undefined ? { seconds: 30, below: 10 } : options.givesUp;
  const recent = new Recent(patience ? patience.seconds : 1);
  let gaveUp = false;
  for (let record = pipeline.next(); record; record = pipeline.next()) {
    if (options.keep) records.push(record);
    underway.push({ record, known: pipeline.t + delay });
    while (underway.length > 0 && underway[0]!.known <= pipeline.t) observer.add(underway.shift()!.record);
    if (patience && recent.add(pipeline.t, meter.latest.cws) < patience.below) {
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

/** Mean of the last seconds, second by second; infinite until so many have gone by. */
class Recent {
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
