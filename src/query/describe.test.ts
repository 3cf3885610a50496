import { describe, expect, it } from 'vitest';
import { loadBuiltin } from '../dictionary/files.ts';
import { describeQuery } from './describe.ts';
import { compileQuery } from './run.ts';

const { dictionary } = await loadBuiltin();

describe('describeQuery', () => {
  // What a reader of English would expect, written before it was run.
  it.each([
    ['kills with railgun', 'anyone kills with railgun'],
    ['how many kills did I get', 'how many times player kills'],
    ['who killed me the most', 'how many times anyone kills player, by who does it, the most frequent'],
    ['my health at 0:20', "player's health at 00:20"],
    ['did I die in the first minute', 'whether player dies in the first 60 s'],
    ['my second death', 'the second time player dies'],
    ['average time between my kills', 'the average time from one to the next of: player kills'],
    ['kill followed by death within 5 s', 'anyone kills, then anyone dies, each within 5 s of the one before'],
    ['my kills per minute', 'how many times player kills per minute'],
    ['weapon when I died', "player's weapon when player dies"],
  ])('says “%s” as “%s”', (question, expected) => {
    expect(describeQuery(compileQuery(question, dictionary).query, dictionary)).toBe(expected);
  });
});
