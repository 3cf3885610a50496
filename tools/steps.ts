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

/** The static checks. */
export const CHECKS: readonly Step[] = [
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  ['types of pages', 'tsc', ['-p', 'src/studio/web']],
  ['lint', 'oxlint', ['-c', 'tools/oxlint.json', '--quiet', '--ignore-pattern', 'scripts/*.js', '.']],
  ['format', 'biome', ['format', '--config-path=tools/format.json', '.']],
];
