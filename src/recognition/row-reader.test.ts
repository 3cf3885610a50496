import sharp from 'sharp';
import { expect, it } from 'vitest';
import { RowReader } from './row-reader.ts';
import { TextRecognizer } from './text-recognizer.ts';

/** A gun. */
function icon(x: number, y: number): string {
  return `<path d="M${x} ${y}h44v6h-20v8h-8v-8h-6v5h-10z" fill="#fff" stroke="#000"/>`;
}

/** Two rows of a kill feed in an ordinary font, with a box and bars for an icon. */
async function drawFeed() {
  const style = 'font-family="DejaVu Sans" font-weight="bold" font-size="20"';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="96"><rect width="320" height="96" fill="#3a4630"/>
<text x="12" y="32" ${style} fill="#7fc8ff">Pixel_9</text>${icon(106, 18)}<text x="166" y="32" ${style} fill="#ffd34d">Wolfgang</text>
<text x="12" y="72" ${style} fill="#ffd34d">Ember</text>${icon(100, 58)}<text x="160" y="72" ${style} fill="#7fc8ff">Maeve</text></svg>`;
  const { data, info } = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 as const };
}

it('reads the names on either side of an icon', async () => {
  using recognizer = await TextRecognizer.open();
  using reader = new RowReader(recognizer);
  const [rows] = await reader.read([await drawFeed()]);
  expect(rows!.map(({ parts }) => parts.map(({ text }) => text))).toEqual([
    ['Pixel_9', 'Wolfgang'],
    ['Ember', 'Maeve'],
  ]);
});
