// Networks that need too much memory or time, are random, read other files, or say one thing twice.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endedModels, refusedModels } from '../../../test/fixtures/hostile-models.ts';
import { floats, node, pictureBytes } from '../../../test/fixtures/onnx.ts';
import type { AttackCase } from './case.ts';

const group = 'models';

/** Writes a game whose only detector runs a network. */
function writeGame(folder: string, bytes: Uint8Array): void {
  const game = join(folder, 'configs', 'evil');
  mkdirSync(game, { recursive: true });
  writeFileSync(join(game, 'm.onnx'), bytes);
  const network = {
    kind: 'onnx',
    region: 'all',
    model: 'm.onnx',
    task: 'classify',
    labels: ['a', 'b'],
    input: { width: 16, height: 16 },
  };
  const profile = {
    format: 'playbyplay/profile/1',
    game: 'evil',
    title: 'Evil',
    version: '1',
    reference: { width: 1280, height: 720 },
    dictionaries: [],
    regions: { all: { x: 0, y: 0, width: 1, height: 1 } },
    detectors: { network },
  };
  writeFileSync(join(game, 'profile.json'), JSON.stringify(profile));
}

/** A network of many convolutions, which passes the check and is slow. */
function slowModel(): Uint8Array {
  const layers = 40;
  const nodes = Array.from({ length: layers }, (_, i) =>
    node('Conv', [i === 0 ? 'u' : `c${i - 1}`, 'w'], [i === layers - 1 ? 'c' : `c${i}`], { pads: [4, 4, 4, 4] }),
  );
  return pictureBytes(
    [
      node('Resize', ['x', '', 'scales'], ['u0']),
      node('Concat', ['u0', 'u0', 'u0', 'u0'], ['u'], { axis: 1 }),
      ...nodes,
      node('GlobalAveragePool', ['c'], ['p']),
      node('Flatten', ['p'], ['y']),
    ],
    [
      floats('scales', [1, 1, 64, 64]),
      floats(
        'w',
        Array.from({ length: 12 * 12 * 81 }, (_, i) => (i % 7) / 700),
        [12, 12, 9, 9],
      ),
    ],
  );
}

/** Writes a game with the network, and returns the arguments that read a recording with it. */
function detectWith(folder: string, bytes: Uint8Array): string[] {
  writeGame(folder, bytes);
  const recording = join(import.meta.dirname, '..', '..', '..', 'test', 'footage', 'freedoom-demo1.mp4');
  writeFileSync(join(folder, 'clip.mp4'), readFileSync(recording));
  return ['detect', 'clip.mp4', '--game', './configs/evil', '--out', 'log'];
}

export const cases: readonly AttackCase[] = [
  ...refusedModels.map(
    ({ name, bytes, says }): AttackCase => ({
      group,
      name,
      make(folder) {
        writeGame(folder, bytes());
        return ['profile', 'check', './configs/evil'];
      },
      expect: {
        exit: [3],
        seconds: 60,
        megabytes: 800,
        check: (_folder, { stdout }) => (says.test(stdout) ? undefined : `stdout does not match ${says}`),
      },
    }),
  ),
  ...endedModels.map(
    ({ name, bytes, says }): AttackCase => ({
      group,
      name,
      env: { PLAYBYPLAY_NETWORK_SECONDS: '5' },
      make: (folder) => detectWith(folder, bytes()),
      expect: { exit: [1], says, seconds: 60, megabytes: 2000 },
    }),
  ),
  {
    group,
    name: 'a slow network ends by the clock',
    env: { PLAYBYPLAY_NETWORK_SECONDS: '2' },
    make: (folder) => detectWith(folder, slowModel()),
    expect: {
      exit: [1],
      says: /detector “network”: the model m\.onnx is too slow: a run took longer than 2 s/,
      seconds: 60,
      megabytes: 1500,
    },
  },
];
