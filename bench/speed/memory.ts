// Measures peak memory of `detect` on a clip and on the same clip repeated:
//   node bench/speed/memory.ts <recording> <game> [--minutes 60] [--workers 1] [--as mp4|mkv|ts]
// The long recording is made by copying packets (ffmpeg command).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '60' },
    workers: { type: 'string', default: '1' },
    as: { type: 'string', default: 'mp4' },
  },
});
const [media, game] = positionals;
if (media === undefined || game === undefined)
  throw new Error(
    'usage: node bench/speed/memory.ts <recording> <game> [--minutes 60] [--workers 1] [--as mp4|mkv|ts]',
  );
const folder = mkdtempSync(join(tmpdir(), 'memory-'));
const launch = join(import.meta.dirname, '..', '..', 'src', 'cli', 'launch.js');

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}

function peak(file: string): number {
  const script =
    'import resource,subprocess,sys;r=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL);print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,r.returncode)';
  const args = [
    launch,
    'detect',
    file,
    '--game',
    game!,
    '--workers',
    values.workers,
    '--out',
    join(folder, 'log'),
    '--quiet',
  ];
  const [kilobytes, status] = run('python3', ['-c', script, process.execPath, ...args])
    .trim()
    .split(' ')
    .map(Number);
  if (status !== 0) throw new Error(`detect ended with ${status}`);
  return kilobytes! / 1024;
}

const duration = Number(run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', media]));
const times = Math.ceil((Number(values.minutes) * 60) / duration);
const long = join(folder, `long.${values.as}`);
writeFileSync(join(folder, 'list.txt'), `file '${resolve(media)}'\n`.repeat(times));
run('ffmpeg', ['-v', 'error', '-f', 'concat', '-safe', '0', '-i', join(folder, 'list.txt'), '-c', 'copy', long]);
const [once, repeated] = [peak(media), peak(long)];
console.log(
  `${duration.toFixed(0)} s: ${once.toFixed(0)} MiB; ${times} times that: ${repeated.toFixed(0)} MiB; ratio ${(repeated / once).toFixed(2)}`,
);
rmSync(folder, { recursive: true });
