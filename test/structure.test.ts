import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './paths.ts';

const src = join(root, 'src');

/** Modules from the lowest layer to the highest. A module imports from its own layer and from those below. */
const LAYERS = [
  [
    'errors',
    'time',
    'timeout',
    'geometry',
    'spelling',
    'statistics',
    'markup',
    'json',
    'csv',
    'binary-search',
    'schema',
    'version',
    'pattern',
    'language',
    'files',
    'threads',
    'http',
  ],
  ['dictionary', 'events', 'profile'],
  ['compute'],
  ['media', 'sampling', 'regions'],
  ['recognition', 'detectors', 'cues', 'script'],
  ['pipeline', 'discovery'],
  ['query'],
  ['highlights', 'quality', 'evaluate', 'library', 'batch', 'season', 'live'],
  ['studio', 'server'],
  ['cli', 'index'],
];

const files = globSync('**/*.ts', { cwd: src, exclude: ['**/*.test.ts'] }).map((name) => join(src, name));

/** The module of a file: a folder or file directly in src/. */
function moduleOf(file: string): string {
  return relative(src, file).split(sep)[0]!.replace(/\.ts$/, '');
}

function layerOf(file: string): number {
  return LAYERS.findIndex((modules) => modules.includes(moduleOf(file)));
}

/** The files that a file names in `import`, `export … from` and `import()`; type imports only where asked for. */
function importsOf(file: string, withTypes = true): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const pattern = /(import type [^;]*?|(?:from|import)\s*\(?\s*)'(\.[^']+)'/g;
  return (
    [...text.matchAll(pattern)]
      .filter(([, start]) => withTypes || !start!.startsWith('import type'))
      .map(([, , path]) => resolve(dirname(file), path!))
      // Test data may contain paths, too.
      .filter((path) => existsSync(path))
  );
}

describe('imports in src', () => {
  it('cover modules of a known layer only', () => {
    expect([...new Set(files.filter((file) => layerOf(file) < 0).map(moduleOf))]).toEqual([]);
  });

  it('never lead to a higher layer or out of src', () => {
    const edges = files.flatMap((file) => importsOf(file).map((path) => [file, path] as const));
    expect(edges.length).toBeGreaterThan(100);
    const upward = edges.filter(([file, path]) => layerOf(path) < 0 || layerOf(path) > layerOf(file));
    expect(upward.map(([file, path]) => `${relative(src, file)} → ${relative(src, path)}`)).toEqual([]);
  });

  it('form no cycle', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file))
        cycles.push([...path.slice(path.indexOf(file)), file].map((each) => relative(src, each)).join(' → '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of importsOf(file, false)) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });
});

/** The exported symbols of a file that have no TSDoc; of overloads, the first one counts. */
function findUndocumented(file: string): readonly string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const isExport =
    /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type) ?(\w+)/;
  const first = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    const name = isExport.exec(line)?.[1];
    if (name !== undefined && !first.has(name)) first.set(name, at);
  }
  return [...first].flatMap(([name, at]) => {
    if (!lines[at - 1]?.trim().endsWith('*/')) return [name];
    const start = lines.findLastIndex((line, index) => index < at && line.trim().startsWith('/*'));
    return lines[start]!.trim().startsWith('/**') ? [] : [name];
  });
}

describe('exported symbols', () => {
  it('have TSDoc', () => {
    const undocumented = files.flatMap((file) =>
      findUndocumented(file).map((name) => `${relative(src, file)}: ${name}`),
    );
    expect(undocumented).toEqual([]);
  });
});

describe('exported functions, classes and constants', () => {
  it('are named in a second file of the repository', () => {
    const texts = globSync('{src,test,bench,tools}/**/*.{ts,tsx,js,mjs}', { cwd: root }).map((name) =>
      readFileSync(join(root, name), 'utf8'),
    );
    const counts = new Map<string, number>();
    for (const text of texts)
      for (const word of new Set(text.match(/\w+/g))) counts.set(word, (counts.get(word) ?? 0) + 1);
    const alone = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:function\*?|class|const) ?(\w+)/gm)]
        .filter(([, name]) => counts.get(name!)! < 2)
        .map(([, name]) => `${relative(src, file)}: ${name}`),
    );
    expect(alone).toEqual([]);
  });
});

describe('output', () => {
  it('is printed by the command line only', () => {
    const printing = files.filter(
      (file) => moduleOf(file) !== 'cli' && /^[^*/]*\bconsole\.\w+\(/m.test(readFileSync(file, 'utf8')),
    );
    expect(printing.map((file) => relative(src, file))).toEqual([]);
  });
});

/** What reads files without changing any. `open` is given the flag `r`. */
const READING =
  /^(?:access|createReadStream|exists|fstat|lstat|open|read|readdir|readFile|realpath|stat|close)(?:Sync)?$|^(?:constants|FileHandle|Stats|Dirent)$/;
/** Where files are written, and the one place that changes its own temporary file by position. */
const WRITERS = /^(?:files\/|media\/write\/container-edits\.ts$)/;

describe('files', () => {
  it('are written by the module that decides what may be replaced', () => {
    const wrong = files.flatMap((file) => {
      const name = relative(src, file).replaceAll(sep, '/');
      // Examples in TSDoc write files of their own.
      const text = readFileSync(file, 'utf8').replaceAll(/^\s*\*.*$/gm, '');
      const used = [...text.matchAll(/import\s*\{([^}]*)\}\s*from 'node:fs(?:\/promises)?'/g)]
        .flatMap(([, names]) => names!.split(','))
        .map((each) =>
          each
            .trim()
            .replace(/^type /, '')
            .replace(/ as .*/, ''),
        )
        .filter((each) => each !== '' && !READING.test(each));
      const others = [
        ...text.matchAll(/import [^{;]*'node:fs|import\('node:fs|process\.binding|\.toFile\(/g),
        ...(used.length === 0 && /\{[^}]*\bopen(?:Sync)?\b[^}]*\}\s*from 'node:fs/.test(text)
          ? text.matchAll(/(?<![.\w#] ?)(?<!async )\bopen(?:Sync)?\((?![^)]*(?:'r'\)|O_RDONLY))[^)]*\)/g)
          : []),
      ].map(([each]) => each);
      return WRITERS.test(name) ? [] : [...used, ...others].map((each) => `${name}: ${each}`);
    });
    expect(wrong).toEqual([]);
  });
});

/** Generators whose output in the repository a test compares with what they generate now. */
const GENERATORS = ['tools/api.ts', 'tools/notices.ts', 'tools/reference.ts', 'tools/sbom.ts', 'tools/wasm/build.ts'];
/** Where tests share code: builders of inputs, models, and the reader of recordings' ground truth. */
const SHARED = /^(?:src|test\/fixtures|test\/truth)\/|^test\/paths\.ts$/;

describe('tests', () => {
  const tests = globSync(['src/**/*.test.ts', 'test/**/*.ts'], { cwd: root });

  it('import from src and from what tests share only: nothing from bench/, from tools/ only generators', () => {
    const wrong = tests.flatMap((path) =>
      importsOf(join(root, path))
        .map((target) => relative(root, target).replaceAll(sep, '/'))
        .filter((target) => !SHARED.test(target) && !GENERATORS.includes(target))
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('never import other tests', () => {
    const wrong = tests.filter((path) => importsOf(join(root, path)).some((target) => target.endsWith('.test.ts')));
    expect(wrong).toEqual([]);
  });
});
