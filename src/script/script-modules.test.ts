import { describe, expect, it } from 'vitest';
import type { Cue } from '../cues/cue.ts';
import { type Issue, PlaybyplayError } from '../errors.ts';
import { openScript, type GameScript } from './script.ts';

const cue: Cue = { t: 1, detector: 'health', trigger: 'changed', value: 62, previous: 87, confidence: 0.9 };

type Files = Readonly<Record<string, string>>;

/** A script `scripts/x.js` with modules, each by its path below `scripts/`. */
function open(source: string, modules: Files = {}): Promise<GameScript> {
  const files = Object.entries(modules).map(([path, text]) => [`scripts/${path}`, text] as const);
  return openScript({ source, name: 'scripts/x.js', modules: new Map(files), limits: { interrupts: 60 } });
}

async function brokenBy(source: string, modules?: Files): Promise<readonly string[]> {
  const error: unknown = await open(source, modules).catch((thrown: unknown) => thrown);
  if (!(error instanceof PlaybyplayError)) throw new TypeError('loaded');
  expect(error.code).toBe('script-broken');
  return error.issues.map(({ code, path, message }: Issue) => `${code} ${path}: ${message}`);
}

/** Modules that count to `n` while they are loaded. */
function twenty(n: number): Files {
  const text = `for (let i = 0; i < ${n}; i++);`;
  return Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x/${i}.js`, text]));
}

const USES_FEED = `import { act } from './x/feed.js';\nexport function onCue(cue, game) { act(game); }`;

describe('a script of several files', () => {
  it('emits the statements of its modules and is called by its exports', async () => {
    using script = await open(`${USES_FEED}\nexport const lookback = 30;`, {
      'x/feed.js': `import { word } from './words.js';\nlet n = 0;\nexport const act = (game) => game.emit({ action: word, amount: ++n }, { t: game.t - 20 });`,
      'x/words.js': `export const word = 'die';`,
    });
    const said = [script.onCues(21, [cue]), script.onCues(22, [cue])].flatMap(({ statements }) => statements);
    expect(said.map(({ t, statement }) => [t, statement])).toEqual([
      [1, { action: 'die', amount: 1 }],
      [2, { action: 'die', amount: 2 }],
    ]);
  });

  it('may go round in a circle', async () => {
    using script = await open(`${USES_FEED}\nexport const word = 'fly';`, {
      'x/feed.js': `import { word } from '../x.js';\nexport const act = (game) => game.note(word);`,
    });
    expect(script.onCues(1, [cue]).notes.map(({ text }) => text)).toEqual(['fly']);
  });

  it('reports the file and line of an error in a module', async () => {
    using script = await open(USES_FEED, { 'x/feed.js': `\nexport function act() {\n  null.x;\n}` });
    expect(script.onCues(1, [cue]).problems).toMatchObject([{ code: 'script-error', path: 'scripts/x/feed.js:3' }]);
  });

  it.each<[string, Files, string]>([
    [
      'a slip of the pen',
      { 'x/feed.js': `\nexport const act = (;` },
      'script-error scripts/x/feed.js:2: SyntaxError: ',
    ],
    ['what throws while it is loaded', { 'x/feed.js': `\n\nnull.x;` }, 'script-error scripts/x/feed.js:3: TypeError: '],
    ['a loop without end', { 'x/feed.js': `while (1);` }, 'script-budget scripts/x/feed.js:1: '],
    ['too much memory', { 'x/feed.js': `const a = []; while (1) a.push(new Array(100).fill(1));` }, 'script-memory '],
    ['BigInt', { 'x/feed.js': `\nconst a = 10n;` }, 'script-error scripts/x/feed.js:2: BigInt (10n) '],
    [
      'a missing export',
      { 'x/feed.js': `export const acts = 1;` },
      `script-error scripts/x.js:1: SyntaxError: Could not find export 'act'`,
    ],
    [
      'waiting',
      { 'x/feed.js': `export const act = await 1;` },
      'script-error scripts/x.js: a game script must not use top-level await',
    ],
    ['waiting for ever', { 'x/feed.js': `await new Promise(() => {});` }, 'script-error scripts/x.js'],
  ])('is refused for %s in a module', async (_what, modules, expected) => {
    const source = modules['x/feed.js']!.includes('export') ? USES_FEED : `import './x/feed.js';`;
    const [first, ...others] = await brokenBy(source, modules);
    expect(first!.slice(0, expected.length)).toBe(expected);
    expect(others).toEqual([]);
  });

  it('reports every missing import with its line', async () => {
    const source = `import { a } from './x/a.js';\nimport fs from 'fs';\nimport '../../b.js';\nimport './x/c.js';\nimport /* */ './d.js';`;
    const reported = await brokenBy(source, { 'x/c.js': `\nimport 'https://example.org/e.js';` });
    expect(reported.map((one) => one.split(': ')[0])).toEqual([
      'script-import scripts/x.js:1',
      'script-import scripts/x.js:2',
      'script-import scripts/x.js:3',
      'script-import scripts/x/c.js:2',
      'script-import scripts/x.js',
    ]);
  });

  it('cannot import after loading, nor read its own location', async () => {
    using script = await open(
      `let found = 'waits';
      import('./x/feed.js').then(() => (found = 'loaded'), (error) => (found = error.name));
export function onCue(cue, game) { game.note(found, JSON.stringify(import.meta)); }`,
      { 'x/feed.js': 'export const act = 1;' },
    );
    expect(script.onCues(1, [cue]).notes.map(({ text }) => text)).toEqual(['ReferenceError {}']);
  });

  it('has no more budget than a script of one file', async () => {
    const imports = Array.from({ length: 20 }, (_, n) => `import './x/${n}.js';\n`).join('');
    const source = `${imports}export function onCue() {}`;
    using script = await open(source, twenty(1e3));
    expect(script.onCues(1, [cue]).problems).toEqual([]);
    expect((await brokenBy(source, twenty(1e5)))[0]).toContain('script-budget scripts/x/');
  });

  it('reports entry points that are not exported', async () => {
    using script = await open(`import './x/feed.js';\nfunction onCue() {}`, { 'x/feed.js': '' });
    expect(script.onCues(1, [cue]).problems).toMatchObject([
      { code: 'script-empty', hint: 'Write export function onCue(cue, game) { … }.' },
    ]);
  });

  it('keeps its modules to itself', async () => {
    const files = { 'x/feed.js': `let n = 0;\nexport const act = (game) => game.note(++n);` };
    using one = await open(USES_FEED, files);
    using other = await open(USES_FEED, files);
    one.onCues(1, [cue]);
    expect(other.onCues(1, [cue]).notes.map(({ text }) => text)).toEqual(['1']);
  });
});
