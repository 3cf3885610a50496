import { basename, dirname, extname, join } from 'node:path';
import { isReel } from '../events/embedded.ts';
import type { EventLine, HeaderLine, LogLine } from '../events/log.ts';
import { type HighlightList, inputsOf, makeHighlightList, type Scene, type Source } from './list.ts';
import { checkOutput, TemporaryFolder, writeOutput } from '../files/output.ts';
import { roundTime, type Rational } from '../time.ts';
import { PlaybyplayError } from '../errors.ts';
import type { Rect, Size } from '../geometry.ts';
import { writeTitleCard } from '../media/write/still.ts';
import { plainView, sizeFor, type Layout } from '../media/write/frame-filter.ts';
import { blendOverlay, captionSvg, type Overlay, renderOverlay } from '../media/write/overlay.ts';
import { RecordingPool } from '../media/write/timeline.ts';
import {
  type Paint,
  type ReelExtras,
  type ReelOptions,
  type ReelPlan,
  writeReel,
  type WrittenReel,
} from '../media/write/reel.ts';
import { LOG_NAME } from '../events/reader.ts';
import { fingerprintMedia } from '../pipeline/fingerprint.ts';
import type { SceneChoice } from './choose.ts';
import { cropCenter, shownWidth } from './attention.ts';
import { bottomHudStrip, mapToReel, placeCaption, screenLayout, type ScreenLayout } from './hud.ts';
import { reelChapters, reelCaptions, subtitleLine, type Caption } from './captions.ts';

/** Media fields of a reel's log header. */
export interface ReelMedia {
  readonly name: string;
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly hash?: string;
  readonly bytes?: number;
}

/**
 * Writes the event log of a reel: every event of its scenes at the times of the reel, with its origin. A log embedded
 * in the reel cannot contain the reel's own hash; hash and size are then left empty.
 */
