import { createHash } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, readdir, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine as playbyplay } from '../fixtures/command-line.ts';
import { launcher, root, sourceLauncher } from '../paths.ts';

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the program as users do. Checks of what a command prints run it in this process, which takes a fraction of the time. */
function startProgram(...args: string[]): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on('data', (data: Buffer) => out.push(data.toString()));
    child.stderr.on('data', (data: Buffer) => err.push(data.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out: out.join(''), err: err.join('') }));
  });
}

const HEADER = {
  type: 'header',
  format: 'playbyplay/1',
  game: 'freedoom',
  session: 's',
  media: { name: 'match.mp4', duration: 10 },
  dictionaries: [{ name: 'freedoom' }],
  plan: { kind: 'full', interval: 0.1 },
};
const death = (t: number): object => ({ t, statement: { subject: 'player', action: 'die' } });

async function files(): Promise<{ log: string; truth: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'playbyplay-cli-'));
  const [log, truth] = [join(folder, 'events.ndjson'), join(folder, 'truth.ndjson')];
  const event = {
    type: 'event',
    id: 'a',
    end: 1,
    game: 'g',
    session: 's',
    text: 'player dies',
    confidence: 1,
    cues: [],
    ...death(1.05),
  };
  await writeFile(log, [HEADER, event, { type: 'end' }].map((line) => `${JSON.stringify(line)}\n`).join(''));
  await writeFile(truth, [death(1), death(7)].map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { log, truth, folder };
}

const toValue = (property: string) => ({
  on: { detector: 'time', trigger: 'changed' },
  statement: { subject: 'player', property, to: '$value' },
});

