import type { EventLine, HeaderLine } from '../events/log.ts';
import { isPropertyStatement } from '../events/statement.ts';
import { roundTime } from '../time.ts';
import type { SceneChoice } from './choose.ts';

/** A finished log and its recording. */
export interface Source {
  readonly header: HeaderLine;
  readonly events: readonly EventLine[];
  /** Parts of the recording that could not be read, in seconds. */
  readonly gaps?: readonly { readonly start: number; readonly end: number }[];
  /** Path of the recording, if found. */
  readonly media?: string;
  /** Path of the log. */
  readonly log?: string;
  /** Short name for people, unique among the loaded logs; default: the session. */
  readonly name?: string;
}

/** The files of logs and recordings, which outputs never replace. */
export function inputsOf(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ media, log }) => [media, log].filter((path) => path !== undefined));
}

/** An event of a scene with its score. */
export interface ScoredEvent {
  readonly event: EventLine;
  readonly score: number;
  /** Factors of the score, strongest first. */
  readonly reasons: readonly Reason[];
}

/** A factor on, or part of, a score. */
export interface Reason {
  /** `weight`, `rarity`, `frequency`, `streak`, `comeback`, `sound`, `quality`, `viewer`, `events`. */
  readonly kind: string;
  /** Factor on, or part of, the score. */
  readonly value: number;
  /** In words; empty if not worth mentioning. */
  readonly text: string;
}

/** A scene of one session: the merged windows of its events. Seconds from the first video frame. */
export interface Scene {
  readonly session: string;
  readonly game: string;
  /** Index of its source. */
  readonly source: number;
  readonly start: number;
  readonly end: number;
  readonly events: readonly ScoredEvent[];
  readonly score: number;
  /** Kind of scene, for variety: the class of its strongest event. */
  readonly kind: string;
  /** Explanation of the score for people. */
  readonly because: string;
  /** What a person calls it, where that is not the text of its strongest event. */
  readonly title?: string;
}

/** The scene's strongest event; of equals the earlier. */
export function strongestEvent(scene: Scene): ScoredEvent | undefined {
  return scene.events.toSorted((a, b) => b.score - a.score || a.event.t - b.event.t)[0];
}

/** Title of a scene: what a person calls it, or the text of its strongest event. */
export function sceneTitle(scene: Scene): string {
  return scene.title ?? strongestEvent(scene)?.event.text ?? scene.kind;
}

/** Highlight list as written to JSON. Times in seconds from each recording's first frame. */
export interface HighlightList {
  readonly format: 'playbyplay/highlights/1';
  readonly duration: number;
  readonly available: { readonly scenes: number; readonly seconds: number };
  readonly scenes: readonly ListedScene[];
}

/** A stretch of a recording and its place in a reel. */
export interface Shot {
  readonly start: number;
  readonly end: number;
  /** Seconds of the recording per second of the reel: 0.5 is slow motion at half speed. */
  readonly speed: number;
  /** Start in the reel. */
  readonly at: number;
}

/** Where a time of the recording is in the reel. */
export function timeInReel(shots: readonly Shot[], t: number): number {
  const shot = shots.find(({ end }) => t < end) ?? shots.at(-1)!;
  return shot.at + (Math.min(t, shot.end) - shot.start) / shot.speed;
}

/** A scene of the list. */
export interface ListedScene {
  readonly session: string;
  readonly game: string;
  readonly media: string;
  readonly start: number;
  readonly end: number;
  /** Start and length of the scene in the reel. */
  readonly at: number;
  readonly duration: number;
  /** Where the scene is shown at other speeds; otherwise one shot. */
  readonly shots: readonly Shot[];
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
 * @param reel The shots of each scene in the reel, and its length; default: the scenes as they are, one after the other.
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
  reel?: { readonly duration: number; readonly shots: readonly (readonly Shot[])[] },
): HighlightList {
  let offset = 0;
  const scenes = choice.scenes.map((scene, index): ListedScene => {
    const shots = reel?.shots[index] ?? [{ start: scene.start, end: scene.end, speed: 1, at: offset }];
    const [{ start, at }, { end }] = [shots[0]!, shots.at(-1)!];
    offset = timeInReel(shots, end);
    return {
      session: scene.session,
      game: scene.game,
      media: sources[scene.source]!.header.media.name,
      start: roundTime(start),
      end: roundTime(end),
      at: roundTime(at),
      duration: roundTime(offset - at),
      shots: shots.map((shot) => ({
        start: roundTime(shot.start),
        end: roundTime(shot.end),
        speed: shot.speed,
        at: roundTime(shot.at),
      })),
      score: scene.score,
      kind: scene.kind,
      title: sceneTitle(scene),
      because: scene.because,
      events: scene.events.map(({ event, score }) => ({
        id: event.id,
        t: event.t,
        at: roundTime(timeInReel(shots, event.t)),
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
