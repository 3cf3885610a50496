// Measures the Tesseract fallback over many reads: median time per crop, and memory with and without replacing its worker.
//
//   node bench/detectors/tesseract.ts [--reads 1000] [--every 200]
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import type { PreparedCrop } from '../../src/detectors/kind.ts';
import { TesseractReader } from '../../src/detectors/text/tesseract.ts';
import { outlineText } from '../../src/media/write/overlay.ts';

const { values } = parseArgs({
  options: { reads: { type: 'string', default: '1000' }, every: { type: 'string', default: '200' } },
});
const reads = Number(values.reads);

async function written(text: string): Promise<PreparedCrop> {
  const { path, width } = outlineText(text, 36);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width) + 8}" height="48"><rect width="100%" height="100%" fill="#ddd"/><path transform="translate(4 38)" d="${path}" fill="#111"/></svg>`;
  const { data, info } = await sharp(Buffer.from(svg)).greyscale().raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height, channels: 1 };
}

const texts = ['Sarge was railed by Gargoyle', '100', '86', 'YOU GOT THE SHOTGUN!', 'Kyonshi almost dodged', 'ROUND 7'];
const crops = await Promise.all(texts.map(written));
const megabytes = (): number => Math.round(process.memoryUsage().rss / 2 ** 20);

for (const recycleAfter of [Number.POSITIVE_INFINITY, Number(values.every)]) {
  await using reader = new TesseractReader({ recycleAfter });
  const times: number[] = [];
  const memory: number[] = [];
  let right = 0;
  for (let n = 0; n < reads; n++) {
    const start = performance.now();
    const { text } = await reader.read(crops[n % crops.length]!);
    times.push(performance.now() - start);
    if (text === texts[n % texts.length]) right++;
    if ((n + 1) % Math.max(1, Math.floor(reads / 5)) === 0) memory.push(megabytes());
  }
  const median = times.toSorted((a, b) => a - b)[reads >> 1]!;
  const name = Number.isFinite(recycleAfter) ? `replaced every ${recycleAfter} reads` : 'never replaced';
  process.stdout.write(
    `${name}: ${median.toFixed(1)} ms a crop, slowest ${Math.max(...times).toFixed(0)} ms, ${right} of ${reads} right, memory ${memory.join(', ')} MB\n`,
  );
}
