import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { makeCaptions, srt, webvtt, youtubeChapters } from './captions.ts';

const happenings = fc.array(
  fc.record({
    t: fc.integer({ min: 0, max: 60_000 }).map((ms) => ms / 1000),
    text: fc.string({ minLength: 1, maxLength: 60 }),
  }),
  { maxLength: 25 },
);

describe('makeCaptions', () => {
  it('never overlaps captions and shows every event', () => {
    fc.assert(
      fc.property(happenings, (events) => {
        const captions = makeCaptions(events, { lines: 100 });
        for (const [index, { start, end }] of captions.entries()) {
          expect(end).toBeGreaterThan(start);
          expect(start).toBeGreaterThanOrEqual(captions[index - 1]?.end ?? 0);
        }
        for (const { t, text } of events) {
          const shown = captions.find(
            ({ start, end, lines }) => start <= t && t < Math.max(end, start + 0.25) && lines.includes(text),
          );
          expect(shown).toBeDefined();
        }
      }),
    );
  });

  it('shows a caption as long as it takes to read', () => {
    // 34 characters at 17 a second.
    expect(makeCaptions([{ t: 3, text: 'player kills opponent with railgun' }])).toEqual([
      { start: 3, end: 5, lines: ['player kills opponent with railgun'] },
    ]);
  });

  it('adds an event below one that is still being read', () => {
    const captions = makeCaptions([
      { t: 1, text: 'player kills opponent with railgun' },
      { t: 2, text: 'player dies' },
    ]);
    expect(captions).toEqual([
      { start: 1, end: 2, lines: ['player kills opponent with railgun'] },
      { start: 2, end: 3.2, lines: ['player kills opponent with railgun', 'player dies'] },
    ]);
  });
});

describe('webvtt and srt', () => {
  const captions = [{ start: 3.0004, end: 3661.25, lines: ['a < b --> c', '"Ж"'] }];

  it('writes WebVTT with its escapes', () => {
    expect(webvtt(captions)).toBe('WEBVTT\n\n1\n00:00:03.000 --> 01:01:01.250\na &lt; b --&gt; c\n"Ж"\n');
  });

  it('writes SubRip with its commas and line ends', () => {
    expect(srt(captions)).toBe('1\r\n00:00:03,000 --> 01:01:01,250\r\na ‹ b → c\r\n"Ж"\r\n');
  });
});

function at(...starts: number[]) {
  return starts.map((start, i) => ({ start, end: start + 1, title: `scene ${i + 1}` }));
}

describe('youtubeChapters', () => {
  it('starts at 0:00 and merges chapters shorter than ten seconds', () => {
    const { text } = youtubeChapters(at(0, 6, 14.5, 30, 44), 50);
    // 6 belongs to 0; 44 would last 6 s, so it belongs to 30.
    expect(text).toBe('0:00 scene 1 (+1)\n0:14 scene 3\n0:30 scene 4 (+1)\n');
  });

  it('writes hours in long videos and adds a start chapter', () => {
    const { text } = youtubeChapters(at(100, 200, 3700), 4000);
    expect(text).toBe('0:00:00 Start\n0:01:40 scene 1\n0:03:20 scene 2\n1:01:40 scene 3\n');
  });

  it('returns an issue if there are fewer than three chapters', () => {
    const { text, issues } = youtubeChapters(at(0, 20), 60);
    expect(text).toBe('');
    expect(issues.map(({ code }) => code)).toEqual(['too-few-chapters']);
  });

  it('obeys the rules for any scenes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 30 }), fc.nat(5200), (starts, duration) => {
        const { text } = youtubeChapters(at(...starts.filter((start) => start < duration)), duration);
        const seconds = text
          .split('\n')
          .filter(Boolean)
          .map((line) => {
            const parts = line.split(' ')[0]!.split(':').map(Number);
            return parts.reduce((sum, part) => sum * 60 + part, 0);
          });
        expect(seconds.length === 0 || seconds.length >= 3).toBe(true);
        expect(seconds[0] ?? 0).toBe(0);
        const ends = [...seconds.slice(1), ...(seconds.length > 0 ? [Math.floor(duration)] : [])];
        for (const [index, second] of seconds.entries()) expect(ends[index]! - second).toBeGreaterThanOrEqual(10);
      }),
    );
  });
});
