// Measures how well swing-like movements are found in a recording in which they happen at known times.
//   node bench/detectors/swings.ts <video.mp4> <times.json> [--region 0.3,0.45,0.4,0.38] [--options '{"swing":true}'] [--before 0.1] [--after 0.6] [--list]
// times.json: { "blows": [seconds, …], "late": seconds by which the recording lags them }, or the truth of a recording of Freedoom, whose
// shotgun is pumped after every shot. A detection is correct if it starts from --before to --after the time, one to one.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cuesOf, makeshiftProfile } from '../../test/fixtures/cues.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    region: { type: 'string', default: '0.3,0.45,0.4,0.38' },
    options: { type: 'string', multiple: true, default: ['{}'] },
    before: { type: 'string', default: '0.1' },
    after: { type: 'string', default: '0.6' },
    list: { type: 'boolean', default: false },
  },
});
const [media, file] = positionals;
if (media === undefined || file === undefined) {
  process.stderr.write(
    'usage: node bench/detectors/swings.ts <video.mp4> <times.json> [--region x,y,width,height] [--options JSON]…\n',
  );
  process.exit(2);
}

interface Times {
  readonly blows?: readonly number[];
  readonly late?: number;
  readonly series?: readonly { readonly t: number; readonly ammo_table?: readonly (number | null)[] }[];
}

function timesOf({ blows, late = 0, series = [] }: Times): number[] {
  if (blows) return blows.map((t) => t + late);
  return series.flatMap(({ t, ammo_table: table }, i) => {
    const [now, before] = [table?.[1], series[i - 1]?.ammo_table?.[1]];
    return typeof now === 'number' && now === (before ?? 0) - 1 ? [t] : [];
  });
}

function clock(list: Iterable<number>): string {
  return [...list].map((t) => t.toFixed(2)).join(' ');
}

const truth = timesOf(JSON.parse(readFileSync(file, 'utf8')) as Times);
const [x, y, width, height] = values.region.split(',').map(Number);
const region = { view: { x, y, width, height } };
for (const options of values.options) {
  const swing = { kind: 'motion', region: 'view', of: 'burst', interval: 0.05, ...(JSON.parse(options) as object) };
  const { cues, duration } = await cuesOf(media, await makeshiftProfile(region, { swing }));
  const found = cues.map(({ t }) => t);
  const left = new Set(found);
  const errors: number[] = [];
  const missed: number[] = [];
  for (const t of truth) {
    const own = [...left]
      .filter((one) => one >= t - Number(values.before) && one <= t + Number(values.after))
      .toSorted((a, b) => Math.abs(a - t) - Math.abs(b - t))[0];
    if (own === undefined) missed.push(t);
    else {
      left.delete(own);
      errors.push(own - t);
    }
  }
  const late = errors.toSorted((a, b) => a - b)[errors.length >> 1];
  process.stdout.write(
    `${options}: precision ${errors.length}/${found.length}, recall ${errors.length}/${truth.length}, ${late?.toFixed(2)} s behind by the median (${duration.toFixed(0)} s)\n`,
  );
  if (values.list) {
    process.stdout.write(`  missed ${clock(missed)}\n  false ${clock(left)}\n`);
  }
}
