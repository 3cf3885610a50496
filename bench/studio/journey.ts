// The whole way of an author in the browser: a recording of an unknown game → its HUD found → boxes drawn → a font learnt from typed
// crops → rules → a test on a second recording → export → `detect` on the command line gives the same log. Games are of the forge.
//   node bench/studio/journey.ts <game folder>… [--pictures <folder>] [--keep <folder>] [--json <file>]
// --keep: where the folders in which the author worked are left, each with the log of the command line.
// A click, a key that does something and a field that is typed each count as an interaction; the time of a game is that of the machine
// plus a second for each.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../test/fixtures/browser.ts';
import { startStudio } from '../../src/studio/server/studio-server.ts';
import { Workspace } from '../../src/studio/workspace.ts';
import { updatePages } from '../../tools/studio.ts';
import { compareEvents } from '../forge/compare.ts';
import { readTruth, type Truth } from '../forge/truth.ts';

const program = join(import.meta.dirname, '../../src/cli/launch.js');
const { values: options, positionals: games } = parseArgs({
  allowPositionals: true,
  options: { pictures: { type: 'string' }, keep: { type: 'string' }, json: { type: 'string' } },
});
/** Elements that an author draws, and kinds of which a label is typed. */
const DRAWN = 3;
const FIGURES: ReadonlySet<string> = new Set(['counter', 'fraction', 'percentage']);
const MAX_LABELS = 10;
/** Properties that the two rules use: the author's names do not matter for what is judged. */
const PROPERTIES = ['score', 'level'] as const;
/** Seconds by which an event may be early or late, as the forge's judge has it. */
const [EARLY, LATE] = [1, 2.5];
const LONG = { timeout: 900_000 };

/** How events compare with the truth. */
interface Tally {
  readonly expected: number;
  readonly found: number;
  readonly reported: number;
  readonly right: number;
}

/** What a journey came to. */
interface Journey {
  readonly game: string;
  readonly interactions: number;
  readonly machineSeconds: number;
  readonly minutes: number;
  readonly boxToReadingMs: number;
  /** Every single change of the ruled elements. */
  readonly changes: Tally;
  /** As the forge judges: changes in quick succession are one, those of elements that change all the time do not count. */
  readonly events: Tally;
  /** The log of the command line has the same events as the studio. */
  readonly isSameLog: boolean;
  /** Seconds since the beginning at the end of each step. */
  readonly steps: readonly string[];
  readonly notes: readonly string[];
}

/** Counts what a person does. */
class Hand {
  interactions = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(selector: string): Promise<void> {
    this.interactions++;
    await this.page.click(selector);
  }

  async key(key: string): Promise<void> {
    this.interactions++;
    await this.page.keyboard.press(key);
  }

  async type(selector: string, text: string): Promise<void> {
    this.interactions++;
    await this.page.fill(selector, text);
  }

  async choose(selector: string, value: string): Promise<void> {
    this.interactions++;
    await this.page.selectOption(selector, value);
  }
}

