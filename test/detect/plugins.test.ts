import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Issue } from '../../src/errors.ts';
import { collectProblems } from '../fixtures/games.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { clip as media } from '../paths.ts';

/** A profile with a detector of the kind `dizzy`, which does what is written after a second, and one of another kind. */
async function dizzyGame(deed: string): Promise<{ folder: string; plugin: string; game: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'playbyplay-plugin-run-'));
  const plugin = join(folder, 'dizzy.mjs');
  await writeFile(
    plugin,
    `export const kind = { name: 'dizzy', description: 'Fails after a second.', schema: { type: 'object' },
       open: async () => ({ read(view) {
         if (view.picture.t > 1) ${deed};
         return { state: 'seen', value: 'steady', confidence: 1 };
       } }) };`,
  );
  const region = { x: 0.25, y: 0.85, width: 0.1, height: 0.1 };
  const profile = {
    format: 'playbyplay/profile/1',
    game: 'dizzy',
    title: 'Dizzy',
    version: '1',
    reference: { width: 1280, height: 720 },
    regions: { all: region },
    detectors: {
      dizzy: { kind: 'dizzy', region: 'all' },
      light: { kind: 'color', region: 'all', colors: { dark: '#000000', grey: '#707070' } },
    },
    events: [
      { on: { detector: 'dizzy', trigger: 'found' }, statement: { subject: 'player', action: 'move' } },
      { on: { detector: 'light', trigger: 'found' }, statement: { subject: 'player', action: 'appear' } },
    ],
  };
  const game = join(folder, 'profile.json');
  await writeFile(game, JSON.stringify(profile));
  return { folder, plugin, game };
}

it('a failing plug-in loses only its own readings, and is named', async () => {
  const { folder, plugin, game } = await dizzyGame("throw new RangeError('too dizzy')");
  await expect(recordLog({ media, game, out: join(folder, 'none'), to: 4 })).rejects.toMatchObject({
    code: 'profile-broken',
    issues: [{ code: 'unknown-detector-kind', hint: expect.stringContaining('--plugin') }],
  });
  const logs = await Promise.all(
    [1, 2].map(async (workers) => {
      const problems: Issue[] = [];
      const out = join(folder, `out${workers}`);
      const onMessage = collectProblems(problems);
      const summary = await recordLog({ media, game, out, to: 4, workers, plugins: [plugin], onMessage });
      expect(summary.problems).toEqual({ 'plugin-failed': 29 });
      expect(problems).toMatchObject([
        {
          code: 'plugin-failed',
          path: 'detector “dizzy”',
          message: 'the plug-in dizzy (detector kind dizzy) failed in read: too dizzy (first at 1.114 s)',
        },
      ]);
      return readFile(join(out, 'events.ndjson'), 'utf8');
    }),
  );
  expect(logs[0]).toBe(logs[1]);
  expect(logs[0]).toContain('player moves');
  expect(logs[0]).toContain('player appears');
});

it('a plug-in that ends its thread again and again ends the run, and is named', async () => {
  const { folder, plugin, game } = await dizzyGame('process.exit()');
  const out = join(folder, 'out');
  await expect(recordLog({ media, game, out, to: 2, workers: 1, plugins: [plugin] })).rejects.toMatchObject({
    code: 'plugin-failed',
    message: 'reader 1 ended with exit code 0, 3 times at the same place',
    hint: expect.stringContaining('dizzy.mjs'),
  });
});

/** A profile with a region relative to what a `finder` detector finds. */
const finding = (detector: object): string =>
  JSON.stringify({
    format: 'playbyplay/profile/1',
    game: 'finder',
    title: 'Finder',
    version: '1',
    reference: { width: 1280, height: 720 },
    regions: {
      bar: { x: 0, y: 0.85, width: 1, height: 0.15 },
      part: { relative: { detector: 'bar' }, x: 0.25, y: 0, width: 0.1, height: 0.65 },
    },
    detectors: {
      bar: { kind: 'finder', region: 'bar', ...detector },
      part: { kind: 'color', region: 'part', colors: { red: '#641717' } },
    },
    events: [{ on: { detector: 'part', trigger: 'found' }, statement: { subject: 'player', action: 'appear' } }],
  });

it('a region can be relative to a plug-in’s reading, and an incomplete plug-in is reported before reading starts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'playbyplay-plugin-place-'));
  const [plugin, game] = [join(folder, 'finder.mjs'), join(folder, 'profile.json')];
  // It finds the status bar, a part of which is red.
  await writeFile(
    plugin,
    `export const kind = { name: 'finder', description: 'Finds.', schema: { type: 'object', properties: { data: { type: 'string' } } },
       places: () => true,
       async requires({ data }) { if (data) throw new Error(data + ' is not installed'); return [{ name: 'finder data', hash: '1' }]; },
       open: async () => ({ read: ({ picture: { t }, rect: { x, y, width, height } }) =>
         t < 1 ? { state: 'absent', confidence: 1 }
           : { state: 'seen', value: 'bar', confidence: 1, detail: { place: { x, y, width, height } } } }) };`,
  );
  const run = (): ReturnType<typeof recordLog> =>
    recordLog({ media, game, out: join(folder, 'out'), to: 2, workers: 1, plugins: [plugin] });
  await writeFile(game, finding({ data: 'the atlas' }));
  await expect(run()).rejects.toMatchObject({
    code: 'profile-broken',
    issues: [{ code: 'plugin-failed', message: expect.stringMatching(/plug-in finder .* the atlas is not installed/) }],
  });
  await writeFile(game, finding({}));
  await run();
  const log = await readFile(join(folder, 'out', 'events.ndjson'), 'utf8');
  const [event] = log
    .split('\n')
    .flatMap((line) => (line.includes('"type":"event"') ? [JSON.parse(line) as { t: number }] : []));
  expect(event?.t).toBeGreaterThanOrEqual(1);
});
