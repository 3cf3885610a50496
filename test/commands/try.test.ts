import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../fixtures/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'try-'));
afterAll(() => rmSync(folder, { recursive: true }));

const clip = 'test/footage/freedoom-demo1.mp4';

async function playbyplay(...args: readonly string[]) {
  const { code, out, err } = await runCommandLine(...args);
  return { status: code, stdout: out, stderr: err };
}

describe('playbyplay profile try', () => {
  it('prints what detectors read at given times', async () => {
    // The clip's truth: health falls from 100 to 88 at 5.17 s, ammunition from 12 to 11 at 4.66 s.
    const moments = ['--at', '4', '--at', '0:06', '--detector', 'health', '--detector', 'ammunition'];
    const { status, stdout } = await playbyplay('profile', 'try', 'freedoom', clip, ...moments);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^4\.00 s\n {2}health +text {2}100 .*\n {2}ammunition +text {2}12 /);
    expect(stdout).toMatch(/^6\.00 s\n {2}health +text {2}88 /m);
  });

  it('draws the regions and writes them as preprocessed for the detectors', async () => {
    const { stdout } = await playbyplay('profile', 'try', 'freedoom', clip, '--at', '4', '--out', folder, '--json');
    const { t, seen, files } = JSON.parse(stdout) as { t: number; seen: unknown[]; files: string[] };
    expect(t).toBe(4);
    expect(seen).toContainEqual(expect.objectContaining({ detector: 'health', kind: 'text', region: 'health' }));
    expect(readdirSync(folder).length).toBe(files.length);
    const drawn = sharp(join(folder, '4.00.png'));
    expect(await drawn.metadata()).toMatchObject({ width: 1280, height: 720 });
    const { data, info } = await drawn.raw().toBuffer({ resolveWithObject: true });
    const isInk = (_: number, i: number): boolean =>
      data[i * info.channels] === 255 && data[i * info.channels + 1] === 0 && data[i * info.channels + 2] === 255;
    expect(Array.from({ length: info.width * info.height }, isInk).filter(Boolean).length).toBeGreaterThan(500);
  });

  it('shows regions without detectors and names missing files', async () => {
    const looks = join(folder, 'looks');
    const pack = join(folder, 'unmade');
    mkdirSync(pack);
    const region = { x: 0.05, y: 0.9, width: 0.1, height: 0.05 };
    const profile = {
      format: 'playbyplay/profile/1',
      game: 'x',
      title: 'X',
      version: '1',
      reference: { width: 1280, height: 720 },
      regions: { health: region, armor: { ...region, x: 0.5 } },
      detectors: {
        health: { kind: 'text', region: 'health', atlas: 'fonts/big.json' },
        low: { kind: 'color', region: 'armor', colors: { red: '#ff0000' }, when: { detector: 'health', value: '9' } },
      },
    };
    writeFileSync(join(pack, 'profile.json'), JSON.stringify(profile));
    const { status, stdout } = await playbyplay('profile', 'try', pack, clip, '--at', '4', '--out', looks);
    expect(stdout).toMatch(/health +text +cannot be read yet +there is no file .*big\.json/);
    expect(status).toBe(0);
    writeFileSync(join(pack, 'profile.json'), JSON.stringify({ ...profile, detectors: {} }));
    expect((await playbyplay('profile', 'try', pack, clip, '--at', '4', '--out', looks)).status).toBe(0);
    expect(readdirSync(looks).toSorted()).toEqual(['4.00 armor.png', '4.00 health.png', '4.00.png']);
    // What follows a find is shown where that was found: the icon is the very crop.
    cpSync(join(looks, '4.00 health.png'), join(pack, 'icon.png'));
    const attached = { relative: { detector: 'icon' }, x: 1, y: 0, width: 0.5, height: 1 };
    const lost = { ...attached, relative: { detector: 'low' } };
    const followed = {
      ...profile,
      regions: { ...profile.regions, wide: { ...region, padding: 0.2 }, attached, lost },
      detectors: {
        icon: { kind: 'icon', region: 'wide', icons: { bar: 'icon.png' } },
        low: { kind: 'icon', region: 'armor', icons: { bar: 'icon.png' } },
      },
    };
    writeFileSync(join(pack, 'profile.json'), JSON.stringify(followed));
    const { stdout: shown } = await playbyplay('profile', 'try', pack, clip, '--at', '4', '--out', looks);
    expect(shown).toMatch(/icon +icon +“bar”/);
    const looked = readdirSync(looks);
    expect(looked).toContain('4.00 attached.png');
    expect(looked).not.toContain('4.00 lost.png');
  });

  it('suggests detectors and rejects invalid times', async () => {
    const near = await playbyplay('profile', 'try', 'freedoom', clip, '--at', '4', '--detector', 'helth');
    expect([near.status, near.stderr]).toEqual([1, expect.stringContaining('Did you mean "health"?')]);
    const late = await playbyplay('profile', 'try', 'freedoom', clip, '--at', 'soon');
    expect([late.status, late.stderr]).toEqual([
      2,
      expect.stringContaining('--at must be a time such as 90, 1:30 or 2m, not "soon"'),
    ]);
  });
});

describe('a script that writes notes', () => {
  it('prints them to stderr, not to the log', async () => {
    const pack = join(folder, 'pack');
    cpSync('configs/freedoom', join(pack, 'configs/freedoom'), { recursive: true });
    mkdirSync(join(pack, 'scripts'));
    writeFileSync(join(pack, 'scripts/freedoom.js'), 'function onEnd(game) { game.note("over at", game.t); }');
    const { stderr, stdout } = await playbyplay(
      'detect',
      clip,
      '--game',
      pack,
      '--to',
      '1',
      '--out',
      join(folder, 'log'),
    );
    expect(stderr).toMatch(/\(script\) over at \d/);
    // Of a game that is being made it says which detectors might be wrong.
    expect(stderr).toMatch(/No accepted value from [^\n]*blue key[^\n]*: "profile try" shows what they read\./);
    expect(stdout).toBe('');
  });
});
