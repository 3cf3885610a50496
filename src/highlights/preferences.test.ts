import { describe, expect, it } from 'vitest';
import type { EventLine } from '../events/log.ts';
import type { Scene } from './list.ts';
import { learnPreferences, noPreferences, preferenceFactors } from './preferences.ts';

function event(weapon: string): EventLine {
  const statement = { subject: 'player', action: 'kill', object: 'opponent', with: weapon };
  return {
    type: 'event',
    id: weapon,
    t: 1,
    end: 1,
    game: 'g',
    session: 's',
    text: '',
    statement,
    confidence: 1,
    cues: [],
  };
}

function scene(start: number, weapon: string): Scene {
  const events = [{ event: event(weapon), score: 1, reasons: [] }];
  return { session: 's', game: 'g', source: 0, start, end: start + 4, events, score: 1, kind: 'kill', because: '' };
}

describe('preferences', () => {
  const offered = [scene(0, 'railgun'), scene(10, 'shotgun'), scene(20, 'railgun'), scene(30, 'shotgun')];
  // Of one shotgun scene a second is left, which is less than half.
  const kept = [offered[0]!, offered[2]!, { session: 's', start: 33, end: 34 }, { ...offered[1]!, session: 'other' }];
  const learned = learnPreferences(noPreferences, offered, kept);

  it('count what was offered and kept, by word', () => {
    expect(learned.words).toEqual({
      kill: { offered: 4, kept: 2 },
      opponent: { offered: 4, kept: 2 },
      railgun: { offered: 2, kept: 2 },
      shotgun: { offered: 2, kept: 0 },
    });
    expect(learnPreferences(learned, [offered[0]!], []).words['railgun']).toEqual({ offered: 3, kept: 2 });
  });

  it('raise and lower the score of events, and say why', () => {
    const factors = preferenceFactors(learned);
    const [[railgun], [shotgun]] = [factors(0, event('railgun')), factors(0, event('shotgun'))];
    // Half of all is kept: (2 + 3 / 2) / (2 + 3) / 0.5 and (3 / 2) / 5 / 0.5.
    expect(railgun!.value).toBeCloseTo(1.4, 9);
    expect(shotgun!.value).toBeCloseTo(0.6, 9);
    expect(shotgun!.text).toBe('you kept 0 of 2 with “shotgun”');
    expect(factors(0, event('constructor'))).toEqual([]);
    expect(preferenceFactors(noPreferences)(0, event('railgun'))).toEqual([]);
  });
});
