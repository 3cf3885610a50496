import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordLog } from '../../src/pipeline/record-log.ts';
import { loadKindCatalog } from '../../src/pipeline/schemas.ts';
import { checkProfile } from '../../src/profile/check.ts';
import { clip, root } from '../paths.ts';

const guide = await readFile(new URL('../../docs/games/networks.md', import.meta.url), 'utf8');

describe('the guide to networks', () => {
  it('shows valid detectors', async () => {
    const blocks = [...guide.matchAll(/```json\n("[a-z ]+": \{.*?)```/gs)].map(([, block]) => block!);
    const { interpreter, ...shown } = JSON.parse(`{${blocks.join(',')}}`) as Record<string, { region: string }>;
    expect(Object.keys(shown).length).toBeGreaterThanOrEqual(4);
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
    const { issues, assets } = checkProfile(profile, 'profile.json', await loadKindCatalog());
    expect(issues).toEqual([]);
    expect(assets.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['models/weapon.onnx', 'icons/sword.png', 'models/events.onnx']),
    );
    const wrong = {
      ...profile,
      detectors: { ...detectors, weapon: { kind: 'onnx', region: 'weapon', model: 'm.onnx', task: 'embed' } },
    };
    expect(checkProfile(wrong, 'profile.json', await loadKindCatalog()).issues.map(({ message }) => message)).toEqual([
      expect.stringContaining('prototypes'),
    ]);
    const lost = { ...profile, interpreter: { ...(interpreter as object), kinds: ['health', 'shot'], margin: 40 } };
    expect(
      checkProfile(lost, 'profile.json', await loadKindCatalog()).issues.map(({ code, path }) => [code, path]),
    ).toEqual([
      ['empty-range', 'profile.json#/interpreter/window'],
      ['unknown-kind', 'profile.json#/interpreter/events/death'],
    ]);
  });
});

it('a network whose execution provider is missing is reported, with one thread or several', async () => {
  const pack = join(await mkdtemp(join(tmpdir(), 'playbyplay-provider-')), 'configs', 'elsewhere');
  await mkdir(pack, { recursive: true });
  await cp(join(root, 'configs', 'openarena', 'models', 'weapons.onnx'), join(pack, 'm.onnx'));
  const network = {
    kind: 'onnx',
    region: 'all',
    model: 'm.onnx',
    task: 'classify',
    labels: ['a'],
    providers: ['cuda'],
  };
  const profile = {
    format: 'playbyplay/profile/1',
    game: 'elsewhere',
    title: 'Elsewhere',
    version: '1',
    reference: { width: 1280, height: 720 },
    dictionaries: [],
    regions: { all: { x: 0, y: 0, width: 1, height: 1 } },
    detectors: { network },
  };
  await writeFile(join(pack, 'profile.json'), JSON.stringify(profile));
  const media = clip;
  await expect(recordLog({ media, game: pack, out: join(pack, 'log'), workers: 2 })).rejects.toMatchObject({
    issues: [
      {
        path: expect.stringMatching(/profile\.json#\/detectors\/network$/),
        message: 'the model m.onnx cannot run on cuda here',
        hint: expect.stringContaining('Add "cpu"'),
      },
      { path: 'm.onnx', message: expect.stringMatching(/^cuda: /) },
    ],
  });
});
