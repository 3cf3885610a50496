import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Issue } from '../../src/errors.ts';
import type { EventLine, HeaderLine } from '../../src/events/log.ts';
import { makeVideo } from '../fixtures/videos.ts';
import { session, times } from '../fixtures/sound-bursts.ts';
import type { CompanionSource } from '../../src/pipeline/sources/companion.ts';
import type { DetectMessage } from '../../src/pipeline/messages.ts';
import { recordLog, type RecordOptions } from '../../src/pipeline/record-log.ts';
import { loadKindCatalog } from '../../src/pipeline/schemas.ts';
import { inspectProfile } from '../fixtures/profile-issues.ts';
import { collectProblems, writeGame } from '../fixtures/games.ts';
import { launcher } from '../paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'playbyplay-companion-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** recording = offset + rate · companion. */
const OFFSET = 5.2;
const RATE = 1 + 400e-6;
const onRecording = (t: number): number => OFFSET + RATE * t;

const within = (t: number, spans: readonly (readonly [number, number])[]): boolean =>
  spans.some(([from, to]) => t >= from && t < to);

/** Half of the picture is bright within some stretches; in the other half a pattern moves within others. */
function clip(
  name: string,
  fps: number,
  seconds: number,
  bright: readonly (readonly [number, number])[],
  moving: readonly (readonly [number, number])[],
  wave: (t: number) => number,
): string {
  const path = join(folder, name);
  let way = 0;
  const ways = Array.from({ length: fps * seconds }, (_, i) => (within(i / fps, moving) ? ++way : way));
  makeVideo({
    path,
    width: 96,
    height: 64,
    pts: ways.map((_, i) => i),
    timeBase: { num: 1, den: fps },
    paint: ([y, u, v], strides, frame) => {
      const level = within(frame / fps, bright) ? 220 : 30;
      const shift = 3 * ways[frame]!;
      for (let row = 0; row < 64; row++)
        for (let x = 0; x < 96; x++) {
          const block = Math.imul(((x + shift) >> 3) * 31 + (row >> 3), 2_654_435_761) >>> 24;
          y![row * strides[0]! + x] = x < 48 ? level : 40 + (block >> 1);
        }
      u!.fill(128);
      v!.fill(128);
    },
    audio: [{ frequency: 0, from: 0, to: seconds, length: seconds, sampleRate: 24_000, wave }],
  });
  return path;
}

const heard = session(1, 40);
const main = clip(
  'main.mp4',
  10,
  30,
  [
    [4, 7],
    [15, 18],
  ],
  [],
  heard,
);
/** Bright on its own clock at 2, 12.4 and 21 s; it goes on when the recording is over. */
const SMILES = [
  [2, 3.04],
  [12.4, 14],
  [21, 22.2],
] as const;
const webcam = clip('cam.mp4', 25, 27, SMILES, [[6, 9]], (t) => heard(onRecording(t)));

const say = (detector: string, object: string, trigger = 'changed', match?: string): object => ({
  on: { detector, trigger, ...(match === undefined ? {} : { match }) },
  statement: { subject: 'player', action: 'obtain', object },
});
const levels = { kind: 'color', colors: { bright: '#ffffff', dark: '#000000' }, tolerance: 120 };

function game(name: string, more: object = {}): string {
  return writeGame(folder, name, {
    reference: { width: 96, height: 64 },
    media: { webcam: { reference: { width: 96, height: 64 } } },
    regions: {
      left: { x: 0, y: 0, width: 0.5, height: 1, anchor: 'left' },
      right: { x: 0.5, y: 0, width: 0.5, height: 1, anchor: 'right' },
    },
    detectors: {
      light: { ...levels, region: 'left', persists: 1 },
      smile: { ...levels, region: 'left', media: 'webcam', persists: 1 },
      shake: { kind: 'motion', region: 'right', media: 'webcam', of: 'movement', interval: 0.08 },
      // On only after what the other recording shows.
      wink: { ...levels, region: 'left', media: 'webcam', after: { detector: 'light', match: 'bright', for: 2 } },
      answer: { ...levels, region: 'left', after: { detector: 'smile', match: 'bright', for: 1 } },
      noise: { kind: 'sound', of: 'onset', media: 'webcam', rise: 10 },
    },
    events: [
      say('light', 'shotgun', 'changed', 'bright'),
      say('smile', 'pistol', 'changed', 'bright'),
      say('shake', 'chaingun', 'found'),
      say('wink', 'shell', 'found'),
      say('answer', 'rocket', 'found'),
      say('noise', 'railgun', 'found'),
    ],
    fusion: false,
    dictionaries: ['freedoom'],
    ...more,
  });
}

