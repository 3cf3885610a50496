import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { FeedLexicon, type PhraseMatch, type Rivals } from './lexicon.ts';

const open = (
  more: object = {},
  canon: (char: string) => string = (char) => (char === 'I' ? 'l' : char),
): FeedLexicon =>
  new FeedLexicon(
    JSON.stringify({
      format: 'playbyplay/lexicon/1',
      speaker: ': ',
      phrases: [
        {
          text: '{victim} was railed by {killer}',
          event: 'kill',
          with: 'railgun',
        },
        { text: '{victim} was caught by {killer}', event: 'kill' },
        {
          text: '{victim} tripped on (his|her|its) own grenade.',
          event: 'suicide',
        },
      ],
      ...more,
    }),
    'test',
    canon,
  );

/** The line as understood with what the lexicon has learned. */
function matchLine(lexicon: FeedLexicon, line: string, rivals?: Rivals): PhraseMatch | undefined {
  const parsed = lexicon.parse(line);
  return parsed && lexicon.resolve(parsed, rivals);
}

/** Rivals of one column. */
const rival = (column: number, char: string, share: number) => (at: number) =>
  new Map(at === column ? [[char, share]] : []);

describe('FeedLexicon', () => {
  it('finds the phrase and its slots, alternatives too', () => {
    expect(matchLine(open(), 'Tony was railed by Neko')).toMatchObject({
      entry: { with: 'railgun' },
      slots: { victim: 'Tony', killer: 'Neko' },
      errorShare: 0,
    });
    expect(matchLine(open(), 'Liz tripped on her own grenade')).toMatchObject({
      slots: { victim: 'Liz' },
      errorShare: 0,
    });
    expect(matchLine(open(), 'Liz tripped on her own grenade.')).toMatchObject({
      slots: { victim: 'Liz' },
      text: 'Liz tripped on her own grenade.',
    });
  });

  it('matches lookalike letters and corrects single errors', () => {
    expect(matchLine(open(), 'Neko was raiIed by Tony')).toMatchObject({
      text: 'Neko was railed by Tony',
      errorShare: 0,
    });
    const slip = matchLine(open(), 'Neko was roiled by Tony');
    expect(slip?.text).toBe('Neko was railed by Tony');
    // One of the 15 literal characters of " was railed by ".
    expect(slip?.errorShare).toBeCloseTo(1 / 15);
  });

  it('does not take what somebody says for an event', () => {
    expect(matchLine(open(), 'Tony: I was railed by Neko')).toBeUndefined();
    expect(matchLine(open(), 'Neko is on a killing spree with 5 kills')).toBeUndefined();
  });

  it('takes the known name for one that is a near tie away', () => {
    const lexicon = open({ names: ['Penguin'] });
    const near = matchLine(lexicon, 'Ponguin was railed by Neko', rival(1, 'e', 0.95));
    expect(near).toMatchObject({
      slots: { victim: 'Penguin' },
      doubtful: false,
    });
    const clear = matchLine(lexicon, 'Ponguin was railed by Neko', rival(1, 'e', 0.5));
    expect(clear).toMatchObject({ slots: { victim: 'Ponguin' } });
  });

  it('keeps names apart that differ in a clear character, however often one was seen', () => {
    const lexicon = open();
    for (let i = 0; i < 5; i++) lexicon.learn(matchLine(lexicon, 'Player1 was railed by Neko')!);
    expect(matchLine(lexicon, 'Player2 was railed by Neko', rival(6, '1', 0.4))?.slots['victim']).toBe('Player2');
    expect(matchLine(lexicon, 'Player2 was railed by Neko', rival(6, '1', 0.8))?.slots['victim']).toBe('Player1');
  });

  it('is in doubt about an unknown name with a near tie, until it is known', () => {
    const lexicon = open();
    const line = 'Ponguin was railed by Neko';
    expect(matchLine(lexicon, line, rival(1, 'e', 0.95))?.doubtful).toBe(true);
    lexicon.learnSpeaker('Penguin: Life goes on.');
    expect(matchLine(lexicon, line, rival(1, 'e', 0.95))).toMatchObject({
      slots: { victim: 'Penguin' },
      doubtful: false,
    });
  });

  it.each([
    ['Liz suicides.', 'suicide', { victim: 'Liz' }],
    ['Liz killed herself.', 'suicide', { victim: 'Liz' }],
    ['Liz was killed by TEAMMATE Tony', 'kill', { victim: 'Liz', killer: 'Tony' }],
    ['Liz was given a acid bath by Tony', 'kill', { victim: 'Liz', killer: 'Tony' }],
    ["Liz was crushed in Tony's trap", 'kill', { victim: 'Liz', killer: 'Tony' }],
    ['Player was 1 was railed by ate', 'kill', { victim: 'Player was 1', killer: 'ate' }],
    ["Bob's ate A's B's rocket", 'kill', { victim: "Bob's", killer: "A's B" }],
  ] as const)('understands what OpenArena says: %s', (text, event, slots) => {
    const file = readFileSync(new URL('../../../configs/openarena/feed.json', import.meta.url), 'utf8');
    const match = matchLine(new FeedLexicon(file, 'feed.json', (char) => char), text);
    expect(match).toMatchObject({ entry: { event }, slots, errorShare: 0 });
  });
});
