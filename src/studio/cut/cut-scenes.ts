import type { HeaderLine } from '../../events/log.ts';
import { roundTime } from '../../time.ts';
import type { FromSchema } from '../../schema/from-schema.ts';
import type { SceneChoice } from '../../highlights/choose.ts';
import {
  type HighlightList,
  type ListedScene,
  type Scene,
  type Source,
  strongestEvent,
} from '../../highlights/list.ts';
import type { saveCut } from '../api/cut.ts';

/** A scene as pages edit it. Times in seconds from the first video frame of its recording. */
export type CutScene = FromSchema<(typeof saveCut)['body']>['scenes'][number];

/** Scenes of sources as pages edit them. `logs` names the logs as pages do. */
export function toCutScenes(list: HighlightList, choice: SceneChoice, logs: readonly string[]): readonly CutScene[] {
  return list.scenes.map((listed, index) => {
    const { start, end, title, because, kind, score, events } = listed;
    const log = logs[choice.scenes[index]!.source]!;
    const named = events.map(({ id, t, text }) => ({ id, t, text }));
    return { log, start, end, title, because, kind, score, events: named };
  });
}

/** Scenes as the writers of reels take them, and the captions that a person wrote. */
export function fromCutScenes(
  scenes: readonly CutScene[],
  sources: readonly Source[],
  logs: readonly string[],
): { readonly choice: SceneChoice; readonly captionTexts: ReadonlyMap<string, string> } {
  const captionTexts = new Map<string, string>();
  const chosen = scenes.flatMap((scene): Scene[] => {
    const index = logs.indexOf(scene.log);
    const source = sources[index];
    if (!source || scene.end <= scene.start) return [];
    const wanted = new Set(scene.events.map(({ id }) => id));
    const events = source.events
      .filter(({ id, t }) => wanted.has(id) && t >= scene.start && t < scene.end)
      .map((event) => ({ event, score: scene.score, reasons: [] }));
    const { session, game } = source.header;
    const { start, end, score, kind, because, title } = scene;
    const made = { session, game, source: index, start, end, events, score, kind, because, title };
    const best = bestEvent(scene, made);
    if (best && best.text !== scene.title) captionTexts.set(best.id, scene.title);
    return [made];
  });
  const seconds = chosen.reduce((sum, { start, end }) => sum + end - start, 0);
  return { choice: { scenes: chosen, available: { scenes: chosen.length, seconds } }, captionTexts };
}

/** The event whose text is the title of a scene: where a person has changed the title, the one that was scored highest. */
function bestEvent(scene: CutScene, made: Scene) {
  const titled = made.events.find(({ event }) => event.text === scene.title);
  return (titled ?? strongestEvent(made))?.event;
}

/**
 * The list of highlights that is stored: as `playbyplay highlights` writes it, one scene after the other, with the titles that a
 * person gave.
 *
 * @param header Gives the header of a log by the name that pages use.
 */
export function listOf(scenes: readonly CutScene[], header: (log: string) => HeaderLine): HighlightList {
  let at = 0;
  const listed = scenes.map(({ log, start, end, score, kind, title, because, events }): ListedScene => {
    const { session, game, media } = header(log);
    const duration = roundTime(end - start);
    const shot = { start, end, speed: 1, at: roundTime(at) };
    const scene: ListedScene = {
      session,
      game,
      media: media.name,
      start,
      end,
      at: shot.at,
      duration,
      shots: [shot],
      score,
      kind,
      title,
      because,
      events: events.map(({ id, t, text }) => {
        return { id, t, at: roundTime(at + t - start), text, kind: 'action' as const, score };
      }),
    };
    at += duration;
    return scene;
  });
  const seconds = roundTime(at);
  return {
    format: 'playbyplay/highlights/1',
    duration: seconds,
    available: { scenes: scenes.length, seconds },
    scenes: listed,
  };
}
