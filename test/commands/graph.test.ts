import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launcher } from '../paths.ts';

const graph = {
  resources: [
    { name: 'ones', regions: [6, 4], bytes: 1 },
    { name: 'sums', regions: [6, 4], bytes: 1 },
  ],
  calls: [
    { name: 'count', space: [6, 4], writes: [{ resource: 'ones' }] },
    {
      name: 'sum',
      space: [6, 4],
      reads: [{ resource: 'ones', regions: { offset: [-3, -1] }, outside: 'wrap' }],
      writes: [{ resource: 'sums' }],
    },
  ],
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'graph-'));
  writeFileSync(join(folder, 'graph.json'), JSON.stringify(graph));
  writeFileSync(
    join(folder, 'kernels.mjs'),
    `export const kernels = {
      count: ({ index: [x, y], outputs }) => outputs[0].fill(10 * x + y),
      sum: ({ inputs, outputs }) => outputs[0].set(inputs[0]),
    };`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function playbyplay(...args: readonly string[]) {
  return spawnSync(process.execPath, [launcher, 'graph', ...args], { cwd: folder, encoding: 'utf8' });
}

describe('playbyplay graph', () => {
  it('shows the start of each device in the 6 × 4 example, and that (2,2) waits for (5,1) by wrap-around', () => {
    const { status, stdout } = playbyplay('plan', 'graph.json', '--json');
    expect(status).toBe(0);
    const [count, sum] = (JSON.parse(stdout) as { calls: Call[] }).calls as [Call, Call];
    expect(count.devices.map(([first]) => first)).toEqual([
      [0, 1],
      [5, 1],
      [0, 2],
      [5, 2],
    ]);
    const reader = sum.dependencies.find(({ portion }) => portion.join() === '2,2');
    expect(reader?.needs).toEqual(['count (5,1)']);
  });

  it('runs the kernels on threads and writes their results', () => {
    const run = playbyplay('run', 'graph.json', '--kernels', 'kernels.mjs', '--devices', '2', '--out', 'out', '--json');
    expect(run.stderr).toBe('');
    const { portions } = JSON.parse(run.stdout) as { portions: number[] };
    expect(portions.reduce((sum, count) => sum + count)).toBe(48);
    // The region at (2,2) is the one at (−1,1), which wraps to (5,1).
    expect(readFileSync(join(folder, 'out', 'sums.bin'))[2 * 6 + 2]).toBe(51);
  });

  it('reports every issue of a graph', () => {
    writeFileSync(join(folder, 'broken.json'), JSON.stringify({ calls: [{ name: 'a', spaces: [1] }] }));
    const { status, stderr } = playbyplay('plan', 'broken.json');
    expect(status).toBe(1);
    expect(stderr).toMatch(/space/);
    const circle = { calls: [{ name: 'a', space: [2], after: [{ call: 'a' }] }] };
    writeFileSync(join(folder, 'circle.json'), JSON.stringify(circle));
    expect(playbyplay('plan', 'circle.json').stderr).toMatch(/2 portions depend on each other in a circle/);
  });
});

interface Call {
  readonly devices: readonly (readonly (readonly number[])[])[];
  readonly dependencies: readonly { readonly portion: readonly number[]; readonly needs: readonly string[] }[];
}
