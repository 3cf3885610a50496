// The test command: static checks, then every test. With arguments: only vitest, which they are passed to.
//   node tools/test.ts [--project unit|footage|browser|package] [file…]
import { CHECKS, runAll } from './steps.ts';

const args = process.argv.slice(2);
process.exitCode = runAll([
  ...(args.length === 0 ? CHECKS : []),
  ['tests', 'vitest', ['run', '--config', 'test/vitest.config.ts', ...args]],
]);
