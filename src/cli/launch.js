#!/usr/bin/env node
// Starts the program: from its sources in the checkout, from the built files in the package. Plain JavaScript that old
// versions of Node can read, so that they can be told what is missing, or handed over to the Node that the checkout pins.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, 'bin.ts');
const program = existsSync(source) ? source : join(here, '..', '..', 'dist', 'cli', 'bin.js');
const needed = 24;

if (Number(process.versions.node.split('.')[0]) >= needed) {
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
        ? (process.env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'))
        : process.platform === 'darwin'
          ? join(homedir(), 'Library', 'Caches')
          : (process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'));
    const folder = join(caches, 'playbyplay', 'compiled');
    const { directory } = nodeModule.enableCompileCache(folder);
    // Threads take it from here.
    if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] = folder;
  } catch {
    // Without a home folder the program starts all the same, only slower.
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
