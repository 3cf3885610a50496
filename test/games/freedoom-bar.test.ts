import { expect, test } from 'vitest';
import type { Observation } from '../../src/detectors/kind.ts';
import type { DetectorSpec } from '../../src/profile/profile.ts';
import { compileProfile } from '../../src/pipeline/compile-profile.ts';
import { openGame } from '../../src/pipeline/game.ts';
import { labelledPictures } from '../../src/pipeline/authoring/learn.ts';
import { SampleReader } from '../../src/pipeline/reading/sample-reader.ts';
import { fixture } from '../paths.ts';

const LABELS = fixture('freedoom', 'labels.ndjson');

/** The value where it is sure enough. */
function shown({ confidence, ...own }: Observation, least: number): unknown {
  return own.state === 'seen' && confidence >= least ? own.value : own.state;
}

/** What detectors of the profile read on pictures of a recording. */
async function readings(media: string, times: readonly number[], wanted: readonly string[]): Promise<unknown[][]> {
  const { profile: whole, assets } = await openGame('freedoom');
  const detectors = Object.fromEntries(
    wanted.map((name) => {
      const { when: _, modes: __, ...own } = whole.detectors[name]!;
      return [name, own as DetectorSpec];
    }),
  );
  // Without activation conditions.
  const game = await compileProfile({ profile: { ...whole, screens: {}, modes: {}, detectors }, assets });
  const due = new Uint8Array(wanted.length).fill(1);
  const labels = times.map((t) => ({ media, t, detector: '', text: '' }));
  const read: unknown[][] = [];
  let reader: SampleReader | undefined;
  for (const { picture } of labelledPictures(labels, LABELS)) {
    reader ??= await SampleReader.open(game, picture);
    const all = await reader.read(picture, due);
    read.push(wanted.map((name, i) => shown(all[i]!, detectors[name]!.stability!.confidence!)));
  }
  reader?.[Symbol.dispose]();
  return read;
}

test('freedoom: numbers are read where a heavy hit leaves a ninth of their contrast', async () => {
  expect(await readings('red.mp4', [0, 0.05, 0.1], ['health', 'armor', 'ammunition'])).toEqual([
    [99, 0, 8],
    [35, 0, 7],
    [35, 0, 7],
  ]);
});

test('freedoom: numbers in other colours than red are read', async () => {
  expect(await readings('colours.mp4', [0, 0.05], ['health', 'armor', 'ammunition'])).toEqual([
    [100, 0, 50],
    [40, 4, 4],
  ]);
});

test('freedoom: numbers directly over the scene are read, also in other colours than red', async () => {
  const names = ['percent', 'health', 'armor', 'ammunition', 'bullets', 'shells', 'arms 4'].map(
    (name) => `bare ${name}`,
  );
  expect(await readings('bare.mp4', [0, 0.05], names)).toEqual([
    ['%', 94, 3, 63, 63, 0, 'absent'],
    ['%', 100, 0, 50, 50, 0, 'absent'],
  ]);
});

test('freedoom: a HUD of lines of text is read, also while a hit tints the screen', async () => {
  const names = ['label', 'health', 'armor', 'ammunition', 'bullets', 'shells', 'weapons'].map(
    (name) => `text ${name}`,
  );
  expect(await readings('text.mp4', [0, 0.05], names)).toEqual([
    ['HEL', 85, 0, 47, 47, 0, '1 2'],
    ['HEL', 82, 0, 3, 47, 3, '1 2 3'],
  ]);
});

test('freedoom: the screens between levels name the finished level and the next', async () => {
  expect(await readings('levels.mp4', [0, 0.05], ['tally', 'entering', 'level name'])).toEqual([
    ['tally', 'absent', 'freedoom:E2M4'],
    ['absent', 'entering', 'freedoom:E2M5'],
  ]);
});

test('freedoom: the message in the middle of the screen reveals a secret', async () => {
  const word = expect.stringMatching(/^S[CE]{2}R[CE]T$/);
  expect(await readings('secret.mp4', [0, 0.05], ['secret', 'secret below'])).toEqual([
    [word, 'absent'],
    ['absent', 'absent'],
  ]);
  expect(await readings('secret-below.mp4', [0], ['secret', 'secret below'])).toEqual([['absent', word]]);
});
