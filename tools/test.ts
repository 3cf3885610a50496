// The test command: static checks, the build, then every test. With arguments: only vitest, which they are passed to.
//   node tools/test.ts [--project unit|footage|browser|package] [file…]
import { join } from 'node:path';
import { CHECKS, runAll, type Step } from './steps.ts';

// Tests start hundreds of processes and threads: a tenth of the processor time goes into the same modules without this.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled');

const args = process.argv.slice(2);
const build: Step = ['build', 'node', [join(import.meta.dirname, 'build.ts')]];
const isWhole = args.length === 0;
if (isWhole) process.env['TEST_PROGRAM'] = join(import.meta.dirname, '..', 'dist', 'cli.js');
process.exitCode = runAll([
  ...(isWhole ? [...CHECKS, build] : []),
  ['tests', 'vitest', ['run', '--config', 'test/vitest.config.ts', ...args]],
]);
