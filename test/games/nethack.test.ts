import { expect, test } from 'vitest';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import { type CueTuple, runScript } from '../fixtures/scripts.ts';

const statusOf = (t: number, figures: string, previous?: string): CueTuple => [
  t,
  'status',
  previous === undefined ? 'found' : 'changed',
  figures,
  previous,
];

test('nethack: changed numbers and each sentence of the top line are reported once a turn', async () => {
  const [a, b, c] = [4, 5, 6].map((turn) => `Dlvl:1 $:0 HP:${20 - turn}(16) Pw:2(2) AC:6 Xp:1/0 T:${turn}`);
  const { dictionary } = await loadBuiltin(['nethack']);
  const events = await runScript('nethack', [
    statusOf(0, a!),
    [1, 'message', 'found', 'You miss the giant rat.  The giant rat bites!'],
    statusOf(1.1, b!, a),
    statusOf(2, c!, b),
    [3, 'message', 'changed', 'You kill the giant rat!--More--', 'You miss the giant rat.  The giant rat bites!'],
    [4, 'message', 'changed', 'You die...', 'You kill the giant rat!--More--'],
  ]);
  expect(events.map(({ t, statement }) => `${t} ${render(statement, dictionary)}`)).toEqual([
    '1 player misses opponent "giant rat"',
    '1 opponent "giant rat" hits player',
    "1.1 player's health drops from 16 to 15",
    "2 player's health drops from 15 to 14",
    '2 player misses opponent "giant rat"',
    '2 opponent "giant rat" hits player',
    '3 player kills opponent "giant rat"',
    '4 player dies',
  ]);
});
