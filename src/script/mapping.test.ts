import { describe, expect, it } from 'vitest';
import type { Cue } from '../cues/cue.ts';
import type { CueValue } from '../events/log.ts';
import type { EventMapping } from '../profile/profile.ts';
import { compileMappings, type MappedCue } from './mapping.ts';

const cue: Cue = { t: 2, detector: 'score', trigger: 'changed', value: 12, previous: 10, confidence: 0.9, detail: {} };

function map(mapping: Partial<EventMapping['on']>, statement: EventMapping['statement'], one: Cue = cue): MappedCue {
  return compileMappings([{ on: { detector: 'score', trigger: 'changed', ...mapping }, statement }]).take(one);
}

describe('compileMappings', () => {
  it('fills placeholders: a whole one keeps its type, one within a text becomes text', () => {
    const { statements } = map(
      {},
      { subject: { word: 'opponent', name: 'Nr. $value' }, property: 'score', from: '$previous', to: '$value' },
    );
    expect(statements).toEqual([
      {
        t: 2,
        end: 2,
        statement: { subject: { word: 'opponent', name: 'Nr. 12' }, property: 'score', from: 10, to: 12 },
        confidence: 0.9,
        cues: [{ detector: 'score', t: 2, trigger: 'changed', value: 12, previous: 10, confidence: 0.9 }],
      },
    ]);
  });

  it('omits empty slots', () => {
    const found: Cue = { t: 1, detector: 'score', trigger: 'found', value: 'ab', confidence: 1 };
    const { statements } = map(
      { trigger: 'found', match: '^(a)(c)?' },
      { action: 'x', object: '$1', with: '$2', from: '$previous' },
      found,
    );
    expect(statements[0]?.statement).toEqual({ action: 'x', object: 'a' });
  });

  it('asks for detector, trigger, match and direction', () => {
    const statement = { action: 'x' };
    expect(map({}, statement).statements).toHaveLength(1);
    expect(map({ detector: 'other' }, statement).statements).toEqual([]);
    expect(map({ trigger: 'lost' }, statement).statements).toEqual([]);
    expect(map({ change: 'rise' }, statement).statements).toHaveLength(1);
    expect(map({ change: 'fall' }, statement).statements).toEqual([]);
    expect(map({ match: '^1' }, statement).statements).toHaveLength(1);
    expect(map({ match: '^2' }, statement).statements).toEqual([]);
    const lost: Cue = { t: 1, detector: 'score', trigger: 'lost', previous: 'gone', confidence: 1 };
    expect(
      map({ trigger: 'lost', match: 'gone' }, { action: 'x', object: '$previous' }, lost).statements[0]?.statement,
    ).toEqual({ action: 'x', object: 'gone' });
  });

  it('reports what is wrong with an invalid statement', () => {
    const { statements, problems } = map({}, { subject: '$value', property: 'score', to: 1 });
    expect(statements).toEqual([]);
    expect(problems).toEqual([
      {
        code: 'mapping-statement',
        path: '#/events/0/statement/subject',
        message: '"subject" must be a string or an object, not 12 (2 s, on score)',
      },
    ]);
  });
});

/** Runs one mapping on a detector's readings over time; returns what it says, as `time: text`. */
function run(
  mapping: Partial<EventMapping>,
  readings: readonly (readonly [t: number, value: CueValue | undefined])[],
  end = 100,
): readonly string[] {
  const { on, ...rest } = mapping;
  const mappings = compileMappings([
    { on: { detector: 'x', trigger: 'changed', ...on }, statement: { action: 'see $value' }, ...rest },
  ]);
  let previous: CueValue | undefined;
  const made = readings.flatMap(([t, value]) => {
    const trigger = value === undefined ? 'lost' : previous === undefined ? 'found' : 'changed';
    const one: Cue = {
      t,
      detector: 'x',
      trigger,
      confidence: 1,
      ...(value === undefined ? {} : { value }),
      ...(previous === undefined ? {} : { previous }),
    };
    previous = value;
    return [...mappings.advance(t).statements, ...mappings.take(one).statements];
  });
  return [...made, ...mappings.end(end).statements].map(
    ({ t, statement }) => `${t}: ${'action' in statement ? statement.action.replace('see ', '') : ''}`,
  );
}

