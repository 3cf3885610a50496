import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Cue } from '../src/cues/cue.ts';
import type { EventMapping } from '../src/profile/profile.ts';
import { loadKindCatalog } from '../src/pipeline/schemas.ts';
import { publishedProfileSchema } from '../src/profile/schema.ts';
import { findSchemaError } from '../src/schema/compile.ts';
import { checkProfile } from '../src/profile/check.ts';
import { compileMappings } from '../src/script/mapping.ts';
import { openScript } from '../src/script/script.ts';

const guide = await readFile(new URL('../docs/games/scripts.md', import.meta.url), 'utf8');

function block(language: string): string {
  return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(guide)![1]!;
}

function cue(t: number, detector: string, trigger: Cue['trigger'], value: Cue['value'], previous?: Cue['value']): Cue {
  return { t, detector, trigger, confidence: 0.9, value: value!, ...(previous === undefined ? {} : { previous }) };
}

describe('the guide to game scripts', () => {
  it('shows a script that behaves as described', async () => {
    using script = await openScript({
      source: block('js'),
      name: 'my-game.js',
      detectors: ['health', 'kill feed', 'message', 'ammo'],
    });
    const cues = [
      cue(1, 'health', 'changed', 0, 20),
      cue(2, 'kill feed', 'found', 'You fragged Sarge'),
      cue(3, 'ammo', 'changed', 60, 50),
      cue(3.2, 'message', 'found', 'PICKED UP A CLIP'),
      cue(8, 'message', 'found', 'PICKED UP A CLIP'),
      cue(8.4, 'ammo', 'changed', 70, 60),
    ];
    const outputs = [...cues.map((one) => script.onCues(one.t, [one])), script.end(10)];
    expect(outputs.flatMap(({ problems }) => problems)).toEqual([]);
    expect(outputs.flatMap(({ statements }) => statements.map(({ t, statement }) => [t, statement]))).toEqual([
      [1, { subject: 'player', property: 'health', from: 20, to: 0 }],
      [1, { subject: 'player', action: 'die' }],
      [2, { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Sarge' } }],
      [3.2, { subject: 'player', action: 'obtain', object: 'ammunition' }],
    ]);
  });

  it('shows a script of two files that behaves as described', async () => {
    const parts = [...guide.matchAll(/```js\n\/\/ (scripts\/my-game\S*\.js)\n(.*?)```/gs)];
    const files = new Map(parts.map(([, path, text]) => [path!, text!] as const));
    const [name, module] = ['scripts/my-game.js', 'scripts/my-game/feed.js'];
    const modules = new Map([[module, files.get(module)!]]);
    using script = await openScript({ source: files.get(name)!, name, modules, detectors: ['kill feed'] });
    const { statements, problems } = script.onCues(2, [cue(2, 'kill feed', 'found', 'You fragged Sarge')]);
    expect(problems).toEqual([]);
    expect(statements.map(({ statement }) => statement)).toEqual([
      { subject: 'player', action: 'kill', object: { word: 'opponent', name: 'Sarge' } },
    ]);
  });

  it('shows mappings that behave as described', () => {
    const { events } = JSON.parse(`{${block('json')}}`) as { events: EventMapping[] };
    const map = compileMappings(events);
    const said = (one: Cue): unknown[] => map(one).statements.map(({ statement }) => statement);
    expect(said(cue(1, 'health', 'changed', 62, 87))).toEqual([
      { subject: 'player', property: 'health', from: 87, to: 62 },
    ]);
    expect(said(cue(1, 'health', 'changed', 90, 87))).toEqual([]);
    expect(said(cue(1, 'kill feed', 'found', 'Grunt was railed by Gargoyle'))).toEqual([
      {
        subject: { word: 'opponent', name: 'Gargoyle' },
        action: 'kill',
        object: { word: 'opponent', name: 'Grunt' },
        with: 'railgun',
      },
    ]);
  });

  it('names every function of game and every entry point', async () => {
    using script = await openScript({
      source: 'function onEnd(game) { game.note(Object.keys(game).join(" ")); }',
      name: 'keys.js',
    });
    const names = script.end(1).notes[0]!.text.split(' ');
    expect(names).toContain('emit');
    for (const name of names) expect(guide).toMatch(new RegExp(`^\\| \`${name}[\`(]`, 'm'));
  });
});

describe('the schemas of detectors and steps', () => {
  it('are valid JSON Schemas', async () => {
    expect(findSchemaError(publishedProfileSchema(await loadKindCatalog()))).toBe(undefined);
  });
});

describe('the guide to profiles', () => {
  it('shows a valid profile and names every detector kind', async () => {
    const text = await readFile(new URL('../docs/games/how-to.md', import.meta.url), 'utf8');
    const kinds = await loadKindCatalog();
    const example: unknown = JSON.parse(/```json\n(.*?)```/s.exec(text)![1]!);
    expect(checkProfile(example, 'example', kinds).issues).toEqual([]);
    for (const kind of kinds.names) expect(text).toMatch(new RegExp(`^\\| \`${kind}\` `, 'm'));
  });
});

describe('the guide to profiles', () => {
  it('shows dependent detectors that pass the check', async () => {
    const text = await readFile(new URL('../docs/games/how-to.md', import.meta.url), 'utf8');
    const section = /## Dependent detectors[^]*?## Screens/.exec(text)![0];
    const parts = [...section.matchAll(/```json\n(.*?)```/gs)].map(
      ([, json]) => JSON.parse(`{${json}}`) as Record<string, Record<string, { region?: string }>>,
    );
    expect(parts.length).toBe(4);
    const kinds = await loadKindCatalog();
    const area = { x: 0, y: 0, width: 0.5, height: 0.5 };
    const others = {
      feed: { kind: 'feed', region: 'a', atlas: 'a.json' },
      medal: { kind: 'color', region: 'a', colors: {} },
    };
    for (const { regions = {}, detectors = {}, ...rest } of parts) {
      const used = Object.values(detectors).map(({ region }) => region ?? 'a');
      const all = { ...Object.fromEntries(['a', ...used].map((name) => [name, area])), ...regions };
      const read = { ...others, health: { ...others.medal }, ...detectors };
      const profile = {
        format: 'playbyplay/profile/1',
        game: 'example',
        title: 'Example',
        version: '1',
        reference: { width: 1280, height: 720 },
        regions: all,
        detectors: read,
        ...rest,
      };
      const found = checkProfile(profile, 'profile.json', kinds).issues;
      expect(found.filter(({ path }) => !/\/(?:feed|medal|health)\b/.test(path ?? ''))).toEqual([]);
    }
  });
});

describe('examples', () => {
  it('call the log of match.mp4 as detect does', async () => {
    const folders = ['../docs/guide/', '../docs/games/', '../docs/reference/', '../src/cli/commands/', '../'].map(
      (folder) => new URL(folder, import.meta.url),
    );
    for (const folder of folders) {
      for (const name of await readdir(folder)) {
        if (!/\.(?:md|ts)$/.test(name)) continue;
        const text = await readFile(new URL(name, folder), 'utf8');
        expect([name, ...(/[\w>]+\.(?:mp4|mkv)\.playbyplay/.exec(text) ?? [])]).toEqual([name]);
      }
    }
  });
});
