import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { NO_PLUGINS } from '../../src/detectors/plugins/load.ts';
import { PlaybyplayError } from '../../src/errors.ts';
import { settingsSchema } from '../../src/highlights/settings.ts';
import { checkProfile } from '../../src/pipeline/check-profile.ts';
import { detect, type DetectOptions } from '../../src/pipeline/detect.ts';
import { openGame } from '../../src/pipeline/game.ts';
import type { DetectMessage } from '../../src/pipeline/messages.ts';
import { openSource } from '../../src/pipeline/source.ts';
import { profiles } from '../fixtures/generated/profiles.ts';
import { makeVideo } from '../fixtures/videos.ts';
import { root } from '../paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'packs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const assets = { 'small.json': 'freedoom/fonts/small.json', 'icon.png': 'freedoom/icons/bar.png' };
for (const [name, from] of Object.entries(assets)) cpSync(join(root, 'configs', from), join(folder, name));
const path = join(folder, 'profile.json');
const highlightSettings = settingsSchema;

/** Frames whose left half is white in every second second, at a frame rate. */
function recording(name: string, fps: number, seconds: number): string {
  const file = join(folder, name);
  makeVideo({
    path: file,
    width: 64,
    height: 36,
    timeBase: { num: 1, den: fps },
    pts: Array.from({ length: Math.round(fps * seconds) }, (_, i) => i),
    paint: ([luma, ...chroma], [stride], frame) => {
      for (const plane of chroma) plane.fill(128);
      for (let at = 0; at < luma!.length; at++)
        luma![at] = at % stride! < 32 && Math.floor(frame / fps) % 2 === 1 ? 235 : 16;
    },
    options: { preset: 'ultrafast' },
  });
  return file;
}

async function read(file: string, options: DetectOptions = {}): Promise<DetectMessage[]> {
  using source = await openSource(file);
  const messages: DetectMessage[] = [];
  for await (const message of detect(source, await openGame(path), { workers: 1, place: 'default', ...options }))
    messages.push(message);
  return messages;
}

/** A profile with detectors of the left half of the frame. */
function lampProfile(parts: Record<string, unknown>): unknown {
  return {
    format: 'playbyplay/profile/1',
    game: 'lamps',
    title: 'Lamps',
    version: '1',
    reference: { width: 64, height: 36 },
    dictionaries: [],
    ...parts,
  };
}
const lamp = (region: string, more: object = {}): object => ({
  kind: 'color',
  region,
  colors: { on: '#ffffff', off: '#000000' },
  stability: { samples: 1 },
  ...more,
});
const left = { x: 0, y: 0, width: 0.5, height: 1, scale: 'stretch' };
const eventsOf = (messages: readonly DetectMessage[]): number => messages.filter(({ type }) => type === 'event').length;
const onLight = (detector: string): object => ({
  on: { detector, trigger: 'changed', match: 'on' },
  statement: { subject: 'player', action: 'die' },
});

const run = async (parts: Record<string, unknown>, file: string, options?: DetectOptions) => {
  writeFileSync(path, JSON.stringify(lampProfile(parts)));
  return await read(file, options);
};

describe('generated profiles', () => {
  it('are accepted by the check exactly if a run opens them, and those accepted are read', async () => {
    const tiny = recording('tiny.mp4', 5, 1);
    await fc.assert(
      fc.asyncProperty(await profiles([...Object.keys(assets), 'missing.json']), async (profile) => {
        writeFileSync(path, JSON.stringify(profile));
        const { issues } = await checkProfile(path, { plugins: NO_PLUGINS, highlightSettings });
        const opened = await openGame(path).catch((error: unknown) => error);
        expect(opened instanceof PlaybyplayError ? opened.issues : []).toEqual(issues);
        // Throws whatever is wrong with the profile after all.
        if (issues.length === 0) await read(tiny);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  it('is refused by both where only an opened detector shows the mistake', async () => {
    const font = { kind: 'text', region: 'left', atlas: 'broken.json' };
    writeFileSync(join(folder, 'broken.json'), '{"format": "playbyplay/atlas/1", "glyphs": 7}');
    writeFileSync(path, JSON.stringify(lampProfile({ regions: { left }, detectors: { font } })));
    const { issues } = await checkProfile(path, { plugins: NO_PLUGINS, highlightSettings });
    expect(issues[0]).toMatchObject({ code: 'bad-atlas', path: `${path}#/detectors/font` });
    await expect(openGame(path)).rejects.toMatchObject({ code: 'profile-broken', issues });
  });
});

describe('extreme but valid profiles', () => {
  it('of a sample an hour, and of a sample a millisecond, read a recording of four seconds', async () => {
    const four = recording('four.mp4', 10, 4);
    const parts = { regions: { left }, events: [onLight('lamp')] };
    expect(eventsOf(await run({ ...parts, detectors: { lamp: lamp('left', { interval: 3600 }) } }, four))).toBe(0);
    for (const plan of ['full', 'adaptive'] as const) {
      const messages = await run({ ...parts, detectors: { lamp: lamp('left', { interval: 0.001 }) } }, four, { plan });
      // Lit at 1 s and 3 s.
      expect(messages.flatMap((one) => (one.type === 'event' ? [one.t] : []))).toEqual([1, 3]);
    }
    await expect(run({ ...parts, detectors: { lamp: lamp('left', { interval: 1e-12 }) } }, four)).rejects.toMatchObject(
      {
        issues: [{ code: 'schema-range', message: '"interval" must be at least 0.001, not 1e-12' }],
      },
    );
  });

  it.each([
    [3, 4],
    [240, 2],
  ])('read %d frames a second', async (fps, seconds) => {
    const parts = { regions: { left }, detectors: { lamp: lamp('left') }, events: [onLight('lamp')] };
    expect(eventsOf(await run(parts, recording(`fps-${fps}.mp4`, fps, seconds)))).toBe(seconds / 2);
  });

  it('have regions of a pixel, at the border, and 500 of them with long names and those of object members', async () => {
    const two = recording('two.mp4', 10, 2);
    const pixel = { x: 0, y: 0, width: 1 / 64, height: 1 / 36, scale: 'stretch' };
    const border = { x: 63 / 64, y: 35 / 36, width: 1 / 64, height: 1 / 36, scale: 'stretch' };
    const few = { regions: { pixel, border }, detectors: { pixel: lamp('pixel'), border: lamp('border') } };
    expect(eventsOf(await run({ ...few, events: [onLight('pixel'), onLight('border')] }, two))).toBe(1);
    const names = Array.from({ length: 498 }, (_, i) => `${String(i).padStart(3, '0')} ${'n'.repeat(60)}`);
    names.push('constructor', 'toString');
    const many = Object.fromEntries(names.map((name) => [name, left]));
    const detectors = Object.fromEntries(names.map((name) => [name, lamp(name)]));
    const events = [onLight('constructor'), onLight('toString'), onLight(names[0]!)];
    const fusion = { calibration: { [names[0]!]: [0, 1] } };
    expect(eventsOf(await run({ regions: many, detectors, events, fusion }, two))).toBeGreaterThan(0);
  });
});
