import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cue } from '../../cues/cue.ts';
import { FeedLexicon } from './lexicon.ts';
import type { FeedLine } from './lines.ts';
import { FeedTracker } from './tracker.ts';

const LEXICON = JSON.stringify({
  format: 'playbyplay/lexicon/1',
  speaker: ': ',
  phrases: [
    { text: '{victim} was railed by {killer}', event: 'kill' },
    { text: "{victim} almost dodged {killer}'s rocket", event: 'kill' },
  ],
});
const RULES = {
  samples: 2,
  gaps: 4,
  confidence: 0.5,
  enough: 20,
  nameWaitSeconds: 15,
  others: 'drop',
} as const;

type Shown = string | { readonly text: string; readonly rivals: FeedLine['rivals'] };

/** Samples every 0.1 s, each the lines from the top down ('' where nothing can be read); the cues they give. */
function follow(samples: readonly (readonly Shown[])[]): Cue[] {
  const tracker = new FeedTracker('feed', undefined, RULES, new FeedLexicon(LEXICON, 'test', (char) => char));
  const cues = samples.flatMap((shown, i) => {
    const lines = shown.flatMap((one, slot): FeedLine[] => {
      const { text, rivals } = typeof one === 'string' ? { text: one, rivals: undefined } : one;
      const scores = Array.from(text, (char) => (char === ' ' ? 0 : 60));
      return text === '' ? [] : [{ slot, text, scores, ...(rivals ? { rivals } : {}) }];
    });
    const observation =
      lines.length === 0
        ? ({ state: 'absent', confidence: 0.95 } as const)
        : ({
            state: 'seen',
            value: '',
            confidence: 0.95,
            detail: { lines },
          } as const);
    return tracker.push({ detector: 'feed', t: i / 10, observation });
  });
  return [...cues, ...tracker.end()].toSorted((a, b) => a.t - b.t);
}

const said = (cues: readonly Cue[]): string[] => cues.map((cue) => `${cue.t} ${cue.value as string}`);
const times = <T>(count: number, sample: T): T[] => Array.from({ length: count }, () => sample);

const A = 'Tony was railed by Neko';
const B = "Neko almost dodged Tony's rocket";

