import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Cue } from '../../src/cues/cue.ts';
import { render } from '../../src/dictionary/sentences/render.ts';
import { loadBuiltin } from '../../src/dictionary/files.ts';
import { openLexicon, type TextLexicon } from '../../src/detectors/text/lexicon.ts';
import { validateStatement } from '../../src/dictionary/statements.ts';
import { openScript } from '../../src/script/script.ts';
import { root } from '../paths.ts';

const { dictionary } = await loadBuiltin(['hedgewars']);
const source = await readFile(`${root}/scripts/hedgewars.js`, 'utf8');

/** What the game says in a language, as the profile's detectors know it. */
const opened = new Map<string, Promise<Readonly<Record<string, TextLexicon>>>>();

async function lexicons(tag: string): Promise<Readonly<Record<string, TextLexicon>>> {
  const known = opened.get(tag) ?? openLexicons(tag);
  opened.set(tag, known);
  return known;
}

async function openLexicons(tag: string): Promise<Readonly<Record<string, TextLexicon>>> {
  const open = async (name: string): Promise<TextLexicon> => {
    const file = `${name}${tag === 'en' ? '' : `.${tag}`}.json`;
    const json = await readFile(`${root}/configs/hedgewars/${file}`, 'utf8');
    return openLexicon(json, file, [tag], {});
  };
  return { caption: await open('captions'), weapon: await open('weapons') };
}

type TestCue = readonly [t: number, detector: string, value: string | number | null, previous?: string | number];

/** What the script says of cues: found, changed (from the last of the tuple) or, with null, lost. */
async function sentences(...given: readonly TestCue[]): Promise<string[]> {
  return sentencesIn('en', ...given);
}

async function sentencesIn(tag: string, ...given: readonly TestCue[]): Promise<string[]> {
  const known = await lexicons(tag);
  using script = await openScript({ source, name: 'hedgewars.js' });
  const lines: string[] = [];
  const take = ({ statements, problems }: ReturnType<typeof script.onCues>): void => {
    expect(problems).toEqual([]);
    for (const { t, statement } of statements) {
      expect(validateStatement(statement, dictionary)).toEqual([]);
      lines.push(`${t} ${render(statement, dictionary)}`);
    }
  };
  for (const [t, cues] of Map.groupBy(given, ([when]) => when))
    take(
      script.onCues(
        t,
        cues.map(([, detector, value, previous]): Cue => {
          const trigger = value === null ? 'lost' : previous === undefined ? 'found' : 'changed';
          const before = previous === undefined ? {} : { previous };
          const found = typeof value === 'string' ? known[detector.split(' ')[0]!]?.find(value) : undefined;
          const { detail } = found ?? {};
          const seen = value === null ? {} : { value: found?.text ?? value };
          return { t, detector, trigger, confidence: 0.9, ...seen, ...before, ...(detail && { detail }) };
        }),
      ),
    );
  take(script.end(100));
  return lines.toSorted((a, b) => Number.parseFloat(a) - Number.parseFloat(b));
}

const rows: readonly TestCue[] = [
  [1, 'badge 1', 'red'],
  [1, 'bar 1', 100],
  [1, 'badge 2', 'blue'],
  [1, 'bar 2', 100],
  [1, 'name 1', 'wp Foxes'],
  [1, 'name 2', 'otters'],
];

it('reports turns, weapons and the first shot of a turn', async () => {
  const turn: readonly TestCue[] = [
    [3, 'timer', 20],
    [3, 'ink 1', 'red'],
    [3, 'weapon 1', '= No weapon selected'],
    [5, 'weapon 1', 'Bazocka', '= No weapon selected'],
    [6, 'timer', 17, 18],
    [7, 'timer', 3, 17],
    [8, 'timer', 2, 3],
  ];
  expect(await sentences(...rows, ...turn)).toEqual([
    "3 team Foxes's turn begins",
    '5 team Foxes equips rocket launcher',
    '7 team Foxes attacks with rocket launcher',
  ]);
});

