// Measures `detect` with a heavy network on blurred whole frames, with and without sum-preserving integer filters, a memory budget, and
// scheduling over several threads. Each variant runs in its own process, in alternation; prints medians and ratios.
//   node bench/compute/gain.ts [video] [--to 16] [--interval 1] [--rounds 3] [--budget 16] [--workers 2]
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { COSTS } from '../../src/compute/quantize/cost.ts';
import { type Model, writeModel } from '../../src/compute/tiling/model.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { Network } from '../../test/fixtures/networks.ts';
import { median } from '../../src/statistics.ts';

const { values, positionals } = parseArgs({
  options: {
    to: { type: 'string', default: '16' },
    interval: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    budget: { type: 'string', default: '16' },
    workers: { type: 'string', default: '2' },
    child: { type: 'string' },
  },
  allowPositionals: true,
});
const media = resolve(positionals[0] ?? 'test/footage/freedoom-demo1.mp4');

interface Way {
  readonly name: string;
  readonly integers: boolean;
  readonly budget: boolean;
  readonly workers: number;
}

interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  /** MiB at the peak. */
  readonly peak: number;
  readonly log: string;
}

if (values.child) {
  const { folder, way } = JSON.parse(values.child) as { folder: string; way: Way };
  // An integer filter that costs this much to start is never chosen. (Other threads would not see this value.)
  if (!way.integers) (COSTS.fixed as { start: number }).start = Number.POSITIVE_INFINITY;
  const start = performance.now();
  const out = join(folder, 'out');
  const game = join(folder, way.budget ? 'budget' : 'free', 'profile.json');
  await recordLog({ media, game, out, workers: way.workers, to: Number(values.to) });
  const { user, system } = process.cpuUsage();
  const measured: Measured = {
    seconds: (performance.now() - start) / 1000,
    cpu: (user + system) / 1e6,
    peak: process.resourceUsage().maxRSS / 1024,
    // Without the header, whose fingerprint of the profile names the budget.
    log: readFileSync(join(out, 'events.ndjson'), 'utf8').replace(/^.*\n/, ''),
  };
  rmSync(out, { recursive: true });
  process.stdout.write(JSON.stringify(measured));
} else compareWays();

function compareWays(): void {
  const folder = mkdtempSync(join(tmpdir(), 'gain-'));
  for (const [name, budget] of [
    ['free', undefined],
    ['budget', Number(values.budget) * 2 ** 20],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'model.onnx'), writeModel(heavy()));
    writeFileSync(join(folder, name, 'profile.json'), JSON.stringify(profile(budget)));
  }
  const workers = Number(values.workers);
  const ways: Way[] = [
    { name: 'none of them', integers: false, budget: false, workers: 1 },
    { name: 'integer filters', integers: true, budget: false, workers: 1 },
    { name: 'and a budget', integers: true, budget: true, workers: 1 },
    { name: `and ${workers} threads`, integers: true, budget: true, workers },
    { name: `${workers} threads, no budget`, integers: true, budget: false, workers },
  ];
  const all = new Map<Way, Measured[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const way of ways) {
      const child = ['--child', JSON.stringify({ folder, way })];
      const passed = [import.meta.filename, media, '--to', values.to, ...child];
      const { stdout, stderr } = spawnSync(process.execPath, passed, { encoding: 'utf8' });
      if (stdout === '') throw new Error(stderr);
      all.set(way, [...(all.get(way) ?? []), JSON.parse(stdout) as Measured]);
    }
  }
  rmSync(folder, { recursive: true });
  console.log('| way | seconds | ratio to the first | processor seconds | peak MiB | log |\n|---|---|---|---|---|---|');
  const logs: string[] = [];
  let first: number | undefined;
  for (const [{ name }, runs] of all) {
    const medianOf = (read: (run: Measured) => number) => median(runs.map(read));
    const seconds = medianOf((run) => run.seconds);
    first ??= seconds;
    const [{ log }] = runs as [Measured, ...Measured[]];
    if (!logs.includes(log)) logs.push(log);
    const cells = [seconds.toFixed(1), (seconds / first).toFixed(2), medianOf((run) => run.cpu).toFixed(1)];
    console.log(
      `| ${name} | ${cells.join(' | ')} | ${medianOf((run) => run.peak).toFixed(0)} | ${'ABCDE'[logs.indexOf(log)]} |`,
    );
  }
}

/** Convolutions on the whole picture, then the mean of each class's map. */
function heavy(): Model {
  const net = new Network(7);
  let at = 'image';
  for (const channels of [24, 32, 48]) {
    at = net.conv(at, channels, 3, { activation: 'Relu' });
    at = net.pool(net.conv(at, channels, 3, { activation: 'Relu' }));
  }
  const mean = net.add('GlobalAveragePool', [net.conv(at, 4, 1)], 4);
  const model = net.model(net.add('Flatten', [mean], 4, { axis: 1 }));
  return { ...model, outputs: model.outputs.map((output) => ({ ...output, dims: [1, 4] })) };
}

function profile(memoryBudget: number | undefined): object {
  return {
    format: 'playbyplay/profile/1',
    game: 'bench',
    title: 'bench',
    version: '1.0.0',
    reference: { width: 1280, height: 720 },
    sampling: { interval: Number(values.interval) },
    regions: {
      view: { x: 0, y: 0, width: 1, height: 1, anchor: 'centre', preprocess: [{ step: 'blur', sigma: 2 }] },
    },
    detectors: {
      scene: {
        kind: 'onnx',
        region: 'view',
        model: 'model.onnx',
        task: 'classify',
        labels: ['one', 'two', 'three', 'four'],
        threshold: 0,
        stability: { samples: 1, confidence: 0 },
        input: { width: 1280, height: 720 },
        ...(memoryBudget === undefined ? {} : { memoryBudget }),
      },
    },
  };
}