describe('FeedTracker', () => {
  it('gives one cue a line, at its first sighting, though the lines move up', () => {
    expect(said(follow([...times(10, [A]), ...times(20, [A, B]), ...times(10, [B]), ...times(6, [])]))).toEqual([
      `0 ${A}`,
      `1 ${B}`,
    ]);
  });

  it('knows a line that takes the place of one alike but for the names', () => {
    const [old, fresh] = ['Beret was railed by Skelebot', 'Grunt was railed by Jenna'];
    expect(said(follow([...times(20, [old]), ...times(10, [fresh]), ...times(6, [])]))).toEqual([
      `0 ${old}`,
      `2 ${fresh}`,
    ]);
  });

  it('does not start a line again that scenery covers for some samples', () => {
    const covered = 'Tony was ra   q    #';
    const glimpse = '          a # ra    b';
    const samples = [
      ...times(6, [A]),
      [covered],
      ...times(4, [A]),
      [glimpse, '       #     ##   * A'],
      ...times(18, [A]),
    ];
    expect(said(follow([...samples, ...times(6, [])]))).toEqual([`0 ${A}`]);
  });

  it('follows a line through which the one before still shines after a shift', () => {
    const first = "Major almost dodged Grunt's rocket";
    const second = "Gargo almost dodged Kyons's rocket";
    const ghost = "Mrrgo almost dodgnd Grons's ricket";
    const samples = [...times(10, [first, second]), ...times(3, [ghost]), ...times(15, [second])];
    expect(said(follow([...samples, ...times(6, [])])).map((text) => text.slice(0, 9))).toEqual([
      '0 Major a',
      '0 Gargo a',
    ]);
  });

  it('counts two kills that read the same when both stand there', () => {
    const samples = [...times(10, [A]), ...times(20, [A, A]), ...times(10, [A]), ...times(6, [])];
    expect(said(follow(samples))).toEqual([`0 ${A}`, `1 ${A}`]);
  });

  it('counts the same kill again once the first line is gone', () => {
    expect(said(follow([...times(30, [A]), ...times(8, []), ...times(30, [A]), ...times(6, [])]))).toEqual([
      `0 ${A}`,
      `3.8 ${A}`,
    ]);
  });

  it('tells a line from one that stood there shortly before and differs in the names alone', () => {
    const samples = [
      ...times(30, ['Sarge was railed by Major']),
      ...times(2, []),
      ...times(30, ['Major was railed by Kyonshi']),
    ];
    expect(said(follow([...samples, ...times(6, [])]))).toEqual([
      '0 Sarge was railed by Major',
      '3.2 Major was railed by Kyonshi',
    ]);
  });

  it('corrects an uncertain name by a later chat line of that player', () => {
    const doubtful = {
      text: 'Ponguin was railed by Neko',
      rivals: [[1, 'e', 58]] as const,
    };
    const clear = 'Penguin: Life goes on, then you die.';
    const samples = [...times(20, [doubtful]), ...times(10, []), ...times(20, [clear]), ...times(6, [])];
    expect(said(follow(samples))).toEqual(['0 Penguin was railed by Neko']);
  });

  it('keeps an uncertain name without further evidence, and marks it as tentative', () => {
    const doubtful = {
      text: 'Ponguin was railed by Neko',
      rivals: [[1, 'e', 58]] as const,
    };
    const cues = follow([...times(20, [doubtful]), ...times(300, [])]);
    expect(said(cues)).toEqual(['0 Ponguin was railed by Neko']);
    expect(cues[0]?.tentative).toBe(true);
  });

  it('marks a name that one line shows and that is almost another player’s', () => {
    const kills = ['Grism was railed by Neko', 'Grism was railed by Tony', 'Grlsn was railed by Neko'];
    const cues = follow(kills.flatMap((line) => [...times(30, [line]), ...times(8, [])]));
    expect(cues.map(({ value, tentative }) => [value, tentative])).toEqual([
      [kills[0], undefined],
      [kills[1], undefined],
      [kills[2], true],
    ]);
  });

  it('corrects the first sighting of a name by those that follow', () => {
    const first = { text: 'Mlrabel was railed by Neko', rivals: [[1, 'i', 26]] as const };
    const later = 'Mirabel was railed by Neko';
    const shown = [first, later, later, later].flatMap((line) => [...times(20, [line]), ...times(8, [])]);
    expect(said(follow([...shown, ...times(300, [])]))).toEqual([0, 2.8, 5.6, 8.4].map((t) => `${t} ${later}`));
  });

  it('begins a line when its characters appear, though compression shows them clearly only later', () => {
    const blurred = '  ny w s ra l   hy N kc';
    expect(said(follow([...times(8, [blurred]), ...times(20, [A]), ...times(6, [])]))).toEqual([`0 ${A}`]);
  });

  it('reports a line once that moves down as another appears above it', () => {
    const chat = 'Neko: good game, all of you';
    expect(said(follow([...times(10, [A]), ...times(10, [chat, A]), ...times(6, [])]))).toEqual([`0 ${A}`]);
  });

  it('does not begin a line again after a second of blurred characters in its place', () => {
    const blurred = 'M  y o as    n h Mcke ra';
    expect(said(follow([...times(5, [A]), ...times(10, [blurred]), ...times(10, [A]), ...times(6, [])]))).toEqual([
      `0 ${A}`,
    ]);
  });

  it('gives every line of any feed once, whatever is covered for up to three samples', () => {
    const names = ['Ann', 'Bartholomew', 'Cy', 'Drusilla', 'Edgar'];
    const pair = fc.tuple(
      fc.integer({ min: 0, max: 4 }),
      fc.integer({ min: 0, max: 4 }),
      fc.integer({ min: 4, max: 15 }),
    );
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 2 }), (kills, cover) => {
        // Each line stands for 3 s, below those that came before; after ten samples `cover` samples show nothing.
        let start = 0;
        const lines = kills.map(([victim, killer, wait], i) => {
          if (i > 0) start += wait;
          return {
            start,
            text: `${names[victim]} was railed by ${names[killer]}`,
          };
        });
        // A line that comes the moment one that reads the same goes cannot be seen to be another.
        fc.pre(!lines.some((a) => lines.some((b) => a.text === b.text && Math.abs(b.start - a.start - 30) < 4)));
        const samples = Array.from({ length: start + 40 }, (_, i) =>
          i % 12 > 9 && i % 12 < 10 + cover && !lines.some((line) => Math.abs(line.start - i) < 3)
            ? []
            : lines.filter((line) => i >= line.start && i < line.start + 30).map((line) => line.text),
        );
        expect(said(follow(samples))).toEqual(lines.map((line) => `${line.start / 10} ${line.text}`));
      }),
      { numRuns: 60 },
    );
  });
});