describe('declarative rules', () => {
  it('names the steps of a counter by how much it changes', () => {
    const readings = [
      [1, 0],
      [2, 1],
      [3, 11],
      [4, 10],
      [5, 12],
    ] as const;
    const on = { detector: 'x', trigger: 'changed' } as const;
    expect(run({ on: { ...on, by: 1 }, statement: { action: 'coin' } }, readings)).toEqual(['2: coin', '4: coin']);
    expect(run({ on: { ...on, by: 1, change: 'rise' }, statement: { action: 'coin' } }, readings)).toEqual(['2: coin']);
    expect(run({ on: { ...on, by: { min: 2 } }, statement: { action: 'by $change' } }, readings)).toEqual([
      '3: by 10',
      '5: by 2',
    ]);
  });

  it('recognises the last lap by its two numbers', () => {
    const on = { detector: 'x', trigger: 'changed', match: String.raw`(\d+)/(\d+)`, final: true } as const;
    expect(
      run({ on, statement: { action: 'lap $1' } }, [
        [1, '1/3'],
        [2, '2/3'],
        [3, '3/3'],
      ]),
    ).toEqual(['3: lap 3']);
  });

  it('crosses a threshold once, until the number is back beyond the other', () => {
    const readings = [
      [1, 100],
      [2, 24],
      [3, 26],
      [4, 20],
      [5, 30],
      [6, 25],
      [7, 24.5],
    ] as const;
    const on = { detector: 'x', trigger: 'changed' } as const;
    expect(run({ on: { ...on, crosses: { below: 25, until: 30 } } }, readings)).toEqual(['2: 24', '7: 24.5']);
    expect(run({ on: { ...on, crosses: { below: 25 } } }, readings)).toEqual(['2: 24', '4: 20', '7: 24.5']);
    expect(run({ on: { ...on, crosses: { above: 26, until: 25 } } }, readings)).toEqual(['5: 30']);
  });

  it('leaves out what was there from the beginning', () => {
    const found: Cue = { t: 9, detector: 'score', trigger: 'found', value: 60, confidence: 1 };
    const on = { trigger: 'found', initial: false } as const;
    expect(map(on, { action: 'halt' }, found).statements).toHaveLength(1);
    expect(map(on, { action: 'halt' }, { ...found, t: 0, first: true }).statements).toEqual([]);
  });

  it('waits for what must last, and says when it began', () => {
    const readings = [
      [1, 'a'],
      [2, 'b'],
      [2.5, 'c'],
      [9, 'd'],
    ] as const;
    expect(run({ lasts: 2 }, readings)).toEqual(['2.5: c', '9: d']);
    // The recording ends before it has lasted.
    expect(run({ lasts: 2 }, readings, 10)).toEqual(['2.5: c']);
    const gone = { on: { detector: 'x', trigger: 'lost' }, statement: { action: 'finish' }, lasts: 'end' } as const;
    expect(
      run(gone, [
        [1, 'a'],
        [2, undefined],
        [3, 'a'],
        [7, undefined],
      ]),
    ).toEqual(['7: finish']);
    expect(
      run(gone, [
        [1, 'a'],
        [2, undefined],
        [3, 'a'],
      ]),
    ).toEqual([]);
  });

  it('says nothing later than it may still be said', () => {
    const mappings = compileMappings([
      { on: { detector: 'x', trigger: 'found' }, statement: { action: 'y' }, lasts: 2 },
    ]);
    mappings.take({ t: 4, detector: 'x', trigger: 'found', value: 1, confidence: 1 });
    expect(mappings.pendingSince).toBe(4);
    expect(mappings.advance(5.9).statements).toEqual([]);
    expect(mappings.advance(6).statements).toHaveLength(1);
    expect(mappings.pendingSince).toBe(Number.POSITIVE_INFINITY);
  });

  it('says the same once in a while', () => {
    const readings = [
      [1, 'a'],
      [2, 'b'],
      [3, 'a'],
      [4, 'b'],
      [13, 'b.'],
      [14, 'b'],
    ] as const;
    expect(run({ once: 10 }, readings)).toEqual(['2: b', '3: a', '13: b.', '14: b']);
  });

  it('counts streaks', () => {
    const readings = [0, 1, 3, 5, 20, 21, 22, 23].map((t, i) => [t, i] as const);
    expect(run({ streak: { count: 3, within: 2.5 }, statement: { action: '$count in a row' } }, readings)).toEqual([
      '5: 3 in a row',
      '22: 3 in a row',
      '23: 4 in a row',
    ]);
  });

  it('names the row that another detector reads', () => {
    const mappings = compileMappings([
      {
        on: { detector: 'points', trigger: 'changed' },
        statement: { subject: { word: 'opponent', name: '$(name)' }, action: 'score' },
      },
    ]);
    const points = { detector: 'points', trigger: 'changed', value: 4, previous: 3, confidence: 1 } as const;
    mappings.take({ t: 1, detector: 'name', trigger: 'found', value: 'Sarge', confidence: 1 });
    const [made] = mappings.take({ t: 2, ...points }).statements;
    expect(made?.statement).toEqual({ subject: { word: 'opponent', name: 'Sarge' }, action: 'score' });
  });
});
