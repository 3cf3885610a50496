import type { ReelPlan } from '../media/write/reel.ts';
import { isPropertyStatement } from '../events/statement.ts';
import { roundTime } from '../time.ts';
import type { SceneChoice } from './choose.ts';
import { sceneTitle, type Source } from './scene.ts';

/** Highlight list as written to JSON. Times in seconds from each recording's first frame. */
export interface HighlightList {
  readonly format: 'playbyplay/highlights/1';
  readonly duration: number;
  readonly available: { readonly scenes: number; readonly seconds: number };
  readonly scenes: readonly ListedScene[];
}

/** A scene of the list. */
export interface ListedScene {
  readonly session: string;
  readonly game: string;
  readonly media: string;
  readonly start: number;
  readonly end: number;
  /** Start of the scene in the reel. */
  readonly at: number;
  readonly score: number;
  readonly kind: string;
  readonly title: string;
  readonly because: string;
  readonly events: readonly {
    readonly id: string;
    readonly t: number;
    readonly at: number;
    readonly text: string;
    readonly kind: 'action' | 'property';
    readonly score: number;
  }[];
}

/**
 * Lists the chosen scenes.
 *
 * @param reel The written reel, whose cuts are the scenes in order; times are then those of the frames that were cut.
 *
 * @example
 * ```ts
 * const { sources, dictionary } = await loadSources(['match.playbyplay']);
 * const choice = chooseScenes(sources, { dictionary, duration: 5 });
 * console.log(makeHighlightList(choice, sources).scenes);
 * ```
 */
export function makeHighlightList(
  choice: SceneChoice,
  sources: readonly Source[],
  reel?: Pick<ReelPlan, 'duration' | 'cuts'>,
): HighlightList {
  let offset = 0;
  const scenes = choice.scenes.map((scene, index): ListedScene => {
    const cut = reel?.cuts[index];
    const start = cut?.start ?? scene.start;
    const end = cut?.end ?? scene.end;
    const at = cut?.offset ?? offset;
    offset = at + end - start;
    return {
      session: scene.session,
      game: scene.game,
      media: sources[scene.source]!.header.media.name,
      start: roundTime(start),
      end: roundTime(end),
      at: roundTime(at),
      score: scene.score,
      kind: scene.kind,
      title: sceneTitle(scene),
      because: scene.because,
      events: scene.events.map(({ event, score }) => ({
        id: event.id,
        t: event.t,
        at: roundTime(at + event.t - start),
        text: event.text,
        kind: isPropertyStatement(event.statement) ? 'property' : 'action',
        score: Math.round(score * 100) / 100,
      })),
    };
  });
  return {
    format: 'playbyplay/highlights/1',
    duration: roundTime(reel?.duration ?? offset),
    available: { scenes: choice.available.scenes, seconds: roundTime(choice.available.seconds) },
    scenes,
  };
}
