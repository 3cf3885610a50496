import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Issue } from '../../errors.ts';
import type { EventLine, HeaderLine } from '../../events/log.ts';
import { makeVideo } from '../../../test/fixtures/videos.ts';
import { recordLog } from '../record-log.ts';
import { alignClocks } from './clock.ts';
import type { StreamSource } from './records.ts';
import { collectProblems, writeGame } from '../../../test/fixtures/games.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-following-'));
afterAll(() => rmSync(folder, { recursive: true }));
const media = join(folder, 'clip.mp4');
makeVideo({ path: media, pts: Array.from({ length: 250 }, (_, i) => i * 40), timeBase: { num: 1, den: 1000 } });

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function game(name: string, detectors: object): string {
  const said = Object.keys(detectors).map((detector) => ({
    on: { detector, trigger: 'found' },
    statement: { subject: 'player', action: 'obtain', object: 'shotgun' },
  }));
  const changed = Object.keys(detectors).map((detector) => ({
    on: { detector, trigger: 'changed' },
    statement: { subject: 'player', action: 'obtain', object: 'pistol' },
  }));
  return writeGame(folder, name, {
    reference: { width: 128, height: 96 },
    sampling: { interval: 0.5 },
    regions: { view: { x: 0, y: 0, width: 1, height: 1 } },
    detectors: { view: { kind: 'color', region: 'view', colors: { dark: '#000000' } }, ...detectors },
    events: [...said, ...changed],
    // Every detector says the same here, whatever it read.
    fusion: false,
    dictionaries: [],
  });
}

interface Logged {
  readonly header: HeaderLine;
  /** Time, trigger and value of the evidence of each event. */
  readonly cues: readonly (readonly [number, string, unknown])[];
  readonly text: string;
  readonly issues: readonly Issue[];
}

async function logOf(out: string, detectors: object, streams: readonly StreamSource[], workers = 1): Promise<Logged> {
  const issues: Issue[] = [];
  const { log } = await recordLog({
    media,
    game: game(out.replace(/-.*$/, ''), detectors),
    out: join(folder, 'logs', out),
    streams,
    workers,
    onMessage: collectProblems(issues),
  });
  const text = readFileSync(log, 'utf8');
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as EventLine | HeaderLine]));
  const events = lines.filter((line) => line.type === 'event');
  const cues = events.map(({ cues: [cue] }) => [cue!.t, cue!.trigger, cue!.value] as const);
  return { header: lines[0] as HeaderLine, cues, text, issues };
}

