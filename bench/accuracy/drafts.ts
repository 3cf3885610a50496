// Drafts profiles of games that do not exist: HUDs with exact truth, laid over recordings, are looked for by `discoverHud`.
//   node bench/accuracy/drafts.ts <recording> [--seeds 1,2,3] [--seconds 45] [--keep <folder>]
// Needs the ffmpeg command with libass. Prints which elements were found, their types, and the share of their changes that are seen.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { discoverHud } from '../../src/discovery/discover.ts';
import type { HudField } from '../../src/discovery/hud-field.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1,2,3' },
    seconds: { type: 'string', default: '45' },
    keep: { type: 'string' },
  },
});
const [base] = positionals;
if (base === undefined) throw new Error('usage: node bench/accuracy/drafts.ts <recording> [--seeds 1,2,3]');
const seconds = Number(values.seconds);

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** An element of a HUD: what it shows from which second on, and where. */
interface Element {
  readonly type: HudField['type'];
  /** As `\an` of an ASS subtitle: 7 is the upper left, 3 the lower right. */
  readonly alignment: number;
  readonly size: number;
  readonly marginTop: number;
  readonly shown: readonly (readonly [t: number, text: string])[];
}

const FONTS = ['DejaVu Sans', 'DejaVu Sans Condensed', 'Liberation Sans Narrow', 'Liberation Serif', 'DejaVu Serif'];
const MESSAGES = ['Final lap!', 'You picked up a shield', 'Wrong way', 'New record', 'Enemy defeated', 'Double kill'];

/** What a value shows that changes at the given times. */
function series(
  start: number,
  at: readonly number[],
  next: (value: number) => number,
  write: (value: number) => string,
): Element['shown'] {
  let value = start;
  const shown: [number, string][] = [[0, write(start)]];
  for (const t of at) {
    value = next(value);
    shown.push([t, write(value)]);
  }
  return shown;
}

function clock(total: number): string {
  return `${Math.floor(total / 60)}:${String(total % 60).padStart(2, '0')}`;
}

/** Makes the HUD of a game: score, laps, clock, ammunition, health, messages. */
function makeHud(random: () => number): readonly Element[] {
  const between = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const times = (low: number, high: number): number[] => {
    const found: number[] = [];
    for (let t = low; t < seconds - 2; t += low + random() * (high - low)) found.push(t);
    return found;
  };
  const caption = pick(['SCORE ', 'Score: ', 'Points ', '']);
  const suffix = pick(['%', '']);
  const ticks = Array.from({ length: seconds - 5 }, (_, i) => i + 1);
  const gaps = times(6, 11);
  const messages = gaps.flatMap((t, i): [number, string][] => [
    [t, MESSAGES[i % MESSAGES.length]!],
    [t + 2.5, ''],
  ]);
  return [
    {
      type: 'counter',
      alignment: 7,
      size: between(22, 40),
      marginTop: 20,
      shown: series(
        0,
        times(2, 7),
        (v) => v + pick([10, 25, 50, 100]),
        (v) => `${caption}${v}`,
      ),
    },
    {
      type: 'fraction',
      alignment: 9,
      size: between(22, 40),
      marginTop: 20,
      shown: series(
        1,
        [0.35 * seconds, 0.7 * seconds],
        (v) => v + 1,
        (v) => `Lap ${v}/3`,
      ),
    },
    {
      type: 'clock',
      alignment: 8,
      size: between(26, 48),
      marginTop: 16,
      shown: series(65, ticks, (v) => v + 1, clock),
    },
    {
      type: 'fraction',
      alignment: 3,
      size: between(24, 44),
      marginTop: 24,
      shown: series(
        30,
        times(1, 4),
        (v) => (v <= 3 ? 30 : v - between(1, 3)),
        (v) => `${v} / 120`,
      ),
    },
    {
      type: suffix === '' ? 'counter' : 'percentage',
      alignment: 1,
      size: between(28, 56),
      marginTop: 24,
      shown: series(
        100,
        times(2, 8),
        (v) => Math.max(2, Math.min(100, v + pick([-25, -10, -7, 15]))),
        (v) => `${v}${suffix}`,
      ),
    },
    { type: 'message', alignment: 8, size: between(30, 50), marginTop: 220, shown: [[0, ''], ...messages] },
  ];
}

