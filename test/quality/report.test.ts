import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../fixtures/browser.ts';
import type { EventLine } from '../../src/events/log.ts';
import { sessionReport } from '../../src/quality/report/session.ts';
import { sessionsReport } from '../../src/quality/report/sessions.ts';
import { analyzeFiles, gameplayMarks } from '../../src/quality/timeline.ts';
import { randomSession } from '../fixtures/quality/sessions.ts';

const folder = mkdtempSync(join(tmpdir(), 'quality-report-'));
const sample = (name: string): string => new URL(`../fixtures/quality/${name}`, import.meta.url).pathname;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** Opens a page; everything that it complains about or tries to fetch is collected. */
async function open(html: string): Promise<{ page: Page; complaints: string[] }> {
  const path = join(folder, 'page.html');
  writeFileSync(path, html);
  const page = await browser.newPage({ viewport: { width: 1180, height: 900 }, locale: 'en-US' });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) complaints.push(request.url());
  });
  await page.goto(pathToFileURL(path).href);
  return { page, complaints };
}

function event(t: number, text: string): EventLine {
  const statement = { subject: 'player', action: 'die' };
  return { type: 'event', id: String(t), t, end: t, game: 'g', session: 's', text, statement, confidence: 1, cues: [] };
}

describe('the report of one session', async () => {
  const [view] = await analyzeFiles([sample('presentmon-1.csv')], { targetBitrate: 2e7, width: 1920, height: 1080 });
  const play = gameplayMarks([event(1.5, 'player <b>dies</b>'), event(4, 'player kills opponent')], ({ t }) =>
    t === 4 ? 'win' : 'loss',
  );
  const html = sessionReport({ ...view!, play });

  it('shows figures and charts of quality and components with game events on the same axis', async () => {
    const { page, complaints } = await open(html);
    const { quality } = view!.scored;
    expect(await page.textContent('.figure.big b')).toBe(quality.total!.toFixed(1));
    expect(await page.locator('#charts svg').count()).toBe(1 + Object.keys(quality.components).length);
    expect(await page.locator('#charts svg').first().locator('text.loss, text.win').allTextContents()).toEqual([
      'player <b>dies</b>',
      'player kills opponent',
    ]);
    expect(await page.locator('rect.freeze title').allTextContents()).toContainEqual(
      expect.stringMatching(/freeze of 400 ms/),
    );
    // A mark stands where its time is on the axis: 1.5 s of 5.44 s between the margins of 46 and 14 in 1080.
    const mark = await page.locator('g.loss line').getAttribute('x1');
    expect(Number(mark)).toBeCloseTo(46 + (1.5 / quality.duration) * 1020, 0);
    expect(complaints).toEqual([]);
  });

  it('lists losses and wins with the stream faults and fits a phone', async () => {
    const { page } = await open(html);
    expect(await page.locator('h2:text-is("Losses and wins") + table').locator('td').allTextContents()).toEqual([
      '00:01.5',
      'player <b>dies</b>',
      expect.any(String),
      '00:04.0',
      'player kills opponent',
      expect.stringMatching(/freeze of 400 ms, \d\.\d s before|^$/),
    ]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  it('shows frame times to zoom into', async () => {
    const { page, complaints } = await open(html);
    // Seconds that the time axis shows, from the marks at the pointer on its ends.
    const shown = async (): Promise<number> => {
      const box = (await page.locator('#frame-times .u-over').boundingBox())!;
      const at = async (share: number): Promise<number> => {
        await page.mouse.move(box.x + share * box.width, box.y + 20);
        const text = (await page.locator('#frame-times .u-legend .u-value').first().textContent())!;
        return Number(text.split(':')[1]);
      };
      return (await at(0.99)) - (await at(0.01));
    };
    expect(await page.locator('#frame-histogram canvas').count()).toBe(1);
    const whole = await shown();
    expect(whole).toBeGreaterThan(5);
    const strip = (await page.locator('#frame-overview .u-over').boundingBox())!;
    await page.mouse.move(strip.x + 0.25 * strip.width, strip.y + 10);
    await page.mouse.down();
    await page.mouse.move(strip.x + 0.5 * strip.width, strip.y + 10, { steps: 4 });
    await page.mouse.up();
    expect(await shown()).toBeCloseTo(whole / 4, 0);
    await page.locator('#frame-overview .u-over').dblclick();
    expect(await shown()).toBeCloseTo(whole, 1);
    expect(complaints).toEqual([]);
  });

  it.each([390, 1400, 2560])('flows at a width of %s px in both themes', async (width) => {
    const { page, complaints } = await open(html);
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    expect(complaints).toEqual([]);
  });

  it('shows the values at the pointer', async () => {
    const { page } = await open(html);
    await page.locator('#charts svg').first().scrollIntoViewIfNeeded();
    const box = (await page.locator('#charts svg').first().boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    // The browser may hand the movement to the page with the next picture only.
    await page.waitForFunction(() => document.querySelector('#read')?.textContent?.startsWith('0:02.'));
    expect(await page.textContent('#read')).toMatch(
      /^0:02\.\d {2}quality [\d.]+ \(least [\d.]+\) · capture delta \d+ ms/,
    );
    expect(
      await page
        .locator('.cursor')
        .first()
        .evaluate((line) => line.style.visibility),
    ).toBe('visible');
  });

  it('lists missing figures and works without frames', async () => {
    const [log] = await analyzeFiles([sample('obs.txt')]);
    const { page, complaints } = await open(sessionReport(log!));
    expect(await page.textContent('body')).toContain('no stack latency: the log has no frame times');
    expect(complaints).toEqual([]);
  });
});

it('the report of many sessions shows distributions, every session and the worst minutes', async () => {
  const paths = [1, 2, 3, 4].map((seed) => {
    const path = join(folder, `session-${seed}.ndjson`);
    const info = { fps: 60, width: 1920, height: 1080, targetBitrate: seed > 2 ? 2e7 : 2e6 };
    const frames = [...randomSession(4000, seed)].map((record) => ({ ...record, targetBitrate: undefined }));
    writeFileSync(path, [info, ...frames].map((line) => JSON.stringify(line)).join('\n'));
    return path;
  });
  const views = await analyzeFiles(paths);
  const { page, complaints } = await open(
    sessionsReport(views.map((view, i) => ({ ...view, group: i < 2 ? 'before' : 'after' }))),
  );
  expect(await page.locator('circle.dot').count()).toBe(4);
  expect(await page.locator('rect.box').count()).toBe(2);
  expect(await page.textContent('body')).toMatch(/Median after − before: \+[\d.]+.*in 100 % of the pairs/);
  // Worst first: the order of the unclamped figure.
  const order = views.toSorted((a, b) => a.scored.quality.raw! - b.scored.quality.raw!).map((view) => view.scored.name);
  expect(await page.locator('h2:text-is("Sessions, worst first") + table tr td:first-child').allTextContents()).toEqual(
    order,
  );
  expect(complaints).toEqual([]);
  expect(readFileSync(join(folder, 'page.html'), 'utf8')).not.toMatch(/https?:\/\//);
});
