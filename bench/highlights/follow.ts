// Measures whether a vertical crop that follows the action shows more of it than a centered one:
//   node bench/highlights/follow.ts <recording> [from-to …]     (seconds; default: stretches of 8 s)
// Motion is computed independently of the program: frames of 160 × 90 from the ffmpeg command, each compared with the previous one
// after the best global shift, so that camera turns do not count. Needs the ffmpeg command.
import { spawnSync } from 'node:child_process';
import { actionAt, followAction, watchAction } from '../../src/media/write/follow-action.ts';
import { Recording } from '../../src/media/write/recording.ts';

const [video, ...spans] = process.argv.slice(2);
if (video === undefined) throw new RangeError('usage: follow.ts <recording> [from-to …]');
const [W, H, RATE] = [160, 90, 10];
/** Messages at the top, the weapon in hand and the HUD at the bottom are no action. */
const [TOP, BOTTOM] = [10, 60];
/** Share of the width that an upright crop of a picture of 16:9 shows. */
const VIEW = (9 / 16) ** 2;

function pictures(start: number, end: number): Buffer[] {
  const filter = `fps=${RATE},scale=${W}:${H}`;
  const args = ['-v', 'error', '-ss', `${start}`, '-t', `${end - start}`, '-i', video!, '-vf', filter];
  const raw = spawnSync('ffmpeg', [...args, '-pix_fmt', 'gray', '-f', 'rawvideo', '-'], { maxBuffer: 1 << 28 }).stdout;
  return Array.from({ length: raw.length / (W * H) }, (_, i) => raw.subarray(i * W * H, (i + 1) * W * H));
}

/** Difference by columns, after the shift of the whole picture that explains most. */
function movement(before: Buffer, now: Buffer): number[] {
  let best: { columns: number[]; sum: number } | undefined;
  for (let dx = -24; dx <= 24; dx += 2) {
    const columns = Array.from({ length: W }, () => 0);
    let [sum, count] = [0, 0];
    for (let x = Math.max(0, dx); x < Math.min(W, W + dx); x++) {
      for (let y = TOP; y < BOTTOM; y++) {
        const change = Math.abs(now[y * W + x]! - before[y * W + x - dx]!);
        columns[x]! += Math.max(0, change - 12);
        sum += change;
        count++;
      }
    }
    if (!best || sum / count < best.sum) best = { columns, sum: sum / count };
  }
  return best!.columns;
}

function inside(columns: readonly number[], middle: number): number {
  const from = Math.max(0, Math.min(1 - VIEW, middle - VIEW / 2)) * W;
  return columns.reduce((sum, value, x) => sum + (x >= from && x < from + VIEW * W ? value : 0), 0);
}

using recording = new Recording(video);
const wanted =
  spans.length > 0
    ? spans.map((span) => span.split('-').map(Number))
    : Array.from({ length: 4 }, (_, i) => [2 + 9 * i, 10 + 9 * i]);
const totals = { followed: 0, centred: 0, all: 0 };
for (const [start, end] of wanted as [number, number][]) {
  const path = followAction(watchAction(recording, start, end), VIEW);
  const seen = pictures(start, end);
  const parts = { followed: 0, centred: 0, all: 0 };
  for (let i = 1; i < seen.length; i++) {
    const columns = movement(seen[i - 1]!, seen[i]!);
    parts.followed += inside(columns, actionAt(path, start + i / RATE));
    parts.centred += inside(columns, 0.5);
    parts.all += columns.reduce((sum, value) => sum + value, 0);
  }
  const percent = (value: number) => `${((100 * value) / parts.all).toFixed(1)} %`;
  const [least, most] = [Math.min(...path.xs), Math.max(...path.xs)];
  process.stdout.write(
    `${start}–${end} s: view ${least.toFixed(2)} to ${most.toFixed(2)}; shows ${percent(parts.followed)} of what moves, from the middle ${percent(parts.centred)}\n`,
  );
  for (const key of ['followed', 'centred', 'all'] as const) totals[key] += parts[key];
}
process.stdout.write(
  `all: ${((100 * totals.followed) / totals.all).toFixed(1)} % followed, ${((100 * totals.centred) / totals.all).toFixed(1)} % from the middle (${(100 * VIEW).toFixed(1)} % of the picture)\n`,
);