function formatTime(t: number): string {
  return `0:${String(Math.floor(t / 60)).padStart(2, '0')}:${(t % 60).toFixed(2).padStart(5, '0')}`;
}

/** Writes a HUD as ASS subtitles. */
function subtitles(hud: readonly Element[], random: () => number): string {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const styles = hud.map(({ alignment, size, marginTop }, i) => {
    const color = pick(['&H00FFFFFF', '&H0050FFFF', '&H0078E6FF', '&H0090FF90']);
    return `Style: s${i},${pick(FONTS)},${size},${color},&H0,&H00101010,&H80000000,${pick([0, 1])},${pick([0, 0, 1])},0,0,100,100,0,0,1,${pick([0, 1, 2, 3])},${pick([0, 1, 2])},${alignment},24,30,${marginTop},1`;
  });
  const lines = hud.flatMap(({ shown }, i) =>
    shown.flatMap(([t, text], k) =>
      text === ''
        ? []
        : [`Dialogue: 0,${formatTime(t)},${formatTime(shown[k + 1]?.[0] ?? seconds)},s${i},,0,0,0,,${text}`],
    ),
  );
  return [
    '[Script Info]\nScriptType: v4.00+\nPlayResX: 1280\nPlayResY: 720\n[V4+ Styles]',
    'Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding',
    ...styles,
    '[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
    ...lines,
  ].join('\n');
}

/** The part of the screen of an alignment: column and row, 0 to 2. */
function cellOf(alignment: number): readonly [number, number] {
  return [(alignment - 1) % 3, 2 - Math.floor((alignment - 1) / 3)];
}

/** Whether a field lies where an element is drawn. */
function liesAt({ rect }: HudField, { alignment, marginTop, size }: Element): boolean {
  const [column, row] = cellOf(alignment);
  const [x, y] = [(rect.x + rect.width / 2) / 1280, rect.y + rect.height / 2];
  const top = row === 2 ? 720 - marginTop - size : marginTop;
  return Math.floor(3 * x) === column && y > top - 10 && y < top + size + 20;
}

const folder = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'drafts-')) : resolve(values.keep);
mkdirSync(folder, { recursive: true });
const totals = { elements: 0, found: 0, typed: 0, wrong: 0 };
for (const seed of values.seeds.split(',').map(Number)) {
  const random = randomFrom(seed);
  const hud = makeHud(random);
  const [script, video] = [join(folder, `${seed}.ass`), join(folder, `${seed}.mp4`)];
  writeFileSync(script, subtitles(hud, random));
  // The recording's own HUD is cropped away.
  const filter = `crop=iw*0.8:ih*0.6:iw*0.1:ih*0.16,scale=1280:720,ass=${script}`;
  const input = ['-nostdin', '-loglevel', 'error', '-y', '-stream_loop', '-1', '-i', base];
  const output = [
    '-t',
    String(seconds),
    '-an',
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-b:v',
    '4M',
    '-g',
    '60',
    video,
  ];
  execFileSync('ffmpeg', [...input, '-vf', filter, ...output]);
  const start = process.cpuUsage();
  const { fields } = await discoverHud([video]);
  const cpu = process.cpuUsage(start).user / 1e6;
  const left = new Set(fields);
  for (const element of hud) {
    const field = [...left].find((one) => liesAt(one, element));
    totals.elements++;
    if (field) {
      left.delete(field);
      totals.found++;
      if (field.type === element.type) totals.typed++;
    }
    console.log(`${seed}  ${element.type.padEnd(10)}  ${field ? `${field.type} “${field.name}”` : 'not found'}`);
  }
  totals.wrong += left.size;
  for (const { type, name, place } of left) console.log(`${seed}  nothing     ${type} “${name}” at the ${place}`);
  console.log(`${seed}  ${cpu.toFixed(1)} s of processor time`);
}
if (values.keep === undefined) rmSync(folder, { recursive: true });
console.log(
  `${totals.found} of ${totals.elements} elements found, ${totals.typed} with the right type, ${totals.wrong} false`,
);
