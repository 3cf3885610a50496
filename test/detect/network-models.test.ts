import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadLog } from '../../src/events/reader.ts';
import { recordLog } from '../../src/pipeline/record-log.ts';
import type { DetectorSpec, Profile, SequenceSpec } from '../../src/profile/profile.ts';
import { root } from '../paths.ts';

const json = async <T>(...path: string[]): Promise<T> => JSON.parse(await readFile(join(root, ...path), 'utf8')) as T;
const footage = join(root, 'test', 'footage', 'freedoom-demo1');

/** A pack with Freedoom's profile, changed. */
async function packWith(change: (profile: Profile) => Profile): Promise<string> {
  const pack = await mkdtemp(join(tmpdir(), 'playbyplay-networks-'));
  for (const path of ['configs/freedoom', 'scripts/freedoom.js', 'scripts/freedoom', 'dictionary/freedoom.json'])
    await cp(join(root, path), join(pack, path), { recursive: true });
  const profile = change(await json<Profile>('configs', 'freedoom', 'profile.json'));
  await writeFile(join(pack, 'configs', 'freedoom', 'profile.json'), JSON.stringify(profile));
  return pack;
}

/** What a run from 2 (the screen has melted) to `to` seconds says of the figures, and what truth does. */
async function said(game: string, to: number, workers: number): Promise<readonly [string[], string[], string]> {
  const out = join(game, `log-${workers}`);
  await recordLog({ media: `${footage}.mp4`, game, out, from: 2, to, workers });
  const lines = (rows: readonly { t: number; statement: unknown }[]): string[] =>
    rows
      .filter(
        ({ t, statement }) =>
          t > 2 &&
          t < to - 1.5 &&
          /health|armor|ammunition/.test(JSON.stringify(statement)) &&
          'property' in (statement as object),
      )
      .map(({ t, statement }) => `${Math.round(10 * t)} ${JSON.stringify(statement)}`);
  const truth = (await readFile(`${footage}.truth.ndjson`, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { t: number; statement: unknown });
  return [lines((await loadLog(out)).events), lines(truth), await readFile(join(out, 'events.ndjson'), 'utf8')];
}

/** Seconds apart at most, in tenths: a sample. */
function close(a: readonly string[], b: readonly string[]): boolean {
  return (
    a.length === b.length &&
    a.every((line, i) => {
      const [[t, ...one], [u, ...other]] = [line.split(' '), b[i]!.split(' ')] as [string[], string[]];
      return Math.abs(Number(t) - Number(u)) <= 2 && one.join(' ') === other.join(' ');
    })
  );
}

describe('networks trained on exported regions', () => {
  it('read the numbers of the ground truth, independent of threads and batch size', async () => {
    const networks = await json<Record<string, DetectorSpec>>('bench', 'detectors', 'networks', 'freedoom.json');
    const pack = (batch: number): Promise<string> =>
      packWith((profile) => ({
        ...profile,
        detectors: Object.fromEntries(
          Object.entries(profile.detectors).map(([name, { stability, persists, plausible }]) => {
            return [
              name,
              name in networks
                ? { stability, persists, plausible, ...networks[name]!, batch }
                : profile.detectors[name]!,
            ];
          }),
        ) as Profile['detectors'],
      }));
    const [events, truth, log] = await said(await pack(1), 10, 1);
    expect(truth.length).toBeGreaterThan(5);
    expect([events, close(events, truth)]).toEqual([events, true]);
    // The header has the profile's fingerprint.
    const [, ...lines] = log.split('\n');
    expect((await said(await pack(4), 10, 2))[2].split('\n').slice(1)).toEqual(lines);
  });

  it('produce events in place of the script', async () => {
    const interpreter = await json<SequenceSpec>('tools', 'train', 'freedoom-events.json');
    const pack = await packWith((profile) => ({ ...profile, interpreter }));
    const [events, truth, log] = await said(pack, 10, 2);
    expect([events, close(events, truth)]).toEqual([events, true]);
    expect(log).not.toContain('"script"');
  });
});
