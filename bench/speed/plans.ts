// Measures what the adaptive plan saves: `node bench/speed/plans.ts <clip folder>… [--runs 3] [--no-full]`, folders with video.mp4 and truth.json.
// Processor time of whole processes, alternating, medians and ratios: `detect --plan adaptive`, `detect --plan full`, and an oracle that knows
// the truth: it scans the file and decodes, as detect does, the keyframes and the profile's samples of those groups of pictures in
// which something changes that the profile reads, and reads nothing. Two further rows separate start-up, which the oracle does not
// have: `detect` of the first moment, and scanning the file alone. Also reports whether both plans give the same events.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { decodeFrames } from '../../src/media/decode/decode-frames.ts';
import { groupFirstFrame, scanPackets } from '../../src/media/packets/scan-packets.ts';
import { openVideo } from '../../src/media/video.ts';
import { compileProfile } from '../../src/pipeline/compile-profile.ts';
import { CHUNK_SECONDS, indexChunks, planChunks } from '../../src/pipeline/reading/plan.ts';
import type { Profile } from '../../src/profile/profile.ts';
import type { LogLine } from '../../src/events/log.ts';
import { loadTruth, type Truth } from '../../test/truth/truth.ts';
import { median } from '../../src/statistics.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    runs: { type: 'string', default: '3' },
    full: { type: 'boolean', default: true },
    oracle: { type: 'boolean', default: false },
    scan: { type: 'boolean', default: false },
  },
});
const configs = join(import.meta.dirname, '..', '..', 'configs');
const launch = join(import.meta.dirname, '..', '..', 'src', 'cli', 'launch.js');
const folder = mkdtempSync(join(tmpdir(), 'plans-'));

if (values.oracle) await runOracle(positionals[0]!);
else if (values.scan) scanAlone(positionals[0]!);
else for (const clip of positionals) await report(clip);
rmSync(folder, { recursive: true });

async function report(clip: string): Promise<void> {
  const truth = await loadTruth(clip);
  const runs = Array.from({ length: Number(values.runs) }, () => ({
    adaptive: detect(clip, truth, 'adaptive'),
    full: values.full ? detect(clip, truth, 'full') : Number.NaN,
    oracle: timed([import.meta.filename, '--oracle', clip]),
    start: detect(clip, truth, 'adaptive', 'start', ['--to', '0.3', '--place', 'default']),
    scan: timed([import.meta.filename, '--scan', clip]),
  }));
  const seconds = (side: keyof (typeof runs)[0]): string => median(runs.map((run) => run[side])).toFixed(2);
  const over = (side: 'full' | 'oracle'): string => median(runs.map((run) => run.adaptive / run[side])).toFixed(2);
  const minutes = (truth.frames / truth.fps / 60).toFixed(1);
  console.log(
    `${basename(clip)}, ${minutes} min: adaptive ${seconds('adaptive')} s, full ${seconds('full')} s, oracle ${seconds('oracle')} s`,
  );
  const started = median(runs.map((run) => (run.adaptive - run.start + run.scan) / run.oracle)).toFixed(2);
  console.log(`  adaptive over full ${over('full')}, over the oracle ${over('oracle')}; without starting ${started}`);
  console.log(`  a start ${seconds('start')} s, of which scanning, as the oracle does, ${seconds('scan')} s`);
  if (!values.full) return;
  const [full, adaptive] = [said('full'), said('adaptive')];
  console.log(`  events: ${full.length} by the full plan, ${adaptive.length} by the adaptive one`);
  for (const line of only(full, adaptive)) console.log(`    full only: ${line}`);
  for (const line of only(adaptive, full)) console.log(`    adaptive only: ${line}`);
}

function only(a: readonly string[], b: readonly string[]): string[] {
  return a.filter((line) => !b.includes(line));
}

function detect(clip: string, { game }: Truth, plan: string, to = plan, more: readonly string[] = []): number {
  const args = ['--game', game, '--workers', '1', '--plan', plan, '--out', join(folder, to), '--quiet', ...more];
  return timed([launch, 'detect', join(clip, 'video.mp4'), ...args]);
}

/** Seconds of processor time, user and system, of a Node process. */
function timed(args: readonly string[]): number {
  const script =
    'import resource,subprocess,sys;r=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL);u=resource.getrusage(resource.RUSAGE_CHILDREN);print(u.ru_utime+u.ru_stime,r.returncode)';
  const { stdout } = spawnSync('python3', ['-c', script, process.execPath, ...args], { encoding: 'utf8' });
  const [cpu, status] = stdout.trim().split(' ').map(Number);
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return cpu!;
}

function said(plan: string): string[] {
  const lines = readFileSync(join(folder, plan, 'events.ndjson'), 'utf8')
    .split('\n')
    .filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as LogLine)
    .flatMap((line) => (line.type === 'event' ? [`${line.t} ${line.text}`] : []));
}

/** The oracle's own process. */
async function runOracle(clip: string): Promise<void> {
  const { game, changes } = await loadTruth(clip);
  const profile = JSON.parse(readFileSync(join(configs, game, 'profile.json'), 'utf8')) as Profile;
  using file = openVideo(join(clip, 'video.mp4'));
  const index = scanPackets(file);
  const compiled = await compileProfile({
    profile,
    assets: { read: (path) => Promise.resolve(readFileSync(join(configs, game, path))) },
  });
  for await (const { chunk, samples } of planChunks(indexChunks(index, CHUNK_SECONDS.adaptive), compiled)) {
    const keyframes: number[] = [];
    const wanted: number[] = [];
    for (let group = chunk.firstGroup; group < chunk.lastGroup; group++) {
      const [first, next] = [groupFirstFrame(index, group), groupFirstFrame(index, group + 1)];
      keyframes.push(first);
      const [from, to] = [index.t[first]!, index.t[next] ?? Number.POSITIVE_INFINITY];
      if (changes.some((t) => t >= from && t < to))
        wanted.push(...samples.frames.filter((frame) => frame >= first && frame < next));
    }
    for (const frames of [keyframes, wanted])
      for (const item of decodeFrames(file, index, chunk, frames)) if (Symbol.dispose in item) item[Symbol.dispose]();
    await turn();
  }
}

function scanAlone(clip: string): void {
  using file = openVideo(join(clip, 'video.mp4'));
  scanPackets(file);
}
