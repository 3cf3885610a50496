import sharp from 'sharp';
import { extname } from 'node:path';
import type { OverlayOptions } from 'sharp';
import { type OutputPolicy, writeOutput } from '../files/output.ts';
import { FrameFilter } from '../media/write/frame-filter.ts';
import { blendOverlay, outlineText, renderOverlay } from '../media/write/overlay.ts';
import type { Paint } from '../media/write/reel.ts';
import { readPixels } from '../media/write/still.ts';
import { RecordingPool } from '../media/write/timeline.ts';
import { formatClock } from '../time.ts';
import type { SceneChoice } from './choose.ts';
import { designReel, type HighlightReelOptions, type ReelDesign } from './design.ts';
import { END_CARD_SECONDS } from './style.ts';
import { type HighlightList, inputsOf, makeHighlightList, type Shot, type Source } from './list.ts';
import type { Storyboard } from './storyboard.ts';

/** A reel that is planned but not rendered. */
export interface PlannedReel extends AsyncDisposable {
  readonly design: ReelDesign;
  readonly list: HighlightList;
  readonly board: Storyboard;
  readonly choice: SceneChoice;
  readonly sources: readonly Source[];
  readonly media: (source: Source) => string;
}

/**
 * Plans a reel without rendering it: its times are those of the scenes, not yet of frames.
 *
 * @param media Returns the path of a source's recording.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * await using plan = await planReel(choice, sources, (source) => source.media!, { dictionary });
 * console.log(plan.board.duration);
 * ```
 */
export async function planReel(
  choice: SceneChoice,
  sources: readonly Source[],
  media: (source: Source) => string,
  options: HighlightReelOptions = {},
): Promise<PlannedReel> {
  const design = await designReel(choice, sources, media, options);
  let at = design.lead ?? 0;
  const shots = design.planned.map(({ shots: own }) =>
    own.map((shot): Shot => {
      const placed = { ...shot, at };
      at += (shot.end - shot.start) / shot.speed;
      return placed;
    }),
  );
  const duration = at + (design.hasEnding ? END_CARD_SECONDS : 0);
  const list = makeHighlightList(choice, sources, { duration, shots });
  const board = design.storyboard(list, choice);
  return { design, list, board, choice, sources, media, [Symbol.asyncDispose]: () => design[Symbol.asyncDispose]() };
}

/** Options of `writeReelPreview`. */
export interface ReelPreviewOptions extends OutputPolicy {
  /** Width of a picture in pixels; default 320, 216 for upright reels. */
  readonly width?: number;
  readonly signal?: AbortSignal;
}

const GAP_PIXELS = 8;
const LABEL_PIXELS = 14;
/** Seconds after the beginning of an overlay at which it is shown. */
const SETTLED_SECONDS = 0.3;
const MAX_PICTURES = 60;

/**
 * Writes a contact sheet of a planned reel, with everything that is drawn over it: the beginning and the end of each scene and
 * every overlay.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * await using plan = await planReel(choice, sources, (source) => source.media!, { dictionary });
 * await writeReelPreview('plan.png', plan);
 * ```
 */
export async function writeReelPreview(
  path: string,
  plan: PlannedReel,
  options: ReelPreviewOptions = {},
): Promise<void> {
  const { board, list, design, choice, sources } = plan;
  const isUpright = board.height > board.width;
  const width = options.width ?? (isUpright ? 216 : 320);
  const height = Math.round((width * board.height) / board.width);
  const moments = previewMoments(plan);
  const columns = Math.min(moments.length, isUpright ? 8 : 5);
  const cell = { width: width + GAP_PIXELS, height: height + GAP_PIXELS + LABEL_PIXELS + 6 };
  const sheet = {
    width: columns * cell.width + GAP_PIXELS,
    height: Math.ceil(moments.length / columns) * cell.height + GAP_PIXELS,
  };
  const owners = list.scenes.map((_, scene) => scene);
  const view = design.viewer(owners);
  const paint = await design.painter(board, choice);
  using recordings = new RecordingPool();
  const pictures: OverlayOptions[] = [];
  let labels = '';
  for (const [index, { at, scene }] of moments.entries()) {
    options.signal?.throwIfAborted();
    const left = GAP_PIXELS + (index % columns) * cell.width;
    const top = GAP_PIXELS + Math.floor(index / columns) * cell.height;
    const source = scene === undefined ? undefined : sources[choice.scenes[scene]!.source]!;
    const picture =
      source === undefined
        ? await sharp(Buffer.from(design.cardSvg(at < (design.lead ?? 0) ? 'title' : 'ending')))
            .png()
            .toBuffer()
        : await renderMoment(recordings.open(plan.media(source)), at, scene!, { plan, view, paint });
    if (picture) pictures.push({ input: await sharp(picture).resize(width, height).png().toBuffer(), left, top });
    const label = outlineText(formatClock(at), LABEL_PIXELS).path;
    labels += `<path fill="#e8e8e8" transform="translate(${left} ${top + height + LABEL_PIXELS + 2})" d="${label}"/>`;
  }
  const lettering = `<svg xmlns="http://www.w3.org/2000/svg" width="${sheet.width}" height="${sheet.height}">${labels}</svg>`;
  const whole = await sharp({ create: { ...sheet, channels: 3, background: '#16181d' } })
    .composite([...pictures, { input: Buffer.from(lettering), left: 0, top: 0 }])
    .toFormat(extname(path) === '.png' ? 'png' : 'jpeg')
    .toBuffer();
  const inputs = [...(options.inputs ?? []), ...inputsOf(sources)];
  await writeOutput(path, whole, { kind: 'picture', inputs, overwrite: options.overwrite });
}

