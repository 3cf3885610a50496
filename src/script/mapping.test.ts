import { describe, expect, it } from 'vitest';
import type { Cue } from '../cues/cue.ts';
import type { EventMapping } from '../profile/profile.ts';
import { compileMappings, type MappedCue } from './mapping.ts';

const cue: Cue = { t: 2, detector: 'score', trigger: 'changed', value: 12, previous: 10, confidence: 0.9, detail: {} };

function map(mapping: Partial<EventMapping['on']>, statement: EventMapping['statement'], one: Cue = cue): MappedCue {
  return compileMappings([{ on: { detector: 'score', trigger: 'changed', ...mapping }, statement }])(one);
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
