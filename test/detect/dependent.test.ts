// Detectors that others switch on, on a real recording: whatever reads it, and in whatever portions, the log is the same.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueAt } from '../truth/series.ts';
import { loadTruth } from '../truth/truth.ts';
import { loadLog } from '../../src/events/reader.ts';
import { recordLog, type RecordOptions } from '../../src/pipeline/record-log.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { clip as media, footage, root } from '../paths.ts';

let folder: string;

/** The cues of a profile that says them itself. */
async function cuesOf(name: string, options: Partial<RecordOptions> = {}): Promise<string> {
  const out = join(folder, name);
  await recordLog({ media, game: join(folder, 'configs', 'freedoom'), out, to: 13, ...options });
  return readFile(join(out, 'events.ndjson'), 'utf8');
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= 0.15;
}

async function readEvents(name: string): Promise<string[]> {
  return (await loadLog(join(folder, name))).events.map(({ t, text }) => `${t} ${text}`);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dependent-'));
  await mkdir(join(folder, 'configs'));
  await mkdir(join(folder, 'scripts'));
  await cp(join(root, 'configs', 'freedoom'), join(folder, 'configs', 'freedoom'), { recursive: true });
  const profile = JSON.parse(await readFile(join(root, 'configs', 'freedoom', 'profile.json'), 'utf8')) as Profile;
  const { health, ammunition, armor, message } = profile.detectors;
  const changed: Partial<Profile> = {
    dictionaries: ['freedoom'],
    modes: { hurt: { detector: 'health', value: '/^.{1,2}$/' } },
    detectors: {
      health: health!,
      // Switched on by a fall, again by what it switched on, and only in a mode.
      armor: { ...armor!, modes: ['hurt'] },
      message: { ...message!, after: { detector: 'health', change: 'fall', for: 3 } },
      ammunition: { ...ammunition!, after: { detector: 'message', until: { detector: 'health' } } },
    },
    sequences: {
      'hurt and rewarded': {
        steps: [
          { detector: 'health', change: 'fall' },
          { detector: 'message', within: 3 },
        ],
        statement: { subject: 'player', property: 'health', to: '$1' },
      },
    },
    events: ['armor', 'ammunition'].flatMap((detector) =>
      (['found', 'changed', 'lost'] as const).map((trigger) => ({
        on: { detector, trigger },
        statement: { subject: 'player', property: detector, to: trigger === 'lost' ? `lost ${'$previous'}` : '$value' },
      })),
    ),
  };
  await writeFile(
    join(folder, 'configs', 'freedoom', 'profile.json'),
    JSON.stringify({ ...profile, screens: undefined, fusion: undefined, ...changed }),
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('detectors activated by other detectors', () => {
  let whole: string;

  it('are read while active, and sequences produce statements', async () => {
    whole = await cuesOf('one', { workers: 1 });
    const { events } = await loadLog(join(folder, 'one'));
    const { raw, series } = await loadTruth(join(footage, 'freedoom-demo1.truth.json'));
    const changes = raw.filter(({ statement }) => 'property' in statement && statement.property === 'health');
    const falls = changes.filter(({ statement: { from, to } }) => Number(to) < Number(from));
    const changesOf = (property: string): readonly { t: number; to: unknown }[] =>
      events.flatMap(({ t, statement }) =>
        'property' in statement && statement.property === property ? [{ t, to: statement.to }] : [],
      );
    // Armor is read from the first wound on, which the truth knows.
    expect(isNear(changesOf('armor')[0]!.t, falls[0]!.t)).toBe(true);
    // Each sequence: a message stands soon after a wound, to the health that the truth knows.
    const sequences = changesOf('health');
    expect(sequences.length).toBeGreaterThan(1);
    for (const { t, to } of sequences) {
      expect(valueAt(series['message']!, t + 0.1)).not.toBe(null);
      expect(falls.some((line) => String(line.statement.to) === to && line.t <= t + 0.15 && line.t > t - 3.15)).toBe(
        true,
      );
    }
    // Ammunition is read from a message on until the health changes.
    const ends = changesOf('ammunition').filter(({ to }) => String(to).startsWith('lost'));
    expect(ends.filter(({ t }) => !changes.some((line) => isNear(line.t, t)))).toEqual([]);
    expect(changesOf('ammunition').length).toBeGreaterThan(5);
  });

  it('give the same log with several workers, and after interruption and resumption', async () => {
    expect(await cuesOf('several', { workers: 3 })).toBe(whole);
    const interruption = new AbortController();
    const stopped = cuesOf('resumed', {
      workers: 1,
      signal: interruption.signal,
      onMessage: ({ type }) => type === 'progress' && interruption.abort(),
    });
    await expect(stopped).rejects.toThrow('aborted');
    expect(await cuesOf('resumed', { workers: 2, resume: true })).toBe(whole);
  });

  it('give the same events with the adaptive plan', async () => {
    await cuesOf('adaptive', { plan: 'adaptive' });
    expect(await readEvents('adaptive')).toEqual(await readEvents('one'));
  });
});
