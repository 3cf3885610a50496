import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from './fixtures/browser.ts';
import { createRandom, EVEN_PLAYER, simulateSession } from './fixtures/simulated-players.ts';
import { loadBuiltin } from '../src/dictionary/files.ts';
import type { EventLine } from '../src/events/log.ts';
import type { Statement } from '../src/events/statement.ts';
import { compileQuery, runQuery } from '../src/query/run.ts';
import { renderSeasonPage } from '../src/season/page.ts';
import { reportSeason } from '../src/season/season.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-season-page-'));
const path = join(folder, 'season.html');
/** A name that would be markup if names were not data. */
const HOSTILE = '<img src=x onerror=alert(1)>';
let browser: Browser;
let page: Page;
const complaints: string[] = [];
let axe: string;

beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const { dictionary } = await loadBuiltin(['openarena']);
  const random = createRandom(3);
  const names = ['match 1', 'match 2', HOSTILE];
  const player = { ...EVEN_PLAYER, lowHealth: 4 };
  const events = names.flatMap((session, i) =>
    simulateSession(player, i, 300, random).map(
      ({ t, statement }): EventLine => ({
        type: 'event',
        id: '',
        t,
        end: t,
        game: 'openarena',
        session,
        text: '',
        statement: JSON.parse(JSON.stringify(statement).replaceAll('Sarge', HOSTILE)) as Statement,
        confidence: 1,
        cues: [],
      }),
    ),
  );
  const durations = new Map(names.map((name) => [name, 300]));
  const source = {
    dictionary,
    sessions: names.map((session) => ({ session, name: session, game: 'openarena', duration: 300 })),
    ask: async (query: Parameters<typeof compileQuery>[0]) =>
      runQuery(compileQuery(query, dictionary), events, { durations }),
  };
  const html = renderSeasonPage({
    ...(await reportSeason(source)),
    title: 'OpenArena',
    scope: '3 sessions',
    linkTo: ({ session, t }) => ({
      href: session === HOSTILE ? undefined : `match.mp4#t=${t}`,
      label: `${session} ${t}`,
    }),
  });
  writeFileSync(path, html);
  browser = await launchBrowser();
  // The check is a script of the test's own, which the page's policy would refuse.
  page = await browser.newPage({ bypassCSP: true });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(path).href) complaints.push(request.url());
  });
  await page.goto(pathToFileURL(path).href);
  await page.evaluate(axe);
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the page of a season', () => {
  it.each([
    [390, 'light'],
    [1280, 'dark'],
    [2560, 'light'],
  ] as const)('is accessible, fits and loads nothing, %i pixels wide and %s', async (width, scheme) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    const violations = await page.evaluate(async () => {
      const { run } = (
        globalThis as unknown as {
          axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        }
      ).axe;
      const found = await run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] });
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)}`);
    });
    expect(violations).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(complaints).toEqual([]);
  });

  it('shows charts with their numbers, and names as they are', async () => {
    const charts = await page.locator('figure svg[role=img]').count();
    expect(charts).toBeGreaterThan(8);
    expect(await page.locator('figure details table').count()).toBe(charts);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(0);
    expect(await page.getByText(HOSTILE).count()).toBeGreaterThan(0);
    expect(await page.locator('a.moment').first().getAttribute('href')).toMatch(/^match\.mp4#t=[\d.]+$/);
  });
});
