import { Dictionary } from '../dictionary/dictionary.ts';
import type { EventLine, HeaderLine } from '../events/log.ts';
import { isPropertyStatement, type Slot, type Statement, wordOf } from '../events/statement.ts';
import { roundTo } from '../statistics.ts';
import type { Reason, Scene, ScoredEvent, Source } from './list.ts';
import { type HighlightSettings, layered } from './settings.ts';
import {
  isPlayerVictory,
  displayInterest,
  statementClass,
  statementWeight,
  unqualified,
  type Weights,
} from './weights.ts';
import type { Window } from './windows.ts';

/** Options of `scoreScenes`. */
export interface ScoreOptions {
  /** Word hierarchy; default: none, each word stands alone. */
  readonly dictionary?: Dictionary;
  /** Weights by word; they override those of the settings and the built-in ones. */
  readonly weights?: Weights;
  /** Settings of each source, in the order of the sources. */
  readonly settings?: readonly (HighlightSettings | undefined)[];
  /** Further factors on an event's score: sound, stream quality, viewers. */
  readonly factors?: (source: number, event: EventLine) => readonly Reason[];
}

/** Weights that apply to a source's events. */
export function weightsFor({ weights, settings }: ScoreOptions, source: number): Weights | undefined {
  const own = settings?.[source]?.weights;
  return own && weights ? layered([own, weights]) : (weights ?? own);
}

/** A dictionary without words. */
export const emptyDictionary = new Dictionary([], [], []);

/** Maximum seconds between the victories of a streak, and between low health and the victory that makes a comeback. */
const STREAK_SECONDS = 8;
const COMEBACK_SECONDS = 10;

/** Scores every window and records the reasons. Depends only on the arguments. */
export function scoreScenes(
  sources: readonly Source[],
  windows: readonly (readonly Window[])[],
  options: ScoreOptions = {},
): Scene[] {
  const dictionary = options.dictionary ?? emptyDictionary;
  const counts = new Map<string, number>();
  // Windows may share events (versions of one scene): count each event once.
  for (const event of new Set(windows.flat().flatMap((window) => window.events))) count(counts, event, dictionary);
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  return windows.flatMap((list, source) => {
    const weights = weightsFor(options, source);
    const { header, events } = sources[source]!;
    const interest = displayInterest(sources[source]!, dictionary);
    return list.map((window): Scene => {
      const scored = window.events.map((event) => {
        const { weight, from } = statementWeight(event.statement, dictionary, weights);
        const reasons = [
          { kind: 'weight', value: weight, text: `“${from}” counts ${roundTo(weight, 1)}` },
          rarity(statementClass(event.statement, dictionary), counts, total),
          { kind: 'display', ...interest(event.statement) },
          streak(event, window.events, dictionary),
          comeback(event, events, dictionary),
          ...(options.factors?.(source, event) ?? []),
        ].filter((reason): reason is Reason => reason !== undefined);
        const score = reasons.reduce((product, reason) => product * reason.value, event.confidence);
        return { event, score, reasons };
      });
      return makeScene(header, source, window, scored, dictionary);
    });
  });
}

function makeScene(
  { session, game }: HeaderLine,
  source: number,
  window: Window,
  events: ScoredEvent[],
  dictionary: Dictionary,
): Scene {
  const strongest = events.toSorted((a, b) => b.score - a.score || a.event.t - b.event.t);
  // Many minor events do not add up to a great one: each further event counts less.
  const score = strongest.reduce((sum, { score: part }, rank) => sum + part * 0.85 ** rank, 0);
  return {
    session,
    game,
    source,
    start: window.start,
    end: window.end,
    events,
    score: roundTo(score, 1),
    kind: statementClass(strongest[0]!.event.statement, dictionary),
    because: because(strongest),
  };
}

