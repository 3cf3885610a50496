import type { FrameRecord } from '../frame.ts';
import { presetSpeed, presetSpread } from './model.ts';
import type { Preset, StreamSettings } from './settings.ts';
import { Random, type Scenario } from './scenario.ts';

/** The client's clock is this much ahead of the server's, ms. */
const clockAhead = 4_000_000;
const reference = 1920 * 1080;
const packetBits = 1200 * 8;

type Writable = { -readonly [K in keyof FrameRecord]: FrameRecord[K] };

/**
 * A game that is streamed: render, capture, encode, network, decode, present, frame by frame. The network is a queue
 * before a bottleneck with loss and jitter; a lost frame is asked for again once, and if that fails everything until the
 * refresh a round trip later cannot be shown. Deterministic: a function of the scenario and of the settings given.
 */
export class Pipeline {
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
  /** Number of the screen's last refresh that showed a frame. */
  #refresh = Number.NEGATIVE_INFINITY;
  /** Frames in a row that waited for a refresh behind the one before. */
  #waiting = 0;
  #nextInput = 0;
  #inputs: number[] = [];
  /** Bits handed to the network and bits that arrived. */
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

  /** Holds from the next frame on. */
  apply(settings: StreamSettings): void {
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#changed = true;
  }

  /** Seconds of the session so far. */
  get t(): number {
    return this.#renderEnd / 1000;
  }

  /** The next frame; undefined at the end of the scenario. */
  next(): FrameRecord | undefined {
    const { scenario } = this;
    const { width, height, fps, bitrate, qp, preset } = this.#settings;
    const share = (width * height) / reference;
    const period = 1000 / fps;
    const start = Math.max(this.#renderStart + period, this.#renderEnd);
    const t = start / 1000;
    if (t >= scenario.duration) return undefined;
    // Half of the work of a frame does not depend on its size.
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
    this.#send(record, this.#frameBits(share, preset));
    return record;
  }

  /** Inputs made on the client reach the server one way later and are in the first frame begun after that. */
  #takeInputs(start: number, record: Writable): void {
    const { scenario } = this;
    while (this.#nextInput + scenario.oneWay <= start) {
      if (scenario.active(this.#nextInput / 1000)) this.#inputs.push(this.#nextInput);
      this.#nextInput += this.#random.waiting(1000 / scenario.inputRate);
    }
    if (this.#inputs.length > 0) record.inputs = this.#inputs.map((input) => input + clockAhead);
    this.#inputs = [];
  }

  /** When a frame is encoded; undefined where the encoder is so far behind that it leaves the frame out. */
  #encode(captured: number, share: number, preset: Preset, period: number): number | undefined {
    if (this.#encoderFree - captured > period) return undefined;
    const time = this.scenario.encode * share ** 0.9 * presetSpeed[preset] * this.#random.around(0.06);
    this.#encoderFree = Math.max(captured, this.#encoderFree) + time;
    return this.#encoderFree;
  }

  #frameBits(share: number, preset: Preset): number {
    const { bitrate, fps, qp } = this.#settings;
    // At a constant QP the size follows the scene; see bitsPerPixelOfQp for the rate.
    const mean = qp === undefined ? bitrate / fps : 0.1 * 2 ** ((28 - qp) / 6) * share ** 0.75 * reference;
    const cut = this.#random.next() < 0.002 ? 2.5 : 1;
    const spread = presetSpread[preset] * (qp === undefined ? 1 : 1.6);
    return mean * cut * this.#random.around(spread);
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
    const hit = 1 - (1 - scenario.loss) ** (bits / packetBits);
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
    record.received = arrival + clockAhead;
    if (record.transmitted! < this.#brokenUntil) return;
    const decoded = Math.max(arrival, this.#decoderFree) + scenario.decode * share * this.#random.around(0.05);
    this.#decoderFree = decoded;
    record.decoded = decoded + clockAhead;
    const ready = decoded + 1;
    record.clientRendered = ready + clockAhead;
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
    record.presented = presented + clockAhead;
    record.returned = presented + scenario.oneWay + Math.abs(this.#random.normal()) * scenario.jitter;
  }
}
