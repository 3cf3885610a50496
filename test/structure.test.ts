import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = join(import.meta.dirname, '..', 'src');

/** Rooms from the lowest to the highest; a file may import from its own level and from those below. */
const LEVELS = [
  ['errors', 'time', 'geometry', 'json-pointer', 'markup', 'schema', 'spelling', 'version', 'pattern', 'language'],
  ['events', 'dictionary', 'profile'],
  ['compute'],
  ['media', 'sampling', 'regions'],
  ['detectors', 'cues', 'script'],
  ['pipeline'],
  ['query'],
  ['highlights', 'quality', 'evaluate'],
  ['cli', 'index'],
];

/** The same inside rooms that have several floors: a file or folder of the room each. What is not named stands above all of them. */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  media: [
    ['picture', 'bitstream'],
    ['container'],
    ['video'],
    ['packets'],
    ['decode'],
    ['audio', 'k-weighting', 'png', 'write'],
  ],
  cli: [
    ['command', 'watchdog'],
    ['explain', 'plugins', 'progress', 'beside', 'caret', 'kinds', 'placement'],
    ['dictionary', 'highlights', 'profile', 'quality'],
    ['commands'],
    ['main'],
    ['bin'],
  ],
  compute: [['quantize', 'scheduler', 'tiling'], ['inference']],
  detectors: [
    ['kind'],
    ['bar', 'color', 'icon', 'motion', 'onnx', 'sound', 'stream', 'text'],
    ['feed'],
    ['plugins'],
    ['registry'],
  ],
  pipeline: [
    ['schemas', 'words', 'fingerprint'],
    ['game'],
    ['header', 'reading', 'vectors'],
    ['authoring'],
    ['placement'],
    ['colours', 'holding', 'recognition', 'seams'],
    ['interpreter'],
    ['waking'],
    ['sources'],
    ['narration'],
  ],
  script: [['modules', 'prelude', 'problems'], ['sandbox'], ['script'], ['fusion', 'mapping'], ['sequence']],
};

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => join(src, name));

function levelOf(file: string): number {
  const room = relative(src, file).split(sep)[0]!.replace(/\.ts$/, '');
  return LEVELS.findIndex((level) => level.includes(room));
}

/** The floor of a file within its room; undefined where it is in another room. */
function floorOf(room: string, file: string): number | undefined {
  const path = relative(join(src, room), file).replace(/\.ts$/, '').split(sep);
  if (path[0] === '..') return undefined;
  const floor = FLOORS[room]!.findIndex((names) => names.includes(path[0]!));
  return floor < 0 ? FLOORS[room]!.length : floor;
}

/** Every `import`, `export … from` and `import()` of the program's own files. */
const imports = new Map(files.map((file) => [file, readImports(file)]));
const importsOf = (file: string): readonly string[] => imports.get(file) ?? [];

function readImports(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) => resolve(dirname(file), path!));
}

describe('the structure of src', () => {
  it('has every file in a room of a level', () => {
    expect(files.filter((file) => levelOf(file) < 0).map((file) => relative(src, file))).toEqual([]);
  });

  it('is told room by room in src/README.md', () => {
    const page = readFileSync(join(src, 'README.md'), 'utf8');
    const rooms = LEVELS.flat().filter((room) => existsSync(join(src, room)));
    expect(rooms.filter((room) => !new RegExp(`\`${room}(?:/|\\.ts)?\``).test(page))).toEqual([]);
  });

  it('lets nothing import from a higher level, nor from outside', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((path) => levelOf(path) < 0 || levelOf(path) > levelOf(file))
        .map((path) => `${relative(src, file)} → ${relative(src, path)}`),
    );
    expect(wrong).toEqual([]);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  it.each(Object.keys(FLOORS))('lets nothing in %s import from a higher floor', (room) => {
    const own = files.filter((file) => file.startsWith(join(src, room) + sep));
    const wrong = own.flatMap((file) =>
      importsOf(file)
        .filter((path) => floorOf(room, path)! > floorOf(room, file)!)
        .map((path) => `${relative(src, file)} → ${relative(src, path)}`),
    );
    expect(wrong).toEqual([]);
    for (const name of FLOORS[room]!.flat())
      expect(files.some((file) => `${file}${sep}`.startsWith(join(src, room, name)))).toBe(true);
  });

  it('has no files that import each other in a circle', () => {
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file))
        circles.push([...path.slice(path.indexOf(file)), file].map((f) => relative(src, f)).join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of importsOf(file)) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('prints only in the command line', () => {
    const chatty = files.filter(
      (file) => levelOf(file) < LEVELS.length - 1 && /^[^*/]*\bconsole\.\w+\(/m.test(readFileSync(file, 'utf8')),
    );
    expect(chatty.map((file) => relative(src, file))).toEqual([]);
  });
});
