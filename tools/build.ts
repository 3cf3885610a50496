// Builds dist/, which the package runs from: JavaScript bundles (an entry point, the command line or a thread each, what they share in
// further files) and one declaration file per entry point.
//   node tools/build.ts
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');
const dist = join(root, 'dist');

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** Dependencies copied into the bundle, as every command loads them: one file opens faster than a package of many. */
const BUNDLED = new Set(['@stricli/core']);

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

/** The modules that run in threads of their own: those that a source file names with `moduleBeside`. */
function threadModules(): Record<string, string> {
  const entries: Record<string, string> = {};
  for (const path of globSync('**/*.ts', { cwd: src, exclude: ['**/*.test.ts'] })) {
    const text = readFileSync(join(src, path), 'utf8');
    for (const [, name] of text.matchAll(/moduleBeside\(import\.meta\.url, '\.\/([^']+)'\)/g))
      entries[name!] = join(src, dirname(path), `${name}.ts`);
  }
  return entries;
}

rmSync(dist, { recursive: true, force: true });
// All files lie directly in dist/: modules find the package's folder and their threads relative to themselves.
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

// Validators of all schemas: the package loads ajv only to explain what is wrong with a file, and for plug-ins.
const validators = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'schemas.ts'), '--validators', join(dist, 'validators')],
  { stdio: 'inherit' },
);
if (validators.status !== 0) process.exit(validators.status ?? 1);

const declarations = join(dist, 'declarations');
const { status } = spawnSync(
  'tsc',
  ['-p', join(import.meta.dirname, 'tsconfig.build.json'), '--outDir', declarations],
  {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  },
);
if (status !== 0) process.exit(status ?? 1);
const typed = Object.entries(entryPoints()).map(([name, path]) => [
  name,
  join(declarations, path.slice(src.length)).replace(/\.ts$/, '.d.ts'),
]);
await using types = await rolldown({
  input: Object.fromEntries(typed) as Record<string, string>,
  external: /^[^./]/,
  plugins: [dts({ dtsInput: true, emitDtsOnly: true, generator: 'oxc' })],
});
await types.write({ dir: dist, format: 'esm', entryFileNames: '[name].ts', chunkFileNames: '[name]-[hash].ts' });
rmSync(declarations, { recursive: true });