const pairs = [0, 1000].map((t): [number, number] => [t, onRecording(t)]);
const companions: CompanionSource[] = [{ name: 'webcam', path: webcam, pairs }];

interface Run {
  readonly log: string;
  readonly header: HeaderLine;
  readonly issues: readonly Issue[];
  /** Times of the events whose evidence is a detector's. */
  readonly of: (detector: string) => readonly number[];
  readonly events: readonly string[];
}

async function run(out: string, options: Partial<RecordOptions> = {}): Promise<Run> {
  const issues: Issue[] = [];
  const place = join(folder, out);
  const onMessage = collectProblems(issues);
  const { log: path } = await recordLog({
    media: main,
    game: pack,
    companions,
    workers: 1,
    onMessage,
    ...options,
    out: place,
  });
  const log = readFileSync(path, 'utf8');
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HeaderLine | EventLine);
  const events = lines.filter((line) => line.type === 'event');
  const of = (detector: string): number[] =>
    events.filter(({ cues }) => cues[0]!.detector === detector).map(({ t }) => t);
  return { log, header: lines[0] as HeaderLine, issues, of, events: events.map(({ t, text }) => `${t} ${text}`) };
}

const pack = game('accompanied');

function near(found: readonly number[], wanted: readonly number[], most: number): void {
  expect(found.length).toBe(wanted.length);
  for (const [i, t] of wanted.entries()) expect(Math.abs(found[i]! - t)).toBeLessThan(most);
}

const first = run('one');

describe('a companion recording', () => {
  it('is read by detectors of all kinds, with times of the main recording', async () => {
    const { of, header, issues, events } = await first;
    expect(issues).toEqual([]);
    near(of('light'), [4, 15], 0.051);
    near(
      of('smile'),
      SMILES.map(([from]) => onRecording(from)),
      0.121,
    );
    near(of('shake'), [onRecording(6)], 0.25);
    // Switched on at 4 and 15 s by the recording, and within a second of each smile by the companion.
    near(of('wink'), [onRecording(0), 15], 0.13);
    near(
      of('answer'),
      SMILES.map(([from]) => onRecording(from)),
      0.25,
    );
    const sounds = times(1, 40).filter((t) => t > OFFSET + 0.5 && t < 29.5);
    const noises = of('noise');
    expect(sounds.filter((t) => noises.some((one) => Math.abs(one - t) < 0.03)).length).toBeGreaterThan(
      0.8 * sounds.length,
    );
    expect(events).toEqual(events.toSorted((a, b) => Number.parseFloat(a) - Number.parseFloat(b)));
    expect(header.companions).toMatchObject([
      {
        name: 'webcam',
        width: 96,
        height: 64,
        offset: expect.closeTo(OFFSET, 6),
        rate: expect.closeTo(RATE, 8),
        hash: expect.stringMatching(/^[\da-f]{32}$/),
      },
    ]);
    expect(JSON.stringify(header)).not.toContain(folder);
  });

  it('gives a log that does not depend on workers and interruptions, and the same events by both plans', async () => {
    const { log, events } = await first;
    expect((await run('two', { workers: 2 })).log).toBe(log);
    const stop = new AbortController();
    let chunks = 0;
    const onMessage = ({ type }: DetectMessage): void => {
      if (type === 'progress' && ++chunks === 2) stop.abort();
    };
    await expect(run('stopped', { signal: stop.signal, onMessage })).rejects.toThrow(/abort/i);
    expect((await run('stopped', { resume: true })).log).toBe(log);
    const plain = game('plain', {
      detectors: {
        light: { ...levels, region: 'left', persists: 1 },
        smile: { ...levels, region: 'left', media: 'webcam', persists: 1 },
      },
      events: [say('light', 'shotgun'), say('smile', 'pistol')],
    });
    const full = await run('full', { game: plain, to: 14 });
    expect(full.events.length).toBe(4);
    expect((await run('sparse', { game: plain, plan: 'adaptive', workers: 2, to: 14 })).events).toEqual(full.events);
    expect(events.length).toBeGreaterThan(20);
  });

  it('is reported if missing, unknown, unreadable or of another time', async () => {
    const { issues } = await run('without', { companions: [] });
    expect(issues.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'no-such-media'));
    const given = (more: Partial<CompanionSource>): Promise<Run> =>
      run('wrong', { companions: [{ ...companions[0]!, ...more }] });
    await expect(given({ name: 'webcan' })).rejects.toMatchObject({
      code: 'unknown-media',
      hint: 'Did you mean "webcam"?',
    });
    await expect(given({ path: join(folder, 'none.mp4') })).rejects.toMatchObject({ code: 'bad-media' });
    await expect(given({ pairs: [[0, 40]] })).rejects.toMatchObject({ code: 'no-overlap' });
    await expect(given({ pairs: [[0, -30]] })).rejects.toMatchObject({ code: 'no-overlap' });
  });

  it('cannot be combined with the main recording in one sample: the check reports it', async () => {
    const detectors = {
      light: { ...levels, region: 'left' },
      smile: { ...levels, region: 'left', media: 'webcam', when: { detector: 'light' }, screens: ['menu'] },
      other: { ...levels, region: 'left', media: 'webcan' },
      keys: { kind: 'stream', stream: 'keys', of: 'key', media: 'webcam' },
    };
    const wrong = game('wrong', { detectors, events: [], screens: { menu: { detector: 'light', value: 'bright' } } });
    const issues = await inspectProfile(wrong, { kinds: loadKindCatalog });
    expect(issues.map(({ code, path }) => [code, path?.replace(/^.*#/, '')])).toEqual([
      ['unknown-media', '/detectors/other/media'],
      ['other-media', '/detectors/smile/when'],
      ['other-media', '/detectors/smile/screens'],
      ['other-media', '/detectors/keys/media'],
    ]);
  });
});

function playbyplay(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [launcher, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.on('data', (data: Buffer) => out.push(data.toString()));
    child.stderr.on('data', (data: Buffer) => err.push(data.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out: out.join(''), err: err.join('') }));
  });
}

