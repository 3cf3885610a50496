import type { EventLine, HeaderLine } from '../events/log.ts';

/** A finished log and the recording it speaks of. */
export interface Source {
  readonly header: HeaderLine;
  readonly events: readonly EventLine[];
  /** Path of the recording, if it was found. */
  readonly media?: string;
  /** Path of the log. */
  readonly log?: string;
  /** What a person calls it (`nameLogs`); else it goes by the session. */
  readonly name?: string;
}

/** An event in a scene, with what it counts for and why. */
export interface ScoredEvent {
  readonly event: EventLine;
  readonly score: number;
  /** The largest reasons for the score, strongest first. */
  readonly reasons: readonly Reason[];
}

export interface Reason {
  /** `weight`, `rarity`, `streak`, `comeback`, `sound`, `quality`, `viewer`, `events`. */
  readonly kind: string;
  /** Factor on, or part of, the score. */
  readonly value: number;
  /** In words; empty where it is not worth telling. */
  readonly text: string;
}

/** A stretch of one session worth seeing: the merged windows of its events. Seconds from the first video frame. */
export interface Scene {
  readonly session: string;
  readonly game: string;
  /** Index of the source that it comes from. */
  readonly source: number;
  readonly start: number;
  readonly end: number;
  readonly events: readonly ScoredEvent[];
  readonly score: number;
  /** What kind of scene it is, for variety: the class of its strongest event. */
  readonly kind: string;
  readonly because: string;
}

/** The scene's strongest event, the earlier of equals: what it is named after. */
export function strongestOf(scene: Scene): ScoredEvent | undefined {
  return scene.events.toSorted((a, b) => b.score - a.score || a.event.t - b.event.t)[0];
}

/** What a scene is called: the text of its strongest event. */
export function titleOfScene(scene: Scene): string {
  return strongestOf(scene)?.event.text ?? scene.kind;
}
