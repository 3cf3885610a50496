import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { PlaybyplayError } from '../errors.ts';
import type { Fingerprint } from '../events/log.ts';
import type { Pack } from './pack.ts';

/** Bytes of a script and its modules together, and how many modules it may have. */
const LARGEST_SCRIPT = 1 << 20;
const MOST_MODULES = 100;

/** What an import names, and the line it stands in, from 1. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** What is taken from there, as it is written: `{ kills, deaths as lost }`. */
  readonly clause: string;
}

/** A game script: its file in the pack, and what it imports. */
export interface Script {
  /** Path in the pack: `scripts/<game>.js`. */
  readonly name: string;
  readonly source: string;
  /** Sources of the modules that it imports, directly or not, by path in the pack. */
  readonly modules: ReadonlyMap<string, string>;
  /** Why a module could not be read, by path in the pack. */
  readonly unread: ReadonlyMap<string, Unread>;
  /** Of all of these files. */
  readonly fingerprint: Fingerprint;
}

/** Why something cannot be imported. */
export interface Unread {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The script of a game with the modules that it imports; undefined where its pack has none. */
export async function readScript(pack: Pack, game: string): Promise<Script | undefined> {
  const name = `scripts/${game}.js`;
  if (!(await pack.has(name))) return undefined;
  const bytes = await pack.read(name, LARGEST_SCRIPT);
  const source = textOf(bytes);
  const files = new Map<string, Uint8Array>();
  const modules = new Map<string, string>();
  const unread = new Map<string, Unread>();
  let room = LARGEST_SCRIPT - bytes.length;
  const waiting: [string, string][] = [[name, source]];
  for (const [importer, text] of waiting) {
    for (const { specifier } of importsOf(text)) {
      const { path } = resolveImport(specifier, importer, name);
      if (path === undefined || path === name || modules.has(path) || unread.has(path)) continue;
      if (modules.size === MOST_MODULES) {
        unread.set(path, { message: `a game script has at most ${MOST_MODULES} modules` });
        continue;
      }
      try {
        const content = await pack.read(path, room);
        room -= content.length;
        files.set(path, content);
        modules.set(path, textOf(content));
        waiting.push([path, textOf(content)]);
      } catch (error) {
        if (!(error instanceof PlaybyplayError)) throw error;
        unread.set(path, { message: error.message, hint: error.hint });
      }
    }
  }
  const hash = hashOf(bytes, files);
  const fingerprint = { name: `${game}.js`, version: hash.slice(0, 8), hash };
  return { name, source, modules, unread, fingerprint };
}

/** Without modules the hash of the script's bytes; else each module counts with its path and length, in the order of the paths. */
function hashOf(script: Uint8Array, modules: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256').update(script);
  for (const path of [...modules.keys()].toSorted()) {
    const content = modules.get(path)!;
    hash.update(`\0${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

/**
 * What may be the imports of a module: every text behind `from` or `import`. One in a comment may be among them and then is read, too; what
 * is written so that it is not found here (with a comment before the text) is never read, and so never part of a run.
 */
export function importsOf(source: string): Import[] {
  return [...source.matchAll(/\b(?:from|import)\s*(?:"([^"\\\n]+)"|'([^'\\\n]+)')/g)].map((found) => {
    const before = source.slice(0, found.index);
    return {
      specifier: found[1] ?? found[2] ?? '',
      line: `${before}${found[0]}`.split('\n').length,
      clause: before.slice(Math.max(before.lastIndexOf('import'), before.lastIndexOf('export'), 0)),
    };
  });
}

/** Whether a script is a module: a line begins with an import or an export. */
export function isModule(source: string): boolean {
  return /^(?:import\s*["'{*]|import\s+[\w$]|export\s*[{*]|export\s+(?:async|class|const|default|function|let|var)\b)/m.test(
    source,
  );
}

/** The file that `importer` names by `specifier`: one in the folder of the script `main` or below; else why there is none. */
export function resolveImport(
  specifier: string,
  importer: string,
  main: string,
): { readonly path: string; readonly refused?: undefined } | { readonly path?: undefined; readonly refused: Unread } {
  const quoted = JSON.stringify(specifier);
  if (!/^\.{1,2}\//.test(specifier)) {
    const message = `a game script imports files of its pack only, not ${quoted}`;
    return { refused: { message, hint: 'Name a file beside the script: import { … } from "./my-game/feed.js".' } };
  }
  if (!/^[\w./ -]+\.js$/.test(specifier)) {
    const message = `${quoted} is no file of JavaScript`;
    return { refused: { message, hint: 'Its name consists of letters, digits, “-”, “_” and “.”, and ends in .js.' } };
  }
  const path = posix.join(posix.dirname(importer), specifier);
  const folder = posix.dirname(main);
  if (folder === '.' ? path.startsWith('../') : !path.startsWith(`${folder}/`)) {
    const message = `${quoted} lies outside the folder of game scripts`;
    return { refused: { message, hint: 'Put what a script imports beside it or below: scripts/<game>/….' } };
  }
  return { path };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
