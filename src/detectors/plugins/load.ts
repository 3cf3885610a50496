import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { Fingerprint } from '../../events/log.ts';
import { findSchemaError } from '../../schema/compile.ts';
import type { SchemaObject } from '../../schema/from-schema.ts';
import { VERSION } from '../../version.ts';
import type { DetectorKind } from '../kind.ts';
import { guardKind, KIND_METHODS } from './guard.ts';

/** A detector kind of a plug-in. */
export interface PluginKind {
  readonly kind: DetectorKind;
  /** Name, version and code hash of the plug-in. */
  readonly plugin: Fingerprint;
}

/** The loaded plug-ins. */
export interface Plugins {
  /** Absolute paths of their modules, in the order of their names: worker threads load them from there. */
  readonly modules: readonly string[];
  readonly kinds: ReadonlyMap<string, PluginKind>;
}

/** No plug-ins. */
export const NO_PLUGINS: Plugins = { modules: [], kinds: new Map() };

/** Version of the plug-in interface (docs/games/plugins.md). It grows with every change that breaks existing plug-ins. */
const INTERFACE_VERSION = 1;

const KIND_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/**
 * Loads plug-ins: ES or CommonJS modules that export a detector kind as `kind`, several as `kinds`, or either as default.
 * This runs their code with the user's rights: pass only names that the user gave, never names from a profile.
 *
 * @param names Paths of files or folders (absolute, or beginning with a dot), or names of npm packages.
 * @param builtIn Names of the built-in kinds, which a plug-in cannot replace.
 * @param from Folder that relative paths and packages are resolved from.
 * @throws PlaybyplayError `plugin-missing`, `plugin-broken`, `plugin-incompatible`, each naming the plug-in.
 */
export async function loadPlugins(names: readonly string[], builtIn: readonly string[], from = '.'): Promise<Plugins> {
  if (names.length === 0) return NO_PLUGINS;
  const modules: string[] = [];
  const kinds = new Map<string, PluginKind>();
  for (const name of names) {
    const { path, info } = await findModule(name, resolve(from));
    if (modules.includes(path)) continue;
    // Checked before the code runs: a module for another version may not even load.
    checkInterfaceVersion(name, info?.interface);
    modules.push(path);
    const { exported, version = '0' } = await importKinds(path, name);
    const plugin: Fingerprint = {
      name: info?.name ?? basename(path, extname(path)),
      version: info?.version ?? version,
      hash: await hashSources(path),
    };
    for (const value of exported) {
      const kind = checkKind(value, name);
      const other = kinds.get(kind.name);
      if (builtIn.includes(kind.name)) throw broken(name, `its kind "${kind.name}" has the name of a built-in kind`);
      if (other) throw broken(name, `the plug-in ${other.plugin.name} has a kind "${kind.name}", too`);
      kinds.set(kind.name, { kind: guardKind(kind, plugin.name), plugin });
    }
  }
  return { modules, kinds };
}

/** Lists the plug-ins that have any of the `used` kinds, sorted by name. */
export function pluginsUsed({ kinds }: Plugins, used: Iterable<string>): readonly Fingerprint[] {
  const plugins = new Map<string, Fingerprint>();
  for (const name of used) {
    const plugin = kinds.get(name)?.plugin;
    if (plugin) plugins.set(`${plugin.name} ${plugin.hash}`, plugin);
  }
  return [...plugins.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, plugin]) => plugin);
}

/** The fields of a package.json that matter here. */
interface Manifest {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly main?: unknown;
  readonly exports?: unknown;
  readonly playbyplay?: { readonly interface?: unknown } | null;
}

/** The main module of a plug-in, and what its package.json says about it unless it is a single file. */
interface ModuleLocation {
  readonly path: string;
  readonly info?: { readonly name: string; readonly version: string; readonly interface: unknown };
}

