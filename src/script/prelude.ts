/**
 * The code that runs in the sandbox before the game script. It removes everything that could make a run depend on more than
 * its cues (clock, randomness, code from strings, weak references), charges the budget for built-ins that run long without
 * reaching the interpreter's interrupt, and creates the game object. It keeps private copies of the built-ins it uses, so that a script
 * that modifies prototypes affects only its own statements; the host validates all output anyway.
 *
 * Its value is the object at its end: `ready` and `begin` take data from the host; the others run a function of the script
 * and return its output as JSON, an empty string for none, or 1 if the function was async.
 */
export const PRELUDE = String.raw`(function () {
'use strict';
const { stringify, parse } = JSON;
const { apply, construct, ownKeys, getOwnPropertyDescriptor, defineProperty, getPrototypeOf } = Reflect;
const { freeze, create, keys } = Object;
const { isFinite, isInteger } = Number;
const { isArray } = Array;
const { max } = Math;
const global = globalThis;
const bind = Function.prototype.bind;
const uncurry = (fn) => apply(bind, Function.prototype.call, [fn]);
const weakGet = uncurry(WeakMap.prototype.get), weakSet = uncurry(WeakMap.prototype.set);
const mapGet = uncurry(Map.prototype.get), mapSet = uncurry(Map.prototype.set), mapDelete = uncurry(Map.prototype.delete);
const RegularExpression = RegExp;
const sourceOf = uncurry(getOwnPropertyDescriptor(RegExp.prototype, 'source').get);
const indexOf = uncurry(String.prototype.indexOf);
const TypeErr = TypeError, RangeErr = RangeError, ReferenceErr = ReferenceError, Text = String;

// Removes parts of the language that a game script must not use.
const ALLOWED = ' Object Function Error EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError ' +
  'AggregateError Iterator Array parseInt parseFloat isNaN isFinite Infinity NaN undefined Number Boolean String Math Reflect ' +
  'Symbol globalThis RegExp JSON Map Set WeakMap WeakSet Promise ';
for (const name of ownKeys(global)) {
  if (typeof name === 'string' && !ALLOWED.includes(' ' + name + ' ')) delete global[name];
}
function forbid(holder, name, advice) {
  const refuse = function () { throw new ReferenceErr(name + ' is not available in a game script' + advice); };
  defineProperty(holder, name.slice(name.lastIndexOf('.') + 1), { value: refuse, writable: false, configurable: false });
}
forbid(global, 'Date', ': game.t is the time of the cue, in seconds');
for (const name of ['Date.now', 'Date.parse', 'Date.UTC']) forbid(global.Date, name, ': game.t is the time of the cue, in seconds');
forbid(Math, 'Math.random', ': the same media must always give the same log');
for (const name of ['setTimeout', 'setInterval']) forbid(global, name, ': use game.after(seconds, fn)');
for (const name of ['eval', 'require', 'fetch', 'BigInt']) forbid(global, name, '');
for (const sample of [function () {}, function* () {}, async function () {}, async function* () {}]) {
  const prototype = getPrototypeOf(sample);
  const refuse = function () { throw new ReferenceErr('Function(…) is not available in a game script'); };
  defineProperty(prototype, 'constructor', { value: refuse, writable: false, configurable: false });
}
defineProperty(global, 'Function', { value: Function.prototype.constructor, writable: false, configurable: false });

// Built-ins that may run long between two interrupts are charged by the size of their input.
const ALLOWANCE = 5e7;
let spent = 0;
function charge(amount) {
  spent += amount;
  if (!(spent <= ALLOWANCE)) throw new RangeErr('the script works on too much data in one call');
}
// The language itself looks this up: a charged method would charge for itself recursively.
function lookup(words) {
  const found = create(null);
  for (const word of words.split(' ')) found[word] = true;
  return found;
}
function size(value) { return typeof value === 'string' ? value.length : isArray(value) ? value.length : 0; }
function price(prototype, costOf) {
  for (const name of ownKeys(prototype)) {
    const { value } = getOwnPropertyDescriptor(prototype, name);
    if (typeof value !== 'function' || name === 'constructor') continue;
    const priced = { method(...args) { charge(costOf(this, args, name)); return apply(value, this, args); } }.method;
    defineProperty(priced, 'name', { value: value.name });
    defineProperty(priced, 'length', { value: value.length });
    defineProperty(prototype, name, { value: priced });
  }
}
// Characters cost more where each is looked up in tables.
const TABLES = lookup('localeCompare normalize toLowerCase toUpperCase toLocaleLowerCase toLocaleUpperCase');
const SEARCHES = lookup('indexOf lastIndexOf includes split replace replaceAll');
const READS = lookup('charAt charCodeAt codePointAt at toString valueOf');
price(String.prototype, (self, args, name) => {
  if (name in READS) return 1;
  const own = size(self), first = size(args[0]);
  const repeated = name === 'repeat' || name === 'padStart' || name === 'padEnd' ? max(0, +args[0] || 0) * max(1, name === 'repeat' ? own : 1) : 0;
  const product = name in SEARCHES && first > 8 ? own * (first / 8) : 0;
  return 1 + (own + first) * (name in TABLES ? 50 : 1) + repeated + product;
});
const BRIEF = lookup('push pop at');
price(Array.prototype, (self, args, name) => {
  if (!isArray(self)) throw new TypeErr('array methods work on arrays only');
  if (name in BRIEF) return 1 + args.length;
  let cost = 1 + 4 * self.length;
  for (let i = 0; i < args.length; i++) cost += size(args[i]);
  return cost;
});
// Written in JavaScript, these reach the interrupt while they traverse their input.
const flatten = (list, depth, into) => {
  for (let i = 0; i < list.length; i++) {
    if (depth > 0 && isArray(list[i])) flatten(list[i], depth - 1, into);
    else if (i in list) push(into, list[i]);
  }
  return into;
};
const plain = {
  concat(...items) { return flatten([this, ...items], 1, []); },
  flat(depth = 1) { return flatten(this, +depth || 0, []); },
  flatMap(fn, self) {
    const mapped = [];
    for (let i = 0; i < this.length; i++) if (i in this) push(mapped, apply(fn, self, [this[i], i, this]));
    return flatten(mapped, 1, []);
  },
};
for (const name of keys(plain)) defineProperty(Array.prototype, name, { value: plain[name] });
delete Array.fromAsync;
function replaceFunction(holder, name, costBefore, costAfter) {
  const original = holder[name];
  const priced = { method(...args) {
    charge(costBefore(args));
    const result = apply(original, this, args);
    if (costAfter !== undefined) charge(costAfter(result));
    return result;
  } }.method;
  defineProperty(priced, 'name', { value: name });
  defineProperty(priced, 'length', { value: original.length });
  defineProperty(holder, name, { value: priced });
}
for (const [holder, name] of [[JSON, 'parse'], [JSON, 'stringify'], [Object, 'assign'], [Object, 'fromEntries'], [Array, 'from']])
  replaceFunction(holder, name, (args) => 1 + size(args[0]) + args.length, size);
// The number of properties is known only afterwards; memory bounds the work until then.
for (const [holder, names] of [[Object, 'keys values entries getOwnPropertyNames getOwnPropertySymbols groupBy'], [Reflect, 'ownKeys'], [Map, 'groupBy']]) {
  for (const name of names.split(' ')) if (typeof holder[name] === 'function') replaceFunction(holder, name, (args) => 1 + size(args[0]), (found) => (name === 'entries' ? 500 : 50) * size(found));
}
for (const name of ['getOwnPropertyDescriptors', 'freeze', 'seal', 'isFrozen', 'isSealed', 'preventExtensions'])
  replaceFunction(Object, name, (args) => 1 + (name === 'getOwnPropertyDescriptors' ? 500 : 100) * (typeof args[0] === 'object' && args[0] !== null ? ownKeys(args[0]).length : 0));
// Numbers are read digit by digit with long arithmetic.
for (const name of ['parseFloat', 'parseInt']) {
  replaceFunction(global, name, (args) => 1 + 50 * size(args[0]));
  defineProperty(Number, name, { value: global[name] });
}
// A constructor of the same prototype, whose calls are charged. Subclasses work.
function replaceConstructor(name, costOf) {
  const Original = global[name];
  const Priced = function (...args) {
    charge(costOf(args));
    if (new.target === undefined) return apply(Original, this, args);
    return construct(Original, args, new.target === Priced ? Original : new.target);
  };
  for (const key of ownKeys(Original)) {
    if (key !== 'prototype') defineProperty(Priced, key, getOwnPropertyDescriptor(Original, key));
  }
  defineProperty(Priced, 'prototype', { value: Original.prototype, writable: false });
  defineProperty(Original.prototype, 'constructor', { value: Priced });
  defineProperty(global, name, { value: Priced });
}
// Expressions are compiled slowly, and properties of characters (\p{…}) add thousands of ranges.
function regExpCost(args) {
  const source = args[0] instanceof RegularExpression ? sourceOf(args[0]) : typeof args[0] === 'string' ? args[0] : '';
  let cost = 500 + 5000 * source.length;
  for (let at = indexOf(source, '{'); at >= 0 && cost <= ALLOWANCE; at = indexOf(source, '{', at + 1)) cost += 200000;
  return cost;
}
replaceConstructor('RegExp', regExpCost);
delete RegularExpression.prototype.compile;
for (const name of ['exec', 'test']) replaceFunction(RegularExpression.prototype, name, (args) => 1 + size(args[0]));
// An error collects its stack.
for (const name of ['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'AggregateError'])
  replaceConstructor(name, () => 3000);

// The game object of the script.
const sources = new WeakMap();
const accepted = new Map(), lastValue = new Map(), changedAt = new Map(), timers = new Map();
let known = null, now = 0, setAt = 0, evidence = [], current = [], recent = [], nextTimer = 1;
let out = nothing();

function nothing() { return { statements: [], notes: [], timers: [], cancelled: [] }; }
function said(result) {
  if (typeof result === 'object' && result !== null && typeof result.then === 'function') return 1;
  const { statements, notes, timers: set, cancelled } = out;
  if (statements.length + notes.length + set.length + cancelled.length === 0) return '';
  const text = out;
  out = nothing();
  return stringify(text);
}

function cueOf(source) {
  const cue = freezeDeep(parse(source));
  weakSet(sources, cue, source);
  return cue;
}
function freezeDeep(value) {
  if (typeof value === 'object' && value !== null) {
    const names = keys(value);
    for (let i = 0; i < names.length; i++) freezeDeep(value[names[i]]);
    freeze(value);
  }
  return value;
}
function push(list, value) { defineProperty(list, list.length, { value, writable: true, enumerable: true, configurable: true }); }
function sourcesOf(cues) {
  if (!isArray(cues)) throw new TypeErr('game.emit: cues must be an array of cues');
  const found = [];
  for (let i = 0; i < cues.length; i++) {
    const source = typeof cues[i] === 'object' && cues[i] !== null ? weakGet(sources, cues[i]) : undefined;
    if (source === undefined) throw new TypeErr('game.emit: cues must be cues that the script was given');
    push(found, source);
  }
  return found;
}
function named(detector, what) {
  if (known !== null && mapGet(known, detector) !== true) throw new RangeErr(what + ': no detector is called ' + stringify(Text(detector)));
  return detector;
}
function number(value, what) {
  if (typeof value !== 'number' || !isFinite(value)) throw new TypeErr(what + ' must be a number of seconds');
  return value;
}
function note(...parts) {
  let text = '';
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    text += (i > 0 ? ' ' : '') + (typeof part === 'string' ? part : stringify(part) ?? Text(part));
  }
  push(out.notes, text.length > 500 ? apply(slice, text, [0, 500]) : text);
}
const slice = String.prototype.slice;

const game = freeze({
  state: create(null),
  get t() { return now; },
  get setAt() { return setAt; },
  emit(statement, options) {
    const { t = now, end = t, confidence, cues } = options ?? {};
    push(out.statements, {
      t: number(t, 'game.emit: t'), end: number(end, 'game.emit: end'),
      statement: stringify(statement) ?? 'null',
      confidence: confidence === undefined ? null : confidence,
      cues: cues === undefined ? evidence : sourcesOf(cues),
      support: options?.support, alone: options?.alone, tentative: options?.tentative,
    });
  },
  reading(detector) { return mapGet(accepted, named(detector, 'game.reading')); },
  last(detector) { return mapGet(lastValue, named(detector, 'game.last')); },
  since(detector) { return mapGet(changedAt, named(detector, 'game.since')); },
  recent(seconds, detector) {
    const from = now - number(seconds, 'game.recent: seconds') - 1e-7;
    if (detector !== undefined) named(detector, 'game.recent');
    const found = [];
    for (let i = 0; i < recent.length; i++) {
      if (recent[i].t >= from && (detector === undefined || recent[i].detector === detector)) push(found, recent[i]);
    }
    return found;
  },
  after(seconds, fn) {
    if (typeof fn !== 'function') throw new TypeErr('game.after: the second argument must be a function');
    if (number(seconds, 'game.after: seconds') < 0) throw new RangeErr('game.after: seconds must not be negative');
    const id = nextTimer++;
    mapSet(timers, id, { fn, evidence, set: now });
    push(out.timers, { id, t: now + seconds });
    return id;
  },
  cancel(id) {
    if (mapDelete(timers, id)) push(out.cancelled, id);
  },
  note,
});
defineProperty(global, 'console', { value: freeze({ log: note, warn: note, error: note, info: note, debug: note }) });

let functions = {};
return {
  ready(found, detectors) {
    functions = found;
    known = new Map();
    const names = parse(detectors);
    if (names === null) known = null;
    else for (let i = 0; i < names.length; i++) mapSet(known, names[i], true);
  },
  begin(t, list) {
    spent = 0;
    now = setAt = t;
    current = [];
    const given = parse(list);
    for (let i = 0; i < given.length; i++) {
      const cue = cueOf(given[i]);
      push(current, cue);
      push(recent, cue);
      mapSet(changedAt, cue.detector, cue.t);
      if (cue.trigger === 'lost') {
        mapDelete(accepted, cue.detector);
      } else {
        mapSet(accepted, cue.detector, cue.value);
        mapSet(lastValue, cue.detector, cue.value);
      }
    }
    let first = 0;
    while (first < recent.length && (recent[first].t < now - 60 || recent.length - first > 500)) first++;
    if (first > 0) {
      const kept = [];
      for (let i = first; i < recent.length; i++) push(kept, recent[i]);
      recent = kept;
    }
    evidence = [];
  },
  onCue(index) {
    spent = 0;
    const cue = current[index];
    evidence = [weakGet(sources, cue)];
    return said(functions.onCue(cue, game));
  },
  onCues() {
    spent = 0;
    evidence = sourcesOf(current);
    const given = [];
    for (let i = 0; i < current.length; i++) push(given, current[i]);
    return said(functions.onCues(given, game));
  },
  timer(id, t) {
    spent = 0;
    const timer = mapGet(timers, id);
    if (timer === undefined) return '';
    mapDelete(timers, id);
    now = t;
    evidence = timer.evidence;
    setAt = timer.set;
    return said((0, timer.fn)(game));
  },
  onEnd(t) {
    spent = 0;
    now = setAt = t;
    evidence = [];
    return said(functions.onEnd(game));
  },
  drain() {
    spent = 0;
    return said();
  },
  state() {
    spent = 0;
    return stringify(game.state) ?? '';
  },
};
})()`;
