import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_NAME, inspect, StudioBrowser } from '../fixtures/studio.ts';

let browser: StudioBrowser;

beforeAll(async () => {
  browser = await StudioBrowser.open();
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
});

const REVIEW = '#/review?recording=matches%2Fmatch.mp4';
const canvas = '.frame-view canvas';

/** Waits until the exact frame of a number is shown. */
async function shows(page: Page, frame: number): Promise<void> {
  await page.locator(`${canvas}[data-frame="${frame}"][data-exact="true"]`).waitFor();
}

async function corrections(): Promise<readonly object[]> {
  const text = await readFile(join(browser.folder, 'match.playbyplay', 'corrections.ndjson'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as object);
}

describe('the studio', () => {
  it('opens a recording and goes through it by frames, samples and times', async () => {
    const page = await browser.show('#/recordings');
    await page.getByRole('link', { name: /match\.mp4/ }).click();
    await shows(page, 0);
    for (const [key, frame] of [
      ['ArrowRight', 1],
      ['ArrowRight', 2],
      ['ArrowLeft', 1],
      // The clip has 35 frames a second, its log a sample each 0.1 s: the frame at 0.1 s is number 3.
      ['Shift+ArrowRight', 3],
      ['Shift+ArrowRight', 7],
      ['End', 1469],
      ['ArrowLeft', 1468],
    ] as const) {
      await page.keyboard.press(key);
      await shows(page, frame);
    }
    const time = page.getByRole('textbox', { name: /Go to a time/ });
    await time.fill('0:10');
    await time.press('Enter');
    await shows(page, 350);
    await time.fill('#700');
    await time.press('Enter');
    await shows(page, 700);
    expect(await page.locator(canvas).getAttribute('aria-label')).toBe('Frame at 0:20.000');
    await page.close();
  });

  it('filters events by a question, corrects them by keys, and undoes that', async () => {
    const page = await browser.show(REVIEW);
    await page.locator('[role=option]', { hasText: 'level begins' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('player obtains shotgun');
    await page.getByText('2 of 63 events').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown');
    await page.locator('[aria-selected=true]', { hasText: '0:02.7player obtains shotgun' }).waitFor();
    await page.keyboard.press('a');
    // The next key is about the next event, however fast it comes.
    await page.keyboard.press('x');
    await page.getByText('1 of 63 events').waitFor();
    await page.locator('.tag', { hasText: 'approved' }).waitFor();
    const said = (await corrections()).slice(1) as readonly { readonly type: string; readonly id: string }[];
    expect(said.map(({ type }) => type)).toEqual(['approve', 'delete']);
    expect(said[0]!.id).not.toBe(said[1]!.id);
    await page.locator('[role=option]').first().click();
    await page.keyboard.press('e');
    await page.getByLabel('Sentence').fill('player obtains chainsaw');
    await page.getByText('The log will say: player obtains chainsaw').waitFor();
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await corrections()).at(-1))
      .toMatchObject({
        type: 'change',
        event: {
          text: 'player obtains chainsaw',
          statement: { subject: 'player', action: 'obtain', object: 'chainsaw' },
        },
      });
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    for (let undone = 0; undone < 3; undone++) {
      await page.keyboard.press('Control+z');
      await expect.poll(async () => (await corrections()).length).toBe([3, 2, 0][undone]);
    }
    await page.keyboard.press('/');
    await page.locator('#question').fill('player obtanis zzz');
    await page.locator('.not-understood mark').waitFor();
    await page.close();
  });

  it('notices that another program has changed the corrections', async () => {
    const page = await browser.show(REVIEW);
    await page.locator('[role=option]', { hasText: 'level begins' }).click();
    await page.keyboard.press('a');
    await page.locator('.tag', { hasText: 'approved' }).waitFor();
    const path = join(browser.folder, 'match.playbyplay', 'corrections.ndjson');
    const [header] = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, `${header}\n`);
    await page.keyboard.press('Control+z');
    await page.getByText('was changed by another program').waitFor();
    expect(await readFile(path, 'utf8')).toBe(`${header}\n`);
    await page.close();
  });

  it('cuts a reel: scenes are added, trimmed by frames, ordered and stored as the command line reads them', async () => {
    const page = await browser.show('#/cut?recording=matches%2Fmatch.mp4');
    await shows(page, 0);
    await page.getByText('The reel has no scenes').waitFor();
    for (const t of ['10', '20']) {
      const time = page.getByRole('textbox', { name: /Go to a time/ });
      await time.fill(t);
      await time.press('Enter');
      await shows(page, Number(t) * 35);
      await page.getByRole('button', { name: /Add a scene here/ }).click();
    }
    await page.getByRole('button', { name: 'Start: One frame later' }).click();
    await page.keyboard.press('Alt+ArrowUp');
    const path = join(browser.folder, 'match.playbyplay', 'cut.json');
    const stored = async () => JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as unknown;
    await expect.poll(stored).toMatchObject({
      format: 'playbyplay/highlights/1',
      // 3 s before and after; a frame of 1/35 s later.
      scenes: [
        { start: expect.closeTo(17 + 1 / 35, 5), end: 23, at: 0 },
        { start: 7, end: 13, at: expect.closeTo(6 - 1 / 35, 5) },
      ],
    });
    await page.reload();
    await page.locator('.scene-card').nth(1).waitFor();
    await page.close();
  });

  // bench/studio/screens.ts looks at every page.
  it.each([
    ['#/recordings', 'h1', 'dark'],
    [REVIEW, '[role=option]', 'light'],
  ] as const)('can be used by everybody: %s', async (hash, ready, colorScheme) => {
    const page = await browser.show(hash);
    await page.emulateMedia({ colorScheme });
    await page.locator(ready).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
    expect(await inspect(page)).toEqual([]);
    await page.close();
  });

  it('shows markup in names of files, players, games and gaps as text', async () => {
    const page = await browser.show('#/recordings');
    await page.getByRole('link', { name: HOSTILE_NAME }).click();
    await page.getByText(`opponent ${HOSTILE_NAME} kills player`).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(HOSTILE_NAME);
    await page.locator('.not-understood').waitFor();
    await page.getByRole('link', { name: 'Cut' }).click();
    await page.getByText('The reel has no scenes').waitFor();
    expect(await page.evaluate(() => [document.querySelectorAll('img[src=x]').length, 'hacked' in globalThis])).toEqual(
      [0, false],
    );
    await page.close();
  });

  it('complains about nothing and asks nobody else', () => {
    expect(browser.complaints.filter((text) => !text.includes('409') && !text.includes('status of 4'))).toEqual([]);
  });
});
