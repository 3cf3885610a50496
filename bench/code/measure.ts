// What the code is made of: lines without comments per module, the longest functions and parameter lists, the files that most others
// import, exports without TSDoc.
//   node bench/code/measure.ts [<checkout>]
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const ROWS = 10;
const src = join(resolve(process.argv[2] ?? join(import.meta.dirname, '..', '..')), 'src');

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number; readonly end: number };

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item);
  else if (typeof value === 'object' && value !== null && 'type' in value) {
    yield value as Node;
    for (const child of Object.values(value)) yield* walk(child);
  }
}

/** Lines that hold more than comments. */
function codeLines(text: string): number {
  const code = text.replaceAll(/^\s*\/\*.*?\*\//gms, '').replaceAll(/^\s*\/\/.*$/gm, '');
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

const lines = new Map<string, number>();
const counts = new Map<string, number>();
const imports = new Map<string, number>();
const functions: { readonly name: string; readonly lines: number; readonly parameters: number }[] = [];
const undocumented: string[] = [];
for (const path of globSync('**/*.{ts,tsx,js,css,html}', { cwd: src, exclude: ['**/*.test.ts'] })) {
  const text = readFileSync(join(src, path), 'utf8');
  const module = path.includes('/') ? path.slice(0, path.indexOf('/')) : '(top)';
  lines.set(module, (lines.get(module) ?? 0) + codeLines(text));
  counts.set(module, (counts.get(module) ?? 0) + 1);
  if (!/\.tsx?$/.test(path)) continue;
  for (const node of walk(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }))) {
    const source = node['source'] as { readonly value?: unknown } | null | undefined;
    if (typeof source?.value === 'string' && source.value.startsWith('.')) {
      const file = join(dirname(path), source.value);
      imports.set(file, (imports.get(file) ?? 0) + 1);
    }
    if (node.type === 'ExportNamedDeclaration' && node['declaration'] && !/\*\/\s*$/.test(text.slice(0, node.start)))
      undocumented.push(`${path}: ${text.slice(node.start).split('\n', 1)[0]}`);
    if (!/Function(?:Declaration|Expression)$/.test(node.type) || !node['body']) continue;
    const name = (node['id'] as { readonly name: string } | null)?.name ?? '(inner)';
    const length = text.slice(node.start, node.end).split('\n').length;
    functions.push({ name: `${path} ${name}`, lines: length, parameters: (node['params'] as unknown[]).length });
  }
}

function print(title: string, rows: readonly (readonly [string, ...number[]])[]): void {
  process.stdout.write(`\n${title}\n\n${rows.map((row) => `| ${row.join(' | ')} |\n`).join('')}`);
}

const most = <T>(list: Iterable<T>, size: (one: T) => number): T[] =>
  [...list].toSorted((a, b) => size(b) - size(a)).slice(0, ROWS);
const sum = (map: ReadonlyMap<string, number>): number => map.values().reduce((total, one) => total + one, 0);
print('Module, lines, files', [
  ...[...lines].toSorted(([, a], [, b]) => b - a).map(([name, n]) => [name, n, counts.get(name)!] as const),
  ['sum', sum(lines), sum(counts)],
]);
print(
  'Longest functions, lines',
  most(functions, (one) => one.lines).map((one) => [one.name, one.lines]),
);
print(
  'Longest parameter lists',
  most(functions, (one) => one.parameters).map((one) => [one.name, one.parameters]),
);
print(
  'Most imported files',
  most(imports, ([, n]) => n),
);
print(
  'Exports without TSDoc',
  undocumented.map((one) => [one]),
);
