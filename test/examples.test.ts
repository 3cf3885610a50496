import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { constants, runInNewContext, runInThisContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixture, smallClip } from './paths.ts';

// Runs the `@example` blocks of what the package's entry points export. An example can use
// - every export of the entry points, without importing it;
// - `match.playbyplay`, an event log, `match.mp4`, its recording, and `match.srt`, its subtitles, in the working directory;
// - `node_modules/playbyplay`.
// Where an expression statement has a comment that is a JavaScript value (`sum([1, 2]); // 3`), on its line or the next, the
// result is compared with it. Comments that contain "…" are not compared.

/** Entry points of which every exported function and class needs an example that runs; '' is `playbyplay` itself. */
const ENTRY_POINTS = ['dictionary', 'query', 'highlights', 'quality'];

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');

const exportsOf = new Map<string, Record<string, unknown>>();
for (const name of ENTRY_POINTS)
  exportsOf.set(name, (await import(join(src, name, 'index.ts'))) as Record<string, unknown>);
const api: Record<string, unknown> = Object.assign({}, ...exportsOf.values());

interface Example {
  readonly symbol: string;
  readonly code: string;
  readonly file: string;
}

const docComment = /^( *)\/\*\*((?:(?!\*\/)[^])*)\*\/\n([^\n]*)/gm;
const declaration = /^export (?:async )?(?:function\*? ?|class |const )(\w+)/;

/** The examples of a file; those of class members count as examples of the class. */
function findExamples(file: string): Example[] {
  let symbol = '';
  return [...readFileSync(file, 'utf8').matchAll(docComment)].flatMap(([, indent, comment, nextLine]) => {
    if (indent === '') symbol = declaration.exec(nextLine!)?.[1] ?? '';
    const lines = comment!.split('\n').map((line) => line.replace(/^\s*\* ?/, ''));
    const start = lines.findIndex((line) => line.startsWith('@example'));
    if (start < 0 || !(symbol in api)) return [];
    const rest = lines.slice(start + 1).filter((line) => !line.startsWith('```'));
    const end = rest.findIndex((line) => line.startsWith('@'));
    const code = rest.slice(0, end < 0 ? undefined : end).join('\n');
    return [{ symbol, code: code.trim(), file: relative(root, file) }];
  });
}

const examples = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .flatMap((name) => findExamples(join(src, name)));

function isValue(comment: string): boolean {
  try {
    if (!comment.includes('…')) runInNewContext(`(${comment})`);
    return !comment.includes('…');
  } catch {
    return false;
  }
}

/** An example as a function of the entry points' exports that compares values with their comments. */
function toProgram(code: string): string {
  const lines = code.split('\n').filter((line) => !/^import .* from 'playbyplay/.test(line));
  const program = lines.map((line, index) => {
    const [, statement = line, sameLine] = /^(\S.*?); *\/\/ (.*)$/.exec(line) ?? [];
    const comment = sameLine ?? /^\/\/ (.*)$/.exec(lines[index + 1] ?? '')?.[1];
    const isExpression = /^(?!const |let |for |if |await using |using |import |\/\/)\S.*[^{,]$/.test(statement);
    if (comment !== undefined && isExpression && isValue(comment))
      return `expect(${statement.replace(/;$/, '')}).toEqual(${comment});`;
    return line.replace(/^import (\{.*\}) from ('node:.*');$/, 'const $1 = await import($2);');
  });
  const names = Object.keys(api).filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  return stripTypeScriptTypes(
    `async (api, expect) => { const { ${names.join(', ')} } = api;\n${program.join('\n')}\n}`,
  );
}

async function run(code: string): Promise<void> {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const program: unknown = runInThisContext(toProgram(code), { importModuleDynamically });
  await (program as (exports: typeof api, check: typeof expect) => Promise<void>)(api, expect);
}

const folder = mkdtempSync(join(tmpdir(), 'examples-'));
const previousFolder = process.cwd();

beforeAll(() => {
  const log = readFileSync(fixture('logs', 'freedoom-demo1.ndjson'), 'utf8').replace('freedoom-demo1.mp4', 'match.mp4');
  mkdirSync(join(folder, 'match.playbyplay'));
  writeFileSync(join(folder, 'match.playbyplay', 'events.ndjson'), log);
  cpSync(smallClip, join(folder, 'match.mp4'));
  writeFileSync(join(folder, 'match.srt'), '1\n00:00:02,000 --> 00:00:03,500\nThere it is!\n');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'playbyplay'), 'junction');
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(previousFolder);
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  vi.spyOn(console, 'log').mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('the examples', () => {
  it.each(examples.map(({ symbol, file, code }) => [symbol, file, code]))('of %s in %s run', async (_, __, code) => {
    await expect(run(code)).resolves.toBeUndefined();
  });

  it.each(ENTRY_POINTS)('exist for every function and class of playbyplay/%s', (name) => {
    const documented = new Set(examples.map(({ symbol }) => symbol));
    const lacking = Object.entries(exportsOf.get(name)!)
      .filter(([symbol, value]) => typeof value === 'function' && !documented.has(symbol))
      .map(([symbol]) => symbol);
    expect(lacking).toEqual([]);
  });

  it('are compared with the values in their comments', async () => {
    await expect(run('const sum = 1 + 2;\nsum; // 4')).rejects.toThrow('expected 3 to deeply equal 4');
  });
});
