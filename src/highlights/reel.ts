import { basename, dirname, extname, join } from 'node:path';
import { isReel } from '../events/embedded.ts';
import type { EventLine, HeaderLine, LogLine } from '../events/log.ts';
import {
  type HighlightList,
  inputsOf,
  makeHighlightList,
  type Scene,
  type Shot,
  type Source,
  timeInReel,
} from './list.ts';
import { checkOutput, writeOutput } from '../files/output.ts';
import { roundTime } from '../time.ts';
import type { Cut } from '../media/write/timeline.ts';
import { type ReelExtras, writeReel, type WrittenReel } from '../media/write/reel.ts';
import { LOG_NAME } from '../events/reader.ts';
import { fingerprintMedia } from '../pipeline/fingerprint.ts';
import type { SceneChoice } from './choose.ts';
import { reelChapters, reelCaptions, subtitleLine } from './captions.ts';
import { designReel, type HighlightReelOptions } from './design.ts';
import { END_CARD_SECONDS } from './style.ts';
import type { Storyboard } from './storyboard.ts';

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
        const at = (time: number): number => roundTime(timeInReel(listed.shots, time));
        const last = Math.min(end, listed.end);
        return {
          type: 'event',
          id: `${index + 1}-${id}`,
          t: at(t),
          end: at(last),
          game,
          session,
          text,
          statement,
          confidence,
          cues: cues.map((cue) => ({ ...cue, t: at(cue.t) })),
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

/** A written reel and the list of its scenes. */
export interface HighlightReel {
  readonly reel: WrittenReel;
  readonly list: HighlightList;
  readonly storyboard: Storyboard;
}

/**
 * Cuts the chosen scenes into a reel with chapters, captions, a title and its own event log (inside the file; for WebM
 * in `<name>.playbyplay/` next to it).
 *
 * @param media Returns the path of a source's recording.
 * @throws PlaybyplayError `no-hud` if `layout` is `hud` and the log has no figures of a HUD.
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
    inputs: [...inputsOf(sources), ...(options.music === undefined ? [] : [options.music])],
    overwrite: options.overwrite,
  };
  await checkOutput(path, output);
  await using design = await designReel(choice, sources, media, options);
  const { planned, style, size, arrangement, lead } = design;
  const cuts: Cut[] = planned.flatMap(({ shots }, scene) =>
    shots.map((shot) => ({ ...shot, media: media(sources[choice.scenes[scene]!.source]!) })),
  );
  // To which scene each cut belongs; the cards belong to none.
  const owners = planned.flatMap(({ shots }, scene) => shots.map(() => scene));
  if (lead !== undefined) {
    cuts.unshift({ media: await design.writeCard('title'), start: 0, end: lead });
    owners.unshift(-1);
  }
  if (design.hasEnding) {
    cuts.push({ media: await design.writeCard('ending'), start: 0, end: END_CARD_SECONDS });
    owners.push(-1);
  }
  let made: { readonly list: HighlightList; readonly shown: SceneChoice; readonly board: Storyboard } | undefined;
  const { crossfade = style.crossfade, quality, preset, encoder, loudness, audioTrack, signal, onProgress } = options;
  const { captions = 'track', frameRate, method, title, music, overwrite } = options;
  const look = design.viewer(owners);
  const reel = await writeReel(path, cuts, {
    quality,
    preset,
    encoder,
    codec: options.codec,
    maxBytes: options.maxBytes,
    loudness,
    audioTrack,
    frameRate,
    method,
    signal,
    onProgress,
    music: music === undefined ? undefined : { path: music, priority: style.musicPriority },
    crossfade,
    overwrite,
    inputs: output.inputs,
    ...size,
    ...arrangement,
    view: look && ((cut, t, at) => look(cut, t, at, made?.board)),
    prepare: async (plan): Promise<ReelExtras> => {
      // The recording may be shorter than its log says: scenes without a frame are left out.
      const placed = choice.scenes.map((_, scene) =>
        plan.cuts
          .filter(({ index }) => owners[index] === scene)
          .map(({ start, end, speed, offset }): Shot => ({ start, end, speed, at: offset })),
      );
      const kept = placed.flatMap((shots, scene) => (shots.length > 0 ? [scene] : []));
      const shown = { ...choice, scenes: kept.map((scene) => choice.scenes[scene]!) };
      const shots = kept.map((scene) => placed[scene]!);
      const list = makeHighlightList(shown, sources, { duration: plan.duration, shots });
      const board = design.storyboard(list, shown);
      made = { list, shown, board };
      const paint = await design.painter(board, shown);
      const shownCaptions = reelCaptions(list, options.captionTexts);
      const chapters = reelChapters(list);
      return {
        ...(captions === 'track' && {
          captions: shownCaptions.map(({ start, end, lines }) => ({
            start,
            end,
            text: lines.map(subtitleLine).join('\n'),
          })),
        }),
        paint,
        chapters:
          lead === undefined ? chapters : [{ start: 0, end: chapters[0]!.start, title: title ?? '' }, ...chapters],
        log: reelLog(list, shown.scenes, sources, { ...plan, name: basename(path) }),
        title,
      };
    },
  });
  const { list, shown, board } = made!;
  if (extname(path).toLowerCase() === '.webm') await writeSidecarLog(path, list, shown, sources, reel, options);
  return { reel, list, storyboard: board };
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
