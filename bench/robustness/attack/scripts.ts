// Game scripts that work on too much data, for too long, or reach for what they must not have.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { greedyBodies, slowBodies } from '../../../test/fixtures/hostile-scripts.ts';
import type { AttackCase } from './case.ts';

const group = 'scripts';

/** Bodies that exhaust memory or the stack, or reach for what a script must not have. */
const others: readonly (readonly [what: string, body: string, says: RegExp])[] = [
  ['a loop without end', 'while (1);', /time budget/],
  ['recursion', 'function f() { return f() + 1 } f()', /script|stack/],
  ['an array that grows', 'const a = []; while (1) a.push(new Array(100).fill(a.length))', /memory/],
  ['texts that are kept', 'const a = []; for (let i = 0; ; i++) a.push("x".repeat(1e5) + i)', /memory/],
  ['a backtracking expression', '/^(a+)+$/.test("a".repeat(40) + "b")', /time budget/],
  ['nested quantifiers', '/((a*)*)*$/.test("a".repeat(60) + "b")', /time budget|InternalError/],
  ['a sparse array joined', 'const a = []; a.length = 4e9; a.join()', /too much data/],
  ['a sparse array sorted', 'const a = []; a.length = 4e9; a.sort()', /too much data/],
  ['a sparse array reversed', 'const a = []; a.length = 4e9; a.reverse()', /too much data/],
  ['a list from an object of great length', 'Array.from({ length: 1e9 })', /budget|memory|too much|too slow/],
  [
    'a spread of great length',
    'Math.max(...Array.from({ length: 1e7 }))',
    /budget|memory|too much|too slow|stack|argument/,
  ],
  ['arguments of great number', '((...a) => a.length).apply(null, { length: 1e8 })', /too many|budget|memory|argument/],
  [
    'JSON of great depth',
    'let o = {}; let p = o; for (let i = 0; i < 2e4; i++) { p.a = {}; p = p.a; } JSON.stringify(o)',
    /stack|recursion|script/i,
  ],
  ['JSON of a long list', 'JSON.stringify(new Array(5e7))', /too much|memory/],
  ['a text split into characters', 'for (;;) "x".repeat(1e6).split("")', /too much|memory/],
  ['a text padded', '"x".padStart(1e9)', /too much/],
  ['a text repeated', '"x".repeat(2 ** 28)', /too much/],
  ['a replacement that grows', 'let s = "x"; for (;;) s = s.replaceAll("x", "xx")', /too much|memory|too slow/],
  ['a getter without end', 'game.emit({ get action() { while (1); } })', /time budget/],
  [
    'an iterator without end',
    'for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) });',
    /time budget/,
  ],
  ['a promise that never settles', 'const p = () => Promise.resolve().then(p); p()', /promise jobs/],
  ['big integers', 'BigInt(10) ** BigInt(1e6)', /not available/],
  ['the clock', 'Date.now()', /not available/],
  ['randomness', 'Math.random()', /not available/],
  ['code from a text', 'eval("1")', /not available/],
  ['a function from a text', 'new Function("return 1")()', /not available/],
  ['its constructor', '(() => {}).constructor("return this")()', /not available/],
  ['a module of Node', 'require("fs")', /not available/],
  ['the network', 'fetch("http://127.0.0.1")', /not available/],
  ['the process', 'process.exit(0)', /not defined/],
  ['the constructor of a host function', 'game.emit.constructor("return process")()', /not available/],
  ['an error that lies', 'throw { get message() { while (1); } }', /script/],
  ['a statement of a million characters', 'game.emit({ action: "a".repeat(2e6) })', /characters of output/],
  ['two thousand statements', 'for (let i = 0; i < 2000; i++) game.emit({ action: "a" })', /more than 1000 statements/],
  ['twenty thousand timers', 'for (let i = 0; i < 2e4; i++) game.after(i, () => {})', /timers/],
];

function attack(name: string, body: string, says: RegExp, seconds = 60): AttackCase {
  return {
    group,
    name,
    make(folder) {
      const game = join(folder, 'configs', 'evil');
      mkdirSync(game, { recursive: true });
      mkdirSync(join(folder, 'scripts'));
      writeFileSync(
        join(folder, 'scripts', 'evil.js'),
        `function onCue(cue, game) { if (cue.value !== 'red') return; ${body} }\n`,
      );
      const profile = {
        format: 'playbyplay/profile/1',
        game: 'evil',
        title: 'Evil',
        version: '1',
        reference: { width: 1280, height: 720 },
        dictionaries: [],
        regions: { all: { x: 0, y: 0, width: 1, height: 1 } },
        detectors: { light: { kind: 'color', region: 'all', colors: { red: '#ff0000', green: '#00ff00' } } },
      };
      writeFileSync(join(game, 'profile.json'), JSON.stringify(profile));
      return ['profile', 'check', './configs/evil'];
    },
    expect: {
      exit: [3],
      seconds,
      megabytes: 500,
      check: (_folder, { stdout }) =>
        says.test(stdout) ? undefined : `stdout does not match ${says}: ${stdout.slice(0, 300)}`,
    },
  };
}

export const cases: readonly AttackCase[] = [
  ...others.map(([name, body, says]) => attack(name, body, says)),
  ...greedyBodies.map(([name, body]) => attack(name, body, /too much data|time budget|memory/)),
  // The budget of branches or the clock, whichever comes first.
  ...slowBodies.map(([name, body]) => attack(name, body, /too slow|time budget|memory/, 90)),
];
