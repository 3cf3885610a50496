// Pictures of every screen at three sizes and in both themes, each inspected by axe-core.
//   node bench/studio/screens.ts <folder with recordings and logs> <folder for the pictures> [--only review]
// Exit code 1 where axe-core finds something, a page is wider than its window, or complains.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../test/fixtures/browser.ts';
import { locatePages } from '../../src/studio/pages.ts';
import { startStudio } from '../../src/studio/server/studio-server.ts';
import { Workspace } from '../../src/studio/workspace.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, sizes: { type: 'string', default: '1280,1920,2560' } },
});
const [folder = '.', out = 'screens'] = positionals;
mkdirSync(out, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HEIGHTS: Readonly<Record<string, number>> = { '900': 1000, '1280': 800, '1920': 1080, '2560': 1440 };

const workspace = await Workspace.open([folder]);
const { recordings, packs } = await workspace.list();
const [first, second] = recordings.filter(({ log }) => log !== undefined);
const without = recordings.find(({ log }) => log === undefined) ?? first;
if (!first) throw new Error(`there is no recording with a log in ${folder}`);
const pack = packs[0] && { pack: packs[0].path, game: packs[0].game };

/** A screen: its address, and what is done there before the picture. */
interface Screen {
  readonly name: string;
  readonly page: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly act?: (page: Page) => Promise<void>;
}

const inRecording = { recording: first.path };
const screens: readonly Screen[] = [
  { name: 'recordings', page: 'recordings', parameters: {} },
  {
    name: 'review',
    page: 'review',
    parameters: inRecording,
    act: async (page) => {
      await page.locator('[role=option]').nth(3).click();
    },
  },
  {
    name: 'question',
    page: 'review',
    parameters: inRecording,
    act: async (page) => {
      await page.locator('#question').fill('count kills by weapon');
      await page.locator('#question-reading').locator('.answers, .not-understood, .suggestions').first().waitFor();
    },
  },
  {
    name: 'change',
    page: 'review',
    parameters: inRecording,
    act: async (page) => {
      await page.locator('[role=option]').nth(3).click();
      await page.locator('[role=option][aria-selected=true]').waitFor();
      await page.keyboard.press('e');
      await page.getByLabel('Sentence').fill('player kills opponent with shotgn');
      await page.locator('.sentence-check p').waitFor();
    },
  },
  { name: 'no-log', page: 'review', parameters: { recording: without!.path } },
  {
    name: 'cut',
    page: 'cut',
    parameters: inRecording,
    act: async (page) => {
      if ((await page.locator('.scene-card').count()) === 0)
        await page.getByRole('button', { name: 'Choose scenes' }).click();
      await page.locator('.scene-picture').first().click();
    },
  },
  {
    name: 'compare',
    page: 'compare',
    parameters: {
      ...inRecording,
      other: (recordings.find(({ path }) => path.includes('stream')) ?? second ?? first).path,
    },
  },
  { name: 'nothing', page: 'review', parameters: {} },
  { name: 'author', page: 'author', parameters: { ...inRecording, ...pack } },
  { name: 'rules', page: 'rules', parameters: { ...inRecording, ...pack } },
  { name: 'test', page: 'test', parameters: { ...inRecording, ...pack } },
];

await using studio = await startStudio({ workspace, pages: await locatePages() });
const browser = await launchBrowser();
let findings = 0;
const report = (screen: string, problem: string): void => {
  findings++;
  console.log(`${screen}: ${problem}`);
};
try {
  const context = await browser.newContext();
  const opening = await context.newPage();
  await opening.goto(studio.createLink());
  for (const { name, page: pageName, parameters, act } of screens) {
    if (options.only !== undefined && !options.only.split(',').includes(name)) continue;
    for (const width of options.sizes.split(','))
      for (const colorScheme of ['light', 'dark'] as const) {
        const title = `${name}-${width}-${colorScheme}`;
        const page = await context.newPage();
        page.on('pageerror', (error) => report(title, error.message));
        page.on('console', (message) => {
          if (message.type() === 'error') report(title, message.text());
        });
        await page.setViewportSize({ width: Number(width), height: HEIGHTS[width] ?? 900 });
        await page.emulateMedia({ colorScheme });
        await page.goto(`${studio.address}#/${pageName}?${new URLSearchParams(parameters).toString()}`);
        await page.waitForLoadState('networkidle');
        await act?.(page);
        await page.waitForLoadState('networkidle');
        await page.waitForTimeout(600);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > Number(width)) report(title, `${wide} px wide`);
        for (const finding of await inspect(page)) report(title, finding);
        await page.screenshot({ path: join(out, `${title}.png`) });
        await page.close();
      }
  }
} finally {
  await browser.close();
}
console.log(`${findings} findings`);
process.exitCode = findings > 0 ? 1 : 0;

async function inspect(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return await page.evaluate(async () => {
    const { axe: engine } = globalThis as unknown as {
      axe: { run: (o: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await engine.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 140)}`));
  });
}
