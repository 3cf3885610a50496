import { describe, expect, it } from 'vitest';
import { openGame } from '../game.ts';
import { adaptiveRules, betweenRules, probeRules } from './rules.ts';

/** Seconds between keyframes as encoders for streams and games put them. */
const KEYFRAMES = 2;

describe('rules of probes', () => {
  it.each(['freedoom', 'openarena'])('let the adaptive plan leave out groups between keyframes of %s', async (game) => {
    const { profile } = await openGame(game);
    const rules = await probeRules(profile);
    const names = Object.keys(profile.detectors);
    // One detector that does not persist so long makes every group be read.
    expect(names.filter((_, d) => rules[d]!.persists <= KEYFRAMES)).toEqual([]);
  });

  it('let a profile be read sample by sample in which something may change from one sample to the next', async () => {
    const { profile } = await openGame('freedoom');
    expect(await adaptiveRules(profile)).toHaveLength(Object.keys(profile.detectors).length);
    const { persists: _, ...health } = profile.detectors['health']!;
    expect(await adaptiveRules({ ...profile, detectors: { ...profile.detectors, health } })).toBeUndefined();
    expect(await adaptiveRules((await openGame('hedgewars')).profile)).toBeUndefined();
  });

  it('let samples of the figures wait that are sampled twice as often as the rest', async () => {
    const { profile } = await openGame('openarena');
    const rules = await betweenRules(profile);
    const names = Object.keys(profile.detectors);
    expect(names.filter((_, d) => rules?.often[d] === 1)).toEqual(['health', 'armor', 'ammunition']);
    expect(await betweenRules((await openGame('freedoom')).profile)).toBeUndefined();
  });
});
