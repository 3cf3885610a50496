import { describe, expect, it } from 'vitest';
import type { Cue } from '../cues/cue.ts';
import { PlaybyplayError } from '../errors.ts';
import { openScript, type GameScript, type ScriptOutput } from './script.ts';

const NAME = 'game.js';

function open(source: string, detectors?: readonly string[]): Promise<GameScript> {
  return openScript({ source, name: NAME, ...(detectors === undefined ? {} : { detectors }) });
}

function cue(t: number, detector: string, value: Cue['value'], rest: Partial<Cue> = {}): Cue {
  return { t, detector, trigger: 'changed', confidence: 0.9, ...(value === undefined ? {} : { value }), ...rest };
}

function say({ statements }: ScriptOutput): string[] {
  return statements.map(({ t, statement }) => `${t} ${JSON.stringify(Object.values(statement))}`);
}

const broken = async (source: string): Promise<string> => {
  const error = await open(source).catch((thrown: unknown) => thrown);
  if (!(error instanceof PlaybyplayError)) throw new TypeError('loaded');
  return `${error.code} ${error.issues[0]!.path} ${error.issues[0]!.code}`;
};

describe('openScript', () => {
  it('turns cues into statements, with the cue as evidence', async () => {
    using script = await open(`
      function onCue(cue, game) {
        game.emit({ subject: 'player', property: cue.detector, from: cue.previous, to: cue.value });
      }`);
    const given = cue(15, 'health', 62, { previous: 87, detail: { raw: 1 } });
    expect(script.onCues(15, [given]).statements).toEqual([
      {
        t: 15,
        end: 15,
        statement: { subject: 'player', property: 'health', from: 87, to: 62 },
        confidence: 0.9,
        cues: [{ detector: 'health', t: 15, trigger: 'changed', value: 62, previous: 87, confidence: 0.9 }],
      },
    ]);
  });

  it('passes every cue of a time alone, then all together, with the readings of that time', async () => {
    using script = await open(`
      function onCue(cue, game) { game.note(cue.detector, game.reading('health'), game.reading('ammo') ?? null); }
      function onCues(cues, game) { game.note(cues.length, game.t); }
      function onEnd(game) { game.note('end', game.t, game.last('health'), game.reading('health') ?? 'none', game.since('health')); }`);
    const first = script.onCues(1, [
      cue(1, 'health', 100, { trigger: 'found' }),
      cue(1, 'ammo', 50, { trigger: 'found' }),
    ]);
    const lost: Cue = { t: 2, detector: 'health', trigger: 'lost', previous: 100, confidence: 0.8 };
    script.onCues(2, [lost]);
    const notes = [...first.notes, ...script.end(9).notes].map(({ text }) => text);
    expect(notes).toEqual(['health 100 50', 'ammo 100 50', '2 1', 'end 9 100 none 2']);
  });

  it('shows the state that the script keeps, unless it cannot be written as JSON', async () => {
    using script = await open(`function onCue(cue, game) {
      game.state[cue.detector] = cue.value;
      if (cue.value === 'loop') game.state.self = game.state;
    }`);
    expect(script.readState()).toBe('{}');
    script.onCues(1, [cue(1, 'health', 62)]);
    expect(script.readState()).toBe('{"health":62}');
    script.onCues(2, [cue(2, 'health', 'loop')]);
    expect(script.readState()).toBeUndefined();
    // Looking at it does no harm.
    expect(script.onCues(3, [cue(3, 'health', 1)]).problems).toEqual([]);
  });

  it('keeps state between calls and never shares it with another script', async () => {
    const source = `let n = 0; function onCue(cue, game) { game.state.n = (game.state.n ?? 0) + 1; game.note(++n, game.state.n); }`;
    using one = await open(source);
    using other = await open(source);
    one.onCues(1, [cue(1, 'a', 1)]);
    expect(one.onCues(2, [cue(2, 'a', 2)]).notes[0]?.text).toBe('2 2');
    expect(other.onCues(1, [cue(1, 'a', 1)]).notes[0]?.text).toBe('1 1');
  });

  it('runs timers in sample time, before later cues and after those of their own time', async () => {
    using script = await open(`
      function onCue(cue, game) {
        if (cue.detector !== 'message') return;
        const t = game.t;
        game.after(0.3, (g) => g.emit({ action: g.recent(0.3, 'ammo').length > 0 ? 'obtain' : 'see', amount: g.t }, { t }));
      }`);
    script.onCues(1, [cue(1, 'message', 'clip')]);
    expect(say(script.onCues(1.3, [cue(1.3, 'ammo', 60)]))).toEqual(['1 ["obtain",1.3]']);
    script.onCues(2, [cue(2, 'message', 'clip')]);
    expect(say(script.onCues(2.30001, [cue(2.30001, 'ammo', 70)]))).toEqual(['2 ["see",2.3]']);
  });

  it('produces the same statements for any batching of time', async () => {
    const source = `
      function onCue(cue, game) {
        game.after(0.25, (g) => { g.emit({ action: 'a', amount: g.t }); g.after(0.5, (h) => h.emit({ action: 'b', amount: h.t })); });
      }`;
    using coarse = await open(source);
    using fine = await open(source);
    const cues = [cue(1, 'x', 1), cue(1.5, 'x', 2), cue(4, 'x', 3)];
    const outputs = (script: GameScript, times: readonly number[]): string[] =>
      [
        ...times.map((t) =>
          script.onCues(
            t,
            cues.filter((one) => one.t === t),
          ),
        ),
        script.end(5),
      ].flatMap(say);
    const all = outputs(coarse, [1, 1.5, 4]);
    expect(all).toHaveLength(6);
    expect(outputs(fine, [0.5, 1, 1.1, 1.3, 1.5, 1.51, 1.7, 2, 2.25, 3, 4, 4.5])).toEqual(all);
  });

  it('runs waiting timers when the media ends', async () => {
    using script = await open(`function onCue(c, game) { game.after(9, (g) => g.emit({ action: 'wait' })); }`);
    script.onCues(1, [cue(1, 'x', 1)]);
    expect(say(script.end(3))).toEqual(['3 ["wait"]']);
  });

  it('passes a timer its exact start time despite rounding of the delay', async () => {
    using script = await open(`
      function onCue(cue, game) {
        game.after(0.9, () => game.emit({ action: game.setAt === cue.t ? 'same' : 'other' }));
        if (game.setAt !== game.t) game.emit({ action: 'early' });
      }`);
    const times = Array.from({ length: 50 }, (_, i) => Math.round((i * 1e6) / 35) / 1e6);
    expect(times.filter((t) => t + 0.9 - 0.9 !== t)).not.toEqual([]);
    const outputs = times.map((t) => script.onCues(t, [cue(t, 'x', t)]));
    const actions = [...outputs, script.end(1.5)].flatMap(({ statements }) =>
      statements.map(({ statement }) => statement),
    );
    expect(actions).toEqual(times.map(() => ({ action: 'same' })));
  });

  it('cancels timers', async () => {
    using script = await open(`
      function onCue(cue, game) {
        if (cue.value === 1) game.state.id = game.after(1, (g) => g.emit({ action: 'wait' }));
        else game.cancel(game.state.id);
      }`);
    script.onCues(1, [cue(1, 'x', 1)]);
    script.onCues(1.5, [cue(1.5, 'x', 2)]);
    expect(script.end(3).statements).toEqual([]);
  });

  it('uses evidence and confidence of the script, by default the least confident cue', async () => {
    using script = await open(`
      function onCues(cues, game) {
        game.emit({ action: 'a' });
        game.emit({ action: 'b' }, { cues: [cues[1]], t: game.t - 1, end: game.t + 2 });
        game.emit({ action: 'c' }, { confidence: 0.5, cues: [] });
        game.emit({ action: 'd' }, { cues: [] });
      }`);
    const { statements } = script.onCues(5, [
      cue(5, 'x', 1, { confidence: 0.7 }),
      cue(5, 'y', 2, { confidence: 0.95 }),
    ]);
    expect(statements.map(({ t, end, confidence, cues }) => [t, end, confidence, cues.length])).toEqual([
      [5, 5, 0.7, 2],
      [4, 7, 0.95, 1],
      [5, 5, 0.5, 0],
      [5, 5, 1, 0],
    ]);
  });

  it('reports until when statements are settled, as far back as the script requests', async () => {
    using usual = await open('function onCue() {}');
    expect(usual.onCues(100, []).settled).toBe(90);
    using far = await open(
      `const lookback = 30; function onCue(c, game) { game.emit({ action: 'a' }, { t: game.t - 30 }); }`,
    );
    const output = far.onCues(100, [cue(100, 'x', 1)]);
    expect([output.settled, ...say(output)]).toEqual([70, '70 ["a"]']);
    expect(far.end(101).settled).toBe(Number.POSITIVE_INFINITY);
  });

  it('collects invalid statements with script, time and cue, and continues', async () => {
    using script = await open(`
      function onCue(cue, game) {
        game.emit({ subject: 'player' });
        game.emit({ action: 'a', whom: 'x' });
        game.emit({ action: 'a' }, { t: game.t + 1 });
        game.emit({ action: 'a' }, { t: game.t - 60 });
        game.emit({ action: 'a' }, { confidence: 2 });
        game.emit({ action: 'a' }, { end: 0 });
        game.emit(undefined);
        game.emit({ action: 'b' });
      }`);
    const output = script.onCues(7, [cue(7, 'health', 5)]);
    expect(say(output)).toEqual(['7 ["b"]']);
    expect(output.problems.map(({ code }) => code)).toEqual(Array(7).fill('script-statement'));
    expect(output.problems[1]!.message).toContain('an action statement has no "whom"');
    expect(output.problems[1]!.message).toContain('(7 s, on cue health changed 5)');
  });

  it('reports script, line and cue of an error, keeps earlier statements, and continues', async () => {
    using script = await open(`
      function onCue(cue, game) {
        game.emit({ action: 'a' });
        if (cue.value === 2) cue.missing.thing;
        game.emit({ action: 'b' });
      }`);
    const outputs = [1, 2, 3].map((t) => script.onCues(t, [cue(t, 'health', t)]));
    expect(outputs.map((output) => output.statements.length)).toEqual([2, 1, 2]);
    expect(outputs[1]!.problems).toEqual([
      {
        code: 'script-error',
        path: 'game.js:4',
        message: `TypeError: cannot read property 'thing' of undefined (2 s, on cue health changed 2)`,
      },
    ]);
    expect(script.problemCounts).toEqual({ 'script-error': 1 });
  });

  it('reports a repeated problem once and counts it', async () => {
    using script = await open(`function onCue(cue) { throw new Error('no') }`);
    const reported = Array.from({ length: 50 }, (_, t) => script.onCues(t, [cue(t, 'x', t)]).problems.length);
    expect(reported.reduce((a, b) => a + b)).toBe(1);
    expect(script.problemCounts).toEqual({ 'script-error': 50 });
  });

  it('names the nearest detector', async () => {
    using script = await open(`function onCue(cue, game) { game.reading('helth'); }`, ['health', 'ammo']);
    expect(script.onCues(1, [cue(1, 'ammo', 1)]).problems[0]).toMatchObject({ hint: 'Did you mean "health"?' });
  });

  it('refuses a script that cannot be loaded, with its line', async () => {
    expect(await broken('\n\nfunction (')).toBe('script-broken game.js:3 script-error');
    expect(await broken('\nthrow new Error("no")')).toBe('script-broken game.js:2 script-error');
    expect(await broken('const a = 1;\nlet b = 2n ** 64n;')).toBe('script-broken game.js:2 script-error');
    expect(await broken('while (true) {}')).toBe('script-broken game.js:1 script-budget');
    expect(await broken('import fs from "fs"')).toBe('script-broken game.js:1 script-import');
    expect(await broken('('.repeat(100_000))).toMatch(
      /^script-broken game\.js script-(?:crash|error)$|:1 script-error$/,
    );
  });

  it('reports a script without entry points', async () => {
    using script = await open('const x = 1;');
    expect(script.onCues(1, [cue(1, 'x', 1)]).problems[0]?.code).toBe('script-empty');
  });

  it('refuses moments out of order', async () => {
    using script = await open('function onCue() {}');
    script.onCues(2, []);
    expect(() => script.onCues(1, [])).toThrow(RangeError);
  });
});
