import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { builtinFolder } from '../../dictionary/files.ts';
import { messageOf, PlaybyplayError } from '../../errors.ts';
import { suggestSpelling } from '../../spelling.ts';
import { compileMapping, type CompiledMapping } from './mapping.ts';

const suffix = '.log.json';
const folder = join(builtinFolder, '..', 'configs');

/** The mappings that come with the program, by name: `configs/<game>/<name>.log.json`. */
export async function mappingFiles(): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(suffix)).toSorted();
  return new Map(files.map((file) => [file.slice(file.lastIndexOf(sep) + 1, -suffix.length), join(folder, file)]));
}

/** A mapping by its name or the path of its file. Throws PlaybyplayError `unknown-mapping`, `bad-mapping`. */
export async function loadMapping(nameOrPath: string): Promise<CompiledMapping> {
  const known = await mappingFiles();
  const path = known.get(nameOrPath) ?? nameOrPath;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new PlaybyplayError('unknown-mapping', `there is no log mapping "${nameOrPath}"`, {
      hint:
        suggestSpelling(nameOrPath, known.keys()) ??
        `Known are ${[...known.keys()].join(', ')}; or give the path of a file.`,
      cause: error,
    });
  }
  try {
    return compileMapping(JSON.parse(text), path);
  } catch (error) {
    if (error instanceof PlaybyplayError) throw error;
    throw new PlaybyplayError('bad-mapping', `${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** The mapping of the program whose `known` line is among the first lines of a log. Throws PlaybyplayError `unknown-log`. */
export async function recognizeMapping(log: string): Promise<CompiledMapping> {
  const known = await mappingFiles();
  const lines = log.split(/\r?\n/, 40);
  for (const path of known.values()) {
    const compiled = await loadMapping(path);
    if (lines.some((line) => compiled.known.test(line.slice(0, 2000)))) return compiled;
  }
  throw new PlaybyplayError('unknown-log', 'no mapping knows this log', {
    hint: `Say which it is: --format ${[...known.keys()].join(', ')}, or the path of a mapping.`,
  });
}
