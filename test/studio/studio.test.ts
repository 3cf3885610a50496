import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { smallClip } from '../paths.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openJournal } from '../../src/events/journal.ts';
import { readChapters } from '../../src/media/container/chapters.ts';
import { openVideo } from '../../src/media/video.ts';
import { remux } from '../fixtures/remux.ts';
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

const seen = (value: string | number) => ({ state: 'seen', value, confidence: 0.99 });

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
    // Keys that come faster than pictures: each counts from where the one before it leads.
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await shows(page, 3);
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

  it('writes a reel with its progress, and exports its scenes to editing programs', async () => {
    const page = await browser.show(`#/cut?recording=${encodeURIComponent(`matches/${HOSTILE_NAME}.mp4`)}`);
    await page.locator(`${canvas}[data-exact="true"]`).waitFor();
    await page.getByRole('button', { name: /Add a scene here/ }).click();
    await page.locator('.scene-card').getByLabel('Caption').fill('A & <b>');
    await page.getByRole('textbox', { name: /^File/ }).fill('short.mp4');
    // What the page asks for while the reel is written.
    const asked = page.waitForResponse((response) => response.url().includes('/api/job?'));
    await page.getByRole('button', { name: 'Write the reel' }).click();
    expect(await (await asked).json()).toMatchObject({ name: 'short.mp4', path: 'matches/short.mp4' });
    await page.getByText('Written: matches/short.mp4').waitFor();
    using reel = openVideo(join(browser.folder, 'short.mp4'));
    // A scene at the beginning ends 3 s later.
    expect(reel.info.duration).toBeCloseTo(3, 1);
    expect(await readChapters(reel.path)).toEqual([{ t: 0, title: 'A & <b>' }]);
    const download = page.waitForEvent('download');
    await page.getByRole('combobox', { name: /Export for/ }).selectOption('edl');
    const file = await download;
    expect(file.suggestedFilename()).toBe('short.edl');
    const lines = (await readFile(await file.path(), 'utf8')).split(/\r?\n/);
    // CMX 3600: reel and record times of an event.
    expect(lines.filter((line) => /^\d{3} .* C .*\d\d:\d\d:\d\d:\d\d$/.test(line)).length).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Take the scene out' }).click();
    const cut = join(browser.folder, `${HOSTILE_NAME}.playbyplay`, 'cut.json');
    await expect.poll(async () => JSON.parse(await readFile(cut, 'utf8')) as unknown).toMatchObject({ scenes: [] });
    await page.close();
  });

  it('shows two recordings on one clock: that of their sound, or the moment that a person names', async () => {
    remux(smallClip, join(browser.folder, 'copy.mkv'), 'matroska', { seconds: 20 });
    const page = await browser.show('#/compare?recording=matches%2Fmatch.mp4&other=matches%2Fcopy.mkv');
    await page.getByText(/By their sound, the second begins at −?0:00\.0\d\d of the first/).waitFor();
    const views = page.locator(`${canvas}[data-exact="true"]`);
    const time = page.getByRole('textbox', { name: /Go to a time/ });
    await time.fill('#350');
    await time.press('Enter');
    await views.nth(0).and(page.locator('[data-frame="350"]')).waitFor();
    // Sound gives the clocks to a few milliseconds.
    await expect
      .poll(async () => Number(await views.nth(1).getAttribute('data-frame')))
      .toSatisfy((frame: number) => Math.abs(frame - 350) <= 1);
    // On the timeline of the second, too, both are moved.
    await page
      .locator('.timeline-ruler .timeline-track')
      .nth(1)
      .click({ position: { x: 100, y: 8 } });
    await expect.poll(async () => Number(await views.nth(0).getAttribute('data-frame'))).toBeLessThan(300);
    await expect
      .poll(async () =>
        Math.abs(
          Number(await views.nth(1).getAttribute('data-frame')) - Number(await views.nth(0).getAttribute('data-frame')),
        ),
      )
      .toBeLessThanOrEqual(1);
    // The test pattern has no sound, and two frames a second; the other has 35.
    await page.getByRole('combobox', { name: 'with' }).selectOption(`matches/${HOSTILE_NAME}.mp4`);
    await page.getByText(/They could not be aligned by their sound/).waitFor();
    await page.getByRole('button', { name: 'Move both together' }).click();
    await page.getByRole('button', { name: 'Second: one frame on' }).click();
    await views.nth(1).and(page.locator('[data-frame="1"]')).waitFor();
    await time.fill('#70');
    await time.press('Enter');
    await views.nth(0).and(page.locator('[data-frame="70"]')).waitFor();
    await page.getByRole('button', { name: 'This is the same moment' }).click();
    await page.getByText('The second begins at 0:01.500 of the first, as you set it.').waitFor();
    await time.fill('#105');
    await time.press('Enter');
    // A second later in both.
    await views.nth(1).and(page.locator('[data-frame="3"]')).waitFor();
    await page.close();
  });

  it('steps by what is read, and shows where it could not be', async () => {
    const names = ['health', 'weapon'];
    const journal = join(browser.folder, 'match.playbyplay', 'readings.journal');
    {
      await using writing = await openJournal(journal, { detectors: JSON.stringify(names) });
      // Every tenth of a second: 87, then for a second unreadable, then 62.
      const health = [...Array(20).fill(0), ...Array(10).fill(1), ...Array(20).fill(2)] as number[];
      await writing.append('0', {
        t: health.map((_, i) => i / 10),
        observations: [seen(87), { state: 'unreadable', confidence: 0.2 }, seen(62), seen('shotgun'), seen('fist')],
        seen: health.map((number, i) => [number, i < 40 ? 3 : 4]),
        gaps: [],
      });
    }
    const page = await browser.show(REVIEW);
    const field = page.getByRole('button', { name: /^health/ });
    await field.waitFor();
    await page.locator(`${canvas}[data-exact="true"]`).waitFor();
    await page.keyboard.press('.');
    await page.getByText('health: 87 → 62').waitFor();
    // 3.0 s at 35 frames a second.
    await shows(page, 105);
    await page.keyboard.press('.');
    await page.getByText('weapon: shotgun → fist').waitFor();
    await shows(page, 140);
    await field.click();
    await page.keyboard.press('.');
    await page.getByText('No further change of health').waitFor();
    await page.keyboard.press(',');
    await shows(page, 105);
    await page.keyboard.press('Shift+ArrowLeft');
    await page.getByRole('button', { name: 'health not readable' }).waitFor();
    expect(await field.getAttribute('aria-pressed')).toBe('true');
    expect(await inspect(page)).toEqual([]);
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