it('reports a moving gauge when it stops, with the time at which it started', async () => {
  const fall: readonly TestCue[] = [
    [20, 'bar 2', 97, 100],
    [20.1, 'bar 2', 90, 97],
    [20.2, 'bar 2', 76, 90],
    [22, 'wind right', 39, 0],
    [23, 'wind right', 40, 39],
  ];
  expect(await sentences([1, 'wind left', 0], [1, 'wind right', 0], ...rows, ...fall)).toEqual([
    "20 team Otters's health drops from 100 to 76",
    "22 level's wind rises from 0 to 39",
  ]);
});

it('reports an eliminated team, but no scenery that resembles a team', async () => {
  const out: readonly TestCue[] = [
    [30, 'badge 3', 'green'],
    [30, 'bar 3', 40],
    [33, 'badge 3', null, 'green'],
    [40, 'badge 2', null, 'blue'],
    [40, 'bar 2', null, 100],
  ];
  expect(await sentences(...rows, ...out)).toEqual(["40 team Otters's health drops from 100 to 0"]);
});

it('recognizes captions by words that only their kind has, despite other text nearby', async () => {
  const captions: readonly TestCue[] = [
    [2, 'caption 1', "Let's jam! — PR"],
    [10, 'caption 1', '= Brook prefers WarMUX'],
    [12, 'caption 1', '- Brook prefers WarMUX'],
    [20, 'caption 1', '15 rounds till Sudden Death!'],
    [21, 'caption 1', '115 rounds till Sudden Death!', '15 rounds till Sudden Death!'],
    [30, 'caption 2', 'Get instant health'],
    [40, 'caption 1', 'WFoxes wins!'],
  ];
  expect(await sentences(...rows, ...captions)).toEqual([
    '2 match begins',
    '10 hedgehog Brook dies',
    "20 match's rounds till sudden death becomes 15",
    '30 health crate appears',
    '40 team Foxes wins match',
  ]);
});

/** The same match in another language, as a recogniser reads it: noise around it, letters misread, accents lost. */
const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Mortar',
    "Let's fight!",
    'Foxes plays submarine',
    '3 rounds till Sudden Death!',
    'Sudden Death!',
    'Foxes wins!',
  ],
  de: [
    'MOrser, 3 sec',
    'Auf in die Schlacht',
    '| Foxes geht auf Tauchstati0n!',
    '3 Runden bis zum Sudden Oeath!',
    'Sudden Death!',
    'Foxes gewinnt',
  ],
  ru: [
    '= Миномет',
    'Вооружены и готовы к 6ою!',
    'Foxes играет подводную лодку',
    '3 раундов до потопа!',
    'Скоро потоп!',
    'Победила команда Foxes!',
  ],
  ja: [
    '迫撃砲',
    '戦いましょう!',
    'Foxesが潜水艦の真似をしています',
    'サドンデスまで残り3ターン!',
    'サドンデス時間になりました!',
    'Foxesの勝ちです!',
  ],
};

it.each(Object.entries(SPOKEN))('reports the same events for captions in %s', async (tag, texts) => {
  const [mortar, fight, drowned, rounds, sudden, win] = texts as [string, string, string, string, string, string];
  const turn: readonly TestCue[] = [
    [2, 'caption 1', fight],
    [3, 'timer', 20],
    [3, 'ink 1', 'red'],
    [5, 'weapon 1', mortar],
    [12, 'caption 1', drowned],
    [20, 'caption 1', rounds],
    [30, 'caption 2', sudden],
    [40, 'caption 1', win],
  ];
  expect(await sentencesIn(tag, ...rows, ...turn)).toEqual([
    '2 match begins',
    "3 team Foxes's turn begins",
    '5 team Foxes equips mortar',
    '12 hedgehog Foxes drowns',
    "20 match's rounds till sudden death becomes 3",
    '30 sudden death begins',
    '40 team Foxes wins match',
  ]);
});
