import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './paths.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = globSync(['*.md', '{src,test,bench,tools}/**/*.{ts,mjs,js,py,sh,c,wat,md,json}'], { cwd: root });
const code = sources.filter((path) => path.endsWith('.ts')).map(read);
const fileNames = new Set(sources.map((path) => basename(path)));
/** Files of a recording, which the repository does not hold. */
const RECORDING_FILES = new Set(['truth.json']);

/** Pages outside docs/, whose links test/docs.test.ts does not check. */
const otherPages = globSync(['{CHANGELOG,SECURITY}.md', '{bench,configs,tools,test}/**/*.md'], { cwd: root });
const pages = [...globSync('docs/{contributing/*,accuracy,migration}.md', { cwd: root }), ...otherPages];

describe('pages for people who change the program', () => {
  it.each(pages)('name files that exist: %s', (page) => {
    const text = read(page);
    const paths = [...text.matchAll(/\b(?:src|bench|tools|test|configs|scripts)\/[\w./-]*\w/g)]
      .filter(([path]) => !path.endsWith('.playbyplay'))
      .filter(({ index, 0: path }) => !/^[<*]/.test(text.slice(index + path.length).replace(/^[/-]/, '')))
      .map(([path]) => path);
    const missing = paths.filter((path) => ![path, `src/${path}`].some((one) => existsSync(join(root, one))));
    const names = [...text.matchAll(/`([\w-]+\.(?:ts|mjs|py|sh|md))`/g)].map(([, name]) => name!);
    const unknown = names.filter((name) => !fileNames.has(name) && !RECORDING_FILES.has(name));
    expect([...missing, ...unknown]).toEqual([]);
  });

  it.each(otherPages)('link to pages and headings that exist: %s', (page) => {
    const links = [
      ...read(page)
        .replaceAll(/```.*?```/gs, '')
        .matchAll(/\]\(([^)\s]+)\)/g),
    ].map(([, link]) => link!);
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = '', heading] = link.split('#');
      const target = path === '' ? join(root, page) : join(root, page, '..', path);
      if (!existsSync(target)) return true;
      return heading !== undefined && !headingsOf(readFileSync(target, 'utf8')).has(heading);
    });
    expect(broken).toEqual([]);
  });
});

function headingsOf(text: string): Set<string> {
  const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!);
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('the pages for contributors', () => {
  it.each(['architecture', 'index', 'decisions'])('%s names functions and types that exist', (name) => {
    const text = read(`docs/contributing/${name}.md`);
    const names = [...text.matchAll(/`([A-Za-z]\w*[A-Z]\w*)(?:\.\w+)?`/g)].map(([, one]) => one!);
    const unknown = [...new Set(names)].filter((one) => !code.some((file) => new RegExp(`\\b${one}\\b`).test(file)));
    expect(unknown).toEqual([]);
  });
});

describe('the architecture page', () => {
  it('lists every module', () => {
    const modules = globSync('src/*/', { cwd: root }).map((path) => basename(path));
    expect(modules.length).toBeGreaterThan(15);
    const table = /## Modules\n(.*?)\n## /s.exec(read('docs/contributing/architecture.md'))![1]!;
    expect(modules.filter((name) => !table.includes(`\`${name}/`))).toEqual([]);
  });
});

describe('the migration page', () => {
  it('names what the entry points export', () => {
    const entries = globSync('src/{,*/}index.ts', { cwd: root }).map(read).join('\n');
    const section = /## Library\n(.*?)\n## /s.exec(read('docs/migration.md'))![1]!;
    const names = section.split('\n').flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`(\w+)/g)]);
    expect(names.length).toBeGreaterThan(20);
    const exported = names
      .map(([, name]) => name!)
      .filter((name) => name !== 'playbyplay' && name !== 'SimulateOptions');
    expect(exported.filter((name) => !new RegExp(`\\b${name}\\b`).test(entries))).toEqual([]);
  });
});
