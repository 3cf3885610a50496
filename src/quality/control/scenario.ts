/** Numbers from 0 to 1, the same for the same seed (splitmix32). */
export class Random {
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
  waiting(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }
}

/** Simulated kinds of networks. */
export const networks = ['fibre', 'cable', 'wifi', 'mobile'] as const;
/** A simulated kind of network. */
export type Network = (typeof networks)[number];

/** External conditions of a session: network, machine and game. Depends only on the seed. Times in ms. */
export interface Scenario {
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
