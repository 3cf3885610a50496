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
