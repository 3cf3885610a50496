// Builds dist/, which the package runs from: JavaScript bundles (an entry point, the command line or a thread each, what they share in
// further files), the pages of the studio, and one declaration file per entry point.
//   node tools/build.ts
import { globSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { runAll } from './steps.ts';
import { buildPages } from './studio.ts';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');
const dist = join(root, 'dist');

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/**
 * Dependencies copied into the bundle: what every command loads, as one file opens faster than a package of many; and the client of
 * S3, of which little is used.
 */
export const BUNDLED: ReadonlySet<string> = new Set(['@stricli/core', '@aws-sdk/client-s3', '@aws-sdk/lib-storage']);

/** Development dependencies of which the pages of the studio contain copies. */
export const BUNDLED_IN_PAGES: ReadonlySet<string> = new Set([
  '@codemirror/autocomplete',
  '@codemirror/lang-javascript',
  '@codemirror/lint',
  '@codemirror/state',
  '@codemirror/view',
  '@preact/signals',
  'codemirror',
  'preact',
]);

const installed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(
  (name) => !BUNDLED.has(name),
);
const isExternal = (id: string): boolean =>
  id.startsWith('node:') || installed.some((name) => id === name || id.startsWith(`${name}/`));

/** The modules of the package's entry points by the name of their file in dist/: `query` is `src/query/index.ts`. */
function entryPoints(): Record<string, string> {
  const entries: Record<string, string> = {};
  for (const target of Object.values(manifest.exports)) {
    if (typeof target === 'string') continue;
    const name = basename(target.default, '.js');
    entries[name] = name === 'index' ? join(src, 'index.ts') : resolve(src, ENTRY_FOLDERS[name] ?? name, 'index.ts');
  }
  return entries;
}

/** Entry points whose folder has another name. */
const ENTRY_FOLDERS: Readonly<Record<string, string>> = { detector: 'detectors' };

/** The modules that run in threads of their own: those that a source file names with `threadModule`. */
function threadModules(): Record<string, string> {
  const entries: Record<string, string> = {};
  for (const path of globSync('**/*.ts', { cwd: src, exclude: ['**/*.test.ts'] })) {
    const text = readFileSync(join(src, path), 'utf8');
    for (const [, name] of text.matchAll(/threadModule\(import\.meta\.url, '\.\/([^']+)'\)/g))
      entries[name!] = join(src, dirname(path), `${name}.ts`);
  }
  return entries;
}

/** Writes the JavaScript files. All lie directly in dist/, as modules find the package's folder and their threads relative to themselves. */
async function buildBundle(): Promise<void> {
  await using bundle = await rolldown({
    input: { ...entryPoints(), ...threadModules(), cli: join(src, 'cli', 'bin.ts') },
    platform: 'node',
    external: isExternal,
  });
  await bundle.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
  });
}

/** Writes the precompiled validators of all schemas: the package loads ajv only to explain mistakes in a file, and for plug-ins. */
function buildValidators(): void {
  const args = [join(import.meta.dirname, 'schemas.ts'), '--validators', join(dist, 'validators')];
  if (runAll([['validators', process.execPath, args]]) !== 0) throw new Error('The validators could not be compiled');
}

/** Writes a declaration file per entry point, from those that the compiler emits per module. `npm run check` checks the types. */
async function buildDeclarations(): Promise<void> {
  const declarations = join(dist, 'declarations');
  const args = ['-p', join(import.meta.dirname, 'tsconfig.build.json'), '--outDir', declarations, '--noCheck'];
  if (runAll([['declarations', 'tsc', args]]) !== 0) throw new Error('tsc failed');
  const input = Object.fromEntries(
    Object.entries(entryPoints()).map(([name, path]) => [
      name,
      join(declarations, path.slice(src.length)).replace(/\.ts$/, '.d.ts'),
    ]),
  );
  await using types = await rolldown({
    input,
    external: /^[^./]/,
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, generator: 'oxc' })],
  });
  await types.write({ dir: dist, format: 'esm', entryFileNames: '[name].ts', chunkFileNames: 'shared-[hash].d.ts' });
  rmSync(declarations, { recursive: true });
}

if (import.meta.main) {
  rmSync(dist, { recursive: true, force: true });
  await buildBundle();
  await buildPages(join(dist, 'studio'));
  buildValidators();
  await buildDeclarations();
}
