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
