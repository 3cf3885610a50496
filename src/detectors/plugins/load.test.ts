import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { draw, viewOfImage } from '../../../test/fixtures/views.ts';
import type { DetectorKind, FrameDetectorKind, View } from '../kind.ts';
import type { Plugins } from './load.ts';
import { loadKind } from '../registry.ts';
import { guardKind } from './guard.ts';
import { loadPlugins, pluginsUsed } from './load.ts';

type Options = Readonly<Record<string, unknown>>;

let folder: string;
const BUILT_IN = ['text', 'icon'];
const assets = { read: () => Promise.reject(new Error('no assets')) };
const kindOf = (name: string, more = ''): string =>
  `{ name: '${name}', description: 'A kind.', schema: { type: 'object' },
     open: async () => ({ read: () => ({ state: 'seen', value: '${name}', confidence: 1 }), [Symbol.dispose]() {} }) ${more} }`;

/** A kind that answers every question about its options by `answer(name, options)`. */
const parts = (answer: string): string =>
  `const answer = ${answer};
   const queries = ['regions', 'places', 'vectors', 'landmarks', 'characters', 'requires'];
   const answers = Object.fromEntries(queries.map((name) => [name, (options) => answer(name, options)]));
   export const kind = { ...${kindOf('asked')}, ...answers };`;

async function file(path: string, text: string): Promise<string> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
  return `./${path}`;
}

/** The kind of that name, which must read that input. */
async function loaded<Input extends DetectorKind['input']>(
  name: string,
  input: Input,
  plugins: Plugins,
): Promise<DetectorKind & { readonly input: Input }> {
  const kind = await loadKind(name, plugins);
  expect(kind.input).toBe(input);
  return kind as DetectorKind & { readonly input: Input };
}

const asking = async (name: string, answer: string): Promise<FrameDetectorKind> =>
  loaded('asked', 'frame', await loadPlugins([await file(`${name}.js`, parts(answer))], BUILT_IN, folder));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playbyplay-plugins-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});