/** A moment of the reel and its scene; without one on a card. */
interface Moment {
  readonly at: number;
  readonly scene?: number;
}

function previewMoments({ board, list, design }: PlannedReel): Moment[] {
  const shown = board.overlays
    .filter(({ kind }) => kind !== 'progress' && kind !== 'logo' && kind !== 'counter')
    .map(({ start, end }) => Math.min(start + SETTLED_SECONDS, (start + end) / 2));
  const scenes = list.scenes.flatMap(({ at, duration }, scene): Moment[] => {
    const inside = shown.filter((t) => t >= at && t < at + duration);
    const times = [at + 0.3, ...inside, at + duration - 0.3].toSorted((a, b) => a - b);
    const distinct = times.filter((t, index) => index === 0 || t - times[index - 1]! > 0.15);
    return distinct.map((t) => ({ at: t, scene }));
  });
  return [
    ...(design.lead === undefined ? [] : [{ at: design.lead / 2 }]),
    ...scenes,
    ...(design.hasEnding ? [{ at: board.duration - END_CARD_SECONDS / 2 }] : []),
  ].slice(0, MAX_PICTURES);
}

/** A frame of the reel as a picture. */
async function renderMoment(
  recording: ReturnType<RecordingPool['open']>,
  at: number,
  scene: number,
  { plan, view, paint }: { plan: PlannedReel; view: ReturnType<ReelDesign['viewer']>; paint: Paint | undefined },
): Promise<Buffer | undefined> {
  const { board, list, design } = plan;
  const { width, height } = board;
  const { shots } = list.scenes[scene]!;
  const shot = shots.findLast((each) => at >= each.at) ?? shots[0]!;
  const t = Math.min(shot.end, shot.start + (at - shot.at) * shot.speed);
  const filter = new FrameFilter(width, height, 'rgb24', design.arrangement);
  const pixels = readPixels(recording, t, filter, view?.(scene, t, at, board));
  if (!pixels) return undefined;
  const ground = sharp(pixels, { raw: { width, height, channels: 3 } });
  if (!paint) return ground.png().toBuffer();
  // Overlays are drawn on planes, as in the reel.
  const overlay = await renderOverlay(await ground.png().toBuffer(), 0, 0);
  const size = width * height;
  const planes = [
    new Uint8Array(size).fill(16),
    new Uint8Array(size / 4).fill(128),
    new Uint8Array(size / 4).fill(128),
  ];
  const frame = { width, height, planes, strides: [width, width / 2, width / 2] };
  blendOverlay(frame, overlay);
  paint(frame, at, scene);
  return sharp(rgbOf(frame), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

/** Converts planes in BT.709 of limited range. */
function rgbOf({ width, height, planes }: { width: number; height: number; planes: readonly Uint8Array[] }): Buffer {
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const c = (y >> 1) * (width / 2) + (x >> 1);
      const luma = ((planes[0]![y * width + x]! - 16) * 255) / 219;
      const [cb, cr] = [((planes[1]![c]! - 128) * 255) / 224, ((planes[2]![c]! - 128) * 255) / 224];
      const levels = [luma + 1.5748 * cr, luma - 0.1873 * cb - 0.4681 * cr, luma + 1.8556 * cb];
      for (const [k, level] of levels.entries())
        rgb[(y * width + x) * 3 + k] = Math.max(0, Math.min(255, Math.round(level)));
    }
  }
  return rgb;
}
