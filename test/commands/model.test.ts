import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeModel } from '../../src/compute/tiling/model.ts';
import { examples } from '../fixtures/networks.ts';
import { launcher } from '../paths.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-'));
  for (const [name, make] of Object.entries(examples)) writeFileSync(join(folder, `${name}.onnx`), writeModel(make()));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** How many columns `dram image 0–321` names. */
function width(place: string): number {
  const [from, to] = place.split(' ').at(-1)!.split('–').map(Number) as [number, number];
  return to - from + 1;
}

/** Runs the real program. */
function plan(name: string, ...args: readonly string[]) {
  const program = [launcher, 'model', 'plan', `${name}.onnx`, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: folder, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('playbyplay model plan', () => {
  it('lists the instructions of the 16 × 16 example: 13 rows in, 10 computed, 4 stored; then 9 in, 6 computed, 6 + 4 read', () => {
    const size = ['--input', '16x16', '--budget', '1MiB', '--axis', 'rows', '--tiles', '2', '--fetch-again'];
    const { status, stdout } = plan('example-16x16', ...size, '--instructions');
    expect(status).toBe(0);
    const lines = stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));
    expect(lines.filter(([pass]) => pass === '0' || pass === '1')).toEqual([
      ['0', 'fetch+conv+crop', 'conv3', 'dram image 0–12', '→', 'main conv3 0–9, aux conv3 6–9'],
      ['0', 'conv', 'conv6', 'main conv3 -2–9', '→', 'dram conv6 0–7'],
      ['1', 'fetch+conv', 'conv3', 'dram image 7–15', '→', 'main conv3 10–15'],
      ['1', 'conv', 'conv6', 'aux conv3 6–9 + main conv3 6–17', '→', 'dram conv6 8–15'],
    ]);
  });

  it('prints as JSON what reuse saves: 26 rows fetched without, 22 with features stored, 16 with the image stored too', () => {
    const { stdout } = plan('example-16x16', '--input', '16x16', '--budget', '1MiB', '--tiles', '2', '--json');
    const { comparison } = JSON.parse(stdout) as { comparison: Record<string, { fetched: number; macs: number }> };
    expect(comparison['fetchingAgain']!.fetched).toBe(22);
    expect(comparison['plan']!.fetched).toBe(16);
    expect(comparison['plan']!.macs).toBe(comparison['untiled']!.macs);
  });

  it('prints the tile widths of the 960 × 480 example: 322, 325 and 323 columns', () => {
    const cut = ['--axis', 'columns', '--tiles', '3', '--recompute', '--json', '--instructions'];
    const { stdout } = plan('example-960x480', '--input', '960x480', '--budget', '64MiB', ...cut);
    const { instructions } = JSON.parse(stdout) as { instructions: { from: string[]; to: string[] }[][] };
    expect(instructions[0]!.map(({ from, to }) => [width(from[0]!), width(to[0]!)])).toEqual([
      [322, 160],
      [325, 160],
      [323, 160],
    ]);
  });

  it('reports a budget that is too small and the least sufficient one', () => {
    expect(plan('example-960x480', '--input', '960x480', '--budget', '10KiB')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/too little[\s\S]*at least .* MiB/),
    });
    expect(plan('example-960x480', '--input', 'large', '--budget', '1MiB')).toMatchObject({ status: 2 });
    expect(plan('none', '--input', '16x16', '--budget', '1MiB')).toMatchObject({ status: 1 });
  });
});
