import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { PlaybyplayError } from '../errors.ts';
import type { Fingerprint } from '../events/log.ts';
import type { Pack } from './pack.ts';

/** Limit of the size of a script with its modules. */
const MAX_SCRIPT_BYTES = 1 << 20;
const MAX_MODULES = 100;

/** An import in the source of a module. */
export interface Import {
  /** The imported file: `./my-game/feed.js`. */
  readonly specifier: string;
  /** Line number, from 1. */
  readonly line: number;
  /** The imported names as written: `import { kills, deaths as lost } `. */
  readonly clause: string;
}

/** A game script with the modules that it imports. */
export interface Script {
  /** Path in the pack: `scripts/<game>.js`. */
  readonly name: string;
  readonly source: string;
  /** Sources of the modules that it imports, directly or indirectly, by path in the pack. */
  readonly modules: ReadonlyMap<string, string>;
  /** Imported modules that cannot be read, by path in the pack. */
  readonly unreadable: ReadonlyMap<string, ImportProblem>;
  /** Covers the script and its modules. */
  readonly fingerprint: Fingerprint;
}

/** Why a module cannot be imported. */
export interface ImportProblem {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Reads the script of a game and the modules that it imports; `undefined` if the pack has no script. */
export async function readScript(pack: Pack, game: string): Promise<Script | undefined> {
  const name = `scripts/${game}.js`;
  if (!(await pack.has(name))) return undefined;
  const bytes = await pack.read(name, MAX_SCRIPT_BYTES);
  const source = decodeText(bytes);
  const files = new Map<string, Uint8Array>();
  const modules = new Map<string, string>();
  const unreadable = new Map<string, ImportProblem>();
  let remainingBytes = MAX_SCRIPT_BYTES - bytes.length;
  const queue: [path: string, source: string][] = [[name, source]];
  for (const [importer, text] of queue) {
    for (const { specifier } of findImports(text)) {
      const { path } = resolveImport(specifier, importer, name);
      if (path === undefined || path === name || modules.has(path) || unreadable.has(path)) continue;
      if (modules.size === MAX_MODULES) {
        unreadable.set(path, { message: `a game script has at most ${MAX_MODULES} modules` });
        continue;
      }
      try {
        const content = await pack.read(path, remainingBytes);
        remainingBytes -= content.length;
        files.set(path, content);
        modules.set(path, decodeText(content));
        queue.push([path, decodeText(content)]);
      } catch (error) {
        if (!(error instanceof PlaybyplayError)) throw error;
        unreadable.set(path, { message: error.message, hint: error.hint });
      }
    }
  }
  const hash = hashFiles(bytes, files);
  const fingerprint = { name: `${game}.js`, version: hash.slice(0, 8), hash };
  return { name, source, modules, unreadable, fingerprint };
}

/** Hashes a script and its modules (path, length and content, in the order of their paths). */
function hashFiles(script: Uint8Array, modules: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256').update(script);
  for (const path of [...modules.keys()].toSorted()) {
    const content = modules.get(path)!;
    hash.update(`\0${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

/**
 * Finds the imports of a module: every string after `from` or `import`, without parsing the source. A match in a comment only
 * loads a file too many; an import that is not found (a comment precedes its string) is never loaded, so the script fails.
 */
export function findImports(source: string): Import[] {
  return [...source.matchAll(/\b(?:from|import)\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)')/g)].map((found) => {
    const before = source.slice(0, found.index);
    return {
      specifier: found[1] ?? found[2] ?? '',
      line: `${before}${found[0]}`.split('\n').length,
      clause: before.slice(Math.max(before.lastIndexOf('import'), before.lastIndexOf('export'), 0)),
    };
  });
}

/** Whether a script is an ES module: a line begins with an import or export. */
export function isModule(source: string): boolean {
  return /^(?:import\s*["'{*]|import\s+[\w$]|export\s*[{*]|export\s+(?:async|class|const|default|function|let|var)\b)/m.test(
    source,
  );
}

/** The path of an imported module in the pack, or why it is not allowed. */
export type ResolvedImport =
  | { readonly path: string; readonly problem?: undefined }
  | { readonly path?: undefined; readonly problem: ImportProblem };

/**
 * Resolves an import of a game script. Scripts import only JavaScript files in the folder of the main script or below.
 *
 * @param importer Path of the importing module in the pack.
 * @param main Path of the game script in the pack.
 */
export function resolveImport(specifier: string, importer: string, main: string): ResolvedImport {
  const quoted = JSON.stringify(specifier);
  if (!/^\.{1,2}\//.test(specifier)) {
    const message = `a game script imports files of its pack only, not ${quoted}`;
    return { problem: { message, hint: 'Name a file next to the script: import { … } from "./my-game/feed.js".' } };
  }
  if (!/^[\w./ -]+\.js$/.test(specifier)) {
    const message = `${quoted} is not a JavaScript file`;
    return { problem: { message, hint: 'Names consist of letters, digits, “-”, “_” and “.”, and end in .js.' } };
  }
  const path = posix.join(posix.dirname(importer), specifier);
  const folder = posix.dirname(main);
  if (folder === '.' ? path.startsWith('../') : !path.startsWith(`${folder}/`)) {
    const message = `${quoted} is outside the folder of game scripts`;
    return { problem: { message, hint: 'Put imported files next to the script or below: scripts/<game>/….' } };
  }
  return { path };
}

function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
