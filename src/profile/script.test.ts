import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { folderPack, type Pack } from './pack.ts';
import { findImports, isModule, readScript, resolveImport } from './script.ts';
import { zipPack } from './zip.ts';

type Files = Readonly<Record<string, string>>;

const FILES: Files = {
  'scripts/x.js': `import { kill } from './x/feed.js';\nexport function onCue(cue, game) { kill(cue, game); }`,
  'scripts/x/feed.js': `import * as words from './words.js';\nexport * from '../shared.js';`,
  'scripts/x/words.js': `export const die = 'die';`,
  'scripts/shared.js': `export function kill() {}`,
  'scripts/other.js': `export const other = 1;`,
};

async function folderOf(files: Files): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'playbyplay-script-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

const packOf = async (files: Files): Promise<Pack> => folderPack(await folderOf(files));

/** An archive of stored files (PKWARE APPNOTE 6.3: local headers, the directory, its end). */
function zipOf(files: Files): Buffer {
  const [locals, entries]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)];
    const common = Buffer.alloc(26);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, content]);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\0\0', 'latin1'), common, place, name]));
    locals.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...entries, end]);
}

async function hash(files: Files): Promise<string> {
  return (await readScript(await packOf(files), 'x'))!.fingerprint.hash;
}

describe('readScript', () => {
  it('reads direct and indirect imports of a script and nothing else', async () => {
    const script = await readScript(await packOf(FILES), 'x');
    expect(script?.name).toBe('scripts/x.js');
    expect([...script!.modules.keys()].toSorted()).toEqual([
      'scripts/shared.js',
      'scripts/x/feed.js',
      'scripts/x/words.js',
    ]);
    expect(script!.modules.get('scripts/x/words.js')).toBe(FILES['scripts/x/words.js']);
    expect(await readScript(await packOf(FILES), 'y')).toBeUndefined();
  });

  it('reads the same of an archive', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'playbyplay-script-')), 'pack.zip');
    await writeFile(file, zipOf({ ...FILES, 'configs/x/profile.json': '{}' }));
    const script = await readScript(await zipPack(file), 'x');
    expect(script).toEqual(await readScript(await packOf(FILES), 'x'));
  });

  it('has a fingerprint of all its files', async () => {
    const whole = await hash(FILES);
    const changed: string[] = [];
    for (const path of Object.keys(FILES)) {
      if ((await hash({ ...FILES, [path]: `${FILES[path]!} ` })) !== whole) changed.push(path);
    }
    expect(changed).toEqual(Object.keys(FILES).filter((path) => path !== 'scripts/other.js'));
    const { 'scripts/x/words.js': words, ...fewer } = FILES;
    expect(await hash(fewer)).not.toBe(whole);
    expect(await hash({ ...fewer, 'scripts/x/wards.js': words! })).not.toBe(whole);
  });

  it.each([
    ['above the scripts', '../configs/x.js'],
    ['above the pack', '../../outside.js'],
    ['by detours', './x/../../../outside.js'],
    ['by an absolute path', '/etc/outside.js'],
    ['by a drive', 'C:/outside.js'],
    ['by an address', 'https://example.org/outside.js'],
    ['by an address of data', 'data:text/javascript,export default 1'],
    ['by a file address', 'file:///outside.js'],
    ['by the name of a module', 'node:fs'],
    ['by backslashes', './..\\..\\outside.js'],
    ['without an ending', './outside'],
    ['as JSON', './x.json'],
  ])('lets nothing in %s', async (_how, specifier) => {
    expect(resolveImport(specifier, 'scripts/x.js', 'scripts/x.js').problem?.message).toContain(
      JSON.stringify(specifier),
    );
    const script = await readScript(await packOf({ 'scripts/x.js': `import '${specifier}';` }), 'x');
    expect([script!.modules.size, script!.unreadable.size]).toEqual([0, 0]);
  });

  it('follows no symbolic link out of the pack', async () => {
    const folder = await folderOf({ 'scripts/x.js': `import './x/secret.js'; import './y/secret.js';` });
    const outside = await folderOf({ 'secret.js': 'export const secret = 1;' });
    await mkdir(join(folder, 'scripts/x'));
    await symlink(join(outside, 'secret.js'), join(folder, 'scripts/x/secret.js'));
    await symlink(outside, join(folder, 'scripts/y'));
    const { modules, unreadable } = (await readScript(folderPack(folder), 'x'))!;
    expect(modules.size).toBe(0);
    expect([...unreadable.values()].map(({ message }) => /is outside its pack/.test(message))).toEqual([true, true]);
  });

  it('keeps why a file could not be read, with the nearest name', async () => {
    const { unreadable } = (await readScript(
      await packOf({ ...FILES, 'scripts/x.js': `import './x/fead.js';` }),
      'x',
    ))!;
    expect(unreadable.get('scripts/x/fead.js')?.message).toMatch(/^there is no file .*fead\.js$/);
    expect(unreadable.get('scripts/x/fead.js')?.hint).toBe('Did you mean "feed.js"?');
  });

  it('bounds how many modules there are, and how large they are together', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 120 }, (_, n) => [`scripts/m${n}.js`, `import './m${n + 1}.js';`]),
    );
    const chain = (await readScript(await packOf({ ...many, 'scripts/x.js': `import './m0.js';` }), 'x'))!;
    expect([chain.modules.size, chain.unreadable.get('scripts/m100.js')?.message]).toEqual([
      100,
      'a game script has at most 100 modules',
    ]);
    const half = `// ${'x'.repeat(600_000)}`;
    const large = { 'scripts/x.js': `import './a.js'; import './b.js';`, 'scripts/a.js': half, 'scripts/b.js': half };
    const { modules, unreadable } = (await readScript(await packOf(large), 'x'))!;
    expect([[...modules.keys()], unreadable.get('scripts/b.js')?.message]).toEqual([
      ['scripts/a.js'],
      expect.stringContaining('has 600003 bytes'),
    ]);
  });
});

describe('findImports', () => {
  it('finds every form of import, with its line', () => {
    const source = `import './a.js';\nimport{b}from"./b.js";\nimport * as c\n  from './c.js';\nexport { d } from './d.js'`;
    expect(findImports(source).map(({ specifier, line }) => `${line} ${specifier}`)).toEqual([
      '1 ./a.js',
      '2 ./b.js',
      '4 ./c.js',
      '5 ./d.js',
    ]);
  });
});

describe('isModule', () => {
  it.each([
    [`import './a.js';`, true],
    [`// a comment\nexport function onCue() {}`, true],
    [`const a = 1;\nexport { a };`, true],
    [`import{a}from'./a.js'`, true],
    [`function onCue() { import('./a.js'); }`, false],
    [`const exported = 1;\nconst text = 'export const a = 1';`, false],
    [`important();\nexporter.run();`, false],
  ])('%s', (source, expected) => {
    expect(isModule(source)).toBe(expected);
  });
});
