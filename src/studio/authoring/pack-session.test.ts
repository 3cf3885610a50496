import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { learnFingerprint } from '../../detectors/sound/fingerprint.ts';
import { BANDS } from '../../detectors/sound/spectrogram.ts';
import { loadBuiltin } from '../../dictionary/files.ts';
import type { Discovery, HudField } from '../../discovery/hud-field.ts';
import { FileHistory, versionOf } from '../../files/history.ts';
import { random } from '../../../test/fixtures/sound-bursts.ts';
import { PackSession } from './pack-session.ts';
import type { PackStore } from './pack-store.ts';

/** A pack in a folder of its own, with the history of its changes. */
async function openPack(): Promise<{
  readonly session: PackSession;
  readonly history: FileHistory;
  readonly root: string;
}> {
  const root = await mkdtemp(join(tmpdir(), 'playbyplay-pack-'));
  const history = new FileHistory(root, join(root, '.playbyplay', 'history'));
  const store: PackStore = {
    root,
    read: (path) => readFile(join(root, path)).catch(() => undefined),
    async change(label, edits, base) {
      const changes = Array.from(edits, ([file, content]) => ({ file, content, version: versionOf(base?.get(file)) }));
      await history.change(label, changes);
    },
  };
  return { session: new PackSession(store, 'race'), history, root };
}

const LAP = { x: 10, y: 20, width: 60, height: 30 };

function field(id: string, x: number, more: Partial<HudField> = {}): HudField {
  return {
    id,
    type: 'counter',
    name: id,
    isCaptioned: true,
    rect: { x, y: 20, width: 60, height: 30 },
    align: 'left',
    place: 'top left',
    pattern: '(\\d{1,2})',
    behaviour: { resets: false, changes: 3, presence: 1 },
    certainty: 0.9,
    examples: [
      { recording: 0, t: 1, text: '1' },
      { recording: 0, t: 9, text: '2' },
    ],
    ...more,
  };
}

function icon(x: number, ...pngs: readonly string[]): HudField {
  return field('weapon', x, {
    type: 'icon',
    pictures: pngs.map((text, t) => ({ png: Buffer.from(text).toString('base64'), recording: 0, t, count: 2 })),
  });
}

function discovery(...fields: readonly HudField[]): Discovery {
  return {
    format: 'playbyplay/discovery/1',
    reference: { width: 1280, height: 720 },
    recordings: [{ path: '/videos/race.mp4', duration: 60 }],
    moment: { recording: 0, t: 1 },
    fields,
  };
}

