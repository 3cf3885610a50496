import sharp from 'sharp';
import { expect, it } from 'vitest';
import { GeneralReader, type GeneralReading } from './general-reader.ts';

/** A figure at the left of a region with space for another one, over stripes as of a scene. */
async function drawFigure(figure: string) {
  const stripes = Array.from(
    { length: 5 },
    (_, i) => `<path d="M${9 * i} 0l14 32" stroke="#${i % 2 === 0 ? '97a' : '685'}" stroke-width="4"/>`,
  ).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="38" height="32"><rect width="38" height="32" fill="#777"/>${stripes}
<text x="1" y="27" font-family="DejaVu Sans Mono" font-size="27" fill="#ffe070" stroke="#222">${figure}</text></svg>`;
  const { data, info } = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: 3 as const };
}

it('confirms a figure without the space that is free for another one', async () => {
  const options = { languages: [], pattern: '\\d{1,2}' };
  using plain = await GeneralReader.open(options);
  using aligned = await GeneralReader.open({ ...options, align: 'left' });
  const crop = await drawFigure('8');
  const [[before], [after]] = await Promise.all([plain.read([crop]), aligned.read([crop])]);
  expect((before as GeneralReading).confidence).toBeLessThan(0.7);
  expect(after).toMatchObject({ text: '8', confidence: expect.closeTo(1, 1) });
});
