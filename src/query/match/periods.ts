import { covers, type Dictionary, type Word } from '../../dictionary/dictionary.ts';
import { isPropertyStatement, type Slot, type WordId } from '../../events/statement.ts';
import type { SessionEvents } from './event-index.ts';
import type { Span } from './states.ts';

/** A period, such as a round. */
export interface Period extends Span {
  /** Is it the last of the session, so that what happens at its very end belongs to it? */
  readonly isLast: boolean;
  /** Does something end it, rather than the beginning of the next? */
  readonly isEnded: boolean;
  /** Does the log state both when it begins and when it ends, so that its length is known? */
  readonly isMeasured: boolean;
}

/** A log states what ends a period once for each side. */
const sameEndSeconds = 1;

/** Does something at `t` happen in a period? What begins the next belongs to the next. */
export function isWithin(t: number, { t: start, end, isLast, isEnded }: Period): boolean {
  return t >= start && (isLast || isEnded ? t <= end : t < end);
}

/** The n-th of some periods, or all of them; negative numbers count from the end. */
export function numberedPeriods(all: readonly Period[], nth: number | undefined): readonly Period[] {
  return nth === undefined ? all : [all.at(nth > 0 ? nth - 1 : nth)].filter((each) => each !== undefined);
}

const minAlternations = 3;

/** Parts that follow one another through a whole session: where one begins, another may have been before it. */
const divisions = ['round', 'period of play', 'level', 'wave', 'lap', 'turn', 'chapter', 'day', 'night'];

/** Do periods of a word make up the whole session, unlike fights and meetings, between which there is time? */
function isDivision(words: readonly WordId[], dictionary: Dictionary): boolean {
  const known = divisions.flatMap((id) => dictionary.find(id, 'object') ?? []);
  return words.some((id) => known.some((each) => covers(each, dictionary.find(id, 'object'))));
}

/** Does one begin after the other each time, as day and night? */
function doAlternate(first: readonly number[], second: readonly number[]): boolean {
  const all = [...first.map((t) => ({ t, isFirst: true })), ...second.map((t) => ({ t, isFirst: false }))];
  const ordered = all.toSorted((a, b) => a.t - b.t);
  return (
    ordered.length >= minAlternations &&
    second.length > 0 &&
    ordered.every(({ isFirst }, index) => index === 0 || ordered[index - 1]!.isFirst !== isFirst)
  );
}

/** What a log says of the periods of a word. */
interface Boundaries {
  readonly begins: readonly number[];
  /** When each of the other things begins whose beginning the log states. */
  readonly others: readonly (readonly number[])[];
  readonly ends: readonly number[];
}

/**
 * Finds the periods of a word in a session: rounds, halves, laps. A period begins where the log says that one begins, else where
 * the one before ended or, if such periods make up the session, with it; it ends where the log says that one ends or is won, lost,
 * drawn or completed, else where the next begins, or something that alternates with it (day and night), or with the session.
 */
export function findPeriods(
  session: SessionEvents,
  words: readonly WordId[],
  dictionary: Dictionary,
): readonly Period[] {
  const { begins, ends, others } = collectBoundaries(session, words, dictionary);
  const found: { t: number; end: number; isEnded: boolean; isMeasured: boolean }[] = [];
  // A night ends where the day begins: what alternates excludes each other.
  const alternating = others.filter((each) => doAlternate(begins, each));
  // Where nothing says that the first begins, it begins with the session.
  const first = Math.min(begins[0] ?? Number.POSITIVE_INFINITY, ends[0] ?? Number.POSITIVE_INFINITY);
  if (first === Number.POSITIVE_INFINITY) return [];
  const isLate = alternating.some(([t]) => t! < first);
  // What begins before any of its kind ended is the first, unless such periods make up the whole session.
  const isFirst = begins[0] === first && (ends.length > 0 || !isDivision(words, dictionary));
  let start: number | undefined = begins[0] === 0 || isLate || isFirst ? undefined : 0;
  // The first begins unstated with what begins the session, or is a lap that only its end is stated of.
  let isBegun = begins.length === 0 || others.some((each) => each[0] === 0);
  const marks = [
    ...begins.map((t) => ({ t, isEnd: false })),
    ...[...ends, ...alternating.flat()].map((t) => ({ t, isEnd: true })),
  ].toSorted((a, b) => a.t - b.t || Number(b.isEnd) - Number(a.isEnd));
  for (const { t, isEnd } of marks) {
    if (start !== undefined && t > start) found.push({ t: start, end: t, isEnded: isEnd, isMeasured: isBegun });
    isBegun = true;
    // Without beginnings, a period begins where the one before ended.
    start = isEnd && begins.length > 0 ? undefined : t;
  }
  // What only its ends are stated of has no last period without an end.
  if (start !== undefined && begins.length > 0 && start < session.duration)
    found.push({ t: start, end: session.duration, isEnded: false, isMeasured: false });
  return found.map((each, index) => ({ ...each, isLast: index === found.length - 1 }));
}

/** Actions of a period itself. */
export const boundaryActions = ['begin', 'end'];
/** Actions that end the thing that they are done to. */
export const endingActions = ['win', 'lose', 'draw', 'complete'];

/** "complete lap": an ending action with the thing in its name. */
export function endsOwnNoun({ name, ownNoun }: Word): boolean {
  const verb = name.slice(0, name.indexOf(' '));
  // A card that is drawn does not end.
  return ownNoun !== undefined && verb !== 'draw' && endingActions.includes(verb);
}

function collectBoundaries(session: SessionEvents, words: readonly WordId[], dictionary: Dictionary): Boundaries {
  const find = (id: string): Word | undefined => dictionary.find(id, 'action');
  const [begin, end] = boundaryActions.map((id) => find(id));
  const endings = endingActions.flatMap((id) => find(id) ?? []);
  const isPeriod = (slot: Slot | undefined): boolean => {
    const id = typeof slot === 'object' ? slot.word : slot;
    return id !== undefined && words.some((word) => dictionary.isA(id, word, 'object'));
  };
  const begins: number[] = [];
  const others = new Map<WordId, number[]>();
  const ends: { readonly t: number; readonly isPlayer: boolean }[] = [];
  for (const { t, statement } of session.events) {
    if (isPropertyStatement(statement)) continue;
    const action = find(statement.action);
    if (isPeriod(statement.subject)) {
      if (covers(begin, action)) begins.push(t);
      if (covers(end, action)) ends.push({ t, isPlayer: true });
    } else if (covers(begin, action) && statement.subject !== undefined) {
      const id = typeof statement.subject === 'string' ? statement.subject : statement.subject.word;
      others.set(id, [...(others.get(id) ?? []), t]);
    }
    const isEnding = endings.some((each) => covers(each, action));
    if (isEnding && isPeriod(statement.object)) ends.push({ t, isPlayer: true });
    // Everybody completes laps of their own.
    if (action && endsOwnNoun(action) && isPeriod(action.ownNoun))
      ends.push({ t, isPlayer: statement.subject === 'player' });
  }
  // The player's laps count where the log has them.
  const own = ends.filter(({ isPlayer }) => isPlayer);
  const counted = (own.length > 0 ? own : ends).map(({ t }) => t);
  const distinct = counted.filter((t, index) => index === 0 || t - counted[index - 1]! > sameEndSeconds);
  return { begins, ends: distinct, others: [...others.values()] };
}