export function reelLog(
  list: HighlightList,
  scenes: readonly Scene[],
  sources: readonly Source[],
  media: ReelMedia,
): string {
  const session = media.name.replace(/\.[^.]*$/, '');
  const used = [...new Set(scenes.map((scene) => scene.source))].map((index) => sources[index]!);
  const events = list.scenes.flatMap((listed, index): EventLine[] => {
    const scene = scenes[index]!;
    const source = sources[scene.source]!;
    return source.events
      .filter(({ t }) => t >= listed.start && t < listed.end)
      .map((event) => {
        const { id, t, end, game, text, statement, confidence, cues } = event;
        const shift = listed.at - listed.start;
        const last = Math.min(end, listed.end);
        return {
          type: 'event',
          id: `${index + 1}-${id}`,
          t: roundTime(t + shift),
          end: roundTime(last + shift),
          game,
          session,
          text,
          statement,
          confidence,
          cues: cues.map((cue) => ({ ...cue, t: roundTime(cue.t + shift) })),
          source: { session: source.header.session, t },
        };
      });
  });
  const first = used[0]!.header;
  const dictionaries = used.flatMap(({ header }) => header.dictionaries);
  const header: HeaderLine = {
    type: 'header',
    format: 'playbyplay/1',
    game: new Set(used.map((source) => source.header.game)).size === 1 ? first.game : 'montage',
    session,
    media: {
      name: media.name,
      hash: media.hash ?? '',
      bytes: media.bytes ?? 0,
      duration: roundTime(media.duration),
      width: media.width,
      height: media.height,
      start: 0,
    },
    profile: first.profile,
    dictionaries: dictionaries.filter(
      ({ name }, index) => dictionaries.findIndex((each) => each.name === name) === index,
    ),
    plan: first.plan,
    program: first.program,
  };
  const lines: LogLine[] = [header, ...events, { type: 'end', events: events.length, gaps: 0, samples: 0 }];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Options of `makeReel`. */
export interface HighlightReelOptions
  extends Pick<
    ReelOptions,
    | 'method'
    | 'quality'
    | 'preset'
    | 'encoder'
    | 'loudness'
    | 'crossfade'
    | 'audioTrack'
    | 'signal'
    | 'onProgress'
    | 'overwrite'
  > {
  readonly aspect?: '16:9' | '9:16' | '1:1' | 'source';
  /**
   * How a recording of another shape is fitted; default: crop for portrait and square reels where it keeps what the player
   * looks at, else the whole picture before a blurred copy; bars for others.
   */
  readonly layout?: Layout;
  /** Where the picture of a camera is, in fractions of the frame; for the layout `split`. */
  readonly facecam?: Rect;
  readonly captions?: 'burn' | 'track' | 'none';
  /** Texts of the captions by event id, where they are not the log's. */
  readonly captionTexts?: ReadonlyMap<string, string> | undefined;
  /** Title shown before the first scene. */
  readonly title?: string;
  readonly subtitle?: string;
  readonly frameRate?: Rational;
}

/** A written reel and the list of its scenes. */
export interface HighlightReel {
  readonly reel: WrittenReel;
  readonly list: HighlightList;
}

/** Seconds the title is shown. */
export const TITLE_CARD_SECONDS = 2.5;

/**
 * Cuts the chosen scenes into a reel with chapters, captions, a title and its own event log (inside the file; for WebM
 * in `<name>.playbyplay/` next to it).
 *
 * @param media Returns the path of a source's recording.
 * @throws PlaybyplayError `no-hud` if `layout` is `hud` and the profile has no HUD at the bottom.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * await makeReel('reel.mp4', choice, sources, (source) => source.media!);
 * ```
 */
export async function makeReel(
  path: string,
  choice: SceneChoice,
  sources: readonly Source[],
  media: (source: Source) => string,
  options: HighlightReelOptions = {},
): Promise<HighlightReel> {
  const output = {
    kind: 'video',
    mayReplace: isReel,
    inputs: inputsOf(sources),
    overwrite: options.overwrite,
  };
  await checkOutput(path, output);
  await using scratch = options.title === undefined ? undefined : await TemporaryFolder.create();
  using recordings = new RecordingPool(options.audioTrack);
  const cuts = choice.scenes.map(({ source, start, end }) => ({ media: media(sources[source]!), start, end }));
  const first = recordings.open(cuts[0]!.media);
  const size = sizeFor(options.aspect ?? 'source', first);
  const screens = await Promise.all(sources.map(({ header }) => screenLayout(header.game, header.media)));
  const layout = options.layout ?? defaultLayout(choice, sources, screens, size);
  const lead = scratch === undefined ? 0 : 1;
  if (scratch !== undefined) {
    const card = join(scratch.path, 'title.mp4');
    const words = { title: options.title!, subtitle: options.subtitle ?? '', seconds: TITLE_CARD_SECONDS };
    await writeTitleCard(
      card,
      { ...words, ...size, timeBase: first.timeBase, frameRate: first.frameRate },
      first,
      cuts[0]!.start,
    );
    cuts.unshift({ media: card, start: 0, end: TITLE_CARD_SECONDS });
  }
  const strip = layout === 'hud' ? requireHudStrip(sources, choice, screens) : options.facecam;
  if (layout === 'split' && strip === undefined)
    throw new PlaybyplayError('no-facecam', 'the layout split needs to know where the camera picture is', {
      hint: 'Name it with --facecam x,y,width,height in fractions of the frame.',
    });
  const centers = choice.scenes.map((scene) => {
    if (layout === 'pad' || layout === 'blur') return undefined;
    const { header } = sources[scene.source]!;
    const own = { media: media(sources[scene.source]!), ...scene, attention: screens[scene.source]!.attention };
    return cropCenter(own, shownWidth(header.media, size), recordings);
  });
  let list: HighlightList | undefined;
  // The recording may be shorter than its log says: scenes without a frame are left out.
  let shown = choice;
  const { aspect: _, captions = 'track', title, subtitle: __, facecam: ___, captionTexts, ...rest } = options;
  const reel = await writeReel(path, cuts, {
    ...rest,
    inputs: output.inputs,
    ...size,
    layout,
    ...(strip && { strip }),
    ...(centers.some((center) => center !== undefined) && {
      view: (cut: number, t: number) => centers[cut - lead]?.(t) ?? plainView,
    }),
    prepare: async (plan): Promise<ReelExtras> => {
      const { scenes } = choice;
      shown = {
        ...choice,
        scenes: scenes.filter((each) => plan.cuts.some(({ index }) => scenes[index - lead] === each)),
      };
      list = makeHighlightList(shown, sources, { ...plan, cuts: plan.cuts.slice(lead) });
      const shownCaptions = reelCaptions(list, captionTexts);
      const chapters = reelChapters(list);
      return {
        ...(captions === 'track' && {
          captions: shownCaptions.map(({ start, end, lines }) => ({
            start,
            end,
            text: lines.map(subtitleLine).join('\n'),
          })),
        }),
        ...(captions === 'burn' && {
          paint: await captionPainter(shownCaptions, plan, hudInReel(sources, screens, shown, plan, layout)),
        }),
        chapters: lead > 0 ? [{ start: 0, end: chapters[0]!.start, title: title ?? '' }, ...chapters] : chapters,
        log: reelLog(list, shown.scenes, sources, { ...plan, name: basename(path) }),
        ...(title !== undefined && { title }),
      };
    },
  });
  if (extname(path).toLowerCase() === '.webm') await writeSidecarLog(path, list!, shown, sources, reel, options);
  return { reel, list: list! };
}

async function writeSidecarLog(
  path: string,
  list: HighlightList,
  choice: SceneChoice,
  sources: readonly Source[],
  reel: WrittenReel,
  { overwrite }: HighlightReelOptions,
): Promise<void> {
  const folder = join(dirname(path), `${basename(path, extname(path))}.playbyplay`);
  const { hash, bytes } = await fingerprintMedia(path);
  const log = reelLog(list, choice.scenes, sources, { ...reel, name: basename(path), hash, bytes });
  await writeOutput(join(folder, LOG_NAME), log, { kind: 'event log', inputs: inputsOf(sources), overwrite });
}

/** A crop where it keeps what the players look at, else the whole picture: before a blurred copy, or between bars. */
function defaultLayout(
  { scenes }: SceneChoice,
  sources: readonly Source[],
  screens: readonly ScreenLayout[],
  size: Size,
): Layout {
  const isUpright = size.height >= size.width;
  if (!isUpright) return 'pad';
  const isTooWide = scenes.some(
    ({ source }) => (screens[source]!.attention?.width ?? 0) > shownWidth(sources[source]!.header.media, size),
  );
  return isTooWide ? 'blur' : 'crop';
}

/** HUD regions of the games shown, in fractions of the reel's frame. */
function hudInReel(
  sources: readonly Source[],
  screens: readonly ScreenLayout[],
  { scenes }: SceneChoice,
  plan: ReelPlan,
  layout: Layout,
): Rect[] {
  const used = [...new Set(scenes.map(({ source }) => source))];
  return used.flatMap((source) => {
    const { hud, attention } = screens[source]!;
    const { media } = sources[source]!.header;
    return [...hud.values()].map((rect) => mapToReel(rect, media, plan, layout, attention));
  });
}

/**
 * Strip with the HUD of the first recording.
 *
 * @throws PlaybyplayError `no-hud` if the profile has none.
 */
function requireHudStrip(sources: readonly Source[], { scenes }: SceneChoice, screens: readonly ScreenLayout[]): Rect {
  const { source } = scenes[0]!;
  const strip = bottomHudStrip([...screens[source]!.hud.values()]);
  if (strip) return strip;
  const { game } = sources[source]!.header;
  throw new PlaybyplayError('no-hud', `the profile of ${game} has no HUD at the bottom of the picture`, {
    hint: 'Choose another layout: crop, blur or pad.',
  });
}

/** Seconds of a caption's fade-in and fade-out. */
const CAPTION_FADE_SECONDS = 0.12;

/** Makes a function that draws captions into frames, away from the HUD where possible. */
async function captionPainter(captions: readonly Caption[], plan: ReelPlan, hud: readonly Rect[]): Promise<Paint> {
  const overlays: { caption: Caption; overlay: Overlay }[] = [];
  for (const caption of captions) {
    const { svg, width, height } = captionSvg(caption.lines, plan);
    const middle = placeCaption(hud, height / plan.height, plan.height > plan.width) * plan.height;
    overlays.push({ caption, overlay: await renderOverlay(svg, (plan.width - width) / 2, middle - height / 2) });
  }
  return (planes, t) => {
    for (const { caption, overlay } of overlays) {
      if (t < caption.start || t >= caption.end) continue;
      blendOverlay(
        planes,
        overlay,
        Math.min(1, (t - caption.start) / CAPTION_FADE_SECONDS + 0.2, (caption.end - t) / CAPTION_FADE_SECONDS + 0.2),
      );
    }
  };
}
