import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { kindSchemas } from '../src/pipeline/schemas.ts';
import { checkProfile } from '../src/profile/check.ts';

const guide = await readFile(new URL('../docs/networks.md', import.meta.url), 'utf8');

describe('the guide to networks', () => {
  it('shows detectors that a profile can have', async () => {
    const blocks = [...guide.matchAll(/```json\n("[a-z ]+": \{.*?)```/gs)].map(([, block]) => block!);
    expect(blocks.length).toBeGreaterThanOrEqual(4);
    const { interpreter, ...shown } = JSON.parse(`{${blocks.join(',')}}`) as Record<string, { region: string }>;
    const bar = { kind: 'color', region: 'weapon', colors: { red: '#ff0000' } };
    const detectors = { ...shown, health: bar, ammunition: bar, shells: bar };
    const regions = Object.fromEntries(
      Object.values(detectors).map(({ region }) => [region, { x: 0, y: 0, width: 0.1, height: 0.1 }]),
    );
    const profile = {
      format: 'playbyplay/profile/1',
      game: 'my-game',
      title: 'My Game',
      version: '1',
      reference: { width: 1920, height: 1080 },
      regions,
      detectors,
      interpreter,
    };
    const { issues, assets } = checkProfile(profile, 'profile.json', await kindSchemas());
    expect(issues).toEqual([]);
    expect(assets.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['models/weapon.onnx', 'icons/sword.png', 'models/events.onnx']),
    );
    const wrong = {
      ...profile,
      detectors: { ...detectors, weapon: { kind: 'onnx', region: 'weapon', model: 'm.onnx', task: 'read' } },
    };
    expect(checkProfile(wrong, 'profile.json', await kindSchemas()).issues.map(({ message }) => message)).toEqual([
      expect.stringContaining('dictionary'),
    ]);
    const lost = { ...profile, interpreter: { ...(interpreter as object), kinds: ['health', 'shot'], margin: 40 } };
    expect(
      checkProfile(lost, 'profile.json', await kindSchemas()).issues.map(({ code, path }) => [code, path]),
    ).toEqual([
      ['empty-range', 'profile.json#/interpreter/window'],
      ['unknown-kind', 'profile.json#/interpreter/events/death'],
    ]);
  });
});