describe('playbyplay', () => {
  it('does not overwrite the log of match.mp4 with that of match.mkv', async () => {
    const { log, folder } = await files();
    await mkdir(join(folder, 'match.playbyplay'));
    await writeFile(join(folder, 'match.playbyplay', 'events.ndjson'), await readFile(log));
    await copyFile(join(root, 'test/footage/freedoom-demo1.mp4'), join(folder, 'match.mkv'));
    const { code, out, err } = await startProgram('detect', join(folder, 'match.mkv'), '--game', 'freedoom');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /match\.playbyplay holds the log of match\.mp4\nName another folder for match\.mkv with --out\.\n$/,
    );
    expect(await readFile(join(folder, 'match.playbyplay', 'events.ndjson'), 'utf8')).toBe(await readFile(log, 'utf8'));
  });

  it('prints its version and its commands', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await startProgram('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
    const help = await playbyplay('--help');
    expect([help.code, help.err]).toEqual([0, '']);
    expect(help.out).toMatch(/^ {2}evaluate +Compare event logs/m);
  });

  it("caches compiled code in the user's folder, and starts without one", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'playbyplay-cache-'));
    const file = join(folder, 'file');
    await writeFile(file, '');
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const started = (cache: string) =>
      spawnSync(process.execPath, [sourceLauncher, '--version'], {
        cwd: folder,
        env: { ...env, XDG_CACHE_HOME: cache },
      });
    for (const cache of [join(file, 'beneath'), '', join(folder, 'deep', 'down')])
      expect(started(cache)).toMatchObject({ status: 0, stderr: Buffer.alloc(0) });
    expect((await readdir(folder)).filter((name) => name !== 'deep')).toEqual(['file']);
    // Other systems have no variable that moves the user's cache folder.
    const isMovable = process.platform === 'linux';
    expect(existsSync(join(folder, 'deep', 'down', 'playbyplay', 'compiled'))).toBe(isMovable);
  });

  it('prints its usage to stderr without arguments', async () => {
    const { code, out, err } = await startProgram();
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('Usage: playbyplay <command>');
  });

  it('reports a large file that is not a video, without warnings of Node', async () => {
    const { folder } = await files();
    const media = join(folder, 'large.mp4');
    await writeFile(media, '');
    await truncate(media, 40 << 20);
    const { code, out, err } = await startProgram('detect', media, '--game', 'freedoom', '--workers', '1');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('is not a video file that can be read');
    expect(err).not.toContain('Warning');
  });

  it('suggests the nearest command, option and game', async () => {
    expect(await playbyplay('evalute')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "evaluate"?'),
    });
    expect(await playbyplay('evaluate', '--tolerence', '1')).toMatchObject({
      code: 2,
      err: 'playbyplay: unknown option --tolerence\nDid you mean "--tolerance"?\nSee: playbyplay evaluate --help\n',
    });
    expect(await playbyplay('profile', 'chek')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "check"?'),
    });
    expect(await playbyplay('profile', 'check', 'fredoom')).toMatchObject({
      code: 1,
      err: 'playbyplay: there is no game “fredoom”\nDid you mean "freedoom"?\n',
    });
  });

  it('evaluates a log: figures on stdout, exit code 3 for findings', async () => {
    const { log, truth, folder } = await files();
    const { code, out, err } = await startProgram('evaluate', folder, truth);
    expect([code, err]).toEqual([3, '']);
    expect(out).toContain('die      2       1     1        1.000 (0.207–1.000)  0.500 (0.095–0.905)  0.667');
    expect(out).toContain('Missed (1):\n  00:07.000  player dies\n');
    const json = await playbyplay('evaluate', log, truth, '--json', '--tolerance', '10ms');
    expect(JSON.parse(json.out)).toMatchObject({ all: { truth: 2, events: 1, hits: 0 }, tolerance: 0.01 });
    await writeFile(truth, `${JSON.stringify(death(1))}\n`);
    expect((await playbyplay('evaluate', log, truth)).code).toBe(0);
  });

  it('evaluates with the dictionary of a pack next to the log', async () => {
    const { log, truth, folder } = await files();
    const own = {
      format: 'playbyplay/dictionary/1',
      name: 'mine',
      version: '1.0.0',
      title: 'Mine',
      extends: { common: '^1.0.0' },
      actions: [{ name: 'combust', parent: 'die', definition: 'Die in flames.', examples: ['player combusts'] }],
    };
    const text = JSON.stringify(own);
    await mkdir(join(folder, 'dictionary'));
    await writeFile(join(folder, 'dictionary', 'mine.json'), text);
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const lines = (await readFile(log, 'utf8')).split('\n');
    lines[0] = JSON.stringify({ ...HEADER, dictionaries: [{ name: 'mine', version: '1.0.0', hash }] });
    await writeFile(log, lines.join('\n').replace('"action":"die"', '"action":"mine:combust"'));
    await writeFile(truth, `${JSON.stringify(death(1))}\n`);
    // To combust is to die: only the dictionary says so.
    const { out } = await playbyplay('evaluate', log, truth, '--json');
    expect(JSON.parse(out)).toMatchObject({ all: { truth: 1, hits: 0, isA: 1 }, misses: [], falseEvents: [] });
  });

  it('reports what is wrong with a file, and where', async () => {
    const { log, truth } = await files();
    await writeFile(truth, '{"t":1}\n{');
    const { code, err } = await playbyplay('evaluate', log, truth);
    expect(code).toBe(1);
    expect(err).toContain(`${truth}:1: a statement must be an object`);
    expect(err).toContain(`${truth}:2: not JSON`);
    expect(await playbyplay('evaluate', '/nowhere', truth)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no such log: /nowhere'),
    });
    expect(await playbyplay('evaluate', log)).toMatchObject({ code: 2, out: '' });
  });

  it('accepts a built-in game and reports every issue of an invalid one', async () => {
    // All of them: test/package.test.ts.
    const checked = await playbyplay('profile', 'check', 'freedoom');
    expect([checked.code, checked.err]).toEqual([0, '']);
    const folder = await mkdtemp(join(tmpdir(), 'playbyplay-broken-'));
    await writeFile(
      join(folder, 'profile.json'),
      '{"format":"playbyplay/profile/1","game":"x","titel":"X","detectors":{"a":{"kind":"txt"}}}',
    );
    const { code, out } = await playbyplay('profile', 'check', folder);
    expect(code).toBe(3);
    expect(out).toContain('profile.json#/titel: "titel" is not a known property — Did you mean "title"?');
    expect(out).toContain('profile.json#/detectors/a/kind: there is no detector kind "txt"');
  });

  it('reports issues of profile, script, words and statements together', async () => {
    const pack = await mkdtemp(join(tmpdir(), 'playbyplay-stranger-'));
    for (const folder of ['configs/x', 'scripts', 'dictionary']) await mkdir(join(pack, folder), { recursive: true });
    const word = { name: 'herring', parent: 'fihs', definition: 'A silvery swimmer.' };
    const words = { format: 'playbyplay/dictionary/1', name: 'x', version: '1.0.0', extends: { common: '^1.0.0' } };
    await writeFile(join(pack, 'dictionary/x.json'), JSON.stringify({ ...words, objects: [word] }));
    await writeFile(
      join(pack, 'scripts/x.js'),
      "// action: 'fly'\nfunction onCue(cue, game) {\n  game.emit({ subject: 'player', action: 'finnish' });\n}\n",
    );
    const profile = {
      format: 'playbyplay/profile/1',
      game: 'x',
      title: 'X',
      version: '1',
      reference: { width: 1280, height: 720 },
      regions: { time: { x: 640, y: 0, width: 0.1, height: 0.1 } },
      detectors: { time: { kind: 'text', region: 'time', atlas: 'fonts/time.json' }, lives: { kind: 'counter' } },
      events: [toValue('speed'), toValue('sped')],
    };
    await writeFile(join(pack, 'configs/x/profile.json'), JSON.stringify(profile));
    const { code, out } = await playbyplay('profile', 'check', pack);
    expect(code).toBe(3);
    expect(out).toContain('#/regions/time/x: "x" must be at most 1, not 640 — As a fraction of 1280 pixels: 0.5.');
    expect(out).toContain('#/detectors/lives/kind: there is no detector kind "counter"');
    expect(out).toContain('— Available kinds: bar, color, ');
    expect(out).toMatch(/#\/detectors\/time\/atlas: there is no file .* — Learn the font: playbyplay profile glyphs\./);
    expect(out).toContain(
      'dictionary/x.json#/objects/0/parent: the parent "fihs" of "x:herring" is not a known object',
    );
    expect(out).toContain('#/events/1/statement/property: "sped" is not a known property — Did you mean "speed"?');
    expect(out).toContain('scripts/x.js:3: there is no action “finnish”');
    expect(out).toContain(': 5 mistakes, 1 warning\n');
    await writeFile(join(pack, 'scripts/x.js'), 'function onCue( {');
    await writeFile(join(pack, 'configs/x/profile.json'), '{\n"game": "x",,\n}');
    const { out: other } = await playbyplay('profile', 'check', pack);
    expect(other).toContain('configs/x/profile.json:2: ');
    expect(other).toContain('scripts/x.js:1: SyntaxError');
    expect(other).toContain('"fihs"');
    await mkdir(join(pack, 'scripts/x'));
    await writeFile(join(pack, 'scripts/x/feed.js'), "export const act = { action: 'finnish' };\n");
    await writeFile(
      join(pack, 'scripts/x.js'),
      "import { act } from './x/fead.js';\nimport '../../secret.js';\nimport './x/feed.js';\n",
    );
    const { out: last } = await playbyplay('profile', 'check', pack);
    expect(last).toMatch(/scripts\/x\.js:1: there is no file .*fead\.js — Did you mean "feed\.js"\?/);
    expect(last).toContain('scripts/x.js:2: "../../secret.js" is outside the folder of game scripts');
    expect(last).toContain('scripts/x/feed.js:1: there is no action “finnish”');
  });

  it('warns that preprocessing steps have no effect before a learned font', async () => {
    const pack = await mkdtemp(join(tmpdir(), 'playbyplay-steps-'));
    const font = { format: 'playbyplay/atlas/1', name: 'f', channel: 'luma', pixels: { x: 1, y: 1 }, height: 1 };
    const glyphs = [{ char: '1', width: 1, level: 'AA==', deviation: 'AA==' }];
    await writeFile(join(pack, 'f.json'), JSON.stringify({ ...font, layout: 'fixed', pitch: 1, glyphs }));
    const region = { x: 0, y: 0, width: 0.1, height: 0.1, preprocess: [{ step: 'invert' }] };
    const head = { format: 'playbyplay/profile/1', game: 'x', title: 'X', version: '1' };
    const profile = {
      ...head,
      reference: { width: 640, height: 360 },
      sampling: { interval: 0.1 },
      regions: { score: region },
      detectors: { score: { kind: 'text', region: 'score', atlas: 'f.json' } },
    };
    await writeFile(join(pack, 'profile.json'), JSON.stringify(profile));
    const { code, out } = await playbyplay('profile', 'check', pack);
    expect(code).toBe(3);
    expect(out).toContain('profile.json#/regions/score/preprocess: has no effect: “score” reads the unprocessed crop');
  });

  it('prints the JSON Schema of a profile', async () => {
    const { out } = await playbyplay('profile', 'schema');
    expect(JSON.parse(out)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' });
  });
});
