import { expect, it } from 'vitest';
import { loadBuiltin } from '../dictionary/files.ts';
import { findRuleIssues } from './words.ts';

it('finds unknown words of fusion rules in a profile that is wrong elsewhere', async () => {
  const { dictionary } = await loadBuiltin([]);
  const rules = [
    { property: ['health'] },
    null,
    { action: 'kil', window: 1 },
    { property: 'health', off: true },
    'kill',
  ];
  expect(findRuleIssues({ fusion: { rules } }, 'game.json', dictionary)).toMatchObject([
    { code: 'unknown-word', path: 'game.json#/fusion/rules/2/action', hint: expect.stringContaining('kill') as string },
  ]);
  for (const profile of [{ fusion: false }, { fusion: { rules: { action: 'kil' } } }, { fusion: 'kil' }, {}, null])
    expect(findRuleIssues(profile, 'game.json', dictionary)).toEqual([]);
});
