import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '../fixtures/browser.ts';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { loadDictionary } from '../../src/dictionary/load.ts';
import { dictionaryPage } from '../../src/dictionary/page/page.ts';

const folder = mkdtempSync(join(tmpdir(), 'dictionary-page-'));
const { dictionary } = await loadBuiltin(['freedoom', 'openarena']);
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** Opens a page; everything that it complains about or tries to fetch is collected. */
async function open(html: string, hash = ''): Promise<{ page: Page; complaints: string[] }> {
  const path = join(folder, 'page.html');
  writeFileSync(path, html);
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) complaints.push(request.url());
  });
  await page.goto(`${pathToFileURL(path).href}${hash}`);
  return { page, complaints };
}

describe('the page of a dictionary', () => {
  const html = dictionaryPage(dictionary, new Map([['railgun', ['somegame']]]));

  it('shows a word with its ancestors, definition, example, pattern and games, without network requests', async () => {
    const { page, complaints } = await open(html, '#action/kill');
    expect(await page.textContent('h2')).toContain('kill');
    expect(await page.locator('.crumbs a').allTextContents()).toEqual(['happen', 'affect', 'harm', 'defeat']);
    expect(await page.textContent('blockquote')).toBe('player kills opponent');
    expect(await page.textContent('main')).toContain('required, character');
    expect(await page.textContent('main')).toContain('openarena');
    expect(complaints).toEqual([]);
  });

  it('navigates the tree and to words by clicks', async () => {
    const { page } = await open(html);
    await page.click('button[aria-label="kinds of item"]');
    await page.click('button[aria-label="kinds of weapon"]');
    await page.click('nav a:text-is("melee weapon")');
    // A click returns before the page has drawn the word that it leads to.
    await page.waitForSelector('h2:has-text("melee weapon")');
    expect(await page.textContent('.definition')).toBe(dictionary.find('melee weapon', 'object')!.definition);
    await page.click('main a:text-is("blade")');
    await page.waitForSelector('h2:has-text("blade")');
    expect(new URL(page.url()).hash).toBe('#object/blade');
    expect(await page.locator('nav [aria-current]').allTextContents()).toEqual(['blade']);
  });

  it('finds words by name, synonym and definition, best match first, and none for nonsense', async () => {
    const { page } = await open(html);
    await page.keyboard.press('/');
    await page.keyboard.type('frag');
    await page.waitForSelector('.result');
    expect(await page.locator('.result a').first().textContent()).toBe('kill');
    await page.fill('input', 'zzzz');
    expect(await page.textContent('[role=status]')).toBe('0 words for “zzzz”');
  });

  it('shows only the words of the chosen game', async () => {
    const { page } = await open(html);
    await page.selectOption('select', 'freedoom');
    await page.fill('input', 'megasphere');
    expect(await page.locator('.result').count()).toBe(1);
    await page.selectOption('select', 'openarena');
    expect(await page.locator('.result').count()).toBe(0);
  });

  it('shows HTML in a definition as text', async () => {
    const hostile = {
      format: 'playbyplay/dictionary/1',
      name: 'common',
      version: '1.0.0',
      objects: [{ name: 'thing', definition: '</script><img src=x onerror=alert(1)>' }],
    };
    const loaded = loadDictionary([{ file: 'hostile', data: hostile }]);
    const { page, complaints } = await open(dictionaryPage(loaded.dictionary), '#object/thing');
    expect(await page.textContent('.definition')).toBe('</script><img src=x onerror=alert(1)>');
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