const pages = await updatePages();
const journeys: Journey[] = [];
for (const folder of games) {
  const journey = await travel(folder);
  journeys.push(journey);
  process.stdout.write(`${JSON.stringify(journey)}\n`);
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(journeys, undefined, 2)}\n`);
process.stdout.write(table(journeys));

async function travel(folder: string): Promise<Journey> {
  const game = basename(folder);
  const work = mkdtempSync(join(tmpdir(), 'playbyplay-journey-'));
  const space = join(work, 'games');
  mkdirSync(space);
  for (const name of ['learn.mp4', 'judge.mp4']) cpSync(join(folder, name), join(space, name));
  const [learn, judge] = [readTruth(join(folder, 'learn.ndjson')), readTruth(join(folder, 'judge.ndjson'))];
  const notes: string[] = [];
  await using studio = await startStudio({ workspace: await Workspace.open([space]), pages });
  // A browser for each game: the packaged one ends with its first context.
  await using browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'dark' });
  const page = await context.newPage();
  // Only against a page that hangs: a busy machine is slow.
  page.setDefaultTimeout(LONG.timeout);
  page.on('pageerror', (error) => notes.push(`page: ${error.message}`));
  const hand = new Hand(page);
  const picture = async (name: string): Promise<void> => {
    if (options.pictures !== undefined) await page.screenshot({ path: join(options.pictures, `${game}-${name}.png`) });
  };
  const started = performance.now();
  const steps: string[] = [];
  const step = (name: string): void => {
    steps.push(`${name} ${Math.round((performance.now() - started) / 1000)} s`);
    process.stderr.write(`${game}: ${steps.at(-1)}\n`);
  };
  await page.goto(studio.createLink());
  await page.goto(`${studio.address}#/author?recording=games/learn.mp4`);

  // 1. The HUD is found.
  await page.waitForSelector('#new-game');
  await hand.type('#new-game', 'Forged');
  await picture('1-start');
  await hand.click('button.primary');
  await page.waitForSelector('.element-list, .empty-state', LONG);
  await page.waitForSelector('.frame-view canvas[data-exact=true]', LONG);
  await picture('2-draft');

  step('draft');

  // 2. Elements that are right are accepted; three are drawn, by the boxes of the truth.
  if ((await page.locator('#accept-all:enabled').count()) > 0) await hand.click('#accept-all');
  const drawn = chooseDrawn(learn);
  let boxToReadingMs = 0;
  for (const [i, element] of drawn.entries()) {
    await seekTo(page, momentOf(learn, element.id));
    await hand.key('d');
    const { x, y, width, height } = element.box;
    boxToReadingMs = Math.max(
      boxToReadingMs,
      await drawBox(page, learn, { x: x - 4, y: y - 4, width: width + 8, height: height + 8 }),
    );
    hand.interactions++;
    if (i === 0) await picture('3-drawn');
    await hand.type('#drawn-name', element.id);
    await hand.key('Enter');
    await page.waitForSelector('#element-name', LONG);
  }

  step('boxes');

  // 3. A font is learnt from typed crops of a figure.
  const figure = drawn.find(({ kind }) => FIGURES.has(kind)) ?? drawn[0];
  if (figure) {
    await hand.click(`.element-list button:has(strong:text-is("${figure.id}"))`);
    await hand.click('#teach-font');
    await page.waitForSelector('.sheet-rows li', LONG);
    const rows = await page.locator('.sheet-rows li').count();
    const texts = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLInputElement>('.sheet-rows input')].map(({ value }) => value),
    );
    for (let i = 0; i < Math.min(rows, MAX_LABELS); i++) {
      // What a person would see: the suggestion where it is right, else nothing is typed.
      if (texts[i] === '') continue;
      await page.focus(`#label-${i}`);
      await hand.key('Enter');
    }
    await page.waitForFunction(
      () =>
        document.querySelector('.sheet-state .tag-good, .sheet-state .tag-warn') !== null &&
        !document.querySelector('.sheet-state')!.textContent!.includes('Learning'),
      undefined,
      LONG,
    );
    await picture('4-font');
    await hand.click('.sheet-dialog header button');
  }

  step('font');

  // 4. Two rules for drawn elements replace those that the draft would make.
  const ruled = drawn.slice(0, 2);
  await hand.click('nav a:has-text("Rules")');
  await page.waitForSelector('#rule-sentence');
  for (const [i, element] of ruled.entries()) {
    await removeRules(page, hand, element.id);
    await hand.choose('#rule-element', element.id);
    await hand.choose('#rule-trigger', 'changes');
    await hand.type('#rule-sentence', `player's ${PROPERTIES[i]} changes from $previous to $value`);
    await page.waitForSelector('.rule-form button.primary:enabled');
    if (i === 0) await picture('5-rule');
    await hand.key('Enter');
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#rule-sentence')?.value === '');
  }
  await picture('6-rules');

  step('rules');

  // 5. The second recording tests it: what truly happens is marked from the truth, as an author would by looking.
  await hand.click('nav a:has-text("Test")');
  // The page of rules has a choice of recordings, too.
  await page.waitForSelector('#take-over');
  await hand.choose('#author-recording', 'games/judge.mp4');
  await page.waitForSelector('#take-over');
  await hand.click('#take-over');
  await page.waitForSelector('#run-tests:enabled', LONG);
  await hand.click('#run-tests');
  await page.waitForSelector('.scores', LONG);
  await picture('7-test');

  step('test');

  // 6. Export, and the same on the command line.
  await hand.click('#export');
  await page.waitForFunction(
    () => document.querySelector('[aria-labelledby=export-title] [role=status]')?.textContent !== '',
  );
  const problem = await page.locator('.error-notice').allTextContents();
  notes.push(...problem);
  const machineSeconds = (performance.now() - started) / 1000;
  const inStudio = readFileSync(join(space, 'forged', 'tests', 'judge.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as LoggedEvent);
  const log = join(work, 'log');
  const archive = join(space, 'exports', 'forged.zip');
  const { status, stderr } = spawnSync(
    process.execPath,
    [program, 'detect', join(folder, 'judge.mp4'), '--game', archive, '--out', log],
    { encoding: 'utf8' },
  );
  if (status !== 0) notes.push(stderr.trim());
  const events = readFileSync(join(log, 'events.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LoggedEvent & { readonly type: string; readonly tentative?: boolean })
    .filter(({ type, tentative }) => type === 'event' && tentative !== true);
  const isSameLog = JSON.stringify(events.map(keyOf)) === JSON.stringify(inStudio.map(keyOf));
  const ids = ruled.map(({ id }) => id);
  if (options.keep !== undefined) cpSync(work, join(options.keep, game), { recursive: true });
  rmSync(work, { recursive: true, force: true });
  const interactions = hand.interactions;
  return {
    game,
    interactions,
    machineSeconds: Math.round(machineSeconds),
    minutes: Math.round((10 * (machineSeconds + interactions)) / 60) / 10,
    boxToReadingMs: Math.round(boxToReadingMs),
    changes: judgeChanges(events, judge, ids),
    events: judgeAsForge(events, judge, ids),
    isSameLog,
    steps,
    notes,
  };
}

function keyOf({ t, statement }: LoggedEvent): string {
  return `${t.toFixed(3)} ${JSON.stringify(statement)}`;
}

interface LoggedEvent {
  readonly t: number;
  readonly statement: Readonly<Record<string, unknown>>;
}

function rank({ kind }: Pick<Truth['elements'][number], 'kind'>): number {
  return FIGURES.has(kind) ? 0 : kind === 'clock' || kind === 'time' ? 1 : 2;
}

/** The elements of the learning recording that change and are no messages: figures first. */
function chooseDrawn(truth: Truth) {
  return truth.elements
    .filter(({ kind, isRestless }) => isRestless !== true && rank({ kind }) < 2)
    .toSorted((a, b) => rank(a) - rank(b) || changesOf(truth, b.id) - changesOf(truth, a.id))
    .slice(0, DRAWN);
}

function changesOf({ events }: Truth, id: string): number {
  return events.filter((event) => event.element === id).length;
}

/** A time at which an element is drawn. */
function momentOf({ elements }: Truth, id: string): number {
  const [from = 0, to = from + 2] = elements.find((one) => one.id === id)?.visible[0] ?? [];
  return (from + Math.min(to, from + 10)) / 2;
}

async function seekTo(page: Page, t: number): Promise<void> {
  await page.evaluate((at) => {
    const { playbyplay } = globalThis as unknown as { playbyplay: { player: { seek(t: number): void } } };
    playbyplay.player.seek(at);
  }, t);
  await page.waitForTimeout(400);
  await page.waitForSelector('.frame-view canvas[data-exact=true]');
}

/** Drags a box over the picture; returns the milliseconds until it is read. */
async function drawBox(
  page: Page,
  { header }: Truth,
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): Promise<number> {
  const canvas = (await page.locator('.frame-view canvas').boundingBox())!;
  const [scaleX, scaleY] = [canvas.width / header.width, canvas.height / header.height];
  const [left, top] = [canvas.x + Math.max(1, box.x) * scaleX, canvas.y + Math.max(1, box.y) * scaleY];
  await page.mouse.move(left, top);
  await page.mouse.down();
  await page.mouse.move(left + box.width * scaleX, top + box.height * scaleY, { steps: 5 });
  await page.mouse.up();
  const released = performance.now();
  await page.waitForSelector('.new-element .reading-value strong', LONG);
  return performance.now() - released;
}

async function removeRules(page: Page, hand: Hand, element: string): Promise<void> {
  const own = page.locator(`.rule-list li:has(strong:text-is("${element}")) button:has-text("Remove")`);
  for (let count = await own.count(); count > 0; count--) {
    hand.interactions++;
    await own.first().click();
    await page.waitForFunction(
      ([name, left]) =>
        [...document.querySelectorAll('.rule-list strong')].filter((one) => one.textContent === name).length <
        Number(left),
      [element, count] as const,
    );
  }
}

/** Compares the changes of the ruled elements with the truth, as the forge does with what it drafts. */
function judgeAsForge(events: readonly LoggedEvent[], truth: Truth, ids: readonly string[]): Tally {
  const elementOf = ({ statement }: LoggedEvent): string | undefined =>
    ids[PROPERTIES.findIndex((name) => name === statement['property'])];
  const log = events.flatMap((event) => {
    const element = elementOf(event);
    return element === undefined ? [] : [{ t: event.t, text: '', statement: event.statement, boxes: [], element }];
  });
  const { expected, reported } = compareEvents(log, truth);
  const ruled = expected.filter(({ element, name }) => name === 'change' && ids.includes(element));
  return {
    expected: ruled.length,
    found: ruled.filter(({ isRight }) => isRight).length,
    reported: reported.length,
    right: reported.filter(({ isRight }) => isRight).length,
  };
}

/** Compares the changes of the ruled elements with the truth: same element, same value, in time. */
function judgeChanges(events: readonly LoggedEvent[], truth: Truth, ids: readonly string[]): Tally {
  let [expected, found, reported, right] = [0, 0, 0, 0];
  for (const [i, id] of ids.entries()) {
    const wanted = truth.events.filter((event) => event.element === id && event.name === 'change');
    const own = events.filter(({ statement }) => statement['property'] === PROPERTIES[i]);
    const isSame = (event: LoggedEvent, one: Truth['events'][number]): boolean =>
      // Of a fraction, the figure before the stroke is what changes.
      String(event.statement['to']) === String(one.to).split('/')[0] &&
      event.t >= one.t - EARLY &&
      event.t <= one.t + LATE;
    expected += wanted.length;
    found += wanted.filter((one) => own.some((event) => isSame(event, one))).length;
    reported += own.length;
    right += own.filter((event) => wanted.some((one) => isSame(event, one))).length;
  }
  return { expected, found, reported, right };
}

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} % (${part}/${whole})`;
}

function shares({ expected, found, reported, right }: Tally): string {
  return `${share(found, expected)} | ${share(right, reported)}`;
}

function table(all: readonly Journey[]): string {
  const rows = all.map(
    (one) =>
      `| ${one.game} | ${one.interactions} | ${one.machineSeconds} | ${one.minutes} | ${one.boxToReadingMs} | ${shares(one.events)} | ${shares(one.changes)} | ${one.isSameLog ? 'yes' : 'no'} |`,
  );
  return [
    '| Game | Interactions | Machine, s | Minutes | Box to reading, ms | Recall | Precision | … of every change | | Same log |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
