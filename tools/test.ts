// The whole test command: static checks, then every test. Arguments are passed on to vitest.
import { runAll } from './steps.ts';

const args = process.argv.slice(2);
process.exitCode = runAll([
  ...(args.length === 0
    ? ([
        ['types', 'tsc', ['-p', 'tsconfig.json']],
        ['lint', 'oxlint', ['-c', 'tools/oxlint.json', '--quiet', '--ignore-pattern', 'scripts/*.js', '.']],
        ['format', 'biome', ['format', '--config-path=tools/format.json', '.']],
      ] as const)
    : []),
  ['tests', 'vitest', ['run', '--config', 'test/vitest.config.ts', ...args]],
]);
