import { describe, expect, it } from 'vitest';
import { greedyBodies, slowBodies } from '../../test/fixtures/hostile-scripts.ts';
import type { Cue } from '../cues/cue.ts';
import { openScript, type ScriptOutput } from './script.ts';

/** Small limits, so that the tests are quick. */
const LIMITS = { interrupts: 60 };

const given: Cue = {
  t: 1,
  detector: 'health',
  trigger: 'changed',
  value: 62,
  previous: 87,
  confidence: 0.9,
  detail: { a: [1] },
};
const next: Cue = { ...given, t: 2, value: 50 };

/** The message of a built-in that was given more than a call may work on. */
const TOO_MUCH = 'too much data';

/** What a script says that does something on the first cue and speaks on the second. */
async function attack(body: string, before = ''): Promise<{ first: ScriptOutput; second: ScriptOutput }> {
  const source = `${before}
    function onCue(cue, game) {
      if (cue.t === 2) return game.emit({ action: 'survive' });
      ${body}
    }`;
  using script = await openScript({ source, name: 'bad.js', limits: LIMITS });
  return { first: script.onCues(1, [given]), second: script.onCues(2, [next]) };
}

describe('a hostile script', () => {
  it.each([
    ['a loop without end', 'while (1);', 'script-budget'],
    ['a loop that catches everything', 'for (;;) try { (() => { throw 1 })() } catch {}', 'script-budget'],
    ['a finally without end', 'try { while (1); } finally { while (1); }', 'script-budget'],
    ['recursion without end', 'function f() { return f() + 1 } f()', 'script-error'],
    ['a generator without end', 'function* g() { for (;;) yield 1 } for (const x of g());', 'script-budget'],
    ['a backtracking expression', '/^(a+)+$/.test("a".repeat(40) + "b")', 'script-budget'],
    ['another one', '/(x+x+)+y/.exec("x".repeat(60))', 'script-budget'],
    ['a getter without end in a statement', 'game.emit({ get action() { while (1); } })', 'script-budget'],
    ['a toJSON without end', 'game.emit({ action: { toJSON() { while (1); } } })', 'script-budget'],
    ['an array that grows', 'const a = []; while (1) a.push(new Array(100).fill(a.length))', 'script-memory'],
    ['an array of larger ones', 'const a = []; while (1) a.push(new Array(97).fill(a.length))', 'script-memory'],
    ['greed that catches', 'const a = []; while (1) try { a.push(new Array(600).fill(1)) } catch {}', 'script-memory'],
    [
      'what is kept for ever',
      'game.state.a ??= []; while (1) game.state.a.push(new Array(300).fill(1))',
      'script-memory',
    ],
    ['a map that grows', 'const m = new Map(); for (let i = 0; ; i++) m.set({ i }, [i, i, i, i])', 'script-memory'],
    ['a text that doubles', 'let s = "abc"; while (1) s += s', 'script-error'],
    ['texts that are kept', 'const a = []; for (let i = 0; ; i++) a.push("x".repeat(1e5) + i)', 'script-memory'],
    ['a long list searched', 'const a = []; a.length = 4e9; a.indexOf(1)', TOO_MUCH],
    ['a list walked without calls', 'const a = []; a.length = 4e9; a.forEach(() => {})', TOO_MUCH],
    ['something like a list', 'Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)', 'script-error'],
    ['a spread of emptiness', 'const a = []; a.length = 4e9; new Set(a)', TOO_MUCH],
    [
      'a spreadable object',
      'const a = [].concat({ length: 4e9, [Symbol.isConcatSpreadable]: true }); if (a.length === 1) throw new Error("one")',
      'script-error',
    ],
    ['flat', 'const a = []; a.length = 1e9; [a].flat()', 'script-budget'],
    ['a quadratic search', '"a".repeat(3e5).indexOf("a".repeat(2e5) + "b")', TOO_MUCH],
    ['a quadratic replacement', '"a".repeat(3e5).replaceAll("a".repeat(1e5) + "b", "")', TOO_MUCH],
    ['a search in a loop', 'const s = "a".repeat(1e6); for (;;) s.includes("b")', TOO_MUCH],
    ['big integers from nowhere', 'BigInt(10)', 'script-error'],
    ['code from a text', 'eval("1")', 'script-error'],
    ['a function from a text', '(() => {}).constructor("return 1")()', 'script-error'],
    ['an async function from a text', '(async () => {}).constructor("return 1")()', 'script-error'],
    ['a generator from a text', '(function* () {}).constructor("return 1")()', 'script-error'],
    ['the time of day', 'Date.now()', 'script-error'],
    ['a new date', 'new Date()', 'script-error'],
    ['chance', 'Math.random()', 'script-error'],
    ['a timer of the host', 'setTimeout(() => {}, 1)', 'script-error'],
    ['a module', 'require("fs")', 'script-error'],
    ['the process', 'process.exit(1)', 'script-error'],
    ['a weak reference', 'new WeakRef({})', 'script-error'],
    ['typed memory', 'new Uint8Array(8)', 'script-error'],
    ['something thrown that is no error', 'throw undefined', 'script-error'],
    ['nothing thrown', 'throw null', 'script-memory'],
    ['an error that lies', 'throw { get message() { while (1); }, get stack() { throw 1 } }', 'script-error'],
    ['an error with a huge text', 'throw new Error("x".repeat(1e6))', 'script-error'],
    ['a symbol thrown', 'throw Symbol("x")', 'script-error'],
    ['forged evidence', 'game.emit({ action: "a" }, { cues: [{ detector: "x" }] })', 'script-error'],
    ['a cue changed', 'cue.value = 1', 'script-error'],
    ['the inside of a cue changed', 'cue.detail.a.push(2)', 'script-error'],
    ['game changed', 'game.emit = null', 'script-error'],
    ['a timer without a function', 'game.after(1)', 'script-error'],
    ['a timer at no time', 'game.after(NaN, () => {})', 'script-error'],
    ['too many timers', 'for (let i = 0; i < 2e4; i++) game.after(i, () => {})', 'script-budget'],
    ['timers that start each other', 'const f = (g) => g.after(0, f); f(game)', 'script-budget'],
    ['too many statements', 'for (let i = 0; i < 2000; i++) game.emit({ action: "a" })', 'script-output'],
    ['a huge statement', 'game.emit({ action: "a".repeat(2e6) })', 'script-output'],
  ])('%s is stopped, and the script goes on', async (_what, body, code) => {
    const { first, second } = await attack(body);
    const reported = first.problems.map((problem) => (problem.message.includes(TOO_MUCH) ? TOO_MUCH : problem.code));
    expect(reported).toContain(code);
    for (const { message } of first.problems) expect(message.length).toBeLessThan(3000);
    expect(second.statements.map(({ statement }) => statement)).toEqual([{ action: 'survive' }]);
  });

  it.each([
    ['Object.prototype', 'Object.prototype.word = "x"; Object.prototype.toJSON = () => ({ hacked: 1 });'],
    ['Array.prototype', 'Array.prototype.push = Array.prototype.map = null; Array.prototype[Symbol.iterator] = null;'],
    [
      'setters of indices',
      'for (let i = 0; i < 9; i++) Object.defineProperty(Array.prototype, i, { set() { throw 1 }, get() { return 7 } });',
    ],
    ['JSON', 'JSON.stringify = JSON.parse = () => "{}";'],
    ['Map and WeakMap', 'Map.prototype.get = WeakMap.prototype.get = () => 1;'],
    ['Function.prototype', 'Function.prototype.call = Function.prototype.apply = Function.prototype.bind = null;'],
    ['Reflect and Object', 'Reflect.apply = Object.freeze = Object.keys = null;'],
    ['String.prototype', 'String.prototype.slice = () => "x"; String.prototype.toJSON = () => 3;'],
    ['Promise', 'Promise.prototype.then = null; globalThis.Promise = null;'],
  ])('that tampers with %s harms nobody but itself', async (_what, tampering) => {
    const { first, second } = await attack(`game.emit({ action: 'speak', subject: 'player' });`, tampering);
    for (const { statements } of [first, second]) {
      for (const { statement, cues } of statements) {
        expect(Object.keys(statement).every((key) => key === 'action' || key === 'subject')).toBe(true);
        for (const one of cues) expect(one.detector).toBe('health');
      }
    }
    expect(({} as Record<string, unknown>)['word']).toBeUndefined();
    expect([].push).toBeTypeOf('function');
  });

  it.each(greedyBodies)('%s: the budget ends the call', async (_what, body) => {
    const { first, second } = await attack(body);
    expect(first.problems.map(({ message }) => message)).toEqual([expect.stringContaining(TOO_MUCH)]);
    expect(second.statements.map(({ statement }) => statement)).toEqual([{ action: 'survive' }]);
  });

  it.each(slowBodies)('%s: the clock ends the run and names script and function', async (_what, body) => {
    using script = await openScript({
      source: `function onCue(cue, game) { ${body} }`,
      name: 'scripts/bad.js',
      limits: { seconds: 0.2, interrupts: 1e6 },
    });
    expect(() => script.onCues(1, [given])).toThrow(
      expect.objectContaining({
        code: 'script-stuck',
        message: 'the game script scripts/bad.js is too slow: onCue took more than 0.2 s at one time',
      }),
    );
  });

  it('cannot run for ever while it is loaded, in a timer or at the end', async () => {
    const loop = 'const s = "1".repeat(2e6); for (;;) if (+s === 3) break;';
    const limits = { seconds: 0.2, interrupts: 1e6 };
    await expect(openScript({ source: loop, name: 'bad.js', limits })).rejects.toThrow('the top level took more than');
    using later = await openScript({
      source: `function onCue(cue, game) { game.after(1, () => { ${loop} }); }`,
      name: 'bad.js',
      limits,
    });
    later.onCues(1, [given]);
    expect(() => later.onCues(3, [])).toThrow('a function given to game.after took more than');
    using last = await openScript({ source: `function onEnd() { ${loop} }`, name: 'bad.js', limits });
    expect(() => last.end(3)).toThrow('onEnd took more than');
  });

  it('cannot tell charged functions from those of the language', async () => {
    const source = `
      class Own extends Error { constructor(text) { super(text); this.own = true; } }
      function onCue(cue, game) {
        const error = new Own('x');
        const match = new RegExp('^(.+) fragged (?<victim>.+)$', 'u').exec('Grunt fragged Sarge');
        game.note(
          error instanceof Own, error instanceof Error, error.own, error.message, Error('y') instanceof Error,
          new TypeError('z').constructor === TypeError, TypeError.name, match.groups.victim,
          RegExp(/a/g).source, /a/ instanceof RegExp, 'aXb'.replace(/x/i, '-'), [...'a1b2'.matchAll(/[0-9]/g)].length,
          parseFloat('1.5x'), Number.parseFloat === parseFloat, Object.keys({ b: 1, a: 2 }).join(),
          Object.isFrozen(Object.freeze({ a: 1 })), 'a'.localeCompare('b'),
        );
      }`;
    using script = await openScript({ source, name: 'good.js' });
    const { notes, problems } = script.onCues(1, [given]);
    expect(problems).toEqual([]);
    expect(notes.map(({ text }) => text)).toEqual([
      'true true true x true true TypeError Sarge a true a-b 2 1.5 true b,a true -1',
    ]);
  });

  it('cannot hide behind errors that it catches', async () => {
    const source = 'function onCue() { function f(n) { try { return f(n + 1) } catch { return f(n + 1) } } f(0) }';
    using script = await openScript({ source, name: 'bad.js', limits: { interrupts: 2 } });
    expect(script.onCues(1, [given]).problems.map(({ code }) => code)).toEqual(['script-budget']);
  });

  it('cannot wait: async functions are refused, promise loops end', async () => {
    using script = await openScript({
      source: 'async function onCue(c, game) { await null; game.emit({ action: "late" }); }',
      name: 'bad.js',
    });
    expect(script.onCues(1, [given]).problems[0]?.message).toContain('must not be async');
    using loop = await openScript({
      source: 'function onCue() { const p = () => Promise.resolve().then(p); p(); }',
      name: 'bad.js',
    });
    expect(loop.onCues(1, [given]).problems.map(({ code }) => code)).toEqual(['script-budget', 'script-stopped']);
    expect(loop.onCues(2, [next])).toMatchObject({ statements: [], problems: [] });
  });

  it('is disabled after exceeding its budget too often', async () => {
    using script = await openScript({
      source: 'function onCue() { while (1); }',
      name: 'bad.js',
      limits: { interrupts: 1 },
    });
    const codes = Array.from({ length: 20 }, (_, t) =>
      script.onCues(t, [{ ...given, t }]).problems.map(({ code }) => code),
    );
    expect(codes.flat()).toEqual(['script-budget', 'script-stopped']);
    expect(script.problemCounts).toEqual({ 'script-budget': 10, 'script-stopped': 1 });
  });

  it('does not affect other scripts when its interpreter fails', async () => {
    using good = await openScript({
      source: 'function onCue(c, game) { game.emit({ action: "a" }); }',
      name: 'good.js',
    });
    const { first } = await attack(
      'let o = {}; let p = o; for (let i = 0; i < 20000; i++) { p.a = {}; p = p.a; } game.emit({ action: o });',
    );
    expect(first.problems.length).toBeGreaterThan(0);
    expect(good.onCues(1, [given]).statements).toHaveLength(1);
  });

  it('does the same each time it is run', async () => {
    const source = `
      function onCue(cue, game) {
        game.state.list ??= [];
        for (let i = 0; ; i++) { game.state.list.push({ i, s: 'x' + i }); if (i % 1000 === 0) game.emit({ action: 'count', amount: i }); }
      }`;
    const outputs: string[] = [];
    for (let run = 0; run < 2; run++) {
      using script = await openScript({ source, name: 'bad.js', limits: LIMITS });
      outputs.push(JSON.stringify([1, 2, 3].map((t) => script.onCues(t, [{ ...given, t }]))));
    }
    expect(outputs[0]).toContain('count');
    expect(outputs[1]).toBe(outputs[0]);
  });
});
