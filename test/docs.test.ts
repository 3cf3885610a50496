import { buildApplication, buildRouteMap, run } from '@stricli/core';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Cue } from '../src/cues/cue.ts';
import type { EventMapping } from '../src/profile/profile.ts';
import { loadKindCatalog } from '../src/pipeline/schemas.ts';
import { publishedProfileSchema } from '../src/profile/schema.ts';
import { findSchemaError } from '../src/schema/compile.ts';
import { checkProfile } from '../src/profile/check.ts';
import { compileMappings } from '../src/script/mapping.ts';
import { app } from '../src/cli/app.ts';
import { command } from '../src/cli/command.ts';
import { specOf } from '../src/cli/help.ts';
import { openScript } from '../src/script/script.ts';
import { render } from '../src/dictionary/sentences/render.ts';
import { NO_PLUGINS } from '../src/detectors/plugins/load.ts';
import { inspectGame } from '../src/pipeline/game.ts';
import { tryScriptOnSamples } from '../src/pipeline/sample-cues.ts';

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
    const mappings = compileMappings(events);
    const said = (one: Cue): unknown[] => mappings.take(one).statements.map(({ statement }) => statement);
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

  it('shows a racing game without a script', async () => {
    const pack = fileURLToPath(new URL('../docs/examples/racing', import.meta.url));
    const { game, warnings } = await inspectGame(pack, NO_PLUGINS);
    expect(warnings).toEqual([]);
    expect(await tryScriptOnSamples(game!)).toMatchObject({ issues: [] });
    const mappings = compileMappings(game!.profile.events);
    const cues = [
      cue(10, 'lap', 'found', '1/3'),
      cue(20, 'position', 'changed', 3, 5),
      cue(20.5, 'position', 'changed', 4, 3),
      cue(30, 'lap', 'changed', '2/3', '1/3'),
      cue(31, 'coins', 'changed', 2, 0),
      cue(32, 'coins', 'changed', 72, 2),
      cue(50, 'fuel', 'changed', 19, 20),
      cue(51, 'fuel', 'changed', 21, 19),
      cue(52, 'fuel', 'changed', 18, 21),
      cue(60, 'lap', 'changed', '3/3', '2/3'),
      { t: 90, detector: 'lap', trigger: 'lost', previous: '3/3', confidence: 0.9 } as const,
    ];
    const made = [...cues.map((one) => mappings.take(one)), mappings.end(95)].flatMap(({ statements }) => statements);
    expect(made.map(({ t, statement }) => `${t} ${render(statement, game!.dictionary)}`)).toEqual([
      "20.5 player's rank worsens from 3 to 4",
      '30 lap "2" begins',
      '31 player obtains 2 coins',
      "50 player's fuel becomes 19",
      '60 lap "3" begins',
      '60 final lap begins',
      '90 player completes race',
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

const catalog = await loadKindCatalog();

/** Every page of the documentation and the README, by path. */
const pages = new Map(
  ['README.md', ...(await readdir(new URL('../docs/', import.meta.url), { recursive: true })).map(inDocs)]
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .map((path) => [path, readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')] as const),
);

function inDocs(path: string): string {
  return `docs/${path.replaceAll('\\', '/')}`;
}

describe('JSON on the pages for authors of games', () => {
  const area = { x: 0, y: 0, width: 0.5, height: 0.5 };
  const color = { kind: 'color', region: 'a', colors: { red: '#ff0000' } };
  const head = { format: 'playbyplay/profile/1', game: 'example', title: 'Example', version: '1' };
  type Members = Readonly<Record<string, Readonly<Record<string, { readonly region?: string }>>>>;
  const kinds = new Set(catalog.names);

  /** A profile around a part of one: with the regions and detectors that the part mentions. */
  function completeProfile(part: Members): object {
    const isDetectors = Object.values(part).every((member) => kinds.has(String((member as { kind?: unknown }).kind)));
    const { regions, detectors = {}, ...rest } = isDetectors ? ({ detectors: part } as unknown as Members) : part;
    const used = Object.values(detectors).map(({ region }) => region ?? 'a');
    const others = ['feed', 'medal', 'health', 'skull', 'kill feed', 'kill sound', 'score', 'ammunition', 'shells'];
    return {
      ...head,
      reference: { width: 1280, height: 720 },
      languages: ['de'],
      regions: { ...Object.fromEntries(['a', ...used].map((name) => [name, area])), ...regions },
      detectors: { ...Object.fromEntries(others.map((name) => [name, color])), ...detectors },
      ...rest,
    };
  }

  const blocks = [...pages]
    .filter(([path]) => path.startsWith('docs/games/'))
    .flatMap(([path, text]) =>
      [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json], i) => [path, i, json!] as const),
    );

  it.each(blocks)('%s, block %i, is valid', (_, _index, json) => {
    const value = JSON.parse(json.trimStart().startsWith('"') ? `{${json}}` : json) as Members & { format?: unknown };
    if ('phrases' in value || 'profiles' in value || 'plugins' in value) return;
    const profile = value.format === head.format ? value : completeProfile(value);
    expect(checkProfile(profile, 'profile.json', catalog).issues).toEqual([]);
  });

  it('shows every kind of detector', () => {
    const text = pages.get('docs/games/how-to.md')!;
    const table = text.slice(text.indexOf('## Choose a detector'), text.indexOf('## Look at what detectors see'));
    for (const kind of catalog.names) expect(table).toMatch(new RegExp(`^\\| [^|]* \\| \`${kind}\``, 'm'));
  });
});

/** The command line with commands that do nothing. */
function withoutActions(target: object): unknown {
  const spec = specOf(target);
  if (spec) return command(spec, async () => async () => 0);
  const group = target as ReturnType<typeof buildRouteMap>;
  const entries = group.getAllEntries();
  const preset = entries.find((entry) => entry.target === group.getDefaultCommand())?.name.original;
  const routes = Object.fromEntries(entries.map((entry) => [entry.name.original, withoutActions(entry.target)]));
  return buildRouteMap({
    routes: routes as never,
    docs: { brief: '' },
    ...(preset !== undefined && { defaultCommand: preset }),
  });
}

const parser = buildApplication(withoutActions(app.root) as never, app.config);

/** What the parser says against a command line: nothing, if it is right. */
async function refusal(line: string): Promise<string> {
  const words = [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/['"]/g, ''));
  const redirected = words.findIndex((word) => /^(?:>>?|\||&&|#)$/.test(word));
  let complaint = '';
  const io = { write: (text: string) => void (complaint += text) };
  const process = { stdout: io, stderr: io, exitCode: 0 };
  await run(parser, redirected < 0 ? words : words.slice(0, redirected), { process } as never);
  return process.exitCode === 0 ? '' : `${line}: ${complaint}`;
}

const SHELL_LINE = /^(?:npx )?playbyplay (.*)/;
const TERMINAL_LINE = /^\$ (?:npx )?playbyplay (.*)/;

describe('commands on the pages', () => {
  const blocks = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/^```(sh|)\n(.*?)^```/gms)].map(([, language, body]) => [path, language!, body!] as const),
  );
  const lines = blocks.flatMap(([path, language, body]) =>
    body
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => (language === 'sh' ? SHELL_LINE : TERMINAL_LINE).exec(line)?.[1])
      .filter((line) => line !== undefined && !line.startsWith('--version'))
      .map((line) => [path, line!] as const),
  );

  it('are found', () => {
    expect(lines.length).toBeGreaterThan(100);
  });

  it.each([...pages.keys()])('are accepted by the command line: %s', async (page) => {
    const refusals = await Promise.all(lines.filter(([path]) => path === page).map(([, line]) => refusal(line)));
    expect(refusals.filter((text) => text !== '')).toEqual([]);
  });

  it('exist where running text names them', () => {
    const known = (app.root as ReturnType<typeof buildRouteMap>).getAllEntries().map((entry) => entry.name.original);
    for (const [path, text] of pages)
      for (const [, name] of text.replaceAll(/^```.*?^```/gms, '').matchAll(/`playbyplay ([a-z]+)/g))
        expect([path, known.includes(name!) ? name : `${name!}?`]).toEqual([path, name]);
  });
});

/** The anchors of a page's headings, as the site and code hosts make them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s+/g, '-'),
    ),
  );
}

describe('links', () => {
  it.each([...pages.keys()])('lead to existing files and headings: %s', (page) => {
    const text = pages
      .get(page)!
      .replaceAll(/^```.*?^```/gms, '')
      .replaceAll(/`[^`\n]*`/g, '');
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, href]) => href!)
      .filter((href) => !/^[a-z]+:/.test(href))
      .filter((href) => {
        const [file = '', anchor] = href.split('#');
        const target = file === '' ? page : posix.join(posix.dirname(page), file);
        const url = new URL(`../${target}`, import.meta.url);
        if (!existsSync(url)) return true;
        return anchor !== undefined && !anchorsOf(readFileSync(url, 'utf8')).has(anchor);
      });
    expect(broken).toEqual([]);
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
