// Small files that a command reads, as pipes that nobody writes to and as devices that never end.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { writeLog, writeRecording } from '../log-fixtures.ts';
import type { AttackCase } from './case.ts';

/** Command lines with the hostile file at `FILE`. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'settings of a reel': ['highlights', 'match.playbyplay', '-o', 'reel.mp4', '--settings', 'FILE'],
  'weights of viewers': ['highlights', 'match.playbyplay', '-o', 'reel.mp4', '--viewers', 'FILE'],
  preferences: ['highlights', 'match.playbyplay', '-o', 'reel.mp4', '--preferences', 'FILE'],
  'brand kit': ['highlights', 'match.playbyplay', '-o', 'reel.mp4', '--brand', 'FILE'],
  placement: ['detect', 'match.mp4', '--game', 'freedoom', '--out', 'log', '--place', 'FILE'],
  truth: ['evaluate', 'match.playbyplay', 'FILE'],
  kernel: ['kernel', 'quantize', 'FILE'],
  graph: ['graph', 'plan', 'FILE'],
  network: ['model', 'plan', 'FILE', '--input', '320x180', '--budget', '1MB'],
  'labels of glyphs': ['profile', 'glyphs', 'freedoom', '--labels', 'FILE', '--detector', 'health', '-o', 'font.json'],
  'log of another program': ['import', 'FILE', '-o', 'imported'],
};

export const cases: readonly AttackCase[] = Object.entries(COMMANDS).flatMap(([what, command]) =>
  ['pipe', '/dev/zero'].map(
    (file): AttackCase => ({
      group: 'inputs',
      name: `${what}: ${file}`,
      make(folder) {
        writeRecording(folder);
        writeLog(folder, { texts: ['player kills opponent Grunt'] });
        execFileSync('mkfifo', [join(folder, 'pipe')]);
        return command.map((part) => (part === 'FILE' ? file : part));
      },
      expect: { says: /is a pipe or device, not a file/, seconds: 30, megabytes: 400 },
    }),
  ),
);
