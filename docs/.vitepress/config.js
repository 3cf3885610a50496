// The documentation site: `npm run docs` builds it into docs/.vitepress/dist. The pages are also readable in the repository.
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const docs = fileURLToPath(new URL('..', import.meta.url));

/** A group of the sidebar, from pairs of title and path without `.md`. */
function group(text, pages) {
  const items = pages
    .filter(([, path]) => existsSync(`${docs}/${path}.md`))
    .map(([title, path]) => ({ text: title, link: `/${path.replace(/index$/, '')}` }));
  return { text, items };
}

const sidebar = [
  group('Use playbyplay', [
    ['Install', 'guide/install'],
    ['Your first log', 'guide/first-log'],
    ['Ask questions', 'guide/questions'],
    ['Cut a reel', 'guide/reels'],
    ['Watch a live session', 'guide/live'],
    ['Use the studio', 'guide/studio'],
    ['Follow a season', 'guide/season'],
    ['Check stream quality', 'guide/quality'],
    ['Process many recordings, run a service', 'guide/service'],
    ['Accuracy', 'accuracy'],
    ['From 0.1 to 0.2', 'migration'],
  ]),
  group('Teach it a game', [
    ['Tutorial', 'games/tutorial'],
    ['How-to guides', 'games/how-to'],
    ['Scripts and events', 'games/scripts'],
    ['Languages', 'games/languages'],
    ['Networks', 'games/networks'],
    ['Plug-ins', 'games/plugins'],
  ]),
  group('Reference', [
    ['Commands', 'reference/commands'],
    ['Profile format', 'reference/profile'],
    ['Recordings', 'reference/recordings'],
    ['Event log', 'reference/event-log'],
    ['Query language', 'reference/query-language'],
    ['Dictionary', 'reference/dictionary'],
    ['Built-in dictionaries', 'reference/dictionaries'],
    ['Styles and languages', 'reference/languages'],
    ['File formats', 'reference/files'],
    ['Issue codes', 'reference/issue-codes'],
    ['Highlights', 'reference/highlights'],
    ['Quality', 'reference/quality'],
    ['HTTP interface', 'reference/api'],
    ['Compute', 'reference/compute'],
  ]),
  group('Contribute', [
    ['Contributing', 'contributing/index'],
    ['Architecture', 'contributing/architecture'],
    ['Decisions', 'contributing/decisions'],
  ]),
];

/** Whether a link of a page leads to another site, a page or an anchor of this site. */
function isPage(href, page) {
  if (/^(?:https?:|mailto:|#)/.test(href)) return true;
  const [path] = href.split('#');
  return path.endsWith('.md') && !posix.join(posix.dirname(page), path).startsWith('../');
}

/** Names source files, schemas and examples instead of linking them: only the repository has them. */
function unlinkRepositoryFiles(markdown) {
  markdown.core.ruler.push('unlink-repository-files', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isUnlinked = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') isUnlinked = !isPage(token.attrGet('href') ?? '', env.relativePath);
        if (isUnlinked && token.type.startsWith('link_')) {
          if (token.type === 'link_close') isUnlinked = false;
          Object.assign(token, { type: 'text', tag: '', content: '', nesting: 0 });
        }
      }
    }
  });
}

/** The anchor of a heading, as code hosts make it, so that links to headings work in both places. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}

export default defineConfig({
  title: 'playbyplay',
  description:
    'Watches gameplay recordings and writes down what happened, in sentences that people read and programs query.',
  base: process.env.DOCS_BASE ?? '/',
  head: [['style', {}, readFileSync(new URL('style.css', import.meta.url), 'utf8')]],
  cleanUrls: false,
  lastUpdated: false,
  srcExclude: ['examples/**', 'node_modules/**'],
  markdown: { config: unlinkRepositoryFiles, anchor: { slugify: anchorOf } },
  themeConfig: {
    nav: [
      { text: 'Use', link: '/guide/install', activeMatch: '/guide/' },
      { text: 'Games', link: '/games/tutorial', activeMatch: '/games/' },
      { text: 'Reference', link: '/reference/commands', activeMatch: '/reference/' },
      { text: 'Contribute', link: '/contributing/', activeMatch: '/contributing/' },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});