describe('PackSession', () => {
  it('saves every step to files that load, and undoes it', async () => {
    const { session, history, root } = await openPack();
    await session.create('Race', { width: 1280, height: 720 });
    const detector = { kind: 'text', reader: 'general', value: 'number' };
    await session.edit({
      op: 'add',
      name: 'lap',
      box: LAP,
      detector,
      examples: [
        { t: 1, text: '1' },
        { t: 9, text: '2' },
      ],
    });
    const statement = { subject: 'player', property: 'level', from: '$previous', to: '$value' };
    const diff = await session.edit({ op: 'add-rule', rule: { element: 'lap', trigger: 'rises', statement } });
    expect(diff.map(({ path }) => path)).toEqual(['configs/race/profile.json']);
    expect(diff[0]!.lines.filter(({ kind }) => kind === 'added').map(({ text }) => text.trim())).toContain(
      '"change": "rise"',
    );
    await session.edit({
      op: 'add-word',
      kind: 'object',
      name: 'boost pad',
      parent: 'item',
      definition: 'A pad that makes cars faster.',
    });
    const contents = await session.contents();
    expect(contents.issues).toEqual([]);
    expect(contents.elements).toMatchObject([{ name: 'lap', status: 'accepted', box: LAP, rules: 1 }]);
    expect(contents.rules).toMatchObject([
      { element: 'lap', trigger: 'rises', sentence: "player's level rises from 1 to 2" },
    ]);
    expect(contents.words).toMatchObject([{ kind: 'object', name: 'boost pad' }]);
    expect((await history.state()).undo).toBe('Add the word boost pad');
    await history.undo();
    await history.undo();
    expect((await session.contents()).rules).toEqual([]);
    await history.undo();
    expect((await session.contents()).elements).toEqual([]);
    await writeFile(join(root, 'configs/race/profile.json'), '{');
    await expect(session.contents()).rejects.toMatchObject({ code: 'profile-broken' });
  });

  it('keeps all sounds in one detector, which loads, and takes no file that is none', async () => {
    const { session } = await openPack();
    await session.create('Race', { width: 1280, height: 720 });
    // A second of noise that no two seconds of share, after silence.
    const next = random(7);
    const frames = Array.from({ length: 60 }, (_, i) =>
      Float32Array.from({ length: BANDS }, () => (i < 40 ? -90 : -30 + 10 * next())),
    );
    const sound = learnFingerprint('coin', [{ frames, before: 40, length: 20 }]);
    await session.edit({ op: 'sound', name: 'coin', sound });
    await session.edit({ op: 'sound', name: 'door', sound: { ...sound, label: 'door' } });
    await session.edit({ op: 'sound', name: 'coin', sound });
    const { profile } = await session.draft();
    expect(profile.detectors).toEqual({
      sounds: {
        kind: 'sound',
        of: 'clip',
        clips: { coin: ['sounds/coin.json', 'sounds/coin-2.json'], door: 'sounds/door.json' },
      },
    });
    expect((await session.contents()).issues).toEqual([]);
    const broken = { ...sound, levels: 'AAAA' };
    await expect(session.edit({ op: 'sound', name: 'x', sound: broken })).rejects.toMatchObject({ code: 'bad-sound' });
  });

  it('keeps labels with their element, and replaces the general reader by a font', async () => {
    const { session, root } = await openPack();
    await session.create('Race', { width: 1280, height: 720 });
    await session.edit({ op: 'add', name: 'lap', box: LAP, detector: { kind: 'text', reader: 'general' } });
    const atlas = { format: 'playbyplay/atlas/1' } as never;
    const labels = [{ media: join(root, 'race.mp4'), times: [1, 2.5], text: '12' }];
    await session.edit({ op: 'font', name: 'lap', atlas, isOffset: false, labels });
    const detector = { kind: 'text', atlas: 'fonts/lap.json' };
    await session.edit({ op: 'add', name: 'coins', box: { ...LAP, x: 300 }, detector });
    await session.edit({ op: 'font', name: 'coins', atlas, isOffset: false, labels: [] });
    // Its own font: the other element keeps the one that they shared.
    expect((await session.draft()).profile.detectors['coins']).toMatchObject({ atlas: 'fonts/coins.json' });
    await session.edit({ op: 'rename', name: 'lap', to: 'round' });
    const { profile } = await session.draft();
    expect(profile.detectors['round']).toEqual({
      kind: 'text',
      region: 'round',
      atlas: 'fonts/lap.json',
      align: 'centre',
      fallback: { reader: 'general', reject: 0.6 },
    });
    expect(await readFile(join(root, 'labels.ndjson'), 'utf8')).toBe(
      '{"media":"race.mp4","t":1,"times":[1,2.5],"detector":"round","text":"12"}\n',
    );
  });

  it('drafts again without touching what was decided', async () => {
    const { dictionary } = await loadBuiltin([]);
    const { session } = await openPack();
    await session.takeDraft(discovery(field('Lap', 10), field('Speed', 300)), dictionary, 'Race');
    expect((await session.draft()).profile.title).toBe('Race');
    await session.edit({ op: 'rename', name: 'counter Lap', to: 'lap' });
    await session.edit({ op: 'accept', names: ['lap'] });
    await session.edit({ op: 'refuse', name: 'counter Speed' });
    await session.takeDraft(discovery(field('Lap', 12), field('Speed', 300), field('Coins', 600)), dictionary);
    const { elements, recordings } = await session.contents();
    expect(elements.map(({ name, status }) => [name, status])).toEqual([
      ['lap', 'accepted'],
      ['counter Coins', 'proposed'],
      ['counter Speed', 'refused'],
    ]);
    expect(elements[0]!.box).toMatchObject({ x: 10 });
    expect(recordings).toHaveLength(1);
  });

  it('saves the pictures of icons, and keeps those of icons that stay', async () => {
    const { session, root } = await openPack();
    const { dictionary } = await loadBuiltin();
    await session.takeDraft(discovery(icon(10, 'axe', 'bow')), dictionary, 'Race');
    await session.edit({ op: 'accept', names: ['icon weapon'] });
    await session.takeDraft(discovery(icon(10, 'axe', 'bow'), icon(400, 'cup', 'hat')), dictionary);
    const { detectors } = (await session.draft()).profile;
    const shown = Object.values(detectors).map(({ icons }) =>
      Promise.all(
        Object.values(icons as Readonly<Record<string, string>>).map((path) =>
          readFile(join(root, 'configs', 'race', path), 'utf8'),
        ),
      ),
    );
    expect(await Promise.all(shown)).toEqual([
      ['axe', 'bow'],
      ['cup', 'hat'],
    ]);
  });

  it('refuses to save over what another program wrote', async () => {
    const { session, root } = await openPack();
    await session.create('Race', { width: 1280, height: 720 });
    const base = new Map([['notes.txt', undefined]]);
    await writeFile(join(root, 'notes.txt'), 'from elsewhere');
    await expect(session.store.change('Note', new Map([['notes.txt', 'mine']]), base)).rejects.toMatchObject({
      code: 'file-changed',
    });
    expect(await readFile(join(root, 'notes.txt'), 'utf8')).toBe('from elsewhere');
  });
});
