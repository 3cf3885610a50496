import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clip, launcher, root } from '../paths.ts';

const profile = {
  format: 'playbyplay/profile/1',
  game: 'elsewhere',
  title: 'Elsewhere',
  version: '1',
  reference: { width: 1280, height: 720 },
  regions: { all: { x: 0, y: 0, width: 1, height: 1 } },
  detectors: {
    network: { kind: 'onnx', region: 'all', model: 'm.onnx', task: 'classify', labels: [...'abcdefghijkl'] },
  },
};

// ONNX Runtime uploads usage data unless this is switched off. Where it does, it stores an identifier of the computer in the home folder
// and a log in the folder for temporary files. It is silent where CI is set.
it.each([1, 3])('a network read with --workers %i leaves neither telemetry nor temporary files', (workers) => {
  const folder = mkdtempSync(join(tmpdir(), 'playbyplay-privacy-'));
  const [temporary, home] = [join(folder, 'temporary'), join(folder, 'home')];
  for (const path of [temporary, home]) mkdirSync(path);
  writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile));
  copyFileSync(join(root, 'configs', 'openarena', 'models', 'weapons.onnx'), join(folder, 'm.onnx'));
  const folders = { HOME: home, USERPROFILE: home, LOCALAPPDATA: home, XDG_CACHE_HOME: home, TMPDIR: temporary };
  const env: NodeJS.ProcessEnv = { ...process.env, ...folders, TEMP: temporary };
  // Without a folder of its own, compiled code would be kept in that home folder.
  if (env['NODE_COMPILE_CACHE'] === undefined) env['NODE_DISABLE_COMPILE_CACHE'] = '1';
  delete env['CI'];
  delete env['ORT_DISABLE_TELEMETRY'];
  const args = ['--game', folder, '--to', '1', '--workers', `${workers}`, '--out', join(folder, 'log'), '--quiet'];
  const { status } = spawnSync(process.execPath, [launcher, 'detect', clip, ...args], { env });
  expect(status).toBe(0);
  const stored = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect([readdirSync(temporary), stored.map(({ name }) => name)]).toEqual([[], []]);
  rmSync(folder, { recursive: true });
});