async function findModule(name: string, from: string): Promise<ModuleLocation> {
  if (!isAbsolute(name) && !/^\.{1,2}(?:[/\\]|$)/.test(name)) {
    const manifest = findManifest(name, from);
    if (manifest !== undefined) return mainModule(manifest, name);
    const hint = (await isFile(resolve(from, name)))
      ? `For the file, write ./${name}.`
      : `Install it there (npm install ${name}), or give a path.`;
    throw new PlaybyplayError('plugin-missing', `the package "${name}" was not found from ${from}`, { hint });
  }
  const path = resolve(from, name);
  if (await isFile(path)) return { path: await realpath(path) };
  const info = await stat(path).catch(() => undefined);
  if (!info?.isDirectory()) throw new PlaybyplayError('plugin-missing', `there is no plug-in at ${path}`);
  const manifest = join(path, 'package.json');
  return (await isFile(manifest)) ? mainModule(manifest, name) : { path: await resolveFile(path, 'index.js', name) };
}

function findManifest(name: string, from: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(join(from, 'any.js')));
  } catch {
    return undefined;
  }
}

async function mainModule(manifestPath: string, name: string): Promise<ModuleLocation> {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as Manifest;
  } catch (error) {
    throw broken(name, `its package.json cannot be read: ${messageOf(error)}`, error);
  }
  const folder = dirname(manifestPath);
  const main = resolveExports(manifest.exports) ?? textOr(manifest.main, 'index.js');
  const info = {
    name: textOr(manifest.name, basename(folder)),
    version: textOr(manifest.version, '0'),
    interface: manifest.playbyplay?.interface,
  };
  return { path: await resolveFile(folder, main, name), info };
}

/** The file that a package's `exports` give to an `import` of the package itself. */
function resolveExports(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (Array.isArray(exports)) return resolveExports(exports[0]);
  if (typeof exports !== 'object' || exports === null) return undefined;
  const conditions = exports as Readonly<Record<string, unknown>>;
  for (const key of ['.', 'node', 'import', 'module', 'default', 'require']) {
    const file = resolveExports(conditions[key]);
    if (file !== undefined) return file;
  }
  return undefined;
}

async function resolveFile(folder: string, file: string, name: string): Promise<string> {
  return realpath(join(folder, file)).catch(() => {
    throw new PlaybyplayError('plugin-missing', `the plug-in ${name} has no file ${file}`);
  });
}

async function importKinds(
  path: string,
  name: string,
): Promise<{ readonly exported: readonly unknown[]; readonly version?: string }> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const hint = /Unexpected token 'export'|import statement outside a module/.test(messageOf(error))
      ? 'It is an ES module: rename it to .mjs, or write "type": "module" into the package.json of its folder.'
      : undefined;
    throw broken(name, `it cannot be loaded: ${messageOf(error)}`, error, hint);
  }
  const { default: whole } = module;
  const exports = { ...(typeof whole === 'object' ? whole : {}), ...module } as Readonly<Record<string, unknown>>;
  // Checked first: another version of the interface may use other names.
  checkInterfaceVersion(name, exports['interfaceVersion']);
  const found = exports['kind'] ?? exports['kinds'] ?? whole;
  const exported: readonly unknown[] = Array.isArray(found) ? found : [found];
  if (found === undefined || exported.length === 0)
    throw broken(name, 'it exports no detector kind; export one as "kind", or several as "kinds"');
  const { version } = exports;
  return { exported, ...(typeof version === 'string' && { version }) };
}

/** @throws PlaybyplayError `plugin-incompatible` if the plug-in is written for another version of the interface. */
function checkInterfaceVersion(plugin: string, version: unknown = INTERFACE_VERSION): void {
  if (version === INTERFACE_VERSION) return;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw broken(plugin, `its interface version must be a whole number from 1, not ${JSON.stringify(version)}`);
  throw new PlaybyplayError(
    'plugin-incompatible',
    `the plug-in ${plugin} needs version ${version} of the plug-in interface; playbyplay ${VERSION} has ${INTERFACE_VERSION}`,
    { hint: 'Update playbyplay, or install an older version of the plug-in.' },
  );
}

