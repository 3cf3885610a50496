/** Style sheet of the page. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#d9dce3, #343943); --soft: light-dark(#f4f5f8, #1c2027); --paper: light-dark(#fff, #14171c);
  --ink: light-dark(#1d2330, #e6e9ef); --dim: light-dark(#626b7c, #98a1b2); --accent: light-dark(#1f5fbf, #7db1ff); --hit: light-dark(#fff0b8, #4b4014); }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); display: grid; grid-template: auto 1fr / minmax(17rem, 26rem) 1fr; height: 100vh }
header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; padding: .7rem 1rem; border-bottom: 1px solid var(--line); background: var(--soft) }
h1 { font-size: 1.05rem; margin: 0 }
header small { color: var(--dim) }
input[type=search] { flex: 1; min-width: 12rem; max-width: 34rem; font: inherit; padding: .4rem .7rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); color: inherit }
select { font: inherit; padding: .35rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); color: inherit }
nav { overflow: auto; padding: .6rem .4rem 2rem .6rem; border-right: 1px solid var(--line) }
main { overflow: auto; padding: 1.4rem 2rem 4rem; max-width: 60rem }
ul { list-style: none; margin: 0; padding-left: 1.05rem }
nav > ul { padding-left: .2rem }
li > div { display: flex; align-items: baseline; gap: .15rem; border-radius: .35rem }
button.fold { all: unset; width: 1.15rem; text-align: center; cursor: pointer; color: var(--dim); flex: none }
a { color: var(--accent); text-decoration: none }
a:hover { text-decoration: underline }
nav a { color: inherit; padding: .05rem .35rem; border-radius: .35rem }
nav a[aria-current] { background: var(--accent); color: var(--paper) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
.count { color: var(--dim); font-size: .75rem; padding-left: .2rem }
.tag { font-size: .72rem; border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .5rem; color: var(--dim); white-space: nowrap }
h2 { font-size: 1.6rem; margin: .2rem 0 .4rem }
h3 { font-size: .8rem; letter-spacing: .04em; text-transform: uppercase; color: var(--dim); margin: 1.5rem 0 .3rem }
.crumbs { color: var(--dim) }
.definition { font-size: 1.12rem; margin: .3rem 0 }
.words { display: flex; flex-wrap: wrap; gap: .25rem .8rem }
table { border-collapse: collapse }
td { padding: .2rem 1rem .2rem 0; vertical-align: top }
td:first-child { color: var(--dim) }
blockquote { margin: .2rem 0; padding: .25rem .8rem; border-left: 3px solid var(--accent); background: var(--soft) }
mark { background: var(--hit); color: inherit }
.result { padding: .35rem .3rem; border-bottom: 1px solid var(--line) }
.result p { margin: 0; color: var(--dim) }
@media (max-width: 700px) {
  body { grid-template: auto minmax(8rem, 30vh) 1fr / 1fr }
  header { padding: .5rem .7rem; gap: .4rem }
  header small { display: none }
  h1 { flex-basis: 100%; font-size: .95rem }
  input[type=search] { min-width: 8rem }
  select { max-width: 8rem }
  nav { border-right: 0; border-bottom: 1px solid var(--line) }
  nav a { padding: .2rem .4rem }
  main { padding: .6rem 1rem 3rem }
}
`;

/** The script of the page: plain JavaScript without dependencies; element `#words` contains the words as JSON. */
export const client = `
'use strict';
const words = JSON.parse(document.getElementById('words').textContent);
const byKey = new Map(words.map((word) => [word.kind + '/' + word.id, word]));
const kindNames = { object: 'objects', action: 'actions', property: 'properties' };
const nav = document.querySelector('nav');
const main = document.querySelector('main');
const search = document.querySelector('input');
const filter = document.querySelector('select');
const open = new Set();

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const labelOf = (word) => {
  const more = [word.dictionary === 'common' ? '' : word.dictionary, word.sense || ''].filter(Boolean).join(' ');
  return word.name + (more ? ' (' + more + ')' : '');
};
const link = (word, text) => make('a', { href: '#' + encodeURI(word.kind + '/' + word.id), title: word.definition }, text || labelOf(word));
const shown = (word) => filter.value === '' || word.games.includes(filter.value);
const childrenOf = (word) => word.children.map((id) => byKey.get(word.kind + '/' + id)).filter(shown);

function branch(word) {
  const key = word.kind + '/' + word.id;
  const children = childrenOf(word);
  const row = make('div', {});
  const item = make('li', {}, row);
  if (children.length > 0) {
    const fold = make('button', { class: 'fold', 'aria-expanded': open.has(key), 'aria-label': 'kinds of ' + word.id }, open.has(key) ? '▾' : '▸');
    fold.addEventListener('click', () => { if (!open.delete(key)) open.add(key); tree(); });
    row.append(fold);
  } else row.append(make('span', { class: 'fold', style: 'width:1.15rem;flex:none' }));
  const anchor = link(word, word.name + (word.sense ? ' (' + word.sense + ')' : ''));
  if (current() === word) anchor.setAttribute('aria-current', 'true');
  row.append(anchor);
  if (word.below > 0) row.append(make('span', { class: 'count' }, String(word.below)));
  if (children.length > 0 && open.has(key)) item.append(make('ul', {}, ...children.map(branch)));
  return item;
}

function tree() {
  nav.replaceChildren(...Object.entries(kindNames).flatMap(([kind, title]) => [
    make('h3', {}, title),
    make('ul', {}, ...words.filter((word) => word.kind === kind && !word.parent && shown(word)).map(branch)),
  ]));
}

function current() {
  return byKey.get(decodeURI(location.hash.slice(1)));
}

function section(title, ...content) {
  return content.length === 0 ? [] : [make('h3', {}, title), ...content];
}

function detail(word) {
  const path = [];
  for (let each = byKey.get(word.kind + '/' + word.parent); each; each = byKey.get(each.kind + '/' + each.parent)) path.unshift(each);
  const list = (ids) => make('div', { class: 'words' }, ...ids.map((id) => link(byKey.get(word.kind + '/' + id))));
  main.replaceChildren(
    make('p', { class: 'crumbs' }, kindNames[word.kind], ...path.flatMap((each) => [' › ', link(each)])),
    make('h2', {}, word.name, ' ', make('span', { class: 'tag' }, word.kind), ' ', make('span', { class: 'tag' }, word.dictionary), ...(word.sense ? [' ', make('span', { class: 'tag' }, 'sense: ' + word.sense)] : [])),
    make('p', { class: 'definition' }, word.definition),
    ...section('in a sentence', ...word.examples.map((text) => make('blockquote', {}, text))),
    ...(word.children.length > 0 ? section('kinds', list(word.children)) : []),
    ...(word.synonyms.length > 0 ? section('also called', word.synonyms.join(', ')) : []),
    ...(word.forms.length > 0 ? section('forms', word.forms.join(', ')) : []),
    ...(word.pattern.length > 0 ? section('pattern', make('table', {}, ...word.pattern.map(([slot, rule]) => make('tr', {}, make('td', {}, slot), make('td', {}, rule))))) : []),
    ...(word.causes ? section('makes its object', list([word.causes])) : []),
    ...section('games', word.games.length > 0 ? word.games.join(', ') : 'none of these games yet'),
    ...section('id', make('code', {}, word.id)),
  );
  for (const each of path) open.add(each.kind + '/' + each.id);
  main.scrollTop = 0;
}

function marked(text, wanted) {
  const at = text.toLowerCase().indexOf(wanted);
  return at < 0 ? [text] : [text.slice(0, at), make('mark', {}, text.slice(at, at + wanted.length)), text.slice(at + wanted.length)];
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  const rank = (word) => {
    const names = [word.id, word.name, ...word.synonyms, ...word.forms].map((name) => name.toLowerCase());
    if (names.includes(wanted)) return 0;
    if (names.some((name) => name.startsWith(wanted))) return 1;
    if (names.some((name) => name.includes(wanted))) return 2;
    return word.definition.toLowerCase().includes(wanted) ? 3 : 9;
  };
  const found = words.filter(shown).map((word) => [rank(word), word]).filter(([r]) => r < 9).sort((a, b) => a[0] - b[0]);
  main.replaceChildren(
    make('p', { role: 'status' }, found.length + (found.length === 1 ? ' word' : ' words') + ' for “' + text.trim() + '”'),
    ...found.slice(0, 200).map(([, word]) => {
      const anchor = link(word, ' ');
      anchor.replaceChildren(...marked(word.name, wanted));
      return make('div', { class: 'result' }, anchor, ' ', make('span', { class: 'tag' }, word.kind), ' ', make('span', { class: 'tag' }, word.dictionary), make('p', {}, ...marked(word.definition, wanted)));
    }),
  );
}

function update() {
  const word = current();
  if (search.value.trim() !== '') find(search.value);
  else if (word) detail(word);
  else main.replaceChildren(document.getElementById('welcome').content.cloneNode(true));
  tree();
  nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}

search.addEventListener('input', update);
filter.addEventListener('change', update);
addEventListener('hashchange', () => { search.value = ''; update(); });
addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== search) { event.preventDefault(); search.focus(); }
  if (event.key === 'Escape' && document.activeElement === search) { search.value = ''; search.blur(); update(); }
});
update();
`;