describe('plug-ins', () => {
  it.each([
    ['a module', 'one.js', `export const version = '3'; export const kind = ${kindOf('one')};`],
    ['a module of several kinds', 'two.js', `export const kinds = [${kindOf('other')}, ${kindOf('one')}];`],
    ['a default export', 'three.mjs', `export default ${kindOf('one')};`],
    ['CommonJS', 'four.cjs', `module.exports = { kind: ${kindOf('one')} };`],
    ['TypeScript', 'five.ts', `const x: number = 1; export const kind = ${kindOf('one')};`],
  ])('can be %s', async (_, path, text) => {
    const plugins = await loadPlugins([await file(path, text)], BUILT_IN, folder);
    using detector = await (await loaded('one', 'frame', plugins)).open({}, assets);
    expect(await detector.read(viewOfImage(draw(1, 1, () => [0, 0, 0])))).toMatchObject({
      state: 'seen',
      value: 'one',
    });
    const [print] = pluginsUsed(plugins, ['one', 'text']);
    expect(print).toMatchObject({ name: path.slice(0, path.lastIndexOf('.')), version: path === 'one.js' ? '3' : '0' });
  });

  it('can be packages, found from the folder of the user', async () => {
    const about = { name: 'a-plugin', version: '1.2.3', main: 'lib/main.cjs' };
    await file('node_modules/a-plugin/package.json', JSON.stringify(about));
    await file('node_modules/a-plugin/lib/main.cjs', `exports.kind = ${kindOf('packed')};`);
    const plugins = await loadPlugins(['a-plugin', './node_modules/a-plugin'], BUILT_IN, folder);
    expect([...plugins.kinds.keys()]).toEqual(['packed']);
    expect(pluginsUsed(plugins, ['packed'])).toMatchObject([{ name: 'a-plugin', version: '1.2.3' }]);
  });

  it('have a fingerprint of all their own code, and of nothing else', async () => {
    const hash = async (): Promise<string> =>
      [...(await loadPlugins([path], BUILT_IN, folder)).kinds.values()][0]!.plugin.hash;
    const path = await file('parts/index.js', `import { n } from './n.js'; export const kind = ${kindOf('parts')}; n;`);
    await file('parts/n.js', 'export const n = 1;');
    const before = await hash();
    await file('parts/unused.js', 'export const n = 2;');
    expect(await hash()).toBe(before);
    await file('parts/n.js', 'export const n = 3;');
    expect(await hash()).not.toBe(before);
  });

  it.each([
    [
      'not-there',
      'plugin-missing',
      /the package "not-there" was not found from/,
      expect.stringMatching(/npm install not-there/),
    ],
    ['./not-there.js', 'plugin-missing', /no plug-in at/, undefined],
    ['named.js', 'plugin-missing', /was not found/, expect.stringMatching(/write \.\/named\.js/)],
    ['./throws.js', 'plugin-broken', /throws\.js cannot be used: it cannot be loaded: no such luck/, undefined],
    ['./empty.js', 'plugin-broken', /exports no detector kind/, undefined],
    ['./unnamed.js', 'plugin-broken', /"name" of a kind must be lower-case/, undefined],
    ['./icon.js', 'plugin-broken', /name of a built-in kind/, undefined],
    ['./schema.js', 'plugin-broken', /unknown keyword: "mininum"/, undefined],
    ['./deaf.js', 'plugin-broken', /has no function "listen"/, undefined],
    ['./input.js', 'plugin-broken', /one of frame, frame-pair, audio, records/, undefined],
  ])('%s is refused with a reason', async (name, code, message, hint) => {
    await file('named.js', `export const kind = ${kindOf('named')};`);
    await file('throws.js', `throw new Error('no such luck');`);
    await file('empty.js', `export const something = 1;`);
    await file('unnamed.js', `export const kind = ${kindOf('A kind')};`);
    await file('deaf.js', `export const kind = { ...${kindOf('deaf')}, input: 'audio' };`);
    await file('input.js', `export const kind = { ...${kindOf('input')}, input: 'smell' };`);
    await file('icon.js', `export const kind = ${kindOf('icon')};`);
    await file(
      'schema.js',
      `export const kind = { ...${kindOf('schema')}, schema: { properties: { a: { mininum: 1 } } } };`,
    );
    await expect(loadPlugins([name], BUILT_IN, folder)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      hint,
    });
  });

  it.each([
    [
      'newer',
      'export const interfaceVersion = 2; export const somethingElse = 1;',
      undefined,
      /needs version 2 of the plug-in interface; playbyplay \S+ has 1$/,
    ],
    [
      'newer, as a package says before its code is run',
      'throw new Error("was run");',
      2,
      /needs version 2 of the plug-in interface; playbyplay \S+ has 1$/,
    ],
    ['nonsense', 'export const interfaceVersion = "next";', undefined, /whole number from 1, not "next"/],
  ])('for another interface are refused by name: %s', async (named, text, says, message) => {
    const own = `future-${named.length}`;
    await file(`${own}/index.js`, text);
    await file(
      `${own}/package.json`,
      JSON.stringify({ name: 'future', type: 'module', playbyplay: { interface: says } }),
    );
    await expect(loadPlugins([`./${own}`], BUILT_IN, folder)).rejects.toMatchObject({
      message: expect.stringMatching(message),
    });
  });

  it.each([
    [
      'read',
      `open: async () => ({ read() { throw new Error('broke'); }, [Symbol.dispose]() {} })`,
      'failed in read: broke',
    ],
    ['a promise', `open: async () => ({ read: () => Promise.reject(new Error('broke')) })`, 'failed in read: broke'],
    ['nothing', `open: async () => ({ read: () => undefined })`, 'failed in read: it returned undefined'],
    ['odd', `open: async () => ({ read: () => ({ state: 'seen', value: 1, confidence: 2 }) })`, 'confidence must be'],
    ['infinite', `open: async () => ({ read: () => ({ state: 'seen', value: 1 / 0, confidence: 1 }) })`, 'Infinity'],
  ])('that fail with %s give unreadable samples that name them', async (name, part, failure) => {
    const path = await file(
      `fails-${name.replace(' ', '-')}.js`,
      `export const kind = ${kindOf('fails', `, ${part}`)};`,
    );
    const plugins = await loadPlugins([path], BUILT_IN, folder);
    using detector = await (await loaded('fails', 'frame', plugins)).open({}, assets);
    const seen = await detector.read(viewOfImage(draw(1, 1, () => [0, 0, 0])));
    expect(seen).toMatchObject({ state: 'unreadable', failure: expect.stringContaining(failure) });
    expect(seen).toMatchObject({ failure: expect.stringContaining('the plug-in fails-') });
  });

  it('are asked about their options like built-in kinds, and a failing answer throws an error that names them', async () => {
    const options = { places: true, vectors: true, regions: ['other'], landmarks: [] };
    const more = { characters: { width: 5, height: 9, figures: true }, requires: [{ name: 'data', hash: 'a1' }] };
    const asked = await asking('answers', '(name, options) => options[name]');
    const all: Options = { ...options, ...more };
    expect(asked.regions!(all)).toEqual(['other']);
    expect([asked.places!(all), asked.vectors!(all)]).toEqual([true, true]);
    expect([await asked.landmarks!(all, assets), await asked.characters!(all, assets)]).toEqual([[], more.characters]);
    expect(await asked.requires!(all, assets)).toEqual(more.requires);
    const broken = await asking('broken', "() => { throw Object.assign(new Error('no data'), { hint: 'Get it.' }); }");
    expect(() => broken.requires!({}, assets)).toThrow(
      expect.objectContaining({
        code: 'plugin-failed',
        message: 'the plug-in broken (detector kind asked) failed in requires: no data',
        hint: 'Get it.',
      }),
    );
  });

  it('that fail to compare give unreadable samples, elsewhere throw an error that names them', async () => {
    const path = await file(
      'late.js',
      `const no = () => { throw new Error('broke'); };
       export const kinds = [
         { ...${kindOf('fails-to-open')}, open: async () => no() },
         { ...${kindOf('follows')}, follow: no },
         { ...${kindOf('listens')}, input: 'audio', listen: async () => ({ delay: 0, hear: no, pause: no }) },
         { ...${kindOf('compares')}, compare: () => ({ sketch: no, compare: no }) },
         { ...${kindOf('late')}, track: async () => ({ push: no, end: no, pendingSince: no }) }];`,
    );
    const plugins = await loadPlugins([path], BUILT_IN, folder);
    const failure = expect.stringMatching(/^the plug-in late .* failed in \w+: broke$/);
    const failed = expect.objectContaining({ code: 'plugin-failed', message: failure });
    const opens = await loaded('fails-to-open', 'frame', plugins);
    await expect(opens.open({}, assets)).rejects.toEqual(failed);
    const follows = await loaded('follows', 'records', plugins);
    expect(() => follows.follow({}, [])).toThrow(failed);
    const listener = await (await loaded('listens', 'audio', plugins)).listen({}, assets);
    const frame = {
      t: 1.25,
      bands: new Float32Array(1),
      loudness: 0,
      shortTerm: 0,
      samples: new Float32Array(240),
      pitch: () => ({ hertz: 0, clarity: 0 }),
    };
    expect(() => listener.hear(frame)).toThrow(failed);
    const comparer = (await loaded('compares', 'frame-pair', plugins)).compare({});
    const view = { picture: { t: 2 } } as View;
    expect(comparer.compare(undefined, comparer.sketch(view)!)).toMatchObject({ state: 'unreadable', failure });
    const tracker = await (await loadKind('late', plugins)).track!('a', { kind: 'late' }, 0.1, assets);
    expect(() => tracker.push({ detector: 'a', t: 0, observation: { state: 'absent', confidence: 1 } })).toThrow(
      failed,
    );
  });

  it.each([
    [
      'loop',
      (): never => {
        for (;;);
      },
    ],
    ['wait', () => new Promise<never>(() => {})],
  ])('that %s forever are ended', async (_, read) => {
    const kind: FrameDetectorKind = {
      input: 'frame',
      name: 'endless',
      description: 'Never returns.',
      schema: {},
      open: async () => ({ read, [Symbol.dispose]() {} }),
    };
    const guarded = guardKind(kind, 'endless', 0.5) as FrameDetectorKind;
    using detector = await guarded.open({}, assets);
    expect(await detector.read(viewOfImage(draw(1, 1, () => [0, 0, 0])))).toMatchObject({
      state: 'unreadable',
      failure: 'the plug-in endless (detector kind endless) failed in read: it did not answer within 0.5 s',
    });
  });
});

describe('the example of the guide', () => {
  it('counts spots, by area in pixels of the reference frame', async () => {
    const example = join(import.meta.dirname, '../../../docs/examples/spots/spots.js');
    const kind = await loaded('spots', 'frame', await loadPlugins([example], BUILT_IN));
    const white = [255, 255, 255] as const;
    const picture = draw(40, 20, (x, y) =>
      (x < 6 && y < 6) || (x > 20 && x < 30 && y > 10) || (x === 35 && y === 3) ? white : [0, 0, 0],
    );
    using detector = await kind.open({ minimumArea: 4 }, assets);
    expect(await detector.read(viewOfImage(picture))).toMatchObject({ state: 'seen', value: 2 });
    expect(await detector.read(viewOfImage(draw(9, 9, () => [0, 0, 0])))).toMatchObject({ state: 'absent' });
    expect(await detector.read(viewOfImage({ data: new Uint8Array(0), width: 0, height: 0, channels: 3 }))).toEqual({
      state: 'unreadable',
      confidence: 1,
    });
    expect(await readFile(join(dirname(example), '..', '..', 'games', 'plugins.md'), 'utf8')).toContain(
      'examples/spots/spots.js',
    );
  });
});
