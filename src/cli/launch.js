#!/usr/bin/env node
// Starts the program: from its sources in the checkout, from the built files in the package. Plain JavaScript that old
// versions of Node can read, so that they can be told what is missing, or handed over to the Node that the checkout pins.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, 'bin.ts');
const program = existsSync(source) ? source : join(here, '..', '..', 'dist', 'cli', 'bin.js');
const needed = 24;
/** Bytes from which on a recording is long enough for its table to count. */
const large = 32 * 2 ** 20;

if (Number(process.versions.node.split('.')[0]) >= needed) {
  keepMemoryFlat();
  keepCompiledCode();
  await import(pathToFileURL(program).href);
} else {
  const node = pinnedNode();
  if (node === undefined) {
    process.stderr.write(
      `playbyplay needs Node ${needed} or later; this is ${process.version}.\n` +
        `In a checkout run npm ci once; elsewhere: npm install node@${needed} beside it, or npx --package=node@${needed} -- playbyplay …\n`,
    );
    process.exitCode = 1;
  } else {
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
}

/**
 * Lets Node keep what it compiles, for the threads of this run and for the runs after it: half of a short run's start is
 * compiling. In the person's own cache folder, as what lies there is executed.
 */
function keepCompiledCode() {
  if (process.env['NODE_COMPILE_CACHE'] !== undefined || !nodeModule.enableCompileCache) return;
  try {
    const caches =
      process.platform === 'win32'
        ? process.env['LOCALAPPDATA'] || join(homedir(), 'AppData', 'Local')
        : process.platform === 'darwin'
          ? join(homedir(), 'Library', 'Caches')
          : process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
    const folder = join(caches, 'playbyplay', 'compiled');
    makeFolder(folder);
    const { directory } = nodeModule.enableCompileCache(folder);
    // Threads take it from here.
    if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] = folder;
  } catch {
    // Without a home folder the program starts all the same, only slower.
  }
}

/** Throws where that cannot be: Node's own way to make the folders around a folder never ends where the system says there can be none. @param {string} folder */
function makeFolder(folder) {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/**
 * FFmpeg's table of a long mp4 is read once and freed, but the C library of Linux keeps such memory, and as much again for each thread
 * (70 MiB of 335 for an hour with two); and each thread of V8 sooner or later uses all the room that it has for what is
 * short-lived (16 MiB, where 4 serve as well). They can only be told otherwise before a process begins, so for a large
 * recording this one begins anew, which takes 40 ms.
 */
function keepMemoryFlat() {
  const { argv, env, execArgv, execPath, platform } = process;
  if (platform !== 'linux' || argv[2] !== 'detect' || env['MALLOC_ARENA_MAX'] !== undefined) return;
  if (typeof process.execve !== 'function' || process.send !== undefined || !argv.slice(3).some(isLarge)) return;
  const flags = ['--max-semi-space-size=4', ...execArgv];
  const own = { ...env, MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: String(2 ** 20) };
  // It is announced as experimental.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    process.execve(execPath, [execPath, ...flags, fileURLToPath(import.meta.url), ...argv.slice(2)], own);
  } catch {
    // Where processes may not be replaced the memory stays as it is.
  }
  process.emitWarning = emitWarning;
}

/** @param {string} path */
function isLarge(path) {
  try {
    return statSync(path).size > large;
  } catch {
    // Not every argument is a file.
    return false;
  }
}

/** The Node that npm installed beside this package, if it is new enough to be there. */
function pinnedNode() {
  try {
    const folder = dirname(nodeModule.createRequire(import.meta.url).resolve('node/package.json'));
    const name = process.platform === 'win32' ? 'node.exe' : 'node';
    return [join(folder, 'bin', name), join(folder, name)].find((path) => existsSync(path));
  } catch {
    return undefined;
  }
}
