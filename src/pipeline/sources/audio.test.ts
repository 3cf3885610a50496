import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Issue } from '../../errors.ts';
import { makeVideo } from '../../../test/fixtures/videos.ts';
import { inspectProfile } from '../../../test/fixtures/profile-issues.ts';
import { loadKindCatalog } from '../schemas.ts';
import { recordLog, type RecordOptions } from '../record-log.ts';
import { collectProblems, writeGame } from '../../../test/fixtures/games.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-hearing-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Ten seconds in which a tone begins at 2.5 and at 7.2 s, on the second track at 4 s. */
function clip(name: string, sound = true): string {
  const path = join(folder, name);
  const tone = { length: 10, to: 20 };
  const audio = sound
    ? [
        { ...tone, frequency: 440, from: 7.2 },
        { ...tone, frequency: 700, from: 4 },
      ]
    : [];
  makeVideo({ path, pts: Array.from({ length: 250 }, (_, i) => i * 40), timeBase: { num: 1, den: 1000 }, audio });
  return path;
}

function say(detector: string, object: string): object {
  return { on: { detector, trigger: 'found' }, statement: { subject: 'player', action: 'obtain', object } };
}

function game(name: string, more: object = {}): string {
  return writeGame(folder, name, {
    reference: { width: 128, height: 96 },
    sampling: { interval: 0.2 },
    regions: { view: { x: 0, y: 0, width: 1, height: 1 } },
    detectors: {
      view: { kind: 'color', region: 'view', colors: { dark: '#000000' } },
      first: { kind: 'sound', of: 'onset' },
      second: { kind: 'sound', of: 'onset', track: 1 },
    },
    events: [say('first', 'shotgun'), say('second', 'pistol')],
    dictionaries: [],
    ...more,
  });
}

async function logOf(out: string, options: Omit<RecordOptions, 'out'>): Promise<{ log: string; issues: Issue[] }> {
  const issues: Issue[] = [];
  const place = join(folder, out);
  const { log } = await recordLog({ ...options, out: place, onMessage: collectProblems(issues) });
  return { log: readFileSync(log, 'utf8'), issues };
}

describe('what is heard', () => {
  it('becomes events at its own time, the same for any number of workers and after an interruption', async () => {
    const media = clip('two.mp4');
    const pack = game('hears');
    const { log, issues } = await logOf('one', { media, game: pack, workers: 1 });
    const events = log.split('\n').flatMap((line) => (line.includes('"event"') ? [JSON.parse(line)] : []));
    expect(issues).toEqual([]);
    expect(events.map(({ text }) => text)).toEqual(['player obtains pistol', 'player obtains shotgun']);
    expect(Math.abs(events[0].t - 4)).toBeLessThan(0.03);
    expect(Math.abs(events[1].t - 7.2)).toBeLessThan(0.03);
    expect((await logOf('three', { media, game: pack, workers: 3 })).log).toBe(log);
    // Stopped after the first chunk, then resumed.
    const stop = new AbortController();
    const stopped = logOf('stopped', {
      media,
      game: pack,
      workers: 1,
      signal: stop.signal,
      onMessage: ({ type }) => type === 'progress' && stop.abort(),
    });
    await stopped.catch(() => undefined);
    expect((await logOf('stopped', { media, game: pack, resume: true, workers: 1 })).log).toBe(log);
  });

  it('is left out, and said to be, where the recording has no such track', async () => {
    const { log, issues } = await logOf('silent', { media: clip('silent.mp4', false), game: game('hears') });
    expect(issues).toMatchObject([{ code: 'no-such-audio-track' }, { code: 'no-such-audio-track' }]);
    expect(issues[0]!.message).toContain('no audio');
    expect(log).toContain('"type":"end"');
  });

  it('cannot be waited for, nor look at a region: the check says so', async () => {
    const view = { kind: 'color', region: 'view', colors: { dark: '#000000' } };
    const detectors = {
      first: { kind: 'sound', of: 'onset', region: 'view' },
      way: { kind: 'motion', region: 'view', of: 'movement' },
      view: { ...view, when: { detector: 'way' } },
    };
    const issues = await inspectProfile(
      game('wrong', { detectors, events: [], screens: { menu: { detector: 'first' } } }),
      {
        kinds: loadKindCatalog,
      },
    );
    expect(issues.map(({ code, path }) => [code, path?.replace(/^.*#/, '')])).toEqual([
      ['late-detector', '/detectors/first/region'],
      ['late-detector', '/detectors/view/when'],
      ['late-detector', '/screens/menu'],
    ]);
  });

  it('needs no picture', async () => {
    const detectors = { first: { kind: 'sound', of: 'onset' } };
    const { log } = await logOf('blind', {
      media: clip('blind.mp4'),
      game: game('blind', { detectors, events: [] }),
      from: 3,
    });
    expect(log).toContain('"samples":0');
  });
});
