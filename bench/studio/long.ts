// A recording of hours in the studio, measured in the browser: opening, zooming and moving the time line, leaps, changes of readings, memory.
//   node bench/studio/long.ts <recording with its log> [--hours 10] [--pictures <folder>] [--keep <folder>]
// The recording is repeated without encoding it again (ffmpeg -stream_loop), its log and its stored readings with it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, resolve as resolvePath } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { openJournal, readJournal } from '../../src/events/journal.ts';
import type { LogLine } from '../../src/events/log.ts';
import { openVideo } from '../../src/media/video.ts';
import type { ChunkReadings } from '../../src/pipeline/reading/chunk-readings.ts';
import { locatePages } from '../../src/studio/pages.ts';
import { startStudio } from '../../src/studio/server/studio-server.ts';
import { Workspace } from '../../src/studio/workspace.ts';
import { launchBrowser } from '../../test/fixtures/browser.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    hours: { type: 'string', default: '10' },
    pictures: { type: 'string' },
    keep: { type: 'string' },
  },
});
const source = resolvePath(positionals[0] ?? 'match.mp4');
const folder = options.keep ?? join(mkdtempSync(join(tmpdir(), 'studio-long-')), 'long');
const name = `long${extname(source)}`;

/** What the review page gives to measurements. */
interface Exposed {
  readonly playbyplay: {
    readonly player: {
      readonly info: { readonly value?: { readonly index?: { readonly frames: number } } };
      readonly shown: { readonly value?: { readonly frame: number; readonly isExact: boolean } };
      readonly t: { readonly value: number };
      readonly duration: { readonly value: number };
      readonly visibleRange: { readonly value: { readonly from: number; readonly to: number } };
      seek: (t: number, isDragging?: boolean) => void;
      setVisibleRange: (range: { from: number; to: number }) => void;
      zoom: (factor: number, around: number) => void;
    };
    readonly readings: {
      readonly field: { value: string | undefined };
      step: (direction: 'next' | 'previous') => Promise<void>;
    };
  };
}

if (!existsSync(join(folder, name))) await makeLong();
const workspace = await Workspace.open([folder]);
await using studio = await startStudio({ workspace, pages: await locatePages() });
const browser = await launchBrowser();
const results: [string, string][] = [
  ['file', `${(statSync(join(folder, name)).size / 1e9).toFixed(1)} GB`],
  ['stored readings', `${(statSync(join(folder, 'long.playbyplay', 'readings.journal')).size / 1e6).toFixed(0)} MB`],
];
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  const page = await context.newPage();
  page.on('pageerror', (error) => results.push(['page error', error.message]));
  await page.goto(studio.createLink());
  const opened = performance.now();
  const since = (): string => `${((performance.now() - opened) / 1000).toFixed(1)} s`;
  await page.goto(`${studio.address}#/review?recording=${basename(folder)}%2F${name}`);
  await page.locator('.frame-view canvas[data-exact]').waitFor();
  results.push(['address → first picture', since()]);
  await page.locator('[role=option]').first().waitFor({ timeout: 120_000 });
  results.push(['address → list of events', since()]);
  await page.waitForFunction(
    () => (globalThis as unknown as Exposed).playbyplay.player.info.value?.index !== undefined,
    undefined,
    { timeout: 300_000 },
  );
  results.push(['address → indexed: exact frames anywhere', since()]);
  await page.locator('.field-label').first().waitFor({ timeout: 300_000 });
  results.push(['address → first readings', since()]);
  await page.evaluate(() => {
    const { player } = (globalThis as unknown as Exposed).playbyplay;
    player.setVisibleRange({ from: 0, to: player.duration.value });
  });
  await page.waitForLoadState('networkidle');
  results.push(['address → all readings, the whole recording on the time line', since()]);
  await picture(page, 'whole');
  results.push(['zooming in and out: time of a picture of the page', await frames(page, 'zoom')]);
  results.push(['moving the time line: time of a picture of the page', await frames(page, 'move')]);
  results.push(['rest → lanes of what is shown', await settle(page)]);
  results.push(['leap → exact frame', await leaps(page)]);
  results.push(['key → next change, and its exact frame', await changes(page)]);
  await picture(page, 'near');
  results.push(['memory of the page', `${await heap(page)} MB`]);
  results.push(['memory of server and benchmark', `${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`]);
} finally {
  await browser.close();
  if (options.keep === undefined) rmSync(join(folder, '..'), { recursive: true });
}
for (const [what, value] of results) process.stdout.write(`| ${what} | ${value} |\n`);

async function picture(page: Page, what: string): Promise<void> {
  if (options.pictures === undefined) return;
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(options.pictures, `long-${what}.png`) });
}