describe('playbyplay detect', () => {
  it('aligns a companion recording and a log by their sound and reads both', async () => {
    const lag = 3.4;
    // Two of three sounds are the player's keys.
    const keys = times(1, 30).filter((t, i) => t > lag && i % 3 !== 0);
    const file = join(folder, 'keys.csv');
    writeFileSync(file, `t,key\n${keys.map((t) => `${(t - lag).toFixed(3)},fire\n`).join('')}`);
    const detectors = {
      smile: { ...levels, region: 'left', media: 'webcam' },
      keys: { kind: 'stream', stream: 'pad', of: 'key' },
    };
    const both = game('both', {
      detectors,
      events: [say('smile', 'pistol', 'changed', 'bright'), say('keys', 'railgun', 'found')],
    });
    const args = ['detect', main, '--game', both, '--out', join(folder, 'auto'), '--json', '--workers', '1'];
    const { code, out, err } = await playbyplay(
      ...args,
      '--media',
      `webcam=${webcam}@auto`,
      '--stream',
      `pad=${file}@auto`,
    );
    expect(err).toMatch(/webcam aligned: @0:5\.2.*\n.*pad aligned|pad aligned.*\n.*webcam aligned: @0:5\.2/);
    expect(code).toBe(0);
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as EventLine);
    const of = (detector: string): number[] =>
      events.filter(({ cues }) => cues[0]!.detector === detector).map(({ t }) => t);
    expect(of('smile').length).toBe(3);
    for (const [i, [from]] of SMILES.entries())
      expect(Math.abs(of('smile')[i]! - onRecording(from))).toBeLessThan(0.121);
    expect(of('keys').length).toBe(keys.length);
    for (const [i, t] of of('keys').entries()) expect(Math.abs(t - keys[i]!)).toBeLessThan(0.04);
    const wrong = await playbyplay(...args, '--media', 'webcam');
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--media must be name=file, not "webcam"') });
  });
});
