import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFrames, writeFlashClip } from '../fixtures/flash-clip.ts';
import { makeVideo } from '../fixtures/videos.ts';
import { fingerprintMedia } from '../../src/pipeline/fingerprint.ts';
import { runCommandLine as playbyplay } from '../fixtures/command-line.ts';
import { launcher } from '../paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'highlights-'));
const log = join(folder, 'match one.playbyplay');

const started = process.cwd();

/** Kills at 6 s (rocket launcher) and 20 s (shotgun), a death at 13 s, in a recording of 24 s. */
beforeAll(async () => {
  process.chdir(folder);
  await writeFlashClip(join(folder, 'match one.mp4'), { seconds: 24, width: 256, height: 144 });
  mkdirSync(log);
  const happenings: [number, string, object][] = [
    [
      6,
      'player kills opponent Sarge with rocket launcher',
      { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Sarge' }, with: 'rocket launcher' },
    ],
    [13, 'player dies', { subject: 'player', action: 'die' }],
    [
      20,
      'player kills opponent with shotgun',
      { subject: 'player', action: 'kill', object: 'opponent', with: 'shotgun' },
    ],
  ];
  const mark = { name: 'openarena', version: '1.0.0', hash: '' };
  const header = {
    type: 'header',
    format: 'playbyplay/1',
    game: 'openarena',
    session: 'match one',
    media: {
      name: 'match one.mp4',
      hash: '',
      bytes: 0,
      duration: 24,
      width: 256,
      height: 144,
      frameRate: { num: 30, den: 1 },
      start: 0,
    },
    profile: mark,
    dictionaries: [mark],
    plan: { kind: 'full', interval: 0.1 },
    program: '0',
  };
  const events = happenings.map(([t, text, statement], i) => ({
    type: 'event',
    id: String(i),
    t,
    end: t,
    game: 'openarena',
    session: 'match one',
    text,
    statement,
    confidence: 1,
    cues: [],
  }));
  const lines = [header, ...events, { type: 'end', events: 3, gaps: 0, samples: 0 }];
  writeFileSync(join(log, 'events.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
});
afterAll(() => {
  process.chdir(started);
  rmSync(folder, { recursive: true });
});

describe('playbyplay highlights', () => {
  it('cuts a reel, lists its scenes and draws its events', async () => {
    const options = ['--before', '1', '--after', '1', '--query', 'player defeats opponent'];
    const outputs = ['best.mp4', 'best.json', 'best.png'].flatMap((name) => ['-o', name]);
    // As users run it; the other tests run the program in this process, which takes less than half as long.
    const program = spawnSync(process.execPath, [launcher, 'highlights', log, ...options, ...outputs], {
      encoding: 'utf8',
    });
    expect([program.status, program.stdout, program.stderr]).toEqual([0, expect.any(String), '']);
    const list = JSON.parse(readFileSync(join(folder, 'best.json'), 'utf8'));
    expect(
      list.scenes.map(({ start, end, at }: { start: number; end: number; at: number }) => [start, end, at]),
    ).toHaveLength(2);
    const frames = readFrames(join(folder, 'best.mp4'));
    const [first, second] = list.scenes;
    expect(frames[0]!.number).toBe(Math.round(first.start * 30));
    expect(frames[Math.round(second.at * 30)]!.number).toBe(Math.round(second.start * 30));
    expect(frames.length).toBe(Math.round((first.end - first.start + second.end - second.start) * 30));
    const { width, height } = await sharp(join(folder, 'best.png')).metadata();
    expect([width, height].every((side) => side! > 100)).toBe(true);
  });

  it('embeds a log in the reel that queries can read', async () => {
    const { code, out } = await playbyplay('query', 'player kills opponent with launcher', 'best.mp4');
    expect(code).toBe(0);
    expect(out).toMatch(/^00:01\.\d {2}player kills opponent Sarge with rocket launcher\n$/);
  });

  it('reports invalid arguments, and the position of an error in a query', async () => {
    const preset = await playbyplay('highlights', log, '--preset', 'shrot');
    expect([preset.code, preset.err]).toEqual([2, expect.stringContaining('Did you mean "short"?')]);
    const query = await playbyplay('highlights', log, '--query', 'player kilz opponent');
    expect([query.code, query.err]).toEqual([2, expect.stringContaining('^^^^')]);
    const name = await playbyplay('highlights', log, '-o', 'reel.doc');
    expect([name.code, name.err]).toEqual([2, expect.stringContaining('reel.doc')]);
    const none = await playbyplay('highlights', log, '--query', 'player wins match');
    expect([none.code, none.out]).toEqual([3, '']);
  });

  it('draws what is said, at the times of the reel', async () => {
    writeFileSync(
      join(folder, 'said.srt'),
      '1\n00:00:05,500 --> 00:00:06,500\nnice <i>shot</i>\n\n2\n00:00:11,000 --> 00:00:11,900\nwatch out\n',
    );
    const options = [
      '--subtitles',
      'said.srt',
      '--query',
      'player kills',
      '--plan',
      'said.json',
      '--preview',
      'said.png',
    ];
    const { code, err } = await playbyplay('highlights', 'match one.playbyplay', ...options);
    expect([code, err]).toEqual([0, '']);
    const { scenes, overlays } = JSON.parse(readFileSync(join(folder, 'said.json'), 'utf8'));
    const said = overlays.filter(({ kind }: { kind: string }) => kind === 'subtitle');
    const [{ start, at }] = scenes;
    expect(said).toHaveLength(1);
    expect(said[0].lines).toEqual(['nice shot']);
    expect(said[0].start).toBeCloseTo(at + 5.5 - start, 3);
    expect(said[0].end).toBeCloseTo(at + 6.5 - start, 3);

    writeFileSync(join(folder, 'silent.vtt'), 'WEBVTT\n');
    const empty = await playbyplay(
      'highlights',
      'match one.playbyplay',
      '--subtitles',
      'silent.vtt',
      '--preview',
      'no.png',
    );
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('silent.vtt')]);
  });

  it('names a missing recording', async () => {
    const elsewhere = join(folder, 'else', 'where');
    mkdirSync(elsewhere, { recursive: true });
    writeFileSync(join(elsewhere, 'events.ndjson'), readFileSync(join(log, 'events.ndjson')));
    const { code, err } = await playbyplay('highlights', elsewhere, '-o', 'lost.mp4');
    expect([code, err]).toEqual([1, expect.stringContaining('match one.mp4')]);
    expect(existsSync(join(folder, 'lost.mp4'))).toBe(false);
  });

  it('replaces its own reel, and no other video', async () => {
    const again = await playbyplay('highlights', log, '-o', 'best.mp4');
    expect([again.code, again.err]).toEqual([0, '']);
    const video = readFileSync(join(folder, 'match one.mp4'));
    writeFileSync(join(folder, 'holiday.mp4'), video);
    const { code, err } = await playbyplay('highlights', log, '-o', 'holiday.mp4');
    expect([code, err]).toEqual([1, expect.stringContaining('--overwrite')]);
    expect(readFileSync(join(folder, 'holiday.mp4')).equals(video)).toBe(true);
  });

  it('cuts a recording whose clock restarts', async () => {
    const joined = join(folder, 'joined.playbyplay');
    const part = join(folder, 'part.ts');
    makeVideo({ path: part, pts: Array.from({ length: 50 }, (_, i) => i * 40), timeBase: { num: 1, den: 1000 } });
    const bytes = readFileSync(part);
    writeFileSync(join(folder, 'joined.ts'), Buffer.concat([bytes, bytes]));
    mkdirSync(joined);
    const media = { name: 'joined.ts', hash: '', bytes: 2 * bytes.length, duration: 4 };
    const [head, ...lines] = readFileSync(join(log, 'events.ndjson'), 'utf8').split('\n');
    const text = [JSON.stringify({ ...JSON.parse(head!), media }), ...lines].join('\n').replaceAll('"t":6,', '"t":3,');
    writeFileSync(join(joined, 'events.ndjson'), text);
    const { code, err } = await playbyplay('highlights', joined, '-o', 'joined.mp4');
    expect([code, err]).toEqual([0, '']);
    expect(existsSync(join(folder, 'joined.mp4'))).toBe(true);
  });

  it('finds a recording elsewhere in a folder that is named, by its content', async () => {
    const [logs, recordings] = [join(folder, 'logs', 'match.playbyplay'), join(folder, 'recordings')];
    mkdirSync(logs, { recursive: true });
    mkdirSync(recordings);
    const recording = join(recordings, 'away.mp4');
    writeFileSync(recording, readFileSync(join(folder, 'match one.mp4')));
    const [head, ...lines] = readFileSync(join(log, 'events.ndjson'), 'utf8').split('\n');
    const { hash, bytes } = await fingerprintMedia(recording);
    const media = { ...JSON.parse(head!).media, name: 'away.mp4', hash, bytes };
    writeFileSync(join(logs, 'events.ndjson'), [JSON.stringify({ ...JSON.parse(head!), media }), ...lines].join('\n'));
    expect(await playbyplay('highlights', logs, '-o', 'away-1.mp4')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--media path/to/away.mp4'),
    });
    expect(await playbyplay('highlights', logs, '--media', recordings, '-o', 'away-2.mp4')).toMatchObject({
      code: 0,
      err: '',
    });
    writeFileSync(recording, 'another recording of that name');
    expect(await playbyplay('highlights', logs, '--media', recordings, '-o', 'away-3.mp4')).toMatchObject({ code: 1 });
  });

  it.skipIf(process.platform === 'win32')('follows no link that leads away from the log', async () => {
    const shared = join(folder, 'from a stranger', 'match one.playbyplay');
    mkdirSync(shared, { recursive: true });
    writeFileSync(join(shared, 'events.ndjson'), readFileSync(join(log, 'events.ndjson')));
    symlinkSync(join(folder, 'match one.mp4'), join(shared, 'match one.mp4'));
    const { code, err } = await playbyplay('highlights', shared, '-o', 'linked.mp4');
    expect([code, err]).toEqual([1, expect.stringContaining('--media')]);
    expect(existsSync(join(folder, 'linked.mp4'))).toBe(false);
  });
});

