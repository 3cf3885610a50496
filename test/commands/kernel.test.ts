import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { root } from '../paths.ts';

/** Runs the real program. */
function playbyplay(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['src/cli/launch.js', ...args], {
    cwd: root,
    encoding: 'utf8',
    input,
  });
  return { status, stdout, stderr };
}

describe('playbyplay kernel quantize', () => {
  it('prints a kernel as JSON and preserves its sum', () => {
    const { status, stdout } = playbyplay(['kernel', 'quantize', '[0.2, 0.2, 0.2, 0.2, 0.2]', '--bits', '8', '--json']);
    const { mantissas, exponent, sum } = JSON.parse(stdout) as { mantissas: number[]; exponent: number; sum: number };
    expect(status).toBe(0);
    // 0.2 = 102.4 / 512; five times 102 is 510, so one pair about the middle must be 103.
    expect(mantissas.toSorted()).toEqual([102, 102, 102, 103, 103]);
    expect(mantissas.toReversed()).toEqual(mantissas);
    expect([exponent, sum]).toEqual([-9, 1]);
  });

  it('prints one row a line as JSON, and refuses numbers beyond doubles', () => {
    const { stdout } = playbyplay(['kernel', 'quantize', '[[1,2,1],[2,4,2]]', '--json']);
    expect(stdout).toMatch(/"mantissas": \[\n {4}\[\d+, \d+, \d+\],\n {4}\[\d+, \d+, \d+\]\n {2}\],\n/);
    expect(playbyplay(['kernel', 'quantize', '[1e308, 1e308]'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Coefficients must be at most'),
    });
  });

  it('scales to a sum and shows the resulting errors in a table', () => {
    const { stdout } = playbyplay(['kernel', 'quantize', '[[1,1,1],[1,1,1],[1,1,1]]', '--sum', '1']);
    expect(stdout).toContain('114  112  114');
    expect(stdout).toContain('sum         1 (target 1, error 0,');
  });

  it('reads standard input and writes C', () => {
    const { status, stdout } = playbyplay(
      ['kernel', 'quantize', '-', '--format', 'c', '--separate'],
      '{"kernel": [[0.25, 0.25], [0.25, 0.25]]}',
    );
    expect(status).toBe(0);
    expect(stdout).toContain('static const int8_t kernel_1[2] = { 64, 64 };');
  });

  it('reports errors on stderr with their exit codes', () => {
    expect(playbyplay(['kernel', 'quantize', '[[1,2],[3]]'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('equal lengths'),
    });
    expect(playbyplay(['kernel', 'quantize', '[1]', '--bits', '99'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('from 2 to 32'),
    });
    expect(playbyplay(['kernel', 'quantize', 'none.json'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('none.json'),
    });
    expect(playbyplay(['kernel', 'quantize', '[[1,0],[0,1]]', '--separate'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not a product'),
    });
  });
});
