import type { EventLine, HeaderLine } from '../events/log.ts';

/** A finished log and its recording. */
export interface Source {
  readonly header: HeaderLine;
  readonly events: readonly EventLine[];
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
  /** `weight`, `rarity`, `streak`, `comeback`, `sound`, `quality`, `viewer`, `events`. */
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
}

/** The scene's strongest event; of equals the earlier. */
export function strongestEvent(scene: Scene): ScoredEvent | undefined {
  return scene.events.toSorted((a, b) => b.score - a.score || a.event.t - b.event.t)[0];
}

/** Title of a scene: the text of its strongest event. */
export function sceneTitle(scene: Scene): string {
  return strongestEvent(scene)?.event.text ?? scene.kind;
}
