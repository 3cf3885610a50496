import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

/** A file of a plug-in's code. */
export interface SourceFile {
  /** Relative to the module's folder, with forward slashes. */
  readonly name: string;
  readonly source: Buffer;
}

const MOST_FILES = 1000;
/** `import … from './x'`, `export … from`, `import('./x')`, `require('./x')`. */
const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.json', '/index.js'];

/** A module and all modules that it imports by relative paths, and so on, sorted by name. Packages are left out. */
export async function sourcesOf(path: string): Promise<readonly SourceFile[]> {
  const root = dirname(path);
  const found = new Map<string, Buffer>();
  const open = [path];
  while (open.length > 0 && found.size < MOST_FILES) {
    const file = open.pop()!;
    if (found.has(file)) continue;
    const source = await readFile(file);
    found.set(file, source);
    for (const [, , specifier] of source.toString('utf8').matchAll(IMPORT)) {
      const next = await existing(join(dirname(file), specifier!));
      if (next !== undefined) open.push(next);
    }
  }
  return [...found]
    .map(([file, source]) => ({ name: relative(root, file).split(sep).join('/'), source }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function existing(path: string): Promise<string | undefined> {
  for (const ending of ENDINGS) {
    const readable = await readFile(path + ending).then(
      () => true,
      () => false,
    );
    if (readable) return path + ending;
  }
  return undefined;
}
