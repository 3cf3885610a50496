// Measures the scheduler on real cores with the program's own work: groups of pictures are decoded, samples denoised, and a network runs
// on what changed. Compares dependencies by region with barriers between the steps and with static shares, with copies made
// concurrently (kernels start while a copy runs) or pushed to all devices. Alternating runs, medians; results must be equal.
//   node bench/compute/cores.ts <video> [--devices 2] [--rounds 5] [--seconds 12] [--trace out.json]
import { parseArgs } from 'node:util';
import { writeModel } from '../../src/compute/tiling/model.ts';
import { allIndices, atOffset, sameIndex, scaledBy, anyOf } from '../../src/compute/scheduler/index-space.ts';
import type { KernelCall } from '../../src/compute/scheduler/graph.ts';
import { type GraphRun, runGraph } from '../../src/compute/scheduler/run-graph.ts';
import { Trace } from '../../src/threads/trace.ts';
import { splitIntoChunks, sliceIndex } from '../../src/media/packets/packet-index.ts';
import { scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openVideo } from '../../src/media/video.ts';
import { mobilenet } from '../../test/fixtures/networks.ts';
import type { Settings } from './cores-kernels.ts';
import { median } from '../../src/statistics.ts';

const { values, positionals } = parseArgs({
  options: {
    devices: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '12' },
    trace: { type: 'string' },
  },
  allowPositionals: true,
});
const media = positionals[0] ?? 'test/footage/freedoom-demo1.mp4';
const devices = Number(values.devices);
/** Samples of a group of pictures, and the part of the frame that is looked at. */
const SAMPLES = 8;
const [width, height] = [640, 352];

using file = openVideo(media);
const index = scanPackets(file);
const chunks = splitIntoChunks(index, { minSeconds: 0.1 }).filter(({ t }) => t < Number(values.seconds));
const settings: Settings = {
  media,
  width,
  height,
  model: writeModel(mobilenet(8)),
  chunks: chunks.map((chunk) => ({
    chunk,
    index: sliceIndex(index, chunk),
    frames: Array.from(
      { length: SAMPLES },
      (_, i) => chunk.firstFrame + Math.floor((i * (chunk.lastFrame - chunk.firstFrame)) / SAMPLES),
    ),
  })),
};
const count = SAMPLES * chunks.length;
const resources = [
  { name: 'frames', regions: [count], bytes: width * height },
  { name: 'cleaned', regions: [count], bytes: width * height },
  { name: 'found', regions: [count], bytes: 1024 },
];

function calls(barrier: boolean, allocation: 'static' | 'dynamic'): KernelCall[] {
  const list: KernelCall[] = [
    {
      name: 'decode',
      space: [chunks.length],
      writes: [{ resource: 'frames', regions: scaledBy(SAMPLES) }],
      allocation,
    },
    {
      name: 'clean',
      space: [count],
      reads: [{ resource: 'frames', regions: anyOf(atOffset([-1]), sameIndex) }],
      writes: [{ resource: 'cleaned' }],
      allocation,
    },
    { name: 'infer', space: [count], reads: [{ resource: 'cleaned' }], writes: [{ resource: 'found' }], allocation },
  ];
  if (!barrier) return list;
  return list.map((call, i) => {
    const before = list[i - 1];
    return before ? { ...call, after: [{ call: before.name, portions: allIndices(before.space) }] } : call;
  });
}

const policies: Readonly<Record<string, Partial<GraphRun> & Pick<GraphRun, 'calls'>>> = {
  'one device': { calls: calls(false, 'dynamic'), devices: 1 },
  'barriers, static shares': { calls: calls(true, 'static') },
  'barriers, free choice': { calls: calls(true, 'dynamic') },
  'regions, static shares': { calls: calls(false, 'static') },
  'regions, free choice': { calls: calls(false, 'dynamic'), options: { ahead: 1 } },
  '… read while copied': { calls: calls(false, 'dynamic'), options: { ahead: 1 }, copying: {} },
  '… pushed': { calls: calls(false, 'dynamic'), options: { ahead: 1 }, copying: { push: true } },
};

const times = new Map<string, number[]>();
const copies = new Map<string, { readonly count: number; readonly milliseconds: number }>();
const results = new Set<string>();
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [name, policy] of Object.entries(policies)) {
    const kernels = new URL('./cores-kernels.ts', import.meta.url);
    const trace = new Trace();
    const result = await runGraph({ resources, devices, kernels, settings, trace, ...policy });
    const { traceEvents } = trace.toJSON();
    const spans = traceEvents.filter(({ ph, cat }) => ph === 'X' && cat !== 'wait');
    const start = Math.min(...spans.map(({ ts }) => Number(ts)));
    const end = Math.max(...spans.map(({ ts, dur }) => Number(ts) + Number(dur)));
    times.set(name, [...(times.get(name) ?? []), (end - start) / 1000]);
    const copying = spans.filter(({ cat }) => cat === 'copy');
    const milliseconds = copying.reduce((all, { dur }) => all + Number(dur) / 1000, 0);
    copies.set(name, { count: copying.length, milliseconds });
    let sum = 0;
    for (let i = 0; i < count; i++) for (const byte of result.region('found', i)) sum = (Math.imul(sum, 31) + byte) | 0;
    results.add(String(sum));
    if (values.trace && name.startsWith('regions, free')) await trace.write(values.trace);
  }
}
if (results.size !== 1) throw new Error(`results differ: ${[...results].join(', ')}`);
const ours = median(times.get('regions, free choice')!);
console.log(
  `${chunks.length} groups of pictures, ${count} samples of ${width} × ${height}, ${devices} devices; first portion begun to last one ended`,
);
console.log('| way | median | against regions, free choice | copies, last round |\n|---|---|---|---|');
for (const [name, list] of times) {
  const { count: made, milliseconds } = copies.get(name)!;
  const cells = [`${median(list).toFixed(0)} ms`, (median(list) / ours).toFixed(2)];
  console.log(`| ${name} | ${cells.join(' | ')} | ${made} in ${milliseconds.toFixed(1)} ms |`);
}