describe('a record file', () => {
  it('of keys tells combinations, on the recording’s clock, the same for any number of workers', async () => {
    const path = file(
      'keys.csv',
      'time_ms,key,action\n1000,Ctrl,down\n1500,c,down\n1600,c,down\n1700,c,up\n2000,Ctrl,up\n3000,c,down\n3100,c,up\n4000,space,press\n',
    );
    const detectors = { keys: { kind: 'stream', stream: 'pad', of: 'key', keys: ['ctrl+c', 'Space'] } };
    const streams = [{ name: 'pad', path, pairs: [[0, 2.5]] as const }];
    const { cues, header, text, issues } = await logOf('keys-1', detectors, streams);
    expect(cues).toEqual([
      [4, 'found', 'ctrl+c'],
      [6.5, 'found', 'Space'],
    ]);
    expect(issues).toEqual([]);
    expect(header.streams).toEqual([
      { name: 'pad', hash: expect.stringMatching(/^[0-9a-f]{16}$/), offset: 2.5, rate: 1, records: 8, skipped: 0 },
    ]);
    expect((await logOf('keys-3', detectors, streams, 3)).text).toBe(text);
  });

  it('of a heart rate tells changes that last; a device’s own lines above the table do not matter', async () => {
    const beats = [72, 72, 72, 72, 120, 121, 120, 118];
    const path = file(
      'heart.csv',
      `Device;H10\nName;x\nTime;HR (bpm)\n${beats.map((bpm, i) => `00:00:0${i};${bpm},0`).join('\n')}\n`,
    );
    const heart = { kind: 'stream', stream: 'heart', of: 'value', field: 'hr', step: 10 };
    const { cues } = await logOf('heart', { heart: { ...heart, stability: { samples: 2 } } }, [
      { name: 'heart', path },
    ]);
    expect(cues).toEqual([
      [0, 'found', 70],
      [4, 'changed', 120],
    ]);
  });

  it('of presses tells their rate', async () => {
    const times = [
      ...Array.from({ length: 4 }, (_, i) => 0.4 + i),
      ...Array.from({ length: 20 }, (_, i) => 4.05 + i * 0.1),
    ];
    const path = file('clicks.ndjson', times.map((t) => JSON.stringify({ t, button: 'left' })).join('\n'));
    const rate = { kind: 'stream', stream: 'mouse', of: 'rate', window: 1, step: 5, stability: { samples: 1 } };
    const { cues } = await logOf('clicks', { rate }, [{ name: 'mouse', path }]);
    expect(cues).toEqual([
      [0.5, 'found', 0],
      [4.5, 'changed', 5],
      [5, 'changed', 10],
      [6.5, 'changed', 5],
      [7, 'changed', 0],
    ]);
  });

  it('of subtitles and of events by date tells texts; two pairs correct a clock that runs fast', async () => {
    const srt = file(
      'talk.srt',
      '1\n00:00:01,000 --> 00:00:02,000\n<i>First</i>\nblood\n\n2\n00:00:03,500 --> 00:00:05,000\nSecond\n',
    );
    const vtt = file('talk.vtt', 'WEBVTT\n\nNOTE no cue\n\n00:01.000 --> 00:02.000 align:start\nFirst blood\n');
    const dated = file(
      'events.json',
      JSON.stringify([
        { time: '2026-11-21T10:00:00Z', event: 'start' },
        { time: '2026-11-21T10:00:04.040Z', event: 'goal' },
      ]),
    );
    const text = { kind: 'stream', of: 'text' };
    const { cues } = await logOf(
      'talk',
      { srt: { ...text, stream: 'srt' }, vtt: { ...text, stream: 'vtt' }, dated: { ...text, stream: 'dated' } },
      [
        { name: 'srt', path: srt },
        { name: 'vtt', path: vtt, pairs: [[0, 5]] },
        // A hundredth fast, and begun two seconds into the recording.
        {
          name: 'dated',
          path: dated,
          pairs: [
            [0, 2],
            [101, 102],
          ],
        },
      ],
    );
    expect(cues).toEqual([
      [1, 'found', 'First blood'],
      [2, 'found', 'start'],
      [3.5, 'found', 'Second'],
      [6, 'found', 'First blood'],
      [6, 'found', 'goal'],
    ]);
  });

  it('that is not given is said; one that tells no time is an error', async () => {
    const detectors = { keys: { kind: 'stream', stream: 'pad', of: 'key' } };
    expect((await logOf('none', detectors, [])).issues).toMatchObject([{ code: 'no-such-stream' }]);
    const path = file('prose.txt', 'nothing here\nat all');
    await expect(logOf('prose', detectors, [{ name: 'pad', path }])).rejects.toMatchObject({ code: 'bad-stream' });
  });
});

it('aligns clocks by the least squares of pairs, and refuses what no clock does', () => {
  expect(alignClocks([])).toEqual({ offset: 0, rate: 1 });
  expect(alignClocks([[10, 12.5]])).toEqual({ offset: 2.5, rate: 1 });
  const { offset, rate } = alignClocks([
    [0, 3],
    [1000, 1003.1],
    [2000, 2003.2],
  ]);
  expect([offset, rate]).toEqual([expect.closeTo(3, 9), expect.closeTo(1.0001, 9)]);
  expect(() =>
    alignClocks([
      [0, 0],
      [1, 10],
    ]),
  ).toThrow(/times as fast/);
});
