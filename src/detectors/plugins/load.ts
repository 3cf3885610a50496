import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import type { Fingerprint } from '../../events/log.ts';
import { findSchemaError } from '../../schema/compile.ts';
import type { SchemaObject } from '../../schema/from-schema.ts';
import type { DetectorKind } from '../kind.ts';
import { guarded } from './guard.ts';
import { checkInterface } from './interface.ts';
import { sourcesOf } from './sources.ts';
import { watch } from './watch.ts';

/** A kind of detector that a plug-in brings. */
export interface PluginKind {
  readonly kind: DetectorKind;
  /** The plug-in it comes from: name, version, and hash of its code. */
  readonly plugin: Fingerprint;
}

/** What the plug-ins that a user named bring. */
export interface Plugins {
  /** Absolute paths of their modules, in the order in which they were named: what a thread loads them from. */
  readonly modules: readonly string[];
  readonly kinds: ReadonlyMap<string, PluginKind>;
}

/** No plug-ins. */
export const NO_PLUGINS: Plugins = { modules: [], kinds: new Map() };

const KIND_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/**
 * Loads plug-ins: ES or CommonJS modules that export a detector kind as `kind`, several as `kinds`, or either as default.
 * Each is the path of a file or folder (absolute, or beginning with a dot) or the name of an npm package, both seen from
 * `from`. This runs their code: pass only what the user named, never what a profile says.
 * @throws PlaybyplayError `plugin-missing`, `plugin-broken`, `plugin-incompatible`, each naming the plug-in.
 */
export async function loadPlugins(names: readonly string[], builtIn: readonly string[], from = '.'): Promise<Plugins> {
  if (names.length === 0) return NO_PLUGINS;
  const modules: string[] = [];
  const kinds = new Map<string, PluginKind>();
  for (const name of names) {
    const entry = await entryOf(name, resolve(from));
    if (modules.includes(entry.path)) continue;
    // Before its code is run: what it imports may not be there.
    checkInterface(name, entry.package?.interface);
    modules.push(entry.path);
    const number = modules.length - 1;
    const { exported, version } = await watch.during(number, () => importFrom(entry.path, name));
    const plugin: Fingerprint = {
      name: entry.package?.name ?? basename(entry.path, extname(entry.path)),
      version: entry.package?.version ?? version ?? '0',
      hash: await hashOf(entry.path),
    };
    for (const candidate of exported) {
      const kind = checked(candidate, name);
      const other = kinds.get(kind.name);
      if (builtIn.includes(kind.name)) throw broken(name, `its kind “${kind.name}” has the name of a built-in one`);
      if (other) throw broken(name, `its kind “${kind.name}” is also brought by ${other.plugin.name}`);
      kinds.set(kind.name, { kind: guarded(kind, plugin.name, number), plugin });
    }
  }
  return { modules, kinds };
}

/** The fingerprints of the plug-ins whose kinds are among those `used`, sorted by name. */
export function pluginsUsed({ kinds }: Plugins, used: Iterable<string>): readonly Fingerprint[] {
  const prints = new Map<string, Fingerprint>();
  for (const name of used) {
    const plugin = kinds.get(name)?.plugin;
    if (plugin) prints.set(`${plugin.name} ${plugin.hash}`, plugin);
  }
  return [...prints.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, print]) => print);
}

interface Entry {
  readonly path: string;
  readonly package?: { readonly name: string; readonly version: string; readonly interface: unknown };
}

interface Manifest {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly main?: unknown;
  readonly exports?: unknown;
  readonly playbyplay?: { readonly interface?: unknown } | null;
}

async function entryOf(name: string, from: string): Promise<Entry> {
  const isPath = isAbsolute(name) || /^\.{1,2}(?:[/\\]|$)/.test(name);
  if (!isPath) {
    const manifest = packageOf(name, from);
    if (manifest === undefined) {
      // The slip that is made most: a file's name without ./ before it.
      const isFile = await stat(resolve(from, name)).then(
        () => true,
        () => false,
      );
      throw new PlaybyplayError('plugin-missing', `there is no package “${name}” to be found from ${from}`, {
        hint: isFile ? `For the file, write ./${name}.` : `Install it there (npm install ${name}), or give a path.`,
      });
    }
    return packageEntry(manifest, name);
  }
  const path = resolve(from, name);
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return { path: await realpath(path) };
  if (info?.isDirectory()) {
    const manifest = join(path, 'package.json');
    const has = await stat(manifest).catch(() => undefined);
    return has?.isFile() ? packageEntry(manifest, name) : fileIn(path, 'index.js', name);
  }
  throw new PlaybyplayError('plugin-missing', `there is no plug-in at ${path}`);
}

function packageOf(name: string, from: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(join(from, 'any.js')));
  } catch {
    return undefined;
  }
}

async function packageEntry(manifestPath: string, name: string): Promise<Entry> {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as Manifest;
  } catch (error) {
    throw broken(name, `its package.json cannot be read: ${messageOf(error)}`, error);
  }
  const main = mainOf(manifest.exports) ?? (typeof manifest.main === 'string' ? manifest.main : 'index.js');
  const { path } = await fileIn(dirname(manifestPath), main, name);
  const called = typeof manifest.name === 'string' ? manifest.name : basename(dirname(manifestPath));
  const version = typeof manifest.version === 'string' ? manifest.version : '0';
  return { path, package: { name: called, version, interface: manifest.playbyplay?.interface } };
}