/** @throws PlaybyplayError `plugin-broken` if the value is no detector kind. */
function checkKind(value: unknown, plugin: string): DetectorKind {
  if (typeof value !== 'object' || value === null)
    throw broken(plugin, 'it exports something that is no detector kind');
  const members = value as Readonly<Record<string, unknown>>;
  const { name, description, schema, reads, input = impliedInput(members) } = members;
  if (typeof name !== 'string' || !KIND_NAME.test(name) || name.length > 64)
    throw broken(
      plugin,
      `the "name" of a kind must be lower-case letters, digits and hyphens, not ${JSON.stringify(name)}`,
    );
  const fault = (message: string): PlaybyplayError => broken(plugin, `its kind "${name}" ${message}`);
  if (typeof description !== 'string' || description === '') throw fault('has no "description"');
  if (typeof schema !== 'object' || schema === null) throw fault('has no "schema" of its options');
  const schemaError = findSchemaError(schema as SchemaObject);
  if (schemaError !== undefined) throw fault(`has an invalid schema: ${schemaError}`);
  if (reads !== undefined && reads !== 'luma' && reads !== 'pixels')
    throw fault(`has "reads" set to ${JSON.stringify(reads)}; it must be "luma" or "pixels"`);
  const method = MAIN_METHODS.get(input);
  if (method === undefined)
    throw fault(
      `has "input" set to ${JSON.stringify(input)}; it must be one of ${[...MAIN_METHODS.keys()].join(', ')}`,
    );
  if (typeof members[method] !== 'function')
    throw fault(`has no function "${method}", which reads its input "${String(input)}"`);
  for (const one of KIND_METHODS)
    if (members[one] !== undefined && typeof members[one] !== 'function')
      throw fault(`has a "${one}" that is no function`);
  return (members['input'] === undefined ? Object.assign(Object.create(value), { input }) : value) as DetectorKind;
}

/** The method that reads each kind of input. */
const MAIN_METHODS: ReadonlyMap<unknown, string> = new Map([
  ['frame', 'open'],
  ['frame-pair', 'compare'],
  ['audio', 'listen'],
  ['records', 'follow'],
]);

/** The input of a kind that declares none: plug-ins for version 0.1 do not. */
function impliedInput(members: Readonly<Record<string, unknown>>): string {
  if (members['follow'] !== undefined) return 'records';
  if (members['listen'] !== undefined) return 'audio';
  return members['compare'] !== undefined ? 'frame-pair' : 'frame';
}

const MAX_SOURCE_FILES = 1000;
/** `import … from './x'`, `export … from`, `import('./x')`, `require('./x')`. */
const RELATIVE_IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;
const IMPORT_SUFFIXES = ['', '.js', '.mjs', '.cjs', '.ts', '.json', '/index.js'];

/** Hash of a module and, recursively, of the modules that it imports by relative paths. */
async function hashSources(path: string): Promise<string> {
  const root = dirname(path);
  const sources = new Map<string, Buffer>();
  const pending = [path];
  while (pending.length > 0 && sources.size < MAX_SOURCE_FILES) {
    const file = pending.pop()!;
    const name = relative(root, file).split(sep).join('/');
    if (sources.has(name)) continue;
    const source = await readFile(file);
    sources.set(name, source);
    for (const [, , specifier] of source.toString('utf8').matchAll(RELATIVE_IMPORT)) {
      for (const suffix of IMPORT_SUFFIXES) {
        const imported = join(dirname(file), specifier! + suffix);
        if (!(await isFile(imported))) continue;
        pending.push(imported);
        break;
      }
    }
  }
  const hash = createHash('sha256');
  for (const [name, source] of [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`\0${name}\0`).update(source);
  return hash.digest('hex').slice(0, 32);
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isFile(),
    () => false,
  );
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function broken(plugin: string, message: string, cause?: unknown, hint?: string): PlaybyplayError {
  return new PlaybyplayError('plugin-broken', `the plug-in ${plugin} cannot be used: ${message}`, { cause, hint });
}
