import { expect, it } from 'vitest';
import { RowTracker } from './row-tracker.ts';

const RULES = { samples: 2, gaps: 2, confidence: 0.4, enough: 20 };

/** Follows samples half a second apart; each row is written as its texts, with the confidence of all of them. */
function follow(samples: readonly (readonly (readonly [texts: string, confidence: number])[])[]) {
  const tracker = new RowTracker('feed', 'feed', RULES);
  const cues = samples.flatMap((rows, i) =>
    tracker.push({
      detector: 'feed',
      t: i / 2,
      observation:
        rows.length === 0
          ? { state: 'absent', confidence: 1 }
          : {
              state: 'seen',
              value: '',
              confidence: 1,
              detail: {
                rows: rows.map(([texts, confidence], n) => ({
                  rect: { x: 0, y: 20 * n, width: 100, height: 16 },
                  parts: texts.split(' > ').map((text) => ({ text, confidence })),
                })),
              },
            },
    }),
  );
  return [...cues, ...tracker.end()].map(({ t, value, tentative }) => [t, value, tentative ?? false]);
}

it('reports a row once, at its first sample, while it moves down a row', () => {
  const [one, two] = [['Arlo > Sable', 0.9] as const, ['Razor > Orla', 0.9] as const];
  expect(follow([[], [one], [one], [two, one], [two, one], [two], [], [], [], []])).toEqual([
    [0.5, 'Arlo > Sable', false],
    [1.5, 'Razor > Orla', false],
  ]);
});

it('reads each name as most samples do', () => {
  const rows = ['Arlo > Sable', 'Arlo > Sabie', 'Ario > Sable', 'Arlo > Sable'].map((text) => [[text, 0.9]] as const);
  expect(follow([...rows, [], [], [], []])).toEqual([[0, 'Arlo > Sable', false]]);
});

it('reports a row with another number that takes the place of one that stood for long', () => {
  const [one, two] = [[['Player 1’s turn', 0.97]], [['Player 2’s turn', 0.97]]] as const;
  expect(follow([...Array(8).fill(one), two, two, two, [], [], [], []])).toEqual([
    [0, 'Player 1’s turn', false],
    [4, 'Player 2’s turn', false],
  ]);
});

it('reports a countdown once', () => {
  const rows = [5, 5, 4, 4, 3, 3, 2, 2, 1, 1].map((seconds) => [[`Respawn in ${seconds}`, 0.97]] as const);
  expect(follow([...rows, [], [], [], []])).toHaveLength(1);
});

it('keeps a space that most samples overlook', () => {
  const rows = ['NIGHTFALLS', 'NIGHT FALLS', 'NIGHTFALLS'].map((text) => [[text, 0.9]] as const);
  expect(follow([...rows, [], [], [], []])).toEqual([[0, 'NIGHT FALLS', false]]);
});

it('reads all parts where some samples overlook one', () => {
  const samples = [[['Arlo > Sable', 0.9]], [['Arlo Sable', 0.9]], [['Arlo > Sable', 0.9]]] as const;
  expect(follow([...samples, [], [], [], []])).toEqual([[0, 'Arlo > Sable', false]]);
});

it('spells a name as the rows before did', () => {
  const [first, second] = [['Kowalski > Sable', 0.95] as const, ['Kowaiski > Orla', 0.7] as const];
  expect(follow([[first], [first], [first], [], [], [], [second], [second], [], [], []])).toEqual([
    [0, 'Kowalski > Sable', false],
    [3, 'Kowalski > Orla', false],
  ]);
});

it('marks a row tentative whose name is read badly and seen nowhere else', () => {
  expect(follow([[['Arlo > Sable', 0.5]], [['Arlo > Sable', 0.5]], [], [], [], []])).toEqual([
    [0, 'Arlo > Sable', true],
  ]);
});

it('reports nothing that only one sample shows', () => {
  expect(follow([[['Arlo > Sable', 0.9]], [], [], [], []])).toEqual([]);
});

it('keeps the first spelling of a name whose case is read differently', () => {
  const [first, second] = [['GIZMO > Sable', 0.97] as const, ['Orla > GIzMO', 0.97] as const];
  expect(follow([[first], [first], [], [], [], [second], [second], [], [], []])).toEqual([
    [0, 'GIZMO > Sable', false],
    [2.5, 'Orla > GIZMO', false],
  ]);
});

it('names the icon that most samples show between two texts', () => {
  const tracker = new RowTracker('feed', 'feed', RULES);
  const icons = ['bow', undefined, 'bow', 'axe', 'bow'];
  const cues = icons.flatMap((icon, i) =>
    tracker.push({
      detector: 'feed',
      t: i / 2,
      observation: {
        state: 'seen',
        value: '',
        confidence: 1,
        detail: {
          rows: [
            {
              rect: { x: 0, y: 0, width: 100, height: 16 },
              parts: ['Arlo', 'Sable'].map((text) => ({ text, confidence: 0.9 })),
              ...(icon === undefined ? {} : { icon }),
            },
          ],
        },
      },
    }),
  );
  expect([...cues, ...tracker.end()].map(({ value }) => value)).toEqual(['Arlo > [bow] > Sable']);
});

it('reports messages that differ by a name or an amount as different ones', () => {
  const texts = [
    'You eliminated Ulric',
    'You eliminated Gareth',
    '+2 Wood',
    '+6 Wood',
    'Tamsin > Cinder',
    'Tamsin > Hexer',
  ];
  const samples = texts.flatMap((text) => [[[text, 0.9]], [[text, 0.85]]] as const);
  expect(follow([...samples, [], [], [], []])).toEqual(texts.map((text, i) => [i, text, false]));
});