async function fileIn(folder: string, file: string, name: string): Promise<Entry> {
  const path = await realpath(join(folder, file)).catch(() => undefined);
  if (path === undefined) throw new PlaybyplayError('plugin-missing', `the plug-in ${name} has no ${file}`);
  return { path };
}

/** What a package's `exports` give to an `import` of the package itself. */
function mainOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (Array.isArray(exports)) return mainOf(exports[0]);
  if (typeof exports !== 'object' || exports === null) return undefined;
  const { '.': own, import: imported, node, module, default: other, require } = exports as Record<string, unknown>;
  return mainOf(own) ?? mainOf(node) ?? mainOf(imported) ?? mainOf(module) ?? mainOf(other) ?? mainOf(require);
}

async function importFrom(
  path: string,
  name: string,
): Promise<{ readonly exported: readonly unknown[]; readonly version: string | undefined }> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    // A file that npm's own package.json makes CommonJS.
    const hint = /Unexpected token 'export'|import statement outside a module/.test(messageOf(error))
      ? 'It is an ES module: call it .mjs, or write "type": "module" into the package.json of its folder.'
      : undefined;
    throw broken(name, `it cannot be loaded: ${messageOf(error)}`, error, hint);
  }
  const { default: whole } = module;
  const inner = typeof whole === 'object' && whole !== null ? (whole as Readonly<Record<string, unknown>>) : {};
  // Another interface may have other names for what follows.
  checkInterface(name, module['interfaceVersion'] ?? inner['interfaceVersion']);
  const found = module['kind'] ?? module['kinds'] ?? inner['kind'] ?? inner['kinds'] ?? whole;
  const exported: readonly unknown[] = Array.isArray(found) ? found : [found];
  if (found === undefined || exported.length === 0)
    throw broken(name, 'it exports no detector kind: export one as “kind”, or several as “kinds”');
  const version = module['version'] ?? inner['version'];
  return { exported, version: typeof version === 'string' ? version : undefined };
}

/** Whatever a plug-in exports, as a kind; throws where it is none. */
function checked(value: unknown, plugin: string): DetectorKind {
  if (typeof value !== 'object' || value === null) throw broken(plugin, 'what it exports is no detector kind');
  const { name, description, schema, reads } = value as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || !KIND_NAME.test(name) || name.length > 64)
    throw broken(plugin, `a kind's “name” must be lower-case letters, digits and hyphens, not ${JSON.stringify(name)}`);
  const fault = (message: string): PlaybyplayError => broken(plugin, `its kind “${name}” ${message}`);
  if (typeof description !== 'string' || description === '') throw fault('has no “description”');
  if (typeof schema !== 'object' || schema === null) throw fault('has no “schema” of its options');
  const schemaError = findSchemaError(schema as SchemaObject);
  if (schemaError !== undefined) throw fault(`has a schema that is not valid: ${schemaError}`);
  if (reads !== undefined && reads !== 'luma' && reads !== 'pixels')
    throw fault(`has “reads” set to ${JSON.stringify(reads)}: it must be "luma" or "pixels"`);
  const parts = value as Readonly<Record<string, unknown>>;
  const input = parts['input'] ?? impliedInput(parts);
  const method = MAIN_METHODS.get(input);
  if (method === undefined)
    throw fault(
      `has “input” set to ${JSON.stringify(input)}: it must be one of ${[...MAIN_METHODS.keys()].join(', ')}`,
    );
  if (typeof parts[method] !== 'function') throw fault(`has no function “${method}”, which reads its input “${input}”`);
  for (const part of OPTIONAL_METHODS)
    if (parts[part] !== undefined && typeof parts[part] !== 'function')
      throw fault(`has a “${part}” that is no function`);
  return (parts['input'] === undefined ? Object.assign(Object.create(value), { input }) : value) as DetectorKind;
}

/** The method that reads each kind of input. */
const MAIN_METHODS: ReadonlyMap<unknown, string> = new Map([
  ['frame', 'open'],
  ['frame-pair', 'compare'],
  ['audio', 'listen'],
  ['records', 'follow'],
]);

const OPTIONAL_METHODS = ['regions', 'vectors', 'landmarks', 'characters', 'cost', 'places', 'requires', 'track'];

/** The input of a kind that does not declare one, as those written before `input` existed do not. */
function impliedInput(parts: Readonly<Record<string, unknown>>): string {
  if (parts['follow'] !== undefined) return 'records';
  if (parts['listen'] !== undefined) return 'audio';
  return parts['compare'] !== undefined ? 'frame-pair' : 'frame';
}

/** Hash of a module and of the modules that it imports by relative paths. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, source } of await sourcesOf(path)) hash.update(`\0${name}\0`).update(source);
  return hash.digest('hex').slice(0, 32);
}

function broken(plugin: string, message: string, cause?: unknown, hint?: string): PlaybyplayError {
  return new PlaybyplayError('plugin-broken', `the plug-in ${plugin} cannot be used: ${message}`, { cause, hint });
}