/** Explains the score: the strongest event's reasons and the number of further events. */
function because(strongest: readonly ScoredEvent[]): string {
  const [first, ...others] = strongest;
  const shown = first!.reasons
    .filter(
      (reason) => reason.kind === 'weight' || reason.value >= 1.1 || (reason.value < 0.7 && reason.kind !== 'rarity'),
    )
    .toSorted((a, b) => Number(a.kind === 'weight') - Number(b.kind === 'weight') || b.value - a.value)
    .map((reason) => reason.text)
    .filter((text) => text !== '');
  const more = others.length > 0 ? `; ${others.length} more event${others.length > 1 ? 's' : ''}` : '';
  return `${shown.join(', ')}${more}`;
}

function count(counts: Map<string, number>, event: EventLine, dictionary: Dictionary): void {
  const key = statementClass(event.statement, dictionary);
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** From 0.75 for the most common kind of event to 1.5 for a unique one, by information content. */
function rarity(key: string, counts: ReadonlyMap<string, number>, total: number): Reason | undefined {
  if (total < 2) return undefined;
  const n = counts.get(key) ?? 1;
  const value = 0.75 + (0.75 * Math.log(total / n)) / Math.log(total);
  const text = n === 1 ? 'the only one of its kind' : n <= 3 ? `one of only ${n} of its kind` : '';
  return { kind: 'rarity', value, text };
}

/** Whether an event is a victory of the player within seconds of the one before, with no defeat between them. */
export function continuesStreak(event: EventLine, before: EventLine, dictionary: Dictionary): boolean {
  return (
    event.t - before.t <= STREAK_SECONDS &&
    isPlayerVictory(event.statement, dictionary) &&
    isPlayerVictory(before.statement, dictionary)
  );
}

/** Factor for the player's n-th victory within seconds of the one before. */
function streak(event: EventLine, events: readonly EventLine[], dictionary: Dictionary): Reason | undefined {
  if (!isPlayerVictory(event.statement, dictionary)) return undefined;
  let n = 1;
  let since = event.t;
  for (const other of events.toReversed()) {
    if (other.t >= since || !isPlayerVictory(other.statement, dictionary)) continue;
    if (since - other.t > STREAK_SECONDS) break;
    n++;
    since = other.t;
  }
  if (n === 1) return undefined;
  const word = !isPropertyStatement(event.statement) ? unqualified(event.statement.action) : 'victory';
  return {
    kind: 'streak',
    value: Math.min(2, 1 + 0.25 * (n - 1)),
    text: `${ordinal(n)} ${word} in ${roundTo(event.t - since, 1)} s`,
  };
}

/** Factor for a victory shortly after the player's health fell to a quarter or less, in the same life. */
function comeback(event: EventLine, events: readonly EventLine[], dictionary: Dictionary): Reason | undefined {
  if (!isPlayerVictory(event.statement, dictionary)) return undefined;
  for (const { t, statement } of events.toReversed()) {
    if (t > event.t) continue;
    if (t < event.t - COMEBACK_SECONDS || startsOrEndsLife(statement, dictionary)) return undefined;
    if (!isPropertyStatement(statement)) continue;
    if (unqualified(statement.property) !== 'health' || wordOf(statement.subject) !== 'player') continue;
    if (typeof statement.to !== 'number' || statement.to <= 0 || statement.to > 25) return undefined;
    return { kind: 'comeback', value: 1.4, text: `with ${statement.to} health left` };
  }
  return undefined;
}

function isPlayer(slot: Slot | undefined): boolean {
  return slot !== undefined && wordOf(slot) === 'player';
}

/** Does the player die, get killed or spawn? */
function startsOrEndsLife(statement: Statement, dictionary: Dictionary): boolean {
  if (isPropertyStatement(statement)) return false;
  const { action, subject, object } = statement;
  if (isPlayer(subject) && ['die', 'spawn'].some((each) => dictionary.isA(action, each, 'action'))) return true;
  const effect = dictionary.find(action, 'action')?.causes;
  return isPlayer(object) && effect !== undefined && dictionary.isA(effect.id, 'die', 'action');
}

function ordinal(n: number): string {
  const tens = n % 100;
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${suffix}`;
}
