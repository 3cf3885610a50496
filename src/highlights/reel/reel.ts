import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { PlaybyplayError } from '../../errors.ts';
import type { Rect } from '../../geometry.ts';
import { writeTitleCard } from '../../media/write/title-card.ts';
import { sizeFor, type Layout } from '../../media/write/frame-filter.ts';
import { blendOverlay, captionSvg, renderOverlay, type Overlay } from '../../media/write/overlay.ts';
import { Recording } from '../../media/write/recording.ts';
import {
  writeReel,
  type ReelExtras,
  type Paint,
  type ReelOptions,
  type ReelPlan,
  type WrittenReel,
} from '../../media/write/reel.ts';
import { fingerprintMedia } from '../../pipeline/fingerprint.ts';
import type { Rational } from '../../time.ts';
import type { Choice } from '../choice/choose.ts';
import { bottomHud, captionPlace, hudOf, intoReel } from './hud.ts';
import { listOf, type HighlightList } from '../list.ts';
import { reelLog } from './reel-log.ts';
import type { Source } from '../scene.ts';
import { reelChapters, reelNarrative, type Caption } from './tracks.ts';

export interface HighlightReelOptions
  extends Pick<
    ReelOptions,
    'method' | 'quality' | 'preset' | 'encoder' | 'loudness' | 'crossfade' | 'audioTrack' | 'signal' | 'onProgress'
  > {
  readonly aspect?: '16:9' | '9:16' | '1:1' | 'source';
  /** How a recording of another shape comes into the reel; default: an upright or square reel crops, else bars. */
  readonly layout?: Layout;
  readonly captions?: 'burn' | 'track' | 'none';
  /** Words before the first scene. */
  readonly title?: string;
  readonly subtitle?: string;
  readonly frameRate?: Rational;
}

export interface HighlightReel {
  readonly reel: WrittenReel;
  readonly list: HighlightList;
}

/** How long a title stands. */
export const CARD_SECONDS = 2.5;

/**
 * Cuts the chosen scenes into a reel with chapters, captions, a title and its own event log: inside the file, for webm in
 * `<name>.playbyplay/` beside it. `media` gives the path of a source's recording.
 */
export async function makeReel(
  path: string,
  choice: Choice,
  sources: readonly Source[],
  media: (source: Source) => string,
  options: HighlightReelOptions = {},
): Promise<HighlightReel> {
  const scratch = options.title === undefined ? undefined : await mkdtemp(join(tmpdir(), 'playbyplay-'));
  try {
    const cuts = choice.scenes.map(({ source, start, end }) => ({ media: media(sources[source]!), start, end }));
    using first = new Recording(cuts[0]!.media);
    const size = sizeFor(options.aspect ?? 'source', first);
    const layout = options.layout ?? (options.aspect === '9:16' || options.aspect === '1:1' ? 'crop' : 'pad');
    const lead = scratch === undefined ? 0 : 1;
    if (scratch !== undefined) {
      const card = join(scratch, 'title.mp4');
      const words = { title: options.title!, subtitle: options.subtitle ?? '', seconds: CARD_SECONDS };
      await writeTitleCard(
        card,
        { ...words, ...size, timeBase: first.timeBase, frameRate: first.frameRate },
        first,
        cuts[0]!.start,
      );
      cuts.unshift({ media: card, start: 0, end: CARD_SECONDS });
    }
    const hud = layout === 'hud' ? await stripIn(sources, choice) : undefined;
    let list: HighlightList | undefined;
    // Without scenes of which the recording has no frame: it can be shorter than its log says.
    let shown = choice;
    const { aspect: _, captions = 'track', title, subtitle: __, ...rest } = options;
    const reel = await writeReel(path, cuts, {
      ...rest,
      ...size,
      layout,
      follow: layout === 'crop' || layout === 'hud',
      ...(hud && { hud }),
      prepare: async (plan): Promise<ReelExtras> => {
        const { scenes } = choice;
        shown = {
          ...choice,
          scenes: scenes.filter((each) => plan.cuts.some(({ index }) => scenes[index - lead] === each)),
        };
        list = listOf(shown, sources, { ...plan, cuts: plan.cuts.slice(lead) });
        const told = reelNarrative(list);
        const chapters = reelChapters(list);
        return {
          ...(captions === 'track' && {
            captions: told.map(({ start, end, lines }) => ({ start, end, text: lines.join('\n') })),
          }),
          ...(captions === 'burn' && {
            paint: await captionPainter(told, plan, await hudIn(sources, shown, plan, layout)),
          }),
          chapters: lead > 0 ? [{ start: 0, end: chapters[0]!.start, title: title ?? '' }, ...chapters] : chapters,
          log: reelLog(list, shown.scenes, sources, { ...plan, name: basename(path) }),
          ...(title !== undefined && { title }),
        };
      },
    });
    if (extname(path).toLowerCase() === '.webm') await writeLogBeside(path, list!, shown, sources, reel);
    return { reel, list: list! };
  } finally {
    if (scratch !== undefined) await rm(scratch, { recursive: true, force: true });
  }
}

async function writeLogBeside(
  path: string,
  list: HighlightList,
  choice: Choice,
  sources: readonly Source[],
  reel: WrittenReel,
): Promise<void> {
  const folder = join(dirname(path), `${basename(path, extname(path))}.playbyplay`);
  await mkdir(folder, { recursive: true });
  const { hash, bytes } = await fingerprintMedia(path);
  const log = reelLog(list, choice.scenes, sources, { ...reel, name: basename(path), hash, bytes });
  await writeFile(join(folder, 'events.ndjson'), log);
}

/** The HUDs of the games that are shown, in fractions of the reel's frame. */
async function hudIn(sources: readonly Source[], choice: Choice, plan: ReelPlan, layout: Layout): Promise<Rect[]> {
  const used = [...new Set(choice.scenes.map(({ source }) => source))].map((index) => sources[index]!.header);
  const huds = await Promise.all(
    used.map(async ({ game, media }) => (await hudOf(game, media)).map((rect) => intoReel(rect, media, plan, layout))),
  );
  return huds.flat();
}

/** The strip that keeps the HUD of the first recording. Throws PlaybyplayError `no-hud` where its profile knows none. */
async function stripIn(sources: readonly Source[], choice: Choice): Promise<Rect> {
  const { game, media } = sources[choice.scenes[0]!.source]!.header;
  const strip = bottomHud(await hudOf(game, media));
  if (strip) return strip;
  throw new PlaybyplayError('no-hud', `the profile of ${game} knows of no HUD at the bottom of the picture`, {
    hint: 'Take another layout: crop, blur or pad.',
  });
}

/** Seconds over which a caption comes and goes. */
const FADE = 0.12;

/** Draws captions into frames, clear of the HUD as far as can be. */
async function captionPainter(captions: readonly Caption[], plan: ReelPlan, hud: readonly Rect[]): Promise<Paint> {
  const overlays: { caption: Caption; overlay: Overlay }[] = [];
  for (const caption of captions) {
    const { svg, width, height } = captionSvg(caption.lines, plan);
    const middle = captionPlace(hud, height / plan.height, plan.height > plan.width) * plan.height;
    overlays.push({ caption, overlay: await renderOverlay(svg, (plan.width - width) / 2, middle - height / 2) });
  }
  return (planes, t) => {
    for (const { caption, overlay } of overlays) {
      if (t < caption.start || t >= caption.end) continue;
      blendOverlay(planes, overlay, Math.min(1, (t - caption.start) / FADE + 0.2, (caption.end - t) / FADE + 0.2));
    }
  };
}