/** Repeats the recording, its log and its readings. */
async function makeLong(): Promise<void> {
  const log = join(dirname(source), `${basename(source, extname(source))}.playbyplay`);
  const target = join(folder, 'long.playbyplay');
  mkdirSync(target, { recursive: true });
  const once = lengthOf(source);
  const times = Math.ceil((Number(options.hours) * 3600) / once);
  const looped = ['-stream_loop', String(times - 1), '-i', source, '-c', 'copy', '-map', '0', join(folder, name)];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...looped]);
  const step = lengthOf(join(folder, name)) / times;
  const lines = readFileSync(join(log, 'events.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);
  const out: object[] = [];
  const [header] = lines;
  if (header?.type !== 'header') throw new Error(`${log} has no log`);
  out.push({ ...header, media: { ...header.media, name, duration: times * step } });
  for (let n = 0; n < times; n++)
    for (const line of lines)
      if (line.type === 'event')
        out.push({ ...line, id: `${line.id}-${n}`, t: line.t + n * step, end: line.end + n * step });
      else if (line.type === 'gap') out.push({ ...line, t: line.t + n * step, end: line.end + n * step });
  writeFileSync(join(target, 'events.ndjson'), `${out.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const journal = await readJournal(join(log, 'readings.journal'));
  const records: ChunkReadings[] = [];
  for await (const { record } of journal!.records()) records.push(record as ChunkReadings);
  await using long = await openJournal<ChunkReadings>(join(target, 'readings.journal'), journal!.key);
  for (let n = 0; n < times; n++)
    for (const [i, record] of records.entries())
      await long.append(String(n * records.length + i), {
        ...record,
        t: record.t.map((t) => Math.round((t + n * step) * 1e6) / 1e6),
      });
}

/** Seconds of a recording as its container says them. */
function lengthOf(path: string): number {
  using file = openVideo(path);
  return file.info.duration ?? 0;
}

/**
 * Milliseconds between pictures of the page while the time line is zoomed or moved with each of them, for three seconds; and of that, what
 * its scripts and its layout take. The rest is drawing, in software where there is no graphics card.
 */
async function frames(page: Page, how: 'zoom' | 'move'): Promise<string> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const taken = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const own = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];
    return 1000 * metrics.filter(({ name: metric }) => own.includes(metric)).reduce((sum, one) => sum + one.value, 0);
  };
  const before = await taken();
  const times = await page.evaluate(async (kind) => {
    const { player } = (globalThis as unknown as Exposed).playbyplay;
    const found: number[] = [];
    const began = performance.now();
    let last = began;
    for (let n = 0; performance.now() - began < 3000; n++) {
      const { from, to } = player.visibleRange.value;
      if (kind === 'zoom') player.zoom(n % 60 < 30 ? 1.15 : 1 / 1.15, player.duration.value / 3);
      else player.setVisibleRange({ from: from + (to - from) / 40, to: to + (to - from) / 40 });
      await new Promise((resolve) => void requestAnimationFrame(resolve));
      found.push(performance.now() - last);
      last = performance.now();
    }
    return found;
  }, how);
  const own = ((await taken()) - before) / times.length;
  await session.detach();
  return `${describe(times)}; of that scripts and layout ${own.toFixed(0)} ms a picture`;
}

/** Milliseconds from a new time range to the end of all requests for it. */
async function settle(page: Page): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < 8; n++) {
    const began = performance.now();
    await page.evaluate((i) => {
      const { player } = (globalThis as unknown as Exposed).playbyplay;
      const length = [36_000, 3600, 600, 60][i % 4]!;
      const from = (((i * 7919) % 97) / 100) * (player.duration.value - length);
      player.setVisibleRange({ from: Math.max(0, from), to: Math.max(0, from) + length });
    }, n);
    await page.waitForResponse((response) => response.url().includes('/api/readings?'));
    times.push(performance.now() - began);
  }
  return describe(times);
}

/** Milliseconds from a leap to any time to its exact frame. */
async function leaps(page: Page): Promise<string> {
  const times = await page.evaluate(async () => {
    const { player } = (globalThis as unknown as Exposed).playbyplay;
    const found: number[] = [];
    for (let i = 1; i <= 20; i++) {
      const before = player.shown.value;
      const began = performance.now();
      player.seek((((i * 7919) % 1000) / 1000) * player.duration.value);
      while (player.shown.value === before || !player.shown.value!.isExact)
        await new Promise((resolve) => void setTimeout(resolve, 2));
      found.push(performance.now() - began);
    }
    return found;
  });
  return describe(times);
}

/** Milliseconds from the key to the exact frame of the next change. */
async function changes(page: Page): Promise<string> {
  const times = await page.evaluate(async () => {
    const { player, readings } = (globalThis as unknown as Exposed).playbyplay;
    const found: number[] = [];
    for (let i = 0; i < 20; i++) {
      const before = player.shown.value;
      const began = performance.now();
      await readings.step('next');
      while (player.shown.value === before || !player.shown.value!.isExact)
        await new Promise((resolve) => void setTimeout(resolve, 2));
      found.push(performance.now() - began);
    }
    return found;
  });
  return describe(times);
}

async function heap(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return (usedSize / 1e6).toFixed(1);
}

function describe(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(0);
  return `median ${at(0.5)} ms, 90 % ${at(0.9)} ms, worst ${at(1)} ms (${sorted.length})`;
}
