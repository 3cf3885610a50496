import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { launchBrowser } from '../../test/fixtures/browser.ts';

/** A picture with transparency, ready to be laid over frames in YUV 4:2:0 (BT.709, limited range). */
export interface Sprite {
  /** Even numbers of pixels. */
  readonly width: number;
  readonly height: number;
  /** Where the layout box of the HTML begins in the picture, and its size. */
  readonly origin: { readonly x: number; readonly y: number };
  readonly size: { readonly width: number; readonly height: number };
  /** The part that is drawn at more than half opacity, in pixels of the picture; undefined for an empty picture. */
  readonly ink: { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | undefined;
  /** Luma and chroma, multiplied by alpha; chroma without its offset of 128. */
  readonly y: Uint8Array;
  readonly u: Int8Array;
  readonly v: Int8Array;
  readonly alpha: Uint8Array;
  readonly chromaAlpha: Uint8Array;
}

/** Pixels around the layout box for shadows and glows. */
const MARGIN = 16;
/** Side of a page on which pictures are drawn together. */
const PAGE_SIZE = 2048;

/** BT.709 luma and chroma of a colour, 0…255 in limited range; chroma around 0. */
export function toYuv(r: number, g: number, b: number): readonly [y: number, u: number, v: number] {
  const luma = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return [16 + (219 / 255) * luma, ((b - luma) / 1.8556) * (224 / 255), ((r - luma) / 1.5748) * (224 / 255)];
}

/** Converts straight RGBA pixels. */
export function toSprite(
  rgba: Uint8Array,
  width: number,
  height: number,
  origin: Sprite['origin'],
  size: Sprite['size'],
): Sprite {
  const [luma, alpha] = [new Uint8Array(width * height), new Uint8Array(width * height)];
  const half = (width / 2) * (height / 2);
  const [u, v, chromaAlpha] = [new Int8Array(half), new Int8Array(half), new Uint8Array(half)];
  const [uSum, vSum, aSum] = [new Float64Array(half), new Float64Array(half), new Float64Array(half)];
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const i = row * width + column;
      const a = rgba[4 * i + 3]!;
      if (a === 0) continue;
      const [y, du, dv] = toYuv(rgba[4 * i]!, rgba[4 * i + 1]!, rgba[4 * i + 2]!);
      alpha[i] = a;
      luma[i] = Math.round((y * a) / 255);
      const k = (row >> 1) * (width >> 1) + (column >> 1);
      uSum[k]! += du * a;
      vSum[k]! += dv * a;
      aSum[k]! += a;
      if (a > 127) {
        left = Math.min(left, column);
        right = Math.max(right, column);
        top = Math.min(top, row);
        bottom = Math.max(bottom, row);
      }
    }
  for (let k = 0; k < half; k++) {
    u[k] = Math.round(uSum[k]! / 1020);
    v[k] = Math.round(vSum[k]! / 1020);
    chromaAlpha[k] = Math.round(aSum[k]! / 4);
  }
  const ink = right < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  return { width, height, origin, size, ink, y: luma, u, v, alpha, chromaAlpha };
}

/**
 * Draws pieces of HTML with Chromium, many on a page, a screenshot a page.
 *
 * @param css Rules for all of them, such as `@font-face`.
 * @param pieces Different pieces of HTML.
 * @returns A sprite per piece.
 */
export async function drawSprites(css: string, pieces: ReadonlySet<string>): Promise<ReadonlyMap<string, Sprite>> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-'));
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: PAGE_SIZE, height: PAGE_SIZE } });
    const list = [...pieces];
    const path = join(folder, 'sprites.html');
    writeFileSync(
      path,
      `<!doctype html><meta charset="utf-8"><style>${css}
html,body{margin:0;background:transparent}
.sprite{position:absolute;left:0;top:0;padding:${MARGIN}px;white-space:pre;line-height:1.15}
.sprite *{box-sizing:border-box}</style>${list.map((html) => `<div class="sprite">${html}</div>`).join('')}`,
    );
    await page.goto(pathToFileURL(path).href);
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    const sizes = (await page.evaluate(
      `Array.from(document.querySelectorAll('.sprite'), (one) => [one.offsetWidth, one.offsetHeight])`,
    )) as readonly (readonly [number, number])[];
    const placed = packShelves(sizes.map(([width, height]) => [width + (width % 2), height + (height % 2)] as const));
    const found = new Map<string, Sprite>();
    for (let sheet = 0; placed.some((one) => one.sheet === sheet); sheet++) {
      await page.evaluate(`{
        const all = document.querySelectorAll('.sprite');
        for (const [i, { x, y, sheet }] of ${JSON.stringify(placed)}.entries()) {
          const { style } = all[i];
          style.display = sheet === ${sheet} ? 'block' : 'none';
          style.left = x + 'px';
          style.top = y + 'px';
        }
      }`);
      const png = await page.screenshot({ omitBackground: true, type: 'png' });
      const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      for (const [i, { x, y, width, height, sheet: own }] of placed.entries()) {
        if (own !== sheet) continue;
        const pixels = new Uint8Array(4 * width * height);
        for (let row = 0; row < height; row++) {
          const start = 4 * ((y + row) * info.width + x);
          pixels.set(data.subarray(start, start + 4 * width), 4 * row * width);
        }
        const [layoutWidth, layoutHeight] = sizes[i]!;
        const size = { width: layoutWidth - 2 * MARGIN, height: layoutHeight - 2 * MARGIN };
        found.set(list[i]!, toSprite(pixels, width, height, { x: MARGIN, y: MARGIN }, size));
      }
    }
    return found;
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

interface Place {
  readonly sheet: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Lays rectangles out in rows on square sheets. */
function packShelves(sizes: readonly (readonly [width: number, height: number])[]): readonly Place[] {
  const order = sizes.map((_, i) => i).toSorted((a, b) => sizes[b]![1] - sizes[a]![1]);
  const places: Place[] = [];
  let [sheet, x, y, shelf] = [0, 0, 0, 0];
  for (const i of order) {
    const [width, height] = sizes[i]!;
    if (width > PAGE_SIZE || height > PAGE_SIZE) throw new RangeError(`a sprite has ${width} × ${height} pixels`);
    if (x + width > PAGE_SIZE) [x, y, shelf] = [0, y + shelf, 0];
    if (y + height > PAGE_SIZE) [sheet, x, y, shelf] = [sheet + 1, 0, 0, 0];
    places[i] = { sheet, x, y, width, height };
    x += width;
    shelf = Math.max(shelf, height);
  }
  return places;
}
