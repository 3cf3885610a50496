// Memory of the studio over a time of use: a person scrubs, steps, leaps, asks, scrolls, zooms and changes pages, an action each two seconds.
// Every minute: the heap and the nodes of the page after garbage collection, and the resident memory of the server, a process of its own.
//   node bench/studio/memory.ts <folder with recordings and logs> [--minutes 15] [--pause 2] [--json <file>]
// --pause: seconds between two actions; a minute has 30 actions whatever it is.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../test/fixtures/browser.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '15' },
    pause: { type: 'string', default: '2' },
    json: { type: 'string' },
  },
});
const [folder = '.'] = positionals;
const program = join(import.meta.dirname, '../../src/cli/launch.js');

/** A person does something each two seconds. */
const ACTIONS_PER_MINUTE = 30;

/** A measurement, in MB and nodes. */
interface Minute {
  readonly minute: number;
  readonly page: number;
  readonly nodes: number;
  readonly server: number;
}

const server = spawn(process.execPath, [program, 'studio', folder, '--no-open'], { stdio: ['ignore', 'pipe', 'pipe'] });
const link = await firstLink();
const pid = server.pid!;
const browser = await launchBrowser();
const minutes: Minute[] = [];
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.locator('a[href*="review"]').first().waitFor();
  const recordings = await page.evaluate(async () => {
    const answer = await fetch('/api/workspace', { headers: { 'x-playbyplay': '1' } });
    const { recordings: all } = (await answer.json()) as {
      recordings: readonly { readonly path: string; readonly log?: string }[];
    };
    return all.filter(({ log }) => log !== undefined).map(({ path }) => path);
  });
  await open(page, recordings[0]!);
  for (let action = 0, minute = 0; minute <= Number(options.minutes); action++) {
    if (action >= minute * ACTIONS_PER_MINUTE) {
      minutes.push(await measure(page, minute));
      process.stderr.write(`${JSON.stringify(minutes.at(-1))}\n`);
      minute++;
    }
    await act(page, action, recordings);
    await sleep(1000 * Number(options.pause));
  }
} finally {
  await browser.close();
  server.kill('SIGINT');
}
process.stdout.write('| Minute | Heap of the page, MB | Nodes | Server, MB |\n|---|---|---|---|\n');
for (const { minute, page, nodes, server: rss } of minutes)
  process.stdout.write(`| ${minute} | ${page.toFixed(1)} | ${nodes} | ${rss.toFixed(0)} |\n`);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(minutes)}\n`);

/** The address that the command prints. */
async function firstLink(): Promise<string> {
  for (const stream of [server.stdout, server.stderr]) stream.on('error', () => undefined);
  const lines = [server.stdout, server.stderr].map((input) => createInterface({ input }));
  return await new Promise((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`the studio ended with ${code}`)));
    for (const each of lines)
      each.on('line', (line) => {
        const [found] = /http:\/\/\S+token=\S+/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
  });
}

async function open(page: Page, recording: string, name = 'review'): Promise<void> {
  await page.evaluate((hash) => void (location.hash = hash), `/${name}?recording=${encodeURIComponent(recording)}`);
  await page.locator('.frame-view canvas[data-exact]').first().waitFor({ timeout: 120_000 });
}

/** What a person does next: every action comes up again and again, each time elsewhere. */
async function act(page: Page, n: number, recordings: readonly string[]): Promise<void> {
  const track = page.locator('.timeline-ruler .timeline-track').first();
  const box = (await track.boundingBox())!;
  const at = (share: number): readonly [number, number] => [box.x + share * box.width, box.y + 10];
  const share = ((n * 7919) % 1000) / 1000;
  switch (n % 10) {
    case 0: {
      await page.mouse.move(...at(share));
      await page.mouse.down();
      for (let i = 1; i <= 10; i++) await page.mouse.move(...at(Math.abs(share - i / 20)));
      await page.mouse.up();
      break;
    }
    case 1:
      for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowRight');
      break;
    case 2:
      for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowLeft');
      break;
    case 3:
      await page.mouse.click(...at(share));
      break;
    case 4:
      await page.mouse.move(...at(share));
      for (const delta of [-300, -300, 300, 300, 300]) {
        await page.keyboard.down('Control');
        await page.mouse.wheel(0, delta);
        await page.keyboard.up('Control');
      }
      break;
    case 5:
      await page.keyboard.press('.');
      break;
    case 6: {
      const question = page.locator('#question');
      if ((await question.count()) > 0) await question.fill(['', 'player obtains item', 'health drops'][n % 3]!);
      break;
    }
    case 7: {
      const list = page.locator('.event-list');
      if ((await list.count()) > 0) await list.evaluate((one, to) => void (one.scrollTop = to), (n * 7919) % 4000);
      break;
    }
    case 8:
      await page.keyboard.press('Space');
      break;
    default: {
      await page.keyboard.press('Home');
      const name = ['cut', 'review', 'review'][Math.floor(n / 10) % 3]!;
      await open(page, recordings[Math.floor(n / 30) % recordings.length]!, name);
    }
  }
}

async function measure(page: Page, minute: number): Promise<Minute> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  await session.detach();
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${serverPid()}/status`, 'utf8')) ?? [];
  return { minute, page: usedSize / 1e6, nodes, server: Number(kilobytes) / 1000 };
}

/** The process that answers: the command may start another one. */
function serverPid(): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? pid : Number(children.split(' ')[0]);
}
