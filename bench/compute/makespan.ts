// Compares the makespan with its lower bound, for barriers between kernel calls and for dependencies by region, in a discrete-event
// simulation of up to 64 devices with their own memories. Up to 16 devices take two minutes of processor time, 64 far longer.
//   node bench/compute/makespan.ts [seeds, default 3] [devices, default 2,4,8,16,32,64]
import { filters } from '../../test/fixtures/scheduler/filters.ts';
import { type Machine, type Policy, simulate } from '../../test/fixtures/scheduler/simulate.ts';

/** Columns: static shares and free choice under barriers (copies on demand, and concurrent), and dependencies by region. */
const policies: Readonly<Record<string, Policy>> = {
  'barrier static': { barrier: true, allocation: 'static' },
  'barrier dynamic': { barrier: true, allocation: 'dynamic' },
  '… concurrent copies': { barrier: true, allocation: 'dynamic', options: { prefetch: 2 }, readWhileCopying: true },
  'regions static': { barrier: false, allocation: 'static', options: { ahead: 1 }, readWhileCopying: true },
  'regions dynamic': { barrier: false, allocation: 'dynamic', options: { ahead: 1 }, readWhileCopying: true },
};

const wanted = process.argv[3]?.split(',').map(Number);
const everySize: readonly (readonly [number, number, number])[] = [
  [2, 8, 6],
  [4, 12, 8],
  [8, 16, 12],
  [16, 24, 16],
  [32, 32, 24],
  [64, 48, 32],
];
const sizes = everySize.filter(([devices]) => wanted?.includes(devices) ?? true);
const links = { fast: { latency: 0, bandwidth: 1e9 }, slow: { latency: 0.2, bandwidth: 5 } };
const kinds = { noise: [0, 0.4], 'hot spots': [4, 0.4], 'hotter spots': [8, 0.5] } as const;

const seeds = Number(process.argv[2] ?? 3);
console.log(
  `makespan ÷ lower bound, median of ${seeds} seeds; eight filters, 24 portions a device and call; mean cost about 1 to 2,`,
);
console.log('slow links: latency 0.2, 0.2 a region; mixed: every other device at half speed');
console.log(['workload', 'links', 'devices', ...Object.keys(policies)].map((head) => head.padEnd(17)).join(''));
for (const [kind, [hot, spread]] of Object.entries(kinds)) {
  for (const [link, wires] of Object.entries(links))
    for (const [devices, width, height] of sizes) row(kind, link, devices, { width, height, hot, spread, wires });
}
for (const [devices, width, height] of sizes) {
  row('hot spots', 'slow mixed', devices, { width, height, hot: 4, spread: 0.4, wires: links.slow }, true);
}

function row(
  kind: string,
  link: string,
  devices: number,
  shape: { width: number; height: number; hot: number; spread: number; wires: { latency: number; bandwidth: number } },
  mixed = false,
): void {
  const machine: Machine = {
    speeds: Array.from({ length: devices }, (_, i) => (mixed && i % 2 === 1 ? 0.5 : 1)),
    ...shape.wires,
  };
  const ratios = Object.values(policies).map((policy) => {
    const all = Array.from({ length: seeds }, (_, seed) => {
      const workload = filters(shape.width, shape.height, 1000 * devices + seed, shape.hot, shape.spread);
      const { makespan, bound } = simulate(workload, machine, policy);
      return makespan / bound;
    });
    return all.toSorted((a, b) => a - b)[Math.floor(seeds / 2)]!;
  });
  console.log(
    [kind, link, String(devices), ...ratios.map((ratio) => ratio.toFixed(3))].map((cell) => cell.padEnd(17)).join(''),
  );
}
