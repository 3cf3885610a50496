// How long a person waits in the studio, measured in the browser: scrubbing, keys to frames, questions about 100,000 events, and memory
// over many interactions.
//   node bench/studio/latencies.ts [<recording>] [--interactions 2000] [--json <file>]
// The log of the recording is made up of repeated lines of test/fixtures/logs, so that it has 100,000 events.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import chromium from '@sparticuz/chromium';
import { chromium as driver, type Page } from 'playwright-core';
import type { EventLine, LogLine } from '../../src/events/log.ts';
import { locatePages } from '../../src/studio/pages.ts';
import { startStudio } from '../../src/studio/server/studio-server.ts';
import { Workspace } from '../../src/studio/workspace.ts';

const root = join(import.meta.dirname, '..', '..');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { interactions: { type: 'string', default: '2000' }, json: { type: 'string' } },
});
const recording = positionals[0] ?? join(root, 'test', 'footage', 'freedoom-demo1.mp4');
const EVENTS = 100_000;

/** What the review page gives to measurements. */
interface Exposed {
  readonly playbyplay: {
    readonly player: {
      readonly latencies: number[];
      readonly duration: { readonly value: number };
      readonly info: { readonly value?: { readonly index?: { readonly frames: number } } };
      readonly shown: { readonly value?: { readonly frame: number; readonly isExact: boolean } };
      seek: (t: number, isDragging?: boolean) => void;
      goToFrame: (frame: number) => void;
    };
    readonly review: {
      setQuestion: (question: string) => void;
      ask: () => Promise<void>;
      readonly question: { value: string };
      readonly list: { readonly value?: { readonly total: number } };
    };
  };
}

