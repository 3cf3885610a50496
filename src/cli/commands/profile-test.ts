import { dirname, join } from 'node:path';
import { compareRuns, type Difference, runPack } from '../../studio/authoring/run-test.ts';
import { parseTestCase, TEST_FOLDER } from '../../studio/authoring/test-case.ts';
import { PlaybyplayError } from '../../errors.ts';
import { openGame } from '../../pipeline/game.ts';
import { findProfile } from '../../profile/find.ts';
import { formatClock } from '../../time.ts';
import type { RunCommand } from '../command.ts';
import { formatCount } from '../describe-error.ts';
import { ProgressBar } from '../progress.ts';
import type * as specs from '../specs.ts';

/** Where readings are stored in a pack, so that a changed rule or script needs no new ones. */
const READINGS_FOLDER = join('.playbyplay', 'readings');

/** `playbyplay profile test <pack>` */
export const testPack: RunCommand<typeof specs.profileTest> = async (io, { json, name: names }, path) => {
  const { pack } = await findProfile(path);
  const files = (await pack.list(TEST_FOLDER)).filter((name) => name.endsWith('.ndjson'));
  const tests = await Promise.all(
    files.map(async (file) => {
      const place = `${TEST_FOLDER}/${file}`;
      return parseTestCase(Buffer.from(await pack.read(place)).toString('utf8'), place, pack.name);
    }),
  );
  const wanted = tests.filter(({ name }) => names?.includes(name) ?? true);
  if (wanted.length === 0)
    throw new PlaybyplayError('no-tests', `${path} has no such tests`, {
      hint:
        tests.length === 0
          ? 'Mark what happens in a recording: playbyplay studio.'
          : `There are ${tests.map(({ name }) => name).join(', ')}.`,
    });
  const { dictionary } = await openGame(path);
  let failures = 0;
  for (const [i, test] of wanted.entries()) {
    const bar = new ProgressBar(io, test.name);
    const { media, from, to } = test;
    const readings = join(dirname(pack.locate('x')), READINGS_FOLDER);
    const onProgress = (share: number): void => bar.show(share, 1);
    const run = await runPack(path, media, { from, to, readings, signal: io.signal, onProgress }).finally(() =>
      bar.clear(),
    );
    const { all, differences } = compareRuns([{ test, events: run.events }], dictionary);
    failures += differences.length;
    const { truth, hits, events } = all;
    if (json) {
      const list = (kind: Difference['kind']) =>
        differences.filter((one) => one.kind === kind).map(({ t, statement }) => ({ t, statement }));
      io.stdout.write(
        `${JSON.stringify({ test: test.name, media, truth, events, hits, missed: list('missed'), wrong: list('wrong') })}\n`,
      );
      continue;
    }
    io.stdout.write(`${i === 0 ? '' : '\n'}${test.name}: ${hits} of ${truth} found, ${events - hits} wrong\n`);
    for (const { kind, t, sentence, insteadSentence } of differences) {
      const instead = insteadSentence === undefined ? '' : `  (instead: ${insteadSentence})`;
      io.stdout.write(`  ${kind.padEnd(6)}  ${formatClock(t, 3)}  ${sentence}${instead}\n`);
    }
  }
  if (!json)
    io.stderr.write(failures === 0 ? 'All tests pass.\n' : `${formatCount(failures, 'difference')} from the tests.\n`);
  return failures > 0 ? 3 : 0;
};
