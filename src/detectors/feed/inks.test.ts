import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { assetsIn, eachFrame, viewOf } from '../../../test/fixtures/views.ts';
import { parseAtlas } from '../text/atlas.ts';
import { kind } from './index.ts';
import { InkReader } from './inks.ts';

const game = new URL('../../../configs/openarena/', import.meta.url).pathname;
// The upper left corner of six moments of two matches, cut from recordings at 1280 × 720 and 1280 × 800 and encoded once more.
const clip = new URL('../../../test/fixtures/openarena/coloured-names.mp4', import.meta.url).pathname;

/** What stands there, by eye; I for l, which this font draws alike. */
const LINES = [
  ['Guest caIIed a vote.', 'Vote passed.', 'Guest was eIectrocuted by KiIIer'],
  ['Guest caIIed a vote.', 'Vote passed.', "Xx_RedBaron_xX was meIted by {oa}Mr. J0nes's pIasmagun"],
  ['Guest: ok then', "KiIIer aImost dodged BIuePink's rocket", 'BIuePink bIew himseIf up.'],
  [
    'consoIe: weIcome to the arena',
    'Xx_RedBaron_xX: took you Iong enough...',
    'TheVeryLongNamedPIayerOfA was given a smaII push by a',
  ],
  ['Rai-zz|9 was gunned down by {oa}Mr. J0nes', 'Guest caIIed a vote.', 'Vote passed.'],
  ['Guest caIIed a vote.', 'Vote passed.', 'Xx_RedBaron_xX does a back fIip into the Iava.'],
];

interface FeedOptions {
  readonly inks: readonly string[];
}

async function linesOf(change: (options: FeedOptions) => object): Promise<string[][]> {
  const { detectors } = JSON.parse(readFileSync(`${game}profile.json`, 'utf8')) as { detectors: { feed: FeedOptions } };
  using detector = await kind.open(change(detectors.feed) as Parameters<typeof kind.open>[0], assetsIn(game));
  const found: string[][] = [];
  eachFrame(
    clip,
    LINES.map((_, i) => i),
    (picture) => {
      const view = viewOf(picture, { x: 0, y: 0, width: 1, height: 1, scale: 'none', anchor: 'top left' });
      const seen = detector.read(view);
      found.push('value' in seen ? String(seen.value).split('\n') : []);
    },
  );
  return found;
}

describe('InkReader', () => {
  it('reads names in red, blue, magenta and other colours among white text', async () => {
    expect(await linesOf((options) => options)).toEqual(LINES);
  });

  it('leaves them out where no colours are given', async () => {
    const [first] = await linesOf((options) => ({ ...options, inks: [] }));
    expect(first).toEqual([...LINES[0]!.slice(0, 2), 'Guest was eIectrocuted by']);
  });

  it('says which fonts it cannot read', () => {
    const name = `${game}fonts/console.json`;
    const { file } = parseAtlas(readFileSync(name, 'utf8'), name);
    const odd = { file: { ...file, pitch: 7 }, inks: [[1]], glyphs: [] };
    expect(() => new InkReader(odd, ['#ff0000'])).toThrow('even pitch');
  });
});
