// Compares three networks on large images untiled, in tiles that recompute their overlap, and in tiles that store it. Each variant runs in its
// own process, in alternation; prints medians of processor time, ratios, and peak memory above that of a process with a tiny
// model (including image and results).
//   node bench/compute/tiling.ts [--sizes 1920x1080,3840x2160] [--share 8] [--rounds 3] [--networks vgg,mobilenet,unet]
// --share: the budget is this fraction of the memory that the untiled network takes.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type ImageSource, openSession, TiledModel } from '../../src/compute/tiling/execute.ts';
import { fuseLayers } from '../../src/compute/tiling/fuse.ts';
import { writeModel } from '../../src/compute/tiling/model.ts';
import {
  comparePlan,
  fetchingAgainPlan,
  planTiling,
  recomputingPlan,
  untiledMemory,
} from '../../src/compute/tiling/plan.ts';
import { networks } from '../../test/fixtures/networks.ts';
import { median } from '../../src/statistics.ts';

type Way = 'at once' | 'at once, memory kept' | 'recomputing' | 'fetching again' | 'tiled';
const WAYS: readonly Way[] = ['at once', 'at once, memory kept', 'recomputing', 'fetching again', 'tiled'];

interface Measured {
  readonly milliseconds: readonly number[];
  readonly peak: number;
  readonly counts: { readonly fetched: number; readonly macs: number; readonly computed: number } | undefined;
  /** Sum of all outputs, to compare. */
  readonly sum: number;
}

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1920x1080,3840x2160' },
    share: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    networks: { type: 'string', default: Object.keys(networks).join(',') },
    child: { type: 'string' },
  },
});

if (values.child) {
  const [name, width, height, way, budget] = JSON.parse(values.child) as [
    keyof typeof networks,
    number,
    number,
    Way,
    number,
  ];
  process.stdout.write(JSON.stringify(await measure(name, width, height, way, budget)));
} else {
  for (const size of values.sizes.split(',')) {
    const [width, height] = size.split('x').map(Number) as [number, number];
    for (const name of values.networks.split(',') as (keyof typeof networks)[]) table(name, width, height);
  }
}

function table(name: keyof typeof networks, width: number, height: number): void {
  const model = networks[name]();
  const budget = Math.floor(untiledMemory(fuseLayers(model, { width, height })) / Number(values.share));
  const plan = planTiling(model, { width, height, budget });
  const compared = comparePlan(plan);
  const planned = {
    'at once': compared.untiled,
    'at once, memory kept': compared.untiled,
    recomputing: compared.recomputing,
    'fetching again': compared.fetchingAgain,
    tiled: compared.plan,
  };
  const all = new Map<Way, Measured[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const way of WAYS) {
      if (!planned[way]) continue;
      const child = ['--child', JSON.stringify([name, width, height, way, budget])];
      const { stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, ...child], { encoding: 'utf8' });
      if (stdout === '') throw new Error(stderr);
      all.set(way, [...(all.get(way) ?? []), JSON.parse(stdout) as Measured]);
    }
  }
  const time = (way: Way) => median(all.get(way)!.flatMap(({ milliseconds }) => milliseconds));
  const peak = (way: Way) => median(all.get(way)!.map((one) => one.peak));
  console.log(
    `\n${name}, ${width} × ${height}, budget ${mib(budget)} MiB, ${plan.axis}, ${plan.chains.length} chain(s)`,
  );
  console.log(
    '| way | planned MiB | measured MiB | rows fetched | multiply-adds, 10⁹ | time ms | time ÷ at once | ÷ memory kept | sum of outputs |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const [way, runs] of all) {
    const { memory, fetched, macs } = planned[way]!;
    const counted = runs[0]!.counts;
    if (counted && (counted.fetched !== fetched || counted.macs !== macs))
      throw new Error(`${way}: planned ${fetched} rows, ${macs} products; done ${counted.fetched}, ${counted.macs}`);
    const cells = [way, mib(memory), mib(peak(way)), fetched, (macs / 1e9).toFixed(2), time(way).toFixed(0)];
    const ratios = [time('at once'), time('at once, memory kept')].map((base) => (time(way) / base).toFixed(2));
    console.log(`| ${[...cells, ...ratios, runs[0]!.sum.toPrecision(7)].join(' | ')} |`);
  }
}

async function measure(
  name: keyof typeof networks,
  width: number,
  height: number,
  way: Way,
  budget: number,
): Promise<Measured> {
  const model = networks[name]();
  // What the runtime itself takes is there whatever the way.
  const small = await openSession(writeModel(networks.vgg(1)));
  await small.run({ image: new Tensor('float32', new Float32Array(3 * 64 * 64), [1, 3, 64, 64]) });
  await small.release();
  const before = process.memoryUsage.rss();
  const milliseconds: number[] = [];
  let sum = 0;
  let counts: Measured['counts'];
  const timed = async (run: () => Promise<Readonly<Record<string, { readonly data: unknown }>>>) => {
    // The runtime's memory grows during the first two runs.
    for (let i = 0; i < 5; i++) {
      const start = process.cpuUsage();
      const outputs = await run();
      const { user, system } = process.cpuUsage(start);
      if (i > 1) milliseconds.push((user + system) / 1000);
      sum = 0;
      for (const { data } of Object.values(outputs)) for (const value of data as Float32Array) sum += value;
    }
  };
  if (way.startsWith('at once')) {
    const kept = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 } as const;
    const session =
      way === 'at once' ? await openSession(writeModel(model)) : await InferenceSession.create(writeModel(model), kept);
    const pixels = new Float32Array(3 * width * height);
    const whole = { axis: 'rows', from: 0, to: height, into: pixels, offset: 0 } as const;
    await timed(() => {
      // Whatever the way, every run begins with pixels of a frame that are turned into floats.
      picture(width, height).read({ ...whole, channelStride: width * height, rowStride: width });
      return session.run({ image: new Tensor('float32', pixels, [1, 3, height, width]) });
    });
  } else {
    const plan = planTiling(model, { width, height, budget });
    const used = way === 'tiled' ? plan : way === 'recomputing' ? recomputingPlan(plan)! : fetchingAgainPlan(plan);
    await using network = await TiledModel.open(used);
    await timed(() => network.run({ image: picture(width, height) }));
    counts = network.traffic;
  }
  return { milliseconds, peak: 1024 * process.resourceUsage().maxRSS - before, counts, sum };
}

/** A picture that is made up as it is asked for, as a decoded frame is converted when it is asked for. */
function picture(width: number, height: number): ImageSource {
  return {
    read({ axis, from, to, into, offset, channelStride, rowStride }) {
      const [top, bottom] = axis === 'rows' ? [from, to] : [0, height];
      const [left, right] = axis === 'rows' ? [0, width] : [from, to];
      for (let channel = 0; channel < 3; channel++)
        for (let y = top; y < bottom; y++)
          for (let x = left, at = offset + channel * channelStride + (y - top) * rowStride; x < right; x++)
            into[at++] = pixel(channel, y * width + x);
    },
  };
}

function pixel(channel: number, i: number): number {
  return ((Math.imul(i + 7919 * channel, 2654435761) >>> 8) & 255) / 255 - 0.5;
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
