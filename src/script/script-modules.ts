import type { Issue } from '../errors.ts';
import { importsOf, resolveImport, type Script, type Unread } from '../profile/script.ts';

/** What of a script its modules are found by. */
type Files = Pick<Script, 'name' | 'source'> & Partial<Pick<Script, 'modules' | 'unread'>>;

/** No file is called so. */
const REFUSED = '?';

/**
 * Gives the interpreter the modules that were read with a script, and nothing else: neither a file that its fingerprint does not cover
 * nor one outside the folder of scripts can be named. What there is not is taken for an empty module, so that one run tells all of it.
 */
export class Modules {
  /** What could not be imported, each at the line that asks for it. */
  readonly issues: Issue[] = [];
  readonly #script: Files;
  readonly #modules: ReadonlyMap<string, string>;

  constructor(script: Files) {
    this.#script = script;
    this.#modules = script.modules ?? new Map();
  }

  has(file: string): boolean {
    return this.#modules.has(file);
  }

  /** The path of what `importer` names by `specifier`. */
  readonly name = (importer: string, specifier: string): string => {
    const { path, refused } = resolveImport(specifier, importer, this.#script.name);
    // The script itself may be imported by its modules, as in any circle.
    if (path !== undefined && (this.#modules.has(path) || path === this.#script.name)) return path;
    const why = refused ?? this.#script.unread?.get(path) ?? UNSEEN;
    const line = importsOf(this.#sourceOf(importer)).find((one) => one.specifier === specifier)?.line;
    this.issues.push({
      code: 'script-import',
      path: line === undefined ? importer : `${importer}:${line}`,
      message: why.message,
      ...(why.hint === undefined ? {} : { hint: why.hint }),
    });
    return `${REFUSED}${specifier}`;
  };

  /** The source of a module, by its path. */
  readonly load = (path: string): string => this.#modules.get(path) ?? '';

  /** Where something is imported that a module does not export, from what the interpreter says of it. */
  placeOf(message: string): string | undefined {
    const [, wanted, module] = /^Could not find export '(.+)' in module '(.+)'$/.exec(message) ?? [];
    if (wanted === undefined) return undefined;
    for (const file of [this.#script.name, ...this.#modules.keys()]) {
      const found = importsOf(this.#sourceOf(file)).find(
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

const UNSEEN: Unread = {
  message: 'what is imported here cannot be told before the script runs',
  hint: 'Write import { … } from "./my-game/feed.js", without anything between “from” and the file.',
};
