import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommandLine } from '../fixtures/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'learn-font-'));
afterAll(() => rmSync(folder, { recursive: true }));

const clip = 'test/footage/freedoom-demo1.mp4';

interface Shown {
  readonly t: number;
  readonly hud: boolean;
  readonly health: number | null;
  readonly ammo: number | null;
  readonly palette: number | null;
}

async function playbyplay(...args: readonly string[]) {
  const { code, out, err } = await runCommandLine(...args);
  return { status: code, stdout: out, stderr: err };
}

const text = (region: string): object => ({
  kind: 'text',
  region,
  atlas: 'fonts/figures.json',
  align: 'centre',
  value: 'number',
});

const { regions } = JSON.parse(readFileSync('configs/freedoom/profile.json', 'utf8')) as {
  regions: Record<string, object>;
};
const profile = {
  format: 'playbyplay/profile/1',
  game: 'x',
  title: 'X',
  version: '1',
  reference: { width: 1280, height: 720 },
  regions: { health: regions['health'], ammo: regions['ammunition'] },
  detectors: { health: text('health'), ammo: text('ammo') },
};
writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile));
// What the game drew, in plain light, a tenth of a second after it was drawn.
const { series } = JSON.parse(readFileSync(clip.replace('.mp4', '.truth.json'), 'utf8')) as { series: Shown[] };
const moments = series.filter(
  (one, i) => one.t < 25 && one.hud && one.palette === 0 && (series[i + 1]?.t ?? 0) - one.t > 0.25,
);
const [labelled, others] = [0, 1].map((rest) => moments.filter((_, i) => (i % 5 === 0) === (rest === 1)));
const labels = labelled!.flatMap(({ t, health, ammo }) =>
  Object.entries({ health, ammo }).flatMap(([detector, value]) =>
    value === null ? [] : [{ media: resolve(clip), t: t + 0.1, detector, text: String(value) }],
  ),
);
const file = join(folder, 'labels.ndjson');
writeFileSync(file, labels.map((label) => `${JSON.stringify(label)}\n`).join(''));
const learn = ['--labels', file, '--detector', 'health', '--detector', 'ammo'];

it('a font learned from labelled moments without a given pitch reads other moments', async () => {
  const from = [...learn, '--channel', 'red', '--pixels', '0.5,0.5', '--noise', '14'];
  const learnt = await playbyplay('profile', 'glyphs', folder, ...from, '--out', join(folder, 'fonts/figures.json'));
  expect(learnt.stderr).toBe('');
  expect(learnt.stdout).toContain(
    `\n${labels.length} of ${labels.length} labels are reproduced (--channel "red" --noise `,
  );
  const at = others!.flatMap(({ t }) => ['--at', String(t + 0.1)]);
  const { stdout } = await playbyplay('profile', 'try', folder, clip, ...at, '--json');
  const looks = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seen: { observation: { value?: number } }[] });
  expect(looks.map(({ seen }) => seen.map(({ observation }) => observation.value))).toEqual(
    others!.map(({ health, ammo }) => [health, ammo ?? undefined]),
  );
});

it('colors of ink are refused for labels', async () => {
  const options = ['--pixels', '0.5,0.5', '--out', join(folder, 'inks.json'), '--inks', '#ff0000'];
  const { status, stderr } = await playbyplay('profile', 'glyphs', folder, ...learn, ...options);
  expect(status).toBe(2);
  expect(stderr).toContain('--inks is for fonts from --sheet or --images');
});

function raiseDigits(figure: string): string {
  return figure.replaceAll(/\d/g, (digit) => String((Number(digit) + 1) % 10));
}

it('two fonts that are learned as one are named', async () => {
  // The same digits in other places of the screen: as if a second detector had a font that differs.
  const mixed = labels.map((one) => (one.detector === 'ammo' ? { ...one, text: raiseDigits(one.text) } : one));
  const path = join(folder, 'mixed.ndjson');
  writeFileSync(path, mixed.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const options = ['--detector', 'health', '--detector', 'ammo', '--channel', 'red', '--pixels', '0.5,0.5'];
  const out = ['--noise', '14', '--out', join(folder, 'mixed.json')];
  const { stdout } = await playbyplay('profile', 'glyphs', folder, '--labels', path, ...options, ...out);
  const count = mixed.filter(({ detector }) => detector === 'ammo').length;
  expect(stdout).toContain(`Learned alone, a font reproduces ${count} of ${count} labels of ammo:`);
  // The ammunition reads one lower than its labels say.
  expect(stdout).toContain('“2” reads as “1” in ');
});

/** The health that the game drew at a time; near a change, either side. */
function shown(t: number): readonly (number | null | undefined)[] {
  return [t - 0.1, t + 0.1].map((at) => series.findLast((one) => one.t <= at)?.health);
}

it('a sheet has a row for each text that a region shows, with lines that teach its font', async () => {
  const out = join(folder, 'sheet');
  const { status, stdout } = await playbyplay('profile', 'sheet', folder, clip, '--detector', 'health', '--out', out);
  expect(status).toBe(0);
  const rows = readFileSync(join(out, 'labels.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { media: string; times: number[]; detector: string; text: string });
  expect(stdout).toContain(`${rows.length} texts → ${join(out, 'sheet.png')}`);
  for (const { times } of rows) {
    const values = times.map(shown);
    expect(values[0]!.some((value) => values.every((both) => both.includes(value)))).toBe(true);
  }
  // What the general reader suggests is right for most; a person corrects the rest.
  const right = rows.filter((row) => shown(row.times[0]!).some((value) => String(value) === row.text));
  expect(right.length / rows.length).toBeGreaterThan(0.7);
  const corrected = rows.flatMap((row) => {
    const value = shown(row.times[0]!)[0];
    return typeof value === 'number' ? [{ ...row, t: row.times[0], text: String(value) }] : [];
  });
  const labelFile = join(out, 'labels.ndjson');
  writeFileSync(labelFile, corrected.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const options = ['--detector', 'health', '--channel', 'red', '--pixels', '0.5,0.5', '--noise', '14'];
  const learned = await playbyplay(
    'profile',
    'glyphs',
    folder,
    '--labels',
    labelFile,
    ...options,
    '--out',
    join(out, 'font.json'),
  );
  const count = corrected.reduce((sum, { times }) => sum + times.length, 0);
  expect(learned.stdout).toMatch(new RegExp(` of ${count} labels are reproduced`));
});
