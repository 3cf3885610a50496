import type { Issue } from '../errors.ts';
import { findImports, resolveImport, type Script, type ImportProblem } from '../profile/script.ts';

/** A script and its modules. */
type ScriptFiles = Pick<Script, 'name' | 'source'> & Partial<Pick<Script, 'modules' | 'unreadable'>>;

/** Prefix of the names of modules that cannot be imported; no file name begins with it. */
const UNAVAILABLE_PREFIX = '?';

/**
 * Resolves the imports of a script to the modules that were read with it, and to nothing else: neither a file that its
 * fingerprint does not cover nor one outside the scripts folder. An unavailable module is treated as empty, so that one run
 * reports all of them.
 */
export class ScriptModules {
  /** Imports that failed, each with the line of the import. */
  readonly issues: Issue[] = [];
  readonly #script: ScriptFiles;
  readonly #modules: ReadonlyMap<string, string>;

  constructor(script: ScriptFiles) {
    this.#script = script;
    this.#modules = script.modules ?? new Map();
  }

  has(file: string): boolean {
    return this.#modules.has(file);
  }

  /** Resolves a specifier to a path. */
  readonly name = (importer: string, specifier: string): string => {
    const { path, problem } = resolveImport(specifier, importer, this.#script.name);
    // Modules may import the script itself.
    if (path !== undefined && (this.#modules.has(path) || path === this.#script.name)) return path;
    const why = problem ?? this.#script.unreadable?.get(path) ?? DYNAMIC_IMPORT;
    const line = findImports(this.#sourceOf(importer)).find((one) => one.specifier === specifier)?.line;
    this.issues.push({
      code: 'script-import',
      path: line === undefined ? importer : `${importer}:${line}`,
      message: why.message,
      ...(why.hint === undefined ? {} : { hint: why.hint }),
    });
    return `${UNAVAILABLE_PREFIX}${specifier}`;
  };

  /** The source of a module, by its path. */
  readonly load = (path: string): string => this.#modules.get(path) ?? '';

  /** Locates the import of a name that a module does not export, from the interpreter's message. */
  locate(message: string): string | undefined {
    const [, wanted, module] = /^Could not find export '(.+)' in module '(.+)'$/.exec(message) ?? [];
    if (wanted === undefined) return undefined;
    for (const file of [this.#script.name, ...this.#modules.keys()]) {
      const found = findImports(this.#sourceOf(file)).find(
        ({ specifier, clause }) =>
          resolveImport(specifier, file, this.#script.name).path === module &&
          (clause.split(/[^\w$]+/).includes(wanted) || wanted === 'default'),
      );
      if (found !== undefined) return `${file}:${found.line}`;
    }
    return undefined;
  }

  #sourceOf(file: string): string {
    return file === this.#script.name ? this.#script.source : (this.#modules.get(file) ?? '');
  }
}

const DYNAMIC_IMPORT: ImportProblem = {
  message: 'the imported file cannot be determined before the script runs',
  hint: 'Write import { … } from "./my-game/feed.js", with nothing between "from" and the file.',
};
