#!/usr/bin/env node
// Starts the command line: its sources in the checkout, the bundle in the package. Plain JavaScript, so that an older Node can
// read it and hand over to the Node that is installed next to the package, or say what to install.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const REQUIRED_MAJOR = 24;
const folder = dirname(fileURLToPath(import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= REQUIRED_MAJOR) {
  cacheCompiledCode();
  const source = join(folder, 'bin.ts');
  const program = existsSync(source) ? source : join(folder, '..', '..', 'dist', 'cli.js');
  await import(pathToFileURL(program).href);
} else {
  runWith(installedNode());
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

/** @param {string | undefined} node The path of a newer Node. */
function runWith(node) {
  if (node === undefined) {
    process.stderr.write(
      `playbyplay needs Node ${REQUIRED_MAJOR} or later; this is ${process.version}.\n` +
        `Install it from https://nodejs.org, or run: npx --package=node@${REQUIRED_MAJOR} --package=playbyplay -- playbyplay …\n` +
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
