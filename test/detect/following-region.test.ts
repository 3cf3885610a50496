// A region that follows a found icon, on a real recording: the health's figure, placed by the labels of the status bar.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLog } from '../../src/events/reader.ts';
import { recordLog, type RecordOptions } from '../../src/pipeline/record-log.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { clip as media, root } from '../paths.ts';

let folder: string;

/** The changes of health by detector, with times. */
async function changesByDetector(name: string): Promise<Map<string, string[]>> {
  const { events } = await loadLog(join(folder, name));
  const byDetector = Map.groupBy(events, ({ cues }) => cues[0]!.detector);
  return new Map([...byDetector].map(([detector, own]) => [detector, own.map(({ t, text }) => `${t} ${text}`)]));
}

async function run(name: string, options: Partial<RecordOptions> = {}): Promise<string> {
  const out = join(folder, name);
  await recordLog({ media, game: join(folder, 'configs', 'freedoom'), out, from: 4, to: 11, ...options });
  return readFile(join(out, 'events.ndjson'), 'utf8');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'following-'));
  await mkdir(join(folder, 'configs'));
  await cp(join(root, 'configs', 'freedoom'), join(folder, 'configs', 'freedoom'), { recursive: true });
  const path = join(folder, 'configs', 'freedoom', 'profile.json');
  const profile = JSON.parse(await readFile(path, 'utf8')) as Profile;
  const { health, 'status bar': bar } = profile.detectors;
  const [figure, labels] = [profile.regions['health']!, profile.regions['bar']!];
  const relative = {
    x: figure.x - labels.x,
    y: figure.y - labels.y,
    width: figure.width,
    height: figure.height,
    relative: { detector: 'labels', unit: 'frame' as const },
  };
  const changed: Partial<Profile> = {
    dictionaries: ['freedoom'],
    regions: {
      ...profile.regions,
      relative,
      standing: { ...relative, relative: { ...relative.relative, hold: 2 } },
    },
    detectors: {
      fixed: health!,
      // Colours themselves are compared, so the red of a wound hides the labels for a while.
      labels: { ...bar!, measure: 'difference', threshold: 0.93, screens: [], search: 6 },
      relative: { ...health!, region: 'relative' },
      standing: { ...health!, region: 'standing' },
    },
    events: ['fixed', 'relative', 'standing'].map((detector) => ({
      on: { detector, trigger: 'changed' },
      statement: { subject: 'player', property: 'health', from: '$previous', to: '$value' },
      alone: true,
    })),
  };
  await writeFile(
    path,
    JSON.stringify({ ...profile, screens: undefined, fusion: undefined, modes: undefined, ...changed }),
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a region relative to a found icon', () => {
  it('gives the readings of the fixed region, and stays in place while the icon is hidden', async () => {
    const log = await run('one', { workers: 1 });
    const { fixed, relative, standing } = Object.fromEntries(await changesByDetector('one')) as Record<
      string,
      string[]
    >;
    expect(fixed!.length).toBeGreaterThan(2);
    expect(standing).toEqual(fixed);
    // Wounds hide the labels: without staying there, changes are seen late.
    expect(relative).not.toEqual(fixed);
    expect(await run('several', { workers: 3 })).toBe(log);
  });

  it('gives the same events with the adaptive plan', async () => {
    await run('adaptive', { plan: 'adaptive' });
    expect(await changesByDetector('adaptive')).toEqual(await changesByDetector('one'));
  });
});
