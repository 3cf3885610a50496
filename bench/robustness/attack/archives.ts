// Packs and assets that become large, and data with very many entries.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { writeRecording } from '../log-fixtures.ts';
import type { AttackCase } from './case.ts';

const group = 'archives';

interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
  /** The size that the archive states. Default: the true one. */
  readonly statedSize?: number;
}

/** Writes a ZIP archive (APPNOTE 6.3.10 §4.3) of deflated files. */
function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, statedSize = content.length } of entries) {
    const data = deflateRawSync(content, { level: 9 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(statedSize, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), data]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), fields, tail, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

const PROFILE = Buffer.from('{"format":"playbyplay/profile/1","game":"x","title":"X","version":"1.0.0"}');

function pack(name: string, entries: () => readonly ZipEntry[], says?: RegExp): AttackCase {
  return {
    group,
    name: `pack with ${name}`,
    make(folder) {
      writeFileSync(join(folder, 'pack.zip'), zip(entries()));
      return ['profile', 'check', 'pack.zip'];
    },
    expect: { exit: [1, 3], megabytes: 700, seconds: 60, ...(says && { says }) },
  };
}

/** A dictionary of many words, given to a command. */
function words(
  name: string,
  count: number,
  entry: (index: number) => object,
  exit: readonly number[],
  says?: RegExp,
): AttackCase {
  return {
    group,
    name: `dictionary with ${name}`,
    make(folder) {
      const objects = Array.from({ length: count }, (_, index) => entry(index));
      const file = {
        format: 'playbyplay/dictionary/1',
        name: 'big',
        version: '1.0.0',
        extends: { common: '^1.0.0' },
        objects,
      };
      writeFileSync(join(folder, 'big.json'), JSON.stringify(file));
      return ['dictionary', 'check', 'big.json'];
    },
    expect: { exit, seconds: 120, megabytes: 1500, ...(says && { says }) },
  };
}

/** Distinct words of letters only. */
const letters = (index: number): string =>
  [...index.toString(26)].map((digit) => String.fromCodePoint(97 + Number.parseInt(digit, 26))).join('');

function stream(name: string, content: () => string): AttackCase {
  return {
    group,
    name: `records: ${name}`,
    make(folder) {
      writeRecording(folder);
      writeFileSync(join(folder, 'keys.csv'), content());
      return [
        'detect',
        'match.mp4',
        '--game',
        'openarena',
        '--place',
        'default',
        '--stream',
        'keys=keys.csv',
        '-o',
        'out',
      ];
    },
    expect: { exit: [0, 1, 2, 3], seconds: 120, megabytes: 2000 },
  };
}

export const cases: readonly AttackCase[] = [
  pack(
    'a file of 1 GB of zeros',
    () => [{ name: 'configs/x/profile.json', content: Buffer.alloc(1 << 30) }],
    /pack-broken|compressed to less|more than/,
  ),
  pack(
    'forty files of 100 MB',
    () => {
      const content = Buffer.alloc(100 << 20);
      return Array.from({ length: 40 }, (_, i) => ({ name: `configs/x/${i}.json`, content }));
    },
    /compressed to less|more than/,
  ),
  pack('a stated size of 10 bytes', () => [
    { name: 'configs/x/profile.json', content: Buffer.alloc(50 << 20, 0x20), statedSize: 10 },
  ]),
  pack(
    '20,000 files',
    () => Array.from({ length: 20_000 }, (_, i) => ({ name: `configs/x/${i}.txt`, content: Buffer.alloc(1) })),
    /20000 files/,
  ),
  pack('a path above it', () => [{ name: '../../evil.json', content: PROFILE }], /outside/),
  pack('an absolute path', () => [{ name: '/etc/evil.json', content: PROFILE }], /outside/),
  pack('a path with backslashes', () => [{ name: '..\\..\\evil.json', content: PROFILE }], /outside/),
  pack('controls in a path', () => [{ name: 'configs/x/\u001B[2J.json', content: PROFILE }]),
  pack('one path twice', () => [
    { name: 'configs/x/profile.json', content: PROFILE },
    { name: 'configs/x/profile.json', content: Buffer.from('{') },
  ]),
  pack('a pack in it', () => [{ name: 'configs/x/profile.json', content: zip([{ name: 'a', content: PROFILE }]) }]),
  {
    group,
    name: 'half of an archive',
    make(folder) {
      const whole = zip([{ name: 'configs/x/profile.json', content: PROFILE }]);
      writeFileSync(join(folder, 'pack.zip'), whole.subarray(0, whole.length / 2));
      return ['profile', 'check', 'pack.zip'];
    },
    expect: { exit: [1, 3] },
  },
  {
    group,
    name: 'profile that is a folder',
    make(folder) {
      mkdirSync(join(folder, 'pack', 'configs', 'x', 'profile.json'), { recursive: true });
      return ['profile', 'check', 'pack'];
    },
    expect: { exit: [1, 3] },
  },
  {
    group,
    name: 'icon that is a drawing of slow filters',
    make(folder) {
      const game = join(folder, 'configs', 'evil');
      mkdirSync(game, { recursive: true });
      const filters = '<feMorphology operator="dilate" radius="200"/><feTurbulence numOctaves="200"/>'.repeat(200);
      writeFileSync(
        join(game, 'icon.png'),
        `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512"><filter id="f">${filters}</filter><rect width="512" height="512" filter="url(#f)"/></svg>`,
      );
      const profile = {
        format: 'playbyplay/profile/1',
        game: 'evil',
        title: 'Evil',
        version: '1',
        reference: { width: 1280, height: 720 },
        dictionaries: [],
        regions: { all: { x: 0, y: 0, width: 1, height: 1 } },
        detectors: { icon: { kind: 'icon', region: 'all', icons: { slow: 'icon.png' } } },
      };
      writeFileSync(join(game, 'profile.json'), JSON.stringify(profile));
      return ['profile', 'check', './configs/evil'];
    },
    expect: {
      exit: [3],
      seconds: 30,
      check: (_folder, { stdout }) =>
        /image of the format svg/.test(stdout) ? undefined : `stdout does not refuse the icon: ${stdout.slice(0, 300)}`,
    },
  },
  words(
    'a million words',
    1_000_000,
    (i) => ({ name: letters(i), parent: 'weapon', definition: `Weapon ${i}.` }),
    [1, 3],
  ),
  words(
    '20,000 unknown parents',
    20_000,
    (i) => ({ name: `big ${letters(i)}`, parent: `nope ${letters(i)}`, definition: `Weapon ${i}.` }),
    [3],
  ),
  words('20,000 equal words', 20_000, () => ({ name: 'same', parent: 'weapon', definition: 'A weapon.' }), [3]),
  words(
    'a chain of 20,000 parents',
    20_000,
    (i) => ({
      name: `big ${letters(i)}`,
      parent: i === 0 ? 'weapon' : `big:big ${letters(i - 1)}`,
      definition: `Weapon ${i}.`,
    }),
    [3],
  ),
  words(
    'a cycle of 20,000 parents',
    20_000,
    (i) => ({ name: `big ${letters(i)}`, parent: `big:big ${letters((i + 1) % 20_000)}`, definition: `Weapon ${i}.` }),
    [3],
  ),
  words('a definition of 1 MB', 1, () => ({ name: 'big', parent: 'weapon', definition: 'x'.repeat(1e6) }), [1, 3]),
  stream(
    'two million lines',
    () => `t,key\n${Array.from({ length: 2_000_000 }, (_, i) => `${i / 100},w`).join('\n')}\n`,
  ),
  stream('a line of 20 MB', () => `t,key\n1,${'x'.repeat(20e6)}\n`),
  stream('20 MB of unclosed quotes', () => `t,key\n${'1,"x\n'.repeat(4e6)}`),
];
