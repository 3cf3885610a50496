// Types, lint, format and structure: everything that is checked without running the program.
import { runAll } from './steps.ts';

process.exitCode = runAll([
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  ['lint', 'oxlint', ['-c', 'tools/oxlint.json', '--quiet', '--ignore-pattern', 'scripts/*.js', '.']],
  ['format', 'biome', ['format', '--config-path=tools/format.json', '.']],
]);