describe('playbyplay summary', () => {
  it('prints counts and the best moments', async () => {
    const { code, out } = await playbyplay('summary', log);
    expect(code).toBe(0);
    expect(out).toContain(
      '2 kills, 1 death in OpenArena\n- 2 kills: 1 with rocket launcher and 1 with shotgun\n- 1 death\n',
    );
  });
});

describe('playbyplay export', () => {
  it('writes several formats in one run', async () => {
    const { code } = await playbyplay(
      'export',
      log,
      '-f',
      'otio',
      '-o',
      'a.otio',
      '-f',
      'srt',
      '-o',
      'a.srt',
      '--relative',
    );
    expect(code).toBe(0);
    expect(readFileSync(join(folder, 'a.otio'), 'utf8')).toContain('"target_url": "match%20one.mp4"');
    expect(readFileSync(join(folder, 'a.srt'), 'utf8')).toMatch(
      /^1\r\n00:00:06,000 --> 00:00:0\d,\d{3}\r\nplayer kills opponent Sarge with rocket launcher\r\n/,
    );
  });

  it('reports why there are no chapters', async () => {
    const { code, err } = await playbyplay('export', log, '-f', 'youtube', '--duration', '12s');
    expect([code, err]).toEqual([3, expect.stringContaining('needs three chapters')]);
  });
});
