// Cues of OpenArena that several tests begin with.
import type { Short } from './said.ts';

/** A line of the feed, as its phrase was read. */
export const line = (event: string, slots: Record<string, string> = {}): unknown => ({ event, slots });

export const standing: readonly Short[] = [
  [0, 'followed', 'found', 'Kyonshi'],
  [0, 'health', 'found', 60],
  [0, 'first score', 'found', 3],
  [0, 'own score', 'found', 2],
];
