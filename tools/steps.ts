import { spawnSync } from 'node:child_process';

/** A named command of node_modules/.bin and its arguments. */
export type Step = readonly [name: string, command: string, args: readonly string[]];

/** Runs the steps in order, stops at the first that fails, and returns its exit status (0: all passed). */
export function runAll(steps: readonly Step[]): number {
  for (const [name, command, args] of steps) {
    process.stderr.write(`— ${name}\n`);
    const { status, error } = spawnSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
    if (error) throw error;
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

/** Several checkers, the default of tsc, would each check the types that files share: a third more processor time. */
const ONE_CHECKER = ['--checkers', '1'];

/** The static checks. */
export const CHECKS: readonly Step[] = [
  ['types', 'tsc', ['-p', 'tsconfig.json', ...ONE_CHECKER]],
  ['types of pages', 'tsc', ['-p', 'src/studio/web', ...ONE_CHECKER]],
  ['lint', 'oxlint', ['-c', 'tools/oxlint.json', '--quiet', '--ignore-pattern', 'scripts/*.js', '.']],
  ['format', 'biome', ['format', '--config-path=tools/format.json', '.']],
];
