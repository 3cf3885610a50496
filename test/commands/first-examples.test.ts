import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { CommandSpec } from '../../src/cli/command.ts';
import * as specs from '../../src/cli/specs.ts';
import { runCommandLine } from '../fixtures/command-line.ts';
import { footage, root } from '../paths.ts';

let folder: string;
const started = process.cwd();

/** Runs an example in the folder, as a shell does, and returns its exit code and output. Redirected output is dropped. */
async function runExample(example: string): Promise<{ readonly code: number; readonly output: string }> {
  const [line = ''] = example.split(/ >>? /);
  const args = line.match(/'[^']*'|"[^"]*"|\S+/g)!.map((word) => word.replaceAll(/^(['"])(.*)\1$/g, '$2'));
  const { code, out, err } = await runCommandLine(...args);
  return { code, output: out + err };
}

/** An event of the demo's recording, from its truth: a kill at 24.8 s. */
const KILL = {
  type: 'event',
  id: 'e1',
  t: 24.8,
  end: 24.8,
  text: 'player kills opponent Sarge with rocket launcher',
  statement: {
    subject: 'player',
    action: 'kill',
    object: { word: 'opponent', name: 'Sarge' },
    with: 'rocket launcher',
  },
  confidence: 1,
  cues: [],
};

/** What the examples name besides the recording, and a user of that command has. */
async function writeInputs(): Promise<void> {
  const save = (name: string, value: unknown): Promise<void> => writeFile(join(folder, name), JSON.stringify(value));
  const frames = Array.from({ length: 300 }, (_, frame) => JSON.stringify({ frame, captured: 17 * frame }));
  await writeFile(join(folder, 'session.ndjson'), `{"fps":60}\n${frames.join('\n')}\n`);
  await writeFile(join(folder, 'match.truth.ndjson'), `${JSON.stringify({ ...KILL, t: 2 })}\n`);
  await copyFile(join(root, 'test', 'fixtures', 'logs', 'quake3-games.txt'), join(folder, 'games.log'));
  await copyFile(join(folder, 'match.mp4'), join(folder, 'webcam.mkv'));
  await copyFile(
    join(root, 'node_modules', '@gutenye', 'ocr-models', 'assets', 'ch_PP-OCRv4_det_infer.onnx'),
    join(folder, 'detector.onnx'),
  );
  for (const name of ['old.json', 'new.json'])
    await copyFile(join(root, 'dictionary', 'golf.json'), join(folder, name));
  await save('labels.ndjson', { media: 'match.mp4', t: 1, detector: 'health', text: '71' });
  await save('HED8.4.0.json', { version: '8.4.0', tags: { Event: { description: 'What happens.', parent: null } } });
  const calls = [{ name: 'count', space: [4], writes: [{ resource: 'ones' }] }];
  await save('filters.json', { calls, resources: [{ name: 'ones', regions: [4], bytes: 1 }] });
  await writeFile(join(folder, 'filters.js'), 'export const kernels = { count: ({ outputs }) => outputs[0].fill(1) };');
  await mkdir(join(folder, 'recordings'));
  await copyFile(join(folder, 'match.mp4'), join(folder, 'recordings', 'match.mp4'));
  await mkdir(join(folder, 'season', 'scrim.playbyplay'), { recursive: true });
  await copyFile(
    join(folder, 'demo.playbyplay', 'events.ndjson'),
    join(folder, 'season/scrim.playbyplay/events.ndjson'),
  );
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'examples-'));
  process.chdir(folder);
  // Where the program keeps what it remembers.
  for (const name of ['HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME']) vi.stubEnv(name, folder);
  // Five seconds of the demo's recording, cut out by the program itself.
  const recording = { path: 'demo.mp4', duration: 33.3 };
  const header = JSON.parse(
    (await readFile(join(root, 'test', 'fixtures', 'logs', 'freedoom-demo1.ndjson'), 'utf8')).split('\n')[0]!,
  ) as { media: object };
  await copyFile(join(footage, 'openarena-match.mp4'), join(folder, 'demo.mp4'));
  await mkdir(join(folder, 'demo.playbyplay'));
  const lines = [{ ...header, game: 'openarena', media: { ...header.media, ...recording } }, KILL];
  const log = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(join(folder, 'demo.playbyplay', 'events.ndjson'), log);
  const cut = await runExample(
    'highlights demo.playbyplay --media demo.mp4 --before 2 --after 1 --captions none -o match.mp4',
  );
  if (cut.code !== 0) throw new Error(cut.output);
  await writeInputs();
});

afterAll(async () => {
  process.chdir(started);
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Drafts take long, tests are those of a user’s pack, and servers run until they are ended. */
const testedElsewhere = /^(?:profile (?:draft|test)|studio|live|serve|mcp)\b/;

it('the first example of every command works', async () => {
  // The other commands read the log that `detect` writes.
  const { detect, ...others } = specs;
  const examples = [detect, ...Object.values(others)].flatMap((spec) =>
    'examples' in spec ? ((spec as CommandSpec).examples ?? []).slice(0, 1) : [],
  );
  expect(examples.length).toBeGreaterThan(25);
  const failed: string[] = [];
  for (const example of examples.filter((line) => !testedElsewhere.test(line))) {
    const { code, output } = await runExample(example);
    // 3: completed, with findings.
    if (code !== 0 && code !== 3) failed.push(`playbyplay ${example}: exit code ${code}\n${output}`);
  }
  expect(failed.join('\n')).toBe('');
});