const folder = join(mkdtempSync(join(tmpdir(), 'studio-bench-')), 'bench');
const name = `match${extname(recording)}`;
mkdirSync(join(folder, 'match.playbyplay'), { recursive: true });
cpSync(recording, join(folder, name));
writeFileSync(join(folder, 'match.playbyplay', 'events.ndjson'), longLog());
const workspace = await Workspace.open([folder]);
await using studio = await startStudio({ workspace, pages: await locatePages() });
const browser = await driver.launch({
  executablePath: await chromium.executablePath(),
  args: [...chromium.args, '--enable-precise-memory-info', '--js-flags=--expose-gc'],
});
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(studio.createLink());
  const opened = performance.now();
  await page.goto(`${studio.address}#/review?recording=bench%2F${encodeURIComponent(name)}`);
  await page.locator('.frame-view canvas[data-exact]').waitFor();
  const firstPicture = performance.now() - opened;
  await page.locator('[role=option]').first().waitFor();
  const firstEvents = performance.now() - opened;
  await page.waitForFunction(
    () => (globalThis as unknown as Exposed).playbyplay.player.info.value?.index !== undefined,
  );
  const results = {
    recording: recording.split('/').slice(-2).join('/'),
    'first picture': [firstPicture],
    'first events of 100,000': [firstEvents],
    'scrub → picture': await scrub(page),
    'key → next frame': await stepping(page, 1),
    'key → previous frame': await stepping(page, -1),
    'leap → exact frame': await leaps(page),
    'question → list': await questions(page),
    'memory of the page, MB': await memory(page, Number(options.interactions)),
    'memory of the server, MB': [process.memoryUsage().rss / 1e6],
  };
  for (const [what, values] of Object.entries(results)) console.log(`${what.padEnd(28)} ${describe(values)}`);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results)}\n`);
} finally {
  await browser.close();
  rmSync(join(folder, '..'), { recursive: true });
}

/** Repeats the events of a real log until there are enough. */
function longLog(): string {
  const lines = readFileSync(join(root, 'test', 'fixtures', 'logs', 'freedoom-demo1.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);
  const header = lines[0]!;
  const events = lines.filter((line): line is EventLine => line.type === 'event');
  const out: object[] = [header];
  const last = 42;
  for (let i = 0; i < EVENTS; i++) {
    const event = events[i % events.length]!;
    // All within the recording, in order of time.
    const t = Math.round((i / EVENTS) * last * 1e6) / 1e6;
    out.push({ ...event, id: `${event.id}-${i}`, t, end: t });
  }
  out.push({ type: 'end', events: EVENTS, gaps: 0, samples: 1 });
  return `${out.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Drags over the recording: 60 places, 50 ms apart. From each wish to the picture that is shown next. */
async function scrub(page: Page): Promise<number[]> {
  return await page.evaluate(async () => {
    const { player } = (globalThis as unknown as Exposed).playbyplay;
    player.latencies.length = 0;
    for (let i = 0; i < 60; i++) {
      player.seek((player.duration.value * ((i * 37) % 60)) / 60, true);
      await new Promise((resolve) => void setTimeout(resolve, 50));
    }
    await new Promise((resolve) => void setTimeout(resolve, 500));
    return [...player.latencies];
  });
}

/** Steps 60 frames, each when the one before is shown. */
async function stepping(page: Page, direction: number): Promise<number[]> {
  return await page.evaluate(async (step) => {
    const { player } = (globalThis as unknown as Exposed).playbyplay;
    const times: number[] = [];
    let frame = 700;
    player.goToFrame(frame);
    const shown = async (): Promise<void> => {
      while (player.shown.value?.frame !== frame || !player.shown.value.isExact)
        await new Promise((resolve) => void setTimeout(resolve, 1));
    };
    await shown();
    for (let i = 0; i < 60; i++) {
      frame += step;
      const begin = performance.now();
      player.goToFrame(frame);
      await shown();
      times.push(performance.now() - begin);
      // A held key repeats about thirty times a second.
      await new Promise((resolve) => void setTimeout(resolve, 33));
    }
    return times;
  }, direction);
}

/** Goes to frames all over the recording. */
async function leaps(page: Page): Promise<number[]> {
  return await page.evaluate(async () => {
    const { player } = (globalThis as unknown as Exposed).playbyplay;
    const frames = player.info.value!.index!.frames;
    const times: number[] = [];
    for (let i = 0; i < 40; i++) {
      const frame = (i * 7919) % frames;
      const begin = performance.now();
      player.goToFrame(frame);
      while (player.shown.value?.frame !== frame) await new Promise((resolve) => void setTimeout(resolve, 1));
      times.push(performance.now() - begin);
    }
    return times;
  });
}

/** Asks questions about all events, each for the first time. */
async function questions(page: Page): Promise<number[]> {
  return await page.evaluate(async () => {
    const { review } = (globalThis as unknown as Exposed).playbyplay;
    const times: number[] = [];
    for (const question of [
      'player obtains item',
      'health drops below 50',
      'player obtains shotgun followed by health drop within 5 s',
      'count events by item',
      'ammunition rises',
      'player dies',
    ]) {
      review.question.value = question;
      const begin = performance.now();
      await review.ask();
      times.push(performance.now() - begin);
    }
    review.question.value = '';
    await review.ask();
    return times;
  });
}

/** The heap of the page after each quarter of many interactions: leaps, questions, scrolling. */
async function memory(page: Page, interactions: number): Promise<number[]> {
  const used: number[] = [];
  for (let quarter = 0; quarter <= 4; quarter++) {
    if (quarter > 0)
      await page.evaluate(async (count) => {
        const { player } = (globalThis as unknown as Exposed).playbyplay;
        const list = document.querySelector('.event-list')!;
        const frames = player.info.value!.index!.frames;
        for (let i = 0; i < count; i++) {
          if (i % 4 === 0) list.scrollTop = ((i * 7919) % 100_000) * 46;
          else player.seek((((i * 7919) % frames) / frames) * player.duration.value, i % 4 === 1);
          await new Promise((resolve) => void setTimeout(resolve, 25));
        }
      }, interactions / 4);
    used.push(
      await page.evaluate(() => {
        (globalThis as unknown as { gc?: () => void }).gc?.();
        return (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 1e6;
      }),
    );
  }
  return used;
}

function describe(values: readonly number[] | string): string {
  if (typeof values === 'string') return values;
  if (values.length <= 6) return values.map((value) => value.toFixed(0)).join('  ');
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    `${sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(0)} ms`;
  return `median ${at(0.5)}, 90 % ${at(0.9)}, worst ${at(1)} (${values.length})`;
}
