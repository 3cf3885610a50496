// The test command: static checks, then every test. With arguments: only vitest, which they are passed to.
//   node tools/test.ts [--project unit|footage|browser|package] [file…]
import { join } from 'node:path';
import { CHECKS, runAll } from './steps.ts';

// Tests start hundreds of processes and threads: a tenth of the processor time goes into the same modules without this.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled');

const args = process.argv.slice(2);
process.exitCode = runAll([
  ...(args.length === 0 ? CHECKS : []),
  ['tests', 'vitest', ['run', '--config', 'test/vitest.config.ts', ...args]],
]);
