import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { PlaybyplayError } from '../../../src/errors.ts';
import { detect } from '../../../src/pipeline/detect.ts';
import { inspectGame } from '../../../src/pipeline/game.ts';
import { openSource } from '../../../src/pipeline/source.ts';
import { TextRecognizer } from '../../../src/recognition/text-recognizer.ts';
import { NO_PLUGINS } from '../../../src/detectors/plugins/load.ts';
import { mutatedJson } from '../../../test/fixtures/generated/mutations.ts';
import { profiles } from '../../../test/fixtures/generated/profiles.ts';
import type { Format } from './formats.ts';

const configs = join(import.meta.dirname, '..', '..', '..', 'configs');

/** Files of built-in games that generated profiles name. */
const ASSETS: Readonly<Record<string, string>> = {
  'status.json': 'freedoom/fonts/small.json',
  'feed.json': 'openarena/feed.json',
  'light.json': 'freedoom/light.json',
  'messages.txt': 'freedoom/messages.txt',
  'icon.png': 'freedoom/icons/bar.png',
};

/** One accepted profile of so many is also run on a recording, which takes longer than all else. */
const RUN_EVERY = 25;

/** One profile of so many has a script, whose interpreter takes longer than all other checks. */
const SCRIPT_EVERY = 20;

/** Profiles, opened as `profile check` and `detect` open them; some of those accepted also read a tiny recording. */
export async function openProfiles(folder: string): Promise<Format> {
  const [plain, scripted] = ['plain', 'scripted'].map((name) => join(folder, name, 'configs', 'generated')) as [
    string,
    string,
  ];
  for (const pack of [plain, scripted]) {
    mkdirSync(pack, { recursive: true });
    for (const [name, from] of Object.entries(ASSETS)) cpSync(join(configs, from), join(pack, name));
  }
  mkdirSync(join(folder, 'scripted', 'scripts'), { recursive: true });
  writeFileSync(join(folder, 'scripted', 'scripts', 'generated.js'), 'function onCue(cue, game) {}\n');
  const recording = join(folder, 'tiny.mp4');
  const made = spawnSync('ffmpeg', [
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=128x72:r=10:d=1',
    '-c:v',
    'libx264',
    '-g',
    '5',
    recording,
  ]);
  if (made.status !== 0) throw new Error(made.stderr.toString());
  const examples = ['freedoom', 'openarena', 'nethack', 'hedgewars'].map(
    (game) => JSON.parse(readFileSync(join(configs, game, 'profile.json'), 'utf8')) as unknown,
  );
  let [turn, accepted] = [0, 0];
  // Open all the time, because opening it takes longer than all else.
  await TextRecognizer.open();
  return {
    inputs: fc.oneof(
      { weight: 4, arbitrary: mutatedJson(await profiles([...Object.keys(ASSETS), 'missing.json']), 0.5) },
      mutatedJson(fc.constantFrom(...examples)),
    ),
    async read(input) {
      const pack = turn++ % SCRIPT_EVERY === 0 ? scripted : plain;
      writeFileSync(join(pack, 'profile.json'), input);
      const inspected = await inspectGame(pack, NO_PLUGINS);
      if (inspected.error) throw inspected.error;
      if (accepted++ % RUN_EVERY > 0) return;
      using source = await openSource(recording);
      try {
        for await (const _ of detect(source, inspected.game, { workers: 1, place: 'default' })) void _;
      } catch (error) {
        if (error instanceof PlaybyplayError)
          throw new Error(`accepted, but a run ends with ${error.code}: ${error.message}`, { cause: error });
        throw error;
      }
    },
  };
}
