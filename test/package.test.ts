import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import * as specs from '../src/cli/specs.ts';
import { root } from './paths.ts';

const run = promisify(execFile);
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** A project with only the packed package and its declared dependencies installed. */
let project: string;
let manifest: Manifest;

async function install(): Promise<string> {
  // The command for all tests has built it.
  if (process.env['TEST_PROGRAM'] === undefined)
    await run(process.execPath, [join(root, 'tools', 'build.ts')], { cwd: root });
  const folder = await mkdtemp(join(tmpdir(), 'playbyplay-package-'));
  await run(npm, ['pack', '--ignore-scripts', '--loglevel=error', `--pack-destination=${folder}`], { cwd: root });
  const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'playbyplay'), { recursive: true });
  await run('tar', ['-xzf', join(folder, archive!), '--strip-components=1', '-C', join(modules, 'playbyplay')]);
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

async function playbyplay(...args: string[]): Promise<string> {
  const launch = join(project, 'node_modules', 'playbyplay', 'src', 'cli', 'launch.js');
  return (await run(process.execPath, [launch, ...args], { cwd: project })).stdout;
}

beforeAll(async () => {
  manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
  project = await install();
});

describe('the packed package', () => {
  it('prints its version and the help of its commands', async () => {
    expect(await playbyplay('--version')).toBe(`${manifest.version}\n`);
    const commands = [...(await playbyplay('--help')).matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name]) => name!);
    const examples = Object.values(specs).flatMap((spec) => ('examples' in spec ? (spec.examples ?? []) : []));
    expect(commands).toEqual(expect.arrayContaining(examples.map((line) => line.split(' ')[0])));
    expect(await playbyplay('evaluate', '--help')).toContain('playbyplay evaluate');
  });

  it('runs every command without a recording, so that each loads its modules', async () => {
    await expect(playbyplay('evaluate', 'a', 'b')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such log: a'),
    });
    await expect(playbyplay('align', 'a', 'b')).rejects.toMatchObject({ stderr: expect.stringContaining('a') });
    expect(await playbyplay('query', '--explain', 'player kills opponent')).toContain('action "kill"');
    expect(await playbyplay('kernel', 'quantize', '[1,2,1]')).toContain('2');
    expect(await playbyplay('detectors', 'icon')).toContain('Options:');
    expect(await playbyplay('dictionary', 'show', 'kill')).toContain('is a:');
    expect(await playbyplay('quality', 'simulate', '--seeds', '1', '--minutes', '0.1')).toContain('controller');
    expect(await playbyplay('completion', 'zsh')).toContain('#compdef playbyplay');
  });

  it('exports every entry point that its manifest names', async () => {
    const names = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'));
    const program = join(project, 'entries.js');
    const specifiers = names.map((name) => name.replace('.', 'playbyplay'));
    await writeFile(
      program,
      `for (const name of ${JSON.stringify(specifiers)}) console.log(name, Object.keys(await import(name)).length);`,
    );
    const { stdout, stderr } = await run(process.execPath, [program], { cwd: project });
    expect(stderr).toBe('');
    for (const name of specifiers) expect(stdout).toMatch(new RegExp(`^${name} [1-9]`, 'm'));
  });

  it('contains the built-in games, which are valid', async () => {
    const games = (await playbyplay('profile', 'list')).trim().split('\n');
    expect(games).toContain('freedoom');
    const checked = await playbyplay('profile', 'check', ...games);
    expect(checked.match(/no mistakes/g)).toHaveLength(games.length);
  });

  it('detects from a recording as a library', async () => {
    const program = join(project, 'program.js');
    const out = join(project, 'out');
    const media = join(root, 'test', 'footage', 'freedoom-demo1.mp4');
    await writeFile(
      program,
      `import { loadLog, recordLog } from 'playbyplay';
       await recordLog({ media: ${JSON.stringify(media)}, game: 'freedoom', out: ${JSON.stringify(out)}, to: 6, workers: 1 });
       console.log(JSON.stringify((await loadLog(${JSON.stringify(out)})).events.map(({ text }) => text)));`,
    );
    const { stdout } = await run(process.execPath, [program], { cwd: project });
    expect(JSON.parse(stdout)).toContain('player obtains shotgun');
  });

  it('serves the pages of the studio, and frames of a recording', async () => {
    const launch = join(project, 'node_modules', 'playbyplay', 'src', 'cli', 'launch.js');
    const media = join(root, 'test', 'footage', 'freedoom-demo1.mp4');
    const studio = spawn(process.execPath, [launch, 'studio', media, '--no-open', '--json'], { cwd: project });
    try {
      const [line] = (await once(studio.stdout, 'data')) as [Buffer];
      const { address, link } = JSON.parse(line.toString()) as { readonly address: string; readonly link: string };
      const opening = await fetch(link, { redirect: 'manual' });
      const headers = { cookie: opening.headers.get('set-cookie')!.split(';')[0]! };
      const page = await (await fetch(address, { headers })).text();
      const [script] = /assets\/index-[\w-]+\.js/.exec(page)!;
      expect((await fetch(address + script, { headers })).headers.get('content-type')).toContain('javascript');
      const frame = await fetch(`${address}api/frame?path=footage/freedoom-demo1.mp4&frame=350&width=320`, { headers });
      expect([frame.status, frame.headers.get('content-type'), frame.headers.get('x-time')]).toEqual([
        200,
        'image/jpeg',
        '10',
      ]);
    } finally {
      studio.kill();
    }
  });

  it('loads a detector kind from a user’s file and from a package, in every thread', async () => {
    const example = join(project, 'node_modules', 'playbyplay', 'docs', 'examples', 'spots');
    const media = join(root, 'test', 'footage', 'freedoom-demo1.mp4');
    await copyFile(join(example, 'spots.js'), join(project, 'spots.js'));
    const own = join(project, 'node_modules', '@someone', 'spots');
    await mkdir(own, { recursive: true });
    await copyFile(join(example, 'spots.js'), join(own, 'spots.js'));
    const about = { name: '@someone/spots', version: '2.1.0', type: 'module', exports: { import: './spots.js' } };
    await writeFile(join(own, 'package.json'), JSON.stringify(about));
    const logs = await Promise.all(
      [
        ['--plugin', './spots.js', '--workers', '1', '--to', '5'],
        ['--plugin', './spots.js', '--workers', '2', '--to', '5'],
        ['--plugin', '@someone/spots', '--workers', '2', '--to', '5'],
      ].map(async (options, i) => {
        const out = join(project, `arms${i}`);
        await playbyplay('detect', media, '--game', join(example, 'pack'), '--quiet', '--out', out, ...options);
        return (await readFile(join(out, 'events.ndjson'), 'utf8')).split('\n');
      }),
    );
    expect(logs[0]).toEqual(logs[1]);
    expect(logs[0]!.slice(1)).toEqual(logs[2]!.slice(1));
    // The shotgun is picked up, according to the clip's truth.
    expect(JSON.parse(logs[0]![1]!)).toMatchObject({ t: 2.714286, text: "player's weapon count rises from 1 to 2" });
    const [{ plugins: file }, { plugins: packaged }] = [logs[0]!, logs[2]!].map(([line]) => JSON.parse(line!));
    expect([file, packaged]).toMatchObject([
      [{ name: 'spots', version: '1.0.0' }],
      [{ name: '@someone/spots', version: '2.1.0', hash: file[0].hash }],
    ]);
  });

  it('works without onnxruntime-node until a network is used, and then says what to install', async () => {
    const pack = join(project, 'configs', 'elsewhere');
    await mkdir(pack, { recursive: true });
    await copyFile(join(root, 'configs', 'openarena', 'models', 'weapons.onnx'), join(pack, 'm.onnx'));
    const labels = [...'abcdefghijkl'];
    const network = { kind: 'onnx', region: 'all', model: 'm.onnx', task: 'classify', labels };
    const profile = {
      format: 'playbyplay/profile/1',
      game: 'elsewhere',
      title: 'Elsewhere',
      version: '1',
      reference: { width: 1280, height: 720 },
      regions: { all: { x: 0, y: 0, width: 1, height: 1 } },
      detectors: { network },
    };
    await writeFile(join(pack, 'profile.json'), JSON.stringify(profile));
    const media = join(root, 'test', 'footage', 'freedoom-demo1.mp4');
    const failed = playbyplay('detect', media, '--game', pack, '--workers', '1', '--to', '1');
    await expect(failed).rejects.toMatchObject({ stderr: expect.stringContaining('npm install --ignore-scripts') });
  });

  it('says which commands work without a package that is missing, and they do', async () => {
    const sharp = join(project, 'node_modules', 'sharp');
    await rename(sharp, `${sharp}-hidden`);
    try {
      const media = join(root, 'test', 'footage', 'freedoom-demo1.mp4');
      const failed = playbyplay('profile', 'try', 'freedoom', media, '--at', '1');
      await expect(failed).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/needs the package sharp.*\n.*works without it: .*\bexport\b.*\bprofile check\b/),
      });
      const log = join(project, 'match.playbyplay');
      await mkdir(log);
      await copyFile(join(root, 'test', 'fixtures', 'logs', 'freedoom-demo1.ndjson'), join(log, 'events.ndjson'));
      expect(await playbyplay('export', log, '-f', 'srt')).toContain('-->');
      expect(await playbyplay('profile', 'check', 'freedoom')).toContain('no mistakes');
    } finally {
      await rename(`${sharp}-hidden`, sharp);
    }
  });

  it('fetches the Node that it is tested with where an older one runs it', async () => {
    const launch = await readFile(join(root, 'src', 'cli', 'launch.js'), 'utf8');
    expect(launch).toContain(`FETCHED_VERSION = '${manifest.devDependencies['node']}'`);
  });

  it('has type declarations that a TypeScript program can use', async () => {
    await writeFile(
      join(project, 'program.ts'),
      `import { evaluate, type EventLine } from 'playbyplay';
       import type { DetectorKind } from 'playbyplay/detector';
       export const kind: DetectorKind<{ region: string }> = {
         input: 'frame', name: 'nothing', description: 'nothing', schema: { type: 'object' },
         open: async () => ({ read: () => ({ state: 'absent', confidence: 1 }), [Symbol.dispose]() {} }) };
       const events: EventLine[] = [];
       export const right: number = evaluate([{ events, truth: [] }], { tolerance: 1 }).all.hits;
       export const wrong: string = right;`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    const lib = ['--lib', 'es2024,esnext.disposable', '--typeRoots', join(root, 'node_modules', '@types')];
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    const checked = run(tsc, [...options, ...lib, 'program.ts'], { cwd: project });
    await expect(checked).rejects.toMatchObject({ stdout: expect.stringMatching(/^program\.ts\(8,\d+\)[^\n]*\n$/) });
  });

  it('contains the files it needs and no development files', async () => {
    const files = await readdir(join(project, 'node_modules', 'playbyplay'), { recursive: true });
    expect(
      files.filter((file) =>
        /(?:^|\/)test(?:ing)?[/.]|\.test\.|(?<!\.d)(?<!\.d-[\w-]{8})\.ts$|^(?:bench|tools)/.test(file),
      ),
    ).toEqual([]);
    const bundle = files.filter((file) => file.startsWith('dist') && file.endsWith('.js'));
    for (const file of bundle)
      expect(await readFile(join(project, 'node_modules', 'playbyplay', file), 'utf8')).not.toMatch(
        /fast-check|vitest/,
      );
    for (const file of [
      'LICENSE',
      'THIRD_PARTY_NOTICES.md',
      'dist/index.js',
      'dist/index.d.ts',
      'dictionary/common.json',
    ]) {
      expect(files).toContain(file);
    }
  });
});
