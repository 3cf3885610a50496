import { mkdir, mkdtemp, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlaybyplayError, type Issue } from '../errors.ts';
import { checkProfile } from './check.ts';
import { loadProfile } from './load.ts';
import { inspectProfile } from '../../test/fixtures/profile-issues.ts';
import { findProfile, listGames } from './find.ts';
import { folderPack } from './pack.ts';
import type { KindCatalog } from './schema.ts';

const KINDS: KindCatalog = {
  names: ['text', 'color'],
  kinds: new Map([
    [
      'text',
      {
        input: 'frame',
        schema: {
          type: 'object',
          required: ['atlas'],
          properties: { atlas: { type: 'string', format: 'asset' }, charset: { type: 'string', minLength: 1 } },
        },
      },
    ],
    ['color', { input: 'frame', schema: { type: 'object', properties: { color: { type: 'string' } } } }],
  ]),
};
const options = { kinds: () => Promise.resolve(KINDS) };

const good = {
  format: 'playbyplay/profile/1',
  game: 'test-game',
  title: 'Test Game',
  version: '1',
  reference: { width: 1280, height: 720 },
  regions: {
    health: { x: 0.1, y: 0.8, width: 0.1, height: 0.1, anchor: 'bottom left' },
    menu: { x: 0, y: 0, width: 1, height: 1 },
  },
  screens: { menu: { detector: 'menu' } },
  detectors: {
    health: {
      kind: 'text',
      region: 'health',
      atlas: 'digits.json',
      stability: { samples: 2 },
      plausible: { min: 0, max: 200 },
    },
    menu: { kind: 'color', region: 'menu', when: { detector: 'health', seen: false } },
  },
  events: [
    {
      on: { detector: 'health', trigger: 'changed', change: 'fall' },
      statement: { subject: 'player', property: 'health', from: '$previous', to: '$value' },
    },
  ],
};

