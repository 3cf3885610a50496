import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openGame } from './game.ts';
import { tryScriptOnSamples } from './sample-cues.ts';

const pack = await mkdtemp(join(tmpdir(), 'playbyplay-samples-'));
afterAll(() => rm(pack, { recursive: true, force: true }));

/** What a trial of a script finds in a game with a counter and a color. */
async function trial(source: string) {
  const folder = join(pack, 'configs', 'elsewhere');
  await mkdir(folder, { recursive: true });
  await mkdir(join(pack, 'scripts'), { recursive: true });
  await writeFile(join(pack, 'scripts', 'elsewhere.js'), source);
  const profile = {
    format: 'playbyplay/profile/1',
    game: 'elsewhere',
    title: 'Elsewhere',
    version: '1',
    reference: { width: 1280, height: 720 },
    dictionaries: [],
    regions: { all: { x: 0, y: 0, width: 1, height: 1 } },
    detectors: {
      light: { kind: 'color', region: 'all', colors: { red: '#ff0000', green: '#00ff00' } },
      fill: { kind: 'bar', region: 'all' },
    },
  };
  await writeFile(join(folder, 'profile.json'), JSON.stringify(profile));
  return await tryScriptOnSamples(await openGame(folder));
}

describe('a trial of a script on sample cues', () => {
  it('lets every detector find, change and lose the values that its options name', async () => {
    const { cues, issues } = await trial(`
      const seen = [];
      function onCue(cue) { seen.push([cue.detector, cue.trigger, cue.value ?? '-'].join(' ')); }
      function onEnd() { throw new Error(seen.join(', ')); }`);
    expect(cues).toBe(8);
    expect(issues[0]!.message).toContain(
      'light found red, light changed green, light lost -, fill found 100, fill changed 62, fill changed 0, fill changed 1, fill lost -',
    );
  });

  it('finds errors with their place, and words that the dictionary does not have', async () => {
    const { issues } = await trial(`function onCue(cue, game) {
      if (cue.value === 'green') cue.value.no.such;
      if (cue.value === 'red') game.emit({ subject: 'player', action: 'defenestrate' });
    }`);
    expect(issues).toEqual([
      expect.objectContaining({ path: 'scripts/elsewhere.js', message: expect.stringContaining('defenestrate') }),
      expect.objectContaining({ path: 'scripts/elsewhere.js:2', message: expect.stringContaining('TypeError') }),
    ]);
  });

  it('finds a call beyond the budget', async () => {
    const { issues } = await trial('function onCue(cue) { if (cue.value === "red") while (1); }');
    expect(issues.map(({ code }) => code)).toEqual(['script-budget']);
  });
});
