import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Crop } from '../regions/crop.ts';
import { anyText, patternConstraint, textsConstraint } from './constraint.ts';
import { TextFinder } from './text-finder.ts';
import { readLine, readName, readText, TextRecognizer } from './text-recognizer.ts';

/** Texts drawn white with a dark outline on a slope of grey, as games draw them over scenery. */
async function drawTexts(
  width: number,
  height: number,
  texts: readonly { readonly text: string; readonly x: number; readonly y: number; readonly size: number }[],
): Promise<Crop> {
  const drawn = texts.map(
    ({ text, x, y, size }) =>
      `<text x="${x}" y="${y}" font-family="DejaVu Sans" font-weight="bold" font-size="${size}" fill="#fff" stroke="#000" stroke-width="${size / 20}">${text}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="g"><stop offset="0" stop-color="#345"/><stop offset="1" stop-color="#786"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/>${drawn.join('')}</svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  return { data, width, height, channels: 3 };
}

/** A line of whose letters the network is sure, “Orla”, with such a probability of each being written as in ORlA. */
function orlaLine(share: number) {
  const steps = ['oO', 'rR', 'lL', 'aA'].map(([small, capital], i) => [
    { char: small!, probability: i === 2 ? share : 1 - share },
    { char: capital!, probability: i === 2 ? 1 - share : share },
  ]);
  return { candidates: steps, blank: Float64Array.from(steps, () => 0) };
}

it('reads a name in small capitals as surely as its letters, whatever their case', () => {
  expect(readName(orlaLine(0.55))).toEqual({ text: 'ORLA', confidence: 1 });
  expect(readLine(orlaLine(0.55), anyText())!.confidence).toBeLessThan(0.2);
  // Where the cases are sure, they are kept.
  expect(readName(orlaLine(0.99))).toMatchObject({ text: 'ORlA' });
  expect([0.55, 0.99].map((share) => readText(orlaLine(share))!.text)).toEqual(['ORLA', 'ORlA']);
});

describe('the general reader', () => {
  it('finds lines and reads them in a font that nobody has taught it', async () => {
    const texts = [
      { text: 'Laps: 2/3', x: 20, y: 40, size: 24 },
      { text: '01:24.7', x: 400, y: 42, size: 28 },
      { text: 'Final lap!', x: 220, y: 200, size: 36 },
    ];
    const picture = await drawTexts(640, 352, texts);
    using finder = await TextFinder.open(picture);
    const boxes = await finder.find(picture);
    expect(boxes).toHaveLength(texts.length);
    // The middle of each text lies in its box.
    for (const [i, { x, y, size }] of texts.entries()) {
      const box = boxes[i]!;
      expect(box.y).toBeLessThan(y - size / 3);
      expect(box.y + box.height).toBeGreaterThan(y - size / 3);
      expect(Math.abs(box.x - x)).toBeLessThan(size / 2);
    }
    using recognizer = await TextRecognizer.open();
    const crops = await Promise.all(
      boxes.map(async ({ x, y, width, height }): Promise<Crop> => {
        const rect = { left: Math.floor(x), top: Math.floor(y), width: Math.ceil(width), height: Math.ceil(height) };
        const data = await sharp(picture.data, { raw: { width: 640, height: 352, channels: 3 } })
          .extract(rect)
          .raw()
          .toBuffer();
        return { data, width: rect.width, height: rect.height, channels: 3 };
      }),
    );
    const free = await recognizer.read(crops, anyText());
    expect(free.map((one) => one?.text.replaceAll(' ', ''))).toEqual(['Laps:2/3', '01:24.7', 'Finallap!']);
    // What the field can say settles what the network leaves open: here the spaces.
    const known = [
      patternConstraint(String.raw`Laps: \d/\d`),
      patternConstraint(String.raw`\d\d:\d\d\.\d`),
      textsConstraint(['Final lap!', 'Lap 2']),
    ];
    const constrained = await recognizer.read(crops, known);
    expect(constrained.map((one) => one?.text)).toEqual(['Laps: 2/3', '01:24.7', 'Final lap!']);
    const wrong = await recognizer.read([crops[1]!], patternConstraint('[A-Z]{3}'));
    expect(wrong[0]?.confidence ?? 0).toBeLessThan(0.1);
  });

  it('reads a crop alike whichever crops are read with it', async () => {
    using recognizer = await TextRecognizer.open();
    const crops = await Promise.all(
      ['017', '250', '9', 'Ready'].map((text) => drawTexts(100, 36, [{ text, x: 8, y: 28, size: 26 }])),
    );
    const together = await recognizer.read(crops, anyText());
    for (const [i, crop] of crops.entries()) expect(await recognizer.read([crop], anyText())).toEqual([together[i]]);
    expect(together.map((one) => one?.text)).toEqual(['017', '250', '9', 'Ready']);
  });
});