/** A pack with one game; `files` are added or, where undefined, left out. */
async function packOf(profile: unknown, files: Record<string, string | undefined> = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'playbyplay-pack-'));
  const all = {
    'configs/test-game/profile.json': JSON.stringify(profile),
    'configs/test-game/digits.json': '{}',
    ...files,
  };
  for (const [path, content] of Object.entries(all)) {
    if (content === undefined) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

async function codes(profile: unknown, files?: Record<string, string | undefined>): Promise<string[]> {
  const root = await packOf(profile, files);
  const issues = await inspectProfile(root, options);
  return issues.map(({ code, path }) => `${code} ${path?.split('#')[1] ?? ''}`);
}

const hash = async (profile: unknown, digits: string): Promise<string> => {
  const root = await packOf(profile, { 'configs/test-game/digits.json': digits });
  return (await loadProfile(root, options)).fingerprint.hash;
};

const chain = (a: string, b: string, c: string): unknown => ({
  ...good,
  detectors: Object.fromEntries([a, b, c].map((when, i) => ['abc'[i], { kind: 'color', when: { detector: when } }])),
  screens: {},
  events: [],
});

const dial = (spec: object): unknown => ({
  ...good,
  regions: { dial: { x: 0.9, y: 0.85, width: 0.15, height: 0.2 } },
  detectors: { speed: { kind: 'color', region: 'dial', ...spec } },
  screens: {},
  events: [],
});

describe('loadProfile', () => {
  it('finds a game by name, by its profile, by its folder and by its pack', async () => {
    const root = await packOf(good, { 'scripts/test-game.js': 'function onCue() {}' });
    const packs = [folderPack(root)];
    const file = join(root, 'configs', 'test-game', 'profile.json');
    const loaded = await Promise.all([
      loadProfile('test-game', { ...options, packs }),
      loadProfile(file, options),
      loadProfile(dirname(file), options),
      loadProfile(root, options),
    ]);
    expect(new Set(loaded.map(({ fingerprint }) => fingerprint.hash)).size).toBe(1);
    expect(loaded.map(({ script }) => script?.source)).toEqual(Array(4).fill('function onCue() {}'));
    expect(Buffer.from(await loaded[1]!.assets.read('digits.json')).toString()).toBe('{}');
    expect(await listGames(packs[0]!)).toEqual(['test-game']);
  });

  it('accepts a profile alone in a folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'playbyplay-alone-'));
    await writeFile(join(folder, 'digits.json'), '{}');
    await writeFile(join(folder, 'profile.json'), JSON.stringify(good));
    expect((await loadProfile(folder, options)).profile.title).toBe('Test Game');
  });

  it('names the nearest game', async () => {
    const packs = [folderPack(await packOf(good))];
    await expect(findProfile('tset-game', packs)).rejects.toMatchObject({
      code: 'unknown-game',
      hint: 'Did you mean "test-game"?',
    });
    await expect(findProfile('quake', packs)).rejects.toMatchObject({
      code: 'unknown-game',
      hint: 'The games are test-game.',
    });
    await expect(findProfile('./gone/profile.json', packs)).rejects.toMatchObject({ code: 'profile-missing' });
  });

  it('changes its fingerprint with the profile and with every file that it names', async () => {
    const hashes = await Promise.all([hash(good, '{}'), hash(good, '{ }'), hash({ ...good, title: 'Other' }, '{}')]);
    expect(new Set(hashes).size).toBe(3);
  });

  it('reports all issues at once, each with its JSON path', async () => {
    const wrong = {
      ...good,
      game: 'Test Game',
      regions: { health: { x: 0.95, y: 0.8, width: 0.1, hieght: 0.1 } },
      detectors: {
        health: { kind: 'txet', region: 'helth' },
        armor: { kind: 'text', region: 'health', when: { detector: 'armor' }, charset: 3, colour: 'red' },
        menu: { kind: 'color', screens: ['pause'], plausible: { min: 3, max: 1, pattern: '(' } },
      },
      events: [
        { on: { detector: 'health', trigger: 'changed', match: '(a)' }, statement: { subject: 'player', verb: '$2' } },
      ],
    };
    const issues = (await codes(wrong)).toSorted();
    expect(issues).toEqual(
      [
        'schema-form /game',
        'schema-missing /regions/health',
        'schema-unknown /regions/health/hieght',
        'region-outside-frame /regions/health',
        'unknown-region /detectors/health/region',
        'circular-when /detectors/armor/when',
        'schema-missing /detectors/armor',
        'schema-type /detectors/armor/charset',
        'schema-unknown /detectors/armor/colour',
        'unknown-screen /detectors/menu/screens/0',
        'empty-range /detectors/menu/plausible',
        'schema-form /detectors/menu/plausible/pattern',
        'unknown-detector-kind /detectors/health/kind',
        'unknown-group /events/0/statement',
        'statement-shape /events/0/statement',
      ].toSorted(),
    );
  });

  it('lets rings of gauges be cut off by the edge, and nothing else', async () => {
    const sticks = 'region-outside-frame /regions/dial';
    expect(await codes(dial({}))).toEqual([sticks, sticks]);
    const { issues } = checkProfile(dial({ direction: 'clockwise' }), 'p');
    expect(issues).toEqual([]);
    expect(checkProfile(dial({}), 'p').issues.map(({ hint }) => hint)).toEqual([
      'Its width can be at most 0.1.',
      'Its height can be at most 0.15.',
    ]);
  });

  it('reports conditions of events that can never be met, and placeholders for nothing', () => {
    const detectors = { laps: { kind: 'text', region: 'r' } };
    const issuesOf = (event: object): readonly string[] =>
      checkProfile({ ...Object(dial({})), detectors, events: [event] }, 'p')
        .issues.filter(({ path }) => path?.includes('/events'))
        .map(({ code, path }) => `${code} ${path?.split('#')[1] ?? ''}`);
    const on = { detector: 'laps', trigger: 'changed' };
    const statement = { subject: 'lap', action: 'begin' };
    expect(issuesOf({ on, statement })).toEqual([]);
    expect(issuesOf({ on: { ...on, final: true }, statement })).toEqual(['unknown-group /events/0/on/final']);
    expect(issuesOf({ on: { ...on, trigger: 'found', by: 1 }, statement })).toEqual(['no-effect /events/0/on/by']);
    expect(issuesOf({ on: { ...on, crosses: { below: 20, until: 10 } }, statement })).toEqual([
      'empty-range /events/0/on/crosses/until',
    ]);
    // No conversion to a number, which an object of this form refuses.
    const above = { toString: 'a', valueOf: 'a' };
    expect(issuesOf({ on: { ...on, crosses: { above, until: 10 } }, statement })).not.toContain(
      'empty-range /events/0/on/crosses/until',
    );
    expect(issuesOf({ on: { ...on, crosses: { until: 10 } }, statement })).toEqual([
      'empty-range /events/0/on/crosses',
    ]);
    expect(issuesOf({ on, statement: { ...statement, with: '$(lapz)' } })).toEqual([
      'unknown-detector /events/0/statement',
    ]);
    expect(issuesOf({ on, statement: { ...statement, amount: '$count' } })).toEqual([
      'unknown-group /events/0/statement',
    ]);
  });

  it('finds circles of detectors that wait for each other, once each', async () => {
    expect(await codes(chain('b', 'c', 'a'))).toEqual(['circular-when /detectors/a/when']);
    expect(await codes(chain('b', 'a', 'a'))).toEqual(['circular-when /detectors/a/when']);
    expect(await codes({ ...(chain('b', 'c', 'c') as object) })).toEqual(['circular-when /detectors/c/when']);
  });

  it('reports the line of a JSON syntax error', async () => {
    const root = await packOf(good, { 'configs/test-game/profile.json': '{\n "format": 1,\n oops\n}' });
    const error = await loadProfile(root, options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PlaybyplayError);
    expect((error as PlaybyplayError).issues[0]?.path).toMatch(/profile\.json:3$/);
  });

  it('reports files that are missing, with the nearest name', async () => {
    const issues = await inspectProfile(
      await packOf(good, { 'configs/test-game/digits.json': undefined, 'configs/test-game/digit.json': '{}' }),
      options,
    );
    expect(issues).toMatchObject([
      { code: 'asset-missing', hint: 'Did you mean "digit.json"?' } satisfies Partial<Issue>,
    ]);
  });

  it('keeps names that mean something to JavaScript out of its way', () => {
    const profile = {
      ...good,
      regions: JSON.parse('{"__proto__": {"x": 0, "y": 0, "width": 1, "height": 1}}') as unknown,
    };
    const { issues } = checkProfile(profile, 'p', KINDS);
    expect(issues.map(({ path }) => path)).toContain('p#/regions/__proto__');
    const { issues: others } = checkProfile(
      { ...good, detectors: { a: { kind: 'color', region: 'constructor' } } },
      'p',
      KINDS,
    );
    expect(others.map(({ code }) => code)).toContain('unknown-region');
  });

  it('never throws for any input', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(good)), json, json, (key, value, whole) => {
        expect(checkProfile({ ...good, [key]: value }, 'p', KINDS).issues).toBeInstanceOf(Array);
        expect(checkProfile(whole, 'p', KINDS).issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a pack', () => {
  it('lets no path out of it', async () => {
    const root = await packOf(good);
    const pack = folderPack(join(root, 'configs'));
    for (const path of ['../digits.json', '/etc/passwd', 'test-game/../../x', 'C:\\x', '..', 'a\0b', '..\\..\\x']) {
      await expect(pack.read(path)).rejects.toMatchObject({ code: 'asset-outside-pack' });
    }
    expect(Buffer.from(await pack.read('test-game/../test-game/digits.json')).toString()).toBe('{}');
  });

  it('follows no symbolic link out of it', async () => {
    const root = await packOf(good);
    const secret = join(await mkdtemp(join(tmpdir(), 'playbyplay-secret-')), 'secret');
    await writeFile(secret, 'secret');
    await symlink(secret, join(root, 'configs', 'test-game', 'link.json'));
    await symlink(dirname(secret), join(root, 'folder'));
    await symlink('digits.json', join(root, 'configs', 'test-game', 'alias.json'));
    const pack = folderPack(root);
    await expect(pack.read('configs/test-game/link.json')).rejects.toMatchObject({ code: 'asset-outside-pack' });
    await expect(pack.read('folder/secret')).rejects.toMatchObject({ code: 'asset-outside-pack' });
    expect(await pack.has('folder/secret')).toBe(false);
    expect(await pack.list('folder')).toEqual([]);
    expect(Buffer.from(await pack.read('configs/test-game/alias.json')).toString()).toBe('{}');
  });

  it('reads no file beyond a size, and no folder', async () => {
    const root = await packOf(good, { big: '' });
    await truncate(join(root, 'big'), 3 << 20);
    await expect(folderPack(root).read('big', 1 << 20)).rejects.toMatchObject({ code: 'asset-too-large' });
    await expect(folderPack(root).read('configs')).rejects.toMatchObject({ code: 'asset-missing' });
  });
});
