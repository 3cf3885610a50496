import type { Dictionary } from '../../dictionary/dictionary.ts';
import type { EventLine } from '../../events/log.ts';
import { isPropertyStatement } from '../../events/statement.ts';
import { isDownfall, isOneOf, wordOf } from '../settings/weights.ts';
import type { Window } from '../settings/windows.ts';

/** Seconds of a downfall that are still shown when it ends a scene, and least seconds shown behind the last event. */
const SHOWN = 0.3;
const LEAST = 0.8;

/**
 * The window without what belongs to another life: it begins with the player's respawn where one lies before its first
 * event, and ends with a downfall that nobody asked for, instead of going on into the score table.
 */
export function withinOneLife(window: Window, events: readonly EventLine[], dictionary: Dictionary): Window {
  const first = window.events[0]!.t;
  const last = Math.max(...window.events.map(({ end }) => end));
  const respawn = events.findLast(
    ({ t, statement }) =>
      t > window.start &&
      t <= first &&
      !isPropertyStatement(statement) &&
      wordOf(statement.subject) === 'player' &&
      isOneOf(dictionary, statement.action, 'action', 'spawn'),
  );
  const downfall = events.find(
    (event) =>
      event.t > last &&
      event.t < window.end &&
      !window.events.includes(event) &&
      isDownfall(event.statement, dictionary),
  );
  const start = respawn?.t ?? window.start;
  const end = downfall ? Math.min(window.end, Math.max(downfall.t + SHOWN, last + LEAST)) : window.end;
  return { ...window, start, end };
}
