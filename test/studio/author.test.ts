import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAINTED, writePaintedClip } from '../fixtures/painted-clip.ts';
import { inspect, StudioBrowser } from '../fixtures/studio.ts';

let browser: StudioBrowser;

/** What the counter of the clip shows, a second and a half each. */
const SHOWN = ['12', '15', '9', '40'];
const SECONDS_EACH = 1.5;
/** Where it is drawn. */
const COUNTER = { x: 20, y: 20, width: 64, height: 36 };

beforeAll(async () => {
  browser = await StudioBrowser.open();
  const pictures = await Promise.all(SHOWN.map((text) => drawText(text)));
  await writePaintedClip(join(browser.folder, 'counter.mp4'), SHOWN.length * SECONDS_EACH, (luma, n) => {
    const picture = pictures[Math.floor(n / PAINTED.rate / SECONDS_EACH)]!;
    for (let row = 0; row < COUNTER.height; row++)
      luma.set(
        picture.subarray(row * COUNTER.width, (row + 1) * COUNTER.width),
        (COUNTER.y + row) * PAINTED.width + COUNTER.x,
      );
  });
});
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
});

/** White figures on the clip's grey. */
async function drawText(text: string): Promise<Buffer> {
  const { width, height } = COUNTER;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#3c3c3c"/><text x="4" y="28" font-size="28" font-family="sans-serif" font-weight="bold" fill="#fff">${text}</text></svg>`;
  return await sharp(Buffer.from(svg)).grayscale().raw().toBuffer();
}

describe('an author in the studio', () => {
  it('draws a box, says what it means, tests the game and exports it', async () => {
    const page = await browser.show('#/author?recording=matches%2Fcounter.mp4');
    // Only against a page that hangs.
    page.setDefaultTimeout(200_000);
    await page.getByRole('textbox', { name: 'Name of the game' }).fill('Count');
    await page.getByRole('button', { name: 'Start without elements' }).click();
    const canvas = page.locator('.frame-view canvas[data-exact="true"]');
    await canvas.waitFor();
    await page.keyboard.press('d');
    await page.locator('.hud-draw').waitFor();
    const picture = (await canvas.boundingBox())!;
    const scale = picture.width / PAINTED.width;
    await page.mouse.move(picture.x + (COUNTER.x - 4) * scale, picture.y + (COUNTER.y - 2) * scale);
    await page.mouse.down();
    await page.mouse.move(
      picture.x + (COUNTER.x + COUNTER.width) * scale,
      picture.y + (COUNTER.y + COUNTER.height) * scale,
      { steps: 3 },
    );
    await page.mouse.up();
    await page.locator('.new-element .reading-value strong', { hasText: '12' }).waitFor();
    await page.keyboard.type('count');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Kind' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Form (pattern)' }).inputValue()).toMatch(/\\d/);
    expect(await inspect(page)).toEqual([]);

    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No rules yet').waitFor();
    const sentence = page.getByRole('combobox', { name: 'Say' });
    await sentence.fill("player's sc");
    await page.getByRole('option', { name: /^score/ }).click();
    await sentence.pressSequentially('changes from 12 to 15');
    await page.getByText("player's score rises from 12 to 15").waitFor();
    expect(await inspect(page)).toEqual([]);
    await sentence.press('Enter');
    await page.locator('.rule-list').waitFor();
    // Keys of the page do nothing in the editor.
    await page.locator('summary', { hasText: 'Script' }).click();
    await page.locator('.cm-content').click();
    await page.keyboard.type('1 ?? 2');
    expect(await page.locator('.cm-content').textContent()).toBe('1 ?? 2');

    await page.getByRole('link', { name: 'Test' }).click();
    await page.getByRole('button', { name: 'Take over the events found' }).click();
    const marks = page.locator('.mark-list').first().getByRole('listitem');
    await marks.nth(2).waitFor();
    // The figures change at 1.5, 3 and 4.5 s.
    expect((await marks.allTextContents()).map((text) => text.replace('×', '').trim())).toEqual([
      expect.stringMatching(/^0:01\.[5-9] player's score rises from 12 to 15/),
      expect.stringMatching(/^0:03\.[0-4] player's score drops from 15 to 9/),
      expect.stringMatching(/^0:04\.[5-9] player's score rises from 9 to 40/),
    ]);
    await page.getByRole('button', { name: 'Run the tests' }).click();
    await page.getByText('precision 100 % · recall 100 %').waitFor();
    expect(await inspect(page)).toEqual([]);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByText(/→ matches\/exports\/count\.zip/).waitFor();

    const profile = JSON.parse(
      await readFile(join(browser.folder, 'count', 'configs', 'count', 'profile.json'), 'utf8'),
    ) as { readonly events: readonly unknown[] };
    expect(profile.events).toEqual([
      {
        on: { detector: 'count', trigger: 'changed' },
        statement: { subject: 'player', property: 'score', from: '$previous', to: '$value' },
      },
    ]);
    await page.locator('.author-bar button[title^="Undo"]').click();
    await page.getByText('Nothing is marked in this recording').waitFor();
    expect(browser.complaints).toEqual([]);
    await page.close();
  });
});
