// The documentation site in a browser. `npm run docs` builds it; without a build there is nothing to test.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from './fixtures/browser.ts';
import { root } from './paths.ts';

const site = join(root, 'docs', '.vitepress', 'dist');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
};

if (!existsSync(site)) console.warn('Skipped: the documentation site is not built; run npm run docs first.');

describe.runIf(existsSync(site))('the documentation site', () => {
  let server: Server;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://site');
      const path = join(site, decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
      readFile(path).then(
        (body) => response.setHeader('content-type', TYPES[extname(path)] ?? 'application/octet-stream').end(body),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1400, 'light'],
    [2560, 'dark'],
  ] as const)('fits a screen of %i pixels in the %s theme without errors or outside requests', async (width, theme) => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: theme });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('response', (response) => response.ok() || problems.push(`${response.status()} ${response.url()}`));
    page.on('request', (request) => request.url().startsWith(origin) || problems.push(request.url()));
    for (const path of ['/', '/games/how-to.html', '/reference/profile.html']) {
      await page.goto(origin + path);
      expect(await page.locator('h1').count()).toBe(1);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
    expect(problems).toEqual([]);
  });

  it('finds pages by their words', async () => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto(origin);
    await page.click('#local-search button');
    await page.fill('#localsearch-input', 'webcam');
    await page.locator('#localsearch-list a').first().waitFor();
    expect(await page.locator('#localsearch-list').textContent()).toContain('webcam');
  });
});
