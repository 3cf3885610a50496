#!/usr/bin/env node
// Starts the command line: its sources in the checkout, the bundle in the package. Plain JavaScript, so that an older Node can
// read it and hand over to a newer Node: that of the checkout, or one that npm fetches once into the user's cache folder.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const REQUIRED_MAJOR = 24;
/** The Node that is fetched where an older one runs this file. */
const FETCHED_VERSION = '24.21.0';
const folder = dirname(fileURLToPath(import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= REQUIRED_MAJOR) {
  cacheCompiledCode();
  const source = join(folder, 'bin.ts');
  const program = existsSync(source) ? source : join(folder, '..', '..', 'dist', 'cli.js');
  await import(pathToFileURL(program).href);
} else {
  runWith(installedNode() ?? fetchedNode());
}

/**
 * Lets Node keep compiled code: a tenth less processor time for a short run of the package, and no types to strip again in a
 * checkout. The cache is in the user's own cache folder, not in the shared temporary folder, because Node executes what it finds
 * there. NODE_COMPILE_CACHE names another folder, NODE_DISABLE_COMPILE_CACHE=1 switches it off.
 */
function cacheCompiledCode() {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined || !nodeModule.enableCompileCache) return;
  try {
    const cache = join(userCacheFolder(), 'playbyplay', 'compiled');
    makeFolder(cache);
    const { directory } = nodeModule.enableCompileCache(cache);
    // Worker threads inherit the folder from the environment.
    if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] = cache;
  } catch {
    // Without a writable cache folder the program only starts more slowly.
  }
}

/** The folder in which the system keeps the user's caches. */
function userCacheFolder() {
  if (process.platform === 'win32') return process.env['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  return process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
}

/**
 * Makes a folder and those that contain it, and throws where that is impossible: `mkdirSync` with `recursive` can loop forever there.
 *
 * @param {string} path
 */
function makeFolder(path) {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/**
 * The Node in the user's cache folder, which npm fetches there the first time: the package of the platform, checked by npm like
 * every package, without install scripts. PLAYBYPLAY_FETCH_NODE=0 switches this off.
 */
function fetchedNode() {
  const { platform, arch } = process;
  const name = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
  const program = join('node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node');
  const parent = join(userCacheFolder(), 'playbyplay');
  const home = join(parent, `node-${FETCHED_VERSION}`);
  if (existsSync(join(home, program))) return join(home, program);
  if (process.env['PLAYBYPLAY_FETCH_NODE'] === '0') return undefined;
  process.stderr.write(
    `playbyplay needs Node ${REQUIRED_MAJOR}; this is ${process.version}. Fetching Node ${FETCHED_VERSION} once, into ${home} …\n`,
  );
  try {
    makeFolder(parent);
    // Two first runs at one time do not disturb each other: each fetches into a folder of its own.
    const own = mkdtempSync(join(parent, 'fetching-'));
    const args = ['install', '--prefix', '.', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status } = spawnSync('npm', [...args, '--loglevel=error', `${name}@${FETCHED_VERSION}`], {
      cwd: own,
      stdio: ['ignore', 2, 2],
      // npm is a batch file on Windows, which only a shell runs.
      shell: platform === 'win32',
    });
    if (status === 0 && !existsSync(home)) renameSync(own, home);
    rmSync(own, { recursive: true, force: true });
  } catch {
    // Without npm, or without a writable cache folder, there is a message instead.
  }
  return existsSync(join(home, program)) ? join(home, program) : undefined;
}

/** @param {string | undefined} node The path of a newer Node. */
function runWith(node) {
  if (node === undefined) {
    process.stderr.write(
      `playbyplay needs Node ${REQUIRED_MAJOR} or later; this is ${process.version}.\n` +
        `Install it from https://nodejs.org.\n` +
        `In a checkout: npm ci && npm rebuild node\n`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`playbyplay: cannot start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}

/** The Node of the npm package `node`, if it is installed next to this package. */
function installedNode() {
  try {
    const nodePackage = dirname(nodeModule.createRequire(import.meta.url).resolve('node/package.json'));
    const name = process.platform === 'win32' ? 'node.exe' : 'node';
    return [join(nodePackage, 'bin', name), join(nodePackage, name)].find((path) => existsSync(path));
  } catch {
    return undefined;
  }
}
